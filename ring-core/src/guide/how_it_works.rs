//! What stands on the ring, and why so little moves.
//!
//! # A dozen tokens
//!
//! Take all 2^64 values of a hash and bend them into a circle, so that 0 follows the largest. Three
//! nodes, `r`, `s` and `t`, each put four **tokens** on it. A token stands where its id is hashed
//! to: the tokens of `r` are `r#0`, `r#1`, `r#2` and `r#3`.
//!
#![doc = include_str!("figures/ring.svg")]
//!
//! A key is hashed onto the same circle. From there go clockwise to the first token. Its node is
//! the **owner** of the key. That is all of it:
//!
//! ```
//! use ring_core::Ring;
//! use ring_sortedvec::SortedVecRing;
//!
//! // V = 4 tokens a node here; 100 and more in real life.
//! let mut ring = SortedVecRing::new(4)?;
//! for id in ["r", "s", "t"] {
//!     ring.add_node(id, 1)?;
//! }
//! assert_eq!(ring.token_count(), 12);
//! assert_eq!(ring.get_node("user:146"), Some("t")); // the key of the drawing
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! Seen from a token: it owns the arc that ends at it and starts after the token before it. The
//! arcs of all tokens cover the circle once, so every key has one owner.
//!
//! # A node comes
//!
//! Now `u` comes, with four tokens of its own. Each of them cuts one arc in two and takes the part
//! before it.
//!
#![doc = include_str!("figures/change.svg")]
//!
//! Nothing else changed. A key outside these four arcs meets the same first token as before. The
//! drawing can be read from right to left too: when `u` goes, its arcs fall back to whoever stands
//! next, and nobody else notices.
//!
//! ```
//! use ring_core::{Ring, diff};
//! use ring_sortedvec::SortedVecRing;
//!
//! # let mut before = SortedVecRing::new(4)?;
//! # for id in ["r", "s", "t"] {
//! #     before.add_node(id, 1)?;
//! # }
//! let mut after = before.clone();
//! after.add_node("u", 1)?;
//!
//! let moved = diff(&before, &after)?;
//! let from: Vec<_> = moved.arcs().iter().map(|arc| arc.from.unwrap_or("")).collect();
//! assert_eq!(from, ["t", "t", "s", "r"]); // clockwise from 0, who gave each arc
//! assert!(moved.arcs().iter().all(|arc| arc.to == Some("u")));
//! assert_eq!(format!("{:.3}", moved.moved_fraction()), "0.215");
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # The proof
//!
//! *Put a token at place p, and let q be the place of the nearest token before it. Then the hashes
//! after q up to p get the new token's node as owner, and no other hash gets another owner.*
//!
//! The owner of a hash h is the node of the first token met on the walk clockwise from h.
//!
//! - If h lies after q and not after p, the walk meets nothing before p, since q is the nearest
//!   token before p. So the new token is met first.
//! - If h lies elsewhere, the walk comes to q before it comes to p. So whatever it meets first stood
//!   there before, and it is what it met first before.
//!
//! A node with K tokens comes as K such steps. Each gives hashes to that node alone, so the sum of
//! them does too. Taking a token away is the same step read backwards. Where two tokens share a
//! place, the first in ring order owns the arc; [`identity`](super::identity) says why there has to
//! be such a rule. ∎
//!
//! Karger and others (1997) call this **monotonicity**: when nodes are added, a key may move from
//! an old node to a new one, but never from an old node to another old one. Here it is I6, and
//! [`check_change`](crate::check_change) tests it on any two rings.
//!
//! # How much moves
//!
//! All tokens are alike: each stands at a random place. After K tokens joined M others, each of the
//! M + K arcs is as long as any other *on average*, so the new node has K ÷ (M + K) of the circle
//! on average. With equal nodes that is 1 ÷ (N + 1). The drawing has 21.5 % where the average is
//! 25 %, since four tokens are few; [`balance`](super::balance) is about that.
//!
//! No scheme can do with less: a new node that is to carry 1 ÷ (N + 1) of the keys has to be given
//! them. `hash % N` moves nearly everything instead. Of N(N + 1) hashes in a row just N have the
//! same remainder by N and by N + 1 (those below N), so only 1 ÷ (N + 1) of the keys stay:
//!
//! ```
//! let (old, new) = (10, 11);
//! let stay = (0..old * new).filter(|hash| hash % old == hash % new).count();
//! assert_eq!(stay, old); // 10 of 110; the other 100 move
//! ```
