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
}

impl Zipf {
    /// The law with exponent `thousandths / 1000` over `ranks` ranks.
    #[must_use]
    pub(super) fn new(ranks: usize, thousandths: u32) -> Self {
        let roots = roots_of_one_half();
        let mut sum = 0_u64;
        let cumulative = (1..=ranks as u64)
            .map(|rank| {
                sum += weight(rank, thousandths, &roots);
                sum
            })
            .collect();
        Self { cumulative }
    }

    /// The next rank, 0 the likeliest.
    pub(super) fn draw(&self, stream: &mut Stream) -> usize {
        let point = stream.below(self.cumulative.last().copied().unwrap_or(0));
        self.cumulative.partition_point(|&sum| sum <= point)
    }
}

/// `rank^(-thousandths/1000)`, in units of `2^-TOP_BITS`, at least 1.
fn weight(rank: u64, thousandths: u32, roots: &[u64; LOG_BITS as usize]) -> u64 {
    let exponent = u128::from(log2(rank)) * u128::from(thousandths) / 1000;
    let whole = u32::try_from(exponent >> LOG_BITS).unwrap_or(u32::MAX);
    // 2^-f for the part after the point: the product of 2^-(1/2), 2^-(1/4), … for the bits of f that are set.
    let mut power = u128::from(u64::MAX);
    for (bit, &root) in roots.iter().enumerate() {
        if exponent >> (LOG_BITS as usize - 1 - bit) & 1 == 1 {
            power = (power * u128::from(root)) >> 64;
        }
    }
    let scaled = power >> (64 - TOP_BITS).saturating_add(whole).min(127);
    u64::try_from(scaled).unwrap_or(u64::MAX).max(1)
}

/// `log2(rank)` with [`LOG_BITS`] bits after the point, one bit per squaring. `rank` is at least 1.
fn log2(rank: u64) -> u64 {
    let whole = rank.ilog2();
    // The mantissa in [1, 2) with 63 bits after the point.
    let mut mantissa = u128::from(rank) << (63 - whole);
    let mut log = u64::from(whole);
    for _ in 0..LOG_BITS {
        mantissa = (mantissa * mantissa) >> 63;
        let at_least_two = mantissa >> 64;
        mantissa >>= at_least_two;
        log = log << 1 | u64::from(at_least_two == 1);
    }
    log
}

/// `2^-(1/2)`, `2^-(1/4)`, … with 64 bits after the point: each the square root of the one before.
fn roots_of_one_half() -> [u64; LOG_BITS as usize] {
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
        for thousandths in [990, 1200, 1000, 0] {
            for rank in [1_u64, 2, 3, 10, 1000, 1_048_576] {
                let exact = real(rank).powf(-f64::from(thousandths) / 1000.0) * real(1 << TOP_BITS);
                let ours = real(weight(rank, thousandths, &roots));
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
    fn exponent_zero_is_uniform() {
        let zipf = Zipf::new(4, 0);
        assert!(zipf.cumulative.windows(2).all(|w| w[1] - w[0] == zipf.cumulative[0]));
    }
}
