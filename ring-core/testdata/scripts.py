"""cases.json: scripts of operations with the right answers.

The given scripts come first, as they are. Those made here get their answers from
the naive ring; random ones are histories drawn by SplitMix64.
"""

import json

import rings
from naive import NaiveRing, RingError, SplitMix64
from rings import key_bytes, key_member


def attempt(change):
    """("ok", None), or ("error", index) where the naive ring refuses."""
    try:
        change()
    except RingError as error:
        return "error", error.index
    return "ok", None


class Runner:
    """Runs operations on a naive ring; `answer` fills in what they must give."""

    def __init__(self, v):
        self.v = v
        self.ring = NaiveRing(v)

    def answer(self, op):
        op = dict(op)
        ring, kind = self.ring, op["op"]
        key = bytes.fromhex(op["key_hex"]) if "key_hex" in op else op.get("key", "").encode("utf-8")
        if kind == "new":
            self.ring = NaiveRing(self.v)
        elif kind == "add":
            op["expect"] = attempt(lambda: ring.add_node(op["id"], op["weight"]))[0]
        elif kind == "set_weight":
            op["expect"] = attempt(lambda: ring.set_weight(op["id"], op["weight"]))[0]
        elif kind == "remove":
            op["expect"] = ring.remove_node(op["id"])
        elif kind == "apply":
            op["expect"], index = attempt(lambda: ring.apply(op["changes"]))
            if op["expect"] == "error":
                op["error_index"] = index
        elif kind == "limit":
            op["expect"] = attempt(lambda: ring.set_token_limit(op["limit"]))[0]
        elif kind == "tokens":
            op["expect"] = len(ring.tokens())
        elif kind == "weight":
            op["expect"] = ring.weights.get(op["id"])
        elif kind == "get":
            op["expect"] = ring.owner_at(ring.hash64(key))
        elif kind == "replicas":
            op["expect"] = ring.replicas_at(ring.hash64(key), op["r"])
        elif kind == "fingerprint":
            op["expect"] = "%016x" % ring.fingerprint()
        else:
            raise ValueError("unknown op " + kind)
        return op


def script(name, v, ops):
    runner = Runner(v)
    return {"name": name, "vnodes_per_weight": v, "ops": [runner.answer(op) for op in ops]}


# ---------------------------------------------------------------- short forms


def new():
    return {"op": "new"}


def add(node, weight=1):
    return {"op": "add", "id": node, "weight": weight}


def set_weight(node, weight):
    return {"op": "set_weight", "id": node, "weight": weight}


def remove(node):
    return {"op": "remove", "id": node}


def apply(*changes):
    return {"op": "apply", "changes": list(changes)}


def limit(count):
    return {"op": "limit", "limit": count}


def get(key):
    return dict({"op": "get"}, **key_member(key))


def replicas(key, r):
    return dict({"op": "replicas"}, **key_member(key), r=r)


def weight(node):
    return {"op": "weight", "id": node}


TOKENS = {"op": "tokens"}
FINGERPRINT = {"op": "fingerprint"}
STATE = [TOKENS, FINGERPRINT]


# ---------------------------------------------------------------- scripts by hand


def batches():
    """The semantics of `apply`, one clause after the other."""
    some = [add("a", 2), add("b", 1), add("c", 3)]
    refused = [
        apply(add("x"), add("a", 2)),
        apply(add("x"), remove("nobody"), add("a")),
        apply(set_weight("nobody", 1)),
        apply(set_weight("a", 5), add("y", 0)),
        apply(add("a", 0)),
        apply(set_weight("nobody", 0)),
        apply(remove("a"), remove("a")),
        apply(remove("a"), set_weight("a", 2)),
        apply(add("x"), add("x")),
        apply(add("x"), remove("x"), remove("x")),
        apply(remove("b"), add("b", 1), add("b", 1)),
        apply(remove("a"), remove("b"), remove("c"), remove("d")),
        apply(add("z", 4294967295)),
        apply(add("z", 16777216)),
        apply(set_weight("a", 4294967295), set_weight("b", 4294967295)),
        apply(*[add("n%d" % i, 4294967295) for i in range(5)]),
    ]
    ops = [apply(), *STATE, apply(*some), *STATE]
    for op in refused:
        ops += [op, weight("a"), weight("x"), *STATE]
    accepted = [
        apply(),
        apply(add("x"), remove("x")),
        apply(remove("a"), add("a", 2)),
        apply(remove("a"), add("a", 5)),
        apply(set_weight("a", 9), set_weight("a", 2)),
        apply(add("x"), set_weight("x", 3), remove("b"), set_weight("c", 1)),
        # Past the limit on the way, but not at the end.
        apply(add("huge", 4294967295), set_weight("huge", 1)),
        apply(add("gone", 4294967295), remove("gone")),
        apply(remove("a"), remove("c"), remove("x"), remove("huge")),
    ]
    for op in accepted:
        ops += [op, weight("a"), get("user:42"), replicas(b"\xff\x00", 3), *STATE]
    return script("batches: all or nothing, checked in order", 5, ops)


def limits():
    ops = [limit(10), add("a", 3), *STATE, add("b", 1), limit(8), limit(9), limit(11), add("b", 1), *STATE]
    ops += [limit(12), add("b", 1), *STATE, set_weight("a", 4), apply(set_weight("a", 4)), *STATE]
    ops += [apply(set_weight("a", 4), remove("b")), *STATE, apply(remove("a"), add("c", 4)), *STATE]
    ops += [apply(add("d", 1), remove("c"), add("e", 3)), *STATE, apply(remove("d"), add("d", 2)), weight("d"), *STATE]
    ops += [limit(0), apply(remove("d"), remove("e")), limit(0), TOKENS, add("a"), apply(), limit(4294967295), add("a"), *STATE]
    ops += [new(), add("a", 4), *STATE, limit(3), remove("a"), limit(3), add("a", 1), add("b", 1), *STATE]
    return script("token limits", 3, ops)


def huge_weights():
    ops = [add("a", 4294967295), add("a", 16777217), add("a", 16777216 + 2**31), TOKENS, weight("a"), add("a", 2)]
    ops += [set_weight("a", 16777217), set_weight("a", 4294967295), add("b", 16777215), add("b", 4294967294), *STATE]
    one = script("weights past the default token limit, V = 1", 1, ops)
    # 65536 x 65536 is 0 in 32 bits, and so is 4294967295 x 4294967295 but for 1.
    ops = [add("a", 65536), TOKENS, get("x"), apply(add("a", 65536), add("b", 65536)), add("a", 257), TOKENS, weight("a")]
    two = script("weight x V passes 32 bits, V = 65536", 65536, ops)
    ops = [add("a", 1), add("a", 4294967295), apply(add("a", 1)), TOKENS, FINGERPRINT, get("x"), replicas("x", 2)]
    return [one, two, script("V = 4294967295: no node fits", 4294967295, ops)]


def twins():
    """Two nodes that collide on every token, with and without a common ending, in both orders."""
    first, second = rings.TWINS
    looks = [get("user:42"), get(first + "#0"), get(second + "#1"), replicas("user:42", 2), replicas("", 9), *STATE]
    ops = []
    for ending in ("", "#1", "\u00e9", "#"):
        for a, b in ((first + ending, second + ending), (second + ending, first + ending)):
            ops += [new(), add(a, 1), add(b, 2), *looks, add("other", 1), *looks, set_weight(a, 3), *looks]
            ops += [set_weight(b, 1), *looks, remove(a), *looks, apply(add(a, 2), remove(b)), *looks, remove(a), *looks]
    return script("ids that collide on every token", 3, ops)


def pairs():
    """Ids that collide on every token and that a wrong order of token ids swaps."""
    ops = []
    for first, second in [*rings.PAIRS, rings.PAIRS[0][::-1], rings.PAIRS[1][::-1], rings.PAIRS[2][::-1]]:
        looks = [get("user:42"), get(second + "#11"), replicas(first + "#2", 2), replicas("", 3), *STATE]
        ops += [new(), add(second, 1), *looks, add(first, 2), *looks, add("other", 1), *looks]
        ops += [remove(first), *looks, apply(add(first, 1), set_weight(second, 3)), *looks, remove(second), *looks]
    # Three on every hash: take away the first, the middle and the last of them.
    three = sorted([*rings.TWINS, rings.THIRD])
    for gone in three:
        looks = [get("user:42"), replicas("user:42", 2), replicas("", 5), *STATE]
        ops += [new(), apply(*[add(node, 1) for node in reversed(three)]), *looks, remove(gone), *looks, add(gone, 2), *looks]
    ops += [new(), add(rings.SELF_TWIN, 1), *STATE, add("a", 1), *STATE, set_weight(rings.SELF_TWIN, 2), *STATE]
    ops += [remove("a"), *STATE, set_weight(rings.SELF_TWIN, 1), *STATE, remove(rings.SELF_TWIN), *STATE]
    return script("colliding ids: order by the bytes of the token id and by nothing else", 13, ops)


def prefixes():
    ops = [add(node, 1 + i % 3) for i, node in enumerate(rings.PREFIX_IDS)] + STATE
    for node in rings.PREFIX_IDS:
        ops += [remove(node), remove(node), *STATE, get(node + "#0"), get(node), replicas(node + "#1", 4)]
    return script("ids that are prefixes of one another: removal takes a node's own tokens only", 11, ops)


def alphabets():
    """Ids that look alike or sort otherwise in UTF-16."""
    ids = rings.FORMS_IDS + rings.UTF16_IDS + rings.NUL_IDS + rings.ODD_IDS
    ops = [add(node, 1 + i % 2) for i, node in enumerate(ids)] + STATE
    for i, node in enumerate(ids):
        ops += [get(node), weight(node), replicas(node + "#0", 3)]
        if i % 2:
            ops += [remove(node), add(node, 3), FINGERPRINT]
    return script("ids from all over Unicode", 4, ops)


# ---------------------------------------------------------------- random histories


def unicode_id(random):
    """A short id from all of Unicode but surrogates."""
    text = ""
    for _ in range(random.below(4)):
        kind = random.below(6)
        if kind == 0:
            text += random.pick("ab#1\0")
        else:
            low, high = ((0x20, 0x7F), (0x80, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x110000))[kind - 1]
            text += chr(low + random.below(high - low))
    return text


def pools(random):
    colliding = list(rings.TWINS) + list(rings.CROSSED) + [t + "#1" for t in rings.TWINS]
    yield ["a", "b", "c", "d", "e", "a#1", "b#1", "a#", "#", ""]
    yield colliding + ["a", rings.SELF_TWIN, *rings.UTF16_PAIR, *rings.SIGNED_PAIR, *rings.ID_ORDER_PAIR]
    yield list(rings.EDGE_IDS.values())
    yield [unicode_id(random) for _ in range(12)]
    yield rings.PREFIX_IDS + rings.FORMS_IDS + rings.NUL_IDS
    yield colliding + [unicode_id(random) for _ in range(6)] + rings.PREFIX_IDS[:6]


def random_change(random, pool):
    kind = random.below(5)
    node = random.pick(pool)
    if kind < 2:
        return add(node, random.pick([0, 1, 1, 1, 2, 3, 5]))
    if kind < 4:
        return set_weight(node, random.pick([0, 1, 1, 2, 3, 4]))
    return remove(node)


def random_batch(random, pool, ring):
    """Half of them drawn blindly, half built so that every change is right when its turn comes."""
    if random.below(2):
        return apply(*[random_change(random, pool) for _ in range(random.below(4))])
    there, changes = set(ring.weights), []
    for _ in range(1 + random.below(7)):
        node = random.pick(pool)
        if node not in there:
            there.add(node)
            changes.append(add(node, 1 + random.below(4)))
        elif random.below(2):
            there.remove(node)
            changes.append(remove(node))
        else:
            changes.append(set_weight(node, 1 + random.below(4)))
    return apply(*changes)


def random_key(random, pool):
    kind = random.below(6)
    if kind == 0:
        return random.pick(pool) + "#%d" % random.below(12)
    if kind == 1:
        return random.pick(list(rings.EDGE_KEYS.values()))
    if kind == 2:
        return unicode_id(random) + unicode_id(random)
    if kind == 3:
        return random.bytes(random.below(20))
    return "user:%d" % random.below(10**6)


def random_history(seed):
    random = SplitMix64(seed)
    pool = list(pools(random))[seed % 6]
    v = (1, 2, 3, 4, 7, 12, 40)[seed % 7]
    runner, ops = Runner(v), []
    for step in range(70):
        kind = random.below(20)
        if kind < 7:
            op = add(random.pick(pool), 1 + random.below(4)) if random.below(2) else random_change(random, pool)
        elif kind < 10:
            op = random_batch(random, pool, runner.ring)
        elif kind < 14:
            op = get(random_key(random, pool))
        elif kind < 17:
            op = replicas(random_key(random, pool), random.pick([0, 1, 2, 3, 3, 5, len(pool), 99, 4294967295]))
        elif kind == 17:
            op = random.pick([TOKENS, weight(random.pick(pool))])
        elif kind == 18:
            op = FINGERPRINT
        else:
            op = limit(random.pick([40, 100, 1000, 16777216])) if random.below(4) == 0 else TOKENS
        ops.append(runner.answer(op))
    ops += [runner.answer(op) for op in STATE]
    return {"name": "random history %d" % seed, "vnodes_per_weight": v, "ops": ops}


def cases(given_path):
    with open(given_path, encoding="ascii") as file:
        given = json.load(file)
    for one in given:
        asked = [{k: v for k, v in op.items() if k not in ("expect", "error_index")} for op in one["ops"]]
        mine = script(one["name"], one["vnodes_per_weight"], asked)
        for at, (theirs, ours) in enumerate(zip(one["ops"], mine["ops"])):
            assert theirs == ours, "given.json, %s, op %d: given %s, here %s" % (one["name"], at, theirs, ours)
    made = [batches(), limits(), *huge_weights(), twins(), pairs(), prefixes(), alphabets()]
    made += [random_history(seed) for seed in range(1, 43)]
    return given + made
