//! A backend's ring behind a [`SharedRing`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::backend::Backend;
use super::super::support::{intact, ring_of, ring_with};
use super::super::test_hash::TestHash;
use crate::membership::Change;
use crate::ring::Ring;
use crate::shared::SharedRing;

/// Ends the readers' loops, also where the writer panics.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Readers on two threads see a batch whole or not at all, while a third thread publishes.
pub(in super::super) fn readers_see_whole_batches<B: Backend>(backend: &B) {
    let ring = ring_with(backend, 8, TestHash::cut(8), &[("left", 3), ("right", 1)]);
    let shared = SharedRing::new(ring);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut reader = shared.reader();
                while !done.load(Ordering::Acquire) {
                    let guard = shared.load();
                    for ring in [&*guard, reader.load()] {
                        let weights = (ring.weight("left"), ring.weight("right"));
                        let sum = weights.0.zip(weights.1).map(|(left, right)| left + right);
                        assert_eq!(sum, Some(4), "half of a batch: {weights:?}");
                        assert_eq!(ring.walk(0).count(), 32);
                        assert!(ring.get_node("k").is_some());
                    }
                }
            });
        }
        scope.spawn(|| {
            let _ended = SetOnDrop(&done);
            for round in 0..200_u32 {
                let left = 1 + round % 3;
                let batch = [
                    Change::set_weight("left", left),
                    Change::remove("right"),
                    Change::add("right", 4 - left),
                ];
                assert_eq!(shared.apply(&batch), Ok(()));
            }
        });
    });
    intact(&*shared.load());
}

pub(in super::super) fn a_panic_in_an_update_publishes_nothing<B: Backend>(backend: &B) {
    let shared = SharedRing::new(ring_of(backend, 10, &[("a", 1)]));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        shared.update(|ring| {
            assert_eq!(ring.add_node("half", 1), Ok(()));
            panic!("the closure panics, as it was told to");
        })
    }));
    assert!(outcome.is_err());
    assert_eq!(shared.load().weight("half"), None);
    assert_eq!(shared.update(|ring| ring.add_node("b", 1)), Ok(()));
    assert_eq!(shared.load().node_count(), 2);
    intact(&*shared.load());
}
