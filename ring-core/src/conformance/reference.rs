//! [`ReferenceRing`]: the specification read aloud, so plain that nobody doubts it.

use core::fmt;
use core::iter::Flatten;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::RingError;
use crate::hash::{Fnv1aFmix64, Hash64};
use crate::membership::{Change, Node};
use crate::replicas::{ReplicaSet, Replicas};
use crate::ring::Ring;
use crate::snapshot::Snapshot;
use crate::token::Token;

/// A ring by the letter of the definition: every token id written out, all of them sorted by
/// `(hash, bytes)` after each change, and every lookup a scan from the start.
///
/// Backends are compared with it. It shares no code with what it judges: nothing of membership,
/// token order or replica search. Every change costs O(M log M) and every lookup O(M), so keep it
/// small.
///
/// # Examples
///
/// ```
/// use ring_core::Ring;
/// use ring_core::conformance::ReferenceRing;
///
/// let mut ring = ReferenceRing::new(64)?;
/// ring.add_node("A", 1)?;
/// assert_eq!(ring.get_node("any key"), Some("A"));
/// # Ok::<(), ring_core::RingError>(())
/// ```
#[derive(Clone)]
pub struct ReferenceRing<H = Fnv1aFmix64> {
    pub(super) vnodes_per_weight: u32,
    pub(super) token_limit: u32,
    pub(super) hasher: H,
    pub(super) nodes: BTreeMap<String, PlainNode>,
    pub(super) tokens: Vec<PlainToken>,
    registrations: u32,
}

/// A node's weight, and a number that no other node of the ring ever had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlainNode {
    pub(super) weight: u32,
    pub(super) number: u32,
}

/// A token with everything about it written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlainToken {
    pub(super) hash: u64,
    pub(super) token_id: String,
    pub(super) node_id: Arc<str>,
    pub(super) index: u32,
    pub(super) number: u32,
}

impl PlainToken {
    pub(super) fn view(&self) -> Token<'_> {
        Token::new(self.hash, &self.node_id, self.index, self.number)
    }
}

impl ReferenceRing {
    /// An empty ring with `vnodes_per_weight` tokens (V) per unit of weight, under the default
    /// hash.
    ///
    /// # Errors
    ///
    /// [`RingError::ZeroVnodes`] where V is 0.
    pub fn new(vnodes_per_weight: u32) -> Result<Self, RingError> {
        Self::with_hash(vnodes_per_weight, Fnv1aFmix64)
    }

    /// The ring that `snapshot` describes, under the default hash.
    ///
    /// # Errors
    ///
    /// As [`from_snapshot_with_hash`](ReferenceRing::from_snapshot_with_hash).
    pub fn from_snapshot(snapshot: &Snapshot) -> Result<Self, RingError> {
        Self::from_snapshot_with_hash(snapshot, Fnv1aFmix64)
    }
}

impl<H: Hash64> ReferenceRing<H> {
    /// An empty ring under `hasher`.
    ///
    /// # Errors
    ///
    /// [`RingError::ZeroVnodes`] where V is 0.
    pub fn with_hash(vnodes_per_weight: u32, hasher: H) -> Result<Self, RingError> {
        if vnodes_per_weight == 0 {
            return Err(RingError::ZeroVnodes);
        }
        Ok(Self {
            vnodes_per_weight,
            token_limit: 16_777_216,
            hasher,
            nodes: BTreeMap::new(),
            tokens: Vec::new(),
            registrations: 0,
        })
    }

    /// The ring that `snapshot` describes, under `hasher`.
    ///
    /// # Errors
    ///
    /// Another hash than the snapshot names, a keyed one without a fingerprint, too many tokens, or
    /// another fingerprint than the ring has.
    pub fn from_snapshot_with_hash(snapshot: &Snapshot, hasher: H) -> Result<Self, RingError> {
        Self::from_snapshot_within(snapshot, hasher, 16_777_216)
    }

    /// As [`from_snapshot_with_hash`](Self::from_snapshot_with_hash), with a token limit.
    ///
    /// # Errors
    ///
    /// As [`from_snapshot_with_hash`](Self::from_snapshot_with_hash).
    pub fn from_snapshot_within(
        snapshot: &Snapshot,
        hasher: H,
        token_limit: u32,
    ) -> Result<Self, RingError> {
        let name = hasher.name().to_owned();
        if snapshot.hash() != name {
            return Err(RingError::HashMismatch {
                snapshot: snapshot.hash().to_owned(),
                ring: name,
            });
        }
        if hasher.is_keyed() && snapshot.fingerprint().is_none() {
            return Err(RingError::FingerprintMissing { hash: name });
        }
        let mut ring = Self::with_hash(snapshot.vnodes_per_weight(), hasher)?;
        ring.token_limit = token_limit;
        let adds: Vec<Change> =
            snapshot.nodes().map(|node| Change::add(node.id(), node.weight())).collect();
        ring.apply(&adds)?;
        match snapshot.fingerprint() {
            Some(due) if due != ring.fingerprint() => {
                Err(RingError::FingerprintMismatch { snapshot: due, ring: ring.fingerprint() })
            }
            _ => Ok(ring),
        }
    }

    /// The nodes and the count of registrations as `changes` leave them, or the position of the
    /// first change that must be refused, and why.
    pub(super) fn nodes_after(
        &self,
        changes: &[Change],
    ) -> Result<(BTreeMap<String, PlainNode>, u32), (usize, RingError)> {
        let mut nodes = self.nodes.clone();
        let mut registrations = self.registrations;
        for (position, change) in changes.iter().enumerate() {
            let registered = nodes.get(change.node_id()).copied();
            let id = change.node_id().to_owned();
            match (change, registered) {
                (Change::Add { weight: 0, .. } | Change::SetWeight { weight: 0, .. }, _) => {
                    return Err((position, RingError::ZeroWeight { id }));
                }
                (Change::Add { .. }, Some(node)) => {
                    let weight = node.weight;
                    return Err((position, RingError::DuplicateNode { id, weight }));
                }
                (Change::Remove { .. } | Change::SetWeight { .. }, None) => {
                    return Err((position, RingError::UnknownNode { id }));
                }
                (Change::Add { weight, .. }, None) => {
                    nodes.insert(id, PlainNode { weight: *weight, number: registrations });
                    registrations += 1;
                }
                (Change::SetWeight { weight, .. }, Some(node)) => {
                    nodes.insert(id, PlainNode { weight: *weight, ..node });
                }
                (Change::Remove { .. }, Some(_)) => {
                    nodes.remove(&id);
                }
            }
        }
        Ok((nodes, registrations))
    }

    /// Whether the tokens of `nodes` keep to the limit.
    pub(super) fn check_limit(&self, nodes: &BTreeMap<String, PlainNode>) -> Result<(), RingError> {
        let vnodes = u128::from(self.vnodes_per_weight);
        let requested = nodes.values().map(|node| u128::from(node.weight) * vnodes).sum();
        if requested > u128::from(self.token_limit) {
            return Err(RingError::TooManyTokens { requested, limit: self.token_limit });
        }
        Ok(())
    }

    /// Every token that `nodes` generate, in ring order.
    fn generate(&self, nodes: &BTreeMap<String, PlainNode>) -> Vec<PlainToken> {
        let mut tokens = Vec::new();
        for (id, node) in nodes {
            let node_id: Arc<str> = Arc::from(id.as_str());
            for index in 0..node.weight * self.vnodes_per_weight {
                let token_id = format!("{id}#{index}");
                tokens.push(PlainToken {
                    hash: self.hasher.hash64(token_id.as_bytes()),
                    token_id,
                    node_id: Arc::clone(&node_id),
                    index,
                    number: node.number,
                });
            }
        }
        tokens
            .sort_by(|a, b| (a.hash, a.token_id.as_bytes()).cmp(&(b.hash, b.token_id.as_bytes())));
        tokens
    }

    /// All tokens, from the first at or after `hash` on.
    fn clockwise(&self, hash: u64) -> impl Iterator<Item = &PlainToken> {
        let (before, from) = self.cut_at(hash);
        from.iter().chain(before)
    }

    /// The tokens before the first one at or after `hash`, and those from there on.
    fn cut_at(&self, hash: u64) -> (&[PlainToken], &[PlainToken]) {
        let first = self.tokens.iter().position(|token| token.hash >= hash).unwrap_or(0);
        self.tokens.split_at(first)
    }

    /// The first token of each node, clockwise from `hash`, of `r` nodes at the most.
    fn distinct_clockwise(&self, hash: u64, r: usize) -> Vec<Token<'_>> {
        let mut found: Vec<Token<'_>> = Vec::new();
        for token in self.clockwise(hash) {
            if found.len() == r.min(self.nodes.len()) {
                break;
            }
            if found.iter().all(|earlier| earlier.node_id() != &*token.node_id) {
                found.push(token.view());
            }
        }
        found
    }
}

impl<H: Hash64> Ring for ReferenceRing<H> {
    type Hash = H;
    type Walk<'a>
        = ReferenceWalk<'a>
    where
        Self: 'a;
    type Nodes<'a>
        = ReferenceNodes<'a>
    where
        Self: 'a;

    fn vnodes_per_weight(&self) -> u32 {
        self.vnodes_per_weight
    }

    fn hasher(&self) -> &H {
        &self.hasher
    }

    fn token_limit(&self) -> u32 {
        self.token_limit
    }

    fn set_token_limit(&mut self, limit: u32) -> Result<(), RingError> {
        if u128::from(limit) < self.tokens.len() as u128 {
            return Err(RingError::LimitBelowCount { limit, tokens: self.tokens.len() });
        }
        self.token_limit = limit;
        Ok(())
    }

    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn token_count(&self) -> usize {
        self.tokens.len()
    }

    fn weight(&self, id: &str) -> Option<u32> {
        self.nodes.get(id).map(|node| node.weight)
    }

    fn nodes(&self) -> ReferenceNodes<'_> {
        let nodes: Vec<_> = self.nodes.iter().map(|(id, n)| Node::new(id, n.weight)).collect();
        ReferenceNodes { nodes: nodes.into_iter() }
    }

    fn walk(&self, hash: u64) -> ReferenceWalk<'_> {
        let (before, from) = self.cut_at(hash);
        ReferenceWalk::standing([from, before, &[], &[]])
    }

    fn apply(&mut self, changes: &[Change]) -> Result<(), RingError> {
        let (nodes, registrations) = self
            .nodes_after(changes)
            .map_err(|(index, cause)| RingError::InChange { index, cause: Box::new(cause) })?;
        self.check_limit(&nodes)?;
        let tokens = self.generate(&nodes);
        (self.nodes, self.tokens, self.registrations) = (nodes, tokens, registrations);
        Ok(())
    }

    fn owner_at(&self, hash: u64) -> Option<&str> {
        let at_or_after = self.tokens.iter().find(|token| token.hash >= hash);
        at_or_after.or(self.tokens.first()).map(|token| &*token.node_id)
    }

    fn replicas_at(&self, hash: u64, r: usize) -> ReplicaSet<'_> {
        let nodes = self.distinct_clockwise(hash, r).iter().map(Token::node_id).collect();
        ReplicaSet::answering(nodes, r)
    }

    fn replicas(&self, key: impl AsRef<[u8]>) -> Replicas<ReferenceWalk<'_>> {
        let hash = self.hasher.hash64(key.as_ref());
        Replicas::new(
            ReferenceWalk::listed(self.distinct_clockwise(hash, usize::MAX)),
            self.nodes.len(),
        )
    }

    fn fingerprint(&self) -> u64 {
        let mut text = Vec::new();
        for token in &self.tokens {
            text.extend_from_slice(&token.hash.to_be_bytes());
            text.extend_from_slice(token.token_id.as_bytes());
            text.push(b'\n');
        }
        Fnv1aFmix64.hash64(&text)
    }
}

impl<H: Hash64> PartialEq for ReferenceRing<H> {
    fn eq(&self, other: &Self) -> bool {
        let weights = |ring: &Self| -> Vec<(String, u32)> {
            ring.nodes.iter().map(|(id, node)| (id.clone(), node.weight)).collect()
        };
        self.vnodes_per_weight == other.vnodes_per_weight
            && self.hasher.name() == other.hasher.name()
            && self.hasher.hash64(b"equality") == other.hasher.hash64(b"equality")
            && weights(self) == weights(other)
    }
}

impl<H: Hash64> fmt::Debug for ReferenceRing<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferenceRing")
            .field("hash", &self.hasher.name())
            .field("vnodes_per_weight", &self.vnodes_per_weight)
            .field("nodes", &self.nodes)
            .finish_non_exhaustive()
    }
}

/// Tokens of a [`ReferenceRing`], clockwise.
#[derive(Clone, Debug)]
pub struct ReferenceWalk<'a> {
    tokens: Tokens<'a>,
}

#[derive(Clone, Debug)]
enum Tokens<'a> {
    /// As they stand in the ring, piece by piece: from a place on, and those before it. A ring that
    /// is broken on purpose may have two pieces more.
    Standing(Flatten<core::array::IntoIter<&'a [PlainToken], 4>>),
    /// Some that were picked.
    Listed(std::vec::IntoIter<Token<'a>>),
}

impl<'a> ReferenceWalk<'a> {
    pub(super) fn standing(pieces: [&'a [PlainToken]; 4]) -> Self {
        Self { tokens: Tokens::Standing(pieces.into_iter().flatten()) }
    }

    pub(super) fn listed(tokens: Vec<Token<'a>>) -> Self {
        Self { tokens: Tokens::Listed(tokens.into_iter()) }
    }
}

impl<'a> Iterator for ReferenceWalk<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        match &mut self.tokens {
            Tokens::Standing(tokens) => tokens.next().map(PlainToken::view),
            Tokens::Listed(tokens) => tokens.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.tokens {
            Tokens::Standing(tokens) => tokens.size_hint(),
            Tokens::Listed(tokens) => tokens.size_hint(),
        }
    }
}

/// Nodes of a [`ReferenceRing`], in byte order of their ids.
#[derive(Clone, Debug)]
pub struct ReferenceNodes<'a> {
    pub(super) nodes: std::vec::IntoIter<Node<'a>>,
}

impl<'a> Iterator for ReferenceNodes<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        self.nodes.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.nodes.size_hint()
    }
}
