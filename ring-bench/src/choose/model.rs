//! The cost model, and what pairs of measured costs say about a workload. Nothing here measures.
//!
//! A workload with L lookups for each changed node and changes of b nodes costs `L·lookup + update(b)/b` a changed node.
//! Both ends are measured, L = 0 as changes alone and L without end as lookups alone, so every L lies between two
//! measurements. What the line between them leaves out is what lookups and changes do to each other's caches; the mixed
//! workload is therefore run as well, and set beside the line.
//!
//! The unit of replication is the process pair, as everywhere: each pair gives both backends' costs of one moment.

use serde::{Deserialize, Serialize};

use crate::choose::workload::Lookups;
use crate::seeded::Stream;
use crate::stats::{
    Interval, RESAMPLES, median, order_interval, percentile_interval, real, real_len,
};
use crate::subject::BACKENDS;

/// What one process pair found, in nanoseconds: first backend, second backend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairCost {
    /// The sitting that the pair belongs to.
    pub sitting: usize,
    /// One lookup.
    pub lookup: [f64; 2],
    /// One changed node; 0 where nothing changes.
    pub update: [f64; 2],
}

impl PairCost {
    /// What a changed node costs with its lookups, or one lookup where nothing changes.
    #[must_use]
    pub fn cost(&self, lookups: Lookups) -> [f64; 2] {
        match lookups {
            Lookups::Only => self.lookup,
            Lookups::PerChange(n) => [0, 1].map(|at| real(n) * self.lookup[at] + self.update[at]),
        }
    }

    /// `ln(second / first)` of the cost.
    pub(super) fn log_ratio(&self, lookups: Lookups) -> f64 {
        let [first, second] = self.cost(lookups);
        (second / first).ln()
    }
}

/// The second backend's cost over the first's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CostRatio {
    /// The median over process pairs.
    pub median: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
}

/// The number of lookups for each changed node at which both cost the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BreakEven {
    /// The median over process pairs.
    pub lookups_per_change: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// The cheaper backend with fewer lookups.
    pub below: String,
    /// The cheaper backend with more.
    pub above: String,
}

/// How the two stand to each other over all L.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// This backend (0 or 1) is cheaper in lookups and in changes.
    Dominates(usize),
    /// Each is cheaper in one of the two.
    BreakEven(BreakEven),
    /// Lookups or changes cannot be told apart, so no L is known at which the ranking turns.
    Unknown(String),
}

/// The interval of the second backend's figure less the first's.
fn difference(pairs: &[PairCost], figure: impl Fn(&PairCost) -> [f64; 2]) -> Option<Interval> {
    let differences: Vec<f64> = pairs
        .iter()
        .map(|pair| {
            let [first, second] = figure(pair);
            second - first
        })
        .collect();
    order_interval(&differences)
}

/// How the two stand to each other.
#[must_use]
pub fn outcome(pairs: &[PairCost], lookups: Lookups) -> Outcome {
    let unknown = |what: &str| {
        Outcome::Unknown(format!("{what} of the two backends cannot be told apart in these pairs"))
    };
    let Some(lookup) = difference(pairs, |pair| pair.lookup) else { return unknown("costs") };
    if lookup.holds(0.0) {
        return unknown("lookups");
    }
    let faster = usize::from(lookup.median < 0.0);
    if lookups == Lookups::Only {
        return Outcome::Dominates(faster);
    }
    let Some(update) = difference(pairs, |pair| pair.update) else { return unknown("costs") };
    if update.holds(0.0) {
        return unknown("changes");
    }
    if (lookup.median > 0.0) == (update.median > 0.0) {
        return Outcome::Dominates(faster);
    }
    // Where the signs of single pairs differ from those of the interval, a pair has no break-even and is left out of the
    // median; the interval of both differences has the right sign, so that most have one.
    let crossings: Vec<f64> = pairs
        .iter()
        .map(|pair| (pair.update[0] - pair.update[1]) / (pair.lookup[1] - pair.lookup[0]))
        .filter(|crossing| crossing.is_finite() && *crossing > 0.0)
        .collect();
    match order_interval(&crossings) {
        Some(interval) => Outcome::BreakEven(BreakEven {
            lookups_per_change: interval.median,
            low: interval.low,
            high: interval.high,
            below: BACKENDS[1 - faster].to_owned(),
            above: BACKENDS[faster].to_owned(),
        }),
        None => unknown("costs"),
    }
}

/// What the pairs say about the workload itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The second backend's cost over the first's.
    pub ratio: Interval,
    /// The backend with the smaller median cost, 0 or 1.
    pub cheaper: usize,
    /// The probability that it is the cheaper one: the part of hierarchical resamples (sittings, pairs in them) in which
    /// it is.
    pub p_cheaper: f64,
    /// Whether every sitting by itself says so too.
    pub sittings_agree: bool,
}

/// Compares the costs of the workload. `None` without pairs.
#[must_use]
pub fn compare(pairs: &[PairCost], lookups: Lookups, seed: u64) -> Option<Comparison> {
    let logs: Vec<f64> = pairs.iter().map(|pair| pair.log_ratio(lookups)).collect();
    let interval = order_interval(&logs)?;
    let cheaper = usize::from(interval.median < 0.0);
    let wins = |log: f64| if cheaper == 0 { log > 0.0 } else { log < 0.0 };
    let mut sittings: Vec<Vec<f64>> = Vec::new();
    for (pair, &log) in pairs.iter().zip(&logs) {
        if sittings.len() <= pair.sitting {
            sittings.resize(pair.sitting + 1, Vec::new());
        }
        sittings[pair.sitting].push(log);
    }
    sittings.retain(|sitting| !sitting.is_empty());
    let mut stream = Stream::new(seed, "choose/resample");
    let resampled: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let mut drawn = Vec::with_capacity(logs.len());
            for _ in 0..sittings.len() {
                let sitting = &sittings[stream.index(sittings.len())];
                drawn.extend((0..sitting.len()).map(|_| sitting[stream.index(sitting.len())]));
            }
            median(&drawn)
        })
        .collect();
    let won = resampled.iter().filter(|&&log| wins(log)).count();
    // Wider where the sittings differ: the pairs alone would take them for one.
    let interval = interval.hull(percentile_interval(interval.median, resampled));
    Some(Comparison {
        ratio: interval.map(f64::exp),
        cheaper,
        p_cheaper: real_len(won) / real_len(RESAMPLES),
        sittings_agree: sittings.iter().all(|sitting| median(sitting).is_some_and(wins)),
    })
}

/// Where the model is checked: a quarter of the break-even, the break-even, four times it (where there is none, the same
/// around the workload's own L), and always the workload's own L, where the verdict is given.
///
/// The first three have at most `most` lookups for each changed node, the own one at most `most_own`, so that a round
/// stays measurable. A workload without a lookup is checked with the others alone: there the model is its own
/// measurement.
#[must_use]
pub fn check_points(outcome: &Outcome, lookups: Lookups, most: f64, most_own: f64) -> Vec<u64> {
    let Lookups::PerChange(own) = lookups else { return Vec::new() };
    let centre = match outcome {
        Outcome::BreakEven(even) => even.lookups_per_change,
        Outcome::Dominates(_) | Outcome::Unknown(_) => real(own),
    };
    let centre = centre.clamp(4.0, (most / 4.0).max(4.0));
    let mut points: Vec<u64> =
        [centre / 4.0, centre, centre * 4.0].into_iter().map(whole).collect();
    if own > 0 {
        points.push(own.min(whole(most_own)).max(1));
    }
    points.sort_unstable();
    points.dedup();
    points
}

/// The nearest whole number of one that is positive and below 2^53.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is clamped to what a u64 holds exactly"
)]
fn whole(value: f64) -> u64 {
    value.round().clamp(0.0, 9_007_199_254_740_992.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs around these costs, each off by up to one per cent, over three sittings.
    fn pairs(lookup: [f64; 2], update: [f64; 2]) -> Vec<PairCost> {
        [0.99, 1.0, 1.01, 0.995, 1.005, 1.0]
            .into_iter()
            .enumerate()
            .map(|(at, off)| PairCost {
                sitting: at / 2,
                lookup: [lookup[0], lookup[1] * off],
                update: [update[0] * off, update[1]],
            })
            .collect()
    }

    #[test]
    fn a_break_even_is_where_the_costs_are_equal() {
        let pairs = pairs([20.0, 70.0], [70_000.0, 20_000.0]);
        let Outcome::BreakEven(even) = outcome(&pairs, Lookups::PerChange(5)) else {
            panic!("no break-even")
        };
        assert!((even.lookups_per_change - 1_000.0).abs() < 20.0, "{even:?}");
        assert!(even.low <= even.lookups_per_change && even.lookups_per_change <= even.high);
        assert_eq!((even.below.as_str(), even.above.as_str()), ("btree", "sortedvec"));
        let below = compare(&pairs, Lookups::PerChange(100), 1).unwrap();
        assert_eq!((below.cheaper, below.sittings_agree), (1, true));
        assert!(below.p_cheaper > 0.99 && below.ratio.high < 1.0);
        let above = compare(&pairs, Lookups::PerChange(10_000), 1).unwrap();
        assert_eq!(above.cheaper, 0);
        assert!(above.ratio.low > 1.0);
        let even = compare(&pairs, Lookups::PerChange(1_000), 1).unwrap();
        assert!(even.ratio.holds(1.0) && even.p_cheaper < 0.99);
    }

    #[test]
    fn cheaper_in_both_dominates_and_nothing_else_does() {
        let cheap = pairs([20.0, 70.0], [2_000.0, 20_000.0]);
        assert_eq!(outcome(&cheap, Lookups::PerChange(5)), Outcome::Dominates(0));
        let dear = pairs([70.0, 20.0], [20_000.0, 2_000.0]);
        assert_eq!(outcome(&dear, Lookups::PerChange(5)), Outcome::Dominates(1));
        // Changes do not matter where there are none.
        let split = pairs([20.0, 70.0], [70_000.0, 20_000.0]);
        assert_eq!(outcome(&split, Lookups::Only), Outcome::Dominates(0));
        let same = pairs([50.0, 50.0], [2_000.0, 20_000.0]);
        assert!(matches!(outcome(&same, Lookups::PerChange(5)), Outcome::Unknown(_)));
        assert!(matches!(outcome(&[], Lookups::Only), Outcome::Unknown(_)));
    }

    #[test]
    fn sittings_that_disagree_are_seen() {
        let mut pairs = pairs([20.0, 22.0], [1_000.0, 1_000.0]);
        for pair in &mut pairs[..2] {
            pair.lookup = [22.0, 20.0];
        }
        let comparison = compare(&pairs, Lookups::Only, 1).unwrap();
        assert!(!comparison.sittings_agree);
        assert!(comparison.p_cheaper < 0.99, "{comparison:?}");
        assert!(comparison.ratio.holds(1.0), "{comparison:?}");
    }

    #[test]
    fn checks_stand_around_the_break_even_or_the_workload() {
        let even = outcome(&pairs([20.0, 70.0], [70_000.0, 20_000.0]), Lookups::PerChange(5));
        let points = |outcome: &Outcome, own: u64, most: f64, most_own: f64| {
            check_points(outcome, Lookups::PerChange(own), most, most_own)
        };
        // Far from the break-even, the workload's own L is checked as well.
        let far = points(&even, 5, 131_072.0, 1e6);
        assert_eq!((far.len(), far[0]), (4, 5));
        assert!(far[1].abs_diff(250) < 10 && far[3].abs_diff(4_000) < 100, "{far:?}");
        let beyond = points(&even, 500_000, 131_072.0, 1e6);
        assert_eq!(beyond[3], 500_000);
        let none = Outcome::Dominates(0);
        assert_eq!(points(&none, 400, 131_072.0, 1e6), [100, 400, 1_600]);
        assert_eq!(points(&none, 0, 131_072.0, 1e6), [1, 4, 16]);
        assert_eq!(points(&none, 1, 131_072.0, 1e6), [1, 4, 16]);
        assert_eq!(points(&none, u64::MAX, 1_024.0, 1e6), [64, 256, 1_024, 1_000_000]);
        assert!(check_points(&none, Lookups::Only, 1_024.0, 1e6).is_empty());
    }
}
