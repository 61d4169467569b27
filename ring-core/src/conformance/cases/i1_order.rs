//! I1: tokens stand in ring order, strictly increasing.

use super::super::backend::Backend;
use super::super::support::{
    NASTY_IDS, empty_with, intact, make, make_all, nodes, ring_of, ring_with, token_ids, tokens,
};
use super::super::test_hash::TestHash;
use crate::membership::Change;
use crate::ring::Ring;

/// The first of all cases, so that nothing else meets a walk without an end.
pub(in super::super) fn tokens_come_once_each_and_end<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 7, &[("a", 2), ("b", 1)]);
    let listed = tokens(&ring);
    assert_eq!(listed.len(), 21);
    let mut distinct = listed.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 21, "a token stands twice");
}

pub(in super::super) fn tokens_stand_by_hash_then_token_id<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 40, &[("a", 3), ("b", 1), ("node-1", 2), ("", 1)]);
    let listed = tokens(&ring);
    assert!(
        listed.windows(2).all(|pair| pair[0] < pair[1]),
        "tokens do not increase strictly: {listed:?}"
    );
    intact(&ring);
}

pub(in super::super) fn equal_hashes_stand_in_token_id_order<B: Backend>(backend: &B) {
    let ring = ring_with(backend, 12, TestHash::constant(99), &[("a", 1)]);
    let due =
        ["a#0", "a#1", "a#10", "a#11", "a#2", "a#3", "a#4", "a#5", "a#6", "a#7", "a#8", "a#9"];
    assert_eq!(token_ids(&ring), due, "a#10 stands before a#2, as bytes do");
    intact(&ring);
}

pub(in super::super) fn token_ids_compare_as_whole_bytes<B: Backend>(backend: &B) {
    let ids = ["a", "a#1", "a1", "a1#1", "#", "", "a!", "a#1#"];
    for turn in 0..ids.len() {
        let mut ring = empty_with(backend, 12, TestHash::constant(u64::MAX));
        for place in 0..ids.len() {
            let id = ids[(place + turn) % ids.len()];
            assert_eq!(ring.add_node(id, 1), Ok(()));
        }
        let mut due: Vec<String> =
            ids.iter().flat_map(|id| (0..12).map(move |index| format!("{id}#{index}"))).collect();
        due.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
        assert_eq!(token_ids(&ring), due);
    }
}

pub(in super::super) fn equal_hashes_ignore_who_came_first<B: Backend>(backend: &B) {
    for hash in [TestHash::constant(5), TestHash::cut(4), TestHash::cut_low(4)] {
        let one_way = ring_with(backend, 20, hash.clone(), &[("a", 1), ("b", 1), ("c", 1)]);
        let other_way = ring_with(backend, 20, hash, &[("c", 1), ("b", 1), ("a", 1)]);
        assert_eq!(tokens(&one_way), tokens(&other_way));
        intact(&one_way);
        intact(&other_way);
    }
}

/// U+FF4E and U+FFFF stand before U+1F600 and U+10FFFF as UTF-8, and after them as UTF-16.
pub(in super::super) fn ids_compare_as_utf8_not_as_utf16<B: Backend>(backend: &B) {
    let ids = ["\u{1f600}", "\u{ff4e}", "\u{ffff}", "\u{10ffff}", "\u{e000}"];
    let mut ring = empty_with(backend, 2, TestHash::constant(1 << 63));
    for id in ids {
        assert_eq!(ring.add_node(id, 1), Ok(()));
    }
    let in_order = ["\u{e000}", "\u{ff4e}", "\u{ffff}", "\u{1f600}", "\u{10ffff}"];
    let due: Vec<String> =
        in_order.iter().flat_map(|id| [format!("{id}#0"), format!("{id}#1")]).collect();
    assert_eq!(token_ids(&ring), due);
    let listed: Vec<String> = nodes(&ring).into_iter().map(|(id, _)| id).collect();
    assert_eq!(listed, in_order, "nodes() too is in byte order");
}

pub(in super::super) fn hashes_on_both_sides_of_2_63_are_unsigned<B: Backend>(backend: &B) {
    let middle = 1_u64 << 63;
    let hash = TestHash::table([
        ("low#0", 0),
        ("below#0", middle - 1),
        ("at#0", middle),
        ("above#0", middle + 1),
        ("high#0", u64::MAX),
    ]);
    let nodes = [("high", 1), ("at", 1), ("low", 1), ("above", 1), ("below", 1)];
    let ring = ring_with(backend, 1, hash, &nodes);
    assert_eq!(token_ids(&ring), ["low#0", "below#0", "at#0", "above#0", "high#0"]);
    assert_eq!(ring.owner_at(middle - 1), Some("below"));
    assert_eq!(ring.owner_at(middle), Some("at"));
    assert_eq!(ring.owner_at(middle + 2), Some("high"));
    assert_eq!(ring.owner_at(1), Some("below"));
    intact(&ring);
}

/// Every bit of a hash counts, the lowest too, wherever a store may cut hashes in two.
pub(in super::super) fn every_bit_of_a_hash_orders<B: Backend>(backend: &B) {
    for bit in 0..64 {
        // In id order `a` comes first, by hash `z` does.
        let base = 0x5555_5555_5555_5555_u64 & !(1 << bit);
        let hash = TestHash::table([("a#0", base | (1 << bit)), ("z#0", base)]);
        let ring = ring_with(backend, 1, hash, &[("a", 1), ("z", 1)]);
        assert_eq!(token_ids(&ring), ["z#0", "a#0"], "bit {bit}");
        assert_eq!(ring.owner_at(base), Some("z"), "bit {bit}");
        assert_eq!(ring.owner_at(base + 1), Some("a"), "bit {bit}");
        intact(&ring);
    }
}

/// Nearly every token collides. One node after the other comes and goes, so that every place of the
/// hash space is empty, crowded, and empty again.
pub(in super::super) fn hash_cut_to_eight_bits<B: Backend>(backend: &B) {
    for hash in [TestHash::cut(8), TestHash::cut_low(8)] {
        let mut ring = empty_with(backend, 6, hash);
        for id in NASTY_IDS {
            assert_eq!(make(&mut ring, Change::add(*id, 2)), Ok(()));
        }
        let listed = tokens(&ring);
        assert_eq!(listed.len(), NASTY_IDS.len() * 12);
        assert!(listed.windows(2).all(|pair| pair[0] < pair[1]));
        for id in NASTY_IDS.iter().step_by(2).chain(NASTY_IDS.iter().skip(1).step_by(2)) {
            assert_eq!(make(&mut ring, Change::remove(*id)), Ok(()));
        }
        assert!(ring.is_empty());
    }
}

/// Batches of hundreds of tokens, into an empty ring and into one that is not.
pub(in super::super) fn large_batches_stand_in_ring_order<B: Backend>(backend: &B) {
    let (first, second) = NASTY_IDS.split_at(6);
    let adds = |ids: &[&str]| ids.iter().map(|id| Change::add(*id, 4)).collect::<Vec<_>>();
    for hash in [TestHash::full(), TestHash::cut(8), TestHash::cut_low(8), TestHash::cut_low(40)] {
        let mut ring = empty_with(backend, 5, hash);
        assert_eq!(make_all(&mut ring, &adds(first)), Ok(()));
        assert_eq!(make_all(&mut ring, &adds(second)), Ok(()));
        assert_eq!(ring.token_count(), NASTY_IDS.len() * 20);
        let lower: Vec<Change> = first.iter().map(|id| Change::set_weight(*id, 1)).collect();
        assert_eq!(make_all(&mut ring, &lower), Ok(()));
        let removals: Vec<Change> = second.iter().map(|id| Change::remove(*id)).collect();
        assert_eq!(make_all(&mut ring, &removals), Ok(()));
        assert_eq!(ring.token_count(), first.len() * 5);
    }
}
