//! I6: nothing moves but to a node that gains weight or from one that loses it.

use super::super::backend::Backend;
use super::super::support::{Numbers, make, make_all, ring_of, ring_with};
use super::super::test_hash::TestHash;
use crate::diff::diff;
use crate::membership::Change;
use crate::ring::Ring;

const NODES: [(&str, u32); 5] = [("a", 2), ("a#1", 1), ("b", 3), ("c", 1), ("", 2)];

/// Owners of the same 2,000 hashes in both rings, where they differ.
fn moves<'a, R: Ring>(
    before: &'a R,
    after: &'a R,
) -> impl Iterator<Item = (Option<&'a str>, Option<&'a str>)> {
    Numbers::seeded(6)
        .take(2_000)
        .map(|hash| (before.owner_at(hash), after.owner_at(hash)))
        .filter(|(old, new)| old != new)
}

pub(in super::super) fn an_add_moves_keys_only_to_the_new_node<B: Backend>(backend: &B) {
    for bits in [64, 8, 4] {
        let before = ring_with(backend, 12, TestHash::cut(bits), &NODES);
        let mut after = before.clone();
        assert_eq!(make(&mut after, Change::add("new", 3)), Ok(()));
        assert!(moves(&before, &after).all(|(_, new)| new == Some("new")));
        let moved = diff(&before, &after).expect("one hash");
        assert!(moved.flows().iter().all(|flow| flow.to == Some("new")));
        // Under 4 bits all 16 places may belong to ids that come earlier.
        assert!(bits == 4 || moved.moved() > 0, "a node of 36 tokens owns something");
    }
}

pub(in super::super) fn a_removal_moves_only_keys_of_the_node_that_goes<B: Backend>(backend: &B) {
    for bits in [64, 8, 4] {
        let before = ring_with(backend, 12, TestHash::cut(bits), &NODES);
        for (id, _) in NODES {
            let mut after = before.clone();
            assert_eq!(make(&mut after, Change::remove(id)), Ok(()));
            assert!(moves(&before, &after).all(|(old, _)| old == Some(id)));
            assert!(moves(&before, &after).all(|(_, new)| new != Some(id)));
        }
    }
}

pub(in super::super) fn a_raised_weight_moves_keys_only_to_its_node<B: Backend>(backend: &B) {
    for bits in [64, 8, 4] {
        let before = ring_with(backend, 12, TestHash::cut(bits), &NODES);
        let mut after = before.clone();
        assert_eq!(make(&mut after, Change::set_weight("a#1", 6)), Ok(()));
        assert!(moves(&before, &after).all(|(_, new)| new == Some("a#1")));
        assert!(bits == 4 || diff(&before, &after).is_ok_and(|moved| moved.moved() > 0));
    }
}

pub(in super::super) fn a_lowered_weight_moves_only_keys_of_its_node<B: Backend>(backend: &B) {
    for bits in [64, 8, 4] {
        let before = ring_with(backend, 12, TestHash::cut(bits), &NODES);
        let mut after = before.clone();
        assert_eq!(make(&mut after, Change::set_weight("b", 1)), Ok(()));
        assert!(moves(&before, &after).all(|(old, _)| old == Some("b")));
        assert!(bits == 4 || diff(&before, &after).is_ok_and(|moved| moved.moved() > 0));
    }
}

pub(in super::super) fn a_batch_moves_nothing_between_bystanders<B: Backend>(backend: &B) {
    for bits in [64, 8, 4] {
        let before = ring_with(backend, 12, TestHash::cut(bits), &NODES);
        let mut after = before.clone();
        let batch = [Change::add("new", 2), Change::remove("a"), Change::set_weight("b", 5)];
        assert_eq!(make_all(&mut after, &batch), Ok(()));
        for (old, new) in moves(&before, &after) {
            assert!(
                old == Some("a") || new == Some("new") || new == Some("b"),
                "a hash moved from {old:?} to {new:?}"
            );
        }
    }
}

/// The weight of a node goes, its tokens come back: what moved away returns.
pub(in super::super) fn a_change_and_its_inverse_move_nothing<B: Backend>(backend: &B) {
    let before = ring_of(backend, 12, &NODES);
    let mut after = before.clone();
    assert!(after.remove_node("b"));
    assert!(moves(&before, &after).next().is_some());
    assert_eq!(after.add_node("b", 3), Ok(()));
    assert_eq!(moves(&before, &after).next(), None);
    assert!(diff(&before, &after).is_ok_and(|moved| moved.moved() == 0));
}
