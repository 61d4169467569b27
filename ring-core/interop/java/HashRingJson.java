import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Snapshots of {@link HashRing} as JSON, and the small strict JSON reader behind them.
 *
 * <pre>{@code
 * String text = HashRingJson.toSnapshot(ring);
 * HashRing back = HashRingJson.fromSnapshot(text);
 * }</pre>
 *
 * <p>A snapshot holds V, the hash's name, the nodes with their weights and the fingerprint; never the tokens.
 * Where it carries a fingerprint and the ring built from the rest has another, reading fails.
 */
public final class HashRingJson {
    private static final long MAX_U32 = 0xFFFF_FFFFL;

    private HashRingJson() {
    }

    /** A snapshot's text is not what the format allows. The message names the place. */
    public static final class SnapshotException extends HashRing.RingException {
        private static final long serialVersionUID = 1;

        SnapshotException(String reason) {
            super("malformed snapshot: " + reason);
        }
    }

    /** The ring's snapshot: nodes in id order, plain integers, the fingerprint in lower case, a newline at the end. */
    public static String toSnapshot(HashRing ring) {
        HashRing now = ring.copy(); // other threads may change the ring between its nodes and its fingerprint
        StringBuilder out = new StringBuilder("{\n  \"format\": \"hash-ring\",\n  \"version\": 1,\n  \"hash\": ");
        quote(out, HashRing.HASH_NAME).append(",\n  \"vnodes_per_weight\": ").append(now.vnodesPerWeight());
        out.append(",\n  \"nodes\": [");
        String separator = "\n";
        for (HashRing.Node node : now.nodes()) {
            quote(out.append(separator).append("    { \"id\": "), node.id());
            out.append(", \"weight\": ").append(node.weight()).append(" }");
            separator = ",\n";
        }
        out.append(now.isEmpty() ? "" : "\n  ").append("],\n  \"fingerprint\": \"");
        return out.append(hex16(now.fingerprint())).append("\"\n}\n").toString();
    }

    /** As {@link #fromSnapshot(String)}, from the document's UTF-8. */
    public static HashRing fromSnapshot(byte[] utf8) {
        try {
            return fromSnapshot(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
        } catch (CharacterCodingException error) {
            throw new SnapshotException("the text is not valid UTF-8");
        }
    }

    /** As {@link #fromSnapshot(String, long)} with the default token limit. */
    public static HashRing fromSnapshot(String text) {
        return fromSnapshot(text, HashRing.DEFAULT_TOKEN_LIMIT);
    }

    /**
     * The ring that a snapshot describes.
     *
     * @throws SnapshotException where the text breaks a rule of the format, or names another hash or another
     *     fingerprint than the ring built from it has
     * @throws HashRing.TokenLimitException where the ring would pass {@code tokenLimit}
     */
    public static HashRing fromSnapshot(String text, long tokenLimit) {
        Object document;
        try {
            document = parse(text);
        } catch (ParseException error) {
            throw new SnapshotException(error.getMessage());
        }
        // What it is and which version come first: another version may well have other fields.
        Map<?, ?> members = object(document, "the document");
        String format = stringAt(required(members, "format", ""), "format");
        if (!format.equals("hash-ring")) {
            throw new SnapshotException("format is " + HashRing.quote(format) + ", but this reads \"hash-ring\"");
        }
        long version = integerAt(required(members, "version", ""), "version");
        if (version != 1) {
            throw new SnapshotException("version is " + version + ", but this reads version 1");
        }
        only(members, Set.of("format", "version", "hash", "vnodes_per_weight", "nodes", "fingerprint"), "");
        if (members.containsKey("hash")) {
            String hash = stringAt(members.get("hash"), "hash");
            if (!hash.equals(HashRing.HASH_NAME)) {
                throw new SnapshotException("the snapshot names the hash " + HashRing.quote(hash)
                        + ", but the ring is built with " + HashRing.quote(HashRing.HASH_NAME));
            }
        }
        boolean told = members.containsKey("fingerprint");
        long expected = told ? fingerprintAt(members.get("fingerprint")) : 0;
        List<HashRing.Change> changes = nodesAt(required(members, "nodes", ""));

        HashRing ring = new HashRing(members.containsKey("vnodes_per_weight")
                ? integerAt(members.get("vnodes_per_weight"), "vnodes_per_weight") : HashRing.DEFAULT_VNODES_PER_WEIGHT);
        ring.setTokenLimit(tokenLimit);
        ring.apply(changes);
        if (told && expected != ring.fingerprint()) {
            throw new SnapshotException("the snapshot's fingerprint is " + hex16(expected)
                    + ", but the ring built from it has " + hex16(ring.fingerprint())
                    + ": it would route otherwise (another hash, weight or vnodes_per_weight?)");
        }
        return ring;
    }

    private static List<HashRing.Change> nodesAt(Object value) {
        if (!(value instanceof List)) {
            throw new SnapshotException("nodes is not an array");
        }
        List<HashRing.Change> changes = new ArrayList<>();
        Map<String, Integer> positions = new HashMap<>();
        for (Object item : (List<?>) value) {
            String place = "nodes[" + changes.size() + "]";
            Map<?, ?> node = object(item, place);
            only(node, Set.of("id", "weight"), " in " + place);
            String id = stringAt(required(node, "id", " in " + place), place + ".id");
            long weight = node.containsKey("weight") ? integerAt(node.get("weight"), place + ".weight") : 1;
            Integer first = positions.putIfAbsent(id, changes.size());
            if (first != null) {
                throw new SnapshotException("node " + HashRing.quote(id) + " stands twice in the snapshot, at nodes["
                        + first + "] and " + place);
            }
            changes.add(HashRing.Change.add(id, weight));
        }
        return changes;
    }

    private static Map<?, ?> object(Object value, String place) {
        if (!(value instanceof Map)) {
            throw new SnapshotException(place + " is not an object");
        }
        return (Map<?, ?>) value;
    }

    private static Object required(Map<?, ?> members, String name, String where) {
        if (!members.containsKey(name)) {
            throw new SnapshotException("the field " + HashRing.quote(name) + " is missing" + where);
        }
        return members.get(name);
    }

    private static void only(Map<?, ?> members, Set<String> known, String where) {
        for (Object name : members.keySet()) {
            if (!known.contains(name)) {
                throw new SnapshotException("unknown field " + HashRing.quote((String) name) + where);
            }
        }
    }

    private static String stringAt(Object value, String place) {
        if (!(value instanceof String)) {
            throw new SnapshotException(place + " is not a string");
        }
        return (String) value;
    }

    /** A plain JSON integer from 1 to 2^32 - 1: no fraction, no exponent, no string. */
    private static long integerAt(Object value, String place) {
        String rule = ", but must be a plain integer from 1 to " + MAX_U32;
        if (!(value instanceof Number)) {
            throw new SnapshotException(place + " is not a number" + rule);
        }
        String text = ((Number) value).text;
        // A JSON number has no leading zeros: more than ten digits are too large.
        boolean plain = text.length() <= 10 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        long number = plain ? Long.parseLong(text) : 0;
        if (number < 1 || number > MAX_U32) {
            throw new SnapshotException(place + " is " + text + rule);
        }
        return number;
    }

    private static long fingerprintAt(Object value) {
        String text = stringAt(value, "fingerprint");
        if (text.length() != 16 || !text.chars().allMatch(c -> hexDigit(c) >= 0)) {
            throw new SnapshotException("fingerprint is " + HashRing.quote(text) + ", but must be 16 hex digits");
        }
        return Long.parseUnsignedLong(text, 16);
    }

    /** The value of an ASCII hex digit, -1 for all else; {@code Character.digit} takes digits of other scripts too. */
    private static int hexDigit(int c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    static String hex16(long value) {
        return String.format("%016x", value);
    }

    /** Text as a JSON string, characters outside ASCII as they are. */
    private static StringBuilder quote(StringBuilder out, String text) {
        out.append('"');
        for (char c : text.toCharArray()) {
            int named = "\"\\\b\f\n\r\t".indexOf(c);
            if (named >= 0) {
                out.append('\\').append("\"\\bfnrt".charAt(named));
            } else if (c < 0x20) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"');
    }

    /** A JSON text is malformed. The message names line and column, counted from 1. */
    static final class ParseException extends Exception {
        private static final long serialVersionUID = 1;

        ParseException(String message) {
            super(message);
        }
    }

    /** A number as it was written, so that nothing is rounded and {@code 1.0} is not taken for {@code 1}. */
    static final class Number {
        final String text;

        Number(String text) {
            this.text = text;
        }
    }

    /**
     * Reads one JSON text by RFC 8259 as {@code Map}, {@code List}, {@code String}, {@link Number},
     * {@code Boolean} and {@code null}. It refuses besides: a byte-order mark, a lone surrogate, a member that
     * stands twice in one object, more than 64 levels.
     */
    static Object parse(String text) throws ParseException {
        Reader reader = new Reader(text);
        if (text.startsWith("\uFEFF")) {
            throw reader.fail("a byte-order mark stands before the text");
        }
        Object value = reader.value(0);
        reader.space();
        if (reader.at < text.length()) {
            throw reader.fail("text after the end of the document");
        }
        return value;
    }

    private static final class Reader {
        private static final int MAX_DEPTH = 64;
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        ParseException fail(String reason) {
            String before = text.substring(0, at);
            long line = 1 + before.chars().filter(c -> c == '\n').count();
            int column = at - before.lastIndexOf('\n');
            return new ParseException("line " + line + ", column " + column + ": " + reason);
        }

        ParseException failAt(int place, String reason) {
            at = place;
            return fail(reason);
        }

        /** The next UTF-16 unit, -1 at the end. */
        private int peek() {
            return at < text.length() ? text.charAt(at) : -1;
        }

        private boolean nextIsDigit() {
            return peek() >= '0' && peek() <= '9';
        }

        private boolean take(char c) {
            if (peek() != c) {
                return false;
            }
            at++;
            return true;
        }

        private boolean word(String name) {
            boolean here = text.startsWith(name, at);
            at += here ? name.length() : 0;
            return here;
        }

        private void expect(char c, String where) throws ParseException {
            if (!take(c)) {
                throw fail("expected '" + c + "' " + where);
            }
        }

        void space() {
            while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
                at++;
            }
        }

        Object value(int depth) throws ParseException {
            space();
            if (depth > MAX_DEPTH) {
                throw fail("more than " + MAX_DEPTH + " levels of nesting");
            }
            if (take('{')) {
                return object(depth);
            }
            if (take('[')) {
                return array(depth);
            }
            if (peek() == '"') {
                return string();
            }
            if (peek() == '-' || nextIsDigit()) {
                return number();
            }
            if (word("true")) {
                return Boolean.TRUE;
            }
            if (word("false")) {
                return Boolean.FALSE;
            }
            if (word("null")) {
                return null;
            }
            throw fail(peek() < 0 ? "the text ends where a value is expected" : "expected a value");
        }

        private Map<String, Object> object(int depth) throws ParseException {
            Map<String, Object> members = new LinkedHashMap<>();
            space();
            if (take('}')) {
                return members;
            }
            do {
                space();
                if (peek() != '"') {
                    throw fail("expected the name of a member, in double quotes");
                }
                int start = at;
                String name = string();
                if (members.containsKey(name)) {
                    throw failAt(start, "the member " + HashRing.quote(name) + " stands twice in one object");
                }
                space();
                expect(':', "after the name of a member");
                members.put(name, value(depth + 1));
                space();
            } while (take(','));
            expect('}', "or ',' after a member");
            return members;
        }

        private List<Object> array(int depth) throws ParseException {
            List<Object> items = new ArrayList<>();
            space();
            if (take(']')) {
                return items;
            }
            do {
                items.add(value(depth + 1));
                space();
            } while (take(','));
            expect(']', "or ',' after an item");
            return items;
        }

        private Number number() throws ParseException {
            int start = at;
            take('-');
            if (take('0')) {
                if (nextIsDigit()) {
                    throw fail("a number does not start with 0");
                }
            } else {
                digits();
            }
            if (take('.')) {
                digits();
            }
            if (take('e') || take('E')) {
                if (!take('+')) {
                    take('-');
                }
                digits();
            }
            return new Number(text.substring(start, at));
        }

        private void digits() throws ParseException {
            if (!nextIsDigit()) {
                throw fail("expected a digit");
            }
            while (nextIsDigit()) {
                at++;
            }
        }

        private String string() throws ParseException {
            StringBuilder out = new StringBuilder();
            expect('"', "before a string");
            while (!take('"')) {
                int c = peek();
                if (c < 0) {
                    throw fail("the text ends inside a string");
                }
                if (c < 0x20) {
                    throw fail("a control character in a string is written as an escape");
                }
                int start = at;
                boolean escaped = c == '\\';
                char unit = unit();
                out.append(unit);
                if (!Character.isSurrogate(unit)) {
                    continue;
                }
                // Both halves as escapes, or both as they are: a half of each kind is no pair.
                boolean paired = Character.isHighSurrogate(unit) && (peek() == '\\') == escaped && at < text.length();
                char low = paired ? unit() : 0;
                if (!Character.isLowSurrogate(low)) {
                    throw failAt(start, "a lone surrogate, which is no character");
                }
                out.append(low);
            }
            return out.toString();
        }

        /** One UTF-16 unit of a string, plain or escaped. */
        private char unit() throws ParseException {
            int start = at;
            char c = text.charAt(at++);
            if (c != '\\') {
                return c;
            }
            if (take('u')) {
                int value = 0;
                for (int i = 0; i < 4; i++, at++) {
                    if (hexDigit(peek()) < 0) {
                        throw fail("expected four hex digits after \\u");
                    }
                    value = value << 4 | hexDigit(peek());
                }
                return (char) value;
            }
            int which = peek() < 0 ? -1 : "\"\\/bfnrt".indexOf(peek());
            if (which < 0) {
                throw failAt(start, "an unknown escape in a string");
            }
            at++;
            return "\"\\/\b\f\n\r\t".charAt(which);
        }
    }
}
