//! Two workers measured in turn.
//!
//! For each routine, in an order drawn by lot: both get ready, both calibrate, then sample follows sample, `A B`, `B A`,
//! `A B`, …, the first drawn by lot. Both look the same keys up and make the same changes, and outside the clock their
//! checksums must agree: otherwise it is no comparison.

use std::time::Duration;

use crate::error::BenchError;
use crate::lockstep::link::Link;
use crate::lockstep::protocol::{Answer, Ask, Sample, SubjectSpec};
use crate::measure::{CLOCK_FACTOR, ClockCost, Stopwatch};
use crate::routine::Routine;
use crate::seeded::Stream;
use crate::stats::{TimePair, median, real};

/// Untimed lookups before each sample, as a multiple of the ring's tokens: enough that a lookup finds the ring as warm as
/// it can be, although the other worker had the caches meanwhile. At the most one of each key, since more would find
/// nothing new.
pub const WARM_FACTOR: u64 = 3;

/// An operation that lasts longer than this is its own warm-up, and gets no untimed pass before each sample.
const LONG_NS: u64 = 1_000_000;

/// How much to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What to time.
    pub routines: Vec<Routine>,
    /// Sample pairs of each routine, at the most.
    pub samples: usize,
    /// Sample pairs of each routine, at the least, however long they take.
    pub least_samples: usize,
    /// How long a routine may go on sampling once it has the least.
    pub slice: Duration,
    /// Whether the two must give the same answers. Not so for a peer, which places keys by rules of its own.
    pub same_answers: bool,
}

/// What both workers hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// Tokens, first worker and second.
    pub tokens: [u64; 2],
    /// Keys of the corpus.
    pub keys: u64,
    /// The processor that both stay on.
    pub cpu: Option<usize>,
    /// Why they do not.
    pub unpinned: Option<String>,
    /// The clock of the dearer of the two.
    pub clock: ClockCost,
}

/// One sample of each, taken right after each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplePair {
    /// Whether the second worker went first.
    pub second_first: bool,
    /// The first worker's sample, and the second's.
    pub samples: [Sample; 2],
}

/// One routine in one process pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutineRun {
    /// What was timed.
    pub routine: Routine,
    /// The samples, in the order in which they were taken.
    pub samples: Vec<SamplePair>,
}

impl RoutineRun {
    /// The times of one operation in nanoseconds, sample pair by sample pair.
    #[must_use]
    pub fn times(&self, phase: usize, clock: &ClockCost) -> Vec<TimePair> {
        let per_operation = |sample: &Sample| {
            let net = sample.phases.get(phase).map_or(0.0, |times| times.net_ns(clock.read_ns));
            net / real(sample.count.max(1))
        };
        self.samples
            .iter()
            .map(|pair| TimePair {
                a: per_operation(&pair.samples[0]),
                b: per_operation(&pair.samples[1]),
            })
            .collect()
    }

    /// The median time of one operation of one worker (0 or 1), in nanoseconds.
    #[must_use]
    pub fn median_ns(&self, phase: usize, worker: usize, clock: &ClockCost) -> Option<f64> {
        let times = self.times(phase, clock);
        let own: Vec<f64> =
            times.iter().map(|pair| if worker == 0 { pair.a } else { pair.b }).collect();
        median(&own)
    }
}

/// One process pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRun {
    /// What both held.
    pub prepared: Prepared,
    /// What was timed, in the order in which it was.
    pub runs: Vec<RoutineRun>,
}

/// Has both workers build their subjects, on one processor.
///
/// # Errors
///
/// Those of the workers; [`BenchError::AnswersDiffer`] where their keys differ, or (with `same_answers`) their rings.
pub fn prepare(
    workers: [&mut Link; 2],
    specs: [&SubjectSpec; 2],
    cpu: Option<usize>,
    same_answers: bool,
) -> Result<Prepared, BenchError> {
    let [a, b] = workers;
    let one = ready(a, specs[0], cpu)?;
    let other = ready(b, specs[1], cpu)?;
    if one.keys != other.keys {
        return Err(differ(a, b, "hold different keys"));
    }
    if same_answers && one.fingerprint != other.fingerprint {
        return Err(differ(a, b, "built different rings"));
    }
    let unpinned = one.unpinned.or(other.unpinned);
    Ok(Prepared {
        tokens: [one.tokens, other.tokens],
        keys: one.keys.0,
        cpu: if unpinned.is_none() { one.cpu } else { None },
        unpinned,
        clock: if one.clock.read_ns >= other.clock.read_ns { one.clock } else { other.clock },
    })
}

/// What one worker holds.
struct Ready {
    tokens: u64,
    keys: (u64, u64),
    fingerprint: Option<u64>,
    cpu: Option<usize>,
    unpinned: Option<String>,
    clock: ClockCost,
}

fn ready(worker: &mut Link, spec: &SubjectSpec, cpu: Option<usize>) -> Result<Ready, BenchError> {
    match worker.ask(&Ask::Prepare { subject: spec.clone(), cpu })? {
        Answer::Prepared { tokens, keys, keys_digest, fingerprint, cpu, unpinned, clock } => {
            Ok(Ready { tokens, keys: (keys, keys_digest), fingerprint, cpu, unpinned, clock })
        }
        other => Err(worker.unexpected("a subject", &other)),
    }
}

fn differ(a: &Link, b: &Link, how: &str) -> BenchError {
    BenchError::AnswersDiffer(format!("{} and {} {how}: this is no comparison", a.name(), b.name()))
}

/// Times every routine of `plan` in both workers, which were prepared. `stream` draws the lots.
///
/// # Errors
///
/// Those of the workers; [`BenchError::AnswersDiffer`] where their answers do.
pub fn run(
    workers: [&mut Link; 2],
    prepared: &Prepared,
    plan: &Plan,
    stream: &mut Stream,
) -> Result<Vec<RoutineRun>, BenchError> {
    let [a, b] = workers;
    let mut routines = plan.routines.clone();
    stream.shuffle(&mut routines);
    routines.into_iter().map(|routine| run_routine(a, b, prepared, plan, routine, stream)).collect()
}

fn run_routine(
    a: &mut Link,
    b: &mut Link,
    prepared: &Prepared,
    plan: &Plan,
    routine: Routine,
    stream: &mut Stream,
) -> Result<RoutineRun, BenchError> {
    // After all keys nothing is left to be warmed.
    let warm = |tokens: u64| tokens.saturating_mul(WARM_FACTOR).min(prepared.keys);
    let [warm_a, warm_b] = prepared.tokens.map(warm);
    a.begin(routine, warm_a)?;
    b.begin(routine, warm_b)?;
    let target = prepared.clock.sample_ns();
    let (count_a, operation_a) = a.calibrate(target)?;
    let (count_b, operation_b) = b.calibrate(target)?;
    let count = sample_count([count_a, count_b], &prepared.clock);
    // Both do the same, so that they look the same keys up.
    let warm = if routine.is_lookup() {
        warm_a.max(warm_b).max(count)
    } else {
        u64::from(operation_a.min(operation_b) < LONG_NS)
    };
    let watch = Stopwatch::start();
    let mut second_first = stream.coin();
    let mut start = stream.below(prepared.keys);
    let mut samples = Vec::with_capacity(plan.samples);
    while samples.len() < plan.least_samples
        || samples.len() < plan.samples && !watch.left_of(plan.slice).is_zero()
    {
        let taken = if second_first {
            let second = b.sample(start, warm, count)?;
            [a.sample(start, warm, count)?, second]
        } else {
            [a.sample(start, warm, count)?, b.sample(start, warm, count)?]
        };
        for (worker, sample) in [&*a, &*b].into_iter().zip(&taken) {
            check_shape(worker, routine, count, sample)?;
        }
        if plan.same_answers && taken[0].checksum != taken[1].checksum {
            return Err(differ(a, b, &format!("gave different answers in {routine}")));
        }
        samples.push(SamplePair { second_first, samples: taken });
        start += warm + count;
        // Where the passes go round all keys and end where they began, the next sample would repeat this one.
        start += u64::from(routine.is_lookup() && (warm + count).is_multiple_of(prepared.keys));
        second_first = !second_first;
    }
    let digests = [a.finish()?, b.finish()?];
    if plan.same_answers && digests[0] != digests[1] {
        return Err(differ(a, b, &format!("ended in different states after {routine}")));
    }
    Ok(RoutineRun { routine, samples })
}

/// Operations of a sample, from how many each worker does in [`ClockCost::sample_ns`].
///
/// The faster one should last that long, since both do the same work; but the slower one not longer than four times
/// that, or the scheduler would get into nearly every sample of it. Where the two differ by more, the faster one's
/// sample gets shorter, down to [`CLOCK_FACTOR`] clock readings.
fn sample_count(counts: [u64; 2], clock: &ClockCost) -> u64 {
    let fast = counts[0].max(counts[1]);
    let slow = counts[0].min(counts[1]);
    let shortest = clock.read_ns * real(CLOCK_FACTOR) / real(clock.sample_ns());
    // The smallest whole number of shares that is not below: shares of a thousandth are fine enough.
    let thousandths = (0..1000_u64).find(|&n| real(n) >= shortest * 1000.0).unwrap_or(1000);
    let least = u128::from(fast) * u128::from(thousandths) / 1000;
    let least = u64::try_from(least).unwrap_or(fast);
    fast.min(slow.saturating_mul(4)).max(least).max(1)
}

/// Refuses a sample that is not what was asked for, before anything is computed from it.
fn check_shape(
    worker: &Link,
    routine: Routine,
    count: u64,
    sample: &Sample,
) -> Result<(), BenchError> {
    let each = if routine.is_lookup() { 0 } else { count };
    let whole = sample.count == count
        && sample.phases.len() == routine.phases().len()
        && sample
            .phases
            .iter()
            .all(|phase| phase.elapsed_ns > 0 && phase.each_ns.len() as u64 == each);
    if whole {
        return Ok(());
    }
    Err(BenchError::failed(format!(
        "{}: the worker gave a sample of {routine} that is not whole",
        worker.name()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::protocol::PhaseTimes;

    #[test]
    fn samples_suit_both_workers() {
        let clock = |read_ns| ClockCost { read_ns, step_ns: 1 };
        // Near equal: the faster one lasts the full time.
        assert_eq!(sample_count([10_000, 8_000], &clock(25.0)), 10_000);
        // Far apart: the slower one lasts four times as long, the faster one less.
        assert_eq!(sample_count([1_000, 10_000], &clock(25.0)), 4_000);
        // Farther still: the faster one lasts a thousand readings, 25 of 250 microseconds.
        assert_eq!(sample_count([10, 10_000], &clock(25.0)), 1_000);
        // A dear clock: the full time is a thousand readings already.
        assert_eq!(sample_count([10, 10_000], &clock(500.0)), 10_000);
        assert_eq!(sample_count([1, 1], &clock(25.0)), 1);
        assert_eq!(sample_count([u64::MAX, u64::MAX], &clock(0.0)), u64::MAX);
    }

    #[test]
    fn times_are_per_operation_and_without_the_clock() {
        let sample = |elapsed_ns| Sample {
            count: 4,
            phases: vec![PhaseTimes { elapsed_ns, readings: 4, each_ns: Vec::new() }],
            checksum: 0,
        };
        let run = RoutineRun {
            routine: Routine::Get,
            samples: vec![
                SamplePair { second_first: false, samples: [sample(1_080), sample(2_080)] },
                SamplePair { second_first: true, samples: [sample(1_480), sample(80)] },
            ],
        };
        let clock = ClockCost { read_ns: 20.0, step_ns: 1 };
        let times = run.times(0, &clock);
        assert_eq!(times[0], TimePair { a: 250.0, b: 500.0 });
        // Shorter than its own readings: a tenth is kept, never zero and never negative.
        assert_eq!(times[1], TimePair { a: 350.0, b: 2.0 });
        assert_eq!(run.median_ns(0, 0, &clock), Some(300.0));
        assert_eq!(run.median_ns(0, 1, &clock), Some(251.0));
        assert_eq!(run.times(1, &clock)[0], TimePair { a: 0.0, b: 0.0 });
    }
}
