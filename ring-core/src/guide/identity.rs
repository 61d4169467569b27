//! What has to stay the same, so that every process agrees.
//!
//! # Node ids
//!
//! A node's tokens stand where its id is hashed to, so the id *is* the node. Give every node an id
//! that survives a restart: a host name, a slot name, a number out of your configuration. Not a
//! process id, not a UUID made at start, not the position in a list (positions shift), and an
//! address only if it is kept. A machine that takes a dead one's place takes its id too, and then
//! no key moves at all. Under a new id, one machine's keys leave and another's come:
//!
//! ```
//! use ring_core::{Change, Ring, diff};
//! use ring_sortedvec::SortedVecRing;
//!
//! let mut before = SortedVecRing::new(100)?;
//! let adds: Vec<Change> = (0..10).map(|i| Change::add(format!("node-{i}"), 1)).collect();
//! before.apply(&adds)?;
//!
//! let mut restarted = before.clone();
//! restarted.remove_node("node-3");
//! restarted.add_node("node-3", 1)?; // the same id: the same ring
//! assert_eq!(restarted.fingerprint(), before.fingerprint());
//!
//! let mut renamed = before.clone();
//! renamed.apply(&[Change::remove("node-3"), Change::add("node-3b", 1)])?;
//! assert_eq!(format!("{:.3}", diff(&before, &renamed)?.moved_fraction()), "0.182");
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! Ids are compared byte for byte: `Cache-A` is not `cache-a`, and a letter with its accent is not
//! the letter followed by an accent.
//!
//! # Not your language's own string hash
//!
//! Placement has to be the same in every process, on every machine, after every upgrade. The string
//! hash of a language rarely is. Run this twice, and see two numbers:
//!
//! ```text
//! python3 -c 'print(hash("node-1"))'
//! ```
//!
//! Python draws a new secret in every process unless `PYTHONHASHSEED` is set, so that nobody can aim
//! at its dictionaries. Setting it everywhere does not save a ring: the algorithm may change with
//! the version, and a service in another language cannot follow it. Rust's maps do the same:
//!
//! ```
//! use std::hash::{BuildHasher, RandomState};
//!
//! let (one, other) = (RandomState::new(), RandomState::new());
//! assert_ne!(one.hash_one("node-1"), other.hash_one("node-1"));
//! ```
//!
//! Java's `String.hashCode` is the same everywhere, and a ring under it is useless for another
//! reason, which [`limits`](super::limits#bad-hashes) measures. A ring's hash has to be defined on
//! bytes, for ever. The default here, [`Fnv1aFmix64`](crate::Fnv1aFmix64), takes a dozen lines in any
//! language; the same ring in Python, C++, Java and TypeScript stands in `ring-core/interop`, a file
//! each.
//!
//! # Two tokens at one place
//!
//! Two different tokens never have the same id, but their hashes may be equal. Then both stay in the
//! ring, in the byte order of their ids. The first owns the arc; the other owns nothing until the
//! first is gone.
//!
//! By accident this is rare. Among M tokens there are M (M − 1) ÷ 2 pairs, and each collides once in
//! 2^64:
//!
//! ```
//! let tokens = 1e6_f64;
//! let chance = tokens * (tokens - 1.0) / 2.0 / 2_f64.powi(64);
//! assert_eq!(format!("{chance:.1e}"), "2.7e-8");
//! ```
//!
//! "Too rare to matter" is still no rule. Without one, a process that learnt of the nodes in
//! another order routes some keys elsewhere, and nobody notices. A map from hash to node keeps one
//! of the two tokens; when its node leaves, the place is empty, and the other node, still there, has
//! lost an arc. And collisions do not wait for an accident: they can be made
//! ([`limits`](super::limits#adversaries)). So the rule is part of the ring (I1), and the tests use
//! hashes cut to a few bits, where nearly every token collides. Here is the worst case, a hash
//! that knows one place only:
//!
//! ```
//! use ring_core::{Hash64, HashRing, Ring};
//! use ring_sortedvec::SortedVecStore;
//!
//! #[derive(Clone)]
//! struct OnePlace;
//! impl Hash64 for OnePlace {
//!     fn hash64(&self, _: &[u8]) -> u64 {
//!         7
//!     }
//!     fn name(&self) -> &str {
//!         "example-one-place"
//!     }
//! }
//!
//! let mut ring = HashRing::<SortedVecStore, _>::with_hash(100, OnePlace)?;
//! ring.add_node("b", 1)?;
//! ring.add_node("a", 1)?; // came later, but `a#0` stands before `b#0`
//! assert_eq!(ring.token_count(), 200);
//! assert_eq!(ring.get_node("any key"), Some("a"));
//! ring.remove_node("a");
//! assert_eq!(ring.get_node("any key"), Some("b")); // nothing was lost
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Which tokens are a node's?
//!
//! Many rings keep a reverse map, from each node to its tokens, so as to find them when the node
//! leaves. There is none here. A node's tokens follow from its id, its weight, V and the hash (I3),
//! so a removal hashes the K token ids again and takes out just those. That costs K hashes, saves at
//! least 8 bytes a token, and leaves no second list that could disagree with the first:
//!
//! ```
//! use ring_core::{Hash64, Ring};
//! use ring_sortedvec::SortedVecRing;
//!
//! # let mut ring = SortedVecRing::new(100)?;
//! ring.add_node("a", 2)?;
//! ring.add_node("b", 1)?;
//!
//! let mut worked_out = vec![0; 200]; // weight 2, V = 100
//! ring.hasher().hash_tokens("a", 0, &mut worked_out);
//! worked_out.sort_unstable();
//! let in_the_ring: Vec<u64> =
//!     ring.tokens().filter(|token| token.node_id() == "a").map(|token| token.hash()).collect();
//! assert_eq!(worked_out, in_the_ring);
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # What to persist
//!
//! V, the weights by node id, and the name of the hash: that is a ring (I5). Its tokens are never
//! stored. A [`Snapshot`](crate::Snapshot) is just this, as a small JSON document that any program
//! can write by hand. Its fingerprint is the guard: where another library, hash or setting would
//! route otherwise, loading fails.
//!
//! ```
//! use ring_core::{Ring, Snapshot};
//! use ring_sortedvec::SortedVecRing;
//!
//! # let mut ring = SortedVecRing::new(64)?;
//! ring.add_node("A", 1)?;
//! ring.add_node("B", 1)?;
//! let json = ring.snapshot().to_json();
//! let elsewhere = SortedVecRing::from_snapshot(&Snapshot::from_json(&json)?)?;
//! assert_eq!(elsewhere.fingerprint(), ring.fingerprint());
//!
//! let edited = json.replace("\"vnodes_per_weight\": 64", "\"vnodes_per_weight\": 65");
//! assert_ne!(edited, json);
//! assert!(SortedVecRing::from_snapshot(&Snapshot::from_json(&edited)?).is_err());
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! Two things are left out on purpose. The secret of a keyed hash goes its own way to every process.
//! The token limit is a guard of one process, not part of what the ring is.
