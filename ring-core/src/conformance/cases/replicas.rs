//! Replica sets: the first distinct nodes clockwise, how many are missing, and the lazy form.

use super::super::backend::Backend;
use super::super::support::{Numbers, empty, empty_with, listed, make, ring_of, ring_with, tokens};
use super::super::test_hash::TestHash;
use crate::membership::Change;
use crate::ring::Ring;

const NODES: [(&str, u32); 6] = [("d", 1), ("a", 3), ("a#1", 1), ("b", 2), ("", 1), ("c", 1)];

/// The preference list by its definition, from the tokens in ring order.
fn due<R: Ring>(ring: &R, hash: u64) -> Vec<String> {
    let all = tokens(ring);
    let at = all.iter().position(|token| token.0 >= hash).unwrap_or(0);
    let mut nodes: Vec<String> = Vec::new();
    for (_, token_id) in all[at..].iter().chain(&all[..at]) {
        let (node, _) = token_id.rsplit_once('#').expect("a token id holds a #");
        if !nodes.iter().any(|met| met == node) {
            nodes.push(node.to_owned());
        }
    }
    nodes
}

pub(in super::super) fn the_first_r_distinct_nodes_the_owner_first<B: Backend>(backend: &B) {
    for bits in [64, 8, 4, 1] {
        let ring = ring_with(backend, 8, TestHash::cut(bits), &NODES);
        for hash in Numbers::seeded(7).take(60).chain([0, u64::MAX]) {
            let due = due(&ring, hash);
            assert_eq!(due.len(), 6);
            for r in 0..=9 {
                let set = ring.replicas_at(hash, r);
                assert_eq!(set.nodes(), &due[..r.min(6)], "r {r} at {hash:#x}, {bits} bits");
                assert_eq!(set.shortfall(), r.saturating_sub(6));
                if r > 0 {
                    assert_eq!(set.nodes().first().copied(), ring.owner_at(hash));
                }
            }
        }
    }
}

pub(in super::super) fn r_of_0_gives_none<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 10, &NODES);
    let set = ring.get_replicas("k", 0);
    assert_eq!(set.nodes(), [""; 0]);
    assert_eq!(set.shortfall(), 0);
    assert_eq!(ring.replicas_at(0, 0).nodes(), [""; 0]);
}

pub(in super::super) fn r_of_the_node_count_gives_each_node_once<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 10, &NODES);
    for hash in Numbers::seeded(8).take(100) {
        let set = ring.replicas_at(hash, 6);
        let mut ids = set.nodes().to_vec();
        ids.sort_unstable();
        assert_eq!(ids, ["", "a", "a#1", "b", "c", "d"]);
        assert_eq!(set.shortfall(), 0);
    }
}

pub(in super::super) fn r_over_the_node_count_gives_all_and_says_how_many_are_missing<
    B: Backend,
>(
    backend: &B,
) {
    let ring = ring_of(backend, 10, &[("a", 1), ("b", 2)]);
    for r in [3, 4, 100, 1 << 40, usize::MAX] {
        let set = ring.get_replicas("k", r);
        assert_eq!(set.nodes().len(), 2, "r {r}");
        assert_eq!(set.shortfall(), r - 2);
        assert_ne!(set.nodes()[0], set.nodes()[1]);
    }
}

pub(in super::super) fn an_empty_ring_has_no_replicas<B: Backend>(backend: &B) {
    let ring = empty(backend, 10);
    for r in [0, 1, 5, usize::MAX] {
        let set = ring.get_replicas("k", r);
        assert_eq!(set.nodes(), [""; 0]);
        assert_eq!(set.shortfall(), r);
    }
    assert_eq!(ring.replicas("k").next(), None);
}

pub(in super::super) fn replicas_go_on_past_the_last_token<B: Backend>(backend: &B) {
    let hash = TestHash::table([("a#0", 10), ("b#0", 20), ("c#0", 30), ("k", 25), ("top", 31)]);
    let ring = ring_with(backend, 1, hash, &[("a", 1), ("b", 1), ("c", 1)]);
    assert_eq!(ring.get_replicas("k", 3).nodes(), ["c", "a", "b"]);
    assert_eq!(ring.get_replicas("k", 2).nodes(), ["c", "a"]);
    assert_eq!(ring.get_replicas("top", 3).nodes(), ["a", "b", "c"]);
    assert_eq!(ring.replicas("k").collect::<Vec<_>>(), ["c", "a", "b"]);
}

/// A node met a second time, not next to its first token, is not a second replica.
pub(in super::super) fn nodes_met_again_later_do_not_count<B: Backend>(backend: &B) {
    let places =
        [("a#0", 10), ("b#0", 20), ("a#1", 30), ("b#1", 40), ("c#1", 50), ("c#0", 60), ("k", 5)];
    let ring = ring_with(backend, 2, TestHash::table(places), &[("a", 1), ("b", 1), ("c", 1)]);
    assert_eq!(ring.get_replicas("k", 2).nodes(), ["a", "b"]);
    assert_eq!(ring.get_replicas("k", 3).nodes(), ["a", "b", "c"]);
    assert_eq!(ring.replicas_at(15, 2).nodes(), ["b", "a"]);
    assert_eq!(ring.replicas("k").collect::<Vec<_>>(), ["a", "b", "c"]);
}

pub(in super::super) fn replicas_among_equal_hashes_come_in_token_id_order<B: Backend>(
    backend: &B,
) {
    let ids = ["a", "a#1", "a1", "a1#1", "#", "", "\u{ff4e}", "\u{1f600}"];
    let mut ring = empty_with(backend, 1, TestHash::constant(9));
    for id in ids.iter().rev() {
        assert_eq!(ring.add_node(id, 1), Ok(()));
    }
    let mut due = ids;
    due.sort_by_key(|id| format!("{id}#0").into_bytes());
    assert_eq!(ring.get_replicas("k", 8).nodes(), due);
    assert_eq!(ring.get_replicas("k", 3).nodes(), &due[..3]);
    assert_eq!(ring.replicas("k").collect::<Vec<_>>(), due);
}

pub(in super::super) fn lazy_replicas_equal_the_set<B: Backend>(backend: &B) {
    for bits in [64, 8, 3] {
        let ring = ring_with(backend, 8, TestHash::cut(bits), &NODES);
        for key in 0..60 {
            let key = format!("key-{key}");
            let all = ring.get_replicas(&key, usize::MAX);
            let mut lazy = ring.replicas(&key);
            assert_eq!(lazy.by_ref().collect::<Vec<_>>(), all.nodes());
            assert_eq!(lazy.next(), None, "an end stays an end");
            assert_eq!(lazy.next(), None);
            assert_eq!(ring.replicas(&key).next(), ring.get_node(&key));
        }
    }
}

pub(in super::super) fn lazy_replicas_can_be_cloned_midway<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 10, &NODES);
    let mut lazy = ring.replicas("k");
    let first: Vec<_> = lazy.by_ref().take(2).collect();
    let copy = lazy.clone();
    let rest: Vec<_> = lazy.collect();
    assert_eq!(rest.len(), 4);
    assert_eq!(copy.collect::<Vec<_>>(), rest);
    assert!(first.iter().all(|id| !rest.contains(id)));
}

/// Counts around every size at which a set of seen nodes may change its form.
pub(in super::super) fn many_replicas_of_many_nodes<B: Backend>(backend: &B) {
    for count in [1, 15, 16, 17, 31, 63, 64, 65, 66, 130] {
        let mut ring = empty(backend, 3);
        let adds: Vec<Change> =
            (0..count).map(|node| Change::add(format!("n{node}"), 1 + node % 2)).collect();
        assert_eq!(ring.apply(&adds), Ok(()));
        for hash in Numbers::seeded(u64::from(count)).take(8) {
            let due = due(&ring, hash);
            for r in [1, 15, 16, 17, 63, 64, 65, 66, 129, 130, 131] {
                let set = ring.replicas_at(hash, r);
                assert_eq!(set.nodes(), &due[..r.min(due.len())], "r {r} of {count} nodes");
                assert_eq!(set.shortfall(), r.saturating_sub(due.len()));
            }
        }
        let key = "a key";
        let all = ring.get_replicas(key, usize::MAX);
        assert_eq!(all.nodes().len(), adds.len());
        assert_eq!(ring.replicas(key).collect::<Vec<_>>(), all.nodes());
    }
}

pub(in super::super) fn replicas_follow_a_change<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &NODES);
    for change in
        [Change::remove("a"), Change::add("new", 2), Change::set_weight("b", 1), Change::remove("")]
    {
        assert_eq!(make(&mut ring, change), Ok(()));
        for hash in Numbers::seeded(9).take(40) {
            let due = due(&ring, hash);
            assert_eq!(ring.replicas_at(hash, usize::MAX).nodes(), due);
            assert_eq!(listed(&ring, hash).len(), ring.token_count());
        }
    }
}
