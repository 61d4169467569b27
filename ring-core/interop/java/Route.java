import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code Route SNAPSHOT KEYS [--replicas R] [--bench]}
 *
 * <p>Writes every line of the file KEYS, TAB, and its nodes, TAB-separated, the owner first (R is 1 where it is left
 * out). Keys are bytes up to the LF; a CR stays part of the key; the last line needs no LF. With {@code --bench} it
 * writes how many lookups a second it does over the keys in memory, and nothing else. Exit codes: 0 done, 1 writing
 * failed, 2 usage or bad input.
 */
final class Route {
    private static final String USAGE = "usage: Route SNAPSHOT KEYS [--replicas R] [--bench]";

    private final List<String> files = new ArrayList<>();
    private long replicas = 1;
    private boolean bench;
    private HashRing ring;
    private byte[] text;
    private int[] ends; // where each line of the text ends, its LF not counted

    private Route() {
    }

    public static void main(String[] arguments) {
        Route route = new Route();
        try {
            route.read(arguments);
        } catch (IOException | IllegalArgumentException error) {
            System.err.println("route: " + error.getMessage());
            System.exit(2);
        }
        if (route.bench) {
            route.bench();
            return;
        }
        try (OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16)) {
            route.write(out);
        } catch (IOException error) {
            // A reader that went away wants no more, not even a message.
            if (!"Broken pipe".equals(error.getMessage())) {
                System.err.println("route: cannot write the output: " + error.getMessage());
            }
            System.exit(1);
        }
    }

    private void read(String[] arguments) throws IOException {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].equals("--bench")) {
                bench = true;
            } else if (arguments[i].equals("--replicas")) {
                if (++i == arguments.length) {
                    throw new IllegalArgumentException("--replicas needs a number; " + USAGE);
                }
                replicas = count(arguments[i]);
            } else if (arguments[i].startsWith("--")) {
                throw new IllegalArgumentException("unknown option " + arguments[i] + "; " + USAGE);
            } else {
                files.add(arguments[i]);
            }
        }
        if (files.size() != 2) {
            throw new IllegalArgumentException(USAGE);
        }
        ring = HashRingJson.fromSnapshot(readFile(files.get(0)));
        text = readFile(files.get(1));
        ends = lineEnds(text);
        if (bench && ends.length == 0) {
            throw new IllegalArgumentException("--bench needs at least one key");
        }
        for (HashRing.Node node : ring.nodes()) {
            // An id with one of the separators in it would make the lines mean something else.
            if (!bench && node.id().chars().anyMatch(c -> c == '\t' || c == '\n' || c == '\r')) {
                throw new IllegalArgumentException("node " + HashRing.quote(node.id())
                        + " holds TAB, LF or CR, which separate the output's fields");
            }
        }
    }

    private static long count(String text) {
        long number = text.matches("[0-9]{1,10}") ? Long.parseLong(text) : -1;
        if (number < 0 || number > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("--replicas is " + HashRing.quote(text) + ", but must be a number from 0 to 4294967295");
        }
        return number;
    }

    private static byte[] readFile(String name) throws IOException {
        Path path = Paths.get(name);
        try {
            if (Files.size(path) > Integer.MAX_VALUE - 8) {
                throw new IllegalArgumentException(name + " is larger than an array can be, 2^31 - 9 bytes");
            }
            return Files.readAllBytes(path);
        } catch (IOException error) {
            throw new IOException("cannot read " + name, error);
        }
    }

    private static int[] lineEnds(byte[] text) {
        int count = text.length > 0 && text[text.length - 1] != '\n' ? 1 : 0;
        for (byte b : text) {
            count += b == '\n' ? 1 : 0;
        }
        int[] ends = new int[count];
        int line = 0;
        for (int i = 0; i < text.length; i++) {
            if (text[i] == '\n') {
                ends[line++] = i;
            }
        }
        if (line < count) {
            ends[line] = text.length;
        }
        return ends;
    }

    private void write(OutputStream out) throws IOException {
        long shortKeys = 0;
        int start = 0;
        for (int end : ends) {
            out.write(text, start, end - start);
            List<String> nodes = ring.replicasAt(HashRing.hash64(text, start, end), replicas).nodes();
            out.write('\t');
            String separator = "";
            for (String id : nodes) {
                out.write((separator + id).getBytes(StandardCharsets.UTF_8));
                separator = "\t";
            }
            out.write('\n');
            shortKeys += nodes.size() < replicas ? 1 : 0;
            start = end + 1;
        }
        out.flush();
        if (shortKeys > 0) {
            System.err.println("route: " + shortKeys + " keys have fewer than " + replicas + " nodes");
        }
    }

    private void bench() {
        byte[][] keys = new byte[ends.length][];
        for (int line = 0, start = 0; line < ends.length; start = ends[line++] + 1) {
            keys[line] = Arrays.copyOfRange(text, start, ends[line]);
        }
        long lookups = 0;
        long answers = 0; // told, so that no lookup can be left out
        long nanos = 0;
        long warm = 0;
        while (nanos < 1_000_000_000L) {
            long start = System.nanoTime();
            for (byte[] key : keys) {
                answers += replicas == 1 ? ring.getNode(key).orElse("").length() : ring.getReplicas(key, replicas).nodes().size();
            }
            long taken = System.nanoTime() - start;
            // The first second is the compiler's.
            if (warm < 1_000_000_000L) {
                warm += taken;
                continue;
            }
            nanos += taken;
            lookups += keys.length;
        }
        System.out.println("java: " + (long) (lookups * 1e9 / nanos) + " lookups per second (" + keys.length + " keys, "
                + ring.tokenCount() + " tokens, R = " + replicas + ", check " + answers + ")");
    }
}
