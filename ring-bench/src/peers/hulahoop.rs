//! `hulahoop`: a tree of tokens that share their nodes by reference count.

use hulahoop::HashRing;

use super::cluster::Cluster;
use super::hasher::PeerHash;
use super::{Changes, NOBODY, Peer, address, expect};
use crate::error::BenchError;

/// Built and changed by `insert` and `remove`.
pub(crate) struct Ring<S> {
    ring: HashRing<u32, S>,
    vnodes: u64,
}

impl<S: PeerHash> Peer for Ring<S> {
    const CHANGES: Changes = Changes::InPlace;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let mut ring =
            Self { ring: HashRing::with_hasher(S::make()), vnodes: u64::from(cluster.vnodes) };
        ring.add(cluster.members())?;
        Ok(ring)
    }

    fn tokens(&self) -> usize {
        self.ring.iter().map(|(_, tokens)| usize::try_from(tokens).unwrap_or(0)).sum()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.ring.get(key).map_or(NOBODY, address)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.ring.get(key).map(|&node| node as usize)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for &node in spares {
            self.ring.insert(node, self.vnodes);
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
        let mut ring: HashRing<&str, S> = HashRing::with_hasher(S::make());
        expect("the first insertion", &ring.insert("10.0.0.1:1234", 10), &None)?;
        expect("a lookup", &ring.get("Some key"), &Some(&"10.0.0.1:1234"))?;
        expect("a removal", &ring.remove(&"10.0.0.1:1234"), &10)?;
        expect("a second removal", &ring.remove(&"10.0.0.1:1234"), &0)
    }
}
