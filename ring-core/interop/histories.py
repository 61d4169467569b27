#!/usr/bin/env python3
"""Random histories of a ring, with the right answers: `histories.py [--seed S] [--count N] [--out FILE | --check]`.

Writes a file in the format of testdata/cases.json. What the defaults make is committed as testdata/histories.json,
which the tests of every language read; `--check` writes nothing and exits with 1 where that file is another one. The
test runner of every port takes further files as arguments, and `cargo test` takes one by RING_HISTORIES.
The answers come from the naive ring below, which shares no code with any port: a sorted list, and a walk from its
start for every lookup. Ids and keys come from all of Unicode, keys also from all bytes.

Chance would show no collision, so they are made: FNV-1a can be steered (see `Steering`). Histories hold pairs of
ids that share every token hash, ids whose tokens tie with each other, tokens at the ends and the middle of the hash
space, and keys that hash exactly onto a token, one before it and one after it.
"""

import argparse
import json
import math
import random
import sys
from pathlib import Path

COMMITTED = Path(__file__).resolve().parent.parent / "testdata" / "histories.json"
MASK = (1 << 64) - 1
OFFSET = 0xCBF29CE484222325
PRIME = 0x100000001B3
PRIME_INVERSE = pow(PRIME, -1, 1 << 64)
MIX = (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
LIMIT = 16_777_216
U32_MAX = 0xFFFFFFFF


# ------------------------------------------------------------------------------------------------ the naive ring


def fnv(data, state=OFFSET):
    for byte in data:
        state = ((state ^ byte) * PRIME) & MASK
    return state


def fmix(h):
    for factor in MIX:
        h = ((h ^ (h >> 33)) * factor) & MASK
    return h ^ (h >> 33)


def unmix(h):
    """The state that `fmix` takes to h: each of its steps undone, the last one first."""
    h ^= h >> 33
    for factor in reversed(MIX):
        h = (h * pow(factor, -1, 1 << 64)) & MASK
        h ^= h >> 33
    return h


class NaiveRing:
    def __init__(self, vnodes):
        self.vnodes = vnodes
        self.limit = LIMIT
        self.weights = {}
        self.tokens = []

    def count(self, weights=None):
        return sum((self.weights if weights is None else weights).values()) * self.vnodes

    def change(self, changes):
        """None, or what `error_index` says where it fails: the place of the change, or "limit"."""
        weights = dict(self.weights)
        for at, (op, name, weight) in enumerate(changes):
            if op != "remove" and weight == 0:
                return at
            if (name in weights) == (op == "add"):
                return at
            if op == "remove":
                del weights[name]
            else:
                weights[name] = weight
        if self.count(weights) > self.limit:
            return "limit"
        self.weights = weights
        self.tokens = sorted(
            (fmix(fnv(b"%s#%d" % (name.encode(), i))), b"%s#%d" % (name.encode(), i), name)
            for name, weight in weights.items()
            for i in range(weight * self.vnodes)
        )
        return None

    def replicas(self, key, r):
        h = fmix(fnv(key))
        names = [name for token, _, name in self.tokens if token >= h] + [name for token, _, name in self.tokens if token < h]
        return list(dict.fromkeys(names))[:r]

    def fingerprint(self):
        return "%016x" % fmix(fnv(b"".join(b"%s%s\n" % (h.to_bytes(8, "big"), token_id) for h, token_id, _ in self.tokens)))


# ------------------------------------------------------------------------------------------------- made collisions


class Steering:
    """Finds bytes that take FNV-1a from one state to another.

    A byte c changes the state s to (s + d) * PRIME, where d = (low ^ c) - low and low is the last byte of s. So n
    bytes lead to s * PRIME^n + sum d_k * PRIME^(n-k) mod 2^64. To meet a target, the d_k have to solve one linear
    equation mod 2^64, and they have to be small: a point of a lattice close to the origin. The lattice is the same
    for all states; LLL makes its basis short once, and rounding then gives the d_k, with a size of about 2^(64/n).
    Not every d_k can be had from a byte that is allowed, so the search begins anew from another first byte.
    """

    LENGTH = 14

    def __init__(self):
        n = self.LENGTH
        self.basis = []
        for k in range(n - 1):
            row = [0] * n
            row[k], row[-1] = 1, -pow(PRIME, n - k - 1, 1 << 64) % (1 << 64)
            self.basis.append(row)
        self.basis.append([0] * (n - 1) + [1 << 64])
        self._reduce()

    def _project(self, vector, upto):
        """Coefficients of `vector` along the orthogonalised rows before `upto`, and what is left of it."""
        # Exact, since `sum` rounds in another way from Python 3.12 on: the histories must be the same everywhere.
        rest, along = [float(x) for x in vector], []
        for k in range(upto):
            c = math.fsum(x * y for x, y in zip(rest, self.ortho[k])) / self.norm[k]
            along.append(c)
            rest = [x - c * y for x, y in zip(rest, self.ortho[k])]
        return along, rest

    def _shorten(self, vector, upto):
        """Subtracts rows before `upto`, the last first, until none fits any more."""
        moved = True
        while moved:
            moved = False
            for k in range(upto - 1, -1, -1):
                c = round(self._project(vector, upto)[0][k])
                if c:
                    vector, moved = [x - c * y for x, y in zip(vector, self.basis[k])], True
        return vector

    def _reduce(self):
        n = self.LENGTH
        self.ortho, self.norm = [[]] * n, [0.0] * n
        k = 0
        while k < n:
            self.basis[k] = self._shorten(self.basis[k], k)
            along, self.ortho[k] = self._project(self.basis[k], k)
            self.norm[k] = math.fsum(x * x for x in self.ortho[k])
            if k and self.norm[k] < (0.75 - along[k - 1] ** 2) * self.norm[k - 1]:
                self.basis[k - 1 : k + 1] = [self.basis[k], self.basis[k - 1]]
                k -= 1
            else:
                k += 1

    def bytes_to(self, rng, prefix, target, allowed):
        """Bytes, all of them `allowed`, that stand after `prefix` and bring the state to `target`."""
        while True:
            head = bytes([rng.choice(allowed), rng.choice(allowed)])
            state = fnv(head, fnv(prefix))
            need = (target - state * pow(PRIME, self.LENGTH, 1 << 64)) * PRIME_INVERSE & MASK
            steps = self._shorten([0] * (self.LENGTH - 1) + [need], self.LENGTH)
            tail = bytearray()
            for step in steps:
                low = state & 0xFF
                if not 0 <= low + step <= 0xFF or low ^ (low + step) not in allowed:
                    break
                tail.append(low ^ (low + step))
                state = fnv(tail[-1:], state)
            else:
                assert state == target
                return head + bytes(tail)


# ------------------------------------------------------------------------------------------------------ histories

ASCII = bytes(range(0x80))  # with controls: an id may hold them
ANY = bytes(range(0x100))
KNOWN_IDS = [
    "", "#", "a", "a#1", "a1", "a1#1", "a#", "#0", "0", "00", "-0", "1e1", "__proto__", "constructor", "null", " a", "a ",
    "\u00e9", "e\u0301", "\ud55c", "\u1112\u1161\u11ab", "\uff4e", "\U0001f600", "\ufeffa", "\u2028", "\x00", "a\x00", "\r\n\t",
    "\u0130", "i\u0307", "\u00df", "\u017f", "\U0010ffff", "\uffff", "\ud7ff", "\ue000",
]
# Where UTF-16 and UTF-8 order disagree: surrogates stand before U+E000..U+FFFF in UTF-16.
LOW_IN_UTF8, HIGH_IN_UTF8 = range(0xE000, 0x10000), range(0x10000, 0x110000)
ENDS = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, MASK - 1, MASK]


def random_text(rng, most):
    """Text from all of Unicode but surrogates, every length of UTF-8 as likely as the others."""
    ranges = [(0x00, 0x7F), (0x30, 0x39), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF)]
    return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(rng.randint(0, most)))


def tied_state(rng):
    """A state, and two token indices whose hashes agree in a node with this state after its id and '#'."""
    while True:
        i, j = rng.randrange(0, 10), rng.randrange(10, 40)
        tens, ones = (ord(digit) for digit in str(j))
        low = rng.randrange(256)
        # ((s ^ tens) * PRIME) ^ ones = s ^ i, both as one byte more; try what the low byte may do to the sums.
        first = (low ^ tens) - low
        for second in range(-255, 256):
            # (s + first) * PRIME = s + second, so s * (PRIME - 1) = second - first * PRIME: an even number or none.
            right = (second - first * PRIME) & MASK
            if right % 2:
                continue
            half = right // 2 * pow((PRIME - 1) // 2, -1, 1 << 63) % (1 << 63)
            for s in (half, half | 1 << 63):
                if fnv(b"%d" % i, s) == fnv(b"%d" % j, s):
                    return s, i, j


def made_ids(rng, steering):
    """Ids that collide: with another one, within themselves, or with a hash of note."""
    low = chr(rng.choice(LOW_IN_UTF8)) + random_text(rng, 2)
    high = chr(rng.choice(HIGH_IN_UTF8)) + random_text(rng, 2)
    other = rng.choice([high, random_text(rng, 6), rng.choice(KNOWN_IDS)])
    # The same state after the id: the two share every token hash, and the tie rule decides each of them.
    twin = low + steering.bytes_to(rng, low.encode(), fnv(other.encode()), ASCII).decode()
    tail = random_text(rng, 3)
    ids = [other, twin, other + tail, twin + tail]
    # Token i of one ties with token j of another.
    i, j = rng.randrange(10), rng.randrange(10)
    before = (fnv(b"%s#%d" % (other.encode(), i)) * PRIME_INVERSE & MASK) ^ (48 + j)
    cross = (before * PRIME_INVERSE & MASK) ^ ord("#")
    ids.append(high + steering.bytes_to(rng, high.encode(), cross, ASCII).decode())
    # Two tokens of one node tie: a#10 stands before a#2.
    state, _, _ = tied_state(rng)
    before = (state * PRIME_INVERSE & MASK) ^ ord("#")
    ids.append(low + steering.bytes_to(rng, low.encode(), before, ASCII).decode())
    # Token 0 at an end of the hash space, or around its middle.
    for end in rng.sample(ENDS, 2):
        state = (unmix(end) * PRIME_INVERSE & MASK) ^ ord("0")
        before = (state * PRIME_INVERSE & MASK) ^ ord("#")
        ids.append(steering.bytes_to(rng, b"", before, ASCII).decode())
    return ids


def random_key(rng, ring, steering):
    kind = rng.randrange(5)
    if kind == 0:
        return {"key": random_text(rng, 8)}
    if kind == 1:
        return {"key_hex": bytes(rng.randrange(256) for _ in range(rng.randint(0, 12))).hex()}
    if kind == 2 and ring.tokens:
        return {"key": rng.choice(ring.tokens)[1].decode()}  # a token id hashes onto its token
    if kind == 3:
        target = rng.choice(ring.tokens)[0] + rng.choice([-1, 0, 1]) if ring.tokens else rng.choice(ENDS)
        return {"key_hex": steering.bytes_to(rng, b"", unmix(target & MASK), ANY).hex()}
    return {"key": rng.choice(["user:%d" % rng.randrange(10**6), *KNOWN_IDS])}


def random_change(rng, ids, ring):
    op = rng.choice(["add", "add", "set_weight", "remove"])
    known = sorted(ring.weights)
    # Mostly what can succeed; the rest is refused more often than not.
    fits = [name for name in ids if name not in ring.weights] if op == "add" else known
    name = rng.choice(fits if fits and rng.random() < 0.75 else ids)
    weight = rng.choice([1, 1, 1, 2, 3, 5]) if rng.random() < 0.93 else rng.choice([0, U32_MAX])
    return op, name, weight


def as_object(op, name, weight):
    return {"op": op, "id": name} if op == "remove" else {"op": op, "id": name, "weight": weight}


def step(rng, ids, ring, steering):
    """One op with the right answer; it is carried out on `ring`."""
    kind = rng.choice(["one", "one", "one", "apply", "get", "get", "get", "get", "replicas", "replicas", "rest", "limit"])
    if kind == "one":
        change = random_change(rng, ids, ring)
        if change[0] == "remove" and change[1] not in ring.weights:
            return {**as_object(*change), "expect": False}
        failed = ring.change([change])
        return {**as_object(*change), "expect": "error" if failed is not None else True if change[0] == "remove" else "ok"}
    if kind == "apply":
        changes, trial = [], NaiveRing(1)
        trial.limit, trial.weights = 1 << 70, dict(ring.weights)
        for _ in range(rng.randint(0, 6)):
            changes.append(random_change(rng, ids, trial))
            if changes[-1][2] != U32_MAX:
                trial.change(changes[-1:])
        failed = ring.change(changes)
        answer = {"expect": "ok"}
        if failed is not None:
            answer = {"expect": "error", "error_index": None if failed == "limit" else failed}
        return {"op": "apply", "changes": [as_object(*change) for change in changes], **answer}
    if kind == "limit":
        limit = max(0, ring.count() + rng.randint(-1, 3) * ring.vnodes) if rng.random() < 0.5 else LIMIT
        refused = limit < ring.count()
        ring.limit = ring.limit if refused else limit
        return {"op": "limit", "limit": limit, "expect": "error" if refused else "ok"}
    if kind in ("get", "replicas"):
        key = random_key(rng, ring, steering)
        data = key["key"].encode() if "key" in key else bytes.fromhex(key["key_hex"])
        if kind == "get":
            return {"op": "get", **key, "expect": next(iter(ring.replicas(data, 1)), None)}
        r = rng.choice([0, 1, 2, 3, len(ring.weights), len(ring.weights) + 1, U32_MAX])
        return {"op": "replicas", **key, "r": r, "expect": ring.replicas(data, r)}
    name = rng.choice(ids)
    return {"op": "weight", "id": name, "expect": ring.weights.get(name)}


def history(rng, name, steering):
    vnodes = rng.choice([1, 2, 3, 10, 12, 40])
    ids = rng.sample(KNOWN_IDS, 5) + [random_text(rng, 5) for _ in range(4)] + made_ids(rng, steering)
    ids = sorted(set(ids))
    ring, ops, ties = NaiveRing(vnodes), [], 0
    for _ in range(rng.randint(40, 120)):
        if rng.random() < 0.01:
            ring = NaiveRing(vnodes)
            ops.append({"op": "new"})
        before = ring.tokens
        ops.append(step(rng, ids, ring, steering))
        if ring.tokens != before:
            ops.append({"op": "tokens", "expect": len(ring.tokens)})
            ops.append({"op": "fingerprint", "expect": ring.fingerprint()})
        ties += sum(one[0] == two[0] for one, two in zip(ring.tokens, ring.tokens[1:])) if ring.tokens != before else 0
    return {"name": name, "vnodes_per_weight": vnodes, "ops": ops}, ties


def text_of(scripts):
    """JSON with one op a line."""
    texts = []
    for script in scripts:
        ops = ",\n".join("  " + json.dumps(op) for op in script["ops"])
        head = json.dumps({key: value for key, value in script.items() if key != "ops"})
        texts.append(f'{head[:-1]}, "ops": [\n{ops}\n ]}}')
    return "[\n " + ",\n ".join(texts) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40, help="how many histories")
    parser.add_argument("--out", help="the file to write; stdout where it is left out")
    parser.add_argument("--check", action="store_true", help="compare testdata/histories.json, and write nothing")
    options = parser.parse_args()
    if options.count < 1:
        parser.error(f"--count is {options.count}, but must be 1 or more: no history would prove nothing")
    defaults = (parser.get_default("seed"), parser.get_default("count"))
    if options.check and (options.out or (options.seed, options.count) != defaults):
        parser.error("--check compares what the defaults make, and takes no --seed, --count or --out")
    rng, steering = random.Random(options.seed), Steering()
    made = [history(rng, f"seed {options.seed}, history {at}", steering) for at in range(options.count)]
    text = text_of([script for script, _ in made])
    if options.check:
        found = COMMITTED.read_text(encoding="ascii") if COMMITTED.exists() else ""
        if found != text:
            message = "differs from what histories.py makes: undo the edit, or write it with --out"
            print(f"{COMMITTED.name} {message}", file=sys.stderr)
            return 1
    elif options.out is None:
        sys.stdout.write(text)
    else:
        with open(options.out, "w", encoding="ascii") as file:
            file.write(text)
    ops = [op for script, _ in made for op in script["ops"]]
    print(
        f"seed {options.seed}: {len(made)} histories, {len(ops)} ops, {sum(op.get('expect') == 'error' for op in ops)} of them refused, "
        f"{sum(ties for _, ties in made)} collisions in the rings on the way",
        file=sys.stderr,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
