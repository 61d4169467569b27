//! Stores with one mistake each, under the real `HashRing`.

use std::cell::Cell;

use ring_core::conformance::{Backend, SuiteHash};
use ring_core::{Fnv1aFmix64, HashRing, RingError, Slot, Snapshot, TokenOrder, TokenStore};

/// A plain sorted vector with one mistake.
#[derive(Clone, Debug)]
pub(crate) struct BrokenStore {
    /// The mistake's number in [`NAMES`].
    fault: usize,
    slots: Vec<Slot>,
}

thread_local! {
    /// The mistake of the next store that is made on this thread. A ring makes its store from
    /// nothing, and one store type for all mistakes means that the suite is compiled for one.
    static NEXT_FAULT: Cell<usize> = const { Cell::new(0) };
}

impl Default for BrokenStore {
    fn default() -> Self {
        Self { fault: NEXT_FAULT.get(), slots: Vec::new() }
    }
}

/// The mistakes, by number. The first is none: such a store has to pass.
pub(crate) const NAMES: [&str; 16] = [
    "no fault",
    "StoreIgnoresTokenOrder",
    "StoreKeepsArrivalOrderOfEqualHashes",
    "StoreSearchDoesNotWrap",
    "StoreWalkDoesNotWrap",
    "StoreSearchesStrictlyAfter",
    "StoreFindsAnyOfEqualHashes",
    "StoreWalkStartsAfterEqualHashes",
    "StoreDropsColliding",
    "StoreRemovesByHash",
    "StoreCutsNodeTo16Bits",
    "StoreCutsIndexTo16Bits",
    "StoreSortsSigned",
    "StoreBatchForgetsLast",
    "StoreBatchDoesNotWrap",
    "StoreTrustsWhatIsRemoved",
];

const IGNORES_ORDER: usize = 1;
const ARRIVAL_ORDER: usize = 2;
const SEARCH_NO_WRAP: usize = 3;
const WALK_NO_WRAP: usize = 4;
const STRICTLY_AFTER: usize = 5;
const ANY_OF_EQUAL: usize = 6;
const WALK_AFTER_EQUAL: usize = 7;
const DROPS_COLLIDING: usize = 8;
const REMOVES_BY_HASH: usize = 9;
const CUTS_NODE: usize = 10;
const CUTS_INDEX: usize = 11;
const SIGNED: usize = 12;
const BATCH_FORGETS_LAST: usize = 13;
const BATCH_NO_WRAP: usize = 14;
const TRUSTS: usize = 15;

impl BrokenStore {
    /// The token as the store keeps it.
    fn cut(&self, slot: Slot) -> Slot {
        match self.fault {
            CUTS_NODE => Slot { node: slot.node & 0xffff, ..slot },
            CUTS_INDEX => Slot { index: slot.index & 0xffff, ..slot },
            _ => slot,
        }
    }

    fn position(&self, hash: u64) -> usize {
        match self.fault {
            STRICTLY_AFTER => self.slots.partition_point(|slot| slot.hash <= hash),
            ANY_OF_EQUAL => {
                let found = self.slots.binary_search_by_key(&hash, |slot| slot.hash);
                found.unwrap_or_else(|at| at)
            }
            _ => self.slots.partition_point(|slot| slot.hash < hash),
        }
    }
}

impl TokenStore for BrokenStore {
    type Walk<'a> = std::vec::IntoIter<Slot>;

    fn token_count(&self) -> usize {
        self.slots.len()
    }

    fn node_at_or_after(&self, hash: u64) -> Option<u32> {
        let found = self.slots.get(self.position(hash));
        let found = if self.fault == SEARCH_NO_WRAP { found } else { found.or(self.slots.first()) };
        found.map(|slot| slot.node)
    }

    fn nodes_at_or_after(&self, hashes: &[u64], found: &mut [Option<u32>]) {
        for (&hash, found) in hashes.iter().zip(found.iter_mut()) {
            *found = self.node_at_or_after(hash);
            if self.fault == BATCH_NO_WRAP && self.position(hash) == self.slots.len() {
                *found = None;
            }
        }
        // As a loop would that takes keys four at a time and forgets the rest.
        if self.fault == BATCH_FORGETS_LAST && hashes.len() % 4 != 0 {
            if let Some(last) = found.last_mut() {
                *last = self.slots.first().map(|slot| slot.node);
            }
        }
    }

    fn walk(&self, hash: u64) -> std::vec::IntoIter<Slot> {
        let mut at = self.position(hash);
        if self.fault == WALK_AFTER_EQUAL {
            at = self.slots.partition_point(|slot| slot.hash <= hash);
        }
        let mut walk = self.slots[at..].to_vec();
        if self.fault != WALK_NO_WRAP {
            walk.extend_from_slice(&self.slots[..at]);
        }
        walk.into_iter()
    }

    fn splice(&mut self, removed: &[Slot], inserted: Vec<Slot>, order: TokenOrder<'_>) {
        for gone in removed {
            let gone = self.cut(*gone);
            let at = self.slots.iter().position(|slot| match self.fault {
                REMOVES_BY_HASH => slot.hash == gone.hash,
                _ => *slot == gone,
            });
            assert!(at.is_some() || self.fault != TRUSTS, "a removed token is missing");
            if let Some(at) = at {
                self.slots.remove(at);
            }
        }
        for come in inserted {
            if self.fault == DROPS_COLLIDING && self.slots.iter().any(|slot| slot.hash == come.hash)
            {
                continue;
            }
            self.slots.push(self.cut(come));
        }
        match self.fault {
            IGNORES_ORDER => self.slots.sort_by_key(|slot| (slot.hash, slot.node, slot.index)),
            // A stable sort on the hash alone.
            ARRIVAL_ORDER => self.slots.sort_by_key(|slot| slot.hash),
            SIGNED => self.slots.sort_by(|a, b| {
                // With the highest bit flipped, unsigned order is signed order.
                let flipped = |slot: &Slot| slot.hash ^ (1 << 63);
                flipped(a).cmp(&flipped(b)).then_with(|| order.cmp_ids(a, b))
            }),
            _ => self.slots.sort_by(|a, b| order.cmp(a, b)),
        }
    }
}

/// The backend of rings on a store with this mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreBackend(pub(crate) usize);

impl Backend for StoreBackend {
    type Ring<H: SuiteHash> = HashRing<BrokenStore, H>;

    fn empty(&self, vnodes_per_weight: u32) -> Result<Self::Ring<Fnv1aFmix64>, RingError> {
        NEXT_FAULT.set(self.0);
        HashRing::new(vnodes_per_weight)
    }

    fn empty_with_hash<H: SuiteHash>(
        &self,
        vnodes_per_weight: u32,
        hasher: H,
    ) -> Result<Self::Ring<H>, RingError> {
        NEXT_FAULT.set(self.0);
        HashRing::with_hash(vnodes_per_weight, hasher)
    }

    fn load(&self, snapshot: &Snapshot) -> Result<Self::Ring<Fnv1aFmix64>, RingError> {
        NEXT_FAULT.set(self.0);
        HashRing::from_snapshot(snapshot)
    }

    fn load_with_hash<H: SuiteHash>(
        &self,
        snapshot: &Snapshot,
        hasher: H,
    ) -> Result<Self::Ring<H>, RingError> {
        NEXT_FAULT.set(self.0);
        HashRing::from_snapshot_with_hash(snapshot, hasher)
    }

    fn load_within<H: SuiteHash>(
        &self,
        snapshot: &Snapshot,
        hasher: H,
        token_limit: u32,
    ) -> Result<Self::Ring<H>, RingError> {
        NEXT_FAULT.set(self.0);
        HashRing::from_snapshot_within(snapshot, hasher, token_limit)
    }
}
