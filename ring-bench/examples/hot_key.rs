//! Recipe: spread a hot key over its replicas.
//!
//! One key gets a third of all requests. More tokens do not help: a key has one owner. The few keys
//! that are known to be hot are read from R nodes in turn instead of one.
//!
//! ```text
//! cargo run --example hot_key
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use ring_core::{Change, Ring};
use ring_sortedvec::SortedVecRing;

const HOT: &str = "celebrity";
const REPLICAS: usize = 6;

/// Routes reads: hot keys to their replicas in turn, every other key to its owner.
struct Router<'a, R> {
    ring: &'a R,
    hot: BTreeSet<&'a str>,
    turn: usize,
}

impl<'a, R: Ring> Router<'a, R> {
    fn node_for(&mut self, key: &str) -> Option<&'a str> {
        if !self.hot.contains(key) {
            return self.ring.get_node(key);
        }
        let set = self.ring.get_replicas(key, REPLICAS);
        // In turn; a client without a counter takes a random one. An empty ring has nobody to ask.
        self.turn = (self.turn + 1) % set.nodes().len().max(1);
        set.nodes().get(self.turn).copied()
    }

    /// Requests by node for 20,000 different keys and 10,000 requests for the hot one.
    fn run(&mut self) -> BTreeMap<&'a str, usize> {
        let mut loads = BTreeMap::new();
        let users = (0..20_000).map(|i| format!("user:{i}"));
        let all = users.chain(std::iter::repeat_n(HOT.to_owned(), 10_000));
        for key in all {
            *loads.entry(self.node_for(&key).unwrap_or_default()).or_default() += 1;
        }
        loads
    }
}

fn ring(vnodes: u32) -> Result<SortedVecRing, Box<dyn Error>> {
    let mut ring = SortedVecRing::new(vnodes)?;
    let adds: Vec<Change> = (1..=12).map(|i| Change::add(format!("node-{i}"), 1)).collect();
    ring.apply(&adds)?;
    Ok(ring)
}

fn fullest(loads: &BTreeMap<&str, usize>) -> usize {
    loads.values().copied().max().unwrap_or(0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mean = 30_000 / 12;
    for vnodes in [100, 5_000] {
        let ring = ring(vnodes)?;
        let loads = Router { ring: &ring, hot: BTreeSet::new(), turn: 0 }.run();
        assert!(fullest(&loads) > 4 * mean, "the owner of the hot key has it all, whatever V is");
        println!("V = {vnodes}: fullest node {} of {mean} on average", fullest(&loads));
    }

    let ring = ring(100)?;
    let plain = Router { ring: &ring, hot: BTreeSet::new(), turn: 0 }.run();
    let mut router = Router { ring: &ring, hot: BTreeSet::from([HOT]), turn: 0 };
    let spread = router.run();
    let set = ring.get_replicas(HOT, REPLICAS);
    for (id, load) in &spread {
        let owned = plain[id] - if Some(*id) == ring.get_node(HOT) { 10_000 } else { 0 };
        let hot = load - owned;
        // 10,000 requests in turn: each replica has its sixth, give or take one, nobody else any.
        let expected = if set.nodes().contains(id) { 1_666..=1_667 } else { 0..=0 };
        assert!(expected.contains(&hot), "{id} answered {hot} requests for the hot key");
    }
    assert!(fullest(&spread) * 2 < fullest(&plain));
    println!("spread over {REPLICAS} replicas: fullest node {}", fullest(&spread));
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
