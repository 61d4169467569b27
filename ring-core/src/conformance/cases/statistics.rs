//! Balance and movement against the exact theory of random rings, `testdata/theory.csv`.
//!
//! Shares and movement are measured from arcs, so that nothing but the ring itself is random. Every
//! seed is fixed: these tests give the same answer each time.

use super::super::backend::Backend;
use super::super::support::empty;
use super::super::vectors;
use crate::diff::{diff, shares};
use crate::hash::Fnv1aFmix64;
use crate::membership::Change;
use crate::ring::Ring;

/// One row of the file.
#[derive(Clone, Copy, Debug)]
struct Row {
    nodes: u32,
    vnodes: u32,
    keys: Option<u32>,
    expected: f64,
    low: f64,
    high: Option<f64>,
}

impl Row {
    fn tokens(&self) -> u32 {
        self.nodes * self.vnodes
    }

    fn holds(&self, value: f64) -> bool {
        self.low <= value && self.high.is_none_or(|high| value <= high)
    }
}

/// The rows of one check. A check without rows would prove nothing.
fn rows(check: &str) -> Vec<Row> {
    let text = vectors::text("theory.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("check,N,V,K,expected,low,high,band,basis"));
    let parse = |line: &str| -> Option<Row> {
        // Only the last column holds commas.
        let columns: Vec<&str> = line.splitn(9, ',').collect();
        let [name, nodes, vnodes, keys, expected, low, high, _, _] = columns[..] else {
            panic!("a row of theory.csv has 9 columns, not so {line:?}")
        };
        let float = |text: &str| -> f64 { text.parse().expect("a number in theory.csv") };
        let whole = |text: &str| -> u32 { text.parse().expect("a whole number in theory.csv") };
        (name == check).then(|| Row {
            nodes: whole(nodes),
            vnodes: whole(vnodes),
            keys: (!keys.is_empty()).then(|| whole(keys)),
            expected: float(expected),
            low: float(low),
            high: (!high.is_empty()).then(|| float(high)),
        })
    };
    let rows: Vec<Row> = lines.filter_map(parse).collect();
    assert!(!rows.is_empty(), "theory.csv has no rows for {check:?}");
    rows
}

/// How many rings of a size make up a sample: a hundred small ones, a few large ones.
fn sample_size(row: &Row) -> u32 {
    (100_000 / row.tokens()).clamp(4, 100)
}

/// A ring of equal nodes. Another seed names other nodes, which makes an independent ring.
fn ring<B: Backend>(backend: &B, nodes: u32, vnodes: u32, seed: u32) -> B::Ring<Fnv1aFmix64> {
    let mut ring = empty(backend, vnodes);
    let adds: Vec<Change> =
        (0..nodes).map(|node| Change::add(format!("ring-{seed}-node-{node}"), 1)).collect();
    assert_eq!(ring.apply(&adds), Ok(()));
    ring
}

/// Each node's part of the hash space over the mean part.
fn relative_shares<R: Ring>(ring: &R) -> Vec<f64> {
    shares(ring).iter().map(|share| share.share / share.expected).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values)
}

#[expect(clippy::cast_precision_loss, reason = "samples have far fewer than 2^53 values")]
fn count<T>(values: &[T]) -> f64 {
    values.len() as f64
}

/// Population variance over the squared mean.
fn cv2(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: Vec<f64> = values.iter().map(|value| (value - mean).powi(2)).collect();
    squares.iter().sum::<f64>() / count(values) / mean.powi(2)
}

/// Standard deviation of the Beta law with these parameters.
fn beta_deviation(a: f64, b: f64) -> f64 {
    (a * b / ((a + b).powi(2) * (a + b + 1.0))).sqrt()
}

/// The mean of a sample lies within four deviations of the mean.
#[track_caller]
fn assert_mean(values: &[f64], expected: f64, deviation: f64, what: &str) {
    let distance = (mean(values) - expected).abs();
    let allowed = 4.0 * deviation / count(values).sqrt();
    assert!(
        distance <= allowed,
        "{what}: the mean of {} rings is {}, {distance} from {expected}, where {allowed} is allowed",
        values.len(),
        mean(values)
    );
}

/// Values that fell out of their band, against how many had to by chance.
#[derive(Debug, Default)]
struct Outside {
    values: f64,
    found: f64,
    expected: f64,
}

impl Outside {
    fn add(&mut self, holds: bool, chance: f64) {
        self.values += 1.0;
        self.found += f64::from(u8::from(!holds));
        self.expected += chance;
    }

    #[track_caller]
    fn check(&self, what: &str) {
        let allowed = self.expected + 4.0 * self.expected.sqrt() + 1.0;
        assert!(self.found <= allowed, "{what}: out of their bands are too many, {self:?}");
    }
}

/// The mean of cv² over many rings, whose exact expectation and deviation are known.
pub(in super::super) fn balance_is_as_even_as_theory_says<B: Backend>(backend: &B) {
    for row in rows("share.cv2.mean_over_S_rings") {
        let sample: Vec<f64> = (0..sample_size(&row))
            .map(|seed| cv2(&relative_shares(&ring(backend, row.nodes, row.vnodes, seed))))
            .collect();
        let what = format!("cv² of {} nodes with {} tokens each", row.nodes, row.vnodes);
        assert_mean(&sample, row.expected, row.low, &what);
    }
}

pub(in super::super) fn the_fullest_and_the_emptiest_node_stay_within_theory<B: Backend>(
    backend: &B,
) {
    let checks = ["share.max/avg", "share.min/avg", "share.max/min", "share.cv"];
    let checks = checks.map(|check| (check, rows(check)));
    let (one, every) = (rows("share.one_node"), rows("share.every_node"));
    let mut rings = Outside::default();
    let mut nodes = Outside::default();
    let mut above_median = [0.0; 3];
    for place in 0..one.len() {
        for seed in 0..sample_size(&one[place]).min(40) {
            let (row, every) = (&one[place], &every[place]);
            let ring = ring(backend, row.nodes, row.vnodes, seed + 1_000);
            let shares = relative_shares(&ring);
            let most = shares.iter().copied().fold(0.0, f64::max);
            let least = shares.iter().copied().fold(f64::MAX, f64::min);
            let values = [most, least, most / least, cv2(&shares).sqrt()];
            for (at, ((_, rows), value)) in checks.iter().zip(values).enumerate() {
                assert_eq!((rows[place].nodes, rows[place].vnodes), (row.nodes, row.vnodes));
                rings.add(rows[place].holds(value), 0.002);
                // The first three rows give the median as what to expect.
                if let Some(above) = above_median.get_mut(at) {
                    *above += f64::from(u8::from(value > rows[place].expected));
                }
            }
            rings.add(every.holds(most) && every.holds(least), 0.001);
            for share in shares {
                nodes.add(row.holds(share), 0.001);
            }
        }
    }
    rings.check("max/avg, min/avg, max/min, cv and every node, ring by ring");
    nodes.check("shares of single nodes");
    let count = rings.values / 5.0;
    for (above, (check, _)) in above_median.iter().zip(&checks) {
        let distance = (above - count / 2.0).abs();
        assert!(
            distance <= 4.0 * (count / 4.0).sqrt(),
            "{check}: {above} of {count} rings lie above the median"
        );
    }
}

/// Fractions of the hash space that move in one kind of change, against their Beta law.
fn assert_movement<B: Backend>(
    backend: &B,
    check: &str,
    others: impl Fn(&Row) -> u32,
    change: impl Fn(&Row, u32) -> Change,
) {
    let mut outside = Outside::default();
    for row in rows(check).iter().filter(|row| row.tokens() <= 20_000) {
        let sample: Vec<f64> = (0..sample_size(row).min(60))
            .map(|seed| {
                let before = ring(backend, row.nodes, row.vnodes, seed + 2_000);
                let mut after = before.clone();
                let change = change(row, seed + 2_000);
                assert_eq!(after.apply(std::slice::from_ref(&change)), Ok(()));
                let moved = diff(&before, &after).expect("one hash");
                let id = Some(change.node_id());
                let only = |flow: &crate::Flow<'_>| match &change {
                    Change::Remove { .. } => flow.from == id,
                    _ => flow.to == id,
                };
                assert!(moved.flows().iter().all(only), "bystanders exchanged keys");
                moved.moved_fraction()
            })
            .collect();
        for &fraction in &sample {
            outside.add(row.holds(fraction), 0.001);
        }
        let deviation = beta_deviation(f64::from(row.vnodes), f64::from(others(row)));
        let what = format!("{check} with {} nodes of {} tokens", row.nodes, row.vnodes);
        assert_mean(&sample, row.expected, deviation, &what);
    }
    outside.check(check);
}

pub(in super::super) fn an_add_moves_as_much_as_theory_says<B: Backend>(backend: &B) {
    assert_movement(backend, "move.add_one_equal_node", Row::tokens, |_, seed| {
        Change::add(format!("ring-{seed}-new"), 1)
    });
}

pub(in super::super) fn a_removal_moves_as_much_as_theory_says<B: Backend>(backend: &B) {
    let others = |row: &Row| row.tokens() - row.vnodes;
    assert_movement(backend, "move.remove_one_node", others, |_, seed| {
        Change::remove(format!("ring-{seed}-node-3"))
    });
}

/// Keys of a corpus: how many each node gets, and how many a new node takes.
pub(in super::super) fn keys_spread_and_move_as_theory_says<B: Backend>(backend: &B) {
    let pick = |check: &str| {
        let of_size = |row: &Row| (row.nodes, row.vnodes, row.keys) == (10, 100, Some(100_000));
        rows(check).into_iter().find(of_size).expect("theory.csv has a row of this size")
    };
    let (count, moved) = (pick("count.one_node"), pick("moved_keys.add_one"));
    let (mut counts, mut differing) = (Outside::default(), Outside::default());
    for seed in 3_000..3_002 {
        let before = ring(backend, 10, 100, seed);
        let mut after = before.clone();
        assert_eq!(after.add_node("new", 1), Ok(()));
        let keys: Vec<String> = (0..100_000).map(|key| format!("{seed}/{key}")).collect();
        let (mut old, mut new) = (Vec::new(), Vec::new());
        before.get_node_batch(&keys, &mut old);
        after.get_node_batch(&keys, &mut new);
        for node in before.nodes() {
            let own = old.iter().filter(|owner| **owner == Some(node.id())).count();
            counts.add(count.holds(f64::from(u32::try_from(own).unwrap_or(u32::MAX))), 0.001);
        }
        let differ = old.iter().zip(&new).filter(|(old, new)| old != new);
        assert!(differ.clone().all(|(_, new)| *new == Some("new")));
        let differ = u32::try_from(differ.count()).unwrap_or(u32::MAX);
        differing.add(moved.holds(f64::from(differ)), 0.001);
    }
    counts.check("keys of a node");
    differing.check("keys that a new node takes");
}

/// A node of weight w owns w parts in the mean, with the deviation of its Beta law.
pub(in super::super) fn weights_share_out_the_space<B: Backend>(backend: &B) {
    let weights = [1_u32, 2, 4, 8];
    let (vnodes, rings) = (40_u32, 60_u32);
    let all = f64::from(weights.iter().sum::<u32>() * vnodes);
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); weights.len()];
    for seed in 0..rings {
        let mut ring = empty(backend, vnodes);
        for weight in weights {
            assert_eq!(ring.add_node(&format!("{weight}, ring {seed}"), weight), Ok(()));
        }
        for (share, sample) in shares(&ring).iter().zip(&mut samples) {
            sample.push(share.share);
        }
    }
    for (weight, sample) in weights.iter().zip(&samples) {
        let own = f64::from(weight * vnodes);
        let what = format!("the share of a node of weight {weight}");
        assert_mean(sample, own / all, beta_deviation(own, all - own), &what);
    }
}
