//! How many tokens a lookup compares: constant on average, and never more than a search by halves.

use ring_core::{Change, Fnv1aFmix64, Hash64, Ring};
use ring_sortedvec::SortedVecRing;

/// All hashes in the first 2^-24 of the space, closer together than the directory looks.
#[derive(Clone, Debug)]
struct OneArc;

impl Hash64 for OneArc {
    fn hash64(&self, bytes: &[u8]) -> u64 {
        Fnv1aFmix64.hash64(bytes) >> 24
    }

    fn name(&self) -> &'static str {
        "one-arc"
    }
}

/// The mean and the most that 10,000 lookups compare, in a ring of so many nodes of 100 tokens.
fn compared<H: Hash64>(hash: H, nodes: usize) -> (f64, usize) {
    let mut ring = SortedVecRing::with_hash(100, hash).expect("V is not 0");
    let adds: Vec<Change> = (0..nodes).map(|i| Change::add(format!("node-{i}"), 1)).collect();
    ring.apply(&adds).expect("the ids differ");
    let of = |i: u32| ring.probes_at(ring.hasher().hash64(format!("key-{i}").as_bytes()));
    let all: Vec<usize> = (0..10_000).filter_map(of).collect();
    assert_eq!(all.len(), 10_000);
    let sum: u32 = all.iter().map(|&probes| u32::try_from(probes).expect("few")).sum();
    (f64::from(sum) / 10_000.0, *all.iter().max().expect("there are some"))
}

#[test]
fn lookups_compare_three_tokens_whatever_the_size() {
    for nodes in [10, 100, 1_000] {
        let (mean, most) = compared(Fnv1aFmix64, nodes);
        assert!((3.0..3.1).contains(&mean), "{nodes} nodes: {mean}");
        assert!(most <= 3 + 12, "{nodes} nodes: {most}");
    }
}

#[test]
fn crowded_tokens_cost_a_search_by_halves() {
    for nodes in [10_usize, 100, 1_000] {
        let (mean, most) = compared(OneArc, nodes);
        // One search by halves, and one that doubles its steps and then halves them again.
        let halves = (nodes * 100).ilog2() as usize + 1;
        assert!(most <= 3 + 3 * halves, "{nodes} nodes: {most}");
        assert!(mean > 4.0, "{nodes} nodes: the tokens were not crowded, {mean}");
    }
}

#[test]
fn an_empty_ring_compares_nothing() {
    assert_eq!(compared(Fnv1aFmix64, 0), (0.0, 0));
}
