//! Zipf's law in integers: rank k is drawn with weight `k^-s`.
//!
//! Powers of the floating-point library differ in their last digit between platforms, and one digit moves a key. So
//! logarithm and power are computed here in fixed point, by squaring and by square roots alone.

use crate::seeded::Stream;

/// Bits after the point of a logarithm.
const LOG_BITS: u32 = 32;
/// `log2` of the weight of rank 1. The sum over 2^28 ranks stays below 2^64.
const TOP_BITS: u32 = 36;

/// Draws ranks `0..ranks` by Zipf's law.
#[derive(Debug, Clone)]
pub(super) struct Zipf {
    /// For each rank the sum of the weights up to and including its own.
    cumulative: Vec<u64>,
    /// Where the search for a point begins: the rank of the first point of each of [`CELLS`] equal parts of the sum.
    guide: Vec<usize>,
}

/// Parts of the guide. A search over all ranks misses the caches twenty times, one in a part once or twice.
const CELLS: u64 = 1 << 16;

impl Zipf {
    /// The law with exponent `thousandths / 1000` over `ranks` ranks.
    #[must_use]
    pub(super) fn new(ranks: usize, thousandths: u32) -> Self {
        let roots = roots_of_one_half();
        let begun = begun_powers(&roots);
        let mut sum = 0_u64;
        let cumulative: Vec<u64> = (1..=ranks as u64)
            .map(|rank| {
                sum += weight(rank, thousandths, &roots, &begun);
                sum
            })
            .collect();
        let mut rank = 0;
        let guide = (0..CELLS)
            .map(|cell| {
                // The smallest point of this part: the parts are those of `point * CELLS / sum`.
                let point = (u128::from(cell) * u128::from(sum)).div_ceil(u128::from(CELLS));
                while rank < cumulative.len() && u128::from(cumulative[rank]) <= point {
                    rank += 1;
                }
                rank
            })
            .collect();
        Self { cumulative, guide }
    }

    /// The next rank, 0 the likeliest.
    pub(super) fn draw(&self, stream: &mut Stream) -> usize {
        let sum = self.cumulative.last().copied().unwrap_or(0);
        self.rank_of(stream.below(sum), sum)
    }

    /// The rank whose part of the sum holds this point.
    fn rank_of(&self, point: u64, sum: u64) -> usize {
        let cell = u128::from(point) * u128::from(CELLS) / u128::from(sum.max(1));
        let cell = usize::try_from(cell).unwrap_or(0);
        let from = self.guide.get(cell).copied().unwrap_or(0);
        let to = self.guide.get(cell + 1).map_or(self.cumulative.len(), |next| next + 1);
        let part = &self.cumulative[from..to.min(self.cumulative.len())];
        from + part.partition_point(|&sum| sum <= point)
    }
}

/// `rank^(-thousandths/1000)`, in units of `2^-TOP_BITS`, at least 1.
fn weight(rank: u64, thousandths: u32, roots: &Roots, begun: &[u64]) -> u64 {
    let exponent = u128::from(log2(rank)) * u128::from(thousandths) / 1000;
    let whole = u32::try_from(exponent >> LOG_BITS).unwrap_or(u32::MAX);
    // 2^-f for the part after the point: the product of 2^-(1/2), 2^-(1/4), … for the bits of f that are set. The
    // product of the first bits stands ready.
    let first = usize::try_from(exponent >> (LOG_BITS - BEGUN_BITS)).unwrap_or(0);
    let mut power = begun[first & ((1 << BEGUN_BITS) - 1)];
    for (bit, &root) in roots.iter().enumerate().skip(BEGUN_BITS as usize) {
        let smaller = times(power, root);
        if exponent >> (LOG_BITS as usize - 1 - bit) & 1 == 1 {
            power = smaller;
        }
    }
    let scaled = u128::from(power) >> (64 - TOP_BITS).saturating_add(whole).min(127);
    u64::try_from(scaled).unwrap_or(u64::MAX).max(1)
}

/// The powers of [`roots_of_one_half`].
type Roots = [u64; LOG_BITS as usize];

/// Bits of an exponent whose products are made once.
const BEGUN_BITS: u32 = 12;

/// The product of the first [`BEGUN_BITS`] roots, for each choice of them; multiplied from the largest root on, as ever.
fn begun_powers(roots: &Roots) -> Vec<u64> {
    let mut powers = vec![u64::MAX];
    for &root in &roots[..BEGUN_BITS as usize] {
        powers = powers.iter().flat_map(|&power| [power, times(power, root)]).collect();
    }
    powers
}

/// The product of two numbers below 1 with 64 bits after the point.
fn times(a: u64, b: u64) -> u64 {
    u64::try_from((u128::from(a) * u128::from(b)) >> 64).unwrap_or(u64::MAX)
}

/// `log2(rank)` with [`LOG_BITS`] bits after the point, one bit per squaring. `rank` is at least 1.
fn log2(rank: u64) -> u64 {
    let whole = rank.ilog2();
    // The mantissa in [1, 2) with 63 bits after the point.
    let mut mantissa = rank << (63 - whole);
    let mut log = u64::from(whole);
    for _ in 0..LOG_BITS {
        let square = (u128::from(mantissa) * u128::from(mantissa)) >> 63;
        let at_least_two = square >> 64 == 1;
        mantissa = u64::try_from(square >> u32::from(at_least_two)).unwrap_or(u64::MAX);
        log = log << 1 | u64::from(at_least_two);
    }
    log
}

/// `2^-(1/2)`, `2^-(1/4)`, … with 64 bits after the point: each the square root of the one before.
fn roots_of_one_half() -> Roots {
    let mut value = 1_u128 << 63;
    [(); LOG_BITS as usize].map(|()| {
        // sqrt(v / 2^64) · 2^64 = sqrt(v · 2^64)
        value = (value << 64).isqrt();
        u64::try_from(value).unwrap_or(u64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::real;

    #[test]
    fn weights_are_the_powers_they_stand_for() {
        let roots = roots_of_one_half();
        let begun = begun_powers(&roots);
        for thousandths in [990, 1200, 1000, 0] {
            for rank in [1_u64, 2, 3, 10, 1000, 1_048_576] {
                let exact = real(rank).powf(-f64::from(thousandths) / 1000.0) * real(1 << TOP_BITS);
                let ours = real(weight(rank, thousandths, &roots, &begun));
                assert!(
                    (ours - exact).abs() <= exact * 1e-7 + 1.0,
                    "{rank}^-{thousandths}: {ours}, {exact}"
                );
            }
        }
    }

    #[test]
    fn the_first_ranks_come_as_often_as_the_law_says() {
        let zipf = Zipf::new(1000, 990);
        let mut stream = Stream::new(1, "zipf");
        let draws = 100_000;
        let mut counts = vec![0_u32; 1000];
        for _ in 0..draws {
            counts[zipf.draw(&mut stream)] += 1;
        }
        let norm: f64 = (1..=1000_u32).map(|k| f64::from(k).powf(-0.99)).sum();
        for rank in [0, 1, 9] {
            let p = (real(rank as u64) + 1.0).powf(-0.99) / norm;
            let expected = p * f64::from(draws);
            assert!(
                (f64::from(counts[rank]) - expected).abs() < 5.0 * expected.sqrt(),
                "rank {rank}"
            );
        }
    }

    #[test]
    fn the_guide_leads_to_the_rank_that_a_search_of_all_finds() {
        for (ranks, thousandths) in [(1, 990), (7, 1200), (5_000, 990), (100_000, 0)] {
            let zipf = Zipf::new(ranks, thousandths);
            let sum = *zipf.cumulative.last().unwrap();
            let mut stream = Stream::new(2, "zipf/guide");
            let edges = zipf.cumulative.iter().take(50).flat_map(|&edge| [edge - 1, edge]);
            let drawn = (0..20_000).map(|_| stream.below(sum));
            for point in edges.chain(drawn).chain([0, sum - 1]).filter(|&point| point < sum) {
                let all = zipf.cumulative.partition_point(|&sum| sum <= point);
                assert_eq!(zipf.rank_of(point, sum), all, "{ranks} ranks, point {point}");
            }
        }
    }

    #[test]
    fn exponent_zero_is_uniform() {
        let zipf = Zipf::new(4, 0);
        assert!(zipf.cumulative.windows(2).all(|w| w[1] - w[0] == zipf.cumulative[0]));
    }
}
