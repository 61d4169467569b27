//! `consistent_hash_ring`: a sorted vector of tokens that are inserted one by one, searched by halves.

use consistent_hash_ring::{Ring as Crate, RingBuilder};

use super::cluster::Cluster;
use super::hasher::PeerHash;
use super::{Changes, NOBODY, Peer, expect};
use crate::error::BenchError;

/// Built by its builder, changed by `insert` and `remove`.
pub(crate) struct Ring<S> {
    ring: Crate<u32, S>,
}

impl<S: PeerHash> Peer for Ring<S> {
    const CHANGES: Changes = Changes::InPlace;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let ring = RingBuilder::new(S::make())
            .vnodes(cluster.vnodes as usize)
            .nodes(cluster.members())
            .build();
        Ok(Self { ring })
    }

    fn tokens(&self) -> usize {
        self.ring.vnodes()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.ring.try_get(key).map_or(NOBODY, |&node| u64::from(node))
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.ring.try_get(key).map(|&node| node as usize)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for &node in spares {
            self.ring.insert(node);
        }
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for node in spares {
            self.ring.remove(node);
        }
        Ok(())
    }

    fn example() -> Result<(), String> {
        let ring = RingBuilder::default().nodes_iter(0..12).build();
        expect("the owner of \"key\"", &ring.try_get("key"), &Some(&10))?;
        let mut ring = RingBuilder::default().nodes_iter(0..12).build();
        expect("a removal", &(ring.remove(&3), ring.remove(&3), ring.len()), &(true, false, 11))?;
        let ring = RingBuilder::new(S::make()).vnodes(4).nodes_iter(0..12).build();
        expect("tokens", &ring.vnodes(), &48)
    }
}
