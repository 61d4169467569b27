//! The pause that a reader meets during a change: open loop, from when a lookup was due to its answer.
//!
//! A loop that waits for each answer before it asks again would meet every change once at the most, and call a stop of
//! a millisecond one slow lookup among thousands. Here a lookup is due every [`PausePlan::period_ns`], whether the ring
//! answers or not, and what was due during a change counts from then. Only lookups due during a change are kept.
//!
//! In place (`&mut`) no lookup can run during a change, so all that were due wait for its end, and then for each other.
//! Published, another thread changes a copy, and readers go on with the ring they have: what they still meet is the
//! memory traffic of the copy, and the scheduler, where both threads share a processor.

use std::sync::atomic::{AtomicBool, Ordering};

use ring_core::{Ring, RingError, SharedRing};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;
use crate::experiments::update;
use crate::machine;
use crate::measure::{Stopwatch, answer, fold};
use crate::mix::Mix;
use crate::workload::Turn;

/// What to measure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PausePlan {
    /// Which changes; their lookups are not used.
    pub mix: Mix,
    /// Changes at the most, inverses included.
    pub changes: usize,
    /// A lookup is due every so many nanoseconds.
    pub period_ns: u64,
    /// No change begins after this many nanoseconds.
    pub budget_ns: u64,
}

/// How long lookups took, from when each was due to its answer, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pauses {
    /// Those that were due during a change.
    pub during: Vec<u64>,
    /// Those that were due between changes: what the machine itself makes a reader wait.
    pub between: Vec<u64>,
}

/// Lookups of one run that are kept at the most; the memory they take is bounded by it.
const MOST: usize = 1 << 18;

/// The longest rest after a change.
const REST_NS: u64 = 1_000_000;

/// The times of lookups due during changes that are made in place.
///
/// # Errors
///
/// Those of the ring.
pub fn exclusive<R: Ring>(
    ring: &mut R,
    turns: &[Turn],
    corpus: &Corpus,
    plan: &PausePlan,
) -> Result<Pauses, RingError> {
    let period = plan.period_ns.max(1);
    let mut pauses = Pauses::default();
    let (mut key, mut sum) = (0, 0);
    let all = Stopwatch::start();
    for at in 0..plan.changes {
        // Between a change and its inverse nothing ends, so that the ring is left as it was.
        if at % 2 == 0 && (all.ns() > plan.budget_ns || pauses.during.len() >= MOST) {
            break;
        }
        let turn = &turns[at / 2 % turns.len()];
        let changes = if at % 2 == 0 { &turn.forward } else { &turn.inverse };
        let watch = Stopwatch::start();
        update::exclusive(ring, changes)?;
        let end = watch.ns();
        // The first lookup is due half a period after the change begins, so that short changes are met in proportion.
        for due in (period / 2..end).step_by(usize::try_from(period).unwrap_or(usize::MAX)) {
            sum = fold(sum, answer(ring.get_node(corpus.key(key))));
            key += 1;
            pauses.during.push(watch.ns() - due);
        }
        // As long again without a change, from when the reader has caught up.
        let begin = watch.ns();
        let rest = begin + end.min(REST_NS);
        for due in (begin..rest).step_by(usize::try_from(period).unwrap_or(usize::MAX)) {
            while watch.ns() < due {
                std::hint::spin_loop();
            }
            sum = fold(sum, answer(ring.get_node(corpus.key(key))));
            key += 1;
            pauses.between.push(watch.ns() - due);
        }
    }
    std::hint::black_box(sum);
    Ok(pauses)
}

/// A lookup of the reader: when it was due and when it was answered.
#[derive(Clone, Copy)]
struct Lookup {
    due: u64,
    answered: u64,
}

/// The times of lookups due during changes that another thread publishes.
///
/// The reader stays on the processor that measures, the writer on another one where there is one.
///
/// # Errors
///
/// Those of the ring.
pub fn published<R: Ring + Clone + Send + Sync>(
    shared: &SharedRing<R>,
    turns: &[Turn],
    corpus: &Corpus,
    plan: &PausePlan,
) -> Result<Pauses, RingError> {
    let cpus = machine::allowed_cpus();
    let (writer_cpu, reader_cpu) = (cpus.first().copied(), cpus.last().copied());
    let watch = Stopwatch::start();
    let done = AtomicBool::new(false);
    let (changes, lookups) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            if let Some(cpu) = writer_cpu {
                // Where it cannot stay there, the scheduler places it.
                let _ = machine::pin_to(cpu);
            }
            let changes = write(shared, turns, plan, watch);
            done.store(true, Ordering::Release);
            changes
        });
        let lookups = scope
            .spawn(|| {
                if let Some(cpu) = reader_cpu {
                    let _ = machine::pin_to(cpu);
                }
                read(shared, corpus, plan.period_ns.max(1), watch, &done)
            })
            .join()
            .unwrap_or_default();
        (writer.join().unwrap_or_else(|_| Ok(Vec::new())), lookups)
    });
    let changes = changes?;
    let mut at = 0;
    let mut pauses = Pauses::default();
    for lookup in lookups {
        while changes.get(at).is_some_and(|&(_, end)| end < lookup.due) {
            at += 1;
        }
        let is_during = changes.get(at).is_some_and(|&(begin, _)| begin <= lookup.due);
        let kept = if is_during { &mut pauses.during } else { &mut pauses.between };
        kept.push(lookup.answered - lookup.due);
    }
    Ok(pauses)
}

/// Makes the changes, with as long a rest after each as it took, and says when each began and ended.
fn write<R: Ring + Clone>(
    shared: &SharedRing<R>,
    turns: &[Turn],
    plan: &PausePlan,
    watch: Stopwatch,
) -> Result<Vec<(u64, u64)>, RingError> {
    let mut changes = Vec::with_capacity(plan.changes);
    for at in 0..plan.changes {
        let begin = watch.ns();
        if at % 2 == 0 && begin > plan.budget_ns {
            break;
        }
        let turn = &turns[at / 2 % turns.len()];
        update::published(shared, if at % 2 == 0 { &turn.forward } else { &turn.inverse })?;
        let end = watch.ns();
        changes.push((begin, end));
        let rest = end + (end - begin).min(REST_NS);
        while watch.ns() < rest {
            std::thread::yield_now();
        }
    }
    Ok(changes)
}

/// Looks a key up whenever one is due, until the writer is done.
fn read<R: Ring>(
    shared: &SharedRing<R>,
    corpus: &Corpus,
    period: u64,
    watch: Stopwatch,
    done: &AtomicBool,
) -> Vec<Lookup> {
    let mut reader = shared.reader();
    let mut lookups = Vec::new();
    let (mut due, mut sum) = (watch.ns(), 0);
    while !done.load(Ordering::Acquire) && lookups.len() < MOST {
        due += period;
        while watch.ns() < due {
            std::hint::spin_loop();
        }
        sum = fold(sum, answer(reader.load().get_node(corpus.key(lookups.len()))));
        lookups.push(Lookup { due, answered: watch.ns() });
    }
    std::hint::black_box(sum);
    lookups
}

#[cfg(test)]
mod tests {
    use ring_sortedvec::SortedVecRing;

    use super::*;
    use crate::corpus::{CorpusSpec, Target};
    use crate::mix::MixKind;
    use crate::routine::Regime;
    use crate::workload::{Membership, Weights};

    #[test]
    fn lookups_due_during_changes_are_timed_and_the_ring_ends_as_it_was() {
        let membership = Membership::new(50, 100, Weights::Equal, 3);
        let mut ring = SortedVecRing::new(100).unwrap();
        ring.apply(&membership.as_changes()).unwrap();
        let before = ring.fingerprint();
        let target = Target { membership: &membership, hash_name: "", hash: &|_| 0 };
        let spec = CorpusSpec { keys: "uniform".parse().unwrap(), count: Some(100), seed: 7 };
        let corpus = Corpus::generate(&spec, &target).unwrap();
        let mix = Mix { kind: MixKind::Node, batch: 3, regime: Regime::Exclusive, lookups: 0 };
        let plan = PausePlan { mix, changes: 8, period_ns: 50, budget_ns: u64::MAX };
        let turns = mix.turns(&membership, 3).unwrap();
        let times = exclusive(&mut ring, &turns, &corpus, &plan).unwrap();
        assert!(times.during.len() >= 8, "{}", times.during.len());
        assert!(times.during.iter().chain(&times.between).all(|&ns| ns > 0));
        assert_eq!(ring.fingerprint(), before);

        let shared = SharedRing::new(ring);
        let times = published(&shared, &turns, &corpus, &plan).unwrap();
        assert!(times.during.iter().chain(&times.between).all(|&ns| ns > 0));
        assert_eq!(shared.load().fingerprint(), before);

        // A budget that has passed ends after whole turns.
        let none = PausePlan { budget_ns: 0, ..plan };
        let mut ring = (*shared.load()).clone();
        exclusive(&mut ring, &turns, &corpus, &none).unwrap();
        assert_eq!(ring.fingerprint(), before);
    }
}
