//! Our rings, through the same loops as everyone else.

use ring_core::{Change, HashRing, Ring, TokenStore};

use super::cluster::Cluster;
use super::hasher::OwnHash;
use super::{Changes, NOBODY, Peer, address, refused};
use crate::error::BenchError;

/// A ring of this workspace, called the usual way: several nodes as one batch, one node by the call that is meant for
/// it.
pub(crate) struct Own<S: TokenStore, H: OwnHash> {
    pub(crate) ring: HashRing<S, H>,
    pub(crate) cluster: &'static Cluster,
}

impl<S: TokenStore, H: OwnHash> Own<S, H> {
    /// A ring without nodes.
    pub(crate) fn empty(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let ring =
            HashRing::with_hash(cluster.vnodes, H::make()).map_err(|e| cannot(cluster, &e))?;
        Ok(Self { ring, cluster })
    }

    /// The id of a node.
    fn id(&self, node: u32) -> &'static str {
        &self.cluster.ids[node as usize]
    }

    /// Adds nodes, one call a node.
    pub(crate) fn add_singly(&mut self, nodes: &[u32]) -> Result<(), BenchError> {
        for &node in nodes {
            self.ring.add_node(self.id(node), 1).map_err(|e| refused("our ring", e))?;
        }
        Ok(())
    }

    /// Removes nodes, one call a node.
    pub(crate) fn remove_singly(&mut self, nodes: &[u32]) {
        for &node in nodes {
            self.ring.remove_node(self.id(node));
        }
    }

    /// Makes one change of several.
    fn apply(&mut self, changes: impl Iterator<Item = Change>) -> Result<(), BenchError> {
        let changes: Vec<Change> = changes.collect();
        self.ring.apply(&changes).map_err(|e| refused("our ring", e))
    }
}

fn cannot(cluster: &Cluster, error: &ring_core::RingError) -> BenchError {
    BenchError::usage(format!(
        "a ring of {} nodes with {} tokens each cannot be built: {error}",
        cluster.nodes, cluster.vnodes
    ))
}

impl<S: TokenStore + 'static, H: OwnHash> Peer for Own<S, H> {
    const CHANGES: Changes = Changes::InPlace;
    const SEARCHES: bool = true;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let mut own = Self::empty(cluster)?;
        let nodes = &cluster.ids[..cluster.nodes];
        own.apply(nodes.iter().map(|id| Change::add(id.as_str(), 1)))?;
        Ok(own)
    }

    fn tokens(&self) -> usize {
        self.ring.token_count()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.ring.get_node(key).map_or(NOBODY, address)
    }

    #[inline]
    fn search(&self, hash: u64) -> u64 {
        self.ring.owner_at(hash).map_or(NOBODY, address)
    }

    fn hash(key: &str) -> u64 {
        H::make().hash64(key.as_bytes())
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.ring.get_node(key).and_then(|id| self.cluster.number_of(id))
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        let cluster = self.cluster;
        match spares {
            [_] => self.add_singly(spares),
            _ => {
                self.apply(spares.iter().map(|&node| Change::add(&*cluster.ids[node as usize], 1)))
            }
        }
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        let cluster = self.cluster;
        match spares {
            [_] => {
                self.remove_singly(spares);
                Ok(())
            }
            _ => {
                self.apply(spares.iter().map(|&node| Change::remove(&*cluster.ids[node as usize])))
            }
        }
    }
}
