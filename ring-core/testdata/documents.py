"""snapshots.json: documents that must load, and documents that must not.

A snapshot is {"format": "hash-ring", "version": 1, "hash", "vnodes_per_weight",
"nodes": [{"id", "weight"}], "fingerprint"}. `hash`, `vnodes_per_weight`, `weight` and
`fingerprint` may be left out: the default hash, 100, 1, and no check. Under a keyed
hash the fingerprint must be there.
"""

import json

import rings
from naive import FNV, SIP, XXH3
from rings import build, nodes, numbered, ring


def canonical(described):
    """The snapshot that must be written of a ring: every member, nodes in id order."""
    made = build(described)
    return {
        "format": "hash-ring",
        "version": 1,
        "hash": described["hash"],
        "vnodes_per_weight": described["vnodes_per_weight"],
        "nodes": [{"id": node, "weight": weight} for node, weight in made.nodes()],
        "fingerprint": "%016x" % made.fingerprint(),
    }


def text_of(document):
    """Characters as they are, but for what JSON must escape and what UTF-8 cannot carry."""
    return json.dumps(document, ensure_ascii=False)


def changed(document, **members):
    """The document with members set; a value of `None` takes the member out."""
    out = {**document, **members}
    return {key: value for key, value in out.items() if value is not None}


AB = ring(64, nodes("AB"))
AB_DOC = canonical(AB)
AB_TEXT = text_of(AB_DOC)
SIP_RING = ring(64, nodes("AB"), SIP)
SIP_DOC = canonical(SIP_RING)
WITHOUT = changed(AB_DOC, fingerprint=None)


def valid():
    def case(name, document, described):
        made = build(described)
        out = {"name": name, "text": document if isinstance(document, str) else text_of(document)}
        if described["hash"] != FNV:
            out["hash"] = described["hash"]
        if described["hash"] == SIP:
            out["secret_hex"] = described["secret_hex"]
        return dict(out, snapshot=canonical(described), tokens=len(made.tokens()))

    def written(name, described):
        return case(name, canonical(described), described)

    minimal = '{"format":"hash-ring","version":1,"nodes":[%s]}'
    weights = ring(7, nodes(["b", "a", "c"], [2, 5, 1]))
    weighted = canonical(weights)
    return [
        case("A and B of the specification", json.dumps(AB_DOC, indent=2), AB),
        case("one line, no spaces", json.dumps(AB_DOC, separators=(",", ":")), AB),
        case("tabs, CRLF and a newline at the end", json.dumps(AB_DOC, indent="\t").replace("\n", "\r\n") + "\r\n", AB),
        case("white space around", " \n\t\r " + AB_TEXT + " \n\t\r ", AB),
        case("members in another order", text_of(dict(reversed(list(AB_DOC.items())))), AB),
        case("nodes in another order", changed(weighted, nodes=nodes(["c", "b", "a"], [1, 2, 5])), weights),
        case("a node's members in another order", AB_TEXT.replace('"id": "A", "weight": 1', '"weight": 1, "id": "A"'), AB),
        case("no fingerprint", changed(AB_DOC, fingerprint=None), AB),
        case("no hash", changed(AB_DOC, hash=None), AB),
        case("no weight", changed(AB_DOC, nodes=[{"id": "A"}, {"id": "B"}]), AB),
        case("one weight left out", changed(weighted, nodes=[{"id": "c"}, *nodes("ba", [2, 5])]), weights),
        case("no vnodes_per_weight: 100", changed(WITHOUT, vnodes_per_weight=None), ring(100, nodes("AB"))),
        case("only what must be there", minimal % '{"id":"a"}', ring(100, nodes("a"))),
        case("no nodes", minimal % "", ring(100, [])),
        written("no nodes, written out", ring(1, [])),
        case("the fingerprint in capitals", AB_TEXT.replace("73a7029a9da8fe9d", "73A7029A9DA8FE9D"), AB),
        case("the fingerprint in both cases", AB_TEXT.replace("73a7029a9da8fe9d", "73a7029A9DA8fe9d"), AB),
        written("the empty id", ring(3, nodes([""]))),
        written("prefixes and '#'", ring(3, nodes(rings.PREFIX_IDS, [3, 1, 2]))),
        written("composed and decomposed forms are different ids", ring(3, nodes(rings.FORMS_IDS))),
        written("ids that UTF-16 orders otherwise", ring(3, nodes(rings.UTF16_IDS))),
        written("NUL, as an escape", ring(3, nodes(rings.NUL_IDS))),
        written("white space, quotes, controls, look-alikes of numbers", ring(3, nodes(rings.ODD_IDS))),
        written("ids that collide on every token", ring(3, nodes(rings.TWINS, [2, 1]))),
        case(
            "ids written with escapes only",
            minimal % r'{"id":"\u0061\ud83d\ude00\uFF4E\/\b\f\n\r\t\"\\"}',
            ring(100, nodes(["a\U0001f600\uff4e/\b\f\n\r\t\"\\"])),
        ),
        case(
            "member names written with escapes",
            r'{"\u0066ormat":"hash\u002dring","versio\u006E":1,"nodes":[{"i\u0064":"a","\u0077eight":2}]}',
            ring(100, nodes("a", [2])),
        ),
        case("a byte-order mark within an id is part of it", minimal % '{"id":"\ufeffa"}', ring(100, nodes(["\ufeffa"]))),
        case("ids that name members of objects", minimal % '{"id":"__proto__"},{"id":"constructor"},{"id":"toString"}',
             ring(100, nodes(["__proto__", "constructor", "toString"]))),
        case("ids that look like numbers keep byte order, not the order of numbers", minimal % '{"id":"10"},{"id":"9"},{"id":"2"}',
             ring(100, nodes(["10", "2", "9"]))),
        written("one node of a large weight", ring(1, nodes(["a"], [5000]))),
        written("a large V", ring(5000, nodes(["a"]))),
        written("40 nodes of weights 1 to 5", ring(16, nodes(numbered(40), [1, 2, 3, 4, 5]))),
        written("XXH3", ring(64, nodes("AB"), XXH3)),
        case("XXH3 without a fingerprint", changed(canonical(ring(64, nodes("AB"), XXH3)), fingerprint=None), ring(64, nodes("AB"), XXH3)),
        written("SipHash", SIP_RING),
        written("SipHash, another secret", ring(64, nodes("AB"), SIP, rings.OTHER_SECRET)),
        written("SipHash, no nodes", ring(64, [], SIP)),
    ]


def invalid():
    cases = []

    def refuse(name, document, reason, stage="document", hidden=False, **loading):
        text = document if isinstance(document, (str, bytes)) else text_of(document)
        case = {"name": name}
        case.update({"text": text} if isinstance(text, str) else {"text_hex": text.hex()})
        case.update(loading)
        case.update(stage=stage, reason=reason)
        cases.append(dict(case, hidden=True) if hidden else case)

    def member(name, path, raw, reason, **more):
        """One member of the good document replaced by raw JSON."""
        old = {
            "format": '"format": "hash-ring"',
            "version": '"version": 1',
            "hash": '"hash": "fnv1a64-fmix64"',
            "vnodes_per_weight": '"vnodes_per_weight": 64',
            "fingerprint": '"fingerprint": "73a7029a9da8fe9d"',
            "id": '"id": "B"',
            "weight": '"weight": 1}]',
            "nodes": '"nodes": ' + text_of(AB_DOC["nodes"]),
        }[path]
        assert AB_TEXT.count(old) == 1, path
        end = "}]" if path == "weight" else ""
        # Without the fingerprint where the value would change it: the fault named is then the only one.
        text = AB_TEXT if path in ("format", "version", "fingerprint") else text_of(WITHOUT)
        refuse("%s: %s" % (path, name), text.replace(old, '"%s": %s%s' % (path, raw, end)), reason, **more)

    # The text.
    for name, text in [
        ("empty", ""),
        ("white space only", " \n"),
        ("cut short", AB_TEXT[:-1]),
        ("cut within a string", AB_TEXT[:12]),
        ("a comma too many", AB_TEXT[:-1] + ",}"),
        ("a comma too many in the list", AB_TEXT.replace("}]", "},]")),
        ("single quotes", AB_TEXT.replace('"', "'")),
        ("a comment", "// ring\n" + AB_TEXT),
        ("a name without quotes", AB_TEXT.replace('"format"', "format")),
        ("a raw control character in a string", AB_TEXT.replace('"B"', '"B\n"')),
        ("a raw NUL in a string", AB_TEXT.replace('"B"', '"B\0"')),
        ("a raw NUL at the end", AB_TEXT + "\0"),
        ("an unknown escape", AB_TEXT.replace('"B"', r'"\x42"')),
        ("a short escape", AB_TEXT.replace('"B"', r'"\u42"')),
        ("a no-break space between members", AB_TEXT.replace(", ", ",\u00a0", 1)),
        ("two thousand open lists", '{"format":"hash-ring","version":1,"nodes":' + "[" * 2000),
    ]:
        refuse("text: " + name, text, "not JSON")
    refuse("text: a byte-order mark", "\ufeff" + AB_TEXT, "a byte-order mark before the document")
    refuse("text: a byte-order mark at the end", AB_TEXT + "\ufeff", "text after the end")
    for name, tail in [("a word", " x"), ("a brace", "}"), ("the document again", AB_TEXT), ("null", " null"), ("a comma", ",")]:
        refuse("text after the end: " + name, AB_TEXT + tail, "text after the end")
    good = text_of(WITHOUT).encode("utf-8")
    for name, raw in [
        ("a byte that is never valid", b"\xff"),
        ("a cut sequence", b"\xc3"),
        ("an overlong form", b"\xc0\x80"),
        ("a surrogate in UTF-8", b"\xed\xa0\x80"),
        ("past U+10FFFF", b"\xf4\x90\x80\x80"),
    ]:
        refuse("no UTF-8: " + name, good.replace(b'"B"', b'"B' + raw + b'"'), "not UTF-8")
    refuse("no UTF-8: UTF-16 with its mark", b"\xff\xfe" + AB_TEXT.encode("utf-16-le"), "not UTF-8")

    # The document as a whole.
    for name, raw in [("a list", "[]"), ("null", "null"), ("a string", '"hash-ring"'), ("a number", "1"), ("the document in a list", "[%s]" % AB_TEXT)]:
        refuse("the document is " + name, raw, "an object was expected")
    refuse("an empty object", "{}", "format is missing")
    for name in ("format", "version", "nodes"):
        refuse("%s is missing" % name, changed(WITHOUT, **{name: None}), name + " is missing")
    for name in ("Format", "weights", "tokens", "comment", "", "fingerprint ", "vnodes", "__proto__"):
        refuse("unknown member %r" % name, dict(AB_DOC, **{name: 1}), "unknown member")
    for name in ("Weight", "zone", "vnodes", "tokens", "", "__proto__"):
        refuse("unknown member %r of a node" % name, changed(WITHOUT, nodes=[{"id": "A", name: 1}]), "unknown member")
    for key in AB_DOC:
        part = json.dumps(key) + ": " + text_of(AB_DOC[key])
        refuse("%s twice" % key, AB_TEXT.replace(part, part + ", " + part), "a member twice", hidden=True)
    twice = '{"id": "A", "weight": 1, "weight": 1}'
    refuse("a node's weight twice", text_of(WITHOUT).replace('{"id": "A", "weight": 1}', twice), "a member twice", hidden=True)
    twice = '{"id": "B", "id": "A", "weight": 1}'
    refuse("a node's id twice", text_of(WITHOUT).replace('{"id": "A", "weight": 1}', twice), "a member twice", hidden=True)
    twice = r'{"id": "A", "weight": 1, "w\u0065ight": 2}'
    refuse("a node's weight twice, once with an escape", text_of(WITHOUT).replace('{"id": "A", "weight": 1}', twice), "a member twice", hidden=True)

    # Members, one after the other.
    for name, raw in [("another", '"hash_ring"'), ("in capitals", '"HASH-RING"'), ("empty", '""'), ("null", "null"), ("a number", "1"), ("with a space", '"hash-ring "')]:
        member(name, "format", raw, "unknown format")
    for name, raw in [("2", "2"), ("0", "0"), ("-1", "-1"), ("a string", '"1"'), ("null", "null"), ("true", "true"), ("1.5", "1.5"), ("2^32 + 1", "4294967297"), ("2^64 + 1", "18446744073709551617")]:
        member(name, "version", raw, "unknown version")
    for name, raw in [("null", "null"), ("a number", "1"), ("a list", "[]")]:
        member(name, "hash", raw, "a string was expected")
    numbers = [
        ("0", "0"), ("-0", "-0"), ("-1", "-1"), ("1.5", "1.5"), ("10^12", "1000000000000"), ("1e12", "1e12"),
        ("2^32", "4294967296"), ("2^32 + 1", "4294967297"), ("2^64", "18446744073709551616"), ("2^64 + 1", "18446744073709551617"),
        ("1e400", "1e400"), ("-1e400", "-1e400"), ("400 digits", "1" + "0" * 399), ("a string", '"1"'), ("an empty string", '""'),
        ("null", "null"), ("true", "true"), ("a list", "[1]"), ("an object", "{}"), ("NaN", "NaN"), ("Infinity", "Infinity"),
        ("a leading zero", "01"), ("a plus sign", "+1"), ("hexadecimal", "0x1"), ("no digits after the point", "1."), ("nothing", ""),
    ]
    for path in ("weight", "vnodes_per_weight"):
        for name, raw in numbers:
            member(name, path, raw, "an integer from 1 to 4294967295 was expected")
    for path in ("version", "weight", "vnodes_per_weight"):
        for raw in ("1.0", "1e0", "1E0", "10e-1"):
            member(raw, path, raw, "a plain integer was expected", hidden=True)
    for name, raw in [("null", "null"), ("an object", '{"A": 1}'), ("a string", '"A"'), ("a list of strings", '["A", "B"]'), ("a list in a list", '[[{"id": "A"}]]'), ("a null among them", '[{"id": "A"}, null]')]:
        member(name, "nodes", raw, "a list of objects was expected")
    member("no id", "nodes", '[{"weight": 1}]', "id is missing")
    member("an empty node", "nodes", '[{}]', "id is missing")
    for name, raw in [("null", "null"), ("a number", "1"), ("true", "true"), ("a list", '["B"]')]:
        member(name, "id", raw, "a string was expected")
    for name, raw in [
        ("a lone high surrogate", r'"\ud800"'), ("a lone low surrogate", r'"\udc00"'), ("surrogates the wrong way round", r'"\ude00\ud83d"'),
        ("a high surrogate before text", r'"\ud83dx"'), ("a high surrogate before another escape", r'"\ud83d\u0041"'), ("two high surrogates", r'"\ud83d\ud83d"'),
        ("a high surrogate before a pair", r'"\ud83d\ud83d\ude00"'),
    ]:
        member(name, "id", raw, "an unpaired surrogate")
    member("the same id, equal weights", "nodes", '[{"id": "A", "weight": 1}, {"id": "A", "weight": 1}]', "an id twice")
    member("the same id, other weights", "nodes", '[{"id": "A", "weight": 1}, {"id": "B"}, {"id": "A", "weight": 2}]', "an id twice")
    member("the same id, once with an escape", "nodes", r'[{"id": "A"}, {"id": "\u0041"}]', "an id twice")
    member("the empty id twice", "nodes", '[{"id": ""}, {"id": ""}]', "an id twice")
    for name, raw in [
        ("null", "null"), ("a number", "1"), ("empty", '""'), ("15 digits", '"73a7029a9da8fe9"'), ("17 digits", '"073a7029a9da8fe9d"'),
        ("no hexadecimal", '"73a7029a9da8fe9g"'), ("with 0x", '"0x73a7029a9da8fe9d"'), ("a sign", '"+3a7029a9da8fe9d"'), ("a space before", '" 3a7029a9da8fe9d"'),
        ("decimal", '"8333837420012928669"'), ("digits that are not ASCII", '"73a7029a9da8fe9\uff44"'), ("a list", "[]"),
    ]:
        member(name, "fingerprint", raw, "16 hexadecimal digits were expected")

    # What only the ring can tell.
    for name, raw in [("unknown", '"md5"'), ("in capitals", '"FNV1A64-FMIX64"'), ("empty", '""'), ("plain FNV-1a", '"fnv1a64"')]:
        member(name, "hash", raw, "another hash than the ring's", stage="ring")
    fnv_text = text_of(WITHOUT)
    xxh_doc = canonical(ring(64, nodes("AB"), XXH3))
    refuse("a document of XXH3 under the default hash", xxh_doc, "another hash than the ring's", "ring")
    refuse("the same without a fingerprint", changed(xxh_doc, fingerprint=None), "another hash than the ring's", "ring")
    refuse("a document of SipHash under the default hash", SIP_DOC, "another hash than the ring's", "ring")
    refuse("a document of the default hash under XXH3", AB_DOC, "another hash than the ring's", "ring", hash=XXH3)
    refuse("no hash, loaded under XXH3: the default is meant", changed(WITHOUT, hash=None), "another hash than the ring's", "ring", hash=XXH3)
    keyed = {"hash": SIP, "secret_hex": rings.SECRET}
    refuse("a document of the default hash under SipHash", fnv_text, "another hash than the ring's", "ring", **keyed)
    refuse("SipHash without a fingerprint", changed(SIP_DOC, fingerprint=None), "a keyed hash needs a fingerprint", "ring", **keyed)
    refuse("SipHash under another secret", SIP_DOC, "fingerprints differ", "ring", hash=SIP, secret_hex=rings.OTHER_SECRET)
    refuse("SipHash with the fingerprint of the default hash", dict(AB_DOC, hash=SIP), "fingerprints differ", "ring", **keyed)
    for name, document in [
        ("the last digit", AB_TEXT.replace("73a7029a9da8fe9d", "73a7029a9da8fe9e")),
        ("all zeros", AB_TEXT.replace("73a7029a9da8fe9d", "0" * 16)),
        ("another V", changed(AB_DOC, vnodes_per_weight=65)),
        ("V left out", changed(AB_DOC, vnodes_per_weight=None)),
        ("another weight", changed(AB_DOC, nodes=nodes("AB", [1, 2]))),
        ("a node more", changed(AB_DOC, nodes=nodes("ABC"))),
        ("a node less", changed(AB_DOC, nodes=nodes("A"))),
        ("no nodes", changed(AB_DOC, nodes=[])),
        ("another id", changed(AB_DOC, nodes=nodes("Ab"))),
        ("XXH3's under the default hash", changed(AB_DOC, fingerprint=xxh_doc["fingerprint"])),
    ]:
        refuse("another fingerprint: " + name, document, "fingerprints differ", "ring")
    for name, v, members in [
        ("one weight", 100, nodes("a", [4294967295])),
        ("one token too many", 1, nodes("a", [16777217])),
        ("V", 16777217, nodes("a")),
        ("V and weight at their largest", 4294967295, nodes("a", [4294967295])),
        ("two weights together", 1, nodes("ab", [16777216, 1])),
        ("a product of 2^32", 65536, nodes("a", [65536])),
        ("a sum of 2^64", 4294967295, nodes("abcde", [4294967295, 1, 1])),
    ]:
        document = {"format": "hash-ring", "version": 1, "vnodes_per_weight": v, "nodes": members}
        refuse("past the token limit: " + name, document, "token limit", "ring")
    return cases


def snapshots():
    return {"valid": valid(), "invalid": invalid()}
