//! Medians, intervals and ratios: every statistic that is printed comes from here.
//!
//! The unit of replication is the **process pair**: two processes measured in turn. Samples inside a pair share the
//! address space layout, the state of the allocator and the weather of one moment, so they say little about the next
//! pair. An interval of samples alone would be far too narrow. [`order_interval`] and [`ratio_of_pairs`] count pairs;
//! [`hierarchical_interval`] resamples sittings, pairs and samples, and so sees the difference between sittings, which
//! pairs alone take for chance. Tables show the smallest interval that holds both.
//!
//! Nothing here reads a clock, so everything is tested on synthetic data whose truth is known.

use crate::seeded::Stream;

/// The confidence that every interval aims at.
pub const CONFIDENCE: f64 = 0.95;

/// Resamples of a bootstrap.
pub const RESAMPLES: usize = 2_000;

/// A whole number as a real one.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "times and counts stay far below 2^53; beyond it a statistic loses only its last digits"
)]
pub fn real(n: u64) -> f64 {
    n as f64
}

/// A length as a real number.
#[must_use]
pub fn real_len(n: usize) -> f64 {
    real(n as u64)
}

/// A median and the interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub median: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability that such an interval holds the true median. Below [`CONFIDENCE`] where there were too few
    /// values: then the interval is their whole range and this is what that range is worth.
    pub coverage: f64,
}

impl Interval {
    /// An interval known exactly: all three figures are `value`.
    #[must_use]
    pub fn exact(value: f64) -> Self {
        Self { median: value, low: value, high: value, coverage: 1.0 }
    }

    /// The interval of `f` of the quantity, for a monotone `f`; a falling one swaps the ends.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let (one, other) = (f(self.low), f(self.high));
        Self {
            median: f(self.median),
            low: one.min(other),
            high: one.max(other),
            coverage: self.coverage,
        }
    }

    /// The smallest interval that holds both, with the median of `self` and the smaller coverage of the two.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            median: self.median,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            coverage: self.coverage.min(other.coverage),
        }
    }

    /// Both ends moved away from the median by `factor`, as ratios: a factor of 2 turns +3 % into about +6 %.
    ///
    /// For positive quantities. Used where the machine could not be held still (no pinning), see
    /// [`UNPINNED_WIDENING`](crate::lockstep::UNPINNED_WIDENING).
    #[must_use]
    pub fn widened(self, factor: f64) -> Self {
        let stretch = |end: f64| self.median * (end / self.median).powf(factor);
        Self { low: stretch(self.low), high: stretch(self.high), ..self }
    }

    /// Whether `value` lies within, ends included.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Half the width, as a part of the median: what stands after `±`.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        if self.median == 0.0 {
            return 0.0;
        }
        (self.high - self.low) / 2.0 / self.median
    }
}

/// The values in ascending order.
fn ascending(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The median of values in ascending order.
fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(sorted[middle - 1], upper))
}

/// The middle value; the mean of the two middle ones where their number is even; `None` for no values.
///
/// # Examples
///
/// ```
/// use ring_bench::stats::median;
///
/// assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
/// assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
/// assert_eq!(median(&[]), None);
/// ```
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    median_of_sorted(&ascending(values))
}

/// The probability of `wins` or more heads in `n` throws of a fair coin.
///
/// Exact to the last digits of a `f64`: the terms are summed from the smallest on.
#[must_use]
pub fn binomial_upper_tail(n: usize, wins: usize) -> f64 {
    if wins > n {
        return 0.0;
    }
    // ln C(n, i) grows term by term from i = n downwards, so that no factorial overflows.
    let ln_half_n = real_len(n) * std::f64::consts::LN_2;
    let mut ln_choose = 0.0_f64;
    let mut tail = 0.0;
    for heads in (wins..=n).rev() {
        tail += (ln_choose - ln_half_n).exp();
        if heads > 0 {
            ln_choose += (real_len(heads) / real_len(n - heads + 1)).ln();
        }
    }
    tail.min(1.0)
}

/// One-sided sign test: how likely at least `slower` of `pairs` would be slower if neither side were.
///
/// 7 of 8 give 0.035, 13 of 16 give 0.011; both together 3.7e-4, the rate of false alarms of a two-stage gate.
#[must_use]
pub fn sign_test(slower: usize, pairs: usize) -> f64 {
    binomial_upper_tail(pairs, slower)
}

/// The interval between the k-th smallest and the k-th largest value, with its exact coverage of the true median.
///
/// The largest k whose coverage, `1 − 2·P(Binomial(n, ½) < k)`, still reaches [`CONFIDENCE`]. This asks nothing of the
/// distribution but that the values are independent. With six values that is their whole range (0.969); with fewer
/// no choice reaches the confidence, the range is given and `coverage` says so. `None` for no values.
///
/// # Examples
///
/// ```
/// use ring_bench::stats::order_interval;
///
/// let six = order_interval(&[5.0, 3.0, 4.0, 1.0, 2.0, 6.0]).unwrap();
/// assert_eq!((six.median, six.low, six.high), (3.5, 1.0, 6.0));
/// assert!((six.coverage - 0.96875).abs() < 1e-12);
/// ```
#[must_use]
pub fn order_interval(values: &[f64]) -> Option<Interval> {
    let sorted = ascending(values);
    let n = sorted.len();
    let median = median_of_sorted(&sorted)?;
    // k values lie outside at each end; P(Binomial < k) = P(Binomial > n − k) by symmetry.
    let coverage = |outside: usize| 1.0 - 2.0 * binomial_upper_tail(n, n - outside);
    let mut outside = 0;
    while outside + 1 < n.div_ceil(2) && coverage(outside + 1) >= CONFIDENCE {
        outside += 1;
    }
    Some(Interval {
        median,
        low: sorted[outside],
        high: sorted[n - 1 - outside],
        coverage: coverage(outside).max(0.0),
    })
}

/// The middle 95 % of resampled statistics around `estimate`.
pub(crate) fn percentile_interval(estimate: f64, mut resampled: Vec<f64>) -> Interval {
    resampled.sort_unstable_by(f64::total_cmp);
    // 2.5 % at each end.
    let cut = resampled.len() / 40;
    Interval {
        median: estimate,
        low: resampled[cut],
        high: resampled[resampled.len() - 1 - cut],
        coverage: CONFIDENCE,
    }
}

/// Percentile bootstrap of the median: seeded, so that the same values give the same interval. `None` for no values.
#[must_use]
pub fn bootstrap_interval(values: &[f64], seed: u64) -> Option<Interval> {
    let estimate = median(values)?;
    let mut stream = Stream::new(seed, "bootstrap");
    let mut draw = vec![0.0; values.len()];
    let resampled = (0..RESAMPLES).map(|_| {
        draw.fill_with(|| values[stream.index(values.len())]);
        median(&draw).unwrap_or(estimate)
    });
    Some(percentile_interval(estimate, resampled.collect()))
}

/// Values of one experiment in their three levels: sittings, in each its process pairs, in each its samples.
pub type Sittings = [Vec<Vec<f64>>];

/// The median over all process pairs of each pair's median. `None` where a level is empty.
#[must_use]
pub fn hierarchical_median(sittings: &Sittings) -> Option<f64> {
    let pairs: Vec<f64> = sittings.iter().flatten().filter_map(|samples| median(samples)).collect();
    median(&pairs)
}

/// Bootstrap over sittings, pairs in a sitting and samples in a pair, of [`hierarchical_median`].
///
/// The resampled sittings carry the difference between sittings, which samples alone would hide. With three sittings
/// that level is itself poorly known, so read it together with the range between sittings. `None` where there is
/// nothing to resample.
#[must_use]
pub fn hierarchical_interval(sittings: &Sittings, seed: u64) -> Option<Interval> {
    let estimate = hierarchical_median(sittings)?;
    let filled: Vec<Vec<&Vec<f64>>> = sittings
        .iter()
        .map(|pairs| pairs.iter().filter(|samples| !samples.is_empty()).collect::<Vec<_>>())
        .filter(|pairs| !pairs.is_empty())
        .collect();
    let mut stream = Stream::new(seed, "hierarchical");
    let mut draw = Vec::new();
    let resampled = (0..RESAMPLES).map(|_| {
        let mut medians = Vec::new();
        for _ in 0..filled.len() {
            let pairs = &filled[stream.index(filled.len())];
            for _ in 0..pairs.len() {
                let samples = pairs[stream.index(pairs.len())];
                draw.clear();
                draw.extend((0..samples.len()).map(|_| samples[stream.index(samples.len())]));
                medians.extend(median(&draw));
            }
        }
        median(&medians).unwrap_or(estimate)
    });
    Some(percentile_interval(estimate, resampled.collect()))
}

/// The times of one adjacent sample pair, in the same unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimePair {
    /// The first subject's time.
    pub a: f64,
    /// The second subject's time.
    pub b: f64,
}

/// The median over a process pair's sample pairs of `ln(b / a)`. `None` without a pair of positive times.
///
/// Each sample is set against its neighbour in time only, so that a slow moment of the machine hits both and cancels.
#[must_use]
pub fn log_ratio(samples: &[TimePair]) -> Option<f64> {
    let logs: Vec<f64> = samples
        .iter()
        .filter(|pair| pair.a > 0.0 && pair.b > 0.0)
        .map(|pair| (pair.b / pair.a).ln())
        .collect();
    median(&logs)
}

/// How the second subject's time compares with the first's, over process pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// Second over first: above 1 the second is slower.
    pub interval: Interval,
    /// Pairs in which the second was slower.
    pub slower: usize,
    /// Pairs in all.
    pub pairs: usize,
    /// The largest distance of a pair from 1, as a part: 0.02 where the worst pair was off by 2 %.
    pub spread: f64,
}

impl Ratio {
    /// Whether the interval leaves out 1: one of the two is faster.
    #[must_use]
    pub fn is_distinguishable(&self) -> bool {
        !self.interval.holds(1.0)
    }
}

/// The ratio from the [`log_ratio`] of each process pair: median, exact order-statistic interval, signs and spread.
///
/// `None` without pairs.
#[must_use]
pub fn ratio_of_pairs(log_ratios: &[f64]) -> Option<Ratio> {
    let interval = order_interval(log_ratios)?.map(f64::exp);
    let worst = log_ratios.iter().fold(0.0_f64, |worst, log| worst.max(log.abs()));
    Some(Ratio {
        interval,
        slower: log_ratios.iter().filter(|&&log| log > 0.0).count(),
        pairs: log_ratios.len(),
        spread: worst.exp_m1(),
    })
}

#[cfg(test)]
#[path = "stats_tests.rs"]
mod tests;
