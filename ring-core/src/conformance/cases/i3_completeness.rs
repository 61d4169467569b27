//! I3: a node's tokens are exactly what its id, its weight, V and the hash generate.

use super::super::backend::Backend;
use super::super::support::{
    empty, empty_with, intact, make, make_all, ring_of, ring_with, token_ids, tokens,
};
use super::super::test_hash::TestHash;
use crate::hash::{Fnv1aFmix64, Hash64};
use crate::membership::Change;
use crate::ring::Ring;

pub(in super::super) fn a_node_owns_weight_times_v_tokens<B: Backend>(backend: &B) {
    for vnodes in [1, 2, 99, 100] {
        for weight in [1, 2, 7] {
            let ring = ring_of(backend, vnodes, &[("a", weight)]);
            assert_eq!(ring.token_count(), (weight * vnodes) as usize);
            let mut due: Vec<String> = (0..weight * vnodes).map(|i| format!("a#{i}")).collect();
            let mut found = token_ids(&ring);
            due.sort();
            found.sort();
            assert_eq!(found, due);
        }
    }
}

pub(in super::super) fn a_token_stands_at_the_hash_of_its_id<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 30, &[("node", 1), ("키", 2), ("", 1)]);
    for token in ring.walk(0).take(ring.token_count()) {
        let token_id = format!("{}#{}", token.node_id(), token.index());
        assert_eq!(token.hash(), Fnv1aFmix64.hash64(token_id.as_bytes()), "{token_id:?}");
    }
    assert!(tokens(&ring).contains(&(0x37bd_0958_09cb_d0c0, "node#1".to_owned())));
}

pub(in super::super) fn two_nodes_that_share_one_hash_keep_both_tokens<B: Backend>(backend: &B) {
    let shared = 1 << 40;
    let hash = TestHash::table([("p#1", shared), ("q#0", shared)]);
    for ids in [["p", "q"], ["q", "p"]] {
        let mut ring = ring_with(backend, 2, hash.clone(), &[(ids[0], 1), (ids[1], 1)]);
        let there: Vec<String> =
            tokens(&ring).into_iter().filter(|t| t.0 == shared).map(|t| t.1).collect();
        assert_eq!(there, ["p#1", "q#0"]);
        assert_eq!(ring.owner_at(shared), Some("p"));
        intact(&ring);
        assert_eq!(make(&mut ring, Change::remove("p")), Ok(()));
        assert_eq!(ring.owner_at(shared), Some("q"));
        assert_eq!(make(&mut ring, Change::add("p", 1)), Ok(()));
        assert_eq!(make(&mut ring, Change::remove("q")), Ok(()));
        assert_eq!(ring.owner_at(shared), Some("p"));
    }
}

/// The two ids leave FNV-1a in the same state, so that they collide on every token.
pub(in super::super) fn two_nodes_that_share_all_hashes_keep_all_tokens<B: Backend>(backend: &B) {
    let (first, second) = ("node-b60q8m41dwp", "node-ryw353ea3uk");
    let mut ring = ring_of(backend, 50, &[(second, 1), (first, 1)]);
    assert_eq!(ring.token_count(), 100);
    intact(&ring);
    for token in ring.walk(0).take(100) {
        assert_eq!(ring.owner_at(token.hash()), Some(first), "the other stands in its shadow");
    }
    assert_eq!(ring.get_replicas("k", 2).nodes(), [first, second]);
    assert_eq!(make(&mut ring, Change::remove(first)), Ok(()));
    assert_eq!(ring.token_count(), 50);
    assert_eq!(ring.get_node("k"), Some(second));
}

pub(in super::super) fn a_weight_change_leaves_nothing_over<B: Backend>(backend: &B) {
    for hash in [TestHash::full(), TestHash::cut(4), TestHash::constant(0)] {
        let mut ring = ring_with(backend, 10, hash, &[("a", 1), ("b", 2)]);
        for weight in [5, 2, 2, 1, 3, 1, 8] {
            assert_eq!(make(&mut ring, Change::set_weight("a", weight)), Ok(()));
            assert_eq!(ring.token_count(), 20 + 10 * weight as usize);
            assert_eq!(ring.weight("a"), Some(weight));
        }
        assert_eq!(make(&mut ring, Change::remove("a")), Ok(()));
        assert_eq!(ring.token_count(), 20);
    }
}

/// Tokens below the lower count stay where they are; only those above it come or go.
pub(in super::super) fn a_weight_change_touches_only_indices_between<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 2), ("b", 1)]);
    let low = tokens(&ring);
    assert_eq!(ring.set_weight("a", 4), Ok(()));
    let high = tokens(&ring);
    let mut come: Vec<String> =
        high.iter().filter(|token| !low.contains(token)).map(|token| token.1.clone()).collect();
    come.sort();
    let mut due: Vec<String> = (20..40).map(|index| format!("a#{index}")).collect();
    due.sort();
    assert_eq!(come, due);
    assert!(low.iter().all(|token| high.contains(token)));
    assert_eq!(ring.set_weight("a", 2), Ok(()));
    assert_eq!(tokens(&ring), low);
}

pub(in super::super) fn re_adding_with_another_weight<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 5), ("b", 1)]);
    for weight in [1, 7, 2] {
        assert_eq!(make(&mut ring, Change::remove("a")), Ok(()));
        assert_eq!(make(&mut ring, Change::add("a", weight)), Ok(()));
        assert_eq!(ring.weight("a"), Some(weight));
        assert_eq!(ring.token_count(), 10 + 10 * weight as usize);
    }
    let again = [Change::remove("a"), Change::add("a", 4)];
    assert_eq!(make_all(&mut ring, &again), Ok(()));
    assert_eq!(ring.token_count(), 50);
}

pub(in super::super) fn tokens_of_one_node_may_all_collide<B: Backend>(backend: &B) {
    for place in [0, 1, u64::MAX / 2, u64::MAX] {
        let mut ring = empty_with(backend, 8, TestHash::constant(place));
        for (id, weight) in [("b", 2), ("a", 1), ("c", 3)] {
            assert_eq!(make(&mut ring, Change::add(id, weight)), Ok(()));
        }
        assert_eq!(ring.token_count(), 48);
        assert_eq!(ring.get_node("any"), Some("a"));
        assert_eq!(ring.get_replicas("any", 3).nodes(), ["a", "b", "c"]);
        assert_eq!(make(&mut ring, Change::remove("a")), Ok(()));
        assert_eq!(ring.get_node("any"), Some("b"));
        assert_eq!(make(&mut ring, Change::set_weight("c", 1)), Ok(()));
        assert_eq!(ring.token_count(), 24);
    }
}

/// More than 2^16 tokens of one node: no index is cut.
pub(in super::super) fn more_tokens_of_a_node_than_sixteen_bits<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 10_000);
    assert_eq!(ring.add_node("a", 7), Ok(()));
    let mut indices: Vec<u32> = ring.walk(0).map(|token| token.index()).collect();
    indices.sort_unstable();
    assert!(indices.into_iter().eq(0..70_000), "the indices are not 0 to 69,999");
    assert_eq!(ring.set_weight("a", 1), Ok(()));
    assert_eq!(ring.token_count(), 10_000);
    assert!(ring.walk(0).all(|token| token.index() < 10_000));
}
