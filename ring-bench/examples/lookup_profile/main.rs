//! Where the instructions of a lookup go: the program that a profiler runs.
//!
//! ```text
//! CARGO_PROFILE_RELEASE_DEBUG=1 cargo build --release --package ring-bench --example lookup_profile
//! valgrind --tool=callgrind --callgrind-out-file=lookups.out --toggle-collect='*look_up*' \
//!     target/release/examples/lookup_profile
//! callgrind_annotate --auto=no lookups.out
//! ```
//!
//! The lines of the last command are source files: those of the hash, of the directory, of the tokens and of the table of
//! nodes. Divide by the number of lookups, which the program prints.

#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::hint::black_box;

use ring_core::{Change, Ring};
use ring_sortedvec::SortedVecRing;

/// Keys, each looked up once.
const KEYS: usize = 100_000;

#[inline(never)]
fn look_up(ring: &SortedVecRing, keys: &[String]) -> usize {
    keys.iter().filter(|key| ring.get_node(key).is_some_and(|id| black_box(id).len() > 1)).count()
}

fn main() -> Result<(), ring_core::RingError> {
    let mut ring = SortedVecRing::new(100)?;
    let adds: Vec<Change> = (0..100).map(|i| Change::add(format!("node-{i}"), 1)).collect();
    ring.apply(&adds)?;
    let keys: Vec<String> = (0..KEYS).map(|i| format!("user:{i:011}")).collect();
    let found = look_up(&ring, &keys);
    println!("{found} lookups of {}-byte keys on 100 nodes of 100 tokens", keys[0].len());
    Ok(())
}
