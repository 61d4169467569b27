//! Programs to start from.
//!
//! Each stands in `ring-bench/examples`, runs by itself, and asserts what is said of it here:
//!
//! ```text
//! cargo run --example cache_client        one of them
//! cargo test -p ring-bench --test recipes all of them
//! ```
//!
//! In the snippets, `ring` is any [`Ring`](crate::Ring).
//!
//! # A cache client
//!
//! `cache_client`. Every client has the ring and asks the owner; what is not there comes from the
//! database and is left there. When a server is added, just the keys that moved are missed once.
//! Give what is cached a lifetime: a server that goes and comes back still has its old entries.
//!
//! # A sharded store with replicas
//!
//! `sharded_store`. Writes go to the R nodes of the key's replica set, reads to the first that
//! answers. After a loss, the repair makes one copy for each that was lost. Look at the
//! [shortfall](crate::ReplicaSet::shortfall): with fewer nodes than copies, somebody has to decide.
//!
//! # Replicas in distinct zones
//!
//! `zone_aware`. A filter on the lazy walk. The owner stays the owner, and a node that comes still
//! moves nothing between others:
//!
//! ```
//! # use ring_core::Ring;
//! # let mut ring = ring_sortedvec::SortedVecRing::new(100)?;
//! for id in ["east/1", "east/2", "west/1", "west/2", "north/1"] {
//!     ring.add_node(id, 1)?;
//! }
//! let zone = |id: &str| id.split('/').next().map(str::to_owned);
//! let mut zones = std::collections::BTreeSet::new();
//! let set: Vec<&str> =
//!     ring.replicas("user:42").filter(|id| zones.insert(zone(id))).take(3).collect();
//! assert_eq!((set.len(), zones.len()), (3, 3));
//! assert_eq!(Some(set[0]), ring.get_node("user:42"));
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Skipping a node that is down
//!
//! `skip_down_node`. Leave the ring as it is, and go on along the walk. Every key then goes where a
//! ring without the node would send it. Nobody has to agree on a new ring, and when the node is
//! back, nothing has moved:
//!
//! ```
//! # use ring_core::Ring;
//! # let mut ring = ring_sortedvec::SortedVecRing::new(100)?;
//! # for id in ["a", "b", "c"] { ring.add_node(id, 1)?; }
//! let is_up = |id: &str| id != "b";
//! let node = ring.replicas("user:42").find(|id| is_up(id));
//!
//! let mut without = ring.clone();
//! without.remove_node("b");
//! assert_eq!(node, without.get_node("user:42"));
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Draining a node
//!
//! `drain_node`. Long sessions stay with the ring that they began with; new ones use the ring that
//! the node has left. When its last session has ended, switch it off. For data the order is copy,
//! publish, delete, as in `redis_cluster`.
//!
//! # A weight raised in steps
//!
//! `weight_steps`. How much a new machine carries shows under real traffic only. Raise its weight by
//! one, measure the load of every node, and take the step back where the bound is passed. Every step
//! moves keys to that node alone, and going back leaves no trace (I5).
//!
//! # A hot key spread over replicas
//!
//! `hot_key`. Reads of the few keys known to be hot go to R replicas in turn, all others to their
//! owners:
//!
//! ```
//! # use ring_core::Ring;
//! # let mut ring = ring_sortedvec::SortedVecRing::new(100)?;
//! # for id in ["a", "b", "c", "d", "e"] { ring.add_node(id, 1)?; }
//! let set = ring.get_replicas("celebrity", 3);
//! let node_for = |request: usize| set.nodes()[request % set.nodes().len()];
//! assert_eq!(node_for(0), node_for(3));
//! assert_ne!(node_for(0), node_for(1));
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Bounded loads
//!
//! `bounded_loads`. After Mirrokni and others (2017): no node may have more than c times the mean,
//! rounded up. A request goes to the first node clockwise with room. There always is one, since N
//! such bounds sum to at least all requests:
//!
//! ```
//! # use ring_core::Ring;
//! # use std::collections::BTreeMap;
//! # let mut ring = ring_sortedvec::SortedVecRing::new(10)?;
//! # for id in ["a", "b", "c", "d", "e"] { ring.add_node(id, 1)?; }
//! let mut loads: BTreeMap<&str, usize> = BTreeMap::new();
//! for request in 1..=1_000_usize {
//!     let bound = (request * 5).div_ceil(4 * ring.node_count()); // c = 1.25
//!     let node = ring
//!         .replicas(format!("user:{request}"))
//!         .find(|id| loads.get(id).is_none_or(|&load| load < bound))
//!         .expect("a node has room");
//!     *loads.entry(node).or_default() += 1;
//! }
//! assert!(loads.values().all(|&load| load <= 250));
//! # Ok::<(), ring_core::RingError>(())
//! ```
//!
//! # Rolling out a change of V
//!
//! `rollout_vnodes`. A ring with another V is another ring. Both stand side by side, and keys go over
//! in slices cut by the low bits of their hash: places on a ring follow the high bits, so each slice
//! takes a little from every node. A key moves once at most, and always one slice is under way. The
//! same steps change the hash.
//!
//! A larger V keeps the tokens of the smaller one and adds others, so a little less moves than
//! between two strangers; [`diff`](crate::diff) says how much.
//!
//! # A cluster of Redis servers
//!
//! `redis_cluster`. Five real servers, a sixth comes and one goes, while another thread reads. It
//! moves what [`diff`](crate::diff) says, proves that nothing was lost, and compares the servers' own
//! counts with the prediction. It needs the program `redis-server`; `--keys 20000` makes it short.
