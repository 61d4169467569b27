//! The targets without a fuzzer: every seed and reproducer kept in the tree, and some noise.

use std::fs;
use std::path::Path;

fn replay(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    for entry in fs::read_dir(&folder).expect("every target has a folder of seeds") {
        let path = entry.expect("a folder of seeds can be listed").path();
        run(&fs::read(&path).expect("a seed can be read"));
    }
    // `SplitMix64` by Sebastiano Vigna.
    let mut state = 0_u64;
    let mut word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    for words in 0..64 {
        let noise: Vec<u8> = (0..words).flat_map(|_| word().to_le_bytes()).collect();
        run(&noise);
    }
}

#[test]
fn histories() {
    replay("histories", ring_fuzz::histories::run);
}

#[test]
fn snapshot() {
    replay("snapshot", ring_fuzz::snapshot::run);
}

#[test]
fn capacities() {
    replay("capacities", ring_fuzz::capacities::run);
}

#[test]
fn token_order() {
    replay("token_order", ring_fuzz::token_order::run);
}
