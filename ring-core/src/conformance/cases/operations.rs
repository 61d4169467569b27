//! Each call of the ring: what it returns, which error it gives, and the settings.

use super::super::backend::Backend;
use super::super::support::{
    State, empty, empty_with, intact, make, make_all, nodes, ring_of, tokens,
};
use super::super::test_hash::TestHash;
use crate::error::RingError;
use crate::hash::Hash64;
use crate::membership::Change;
use crate::ring::Ring;

fn unknown(id: &str) -> RingError {
    RingError::UnknownNode { id: id.to_owned() }
}

fn zero_weight(id: &str) -> RingError {
    RingError::ZeroWeight { id: id.to_owned() }
}

fn duplicate(id: &str, weight: u32) -> RingError {
    RingError::DuplicateNode { id: id.to_owned(), weight }
}

fn in_change(index: usize, cause: RingError) -> RingError {
    RingError::InChange { index, cause: Box::new(cause) }
}

pub(in super::super) fn a_new_ring_is_empty_and_has_the_defaults<B: Backend>(backend: &B) {
    let ring = empty(backend, 100);
    assert!(ring.is_empty());
    assert_eq!((ring.node_count(), ring.token_count()), (0, 0));
    assert_eq!(ring.vnodes_per_weight(), 100);
    assert_eq!(ring.token_limit(), 16_777_216);
    assert_eq!(ring.hasher().name(), "fnv1a64-fmix64");
    assert_eq!(nodes(&ring), []);
    assert_eq!(empty_with(backend, 7, TestHash::cut(3)).hasher().hash64(b"a"), 0x8 << 60);
    assert_eq!(empty(backend, u32::MAX).vnodes_per_weight(), u32::MAX);
}

pub(in super::super) fn v_of_0_is_refused<B: Backend>(backend: &B) {
    assert_eq!(backend.empty(0).err(), Some(RingError::ZeroVnodes));
    assert_eq!(backend.empty_with_hash(0, TestHash::full()).err(), Some(RingError::ZeroVnodes));
}

pub(in super::super) fn add_node_refuses_weight_0_and_registered_ids<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 10);
    assert_eq!(ring.add_node("a", 0), Err(zero_weight("a")));
    assert!(ring.is_empty());
    assert_eq!(ring.add_node("a", 3), Ok(()));
    assert_eq!(ring.add_node("a", 3), Err(duplicate("a", 3)), "with the same weight too");
    assert_eq!(ring.add_node("a", 4), Err(duplicate("a", 3)));
    assert_eq!(ring.add_node("a", 0), Err(zero_weight("a")), "weight 0 is checked first");
    assert_eq!(ring.weight("a"), Some(3));
    assert_eq!(ring.token_count(), 30);
    intact(&ring);
}

pub(in super::super) fn remove_node_tells_whether_it_was_there<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 2), ("b", 1)]);
    assert!(!ring.remove_node("c"));
    assert!(!ring.remove_node(""));
    assert!(!ring.remove_node("A"));
    assert!(!ring.remove_node("a#"));
    assert_eq!(ring.token_count(), 30);
    assert!(ring.remove_node("a"));
    assert!(!ring.remove_node("a"));
    assert_eq!(ring.token_count(), 10);
    assert!(ring.remove_node("b"));
    assert!(!ring.remove_node("b"));
    assert!(ring.is_empty());
}

pub(in super::super) fn set_weight_refuses_weight_0_and_unknown_ids<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 2)]);
    assert_eq!(ring.set_weight("b", 1), Err(unknown("b")));
    assert_eq!(ring.set_weight("a", 0), Err(zero_weight("a")));
    assert_eq!(ring.set_weight("b", 0), Err(zero_weight("b")), "weight 0 is checked first");
    assert_eq!(nodes(&ring), [("a".to_owned(), 2)]);
    intact(&ring);
}

pub(in super::super) fn set_weight_to_the_same_weight_changes_nothing<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 2), ("b", 1)]);
    let due = State::of(&ring);
    assert_eq!(ring.set_weight("a", 2), Ok(()));
    assert_eq!(State::of(&ring), due);
}

pub(in super::super) fn apply_of_no_changes_is_ok<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 10);
    assert_eq!(make_all(&mut ring, &[]), Ok(()));
    assert!(ring.is_empty());
    assert_eq!(ring.add_node("a", 1), Ok(()));
    let due = State::of(&ring);
    assert_eq!(make_all(&mut ring, &[]), Ok(()));
    assert_eq!(State::of(&ring), due);
}

pub(in super::super) fn apply_checks_each_change_after_the_ones_before<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 5, &[("a", 1)]);
    let batch = [
        Change::add("b", 1),
        Change::set_weight("b", 3),
        Change::remove("a"),
        Change::add("a", 2),
        Change::set_weight("a", 4),
        Change::remove("b"),
        Change::add("b", 2),
    ];
    assert_eq!(make_all(&mut ring, &batch), Ok(()));
    assert_eq!(nodes(&ring), [("a".to_owned(), 4), ("b".to_owned(), 2)]);
    let late = [Change::remove("a"), Change::set_weight("a", 1)];
    assert_eq!(make_all(&mut ring, &late), Err(in_change(1, unknown("a"))));
    let twice = [Change::remove("a"), Change::remove("a")];
    assert_eq!(make_all(&mut ring, &twice), Err(in_change(1, unknown("a"))));
    let again = [Change::add("c", 1), Change::set_weight("c", 2), Change::add("c", 2)];
    assert_eq!(make_all(&mut ring, &again), Err(in_change(2, duplicate("c", 2))));
}

pub(in super::super) fn apply_names_the_change_that_failed<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 5, &[("a", 6), ("b", 1)]);
    let rows = [
        (Change::add("a", 1), duplicate("a", 6)),
        (Change::add("a", 6), duplicate("a", 6)),
        (Change::add("a", 0), zero_weight("a")),
        (Change::add("new", 0), zero_weight("new")),
        (Change::remove("nobody"), unknown("nobody")),
        (Change::set_weight("nobody", 1), unknown("nobody")),
        (Change::set_weight("nobody", 0), zero_weight("nobody")),
        (Change::set_weight("a", 0), zero_weight("a")),
    ];
    for (bad, cause) in rows {
        for place in 0..3 {
            let mut batch = vec![Change::add("x", 1), Change::set_weight("b", 2)];
            batch.insert(place, bad.clone());
            // Only the first one that fails is named.
            batch.push(Change::remove("nobody at all"));
            let error = make_all(&mut ring, &batch);
            assert_eq!(error, Err(in_change(place, cause.clone())), "{bad:?} at {place}");
        }
    }
}

pub(in super::super) fn a_removal_then_an_add_is_a_weight_change<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 3), ("b", 1)]);
    let due = State::of(&ring_of(backend, 10, &[("a", 1), ("b", 1)]));
    assert_eq!(make_all(&mut ring, &[Change::remove("a"), Change::add("a", 1)]), Ok(()));
    assert_eq!(State::of(&ring), due);
    let same = [Change::remove("a"), Change::add("a", 1)];
    assert_eq!(make_all(&mut ring, &same), Ok(()));
    assert_eq!(State::of(&ring), due);
}

pub(in super::super) fn an_add_then_a_removal_is_nothing<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 3)]);
    assert_eq!(ring.set_token_limit(30), Ok(()));
    let due = State::of(&ring);
    // More tokens than the limit, though only on the way.
    let batch = [Change::add("b", 1_000), Change::remove("b")];
    assert_eq!(make_all(&mut ring, &batch), Ok(()));
    assert_eq!(State::of(&ring), due);
}

pub(in super::super) fn the_limit_is_checked_on_the_final_membership<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 5), ("b", 5)]);
    assert_eq!(ring.set_token_limit(100), Ok(()));
    let swap = [Change::add("c", 5), Change::remove("a")];
    assert_eq!(make_all(&mut ring, &swap), Ok(()), "150 on the way, 100 in the end");
    let raise = [Change::set_weight("b", 9), Change::set_weight("c", 1)];
    assert_eq!(make_all(&mut ring, &raise), Ok(()));
    assert_eq!(ring.token_count(), 100);
    let late = [Change::add("d", 1), Change::remove("nobody")];
    assert_eq!(
        make_all(&mut ring, &late),
        Err(in_change(1, unknown("nobody"))),
        "changes are checked before the limit"
    );
    assert_eq!(
        make_all(&mut ring, &[Change::add("d", 1)]),
        Err(RingError::TooManyTokens { requested: 110, limit: 100 })
    );
}

pub(in super::super) fn the_limit_is_exact<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 10);
    assert_eq!(ring.set_token_limit(30), Ok(()));
    assert_eq!(ring.token_limit(), 30);
    assert_eq!(make(&mut ring, Change::add("a", 3)), Ok(()), "a full ring is fine");
    assert_eq!(ring.add_node("b", 1), Err(RingError::TooManyTokens { requested: 40, limit: 30 }));
    assert_eq!(ring.set_weight("a", 4), Err(RingError::TooManyTokens { requested: 40, limit: 30 }));
    assert_eq!(ring.set_weight("a", 2), Ok(()));
    assert_eq!(ring.add_node("b", 1), Ok(()));
    assert_eq!(ring.set_token_limit(39), Ok(()));
    assert_eq!(ring.add_node("c", 1), Err(RingError::TooManyTokens { requested: 40, limit: 39 }));
    assert_eq!(ring.set_token_limit(40), Ok(()));
    assert_eq!(ring.add_node("c", 1), Ok(()));
}

pub(in super::super) fn a_limit_below_the_count_is_refused<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 3)]);
    assert_eq!(ring.set_token_limit(29), Err(RingError::LimitBelowCount { limit: 29, tokens: 30 }));
    assert_eq!(ring.set_token_limit(0), Err(RingError::LimitBelowCount { limit: 0, tokens: 30 }));
    assert_eq!(ring.token_limit(), 16_777_216);
    assert_eq!(ring.set_token_limit(30), Ok(()));
    assert_eq!(ring.set_token_limit(u32::MAX), Ok(()));
    assert!(ring.remove_node("a"));
    assert_eq!(ring.set_token_limit(0), Ok(()));
    assert_eq!(ring.add_node("a", 1), Err(RingError::TooManyTokens { requested: 10, limit: 0 }));
}

/// `weight × V` is worked out in 64 bits and summed in more, before anything is allocated.
pub(in super::super) fn huge_weights_are_refused_by_their_exact_number<B: Backend>(backend: &B) {
    let most = u128::from(u32::MAX);
    let mut ring = empty(backend, u32::MAX);
    assert_eq!(
        ring.add_node("a", u32::MAX),
        Err(RingError::TooManyTokens { requested: most * most, limit: 16_777_216 })
    );
    let adds: Vec<Change> = (0..5).map(|i| Change::add(i.to_string(), u32::MAX)).collect();
    assert_eq!(
        ring.apply(&adds),
        Err(RingError::TooManyTokens { requested: 5 * most * most, limit: 16_777_216 }),
        "the sum passes 64 bits"
    );
    assert!(ring.is_empty());
    // Products that are small once they are cut to 32 bits.
    for (vnodes, weight) in [(2, 1 << 31), (1 << 16, 1 << 16), (1 << 31, 2), (3, 1_431_655_766)] {
        let mut ring = empty(backend, vnodes);
        assert_eq!(ring.set_token_limit(u32::MAX), Ok(()));
        let requested = u128::from(vnodes) * u128::from(weight);
        assert_eq!(
            ring.add_node("a", weight),
            Err(RingError::TooManyTokens { requested, limit: u32::MAX })
        );
        assert!(ring.is_empty());
    }
    // A full u32 of tokens on top of some.
    let mut ring = ring_of(backend, 1, &[("a", 5)]);
    assert_eq!(ring.set_token_limit(u32::MAX), Ok(()));
    assert_eq!(
        ring.add_node("b", u32::MAX),
        Err(RingError::TooManyTokens { requested: most + 5, limit: u32::MAX })
    );
    assert_eq!(tokens(&ring).len(), 5);
}

/// A hash that gives other answers the second time breaks invariants, but nothing panics or hangs.
pub(in super::super) fn a_hash_that_breaks_its_contract_makes_nothing_panic<B: Backend>(
    backend: &B,
) {
    let mut ring = empty_with(backend, 16, TestHash::fickle());
    for round in 0..4_u32 {
        for node in 0..6_u32 {
            let _ = ring.add_node(&node.to_string(), 1 + (node + round) % 3);
            let _ = ring.set_weight(&node.to_string(), 1 + (node * round) % 4);
            let _ = ring.get_node("k");
        }
        let swap = [Change::remove("1"), Change::add("x", 2), Change::set_weight("2", 3)];
        let _ = ring.apply(&swap);
        for hash in (0..64).map(|place| place << 58) {
            let _ = ring.owner_at(hash);
            let _ = ring.replicas_at(hash, 3);
            assert!(ring.walk(hash).take(10_000).count() < 10_000);
        }
        let _ = ring.replicas("k").count();
        let _ = ring.fingerprint();
        for node in [0, 3, 5] {
            let _ = ring.remove_node(&node.to_string());
        }
        let _ = ring.remove_node("x");
    }
}
