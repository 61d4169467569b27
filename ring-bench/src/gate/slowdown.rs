//! A subject that is really slower, by a known part: the positive control of the gate.
//!
//! It wraps the subject under test and does more work inside the timed step, so that the libraries carry nothing of it:
//! each step is timed, and followed by arithmetic that lasts the wanted part of what that very step took. A part learnt
//! beforehand would not do: alone, a worker finds its caches warmer than beside the other one, so that "10 %" of a diff
//! came out as 4.6 %. Its answers are those of the subject.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::lockstep::protocol::SubjectSpec;
use crate::measure::timed;
use crate::routine::Routine;
use crate::subject::{self, Step, Subject};

/// By how many percent; set once, before the worker starts.
static PERCENT: AtomicU32 = AtomicU32::new(0);

/// Measurements of arithmetic and of the clock; the median counts.
const TURNS: usize = 25;

/// Rounds of arithmetic whose time is measured.
const ROUNDS: u32 = 20_000;

/// Sets by how many percent subjects from [`build`] are slower.
pub fn set(percent: u32) {
    PERCENT.store(percent, Ordering::Relaxed);
}

/// Builds the subject that `spec` names, slowed down.
///
/// # Errors
///
/// As [`subject::build`].
pub fn build(spec: &SubjectSpec) -> Result<Box<dyn Subject>, BenchError> {
    let percent = PERCENT.load(Ordering::Relaxed);
    Ok(Box::new(Slowed::new(subject::build(spec)?, percent)))
}

struct Slowed {
    inner: Box<dyn Subject>,
    percent: u32,
    /// What [`ROUNDS`] rounds of arithmetic take, in nanoseconds; at least 1.
    rounds_ns: u64,
    /// What it takes to read the clock, in nanoseconds.
    clock_ns: u64,
}

/// The median time of some turns.
fn usual_ns<T>(mut work: impl FnMut() -> T) -> u64 {
    let mut times: Vec<u64> = (0..TURNS).map(|_| timed(&mut work).0).collect();
    times.sort_unstable();
    times[TURNS / 2]
}

/// Arithmetic that waits for itself, so that its time does not depend on caches or neighbours.
#[inline(never)]
fn burn(rounds: u32) -> u64 {
    let mut x = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..rounds {
        x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    x
}

impl Slowed {
    fn new(inner: Box<dyn Subject>, percent: u32) -> Self {
        let mut slowed = Self { inner, percent, rounds_ns: 1, clock_ns: 0 };
        slowed.learn();
        slowed
    }

    /// Learns what arithmetic and clock cost at this moment.
    fn learn(&mut self) {
        self.rounds_ns = usual_ns(|| black_box(burn(ROUNDS))).max(1);
        self.clock_ns = usual_ns(|| ());
    }

    /// How many rounds of arithmetic make a step that took `step_ns` slower by the wanted part. The two readings of the
    /// clock are a part of that already.
    fn rounds(&self, step_ns: u64) -> u32 {
        let own = step_ns.saturating_sub(self.clock_ns);
        let extra =
            (own.saturating_mul(self.percent.into()) / 100).saturating_sub(2 * self.clock_ns);
        u32::try_from(extra.saturating_mul(ROUNDS.into()) / self.rounds_ns).unwrap_or(u32::MAX)
    }
}

impl Subject for Slowed {
    fn token_count(&self) -> u64 {
        self.inner.token_count()
    }

    fn fingerprint(&self) -> Option<u64> {
        self.inner.fingerprint()
    }

    fn corpus(&self) -> &Corpus {
        self.inner.corpus()
    }

    fn begin(&mut self, routine: Routine) -> Result<(), BenchError> {
        self.learn();
        self.inner.begin(routine)
    }

    fn step(&mut self, step: Step) -> Result<u64, BenchError> {
        if self.percent == 0 {
            return self.inner.step(step);
        }
        let (ns, sum) = timed(|| self.inner.step(step));
        black_box(burn(self.rounds(ns)));
        sum
    }

    fn settle(&mut self, step: Step) -> u64 {
        self.inner.settle(step)
    }

    fn end(&mut self, routine: Routine) -> Option<u64> {
        self.inner.end(routine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowed_subject_answers_the_same_and_ends_in_the_same_state() {
        let spec = SubjectSpec {
            contender: "btree".to_owned(),
            hash: "xxh3-64".to_owned(),
            nodes: 12,
            vnodes: 20,
            max_weight: 2,
            corpus: "uniform".to_owned(),
            keys: Some(600),
            seed: 3,
        };
        set(20);
        let [mut plain, mut slowed] = [subject::build(&spec).unwrap(), build(&spec).unwrap()];
        for routine in Routine::ALL {
            let trace = |subject: &mut dyn Subject| {
                subject.begin(routine).unwrap();
                let mut sums = Vec::new();
                for start in 0..4 {
                    for phase in 0..routine.phases().len() {
                        let count = if routine.is_lookup() { 50 } else { 1 };
                        let step = Step { routine, phase, start, count };
                        sums.push(subject.step(step).unwrap());
                        sums.push(subject.settle(step));
                    }
                }
                (sums, subject.end(routine))
            };
            assert_eq!(trace(&mut *plain), trace(&mut *slowed), "{routine}");
        }
    }

    #[test]
    fn the_extra_work_is_a_part_of_the_step() {
        let inner = subject::build(&SubjectSpec {
            contender: "sortedvec".to_owned(),
            hash: "xxh3-64".to_owned(),
            nodes: 5,
            vnodes: 2,
            max_weight: 1,
            corpus: "uniform".to_owned(),
            keys: Some(600),
            seed: 3,
        })
        .unwrap();
        // A round takes 2 ns, the clock 30 ns.
        let of = |percent, inner| Slowed { inner, percent, rounds_ns: 40_000, clock_ns: 30 };
        let slowed = of(10, inner);
        assert_eq!(slowed.rounds(10_030), (1_000 - 60) / 2);
        assert_eq!(slowed.rounds(100_030), (10_000 - 60) / 2);
        // A step so short that reading the clock is more than the wanted part.
        assert_eq!((slowed.rounds(600), slowed.rounds(0)), (0, 0));
        assert_eq!(of(0, slowed.inner).rounds(1_000_000), 0);
    }
}
