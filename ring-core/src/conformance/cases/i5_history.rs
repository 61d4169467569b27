//! I5: the tokens are a function of V, the hash and the set of `(id, weight)` alone.

use super::super::backend::Backend;
use super::super::support::{Numbers, State, empty_with, intact, ring_of, ring_with, tokens};
use super::super::test_hash::TestHash;
use crate::hash::Fnv1aFmix64;
use crate::membership::Change;
use crate::ring::Ring;

const NODES: [(&str, u32); 5] = [("a", 2), ("a#1", 1), ("b", 3), ("", 1), ("#", 2)];

fn hashes() -> [TestHash; 5] {
    [
        TestHash::full(),
        TestHash::cut(8),
        TestHash::cut(4),
        TestHash::cut_low(4),
        TestHash::constant(3),
    ]
}

pub(in super::super) fn any_order_of_adds_gives_the_same_tokens<B: Backend>(backend: &B) {
    for hash in hashes() {
        let due = State::of(&ring_with(backend, 12, hash.clone(), &NODES));
        let mut numbers = Numbers::seeded(5);
        for _ in 0..10 {
            let mut shuffled = NODES;
            shuffled.sort_by_cached_key(|_| numbers.next());
            assert_eq!(State::of(&ring_with(backend, 12, hash.clone(), &shuffled)), due);
        }
    }
}

pub(in super::super) fn a_detour_leaves_no_trace<B: Backend>(backend: &B) {
    for hash in hashes() {
        let mut ring = ring_with(backend, 12, hash, &NODES);
        let due = State::of(&ring);
        assert_eq!(ring.add_node("guest", 4), Ok(()));
        assert_eq!(ring.set_weight("a", 9), Ok(()));
        assert_eq!(ring.set_weight("guest", 1), Ok(()));
        assert!(ring.remove_node("b"));
        assert_eq!(ring.set_weight("a", 1), Ok(()));
        assert_eq!(ring.add_node("b", 1), Ok(()));
        assert!(ring.remove_node("guest"));
        assert_eq!(ring.set_weight("b", 3), Ok(()));
        assert_eq!(ring.set_weight("a", 2), Ok(()));
        assert_eq!(State::of(&ring), due);
        intact(&ring);
    }
}

pub(in super::super) fn a_batch_equals_its_changes_one_by_one<B: Backend>(backend: &B) {
    let batch = [
        Change::add("new", 2),
        Change::remove("a#1"),
        Change::set_weight("b", 1),
        Change::set_weight("a", 4),
        Change::add("a#1", 3),
        Change::remove(""),
    ];
    for hash in hashes() {
        let mut at_once = ring_with(backend, 12, hash, &NODES);
        let mut one_by_one = at_once.clone();
        assert_eq!(at_once.apply(&batch), Ok(()));
        for change in &batch {
            match change {
                Change::Add { id, weight } => assert_eq!(one_by_one.add_node(id, *weight), Ok(())),
                Change::Remove { id } => assert!(one_by_one.remove_node(id)),
                Change::SetWeight { id, weight } => {
                    assert_eq!(one_by_one.set_weight(id, *weight), Ok(()));
                }
            }
        }
        assert_eq!(State::of(&at_once), State::of(&one_by_one));
        assert_eq!(at_once, one_by_one);
    }
}

pub(in super::super) fn removing_and_adding_again_changes_nothing<B: Backend>(backend: &B) {
    for hash in hashes() {
        let mut ring = ring_with(backend, 12, hash, &NODES);
        let due = State::of(&ring);
        for (id, weight) in NODES {
            assert!(ring.remove_node(id));
            assert_eq!(ring.add_node(id, weight), Ok(()));
            assert_eq!(State::of(&ring), due, "after {id:?} went and came back");
        }
    }
}

pub(in super::super) fn a_reload_gives_the_same_tokens<B: Backend>(backend: &B) {
    for hash in hashes() {
        let ring = ring_with(backend, 12, hash.clone(), &NODES);
        let loaded = backend.load_with_hash(&ring.snapshot(), hash).expect("its own snapshot");
        assert_eq!(State::of(&loaded), State::of(&ring));
        assert_eq!(loaded, ring);
    }
}

pub(in super::super) fn a_clone_goes_its_own_way<B: Backend>(backend: &B) {
    let mut ring = ring_of(backend, 12, &NODES);
    let due = State::of(&ring);
    let copy = ring.clone();
    assert!(ring.remove_node("b"));
    assert_eq!(ring.add_node("new", 5), Ok(()));
    assert_eq!(State::of(&copy), due);
    intact(&copy);
    intact(&ring);
}

pub(in super::super) fn equality_is_v_hash_and_weights<B: Backend>(backend: &B) {
    let ring = ring_with(backend, 12, TestHash::cut(8), &NODES);
    let mut same = ring_with(backend, 12, TestHash::cut(8), &NODES);
    assert_eq!(ring, same);
    assert_eq!(same.set_weight("a", 3), Ok(()));
    assert_ne!(ring, same, "another weight");
    assert_eq!(same.set_weight("a", 2), Ok(()));
    assert_eq!(ring, same);
    assert!(same.remove_node("a"));
    assert_ne!(ring, same, "a node less");
    assert_eq!(same.add_node("A", 2), Ok(()));
    assert_ne!(ring, same, "another id");
    assert_ne!(ring, ring_with(backend, 13, TestHash::cut(8), &NODES), "another V");
    assert_ne!(ring, ring_with(backend, 12, TestHash::cut(9), &NODES), "another hash");
    // Without nodes V and the hash still tell rings apart.
    let empty = empty_with(backend, 12, TestHash::cut(8));
    assert_ne!(empty, empty_with(backend, 13, TestHash::cut(8)));
    assert_ne!(empty, empty_with(backend, 12, TestHash::cut(7)));
    assert_eq!(empty, empty_with(backend, 12, TestHash::cut(8)));
}

pub(in super::super) fn the_token_limit_is_no_part_of_identity<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 12, &NODES);
    let mut limited = ring.clone();
    assert_eq!(limited.set_token_limit(500), Ok(()));
    assert_eq!(ring, limited);
    assert_eq!(ring.fingerprint(), limited.fingerprint());
    assert_eq!(ring.snapshot(), limited.snapshot());
}

/// Other weights on the same ids give other tokens, and a fingerprint that says so.
pub(in super::super) fn the_fingerprint_follows_the_tokens<B: Backend>(backend: &B) {
    let ring = ring_of(backend, 12, &NODES);
    let mut seen = vec![ring.fingerprint()];
    let mut differs = |fingerprint: u64, what: &str| {
        assert!(!seen.contains(&fingerprint), "the fingerprint does not show {what}");
        seen.push(fingerprint);
    };
    let mut other = ring.clone();
    assert_eq!(other.set_weight("b", 4), Ok(()));
    differs(other.fingerprint(), "a weight");
    assert!(other.remove_node("b"));
    differs(other.fingerprint(), "a removal");
    differs(ring_of(backend, 13, &NODES).fingerprint(), "V");
    differs(ring_with(backend, 12, TestHash::cut(8), &NODES).fingerprint(), "the hash");
    differs(ring_of(backend, 12, &[("a#", 2), ("b", 3)]).fingerprint(), "an id");
    differs(backend.empty(12).expect("V is 12").fingerprint(), "an empty ring");
    // V × weight is what makes tokens: these two rings route alike and say so.
    let one = ring_of(backend, 10, &[("a", 2), ("b", 2)]);
    let two = ring_of(backend, 20, &[("a", 1), ("b", 1)]);
    assert_eq!(tokens(&one), tokens(&two));
    assert_eq!(one.fingerprint(), two.fingerprint());
    assert_ne!(one, two);
    let _: &Fnv1aFmix64 = one.hasher();
}
