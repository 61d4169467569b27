"""Holds hash_ring.py to the golden vectors: `test_hash_ring.py TESTDATA_DIRECTORY [CASES.json]...`.

Scripts in further files of the format of cases.json are run as well. Exit code 1 where a check fails.
"""

import json
import sys
from pathlib import Path

from hash_ring import (
    HASH_NAME, Change, DuplicateNodeError, HashRing, InvalidValueError, Node, RingError, SnapshotError, Token,
    TokenLimitError, UnknownNodeError, hash64,
)

SURROGATE = "\ud800"


class Tally:
    """Counts checks. `same` compares, `refused` wants an error of just that class."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def same(self, what, found, wanted):
        if type(found) is type(wanted) and found == wanted:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 20:
            print(f"FAILED: {what}: found {found!r}, wanted {wanted!r}")

    def run(self, test, item, what):
        """An exception that `test` does not expect is one failed check, and the others still run."""
        try:
            test(self, item)
        except Exception as error:
            self.same(what, repr(error), "no exception")

    def refused(self, what, error, call):
        """Returns the error, so that its fields can be looked at."""
        try:
            found = call()
        except Exception as raised:
            self.same(f"{what}: {raised}", type(raised).__name__, error.__name__)
            return raised
        self.same(what, found, error.__name__)
        return None


def known(item, *names):
    """A member that this runner does not know would be a rule left unchecked."""
    extra = set(item) - set(names)
    if extra:
        raise ValueError(f"a vector has the unknown members {sorted(extra)}")
    return item


def key_of(item):
    return bytes.fromhex(item["key_hex"]) if "key_hex" in item else item["key"]


def ring_of(description):
    ring = HashRing(description["vnodes_per_weight"])
    for node in description["nodes"]:
        ring.add_node(node["id"], node["weight"])
    return ring


# ------------------------------------------------------------------------------------------- golden vectors


def hashes(tally, document):
    for item in document["plain"]:
        data = bytes.fromhex(item["input_hex"])
        for key in (data, bytearray(data), memoryview(data)):
            tally.same(f"hash of {data!r}", f"{hash64(key):016x}", item[HASH_NAME])
    # The batch call hashes keys of one length side by side: enough of each to take that way, and too few.
    keys = [bytes.fromhex(item["input_hex"]) for item in document["plain"]]
    ring = ring_of({"vnodes_per_weight": 50, "nodes": [{"id": str(i), "weight": 1} for i in range(20)]})
    for copies in (1, 7, 8, 9, 500):
        batch = [key for key in keys for _ in range(copies)]
        tally.same(f"a batch with {copies} of each key", ring.get_nodes(batch), [ring.get_node(key) for key in batch])


def tokens(tally, item):
    known(item, "name", "ring", "tokens")
    wanted = [Token(int(value, 16), node_id, index) for value, node_id, index in item["tokens"]]
    name = f"tokens.json, {item['name']}"
    ring = ring_of(item["ring"])
    tally.same(name, list(ring.tokens()), wanted)
    backwards = {**item["ring"], "nodes": item["ring"]["nodes"][::-1]}
    tally.same(f"{name}, added the other way round", list(ring_of(backwards).tokens()), wanted)
    batch = HashRing(ring.vnodes_per_weight)
    batch.apply(Change.add(*node) for node in ring.nodes())
    tally.same(f"{name}, as one batch", list(batch.tokens()), wanted)
    for at, token in enumerate(wanted):
        first = next(i for i, other in enumerate(wanted) if other.hash == token.hash)
        tally.same(f"{name}, walk from token {at}", list(ring.walk(token.hash)), wanted[first:] + wanted[:first])
    # Away and back, by removal and by weight: no token is lost, and none is left over.
    for node in ring.nodes():
        ring.remove_node(node.id)
        others = [token for token in wanted if token.node_id != node.id]
        tally.same(f"{name}, without {node.id!r}", list(ring.tokens()), others)
        ring.add_node(node.id, node.weight + 3)
        ring.set_weight(node.id, node.weight)
        tally.same(f"{name}, {node.id!r} back", list(ring.tokens()), wanted)


def owners(tally, item):
    known(item, "name", "ring", "lookups", "at")
    ring = ring_of(item["ring"])
    for lookup in item["lookups"]:
        key = key_of(lookup)
        what = f"owners.json, {item['name']}, key {key!r}"
        tally.same(f"{what}: hash", f"{hash64(key):016x}", lookup["hash"])
        tally.same(what, ring.get_node(key), lookup["owner"])
    batch = ring.get_nodes(key_of(lookup) for lookup in item["lookups"])
    tally.same(f"owners.json, {item['name']}, batch", batch, [lookup["owner"] for lookup in item["lookups"]])
    for value, owner in item["at"]:
        tally.same(f"owners.json, {item['name']}, at {value}", ring.owner_at(int(value, 16)), owner)


def replicas(tally, item):
    known(item, "name", "ring", "lookups")
    ring = ring_of(item["ring"])
    for lookup in item["lookups"]:
        known(lookup, "key", "key_hex", "hash", "r", "nodes", "shortfall")
        key, r = key_of(lookup), lookup["r"]
        what = f"replicas.json, {item['name']}, key {key!r}, r = {r}"
        tally.same(what, tuple(ring.get_replicas(key, r)), (lookup["nodes"], lookup["shortfall"]))
        tally.same(f"{what}: at", ring.replicas_at(int(lookup["hash"], 16), r), ring.get_replicas(key, r))


def fingerprints(tally, item):
    known(item, "name", "ring", "tokens", "fingerprint")
    ring = ring_of(item["ring"])
    tally.same(f"fingerprints.json, {item['name']}: tokens", ring.token_count, item["tokens"])
    tally.same(f"fingerprints.json, {item['name']}", f"{ring.fingerprint():016x}", item["fingerprint"])


def snapshots(tally, document):
    for item in document["valid"] + document["invalid"]:
        if item.get("hash", HASH_NAME) != HASH_NAME:
            tally.skipped += 1
            continue
        data = bytes.fromhex(item["text_hex"]) if "text_hex" in item else item["text"].encode("utf-8")
        forms = [data] if "text_hex" in item else [data, item["text"]]
        for form in forms:
            what = f"snapshots.json, {item['name']}, as {type(form).__name__}"
            if "reason" in item:
                known(item, "name", "text", "text_hex", "hash", "secret_hex", "stage", "reason", "hidden")
                error = TokenLimitError if item["reason"] == "token limit" else SnapshotError
                tally.refused(f"{what} ({item['reason']})", error, lambda: HashRing.from_snapshot(form))
            else:
                known(item, "name", "text", "text_hex", "hash", "secret_hex", "snapshot", "tokens")
                ring = HashRing.from_snapshot(form)
                tally.same(what, json.loads(ring.snapshot()), item["snapshot"])
                tally.same(f"{what}: tokens", ring.token_count, item["tokens"])


def carry_out(ring, op):
    """What an op of a script gives."""
    kind = known(op, "op", "id", "weight", "expect", "error_index", "changes", "limit", "key", "key_hex", "r")["op"]
    if kind in ("add", "set_weight", "apply", "limit"):
        try:
            if kind == "add":
                ring.add_node(op["id"], op["weight"])
            elif kind == "set_weight":
                ring.set_weight(op["id"], op["weight"])
            elif kind == "limit":
                ring.token_limit = op["limit"]
            else:
                ring.apply(Change(change["op"], change["id"], change.get("weight")) for change in op["changes"])
        except RingError as error:
            if "error_index" in op and error.index != op["error_index"]:
                return f"error at index {error.index}, wanted {op['error_index']}: {error}"
            return "error"
        return "ok"
    if kind == "remove":
        return ring.remove_node(op["id"])
    if kind == "tokens":
        return ring.token_count
    if kind == "weight":
        return ring.weight(op["id"])
    if kind == "get":
        return ring.get_node(key_of(op))
    if kind == "replicas":
        found = ring.get_replicas(key_of(op), op["r"])
        return found.nodes if found.shortfall == op["r"] - len(found.nodes) else found
    if kind == "fingerprint":
        return f"{ring.fingerprint():016x}"
    raise ValueError(f"unknown op {kind!r}")


def cases(tally, script):
    known(script, "name", "vnodes_per_weight", "ops")
    ring = HashRing(script["vnodes_per_weight"])
    for at, op in enumerate(script["ops"]):
        if op["op"] == "new":
            ring = HashRing(script["vnodes_per_weight"])
            continue
        before = (ring.nodes(), ring.token_limit)
        tally.same(f"{script['name']}: op {at}, {op['op']}", carry_out(ring, op), op["expect"])
        if op["expect"] == "error":
            tally.same(f"{script['name']}: op {at} failed, so nothing changed", (ring.nodes(), ring.token_limit), before)


# --------------------------------------------------------------------------------- what only this port can show


def own(tally):
    ring = HashRing(10)
    ring.apply([Change.add("a"), Change.add("b", 2)])
    state = (ring.nodes(), list(ring.tokens()), ring.fingerprint())
    for what, error, call in (
        ("an id with a surrogate", InvalidValueError, lambda: ring.add_node(SURROGATE)),
        ("its removal", InvalidValueError, lambda: ring.remove_node("x" + SURROGATE)),
        ("its weight", InvalidValueError, lambda: ring.weight(SURROGATE)),
        ("a new weight for it", InvalidValueError, lambda: ring.set_weight(SURROGATE, 1)),
        ("a key with a surrogate", InvalidValueError, lambda: ring.get_node("k" + SURROGATE)),
        ("replicas of it", InvalidValueError, lambda: ring.get_replicas(SURROGATE, 1)),
        ("a batch with it", InvalidValueError, lambda: ring.get_nodes(["k", SURROGATE])),
        ("one key where several are taken", TypeError, lambda: ring.get_nodes("abc")),
        ("the same of bytes", TypeError, lambda: ring.get_nodes(b"abc")),
        ("an id of bytes", TypeError, lambda: ring.add_node(b"c")),
        ("a key of another type", TypeError, lambda: ring.get_node(7)),
        ("weight 0", InvalidValueError, lambda: ring.add_node("c", 0)),
        ("weight 1.0", InvalidValueError, lambda: ring.add_node("c", 1.0)),
        ("weight True", InvalidValueError, lambda: ring.add_node("c", True)),
        ("weight 2**32", InvalidValueError, lambda: ring.add_node("c", 2**32)),
        ("weight 0 before a known id", InvalidValueError, lambda: ring.add_node("a", 0)),
        ("a known id", DuplicateNodeError, lambda: ring.add_node("b", 7)),
        ("an unknown id", UnknownNodeError, lambda: ring.set_weight("c", 7)),
        ("V = 0", InvalidValueError, lambda: HashRing(0)),
        ("V = 2**32", InvalidValueError, lambda: HashRing(2**32)),
        ("a limit of 2**32", InvalidValueError, lambda: HashRing(1, token_limit=2**32)),
        ("a limit of 2**32, set", InvalidValueError, lambda: setattr(ring, "token_limit", 2**32)),
        ("r = -1", InvalidValueError, lambda: ring.get_replicas("k", -1)),
        ("hash -1", InvalidValueError, lambda: ring.owner_at(-1)),
        ("hash 2**64", InvalidValueError, lambda: ring.owner_at(2**64)),
        ("a walk from 2**64, before its first step", InvalidValueError, lambda: ring.walk(2**64)),
        ("an unknown kind of change", TypeError, lambda: ring.apply([Change("rename", "a")])),
    ):
        tally.refused(what, error, call)
        tally.same(f"{what}: the ring is as before", (ring.nodes(), list(ring.tokens()), ring.fingerprint()), state)

    error = tally.refused("limit", TokenLimitError, lambda: ring.add_node("c", 2**32 - 1))
    tally.same("limit: both numbers", (error.asked, error.limit), ((2**32 + 2) * 10, 16_777_216))
    error = tally.refused("limit below", TokenLimitError, lambda: setattr(ring, "token_limit", 29))
    tally.same("limit below: both numbers", (error.asked, error.limit, ring.token_limit), (30, 29, 16_777_216))
    error = tally.refused(
        "batch", UnknownNodeError, lambda: ring.apply([Change.add("c"), Change.remove("d"), Change.add("a", 0)])
    )
    tally.same("batch: index", error.index, 1)
    tally.same("batch: the message has it", str(error).startswith("change 1: ") and "'d'" in str(error), True)
    tally.same("batch: nothing happened", (ring.nodes(), list(ring.tokens()), ring.fingerprint()), state)

    tally.same("no replica of an empty ring", tuple(HashRing().get_replicas("k", sys.maxsize)), ([], sys.maxsize))
    tally.same("nobody owns a key of an empty ring", HashRing().get_nodes(["k", b"\xff"]), [None, None])
    tally.same("no key at all", ring.get_nodes([]), [])
    tally.same("an unknown id has no weight", ring.weight("c"), None)
    tally.same("default weight and V", HashRing.from_snapshot(
        '{"format":"hash-ring","version":1,"nodes":[{"id":"a"}]}').token_count, 100)

    # A walk goes on over the ring as it was when it began.
    walk, all_tokens = ring.walk(0), list(ring.tokens())
    first = next(walk)
    ring.remove_node("a")
    tally.same("a walk while the ring changes", [first, *walk], all_tokens)
    ring.add_node("a")
    tally.same("equal again", ring == HashRing.from_snapshot(ring.snapshot()), True)
    ring.set_weight("a", 2)
    tally.same("no longer equal", ring == HashRing.from_snapshot(json.dumps(
        {"format": "hash-ring", "version": 1, "vnodes_per_weight": 10, "nodes": [{"id": "a"}, {"id": "b", "weight": 2}]}
    )), False)
    tally.same("nodes in id order", ring.nodes(), [Node("a", 2), Node("b", 2)])
    for text, place in (
        ('{"format":"hash-ring","version":1,"nodes":[{"id":"a"},{"id":"b","weight":1.0}]}', "nodes[1].weight: a plain"),
        ('{"format":"hash-ring","version":1,"nodes":[{"id":"a"},{"id":"a"}]}', "nodes[1].id: "),
        ('{"format":"hash-ring","version":1,"nodes":[{"id":"a","id":"b"}]}', "nodes[0]: field 'id' stands twice"),
        ('{"format":"hash-ring",\n"version":1,}', "line 2, column"),
        ('{"format":"hash-ring","version":1,"nodes":[],"hash":"xxh3-64"}', "'xxh3-64', this ring has 'fnv1a64-fmix64'"),
        ("[" * 200_000, "nested too deeply"),
        ("\ufeff{}", "byte-order mark"),
    ):
        error = tally.refused(text[:80], SnapshotError, lambda: HashRing.from_snapshot(text))
        tally.same(f"{error}: the place", place in str(error), True)


def main(arguments):
    if not arguments:
        print("usage: test_hash_ring.py TESTDATA_DIRECTORY [CASES.json]...", file=sys.stderr)
        return 2
    directory, *more = [Path(argument) for argument in arguments]
    tally = Tally()
    tally.run(hashes, json.loads((directory / "hashes.json").read_bytes()), "hashes.json")
    for name, test in (
        ("tokens.json", tokens), ("owners.json", owners), ("replicas.json", replicas), ("fingerprints.json", fingerprints)
    ):
        for item in json.loads((directory / name).read_bytes()):
            if item["ring"]["hash"] == HASH_NAME:
                tally.run(test, item, f"{name}, {item['name']}")
            else:
                tally.skipped += 1
    tally.run(snapshots, json.loads((directory / "snapshots.json").read_bytes()), "snapshots.json")
    for path in [directory / "cases.json", *more]:
        for script in json.loads(path.read_bytes()):
            tally.run(cases, script, f"{path.name}, {script['name']}")
    tally.run(lambda tally, _: own(tally), None, "this port's own checks")
    if tally.skipped:
        print(f"python: {tally.skipped} vectors skipped: they are for hashes that this port does not have")
    print(f"python: {tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
