//! A consistent-hash ring on a `BTreeMap` keyed by `(hash, token id)`.
//!
//! For rings that change often and are looked up little: a change costs O(K log M) for its K
//! tokens, however large the ring is. See `ring-sortedvec` for the other way round.
//!
//! # Examples
//!
//! ```
//! use ring_btree::BTreeRing;
//! use ring_core::Ring;
//!
//! let mut ring = BTreeRing::new(100)?;
//! ring.add_node("cache-a", 1)?;
//! ring.add_node("cache-b", 2)?;
//! assert!(ring.get_node("user:42").is_some());
//! # Ok::<(), ring_core::RingError>(())
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::{Entry, Range};
use std::iter::{Chain, FusedIterator};

use ring_core::{Fnv1aFmix64, HashRing, Slot, TokenOrder, TokenStore};

/// A ring on a [`BTreeStore`]; see [`ring_core::Ring`] for what it does.
///
/// # Complexity
///
/// Lookups O(log M); a change of K tokens O(K log M), plus the tokens whose hash collides with one
/// of them. A change of more than an eighth of the ring builds the map anew, O(M + K log K). With 100
/// tokens a node about 23 bytes a token after one batch, 34 after adds one by one, membership
/// included (`ring-bench compare`, rows of memory).
pub type BTreeRing<H = Fnv1aFmix64> = HashRing<BTreeStore, H>;

/// Tokens in a `BTreeMap`, in ring order by the map's own key.
#[derive(Clone, Debug, Default)]
pub struct BTreeStore {
    tokens: BTreeMap<Key, Owner>,
    /// How many tokens have a rank above the first, mostly none.
    shadowed: usize,
}

/// Ring order as integers: the hash first, and the token id second, by its rank among the tokens
/// of this hash. The rank is 0 unless hashes collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(Rust, packed(4))]
struct Key {
    hash: u64,
    rank: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Owner {
    node: u32,
    index: u32,
}

const FIRST: u32 = 0;

/// A change of more than one token in `BULK` builds the map anew: that costs less than as many
/// single changes, and leaves its nodes full instead of half full.
const BULK: usize = 8;

impl Owner {
    fn of(slot: &Slot) -> Self {
        Self { node: slot.node, index: slot.index }
    }
}

fn slot((key, owner): (&Key, &Owner)) -> Slot {
    Slot { hash: key.hash, node: owner.node, index: owner.index }
}

impl BTreeStore {
    /// Takes `gone` out of the tokens of `hash` and puts `come` in; both in ring order.
    fn splice_hash(&mut self, hash: u64, gone: &[Slot], come: &[Slot], order: TokenOrder<'_>) {
        let first = Key { hash, rank: FIRST };
        // Nearly always a hash has one token: the one that goes, or the one that comes.
        match (gone, come) {
            ([], [token]) => {
                if let Entry::Vacant(entry) = self.tokens.entry(first) {
                    entry.insert(Owner::of(token));
                    return;
                }
            }
            ([token], []) if self.shadowed == 0 => {
                if let Entry::Occupied(entry) = self.tokens.entry(first) {
                    if *entry.get() == Owner::of(token) {
                        entry.remove();
                    }
                }
                return;
            }
            _ => {}
        }
        self.rewrite(hash, gone, come, order);
    }

    /// Builds the map anew from what stays and what comes.
    fn rebuild(&mut self, removed: &[Slot], inserted: &[Slot], order: TokenOrder<'_>) {
        let mut gone = removed.iter().peekable();
        let mut come = inserted.iter().copied().peekable();
        let mut slots = Vec::with_capacity(self.tokens.len() + inserted.len());
        for token in self.tokens.iter().map(slot) {
            // Both are in ring order, so that each token that goes is met in its turn.
            if gone.next_if_eq(&&token).is_none() {
                slots.extend(core::iter::from_fn(|| {
                    come.next_if(|new| order.cmp(new, &token).is_lt())
                }));
                slots.push(token);
            }
        }
        slots.extend(come);
        let mut previous = None;
        let mut rank = FIRST;
        self.shadowed = 0;
        self.tokens = slots
            .iter()
            .map(|slot| {
                rank = if previous == Some(slot.hash) { rank + 1 } else { FIRST };
                previous = Some(slot.hash);
                self.shadowed += usize::from(rank > FIRST);
                (Key { hash: slot.hash, rank }, Owner::of(slot))
            })
            .collect();
    }

    /// The same for any number of tokens: those of `hash` are ranked anew.
    fn rewrite(&mut self, hash: u64, gone: &[Slot], come: &[Slot], order: TokenOrder<'_>) {
        let ranks = Key { hash, rank: FIRST }..=Key { hash, rank: u32::MAX };
        let standing: Vec<Slot> = self.tokens.range(ranks).map(slot).collect();
        let mut slots = Vec::with_capacity(standing.len() + come.len());
        let mut gone = gone.iter().peekable();
        for token in &standing {
            // Both are in ring order, so that each token that goes is met in its turn.
            if gone.next_if_eq(&token).is_none() {
                slots.push(*token);
            }
        }
        slots.extend_from_slice(come);
        slots.sort_by(|a, b| order.cmp_ids(a, b));
        for (rank, slot) in (FIRST..).zip(&slots) {
            self.tokens.insert(Key { hash, rank }, Owner::of(slot));
        }
        for (rank, _) in (FIRST..).zip(&standing).skip(slots.len()) {
            self.tokens.remove(&Key { hash, rank });
        }
        self.shadowed -= standing.len().saturating_sub(1);
        self.shadowed += slots.len().saturating_sub(1);
    }
}

impl TokenStore for BTreeStore {
    type Walk<'a> = Walk<'a>;

    fn token_count(&self) -> usize {
        self.tokens.len()
    }

    #[inline]
    fn node_at_or_after(&self, hash: u64) -> Option<u32> {
        let from = Key { hash, rank: FIRST };
        let found = self.tokens.range(from..).next().or_else(|| self.tokens.first_key_value());
        found.map(|(_, owner)| owner.node)
    }

    fn walk(&self, hash: u64) -> Walk<'_> {
        let from = Key { hash, rank: FIRST };
        Walk {
            tokens: self.tokens.range(from..).chain(self.tokens.range(..from)),
            left: self.tokens.len(),
        }
    }

    fn splice(&mut self, removed: &[Slot], inserted: Vec<Slot>, order: TokenOrder<'_>) {
        let changed = removed.len() + inserted.len();
        if changed > self.tokens.len() / BULK {
            return self.rebuild(removed, &inserted, order);
        }
        let (mut removed, mut inserted) = (removed, &*inserted);
        // One hash after the other, so that a crowded one is written anew once, not once a token.
        while let Some(hash) = next_hash(removed, inserted) {
            let gone = take_hash(&mut removed, hash);
            let come = take_hash(&mut inserted, hash);
            self.splice_hash(hash, gone, come, order);
        }
    }
}

/// The lowest hash that is still to be changed.
fn next_hash(removed: &[Slot], inserted: &[Slot]) -> Option<u64> {
    let hash = |slots: &[Slot]| slots.first().map(|slot| slot.hash);
    match (hash(removed), hash(inserted)) {
        (Some(gone), Some(come)) => Some(gone.min(come)),
        (gone, come) => gone.or(come),
    }
}

/// Splits the tokens of `hash` off the front of `slots`.
fn take_hash<'a>(slots: &mut &'a [Slot], hash: u64) -> &'a [Slot] {
    let count = slots.iter().take_while(|slot| slot.hash == hash).count();
    let (front, rest) = slots.split_at(count);
    *slots = rest;
    front
}

/// Every token of a [`BTreeStore`] once, clockwise.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    tokens: Chain<Range<'a, Key, Owner>, Range<'a, Key, Owner>>,
    left: usize,
}

impl Iterator for Walk<'_> {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        let token = self.tokens.next().map(slot)?;
        self.left -= 1;
        Some(token)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl FusedIterator for Walk<'_> {}
