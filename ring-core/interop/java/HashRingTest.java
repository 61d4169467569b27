import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Holds HashRing to the golden vectors: {@code HashRingTest TESTDATA_DIRECTORY [CASES.json]...}. Scripts in further
 * files of the format of cases.json are run as well. Exit code 1 where a check fails.
 */
final class HashRingTest {
    private static int passed;
    private static int failed;

    private HashRingTest() {
    }

    public static void main(String[] arguments) {
        if (arguments.length < 1) {
            System.err.println("usage: HashRingTest TESTDATA_DIRECTORY [CASES.json]...");
            System.exit(2);
        }
        String directory = arguments[0];
        try {
            hashes(directory);
            eachRing(directory, "tokens.json", "name ring tokens", HashRingTest::tokens);
            eachRing(directory, "owners.json", "name ring lookups at", HashRingTest::owners);
            eachRing(directory, "replicas.json", "name ring lookups", HashRingTest::replicas);
            eachRing(directory, "fingerprints.json", "name ring tokens fingerprint", HashRingTest::fingerprints);
            snapshots(directory);
            cases(directory, "cases.json");
            for (int more = 1; more < arguments.length; more++) {
                cases("", arguments[more]);
            }
            surrogates();
            limits();
            batches();
            sharing();
            messages();
        } catch (Exception error) {
            error.printStackTrace();
            check(false, error.toString());
        }
        System.out.println("java: " + passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void check(boolean holds, String what) {
        if (holds) {
            passed++;
        } else if (++failed <= 20) {
            System.out.println("FAILED: " + what);
        }
    }

    /** Checks that {@code call} throws just this class, with {@code part} in its message. */
    private static void refused(Class<? extends Exception> kind, String part, Runnable call) {
        try {
            call.run();
            check(false, "not refused: " + part);
        } catch (RuntimeException error) {
            check(error.getClass() == kind && error.getMessage().contains(part), part + ", not: " + error);
        }
    }

    private interface One {
        void run(Map<String, Object> item, HashRing ring, String name);
    }

    private static Object readJson(String directory, String file) throws IOException, HashRingJson.ParseException {
        return HashRingJson.parse(new String(Files.readAllBytes(Paths.get(directory, file)), StandardCharsets.UTF_8));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> objects(Object list) {
        return (List<Map<String, Object>>) list;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    private static Object at(Map<String, Object> object, String name) {
        if (!object.containsKey(name)) {
            throw new IllegalStateException("a vector has no member " + name);
        }
        return object.get(name);
    }

    private static String text(Map<String, Object> object, String name) {
        return (String) at(object, name);
    }

    private static long number(Object value) {
        return Long.parseLong(((HashRingJson.Number) value).text);
    }

    private static long number(Map<String, Object> object, String name) {
        return number(at(object, name));
    }

    private static long hash(Object value) {
        return Long.parseUnsignedLong((String) value, 16);
    }

    /** A member that this runner does not know would be a rule left unchecked. */
    private static void known(Map<String, Object> object, String names) {
        for (String name : object.keySet()) {
            if (!Arrays.asList(names.split(" ")).contains(name)) {
                throw new IllegalStateException("a vector has the member " + name + ", which this runner does not know");
            }
        }
    }

    private static byte[] unhex(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }

    /** A key as bytes, in the lookups that take bytes. */
    private static byte[] key(Map<String, Object> object) {
        return object.containsKey("key_hex") ? unhex(text(object, "key_hex")) : text(object, "key").getBytes(StandardCharsets.UTF_8);
    }

    private static boolean sameNodes(HashRing.ReplicaSet set, Map<String, Object> object, String name) {
        return set.nodes().equals(at(object, name));
    }

    private static HashRing build(Map<String, Object> described) {
        HashRing ring = new HashRing(number(described, "vnodes_per_weight"));
        for (Map<String, Object> node : objects(at(described, "nodes"))) {
            ring.addNode(text(node, "id"), number(node, "weight"));
        }
        return ring;
    }

    /** Runs {@code one} on every case of a file whose ring has the default hash. */
    private static void eachRing(String directory, String file, String members, One one) throws Exception {
        int skipped = 0;
        for (Map<String, Object> item : objects(readJson(directory, file))) {
            known(item, members);
            Map<String, Object> ring = object(at(item, "ring"));
            known(ring, "hash secret_hex vnodes_per_weight nodes");
            if (at(ring, "hash").equals(HashRing.HASH_NAME)) {
                one.run(item, build(ring), file + ", " + text(item, "name"));
            } else {
                skipped++;
            }
        }
        System.out.println("java: " + file + ": " + skipped + " rings of other hashes skipped");
    }

    private static void hashes(String directory) throws Exception {
        Map<String, Object> file = object(readJson(directory, "hashes.json"));
        known(file, "plain keyed");
        for (Map<String, Object> item : objects(at(file, "plain"))) {
            known(item, "input_hex fnv1a64-fmix64 xxh3-64");
            check(HashRing.hash64(unhex(text(item, "input_hex"))) == hash(at(item, "fnv1a64-fmix64")), "hash of " + text(item, "input_hex"));
        }
    }

    private static void tokens(Map<String, Object> item, HashRing ring, String name) {
        List<List<Object>> found = new ArrayList<>();
        List<List<Object>> expected = new ArrayList<>();
        for (HashRing.Token token : ring.tokens()) {
            found.add(List.of(token.hash(), token.nodeId(), (long) token.index()));
        }
        for (Object token : (List<?>) at(item, "tokens")) {
            List<?> parts = (List<?>) token;
            expected.add(List.of(hash(parts.get(0)), parts.get(1), number(parts.get(2))));
        }
        check(found.equals(expected), name);

        // The same nodes backwards in one batch.
        List<HashRing.Change> changes = new ArrayList<>();
        for (Map<String, Object> node : objects(at(object(at(item, "ring")), "nodes"))) {
            changes.add(HashRing.Change.add(text(node, "id"), number(node, "weight")));
        }
        Collections.reverse(changes);
        HashRing backwards = new HashRing(ring.vnodesPerWeight());
        backwards.apply(changes);
        check(backwards.equals(ring) && backwards.fingerprint() == ring.fingerprint(), name + ", backwards");
    }

    private static void owners(Map<String, Object> item, HashRing ring, String name) {
        for (Map<String, Object> lookup : objects(at(item, "lookups"))) {
            known(lookup, "key key_hex hash owner");
            Optional<Object> owner = Optional.ofNullable(at(lookup, "owner"));
            check(HashRing.hash64(key(lookup)) == hash(at(lookup, "hash")), name + ": hash of a key");
            check(ring.getNode(key(lookup)).equals(owner), name + ": key of hash " + text(lookup, "hash"));
            if (lookup.containsKey("key")) {
                check(HashRing.hash64(text(lookup, "key")) == hash(at(lookup, "hash")), name + ": hash of a text key");
                check(ring.getNode(text(lookup, "key")).equals(owner), name + ": text key of hash " + text(lookup, "hash"));
            }
        }
        for (Object entry : (List<?>) at(item, "at")) {
            List<?> pair = (List<?>) entry;
            long place = hash(pair.get(0));
            check(ring.ownerAt(place).equals(Optional.ofNullable(pair.get(1))), name + ": owner at " + pair.get(0));
            // The walk starts with the owner's token, shows every token once, and steps back once: at the wrap.
            int seen = 0;
            int stepsBack = 0;
            long last = place;
            for (HashRing.Token token : ring.walk(place)) {
                if (seen++ == 0) {
                    check(token.nodeId().equals(pair.get(1)), name + ": walk from " + pair.get(0));
                }
                stepsBack += Long.compareUnsigned(token.hash(), last) < 0 ? 1 : 0;
                last = token.hash();
            }
            check(seen == ring.tokenCount() && stepsBack <= 1, name + ": length of the walk from " + pair.get(0));
        }
    }

    private static void replicas(Map<String, Object> item, HashRing ring, String name) {
        for (Map<String, Object> lookup : objects(at(item, "lookups"))) {
            known(lookup, "key key_hex hash r nodes shortfall");
            HashRing.ReplicaSet set = ring.getReplicas(key(lookup), number(lookup, "r"));
            check(sameNodes(set, lookup, "nodes") && set.shortfall() == number(lookup, "shortfall"),
                    name + ": " + number(lookup, "r") + " replicas at " + text(lookup, "hash"));
        }
    }

    private static void fingerprints(Map<String, Object> item, HashRing ring, String name) {
        check(ring.tokenCount() == number(item, "tokens") && ring.fingerprint() == hash(at(item, "fingerprint")), name);
    }

    /** A parsed document with each number as what it was written as, so that documents compare as JSON values. */
    private static Object plain(Object value) {
        if (value instanceof HashRingJson.Number) {
            return List.of("number", ((HashRingJson.Number) value).text);
        }
        if (value instanceof Map) {
            object(value).replaceAll((name, member) -> plain(member));
        } else if (value instanceof List) {
            List<Object> items = new ArrayList<>();
            ((List<?>) value).forEach(item -> items.add(plain(item)));
            return items;
        }
        return value;
    }

    private static void snapshots(String directory) throws Exception {
        Map<String, Object> file = object(readJson(directory, "snapshots.json"));
        known(file, "valid invalid");
        int skipped = 0;
        for (String group : List.of("valid", "invalid")) {
            boolean valid = group.equals("valid");
            for (Map<String, Object> item : objects(at(file, group))) {
                known(item, "name text text_hex hash secret_hex snapshot tokens stage reason hidden");
                if (item.containsKey("hash") && !item.get("hash").equals(HashRing.HASH_NAME)) {
                    skipped++;
                    continue;
                }
                String name = "snapshots.json, " + text(item, "name");
                try {
                    HashRing ring = item.containsKey("text_hex") ? HashRingJson.fromSnapshot(unhex(text(item, "text_hex")))
                            : HashRingJson.fromSnapshot(text(item, "text"));
                    check(valid, name + ": accepted");
                    if (valid) {
                        Object written = plain(HashRingJson.parse(HashRingJson.toSnapshot(ring)));
                        check(ring.tokenCount() == number(item, "tokens") && written.equals(plain(at(item, "snapshot"))), name + ": written again");
                    }
                } catch (HashRing.RingException error) {
                    check(!valid, name + ": " + error.getMessage());
                }
            }
        }
        System.out.println("java: snapshots.json: " + skipped + " documents for other hashes skipped");
    }

    private static List<HashRing.Change> changes(Object list) {
        List<HashRing.Change> changes = new ArrayList<>();
        for (Map<String, Object> item : objects(list)) {
            known(item, "op id weight");
            switch (text(item, "op")) {
                case "remove":
                    changes.add(HashRing.Change.remove(text(item, "id")));
                    break;
                case "add":
                    changes.add(HashRing.Change.add(text(item, "id"), number(item, "weight")));
                    break;
                case "set_weight":
                    changes.add(HashRing.Change.setWeight(text(item, "id"), number(item, "weight")));
                    break;
                default:
                    throw new IllegalStateException("a script has the change " + item.get("op") + ", which this runner does not know");
            }
        }
        return changes;
    }

    /** "ok", "error", or "error at" and the index of the change refused. Checks that what was refused changed nothing. */
    private static String outcome(HashRing ring, Runnable call) {
        HashRing before = ring.copy();
        long fingerprint = ring.fingerprint();
        String outcome;
        try {
            call.run();
            return "ok";
        } catch (HashRing.ChangeException error) {
            outcome = "error at " + error.index();
        } catch (HashRing.RingException error) {
            outcome = "error";
        }
        check(ring.equals(before) && ring.fingerprint() == fingerprint && ring.tokenLimit() == before.tokenLimit(),
                "a refused change changed the ring");
        return outcome;
    }

    private static boolean step(HashRing ring, Map<String, Object> op) {
        known(op, "op id weight expect key key_hex r limit changes error_index");
        Object expect = at(op, "expect");
        switch (text(op, "op")) {
            case "add":
                return outcome(ring, () -> ring.addNode(text(op, "id"), number(op, "weight"))).equals(expect);
            case "set_weight":
                return outcome(ring, () -> ring.setWeight(text(op, "id"), number(op, "weight"))).equals(expect);
            case "limit":
                return outcome(ring, () -> ring.setTokenLimit(number(op, "limit"))).equals(expect);
            case "apply":
                String place = op.get("error_index") == null ? "" : " at " + number(op, "error_index");
                return outcome(ring, () -> ring.apply(changes(at(op, "changes")))).equals(expect + place);
            case "remove":
                return expect.equals(ring.removeNode(text(op, "id")));
            case "tokens":
                return ring.tokenCount() == number(expect);
            case "fingerprint":
                return ring.fingerprint() == hash(expect);
            case "weight":
                return ring.weight(text(op, "id")).equals(expect == null ? OptionalLong.empty() : OptionalLong.of(number(expect)));
            case "get":
                return ring.getNode(key(op)).equals(Optional.ofNullable(expect));
            case "replicas":
                HashRing.ReplicaSet set = ring.getReplicas(key(op), number(op, "r"));
                return sameNodes(set, op, "expect") && set.shortfall() == number(op, "r") - set.nodes().size();
            default:
                throw new IllegalStateException("a script has the op " + op.get("op") + ", which this runner does not know");
        }
    }

    private static void cases(String directory, String name) throws Exception {
        for (Map<String, Object> script : objects(readJson(directory, name))) {
            known(script, "name vnodes_per_weight ops");
            HashRing ring = new HashRing(number(script, "vnodes_per_weight"));
            int at = 0;
            for (Map<String, Object> op : objects(at(script, "ops"))) {
                if (text(op, "op").equals("new")) {
                    ring = new HashRing(ring.vnodesPerWeight());
                } else {
                    check(step(ring, op), name + ", " + text(script, "name") + ": op " + at + ", " + op.get("op"));
                }
                at++;
            }
        }
    }

    private static void surrogates() {
        HashRing ring = new HashRing();
        ring.addNode("a", 1);
        for (String broken : List.of("\uD800", "\uDC00", "\uDC00\uD800", "a\uD83D", "\uD83D\uD83D\uDE00", "\uD83Db")) {
            Class<HashRing.RingException> kind = HashRing.RingException.class;
            refused(kind, "has an unpaired surrogate at index", () -> ring.addNode(broken, 1));
            refused(kind, "node id \"", () -> ring.removeNode(broken));
            refused(kind, "node id \"", () -> ring.setWeight(broken, 1));
            refused(kind, "node id \"", () -> ring.weight(broken));
            refused(kind, "key \"", () -> ring.getNode(broken));
            refused(kind, "key \"", () -> ring.getReplicas(broken, 1));
            refused(HashRing.ChangeException.class, "change 1 of the batch: node id \"",
                    () -> ring.apply(List.of(HashRing.Change.add("b", 1), HashRing.Change.add(broken, 1))));
            refused(HashRingJson.SnapshotException.class, "a lone surrogate",
                    () -> HashRingJson.fromSnapshot("{\"" + broken + "\": 1}"));
        }
        check(ring.nodeCount() == 1 && ring.getNode(new byte[] {-1, 0}).equals(Optional.of("a")), "a key that is no UTF-8");
        for (int c = 0; c <= 0x10FFFF; c += c < 0x10000 ? 1 : 997) {
            if (c < 0xD800 || c > 0xDFFF) {
                String text = new String(Character.toChars(c));
                if (HashRing.hash64(text) != HashRing.hash64(text.getBytes(StandardCharsets.UTF_8))) {
                    check(false, "hash of the text U+" + Integer.toHexString(c));
                }
            }
        }
    }

    private static void limits() {
        for (long value : new long[] {-1, 0, 0x1_0000_0000L, 0x1_0000_0001L}) {
            HashRing ring = new HashRing();
            refused(HashRing.RingException.class, "is " + value + ", but it must be", () -> new HashRing(value));
            refused(HashRing.RingException.class, "weight " + value + " for node \"a\\\"\\u000a\"", () -> ring.addNode("a\"\n", value));
            check(ring.isEmpty() && ring.getNode("k").isEmpty() && ring.ownerAt(0).isEmpty(), "a refused node is not there");
        }
        HashRing huge = new HashRing(0xFFFF_FFFFL);
        HashRing.Change a = HashRing.Change.add("a", 0xFFFF_FFFFL);
        HashRing.Change b = HashRing.Change.add("b", 0xFFFF_FFFFL);
        refused(HashRing.TokenLimitException.class, "would hold 36893488130239234050 tokens, but its token limit is 16777216",
                () -> huge.apply(List.of(a, b)));
        refused(HashRing.RingException.class, "4294967296 is above 4294967295", () -> huge.setTokenLimit(0x1_0000_0000L));
        huge.setTokenLimit(0xFFFF_FFFFL);
        refused(HashRing.TokenLimitException.class, "would hold 4294967295 tokens, but its token limit is 2147483639",
                () -> huge.addNode("longer than an array", 1));
        refused(HashRing.RingException.class, "replicas is -1", () -> huge.getReplicas("k", -1));
        check(huge.getReplicas("k", Long.MAX_VALUE).shortfall() == Long.MAX_VALUE, "any number of replicas");
    }

    private static void batches() {
        HashRing ring = new HashRing(8);
        ring.apply(List.of(HashRing.Change.add("a", 1), HashRing.Change.add("b", 2), HashRing.Change.remove("a"), HashRing.Change.add("a", 3)));
        refused(HashRing.ChangeException.class, "change 2 of the batch: node \"b\" is registered already, with weight 2",
                () -> ring.apply(List.of(HashRing.Change.remove("a"), HashRing.Change.add("a", 1), HashRing.Change.add("b", 1))));
        HashRing before = ring.copy();
        Iterable<HashRing.Token> walk = ring.tokens();
        ring.removeNode("b");
        int tokens = 0;
        for (HashRing.Token token : walk) {
            tokens += token.nodeId().equals("b") ? 1 : 0;
        }
        check(tokens == 16 && ring.tokenCount() == 24, "a walk shows the ring as it was");
        check(before.nodeCount() == 2 && !before.equals(ring), "a copy stays as it was");
        ring.addNode("b", 2);
        check(before.equals(ring) && before.hashCode() == ring.hashCode(), "equal rings");
    }

    /** Lookups while another thread changes the ring: each answer is that of a whole ring. */
    private static void sharing() throws InterruptedException {
        HashRing ring = new HashRing(50);
        ring.addNode("a", 1);
        AtomicInteger wrong = new AtomicInteger();
        Thread writer = new Thread(() -> {
            for (int i = 0; i < 2000; i++) {
                ring.addNode("b", 1 + i % 5);
                ring.removeNode("b");
            }
        });
        Thread reader = new Thread(() -> {
            for (long hash = 0; writer.isAlive(); hash += 0x9E3779B97F4A7C15L) {
                HashRing.ReplicaSet set = ring.replicasAt(hash, 3);
                String text = HashRingJson.toSnapshot(ring);
                boolean whole = set.nodes().contains("a") && set.shortfall() == 3 - set.nodes().size()
                        && ring.ownerAt(hash).isPresent() && !HashRingJson.fromSnapshot(text).isEmpty();
                wrong.addAndGet(whole ? 0 : 1);
            }
        });
        reader.setUncaughtExceptionHandler((thread, error) -> wrong.incrementAndGet());
        writer.setUncaughtExceptionHandler((thread, error) -> wrong.incrementAndGet());
        writer.start();
        reader.start();
        writer.join();
        reader.join();
        check(wrong.get() == 0, "lookups beside changes");
    }

    private static void messages() {
        HashRing written = new HashRing(64);
        written.addNode("A", 1);
        written.addNode("\"\\\n\u0001\uD83D\uDE00", 2);
        String snapshot = HashRingJson.toSnapshot(written);
        check(snapshot.contains("{ \"id\": \"\\\"\\\\\\n\\u0001\uD83D\uDE00\", \"weight\": 2 }"), "ids are escaped");
        check(HashRingJson.fromSnapshot(snapshot).equals(written), "a snapshot read again");
        check(HashRingJson.fromSnapshot(HashRingJson.toSnapshot(new HashRing())).isEmpty(), "the snapshot of an empty ring");

        String head = "{\"format\":\"hash-ring\",\"version\":1,";
        bad("names the hash \"xxh3-64\", but the ring is built with \"fnv1a64-fmix64\"", head + "\"hash\":\"xxh3-64\",\"nodes\":[]}");
        bad("nodes[1].weight is 1.0, but", head + "\"nodes\":[{\"id\":\"a\"},{\"id\":\"b\",\"weight\":1.0}]}");
        bad("line 1, column 64: a number does not start with 0", head + "\"nodes\":[{\"id\":\"a\",\"weight\":01}]}");
        bad("at nodes[0] and nodes[1]", head + "\"nodes\":[{\"id\":\"a\"},{\"id\":\"a\"}]}");
        bad("0123456789abcdef, but the ring built from it has ", head + "\"nodes\":[],\"fingerprint\":\"0123456789abcDEF\"}");
        bad("line 2, column 14: a lone surrogate", "{\n  \"format\": \"\\ud800\"}");
        bad("fingerprint is \"123456789abcdef\", but must be 16 hex digits", head + "\"nodes\":[],\"fingerprint\":\"123456789abcdef\"}");
        bad("column 66: more than 64 levels of nesting", "[".repeat(200_000));
        bad("line 1, column 1: a byte-order mark", "\uFEFF{}");
        bad("version is 2, but", "{\"format\":\"hash-ring\",\"version\":2,\"zones\":[]}");
        refused(HashRing.TokenLimitException.class, "hold 100 tokens, but its token limit is 99",
                () -> HashRingJson.fromSnapshot(head + "\"nodes\":[{\"id\":\"a\"}]}", 99));
    }

    private static void bad(String part, String document) {
        refused(HashRingJson.SnapshotException.class, part, () -> HashRingJson.fromSnapshot(document));
    }
}
