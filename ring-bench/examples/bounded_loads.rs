//! Recipe: bounded loads, as a layer on the walk.
//!
//! After Mirrokni, Thorup and Zadimoghaddam (2017): no node may have more than c times the mean
//! load, rounded up. A request goes to the first node clockwise that has room.
//!
//! ```text
//! cargo run --example bounded_loads
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::BTreeMap;
use std::error::Error;

use ring_core::{Change, Ring};
use ring_sortedvec::SortedVecRing;

/// A ring with a count of what each node has in hand.
struct Bounded<'a, R> {
    ring: &'a R,
    loads: BTreeMap<&'a str, usize>,
    in_hand: usize,
    /// c in hundredths: 125 allows each node 1.25 times the mean.
    percent: usize,
}

impl<'a, R: Ring> Bounded<'a, R> {
    fn new(ring: &'a R, percent: usize) -> Self {
        assert!(percent >= 100, "the mean itself has to fit");
        let loads = ring.nodes().map(|node| (node.id(), 0)).collect();
        Self { ring, loads, in_hand: 0, percent }
    }

    /// The most that a node may have while `in_hand` requests are out.
    fn capacity(&self, in_hand: usize) -> usize {
        (self.percent * in_hand).div_ceil(100 * self.ring.node_count().max(1))
    }

    /// Takes a request for `key`: the first node clockwise with room, and how many were full before.
    /// `None` in an empty ring only, since the capacities sum to at least what is in hand.
    fn begin(&mut self, key: &str) -> Option<(&'a str, usize)> {
        let capacity = self.capacity(self.in_hand + 1);
        let loads = &self.loads;
        let mut nodes = self.ring.replicas(key).enumerate();
        let (full, id) = nodes.find(|(_, id)| loads[id] < capacity)?;
        *self.loads.entry(id).or_default() += 1;
        self.in_hand += 1;
        Some((id, full))
    }

    /// The request at `id` has ended.
    fn end(&mut self, id: &str) {
        if let Some(load) = self.loads.get_mut(id).filter(|load| **load > 0) {
            *load -= 1;
            self.in_hand -= 1;
        }
    }

    fn fullest(&self) -> usize {
        self.loads.values().copied().max().unwrap_or(0)
    }
}

/// Takes a request for each key, and returns how many reached their owner and how many full nodes
/// were passed.
fn take_all<R: Ring>(bounded: &mut Bounded<'_, R>, keys: &[String]) -> (usize, usize) {
    let (mut at_owner, mut passed) = (0, 0);
    for key in keys {
        let Some((id, full)) = bounded.begin(key) else { continue };
        assert!(bounded.loads[id] <= bounded.capacity(bounded.in_hand), "at every moment");
        at_owner += usize::from(full == 0);
        passed += full;
    }
    (at_owner, passed)
}

fn main() -> Result<(), Box<dyn Error>> {
    // Ten tokens a node make an uneven ring on purpose.
    let mut ring = SortedVecRing::new(10)?;
    let adds: Vec<Change> = (1..=20).map(|i| Change::add(format!("node-{i}"), 1)).collect();
    ring.apply(&adds)?;
    let mean = 1_000;

    let users: Vec<String> = (0..20 * mean).map(|i| format!("user:{i}")).collect();
    let hot: Vec<String> = users
        .iter()
        .enumerate()
        .map(|(i, key)| if i % 4 == 0 { "celebrity".to_owned() } else { key.clone() })
        .collect();
    for (name, keys) in [("20,000 keys once each", &users), ("a fourth of them one key", &hot)] {
        let mut counts = BTreeMap::<_, usize>::new();
        for key in keys {
            *counts.entry(ring.get_node(key)).or_default() += 1;
        }
        let plain = counts.values().copied().max().unwrap_or(0);
        let mut bounded = Bounded::new(&ring, 125);
        let (at_owner, passed) = take_all(&mut bounded, keys);

        assert!(plain > mean * 125 / 100, "the ring alone breaks the bound");
        assert_eq!(bounded.loads.values().sum::<usize>(), keys.len(), "every request is taken");
        assert!(bounded.fullest() <= mean * 125 / 100, "the layer keeps it");
        assert!(at_owner * 2 > keys.len(), "and most requests still reach their owner");
        println!(
            "{name}: fullest {plain} -> {} (mean {mean}), {at_owner} at their owner, {passed} full nodes passed",
            bounded.fullest()
        );
    }

    // Room that comes free is used again: requests end, and the next one goes to its owner.
    let mut bounded = Bounded::new(&ring, 125);
    let first = bounded.begin("celebrity").map(|(id, _)| id);
    assert_eq!(first, ring.get_node("celebrity"));
    assert_ne!(bounded.begin("celebrity").map(|(id, _)| id), first, "one in hand is its bound");
    if let Some(id) = &first {
        bounded.end(id);
    }
    assert_eq!(bounded.begin("celebrity").map(|(id, _)| id), first);
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
