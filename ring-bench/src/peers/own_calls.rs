//! Other ways to call our rings: in batches, one call a node, and the calls that return several nodes.

use ring_core::{Hash64 as _, Ring, TokenStore};

use super::cluster::Cluster;
use super::hasher::OwnHash;
use super::own::Own;
use super::{Changes, NOBODY, Peer, address};
use crate::error::BenchError;
use crate::experiments::lookup::BATCH_KEYS;
use crate::measure::fold;

/// Lookups by `get_node_batch`, [`BATCH_KEYS`] keys a call into one list of owners that is used again.
pub(crate) struct Batched<S: TokenStore, H: OwnHash>(Own<S, H>);

impl<S: TokenStore + 'static, H: OwnHash> Peer for Batched<S, H> {
    const CHANGES: Changes = Changes::None;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        Own::build(cluster).map(Self)
    }

    fn tokens(&self) -> usize {
        self.0.tokens()
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.0.owner(key)
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.0.mark(key)
    }

    #[inline]
    fn look_up(&self, keys: &[&'static str], mut sum: u64) -> u64 {
        let mut owners: Vec<Option<&str>> = Vec::with_capacity(BATCH_KEYS);
        for keys in keys.chunks(BATCH_KEYS) {
            owners.clear();
            self.0.ring.get_node_batch(keys, &mut owners);
            sum = owners.iter().fold(sum, |sum, owner| fold(sum, owner.map_or(NOBODY, address)));
        }
        sum
    }
}

/// One call a node, where the ring would take all as one change: building, and batches.
pub(crate) struct Singly<S: TokenStore, H: OwnHash>(Own<S, H>);

impl<S: TokenStore + 'static, H: OwnHash> Peer for Singly<S, H> {
    const CHANGES: Changes = Changes::InPlace;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let mut own = Own::empty(cluster)?;
        own.add_singly(cluster.members())?;
        Ok(Self(own))
    }

    fn tokens(&self) -> usize {
        self.0.tokens()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.0.mark(key)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.0.owner(key)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.0.add_singly(spares)
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.0.remove_singly(spares);
        Ok(())
    }
}

/// A call that returns several nodes.
pub(crate) trait Several: 'static {
    /// Folds what it returned for a key.
    fn fold<R: Ring>(ring: &R, key: &str) -> u64;
}

/// Nodes that the calls below ask for: what is promised without an allocation.
const LAZY: usize = 16;
/// The same for one allocation.
const SET: usize = 64;

/// `walk`, as far as [`LAZY`] tokens.
pub(crate) struct Walking;

impl Several for Walking {
    fn fold<R: Ring>(ring: &R, key: &str) -> u64 {
        let tokens = ring.walk(ring.hasher().hash64(key.as_bytes())).take(LAZY);
        tokens.fold(0, |sum, token| fold(sum, token.hash()))
    }
}

/// `replicas`, as far as [`LAZY`] nodes.
pub(crate) struct LazyReplicas;

impl Several for LazyReplicas {
    fn fold<R: Ring>(ring: &R, key: &str) -> u64 {
        ring.replicas(key).take(LAZY).fold(0, |sum, node| fold(sum, address(node)))
    }
}

/// `get_replicas` of [`SET`] nodes.
pub(crate) struct ReplicaSets;

impl Several for ReplicaSets {
    fn fold<R: Ring>(ring: &R, key: &str) -> u64 {
        ring.get_replicas(key, SET).nodes().iter().fold(0, |sum, node| fold(sum, address(*node)))
    }
}

/// Lookups by a call that returns several nodes.
pub(crate) struct Many<S: TokenStore, H: OwnHash, C>(Own<S, H>, std::marker::PhantomData<C>);

impl<S: TokenStore + 'static, H: OwnHash, C: Several> Peer for Many<S, H, C> {
    const CHANGES: Changes = Changes::None;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        Ok(Self(Own::build(cluster)?, std::marker::PhantomData))
    }

    fn tokens(&self) -> usize {
        self.0.tokens()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        C::fold(&self.0.ring, key)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.0.owner(key)
    }
}
