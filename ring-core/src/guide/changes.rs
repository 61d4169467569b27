//! How capacity is changed while keys are being read.
//!
//! # One change, not several
//!
//! Nodes rarely come alone. Five nodes added one after another move some keys twice, to a node that
//! has to pass them on at the next step. Added as one change, every key moves once at most:
//!
//! ```
//! use ring_core::{Change, Ring, diff};
//! use ring_sortedvec::SortedVecRing;
//!
//! let nodes = |range: core::ops::Range<u32>| -> Vec<Change> {
//!     range.map(|i| Change::add(format!("node-{i}"), 1)).collect()
//! };
//! let mut before = SortedVecRing::new(100)?;
//! before.apply(&nodes(0..10))?;
//!
//! let mut ring = before.clone();
//! let mut one_by_one = 0.0;
//! for change in nodes(10..15) {
//!     let step = ring.clone();
//!     ring.apply(&[change])?;
//!     one_by_one += diff(&step, &ring)?.moved_fraction();
//! }
//! let as_one = diff(&before, &ring)?.moved_fraction();
//! assert_eq!(format!("{one_by_one:.3} {as_one:.3}"), "0.353 0.309");
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! [`Ring::apply`](crate::Ring::apply) takes additions, removals and weight changes together,
//! refuses all of them where one is wrong (I7), and rebuilds the ring once.
//!
//! # Published whole
//!
//! Threads that route while another changes the ring need an answer from *one* ring. There are two
//! ways to give it to them.
//!
//! | | a read/write lock around a ring | [`SharedRing`](crate::SharedRing) |
//! |---|---|---|
//! | a reader | takes and gives back the lock: two writes to memory that all readers share | reads one pointer, waits for nobody |
//! | while a change runs | every reader waits for all of it | readers go on with the ring as it was |
//! | a change costs | the change alone | the change, and a copy of the ring: O(M) |
//! | memory | one ring | two while a change runs, and old ones until their readers let go |
//!
//! A ring is read far more often than it is changed, and a change is mostly planned. So the copy is
//! the cheap side: it is paid once a change, by the thread that wanted the change, and no request
//! waits for it. A lock is the better choice where memory is too dear for two rings, or where
//! changes are as frequent as lookups.
//!
#![doc = include_str!("figures/change_times.md")]
//!
#![doc = include_str!("figures/reader_times.md")]
//!
//! No reader ever sees half of a change:
//!
//! ```
//! use ring_core::{Change, Ring, SharedRing};
//! use ring_sortedvec::SortedVecRing;
//!
//! let shared = SharedRing::new(SortedVecRing::new(100)?);
//! shared.apply(&[Change::add("a", 1), Change::add("b", 1)])?;
//! std::thread::scope(|threads| {
//!     let reader = threads.spawn(|| {
//!         for _ in 0..10_000 {
//!             let ring = shared.load(); // one ring, as long as the guard lives
//!             assert_eq!(ring.node_count(), 2);
//!         }
//!     });
//!     for _ in 0..20 {
//!         // Both nodes leave and two others come, as one change.
//!         let swap = |from: [&str; 2], to: [&str; 2]| {
//!             let [a, b] = from.map(Change::remove);
//!             let [c, d] = to.map(|id| Change::add(id, 1));
//!             shared.apply(&[a, b, c, d])
//!         };
//!         swap(["a", "b"], ["c", "d"])?;
//!         swap(["c", "d"], ["a", "b"])?;
//!     }
//!     reader.join().expect("every ring that was read had two nodes");
//!     Ok::<(), ring_core::RingError>(())
//! })?;
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! Keep the guard for all that belongs to one request, and no longer. Two loads may see two rings. A
//! thread that does nothing but look up takes a [`reader`](crate::SharedRing::reader) of its own
//! instead: it notices a new ring by one comparison, where a load for each lookup costs as much as a
//! lock that nobody else wants (the table above).
//!
//! # Data first, then the ring, then the rest
//!
//! For a cache it is enough to publish the new ring: a key that moved is missed once. For a store,
//! the data has to be there before the key is:
//!
//! 1. Make the new ring aside, and ask [`diff`](crate::diff) which arcs move, from whom to whom.
//! 2. Copy what lies in them to the new owners. The old ones keep it, and readers still go there.
//! 3. Publish the new ring.
//! 4. Wait until nobody reads through the old one:
//!    [`SharedRing::reclaim`](crate::SharedRing::reclaim) says how many old rings are still held.
//! 5. Delete the copies at the old owners.
//!
//! Writes that come during steps 2 to 4 go to both owners, or wait. The example `redis_cluster` does
//! all this on real servers while a thread reads all the time, and counts what moved:
//!
//! ```text
//! cargo run --release --example redis_cluster
//! ```
