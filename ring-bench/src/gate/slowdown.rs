//! A subject that is really slower, by a known part: the positive control of the gate.
//!
//! It wraps the subject under test and does more work inside the timed step, so that the libraries carry nothing of it.
//! A pass of lookups is followed by more lookups of the same kind. Any other operation is followed by arithmetic whose
//! length was measured beforehand: a part of the operation's own median time. Its answers are those of the subject.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::lockstep::protocol::SubjectSpec;
use crate::measure::timed;
use crate::routine::Routine;
use crate::stats::{median, real};
use crate::subject::{self, Step, Subject};

/// By how many percent; set once, before the worker starts.
static PERCENT: AtomicU32 = AtomicU32::new(0);

/// Turns that are timed to learn how long an operation lasts.
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
    Ok(Box::new(Slowed { inner: subject::build(spec)?, percent, rounds: Vec::new() }))
}

struct Slowed {
    inner: Box<dyn Subject>,
    percent: u32,
    /// Rounds of arithmetic after an operation, phase by phase.
    rounds: Vec<u32>,
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
    /// Learns how long an operation lasts, phase by phase.
    fn learn(&mut self, routine: Routine) -> Result<(), BenchError> {
        let round_ns: Vec<f64> =
            (0..TURNS).map(|_| real(timed(|| burn(ROUNDS)).0) / f64::from(ROUNDS)).collect();
        let round_ns = median(&round_ns).filter(|ns| *ns > 0.0).unwrap_or(1.0);
        let phases = routine.phases().len();
        let mut times = vec![Vec::new(); phases];
        for start in 0..TURNS {
            for (phase, times) in times.iter_mut().enumerate() {
                let step = Step { routine, phase, start, count: 1 };
                let (ns, sum) = timed(|| self.inner.step(step));
                sum?;
                self.inner.settle(step);
                times.push(real(ns));
            }
        }
        let rounds = times.iter().map(|times| {
            let extra_ns = median(times).unwrap_or(0.0) * f64::from(self.percent) / 100.0;
            let wanted = extra_ns / round_ns;
            // The whole number below: by halving, since no cast from a real one is allowed here.
            let (mut low, mut high) = (0_u32, u32::MAX);
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                if f64::from(middle) <= wanted { low = middle } else { high = middle - 1 }
            }
            low
        });
        self.rounds = rounds.collect();
        Ok(())
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
        self.inner.begin(routine)?;
        if routine.is_lookup() { Ok(()) } else { self.learn(routine) }
    }

    fn step(&mut self, step: Step) -> Result<u64, BenchError> {
        let sum = self.inner.step(step);
        if step.routine.is_lookup() {
            let percent = usize::try_from(self.percent).unwrap_or(0);
            let more = step.count * percent / 100;
            if more > 0 {
                // Far from the keys of this pass and the next, so that none of them is met twice.
                let start = step.start + self.inner.corpus().len() / 2;
                black_box(self.inner.step(Step { start, count: more, ..step })?);
            }
        } else if let Some(&rounds) = self.rounds.get(step.phase) {
            black_box(burn(rounds));
        }
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
    fn the_extra_work_is_a_part_of_the_operation() {
        let inner = subject::build(&SubjectSpec {
            contender: "sortedvec".to_owned(),
            hash: "xxh3-64".to_owned(),
            nodes: 50,
            vnodes: 20,
            max_weight: 1,
            corpus: "uniform".to_owned(),
            keys: Some(600),
            seed: 3,
        })
        .unwrap();
        let mut slowed = Slowed { inner, percent: 100, rounds: Vec::new() };
        slowed.begin(Routine::Build).unwrap();
        assert_eq!(slowed.rounds.len(), 1);
        assert!(slowed.rounds[0] > 0, "a build of a thousand tokens lasts longer than a round");
        slowed.percent = 0;
        slowed.begin(Routine::Build).unwrap();
        assert_eq!(slowed.rounds, [0]);
    }
}
