//! `hrw-hash`, rendezvous hashing: no ring. Every node gets a score for the key, and all of them are sorted by it.

use hrw_hash::HrwNodes;

use super::cluster::Cluster;
use super::hasher::PeerHash;
use super::{Changes, NOBODY, Peer, address, expect};
use crate::error::BenchError;

/// The nodes, and the list that its user keeps to make them anew.
pub(crate) struct Rendezvous<S> {
    scores: HrwNodes<u32, S>,
    nodes: Vec<u32>,
    replaced: Option<HrwNodes<u32, S>>,
}

impl<S: PeerHash> Rendezvous<S> {
    fn rebuild(&mut self) {
        let scores = HrwNodes::with_build_hasher(S::make(), self.nodes.iter().copied());
        self.replaced = Some(std::mem::replace(&mut self.scores, scores));
    }
}

impl<S: PeerHash> Peer for Rendezvous<S> {
    const CHANGES: Changes = Changes::Rebuild;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let nodes = cluster.members().to_vec();
        let scores = HrwNodes::with_build_hasher(S::make(), nodes.iter().copied());
        Ok(Self { scores, nodes, replaced: None })
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        // The only way to the first one.
        self.scores.sorted(&key).next().map_or(NOBODY, address)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.scores.sorted(&key).next().map(|&node| node as usize)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.nodes.extend_from_slice(spares);
        self.rebuild();
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.nodes.truncate(self.nodes.len() - spares.len());
        self.rebuild();
        Ok(())
    }

    fn forget(&mut self) {
        self.replaced = None;
    }

    fn example() -> Result<(), String> {
        let nodes = HrwNodes::new(0..10_u16);
        let first: Vec<u16> = nodes.sorted(&42).take(3).copied().collect();
        expect("three nodes for 42", &first, &vec![8, 4, 7])
    }
}
