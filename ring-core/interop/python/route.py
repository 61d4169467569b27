"""route.py SNAPSHOT KEYS [--replicas R] [--bench]

Writes every line of the file KEYS, TAB, and its nodes, TAB-separated, the owner first. Keys are bytes up to the LF;
a CR stays part of the key; the last line needs no LF. With --bench it writes how many lookups a second it does over
the keys in memory, and nothing else. Exit codes: 0 done, 1 writing failed, 2 usage or bad input.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from hash_ring import HashRing

CHUNK = 65_536


def replica_count(text):
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= 0xFFFF_FFFF):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 4294967295")
    return int(text)


def read_keys(path):
    keys = path.read_bytes().split(b"\n")
    if not keys[-1]:
        keys.pop()
    return keys


def answers(ring, keys, r):
    """The nodes of each key, as tuples or lists of ids."""
    if r == 1:
        return [(owner,) if owner is not None else () for owner in ring.get_nodes(keys)]
    return [ring.get_replicas(key, r).nodes for key in keys]


def check_ids(ring):
    for node in ring.nodes():
        if set("\t\n\r") & set(node.id):
            raise ValueError(f"node {node.id!r} holds TAB, LF or CR, which separate the output's fields")


def route(ring, keys, r, out):
    fields = {node.id: b"\t" + node.id.encode("utf-8") for node in ring.nodes()}
    short_keys = 0
    for start in range(0, len(keys), CHUNK):
        lines = []
        chunk = keys[start : start + CHUNK]
        for key, nodes in zip(chunk, answers(ring, chunk, r)):
            short_keys += len(nodes) < r
            lines.append(key + (b"".join([fields[node] for node in nodes]) or b"\t") + b"\n")
        out.write(b"".join(lines))
    out.flush()
    if short_keys:
        print(f"route: {short_keys} keys have fewer than {r} nodes", file=sys.stderr)


def bench(ring, keys, r):
    if not keys:
        raise ValueError("--bench needs at least one key")
    lookups, check, seconds = 0, 0, 0.0
    first = True
    while first or seconds < 1:
        begin = time.perf_counter()
        if r == 1:
            check += len(ring.get_nodes(keys))
        else:
            check += sum(len(ring.get_replicas(key, r).nodes) for key in keys)
        if not first:  # the first pass warms up
            seconds += time.perf_counter() - begin
            lookups += len(keys)
        first = False
    how = "get_nodes" if r == 1 else "get_replicas"
    print(
        f"python: {lookups / seconds:.0f} lookups per second "
        f"({len(keys)} keys, {ring.token_count} tokens, R = {r}, {how}, check {check})"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("keys", type=Path)
    parser.add_argument("--replicas", type=replica_count, default=1, metavar="R")
    parser.add_argument("--bench", action="store_true")
    options = parser.parse_args()
    try:
        ring = HashRing.from_snapshot(options.snapshot.read_bytes())
        keys = read_keys(options.keys)
        if options.bench:
            bench(ring, keys, options.replicas)
            return 0
        check_ids(ring)
    except (OSError, ValueError) as error:
        print(f"route: {error}", file=sys.stderr)
        return 2
    try:
        route(ring, keys, options.replicas, sys.stdout.buffer)
        return 0
    except BrokenPipeError:
        # The reader has enough. Without this, closing stdout at exit would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"route: cannot write the output: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
