//! What a lookup costs: the passes that are timed.
//!
//! A pass looks `count` keys up, from place `start` of the corpus on and round again, and returns a checksum over the
//! answers. Search only starts from hashes, end to end from bytes. In a pass of independent lookups the processor
//! overlaps several; in a chain the place of the next key depends on the answer before, so that each waits. Both are
//! true of some program, so both are measured.
//!
//! None of the passes is inlined: a profile or a call-count tool then finds each by its name.

use ring_core::{Ring, RingReader};

use crate::corpus::{Corpus, runs};
use crate::measure::{answer, fold};
use crate::routine::REPLICAS;

/// Keys of one call in [`get_batch`].
pub const BATCH_KEYS: usize = 256;

/// How far a chain goes on after this answer: one or two places, and the processor cannot tell which.
#[inline]
fn stride(answer: u64) -> usize {
    if answer >> 56 & 1 == 0 { 1 } else { 2 }
}

/// Independent searches among given hashes.
#[inline(never)]
pub fn search<R: Ring>(ring: &R, hashes: &[u64], start: usize, count: usize) -> u64 {
    let mut sum = 0;
    for run in runs(hashes.len(), start, count) {
        for &hash in &hashes[run] {
            sum = fold(sum, answer(ring.owner_at(hash)));
        }
    }
    sum
}

/// Searches that wait for one another.
#[inline(never)]
pub fn search_chain<R: Ring>(ring: &R, hashes: &[u64], start: usize, count: usize) -> u64 {
    let mut sum = 0;
    let mut at = start % hashes.len().max(1);
    for _ in 0..count {
        let owner = answer(ring.owner_at(hashes[at]));
        sum = fold(sum, owner);
        at += stride(owner);
        if at >= hashes.len() {
            at %= hashes.len();
        }
    }
    sum
}

/// Independent lookups of keys.
#[inline(never)]
pub fn get<R: Ring>(ring: &R, corpus: &Corpus, start: usize, count: usize) -> u64 {
    let mut sum = 0;
    for run in corpus.runs(start, count) {
        for key in corpus.keys(run) {
            sum = fold(sum, answer(ring.get_node(key)));
        }
    }
    sum
}

/// Lookups of keys that wait for one another.
#[inline(never)]
pub fn get_chain<R: Ring>(ring: &R, corpus: &Corpus, start: usize, count: usize) -> u64 {
    let mut sum = 0;
    let mut at = start % corpus.len();
    for _ in 0..count {
        let owner = answer(ring.get_node(corpus.key(at)));
        sum = fold(sum, owner);
        at += stride(owner);
        if at >= corpus.len() {
            at %= corpus.len();
        }
    }
    sum
}

/// Lookups of [`BATCH_KEYS`] keys a call. Gathering the keys of a call is part of the time.
#[inline(never)]
pub fn get_batch<R: Ring>(ring: &R, corpus: &Corpus, start: usize, count: usize) -> u64 {
    let mut keys: Vec<&[u8]> = Vec::with_capacity(BATCH_KEYS);
    let mut owners: Vec<Option<&str>> = Vec::with_capacity(BATCH_KEYS);
    let mut sum = 0;
    for run in corpus.runs(start, count) {
        let end = run.end;
        for first in run.step_by(BATCH_KEYS) {
            keys.clear();
            keys.extend(corpus.keys(first..end.min(first + BATCH_KEYS)));
            owners.clear();
            ring.get_node_batch(&keys, &mut owners);
            sum = owners.iter().fold(sum, |sum, owner| fold(sum, answer(*owner)));
        }
    }
    sum
}

/// Independent lookups through a handle on a shared ring, which looks each time whether the ring was changed.
#[inline(never)]
pub fn get_shared<R: Ring>(
    reader: &mut RingReader<'_, R>,
    corpus: &Corpus,
    start: usize,
    count: usize,
) -> u64 {
    let mut sum = 0;
    for run in corpus.runs(start, count) {
        for key in corpus.keys(run) {
            sum = fold(sum, answer(reader.load().get_node(key)));
        }
    }
    sum
}

/// Replica sets of [`REPLICAS`] nodes.
#[inline(never)]
pub fn replicas<R: Ring>(ring: &R, corpus: &Corpus, start: usize, count: usize) -> u64 {
    let mut sum = 0;
    for run in corpus.runs(start, count) {
        for key in corpus.keys(run) {
            let set = ring.get_replicas(key, REPLICAS);
            sum = set.nodes().iter().fold(sum, |sum, node| fold(sum, answer(Some(node))));
            sum = fold(sum, set.shortfall() as u64);
        }
    }
    sum
}
