//! Everything that a ring says about itself and about keys, in a form that can be compared.

use std::collections::{BTreeMap, BTreeSet};

use ring_core::{Hash64, Ring, Token, shares};

use super::program::Program;
use crate::hash::CutHash;

/// What a ring answers to lookups.
#[derive(Debug, PartialEq)]
pub(super) struct Answers {
    keys: Vec<KeyAnswers>,
    batch: Vec<Option<String>>,
    hashes: Vec<Option<String>>,
}

#[derive(Debug, PartialEq)]
struct KeyAnswers {
    owner: Option<String>,
    replicas: Vec<(Vec<String>, usize)>,
    lazy: Vec<String>,
    walk: Vec<Seen>,
}

impl Answers {
    /// Asks for each of `keys`, for sets of `r` replicas and of all sizes around the node count.
    pub(super) fn of<R: Ring>(ring: &R, keys: &[&[u8]], r: usize) -> Self {
        // Over one round of a batch, which takes 64 at once.
        let many: Vec<&[u8]> = keys.iter().copied().cycle().take(35 * keys.len()).collect();
        let earlier = Some("stood there before");
        let mut batch = vec![earlier];
        ring.get_node_batch(&many, &mut batch);
        let hashes: Vec<u64> = many.iter().map(|key| ring.hasher().hash64(key)).collect();
        let mut by_hash = vec![earlier];
        ring.owners_at(&hashes, &mut by_hash);
        assert_eq!(batch, by_hash);
        let single = many.iter().map(|key| ring.get_node(key));
        assert!(batch.iter().copied().eq([earlier].into_iter().chain(single)), "{batch:?}");
        Self {
            keys: keys.iter().map(|key| KeyAnswers::of(ring, key, r)).collect(),
            batch: owned(batch),
            hashes: owned(by_hash),
        }
    }
}

fn owned(ids: Vec<Option<&str>>) -> Vec<Option<String>> {
    ids.into_iter().map(|id| id.map(str::to_owned)).collect()
}

fn texts<'a>(ids: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    ids.into_iter().map(str::to_owned).collect()
}

impl KeyAnswers {
    fn of<R: Ring>(ring: &R, key: &[u8], r: usize) -> Self {
        let hash = ring.hasher().hash64(key);
        let nodes = ring.node_count();
        let mut replicas = Vec::new();
        for r in [0, 1, 2, 3, nodes.saturating_sub(1), nodes, nodes + 1, r, usize::MAX] {
            let set = ring.get_replicas(key, r);
            assert_eq!(set, ring.replicas_at(hash, r));
            assert_eq!(set.nodes().len() + set.shortfall(), r);
            replicas.push((texts(set.nodes().iter().copied()), set.shortfall()));
        }

        let mut lazy = ring.replicas(key);
        let all = texts(lazy.clone());
        assert!(all.len() <= lazy.size_hint().1.unwrap_or(usize::MAX));
        assert!(all.iter().eq(&replicas[replicas.len() - 1].0), "lazy {all:?}, set {replicas:?}");
        // A clone taken on the way goes on from there, and the end is the end.
        let first = lazy.next().map(str::to_owned);
        assert_eq!(first, all.first().cloned());
        let rest = texts(lazy.clone());
        assert_eq!(rest, all[usize::from(first.is_some())..]);
        assert_eq!(lazy.by_ref().count(), rest.len());
        assert_eq!((lazy.next(), lazy.next()), (None, None));

        let owner = ring.get_node(key).map(str::to_owned);
        assert_eq!(owner.as_deref(), ring.owner_at(hash));
        assert_eq!(owner, first);
        Self { owner, replicas, lazy: all, walk: walked(ring, hash) }
    }
}

/// A token as `(hash, rank of its node in id order, index)`.
type Seen = (u64, usize, u32);

/// The walk from `hash`; one token too many shows where it does not end.
fn walked<R: Ring>(ring: &R, hash: u64) -> Vec<Seen> {
    let walk = ring.walk(hash);
    let (low, high) = walk.size_hint();
    let tokens: Vec<Token<'_>> = walk.take(ring.token_count() + 1).collect();
    assert!(low <= tokens.len() && high.is_none_or(|high| tokens.len() <= high));
    assert_eq!(tokens.len(), ring.token_count());
    // Ids are compared once a node, not once a token: libFuzzer looks into every comparison of
    // bytes, which would take most of the time.
    let ids: Vec<&str> = ring.nodes().map(|node| node.id()).collect();
    let mut ranks = BTreeMap::new();
    let seen = tokens
        .iter()
        .map(|token| {
            let (id, rank) = *ranks.entry(token.node()).or_insert_with(|| {
                let rank = ids.binary_search(&token.node_id());
                (token.node_id(), rank.expect("a token belongs to a registered node"))
            });
            // One number, one node.
            assert!(core::ptr::eq(id, token.node_id()), "{id:?}, {token:?}");
            (token.hash(), rank, token.index())
        })
        .collect();
    // One node, one number.
    let distinct: BTreeSet<usize> = ranks.values().map(|&(_, rank)| rank).collect();
    assert_eq!(distinct.len(), ranks.len());
    seen
}

/// Compares all that two rings show of themselves.
pub(super) fn assert_same_state<A, B>(ring: &A, reference: &B, program: &Program)
where
    A: Ring<Hash = CutHash>,
    B: Ring<Hash = CutHash>,
{
    assert_eq!(ring.vnodes_per_weight(), reference.vnodes_per_weight());
    assert_eq!(ring.token_limit(), reference.token_limit());
    assert_eq!(ring.node_count(), reference.node_count());
    assert_eq!(ring.token_count(), reference.token_count());
    assert_eq!(ring.is_empty(), reference.is_empty());
    assert!(ring.nodes().eq(reference.nodes()));
    for id in program.ids().chain(["", "nobody"]) {
        assert_eq!(ring.weight(id), reference.weight(id), "{id:?}");
    }
    assert_eq!(ring.fingerprint(), reference.fingerprint());
    assert_eq!(ring.snapshot(), reference.snapshot());
    assert_eq!(ring.snapshot().to_json(), reference.snapshot().to_json());
    assert_eq!(shares(ring), shares(reference));

    // Around some of the tokens, and at the ends and the middle of the hash space.
    let step = ring.token_count() / 6 + 1;
    let near = ring.tokens().step_by(step).flat_map(|token| {
        let hash = token.hash();
        [hash.wrapping_sub(1), hash, hash.wrapping_add(1)]
    });
    for hash in near.chain([0, 1, (1 << 63) - 1, 1 << 63, u64::MAX]) {
        assert_eq!(ring.owner_at(hash), reference.owner_at(hash), "at {hash:#x}");
        let (given, due) = (ring.replicas_at(hash, 3), reference.replicas_at(hash, 3));
        assert_eq!(given, due, "at {hash:#x}");
    }
    for hash in [0, 1 << 63, u64::MAX] {
        assert_eq!(walked(ring, hash), walked(reference, hash), "from {hash:#x}");
    }
}
