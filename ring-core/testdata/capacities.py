"""capacities.json: whole weights from capacities that are floating-point numbers.

The algorithm, over exact fractions:

1. Refuse an empty list, a total below the count of capacities, and any capacity that is
   NaN, infinite, zero (of either sign) or negative. A capacity is the exact value of its double.
2. All entries are open; `left` = total.
3. The quota of an open entry is capacity * left / (sum of the open capacities).
   If any open quota is below 1 (not: equal to 1), all entries whose quota is below 1 get the
   weight 1 and are closed, `left` falls by their count, and step 3 is done again.
   It ends: `left` is never below the count of open entries, so not all quotas are below 1.
   Closing them one at a time, in any order, ends in the same closed set, since each closed entry
   takes more than its quota and so lowers the quotas of the others.
4. Each open entry gets the whole part of its quota, which is at least 1. The units that are then
   left over (fewer than there are open entries) go one each to the largest fractional parts; of
   equal ones the lower index goes first. Closed entries get no more.
"""

import math
import struct
from fractions import Fraction

from naive import U32_MAX, SplitMix64


def weights(capacities, total):
    exact = [Fraction(capacity) for capacity in capacities]
    given = [0] * len(exact)
    open_entries = list(range(len(exact)))
    left = total
    while True:
        whole = sum(exact[i] for i in open_entries)
        quotas = {i: exact[i] * left / whole for i in open_entries}
        below = [i for i in open_entries if quotas[i] < 1]
        if not below:
            break
        for i in below:
            given[i] = 1
        left -= len(below)
        open_entries = [i for i in open_entries if i not in below]
    for i in open_entries:
        given[i] = math.floor(quotas[i])
    by_remainder = sorted(open_entries, key=lambda i: (math.floor(quotas[i]) - quotas[i], i))
    for i in by_remainder[: left - sum(given[i] for i in open_entries)]:
        given[i] += 1
    assert sum(given) == total and min(given) >= 1
    return given


def rounded(capacities, total):
    """The same in floating point: only to tell which cases need exact arithmetic."""
    given, open_entries, left = {}, list(range(len(capacities))), total
    while True:
        whole = 0.0
        for i in open_entries:  # sum() of floats differs between versions of Python
            whole += capacities[i]
        if not open_entries or not 0 < whole < math.inf:
            return None
        quotas = {i: capacities[i] * left / whole for i in open_entries}
        below = [i for i in open_entries if not quotas[i] >= 1]
        if not below:
            break
        given.update((i, 1) for i in below)
        left -= len(below)
        open_entries = [i for i in open_entries if i not in below]
    if not all(quota < math.inf for quota in quotas.values()):
        return None
    given.update((i, math.floor(quotas[i])) for i in open_entries)
    by_remainder = sorted(open_entries, key=lambda i: (math.floor(quotas[i]) - quotas[i], i))
    for i in by_remainder[: max(0, left - sum(given[i] for i in open_entries))]:
        given[i] += 1
    return [given[i] for i in range(len(capacities))]


def shown(capacity):
    if math.isnan(capacity):
        return "NaN"
    if math.isinf(capacity):
        return "Infinity" if capacity > 0 else "-Infinity"
    return capacity


def bits(capacity):
    return struct.pack(">d", capacity).hex()


def cases():
    made = []

    def case(name, capacities, total, **answer):
        capacities = [float(capacity) for capacity in capacities]
        one = {
            "name": name,
            "capacities": [shown(capacity) for capacity in capacities],
            "bits": [bits(capacity) for capacity in capacities],
            "total": total,
        }
        if not answer:
            answer["weights"] = weights(capacities, total)
            if rounded(capacities, total) != answer["weights"]:
                answer["exact"] = True
        made.append(dict(one, **answer))

    def refuse(name, capacities, total, error):
        case(name, capacities, total, error=error)

    case("one", [3.7], 1)
    case("one gets everything", [0.001], 4294967295)
    case("equal, no remainder", [1, 1, 1, 1], 8)
    case("equal, total equal to the count", [5, 5, 5], 3)
    case("unequal, total equal to the count", [1, 1000, 1e6], 3)
    case("already whole", [1, 2, 3, 4], 10)
    case("a multiple of whole", [1, 2, 3, 4], 50)
    case("largest remainder", [1, 2, 4], 10)
    case("tie: the lower index", [1, 1], 3)
    case("tie of three, one unit", [1, 1, 1], 10)
    case("tie of three, two units", [1, 1, 1], 11)
    case("tie of four beside a larger remainder", [1.5, 1, 1, 1, 1], 7)
    case("tie of the first and the last", [1, 2, 1], 6)
    case("tie between different whole parts", [1, 3], 6)
    case("a tie that the order decides", [3, 1], 6)
    case("half and half", [0.5, 1.5, 2.5, 3.5], 12)
    case("a quota of exactly 1 is not below 1", [1, 2, 1], 4)
    case("one quota below 1", [0.1, 5, 5], 10)
    case("two quotas below 1", [0.1, 0.2, 5, 5], 10)
    case("a quota of next to nothing", [1e-300, 1], 2)
    case("all but one below 1", [1, 1, 1, 1, 96], 5)
    case("all but one below 1, more to give", [1, 1, 1, 1, 996], 50)
    # Quotas 0.9, 1.05 and the rest: giving the first a whole unit takes the second below 1 in turn.
    case("cascade of two", [90, 101, 500, 309], 10)
    case("cascade of three", [50, 102, 110, 400, 338], 10)
    case("cascade, one after the other", [0.5, 1.02, 1.06, 1.14, 1.35, 4.93], 10)
    case("cascade to the last", [1, 2, 4, 8, 16, 32, 64, 128], 9)
    case("cascade in falling order", [128, 64, 32, 16, 8, 4, 2, 1], 9)
    case("closed entries get no unit of the rest", [0.99, 2.5, 2.5], 6)
    case("after a cascade the remainders are those of the new quotas", [0.4, 3.3, 3.3, 3.0], 10)
    case("powers of two, a large total", [1, 2, 4, 8, 16, 32, 64, 128], 1000000)
    case("disk sizes in bytes", [480103981056, 960197124096, 1920383410176, 3840755982336], 100)
    case("machines by memory", [64, 64, 128, 256, 512], 16)
    case("many equal, few units more", [7] * 40, 43)
    case("the largest total", [1, 2, 4], 4294967295)
    case("the largest total, seven equal", [1] * 7, 4294967295)
    case("decimals that are no binary fractions", [0.1, 0.2, 0.3], 6)
    case("the same, one unit more", [0.1, 0.2, 0.3], 7)
    case("0.1 + 0.2 beside 0.3", [0.1, 0.2, 0.3, 0.1 + 0.2], 5)
    case("remainders that differ in the last bit", [1 + 2**-52, 1, 1], 4)
    case("remainders that differ in the last bit, the later one larger", [1, 1, 1 + 2**-52], 4)
    case("a quota below 1 by the last bit", [1 - 2**-53, 1, 1], 3)
    case("a quota above 1 by the last bit", [1 + 2**-52, 1, 1, 1], 4)
    case("neighbours at a large total", [1, 1 + 2**-52], 4294967295)
    case("neighbours at a large total, turned round", [1 + 2**-52, 1], 4294967295)
    case("thirds", [1 / 3, 2 / 3, 1], 3)
    case("thirds of a large total", [1 / 3, 1 / 3, 1 / 3], 4294967294)
    case("sevenths", [1 / 7, 2 / 7, 4 / 7], 14)
    case("the sum would pass the largest double", [1.7976931348623157e308] * 3, 10)
    case("the largest and the smallest double", [5e-324, 1.7976931348623157e308], 10)
    case("smallest doubles", [5e-324, 5e-324, 1e-323], 8)
    case("subnormal capacities", [1e-310, 2e-310, 3e-310], 12)
    case("large capacities, small differences", [2.0**60, 2.0**60 + 256, 2.0**60], 4)
    case("2^53 and its neighbours", [2.0**53 - 1, 2.0**53, 2.0**53 + 2], 10)
    # Near ties among one-digit decimals, which rounding to doubles decides wrongly.
    case("near tie: 22.5 and 2.5", [0.9, 0.1], 25)
    case("near tie: 3.33 and 1.33", [0.5, 0.2, 0.5], 8)
    case("near tie: 1.5 and 5.5", [0.3, 1.1], 7)
    case("near tie: 10.5 and 7.5", [1.4, 1.0], 18)
    case("near tie among four", [3.5, 0.5, 1.3, 2.4], 28)
    case("near tie among five", [1.2, 4.7, 5.0, 1.2, 2.6], 21)
    random = SplitMix64(3)
    for seed in range(40):
        count = 1 + random.below(12)
        kind = seed % 4
        if kind == 0:
            drawn = [1 + random.below(20) for _ in range(count)]
        elif kind == 1:
            drawn = [(1 + random.below(10**6)) / 1000 for _ in range(count)]
        elif kind == 2:
            drawn = [2.0 ** (random.below(40) - 20) * (1 + random.below(2**52) * 2.0**-52) for _ in range(count)]
        else:
            drawn = [random.pick([0.1, 0.2, 0.3, 0.7, 1, 1.1, 3]) for _ in range(count)]
        case("random %d" % seed, drawn, count + random.below((3, 20, 300, 5)[seed // 10]))

    refuse("an empty list", [], 1, "the list is empty")
    refuse("an empty list, nothing to give", [], 0, "the list is empty")
    refuse("a total of 0", [1], 0, "the total is below the count")
    refuse("a total below the count", [1, 1, 1], 2, "the total is below the count")
    refuse("a total far below the count", [1] * 20, 1, "the total is below the count")
    refuse("zero", [1, 0, 1], 10, "zero")
    refuse("zero alone", [0], 1, "zero")
    refuse("negative zero", [1, -0.0], 10, "zero")
    refuse("negative", [1, -1], 10, "negative")
    refuse("the smallest negative", [1, -5e-324], 10, "negative")
    refuse("NaN", [1, math.nan], 10, "NaN")
    refuse("NaN alone", [math.nan], 10, "NaN")
    refuse("infinite", [1, math.inf], 10, "infinite")
    refuse("infinite alone", [math.inf], 10, "infinite")
    refuse("negative infinity", [-math.inf, 1], 10, "infinite")
    assert all(one["total"] <= U32_MAX for one in made)
    return made
