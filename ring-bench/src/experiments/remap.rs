//! What a change moves: exactly, in the hash space, and counted over the keys of a corpus.
//!
//! Nothing here owes anything to a clock. The moved part is a sum of arcs in whole numbers of 2^-64, keys are counted,
//! and equal flags give equal results on every machine.
//!
//! Beside each figure stands what no scheme can beat, the share that must change hands for every node to keep the part
//! that its weight asks for, and what the simplest scheme does, `hash % N`. There the nodes stand in a list in id order,
//! each as often as it weighs; a new node goes to the end, which is the kindest place, and a removed one's successors
//! close up.

use std::collections::BTreeMap;

use ring_core::{Change, Fnv1aFmix64, Hash64, Ring, diff, fraction};
use ring_sortedvec::{SortedVecRing, SortedVecStore};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::stats::real;
use crate::subject::built;
use crate::workload::Membership;

/// What one change moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remap {
    /// Nodes before the change.
    pub nodes: usize,
    /// Tokens per unit of weight.
    pub vnodes: u32,
    /// `add`, `remove` or `raise-weight`.
    pub change: String,
    /// Keys that were looked up before and after.
    pub keys_total: u64,
    /// Keys whose owner changed.
    pub keys_moved: u64,
    /// The hashes whose owner changed, of 2^64, in decimal.
    pub moved: String,
    /// The same as a part, 0 to 1.
    pub moved_fraction: f64,
    /// The part that has to move for the shares to follow the weights: no scheme can do with less.
    pub minimum_fraction: f64,
    /// Keys that `hash % N` would have moved.
    pub modulo_keys_moved: u64,
    /// Keys of the fullest node over keys of the emptiest, before; `null` where a node has none.
    pub keys_max_over_min_before: Option<f64>,
    /// The same after.
    pub keys_max_over_min_after: Option<f64>,
}

/// What the three changes move in a ring of `membership` under the default hash: one node more of weight 1, the middle
/// node gone, the middle node's weight one higher.
///
/// # Errors
///
/// A usage error where the ring has no node or cannot be built.
pub fn run(membership: &Membership, corpus: &Corpus) -> Result<Vec<Remap>, BenchError> {
    let Some((middle, weight)) = membership.nodes.get(membership.nodes.len() / 2) else {
        return Err(BenchError::usage(
            "remapping needs a ring with at least one node; this one has none",
        ));
    };
    let before: SortedVecRing = built::<SortedVecStore, _>(membership, Fnv1aFmix64)?;
    let hashes: Vec<u64> =
        corpus.keys(0..corpus.len()).map(|key| before.hasher().hash64(key)).collect();
    let heavier = weight.checked_add(1).ok_or_else(|| {
        BenchError::usage(format!("the weight of {middle} cannot be raised: it is {weight}"))
    })?;
    [
        ("add", Change::add("join-00000", 1)),
        ("remove", Change::remove(middle.as_str())),
        ("raise-weight", Change::set_weight(middle.as_str(), heavier)),
    ]
    .into_iter()
    .map(|(name, change)| one(membership, &before, &hashes, name, change))
    .collect()
}

fn one(
    membership: &Membership,
    before: &SortedVecRing,
    hashes: &[u64],
    name: &str,
    change: Change,
) -> Result<Remap, BenchError> {
    let refused = |e| BenchError::usage(format!("the change {name} is refused: {e}"));
    let mut after = before.clone();
    let listed = modulo_list(membership, None);
    let listed_after = modulo_list(membership, Some(&change));
    let minimum_fraction = minimum(membership, &change);
    after.apply(&[change]).map_err(refused)?;
    let moved = diff(before, &after).map_err(refused)?.moved();
    let count = |is_moved: &dyn Fn(u64) -> bool| {
        hashes.iter().filter(|&&hash| is_moved(hash)).count() as u64
    };
    Ok(Remap {
        nodes: membership.nodes.len(),
        vnodes: membership.vnodes,
        change: name.to_owned(),
        keys_total: hashes.len() as u64,
        keys_moved: count(&|hash| before.owner_at(hash) != after.owner_at(hash)),
        moved: moved.to_string(),
        moved_fraction: fraction(moved),
        minimum_fraction,
        modulo_keys_moved: count(&|hash| modulo(&listed, hash) != modulo(&listed_after, hash)),
        keys_max_over_min_before: max_over_min(before, hashes),
        keys_max_over_min_after: max_over_min(&after, hashes),
    })
}

/// The part of the space that changes hands even in a scheme that keeps every share exact.
fn minimum(membership: &Membership, change: &Change) -> f64 {
    let total = real(membership.total_weight());
    let weight_of = |id: &str| {
        membership
            .nodes
            .iter()
            .find(|(node, _)| node == id)
            .map_or(0.0, |(_, weight)| f64::from(*weight))
    };
    match change {
        Change::Add { weight, .. } => f64::from(*weight) / (total + f64::from(*weight)),
        Change::Remove { id } => weight_of(id) / total,
        // From w/T to w'/(T + w' − w): what the node gains, the others lose.
        Change::SetWeight { id, weight } => {
            let (old, new) = (weight_of(id), f64::from(*weight));
            (new / (total + new - old) - old / total).abs()
        }
    }
}

/// The list that `hash % N` picks from, with a change made to it or not.
fn modulo_list(membership: &Membership, change: Option<&Change>) -> Vec<String> {
    let mut nodes = membership.nodes.clone();
    match change {
        None => {}
        Some(Change::Add { id, weight }) => nodes.push((id.clone(), *weight)),
        Some(Change::Remove { id }) => nodes.retain(|(node, _)| node != id),
        Some(Change::SetWeight { id, weight }) => {
            nodes.iter_mut().filter(|(node, _)| node == id).for_each(|(_, old)| *old = *weight);
        }
    }
    nodes.iter().flat_map(|(id, weight)| (0..*weight).map(move |_| id.clone())).collect()
}

/// The node that `hash % N` picks.
fn modulo(list: &[String], hash: u64) -> Option<&str> {
    let place = usize::try_from(hash.checked_rem(list.len() as u64)?).ok()?;
    list.get(place).map(String::as_str)
}

/// Keys of the fullest node over keys of the emptiest.
fn max_over_min<R: Ring>(ring: &R, hashes: &[u64]) -> Option<f64> {
    let mut counts: BTreeMap<&str, u64> = ring.nodes().map(|node| (node.id(), 0)).collect();
    for &hash in hashes {
        if let Some(count) = ring.owner_at(hash).and_then(|owner| counts.get_mut(owner)) {
            *count += 1;
        }
    }
    let (most, least) = (counts.values().max()?, counts.values().min()?);
    (*least > 0).then(|| real(*most) / real(*least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{CorpusSpec, Target};
    use crate::workload::Weights;

    fn keys(membership: &Membership, count: usize) -> Corpus {
        let target = Target { membership, hash_name: "", hash: &|bytes| Fnv1aFmix64.hash64(bytes) };
        let spec = CorpusSpec { keys: "uniform".parse().unwrap(), count: Some(count), seed: 7 };
        Corpus::generate(&spec, &target).unwrap()
    }

    #[test]
    fn figures_agree_with_a_count_made_another_way() {
        let membership = Membership::new(9, 30, Weights::UpTo(4), 7);
        let corpus = keys(&membership, 5_000);
        let rows = run(&membership, &corpus).unwrap();
        assert_eq!(rows.len(), 3);
        let mut before = SortedVecRing::new(30).unwrap();
        for (id, weight) in &membership.nodes {
            before.add_node(id, *weight).unwrap();
        }
        let mut after = before.clone();
        after.add_node("join-00000", 1).unwrap();
        let moved = corpus
            .keys(0..5_000)
            .filter(|&key| before.get_node(key) != after.get_node(key))
            .count() as u64;
        assert_eq!(rows[0].keys_moved, moved);
        let arc: u128 =
            ring_core::shares(&after).iter().find(|s| s.id == "join-00000").unwrap().arc;
        assert_eq!(rows[0].moved, arc.to_string());
        // What a removal moves is what the node owned.
        let middle = &membership.nodes[4].0;
        let arc: u128 = ring_core::shares(&before).iter().find(|s| s.id == middle).unwrap().arc;
        assert_eq!(rows[1].moved, arc.to_string());
    }

    #[test]
    fn keys_move_as_the_arcs_do_and_modulo_moves_nearly_all() {
        let membership = Membership::new(20, 100, Weights::Equal, 1);
        let corpus = keys(&membership, 40_000);
        for row in run(&membership, &corpus).unwrap() {
            let part = real(row.keys_moved) / real(row.keys_total);
            let deviation =
                (row.moved_fraction * (1.0 - row.moved_fraction) / real(row.keys_total)).sqrt();
            assert!((part - row.moved_fraction).abs() < 5.0 * deviation, "{row:?}");
            assert!(row.moved_fraction < 2.0 * row.minimum_fraction, "{row:?}");
            assert!(row.modulo_keys_moved > 5 * row.keys_moved, "{row:?}");
            assert!(row.keys_max_over_min_before.unwrap() > 1.0);
        }
    }

    #[test]
    fn minima_follow_the_weights() {
        let membership =
            Membership { nodes: vec![("a".to_owned(), 1), ("b".to_owned(), 3)], vnodes: 10 };
        let close =
            |change, expected: f64| (minimum(&membership, &change) - expected).abs() < 1e-12;
        assert!(close(Change::add("c", 1), 0.2));
        assert!(close(Change::remove("b"), 0.75));
        assert!(close(Change::set_weight("b", 6), 6.0 / 7.0 - 0.75));
        assert!(close(Change::set_weight("b", 1), 0.75 - 0.5));
    }

    #[test]
    fn modulo_picks_by_the_list() {
        let membership =
            Membership { nodes: vec![("a".to_owned(), 1), ("b".to_owned(), 2)], vnodes: 10 };
        assert_eq!(modulo_list(&membership, None), ["a", "b", "b"]);
        assert_eq!(modulo_list(&membership, Some(&Change::add("0", 1))), ["a", "b", "b", "0"]);
        assert_eq!(
            modulo_list(&membership, Some(&Change::set_weight("a", 2))),
            ["a", "a", "b", "b"]
        );
        let rest = modulo_list(&membership, Some(&Change::remove("b")));
        assert_eq!(modulo(&rest, 17), Some("a"));
        assert_eq!(modulo(&[], 17), None);
    }

    #[test]
    fn removing_the_only_node_moves_everything() {
        let membership = Membership::new(1, 10, Weights::Equal, 1);
        let rows = run(&membership, &keys(&membership, 50)).unwrap();
        assert_eq!(rows[1].moved, (1_u128 << 64).to_string());
        assert_eq!((rows[1].keys_moved, rows[1].modulo_keys_moved), (50, 50));
        assert_eq!(rows[1].keys_max_over_min_after, None);
        let none = Membership::new(0, 10, Weights::Equal, 1);
        assert_eq!(run(&none, &keys(&membership, 5)).unwrap_err().exit_code(), 2);
    }
}
