#!/usr/bin/env python3
"""Writes the golden vectors beside this file, or checks that they are what it would write.

    python3 generate.py            write every file
    python3 generate.py --check    write nothing; exit 1 and name each file that differs

Needs Python 3.9 or newer and the package in requirements.txt. What the files hold
stands in README.md.
"""

import json
import os
import sys

sys.dont_write_bytecode = True  # leave nothing beside the vectors but the vectors

import capacities
import documents
import scripts
import vectors
from naive import FNV, NaiveRing, fnv1a64_fmix64, siphash_1_3

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH = 110

FILES = {
    "hashes.json": vectors.hashes,
    "tokens.json": vectors.tokens,
    "owners.json": vectors.owners,
    "replicas.json": vectors.replicas,
    "fingerprints.json": vectors.fingerprints,
    "diffs.json": vectors.diffs,
    "shares.json": vectors.shares,
    "cut_hashes.json": vectors.cut_hashes,
    "snapshots.json": documents.snapshots,
    "capacities.json": capacities.cases,
    "cases.json": lambda: scripts.cases(os.path.join(HERE, "given.json")),
}


def check_values():
    """Values that others published; a generator that misses one writes nothing."""
    known = {
        "": 0xEFD01F60BA992926,
        "a": 0x82A2A958A9BECE5B,
        "node#1": 0x37BD095809CBD0C0,
        "\ud0a4": 0xA94CEE1B288BABCA,
        "user:42": 0x998817BEE6718248,
    }
    for text, value in known.items():
        assert fnv1a64_fmix64(text.encode("utf-8")) == value, (FNV, text)
    # The first two of the vectors for SipHash-1-3 that Rust's own library is tested with.
    secret = bytes(range(16))
    assert siphash_1_3(secret, b"") == 0xABAC0158050FC4DC
    assert siphash_1_3(secret, b"\0") == 0xC9F49BF37D57CA93
    ring = NaiveRing(64)
    ring.apply([{"op": "add", "id": "A", "weight": 1}, {"op": "add", "id": "B", "weight": 1}])
    assert ring.fingerprint() == 0x73A7029A9DA8FE9D
    ring.add_node("C", 1)
    assert ring.fingerprint() == 0x5FB492B227F45294


def layout(value, indent=0):
    """JSON with one short record a line: what fits into WIDTH is not broken."""
    line = json.dumps(value, ensure_ascii=True, allow_nan=False)
    if not isinstance(value, (dict, list)) or not value or indent and indent + len(line) <= WIDTH:
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [json.dumps(key) + ": " + layout(item, indent + 1) for key, item in value.items()]
    else:
        parts = [layout(item, indent + 1) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(pad + part for part in parts) + "\n" + " " * indent + closing


def named_once(name, content):
    """`name` is unique among the cases of one list: a reader may use it as a test's name."""
    lists = [content] if isinstance(content, list) else content.values()
    for cases in lists:
        names = [case["name"] for case in cases if "name" in case]
        twice = sorted({n for n in names if names.count(n) > 1})
        assert not twice, "%s: more than one case is named %s" % (name, twice)


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    check_values()
    differing = []
    for name, make in FILES.items():
        content = make()
        named_once(name, content)
        text = (layout(content) + "\n").encode("ascii")
        path = os.path.join(HERE, name)
        if not arguments:
            with open(path, "wb") as file:
                file.write(text)
            continue
        try:
            with open(path, "rb") as file:
                same = file.read() == text
        except FileNotFoundError:
            same = False
        if not same:
            differing.append(name)
    for name in differing:
        print("%s differs from what generate.py makes: run generate.py, or undo the edit" % name)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
