//! I4: a key belongs to the first token at or clockwise after its hash.

use super::super::backend::Backend;
use super::super::support::{Numbers, empty, intact, listed, ring_of, ring_with, tokens};
use super::super::test_hash::TestHash;
use crate::hash::{Fnv1aFmix64, Hash64};
use crate::ring::Ring;

/// Three tokens, far apart, and keys where the test wants them.
fn marked<B: Backend>(backend: &B, keys: &[(&str, u64)]) -> B::Ring<TestHash> {
    let tokens = [("a#0", 1_000), ("b#0", 2_000), ("c#0", 3_000)];
    let hash = TestHash::table(tokens.iter().chain(keys).copied());
    ring_with(backend, 1, hash, &[("c", 1), ("a", 1), ("b", 1)])
}

pub(in super::super) fn a_key_exactly_on_a_token_belongs_to_it<B: Backend>(backend: &B) {
    let ring = marked(backend, &[("ka", 1_000), ("kb", 2_000), ("kc", 3_000)]);
    for (key, owner) in [("ka", "a"), ("kb", "b"), ("kc", "c")] {
        assert_eq!(ring.get_node(key), Some(owner));
        assert_eq!(ring.get_replicas(key, 1).nodes(), [owner]);
    }
}

pub(in super::super) fn a_key_just_before_a_token_belongs_to_it<B: Backend>(backend: &B) {
    let ring = marked(backend, &[("ka", 999), ("kb", 1_999), ("kc", 2_999)]);
    for (key, owner) in [("ka", "a"), ("kb", "b"), ("kc", "c")] {
        assert_eq!(ring.get_node(key), Some(owner));
    }
}

pub(in super::super) fn a_key_just_after_a_token_belongs_to_the_next<B: Backend>(backend: &B) {
    let ring = marked(backend, &[("ka", 1_001), ("kb", 2_001), ("kc", 3_001)]);
    for (key, owner) in [("ka", "b"), ("kb", "c"), ("kc", "a")] {
        assert_eq!(ring.get_node(key), Some(owner));
    }
}

pub(in super::super) fn past_the_last_token_the_first_owns<B: Backend>(backend: &B) {
    let ring = marked(backend, &[("k", u64::MAX), ("k2", 3_001)]);
    assert_eq!(ring.get_node("k"), Some("a"));
    assert_eq!(ring.get_node("k2"), Some("a"));
    assert_eq!(ring.get_replicas("k", 3).nodes(), ["a", "b", "c"]);
    assert_eq!(ring.owner_at(u64::MAX), Some("a"));
    intact(&ring);
}

pub(in super::super) fn hash_0_as_key_and_as_token<B: Backend>(backend: &B) {
    let ring = marked(backend, &[("zero", 0)]);
    assert_eq!(ring.get_node("zero"), Some("a"));
    let hash = TestHash::table([("z#0", 0), ("y#0", 500), ("zero", 0), ("top", u64::MAX)]);
    let ring = ring_with(backend, 1, hash, &[("y", 1), ("z", 1)]);
    assert_eq!(ring.get_node("zero"), Some("z"));
    assert_eq!(ring.get_node("top"), Some("z"), "the step after 2^64 - 1 is hash 0");
    assert_eq!(ring.owner_at(1), Some("y"));
    assert_eq!(ring.owner_at(501), Some("z"));
    intact(&ring);
}

pub(in super::super) fn the_highest_hash_as_key_and_as_token<B: Backend>(backend: &B) {
    let hash = TestHash::table([("z#0", u64::MAX), ("y#0", 500), ("top", u64::MAX), ("zero", 0)]);
    let ring = ring_with(backend, 1, hash, &[("z", 1), ("y", 1)]);
    assert_eq!(ring.get_node("top"), Some("z"));
    assert_eq!(ring.owner_at(u64::MAX - 1), Some("z"));
    assert_eq!(ring.owner_at(501), Some("z"));
    assert_eq!(ring.get_node("zero"), Some("y"));
    assert_eq!(listed(&ring, u64::MAX).first(), Some(&(u64::MAX, "z#0".to_owned())));
    intact(&ring);
}

pub(in super::super) fn one_token_owns_everything<B: Backend>(backend: &B) {
    for place in [0, 1, 1 << 63, u64::MAX] {
        let ring = ring_with(backend, 1, TestHash::table([("a#0", place)]), &[("a", 1)]);
        for hash in [0, 1, place.wrapping_sub(1), place, place.wrapping_add(1), u64::MAX] {
            assert_eq!(ring.owner_at(hash), Some("a"), "token at {place}, hash {hash}");
            assert_eq!(listed(&ring, hash), [(place, "a#0".to_owned())]);
        }
        intact(&ring);
    }
}

pub(in super::super) fn one_node_owns_everything<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 50, &[("only", 2)]);
    for hash in Numbers::seeded(1).take(500).chain([0, u64::MAX]) {
        assert_eq!(ring.owner_at(hash), Some("only"));
    }
    assert_eq!(ring.get_node(""), Some("only"));
    assert_eq!(ring.get_replicas("k", 1).nodes(), ["only"]);
}

pub(in super::super) fn of_tokens_at_one_hash_the_first_owns<B: Backend>(backend: &B) {
    let place = 7 << 50;
    let hash = TestHash::table([("b#0", place), ("a#0", place), ("c#0", place), ("key", place)]);
    let ring = ring_with(backend, 1, hash, &[("c", 1), ("b", 1), ("a", 1)]);
    assert_eq!(ring.get_node("key"), Some("a"));
    assert_eq!(ring.owner_at(place - 1), Some("a"));
    assert_eq!(ring.owner_at(place + 1), Some("a"), "round the ring");
    assert_eq!(ring.get_replicas("key", 3).nodes(), ["a", "b", "c"]);
}

pub(in super::super) fn an_empty_ring_owns_nothing<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 10);
    for turn in 0..2 {
        assert_eq!(ring.get_node("k"), None, "turn {turn}");
        for hash in [0, 1 << 63, u64::MAX] {
            assert_eq!(ring.owner_at(hash), None);
            assert_eq!(ring.walk(hash).next(), None);
        }
        let mut owners = Vec::new();
        ring.get_node_batch(&["a", "b"], &mut owners);
        assert_eq!(owners, [None, None]);
        intact(&ring);
        // Once more where a node has been and gone.
        if turn == 0 {
            assert_eq!(ring.add_node("a", 1), Ok(()));
            assert!(ring.remove_node("a"));
        }
    }
}

/// Small rings by hand, turned round the hash space so that the wrap falls everywhere.
pub(in super::super) fn small_rings_turned_all_the_way_round<B: Backend>(backend: &B) {
    // Token places, then (key's place, owner): the owner is the next token at or after it.
    type Row = (&'static [(&'static str, u64)], &'static [(u64, &'static str)]);
    let rows: &[Row] = &[
        (&[("a#0", 0)], &[(0, "a"), (1, "a"), (31, "a")]),
        (&[("a#0", 4), ("b#0", 5)], &[(3, "a"), (4, "a"), (5, "b"), (6, "a"), (31, "a")]),
        (&[("b#0", 4), ("a#0", 4)], &[(4, "a"), (3, "a"), (5, "a")]),
        (&[("a#0", 0), ("b#0", 16), ("c#0", 31)], &[(1, "b"), (16, "b"), (17, "c"), (31, "c")]),
        (&[("c#0", 8), ("a#0", 9), ("b#0", 10)], &[(8, "c"), (9, "a"), (10, "b"), (11, "c")]),
    ];
    // A step of 2^59 makes 32 places all round; a step of 1 crosses zero in the small.
    for step in [1_u64 << 59, 1, 1 << 31] {
        for turn in 0..32_u64 {
            let place = |at: u64| (at + turn).wrapping_mul(step).wrapping_sub(16 * step);
            for (places, lookups) in rows {
                let hash = TestHash::table(places.iter().map(|&(id, at)| (id, place(at))));
                let ids: Vec<(&str, u32)> =
                    places.iter().map(|(token, _)| (token.trim_end_matches("#0"), 1)).collect();
                let ring = ring_with(backend, 1, hash, &ids);
                for &(at, owner) in *lookups {
                    assert_eq!(ring.owner_at(place(at)), Some(owner), "{places:?} at {at}");
                }
            }
        }
    }
}

pub(in super::super) fn a_walk_starts_with_the_owner_and_wraps_once<B: Backend>(backend: &B) {
    for bits in [64, 8, 3] {
        let ring = ring_with(backend, 6, TestHash::cut(bits), &[("a", 2), ("b", 1), ("c", 1)]);
        let all = tokens(&ring);
        assert_eq!(all.len(), 24);
        let on_tokens = all.iter().map(|token| token.0);
        let around = on_tokens.flat_map(|h| [h.wrapping_sub(1), h, h.wrapping_add(1)]);
        for hash in around.chain(Numbers::seeded(2).take(50)).chain([0, u64::MAX]) {
            let at = all.iter().position(|token| token.0 >= hash).unwrap_or(0);
            let due: Vec<_> = all[at..].iter().chain(&all[..at]).cloned().collect();
            assert_eq!(listed(&ring, hash), due, "a walk from {hash:#x}");
            let first = ring.walk(hash).next().map(|token| token.node_id());
            assert_eq!(first, ring.owner_at(hash));
        }
    }
}

pub(in super::super) fn a_walk_can_be_cloned_midway<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 5, &[("a", 1), ("b", 1)]);
    let mut walk = ring.walk(1 << 62).take(11);
    let first = walk.next();
    let rest: Vec<_> = walk.clone().collect();
    assert_eq!(rest.len(), 9);
    assert_eq!(walk.collect::<Vec<_>>(), rest);
    assert!(first.is_some_and(|first| !rest.contains(&first)));
}

pub(in super::super) fn keys_are_bytes_of_any_kind<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 100, &[("a", 1), ("b", 1), ("c", 1)]);
    let keys: [&[u8]; 9] =
        [b"", b"\0", b"k", b"k\0", b"k\0x", b" k", b"k ", b"\xff\xfe", "키".as_bytes()];
    for key in keys {
        let due = ring.owner_at(Fnv1aFmix64.hash64(key));
        assert!(due.is_some());
        assert_eq!(ring.get_node(key), due, "{key:?}");
        let owned: Vec<u8> = key.to_vec();
        assert_eq!(ring.get_node(owned), due);
        assert_eq!(ring.get_replicas(key, 1).nodes().first().copied(), due, "{key:?}");
        assert_eq!(ring.replicas(key).next(), due, "{key:?}");
    }
    assert_eq!(ring.get_node("user:42"), ring.owner_at(0x9988_17be_e671_8248));
    assert_eq!(ring.get_node(String::from("user:42")), ring.get_node(b"user:42"));
}

/// Keys that only differ past a NUL, in blanks or in case have different hashes, all of which
/// count: with hashes from a table the difference shows.
pub(in super::super) fn keys_count_to_the_last_byte<B: Backend>(backend: &B) {
    let keys = [("k", 1_000), ("k\0", 2_000), ("k\0\0", 3_000), (" k", 2_000), ("k ", 3_000)];
    let ring = marked(backend, &keys);
    for (key, place) in keys {
        assert_eq!(ring.get_node(key), ring.owner_at(place), "{key:?}");
        assert_eq!(
            ring.get_replicas(key, 1).nodes().first().copied(),
            ring.owner_at(place),
            "{key:?}"
        );
    }
}

pub(in super::super) fn batch_lookups_equal_single_ones<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 25, &[("a", 3), ("b", 1), ("c", 1), ("d", 2)]);
    for count in [0, 1, 2, 63, 64, 65, 127, 128, 129, 300] {
        let keys: Vec<String> = (0..count).map(|key| format!("key-{key}")).collect();
        let hashes: Vec<u64> = Numbers::seeded(count).take(keys.len()).collect();
        let mut owners = vec![Some("kept")];
        ring.get_node_batch(&keys, &mut owners);
        ring.owners_at(&hashes, &mut owners);
        let singles = keys.iter().map(|key| ring.get_node(key));
        let due: Vec<_> = [Some("kept")]
            .into_iter()
            .chain(singles)
            .chain(hashes.iter().map(|&hash| ring.owner_at(hash)))
            .collect();
        assert_eq!(owners, due, "{count} keys");
    }
}

/// Batches whose lookups wrap, hit tokens exactly, and meet collisions.
pub(in super::super) fn batch_lookups_at_the_edges<B: Backend>(backend: &B) {
    for bits in [64, 8, 2, 0] {
        let ring = ring_with(backend, 10, TestHash::cut(bits), &[("a", 2), ("b", 1), ("c", 4)]);
        let mut hashes: Vec<u64> = tokens(&ring)
            .iter()
            .flat_map(|token| [token.0.wrapping_sub(1), token.0, token.0.wrapping_add(1)])
            .collect();
        hashes.extend([0, u64::MAX, u64::MAX - 1]);
        let mut owners = Vec::new();
        ring.owners_at(&hashes, &mut owners);
        let due: Vec<_> = hashes.iter().map(|&hash| ring.owner_at(hash)).collect();
        assert_eq!(owners, due, "hashes of {bits} bits");
    }
}
