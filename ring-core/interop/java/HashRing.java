import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A consistent-hash ring with virtual nodes. One file, Java 11, standard library only; put it into a package
 * of yours.
 *
 * <p>Every node of weight w owns w * V tokens. A token's place is the hash of its token id, the bytes
 * {@code node id + "#" + index in decimal}. A key belongs to the first token at or clockwise after the key's
 * hash; past the last token the walk goes on at the first. Tokens of equal hash stand in the order of their
 * token ids as UTF-8 bytes, so the ring depends on V and the set of (id, weight) only, never on the order of
 * the changes that led there. The hash is {@code fnv1a64-fmix64}. Any other program that keeps to this sends
 * the same key to the same node.
 *
 * <pre>{@code
 * HashRing ring = new HashRing(100);
 * ring.addNode("cache-a", 1);
 * ring.addNode("cache-b", 2);
 * Optional<String> owner = ring.getNode("user:42");
 * HashRing.ReplicaSet set = ring.getReplicas("user:42", 3);   // set.nodes(), set.shortfall() == 1
 * }</pre>
 *
 * <p>A key is any {@code byte[]}, or a {@code String}, which stands for its UTF-8. A node id is any string,
 * compared by its UTF-8 bytes; the empty one is an id too. A string with an unpaired surrogate has no UTF-8
 * and is refused. Hashes are {@code long}s read as unsigned. Whatever is refused throws a
 * {@link RingException} and leaves the ring as it was.
 *
 * <p>A ring may be shared by threads. A lookup works on one whole state of the ring and never waits; changes
 * wait for one another.
 *
 * <p>Costs, with N nodes, M tokens, K tokens that come or go, R replicas: a lookup O(log M); a change
 * O(K log K + M) and one new copy of the token arrays (17 bytes a token); a replica set O(log M + R) for
 * balanced rings, O(M) at worst.
 */
public final class HashRing {
    /** The hash's name in snapshots. */
    public static final String HASH_NAME = "fnv1a64-fmix64";

    /** V where a caller or a snapshot gives none. */
    public static final long DEFAULT_VNODES_PER_WEIGHT = 100;

    /** The most tokens a ring holds where the caller sets no other limit. */
    public static final long DEFAULT_TOKEN_LIMIT = 16_777_216;

    private static final long MAX_U32 = 0xFFFF_FFFFL;
    private static final long LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    /** Why a call was refused: a sentence that names the value and the rule it breaks. */
    public static class RingException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        public RingException(String message) {
            super(message);
        }
    }

    /** A change would take the ring past its token limit. */
    public static final class TokenLimitException extends RingException {
        private static final long serialVersionUID = 1;
        private final BigInteger requested;
        private final long limit;

        TokenLimitException(BigInteger requested, long limit) {
            super("the ring would hold " + requested + " tokens, but its token limit is " + limit);
            this.requested = requested;
            this.limit = limit;
        }

        /** The tokens that the ring would have held; the count can pass 64 bits. */
        public BigInteger requested() {
            return requested;
        }

        public long limit() {
            return limit;
        }
    }

    /** A change of a batch was refused, and with it the whole batch. */
    public static final class ChangeException extends RingException {
        private static final long serialVersionUID = 1;
        private final int index;

        ChangeException(int index, RingException cause) {
            super("change " + index + " of the batch: " + cause.getMessage());
            initCause(cause);
            this.index = index;
        }

        /** The position in the batch of the change refused, from 0. */
        public int index() {
            return index;
        }
    }

    /** A member of the ring. */
    public static final class Node {
        private final String id;
        private final byte[] utf8;
        private final long weight;
        private final Optional<String> owner; // made once, so that a lookup allocates nothing

        private Node(String id, byte[] utf8, long weight) {
            this.id = id;
            this.utf8 = utf8;
            this.weight = weight;
            this.owner = Optional.of(id);
        }

        public String id() {
            return id;
        }

        /** From 1 to 2^32 - 1. */
        public long weight() {
            return weight;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Node && ((Node) other).id.equals(id) && ((Node) other).weight == weight;
        }

        @Override
        public int hashCode() {
            return 31 * id.hashCode() + Long.hashCode(weight);
        }

        @Override
        public String toString() {
            return quote(id) + "=" + weight;
        }
    }

    /** One token: its hash, its node, and its index among the node's tokens. */
    public static final class Token {
        private final long hash;
        private final String nodeId;
        private final int index;

        private Token(long hash, String nodeId, int index) {
            this.hash = hash;
            this.nodeId = nodeId;
            this.index = index;
        }

        /** Unsigned. */
        public long hash() {
            return hash;
        }

        public String nodeId() {
            return nodeId;
        }

        public int index() {
            return index;
        }
    }

    /** The distinct nodes met clockwise from a key. */
    public static final class ReplicaSet {
        private final List<String> nodes;
        private final long shortfall;

        private ReplicaSet(List<String> nodes, long shortfall) {
            this.nodes = Collections.unmodifiableList(nodes);
            this.shortfall = shortfall;
        }

        /** Their ids, the owner first. */
        public List<String> nodes() {
            return nodes;
        }

        /** How many of the nodes asked for the ring does not have. */
        public long shortfall() {
            return shortfall;
        }
    }

    /** One step of a batch for {@link #apply}. It is checked there. */
    public static final class Change {
        private enum Kind { ADD, REMOVE, SET_WEIGHT }

        private final Kind kind;
        private final String id;
        private final long weight;

        private Change(Kind kind, String id, long weight) {
            this.kind = kind;
            this.id = Objects.requireNonNull(id, "node id");
            this.weight = weight;
        }

        public static Change add(String id, long weight) {
            return new Change(Kind.ADD, id, weight);
        }

        public static Change remove(String id) {
            return new Change(Kind.REMOVE, id, 0);
        }

        public static Change setWeight(String id, long weight) {
            return new Change(Kind.SET_WEIGHT, id, weight);
        }
    }

    /** FNV-1a of 64 bits, step by step, and MurmurHash3's fmix64 at its end. */
    private static final class Fnv {
        static final long START = 0xCBF29CE484222325L;

        static long step(long state, int value) {
            return (state ^ value) * 0x100000001B3L;
        }

        static long bytes(long state, byte[] bytes, int from, int to) {
            for (int i = from; i < to; i++) {
                state = step(state, bytes[i] & 0xFF);
            }
            return state;
        }

        static long decimal(long state, int value) {
            int unit = 1;
            while (value / unit >= 10) {
                unit *= 10;
            }
            for (; unit > 0; unit /= 10) {
                state = step(state, '0' + value / unit % 10);
            }
            return state;
        }

        static long finish(long state) {
            long h = (state ^ (state >>> 33)) * 0xFF51AFD7ED558CCDL;
            h = (h ^ (h >>> 33)) * 0xC4CEB9FE1A85EC53L;
            return h ^ (h >>> 33);
        }
    }

    /** The ring's hash of any bytes. */
    public static long hash64(byte[] bytes) {
        return hash64(bytes, 0, bytes.length);
    }

    /** The ring's hash of {@code bytes[from]} up to, not including, {@code bytes[to]}. */
    public static long hash64(byte[] bytes, int from, int to) {
        Objects.checkFromToIndex(from, to, bytes.length);
        return Fnv.finish(Fnv.bytes(Fnv.START, bytes, from, to));
    }

    /** The ring's hash of a string's UTF-8, without making it. */
    public static long hash64(String text) {
        long state = Fnv.START;
        for (int i = 0; i < text.length(); i++) {
            int c = text.charAt(i);
            if (c < 0x80) {
                state = Fnv.step(state, c);
                continue;
            }
            if (c < 0x800) {
                state = Fnv.step(state, 0xC0 | c >> 6);
            } else {
                if (Character.isSurrogate((char) c)) {
                    c = pairAt(text, i++, "key");
                    state = Fnv.step(state, 0xF0 | c >> 18);
                    state = Fnv.step(state, 0x80 | c >> 12 & 0x3F);
                } else {
                    state = Fnv.step(state, 0xE0 | c >> 12);
                }
                state = Fnv.step(state, 0x80 | c >> 6 & 0x3F);
            }
            state = Fnv.step(state, 0x80 | c & 0x3F);
        }
        return Fnv.finish(state);
    }

    /** The character of the surrogate pair at {@code i}, or a refusal where the surrogate has no partner. */
    private static int pairAt(String text, int i, String what) {
        int c = text.codePointAt(i);
        if (c < 0x10000) {
            throw new RingException(what + " " + quote(text) + " has an unpaired surrogate at index " + i
                    + ", and so no UTF-8");
        }
        return c;
    }

    private static byte[] utf8(String id) {
        for (int i = 0; i < id.length(); i++) {
            if (Character.isSurrogate(id.charAt(i))) {
                pairAt(id, i++, "node id");
            }
        }
        return id.getBytes(StandardCharsets.UTF_8);
    }

    /** The text in quotes for a message, control characters and unpaired surrogates as escapes. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c < 0x20 || c == 0x7F || c >= 0xD800 && c < 0xE000) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.append(c == '"' || c == '\\' ? "\\" : "").appendCodePoint(c);
            }
        });
        return out.append('"').toString();
    }

    /** Tokens as flat arrays, side by side. {@code owners} holds positions in the array of nodes. */
    private static final class Tokens {
        final long[] hashes;
        final int[] owners;
        final int[] indices;
        int size;

        Tokens(int capacity) {
            hashes = new long[capacity];
            owners = new int[capacity];
            indices = new int[capacity];
        }

        void push(long hash, int owner, int index) {
            hashes[size] = hash;
            owners[size] = owner;
            indices[size] = index;
            size++;
        }

        /** Appends the merge of {@code a[aFrom..aTo]} and {@code b[bFrom..bTo]}, each in ring order. */
        void merge(Tokens a, int aFrom, int aTo, Tokens b, int bFrom, int bTo, Node[] nodes) {
            while (aFrom < aTo && bFrom < bTo) {
                if (less(b, bFrom, a, aFrom, nodes)) {
                    push(b.hashes[bFrom], b.owners[bFrom], b.indices[bFrom++]);
                } else {
                    push(a.hashes[aFrom], a.owners[aFrom], a.indices[aFrom++]);
                }
            }
            append(a, aFrom, aTo);
            append(b, bFrom, bTo);
        }

        private void append(Tokens from, int start, int end) {
            System.arraycopy(from.hashes, start, hashes, size, end - start);
            System.arraycopy(from.owners, start, owners, size, end - start);
            System.arraycopy(from.indices, start, indices, size, end - start);
            size += end - start;
        }

        /** These tokens in ring order. The library sorts no arrays side by side, so this merges runs, doubled each time. */
        Tokens sorted(Node[] nodes) {
            int count = size;
            Tokens from = this;
            Tokens to = new Tokens(count);
            for (long run = 1; run < count; run *= 2) {
                to.size = 0;
                for (long start = 0; start < count; start += 2 * run) {
                    int middle = (int) Math.min(start + run, count);
                    int end = (int) Math.min(start + 2 * run, count);
                    to.merge(from, (int) start, middle, from, middle, end, nodes);
                }
                Tokens swap = from;
                from = to;
                to = swap;
            }
            return from;
        }

        /** Ring order: by hash as unsigned, then by token id as unsigned bytes; {@code a#10} before {@code a#2}. */
        private static boolean less(Tokens a, int i, Tokens b, int j, Node[] nodes) {
            int order = Long.compareUnsigned(a.hashes[i], b.hashes[j]);
            return order != 0 ? order < 0
                    : Arrays.compareUnsigned(a.tokenId(i, nodes), b.tokenId(j, nodes)) < 0;
        }

        private byte[] tokenId(int i, Node[] nodes) {
            byte[] id = nodes[owners[i]].utf8;
            byte[] tail = ("#" + indices[i]).getBytes(StandardCharsets.US_ASCII);
            byte[] joined = Arrays.copyOf(id, id.length + tail.length);
            System.arraycopy(tail, 0, joined, id.length, tail.length);
            return joined;
        }
    }

    /** One whole ring, never changed once it is published. */
    private static final class State {
        final Node[] nodes; // in id order
        final Tokens tokens; // in ring order
        private final int[] starts; // for each value of a hash's first bits: the first token there or after
        private final int shift; // what leaves those first bits of a hash

        State(Node[] nodes, Tokens tokens) {
            this.nodes = nodes;
            this.tokens = tokens;
            // Buckets of 4 to 8 tokens on average. However the tokens cluster, a search in one takes O(log M).
            int bits = 1;
            while (tokens.size >> (bits + 3) != 0) {
                bits++;
            }
            shift = 64 - bits;
            starts = new int[(1 << bits) + 1];
            int start = 0;
            for (int bucket = 0; bucket < starts.length; bucket++) {
                while (start < tokens.size && tokens.hashes[start] >>> shift < bucket) {
                    start++;
                }
                starts[bucket] = start;
            }
        }

        /** Position of the first token at or after {@code hash}, round to 0 past the last. There is a token. */
        int firstAt(long hash) {
            int bucket = (int) (hash >>> shift);
            int low = starts[bucket];
            int high = starts[bucket + 1];
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (Long.compareUnsigned(tokens.hashes[middle], hash) < 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low == tokens.size ? 0 : low;
        }

        /** The node's position, or where it would stand as {@code -(position) - 1}. */
        int find(byte[] utf8) {
            int low = 0;
            int high = nodes.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                int order = Arrays.compareUnsigned(nodes[middle].utf8, utf8);
                if (order == 0) {
                    return middle;
                }
                if (order < 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return -low - 1;
        }

        long weightOrZero(byte[] utf8) {
            int at = find(utf8);
            return at < 0 ? 0 : nodes[at].weight;
        }
    }

    private final long vnodes;
    private long limit = DEFAULT_TOKEN_LIMIT;
    private volatile State state = new State(new Node[0], new Tokens(0));

    /** An empty ring with V = 100. */
    public HashRing() {
        this(DEFAULT_VNODES_PER_WEIGHT);
    }

    /**
     * An empty ring.
     *
     * @throws RingException where V is not from 1 to 2^32 - 1
     */
    public HashRing(long vnodesPerWeight) {
        if (vnodesPerWeight < 1 || vnodesPerWeight > MAX_U32) {
            throw new RingException("vnodes per weight is " + vnodesPerWeight + ", but it must be from 1 to " + MAX_U32);
        }
        vnodes = vnodesPerWeight;
    }

    /** A ring of its own with the same content, at once: what the two share is never written again. */
    public synchronized HashRing copy() {
        HashRing copy = new HashRing(vnodes);
        copy.limit = limit;
        copy.state = state;
        return copy;
    }

    /**
     * Adds a node.
     *
     * @throws RingException where it is registered already (with the same weight too), or the weight is not
     *     from 1 to 2^32 - 1, or the id has an unpaired surrogate, or the ring would pass its token limit
     */
    public void addNode(String id, long weight) {
        changeOne(Change.add(id, weight));
    }

    /** Removes a node and exactly its own tokens. False, and no change, where it is not registered. */
    public synchronized boolean removeNode(String id) {
        if (weight(id).isEmpty()) {
            return false;
        }
        changeOne(Change.remove(id));
        return true;
    }

    /**
     * Gives a node another weight. Only the tokens with indices between the old and the new count come or go.
     *
     * @throws RingException where the node is not registered, or as {@link #addNode} does
     */
    public void setWeight(String id, long weight) {
        changeOne(Change.setWeight(id, weight));
    }

    /**
     * Many changes as one: all or nothing, one merge. Each is checked against the membership as the earlier
     * ones leave it, the token limit once at the end. The net change per id is what happens. Here the removal of
     * an unknown id is an error.
     *
     * @throws ChangeException with the index of the change refused
     * @throws TokenLimitException where the final membership passes the token limit
     */
    public synchronized void apply(List<Change> changes) {
        TreeMap<byte[], Wanted> wanted = new TreeMap<>(Arrays::compareUnsigned);
        int index = 0;
        for (Change change : changes) {
            try {
                stage(wanted, change);
            } catch (RingException error) {
                throw new ChangeException(index, error);
            }
            index++;
        }
        commit(wanted);
    }

    /** The key's owner; empty where the ring is empty. */
    public Optional<String> getNode(String key) {
        return ownerAt(hash64(key));
    }

    /** The key's owner; empty where the ring is empty. */
    public Optional<String> getNode(byte[] key) {
        return ownerAt(hash64(key));
    }

    /** The same for a hash that the caller has already. */
    public Optional<String> ownerAt(long hash) {
        State now = state;
        return now.nodes.length == 0 ? Optional.empty() : now.nodes[now.tokens.owners[now.firstAt(hash)]].owner;
    }

    /**
     * The first {@code r} distinct nodes clockwise, the owner first. Any {@code r} from 0 is legal: what the
     * ring has no node for is the shortfall.
     */
    public ReplicaSet getReplicas(String key, long r) {
        return replicasAt(hash64(key), r);
    }

    /** As {@link #getReplicas(String, long)}. */
    public ReplicaSet getReplicas(byte[] key, long r) {
        return replicasAt(hash64(key), r);
    }

    /** The same for a hash that the caller has already. */
    public ReplicaSet replicasAt(long hash, long r) {
        if (r < 0) {
            throw new RingException("the number of replicas is " + r + ", but it cannot be negative");
        }
        State now = state;
        int found = (int) Math.min(r, now.nodes.length);
        List<String> ids = new ArrayList<>(found);
        boolean[] seen = new boolean[found == 0 ? 0 : now.nodes.length];
        for (int i = found == 0 ? 0 : now.firstAt(hash); ids.size() < found; i = i + 1 == now.tokens.size ? 0 : i + 1) {
            int owner = now.tokens.owners[i];
            if (!seen[owner]) {
                seen[owner] = true;
                ids.add(now.nodes[owner].id);
            }
        }
        return new ReplicaSet(ids, r - found);
    }

    /**
     * Every token once, clockwise from the first at or after {@code hash}, wrapping once. It shows the ring as it
     * is at the call, whatever changes later.
     */
    public Iterable<Token> walk(long hash) {
        State now = state;
        return () -> new Walk(now, now.nodes.length == 0 ? 0 : now.firstAt(hash));
    }

    /** All tokens in ring order, as {@link #walk} gives them. */
    public Iterable<Token> tokens() {
        return walk(0);
    }

    private static final class Walk implements Iterator<Token> {
        private final State state;
        private int at;
        private int left;

        Walk(State state, int at) {
            this.state = state;
            this.at = at;
            this.left = state.tokens.size;
        }

        @Override
        public boolean hasNext() {
            return left > 0;
        }

        @Override
        public Token next() {
            if (left == 0) {
                throw new NoSuchElementException("the walk has shown every token");
            }
            Tokens tokens = state.tokens;
            Token token = new Token(tokens.hashes[at], state.nodes[tokens.owners[at]].id, tokens.indices[at]);
            at = at + 1 == tokens.size ? 0 : at + 1;
            left--;
            return token;
        }
    }

    /** The nodes in the byte order of their ids. */
    public List<Node> nodes() {
        return Collections.unmodifiableList(Arrays.asList(state.nodes));
    }

    /** A node's weight; empty where it is not registered. */
    public OptionalLong weight(String id) {
        long weight = state.weightOrZero(utf8(id));
        return weight == 0 ? OptionalLong.empty() : OptionalLong.of(weight);
    }

    public boolean isEmpty() {
        return nodeCount() == 0;
    }

    public int nodeCount() {
        return state.nodes.length;
    }

    public int tokenCount() {
        return state.tokens.size;
    }

    public long vnodesPerWeight() {
        return vnodes;
    }

    public synchronized long tokenLimit() {
        return limit;
    }

    /**
     * Sets the most tokens the ring may hold. It is no part of a ring's identity. Whatever the limit, a ring holds
     * no more tokens than the longest array, 2^31 - 9.
     *
     * @throws RingException where it is below what the ring holds, or above 2^32 - 1
     */
    public synchronized void setTokenLimit(long tokens) {
        if (tokens > MAX_U32) {
            throw new RingException("a token limit of " + tokens + " is above " + MAX_U32 + ", the most there can be");
        }
        if (tokens < tokenCount()) {
            throw new RingException("a token limit of " + tokens + " is below the " + tokenCount() + " tokens that the ring holds");
        }
        limit = tokens;
    }

    /**
     * A hash over all tokens in ring order. Rings of one fingerprint route alike: a guard against accidents, not
     * against forgery.
     */
    public long fingerprint() {
        State now = state;
        Tokens tokens = now.tokens;
        long hash = Fnv.START;
        for (int i = 0; i < tokens.size; i++) {
            for (int shift = 56; shift >= 0; shift -= 8) {
                hash = Fnv.step(hash, (int) (tokens.hashes[i] >>> shift) & 0xFF);
            }
            byte[] id = now.nodes[tokens.owners[i]].utf8;
            hash = Fnv.step(Fnv.bytes(hash, id, 0, id.length), '#');
            hash = Fnv.step(Fnv.decimal(hash, tokens.indices[i]), '\n');
        }
        return Fnv.finish(hash);
    }

    /** Equal rings have the same V and the same nodes with the same weights. */
    @Override
    public boolean equals(Object other) {
        return other instanceof HashRing && ((HashRing) other).vnodes == vnodes
                && Arrays.equals(((HashRing) other).state.nodes, state.nodes);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(vnodes) + Arrays.hashCode(state.nodes);
    }

    /** What a touched id shall weigh in the end; 0 stands for absent. */
    private static final class Wanted {
        final String id;
        final long weight;

        Wanted(String id, long weight) {
            this.id = id;
            this.weight = weight;
        }
    }

    private synchronized void changeOne(Change change) {
        TreeMap<byte[], Wanted> wanted = new TreeMap<>(Arrays::compareUnsigned);
        stage(wanted, change);
        commit(wanted);
    }

    private void stage(TreeMap<byte[], Wanted> wanted, Change change) {
        byte[] utf8 = utf8(change.id);
        if (change.kind != Change.Kind.REMOVE && (change.weight < 1 || change.weight > MAX_U32)) {
            throw new RingException("weight " + change.weight + " for node " + quote(change.id) + ", but a weight is from 1 to "
                    + MAX_U32 + " (a node that shall own nothing is removed instead)");
        }
        Wanted staged = wanted.get(utf8);
        long current = staged == null ? state.weightOrZero(utf8) : staged.weight;
        if (change.kind == Change.Kind.ADD && current != 0) {
            throw new RingException("node " + quote(change.id) + " is registered already, with weight " + current
                    + " (setWeight changes it)");
        }
        if (change.kind != Change.Kind.ADD && current == 0) {
            throw new RingException("node " + quote(change.id) + " is not registered");
        }
        wanted.put(utf8, new Wanted(change.id, change.weight));
    }

    /** Builds the new state beside the old one and publishes it whole, so that a failure leaves the ring as it was. */
    private void commit(TreeMap<byte[], Wanted> wanted) {
        State old = state;
        // Exact: weights are below 2^32, so that a sum of less than 2^31 of them fits.
        long totalWeight = old.tokens.size / vnodes;
        long fresh = 0;
        boolean same = true;
        for (var entry : wanted.entrySet()) {
            long before = old.weightOrZero(entry.getKey());
            long after = entry.getValue().weight;
            totalWeight += after - before;
            fresh += Math.max(after - before, 0);
            same &= before == after;
        }
        if (same) {
            return;
        }
        long most = Math.min(limit, LONGEST_ARRAY);
        if (totalWeight > most / vnodes) {
            throw new TokenLimitException(BigInteger.valueOf(totalWeight).multiply(BigInteger.valueOf(vnodes)), most);
        }

        Node[] nodes = new Node[old.nodes.length + wanted.size()];
        int[] newOwner = new int[old.nodes.length];
        int[] kept = new int[old.nodes.length]; // how many of the old node's tokens stay: the lowest indices
        Tokens added = new Tokens((int) (fresh * vnodes));
        int count = 0;
        int at = 0;
        for (var entry : wanted.entrySet()) {
            int found = old.find(entry.getKey());
            for (int end = found < 0 ? -found - 1 : found; at < end; at++) {
                newOwner[at] = count;
                kept[at] = (int) (old.nodes[at].weight * vnodes);
                nodes[count++] = old.nodes[at];
            }
            long before = found < 0 ? 0 : old.nodes[found].weight;
            long after = entry.getValue().weight;
            if (found >= 0) {
                newOwner[at] = count;
                kept[at++] = (int) (Math.min(before, after) * vnodes);
            }
            if (after == 0) {
                continue;
            }
            byte[] utf8 = entry.getKey();
            long start = Fnv.step(Fnv.bytes(Fnv.START, utf8, 0, utf8.length), '#');
            for (int index = (int) (before * vnodes); index < after * vnodes; index++) {
                added.push(Fnv.finish(Fnv.decimal(start, index)), count, index);
            }
            nodes[count++] = new Node(entry.getValue().id, utf8, after);
        }
        for (; at < old.nodes.length; at++) {
            newOwner[at] = count;
            kept[at] = (int) (old.nodes[at].weight * vnodes);
            nodes[count++] = old.nodes[at];
        }
        nodes = Arrays.copyOf(nodes, count);

        Tokens stayed = new Tokens(old.tokens.size);
        for (int i = 0; i < old.tokens.size; i++) {
            int owner = old.tokens.owners[i];
            if (old.tokens.indices[i] < kept[owner]) {
                stayed.push(old.tokens.hashes[i], newOwner[owner], old.tokens.indices[i]);
            }
        }
        Tokens merged = new Tokens((int) (totalWeight * vnodes));
        merged.merge(stayed, 0, stayed.size, added.sorted(nodes), 0, added.size, nodes);
        state = new State(nodes, merged);
    }
}
