//! `consistent_hash`: a sorted vector of tokens, searched by halves. It cannot be changed, only built anew.

use std::hash::{BuildHasher as _, Hash};

use consistent_hash::{DefaultHash, Node, RingHash, StaticHashRing};

use super::cluster::Cluster;
use super::hasher::Xxh3Build;
use super::{Changes, NOBODY, Peer, address, expect};
use crate::error::BenchError;

/// A hash of this crate that a worker can make by itself.
pub(crate) trait Hashing: RingHash + 'static {
    /// Makes it.
    fn make() -> Self;
}

impl Hashing for DefaultHash {
    fn make() -> Self {
        Self
    }
}

/// XXH3 as this crate takes a hash.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Xxh3;

impl RingHash for Xxh3 {
    fn hash_item<T: Hash>(&self, item: &T) -> u64 {
        Xxh3Build.hash_one(item)
    }
}

impl Hashing for Xxh3 {
    fn make() -> Self {
        Self
    }
}

/// The ring, with the list of nodes that its user keeps to build it from.
pub(crate) struct Ring<H> {
    peer: StaticHashRing<'static, u32, (), H>,
    nodes: Vec<u32>,
    vnodes: usize,
    replaced: Option<StaticHashRing<'static, u32, (), H>>,
}

fn ring<H: Hashing>(nodes: &[u32], vnodes: usize) -> StaticHashRing<'static, u32, (), H> {
    StaticHashRing::new(H::make(), nodes.iter().map(|&node| Node::new(node).quantity(vnodes)))
}

impl<H: Hashing> Ring<H> {
    fn rebuild(&mut self) {
        let ring = ring(&self.nodes, self.vnodes);
        self.replaced = Some(std::mem::replace(&mut self.peer, ring));
    }
}

impl<H: Hashing> Peer for Ring<H> {
    const CHANGES: Changes = Changes::Rebuild;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let nodes = cluster.members().to_vec();
        let vnodes = cluster.vnodes as usize;
        Ok(Self { peer: ring(&nodes, vnodes), nodes, vnodes, replaced: None })
    }

    fn tokens(&self) -> usize {
        self.peer.len()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        // The only way to a single owner.
        self.peer.calc_candidates(&key).next().map_or(NOBODY, address)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.peer.calc_candidates(&key).next().map(|node| node.key as usize)
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
        let nodes = [("foo", 5), ("bar", 5), ("baz", 1), ("baz", 2)];
        let nodes = nodes.map(|(key, quantity)| Node::new(key).quantity(quantity));
        let ring = StaticHashRing::new(DefaultHash, nodes.into_iter());
        let candidates =
            |key: &str| ring.calc_candidates(&key).map(|node| node.key).collect::<Vec<_>>();
        expect("candidates of \"aa\"", &candidates("aa"), &vec!["bar", "foo", "baz"])?;
        expect("candidates of \"bb\"", &candidates("bb"), &vec!["foo", "bar", "baz"])?;
        expect("tokens", &ring.len(), &11)
    }
}
