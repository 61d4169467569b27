#!/usr/bin/env python3
"""One ring, one file of keys, a process for each language: do they all route alike?

    fleet.py [--rust BIN] [--keys-count N] [--require] [--bench [ROUNDS]]

All processes read the same snapshot file, route the same file of keys, and their outputs are compared byte for byte,
with one replica and with three. Then a node is added, one removed and one reweighted, and they do it again. They run
one after the other, so that the seconds, which count start, reading and writing, are each language's own.

With --bench all of them then look the same keys up in memory, in turns: one second of each language, and that ROUNDS
times. What it prints last is a table in Markdown, of medians with the least and the most. For Rust this takes the
example `lookup_speed`, which is looked for beside BIN: build it with `cargo build --release --example lookup_speed`.

Exit codes: 0 all alike, 1 a difference, 2 usage, 3 a language is missing and --require was given.
"""

import argparse
import hashlib
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE / "python"))

from hash_ring import Change, HashRing  # noqa: E402
from histories import ASCII, Steering, fnv, random_text  # noqa: E402

PORTS = ("python", "typescript", "cpp", "java")
SEPARATORS = "\t\n\r"
LF = b"\n"


def build(language, folder):
    """The command that routes, or the reason why there is none."""
    run = subprocess.run(
        [HERE / language / "run.sh", "--build"], env={**os.environ, "INTEROP_BUILD": str(folder)}, capture_output=True, text=True
    )
    if run.returncode == 3:
        return None, run.stderr.strip()
    if run.returncode:
        sys.exit(f"{language}: run.sh --build failed:\n{run.stdout}{run.stderr}")
    return {
        "python": [os.environ.get("PYTHON", "python3"), "-B", HERE / "python" / "route.py"],
        "typescript": ["node", HERE / "typescript" / "dist" / "route.js"],
        "cpp": [folder / "cpp" / "route"],
        "java": ["java", "-cp", folder / "java", "Route"],
    }[language], None


def make_ring(rng):
    """Twenty nodes with names as services have them, twenty from all of Unicode, and two that collide everywhere."""
    steering = Steering()
    allowed = bytes(byte for byte in ASCII if chr(byte) not in SEPARATORS)
    high, low = "\U0001f600", "\uff4e"
    twin = low + steering.bytes_to(rng, low.encode(), fnv(high.encode()), allowed).decode()
    strange = {"", "#", "cache-1#1", "caf\u00e9", "cafe\u0301", high, twin}
    while len(strange) < 20:
        strange.add("".join(c for c in random_text(rng, 6) if c not in SEPARATORS))
    ring = HashRing(100)
    ring.apply(Change.add(name, rng.randint(1, 4)) for name in [f"cache-{i}" for i in range(20)] + sorted(strange))
    return ring


def make_keys(rng, count, ring):
    """Lines of bytes: plain ids, text from all of Unicode, bytes that are no UTF-8, token ids, a CR, nothing."""
    tokens = [f"{token.node_id}#{token.index}".encode() for token in ring.tokens()]
    lines = []
    for at in range(count):
        kind = rng.random()
        if kind < 0.7:
            line = b"user:%d" % rng.randrange(10**9)
        elif kind < 0.8:
            line = random_text(rng, 10).encode()
        elif kind < 0.9:
            line = rng.randbytes(rng.randrange(24))
        elif kind < 0.95:
            line = rng.choice(tokens)  # hashes exactly onto its token
        else:
            line = rng.choice([b"", b"key\r", b"\r", b"\x00", b"a\tb", b"session/%d/" % at + b"x" * rng.randrange(200)])
        lines.append(line.replace(b"\n", b"\v"))
    lines[-1] = b"the last line has no LF"
    return b"\n".join(lines)


def first_difference(one, two):
    for at, (a, b) in enumerate(zip(one.split(b"\n"), two.split(b"\n"))):
        if a != b:
            return f"line {at + 1}: {a!r} against {b!r}"
    return f"{len(one)} bytes against {len(two)}"


def route_all(commands, folder, snapshot, keys, r, count):
    """Runs every language once and prints its row. Returns the first one's output, and whether all agree."""
    print(f"\nthe ring {snapshot.stem} the change, R = {r}\n{'language':<12}{'seconds':>9}{'keys/s':>12}  sha256")
    reference, alike = None, True
    for language, command in commands.items():
        files = ["--ring", snapshot, "--keys", keys] if language == "rust" else [snapshot, keys]
        path = folder / f"{language}.out"
        with open(path, "wb") as out:
            begin = time.perf_counter()
            run = subprocess.run([*command, *files, "--replicas", str(r)], stdout=out, stderr=subprocess.PIPE)
            seconds = time.perf_counter() - begin
        output = path.read_bytes()
        path.unlink()
        digest = hashlib.sha256(output).hexdigest()
        print(f"{language:<12}{seconds:>9.2f}{count / seconds:>12,.0f}  {digest}", flush=True)
        problem = None
        if run.returncode:
            problem = f"exit code {run.returncode}: {run.stderr.decode(errors='replace').strip()}"
        elif output.count(LF) != count:
            problem = f"{output.count(LF)} lines for {count} keys"
        elif reference is not None and output != reference[1]:
            problem = f"differs from {reference[0]} at {first_difference(reference[1], output)}"
        if problem:
            alike = False
            print(f"DIFFERENCE: {language}: {problem}")
        elif reference is None:
            reference = language, output
    return reference[1] if reference else b"", alike


def moved_rightly(before, after, added, removed, grown):
    """Prints how many keys moved. Whether each of them left the removed node, or came to the added or grown one."""
    moved = wrong = 0
    for old, new in zip(before.split(b"\n"), after.split(b"\n")):
        if old != new:
            moved += 1
            wrong += old.rpartition(b"\t")[2] != removed and new.rpartition(b"\t")[2] not in (added, grown)
    print(f"\n{moved:,} keys have another owner after the change, {wrong} of them without a reason")
    return moved > 0 and wrong == 0


def bench(commands, rust, snapshot, keys, rounds):
    """Lookups per second in memory, in turns, so that a slow moment of the machine meets all languages alike."""
    speed = {language: command if language != "rust" else [rust] for language, command in commands.items()}
    columns = {"owner": 1, "3 replicas": 3}
    rates = {(language, r): [] for language in speed for r in columns.values()}
    for at in range(rounds):
        for language, command in speed.items():
            for r in columns.values():
                flags = ["--replicas", str(r)] + (["--bench"] if language != "rust" else [])
                run = subprocess.run([*command, snapshot, keys, *flags], stdout=subprocess.PIPE, text=True, check=True)
                print(f"round {at + 1} of {rounds}: {run.stdout.strip()}", file=sys.stderr, flush=True)
                told = re.fullmatch(rf"{language}: ([0-9]+) lookups per second .*\n", run.stdout)
                rates[language, r].append(int(told[1]))
    head = [f"{name}, lookups a second" for name in columns]
    print(f"\n| language | {' | '.join(head)} |\n|---|{'--:|' * len(head)}")
    for language in speed:
        cells = []
        for r in columns.values():
            found = rates[language, r]
            cells.append(f"{statistics.median(found):,.0f} ({min(found):,} to {max(found):,})")
        print(f"| {language} | {' | '.join(cells)} |")


def positive(text):
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rust", metavar="BIN", help="the command ring-bench; without it Rust takes no part")
    parser.add_argument("--keys-count", type=positive, default=1_000_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--require", action="store_true", help="a missing language is a failure, not a skip")
    about = "also measure lookups per second (5 rounds)"
    parser.add_argument("--bench", type=positive, nargs="?", const=5, metavar="ROUNDS", help=about)
    options = parser.parse_args()
    if options.rust and not os.access(options.rust, os.X_OK):
        parser.error(f"--rust {options.rust}: no such command")
    speed = Path(options.rust or ".").resolve().parent / "examples" / "lookup_speed"
    if options.bench and options.rust and not os.access(speed, os.X_OK):
        parser.error("--bench needs the example lookup_speed beside BIN: cargo build --release --example lookup_speed")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands, missing = {}, []
        if options.rust:
            commands["rust"] = [Path(options.rust).resolve(), "route"]
        else:
            missing.append("rust: no --rust BIN was given. WITHOUT IT THE PORTS ARE COMPARED WITH EACH OTHER ONLY")
        for language in PORTS:
            command, reason = build(language, folder)
            if command:
                commands[language] = command
            else:
                missing.append(reason)
        for reason in missing:
            print(f"SKIPPED {reason}")
        if missing and options.require:
            print("fleet: --require was given, and not all languages are here")
            return 3

        rng = random.Random(options.seed)
        ring = make_ring(rng)
        keys, rings = folder / "keys", [folder / "before.json", folder / "after.json"]
        keys.write_bytes(make_keys(rng, options.keys_count, ring))
        rings[0].write_text(ring.snapshot(), encoding="utf-8")
        added, removed, grown = "cache-\u65b0", "cache-7", "cache-3"
        ring.apply([Change.add(added, 2), Change.remove(removed), Change.set_weight(grown, ring.weight(grown) + 2)])
        rings[1].write_text(ring.snapshot(), encoding="utf-8")

        alike, owners = True, []
        for snapshot in rings:
            for r in (1, 3):
                output, same = route_all(commands, folder, snapshot, keys, r, options.keys_count)
                alike = alike and same
                if r == 1:
                    owners.append(output)
        alike = moved_rightly(*owners, added.encode(), removed.encode(), grown.encode()) and alike
        if options.bench:
            bench(commands, speed, rings[0], keys, options.bench)
    print(f"\nfleet: {len(commands)} languages ({', '.join(commands)}) {'route alike' if alike else 'DO NOT ROUTE ALIKE'}")
    for reason in missing:
        print(f"fleet: SKIPPED {reason}")
    return 0 if alike else 1


if __name__ == "__main__":
    sys.exit(main())
