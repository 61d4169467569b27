//! Recipe: a store that keeps three copies of every key.
//!
//! A write goes to the key's three replicas. When a node is lost, every key is still readable, and the
//! repair makes one new copy for each copy that was lost, no more.
//!
//! ```text
//! cargo run --example sharded_store
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use ring_core::{Change, Ring as _, RingError};
use ring_sortedvec::SortedVecRing;

const COPIES: usize = 3;

/// The store: the ring, and what each node holds.
struct Store {
    ring: SortedVecRing,
    nodes: BTreeMap<String, BTreeMap<String, String>>,
}

impl Store {
    fn new(nodes: u32) -> Result<Self, RingError> {
        let mut ring = SortedVecRing::new(100)?;
        let adds: Vec<Change> = (1..=nodes).map(|i| Change::add(format!("store-{i}"), 1)).collect();
        ring.apply(&adds)?;
        Ok(Self { ring, nodes: BTreeMap::new() })
    }

    fn put(&mut self, key: &str, value: &str) {
        let set = self.ring.get_replicas(key, COPIES);
        // Fewer nodes than copies is a decision for the operator, not for a log line nobody reads.
        assert_eq!(set.shortfall(), 0, "the ring has fewer than {COPIES} nodes");
        for &id in set.nodes() {
            let node = self.nodes.entry(id.to_owned()).or_default();
            node.insert(key.to_owned(), value.to_owned());
        }
    }

    /// Asks the replicas in order, and takes the first answer.
    fn get(&self, key: &str) -> Option<&str> {
        self.ring.replicas(key).find_map(|id| self.nodes.get(id)?.get(key)).map(String::as_str)
    }

    /// The node is gone, and its copies with it.
    fn lose(&mut self, id: &str) -> usize {
        self.ring.remove_node(id);
        self.nodes.remove(id).map_or(0, |copies| copies.len())
    }

    /// Brings every key to its replicas and nowhere else; returns how many copies were made and
    /// how many dropped.
    fn repair(&mut self) -> (usize, usize) {
        let everything: BTreeMap<String, String> =
            self.nodes.values().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
        let (mut made, mut dropped) = (0, 0);
        for (key, value) in &everything {
            let set: BTreeSet<&str> =
                self.ring.get_replicas(key, COPIES).nodes().iter().copied().collect();
            for &id in &set {
                let node = self.nodes.entry(id.to_owned()).or_default();
                made += usize::from(node.insert(key.clone(), value.clone()).is_none());
            }
            for (id, node) in &mut self.nodes {
                if !set.contains(id.as_str()) {
                    dropped += usize::from(node.remove(key).is_some());
                }
            }
        }
        (made, dropped)
    }

    /// Every key is readable, and stands on just its replicas.
    fn is_whole(&self, keys: &[String]) -> bool {
        let copies: usize = self.nodes.values().map(BTreeMap::len).sum();
        copies == COPIES * keys.len()
            && keys.iter().all(|key| {
                let set = self.ring.get_replicas(key, COPIES);
                set.nodes().iter().all(|&id| self.nodes[id].get(key) == Some(&value(key)))
            })
    }
}

fn value(key: &str) -> String {
    format!("value of {key}")
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<String> = (0..5_000).map(|i| format!("order:{i}")).collect();
    let mut store = Store::new(8)?;
    for key in &keys {
        store.put(key, &value(key));
    }
    assert!(store.is_whole(&keys));

    // Two of three copies of some keys are lost, and still every key is there.
    let lost = store.lose("store-3") + store.lose("store-5");
    assert!(keys.iter().all(|key| store.get(key) == Some(&value(key))));
    assert!(!store.is_whole(&keys));
    let (made, dropped) = store.repair();
    assert!(store.is_whole(&keys));
    assert_eq!(
        (made, dropped),
        (lost, 0),
        "each lost copy is made again once, and nothing else moves"
    );
    println!("{} keys with {COPIES} copies on 8 nodes", keys.len());
    println!("two nodes lost: {lost} copies gone, {made} made, {dropped} dropped");

    // A node that comes takes copies, and for each of them an old one is dropped.
    store.ring.add_node("store-9", 1)?;
    let (made, dropped) = store.repair();
    assert!(store.is_whole(&keys));
    assert_eq!(made, store.nodes["store-9"].len(), "copies were made on the new node only");
    assert_eq!(made, dropped);
    println!("a node came:    {made} copies made on it, {dropped} dropped elsewhere");
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
