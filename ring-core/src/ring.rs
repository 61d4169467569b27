//! [`Ring`]: what users call.

use crate::error::RingError;
use crate::hash::{Decimal, FnvState, Hash64};
use crate::membership::{Change, Node};
use crate::replicas::{ReplicaSet, Replicas};
use crate::snapshot::Snapshot;
use crate::token::Token;

/// A consistent-hash ring with virtual nodes.
///
/// Everything a ring does; its rules are the invariants on the [crate's page](crate). Bring this
/// one trait into scope and every method is there. Complexities are given in N nodes, M tokens,
/// K tokens changed and R replicas; what a backend does better or worse stands in its own docs.
///
/// The trait is not dyn-compatible: it has generic methods and iterators with lifetimes. Write
/// functions over `R: Ring`.
///
/// # Examples
///
/// ```
/// use ring_core::Ring;
///
/// fn describe<R: Ring>(ring: &R) -> String {
///     format!("{} nodes with {} tokens", ring.node_count(), ring.token_count())
/// }
/// # let mut ring = ring_core::conformance::ReferenceRing::new(10).unwrap();
/// # ring.add_node("a", 2).unwrap();
/// # assert_eq!(describe(&ring), "1 nodes with 20 tokens");
/// ```
pub trait Ring {
    /// The ring's hash.
    type Hash: Hash64;

    /// The iterator of [`walk`](Self::walk) and [`tokens`](Self::tokens).
    type Walk<'a>: Iterator<Item = Token<'a>> + Clone
    where
        Self: 'a;

    /// The iterator of [`nodes`](Self::nodes).
    type Nodes<'a>: Iterator<Item = Node<'a>>
    where
        Self: 'a;

    /// V: tokens per unit of weight, fixed for the ring's life.
    fn vnodes_per_weight(&self) -> u32;

    /// The ring's hash.
    fn hasher(&self) -> &Self::Hash;

    /// The largest number of tokens that the ring may hold; 16,777,216 in a new ring. A guard
    /// against a mistyped weight, and no part of the ring's identity.
    fn token_limit(&self) -> u32;

    /// Sets the token limit.
    ///
    /// # Errors
    ///
    /// [`RingError::LimitBelowCount`] where the ring holds more tokens than `limit` already.
    fn set_token_limit(&mut self, limit: u32) -> Result<(), RingError>;

    /// N: how many nodes are registered.
    fn node_count(&self) -> usize;

    /// M: how many tokens the ring holds.
    fn token_count(&self) -> usize;

    /// The node's weight, `None` where the id is not registered.
    fn weight(&self, id: &str) -> Option<u32>;

    /// The nodes with their weights, in byte order of their ids.
    fn nodes(&self) -> Self::Nodes<'_>;

    /// Every token once, clockwise from the first at or after `hash`, wrapping once. It allocates
    /// nothing.
    fn walk(&self, hash: u64) -> Self::Walk<'_>;

    /// Applies many changes as one: all or nothing, the ring rebuilt once.
    ///
    /// The changes are checked in order, each against the membership as the earlier ones leave it
    /// (within a change: weight 0 first, then whether the id is registered). The token limit is
    /// checked once, on the final membership. What then happens is the net change of each id: a
    /// removal followed by an add is a weight change, an add followed by a removal nothing. No
    /// changes at all are `Ok`.
    ///
    /// # Errors
    ///
    /// [`RingError::InChange`] names the first change that is refused, and why: a weight of 0, an
    /// add of a registered id, a removal or weight change of an unknown one.
    /// [`RingError::TooManyTokens`] where the final membership passes the limit. The ring is then
    /// as it was (I7).
    fn apply(&mut self, changes: &[Change]) -> Result<(), RingError>;

    /// Registers a node: its `weight × V` tokens come into the ring, and keys move only to it (I6).
    ///
    /// One node at a time costs one splice each; [`apply`](Self::apply) adds many in one.
    ///
    /// # Errors
    ///
    /// A weight of 0; an id that is registered already, with the same weight too; more tokens than
    /// the limit allows. The ring is then as it was.
    fn add_node(&mut self, id: &str, weight: u32) -> Result<(), RingError> {
        self.apply(&[Change::add(id, weight)]).map_err(RingError::without_index)
    }

    /// Removes a node with exactly its own tokens; only keys that it owned move (I6). `false`,
    /// and no change, where the id is not registered.
    fn remove_node(&mut self, id: &str) -> bool {
        self.apply(&[Change::remove(id)]).is_ok()
    }

    /// Gives a node another weight. Only the tokens with indices between the old count and the new
    /// one come or go; the same weight changes nothing.
    ///
    /// # Errors
    ///
    /// A weight of 0, an unknown id, more tokens than the limit allows. The ring is then as it was.
    fn set_weight(&mut self, id: &str, weight: u32) -> Result<(), RingError> {
        self.apply(&[Change::set_weight(id, weight)]).map_err(RingError::without_index)
    }

    /// The node that owns `key`: the one of the first token at or clockwise after the key's hash
    /// (I4). `None` only in an empty ring. It allocates nothing and never panics.
    ///
    /// # Complexity
    ///
    /// O(length of the key) to hash it, and one search among M tokens.
    // A call in a loop would load the ring's pointers anew for each key.
    #[expect(clippy::inline_always, reason = "a lookup is little longer than the call")]
    #[inline(always)]
    fn get_node(&self, key: impl AsRef<[u8]>) -> Option<&str> {
        self.owner_at(self.hasher().hash64(key.as_ref()))
    }

    /// The owner of a key whose hash the caller has already; see [`get_node`](Self::get_node).
    #[inline]
    fn owner_at(&self, hash: u64) -> Option<&str> {
        self.walk(hash).next().map(|token| token.node_id())
    }

    /// The owners of many keys: appends `get_node(key)` for each key, in order.
    ///
    /// Equal to single calls in its answers. On a large ring it is faster, since the memory
    /// accesses of many lookups overlap.
    fn get_node_batch<'a, K: AsRef<[u8]>>(&'a self, keys: &[K], owners: &mut Vec<Option<&'a str>>) {
        let hasher = self.hasher();
        let mut hashes = [0; 64];
        owners.reserve(keys.len());
        for keys in keys.chunks(hashes.len()) {
            let hashes = &mut hashes[..keys.len()];
            for (hash, key) in hashes.iter_mut().zip(keys) {
                *hash = hasher.hash64(key.as_ref());
            }
            self.owners_at(hashes, owners);
        }
    }

    /// The owners of many hashes: appends `owner_at(hash)` for each, in order.
    fn owners_at<'a>(&'a self, hashes: &[u64], owners: &mut Vec<Option<&'a str>>) {
        owners.extend(hashes.iter().map(|&hash| self.owner_at(hash)));
    }

    /// The first `r` distinct nodes met clockwise from the key's hash, the owner first, and how
    /// many are missing.
    ///
    /// `r = 0` gives none. An `r` over the number of nodes gives all of them, and a shortfall; so
    /// `usize::MAX` asks for the whole preference list.
    ///
    /// # Complexity
    ///
    /// One search, then a walk over the tokens up to the r-th distinct node: about R of them while
    /// R is small beside N, all M at worst. One allocation up to 64 nodes, two beyond.
    fn get_replicas(&self, key: impl AsRef<[u8]>, r: usize) -> ReplicaSet<'_> {
        self.replicas_at(self.hasher().hash64(key.as_ref()), r)
    }

    /// The replica set of a key whose hash the caller has already; see
    /// [`get_replicas`](Self::get_replicas).
    fn replicas_at(&self, hash: u64, r: usize) -> ReplicaSet<'_> {
        ReplicaSet::collect(self.walk(hash), self.node_count(), r)
    }

    /// The distinct nodes clockwise from the key's hash, the owner first, each once, lazily.
    ///
    /// For replicas by a rule of your own: distinct zones, nodes that are up, bounded loads. It
    /// allocates nothing for the first 16 nodes.
    fn replicas(&self, key: impl AsRef<[u8]>) -> Replicas<Self::Walk<'_>> {
        Replicas::new(self.walk(self.hasher().hash64(key.as_ref())), self.node_count())
    }

    /// All tokens in ring order (I1), from the lowest hash on.
    fn tokens(&self) -> Self::Walk<'_> {
        self.walk(0)
    }

    /// Whether no node is registered.
    fn is_empty(&self) -> bool {
        self.node_count() == 0
    }

    /// 64 bits that tell whether two rings route alike: the default hash over all tokens in ring
    /// order, each as its hash (8 bytes, big endian), its token id and a newline.
    ///
    /// A guard against accidents, not against forgery.
    ///
    /// # Complexity
    ///
    /// O(bytes of all token ids); nothing is allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use ring_core::Ring;
    ///
    /// # let mut ring = ring_core::conformance::ReferenceRing::new(64)?;
    /// ring.add_node("A", 1)?;
    /// ring.add_node("B", 1)?;
    /// assert_eq!(ring.fingerprint(), 0x73a7_029a_9da8_fe9d);
    /// # Ok::<(), ring_core::RingError>(())
    /// ```
    fn fingerprint(&self) -> u64 {
        self.tokens()
            .fold(FnvState::new(), |state, token| {
                state
                    .write(&token.hash().to_be_bytes())
                    .write(token.node_id().as_bytes())
                    .write(b"#")
                    .write(Decimal::new(token.index()).digits())
                    .write(b"\n")
            })
            .finish()
    }

    /// What another process needs to build the same ring: V, the name of the hash, the nodes with
    /// their weights, and the fingerprint. Not the tokens, and never a keyed hash's secret.
    ///
    /// # Complexity
    ///
    /// O(M), for the fingerprint.
    fn snapshot(&self) -> Snapshot {
        Snapshot::of(self)
    }
}
