//! The order of tokens against the bytes of their ids, written out.

use core::cell::RefCell;
use core::cmp::Ordering;

use arbitrary::{Arbitrary, Unstructured};
use ring_btree::BTreeRing;
use ring_core::conformance::TestHash;
use ring_core::{HashRing, Ring, Slot, TokenOrder, TokenStore};
use ring_sortedvec::SortedVecRing;

use crate::id::Id;
use crate::until_empty;

/// A few tokens that may share a hash.
#[derive(Debug)]
struct Input {
    ids: [Id; 3],
    weights: [u8; 3],
    tokens: Vec<(Place, u8, Index)>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let (ids, weights) = (u.arbitrary()?, u.arbitrary()?);
        Ok(Self { ids, weights, tokens: until_empty(u, 16)? })
    }
}

/// Hashes that are often equal.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Place {
    Zero,
    One,
    Half,
    Last,
    Any(u64),
}

impl Place {
    fn hash(self) -> u64 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
            Self::Half => 1 << 63,
            Self::Last => u64::MAX,
            Self::Any(hash) => hash,
        }
    }
}

/// Token indices whose decimal forms are prefixes of one another, or any.
#[derive(Clone, Copy, Debug)]
struct Index(u32);

impl<'a> Arbitrary<'a> for Index {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let digits = u.int_in_range(0..=9)?;
        Ok(Self(match u.int_in_range(0..=2)? {
            0 => u.arbitrary::<u32>()? / 10_u32.pow(digits),
            // Around the places where a digit is added, and at the end.
            1 => 10_u32.pow(digits) - 1 + u.int_in_range(0..=12)?,
            _ => u32::MAX - u.int_in_range(0..=12)?,
        }))
    }
}

/// Compares the library's order of these tokens with that of the written ids.
///
/// # Panics
///
/// Where the library is wrong.
pub fn run(bytes: &[u8]) {
    let mut input = Unstructured::new(bytes);
    let Ok(input) = Input::arbitrary(&mut input) else { return };
    compare_any_indices(&input);
    compare_rings(&input);
}

/// Any index, far beyond what a ring could hold: asked of the `TokenOrder` that a store is handed.
fn compare_any_indices(input: &Input) {
    let hash = TestHash::constant(0);
    let Ok(mut ring) = HashRing::<Witness, TestHash>::with_hash(1, hash) else { return };
    // Under one name each: the second node of an id is the first.
    let mut ids: Vec<&str> = Vec::new();
    for Id(id) in &input.ids {
        if !ids.contains(&id.as_str()) {
            ids.push(id);
        }
    }
    NODES.take();
    for id in &ids {
        assert_eq!(ring.add_node(id, 1), Ok(()));
    }
    // The nodes' numbers came one by one, in the order of the adds.
    let numbers = NODES.take();
    assert_eq!(numbers.len(), ids.len());
    let tokens: Vec<(Slot, Vec<u8>)> = input
        .tokens
        .iter()
        .map(|&(place, node, Index(index))| {
            let at = usize::from(node) % ids.len();
            let slot = Slot { hash: place.hash(), node: numbers[at], index };
            (slot, format!("{}#{index}", ids[at]).into_bytes())
        })
        .collect();
    QUESTIONS.set(tokens);
    // Any change hands out the order once more.
    assert_eq!(ring.set_weight(ids[0], 2), Ok(()));
    QUESTIONS.take();
}

thread_local! {
    /// Node numbers in the order in which they first came.
    static NODES: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    /// Tokens, and their ids as bytes, to be compared when the next change comes.
    static QUESTIONS: RefCell<Vec<(Slot, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
}

/// A store that keeps nothing but asks the order that it is handed.
#[derive(Clone, Default)]
struct Witness;

impl TokenStore for Witness {
    type Walk<'a> = core::iter::Empty<Slot>;

    fn token_count(&self) -> usize {
        0
    }

    fn node_at_or_after(&self, _: u64) -> Option<u32> {
        None
    }

    fn walk(&self, _: u64) -> Self::Walk<'_> {
        core::iter::empty()
    }

    fn splice(&mut self, _: &[Slot], inserted: Vec<Slot>, order: TokenOrder<'_>) {
        NODES.with_borrow_mut(|nodes| nodes.extend(inserted.iter().map(|slot| slot.node)));
        QUESTIONS.with_borrow(|questions| {
            for (a, a_id) in questions {
                for (b, b_id) in questions {
                    let ids = a_id.cmp(b_id);
                    assert_eq!(order.cmp_ids(a, b), ids, "{a:?} {a_id:?}, {b:?} {b_id:?}");
                    let due = a.hash.cmp(&b.hash).then(ids);
                    assert_eq!(order.cmp(a, b), due, "{a:?} {a_id:?}, {b:?} {b_id:?}");
                    assert_eq!(due == Ordering::Equal, a == b, "{a:?}, {b:?}");
                }
            }
        });
    }
}

/// Rings with every token at one hash: nothing but the ids orders them.
fn compare_rings(input: &Input) {
    let hash = input.tokens.first().map_or(0, |(place, ..)| place.hash());
    let Ok(mut vector) = SortedVecRing::with_hash(1, TestHash::constant(hash)) else { return };
    let Ok(mut tree) = BTreeRing::with_hash(1, TestHash::constant(hash)) else { return };
    let mut due = Vec::new();
    for (Id(id), weight) in input.ids.iter().zip(input.weights) {
        let weight = u32::from(weight) + 1;
        let added = vector.add_node(id, weight);
        assert_eq!(added, tree.add_node(id, weight));
        if added.is_ok() {
            due.extend((0..weight).map(|index| format!("{id}#{index}")));
        }
    }
    due.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    let ids = |tokens: &mut dyn Iterator<Item = String>| tokens.collect::<Vec<_>>();
    assert_eq!(ids(&mut vector.tokens().map(|token| token.token_id())), due, "sorted vector");
    assert_eq!(ids(&mut tree.tokens().map(|token| token.token_id())), due, "tree");
}
