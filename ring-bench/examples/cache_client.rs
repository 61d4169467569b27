//! Recipe: a client of a cache fleet.
//!
//! Every client has the ring and asks the owner of a key; what the owner does not have comes from the
//! database and is left there. When a server is added, only the keys that moved to it are missed.
//!
//! ```text
//! cargo run --example cache_client
//! ```
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::collections::{BTreeMap, HashMap};
use std::error::Error;

use ring_core::{Change, Hash64 as _, Ring as _, SharedRing};
use ring_sortedvec::SortedVecRing;

const USERS: u32 = 20_000;

/// The client: a ring that any thread may change, and the servers, which are maps here.
struct CacheClient {
    ring: SharedRing<SortedVecRing>,
    servers: BTreeMap<String, HashMap<String, String>>,
    misses: usize,
}

impl CacheClient {
    fn get(&mut self, key: &str) -> String {
        let ring = self.ring.load();
        let Some(owner) = ring.get_node(key) else { return database(key) };
        // A real client gives what it leaves there a lifetime: when a server goes and comes back,
        // it still has what it held before.
        let server = self.servers.entry(owner.to_owned()).or_default();
        let misses = &mut self.misses;
        server
            .entry(key.to_owned())
            .or_insert_with(|| {
                *misses += 1;
                database(key)
            })
            .clone()
    }

    /// Reads every key, and returns how many were not where the ring said.
    fn read_all(&mut self, keys: &[String]) -> usize {
        self.misses = 0;
        for key in keys {
            assert_eq!(self.get(key), database(key));
        }
        self.misses
    }
}

/// What the cache is there to spare.
fn database(key: &str) -> String {
    format!("profile of {key}")
}

/// How many keys another divisor would send elsewhere.
fn moved_by_modulo(keys: &[String], before: u64, after: u64) -> usize {
    let hash = |key: &String| ring_core::Fnv1aFmix64.hash64(key.as_bytes());
    keys.iter().filter(|key| hash(key) % before != hash(key) % after).count()
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<String> = (0..USERS).map(|user| format!("user:{user}")).collect();
    let mut ring = SortedVecRing::new(100)?;
    let adds: Vec<Change> = (1..=5).map(|i| Change::add(format!("cache-{i}"), 1)).collect();
    ring.apply(&adds)?;
    let mut client =
        CacheClient { ring: SharedRing::new(ring.clone()), servers: BTreeMap::new(), misses: 0 };

    assert_eq!(client.read_all(&keys), keys.len(), "a cold cache misses every key");
    assert_eq!(client.read_all(&keys), 0, "a warm one none");

    client.ring.apply(&[Change::add("cache-6", 1)])?;
    let predicted = {
        let after = client.ring.load();
        keys.iter().filter(|key| ring.get_node(key) != after.get_node(key)).count()
    };
    let missed = client.read_all(&keys);
    assert_eq!(missed, predicted, "what moved is missed once, and nothing else");
    assert_eq!(client.servers["cache-6"].len(), missed, "all of it went to the new server");
    assert_eq!(client.read_all(&keys), 0, "and then the cache is warm again");

    let modulo = moved_by_modulo(&keys, 5, 6);
    assert!(modulo > 4 * missed);
    println!("{} keys on 5 servers, a sixth is added", keys.len());
    println!("missed with the ring:      {missed}");
    println!("missed with hash % N:      {modulo}");
    Ok(())
}

#[test]
fn the_recipe_holds() {
    main().expect("every call of the recipe succeeds");
}
