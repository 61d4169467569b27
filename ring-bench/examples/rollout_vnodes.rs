//! Recipe: roll out another V.
//!
//! A ring with another V is another ring, and nearly every key has another owner in it. So both
//! rings stand side by side, and keys go over to the new one in slices. A slice is cut by the *low*
//! bits of the key's hash: places on a ring follow the high bits, so that a slice takes a little
//! from every node.
//!
//! The same steps change the hash, or replace one store by another.
//!
//! ```text
//! cargo run --example rollout_vnodes
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::BTreeMap;
use std::error::Error;

use ring_core::{Change, Hash64 as _, Ring as _, RingError, diff};
use ring_sortedvec::SortedVecRing;

/// Both rings, and how many of 65,536 slices have gone over.
struct Rollout {
    old: SortedVecRing,
    new: SortedVecRing,
    slices: u64,
}

impl Rollout {
    const ALL: u64 = 1 << 16;

    fn new(old: SortedVecRing, vnodes: u32) -> Result<Self, RingError> {
        let mut new = SortedVecRing::new(vnodes)?;
        let nodes: Vec<Change> =
            old.nodes().map(|node| Change::add(node.id(), node.weight())).collect();
        new.apply(&nodes)?;
        Ok(Self { old, new, slices: 0 })
    }

    /// The owner of a key once `slices` have gone over.
    fn owner_with(&self, slices: u64, key: &str) -> Option<&str> {
        let hash = self.old.hasher().hash64(key.as_bytes());
        if hash % Self::ALL < slices { self.new.owner_at(hash) } else { self.old.owner_at(hash) }
    }

    fn owner(&self, key: &str) -> Option<&str> {
        self.owner_with(self.slices, key)
    }
}

/// What each node holds.
type Nodes = BTreeMap<String, BTreeMap<String, u32>>;

fn read(nodes: &Nodes, owner: Option<&str>, key: &str) -> Option<u32> {
    nodes.get(owner?)?.get(key).copied()
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<String> = (0..20_000).map(|i| format!("user:{i}")).collect();
    let mut old = SortedVecRing::new(40)?;
    let adds: Vec<Change> = (1..=10).map(|i| Change::add(format!("node-{i}"), 1)).collect();
    old.apply(&adds)?;
    let mut rollout = Rollout::new(old, 400)?;

    let mut nodes = Nodes::new();
    for (key, value) in keys.iter().zip(0..) {
        let owner = rollout.owner(key).unwrap_or_default().to_owned();
        nodes.entry(owner).or_default().insert(key.clone(), value);
    }

    let mut times_moved: BTreeMap<&str, usize> = BTreeMap::new();
    for step in 1..=8 {
        let slices = Rollout::ALL * step / 8;
        // Copy what this step moves, then send readers to the new owners, then delete.
        let mut moving = Vec::new();
        for (key, value) in keys.iter().zip(0..) {
            let (from, to) = (rollout.owner(key), rollout.owner_with(slices, key));
            if from != to {
                let [from, to] = [from, to].map(|id| id.unwrap_or_default().to_owned());
                nodes.entry(to).or_default().insert(key.clone(), value);
                moving.push((key, from));
            }
        }
        let found = |rollout: &Rollout, nodes: &Nodes| {
            let mut pairs = keys.iter().zip(0..);
            pairs.all(|(key, value)| read(nodes, rollout.owner(key), key) == Some(value))
        };
        assert!(found(&rollout, &nodes), "before the step every key is read");
        rollout.slices = slices;
        assert!(found(&rollout, &nodes), "and after it");
        for (key, from) in &moving {
            nodes.get_mut(from).and_then(|node| node.remove(*key));
            *times_moved.entry(key).or_default() += 1;
        }
        assert!(found(&rollout, &nodes), "and when the old copies are gone");
        assert!(moving.len() < keys.len() / 8 * 11 / 10, "no step moves much more than an eighth");
        println!("step {step} of 8: {} keys moved", moving.len());
    }

    assert!(keys.iter().all(|key| rollout.owner(key) == rollout.new.get_node(key)));
    assert!(times_moved.values().all(|&times| times == 1), "no key moves twice");
    let differ = keys.iter().filter(|key| rollout.old.get_node(key) != rollout.new.get_node(key));
    assert_eq!(times_moved.len(), differ.count(), "and none moves that does not have to");
    assert_eq!(nodes.values().map(BTreeMap::len).sum::<usize>(), keys.len());
    println!(
        "moved in all: {} of {} keys, {:.1} % of the hash space",
        times_moved.len(),
        keys.len(),
        diff(&rollout.old, &rollout.new)?.moved_fraction() * 100.0
    );
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
