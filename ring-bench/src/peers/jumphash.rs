//! `jumphash`: no ring. A number of slots goes in, a slot comes out; only the last slot can leave.

use std::hash::{BuildHasher, Hash};

use jumphash::{CustomJumpHasher, JumpHasher};

use super::cluster::{Cluster, number};
use super::hasher::{PeerHash as _, Xxh3Build};
use super::{Changes, Peer, expect};
use crate::error::BenchError;

/// A hasher of slots.
pub(crate) trait Slots: 'static {
    /// Makes it.
    fn make() -> Self;
    /// The slot of a key.
    fn slot<K: Hash>(&self, key: &K, slots: u32) -> u32;
}

impl Slots for JumpHasher {
    fn make() -> Self {
        Self::new()
    }

    #[inline]
    fn slot<K: Hash>(&self, key: &K, slots: u32) -> u32 {
        JumpHasher::slot(self, key, slots)
    }
}

impl Slots for CustomJumpHasher<<Xxh3Build as BuildHasher>::Hasher> {
    fn make() -> Self {
        Self::new(Xxh3Build::make().build_hasher())
    }

    #[inline]
    fn slot<K: Hash>(&self, key: &K, slots: u32) -> u32 {
        CustomJumpHasher::slot(self, key, slots)
    }
}

/// The same with XXH3.
pub(crate) type Xxh3Slots = CustomJumpHasher<<Xxh3Build as BuildHasher>::Hasher>;

/// The hasher and the number of nodes.
pub(crate) struct Jump<J> {
    hasher: J,
    slots: u32,
}

impl<J: Slots> Peer for Jump<J> {
    const CHANGES: Changes = Changes::None;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        Ok(Self { hasher: J::make(), slots: number(cluster.nodes) })
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        u64::from(self.hasher.slot(&key, self.slots))
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        Some(self.hasher.slot(&key, self.slots) as usize)
    }

    fn example() -> Result<(), String> {
        let hasher = JumpHasher::new_with_keys(0, 0);
        for (key, slots, slot) in [
            ("test1", 10_000_000, 8_970_050),
            ("test2", 1000, 10),
            ("test3", 1000, 76),
            ("test5", 50, 33),
            ("", 1000, 392),
            ("testz", 1, 0),
        ] {
            expect(key, &Slots::slot(&hasher, &key, slots), &slot)?;
        }
        Ok(())
    }
}
