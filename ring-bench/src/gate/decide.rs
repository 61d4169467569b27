//! The rules of the gate: when a ratio is suspicious, when it is a regression, when nothing can be said.
//!
//! Nothing here reads a clock or starts a process, so every rule is tested on ratios that were made up.
//!
//! Stage one looks at [`STAGE_ONE`] process pairs, stage two at [`STAGE_TWO`] fresh ones, and only of what stage one
//! flagged. A benchmark has to be over the threshold and slower in nearly all pairs, twice. The null control, two copies
//! of the base, passes through the same two stages: a control that gets through both says that this machine, at this
//! hour, invents differences.

use crate::stats::{Ratio, real_len};

/// Process pairs of stage one, and how many of them must be slower.
pub const STAGE_ONE: Stage = Stage { pairs: 8, slower: 7 };

/// Process pairs of stage two, and how many of them must be slower.
pub const STAGE_TWO: Stage = Stage { pairs: 16, slower: 13 };

/// A stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// Process pairs.
    pub pairs: usize,
    /// Pairs that must be slower.
    pub slower: usize,
}

impl Stage {
    /// Whether so many pairs are slower that it is no chance, and the median is over `threshold` (0.05 for 5 %).
    #[must_use]
    pub fn flags(self, ratio: &Ratio, threshold: f64) -> bool {
        // Where pairs are missing, the rest must be as sure.
        ratio.slower * self.pairs >= self.slower * ratio.pairs.max(1)
            && ratio.interval.median > 1.0 + threshold
    }
}

/// Above this a confirmed slowdown is a warning, where the null control allows.
pub const WARN: f64 = 0.03;

/// Above this a confirmed slowdown fails, where the null control allows.
pub const FAIL: f64 = 0.05;

/// The least threshold of a ring beyond the second-level cache: two processes with one binary differ by several percent
/// there, since each lays its memory out anew.
pub const WIDE: f64 = 0.10;

/// No threshold is below this many times the spread of the null control.
pub const SPREADS: f64 = 3.0;

/// A null control that spreads by more than this leaves nothing to decide by.
pub const NULL_LIMIT: f64 = 0.025;

/// More instructions than this warn.
pub const IR_WARN: f64 = 0.01;

/// More instructions than this fail, unless the head is at least as fast all the same.
pub const IR_FAIL: f64 = 0.05;

/// What was measured of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Head over base, stage one.
    pub first: Ratio,
    /// Head over base, stage two, where stage one flagged it.
    pub second: Option<Ratio>,
    /// The copy of the base over the base, stage one.
    pub null_first: Ratio,
    /// The same, stage two, where stage one flagged it.
    pub null_second: Option<Ratio>,
    /// Whether the ring fits the second-level cache.
    pub fits_l2: bool,
    /// Instructions, head over base, where they were counted.
    pub ir_ratio: Option<f64>,
}

/// What became of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not slower, as far as can be told.
    Pass,
    /// Faster: at least [`STAGE_ONE`] says so in the other direction.
    Faster,
    /// Slower, confirmed, but below the threshold that fails; or more instructions.
    Warn,
    /// Slower, confirmed.
    Regressed,
    /// Slower, confirmed, and accepted in writing.
    Accepted,
    /// Its own null control was so far off that it says nothing.
    Unjudged,
}

impl Status {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Faster => "faster",
            Self::Warn => "warn",
            Self::Regressed => "regressed",
            Self::Accepted => "accepted",
            Self::Unjudged => "unjudged",
        }
    }
}

/// How far a null control is off, as a part.
fn off(ratio: &Ratio) -> f64 {
    (ratio.interval.median.ln().abs()).exp_m1()
}

/// The spread of a run's null control: the root mean square of how far each benchmark's copy was off, over the rings
/// that fit the second-level cache (over all where none does). It is the standard deviation of the very statistic that
/// is judged.
#[must_use]
pub fn null_spread(nulls: &[(Ratio, bool)]) -> f64 {
    let any_fits = nulls.iter().any(|(_, fits)| *fits);
    let squares: Vec<f64> = nulls
        .iter()
        .filter(|(_, fits)| *fits || !any_fits)
        .map(|(ratio, _)| ratio.interval.median.ln().powi(2))
        .collect();
    (squares.iter().sum::<f64>() / real_len(squares.len().max(1))).sqrt().exp_m1()
}

/// The thresholds of one benchmark: above which it warns, and above which it fails.
///
/// `widening` is 1, and more where the workers could not be pinned.
#[must_use]
pub fn thresholds(evidence: &Evidence, null_spread: f64, widening: f64) -> [f64; 2] {
    let own = off(&evidence.null_first);
    let floor = SPREADS * widening * if evidence.fits_l2 { own.max(null_spread) } else { own };
    [WARN, FAIL].map(|least| if evidence.fits_l2 { least } else { WIDE }.max(floor))
}

/// Whether a null control got through both stages.
#[must_use]
pub fn tripped(evidence: &Evidence) -> bool {
    STAGE_ONE.flags(&evidence.null_first, WARN)
        && evidence.null_second.is_some_and(|second| STAGE_TWO.flags(&second, WARN))
}

/// Whether the control of a whole run leaves nothing to decide by: a sentence why.
#[must_use]
pub fn inconclusive(evidence: &[Evidence], null_spread: f64) -> Option<String> {
    if null_spread > NULL_LIMIT {
        return Some(format!(
            "two copies of the base differ by {:.1} % here, more than {:.1} %",
            null_spread * 100.0,
            NULL_LIMIT * 100.0
        ));
    }
    let trips = evidence.iter().filter(|e| e.fits_l2 && tripped(e)).count();
    (trips > 0).then(|| {
        format!("{trips} of {} null controls looked slower in both stages", evidence.len())
    })
}

/// What becomes of one benchmark.
#[must_use]
pub fn status(evidence: &Evidence, null_spread: f64, widening: f64) -> Status {
    let [warn, fail] = thresholds(evidence, null_spread, widening);
    if !evidence.fits_l2 && (off(&evidence.null_first) > WIDE / 2.0 || tripped(evidence)) {
        return Status::Unjudged;
    }
    if let Some(second) = &evidence.second {
        if STAGE_ONE.flags(&evidence.first, fail) && STAGE_TWO.flags(second, fail) {
            return Status::Regressed;
        }
        if STAGE_TWO.flags(second, warn) {
            return Status::Warn;
        }
    }
    let last = evidence.second.as_ref().unwrap_or(&evidence.first);
    if let Some(ir) = evidence.ir_ratio {
        let as_fast = last.interval.median <= 1.0 + null_spread;
        if ir > 1.0 + IR_FAIL && !as_fast {
            return Status::Regressed;
        }
        if ir > 1.0 + IR_WARN {
            return Status::Warn;
        }
    }
    let faster = Ratio {
        interval: evidence.first.interval.map(|ratio| 1.0 / ratio),
        slower: evidence.first.pairs - evidence.first.slower,
        ..evidence.first
    };
    if STAGE_ONE.flags(&faster, warn) { Status::Faster } else { Status::Pass }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::ratio_of_pairs;

    /// Pairs that are all off by `percent`, but for `fewer` that are just as much faster.
    fn ratio(percent: f64, pairs: usize, fewer: usize) -> Ratio {
        let log = (percent / 100.0).ln_1p();
        let logs: Vec<f64> = (0..pairs).map(|i| if i < fewer { -log } else { log }).collect();
        ratio_of_pairs(&logs).unwrap()
    }

    fn evidence(first: Ratio, second: Option<Ratio>) -> Evidence {
        Evidence {
            first,
            second,
            null_first: ratio(0.2, 8, 4),
            null_second: None,
            fits_l2: true,
            ir_ratio: None,
        }
    }

    #[test]
    fn a_stage_wants_both_the_size_and_the_signs() {
        assert!(STAGE_ONE.flags(&ratio(10.0, 8, 1), FAIL));
        assert!(!STAGE_ONE.flags(&ratio(10.0, 8, 2), FAIL));
        assert!(!STAGE_ONE.flags(&ratio(4.0, 8, 0), FAIL));
        assert!(STAGE_ONE.flags(&ratio(4.0, 8, 0), WARN));
        assert!(STAGE_TWO.flags(&ratio(10.0, 16, 3), FAIL));
        assert!(!STAGE_TWO.flags(&ratio(10.0, 16, 4), FAIL));
    }

    #[test]
    fn slow_in_both_stages_fails_and_in_one_does_not() {
        let judged = |first, second| status(&evidence(first, second), 0.005, 1.0);
        let slow = ratio(10.0, 8, 0);
        assert_eq!(judged(slow, Some(ratio(10.0, 16, 0))), Status::Regressed);
        assert_eq!(judged(slow, Some(ratio(10.0, 16, 4))), Status::Pass);
        assert_eq!(judged(slow, Some(ratio(2.0, 16, 0))), Status::Pass);
        assert_eq!(judged(slow, Some(ratio(4.0, 16, 0))), Status::Warn);
        assert_eq!(judged(ratio(4.0, 8, 0), Some(ratio(4.0, 16, 0))), Status::Warn);
        // Over the threshold that fails only at the second sight: the first did not say so.
        assert_eq!(judged(ratio(4.0, 8, 0), Some(ratio(9.0, 16, 0))), Status::Warn);
        assert_eq!(judged(ratio(10.0, 8, 7), None), Status::Faster);
        assert_eq!(judged(ratio(1.0, 8, 0), None), Status::Pass);
    }

    #[test]
    fn no_threshold_is_below_three_spreads() {
        let slow = evidence(ratio(7.0, 8, 0), Some(ratio(7.0, 16, 0)));
        assert_eq!(status(&slow, 0.01, 1.0), Status::Regressed);
        // Three spreads of 2.4 % are 7.2 %.
        assert_eq!(status(&slow, 0.024, 1.0), Status::Pass);
        // Where nothing was pinned, six spreads of 1.2 %.
        assert_eq!(status(&slow, 0.012, 2.0), Status::Pass);
        // Its own control counts as well.
        let own = Evidence { null_first: ratio(2.4, 8, 0), ..slow };
        assert_eq!(status(&own, 0.01, 1.0), Status::Pass);
    }

    #[test]
    fn the_spread_is_that_of_the_rings_that_fit() {
        let nulls = [(ratio(1.0, 8, 0), true), (ratio(30.0, 8, 0), false)];
        assert!((null_spread(&nulls) - 0.01).abs() < 1e-9);
        assert!((null_spread(&nulls[1..]) - 0.30).abs() < 1e-9);
        assert!(null_spread(&[]).abs() < 1e-12);
        assert!(inconclusive(&[], 0.0251).is_some());
        assert!(inconclusive(&[], 0.0249).is_none());
    }

    #[test]
    fn a_control_that_gets_through_both_stages_leaves_nothing_to_decide() {
        let mut trips = evidence(ratio(1.0, 8, 4), None);
        trips.null_first = ratio(4.0, 8, 0);
        assert!(!tripped(&trips));
        trips.null_second = Some(ratio(4.0, 16, 0));
        assert!(tripped(&trips));
        assert!(inconclusive(&[trips.clone()], 0.01).unwrap().contains("1 of 1"));
        // Beyond the cache it says nothing of the run, only of that benchmark.
        let beyond = Evidence { fits_l2: false, ..trips };
        assert!(inconclusive(std::slice::from_ref(&beyond), 0.01).is_none());
        assert_eq!(status(&beyond, 0.01, 1.0), Status::Unjudged);
    }

    #[test]
    fn rings_beyond_the_cache_are_judged_by_more_than_ten_percent() {
        let beyond = |first, second| Evidence { fits_l2: false, ..evidence(first, Some(second)) };
        let judged =
            |percent| status(&beyond(ratio(percent, 8, 0), ratio(percent, 16, 0)), 0.005, 1.0);
        assert_eq!(judged(9.0), Status::Pass);
        assert_eq!(judged(12.0), Status::Regressed);
    }

    #[test]
    fn more_instructions_fail_only_where_the_head_is_not_as_fast() {
        let judged = |percent, ir| {
            let ir = Evidence { ir_ratio: Some(ir), ..evidence(ratio(percent, 8, 0), None) };
            status(&ir, 0.005, 1.0)
        };
        assert_eq!(judged(2.0, 1.06), Status::Regressed);
        assert_eq!(judged(0.3, 1.06), Status::Warn);
        assert_eq!(judged(2.0, 1.02), Status::Warn);
        assert_eq!(judged(0.3, 1.005), Status::Pass);
        assert_eq!(judged(0.3, 0.9), Status::Pass);
    }
}
