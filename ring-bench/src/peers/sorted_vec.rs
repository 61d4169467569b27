//! A reference kernel: what anyone would write first. A sorted `Vec<(u64, u32)>`, searched by `partition_point`.

use super::cluster::Cluster;
use super::hasher::OwnHash;
use super::{Changes, NOBODY, Peer};
use crate::error::BenchError;

/// Pairs of a token's hash and its node.
pub(crate) struct SortedVec<H> {
    tokens: Vec<(u64, u32)>,
    cluster: &'static Cluster,
    hash: std::marker::PhantomData<H>,
}

/// The tokens of some nodes, as our rings place them, unsorted.
pub(crate) fn tokens<H: OwnHash>(cluster: &Cluster, nodes: &[u32]) -> Vec<(u64, u32)> {
    let mut hashes = vec![0; cluster.vnodes as usize];
    let mut tokens = Vec::with_capacity(nodes.len() * hashes.len());
    for &node in nodes {
        H::make().hash_tokens(&cluster.ids[node as usize], 0, &mut hashes);
        tokens.extend(hashes.iter().map(|&hash| (hash, node)));
    }
    tokens
}

impl<H: OwnHash> Peer for SortedVec<H> {
    const CHANGES: Changes = Changes::InPlace;
    const SEARCHES: bool = true;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let mut tokens = tokens::<H>(cluster, cluster.members());
        tokens.sort_unstable();
        Ok(Self { tokens, cluster, hash: std::marker::PhantomData })
    }

    fn tokens(&self) -> usize {
        self.tokens.len()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.search(H::make().hash64(key.as_bytes()))
    }

    #[inline]
    fn search(&self, hash: u64) -> u64 {
        let place = self.tokens.partition_point(|token| token.0 < hash);
        let found = self.tokens.get(place).or_else(|| self.tokens.first());
        found.map_or(NOBODY, |token| u64::from(token.1))
    }

    fn hash(key: &str) -> u64 {
        H::make().hash64(key.as_bytes())
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        usize::try_from(self.mark(key)).ok()
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.tokens.extend(tokens::<H>(self.cluster, spares));
        // The stable sort, since it merges what is sorted already.
        self.tokens.sort_unstable();
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.tokens.retain(|token| !spares.contains(&token.1));
        Ok(())
    }
}
