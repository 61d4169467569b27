"""The vector files that follow from a ring alone."""

import rings
from naive import FNV, MASK, SIP, SPACE, XXH3, NaiveRing, SplitMix64, diff, fnv1a64_fmix64, hash_by_name
from naive import shares as naive_shares
from rings import build, key_bytes, key_member, nodes, numbered, ring

# Every length at which XXH3 changes its method (3, 8, 16, 128, 240), its 64-byte stripes,
# its 1024-byte blocks, and one to either side of each.
XXH3_LENGTHS = sorted(
    set(range(0, 34))
    | {n + d for n in (48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 320, 512, 576) for d in (-1, 0, 1)}
    | {n + d for n in (1024, 1088, 2048) for d in (-1, 0, 1)}
    | {1500, 3000}
)


def hex64(value):
    return "%016x" % value


def hashes():
    random = SplitMix64(1)
    inputs = [key_bytes(key) for key in rings.keys()]
    inputs += [text.encode() for text in ("node#1", "A#0", "cache-a#99", "ab", "abc", "foobar")]
    inputs += [bytes(n) for n in (2, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1025)]
    inputs += [random.bytes(n) for n in XXH3_LENGTHS]
    inputs = list(dict.fromkeys(inputs))
    plain = [
        {"input_hex": data.hex(), FNV: hex64(hash_by_name(FNV)(data)), XXH3: hex64(hash_by_name(XXH3)(data))}
        for data in inputs
    ]
    secrets = [rings.SECRET, "00" * 16, "ff" * 16, "01" + "00" * 15, "00" * 15 + "01", "00" * 8 + "80" + "00" * 7]
    secrets += [rings.OTHER_SECRET]
    keyed = []
    for secret in secrets:
        sip = hash_by_name(SIP, bytes.fromhex(secret))
        if secret == rings.SECRET:
            # The inputs of SipHash's own published vectors, then every kind of key and long inputs.
            chosen = [bytes(range(n)) for n in range(65)] + [key_bytes(key) for key in rings.keys()]
            chosen += [random.bytes(n) for n in (255, 256, 257, 263, 264, 1025)]
        else:
            chosen = [b"", b"a", b"node#1", b"1234567", b"12345678", b"123456789", bytes(range(256))]
        keyed += [{"secret_hex": secret, "input_hex": data.hex(), SIP: hex64(sip(data))} for data in dict.fromkeys(chosen)]
    return {"plain": plain, "keyed": keyed}


def token_rows(made):
    return [[hex64(token_hash), node, index] for token_hash, _, node, index in made.tokens()]


def tokens():
    return [
        {"name": name, "ring": described, "tokens": token_rows(build(described))}
        for name, described in rings.small_rings()
    ]


def edge_hashes(made):
    """Hashes at which a lookup goes wrong first: on, before and after tokens, and the ends."""
    chosen = {0, 1, MASK, MASK - 1, 2**63 - 1, 2**63, 2**63 + 1, 2**53, 2**53 + 1, 2**32 - 1, 2**32}
    all_tokens = made.tokens()
    for token in all_tokens if len(all_tokens) <= 24 else all_tokens[:6] + all_tokens[6::37] + all_tokens[-6:]:
        chosen |= {(token[0] + step) & MASK for step in (-1, 0, 1)}
    return sorted(chosen)


def owners():
    cases = []
    for seed, (name, described) in enumerate(rings.small_rings() + rings.middle_rings()):
        made = build(described)
        random = SplitMix64(1000 + seed)
        chosen = rings.keys() + list(rings.EDGE_KEYS.values()) + rings.random_keys(random, 20)
        # Keys that are token ids hash exactly onto tokens.
        chosen += [token[1] for token in made.tokens()[:5]]
        hashed = [(key, made.hash64(key_bytes(key))) for key in chosen]
        cases.append(
            {
                "name": name,
                "ring": described,
                "lookups": [
                    dict(key_member(key), hash=hex64(value), owner=made.owner_at(value)) for key, value in hashed
                ],
                "at": [[hex64(value), made.owner_at(value)] for value in edge_hashes(made)],
            }
        )
    return cases


def replica_lookups(made, chosen, counts):
    rows = []
    for key in chosen:
        value = made.hash64(key_bytes(key))
        for count in counts:
            found = made.replicas_at(value, count)
            row = dict(key_member(key), hash=hex64(value), r=count, nodes=found, shortfall=count - len(found))
            rows.append(row)
    return rows


def replicas():
    cases = []
    for seed, (name, described) in enumerate(rings.small_rings() + rings.middle_rings()):
        made = build(described)
        random = SplitMix64(2000 + seed)
        size = len(described["nodes"])
        edges = [rings.EDGE_KEYS[value] for value in (0, 2**63, MASK)]
        chosen = ["user:42", "a#0", b"\xff\x00"] + edges + rings.random_keys(random, 3)
        counts = sorted({0, 1, 2, 3, size, size + 2})
        rows = replica_lookups(made, chosen, [c for c in counts if c <= 12 or c == size])
        rows += replica_lookups(made, ["user:42"], [size + 1, size + 2, 2**32 - 1])
        unique = {repr(row): row for row in rows}
        cases.append({"name": name, "ring": described, "lookups": list(unique.values())})
    return cases


def fingerprint_rings():
    made = rings.small_rings() + rings.middle_rings()
    for hash_name in (FNV, XXH3, SIP):
        for count, v in ((1, 1), (3, 100), (25, 40), (100, 1)):
            described = ring(v, nodes(numbered(count, "node-%02d")), hash_name)
            made.append(("%d x %d, %s" % (count, v, hash_name), described))
    made.append(("100 x 100", ring(100, nodes(numbered(100)))))
    made.append(("100 x 100, XXH3", ring(100, nodes(numbered(100)), XXH3)))
    made.append(("100 x 100 in another order", ring(100, nodes(SplitMix64(7).shuffled(numbered(100))))))
    made.append(("one node of weight 1000, V = 10", ring(10, nodes(["heavy"], [1000]))))
    made.append(("one node of weight 10, V = 1000", ring(1000, nodes(["heavy"], [10]))))
    return made


def fingerprints():
    cases = []
    for name, described in fingerprint_rings():
        made = build(described)
        cases.append(
            {"name": name, "ring": described, "tokens": len(made.tokens()), "fingerprint": hex64(made.fingerprint())}
        )
    return cases


def by_bytes(flow):
    """Order of (from, to) as bytes, nobody first."""
    return [(node is not None, (node or "").encode("utf-8")) for node in flow[0]]


def diffs():
    ten, weighted = nodes(numbered(10)), nodes(numbered(6), [1, 2, 3])
    twins = nodes(rings.TWINS)
    edge = nodes(list(rings.EDGE_IDS.values()))
    pairs = [
        ("nothing to nothing", ring(8, []), ring(8, [])),
        ("nothing to one token", ring(1, []), ring(1, nodes("a"))),
        ("one token to nothing", ring(1, nodes("a")), ring(1, [])),
        ("nothing to three nodes", ring(8, []), ring(8, nodes("abc"))),
        ("three nodes to nothing", ring(8, nodes("abc")), ring(8, [])),
        ("the same ring", ring(8, nodes("abc")), ring(8, nodes("cba"))),
        ("one token to another", ring(1, nodes("a")), ring(1, nodes("b"))),
        ("all nodes replaced", ring(4, nodes("abc")), ring(4, nodes("def"))),
        ("A and B, C added", ring(64, nodes("AB")), ring(64, nodes("ABC"))),
        ("one of ten removed", ring(100, ten), ring(100, ten[:3] + ten[4:])),
        ("an eleventh added", ring(100, ten), ring(100, nodes(numbered(11)))),
        ("a weight raised", ring(10, weighted), ring(10, weighted[:2] + nodes(["node-2"], [9]) + weighted[3:])),
        ("a weight lowered", ring(10, weighted), ring(10, weighted[:2] + nodes(["node-2"], [1]) + weighted[3:])),
        ("several at once", ring(10, weighted), ring(10, weighted[2:] + nodes(["new", "", "#"], [2, 1, 1]))),
        ("another V", ring(10, nodes("abc")), ring(11, nodes("abc"))),
        ("another V, much smaller", ring(50, nodes("abc")), ring(1, nodes("abc"))),
        ("a shadowed twin goes: nothing moves", ring(4, twins), ring(4, twins[:1])),
        ("the twin in front goes: all it had moves", ring(4, twins + nodes("x")), ring(4, twins[1:] + nodes("x"))),
        ("twins come in the other order", ring(4, nodes("x")), ring(4, twins[::-1] + nodes("x"))),
        ("tokens at the ends go", ring(1, edge), ring(1, edge[1:-1])),
        ("the arc over the ends", ring(1, edge[1:-1]), ring(1, edge)),
        ("a token at 2^64 - 1 joins one at 0", ring(1, edge[:1]), ring(1, [edge[0], edge[-1]])),
        ("flows in byte order of their ids", ring(3, nodes(rings.UTF16_IDS)), ring(3, nodes(rings.UTF16_IDS[::2]))),
        ("XXH3", ring(20, ten, XXH3), ring(20, ten[1:] + nodes(["new"]), XXH3)),
        ("SipHash", ring(20, ten, SIP), ring(20, ten[1:] + nodes(["new"]), SIP)),
    ]
    random = SplitMix64(77)
    for seed in range(8):
        pool = rings.PREFIX_IDS + rings.FORMS_IDS + list(rings.TWINS) + list(rings.CROSSED)
        pick = lambda: [
            {"id": node, "weight": 1 + random.below(4)} for node in random.shuffled(pool)[: 1 + random.below(8)]
        ]
        pairs.append(("random %d" % seed, ring(3, pick()), ring(3, pick())))
    cases = []
    for name, before, after in pairs:
        flows = sorted(diff(build(before), build(after)).items(), key=by_bytes)
        rows = [{"from": pair[0], "to": pair[1], "moved": str(arc)} for pair, arc in flows]
        moved = str(sum(arc for _, arc in flows))
        cases.append({"name": name, "before": before, "after": after, "moved": moved, "flows": rows})
    refused = [
        ("another hash", ring(4, nodes("ab")), ring(4, nodes("ab"), XXH3)),
        ("another hash, both empty", ring(4, [], XXH3), ring(4, [], SIP)),
        ("another secret", ring(4, nodes("ab"), SIP), ring(4, nodes("ab"), SIP, rings.OTHER_SECRET)),
    ]
    cases += [{"name": name, "before": before, "after": after, "error": True} for name, before, after in refused]
    return cases


def shares():
    cases = []
    for name, described in rings.small_rings() + rings.middle_rings():
        made = build(described)
        owned = naive_shares(made)
        assert sum(owned.values()) == (SPACE if owned else 0)
        rows = [{"id": node, "weight": weight, "arc": str(owned[node])} for node, weight in made.nodes()]
        cases.append(
            {"name": name, "ring": described, "total_weight": sum(made.weights.values()), "shares": rows}
        )
    return cases


def cut_hashes():
    cases = []
    masks = [("low 8 bits", 0xFF), ("high 8 bits", 0xFF << 56), ("low 4 bits", 0xF), ("high 4 bits", 0xF << 60)]
    masks += [("high 12 bits", 0xFFF << 52), ("one bit, the highest", 1 << 63), ("always 0", 0)]
    members = [
        ("one node", 25, nodes(["a"])),
        ("prefixes and '#'", 12, nodes(["a", "a#1", "a1", "a!", "#", ""], [1, 2])),
        ("ids that UTF-16 orders otherwise", 4, nodes(rings.UTF16_IDS)),
    ]
    for mask_name, mask in masks:
        for members_name, v, members_of in members:
            made = NaiveRing(v, lambda data, mask=mask: fnv1a64_fmix64(data) & mask)
            made.apply([dict(node, op="add") for node in members_of])
            cases.append(
                {
                    "name": "%s, %s" % (mask_name, members_name),
                    "mask": hex64(mask),
                    "ring": ring(v, members_of),
                    "tokens": token_rows(made),
                    "fingerprint": hex64(made.fingerprint()),
                    "lookups": replica_lookups(made, ["", "a", "b", "user:42", b"\xff\x00", "x" * 40], [1, 9]),
                }
            )
    return cases
