//! `SharedRing` beyond what the suite asks of every backend: who frees, and what a panic leaves.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ring_core::conformance::{ReferenceNodes, ReferenceRing, ReferenceWalk};
use ring_core::{Change, Fnv1aFmix64, Ring, RingError, SharedRing};

/// A ring that writes down which thread frees it.
struct Recorded {
    ring: ReferenceRing,
    freed_on: Arc<Mutex<Vec<ThreadId>>>,
}

impl Recorded {
    fn new(vnodes_per_weight: u32) -> Self {
        let ring = ReferenceRing::new(vnodes_per_weight).expect("V is above 0");
        Self { ring, freed_on: Arc::default() }
    }

    fn frees(freed_on: &Mutex<Vec<ThreadId>>) -> Vec<ThreadId> {
        freed_on.lock().expect("no thread panics with the lock").clone()
    }
}

impl Clone for Recorded {
    fn clone(&self) -> Self {
        Self { ring: self.ring.clone(), freed_on: Arc::clone(&self.freed_on) }
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let mut freed_on = self.freed_on.lock().expect("no thread panics with the lock");
        freed_on.push(thread::current().id());
    }
}

impl Ring for Recorded {
    type Hash = Fnv1aFmix64;
    type Walk<'a> = ReferenceWalk<'a>;
    type Nodes<'a> = ReferenceNodes<'a>;

    fn vnodes_per_weight(&self) -> u32 {
        self.ring.vnodes_per_weight()
    }
    fn hasher(&self) -> &Fnv1aFmix64 {
        self.ring.hasher()
    }
    fn token_limit(&self) -> u32 {
        self.ring.token_limit()
    }
    fn set_token_limit(&mut self, limit: u32) -> Result<(), RingError> {
        self.ring.set_token_limit(limit)
    }
    fn node_count(&self) -> usize {
        self.ring.node_count()
    }
    fn token_count(&self) -> usize {
        self.ring.token_count()
    }
    fn weight(&self, id: &str) -> Option<u32> {
        self.ring.weight(id)
    }
    fn nodes(&self) -> ReferenceNodes<'_> {
        self.ring.nodes()
    }
    fn walk(&self, hash: u64) -> ReferenceWalk<'_> {
        self.ring.walk(hash)
    }
    fn apply(&mut self, changes: &[Change]) -> Result<(), RingError> {
        self.ring.apply(changes)
    }
}

/// Ends the readers' loops, also where the writer panics.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Four readers hold guards and handles across publications, in every way there is, while a writer
/// publishes. Every old ring is freed, and never by a reader.
#[test]
fn readers_free_nothing() {
    const PUBLISHED: usize = 300;
    let ring = Recorded::new(4);
    let freed_on = Arc::clone(&ring.freed_on);
    let shared = SharedRing::new(ring);
    let done = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    let readers = Mutex::new(BTreeSet::new());
    thread::scope(|scope| {
        for kind in 0..4 {
            let (shared, done, reads, readers) = (&shared, &done, &reads, &readers);
            scope.spawn(move || {
                let id = format!("{:?}", thread::current().id());
                readers.lock().expect("no thread panics with the lock").insert(id);
                let mut reader = shared.reader();
                let mut kept = Vec::new();
                while !done.load(Ordering::Acquire) {
                    match kind {
                        0 => drop(shared.load()),
                        // Guards outlive several publications, and die in another order.
                        1 => {
                            kept.push(shared.load());
                            if kept.len() == 12 {
                                kept.swap_remove(3);
                                kept.truncate(5);
                            }
                        }
                        2 => assert!(reader.load().node_count() <= 1),
                        // A handle that is cloned and dropped again and again.
                        _ => reader = reader.clone(),
                    }
                    reads.fetch_add(1, Ordering::Relaxed);
                    thread::yield_now();
                }
                drop(reader);
                drop(kept);
            });
        }
        scope.spawn(|| {
            let _ended = SetOnDrop(&done);
            for round in 0..PUBLISHED {
                let before = reads.load(Ordering::Relaxed);
                let change = |ring: &mut Recorded| {
                    if ring.is_empty() { ring.add_node("a", 1) } else { ring.set_weight("a", 2) }
                };
                assert_eq!(shared.update(change), Ok(()), "round {round}");
                // Let readers meet this ring, so that guards and publications interleave.
                while reads.load(Ordering::Relaxed) < before + 4 {
                    thread::yield_now();
                }
            }
        });
    });
    let left = shared.reclaim();
    assert_eq!(left, 0, "no reader is left, so nothing keeps an old ring");
    let frees = Recorded::frees(&freed_on);
    assert_eq!(frees.len(), PUBLISHED, "every ring that was replaced is freed, once");
    let readers = readers.into_inner().expect("no thread panics with the lock");
    assert_eq!(readers.len(), 4);
    let by_readers = frees.iter().filter(|id| readers.contains(&format!("{id:?}"))).count();
    assert_eq!(by_readers, 0, "frees on reader threads");
    drop(shared);
    assert_eq!(Recorded::frees(&freed_on).len(), PUBLISHED + 1);
}

/// A guard keeps its ring readable and unchanged, and in memory, until it is dropped; the next
/// change or `reclaim` then frees it.
#[test]
fn a_guard_keeps_its_ring() {
    let ring = Recorded::new(4);
    let freed_on = Arc::clone(&ring.freed_on);
    let shared = SharedRing::new(ring);
    assert_eq!(shared.update(|ring| ring.add_node("a", 1)), Ok(()));
    let guard = shared.load();
    let frees = Recorded::frees(&freed_on).len();
    for weight in 2..6 {
        assert_eq!(shared.update(|ring| ring.set_weight("a", weight)), Ok(()));
        assert_eq!(guard.weight("a"), Some(1));
    }
    assert_eq!(shared.load().weight("a"), Some(5));
    assert_eq!(shared.reclaim(), 1, "the ring under the guard");
    assert_eq!(Recorded::frees(&freed_on).len(), frees + 3);
    drop(guard);
    assert_eq!(Recorded::frees(&freed_on).len(), frees + 3, "dropping a guard frees nothing");
    assert_eq!(shared.reclaim(), 0);
    assert_eq!(Recorded::frees(&freed_on).len(), frees + 4);
}

/// Nodes `a`, `b` and `c` always change together. A reader that saw some of a batch would find
/// them at different weights.
#[test]
fn no_batch_is_seen_in_part() {
    let mut ring = ReferenceRing::new(4).expect("V is above 0");
    let adds = ["a", "b", "c"].map(|id| Change::add(id, 1));
    assert_eq!(ring.apply(&adds), Ok(()));
    let shared = SharedRing::new(ring);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut reader = shared.reader();
                let mut last = 0;
                while !done.load(Ordering::Acquire) {
                    let ring = reader.load();
                    let weights = ["a", "b", "c"].map(|id| ring.weight(id));
                    assert!(weights.iter().all(|weight| *weight == weights[0]), "{weights:?}");
                    assert_eq!(ring.token_count(), 12 * weights[0].unwrap_or(0) as usize);
                    // Later loads never see earlier rings.
                    let seen = weights[0].unwrap_or(0);
                    assert!(seen >= last, "{seen} after {last}");
                    last = seen;
                }
            });
        }
        scope.spawn(|| {
            let _ended = SetOnDrop(&done);
            for weight in 2..150 {
                let batch = ["c", "a", "b"].map(|id| Change::set_weight(id, weight));
                assert_eq!(shared.apply(&batch), Ok(()));
            }
        });
    });
}

#[test]
fn a_panic_publishes_nothing_and_blocks_nobody_later() {
    let ring = Recorded::new(4);
    let freed_on = Arc::clone(&ring.freed_on);
    let shared = SharedRing::new(ring);
    assert_eq!(shared.update(|ring| ring.add_node("a", 1)), Ok(()));
    for round in 0..3 {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            shared.update(|ring| -> () {
                assert_eq!(ring.add_node("half", 1), Ok(()));
                panic!("the closure panics, as it was told to");
            });
        }));
        assert!(outcome.is_err());
        assert_eq!(shared.load().weight("half"), None, "round {round}");
    }
    // Other threads write, read and reclaim as if nothing had been.
    thread::scope(|scope| {
        for writer in 0..4 {
            let shared = &shared;
            scope.spawn(move || {
                assert_eq!(shared.update(|ring| ring.add_node(&writer.to_string(), 1)), Ok(()));
                assert_eq!(shared.reader().load().weight("half"), None);
                shared.reclaim();
            });
        }
    });
    assert_eq!(shared.load().node_count(), 5);
    assert_eq!(shared.reclaim(), 0);
    drop(shared);
    // Two that were replaced or never published each time: nothing leaks.
    assert_eq!(Recorded::frees(&freed_on).len(), 1 + 1 + 3 + 4);
}

#[test]
fn a_refused_batch_publishes_nothing() {
    let ring = Recorded::new(4);
    let freed_on = Arc::clone(&ring.freed_on);
    let shared = SharedRing::new(ring);
    assert_eq!(shared.apply(&[Change::add("a", 1)]), Ok(()));
    let guard = shared.load();
    let batch = [Change::add("b", 1), Change::remove("nobody")];
    let refused = shared.apply(&batch);
    let cause = Box::new(RingError::UnknownNode { id: "nobody".to_owned() });
    assert_eq!(refused, Err(RingError::InChange { index: 1, cause }));
    assert!(
        std::ptr::eq(&raw const *guard, &raw const *shared.load()),
        "the same ring is still published"
    );
    let outcome: Result<(), &str> = shared.try_update(|ring| {
        assert!(ring.remove_node("a"));
        Err("the caller thinks better of it")
    });
    assert_eq!(outcome, Err("the caller thinks better of it"));
    assert!(std::ptr::eq(&raw const *guard, &raw const *shared.load()));
    drop(guard);
    drop(shared);
    assert_eq!(Recorded::frees(&freed_on).len(), 2 + 2);
}

/// Writers wait for one another, so that none loses what another did.
#[test]
fn writers_do_not_lose_each_others_changes() {
    let shared = SharedRing::new(ReferenceRing::new(2).expect("V is above 0"));
    thread::scope(|scope| {
        for writer in 0..4 {
            let shared = &shared;
            scope.spawn(move || {
                for node in 0..25 {
                    let id = format!("{writer}-{node}");
                    assert_eq!(shared.update(|ring| ring.add_node(&id, 1)), Ok(()));
                }
            });
        }
    });
    assert_eq!(shared.load().node_count(), 100);
    assert_eq!(shared.reclaim(), 0);
}

/// A reader is not held up by a writer that takes its time.
#[test]
fn readers_do_not_wait_for_a_writer() {
    let mut ring = ReferenceRing::new(2).expect("V is above 0");
    assert_eq!(ring.add_node("a", 1), Ok(()));
    let shared = SharedRing::new(ring);
    let (writing, read) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            shared.update(|ring| {
                writing.store(true, Ordering::Release);
                // The change ends only once a reader has read: one that waited would never end.
                while !read.load(Ordering::Acquire) {
                    thread::sleep(Duration::from_millis(1));
                }
                assert_eq!(ring.add_node("b", 1), Ok(()));
            });
        });
        scope.spawn(|| {
            while !writing.load(Ordering::Acquire) {
                thread::yield_now();
            }
            let mut reader = shared.reader();
            assert_eq!(shared.load().node_count(), 1);
            assert_eq!(reader.load().get_node("k"), Some("a"));
            read.store(true, Ordering::Release);
        });
    });
    assert_eq!(shared.load().node_count(), 2);
}
