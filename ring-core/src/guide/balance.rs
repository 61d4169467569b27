//! How even a ring is, and what more tokens and weights buy.
//!
//! # More tokens, less chance
//!
//! Tokens stand at random places, so arcs are of random length. With one token a node, one node may
//! easily have three times its due. With V tokens a node, its share is the sum of V arcs, and long
//! ones and short ones make up for each other.
//!
#![doc = include_str!("figures/balance.svg")]
//!
//! # The law
//!
//! Throw M tokens onto a circle at random. The arcs between them are distributed like M independent
//! exponential draws, each divided by their sum. A node with k of the tokens owns k of the arcs, so
//! its share is X ÷ (X + Y), where X is a sum of k such draws and Y a sum of the other M − k. That
//! is the **Beta distribution** with parameters k and M − k:
//!
//! - mean k ÷ M, which is what the weights ask for;
//! - variance k (M − k) ÷ (M² (M + 1));
//! - so the deviation over the mean, the coefficient of variation, is
//!   cv = √((M − k) ÷ (k (M + 1))), a little under 1 ÷ √k.
//!
//! **Four times the tokens halve the unevenness.** The law beside what a hundred rings a row have,
//! measured from exact arcs (`cargo run --release --example guide_figures balance.md`). *Fullest ÷
//! mean* is the median of the hundred rings, *worst* the largest:
//!
#![doc = include_str!("figures/balance.md")]
//!
//! Keys add their own chance on top: of K random keys a node with share s gets K·s on average, with
//! a deviation of √(K·s). That is nothing beside the ring's own unevenness once a node has a few
//! thousand keys.
//!
//! # Choosing V
//!
//! A lookup costs hardly more with more tokens; memory and changes grow with them
//! ([`costs`](super::costs)). V = 100 keeps the fullest of 100 nodes to about 1.3 times the mean,
//! V = 1000 to about 1.1 times. V is fixed for a ring's life, and another V is another ring
//! (see [rolling out a change of V](super::recipes#rolling-out-a-change-of-v)). So choose it once,
//! for the number of nodes that you will have, and look at the ring that you really get:
//!
//! ```text
//! cargo run --release -- balance --ring ring.json
//! ```
//!
//! ```
//! use ring_core::{Change, Ring, shares};
//! use ring_sortedvec::SortedVecRing;
//!
//! let mut ring = SortedVecRing::new(100)?;
//! let adds: Vec<Change> = (0..10).map(|i| Change::add(format!("node-{i}"), 1)).collect();
//! ring.apply(&adds)?;
//!
//! let fullest = shares(&ring).iter().map(|s| s.share / s.expected).fold(0.0, f64::max);
//! assert_eq!(format!("{fullest:.3}"), "1.151");
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Weights
//!
//! A node of weight w has w × V tokens, so k = w × V in the law: twice the weight, twice the share,
//! and an evener one. Four nodes with V = 100, over a hundred rings:
//!
#![doc = include_str!("figures/weights.md")]
//!
//! Only the ratios of weights matter for shares. But weights 2 and 4 make twice the tokens of 1 and
//! 2, so they are evener and dearer, and they are another ring.
//! [`weights_from_capacities`](crate::weights_from_capacities) makes whole numbers of gigabytes.
//!
//! Raising a weight adds the tokens with the next indices and touches no other, so keys move to
//! that node only:
//!
//! ```
//! use ring_core::{Ring, diff};
//! use ring_sortedvec::SortedVecRing;
//!
//! # let mut before = SortedVecRing::new(100)?;
//! # for id in ["a", "b", "c"] {
//! #     before.add_node(id, 1)?;
//! # }
//! let mut after = before.clone();
//! after.set_weight("c", 2)?;
//! let moved = diff(&before, &after)?;
//! assert!(moved.flows().iter().all(|flow| flow.to == Some("c")));
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! Karger and others (1997) call an even spread **balance**. They show that it holds with high
//! probability where each node has a number of tokens of the order of log N.
