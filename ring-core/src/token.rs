//! Tokens and ring order. The rule for equal hashes stands here and nowhere else.

use core::cmp::Ordering;
use core::iter;

use crate::hash::Decimal;

/// A token as a store keeps it: 16 bytes, the node by its number.
///
/// `node` is the number that the ring's membership gave the node; [`TokenOrder`] knows the id
/// behind it. The number says nothing about order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The token's place in the hash space: the hash of its token id.
    pub hash: u64,
    /// The number of the node that owns the token.
    pub node: u32,
    /// The token's index within its node: `i` in the token id `node_id#i`.
    pub index: u32,
}

/// A token as users see it: what [`Ring::walk`](crate::Ring::walk) and
/// [`Ring::tokens`](crate::Ring::tokens) yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token<'a> {
    hash: u64,
    node_id: &'a str,
    index: u32,
    node: u32,
}

impl<'a> Token<'a> {
    /// A token of the node `node_id`. `node` is any number that identifies the node within its
    /// ring; see [`node`](Self::node).
    #[must_use]
    pub fn new(hash: u64, node_id: &'a str, index: u32, node: u32) -> Self {
        Self { hash, node_id, index, node }
    }

    /// The token's place in the hash space.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The id of the node that owns the token.
    #[must_use]
    pub fn node_id(&self) -> &'a str {
        self.node_id
    }

    /// The token's index within its node, from 0.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.index
    }

    /// A number that two tokens of one ring share exactly if they belong to the same node: a fast
    /// way to tell nodes apart. It holds until the ring's next change and means nothing elsewhere.
    #[must_use]
    pub fn node(&self) -> u32 {
        self.node
    }

    /// The token id, `node_id + "#" + index`: what is hashed, and what orders equal hashes.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(ring_core::Token::new(0, "cache-a", 17, 0).token_id(), "cache-a#17");
    /// ```
    #[must_use]
    pub fn token_id(&self) -> String {
        format!("{}#{}", self.node_id, self.index)
    }
}

/// Compares two token ids as bytes, without writing them out: `(id, index)` stands for
/// `id + "#" + index`.
///
/// Since an index holds no `#`, two different pairs never are the same bytes.
pub(crate) fn cmp_token_ids(a: (&str, u32), b: (&str, u32)) -> Ordering {
    let (a_digits, b_digits) = (Decimal::new(a.1), Decimal::new(b.1));
    if a.0 == b.0 {
        return a_digits.digits().cmp(b_digits.digits());
    }
    let a_bytes = a.0.bytes().chain(iter::once(b'#')).chain(a_digits.digits().iter().copied());
    let b_bytes = b.0.bytes().chain(iter::once(b'#')).chain(b_digits.digits().iter().copied());
    a_bytes.cmp(b_bytes)
}

/// Ring order of [`Slot`]s: by hash as an unsigned number, and by the bytes of the token id where
/// hashes are equal. A store is handed it with every change.
#[derive(Clone, Copy)]
pub struct TokenOrder<'a> {
    ids: &'a dyn NodeIds,
}

/// Knows the id behind a node's number.
pub(crate) trait NodeIds: Sync {
    /// The id of node number `node`; empty where there is none, which no valid slot meets.
    fn id(&self, node: u32) -> &str;
}

impl<'a> TokenOrder<'a> {
    pub(crate) fn new(ids: &'a dyn NodeIds) -> Self {
        Self { ids }
    }

    /// Compares two tokens in ring order. `Equal` only for one and the same token.
    #[inline]
    #[must_use]
    pub fn cmp(&self, a: &Slot, b: &Slot) -> Ordering {
        a.hash.cmp(&b.hash).then_with(|| self.cmp_ids(a, b))
    }

    /// Compares the token ids alone: the order of two tokens of one hash.
    #[must_use]
    pub fn cmp_ids(&self, a: &Slot, b: &Slot) -> Ordering {
        cmp_token_ids((self.ids.id(a.node), a.index), (self.ids.id(b.node), b.index))
    }

    /// Brings `slots` into ring order.
    ///
    /// Hashes first, ids only where hashes are equal: comparing ids is what costs.
    pub(crate) fn sort(&self, slots: &mut Vec<Slot>) {
        sort_by_hash(slots);
        if slots.windows(2).all(|pair| pair[0].hash != pair[1].hash) {
            return;
        }
        for run in slots.chunk_by_mut(|a, b| a.hash == b.hash) {
            if run.len() > 1 {
                run.sort_unstable_by(|a, b| self.cmp_ids(a, b));
            }
        }
    }
}

/// Sorts by hash. Hashes are mostly uniform, so that their top bits nearly are the place: the
/// slots are dealt into buckets of a few each, and sorted there. Linear for uniform hashes, and
/// never worse than the comparison sort that crowded buckets fall back to.
fn sort_by_hash(slots: &mut Vec<Slot>) {
    const WORTH_IT: usize = 512;
    if slots.len() < WORTH_IT {
        slots.sort_unstable_by_key(|slot| slot.hash);
        return;
    }
    let bits = slots.len().ilog2();
    let bucket = |slot: &Slot| usize::try_from(slot.hash >> (u64::BITS - bits)).unwrap_or(0);
    // How many slots each bucket has, then where it starts. A ring holds at most 2^32 tokens.
    let mut starts = vec![0_u32; (1 << bits) + 1];
    for slot in &*slots {
        starts[bucket(slot) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut dealt = slots.clone();
    for slot in &*slots {
        let next = &mut starts[bucket(slot)];
        dealt[*next as usize] = *slot;
        *next += 1;
    }
    // Each bucket's start has moved on to its end, which is where the next one starts.
    let mut start = 0;
    for &end in &starts[..1 << bits] {
        sort_few(&mut dealt[start..end as usize]);
        start = end as usize;
    }
    *slots = dealt;
}

/// Sorts by hash what is mostly one or two slots.
fn sort_few(slots: &mut [Slot]) {
    const FEW: usize = 16;
    if slots.len() > FEW {
        slots.sort_unstable_by_key(|slot| slot.hash);
        return;
    }
    for sorted in 1..slots.len() {
        let mut at = sorted;
        while at > 0 && slots[at - 1].hash > slots[at].hash {
            slots.swap(at - 1, at);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::FnvState;

    #[test]
    fn token_ids_compare_as_their_bytes_would() {
        let ids =
            ["", "#", "a", "a#", "a#1", "a#1#", "a1", "a1#1", "b", "\0", "\u{ff4e}", "\u{1f600}"];
        let indices = [0, 1, 2, 9, 10, 11, 19, 100, u32::MAX];
        for a in ids {
            for b in ids {
                for i in indices {
                    for j in indices {
                        let expected =
                            format!("{a}#{i}").as_bytes().cmp(format!("{b}#{j}").as_bytes());
                        assert_eq!(cmp_token_ids((a, i), (b, j)), expected, "{a:?}#{i} {b:?}#{j}");
                    }
                }
            }
        }
    }

    #[test]
    fn slots_sort_by_hash_whether_spread_or_crowded() {
        for (count, cut) in
            [(0, 0), (1, 0), (511, 0), (512, 0), (5_000, 0), (5_000, 56), (5_000, 64)]
        {
            let mut state = FnvState::new();
            let mut slots: Vec<Slot> = (0..count)
                .map(|index| {
                    state = state.write(b"x");
                    let hash = state.finish().checked_shr(cut).unwrap_or(0);
                    Slot { hash, node: 0, index }
                })
                .collect();
            let mut expected = slots.clone();
            expected.sort_by_key(|slot| slot.hash);
            sort_by_hash(&mut slots);
            let hashes = |slots: &[Slot]| slots.iter().map(|slot| slot.hash).collect::<Vec<_>>();
            assert_eq!(hashes(&slots), hashes(&expected), "{count} slots, {cut} bits cut");
            slots.sort_by_key(|slot| slot.index);
            assert!(slots.iter().map(|slot| slot.index).eq(0..count), "a slot was lost");
        }
    }
}
