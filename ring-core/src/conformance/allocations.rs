//! What lookups allocate, counted.

use super::backend::Backend;
use super::support::{Numbers, empty};
use crate::hash::Fnv1aFmix64;
use crate::membership::Change;
use crate::ring::Ring;
use crate::shared::SharedRing;

/// What a piece of code allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Allocations {
    /// How many times memory was asked for, growth of what is there included.
    pub count: usize,
    /// How many bytes were asked for in all.
    pub bytes: usize,
}

/// A ring of `nodes` nodes with 20 tokens each.
fn ring<B: Backend>(backend: &B, nodes: u32) -> B::Ring<Fnv1aFmix64> {
    let mut ring = empty(backend, 20);
    let adds: Vec<Change> = (0..nodes).map(|node| Change::add(node.to_string(), 1)).collect();
    assert_eq!(ring.apply(&adds), Ok(()));
    ring
}

/// Checks what the docs of [`Ring`] say on allocations, by `count`, which runs a piece of code and
/// says what it allocated.
///
/// `get_node`, `owner_at`, `walk` and `fingerprint` allocate nothing, and neither do batch lookups
/// into a vector with room. `get_replicas` allocates once up to 64 nodes and twice beyond; the lazy
/// iterator not at all for the first 16. A removal copies neither ring nor membership.
///
/// [`allocation_tests!`](crate::allocation_tests) makes a test of it.
///
/// # Panics
///
/// Where something allocates more.
pub fn check_allocations<B: Backend>(backend: &B, count: impl Fn(&mut dyn FnMut()) -> Allocations) {
    // Counts are of the whole process, so that another thread can only add to them.
    let least = |run: &mut dyn FnMut()| (0..5).map(|_| count(run)).min().unwrap_or_default();
    let assert_count = |due: usize, what: &str, run: &mut dyn FnMut()| {
        assert_eq!(least(run).count, due, "allocations of {what}");
    };
    assert_count(1, "a box, to see that allocations are counted", &mut || {
        std::hint::black_box(Box::new(1));
    });

    for nodes in [0, 1, 100] {
        let ring = ring(backend, nodes);
        let hashes: Vec<u64> = Numbers::seeded(1).take(100).chain([0, u64::MAX]).collect();
        let keys: Vec<String> = hashes.iter().map(u64::to_string).collect();
        assert_count(0, "get_node", &mut || {
            for key in &keys {
                std::hint::black_box(ring.get_node(key));
            }
        });
        assert_count(0, "owner_at", &mut || {
            for &hash in &hashes {
                std::hint::black_box(ring.owner_at(hash));
            }
        });
        assert_count(0, "a whole walk", &mut || {
            assert_eq!(ring.walk(1 << 63).count(), ring.token_count());
        });
        assert_count(0, "tokens, nodes and weights", &mut || {
            assert_eq!(ring.tokens().count(), ring.token_count());
            assert_eq!(ring.nodes().count(), ring.node_count());
            std::hint::black_box(ring.weight("7"));
        });
        assert_count(0, "fingerprint", &mut || {
            std::hint::black_box(ring.fingerprint());
        });
        let mut owners = Vec::with_capacity(2 * keys.len());
        assert_count(0, "batch lookups into a vector with room", &mut || {
            owners.clear();
            ring.get_node_batch(&keys, &mut owners);
            ring.owners_at(&hashes, &mut owners);
        });
    }

    for (nodes, r, due) in [
        (0, 3, 0),
        (100, 0, 0),
        (1, 1, 1),
        (3, usize::MAX, 1),
        (16, 16, 1),
        (64, usize::MAX, 1),
        (100, 3, 1),
        (100, 17, 1),
        (100, 64, 1),
        (65, usize::MAX, 2),
        (100, 65, 2),
        (200, usize::MAX, 2),
    ] {
        let ring = ring(backend, nodes);
        assert_count(due, &format!("{r} replicas of {nodes} nodes"), &mut || {
            std::hint::black_box(ring.get_replicas("key", r));
        });
    }
    for nodes in [1, 15, 16, 200] {
        let ring = ring(backend, nodes);
        assert_count(0, &format!("16 lazy replicas of {nodes} nodes"), &mut || {
            assert_eq!(ring.replicas("key").take(16).count(), ring.node_count().min(16));
        });
    }

    let shared = SharedRing::new(ring(backend, 10));
    let mut reader = shared.reader();
    // The first load on a thread sets up what later ones find.
    drop(shared.load());
    assert_count(0, "loads of a shared ring", &mut || {
        std::hint::black_box(shared.load().get_node("key"));
        std::hint::black_box(reader.load().get_node("key"));
    });

    // 1,000 nodes, 20,000 tokens of 16 bytes: a copy would show.
    let mut ring = ring(backend, 1_000);
    let removal = count(&mut || assert!(ring.remove_node("500")));
    assert!(removal.bytes < 40_000, "a removal of 20 tokens allocates {removal:?}");
}

/// Makes a test of [`conformance::check_allocations`](crate::conformance::check_allocations) for a
/// ring type, and counts with the crate `stats_alloc`, which the caller has to depend on.
///
/// It installs a global allocator, so that it wants a test binary of its own.
#[macro_export]
macro_rules! allocation_tests {
    ($ring:ident) => {
        #[global_allocator]
        static ALLOCATOR: &::stats_alloc::StatsAlloc<::std::alloc::System> =
            &::stats_alloc::INSTRUMENTED_SYSTEM;

        $crate::__conformance_backend!($ring, AllocationSubject);

        #[test]
        fn lookups_allocate_what_they_say() {
            $crate::conformance::check_allocations(&AllocationSubject, |run| {
                let region = ::stats_alloc::Region::new(ALLOCATOR);
                run();
                let stats = region.change();
                $crate::conformance::Allocations {
                    count: stats.allocations + stats.reallocations,
                    bytes: stats.bytes_allocated,
                }
            });
        }
    };
}
