//! Recipe: replicas in distinct zones, by a filter on the walk.
//!
//! Twelve nodes in four zones. The walk goes on past nodes whose zone has a copy already, so losing a
//! whole zone costs a key one copy at the most.
//!
//! ```text
//! cargo run --example zone_aware
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::BTreeSet;
use std::error::Error;

use ring_core::{Change, Ring};
use ring_sortedvec::SortedVecRing;

/// A node's zone. Here the id begins with it; a table of your own does as well.
fn zone_of(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

/// The first `r` nodes of distinct zones clockwise from the key, the owner first. Fewer where there
/// are fewer zones: two copies in one zone would only look like safety.
fn in_zones<'a, R: Ring>(ring: &'a R, key: &str, r: usize) -> Vec<&'a str> {
    let mut zones = BTreeSet::new();
    ring.replicas(key).filter(|id| zones.insert(zone_of(id))).take(r).collect()
}

fn zones_of(nodes: &[&str]) -> usize {
    nodes.iter().map(|id| zone_of(id)).collect::<BTreeSet<_>>().len()
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<String> = (0..10_000).map(|i| format!("user:{i}")).collect();
    let mut ring = SortedVecRing::new(100)?;
    let adds: Vec<Change> = ["east", "north", "south", "west"]
        .iter()
        .flat_map(|zone| (1..=3).map(move |i| Change::add(format!("{zone}/node-{i}"), 1)))
        .collect();
    ring.apply(&adds)?;

    let crowded = keys.iter().filter(|key| zones_of(ring.get_replicas(key, 3).nodes()) < 3).count();
    assert!(crowded > 0, "without the filter some keys have two copies in one zone");

    let mut hit = 0;
    for key in &keys {
        let nodes = in_zones(&ring, key, 3);
        assert_eq!((nodes.len(), zones_of(&nodes)), (3, 3));
        assert_eq!(Some(nodes[0]), ring.get_node(key), "the owner stays the owner");
        // Zone "north" burns down.
        let left = nodes.iter().filter(|id| zone_of(id) != "north").count();
        assert!(left >= 2);
        hit += usize::from(left == 2);
        assert_eq!(
            in_zones(&ring, key, 5).len(),
            4,
            "there are four zones, and five were asked for"
        );
    }

    // What is true of owners is true of these sets: a node that comes takes copies, and moves none
    // between others.
    let mut more = ring.clone();
    more.add_node("north/node-4", 1)?;
    let mut changed = 0;
    for key in &keys {
        let (before, after) = (in_zones(&ring, key, 3), in_zones(&more, key, 3));
        assert!(after.iter().all(|id| *id == "north/node-4" || before.contains(id)));
        changed += usize::from(before != after);
    }
    println!("{} keys, 3 copies, 12 nodes in 4 zones", keys.len());
    println!("two copies in one zone without the filter: {crowded} keys, with it: 0");
    println!("a zone is lost: {hit} keys lose one copy, none loses two");
    println!("a node comes:   {changed} keys have another set, by that node alone");
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
