//! Tokens in ring order, in two halves.
//!
//! A lookup compares hashes and answers with a node. Of a token's 16 bytes the upper half of the
//! hash and the node's number suffice for that, but for one lookup in 2^32 ÷ M. These eight bytes
//! stand in one vector and the others in a second, so that what lookups read is half as large and
//! stays in a nearer cache.

use core::cell::Cell;
use core::iter::{Chain, FusedIterator, Zip};
use core::slice::Iter;

use ring_core::{Slot, TokenOrder};

use crate::merge;

/// Tokens that a lookup compares without a branch. With a third to half a token a bucket on
/// average, about one lookup in a thousand has to go on with a search by halves: the lines "tokens
/// compared" of `ring-bench/gate-exact.csv`.
pub(crate) const PROBES: usize = 3;

/// A vector that grows keeps one part in `SPARE` free. Doubling would take more memory than the
/// directory does.
const SPARE: usize = 16;

/// The bits of a hash that stand in [`Near`].
const HIGH: u64 = !0 << u32::BITS;

/// What a lookup needs of a token: the upper half of its hash above the number of its node, so that
/// one comparison of the whole compares these halves of the hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near(u64);

impl Near {
    pub(crate) fn of(slot: &Slot) -> Self {
        Self(slot.hash & HIGH | u64::from(slot.node))
    }

    /// The upper half of the hash.
    #[inline]
    pub(crate) fn high(self) -> u32 {
        halves(self.0).0
    }

    #[inline]
    fn node(self) -> u32 {
        halves(self.0).1
    }
}

/// The rest of a token: the lower half of its hash, and its index.
#[derive(Clone, Copy, Debug)]
struct Far {
    low: u32,
    index: u32,
}

impl Far {
    fn of(slot: &Slot) -> Self {
        Self { low: halves(slot.hash).1, index: slot.index }
    }
}

/// The upper and the lower half of a hash.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a half is what is wanted")]
pub(crate) fn halves(hash: u64) -> (u32, u32) {
    ((hash >> u32::BITS) as u32, hash as u32)
}

#[inline]
fn join_hash(near: Near, far: Far) -> u64 {
    near.0 & HIGH | u64::from(far.low)
}

#[inline]
fn join((near, far): (&Near, &Far)) -> Slot {
    Slot { hash: join_hash(*near, *far), node: near.node(), index: far.index }
}

/// The first place in `span` that is not `below`, or its end; whatever is below stands before the
/// rest. O(log of how far it is from the start), and one look where it is the start itself.
fn gallop(span: Span, below: impl Fn(usize) -> bool) -> usize {
    let Span { start: mut from, end } = span;
    let mut step = 1;
    while step <= end - from && below(from + step - 1) {
        from += step;
        step *= 2;
    }
    let mut left = (step - 1).min(end - from);
    while left > 0 {
        let half = left / 2;
        if below(from + half) {
            from += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    from
}

/// Where a token is looked for: every token before `start` has a lower hash than it, and every one
/// from `end` on a hash that is at least as high.
pub(crate) type Span = core::ops::Range<usize>;

#[derive(Debug, Default)]
pub(crate) struct Tokens {
    /// One half of each token, and behind them [`PROBES`] copies of the first with all bits of the
    /// hash set. So a search that runs past the last token finds the first, and probes need no end.
    /// Empty where there is no token.
    near: Vec<Near>,
    /// The other half of each.
    far: Vec<Far>,
}

impl Clone for Tokens {
    /// Copies the spare room too: a copy is mostly made to be changed.
    fn clone(&self) -> Self {
        fn copy<T: Copy>(all: &Vec<T>) -> Vec<T> {
            let mut copy = Vec::with_capacity(all.capacity());
            copy.extend_from_slice(all);
            copy
        }
        Self { near: copy(&self.near), far: copy(&self.far) }
    }
}

impl Tokens {
    /// Tokens that are given in ring order.
    pub(crate) fn new(slots: &[Slot]) -> Self {
        let mut near = Vec::with_capacity(slots.len() + PROBES);
        near.extend(slots.iter().map(Near::of));
        let mut tokens = Self { near, far: slots.iter().map(Far::of).collect() };
        tokens.finish();
        tokens
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.near.is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.far.len()
    }

    /// The halves that a lookup needs, in ring order.
    pub(crate) fn near(&self) -> &[Near] {
        &self.near[..self.len()]
    }

    /// The node of the first token at or after `hash`, past the last one of the first of all, or
    /// `None` where the tokens from `start` on have to be searched one by one. There is at least
    /// one token, and none before `start` has this hash or a higher one.
    #[inline]
    pub(crate) fn probe(&self, start: usize, hash: u64) -> Option<u32> {
        let &[first, second, third] = self.near[start..].first_chunk::<PROBES>()?;
        let target = hash & HIGH;
        let found = if second.0 < target { third } else { second };
        let found = if first.0 < target { found } else { first };
        // Where the upper halves are the same, the lower ones have to decide.
        (found.0 > hash | !HIGH).then(|| found.node())
    }

    /// The node of the first token at or after `hash`, past the last one of the first of all. There
    /// is at least one token.
    pub(crate) fn search(&self, span: Span, hash: u64) -> u32 {
        // Past the last token stands a copy of the first.
        self.near[self.position(span, hash)].node()
    }

    /// How many tokens [`search`](Self::search) compares.
    pub(crate) fn compared(&self, span: Span, hash: u64) -> usize {
        let compared = Cell::new(0);
        self.position_with(span, hash, || compared.set(compared.get() + 1));
        compared.get()
    }

    /// The position of the first token at or after `hash`; [`len`](Self::len) where there is none.
    fn position(&self, span: Span, hash: u64) -> usize {
        self.position_with(span, hash, || {})
    }

    /// The same, telling `count` of each token that is compared.
    #[inline]
    fn position_with(&self, span: Span, hash: u64, count: impl Fn()) -> usize {
        let target = hash & HIGH;
        let lower = self.near[span.clone()].partition_point(|near| {
            count();
            near.0 < target
        });
        // What is left are tokens whose upper half is the same: nearly always none.
        let below = |at: usize| {
            count();
            join_hash(self.near[at], self.far[at]) < hash
        };
        gallop(span.start + lower..span.end, below)
    }

    /// The token at `position`.
    fn get(&self, position: usize) -> Option<Slot> {
        Some(join((self.near.get(position)?, self.far.get(position)?)))
    }

    /// The position at which `slot` stands or would stand in ring order.
    pub(crate) fn place_for(&self, span: Span, slot: &Slot, order: TokenOrder<'_>) -> usize {
        let start = self.position(span.clone(), slot.hash);
        // Only tokens of the same hash have to be told apart by their ids.
        gallop(start..span.end, |at| {
            self.get(at)
                .is_some_and(|token| token.hash == slot.hash && order.cmp_ids(&token, slot).is_lt())
        })
    }

    /// The position of `slot`; `None` where it is not in the ring.
    pub(crate) fn place_of(&self, span: Span, slot: &Slot, order: TokenOrder<'_>) -> Option<usize> {
        let place = self.place_for(span, slot, order);
        self.get(place).filter(|token| token == slot).map(|_| place)
    }

    /// Takes out the tokens at the positions `gone`, which rise, and puts each of `come` before the
    /// token that stands at its position then; these positions never fall.
    pub(crate) fn splice(&mut self, gone: &[usize], positions: &[usize], come: &[Slot]) {
        self.near.truncate(self.len());
        merge::remove_at(&mut self.near, gone);
        merge::remove_at(&mut self.far, gone);
        merge::insert_at(&mut self.near, positions, come, Near::of);
        merge::insert_at(&mut self.far, positions, come, Far::of);
        self.finish();
    }

    /// Makes room for `count` more tokens.
    pub(crate) fn reserve(&mut self, count: usize) {
        fn reserve<T>(all: &mut Vec<T>, needed: usize) {
            if needed > all.capacity() {
                all.reserve_exact(needed + needed / SPARE - all.len());
            }
        }
        // A first change comes with vectors of its own.
        if !self.is_empty() {
            let needed = self.len() + count;
            reserve(&mut self.near, needed + PROBES);
            reserve(&mut self.far, needed);
        }
    }

    /// Every token once, clockwise from the first at or after `hash`.
    pub(crate) fn walk(&self, span: Span, hash: u64) -> Walk<'_> {
        let at = if self.is_empty() { 0 } else { self.position(span, hash) };
        let (near, far) = (self.near().split_at(at), self.far.split_at(at));
        Walk { tokens: near.1.iter().zip(far.1).chain(near.0.iter().zip(far.0)) }
    }

    /// Puts the copies back behind the tokens, and gives back memory that is not used.
    fn finish(&mut self) {
        fn shrink<T>(all: &mut Vec<T>) {
            if all.capacity() > all.len() + all.len() / 2 {
                all.shrink_to(all.len() + all.len() / SPARE);
            }
        }
        if let Some(first) = self.near.first() {
            let copy = Near(HIGH | first.0);
            self.near.reserve_exact(PROBES);
            self.near.extend([copy; PROBES]);
        }
        shrink(&mut self.near);
        shrink(&mut self.far);
    }
}

/// Every token of a [`SortedVecStore`](crate::SortedVecStore) once, clockwise.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    tokens: Chain<Halves<'a>, Halves<'a>>,
}

type Halves<'a> = Zip<Iter<'a, Near>, Iter<'a, Far>>;

impl Iterator for Walk<'_> {
    type Item = Slot;

    #[inline]
    fn next(&mut self) -> Option<Slot> {
        self.tokens.next().map(join)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.tokens.size_hint()
    }
}

impl FusedIterator for Walk<'_> {}
