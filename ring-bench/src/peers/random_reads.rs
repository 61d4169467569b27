//! Reference kernels: one random read in an array of the ring's footprint, and two of which the second needs the first.
//!
//! The array has as many bytes as the ring holds, so it lies in the same cache. A search that goes straight to its place
//! reads twice: the directory, then the tokens.

use ring_core::{Fnv1aFmix64, Hash64 as _};

use super::cluster::Cluster;
use super::{Changes, Peer};
use crate::error::BenchError;
use crate::seeded::Stream;

/// An array of random words.
pub(crate) struct RandomReads<const READS: usize> {
    words: Vec<u64>,
}

impl<const READS: usize> RandomReads<READS> {
    /// The word at the place that `hash` points to: each is equally likely, and finding it costs one multiplication.
    #[inline]
    fn read(&self, hash: u64) -> u64 {
        let place = (u128::from(hash) * self.words.len() as u128) >> 64;
        self.words[usize::try_from(place).unwrap_or(0)]
    }
}

impl<const READS: usize> Peer for RandomReads<READS> {
    const CHANGES: Changes = Changes::None;
    const SEARCHES: bool = true;
    const OWNS: bool = false;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let mut stream = Stream::new(cluster.footprint as u64, "peers/random-reads");
        let words = (cluster.footprint / size_of::<u64>()).max(1);
        Ok(Self { words: (0..words).map(|_| stream.word()).collect() })
    }

    fn tokens(&self) -> usize {
        self.words.len()
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.search(Self::hash(key))
    }

    #[inline]
    fn search(&self, hash: u64) -> u64 {
        // Each word is random, so where the next read goes cannot be known before the one before it is there.
        (0..READS).fold(hash, |at, _| self.read(at))
    }

    fn hash(key: &str) -> u64 {
        Fnv1aFmix64.hash64(key.as_bytes())
    }
}
