//! I7: a change that fails leaves the ring as it was, weights included.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::super::backend::Backend;
use super::super::support::{State, intact, make_all, ring_of, ring_with};
use super::super::test_hash::TestHash;
use crate::error::RingError;
use crate::membership::Change;
use crate::ring::Ring;

const NODES: [(&str, u32); 3] = [("a", 2), ("b", 1), ("c", 4)];

pub(in super::super) fn a_failed_add_does_not_change_the_stored_weight<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &NODES);
    let due = State::of(&ring);
    for weight in [1, 2, 7, u32::MAX] {
        assert_eq!(
            ring.add_node("a", weight),
            Err(RingError::DuplicateNode { id: "a".to_owned(), weight: 2 })
        );
        assert_eq!(ring.weight("a"), Some(2));
        assert_eq!(State::of(&ring), due);
    }
    intact(&ring);
}

pub(in super::super) fn every_failed_change_leaves_the_ring_as_it_was<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &NODES);
    assert_eq!(ring.set_token_limit(100), Ok(()));
    let due = State::of(&ring);
    assert!(ring.add_node("new", 0).is_err());
    assert!(ring.add_node("new", 4).is_err(), "110 tokens");
    assert!(ring.set_weight("nobody", 1).is_err());
    assert!(ring.set_weight("a", 0).is_err());
    assert!(ring.set_weight("a", 6).is_err(), "110 tokens");
    assert!(!ring.remove_node("nobody"));
    assert!(ring.set_token_limit(69).is_err());
    assert_eq!(State::of(&ring), due);
    intact(&ring);
}

/// A refused change at every place of a batch of valid ones.
pub(in super::super) fn a_failed_batch_leaves_the_ring_as_it_was<B: Backend>(backend: &B) {
    let valid = [
        Change::add("new", 3),
        Change::remove("a"),
        Change::set_weight("b", 5),
        Change::add("a", 1),
        Change::remove("new"),
        Change::set_weight("c", 1),
    ];
    let refused = [Change::add("c", 1), Change::remove("nobody"), Change::set_weight("b", 0)];
    let mut ring = ring_of(backend, 10, &NODES);
    let due = State::of(&ring);
    for place in 0..=valid.len() {
        for bad in &refused {
            let mut batch = valid.to_vec();
            batch.insert(place, bad.clone());
            match make_all(&mut ring, &batch) {
                Err(RingError::InChange { index, .. }) => assert_eq!(index, place),
                other => panic!("{bad:?} at {place} gives {other:?}"),
            }
            assert_eq!(State::of(&ring), due, "{bad:?} at {place}");
        }
    }
    assert_eq!(make_all(&mut ring, &valid), Ok(()), "the others alone are fine");
}

pub(in super::super) fn a_batch_past_the_limit_leaves_the_ring_as_it_was<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &NODES);
    assert_eq!(ring.set_token_limit(75), Ok(()));
    let due = State::of(&ring);
    let batch = [Change::remove("b"), Change::add("new", 2)];
    assert_eq!(
        make_all(&mut ring, &batch),
        Err(RingError::TooManyTokens { requested: 80, limit: 75 })
    );
    assert_eq!(State::of(&ring), due);
}

/// A caller's hash runs before the first mutation only.
pub(in super::super) fn a_panicking_hash_leaves_the_ring_as_it_was<B: Backend>(backend: &B) {
    // The panic may come at the first token hashed, in the middle, or at the last one.
    for prefix in ["bad#0", "bad#7", "bad#19", "late#"] {
        let hash = TestHash::panicking(prefix);
        let mut ring = ring_with(backend, 10, hash.clone(), &NODES);
        let due = State::of(&ring);
        let changes = [
            Change::set_weight("c", 1),
            Change::remove("a"),
            Change::add("bad", 2),
            Change::add("late", 1),
        ];
        hash.arm(true);
        let outcome = catch_unwind(AssertUnwindSafe(|| ring.apply(&changes)));
        hash.arm(false);
        assert!(outcome.is_err(), "the hash was to panic at {prefix:?}");
        assert_eq!(State::of(&ring), due, "{prefix:?}");
        intact(&ring);
        assert_eq!(make_all(&mut ring, &changes), Ok(()), "and the ring goes on");
    }
}

/// Tokens that go are hashed too.
pub(in super::super) fn a_hash_that_panics_in_a_removal_leaves_the_ring_as_it_was<B: Backend>(
    backend: &B,
) {
    let hash = TestHash::panicking("c#2");
    let mut ring = ring_with(backend, 10, hash.clone(), &NODES);
    let due = State::of(&ring);
    hash.arm(true);
    let outcome = catch_unwind(AssertUnwindSafe(|| ring.remove_node("c")));
    hash.arm(false);
    match outcome {
        // A ring that remembers its tokens does not have to hash them again.
        Ok(removed) => {
            assert!(removed);
            assert_eq!(ring.weight("c"), None);
        }
        Err(_) => assert_eq!(State::of(&ring), due),
    }
    intact(&ring);
}
