//! What the cases share: rings from a list of nodes, the checkers as assertions, seeded numbers.

use super::backend::{Backend, SuiteHash};
use crate::error::RingError;
use crate::hash::Fnv1aFmix64;
use crate::invariants::{check, check_change};
use crate::membership::Change;
use crate::ring::Ring;

/// Ids that a careless ring mixes up, trims, normalises, or cuts.
///
/// Prefixes of one another, `#` in every place, NUL, blanks, letter case, one word in its composed
/// and decomposed form, characters that UTF-16 orders otherwise than UTF-8, the two ids whose FNV
/// states agree, and a long one.
pub(super) const NASTY_IDS: &[&str] = &[
    "",
    "#",
    "##",
    "#1",
    "a",
    "a#",
    "a#1",
    "a#1#",
    "a#1#1",
    "a1",
    "a1#1",
    "a!",
    "A",
    " a",
    "a ",
    "a\0",
    "\0",
    "a\0b",
    "a\n",
    "0",
    "1",
    "10",
    "caf\u{e9}",
    "cafe\u{301}",
    "\u{ff4e}",
    "\u{1f600}",
    "\u{ffff}",
    "\u{e000}",
    "\u{10ffff}",
    "키",
    "node-b60q8m41dwp",
    "node-ryw353ea3uk",
    "a-node-id-that-is-longer-than-any-buffer-of-64-or-128-bytes-would-hold-if-one-were-used-to-\
     write-token-ids-without-a-look-at-their-length-first-and-a-few-more",
];

/// An empty ring under the default hash.
pub(super) fn empty<B: Backend>(backend: &B, vnodes: u32) -> B::Ring<Fnv1aFmix64> {
    backend.empty(vnodes).expect("V above 0 makes a ring")
}

/// An empty ring under `hasher`.
pub(super) fn empty_with<B: Backend, H: SuiteHash>(
    backend: &B,
    vnodes: u32,
    hasher: H,
) -> B::Ring<H> {
    backend.empty_with_hash(vnodes, hasher).expect("V above 0 makes a ring")
}

/// A ring of these nodes, added one by one, under the default hash.
pub(super) fn ring_of<B: Backend>(
    backend: &B,
    vnodes: u32,
    nodes: &[(&str, u32)],
) -> B::Ring<Fnv1aFmix64> {
    let mut ring = empty(backend, vnodes);
    add_all(&mut ring, nodes);
    ring
}

/// A ring of these nodes, added one by one, under `hasher`.
pub(super) fn ring_with<B: Backend, H: SuiteHash>(
    backend: &B,
    vnodes: u32,
    hasher: H,
    nodes: &[(&str, u32)],
) -> B::Ring<H> {
    let mut ring = empty_with(backend, vnodes, hasher);
    add_all(&mut ring, nodes);
    ring
}

fn add_all<R: Ring>(ring: &mut R, nodes: &[(&str, u32)]) {
    for (id, weight) in nodes {
        assert_eq!(ring.add_node(id, *weight), Ok(()), "adding {id:?} with weight {weight}");
    }
}

/// I1 to I4 hold.
#[track_caller]
pub(super) fn intact<R: Ring>(ring: &R) {
    if let Err(violation) = check(ring) {
        panic!("{violation}");
    }
}

/// Makes one change and checks everything that a change has to keep, I1 to I7.
#[track_caller]
pub(super) fn make<R: Ring + Clone>(ring: &mut R, change: Change) -> Result<(), RingError> {
    make_all(ring, &[change]).map_err(|error| match error {
        RingError::InChange { index: 0, cause } => *cause,
        other => other,
    })
}

/// Applies a batch and checks everything that it has to keep, I1 to I7.
#[track_caller]
pub(super) fn make_all<R: Ring + Clone>(ring: &mut R, changes: &[Change]) -> Result<(), RingError> {
    let before = ring.clone();
    let result = ring.apply(changes);
    if let Err(violation) = check(ring).and_then(|()| check_change(&before, ring, changes)) {
        panic!("{violation}");
    }
    result
}

/// Every token as `(hash, token id)`; more than the ring says to hold if the walk goes on.
pub(super) fn tokens<R: Ring>(ring: &R) -> Vec<(u64, String)> {
    listed(ring, 0)
}

/// The walk from `hash` as `(hash, token id)`, cut off one past the count of tokens.
pub(super) fn listed<R: Ring>(ring: &R, hash: u64) -> Vec<(u64, String)> {
    let walk = ring.walk(hash).take(ring.token_count() + 1);
    walk.map(|token| (token.hash(), token.token_id())).collect()
}

/// The token ids in ring order.
pub(super) fn token_ids<R: Ring>(ring: &R) -> Vec<String> {
    tokens(ring).into_iter().map(|(_, id)| id).collect()
}

/// The nodes with their weights.
pub(super) fn nodes<R: Ring>(ring: &R) -> Vec<(String, u32)> {
    ring.nodes().map(|node| (node.id().to_owned(), node.weight())).collect()
}

/// All that a ring is to its users, to compare before and after: settings, nodes, tokens, and the
/// fingerprint.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct State {
    vnodes_per_weight: u32,
    token_limit: u32,
    nodes: Vec<(String, u32)>,
    tokens: Vec<(u64, String)>,
    counts: (usize, usize, bool),
    fingerprint: u64,
}

impl State {
    pub(super) fn of<R: Ring>(ring: &R) -> Self {
        Self {
            vnodes_per_weight: ring.vnodes_per_weight(),
            token_limit: ring.token_limit(),
            nodes: nodes(ring),
            tokens: tokens(ring),
            counts: (ring.node_count(), ring.token_count(), ring.is_empty()),
            fingerprint: ring.fingerprint(),
        }
    }
}

/// Seeded numbers that look random: `SplitMix64` by Sebastiano Vigna.
#[derive(Clone, Debug)]
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(seed)
    }
}

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(z ^ (z >> 31))
    }
}
