#!/usr/bin/env python3
"""Recomputes theory.csv: what balance and movement to expect of a ring of random tokens.

    python3 theory.py --check        exit 1 and name each row that does not follow from the law
    python3 theory.py --print        the exact rows, as this file computes them
    python3 theory.py --simulate R   sets the Monte-Carlo rows of the smaller rings beside R simulated rings

Standard library only. N equal nodes with V tokens each make M = N*V tokens that are independent and
uniform on a circle of length 1. The M arcs between them are Dirichlet(1, ..., 1), so

- a node's share, the sum of its V arcs, is Beta(V, M - V), with mean 1/N;
- the fraction that one more equal node takes is Beta(V, M), with mean 1/(N + 1);
- of K independent uniform keys, a node gets BetaBinomial(K, V, M - V) and a new node BetaBinomial(K, V, M);
- the squared coefficient of variation of the N shares has the mean (N - 1)/(M + 1) exactly.

Bands are the central ones: 99.9 % leaves 0.0005 on either side. Bands for all nodes at once divide
that by N. Rows whose basis says Monte Carlo (bands of cv, and all of max/avg, min/avg and max/min) are
data: medians and quantiles of 800,000 simulated rings. They are checked for order only.

One column is no exact figure, though its row is: `low` of share.cv2.mean_over_S_rings. The deviation of
one ring's cv^2 follows exactly from Dirichlet moments (`--print` gives it). The table holds about
2 * mean(cv) * deviation(cv) in its place, which is smaller: by 4 to 11 % at N = 10, by 0.2 to 3 % at
N = 100. A test that uses it is that much stricter. `--check` holds
the column to that range.
"""

import csv
import math
import os
import random
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
TAIL = 0.0005
SIZES = [(n, v) for n in (10, 100) for v in (1, 10, 40, 100, 128, 150, 160, 200, 256, 500, 1000)]
KEYS = (100_000, 1_000_000)


# ---------------------------------------------------------------- the laws


def beta_cdf(x, a, b):
    """The regularised incomplete beta function, by its continued fraction (modified Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    total = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            total *= c * d
        if abs(c * d - 1) < 1e-15:
            return math.exp(log_front) * total / a
    raise ArithmeticError("the continued fraction did not settle at x = %r, a = %r, b = %r" % (x, a, b))


def beta_quantile(p, a, b):
    """The x with beta_cdf(x, a, b) = p, by bisection; on a log scale, since x may be tiny."""
    low, high = -800.0, 0.0
    for _ in range(70):
        middle = (low + high) / 2
        if beta_cdf(math.exp(middle), a, b) < p:
            low = middle
        else:
            high = middle
    return math.exp(high)


def betabinomial_quantile(p, k, a, b):
    """The smallest count whose cumulative probability reaches p.

    Sums probabilities from the nearer end inwards, starting where they no longer count in double precision.
    """

    def log_pmf(i):
        return (
            math.lgamma(k + 1) - math.lgamma(i + 1) - math.lgamma(k - i + 1)
            + math.lgamma(i + a) + math.lgamma(k - i + b) - math.lgamma(k + a + b)
            + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        )  # fmt: skip

    def first_that_counts(low, high, rising):
        """The outermost count in a tail whose probability is not negligible."""
        while high - low > 1:
            middle = (low + high) // 2
            if (log_pmf(middle) > -70) == rising:
                high = middle
            else:
                low = middle
        return high if rising else low

    mode = round(k * a / (a + b))
    if p < 0.5:
        i = 0 if log_pmf(0) > -70 else first_that_counts(0, mode, True)
        mass, total = math.exp(log_pmf(i)), 0.0
        while True:
            total += mass
            if total >= p:
                return i
            mass *= (k - i) / (i + 1) * (i + a) / (k - i - 1 + b)
            i += 1
    i = k if log_pmf(k) > -70 else first_that_counts(mode, k, False)
    mass, total = math.exp(log_pmf(i)), 0.0
    while True:
        # P(X <= i - 1) = 1 - (mass from i upwards); the first i - 1 that misses p ends the search.
        total += mass
        if 1 - total < p:
            return i
        mass *= i / (k - i + 1) * (k - i + b) / (i - 1 + a)
        i -= 1


def cv2_moments(n, v):
    """Mean and deviation of one ring's cv^2 = N * (sum of squared shares) - 1, in exact fractions."""
    m = n * v

    def moment(*powers):
        """E[product of shares to these powers] of Dirichlet(v, ..., v)."""
        above, below = Fraction(1), Fraction(1)
        for power in powers:
            for step in range(power):
                above *= v + step
        for step in range(sum(powers)):
            below *= m + step
        return above / below

    mean = n * n * moment(2) - 1
    second = n * moment(4) + n * (n - 1) * (moment(2, 2) if n > 1 else 0)
    variance = n * n * (second - (n * moment(2)) ** 2)
    return mean, math.sqrt(variance)


# ---------------------------------------------------------------- the rows


def exact_rows():
    """{(check, N, V, K): {column: value}} of all that follows from the laws."""
    rows = {}
    for n, v in SIZES:
        m = n * v
        mean, deviation = cv2_moments(n, v)
        assert mean == Fraction(n - 1, m + 1)
        rows["share.cv", n, v, ""] = {"expected": math.sqrt(mean)}
        rows["share.cv2.mean_over_S_rings", n, v, ""] = {"expected": float(mean), "deviation": deviation}
        low, high = beta_quantile(TAIL, v, m - v), beta_quantile(1 - TAIL, v, m - v)
        rows["share.one_node", n, v, ""] = {"expected": 1.0, "low": n * low, "high": n * high}
        rows["move.remove_one_node", n, v, ""] = {"expected": 1 / n, "low": low, "high": high}
        low, high = beta_quantile(TAIL / n, v, m - v), beta_quantile(1 - TAIL / n, v, m - v)
        rows["share.every_node", n, v, ""] = {"expected": 1.0, "low": n * low, "high": n * high}
        low, high = beta_quantile(TAIL, v, m), beta_quantile(1 - TAIL, v, m)
        rows["move.add_one_equal_node", n, v, ""] = {"expected": 1 / (n + 1), "low": low, "high": high}
        for k in KEYS:
            for check, rest in (("count.one_node", m - v), ("moved_keys.add_one", m)):
                rows[check, n, v, k] = {
                    "expected": k * v / (v + rest),
                    "low": betabinomial_quantile(TAIL, k, v, rest),
                    "high": betabinomial_quantile(1 - TAIL, k, v, rest),
                }
    return rows


def read_table():
    with open(os.path.join(HERE, "theory.csv"), encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def key_of(row):
    return row["check"], int(row["N"]), int(row["V"]), int(row["K"]) if row["K"] else ""


def agrees(row, column, value):
    """Counts to the last unit; other values to the five significant digits that the table has."""
    if column == "deviation":
        return 0.88 * value <= float(row["low"]) <= value
    if isinstance(value, int):
        return row[column] == str(value)
    return row[column] != "" and float("%.5g" % value) == float(row[column])


def check():
    wrong, compared = [], 0
    expected_rows, seen = exact_rows(), set()
    for line, row in enumerate(read_table(), 2):
        key = key_of(row)
        place = "theory.csv line %d, %s, N=%s, V=%s, K=%s" % (line, *map(str, key))
        if key in seen:
            wrong.append("%s: the row is there twice" % place)
        seen.add(key)
        values = expected_rows.pop(key, {})
        for column, value in values.items():
            compared += 1
            if not agrees(row, column, value):
                shown = row["low" if column == "deviation" else column]
                wrong.append("%s: %s is %r, the law gives %.6g" % (place, column, shown, value))
        if not values and "Monte Carlo" not in row["basis"]:
            wrong.append("%s: neither a law nor Monte Carlo stands behind it" % place)
        if row["high"] and not float(row["low"]) < float(row["expected"]) < float(row["high"]):
            wrong.append("%s: low < expected < high does not hold" % place)
    wrong += ["theory.csv: no row %s, N=%s, V=%s, K=%s" % tuple(map(str, key)) for key in expected_rows]
    for line in wrong:
        print(line)
    print("theory.csv: %d values of %d rows recomputed, %d wrong" % (compared, len(seen), len(wrong)))
    return 1 if wrong else 0


# ---------------------------------------------------------------- a look at the Monte-Carlo rows


def simulate(rings):
    """Share statistics of simulated rings of at most 1000 tokens, beside the table's medians."""
    draw = random.Random(1)
    table = {key_of(row): row for row in read_table()}
    for n, v in [(n, v) for n, v in SIZES if n * v <= 1000]:
        seen = {"share.cv": [], "share.max/avg": [], "share.min/avg": [], "share.max/min": []}
        for _ in range(rings):
            # A share is a sum of V exponential arcs over the sum of all of them.
            arcs = [draw.gammavariate(v, 1) for _ in range(n)]
            mean = sum(arcs) / n
            seen["share.cv"].append(math.sqrt(sum((arc / mean - 1) ** 2 for arc in arcs) / n))
            seen["share.max/avg"].append(max(arcs) / mean)
            seen["share.min/avg"].append(min(arcs) / mean)
            seen["share.max/min"].append(max(arcs) / min(arcs))
        for check_name, values in seen.items():
            row = table[check_name, n, v, ""]
            low, high = float(row["low"]), float(row["high"])
            outside = sum(not low <= value <= high for value in values) / rings
            middle = sorted(values)[rings // 2]
            print("%-14s N=%-4d V=%-4d median %.5g (table: %s), outside the 99.8 %% band: %.2f %%" % (
                check_name, n, v, middle, row["expected"], 100 * outside))  # fmt: skip
    return 0


def main(arguments):
    if arguments == ["--check"]:
        return check()
    if arguments == ["--print"]:
        for key, values in exact_rows().items():
            print(*key, *("%s=%.6g" % pair for pair in values.items()))
        return 0
    if len(arguments) == 2 and arguments[0] == "--simulate" and arguments[1].isdigit() and int(arguments[1]) > 0:
        return simulate(int(arguments[1]))
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
