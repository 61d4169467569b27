//! A consistent-hash ring on a sorted vector.
//!
//! For rings that are looked up far more often than they change, and for changes that come in
//! batches. A lookup goes straight to its place by a directory on the top bits of the hash, and
//! compares three tokens there without a branch. A change moves the tokens behind it, like any
//! insertion into a vector, once for a whole batch. See `ring-btree` for rings that change all the
//! time.
//!
//! # Examples
//!
//! ```
//! use ring_core::Ring;
//! use ring_sortedvec::SortedVecRing;
//!
//! let mut ring = SortedVecRing::new(100)?;
//! ring.add_node("cache-a", 1)?;
//! ring.add_node("cache-b", 2)?;
//! assert!(ring.get_node("user:42").is_some());
//! # Ok::<(), ring_core::RingError>(())
//! ```

mod directory;
mod merge;
mod tokens;

use ring_core::{Fnv1aFmix64, HashRing, Slot, TokenOrder, TokenStore};

use directory::Directory;
use tokens::{Near, PROBES, Tokens};

pub use tokens::Walk;

/// A ring on a [`SortedVecStore`]; see [`ring_core::Ring`] for what it does.
///
/// # Complexity
///
/// Lookups O(1) expected and O(log M) at worst; a change of K tokens O(M + K log K), of which the
/// O(M) is one move of memory. With 100 tokens a node about 20 bytes a token, membership included
/// (`ring-bench compare`, rows of memory).
pub type SortedVecRing<H = Fnv1aFmix64> = HashRing<SortedVecStore, H>;

/// Tokens in two vectors in ring order, 16 bytes each, with a directory of two to six bytes a token.
#[derive(Clone, Debug, Default)]
pub struct SortedVecStore {
    tokens: Tokens,
    directory: Directory,
}

impl SortedVecStore {
    /// The node that owns `hash`, whose search begins at `start`. There is at least one token.
    #[inline]
    fn node_from(&self, start: usize, hash: u64) -> u32 {
        self.tokens.probe(start, hash).unwrap_or_else(|| self.search(hash))
    }

    /// The rare case of a crowded bucket, or of a token close before or after the hash.
    #[cold]
    fn search(&self, hash: u64) -> u32 {
        self.tokens.search(self.directory.span(hash), hash)
    }
}

impl TokenStore for SortedVecStore {
    type Walk<'a> = Walk<'a>;

    #[inline]
    fn token_count(&self) -> usize {
        self.tokens.len()
    }

    #[inline]
    fn node_at_or_after(&self, hash: u64) -> Option<u32> {
        if self.tokens.is_empty() {
            return None;
        }
        Some(self.node_from(self.directory.start(hash), hash))
    }

    fn nodes_at_or_after(&self, hashes: &[u64], nodes: &mut [Option<u32>]) {
        if self.tokens.is_empty() {
            nodes.fill(None);
            return;
        }
        // First all places, then all tokens: the loads of many lookups are then on their way at
        // the same time.
        let mut starts = [0; 64];
        for (hashes, nodes) in hashes.chunks(starts.len()).zip(nodes.chunks_mut(starts.len())) {
            for (start, &hash) in starts.iter_mut().zip(hashes) {
                *start = self.directory.start(hash);
            }
            for ((node, &hash), &start) in nodes.iter_mut().zip(hashes).zip(&starts) {
                *node = Some(self.node_from(start, hash));
            }
        }
    }

    fn probes(&self, hash: u64) -> Option<usize> {
        if self.tokens.is_empty() {
            return Some(0);
        }
        if self.tokens.probe(self.directory.start(hash), hash).is_some() {
            return Some(PROBES);
        }
        Some(PROBES + self.tokens.compared(self.directory.span(hash), hash))
    }

    fn walk(&self, hash: u64) -> Walk<'_> {
        self.tokens.walk(self.directory.span(hash), hash)
    }

    fn reserve(&mut self, removed: usize, inserted: usize) {
        let _ = removed;
        self.tokens.reserve(inserted);
    }

    fn splice(&mut self, removed: &[Slot], inserted: Vec<Slot>, order: TokenOrder<'_>) {
        if self.tokens.is_empty() {
            self.tokens = Tokens::new(&inserted);
            self.directory = Directory::build(self.tokens.near());
            return;
        }
        let span = |slot: &Slot| self.directory.span(slot.hash);
        let gone: Vec<usize> = removed
            .iter()
            .filter_map(|slot| self.tokens.place_of(span(slot), slot, order))
            .collect();
        // Places among the tokens that stay: those before the change, less what goes before them.
        let mut passed = 0;
        let come: Vec<usize> = inserted
            .iter()
            .map(|slot| {
                let place = self.tokens.place_for(span(slot), slot, order);
                passed += gone[passed..].iter().take_while(|&&position| position < place).count();
                place - passed
            })
            .collect();

        self.tokens.splice(&gone, &come, &inserted);
        if gone.len() == removed.len() {
            let halves = |slots: &[Slot]| slots.iter().map(Near::of).collect::<Vec<_>>();
            self.directory.update(&halves(removed), &halves(&inserted), self.tokens.near());
        } else {
            self.directory = Directory::build(self.tokens.near());
        }
    }
}
