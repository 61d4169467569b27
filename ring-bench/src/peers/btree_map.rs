//! A reference kernel: a plain `BTreeMap<u64, u32>`, searched by `range`.

use std::collections::BTreeMap;

use super::cluster::Cluster;
use super::hasher::OwnHash;
use super::sorted_vec::tokens;
use super::{Changes, NOBODY, Peer};
use crate::error::BenchError;

/// A token's hash, and its node.
pub(crate) struct PlainMap<H> {
    tokens: BTreeMap<u64, u32>,
    cluster: &'static Cluster,
    hash: std::marker::PhantomData<H>,
}

impl<H: OwnHash> Peer for PlainMap<H> {
    const CHANGES: Changes = Changes::InPlace;
    const SEARCHES: bool = true;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let tokens = tokens::<H>(cluster, cluster.members()).into_iter().collect();
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
        let found = self.tokens.range(hash..).next().or_else(|| self.tokens.first_key_value());
        found.map_or(NOBODY, |(_, &node)| u64::from(node))
    }

    fn hash(key: &str) -> u64 {
        H::make().hash64(key.as_bytes())
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        usize::try_from(self.mark(key)).ok()
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.tokens.extend(tokens::<H>(self.cluster, spares));
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for (hash, _) in tokens::<H>(self.cluster, spares) {
            self.tokens.remove(&hash);
        }
        Ok(())
    }
}
