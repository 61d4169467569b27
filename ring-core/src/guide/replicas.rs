//! Where the second and third copies go.
//!
//! # Walk on
//!
//! To keep R copies of a key, walk on past its owner until R *distinct* nodes are found. Tokens of
//! nodes that were met before are passed over.
//!
#![doc = include_str!("figures/replicas.svg")]
//!
//! ```
//! use ring_core::Ring;
//! use ring_sortedvec::SortedVecRing;
//!
//! let mut ring = SortedVecRing::new(4)?;
//! for id in ["r", "s", "t"] {
//!     ring.add_node(id, 1)?;
//! }
//! let set = ring.get_replicas("user:55", 3);
//! assert_eq!(set.nodes(), ["r", "s", "t"]);
//! assert_eq!(ring.get_replicas("user:55", 5).shortfall(), 2); // there are only three nodes
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! A set that is too small says so: its [`shortfall`](crate::ReplicaSet::shortfall) is how many
//! nodes are missing. [`Ring::replicas`](crate::Ring::replicas) walks lazily, for rules of your own:
//! distinct zones, nodes that are up.
//!
//! # Who takes over
//!
//! When a node goes, each of its arcs falls to the node that stands next, which is the one that had
//! the second copy. With one token a node, that is a single neighbour, who then has double the
//! load. With many tokens there are many neighbours, and each takes a little:
//!
//! ```
//! use ring_core::{Change, Ring, diff};
//! use ring_sortedvec::SortedVecRing;
//!
//! for (vnodes, heirs) in [(1, 1), (100, 9)] {
//!     let mut before = SortedVecRing::new(vnodes)?;
//!     let adds: Vec<Change> = (0..10).map(|i| Change::add(format!("node-{i}"), 1)).collect();
//!     before.apply(&adds)?;
//!     let mut after = before.clone();
//!     after.remove_node("node-3");
//!     assert_eq!(diff(&before, &after)?.flows().len(), heirs);
//! }
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Weights do not carry over to the second copy
//!
//! Let node i have the part p(i) of all weights. It owns p(i) of the keys. Is it second for p(i) of
//! them too? No: a node that is first for a key cannot be second for it.
//!
//! Walk on from a key whose owner is i. Every further token is one of j's with the chance p(j), and
//! those of i are passed over. So the second is j with the chance p(j) ÷ (1 − p(i)), and over all
//! keys:
//!
//! > second(j) = sum over i ≠ j of p(i) · p(j) ÷ (1 − p(i))
//!
//! Where all weights are equal, that is 1 ÷ N again. Where they are not, the heavy nodes get less of
//! the second copies than they ask for, and the light ones more. Nor can it be otherwise: a node of
//! half the weights would have to hold *every* key to have half of two copies.
//!
#![doc = include_str!("figures/second.svg")]
//!
//! The law beside a hundred rings with V = 100 (`cargo run --release --example guide_figures
//! second.md`); the drawing shows one ring with V = 1000. The last column is what a node holds of
//! both copies together:
//!
#![doc = include_str!("figures/second.md")]
//!
//! So with replicas, a light node beside heavy ones fills up sooner than its weight says. Keep
//! weights within a small factor of each other, or measure what each node gets, as
//! here, and set weights by that:
//!
//! ```
//! use ring_core::Ring;
//! use ring_sortedvec::SortedVecRing;
//!
//! let mut ring = SortedVecRing::new(1000)?;
//! for (id, weight) in [("n1", 1), ("n2", 1), ("n3", 1), ("n4", 2), ("n5", 5)] {
//!     ring.add_node(id, weight)?;
//! }
//! let second = (0..10_000)
//!     .filter(|i| ring.get_replicas(format!("user:{i}"), 2).nodes()[1] == "n5")
//!     .count();
//! assert!((2_800..3_050).contains(&second)); // not 5,000
//! # Ok::<(), ring_core::RingError>(())
//! ```
