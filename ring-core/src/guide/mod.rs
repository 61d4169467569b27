//! The guide: what a hash ring promises, where that ends, and how to use it well.
//!
//! You have a number of servers, and more keys than fit on one of them. Every client has to know
//! which server a key belongs to, without asking anybody. `hash(key) % N` tells it, until N
//! changes: then nearly every key belongs to another server. A hash ring tells it too, and when a
//! server comes or goes, only about one key in N moves.
//!
//! # In ten minutes
//!
//! This page and these four:
//!
//! | page | what it answers |
//! |---|---|
//! | [`how_it_works`] | What stands on the ring, and why does so little move? |
//! | [`balance`] | How even is it, and what do more tokens and weights buy? |
//! | [`replicas`] | Where do the second and third copies go? |
//! | [`limits`] | Where does it end: hot keys, bad hashes, adversaries? |
//!
//! # When you build on it
//!
//! | page | what it answers |
//! |---|---|
//! | [`identity`] | What has to stay the same, so that every process agrees? |
//! | [`changes`] | How is capacity changed while keys are being read? |
//! | [`alternatives`] | When is another scheme the better tool? |
//! | [`recipes`] | Programs to start from |
//! | [`costs`] | What does each call cost, and why? |
//!
//! # The words
//!
//! | word | what it means |
//! |---|---|
//! | node | a server, named by an id that does not change |
//! | token | a place on the circle that belongs to a node; a node has many |
//! | arc | what lies between a token and the one before it |
//! | owner | the node that a key belongs to: that of the first token at or after the key's hash |
//! | weight | how much a node shall carry, as a whole number: 2 is twice as much as 1 |
//! | V | tokens for each unit of weight, the same for the whole ring |
//! | replica set | the owner and the distinct nodes after it, for copies of a key |
//! | snapshot | what a ring is made of, as a document that another process can load |
//!
//! # What is promised
//!
//! The names I1 to I7 are those of the [crate's page](crate).
//!
//! - Every process with the same V, hash, nodes and weights routes every key alike, whatever the
//!   order in which its nodes came (I4, I5).
//! - When a node comes, keys move only to it. When one goes, only its keys move (I6).
//! - A node's share of the keys is near its share of the weights: with 100 tokens a unit of weight
//!   it mostly lies within a tenth of it.
//! - A change happens whole or not at all (I7).
//!
//! # What is not
//!
//! - That nodes are equally *busy*. A ring spreads keys; one key that everybody reads is one key.
//! - That data moves by itself. A ring says who owns a key. Copying it there is up to you; the
//!   [`recipes`] show the order that loses nothing.
//! - That a client and a server agree which nodes are up. A ring is a pure function of its nodes.
//!
//! # Used well
//!
//! 1. Give nodes ids that survive a restart ([`identity`]).
//! 2. Take V = 100 or more, and look at the ring that you get ([`balance`]).
//! 3. Share a snapshot, and let its fingerprint tell whether two processes route alike
//!    ([`identity`]).
//! 4. Make several changes as one, and publish it whole ([`changes`]).
//! 5. Copy data before you publish, delete after ([`changes`]).
//! 6. Build the ring with a secret where somebody hostile chooses keys or ids ([`limits`]).
//! 7. Watch the load of every node. It is not what the ring promises.
//!
//! # How the figures were made
//!
//! Drawings and tables are made from real rings under the default hash by one command and depend on
//! no clock. Tables of times, in [`changes`] and [`alternatives`], name the run that they are made
//! of; it stands in the repository, and its machine beside the figures. A test fails where a
//! committed file differs from what the command makes:
//!
//! ```text
//! cargo run --release --example guide_figures
//! cargo test -p ring-bench --test guide
//! ```
//!
//! Figures in the text are asserted in the example beside them.
//!
//! # Sources
//!
//! - D. Karger, E. Lehman, T. Leighton, R. Panigrahy, M. Levine, D. Lewin: *Consistent Hashing and
//!   Random Trees: Distributed Caching Protocols for Relieving Hot Spots on the World Wide Web*,
//!   STOC 1997. The ring, and the two properties that it is judged by here: balance and
//!   monotonicity.
//! - J. Lamping, E. Veach: *A Fast, Minimal Memory, Consistent Hash Algorithm*, 2014,
//!   arXiv:1406.2294. Jump hash.
//! - B. Appleton, M. O'Reilly: *Multi-probe consistent hashing*, 2015, arXiv:1505.00062. One token a
//!   node and many probes a key.
//! - D. Eisenbud and others: *Maglev: A Fast and Reliable Software Network Load Balancer*, NSDI
//!   2016.
//! - V. Mirrokni, M. Thorup, M. Zadimoghaddam: *Consistent Hashing with Bounded Loads*, 2017,
//!   arXiv:1608.01350.
//! - D. Thaler, C. Ravishankar: *Using Name-Based Mappings to Increase Hit Rates*, IEEE/ACM
//!   Transactions on Networking 6(1), 1998. Rendezvous hashing.
//! - M. Okabe, K. Ito: *Color Universal Design*, 2008. The colours of the drawings.

pub mod alternatives;
pub mod balance;
pub mod changes;
pub mod costs;
pub mod how_it_works;
pub mod identity;
pub mod limits;
pub mod recipes;
pub mod replicas;
