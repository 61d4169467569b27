//! A consistent-hash ring with virtual nodes: the model, the contract of its backends, and what
//! can be said about rings exactly.
//!
//! This crate defines the trait [`Ring`] and everything that has to be decided once: nodes and
//! weights, tokens and their order, replicas, snapshots, differences, invariants. The order of
//! tokens is kept by a backend: `ring-sortedvec` (a sorted vector) or `ring-btree` (a `BTreeMap`).
//!
//! The [`guide`] tells why a ring works, how to use it well and where it ends.
//!
//! # The model
//!
//! | term | meaning |
//! |---|---|
//! | node | a physical member, named by a stable **node id**: any string, compared byte for byte |
//! | weight | a positive whole number; a node of weight `w` owns `w × V` tokens |
//! | V | tokens per unit of weight, fixed for a ring's life |
//! | token id | the bytes `node_id + "#" + i`, with `i` in plain decimal, `0 ≤ i < w × V` |
//! | token | the hash of a token id, with the token id and its node; also called a virtual node |
//! | key | any bytes, what is routed |
//! | ring order | by `(hash as an unsigned number, token id as bytes)` |
//! | owner | of a key: the node of the first token at or clockwise after the key's hash |
//! | replica set | the first distinct nodes met clockwise, the owner first |
//!
//! The last `#` of a token id splits it, since an index holds none; two different tokens never have
//! the same id. They may well have the same hash. Then both stay in the ring, in the order of their
//! ids, so that the answer never depends on who came first.
//!
//! # The invariants
//!
//! - **I1 order**: tokens stand in ring order, strictly increasing.
//! - **I2 membership**: every token refers to a registered node, and every node is live.
//! - **I3 completeness**: a node's tokens are exactly what its id, its weight, V and the hash
//!   generate.
//! - **I4 ownership**: a key belongs to the first token at or clockwise after its hash; past the
//!   last token the walk goes on with the first. A hash that equals a token's belongs to that token
//!   (to the first of them in ring order, where several share it).
//! - **I5 history independence**: the tokens and their order are a function of V, the hash and the
//!   set of `(id, weight)` alone.
//! - **I6 monotonicity**: adding a node or raising a weight moves keys only to that node; removing
//!   one or lowering a weight moves only keys that it owned.
//! - **I7 atomicity**: a change that fails leaves the ring as it was.
//!
//! [`check`] tests I1 to I4 on a ring, [`check_change`] I5 to I7 on a change.
//!
//! # What costs what
//!
//! N nodes, M tokens, K tokens that a change adds or removes, R replicas.
//!
//! | call | sorted vector | B-tree |
//! |---|---|---|
//! | [`get_node`](Ring::get_node) | O(1) expected, O(log M) at worst | O(log M) |
//! | [`get_replicas`](Ring::get_replicas) | the same, and a walk of about R tokens while R ≪ N | the same |
//! | [`add_node`](Ring::add_node), [`remove_node`](Ring::remove_node), [`set_weight`](Ring::set_weight) | O(M + K log K) | O(K log M) |
//! | [`apply`](Ring::apply) | O(M + K log K), once for the whole batch | O(K log M) |
//! | memory, 100 tokens a node | 20 bytes a token | 23 bytes a token after one batch, 34 after adds one by one |
//!
//! # Features
//!
//! All on by default, and none changes what another does: `xxh3` ([`Xxh3`]), `siphash`
//! ([`SipHash13`]), `snapshot` (reading and writing [`Snapshot`]s as JSON), `shared`
//! ([`SharedRing`]). `conformance` is for tests: the suite that every backend runs.

// Without a feature there is nothing that its links lead to.
#![cfg_attr(
    not(all(feature = "xxh3", feature = "siphash", feature = "shared")),
    allow(rustdoc::broken_intra_doc_links)
)]

mod capacities;
mod diff;
mod error;
mod hash;
mod invariants;
mod membership;
mod replicas;
mod ring;
#[cfg(feature = "shared")]
mod shared;
mod snapshot;
mod store;
mod token;

#[cfg(feature = "conformance")]
pub mod conformance;
pub mod guide;

pub use capacities::weights_from_capacities;
pub use diff::{Diff, Flow, HASH_SPACE, MovedArc, Share, diff, fraction, shares};
pub use error::RingError;
#[cfg(feature = "siphash")]
pub use hash::SipHash13;
#[cfg(feature = "xxh3")]
pub use hash::Xxh3;
pub use hash::{Fnv1aFmix64, Hash64, same_hash};
pub use invariants::{Invariant, Violation, check, check_change};
pub use membership::{Change, DEFAULT_TOKEN_LIMIT, DEFAULT_VNODES_PER_WEIGHT, Node, Nodes};
pub use replicas::{ReplicaSet, Replicas};
pub use ring::Ring;
#[cfg(feature = "shared")]
pub use shared::{RingGuard, RingReader, SharedRing};
pub use snapshot::Snapshot;
pub use store::{HashRing, TokenStore, Walk};
pub use token::{Slot, Token, TokenOrder};
