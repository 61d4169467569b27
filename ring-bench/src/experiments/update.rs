//! What a change costs: the halves that are timed, and the tails of their times.
//!
//! A change and its inverse are applied in turn to one live ring, and each half is timed by itself. Fresh clones would
//! make a change look several times as dear, since their memory is cold and unevenly laid out.

use hdrhistogram::Histogram;
use ring_core::{Change, Ring, RingError, SharedRing};

use crate::error::BenchError;
use crate::measure::{answer, fold};
use crate::stats::real;

/// The longest time that is told from longer ones: an hour.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// A percentile is shown only where at least this many values lie beyond it.
pub const BEYOND: u64 = 10;

/// Applies a change the way a user would: one node by the call that is meant for it, several as one batch.
///
/// # Errors
///
/// Those of the ring. None is expected: a change that fails is a fault of the experiment.
#[inline(never)]
pub fn exclusive<R: Ring>(ring: &mut R, changes: &[Change]) -> Result<(), RingError> {
    match changes {
        [Change::Add { id, weight }] => ring.add_node(id, *weight),
        [Change::Remove { id }] => {
            ring.remove_node(id);
            Ok(())
        }
        [Change::SetWeight { id, weight }] => ring.set_weight(id, *weight),
        batch => ring.apply(batch),
    }
}

/// Applies a change to a copy of a shared ring and publishes it: copy, change, swap, and freeing the ring before.
///
/// # Errors
///
/// As [`exclusive`].
#[inline(never)]
pub fn published<R: Ring + Clone>(
    ring: &SharedRing<R>,
    changes: &[Change],
) -> Result<(), RingError> {
    ring.try_update(|copy| exclusive(copy, changes))
}

/// A checksum of what a change did, computed outside the clock: the tokens, and some owners.
pub fn witness<R: Ring>(ring: &R, turn: u64) -> u64 {
    // Hashes that differ from turn to turn: odd multiples of the golden ratio walk evenly round the circle.
    let probe = |i: u64| turn.wrapping_mul(4).wrapping_add(i).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (0..4).fold(ring.token_count() as u64, |sum, i| fold(sum, answer(ring.owner_at(probe(i)))))
}

/// The times of single operations, with their tails.
#[derive(Debug, Clone)]
pub struct Tails {
    histogram: Histogram<u64>,
}

impl Tails {
    /// No times yet. Three significant digits: a value is known to 0.1 %.
    ///
    /// # Errors
    ///
    /// None in practice: the precision is one that the histogram has.
    pub fn new() -> Result<Self, BenchError> {
        match Histogram::new_with_bounds(1, LONGEST_NS, 3) {
            Ok(histogram) => Ok(Self { histogram }),
            Err(e) => Err(BenchError::failed(format!("the histogram of update times: {e}"))),
        }
    }

    /// Records one operation of `ns` nanoseconds.
    pub fn record(&mut self, ns: u64) {
        self.histogram.saturating_record(ns.max(1));
    }

    /// How many operations were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The time that `percent` of the operations stay within, in nanoseconds; `None` where fewer than [`BEYOND`] lie
    /// beyond it, since it would then say more about luck than about the operation.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let beyond = real(self.count()) * (100.0 - percent) / 100.0;
        (beyond >= real(BEYOND)).then(|| self.histogram.value_at_quantile(percent / 100.0))
    }

    /// The longest time; 0 without any.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.histogram.max()
    }
}

#[cfg(test)]
mod tests {
    use ring_core::Ring;
    use ring_sortedvec::SortedVecRing;

    use super::*;
    use crate::workload::{ChangeKind, Membership, Weights, turns};

    #[test]
    fn a_change_and_its_inverse_leave_the_ring_as_it_was() {
        let membership = Membership::new(20, 10, Weights::UpTo(3), 5);
        let mut ring = SortedVecRing::new(membership.vnodes).unwrap();
        ring.apply(&membership.as_changes()).unwrap();
        let before = ring.fingerprint();
        let shared = SharedRing::new(ring.clone());
        for kind in ChangeKind::ALL {
            for (i, turn) in turns(&membership, kind, 5).unwrap().iter().enumerate() {
                exclusive(&mut ring, &turn.forward).unwrap();
                published(&shared, &turn.forward).unwrap();
                assert_ne!(ring.fingerprint(), before, "{kind:?} {i}");
                let seen = witness(&ring, i as u64);
                assert_eq!(seen, witness(&*shared.load(), i as u64));
                exclusive(&mut ring, &turn.inverse).unwrap();
                published(&shared, &turn.inverse).unwrap();
                assert_eq!(ring.fingerprint(), before, "{kind:?} {i}");
                assert_ne!(seen, witness(&ring, i as u64), "the witness sees nothing");
            }
        }
        assert_eq!(shared.load().fingerprint(), before);
    }

    #[test]
    fn a_weight_change_needs_a_node() {
        let empty = Membership::new(0, 10, Weights::Equal, 0);
        assert_eq!(turns(&empty, ChangeKind::Weight, 0).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn a_percentile_needs_ten_values_beyond_it() {
        let mut tails = Tails::new().unwrap();
        for ns in 1..=999 {
            tails.record(ns);
        }
        assert_eq!(tails.percentile(99.0), None);
        tails.record(1000);
        assert_eq!(tails.percentile(99.0), Some(990));
        assert_eq!(tails.percentile(99.9), None);
        assert_eq!((tails.count(), tails.max()), (1000, 1000));
        // Milliseconds and minutes among them, to three digits.
        for _ in 0..1000 {
            tails.record(7_000_000);
        }
        let p99 = tails.percentile(99.0).unwrap();
        assert!((7_000_000..7_007_000).contains(&p99), "{p99}");
        tails.record(60_000_000_000);
        assert!(tails.max() >= 60_000_000_000);
    }
}
