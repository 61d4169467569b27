//! Where it ends: hot keys, bad hashes, adversaries.
//!
//! # Hot keys
//!
//! A ring gives every node about the same number of *keys*. If one key gets a tenth of all requests,
//! its owner gets that tenth on top of its share, whatever V is and however many nodes there are:
//!
//! ```
//! use ring_core::{Change, Ring};
//! use ring_sortedvec::SortedVecRing;
//!
//! for vnodes in [10, 1000] {
//!     let mut ring = SortedVecRing::new(vnodes)?;
//!     let adds: Vec<Change> = (0..100).map(|i| Change::add(format!("node-{i}"), 1)).collect();
//!     ring.apply(&adds)?;
//!     let owner = ring.get_node("celebrity");
//!     // 1,000 requests for one key, 9,000 for others: 100 a node would be even.
//!     let others = (0..9_000).filter(|i| ring.get_node(format!("user:{i}")) == owner).count();
//!     assert!(1_000 + others > 1_020);
//! }
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! What helps:
//!
//! - **Cache it before the ring.** A hot key is asked for often, so even a small cache in the client
//!   or a short lifetime takes most of it away.
//! - **Spread it over its replicas.** With R copies of the few hot keys, each of R nodes answers one
//!   request in R ([recipe](super::recipes#a-hot-key-spread-over-replicas)).
//! - **Bound the load.** Go on along the walk while a node has more than c times the mean load
//!   (Mirrokni and others 2017). No node then has more than that, and few keys leave their owners
//!   ([recipe](super::recipes#bounded-loads)).
//! - **Split the key**, where its value can be: `counter#0` to `counter#15`, read together.
//!
//! What does not help: more tokens, more nodes, another hash.
//!
//! # Bad hashes
//!
//! Tokens of one node have similar ids: `node-7#41`, `node-7#42`. A ring needs a hash that spreads
//! them over the whole circle. 64-bit FNV-1a, a fine hash for tables, does not. Its last step is an
//! exclusive or with the last byte and one multiplication by 2^40 + 435. Two ids that differ in
//! their last digit by d in that exclusive or end about d × 2^40 apart: d ÷ 2^24 of the circle,
//! which is next to nothing. So a hundred tokens stand in a few clumps, and a node owns what a few
//! tokens would:
//!
#![doc = include_str!("figures/clumps.svg")]
//!
//! The default hash is FNV-1a followed by the finaliser `fmix64`, which brings every bit of the
//! state to the top. Nodes `node-0`, `node-1`, …, V = 100, exact shares (`cargo run --release
//! --example guide_figures hashes.md`); Java's string hash has 32 bits and was put at the top:
//!
#![doc = include_str!("figures/hashes.md")]
//!
//! See it for yourself, or try your own hash before you trust it:
//!
//! ```
//! use ring_core::{Change, Hash64, HashRing, Ring, shares};
//! use ring_sortedvec::SortedVecStore;
//!
//! #[derive(Clone)]
//! struct PlainFnv1a;
//! impl Hash64 for PlainFnv1a {
//!     fn hash64(&self, bytes: &[u8]) -> u64 {
//!         bytes.iter().fold(0xcbf2_9ce4_8422_2325, |state, &byte| {
//!             (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
//!         })
//!     }
//!     fn name(&self) -> &str {
//!         "example-fnv1a64"
//!     }
//! }
//!
//! let mut ring = HashRing::<SortedVecStore, _>::with_hash(100, PlainFnv1a)?;
//! let adds: Vec<Change> = (0..10).map(|i| Change::add(format!("node-{i}"), 1)).collect();
//! ring.apply(&adds)?;
//! let fullest = shares(&ring).iter().map(|s| s.share / s.expected).fold(0.0, f64::max);
//! assert_eq!(format!("{fullest:.3}"), "3.018"); // 1.151 with the finaliser
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Adversaries
//!
//! The default hash is public and has no secret. Whoever may choose keys can aim all of them at one
//! node; with ten nodes every tenth guess hits:
//!
//! ```
//! use ring_core::{Change, Ring};
//! use ring_sortedvec::SortedVecRing;
//!
//! let mut ring = SortedVecRing::new(100)?;
//! let adds: Vec<Change> = (0..10).map(|i| Change::add(format!("node-{i}"), 1)).collect();
//! ring.apply(&adds)?;
//! let mut tries = 0;
//! let aimed: Vec<String> = (0..)
//!     .map(|i| format!("evil:{i}"))
//!     .inspect(|_| tries += 1)
//!     .filter(|key| ring.get_node(key) == Some("node-3"))
//!     .take(1_000)
//!     .collect();
//! assert_eq!((aimed.len(), tries), (1_000, 11_389));
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! Whoever may choose *node ids* can do worse. FNV-1a works byte after byte, so two ids that leave
//! it in one state collide on every token. No finaliser mends that. This pair does, and the second
//! node owns nothing:
//!
//! ```
//! use ring_core::{Ring, shares};
//! use ring_sortedvec::SortedVecRing;
//!
//! # let mut ring = SortedVecRing::new(100)?;
//! ring.add_node("node-b60q8m41dwp", 1)?;
//! ring.add_node("node-ryw353ea3uk", 1)?;
//! assert_eq!(ring.token_count(), 200);
//! assert_eq!(shares(&ring)[1].arc, 0);
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! Against both, build the ring with [`SipHash13`](crate::SipHash13) and a secret that all your
//! processes share and nobody else knows. Then nobody can work out where a key goes. What a secret
//! cannot hide is what answers give away: a client that sees *which* node answered can try keys
//! until enough of them hit one node. Where that matters, do not show it, and bound the load.
//!
//! The [fingerprint](crate::Ring::fingerprint) is no signature: it guards against accidents. Sign a
//! snapshot like any other file, if somebody might tamper with it.
