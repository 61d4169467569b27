//! `maglev`: no ring. A table of about a hundred entries a node says who owns a hash; it is built anew for each change.

use maglev::{ConsistentHasher as _, Maglev};

use super::cluster::Cluster;
use super::hasher::PeerHash;
use super::{Changes, NOBODY, Peer, address, expect};
use crate::error::BenchError;

/// The table. A rebuild keeps its size, as the crate's documentation says it must.
pub(crate) struct Table<S> {
    peer: Maglev<u32, S>,
    nodes: Vec<u32>,
    replaced: Option<Maglev<u32, S>>,
}

impl<S: PeerHash> Table<S> {
    fn rebuild(&mut self) {
        let nodes = self.nodes.iter().copied();
        let table = Maglev::with_capacity_and_hasher(nodes, self.peer.capacity(), S::make());
        self.replaced = Some(std::mem::replace(&mut self.peer, table));
    }
}

impl<S: PeerHash> Peer for Table<S> {
    const CHANGES: Changes = Changes::Rebuild;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let nodes = cluster.members().to_vec();
        let table = Maglev::with_hasher(nodes.iter().copied(), S::make());
        Ok(Self { peer: table, nodes, replaced: None })
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.peer.get(key).map_or(NOBODY, address)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.peer.get(key).map(|&node| node as usize)
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
        let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        let table = Maglev::new(days);
        expect("entries", &table.capacity(), &701)?;
        expect("alice", &table.get("alice"), &Some(&"Friday"))?;
        expect("bob", &table.get("bob"), &Some(&"Wednesday"))
    }
}
