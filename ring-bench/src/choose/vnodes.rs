//! The question before the backend: how many tokens a node needs for the fullest one to stay near the mean.

use std::collections::BTreeMap;

use ring_core::{DEFAULT_TOKEN_LIMIT, Ring, shares};
use ring_sortedvec::SortedVecStore;
use serde::{Deserialize, Serialize};

use crate::choose::workload::Workload;
use crate::error::BenchError;
use crate::hashes::AnyHash;
use crate::law::{Group, Sampler, over_probability, smallest_vnodes};
use crate::stats::real;
use crate::subject::built;
use crate::workload::Membership;

/// The probability with which the limit must hold.
pub const PROBABILITY: f64 = 0.99;

/// Shares drawn by the law, over all rings.
const DRAWS: u64 = 4_000_000;
/// Tokens hashed for real rings, over all of them.
const TOKENS: u64 = 8_000_000;

/// The smallest V, and how it was checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vnodes {
    /// The limit: the fullest node's share over its expected one.
    pub max_over_mean: f64,
    /// The probability with which it holds.
    pub probability: f64,
    /// The smallest V that does.
    pub vnodes: u32,
    /// Tokens of such a ring.
    pub tokens: u64,
    /// The bound of the law for a ring to break the limit at this V.
    pub over_bound: f64,
    /// Rings drawn by the law.
    pub drawn_rings: u64,
    /// Of them, rings within the limit.
    pub drawn_within: u64,
    /// Rings made with the workload's hash and fresh node ids.
    pub made_rings: u64,
    /// Of them, rings within the limit.
    pub made_within: u64,
    /// Bytes of such a ring, by backend.
    pub bytes: BTreeMap<String, u64>,
    /// One lookup in it, in nanoseconds, by backend.
    pub lookup_ns: BTreeMap<String, f64>,
}

/// Nodes by weight.
fn groups(membership: &Membership) -> Vec<Group> {
    let mut by_weight: BTreeMap<u32, u64> = BTreeMap::new();
    for (_, weight) in &membership.nodes {
        *by_weight.entry(*weight).or_insert(0) += 1;
    }
    by_weight.into_iter().map(|(weight, nodes)| Group { weight, nodes }).collect()
}

/// Finds the smallest V for the workload's nodes and weights, and checks it by sampling; bytes and times are left empty.
///
/// # Errors
///
/// A usage error for a limit that is not above 1, or needs more tokens than a ring may have.
pub fn smallest(workload: &Workload, limit: f64) -> Result<Vnodes, BenchError> {
    if !(limit > 1.0 && limit.is_finite()) {
        return Err(BenchError::usage(format!(
            "--max-over-mean: the fullest node is always above the mean, so the limit is a number above 1, not {limit}"
        )));
    }
    let membership = workload.spec("sortedvec").membership();
    let groups = groups(&membership);
    let total = membership.total_weight();
    let most = u32::try_from(u64::from(DEFAULT_TOKEN_LIMIT) / (total + u64::from(workload.batch)))
        .unwrap_or(u32::MAX);
    let vnodes = smallest_vnodes(&groups, limit, 1.0 - PROBABILITY, most).ok_or_else(|| {
        BenchError::usage(format!(
            "--max-over-mean {limit}: {} nodes would need more than {most} tokens per unit of weight, and the ring more \
             than its limit of {DEFAULT_TOKEN_LIMIT} tokens",
            workload.nodes
        ))
    })?;
    let drawn_rings = (DRAWS / workload.nodes as u64).clamp(100, 20_000);
    let mut sampler = Sampler::new(workload.seed);
    let drawn = (0..drawn_rings).filter(|_| sampler.max_over_mean(&groups, vnodes) <= limit);
    let drawn_within = drawn.count() as u64;
    let tokens = total * u64::from(vnodes);
    let made_rings = (TOKENS / tokens.max(1)).clamp(5, 500);
    let hash = AnyHash::named(&workload.hash, Some(*b"ring-bench secre"))?;
    let made_within = made_within(&membership, vnodes, hash, limit, made_rings)?;
    Ok(Vnodes {
        max_over_mean: limit,
        probability: PROBABILITY,
        vnodes,
        tokens,
        over_bound: over_probability(&groups, vnodes, limit),
        drawn_rings,
        drawn_within,
        made_rings,
        made_within,
        bytes: BTreeMap::new(),
        lookup_ns: BTreeMap::new(),
    })
}

/// How many of some rings with fresh ids stay within the limit.
fn made_within(
    membership: &Membership,
    vnodes: u32,
    hash: AnyHash,
    limit: f64,
    rings: u64,
) -> Result<u64, BenchError> {
    let mut within = 0;
    for at in 0..rings {
        let nodes = &membership.nodes;
        let renamed = Membership {
            nodes: nodes.iter().map(|(id, weight)| (format!("{id}.{at}"), *weight)).collect(),
            vnodes,
        };
        let ring = built::<SortedVecStore, _>(&renamed, hash)?;
        within += u64::from(max_over_mean(&ring) <= limit);
    }
    Ok(within)
}

/// The largest share over expected share.
fn max_over_mean<R: Ring>(ring: &R) -> f64 {
    shares(ring).iter().map(|share| share.share / share.expected).fold(0.0, f64::max)
}

impl Vnodes {
    /// Whether the samples agree with the law: no more rings over the limit than its bound allows, five deviations of
    /// the count off.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let allows = |rings: u64, within: u64| {
            let expected = real(rings) * self.over_bound;
            real(rings - within) <= expected + 5.0 * expected.sqrt().max(1.0)
        };
        allows(self.drawn_rings, self.drawn_within) && allows(self.made_rings, self.made_within)
    }

    /// What was found, in a sentence.
    #[must_use]
    pub fn sentence(&self, nodes: usize) -> String {
        format!(
            "{} tokens per unit of weight keep the fullest of {nodes} nodes within {} times its expected share with {:.0} % \
             probability; {} of {} rings drawn by the Beta law stayed within, and {} of {} made with fresh ids",
            self.vnodes,
            self.max_over_mean,
            self.probability * 100.0,
            self.drawn_within,
            self.drawn_rings,
            self.made_within,
            self.made_rings,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::workload::Lookups;

    #[test]
    fn the_smallest_v_holds_in_samples() {
        for max_weight in [1, 3] {
            let workload = Workload { max_weight, ..Workload::new(10, Lookups::Only) };
            let found = smallest(&workload, 1.5).unwrap();
            assert!(found.agrees(), "{found:?}");
            assert!(found.over_bound <= 0.01);
            assert!(found.drawn_within < found.drawn_rings, "a limit that never bites: {found:?}");
        }
    }

    #[test]
    fn limits_that_cannot_be_kept_are_refused() {
        let workload = Workload::new(1_000, Lookups::Only);
        for (limit, word) in
            [(1.0, "above 1"), (f64::NAN, "NaN"), (0.5, "0.5"), (1.001, "limit of")]
        {
            let error = smallest(&workload, limit).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
