//! The only file that reads a clock.
//!
//! A reading costs tens of nanoseconds, as much as a lookup. So lookups are timed in passes that last at least
//! [`CLOCK_FACTOR`] readings, and a change that is timed by itself has the cost of one reading taken off, see
//! [`ClockCost`].

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::BenchError;
use crate::stats::{median, real};

/// How long a sample of the faster subject should last. The slower one then stays within 1 ms while it is at most four
/// times as slow; short enough that most samples meet no interruption, long enough that waking up does not show.
pub const SAMPLE_NS: u64 = 250_000;

/// A timed pass lasts at least this many clock readings, so that the clock is at most 0.1 % of it.
pub const CLOCK_FACTOR: u64 = 1000;

/// A running stopwatch.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    since: Instant,
}

impl Stopwatch {
    /// Starts one.
    #[must_use]
    pub fn start() -> Self {
        Self { since: Instant::now() }
    }

    /// Nanoseconds since the start.
    #[must_use]
    pub fn ns(&self) -> u64 {
        nanoseconds(self.since.elapsed())
    }

    /// Seconds since the start.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64()
    }

    /// What is left of `limit`; zero once it has passed.
    #[must_use]
    pub fn left_of(&self, limit: Duration) -> Duration {
        limit.saturating_sub(self.since.elapsed())
    }
}

/// A duration in nanoseconds; 584 years at the most.
fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Runs `work` and returns how long it took, in nanoseconds, with what it returned.
///
/// What it returned passes through [`black_box`], so that work whose result nobody uses is not taken away. One reading
/// of the clock is part of the time.
pub fn timed<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let watch = Instant::now();
    let result = black_box(work());
    let elapsed = watch.elapsed();
    (nanoseconds(elapsed), result)
}

/// Seconds since 1970, for manifests.
#[must_use]
pub fn unix_seconds() -> u64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs())
}

/// What the clock itself costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClockCost {
    /// Nanoseconds of one reading: the median over batches.
    pub read_ns: f64,
    /// The smallest difference seen between two readings that differ, in nanoseconds.
    pub step_ns: u64,
}

impl ClockCost {
    /// Measures it; takes about 5 ms.
    #[must_use]
    pub fn measure() -> Self {
        const BATCHES: usize = 41;
        const READINGS: u32 = 2_000;
        let batches: Vec<f64> = (0..BATCHES)
            .map(|_| {
                let (ns, ()) = timed(|| {
                    for _ in 0..READINGS {
                        black_box(Instant::now());
                    }
                });
                real(ns) / f64::from(READINGS)
            })
            .collect();
        let mut step_ns = u64::MAX;
        let mut before = Instant::now();
        for _ in 0..READINGS {
            let now = Instant::now();
            if now != before {
                step_ns = step_ns.min(nanoseconds(now.duration_since(before)));
            }
            before = now;
        }
        Self { read_ns: median(&batches).unwrap_or(0.0), step_ns }
    }

    /// How long a timed pass should last, in nanoseconds: [`SAMPLE_NS`], or [`CLOCK_FACTOR`] readings where the clock is
    /// dear.
    #[must_use]
    pub fn sample_ns(&self) -> u64 {
        let readings = Duration::from_nanos(CLOCK_FACTOR).mul_f64(self.read_ns.max(0.0));
        SAMPLE_NS.max(nanoseconds(readings))
    }
}

/// Finds how many operations last about `target_ns`. `run` does that many and says how long they took.
///
/// Counts grow fourfold until a run lasts a quarter of the target, which is long enough to extrapolate from. Returns at
/// least 1: an operation that lasts longer than the target is a sample by itself.
///
/// # Errors
///
/// Those of `run`, and a failure where 2^40 operations take no time at all.
pub fn calibrate(
    target_ns: u64,
    mut run: impl FnMut(u64) -> Result<u64, BenchError>,
) -> Result<u64, BenchError> {
    let mut count = 1_u64;
    loop {
        let ns = run(count)?;
        if ns >= target_ns / 4 && ns > 0 {
            let fitting = u128::from(count) * u128::from(target_ns) / u128::from(ns);
            return Ok(u64::try_from(fitting).unwrap_or(u64::MAX).max(1));
        }
        if count >= 1 << 40 {
            return Err(BenchError::failed(format!(
                "{count} operations took {ns} ns: nothing is being measured"
            )));
        }
        count *= 4;
    }
}

/// Folds an answer into a checksum. The order of answers matters, so that two owners that changed places are seen.
#[must_use]
#[inline]
pub fn fold(checksum: u64, answer: u64) -> u64 {
    checksum.rotate_left(5).wrapping_add(answer)
}

/// The number that stands for a node id in a checksum: its last eight bytes, which tell our nodes apart, with its
/// length. Cheap on purpose: it is part of every timed lookup, for all contenders alike.
#[must_use]
#[inline]
pub fn answer(node_id: Option<&str>) -> u64 {
    let Some(id) = node_id else { return u64::MAX };
    match id.as_bytes().last_chunk::<8>() {
        Some(end) => u64::from_le_bytes(*end),
        None => id.bytes().fold(id.len() as u64, |sum, byte| sum << 8 | u64::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_extrapolates_from_a_run_that_is_long_enough() {
        let mut runs = Vec::new();
        let count = calibrate(100_000, |count| {
            runs.push(count);
            Ok(count * 10)
        });
        assert_eq!(count, Ok(10_000));
        assert_eq!(runs, [1, 4, 16, 64, 256, 1024, 4096]);
    }

    #[test]
    fn an_operation_longer_than_the_target_is_a_sample_by_itself() {
        assert_eq!(calibrate(1_000, |count| Ok(count * 1_000_000)), Ok(1));
    }

    #[test]
    fn work_that_takes_no_time_is_an_error_and_not_a_loop() {
        let error = calibrate(1_000, |_| Ok(0)).unwrap_err();
        assert!(error.to_string().contains("nothing is being measured"));
        assert_eq!(
            calibrate(1_000, |_| Err(BenchError::failed("no"))),
            Err(BenchError::failed("no"))
        );
    }

    #[test]
    fn a_sample_lasts_at_least_a_thousand_readings() {
        let clock = |read_ns| ClockCost { read_ns, step_ns: 1 };
        assert_eq!(clock(25.0).sample_ns(), SAMPLE_NS);
        assert_eq!(clock(1_000.0).sample_ns(), 1_000_000);
        assert_eq!(clock(-1.0).sample_ns(), SAMPLE_NS);
    }

    #[test]
    fn the_clock_has_a_cost_and_a_step() {
        let cost = ClockCost::measure();
        assert!(cost.read_ns > 0.0 && cost.step_ns < u64::MAX, "{cost:?}");
    }

    #[test]
    fn checksums_see_order_and_node() {
        let sum = |ids: [&str; 2]| ids.iter().fold(0, |sum, id| fold(sum, answer(Some(id))));
        assert_ne!(sum(["node-00001", "node-00002"]), sum(["node-00002", "node-00001"]));
        assert_ne!(answer(Some("node-00001")), answer(Some("node-00011")));
        assert_ne!(answer(Some("a")), answer(Some("")));
        assert_ne!(answer(Some("")), answer(None));
    }
}
