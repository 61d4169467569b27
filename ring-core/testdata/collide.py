#!/usr/bin/env python3
"""Finds an id that starts with a given text and has a given FNV-1a state.

    python3 collide.py START STATE      STATE in hex; START may be empty

The colliding ids in rings.py were found with this. It needs a few minutes of pure Python at the
most and about a gigabyte of memory, and it shows that collisions of FNV can be made at will.

How: an id is START and four blocks of four characters. The lowest 20 bits of a state depend on the
lowest 20 bits of the states before it alone. So the state in the middle is made to end in 20 chosen
bits, from either side, by joining the first block's states with the second's undone (that costs
36^4 steps, not 36^8). About 36^8 / 2^20 = 2.7 million strings remain on each side, and two of them
agree in the other 44 bits with probability 0.34. If none do, other middle bits are tried.
"""

import sys

from naive import MASK, fnv1a64

LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
PRIME = 0x100000001B3
UNDO = pow(PRIME, -1, 1 << 64)
LOW = (1 << 20) - 1
BLOCKS = len(LETTERS) ** 4


def block(index):
    """The characters of a block from its number."""
    text = bytearray()
    for _ in range(4):
        index, letter = divmod(index, len(LETTERS))
        text.append(LETTERS[letter])
    return bytes(text)


def undo(state, text):
    """The state from which `text` leads to `state`."""
    for byte in reversed(text):
        state = ((state * UNDO) & MASK) ^ byte
    return state


def by_low_bits(step):
    """Every block as (low bits of its state, number), packed into one integer, sorted."""
    return sorted((step(block(index)) & LOW) << 21 | index for index in range(BLOCKS))


def joined(left, right):
    """Pairs of block numbers whose low bits agree, of two sorted lists."""
    start = 0
    for packed in left:
        low = packed >> 21
        while start < len(right) and right[start] >> 21 < low:
            start += 1
        at = start
        while at < len(right) and right[at] >> 21 == low:
            yield packed & 0x1FFFFF, right[at] & 0x1FFFFF
            at += 1


def find(start, target):
    begin = fnv1a64(start)
    first = by_low_bits(lambda text: fnv1a64(text, begin))
    fourth = by_low_bits(lambda text: undo(target, text))
    for middle in range(LOW):
        second = by_low_bits(lambda text: undo(middle, text))
        forward = {}
        for one, two in joined(first, second):
            forward[fnv1a64(block(one) + block(two), begin)] = (one, two)
        del second
        third = by_low_bits(lambda text: fnv1a64(text, middle))
        for four, three in joined(fourth, third):
            met = forward.get(undo(target, block(three) + block(four)))
            if met:
                found = start + block(met[0]) + block(met[1]) + block(three) + block(four)
                assert fnv1a64(found) == target
                return found
        print("nothing meets at %05x, trying the next" % middle, file=sys.stderr)
    return None


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(find(sys.argv[1].encode("utf-8"), int(sys.argv[2], 16)).decode("utf-8"))
