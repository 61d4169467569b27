"""The rings and keys that several vector files share, and the ids that collide.

A ring stands here as in the files: {"hash", "secret_hex"?, "vnodes_per_weight", "nodes"}.
"""

from naive import FNV, MASK, SIP, XXH3, NaiveRing, SplitMix64, fnv1a64, hash_by_name

SECRET = bytes(range(16)).hex()
OTHER_SECRET = SplitMix64(4).bytes(16).hex()

# Ids whose FNV-1a states agree: they collide on every token, with any common ending too.
TWINS = ("node-b60q8m41dwp", "node-ryw353ea3uk")
assert fnv1a64(TWINS[0].encode()) == fnv1a64(TWINS[1].encode()) == 0x8E8A4A6C61829DC2
THIRD = "node-third-gxgyuyhs26ecvyif"  # and one more of the same state, found with collide.py
assert fnv1a64(THIRD.encode()) == 0x8E8A4A6C61829DC2
# Ids that share one token: the first one's 7 and the second one's 3.
CROSSED = ("node-p-rer5h6qjfw", "node-q-064jy292kx")
assert fnv1a64((CROSSED[0] + "#7").encode()) == fnv1a64((CROSSED[1] + "#3").encode())

# Pairs found with collide.py: each second id has the FNV-1a state of the first, so that all their
# tokens collide and only the order of token ids tells whose they are. The owner by UTF-8 bytes is
# the first of each pair but the last; the comment says what a wrong order would compare.
UTF16_PAIR = ("\uff4e", "\U0001f6003x1z8fywb5gq6mgx")  # UTF-16 units: D83D before FF4E
SIGNED_PAIR = ("z", "\u00e947qtcfdw2poph7h0")  # signed bytes: C3 before 7A
# '!' stands before '#': by token id the second comes first, by node id the first.
ID_ORDER_PAIR = ("x", "x!b8ivqb440aslcu0m")
PAIRS = (UTF16_PAIR, SIGNED_PAIR, ID_ORDER_PAIR)
for _one, _two in PAIRS:
    assert fnv1a64(_one.encode()) == fnv1a64(_two.encode())
# One node whose own tokens collide: 10 with 5, 11 with 4, 12 with 7, 13 with 6. By token id the
# larger index comes first.
SELF_TWIN = "self-il07u0da39zkkwur"
for _one, _two in (("10", "5"), ("11", "4"), ("12", "7"), ("13", "6")):
    assert fnv1a64((SELF_TWIN + "#" + _one).encode()) == fnv1a64((SELF_TWIN + "#" + _two).encode())

# Ids whose token 0, and keys that themselves, hash to an exact value.
EDGE_IDS = {
    0: "zero-emm645jblytbeps01dc6",
    1: "one-0fk5ob1n2uu2ui8011wd",
    2**32 - 1: "u32max-e8n1gd0m4qytcwa025jv",
    2**32: "two32-omhgoevjqlynsna05zxe",
    2**53: "two53-ludzcx7t6pufim604p1q",
    2**53 + 1: "two53p1-poqsw99ppnvzjjv0iwow",
    2**63 - 1: "i64max-psmfssfog8oxyde04vlo",
    2**63: "two63-3bm2b58enhxohqs01g3p",
    2**64 - 2: "maxm1-w38aa2yynug97pn02cmt",
    2**64 - 1: "max-yqi86vhgixo46mh00gfq",
}
EDGE_KEYS = {
    0: "k-h5wmc7f5mmtwugr02x4b",
    1: "k-krte62f1dwus1az0ej8t",
    2: "k-yj2lyqf61tx66ij03vdh",
    2**32 - 1: "k-8ev3bmu4myhslcz07drq",
    2**32: "k-ehc7tn420symxsw02bms",
    2**32 + 1: "k-x7qbzg32vhyk0ey029ce",
    2**53: "k-r8mjf2j3ekyu3c40ese9",
    2**53 + 1: "k-o8bu0r264nyvz4z07r1x",
    2**53 + 2: "k-c11ftdpcjvev5x300393",
    2**63 - 1: "k-ru5hqa1pqtb5ewg07lmq",
    2**63: "k-9sgaeek98ttlats04gt2",
    2**63 + 1: "k-wjpwigpvp8ymdhy00zl2",
    2**64 - 2: "k-da9brot3nrrlyft07ial",
    2**64 - 1: "k-mdtpe25jxuec8ln07bxv",
}
for _value, _id in EDGE_IDS.items():
    assert hash_by_name(FNV)((_id + "#0").encode()) == _value
for _value, _key in EDGE_KEYS.items():
    assert hash_by_name(FNV)(_key.encode()) == _value

PREFIX_IDS = ["a", "a#1", "a1", "a1#1", "#", "", "##", "#1", "a#", "a#1#1", "1", "0#0"]
# One word in its composed and its decomposed form, and more such pairs.
FORMS_IDS = ["caf\u00e9", "cafe\u0301", "\u00c5", "A\u030a", "\u212b", "\ud0a4", "\u110f\u1175"]
NUL_IDS = ["\0", "", "a", "a\0", "a\0b", "\0a", "a\0\0"]
# UTF-16 sorts these otherwise than UTF-8 does.
UTF16_IDS = ["\uff4e", "\U0001f600", "\ue000", "\uffff", "\U0010ffff", "\ud7ff", "\u007f", "\u0080"]
ODD_IDS = [" a", "a ", "A", "\t", "\n", "\r\n", '"', "\\", "/", "\u2028", "\ufeff", "\u202e", "null", "-1", "1e3"]


def nodes(ids, weights=(1,)):
    return [{"id": node, "weight": weights[i % len(weights)]} for i, node in enumerate(ids)]


def ring(v, members, hash_name=FNV, secret=None):
    described = {"hash": hash_name}
    if hash_name == SIP:
        described["secret_hex"] = secret or SECRET
    described["vnodes_per_weight"] = v
    described["nodes"] = members
    return described


def build(described):
    secret = bytes.fromhex(described.get("secret_hex", ""))
    made = NaiveRing(described["vnodes_per_weight"], hash_by_name(described["hash"], secret))
    made.apply([dict(node, op="add") for node in described["nodes"]])
    return made


def numbered(count, pattern="node-%d"):
    return [pattern % i for i in range(count)]


def small_rings():
    """(name, ring): small enough to list every token."""
    return [
        ("empty ring", ring(100, [])),
        ("one token", ring(1, nodes(["a"]))),
        ("one node", ring(10, nodes(["only"]))),
        ("one node of weight 7", ring(3, nodes(["only"], [7]))),
        ("the empty id alone", ring(12, nodes([""]))),
        ("A and B of the specification", ring(64, nodes("AB"))),
        ("A, B and C of the specification", ring(64, nodes("ABC"))),
        ("weights", ring(4, nodes(["a", "b", "c"], [1, 2, 5]))),
        ("more than ten tokens: a#10 is an id of index 10, not of node a#1", ring(13, nodes(["a", "a#1"]))),
        ("prefixes and '#'", ring(5, nodes(PREFIX_IDS, [1, 2, 3]))),
        ("composed and decomposed forms", ring(5, nodes(FORMS_IDS))),
        ("NUL in ids", ring(5, nodes(NUL_IDS))),
        ("ids that UTF-16 orders otherwise", ring(5, nodes(UTF16_IDS))),
        ("white space, quotes, controls, look-alikes of numbers", ring(3, nodes(ODD_IDS))),
        ("two ids that collide on one token", ring(8, nodes(CROSSED))),
        ("two ids that collide on every token", ring(4, nodes(TWINS))),
        ("the same two added the other way round", ring(4, nodes(TWINS[::-1]))),
        ("colliding ids of different weight", ring(3, nodes(TWINS, [1, 4]) + nodes(["other"]))),
        ("colliding ids with a common ending", ring(3, nodes([t + "\u00e9#1" for t in TWINS] + list(TWINS)))),
        ("three ids that collide on every token", ring(3, nodes([THIRD, *TWINS], [1, 2]))),
        ("colliding ids, UTF-16 against UTF-8", ring(3, nodes(UTF16_PAIR[::-1]))),
        ("colliding ids, signed against unsigned bytes", ring(3, nodes(SIGNED_PAIR[::-1]))),
        ("colliding ids, node id against token id", ring(12, nodes(ID_ORDER_PAIR))),
        ("a node that collides with itself: index 10 before 5", ring(14, nodes([SELF_TWIN]))),
        ("the same beside others", ring(7, nodes([SELF_TWIN, "a", *TWINS], [2, 1]))),
        ("all pairs that collide, with a common ending", ring(3, nodes([node + "#1" for pair in PAIRS for node in pair]))),
        ("tokens at exact hashes", ring(1, nodes(list(EDGE_IDS.values())))),
        ("tokens at the ends of the hash space", ring(1, nodes([EDGE_IDS[0], EDGE_IDS[MASK]]))),
        ("tokens on both sides of 2^63", ring(1, nodes([EDGE_IDS[2**63 - 1], EDGE_IDS[2**63]]))),
        ("XXH3", ring(8, nodes(PREFIX_IDS[:6] + ["node-1"], [1, 2]), XXH3)),
        ("XXH3, long ids", ring(4, nodes(["x" * n for n in (14, 15, 60, 126, 127, 238, 239, 400)]), XXH3)),
        ("SipHash", ring(8, nodes(PREFIX_IDS[:6] + ["node-1"], [1, 2]), SIP)),
        ("SipHash, another secret", ring(8, nodes(PREFIX_IDS[:6] + ["node-1"], [1, 2]), SIP, OTHER_SECRET)),
        ("ids that collide under FNV do not under XXH3", ring(4, nodes(TWINS), XXH3)),
        ("ids that collide under FNV do not under SipHash", ring(4, nodes(TWINS), SIP)),
    ]


def middle_rings():
    """(name, ring): bigger ones, for owners and replicas."""
    return [
        ("10 nodes, V = 100", ring(100, nodes(numbered(10)))),
        ("10 nodes, V = 100, XXH3", ring(100, nodes(numbered(10)), XXH3)),
        ("10 nodes, V = 100, SipHash", ring(100, nodes(numbered(10)), SIP)),
        ("40 nodes, weights 1 to 5, V = 16", ring(16, nodes(numbered(40, "cache-%02d.example.net:11211"), [1, 2, 3, 4, 5]))),
        ("30 nodes, V = 1", ring(1, nodes(numbered(30, "10.0.0.%d")))),
    ]


def keys():
    """Keys of every kind, as str or bytes."""
    texts = ["", "a", "a#0", "a#10", "#", "#0", "\0", "a\0", "user:42", "user:43", "\ud0a4", "\u1112\u1161\u11ab"]
    texts += ["caf\u00e9", "cafe\u0301", "\uff4e", "\U0001f600", "\uffff", "\U0010ffff", "\ufeff", " ", "\n", "key with spaces"]
    texts += [TWINS[0] + "#0", TWINS[1] + "#3", CROSSED[0] + "#7", CROSSED[1] + "#3", "x" * 300]
    raw = [b"\xff", b"\xff\x00", b"\x80", b"\xc3", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\0\xff" * 5, bytes(range(256))]
    return texts + raw


def random_keys(random, count):
    """Half of them printable, half of them any bytes (given as hex where they are no UTF-8)."""
    made = []
    for _ in range(count):
        if random.below(2):
            made.append("".join(chr(33 + random.below(94)) for _ in range(1 + random.below(20))))
        else:
            made.append(random.bytes(1 + random.below(24)))
    return made


def key_bytes(key):
    return key if isinstance(key, bytes) else key.encode("utf-8")


def key_member(key):
    """{"key": text}, or {"key_hex": hex} where the bytes are no UTF-8."""
    if isinstance(key, bytes):
        try:
            key = key.decode("utf-8")
        except UnicodeDecodeError:
            return {"key_hex": key.hex()}
    return {"key": key}
