//! Recipe: raise a weight in steps, watch the load of every node between them, and stop at a bound.
//!
//! A new machine may be larger than the others; how much larger shows under real traffic only. Its
//! weight goes up by one a step. After each step the load per node is measured, and where a node
//! carries more than its bound, the step is taken back and that is the weight.
//!
//! ```text
//! cargo run --example weight_steps
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::BTreeMap;
use std::error::Error;

use ring_core::{Change, Ring, SharedRing, diff};
use ring_sortedvec::SortedVecRing;

const NEW: &str = "node-new";

/// Requests that the new machine was seen to carry.
const BOUND: u32 = 100_000;

/// The weight that would do if the machine were as large as hoped.
const WANTED: u32 = 8;

/// Some minutes of traffic: 5,000 keys, a few of them asked for much more often.
fn traffic() -> impl Iterator<Item = (String, u32)> {
    (1..=5_000).map(|i| (format!("user:{i}"), 20 + 20_000 / i))
}

/// Requests by node.
fn loads<R: Ring>(ring: &R) -> BTreeMap<String, u32> {
    let mut loads: BTreeMap<String, u32> =
        ring.nodes().map(|node| (node.id().to_owned(), 0)).collect();
    for (key, requests) in traffic() {
        if let Some(load) = ring.get_node(key).and_then(|id| loads.get_mut(id)) {
            *load += requests;
        }
    }
    loads
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut ring = SortedVecRing::new(100)?;
    let adds: Vec<Change> = (1..=6).map(|i| Change::add(format!("node-{i}"), 1)).collect();
    ring.apply(&adds)?;
    let shared = SharedRing::new(ring);
    shared.apply(&[Change::add(NEW, 1)])?;
    println!("weight of {NEW}, its requests (bound {BOUND}), requests of the fullest other node");

    let mut stopped = false;
    for weight in 1..=WANTED {
        let before = SortedVecRing::clone(&shared.load());
        shared.apply(&[Change::set_weight(NEW, weight)])?;
        let now = shared.load();
        // Nothing but the new node's gain moves, at every step.
        assert!(diff(&before, &*now)?.flows().iter().all(|flow| flow.to == Some(NEW)));

        let loads = loads(&*now);
        let others = loads.iter().filter(|(id, _)| *id != NEW).map(|(_, load)| load).max();
        println!("{weight:>2} {:>8} {:>8}", loads[NEW], others.copied().unwrap_or(0));
        if loads[NEW] > BOUND {
            let back = before.weight(NEW).unwrap_or(1);
            shared.apply(&[Change::set_weight(NEW, back)])?;
            println!("over the bound: back to weight {back}");
            stopped = true;
            break;
        }
    }

    assert!(stopped, "the bound stops the steps before the weight that was hoped for");
    let settled = SortedVecRing::clone(&shared.load());
    let weight = settled.weight(NEW).unwrap_or(0);
    assert!((2..WANTED).contains(&weight));
    assert!(loads(&settled)[NEW] <= BOUND, "the weight that it stopped at keeps the bound");
    let mut more = settled.clone();
    more.set_weight(NEW, weight + 1)?;
    assert!(loads(&more)[NEW] > BOUND, "and the next one does not");
    // Going back left no trace: the same weights are the same ring.
    let mut straight = SortedVecRing::new(100)?;
    straight.apply(&adds)?;
    straight.add_node(NEW, weight)?;
    assert_eq!(settled.fingerprint(), straight.fingerprint());
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
