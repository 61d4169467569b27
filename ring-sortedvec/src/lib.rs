//! A consistent-hash ring on a sorted vector.
//!
//! For rings that are looked up far more often than they change, and for changes that come in
//! batches. A lookup goes straight to its place by a directory on the top bits of the hash, and
//! compares one or two tokens there. A change moves the tokens behind it, like any insertion into
//! a vector, once for a whole batch. See `ring-btree` for rings that change all the time.
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

use core::iter::{Chain, Copied};
use core::slice::Iter;

use ring_core::{Fnv1aFmix64, HashRing, Slot, TokenOrder, TokenStore};

use directory::Directory;

/// A ring on a [`SortedVecStore`]; see [`ring_core::Ring`] for what it does.
///
/// # Complexity
///
/// Lookups O(1) expected and O(log M) at worst; a change of K tokens O(M + K log K), of which the
/// O(M) is one move of memory. With 100 tokens a node about 20 bytes a token, membership included
/// (`ring-bench compare`, rows of memory).
pub type SortedVecRing<H = Fnv1aFmix64> = HashRing<SortedVecStore, H>;

/// Tokens in a vector in ring order, 16 bytes each, with a directory of two to four bytes a token.
#[derive(Debug, Default)]
pub struct SortedVecStore {
    /// The tokens, and behind them [`PROBES`] copies of the first one at the last hash. So a
    /// search that runs past the last token finds the first, and probes need no end. Empty where
    /// there is no token.
    slots: Vec<Slot>,
    directory: Directory,
}

/// Tokens that a lookup compares without a branch. With half a token a bucket on average, about one
/// lookup in 250 has to go on with a binary search.
const PROBES: usize = 3;

/// A vector that grows keeps one part in `SPARE` free. Doubling would take more memory than the
/// directory does.
const SPARE: usize = 16;

impl Clone for SortedVecStore {
    /// Copies the spare room too: a copy is mostly made to be changed.
    fn clone(&self) -> Self {
        let mut slots = Vec::with_capacity(self.slots.capacity());
        slots.extend_from_slice(&self.slots);
        Self { slots, directory: self.directory.clone() }
    }
}

impl SortedVecStore {
    /// The tokens in ring order, without the copies behind them.
    fn tokens(&self) -> &[Slot] {
        &self.slots[..self.token_count()]
    }

    /// The first token at or after `hash`, or the copy of the first of all behind the last. There
    /// is at least one token.
    #[inline]
    fn search(&self, start: usize, hash: u64) -> &Slot {
        let probed = &self.slots[start..start + PROBES];
        let lower = probed.iter().map(|slot| usize::from(slot.hash < hash)).sum::<usize>();
        probed.get(lower).unwrap_or_else(|| &self.slots[self.search_block(start + PROBES, hash)])
    }

    /// The rare case of a crowded bucket: the position of the first token at or after `hash`, from
    /// a `start` that is not past it.
    #[cold]
    fn search_block(&self, start: usize, hash: u64) -> usize {
        let end = self.directory.end(hash);
        start + self.slots[start..end].partition_point(|slot| slot.hash < hash)
    }

    /// The position of the first token at or after `hash`; [`token_count`](Self::token_count)
    /// where there is none. There is at least one token.
    fn position(&self, hash: u64) -> usize {
        self.search_block(self.directory.start(hash), hash)
    }

    /// The position at which `slot` stands or would stand in ring order.
    fn place_for(&self, slot: &Slot, order: TokenOrder<'_>) -> usize {
        let start = self.position(slot.hash);
        let end = self.directory.end(slot.hash);
        // Only tokens of the same hash have to be told apart by their ids.
        match self.slots[start..end].first() {
            Some(token) if token.hash == slot.hash => {
                start
                    + self.slots[start..end].partition_point(|token| order.cmp(token, slot).is_lt())
            }
            _ => start,
        }
    }

    /// The position of `slot`; `None` where it is not in the ring.
    fn place_of(&self, slot: &Slot, order: TokenOrder<'_>) -> Option<usize> {
        let place = self.place_for(slot, order);
        self.tokens().get(place).filter(|token| *token == slot).map(|_| place)
    }

    /// Puts the copies back behind the tokens, and gives back memory that is mostly unused.
    fn finish(&mut self) {
        if let Some(first) = self.slots.first() {
            let copy = Slot { hash: u64::MAX, ..*first };
            self.slots.reserve_exact(PROBES);
            self.slots.extend([copy; PROBES]);
        }
        if self.slots.capacity() / 4 > self.slots.len() {
            self.slots.shrink_to(self.slots.len() + self.slots.len() / SPARE);
        }
    }
}

impl TokenStore for SortedVecStore {
    type Walk<'a> = Walk<'a>;

    #[inline]
    fn token_count(&self) -> usize {
        self.slots.len().saturating_sub(PROBES)
    }

    #[inline]
    fn first_at_or_after(&self, hash: u64) -> Option<Slot> {
        if self.slots.is_empty() {
            return None;
        }
        Some(*self.search(self.directory.start(hash), hash))
    }

    fn first_at_or_after_batch(&self, hashes: &[u64], found: &mut [Option<Slot>]) {
        if self.slots.is_empty() {
            found.fill(None);
            return;
        }
        // First all places, then all tokens: the loads of many lookups are then on their way at
        // the same time.
        let mut starts = [0; 64];
        for (hashes, found) in hashes.chunks(starts.len()).zip(found.chunks_mut(starts.len())) {
            for (start, &hash) in starts.iter_mut().zip(hashes) {
                *start = self.directory.start(hash);
            }
            for ((found, &hash), &start) in found.iter_mut().zip(hashes).zip(&starts) {
                *found = Some(*self.search(start, hash));
            }
        }
    }

    fn walk(&self, hash: u64) -> Walk<'_> {
        let at = if self.slots.is_empty() { 0 } else { self.position(hash) };
        let (before, after) = self.tokens().split_at(at);
        Walk { slots: after.iter().chain(before).copied() }
    }

    fn reserve(&mut self, removed: usize, inserted: usize) {
        let _ = removed;
        let needed = self.token_count() + inserted + PROBES;
        if self.token_count() > 0 && needed > self.slots.capacity() {
            self.slots.reserve_exact(needed + needed / SPARE - self.slots.len());
        }
    }

    fn splice(&mut self, removed: &[Slot], inserted: Vec<Slot>, order: TokenOrder<'_>) {
        if self.slots.is_empty() {
            self.slots = inserted;
            self.directory = Directory::build(&self.slots);
            self.finish();
            return;
        }
        let gone: Vec<usize> =
            removed.iter().filter_map(|slot| self.place_of(slot, order)).collect();
        // Places among the tokens that stay: those before the change, less what goes before them.
        let mut passed = 0;
        let come: Vec<usize> = inserted
            .iter()
            .map(|slot| {
                let place = self.place_for(slot, order);
                passed += gone[passed..].iter().take_while(|&&position| position < place).count();
                place - passed
            })
            .collect();

        self.slots.truncate(self.token_count());
        merge::remove_at(&mut self.slots, &gone);
        merge::insert_at(&mut self.slots, &come, &inserted);
        if gone.len() == removed.len() {
            self.directory.update(removed, &inserted, &self.slots);
        } else {
            self.directory = Directory::build(&self.slots);
        }
        self.finish();
    }
}

/// Every token of a [`SortedVecStore`] once, clockwise.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    slots: Copied<Chain<Iter<'a, Slot>, Iter<'a, Slot>>>,
}

impl Iterator for Walk<'_> {
    type Item = Slot;

    #[inline]
    fn next(&mut self) -> Option<Slot> {
        self.slots.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.slots.size_hint()
    }
}
