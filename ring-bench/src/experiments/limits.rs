//! Where consistent hashing stops helping, each shown by a run.
//!
//! - A **hot key** has one owner, whatever V is, and so does the top of a **Zipf** load.
//! - A **hash without avalanche** (FNV-1a without its finaliser, over `node-i#j`) leaves the tokens of similar ids close
//!   together, and V buys little.
//! - An **adversary** who knows an unkeyed hash picks node ids that shadow each other, or keys that all have one owner.

use std::collections::BTreeMap;

use ring_core::{Hash64, HashRing, Ring, shares};
use ring_sortedvec::SortedVecStore;

use crate::corpus::{Corpus, CorpusSpec, Keys, Target};
use crate::error::BenchError;
use crate::hashes::AnyHash;
use crate::record::ExactFigure;
use crate::stats::{real, real_len};
use crate::subject::built;
use crate::workload::{Membership, Weights};

/// Nodes of every ring here.
const NODES: usize = 100;
/// Keys that are looked up.
const KEYS: usize = 100_000;

/// Two node ids whose FNV-1a states agree, so that all their tokens have the same hashes.
const COLLIDING: [&str; 2] = ["node-b60q8m41dwp", "node-ryw353ea3uk"];

/// FNV-1a without the finaliser: what many libraries use, and what the default hash is without its last step.
#[derive(Debug, Clone, Copy)]
struct PlainFnv;

impl Hash64 for PlainFnv {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xCBF2_9CE4_8422_2325, |state: u64, byte| {
            (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        })
    }

    fn name(&self) -> &'static str {
        "fnv1a64-plain"
    }
}

/// The figures of all limits. Equal seeds give equal figures on every machine.
///
/// # Errors
///
/// None in practice: the cases can be built.
pub fn run(seed: u64) -> Result<Vec<ExactFigure>, BenchError> {
    let mut figures = popularity(seed)?;
    figures.extend(avalanche(seed)?);
    figures.extend(adversary(seed)?);
    Ok(figures)
}

fn default_hash() -> Result<AnyHash, BenchError> {
    AnyHash::named(AnyHash::NAMES[0], None)
}

fn keyed_hash() -> Result<AnyHash, BenchError> {
    AnyHash::named("siphash-1-3", Some(*b"ring-bench secre"))
}

fn corpus(
    keys: Keys,
    membership: &Membership,
    hash: AnyHash,
    seed: u64,
) -> Result<Corpus, BenchError> {
    let target = Target { membership, hash_name: hash.name(), hash: &|bytes| hash.hash64(bytes) };
    Corpus::generate(&CorpusSpec { keys, count: Some(KEYS), seed }, &target)
}

/// The part of the keys that the fullest node has.
fn top_node<R: Ring>(ring: &R, corpus: &Corpus) -> f64 {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for owner in corpus.keys(0..corpus.len()).filter_map(|key| ring.get_node(key)) {
        *counts.entry(owner).or_insert(0) += 1;
    }
    real(counts.values().copied().max().unwrap_or(0)) / real_len(corpus.len())
}

/// The part of the keys that are the most frequent one.
fn top_key(corpus: &Corpus) -> f64 {
    let mut counts: BTreeMap<&[u8], u64> = BTreeMap::new();
    for key in corpus.keys(0..corpus.len()) {
        *counts.entry(key).or_insert(0) += 1;
    }
    real(counts.values().copied().max().unwrap_or(0)) / real_len(corpus.len())
}

/// More tokens even out the space, not the popularity of keys.
fn popularity(seed: u64) -> Result<Vec<ExactFigure>, BenchError> {
    let hash = default_hash()?;
    let mut figures = Vec::new();
    for keys in [Keys::Uniform(16), Keys::Zipf(990), Keys::Zipf(1_200), Keys::Hot(1)] {
        for vnodes in [10, 100, 1_000] {
            let membership = Membership::new(NODES, vnodes, Weights::Equal, seed);
            let ring: HashRing<SortedVecStore, _> = built(&membership, hash)?;
            let corpus = corpus(keys.clone(), &membership, hash, seed)?;
            let case = format!("{keys} on {NODES}x{vnodes}");
            figures.push(ExactFigure::new("popularity", &*case, "top_key", top_key(&corpus)));
            figures.push(ExactFigure::new(
                "popularity",
                &*case,
                "top_node",
                top_node(&ring, &corpus),
            ));
            figures.push(ExactFigure::new(
                "popularity",
                &*case,
                "even_part",
                1.0 / real_len(NODES),
            ));
        }
    }
    Ok(figures)
}

/// The same ids under the default hash, and under it without its finaliser.
fn avalanche(seed: u64) -> Result<Vec<ExactFigure>, BenchError> {
    let mut figures = Vec::new();
    for vnodes in [10, 100, 1_000] {
        let mut membership = Membership::new(0, vnodes, Weights::Equal, seed);
        membership.nodes = (0..NODES).map(|i| (format!("node-{i}"), 1)).collect();
        let plain: HashRing<SortedVecStore, _> = built(&membership, PlainFnv)?;
        let mixed: HashRing<SortedVecStore, _> = built(&membership, default_hash()?)?;
        evenness(&mut figures, "fnv1a64-plain", vnodes, &plain);
        evenness(&mut figures, "fnv1a64-fmix64", vnodes, &mixed);
    }
    Ok(figures)
}

fn evenness<R: Ring>(figures: &mut Vec<ExactFigure>, hash: &str, vnodes: u32, ring: &R) {
    let ratios: Vec<f64> = shares(ring).iter().map(|s| s.share / s.expected).collect();
    let squares: f64 = ratios.iter().map(|ratio| (ratio - 1.0).powi(2)).sum();
    let case = format!("{hash} on {NODES}x{vnodes}");
    let mut push = |measure, value: f64| {
        figures.push(ExactFigure::new("avalanche", &*case, measure, value));
    };
    push("max_over_mean", ratios.iter().copied().fold(0.0, f64::max));
    push("min_over_mean", ratios.iter().copied().fold(f64::INFINITY, f64::min));
    push("cv", (squares / real_len(ratios.len())).sqrt());
}

/// What somebody can do who knows the hash, and what a secret changes.
fn adversary(seed: u64) -> Result<Vec<ExactFigure>, BenchError> {
    let mut figures = Vec::new();
    let unkeyed = default_hash()?;
    let mut membership = Membership::new(NODES, 100, Weights::Equal, seed);
    let keys = corpus(Keys::OneArc, &membership, unkeyed, seed)?;
    for hash in [unkeyed, keyed_hash()?] {
        let ring: HashRing<SortedVecStore, _> = built(&membership, hash)?;
        let case = format!("keys aimed at one arc, {}", hash.name());
        figures.push(ExactFigure::new("adversary", case, "top_node", top_node(&ring, &keys)));
    }
    membership.nodes.extend(COLLIDING.map(|id| (id.to_owned(), 1)));
    for hash in [unkeyed, keyed_hash()?] {
        let ring: HashRing<SortedVecStore, _> = built(&membership, hash)?;
        let case = format!("node ids that collide, {}", hash.name());
        let share = |id: &str| {
            shares(&ring).iter().find(|s| s.id == id).map_or(0.0, |s| s.share / s.expected)
        };
        figures.push(ExactFigure::new(
            "adversary",
            &*case,
            "first_over_expected",
            share(COLLIDING[0]),
        ));
        figures.push(ExactFigure::new(
            "adversary",
            &*case,
            "second_over_expected",
            share(COLLIDING[1]),
        ));
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_shows() {
        let figures = run(3).unwrap();
        let of = |case: &str, measure: &str| -> f64 {
            let found = figures.iter().find(|f| f.case == case && f.measure == measure);
            found.unwrap_or_else(|| panic!("{case} {measure}")).value.parse().unwrap()
        };
        let near = |value: f64, expected: f64| (value - expected).abs() < 1e-12;
        for vnodes in [10, 100, 1_000] {
            assert!(near(of(&format!("hot(1) on 100x{vnodes}"), "top_node"), 1.0));
            let zipf = format!("zipf(1.2) on 100x{vnodes}");
            assert!(of(&zipf, "top_node") >= of(&zipf, "top_key"));
            assert!(of(&zipf, "top_key") > 0.1);
        }
        // Evenly popular keys do get more even with V.
        assert!(
            of("uniform(16) on 100x1000", "top_node") < of("uniform(16) on 100x10", "top_node")
        );
        assert!(of("fnv1a64-plain on 100x100", "cv") > 2.0 * of("fnv1a64-fmix64 on 100x100", "cv"));
        assert!(near(of("keys aimed at one arc, fnv1a64-fmix64", "top_node"), 1.0));
        assert!(of("keys aimed at one arc, siphash-1-3", "top_node") < 0.1);
        assert!(near(of("node ids that collide, fnv1a64-fmix64", "second_over_expected"), 0.0));
        assert!(of("node ids that collide, siphash-1-3", "second_over_expected") > 0.5);
    }
}
