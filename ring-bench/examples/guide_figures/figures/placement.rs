//! Exact figures of where things stand on a ring.

use ring_core::{HASH_SPACE, Hash64, Ring, fraction, shares};

use super::float;

/// Each node's share over the one that its weight asks for, in byte order of the ids.
pub(super) fn ratios<R: Ring>(ring: &R) -> Vec<f64> {
    shares(ring).iter().map(|share| share.share / share.expected).collect()
}

/// The largest of some ratios.
pub(super) fn largest(ratios: &[f64]) -> f64 {
    ratios.iter().copied().fold(0.0, f64::max)
}

/// The mean square of `ratio - 1`: the square of the coefficient of variation.
pub(super) fn variance(ratios: &[f64]) -> f64 {
    ratios.iter().map(|ratio| (ratio - 1.0).powi(2)).sum::<f64>() / float(ratios.len())
}

/// The middle of some figures, the upper one of two.
pub(super) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// For each node, in byte order of the ids, the exact part of the hash space whose replica set has it at `place`
/// (0: the owner, 1: the second copy).
pub(super) fn copies_at<R: Ring>(ring: &R, place: usize) -> Vec<f64> {
    let ids: Vec<&str> = ring.nodes().map(|node| node.id()).collect();
    let mut arcs = vec![0_u128; ids.len()];
    let last = ring.tokens().last().map_or(0, |token| token.hash());
    let mut previous = last;
    for token in ring.tokens() {
        // From the token before up to this one, every hash has the same replica set. The first arc wraps.
        let arc = u128::from(token.hash().wrapping_sub(previous));
        previous = token.hash();
        let replicas = ring.replicas_at(token.hash(), place + 1);
        if let Some(at) = replicas.nodes().get(place).and_then(|id| ids.binary_search(id).ok()) {
            arcs[at] += arc;
        }
    }
    debug_assert!(ids.len() <= place || arcs.iter().sum::<u128>() == HASH_SPACE);
    arcs.into_iter().map(fraction).collect()
}

/// The key `user:i` with the smallest `i` whose hash lies between two places of the circle, in degrees.
pub(super) fn key_between<H: Hash64>(hash: &H, from: f64, to: f64) -> (String, u64) {
    (1..100_000)
        .map(|i| format!("user:{i}"))
        .map(|key| {
            let hash = hash.hash64(key.as_bytes());
            (key, hash)
        })
        .find(|(_, hash)| (from..to).contains(&degrees(*hash)))
        .unwrap_or_default()
}

/// A hash as an angle, clockwise from the top.
pub(super) fn degrees(hash: u64) -> f64 {
    fraction(u128::from(hash)) * 360.0
}
