//! What a lookup costs when the ring is not where the processor wants it: after something else used the caches, and after
//! the ring was rebuilt.
//!
//! A warm figure is the cost of a program that does nothing but look keys up. Here each round looks [`LOOKUPS`] keys up
//! three times, keys fresh each time: **cold**, after a block larger than the caches was read; **warm**, right after that;
//! **rebuilt**, right after the ring was built anew in fresh memory. The time of a pass is taken as a whole.

use ring_core::{Hash64, HashRing, TokenStore};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::experiments::lookup;
use crate::measure::{fold, timed};
use crate::subject::built;
use crate::workload::Membership;

/// Lookups of a pass: few, so that most of them find the ring as the pass found it.
pub const LOOKUPS: usize = 256;

/// Bytes that are read to empty the caches: several times a third-level cache's part of one processor.
const BLOCK: usize = 64 << 20;

/// The nanoseconds of each pass, in the order of the rounds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Passes {
    /// After the caches were emptied.
    pub cold: Vec<u64>,
    /// Right after that.
    pub warm: Vec<u64>,
    /// After the ring was built anew.
    pub rebuilt: Vec<u64>,
    /// Checksum over all answers, equal for backends that agree.
    pub checksum: u64,
}

/// Runs this many rounds.
///
/// # Errors
///
/// A usage error where the ring cannot be built.
pub fn run<S: TokenStore, H: Hash64 + Clone>(
    membership: &Membership,
    hash: &H,
    corpus: &Corpus,
    rounds: usize,
) -> Result<Passes, BenchError> {
    let mut passes = Passes::default();
    let mut ring: HashRing<S, H> = built(membership, hash.clone())?;
    let block = vec![1_u8; BLOCK];
    let mut at = 0;
    let mut pass = |ring: &HashRing<S, H>, times: &mut Vec<u64>, checksum: &mut u64| {
        let (ns, sum) = timed(|| lookup::get(ring, corpus, at, LOOKUPS));
        at += LOOKUPS;
        times.push(ns);
        *checksum = fold(*checksum, sum);
    };
    for _ in 0..rounds {
        // A byte of each line is enough to bring the line in.
        let read: u64 = block.iter().step_by(64).map(|byte| u64::from(*byte)).sum();
        std::hint::black_box(read);
        pass(&ring, &mut passes.cold, &mut passes.checksum);
        pass(&ring, &mut passes.warm, &mut passes.checksum);
        ring = built(membership, hash.clone())?;
        pass(&ring, &mut passes.rebuilt, &mut passes.checksum);
    }
    Ok(passes)
}

#[cfg(test)]
mod tests {
    use ring_btree::BTreeStore;
    use ring_core::Fnv1aFmix64;
    use ring_sortedvec::SortedVecStore;

    use super::*;
    use crate::corpus::{CorpusSpec, Target};
    use crate::workload::Weights;

    #[test]
    fn both_backends_answer_alike_in_every_regime() {
        let membership = Membership::new(10, 20, Weights::Equal, 3);
        let target = Target { membership: &membership, hash_name: "", hash: &|_| 0 };
        let spec = CorpusSpec { keys: "uniform".parse().unwrap(), count: Some(5_000), seed: 7 };
        let corpus = Corpus::generate(&spec, &target).unwrap();
        let vector = run::<SortedVecStore, _>(&membership, &Fnv1aFmix64, &corpus, 3).unwrap();
        let tree = run::<BTreeStore, _>(&membership, &Fnv1aFmix64, &corpus, 3).unwrap();
        assert_eq!(vector.checksum, tree.checksum);
        for passes in [&vector.cold, &vector.warm, &vector.rebuilt, &tree.cold] {
            assert_eq!(passes.len(), 3);
        }
    }
}
