//! What a token costs: live bytes and allocations, by a counting allocator.
//!
//! A program has one allocator, and a second program beside `ring-bench` would not be there after `cargo run`. So the
//! counter is installed in this one (feature `count-allocations`, on by default), and it is *read* only in a process of
//! its own, which times nothing. In processes that do time, each allocation also adds to two counters. That was measured
//! beside the plain allocator, in turn, on a tree of 100,000 entries: no difference could be told in a clone and drop
//! (2.40 ms) or in 100 inserts and removals (8.1 µs); a small allocation with its release took 12.5 ns instead of
//! 11.5 ns. Whoever doubts it builds with `--no-default-features` and compares: all rows but memory remain.

use ring_core::{Change, Hash64, HashRing, Ring, TokenStore};

use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::experiments::lookup;
use crate::lockstep::protocol::{MemoryCount, SubjectSpec};
use crate::subject::{BackendTask, built, corpus_of, with_backend};
use crate::workload::Membership;

#[cfg(feature = "count-allocations")]
mod counter {
    use std::alloc::System;

    use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

    #[global_allocator]
    static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

    /// What all threads of this process have allocated so far.
    #[expect(clippy::unnecessary_wraps, reason = "without the feature there is nothing to read")]
    pub(super) fn read() -> Option<super::Counters> {
        let stats = ALLOCATOR.stats();
        Some(super::Counters {
            allocations: stats.allocations + stats.reallocations,
            // A reallocation counts with the difference of its sizes.
            requested: stats.bytes_allocated,
            released: stats.bytes_deallocated,
        })
    }
}

#[cfg(not(feature = "count-allocations"))]
mod counter {
    /// Nothing counts.
    pub(super) fn read() -> Option<super::Counters> {
        None
    }
}

/// Running totals of the allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counters {
    allocations: usize,
    requested: usize,
    released: usize,
}

/// What some work asked of the allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocated {
    /// Calls for new or larger memory.
    pub allocations: u64,
    /// Bytes that were asked for, those that were given back included.
    pub requested_bytes: u64,
    /// Bytes that are still held.
    pub live_bytes: u64,
}

/// Runs `work` and counts what it allocates; `None` where the program counts nothing.
///
/// Every thread counts, so nothing else may run meanwhile. A worker has one thread.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Option<Allocated>) {
    let before = counter::read();
    let result = work();
    let after = counter::read();
    let allocated = before.zip(after).map(|(before, after)| {
        let requested = after.requested - before.requested;
        Allocated {
            allocations: (after.allocations - before.allocations) as u64,
            requested_bytes: requested as u64,
            live_bytes: requested.saturating_sub(after.released - before.released) as u64,
        }
    });
    (result, allocated)
}

/// Lookups whose allocations are counted.
const LOOKUPS: usize = 10_000;

/// Counts what the subject of `spec` costs in memory; `None` where the program counts nothing.
///
/// The live bytes of a ring are everything it holds: tokens, directory or tree, node table, ids.
///
/// # Errors
///
/// As [`build`](crate::subject::build).
pub fn count(spec: &SubjectSpec) -> Result<Option<MemoryCount>, BenchError> {
    #[cfg(feature = "peers")]
    if crate::peers::knows(spec) {
        return crate::peers::count(spec);
    }
    let lookups = SubjectSpec {
        keys: spec.keys.map(|keys| keys.min(LOOKUPS)).or(Some(LOOKUPS)),
        ..spec.clone()
    };
    let task = Count { membership: spec.membership(), corpus: corpus_of(&lookups)? };
    with_backend(spec, task)
}

struct Count {
    membership: Membership,
    corpus: Corpus,
}

impl BackendTask for Count {
    type Output = Option<MemoryCount>;

    fn run<S, H>(self, hash: H) -> Result<Option<MemoryCount>, BenchError>
    where
        S: TokenStore + Send + Sync + 'static,
        H: Hash64 + Clone + Send + Sync + 'static,
    {
        let (bulk, bulk_bytes) = counted(|| built::<S, H>(&self.membership, hash.clone()));
        let bulk = bulk?;
        let (one_by_one, one_by_one_bytes) = counted(|| grown::<S, H>(&self.membership, hash));
        if one_by_one?.fingerprint() != bulk.fingerprint() {
            return Err(BenchError::AnswersDiffer(
                "a ring built node by node differs from one built in a batch".to_owned(),
            ));
        }
        let pass = || lookup::get(&bulk, &self.corpus, 0, LOOKUPS);
        let (_, lookup_allocations) = counted(pass);
        Ok(bulk_bytes.zip(one_by_one_bytes).zip(lookup_allocations).map(
            |((bulk_bytes, one_by_one), lookup)| MemoryCount {
                tokens: bulk.token_count() as u64,
                bulk_bytes: bulk_bytes.live_bytes,
                one_by_one_bytes: one_by_one.live_bytes,
                bulk_total_bytes: bulk_bytes.requested_bytes,
                lookup_allocations: lookup.allocations,
                lookups: LOOKUPS as u64,
            },
        ))
    }
}

/// Steps in which a ring is grown at the most. Each step of the sorted vector moves all tokens, so ten thousand of them in
/// a ring of a million tokens would take minutes; a thousand leave the tree as unevenly filled.
const STEPS: usize = 1_000;

/// The ring of `membership`, one call a node, or a thousandth of them where there are more.
fn grown<S: TokenStore, H: Hash64>(
    membership: &Membership,
    hash: H,
) -> Result<HashRing<S, H>, BenchError> {
    let refused =
        |e: ring_core::RingError| BenchError::failed(format!("a node could not be added: {e}"));
    let mut ring = HashRing::with_hash(membership.vnodes, hash).map_err(refused)?;
    for nodes in membership.nodes.chunks(membership.nodes.len().div_ceil(STEPS).max(1)) {
        match nodes {
            [(id, weight)] => ring.add_node(id, *weight).map_err(refused)?,
            many => {
                let changes: Vec<Change> =
                    many.iter().map(|(id, weight)| Change::add(id.as_str(), *weight)).collect();
                ring.apply(&changes).map_err(refused)?;
            }
        }
    }
    Ok(ring)
}
