//! When another scheme is the better tool.
//!
//! Fifty nodes, 100,000 keys, everything under the default hash. One node is added; or one in the
//! middle of the list goes, and the last takes its number. *Needlessly* counts the keys that moved
//! between two nodes that were there before and after (`cargo run --release --example guide_figures
//! schemes.md`):
//!
#![doc = include_str!("figures/schemes.md")]
//!
//! Nothing can move less than the fiftieth part of the keys, 2 %, on average. What each scheme does
//! and costs, for N nodes and M tokens:
//!
//! | scheme | a lookup | memory | a change | weights | nodes that may go |
//! |---|---|---|---|---|---|
//! | ring | O(1) expected on a sorted vector, O(log M) on a tree | O(M) | O(M), O(K log M) | whole numbers | any |
//! | `hash % N` | O(1) | none | none | no | any, but nearly all keys move |
//! | jump | O(log N) | none | none | no | the last one |
//! | rendezvous | O(N) | O(N) | O(1) | any number | any |
//! | Maglev, S slots | O(1) | O(S) | O(S log S) expected | by turns | any, with some needless moves |
//! | multi-probe, P probes | O(P) expected | O(N) | as a ring with V = 1 | by tokens | any |
//!
//! Where the figures come from: jump makes about ln N jumps, one for each time that a growing list
//! of buckets would have taken the key. Rendezvous scores every node. Maglev fills S slots, and
//! near the end a turn tries many slots before it finds a free one; the sum over all slots is about
//! S ln S (Eisenbud and others 2016 derive it).
//!
//! So take
//!
//! - **`hash % N`** when N never changes, or when a change may move everything. Often the best plan
//!   is a fixed number of partitions by `hash % P` and a small table from partition to node.
//! - **jump** when nodes are numbered 0 to N − 1 and only the last comes or goes, as shards of a
//!   store do that each have replicas of their own. It needs no memory, and it is as even as chance
//!   allows. A node in the middle cannot leave: above, the last one took its number, and that moved
//!   as many keys again (Lamping and Veach 2014).
//! - **rendezvous** when N is small, or weights are arbitrary numbers. It moves as little as a ring,
//!   is as even as jump, and the R best scores are the replicas. Each lookup looks at every node.
//! - **Maglev** when lookups per second are everything, the set of nodes is the same for a while,
//!   and a few needless moves do no harm because connections remember where they went.
//! - **multi-probe** when the tokens of a ring would take too much memory. It is as even as a ring
//!   with many tokens, at P searches a lookup (Appleton and O'Reilly 2015).
//! - **a ring** when any node may come or go at any time, weights are whole numbers, replicas are
//!   wanted, nothing may move needlessly, and a lookup should not grow with N.
//!
//! Bounded loads (Mirrokni and others 2017) are no scheme of their own but a layer on a walk; see
//! [the recipe](super::recipes#bounded-loads).
//!
#![doc = include_str!("figures/scheme_times.md")]
