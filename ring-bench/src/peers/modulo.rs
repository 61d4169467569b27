//! `hash % N`: no ring. What everyone starts with; nearly every key moves when a node comes or goes.

use super::cluster::Cluster;
use super::hasher::OwnHash;
use super::{Changes, Peer, expect};
use crate::error::BenchError;

/// A number of nodes, and a hash.
pub(crate) struct Modulo<H> {
    nodes: u64,
    hash: std::marker::PhantomData<H>,
}

impl<H: OwnHash> Peer for Modulo<H> {
    const CHANGES: Changes = Changes::None;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        Ok(Self { nodes: cluster.nodes.max(1) as u64, hash: std::marker::PhantomData })
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        H::make().hash64(key.as_bytes()) % self.nodes
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        usize::try_from(self.mark(key)).ok()
    }

    fn example() -> Result<(), String> {
        let three: Self = Self { nodes: 3, hash: std::marker::PhantomData };
        expect("a key", &three.mark("key"), &(H::make().hash64(b"key") % 3))
    }
}
