//! What every call costs, and why.
//!
//! N nodes, M tokens, K tokens that a change adds or removes, R replicas, F arcs that move.
//! Expected costs hold for a hash that spreads its input; the worst case for any hash, an
//! adversary's too.
//!
//! | call | sorted vector | B-tree | allocates |
//! |---|---|---|---|
//! | [`get_node`](crate::Ring::get_node) | O(key) + O(1) expected, O(log M) at worst | O(key) + O(log M) | nothing |
//! | [`walk`](crate::Ring::walk) | the same to start, O(1) a token | the same, O(1) a token on average | nothing |
//! | [`get_replicas`](crate::Ring::get_replicas) | the same, and N (1 ÷ N + … + 1 ÷ (N − R + 1)) tokens expected | the same | once up to 64 nodes, twice beyond |
//! | [`replicas`](crate::Ring::replicas) | the same, as far as it is asked | the same | nothing up to 16 nodes |
//! | [`add_node`](crate::Ring::add_node), [`remove_node`](crate::Ring::remove_node), [`set_weight`](crate::Ring::set_weight) | O(M + K log K) | O(K log M) | O(K) |
//! | [`apply`](crate::Ring::apply) | O(M + K log K), once for all | O(K log M) | O(K) |
//! | [`SharedRing::apply`](crate::SharedRing::apply) | the change and O(M) for the copy | the same | O(M) |
//! | [`SharedRing::load`](crate::SharedRing::load) | O(1) | O(1) | nothing |
//! | [`tokens`](crate::Ring::tokens), [`shares`](crate::shares) | O(M), `shares` O(M log N) | the same | `shares`: O(N) |
//! | [`diff`](crate::diff) | O(M + F log F), M over both rings | the same | O(F) |
//! | [`fingerprint`](crate::Ring::fingerprint), [`snapshot`](crate::Ring::snapshot) | O(bytes of all token ids) | the same | nothing; the snapshot O(N) |
//! | loading a snapshot | O(M log M) | O(M log M) | O(M) |
//! | [`check`](crate::check) | O(M log M) | O(M log M) | O(M) |
//! | memory | O(M + N) | O(M + N) | |
//!
//! # Lookup
//!
//! **B-tree.** A search in a balanced tree of M entries: O(log M) comparisons, on each level a step
//! to memory that only the level before tells.
//!
//! **Sorted vector.** A directory has B buckets, one for each value of the top bits of a hash, and
//! says where the tokens of that value start. B is at least 2M. Hashes are uniform, so a bucket
//! holds at most half a token on average, and half of those stand before a key: the search meets
//! 1 + M ÷ (2B) ≤ 1.25 tokens on average, a constant. An adversary may crowd all tokens into one
//! bucket. After a few probes the search goes on as a binary search, which is O(log M).
//!
//! What that is in instructions, counted by callgrind for 100 nodes of 100 tokens and keys of 16 bytes
//! under the default hash (the commands stand in `ring-bench/examples/lookup_profile`): 132 a lookup,
//! of which 18 stand in the source of the tokens and 5 in that of the directory; by far the most of
//! the rest is the hash, which takes more than three a byte. Under another hash, or for longer keys,
//! only that part changes. In a ring that no longer fits the
//! second-level cache the time goes into two waits for memory, one for the directory's line and one
//! for the tokens': see `search alone` beside two dependent reads in `ring-bench/reference-peers.md`.
//!
//! # Replicas
//!
//! Let i distinct nodes be found, of N equal ones. The next token is one of a new node with the
//! chance (N − i) ÷ N, so on average N ÷ (N − i) tokens are met until one is. Summed up for i = 0 to
//! R − 1 that is N (1 ÷ N + 1 ÷ (N − 1) + … + 1 ÷ (N − R + 1)), hardly more than R while R is far
//! below N, and about N ln N for all of them. At worst the tokens of one node stand in a row, and
//! all M are met.
//!
//! ```
//! use ring_core::{Change, Hash64, Ring};
//! use ring_sortedvec::SortedVecRing;
//!
//! let mut ring = SortedVecRing::new(100)?;
//! let adds: Vec<Change> = (0..100).map(|i| Change::add(format!("node-{i}"), 1)).collect();
//! ring.apply(&adds)?;
//!
//! let mut met = 0;
//! for i in 0..10_000 {
//!     let mut found: Vec<&str> = Vec::new();
//!     for token in ring.walk(ring.hasher().hash64(format!("user:{i}").as_bytes())) {
//!         met += 1;
//!         if !found.contains(&token.node_id()) {
//!             found.push(token.node_id());
//!         }
//!         if found.len() == 3 {
//!             break;
//!         }
//!     }
//! }
//! // By the sum: 100 (1/100 + 1/99 + 1/98) = 3.0305.
//! assert_eq!(met, 30_286); // of 10,000 keys
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Change
//!
//! A change of K tokens hashes K token ids and sorts them: O(K log K), or O(K) expected where there
//! are many, since their hashes are uniform too. Then they are spliced in or out.
//!
//! **B-tree.** K insertions or removals of O(log M).
//!
//! **Sorted vector.** The places are found in O(K) searches. Then the tokens behind the first place
//! move once, by as many places as tokens came before them: O(M), a plain move of memory. The
//! directory is patched, not built anew, unless the ring has grown or shrunk a great deal.
//!
//! **A batch** of b nodes with K tokens together pays the O(M) once, not b times.
//!
//! **Published.** [`SharedRing`](crate::SharedRing) changes a copy: O(M) more, paid by the writer.
//!
//! # Everything else
//!
//! `diff` and `shares` go along the tokens once; `diff` then sums up the F arcs that move by the pair
//! of nodes, in a sorted map: O(F log F) at most. `check` works all tokens out anew and sorts them:
//! O(M log M). A fingerprint hashes every token id, a few bytes
//! each. Loading a snapshot is one batch of all M tokens. A snapshot holds N nodes and no token.
//!
//! # Memory
//!
//! O(M) for the tokens and O(N) for the nodes. A token names its node by a number, so a node's id is
//! stored once, however many tokens it has. In the sorted vector a token takes 16 bytes (its hash,
//! the number of its node, its index), and a directory and a little spare room come on top. The tree
//! has more to keep for each token, and free places in its nodes. What that comes to is in the
//! [crate's table](crate#what-costs-what).
