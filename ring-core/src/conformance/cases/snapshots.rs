//! Fingerprints, snapshots and loading.

use super::super::backend::Backend;
use super::super::support::{NASTY_IDS, State, empty, intact, nodes, ring_of, ring_with};
use super::super::test_hash::TestHash;
use crate::error::RingError;
use crate::hash::{Fnv1aFmix64, SipHash13, Xxh3};
use crate::ring::Ring;
use crate::snapshot::Snapshot;

fn snapshot(hash: &str, vnodes: u32, nodes: &[(&str, u32)], fingerprint: Option<u64>) -> Snapshot {
    let nodes = nodes.iter().map(|(id, weight)| ((*id).to_owned(), *weight)).collect();
    Snapshot::new(hash, vnodes, nodes, fingerprint).expect("weights above 0, ids once each")
}

pub(in super::super) fn fingerprints_of_small_rings<B: Backend>(backend: &B) {
    let mut ring = empty(backend, 64);
    assert_eq!(ring.fingerprint(), 0xefd0_1f60_ba99_2926, "the hash of nothing");
    assert_eq!(ring.add_node("B", 1), Ok(()));
    assert_eq!(ring.add_node("A", 1), Ok(()));
    assert_eq!(ring.fingerprint(), 0x73a7_029a_9da8_fe9d);
    assert_eq!(ring.add_node("C", 1), Ok(()));
    assert_eq!(ring.fingerprint(), 0x5fb4_92b2_27f4_5294);
    assert!(ring.remove_node("C"));
    assert_eq!(ring.fingerprint(), 0x73a7_029a_9da8_fe9d);
}

pub(in super::super) fn a_snapshot_says_what_the_ring_is_made_of<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 64, &[("B", 1), ("A", 1)]);
    let due = snapshot("fnv1a64-fmix64", 64, &[("A", 1), ("B", 1)], Some(0x73a7_029a_9da8_fe9d));
    assert_eq!(ring.snapshot(), due);
    let json = "{\n  \"format\": \"hash-ring\",\n  \"version\": 1,\n  \
                \"hash\": \"fnv1a64-fmix64\",\n  \"vnodes_per_weight\": 64,\n  \"nodes\": [\n    \
                { \"id\": \"A\", \"weight\": 1 },\n    { \"id\": \"B\", \"weight\": 1 }\n  ],\n  \
                \"fingerprint\": \"73a7029a9da8fe9d\"\n}\n";
    assert_eq!(ring.snapshot().to_json(), json);
}

pub(in super::super) fn a_ring_comes_back_through_json<B: Backend>(backend: &B) {
    let weights: Vec<(&str, u32)> = NASTY_IDS.iter().copied().zip((1..=3).cycle()).collect();
    for nodes in [&weights[..], &weights[..1], &[]] {
        let ring = ring_of(backend, 9, nodes);
        let json = ring.snapshot().to_json();
        let read = Snapshot::from_json(&json).expect("what was written can be read");
        let loaded = backend.load(&read).expect("what was written can be loaded");
        assert_eq!(State::of(&loaded), State::of(&ring));
        assert_eq!(loaded, ring);
        assert_eq!(loaded.snapshot().to_json(), json);
        intact(&loaded);
    }
}

pub(in super::super) fn every_shipped_hash_comes_back_through_json<B: Backend>(backend: &B) {
    let of_nodes = [("a", 1), ("b", 3), ("키", 2)];
    let fast = ring_with(backend, 40, Xxh3, &of_nodes);
    let json = fast.snapshot().to_json();
    assert!(json.contains("\"xxh3-64\""));
    let read = Snapshot::from_json(&json).expect("what was written can be read");
    let loaded = backend.load_with_hash(&read, Xxh3).expect("the same hash");
    assert_eq!(State::of(&loaded), State::of(&fast));

    let secret = SipHash13::with_secret(*b"0123456789abcdef");
    let keyed = ring_with(backend, 40, secret, &of_nodes);
    let json = keyed.snapshot().to_json();
    assert!(json.contains("\"siphash-1-3\"") && !json.contains("0123"));
    let read = Snapshot::from_json(&json).expect("what was written can be read");
    let loaded = backend.load_with_hash(&read, secret).expect("the same secret");
    assert_eq!(State::of(&loaded), State::of(&keyed));
    assert_ne!(keyed.fingerprint(), fast.fingerprint());
}

pub(in super::super) fn loading_keeps_v_and_weights<B: Backend>(backend: &B) {
    let loaded = backend
        .load(&snapshot("fnv1a64-fmix64", 7, &[("b", 2), ("a", 5)], None))
        .expect("a fingerprint may be left out");
    assert_eq!(loaded.vnodes_per_weight(), 7);
    assert_eq!(nodes(&loaded), [("a".to_owned(), 5), ("b".to_owned(), 2)]);
    assert_eq!(loaded.token_count(), 49);
    assert_eq!(loaded.token_limit(), 16_777_216);
    assert_eq!(State::of(&loaded), State::of(&ring_of(backend, 7, &[("a", 5), ("b", 2)])));
}

pub(in super::super) fn another_fingerprint_is_refused_and_both_are_named<B: Backend>(backend: &B) {
    let wrong = snapshot("fnv1a64-fmix64", 64, &[("A", 1), ("B", 1)], Some(1));
    let due = RingError::FingerprintMismatch { snapshot: 1, ring: 0x73a7_029a_9da8_fe9d };
    assert_eq!(backend.load(&wrong).err(), Some(due.clone()));
    assert_eq!(backend.load_with_hash(&wrong, Fnv1aFmix64).err(), Some(due));
    // Another V, weight, or node than the fingerprint was taken of.
    let fingerprint = Some(0x73a7_029a_9da8_fe9d);
    for (vnodes, nodes) in
        [(65, [("A", 1), ("B", 1)]), (64, [("A", 1), ("B", 2)]), (64, [("A", 1), ("b", 1)])]
    {
        let other = snapshot("fnv1a64-fmix64", vnodes, &nodes, fingerprint);
        assert!(
            matches!(backend.load(&other), Err(RingError::FingerprintMismatch { .. })),
            "{vnodes} {nodes:?}"
        );
    }
}

pub(in super::super) fn another_hash_is_refused_and_both_are_named<B: Backend>(backend: &B) {
    let mismatch = |snapshot: &str, ring: &str| RingError::HashMismatch {
        snapshot: snapshot.to_owned(),
        ring: ring.to_owned(),
    };
    let fast = snapshot("xxh3-64", 64, &[("A", 1)], None);
    assert_eq!(backend.load(&fast).err(), Some(mismatch("xxh3-64", "fnv1a64-fmix64")));
    let default = snapshot("fnv1a64-fmix64", 64, &[("A", 1)], None);
    assert_eq!(
        backend.load_with_hash(&default, Xxh3).err(),
        Some(mismatch("fnv1a64-fmix64", "xxh3-64"))
    );
    let odd = snapshot("FNV1A64-FMIX64", 64, &[], None);
    assert_eq!(backend.load(&odd).err(), Some(mismatch("FNV1A64-FMIX64", "fnv1a64-fmix64")));
}

pub(in super::super) fn a_keyed_hash_needs_a_fingerprint_and_the_same_secret<B: Backend>(
    backend: &B,
) {
    let secret = SipHash13::with_secret([1; 16]);
    let of_nodes = [("a", 2), ("b", 1)];
    let ring = ring_with(backend, 20, secret, &of_nodes);
    assert!(backend.load_with_hash(&ring.snapshot(), secret).is_ok());
    let bare = snapshot("siphash-1-3", 20, &of_nodes, None);
    assert_eq!(
        backend.load_with_hash(&bare, secret).err(),
        Some(RingError::FingerprintMissing { hash: "siphash-1-3".to_owned() })
    );
    let other = SipHash13::with_secret([2; 16]);
    let due = RingError::FingerprintMismatch {
        snapshot: ring.fingerprint(),
        ring: ring_with(backend, 20, other, &of_nodes).fingerprint(),
    };
    assert_eq!(backend.load_with_hash(&ring.snapshot(), other).err(), Some(due));
}

pub(in super::super) fn loading_keeps_to_the_token_limit<B: Backend>(backend: &B) {
    let of_nodes = [("a", 2), ("b", 1)];
    let small = snapshot("fnv1a64-fmix64", 20, &of_nodes, None);
    let loaded = backend.load_within(&small, Fnv1aFmix64, 60).expect("60 tokens fit");
    assert_eq!(loaded.token_limit(), 60);
    assert_eq!(
        backend.load_within(&small, Fnv1aFmix64, 59).err(),
        Some(RingError::TooManyTokens { requested: 60, limit: 59 })
    );
    let huge = snapshot("fnv1a64-fmix64", u32::MAX, &[("a", u32::MAX)], None);
    let most = u128::from(u32::MAX);
    assert_eq!(
        backend.load(&huge).err(),
        Some(RingError::TooManyTokens { requested: most * most, limit: 16_777_216 })
    );
}

/// A hash of the caller's own is written and compared by its name.
pub(in super::super) fn a_hash_of_ones_own_comes_back<B: Backend>(backend: &B) {
    let ring = ring_with(backend, 12, TestHash::cut(4), &[("a", 1), ("b", 2), ("c", 1)]);
    let json = ring.snapshot().to_json();
    let read = Snapshot::from_json(&json).expect("what was written can be read");
    let loaded = backend.load_with_hash(&read, TestHash::cut(4)).expect("the same hash");
    assert_eq!(State::of(&loaded), State::of(&ring));
    assert!(matches!(
        backend.load_with_hash(&read, TestHash::cut(5)),
        Err(RingError::HashMismatch { .. })
    ));
    assert!(matches!(backend.load(&read), Err(RingError::HashMismatch { .. })));
}
