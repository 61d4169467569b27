//! `hash-rings`: a tree of tokens that borrow their nodes.

use hash_rings::consistent::Ring as Crate;

use super::cluster::Cluster;
use super::hasher::PeerHash;
use super::{Changes, Peer, address, expect};
use crate::error::BenchError;

/// Nodes are borrowed from the cluster, as the crate wants them.
pub(crate) struct Ring<S> {
    peer: Crate<'static, u32, S>,
    numbers: &'static [u32],
    vnodes: usize,
}

impl<S: PeerHash + Default> Peer for Ring<S> {
    const CHANGES: Changes = Changes::InPlace;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let mut ring = Crate::with_hasher(S::make());
        let vnodes = cluster.vnodes as usize;
        for node in cluster.members() {
            ring.insert_node(node, vnodes);
        }
        Ok(Self { peer: ring, numbers: &cluster.numbers, vnodes })
    }

    fn tokens(&self) -> usize {
        self.peer.iter().map(|(_, tokens)| tokens).sum()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        address(self.peer.get_node(&key))
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        Some(*self.peer.get_node(&key) as usize)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for &node in spares {
            self.peer.insert_node(&self.numbers[node as usize], self.vnodes);
        }
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for node in spares {
            self.peer.remove_node(node);
        }
        Ok(())
    }

    fn example() -> Result<(), String> {
        let mut ring = Crate::with_hasher(std::hash::BuildHasherDefault::<
            std::collections::hash_map::DefaultHasher,
        >::default());
        ring.insert_node(&"node-1", 1);
        ring.insert_node(&"node-2", 3);
        expect("the owner of \"point-1\"", ring.get_node(&"point-1"), &"node-1")?;
        ring.remove_node(&"node-1");
        expect("after a removal", ring.get_node(&"point-1"), &"node-2")
    }
}
