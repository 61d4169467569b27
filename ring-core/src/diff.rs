//! Exact ownership and exact movement: arcs of the hash space, counted as whole numbers.

use core::cmp::Ordering;
use core::ops::RangeInclusive;
use std::collections::BTreeMap;

use crate::error::RingError;
use crate::hash::{Hash64, same_hash};
use crate::ring::Ring;

/// The number of places in the hash space: 2^64.
pub const HASH_SPACE: u128 = 1 << 64;

/// An arc of the hash space that changed owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedArc<'a> {
    /// The hashes of the arc, first and last. No arc crosses zero: one that would stands as two.
    pub hashes: RangeInclusive<u64>,
    /// The owner before; `None` where the ring was empty.
    pub from: Option<&'a str>,
    /// The owner after; `None` where the ring is empty.
    pub to: Option<&'a str>,
}

impl MovedArc<'_> {
    /// How many hashes the arc holds.
    #[must_use]
    pub fn size(&self) -> u128 {
        u128::from(self.hashes.end() - self.hashes.start()) + 1
    }
}

/// Everything that moved from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow<'a> {
    /// The owner before; `None` where the ring was empty.
    pub from: Option<&'a str>,
    /// The owner after; `None` where the ring is empty.
    pub to: Option<&'a str>,
    /// How many hashes moved, of [`HASH_SPACE`].
    pub moved: u128,
}

/// What moves between two rings; see [`diff`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff<'a> {
    arcs: Vec<MovedArc<'a>>,
    flows: Vec<Flow<'a>>,
}

impl<'a> Diff<'a> {
    /// The arcs that change owner, from hash 0 on, neighbours with the same two owners joined.
    #[must_use]
    pub fn arcs(&self) -> &[MovedArc<'a>] {
        &self.arcs
    }

    /// The same by pair of nodes, in byte order of `(from, to)`, `None` first.
    #[must_use]
    pub fn flows(&self) -> &[Flow<'a>] {
        &self.flows
    }

    /// How many hashes change owner, of [`HASH_SPACE`].
    #[must_use]
    pub fn moved(&self) -> u128 {
        self.flows.iter().map(|flow| flow.moved).sum()
    }

    /// The part of the hash space that changes owner, 0 to 1: [`moved`](Self::moved) ÷ 2^64,
    /// rounded once.
    #[must_use]
    pub fn moved_fraction(&self) -> f64 {
        fraction(self.moved())
    }
}

/// The part of the hash space that `hashes` of its 2^64 places are, 0 to 1, rounded once.
#[expect(clippy::cast_precision_loss, reason = "the one rounding that the docs state")]
#[must_use]
pub fn fraction(hashes: u128) -> f64 {
    hashes as f64 / HASH_SPACE as f64
}

/// The exact arcs of the hash space that change owner between two rings, and what they sum to.
///
/// Owners are compared by node id. The rings may be of different backends, and of different V or
/// weights; a new V is a change like any other (and moves most of the space). Where an arc lies
/// says which keys move: those whose hash lies in it.
///
/// # Complexity
///
/// O(M) over both rings, plus O(F log F) for F moved arcs.
///
/// # Errors
///
/// [`RingError::DifferentHashes`] where the rings use different hashes or secrets: then a place in
/// one hash space means nothing in the other.
///
/// # Examples
///
/// A new node takes keys from others, and nothing else moves:
///
/// ```
/// use ring_core::{Ring, diff};
///
/// # let mut before = ring_core::conformance::ReferenceRing::new(100)?;
/// before.add_node("a", 1)?;
/// before.add_node("b", 1)?;
/// let mut after = before.clone();
/// after.add_node("c", 1)?;
///
/// let moved = diff(&before, &after)?;
/// assert!(moved.flows().iter().all(|flow| flow.to == Some("c")));
/// assert!((0.2..0.5).contains(&moved.moved_fraction()));
/// # Ok::<(), ring_core::RingError>(())
/// ```
pub fn diff<'a, A: Ring, B: Ring>(before: &'a A, after: &'a B) -> Result<Diff<'a>, RingError> {
    if !same_hash(before.hasher(), after.hasher()) {
        return Err(RingError::DifferentHashes {
            before: before.hasher().name().to_owned(),
            after: after.hasher().name().to_owned(),
        });
    }
    let mut arcs: Vec<MovedArc<'a>> = Vec::new();
    let mut from = Owners::new(before);
    let mut to = Owners::new(after);
    let mut start = 0;
    loop {
        let last = from.last.min(to.last);
        if from.owner != to.owner {
            push_arc(&mut arcs, MovedArc { hashes: start..=last, from: from.owner, to: to.owner });
        }
        match last.checked_add(1) {
            Some(next) => start = next,
            None => break,
        }
        from.pass(last);
        to.pass(last);
    }
    let mut sums: BTreeMap<(Option<&'a str>, Option<&'a str>), u128> = BTreeMap::new();
    for arc in &arcs {
        *sums.entry((arc.from, arc.to)).or_insert(0) += arc.size();
    }
    let flows = sums.into_iter().map(|((from, to), moved)| Flow { from, to, moved }).collect();
    Ok(Diff { arcs, flows })
}

/// Appends an arc, joined to the one before where they touch and have the same two owners.
fn push_arc<'a>(arcs: &mut Vec<MovedArc<'a>>, arc: MovedArc<'a>) {
    if let Some(previous) = arcs.last_mut() {
        let touches = previous.hashes.end().checked_add(1) == Some(*arc.hashes.start());
        if touches && previous.from == arc.from && previous.to == arc.to {
            previous.hashes = *previous.hashes.start()..=*arc.hashes.end();
            return;
        }
    }
    arcs.push(arc);
}

/// The owners of a ring's arcs from hash 0 on.
struct Owners<'a, R: Ring + 'a> {
    tokens: R::Walk<'a>,
    /// Owner of the hashes up to `last`.
    owner: Option<&'a str>,
    last: u64,
    /// Owner of the hashes past the last token.
    first_owner: Option<&'a str>,
}

impl<'a, R: Ring> Owners<'a, R> {
    fn new(ring: &'a R) -> Self {
        let mut tokens = ring.tokens();
        let first = tokens.next();
        let owner = first.map(|token| token.node_id());
        let last = first.map_or(u64::MAX, |token| token.hash());
        Self { tokens, owner, last, first_owner: owner }
    }

    /// Goes on to the arc after `hash`.
    fn pass(&mut self, hash: u64) {
        while self.last <= hash {
            match self.tokens.next() {
                // Of the tokens at one hash the first owns the arc before it, the others nothing.
                Some(token) if token.hash() == self.last => {}
                Some(token) => (self.owner, self.last) = (Some(token.node_id()), token.hash()),
                None => (self.owner, self.last) = (self.first_owner, u64::MAX),
            }
            if self.last == u64::MAX {
                return;
            }
        }
    }
}

/// A node's exact part of the hash space; see [`shares`].
#[derive(Clone, Debug, PartialEq)]
pub struct Share<'a> {
    /// The node's id.
    pub id: &'a str,
    /// The node's weight.
    pub weight: u32,
    /// How many tokens it owns.
    pub tokens: usize,
    /// How many hashes it owns, of [`HASH_SPACE`].
    pub arc: u128,
    /// Its part of the hash space, 0 to 1: `arc` ÷ 2^64.
    pub share: f64,
    /// The part that its weight asks for, 0 to 1: weight ÷ sum of weights.
    pub expected: f64,
}

/// Each node's exact part of the hash space beside its expected one, in byte order of the ids.
///
/// The parts sum to the whole space. An empty ring gives an empty list.
///
/// # Complexity
///
/// O(M log N).
///
/// # Examples
///
/// ```
/// use ring_core::{HASH_SPACE, Ring, shares};
///
/// # let mut ring = ring_core::conformance::ReferenceRing::new(100)?;
/// ring.add_node("a", 1)?;
/// ring.add_node("b", 3)?;
/// let shares = shares(&ring);
/// assert_eq!(shares[1].expected, 0.75);
/// assert_eq!(shares[0].arc + shares[1].arc, HASH_SPACE);
/// # Ok::<(), ring_core::RingError>(())
/// ```
pub fn shares<R: Ring>(ring: &R) -> Vec<Share<'_>> {
    let nodes: Vec<_> = ring.nodes().collect();
    let total: u64 = nodes.iter().map(|node| u64::from(node.weight())).sum();
    let mut shares: Vec<Share<'_>> = nodes
        .iter()
        .map(|node| Share {
            id: node.id(),
            weight: node.weight(),
            tokens: 0,
            arc: 0,
            share: 0.0,
            expected: ratio(u64::from(node.weight()), total),
        })
        .collect();
    // A token's number tells its node; the place in the list is looked up once a node.
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let mut first = None;
    let mut previous: Option<u64> = None;
    for token in ring.tokens() {
        let place = *places.entry(token.node()).or_insert_with(|| {
            nodes.partition_point(|node| node.id().cmp(token.node_id()) == Ordering::Less)
        });
        let Some(share) = shares.get_mut(place) else { continue };
        first = first.or(Some(place));
        share.tokens += 1;
        share.arc += match previous {
            Some(previous) => u128::from(token.hash() - previous),
            None => u128::from(token.hash()) + 1,
        };
        previous = Some(token.hash());
    }
    if let (Some(first), Some(last)) = (first, previous) {
        shares[first].arc += u128::from(u64::MAX - last);
    }
    for share in &mut shares {
        share.share = fraction(share.arc);
    }
    shares
}

#[expect(clippy::cast_precision_loss, reason = "weights are far below 2^53 tokens in sum")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
