//! I2: every token refers to a registered node, and every node is live.

use super::super::backend::Backend;
use super::super::support::{NASTY_IDS, empty, intact, make, nodes, ring_of, token_ids};
use crate::membership::Change;
use crate::ring::Ring;

pub(in super::super) fn nodes_are_listed_in_id_order_with_weights<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 3, &[("b", 2), ("a", 1), ("c", 7), ("B", 3)]);
    let due = [("B", 3), ("a", 1), ("b", 2), ("c", 7)].map(|(id, w)| (id.to_owned(), w));
    assert_eq!(nodes(&ring), due);
    assert_eq!(ring.node_count(), 4);
    assert_eq!(ring.weight("c"), Some(7));
    assert_eq!(ring.weight("C"), None);
    assert_eq!(ring.weight(""), None);
}

pub(in super::super) fn removed_nodes_leave_no_token<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 20, &[("a", 2), ("b", 1), ("c", 1)]);
    assert_eq!(make(&mut ring, Change::remove("a")), Ok(()));
    assert_eq!(ring.token_count(), 40);
    assert!(ring.walk(0).all(|token| token.node_id() != "a"));
    assert_eq!(make(&mut ring, Change::remove("c")), Ok(()));
    assert_eq!(make(&mut ring, Change::remove("b")), Ok(()));
    assert!(ring.is_empty());
    assert_eq!((ring.node_count(), ring.token_count()), (0, 0));
    assert_eq!(ring.walk(0).next(), None);
}

/// Exactly the node's own tokens go, never by prefix of an id or of a token id.
pub(in super::super) fn removal_takes_nothing_from_ids_that_share_a_prefix<B: Backend>(
    backend: &B,
) {
    let ids = ["a", "a#1", "a1", "a1#1", "#", "", "a#", "a#1#1"];
    for gone in ids {
        let mut ring = empty(backend, 12);
        for id in ids {
            assert_eq!(ring.add_node(id, 1), Ok(()));
        }
        let mut due = token_ids(&ring);
        let own: Vec<String> = (0..12).map(|index| format!("{gone}#{index}")).collect();
        due.retain(|token_id| !own.contains(token_id));
        assert!(ring.remove_node(gone));
        assert_eq!(token_ids(&ring), due, "after the removal of {gone:?}");
        intact(&ring);
    }
}

/// Byte for byte: the empty id, NUL, blanks, letter case, composed and decomposed forms.
pub(in super::super) fn any_string_is_an_id_of_its_own<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 2);
    for (id, weight) in NASTY_IDS.iter().zip((1..=4).cycle()) {
        assert_eq!(make(&mut ring, Change::add(*id, weight)), Ok(()), "{id:?}");
    }
    assert_eq!(ring.node_count(), NASTY_IDS.len());
    for (id, weight) in NASTY_IDS.iter().zip((1..=4).cycle()) {
        assert_eq!(ring.weight(id), Some(weight), "{id:?}");
    }
    for id in NASTY_IDS {
        assert_eq!(make(&mut ring, Change::remove(*id)), Ok(()), "{id:?}");
        assert_eq!(ring.weight(id), None, "{id:?}");
    }
    assert!(ring.is_empty());
}

pub(in super::super) fn composed_and_decomposed_forms_are_two_nodes<B: Backend>(backend: &B) {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    let mut ring = ring_of(backend, 10, &[(composed, 1), (decomposed, 2)]);
    assert_eq!(ring.node_count(), 2);
    assert_eq!(ring.token_count(), 30);
    assert_eq!(ring.weight(composed), Some(1));
    assert_eq!(make(&mut ring, Change::remove(composed)), Ok(()));
    assert_eq!(nodes(&ring), [(decomposed.to_owned(), 2)]);
}

pub(in super::super) fn ids_may_hold_nul<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 10, &[("a", 1), ("a\0", 2), ("a\0b", 3), ("\0", 4)]);
    assert_eq!(ring.node_count(), 4);
    assert_eq!(ring.token_count(), 100);
    intact(&ring);
    assert_eq!(make(&mut ring, Change::remove("a\0")), Ok(()));
    assert_eq!(ring.weight("a"), Some(1));
    assert_eq!(ring.weight("a\0b"), Some(3));
}

/// Nodes that come where others went do not take over anything of theirs.
pub(in super::super) fn nodes_that_come_where_others_went_start_anew<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 4);
    for round in 0..6_u32 {
        for node in 0..8 {
            let change = Change::add(format!("{round}-{node}"), 1 + (node + round) % 3);
            assert_eq!(make(&mut ring, change), Ok(()));
        }
        for node in (0..8).filter(|node| node % 3 != round % 3) {
            assert_eq!(make(&mut ring, Change::remove(format!("{round}-{node}"))), Ok(()));
        }
    }
    let swap: Vec<Change> = nodes(&ring)
        .iter()
        .flat_map(|(id, weight)| [Change::remove(id), Change::add(format!("new-{id}"), *weight)])
        .collect();
    assert_eq!(ring.apply(&swap), Ok(()));
    intact(&ring);
}

/// More than 2^16 nodes: no number of a node is cut.
pub(in super::super) fn more_nodes_than_sixteen_bits<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 1);
    let adds: Vec<Change> = (0..66_000).map(|node| Change::add(node.to_string(), 1)).collect();
    assert_eq!(ring.apply(&adds), Ok(()));
    let mut seen: Vec<u32> = ring
        .walk(0)
        .map(|token| {
            assert_eq!(token.index(), 0);
            token.node_id().parse().expect("the ids are numbers")
        })
        .collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..66_000), "a node's token has another node's id");
}
