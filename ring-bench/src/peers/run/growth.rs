//! How costs grow with the number of tokens.

use super::plan::{Contender, NODE, TEN, VNODES, one_read, two_reads};
use super::results::{Results, What};
use super::{Counted, Effort, footprint};
use crate::peers::list as names;
use crate::peers::record::{GrowthPoint, GrowthRow};
use crate::routine::Routine;
use crate::stats::real;

/// All curves.
pub(super) fn rows(effort: &Effort, results: &Results, counted: &[Counted]) -> Vec<GrowthRow> {
    let mut rows = Vec::new();
    let [vector, tree] = [Contender::vector(names::DEFAULT), Contender::tree(names::DEFAULT)];
    let both = [&vector, &tree];
    for (routine, phase) in [
        (Routine::Search, 0),
        (Routine::Get, 0),
        (NODE, 0),
        (NODE, 1),
        (TEN, 0),
        (TEN, 1),
        (Routine::Build, 0),
    ] {
        for worker in 0..both.len() {
            let time = |nodes| {
                let what = What { nodes, routine, phase };
                Some(results.time_beside(both, worker, what)?.interval)
            };
            let operation = routine.phases()[phase].operation;
            let points = points(effort.sizes, time);
            rows.push(row(both[worker], operation, "ns", points));
        }
    }
    for contender in both {
        let heap = |nodes| {
            let known = counted.iter().find(|c| c.contender == *contender && c.nodes == nodes)?;
            Some(crate::stats::Interval::exact(real(known.memory.bulk_bytes)))
        };
        rows.push(row(contender, "heap", "bytes", points(effort.sizes, heap)));
    }
    for (reads, name) in
        [(one_read as fn(usize) -> Contender, names::ONE_READ), (two_reads, names::TWO_READS)]
    {
        let time = |nodes| {
            let kernel = reads(footprint(counted, nodes));
            let what = What::first(nodes, Routine::Search);
            Some(results.time_beside([&vector, &kernel], 1, what)?.interval)
        };
        let kernel = Contender::new(name, names::DEFAULT);
        rows.push(row(&kernel, "search", "ns", points(effort.sizes, time)));
    }
    let small: Vec<usize> = effort.middling().collect();
    let map = Contender::new(names::BTREE_MAP, names::DEFAULT);
    let time = |nodes| {
        let what = What::first(nodes, Routine::Search);
        Some(results.time_beside([&tree, &map], 1, what)?.interval)
    };
    rows.push(row(&map, "search", "ns", points(&small, time)));
    for hash in [names::ONE_ARC, names::EIGHT_BITS] {
        let crowded = [Contender::vector(hash), Contender::tree(hash)];
        for (worker, contender) in crowded.iter().enumerate() {
            let time = |nodes| {
                let what = What::first(nodes, Routine::Search);
                let pair = [&crowded[0], &crowded[1]];
                Some(results.time_beside(pair, worker, what)?.interval)
            };
            rows.push(row(contender, "search", "ns", points(&small, time)));
        }
    }
    rows
}

/// The points that were measured.
fn points(
    sizes: &[usize],
    value: impl Fn(usize) -> Option<crate::stats::Interval>,
) -> Vec<GrowthPoint> {
    let point = |&nodes: &usize| {
        let interval = value(nodes)?;
        Some(GrowthPoint {
            tokens: nodes as u64 * u64::from(VNODES),
            value: interval.median,
            low: interval.low,
            high: interval.high,
        })
    };
    sizes.iter().filter_map(point).collect()
}

fn row(contender: &Contender, operation: &str, unit: &str, points: Vec<GrowthPoint>) -> GrowthRow {
    let logs: Vec<[f64; 2]> =
        points.iter().map(|point| [real(point.tokens).ln(), point.value.ln()]).collect();
    let doublings: Vec<[f64; 2]> =
        points.iter().map(|point| [real(point.tokens).log2(), point.value]).collect();
    GrowthRow {
        contender: contender.name.clone(),
        hash: contender.hash.to_owned(),
        operation: operation.to_owned(),
        unit: unit.to_owned(),
        exponent: slope(&logs),
        per_doubling: if operation == "search" { slope(&doublings) } else { None },
        points,
    }
}

/// The slope of the straight line with the least squares; `None` for fewer than two places.
fn slope(points: &[[f64; 2]]) -> Option<f64> {
    let count = crate::stats::real_len(points.len());
    let mean = |at: usize| points.iter().map(|point| point[at]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let spread: f64 = points.iter().map(|point| (point[0] - x).powi(2)).sum();
    let common: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    (spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_is_the_one_of_the_law() {
        let curve = |law: fn(f64) -> f64| {
            let points: Vec<GrowthPoint> = [1_000, 10_000, 100_000, 1_000_000_u64]
                .into_iter()
                .map(|tokens| {
                    let value = law(real(tokens));
                    GrowthPoint { tokens, value, low: value, high: value }
                })
                .collect();
            row(&Contender::vector(names::DEFAULT), "search", "ns", points)
        };
        let close = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-9;
        assert!(close(curve(|m| 3.0 * m).exponent, 1.0));
        assert!(close(curve(|m| 7.0 * m.sqrt()).exponent, 0.5));
        assert!(close(curve(|_| 7.0).exponent, 0.0));
        assert!(close(curve(|m| 5.0 + 2.0 * m.log2()).per_doubling, 2.0));
    }

    #[test]
    fn one_point_has_no_slope() {
        assert_eq!(slope(&[]), None);
        assert_eq!(slope(&[[1.0, 2.0]]), None);
    }
}
