//! [`TokenStore`], what a backend implements, and [`HashRing`], the ring made of one.

use core::fmt;

use crate::error::RingError;
use crate::hash::{Fnv1aFmix64, Hash64, same_hash};
use crate::membership::{Change, Membership, NodeTable, Nodes, TokenChanges};
use crate::ring::Ring;
use crate::snapshot::Snapshot;
use crate::token::{Slot, Token, TokenOrder};

/// An ordered store of tokens: all that a backend has to be.
///
/// A store knows nothing of nodes, weights or hashes. [`HashRing`] decides which tokens come and
/// go, and in which order equal hashes stand; the store keeps them in that order and finds them.
///
/// What an implementor may rely on, in every call of [`splice`](Self::splice):
/// `removed` and `inserted` are each in ring order and without duplicates; everything in `removed`
/// is in the store, nothing in `inserted` is; the store holds at most `u32::MAX` tokens after the
/// change. Two tokens may have the same hash, and then only [`TokenOrder`] knows their order.
///
/// If a caller's hash breaks its contract (another answer the second time), `removed` may name
/// tokens that are not there. The store may then end up with any tokens, but must not panic.
pub trait TokenStore: Clone + Default {
    /// Iterates over every token once; see [`walk`](Self::walk).
    type Walk<'a>: Iterator<Item = Slot> + Clone
    where
        Self: 'a;

    /// How many tokens are stored.
    fn token_count(&self) -> usize;

    /// The number of the node that owns `hash`: the node of the first token at or clockwise after
    /// it, past the last one that of the first of all (I4). `None` only in an empty store.
    ///
    /// # Complexity
    ///
    /// O(log M) at worst, without allocation.
    fn node_at_or_after(&self, hash: u64) -> Option<u32>;

    /// Looks up many hashes at once: `nodes[k]` becomes
    /// [`node_at_or_after`](Self::node_at_or_after)`(hashes[k])`. The slices are of equal length.
    ///
    /// A store may override it to let the memory accesses of many lookups overlap.
    fn nodes_at_or_after(&self, hashes: &[u64], nodes: &mut [Option<u32>]) {
        for (&hash, node) in hashes.iter().zip(nodes) {
            *node = self.node_at_or_after(hash);
        }
    }

    /// How many tokens a lookup of `hash` compares with it, for those who measure; `None` where the
    /// store cannot tell, as one on a library's map.
    fn probes(&self, hash: u64) -> Option<usize> {
        let _ = hash;
        None
    }

    /// Every token once, clockwise from the first at or after `hash`, wrapping once. `walk(0)` is
    /// the store in ring order.
    fn walk(&self, hash: u64) -> Self::Walk<'_>;

    /// Makes room for a change of this size, so that [`splice`](Self::splice) does not have to.
    /// It is called once before each.
    fn reserve(&mut self, removed: usize, inserted: usize) {
        let _ = (removed, inserted);
    }

    /// Takes `removed` out and puts `inserted` in. `inserted` comes by value, so that an empty
    /// store of vectors can keep it.
    fn splice(&mut self, removed: &[Slot], inserted: Vec<Slot>, order: TokenOrder<'_>);
}

/// A consistent-hash ring on a [`TokenStore`]: membership and store, kept in step.
///
/// Users name it through a backend: `ring_sortedvec::SortedVecRing`, `ring_btree::BTreeRing`. What
/// it can do is the trait [`Ring`]. Two rings are equal if V, the hash and the set of
/// `(id, weight)` are, whatever their backends and histories (I5).
///
/// The store is private on purpose: with its mutators in reach, any caller could break I1 to I3.
#[derive(Clone)]
pub struct HashRing<S, H = Fnv1aFmix64> {
    membership: Membership,
    store: S,
    hasher: H,
}

impl<S: TokenStore> HashRing<S> {
    /// An empty ring with `vnodes_per_weight` tokens (V) per unit of weight, under the default
    /// hash [`Fnv1aFmix64`].
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
    /// As [`from_snapshot_with_hash`](HashRing::from_snapshot_with_hash).
    pub fn from_snapshot(snapshot: &Snapshot) -> Result<Self, RingError> {
        Self::from_snapshot_with_hash(snapshot, Fnv1aFmix64)
    }
}

impl<S: TokenStore, H: Hash64> HashRing<S, H> {
    /// An empty ring with `vnodes_per_weight` tokens (V) per unit of weight, under `hasher`.
    ///
    /// # Errors
    ///
    /// [`RingError::ZeroVnodes`] where V is 0.
    pub fn with_hash(vnodes_per_weight: u32, hasher: H) -> Result<Self, RingError> {
        Ok(Self { membership: Membership::new(vnodes_per_weight)?, store: S::default(), hasher })
    }

    /// How many tokens a lookup of `hash` compares with it: what of a lookup's cost owes nothing to
    /// the machine. `None` where the store cannot tell; see [`TokenStore::probes`].
    pub fn probes_at(&self, hash: u64) -> Option<usize> {
        self.store.probes(hash)
    }

    /// The ring that `snapshot` describes, built in one step under `hasher`, with the default
    /// token limit.
    ///
    /// # Complexity
    ///
    /// O(M log M), of which hashing M token ids is the larger part.
    ///
    /// # Errors
    ///
    /// The snapshot names another hash; `hasher` is keyed and the snapshot has no fingerprint; the
    /// tokens would pass the limit; the fingerprint is not that of the ring that was built.
    pub fn from_snapshot_with_hash(snapshot: &Snapshot, hasher: H) -> Result<Self, RingError> {
        Self::from_snapshot_within(snapshot, hasher, crate::DEFAULT_TOKEN_LIMIT)
    }

    /// As [`from_snapshot_with_hash`](Self::from_snapshot_with_hash), with a token limit of the
    /// caller's: the limit is no part of a snapshot.
    ///
    /// # Errors
    ///
    /// As [`from_snapshot_with_hash`](Self::from_snapshot_with_hash).
    pub fn from_snapshot_within(
        snapshot: &Snapshot,
        hasher: H,
        token_limit: u32,
    ) -> Result<Self, RingError> {
        if snapshot.hash() != hasher.name() {
            return Err(RingError::HashMismatch {
                snapshot: snapshot.hash().to_owned(),
                ring: hasher.name().to_owned(),
            });
        }
        if hasher.is_keyed() && snapshot.fingerprint().is_none() {
            return Err(RingError::FingerprintMissing { hash: hasher.name().to_owned() });
        }
        let mut ring = Self::with_hash(snapshot.vnodes_per_weight(), hasher)?;
        ring.set_token_limit(token_limit)?;
        let adds: Vec<Change> =
            snapshot.nodes().map(|node| Change::add(node.id(), node.weight())).collect();
        ring.apply(&adds)?;
        if let Some(expected) = snapshot.fingerprint() {
            let fingerprint = ring.fingerprint();
            if fingerprint != expected {
                return Err(RingError::FingerprintMismatch {
                    snapshot: expected,
                    ring: fingerprint,
                });
            }
        }
        Ok(ring)
    }
}

impl<S: TokenStore, H: Hash64> Ring for HashRing<S, H> {
    type Hash = H;
    type Walk<'a>
        = Walk<'a, S>
    where
        Self: 'a;
    type Nodes<'a>
        = Nodes<'a>
    where
        Self: 'a;

    fn vnodes_per_weight(&self) -> u32 {
        self.membership.vnodes_per_weight()
    }

    fn hasher(&self) -> &H {
        &self.hasher
    }

    fn token_limit(&self) -> u32 {
        self.membership.token_limit()
    }

    fn set_token_limit(&mut self, limit: u32) -> Result<(), RingError> {
        self.membership.set_token_limit(limit)
    }

    fn node_count(&self) -> usize {
        self.membership.node_count()
    }

    fn token_count(&self) -> usize {
        self.membership.token_count()
    }

    fn weight(&self, id: &str) -> Option<u32> {
        self.membership.weight(id)
    }

    fn nodes(&self) -> Nodes<'_> {
        self.membership.nodes()
    }

    fn walk(&self, hash: u64) -> Walk<'_, S> {
        Walk { slots: self.store.walk(hash), table: self.membership.table() }
    }

    #[expect(clippy::inline_always, reason = "a lookup is little longer than the call")]
    #[inline(always)]
    fn owner_at(&self, hash: u64) -> Option<&str> {
        let node = self.store.node_at_or_after(hash)?;
        self.membership.table().get(node)
    }

    fn owners_at<'a>(&'a self, hashes: &[u64], owners: &mut Vec<Option<&'a str>>) {
        let table = self.membership.table();
        owners.reserve(hashes.len());
        let mut nodes = [None; 64];
        for hashes in hashes.chunks(nodes.len()) {
            let nodes = &mut nodes[..hashes.len()];
            self.store.nodes_at_or_after(hashes, nodes);
            owners.extend(nodes.iter().map(|node| node.and_then(|node| table.get(node))));
        }
    }

    /// # Complexity
    ///
    /// O(K log K) to hash and sort the K tokens that change, then one splice of the store; no copy
    /// of the ring or of the membership.
    fn apply(&mut self, changes: &[Change]) -> Result<(), RingError> {
        let plan = self.membership.plan(changes)?;
        if plan.is_empty() {
            return Ok(());
        }
        // The caller's hash is the last thing that may panic, so it runs before anything changes.
        let TokenChanges { mut removed, mut inserted } =
            self.membership.hash_tokens(&plan, &self.hasher);
        self.store.reserve(removed.len(), inserted.len());
        self.membership.start(&plan);
        let order = TokenOrder::new(self.membership.table());
        order.sort(&mut removed);
        order.sort(&mut inserted);
        self.store.splice(&removed, inserted, order);
        self.membership.finish(&plan);
        Ok(())
    }
}

impl<S, T, H, G> PartialEq<HashRing<T, G>> for HashRing<S, H>
where
    S: TokenStore,
    T: TokenStore,
    H: Hash64,
    G: Hash64,
{
    fn eq(&self, other: &HashRing<T, G>) -> bool {
        self.vnodes_per_weight() == other.vnodes_per_weight()
            && same_hash(&self.hasher, &other.hasher)
            && self.nodes().eq(other.nodes())
    }
}

impl<S: TokenStore, H: Hash64> Eq for HashRing<S, H> {}

impl<S: TokenStore, H: Hash64> fmt::Debug for HashRing<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HashRing")
            .field("hash", &self.hasher.name())
            .field("vnodes_per_weight", &self.vnodes_per_weight())
            .field("nodes", &self.node_count())
            .field("tokens", &self.token_count())
            .finish_non_exhaustive()
    }
}

/// Every token of a [`HashRing`] once, clockwise from a place in the hash space.
pub struct Walk<'a, S: TokenStore + 'a> {
    slots: S::Walk<'a>,
    table: &'a NodeTable,
}

impl<S: TokenStore> Clone for Walk<'_, S> {
    fn clone(&self) -> Self {
        Self { slots: self.slots.clone(), table: self.table }
    }
}

impl<S: TokenStore> fmt::Debug for Walk<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").field("next", &self.clone().next()).finish()
    }
}

impl<'a, S: TokenStore> Iterator for Walk<'a, S> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let slot = self.slots.next()?;
        let id = self.table.get(slot.node).unwrap_or("");
        Some(Token::new(slot.hash, id, slot.index, slot.node))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.slots.size_hint()
    }
}

impl<'a, S: TokenStore> core::iter::FusedIterator for Walk<'a, S> where
    S::Walk<'a>: core::iter::FusedIterator
{
}
