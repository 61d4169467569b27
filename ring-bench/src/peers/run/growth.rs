//! How costs grow with the number of tokens.

use super::plan::{Comparisons, Contender, NODE, TEN, VNODES, one_read, two_reads};
use super::results::{Results, What};
use super::{Counted, Effort, footprint};
use crate::peers::list as names;
use crate::peers::record::{GrowthPoint, GrowthRow};
use crate::routine::Routine;
use crate::stats::{Interval, real, real_len};

/// What both backends do at every size.
const OPERATIONS: [(Routine, usize); 8] = [
    (Routine::Search, 0),
    (Routine::SearchChain, 0),
    (Routine::Get, 0),
    (NODE, 0),
    (NODE, 1),
    (TEN, 0),
    (TEN, 1),
    (Routine::Build, 0),
];

/// Asks for what the curves show: process pairs of each contender with itself. Beside another, what a search costs would
/// depend on how much of the caches the other takes.
pub(super) fn plan(plan: &mut Comparisons, effort: &Effort, footprint: impl Fn(usize) -> usize) {
    let mut add = |contender: &Contender, nodes: usize, routines: &[Routine]| {
        plan.add(contender, contender, nodes, routines, effort.null_pairs);
    };
    let searches = [Routine::Search, Routine::SearchChain];
    for &nodes in effort.sizes {
        for contender in both() {
            add(&contender, nodes, &OPERATIONS.map(|(routine, _)| routine));
        }
        for reads in [one_read, two_reads] {
            add(&reads(footprint(nodes)), nodes, &searches);
        }
    }
    for nodes in effort.middling() {
        for kernel in kernels() {
            add(&kernel, nodes, &searches);
        }
        for contender in crowded() {
            add(&contender, nodes, &searches[..1]);
        }
    }
}

fn both() -> [Contender; 2] {
    [Contender::vector(names::DEFAULT), Contender::tree(names::DEFAULT)]
}

fn kernels() -> [Contender; 2] {
    [names::SORTED_VEC, names::BTREE_MAP].map(|name| Contender::new(name, names::DEFAULT))
}

/// Who searches among crowded tokens; last a plain vector, whose search by halves takes the same wherever they stand.
fn crowded() -> [Contender; 5] {
    [
        Contender::vector(names::ONE_ARC),
        Contender::tree(names::ONE_ARC),
        Contender::vector(names::EIGHT_BITS),
        Contender::tree(names::EIGHT_BITS),
        Contender::new(names::SORTED_VEC, names::ONE_ARC),
    ]
}

/// All curves.
pub(super) fn rows(effort: &Effort, results: &Results, counted: &[Counted]) -> Vec<GrowthRow> {
    let mut rows = Vec::new();
    let time = |contender: &Contender, nodes, routine, phase| {
        let what = What { nodes, routine, phase };
        Some(results.time_beside([contender, contender], 0, what)?.interval)
    };
    for (routine, phase) in OPERATIONS {
        for contender in both() {
            let points = points(effort.sizes, |nodes| time(&contender, nodes, routine, phase));
            rows.push(row(&contender, operation(routine, phase), "ns", points));
        }
    }
    for contender in both() {
        let heap = |nodes| {
            let known = counted.iter().find(|c| c.contender == contender && c.nodes == nodes)?;
            Some(Interval::exact(real(known.memory.bulk_bytes)))
        };
        rows.push(row(&contender, "heap", "bytes", points(effort.sizes, heap)));
    }
    let small: Vec<usize> = effort.middling().collect();
    for routine in [Routine::Search, Routine::SearchChain] {
        let operation = operation(routine, 0);
        for (reads, name) in
            [(one_read as fn(usize) -> Contender, names::ONE_READ), (two_reads, names::TWO_READS)]
        {
            let time = |nodes| time(&reads(footprint(counted, nodes)), nodes, routine, 0);
            let kernel = Contender::new(name, names::DEFAULT);
            rows.push(row(&kernel, operation, "ns", points(effort.sizes, time)));
        }
        for kernel in kernels() {
            let points = points(&small, |nodes| time(&kernel, nodes, routine, 0));
            rows.push(row(&kernel, operation, "ns", points));
        }
    }
    for contender in crowded() {
        let points = points(&small, |nodes| time(&contender, nodes, Routine::Search, 0));
        rows.push(row(&contender, "search", "ns", points));
    }
    rows
}

/// What a phase is called here: a chain of searches is another operation than searches that overlap.
fn operation(routine: Routine, phase: usize) -> &'static str {
    match routine {
        Routine::SearchChain => "search-chain",
        _ => routine.phases()[phase].operation,
    }
}

/// The points that were measured.
fn points(sizes: &[usize], value: impl Fn(usize) -> Option<Interval>) -> Vec<GrowthPoint> {
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
        per_doubling: slope(&doublings).filter(|_| operation.starts_with("search")),
        points,
    }
}

/// The slope of the straight line with the least squares; `None` for fewer than two places.
fn slope(points: &[[f64; 2]]) -> Option<f64> {
    let count = real_len(points.len());
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
