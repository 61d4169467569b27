//! The table: a figure of each contender, and every pair that was set against each other.

use super::plan::{Contender, NODE, VNODES, table};
use super::results::{Figure, Measured, Results, What};
use super::{Counted, Effort};
use crate::peers::list::Kind;
use crate::peers::record::ContenderInfo;
use crate::record::{Observation, RatioRow, Row, status};
use crate::routine::{Phase, Routine};
use crate::stats::real;

/// The contenders of the table.
pub(super) fn contenders() -> Vec<ContenderInfo> {
    table()
        .map(|configuration| ContenderInfo {
            label: Contender::of(configuration).label(),
            contender: configuration.contender.to_owned(),
            hash: configuration.hash.to_owned(),
            kind: match configuration.kind {
                Kind::Own => "own",
                Kind::Ring => "ring",
                Kind::Algorithm => "algorithm",
                Kind::Kernel | Kind::Special => "kernel",
            }
            .to_owned(),
            package: configuration.package.to_owned(),
            note: configuration.note.to_owned(),
        })
        .collect()
}

/// The name of a workload.
pub(super) fn workload(nodes: usize) -> String {
    format!("{nodes}x{VNODES} uniform(16)")
}

/// The figures of everyone in the table.
pub(super) fn rows(effort: &Effort, results: &Results, counted: &[Counted]) -> Vec<Row> {
    let mut rows = Vec::new();
    let large = effort.large();
    for configuration in table() {
        let contender = Contender::of(configuration);
        let counted = counted.iter().find(|c| c.contender == contender && c.nodes == large);
        let tokens = |nodes: usize| match counted {
            Some(counted) => counted.memory.tokens / large as u64 * nodes as u64,
            None => 0,
        };
        let lookups = effort.table.map(|nodes| What::first(nodes, Routine::Get));
        let changes = [
            What::first(large, NODE),
            What::second(large, NODE),
            What::first(large, Routine::Build),
        ];
        for what in lookups.into_iter().chain(changes) {
            if let Some(figure) = results.time(&contender, what) {
                let phase = what.routine.phases()[what.phase];
                rows.push(timed(&contender, what.nodes, tokens(what.nodes), phase, figure));
            }
        }
        rows.extend(counted.into_iter().flat_map(memory));
    }
    rows
}

fn timed(contender: &Contender, nodes: usize, tokens: u64, phase: Phase, figure: Figure) -> Row {
    Row {
        workload: workload(nodes),
        experiment: phase.experiment.to_owned(),
        operation: phase.operation.to_owned(),
        regime: phase.regime.to_owned(),
        nodes,
        vnodes: VNODES,
        tokens,
        backend: contender.label(),
        unit: "ns".to_owned(),
        median: figure.interval.median,
        low: figure.interval.low,
        high: figure.interval.high,
        pairs: figure.pairs,
        sittings: figure.sittings,
        p99: None,
        sitting_range: figure.range,
    }
}

/// Bytes of the whole, after building at once and one by one, and allocations per lookup.
fn memory(counted: &Counted) -> [Row; 3] {
    let memory = &counted.memory;
    let per_lookup = real(memory.lookup_allocations) / real(memory.lookups.max(1));
    [
        ("heap", "bulk", "bytes", real(memory.bulk_bytes)),
        ("heap", "one-by-one", "bytes", real(memory.one_by_one_bytes)),
        ("allocations", "get", "allocations/lookup", per_lookup),
    ]
    .map(|(operation, regime, unit, value)| Row {
        workload: workload(counted.nodes),
        experiment: "memory".to_owned(),
        operation: operation.to_owned(),
        regime: regime.to_owned(),
        nodes: counted.nodes,
        vnodes: VNODES,
        tokens: memory.tokens,
        backend: counted.contender.label(),
        unit: unit.to_owned(),
        median: value,
        low: value,
        high: value,
        pairs: 0,
        sittings: 0,
        p99: None,
        sitting_range: None,
    })
}

/// Every pair of different contenders that was set against each other, in the order of the first visit.
pub(super) fn ratios(results: &Results) -> Vec<RatioRow> {
    let mut rows: Vec<RatioRow> = Vec::new();
    for measured in &results.measured {
        let comparison = &measured.comparison;
        let [over, of] = &comparison.pair;
        if over == of {
            continue;
        }
        for &routine in &comparison.routines {
            for (at, phase) in routine.phases().iter().enumerate() {
                let known = rows.iter().any(|row| {
                    row.nodes == comparison.nodes
                        && row.of == of.label()
                        && row.over == over.label()
                        && row.operation == phase.operation
                });
                if known {
                    continue;
                }
                let what = What { nodes: comparison.nodes, routine, phase: at };
                rows.extend(ratio(results, [over, of], what, *phase));
            }
        }
    }
    rows
}

fn ratio(results: &Results, pair: [&Contender; 2], what: What, phase: Phase) -> Option<RatioRow> {
    let (figure, ratio) = results.ratio(pair, what)?;
    let nulls = pair.map(|contender| results.null(contender, what));
    // The worse of the two.
    let null = nulls.into_iter().flatten().max_by(|a, b| {
        let off = |null: &crate::stats::Ratio| null.interval.median.ln().abs();
        off(a).total_cmp(&off(b))
    });
    Some(RatioRow {
        workload: workload(what.nodes),
        experiment: phase.experiment.to_owned(),
        operation: phase.operation.to_owned(),
        regime: phase.regime.to_owned(),
        nodes: what.nodes,
        vnodes: VNODES,
        of: pair[1].label(),
        over: pair[0].label(),
        ratio: figure.interval.median,
        low: figure.interval.low,
        high: figure.interval.high,
        slower: ratio.slower,
        pairs: ratio.pairs,
        null: null.map(|null| null.interval.median),
        null_spread: null.map(|null| null.spread),
        status: status(&figure.interval, null.map(|null| null.interval.median)),
    })
}

/// Every sample, in the order in which it was taken.
pub(super) fn observations(results: &Results) -> Vec<Observation> {
    results.measured.iter().flat_map(samples).collect()
}

fn samples(measured: &Measured) -> Vec<Observation> {
    let comparison = &measured.comparison;
    let [a, b] = &comparison.pair;
    let mut observations = Vec::new();
    for run in &measured.run.runs {
        for (sample, pair) in run.samples.iter().enumerate() {
            for (worker, taken) in pair.samples.iter().enumerate() {
                let phases = run.routine.phases().iter().zip(&taken.phases);
                observations.extend(phases.map(|(phase, times)| Observation {
                    workload: workload(comparison.nodes),
                    nodes: comparison.nodes,
                    vnodes: VNODES,
                    experiment: phase.experiment.to_owned(),
                    operation: phase.operation.to_owned(),
                    regime: phase.regime.to_owned(),
                    control: if a == b { "null" } else { "main" }.to_owned(),
                    sitting: measured.visit.sitting,
                    pair: measured.visit.pair,
                    sample,
                    worker,
                    first: pair.second_first == (worker == 1),
                    backend: comparison.pair[worker].label(),
                    count: taken.count,
                    elapsed_ns: times.elapsed_ns,
                    readings: times.readings,
                    checksum: taken.checksum,
                    tokens: measured.run.prepared.tokens[worker],
                    read_ns: measured.run.prepared.clock.read_ns,
                    each_ns: times.each_ns.clone(),
                }));
            }
        }
    }
    observations
}
