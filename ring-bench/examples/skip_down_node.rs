//! Recipe: skip a node that is down, without changing the ring.
//!
//! A node that is down for a minute stays in the ring. A lookup goes on along the walk until it meets
//! a node that is up. That sends every key where a ring without the node would, so nobody has to
//! agree on a new ring, and when the node is back nothing has moved.
//!
//! ```text
//! cargo run --example skip_down_node
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::BTreeSet;
use std::error::Error;

use ring_core::{Change, Ring};
use ring_sortedvec::SortedVecRing;

/// The first node clockwise from the key that is not down.
fn first_up<'a, R: Ring>(ring: &'a R, key: &str, down: &BTreeSet<&str>) -> Option<&'a str> {
    ring.replicas(key).find(|id| !down.contains(id))
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<String> = (0..20_000).map(|i| format!("user:{i}")).collect();
    let mut ring = SortedVecRing::new(100)?;
    let adds: Vec<Change> = (1..=8).map(|i| Change::add(format!("node-{i}"), 1)).collect();
    ring.apply(&adds)?;
    let untouched = ring.fingerprint();

    let mut down = BTreeSet::from(["node-2", "node-7"]);
    let mut without = ring.clone();
    without.apply(&[Change::remove("node-2"), Change::remove("node-7")])?;

    let mut skipped = 0;
    let mut heirs = BTreeSet::new();
    for key in &keys {
        let node = first_up(&ring, key, &down);
        assert_eq!(node, without.get_node(key), "skipping is as good as removing");
        let owner = ring.get_node(key);
        if owner.is_some_and(|id| down.contains(id)) {
            skipped += 1;
            heirs.insert(node);
        } else {
            assert_eq!(node, owner, "no other key moves");
        }
    }
    assert_eq!(heirs.len(), 6, "all six that are left share the load");

    // All down: nobody is asked, and nobody panics.
    let all: BTreeSet<&str> = ring.nodes().map(|node| node.id()).collect();
    assert_eq!(first_up(&ring, "user:1", &all), None);

    down.clear();
    assert!(keys.iter().all(|key| first_up(&ring, key, &down) == ring.get_node(key)));
    assert_eq!(ring.fingerprint(), untouched);
    println!("{} keys on 8 nodes, 2 of them down", keys.len());
    println!("skipped to another node: {skipped} keys, spread over {} nodes", heirs.len());
    println!("back up: every key is where it was");
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
