//! `anchorhash`: no ring. An array of slots, those in use and those that are not; a slot not in use leads on.

use anchorhash::{AnchorHash, Builder};

use super::cluster::{Cluster, SPARES};
use super::hasher::PeerHash;
use super::{Changes, NOBODY, Peer, address, expect, refused};
use crate::error::BenchError;

/// How many slots there are. The documentation shows two ways, and the choice decides how often a lookup is led on.
pub(crate) trait Capacity: 'static {
    /// Whether nodes can join.
    const ROOM: bool;
    /// Slots for so many nodes.
    fn slots(nodes: usize) -> usize;
}

/// As many slots as nodes, as `collect` makes it. Nothing leads on, and nobody can join.
pub(crate) struct Full;

impl Capacity for Full {
    const ROOM: bool = false;

    fn slots(nodes: usize) -> usize {
        nodes
    }
}

/// Room for twice as many nodes, and for the spares. (The examples of the documentation leave far more.)
pub(crate) struct Roomy;

impl Capacity for Roomy {
    const ROOM: bool = true;

    fn slots(nodes: usize) -> usize {
        nodes * 2 + SPARES
    }
}

/// The slots and their nodes.
pub(crate) struct Anchor<S: PeerHash, C> {
    anchor: AnchorHash<&'static str, u32, S>,
    capacity: std::marker::PhantomData<C>,
}

impl<S: PeerHash, C: Capacity> Peer for Anchor<S, C> {
    const CHANGES: Changes = if C::ROOM { Changes::InPlace } else { Changes::None };

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let slots = u16::try_from(C::slots(cluster.nodes)).map_err(|_| {
            BenchError::usage(format!(
                "anchorhash has at most 65535 slots; {} nodes take more",
                cluster.nodes
            ))
        })?;
        let anchor = Builder::with_hasher(S::make())
            .with_resources(cluster.members().iter().copied())
            .build(slots);
        Ok(Self { anchor, capacity: std::marker::PhantomData })
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.anchor.get_resource(key).map_or(NOBODY, address)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.anchor.get_resource(key).map(|&node| node as usize)
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for &node in spares {
            self.anchor.add_resource(node).map_err(|e| refused("anchorhash", e))?;
        }
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        for node in spares.iter().rev() {
            self.anchor.remove_resource(node).map_err(|e| refused("anchorhash", e))?;
        }
        Ok(())
    }

    fn example() -> Result<(), String> {
        let servers = ["cache1", "cache2", "cache3"];
        let mut anchor: AnchorHash<&str, &str, S> =
            Builder::with_hasher(S::make()).with_resources(servers).build(20);
        let owner = anchor.get_resource("user-A").copied();
        expect("some server owns \"user-A\"", &owner.is_some_and(|o| servers.contains(&o)), &true)?;
        for server in servers {
            expect("a removal", &anchor.remove_resource(&server), &Ok(()))?;
        }
        expect("nobody is left", &anchor.get_resource("user-A"), &None)
    }
}
