//! Our rings behind something that lets readers and a writer share them.

use std::sync::{PoisonError, RwLock};

use ring_core::{HashRing, Ring, SharedRing, TokenStore};

use super::cluster::Cluster;
use super::hasher::OwnHash;
use super::own::Own;
use super::{Changes, NOBODY, Peer, address};
use crate::error::BenchError;
use crate::measure::fold;

/// Through a reader handle, which a thread makes once and keeps.
pub(crate) struct Reader<S: TokenStore, H: OwnHash>(SharedRing<HashRing<S, H>>, &'static Cluster);

impl<S: TokenStore + 'static, H: OwnHash> Peer for Reader<S, H> {
    const CHANGES: Changes = Changes::None;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        Ok(Self(SharedRing::new(Own::<S, H>::build(cluster)?.ring), cluster))
    }

    fn tokens(&self) -> usize {
        self.0.load().token_count()
    }

    fn mark(&self, key: &'static str) -> u64 {
        self.0.reader().load().get_node(key).map_or(NOBODY, address)
    }

    #[inline]
    fn look_up(&self, keys: &[&'static str], sum: u64) -> u64 {
        let mut reader = self.0.reader();
        keys.iter()
            .fold(sum, |sum, key| fold(sum, reader.load().get_node(key).map_or(NOBODY, address)))
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.0.load().get_node(key).and_then(|id| self.1.number_of(id))
    }
}

/// Through a guard that is loaded for each lookup.
pub(crate) struct Guard<S: TokenStore, H: OwnHash>(SharedRing<HashRing<S, H>>, &'static Cluster);

impl<S: TokenStore + 'static, H: OwnHash> Peer for Guard<S, H> {
    const CHANGES: Changes = Changes::None;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        Ok(Self(SharedRing::new(Own::<S, H>::build(cluster)?.ring), cluster))
    }

    fn tokens(&self) -> usize {
        self.0.load().token_count()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.0.load().get_node(key).map_or(NOBODY, address)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.0.load().get_node(key).and_then(|id| self.1.number_of(id))
    }
}

/// Through a read lock that is taken for each lookup: what one would write without `SharedRing`. Nobody else asks for
/// the lock meanwhile, which is its best case.
pub(crate) struct Locked<S: TokenStore, H: OwnHash>(RwLock<Own<S, H>>);

impl<S: TokenStore + 'static, H: OwnHash> Peer for Locked<S, H> {
    const CHANGES: Changes = Changes::InPlace;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        Ok(Self(RwLock::new(Own::build(cluster)?)))
    }

    fn tokens(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).tokens()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.0.read().unwrap_or_else(PoisonError::into_inner).mark(key)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).owner(key)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).add(spares)
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(spares)
    }
}
