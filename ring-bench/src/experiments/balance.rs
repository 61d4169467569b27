//! How even shares are, and what changes move, over many rings and beside the law.
//!
//! Each case is a ring size under a hash, made [`RINGS`] times with fresh node ids. Shares are exact arcs. The law is
//! that of [`law`](crate::law): for equal weights a share is Beta(V, M − V), the mean of the squared deviation of share
//! over mean is (N − 1)/(M + 1), a joining node takes a Beta(V, M) part, a leaving one gives up its own. Bands hold with
//! 99.9 %; a case in which several of twenty rings fall outside speaks against the hash, not against luck.

use std::collections::BTreeMap;

use ring_core::{Change, Hash64, Ring, diff, shares};
use ring_sortedvec::{SortedVecRing, SortedVecStore};

use crate::corpus::{Corpus, CorpusSpec, Keys, Target};
use crate::error::BenchError;
use crate::hashes::AnyHash;
use crate::law::{
    Group, beta_quantile, cv_squared, keys_cv_squared, over_probability, under_probability,
};
use crate::record::ExactFigure;
use crate::seeded::Stream;
use crate::stats::{median, real, real_len};
use crate::subject::built;
use crate::workload::{BATCH, Membership, Weights};

/// Rings of each case.
pub const RINGS: usize = 20;
/// Keys that are looked up in each ring.
const KEYS: usize = 20_000;
/// Nodes of a replica set.
const REPLICAS: usize = 3;
/// How the names of measures end that were taken after a node joined.
pub const AFTER_ADD: &str = "_after_add";
/// What lies outside a band, at both ends together.
const OUTSIDE: f64 = 0.001;

/// A ring size under a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Case {
    nodes: usize,
    vnodes: u32,
    max_weight: u32,
    hash: &'static str,
}

const CASES: [Case; 8] = [
    Case { nodes: 10, vnodes: 1, max_weight: 1, hash: "fnv1a64-fmix64" },
    Case { nodes: 10, vnodes: 10, max_weight: 1, hash: "fnv1a64-fmix64" },
    Case { nodes: 10, vnodes: 100, max_weight: 1, hash: "fnv1a64-fmix64" },
    Case { nodes: 100, vnodes: 100, max_weight: 1, hash: "fnv1a64-fmix64" },
    Case { nodes: 100, vnodes: 100, max_weight: 1, hash: "xxh3-64" },
    Case { nodes: 100, vnodes: 100, max_weight: 1, hash: "siphash-1-3" },
    Case { nodes: 100, vnodes: 100, max_weight: 4, hash: "fnv1a64-fmix64" },
    Case { nodes: 1000, vnodes: 100, max_weight: 1, hash: "fnv1a64-fmix64" },
];

impl Case {
    fn name(&self) -> String {
        let weights = if self.max_weight > 1 {
            format!(", weights 1 to {}", self.max_weight)
        } else {
            String::new()
        };
        format!("{}x{} {}{weights}", self.nodes, self.vnodes, self.hash)
    }

    /// The `ring`-th membership: fresh ids of one length.
    fn membership(&self, ring: usize, seed: u64) -> Membership {
        let weights =
            if self.max_weight > 1 { Weights::UpTo(self.max_weight) } else { Weights::Equal };
        let mut membership = Membership::new(self.nodes, self.vnodes, weights, seed);
        let mut stream = Stream::new(seed, &format!("balance/{ring}"));
        for (id, _) in &mut membership.nodes {
            *id = format!("{id}-{:08x}", stream.below(1 << 32));
        }
        membership.nodes.sort();
        membership
    }

    fn hash(&self) -> Result<AnyHash, BenchError> {
        AnyHash::named(self.hash, Some(*b"ring-bench secre"))
    }
}

/// How even the shares of a ring are.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Evenness {
    max: f64,
    min: f64,
    cv2: f64,
}

/// Over ratios to the expected share.
fn evenness(ratios: &[f64]) -> Evenness {
    let squares: f64 = ratios.iter().map(|ratio| (ratio - 1.0).powi(2)).sum();
    Evenness {
        max: ratios.iter().copied().fold(0.0, f64::max),
        min: ratios.iter().copied().fold(f64::INFINITY, f64::min),
        cv2: squares / real_len(ratios.len()).max(1.0),
    }
}

/// The shares of the hash space over the expected ones.
fn space<R: Ring>(ring: &R) -> Vec<f64> {
    shares(ring).iter().map(|share| share.share / share.expected).collect()
}

/// The keys of each node over the expected number.
fn keys<R: Ring>(ring: &R, hashes: &[u64]) -> Vec<f64> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for owner in hashes.iter().filter_map(|&hash| ring.owner_at(hash)) {
        *counts.entry(owner).or_insert(0) += 1;
    }
    let total = real_len(hashes.len());
    shares(ring)
        .iter()
        .map(|share| real(counts.get(share.id).copied().unwrap_or(0)) / total / share.expected)
        .collect()
}

/// The figures of all cases. Equal seeds give equal figures on every machine.
///
/// # Errors
///
/// None in practice: the cases can be built.
pub fn run(seed: u64) -> Result<Vec<ExactFigure>, BenchError> {
    let mut figures = Vec::new();
    for case in CASES {
        figures.extend(one(&case, seed)?);
    }
    Ok(figures)
}

/// Six digits: what a law gives is not the same to the last digit on every machine.
fn law(value: f64) -> String {
    format!("{value:.6}")
}

/// What one ring of a case showed.
struct Seen {
    space: Evenness,
    keys: Evenness,
    /// The same after a node joined.
    space_after: Evenness,
    keys_after: Evenness,
    moves: Vec<Move>,
    survivor: f64,
    replica_sets: f64,
}

/// Takes one of the four parts of what was seen.
type PartOf = fn(&Seen) -> Evenness;

/// What one change moved.
struct Move {
    change: &'static str,
    part: f64,
    keys: f64,
    modulo: f64,
}

fn one(case: &Case, seed: u64) -> Result<Vec<ExactFigure>, BenchError> {
    let hash = case.hash()?;
    let seen: Vec<Seen> =
        (0..RINGS).map(|ring| look(case, ring, seed, hash)).collect::<Result<_, _>>()?;
    let name = case.name();
    let membership = case.membership(0, seed);
    let mut figures = Vec::new();
    evenness_figures(&mut figures, case, &name, &seen, &membership);
    move_figures(&mut figures, case, &name, &seen, &membership);
    Ok(figures)
}

fn look(case: &Case, ring: usize, seed: u64, hash: AnyHash) -> Result<Seen, BenchError> {
    let refused = |e: ring_core::RingError| BenchError::failed(format!("balance: {e}"));
    let membership = case.membership(ring, seed);
    let before: SortedVecRing<AnyHash> = built::<SortedVecStore, _>(&membership, hash)?;
    let hashes = hashes(&membership, hash, seed.wrapping_add(ring as u64))?;
    let (middle, weight) = &membership.nodes[membership.nodes.len() / 2];
    let joins = |count: usize| -> Vec<Change> {
        (0..count).map(|i| Change::add(format!("join-{ring:03}-{i:03}"), 1)).collect()
    };
    let changes: [(&'static str, Vec<Change>); 4] = [
        ("add", joins(1)),
        ("remove", vec![Change::remove(middle.as_str())]),
        ("raise-weight", vec![Change::set_weight(middle.as_str(), weight + 1)]),
        ("add-10", joins(BATCH)),
    ];
    let mut moves = Vec::new();
    let (mut after_add, mut survivor, mut replica_sets) = ([Evenness::default(); 2], 0.0, 0.0);
    for (change, changes) in changes {
        let mut after = before.clone();
        after.apply(&changes).map_err(refused)?;
        let moved = |hash: &&u64| before.owner_at(**hash) != after.owner_at(**hash);
        let of_keys = real_len(hashes.iter().filter(moved).count()) / real_len(hashes.len());
        moves.push(Move {
            change,
            part: diff(&before, &after).map_err(refused)?.moved_fraction(),
            keys: of_keys,
            modulo: modulo(&before, &after, &hashes),
        });
        match change {
            "add" => {
                after_add = [evenness(&space(&after)), evenness(&keys(&after, &hashes))];
                let set = |ring: &SortedVecRing<AnyHash>, hash: u64| -> Vec<String> {
                    let found = ring.replicas_at(hash, REPLICAS);
                    let mut ids: Vec<String> =
                        found.nodes().iter().map(|id| (*id).to_owned()).collect();
                    ids.sort();
                    ids
                };
                let sample = &hashes[..hashes.len().min(4_000)];
                let changed = sample.iter().filter(|&&h| set(&before, h) != set(&after, h)).count();
                replica_sets = real_len(changed) / real_len(sample.len());
            }
            "remove" => {
                let old: BTreeMap<String, f64> =
                    shares(&before).iter().map(|s| (s.id.to_owned(), s.share)).collect();
                survivor = shares(&after)
                    .iter()
                    .filter_map(|share| Some(share.share / old.get(share.id)?))
                    .fold(0.0, f64::max);
            }
            _ => {}
        }
    }
    Ok(Seen {
        space: evenness(&space(&before)),
        keys: evenness(&keys(&before, &hashes)),
        space_after: after_add[0],
        keys_after: after_add[1],
        moves,
        survivor,
        replica_sets,
    })
}

/// The hashes of the keys that are looked up.
fn hashes(membership: &Membership, hash: AnyHash, seed: u64) -> Result<Vec<u64>, BenchError> {
    let spec = CorpusSpec { keys: Keys::Uniform(16), count: Some(KEYS), seed };
    let target = Target { membership, hash_name: hash.name(), hash: &|bytes| hash.hash64(bytes) };
    let corpus = Corpus::generate(&spec, &target)?;
    Ok(corpus.keys(0..corpus.len()).map(|key| hash.hash64(key)).collect())
}

/// The part of the keys that `hash % N` moves, each node as often in the list as it weighs.
fn modulo<R: Ring>(before: &R, after: &R, hashes: &[u64]) -> f64 {
    let list = |ring: &R| -> Vec<String> {
        ring.nodes()
            .flat_map(|node| (0..node.weight()).map(move |_| node.id().to_owned()))
            .collect()
    };
    let (old, new) = (list(before), list(after));
    let pick =
        |list: &[String], hash: u64| usize::try_from(hash % list.len().max(1) as u64).unwrap_or(0);
    let moved = hashes.iter().filter(|&&hash| old[pick(&old, hash)] != new[pick(&new, hash)]);
    real_len(moved.count()) / real_len(hashes.len())
}

fn evenness_figures(
    figures: &mut Vec<ExactFigure>,
    case: &Case,
    name: &str,
    seen: &[Seen],
    membership: &Membership,
) {
    let mut push = |measure: &str, value: String| {
        figures.push(ExactFigure::new("balance", name, measure, value));
    };
    // Of the hash space and of keys, before and after a node joined: names as suffix and prefix.
    let parts: [(&str, &str, PartOf); 4] = [
        ("", "", |s| s.space),
        ("", AFTER_ADD, |s| s.space_after),
        ("keys_", "", |s| s.keys),
        ("keys_", AFTER_ADD, |s| s.keys_after),
    ];
    for (prefix, suffix, of) in parts {
        let own: Vec<Evenness> = seen.iter().map(of).collect();
        let all = |figure: fn(&Evenness) -> f64| own.iter().map(figure).collect::<Vec<f64>>();
        let middle = |figure: fn(&Evenness) -> f64| median(&all(figure)).unwrap_or(0.0);
        let mut push = |measure: &str, value: f64| {
            // A node without a key makes an endless ratio, which is no figure.
            let value = if value.is_finite() { value.to_string() } else { String::new() };
            push(&format!("{prefix}{measure}{suffix}"), value);
        };
        push("max_over_mean", middle(|e| e.max));
        push("max_over_mean_worst", all(|e| e.max).into_iter().fold(0.0, f64::max));
        push("min_over_mean", middle(|e| e.min));
        push("min_over_mean_worst", all(|e| e.min).into_iter().fold(f64::INFINITY, f64::min));
        push("max_over_min", middle(|e| e.max / e.min));
        push("cv", (all(|e| e.cv2).iter().sum::<f64>() / real_len(seen.len())).sqrt());
    }
    let groups = groups(membership);
    // A node of weight 1 joins.
    let joined = [groups.clone(), vec![Group { weight: 1, nodes: 1 }]].concat();
    for (suffix, groups) in [("", groups), (AFTER_ADD, joined)] {
        push(&format!("rings{suffix}"), seen.len().to_string());
        // No ring but one in a thousand has a fuller node than this, or an emptier one than that.
        let over = |limit: f64| over_probability(&groups, case.vnodes, limit) > OUTSIDE;
        push(&format!("law_max_over_mean_bound{suffix}"), law(turning(1.0, 1_000.0, over)));
        let under = |limit: f64| under_probability(&groups, case.vnodes, limit) <= OUTSIDE;
        push(&format!("law_min_over_mean_bound{suffix}"), law(turning(0.0, 1.0, under)));
        if case.max_weight == 1 {
            let nodes = groups.iter().map(|group| group.nodes).sum();
            let (mean, deviation) = cv_squared(nodes, case.vnodes);
            // The mean over rings stays within four of its own standard deviations.
            let around = 4.0 * deviation / real_len(seen.len()).sqrt();
            push(&format!("law_cv{suffix}"), law(mean.sqrt()));
            push(&format!("law_cv_low{suffix}"), law((mean - around).max(0.0).sqrt()));
            push(&format!("law_cv_high{suffix}"), law((mean + around).sqrt()));
            let of_keys = keys_cv_squared(nodes, case.vnodes, KEYS as u64);
            push(&format!("law_keys_cv{suffix}"), law(of_keys.sqrt()));
        }
    }
}

/// Nodes by weight.
fn groups(membership: &Membership) -> Vec<Group> {
    let mut by_weight: BTreeMap<u32, u64> = BTreeMap::new();
    for (_, weight) in &membership.nodes {
        *by_weight.entry(*weight).or_insert(0) += 1;
    }
    by_weight.into_iter().map(|(weight, nodes)| Group { weight, nodes }).collect()
}

/// Where `holds` turns from true to false between two values, by halving.
fn turning(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if holds(middle) { low = middle } else { high = middle }
    }
    high
}

fn move_figures(
    figures: &mut Vec<ExactFigure>,
    case: &Case,
    name: &str,
    seen: &[Seen],
    membership: &Membership,
) {
    let (v, m) = (f64::from(case.vnodes), real(membership.token_count()));
    for (at, first) in seen[0].moves.iter().enumerate() {
        let case_name = format!("{name}: {}", first.change);
        let mut push = |measure: &str, value: String| {
            figures.push(ExactFigure::new("move", case_name.clone(), measure, value));
        };
        let parts: Vec<f64> = seen.iter().map(|s| s.moves[at].part).collect();
        let mean = |of: &dyn Fn(&Move) -> f64| {
            seen.iter().map(|s| of(&s.moves[at])).sum::<f64>() / real_len(seen.len())
        };
        push("rings", seen.len().to_string());
        push("moved_mean", mean(&|m| m.part).to_string());
        push("moved_least", parts.iter().copied().fold(1.0, f64::min).to_string());
        push("moved_most", parts.iter().copied().fold(0.0, f64::max).to_string());
        push("keys_moved_mean", mean(&|m| m.keys).to_string());
        push("modulo_keys_moved_mean", mean(&|m| m.modulo).to_string());
        // How many tokens come or go, where the node is of equal weight and the law is exact.
        let law_of = match first.change {
            "add" => Some((v, m)),
            "add-10" => Some((v * real(BATCH as u64), m)),
            "remove" if case.max_weight == 1 => Some((v, m - v)),
            _ => None,
        };
        if let Some((a, b)) = law_of {
            let (low, high) =
                (beta_quantile(OUTSIDE / 2.0, a, b), beta_quantile(1.0 - OUTSIDE / 2.0, a, b));
            push("law_mean", law(a / (a + b)));
            push("law_low", law(low));
            push("law_high", law(high));
            let within = parts.iter().filter(|&&part| low <= part && part <= high).count();
            push("rings_within", within.to_string());
        } else if case.max_weight == 1 {
            // New tokens take a V/(M + V) part, of which the node owned V/M before.
            push("law_mean", law(v / (m + v) * (1.0 - v / m)));
        }
        let middle = |figure: &dyn Fn(&Seen) -> f64| {
            median(&seen.iter().map(figure).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        match first.change {
            "remove" => push("worst_survivor_growth", middle(&|s| s.survivor).to_string()),
            "add" => {
                push("replica_sets_changed", middle(&|s| s.replica_sets).to_string());
                if case.max_weight == 1 {
                    let n = real_len(case.nodes) + 1.0;
                    push("law_replica_sets_changed", law(real(REPLICAS as u64) / n));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(figures: &[ExactFigure], case: &str, measure: &str) -> f64 {
        let found = figures.iter().find(|f| f.case == case && f.measure == measure);
        found.unwrap_or_else(|| panic!("{case} {measure}")).value.parse().unwrap()
    }

    #[test]
    fn rings_follow_the_law_and_figures_repeat() {
        let case = CASES[2];
        let figures = one(&case, 7).unwrap();
        assert_eq!(figures, one(&case, 7).unwrap());
        assert_ne!(figures, one(&case, 8).unwrap());
        let name = case.name();
        let of = |measure| value(&figures, &name, measure);
        for of_what in ["", "keys_"] {
            for when in ["", AFTER_ADD] {
                let of =
                    |measure: &str| value(&figures, &name, &format!("{of_what}{measure}{when}"));
                assert!(of("min_over_mean") < 1.0 && of("max_over_mean") > 1.0);
                assert!(of("min_over_mean_worst") <= of("min_over_mean"));
                assert!(of("max_over_min") > 1.0);
                let law = value(&figures, &name, &format!("law_{of_what}cv{when}"));
                assert!((of("cv") / law - 1.0).abs() < 0.35, "{of_what}{when} {}", of("cv"));
            }
        }
        assert!(of("law_cv_low") < of("cv") && of("cv") < of("law_cv_high"), "{}", of("cv"));
        // Counting keys adds chance to the deviation of the space.
        assert!(of("law_keys_cv") > of("law_cv") && of("keys_cv") > of("cv"));
        for when in ["", AFTER_ADD] {
            let of = |measure: &str| value(&figures, &name, &format!("{measure}{when}"));
            assert!(of("max_over_mean_worst") < of("law_max_over_mean_bound"), "{when}");
            assert!(of("min_over_mean_worst") > of("law_min_over_mean_bound"), "{when}");
        }
        // One node more is one more that can be the fullest.
        assert!(of("law_max_over_mean_bound_after_add") > of("law_max_over_mean_bound"));
        for change in ["add", "remove", "add-10"] {
            let case = format!("{name}: {change}");
            let of = |measure| value(&figures, &case, measure);
            assert!(of("rings_within") >= 19.0, "{change}");
            assert!((of("moved_mean") / of("law_mean") - 1.0).abs() < 0.1, "{change}");
            assert!((of("keys_moved_mean") - of("moved_mean")).abs() < 0.01, "{change}");
            assert!(
                of("modulo_keys_moved_mean") > 2.0 * of("keys_moved_mean") || change == "add-10"
            );
        }
        let add = format!("{name}: add");
        let changed = value(&figures, &add, "replica_sets_changed");
        assert!((changed - 3.0 / 11.0).abs() < 0.05, "{changed}");
        let growth = value(&figures, &format!("{name}: remove"), "worst_survivor_growth");
        assert!((1.0..2.0).contains(&growth), "{growth}");
    }
}
