"""A ring so plain that nobody doubts it, and the hashes from their definitions.

It shares no line and no idea of speed with the Rust crates: a token is a tuple
(hash, token id as bytes, node id, index), the ring is the sorted list of all of
them, made anew from the weights after every change, and a lookup goes through
that list. Python 3.9 or newer; `xxhash` is the reference implementation of XXH3.
"""

import xxhash

MASK = (1 << 64) - 1
SPACE = 1 << 64
DEFAULT_TOKEN_LIMIT = 16_777_216
U32_MAX = (1 << 32) - 1


# ---------------------------------------------------------------- hashes


def fnv1a64(data, state=0xCBF29CE484222325):
    """FNV-1a, 64 bits; `state` lets a caller go on from an earlier prefix."""
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def fmix64(h):
    """The finaliser of MurmurHash3's 64-bit variant."""
    h ^= h >> 33
    h = (h * 0xFF51AFD7ED558CCD) & MASK
    h ^= h >> 33
    h = (h * 0xC4CEB9FE1A85EC53) & MASK
    return h ^ (h >> 33)


def fnv1a64_fmix64(data):
    return fmix64(fnv1a64(data))


def xxh3_64(data):
    return xxhash.xxh3_64_intdigest(data, seed=0)


def siphash_1_3(secret, data):
    """SipHash with one compression round a word and three to finish."""
    if len(secret) != 16:
        raise ValueError("a SipHash secret has 16 bytes, not %d" % len(secret))
    k0 = int.from_bytes(secret[:8], "little")
    k1 = int.from_bytes(secret[8:], "little")
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]

    def rotate(x, bits):
        return ((x << bits) | (x >> (64 - bits))) & MASK

    def sip_round():
        v[0] = (v[0] + v[1]) & MASK
        v[1] = rotate(v[1], 13) ^ v[0]
        v[0] = rotate(v[0], 32)
        v[2] = (v[2] + v[3]) & MASK
        v[3] = rotate(v[3], 16) ^ v[2]
        v[0] = (v[0] + v[3]) & MASK
        v[3] = rotate(v[3], 21) ^ v[0]
        v[2] = (v[2] + v[1]) & MASK
        v[1] = rotate(v[1], 17) ^ v[2]
        v[2] = rotate(v[2], 32)

    whole = len(data) - len(data) % 8
    for at in range(0, whole, 8):
        word = int.from_bytes(data[at : at + 8], "little")
        v[3] ^= word
        sip_round()
        v[0] ^= word
    # The last word: what is left over, and the length modulo 256 in the top byte.
    last = int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56
    v[3] ^= last
    sip_round()
    v[0] ^= last
    v[2] ^= 0xFF
    for _ in range(3):
        sip_round()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


FNV = "fnv1a64-fmix64"
XXH3 = "xxh3-64"
SIP = "siphash-1-3"


def hash_by_name(name, secret=None):
    """The function bytes -> integer that a name, and a secret where it needs one, stands for."""
    if name == FNV:
        return fnv1a64_fmix64
    if name == XXH3:
        return xxh3_64
    if name == SIP:
        return lambda data: siphash_1_3(secret, data)
    raise ValueError("unknown hash " + name)


# ---------------------------------------------------------------- the ring


class RingError(Exception):
    """A refused change; `index` is its place in a batch, or None."""

    def __init__(self, reason, index=None):
        super().__init__(reason)
        self.index = index


class NaiveRing:
    def __init__(self, vnodes_per_weight, hash64=fnv1a64_fmix64, token_limit=DEFAULT_TOKEN_LIMIT):
        if not 1 <= vnodes_per_weight <= U32_MAX:
            raise RingError("V must be from 1 to 2^32 - 1")
        self.v = vnodes_per_weight
        self.hash64 = hash64
        self.limit = token_limit
        self.weights = {}
        self.cache = {}
        self.sorted_tokens = []

    # Membership. Every change makes a new dict, so a refused one leaves no trace.

    def _take(self, weights):
        if sum(weights.values()) * self.v > self.limit:
            raise RingError("token limit")
        self.weights = weights
        self.sorted_tokens = sorted(
            token for node, weight in weights.items() for token in self._tokens_of(node, weight)
        )

    def _tokens_of(self, node, weight):
        made = self.cache.setdefault(node, [])
        while len(made) < weight * self.v:
            index = len(made)
            token_id = node.encode("utf-8") + b"#" + str(index).encode("ascii")
            made.append((self.hash64(token_id), token_id, node, index))
        return made[: weight * self.v]

    @staticmethod
    def _after(weights, change):
        """The weights after one change, or RingError. Weight first, then registration."""
        op, node = change["op"], change["id"]
        if op != "remove" and not 1 <= change["weight"] <= U32_MAX:
            raise RingError("weight")
        if (node in weights) == (op == "add"):
            raise RingError("already registered" if op == "add" else "not registered")
        weights = dict(weights)
        if op == "remove":
            del weights[node]
        else:
            weights[node] = change["weight"]
        return weights

    def apply(self, changes):
        weights = self.weights
        for index, change in enumerate(changes):
            try:
                weights = self._after(weights, change)
            except RingError as error:
                raise RingError(str(error), index) from None
        self._take(weights)

    def add_node(self, node, weight):
        self._take(self._after(self.weights, {"op": "add", "id": node, "weight": weight}))

    def set_weight(self, node, weight):
        self._take(self._after(self.weights, {"op": "set_weight", "id": node, "weight": weight}))

    def remove_node(self, node):
        if node not in self.weights:
            return False
        self._take(self._after(self.weights, {"op": "remove", "id": node}))
        return True

    def set_token_limit(self, limit):
        if limit < len(self.sorted_tokens) or limit > U32_MAX:
            raise RingError("limit")
        self.limit = limit

    # Looking things up: one scan over the sorted list, twice round at the most.

    def tokens(self):
        return self.sorted_tokens

    def nodes(self):
        """Pairs (id, weight) in the order of the ids' UTF-8 bytes."""
        return sorted(self.weights.items(), key=lambda pair: pair[0].encode("utf-8"))

    def walk(self, key_hash):
        tokens = self.sorted_tokens
        start = 0
        low, high = 0, len(tokens)
        while low < high:
            middle = (low + high) // 2
            if tokens[middle][0] < key_hash:
                low = middle + 1
            else:
                high = middle
        start = low
        return (tokens[(start + step) % len(tokens)] for step in range(len(tokens)))

    def owner_at(self, key_hash):
        for token in self.walk(key_hash):
            return token[2]
        return None

    def replicas_at(self, key_hash, count):
        found = []
        for token in self.walk(key_hash):
            if len(found) == min(count, len(self.weights)):
                break
            if token[2] not in found:
                found.append(token[2])
        return found

    def fingerprint(self):
        """Always by the default hash; only the tokens' own hashes come from the ring's."""
        state = fnv1a64(b"")
        for token_hash, token_id, _, _ in self.sorted_tokens:
            state = fnv1a64(token_hash.to_bytes(8, "big") + token_id + b"\n", state)
        return fmix64(state)


# ---------------------------------------------------------------- beside the ring


def arc_ends(*rings):
    """Every hash at which an owner can change, ascending, with the length of the arc that ends there.

    The arc of an end holds the hashes after the end before it, up to and with the end itself.
    """
    ends = sorted({token[0] for ring in rings for token in ring.tokens()})
    return [(end, (end - ends[i - 1]) % SPACE or SPACE) for i, end in enumerate(ends)]


def shares(ring):
    """How much of the hash space each node owns, in units of 2^-64 of it."""
    owned = {node: 0 for node in ring.weights}
    for end, length in arc_ends(ring):
        owned[ring.owner_at(end)] += length
    return owned


def diff(before, after):
    """{(from, to): arc} of all that changes owner; None stands for nobody (an empty ring)."""
    flows = {}
    for end, length in arc_ends(before, after):
        pair = (before.owner_at(end), after.owner_at(end))
        if pair[0] != pair[1]:
            flows[pair] = flows.get(pair, 0) + length
    return flows


# ---------------------------------------------------------------- random numbers


class SplitMix64:
    """Steele, Lea and Flood's generator: the same numbers under every version of Python."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        """An integer from 0 to bound - 1 (the top bits; the bias is far below what any test sees)."""
        return (self.next() * bound) >> 64

    def pick(self, items):
        return items[self.below(len(items))]

    def bytes(self, count):
        return b"".join(self.next().to_bytes(8, "little") for _ in range(count // 8 + 1))[:count]

    def shuffled(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items
