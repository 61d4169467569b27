//! `hashring`: a sorted vector of tokens, searched by halves. Tokens are the user's own type.

use hashring::HashRing;

use super::cluster::Cluster;
use super::hasher::PeerHash;
use super::{Changes, NOBODY, Peer, expect};
use crate::error::BenchError;

/// A token: the crate knows no virtual nodes, its documentation has users add each under a number of its own.
///
/// Eight bytes, so that the ring's entries take sixteen. The pair is hashed by one write, which is the cheapest that
/// a user can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct VNode {
    node: u32,
    index: u32,
}

impl std::hash::Hash for VNode {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.node) << 32 | u64::from(self.index));
    }
}

/// The tokens of some nodes, in a vector that `batch_add` takes by value.
fn tokens(nodes: &[u32], vnodes: u32) -> Vec<VNode> {
    let mut tokens = Vec::with_capacity(nodes.len() * vnodes as usize);
    for &node in nodes {
        tokens.extend((0..vnodes).map(|index| VNode { node, index }));
    }
    tokens
}

/// All nodes by one `batch_add`, changes by one `batch_add` a node and one `remove` a token.
pub(crate) struct Ring<S> {
    ring: HashRing<VNode, S>,
    vnodes: u32,
}

impl<S: PeerHash> Peer for Ring<S> {
    const CHANGES: Changes = Changes::InPlace;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let mut ring = HashRing::with_hasher(S::make());
        ring.batch_add(tokens(cluster.members(), cluster.vnodes));
        Ok(Self { ring, vnodes: cluster.vnodes })
    }

    fn tokens(&self) -> usize {
        self.ring.len()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.ring.get(&key).map_or(NOBODY, |token| u64::from(token.node))
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.ring.get(&key).map(|token| token.node as usize)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for spare in spares {
            self.ring.batch_add(tokens(std::slice::from_ref(spare), self.vnodes));
        }
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for &node in spares {
            for index in 0..self.vnodes {
                self.ring.remove(&VNode { node, index });
            }
        }
        Ok(())
    }

    fn example() -> Result<(), String> {
        example()
    }
}

/// The same ring, where building is one `batch_add` a node.
pub(crate) struct Grown<S>(Ring<S>);

impl<S: PeerHash> Peer for Grown<S> {
    const CHANGES: Changes = Changes::InPlace;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let mut ring = Ring { ring: HashRing::with_hasher(S::make()), vnodes: cluster.vnodes };
        ring.add(cluster.members())?;
        Ok(Self(ring))
    }

    fn tokens(&self) -> usize {
        self.0.tokens()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.0.mark(key)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.0.owner(key)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.0.add(spares)
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.0.remove(spares)
    }

    fn example() -> Result<(), String> {
        example()
    }
}

/// The answers of the crate's own test of `get`.
///
/// That test hashes an `Ipv4Addr`, and fails today, since the standard library no longer hashes one as it hashes its
/// octets. With the octets in its place the documented answers come out.
fn example() -> Result<(), String> {
    /// Number, port and address, in the order in which they are hashed.
    type Documented = (usize, u16, [u8; 4]);
    let node = |last: u8, id: usize| -> Documented { (id, 1024, [127, 0, 0, last]) };
    let nodes = [node(1, 1), node(1, 2), node(2, 1), node(2, 2), node(2, 3), node(3, 1)];
    let mut ring = HashRing::new();
    ring.batch_add(nodes.to_vec());
    for (key, place) in [("foo", 5), ("bar", 4), ("baz", 3), ("abc", 0), ("dog", 3)] {
        expect(key, &ring.get(&key), &Some(&nodes[place]))?;
    }
    Ok(())
}
