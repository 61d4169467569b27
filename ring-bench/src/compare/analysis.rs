//! From samples to figures: rows of each backend, and ratios between them.

use super::{Control, Counted, Measured, Options};
use crate::error::BenchError;
use crate::experiments::update::Tails;
use crate::lockstep::UNPINNED_WIDENING;
use crate::lockstep::pair::RoutineRun;
use crate::record::{Environment, Observation, RatioRow, Row, status};
use crate::routine::{Phase, Routine};
use crate::stats::{
    Interval, Ratio, hierarchical_interval, log_ratio, median, order_interval, ratio_of_pairs, real,
};
use crate::subject::BACKENDS;

/// The figures of a run.
pub(super) struct Figures {
    pub(super) rows: Vec<Row>,
    pub(super) ratios: Vec<RatioRow>,
}

/// One routine of one process pair, with what it takes to read it.
struct Run<'a> {
    measured: &'a Measured,
    run: &'a RoutineRun,
}

impl Run<'_> {
    /// The median time of one operation of `worker`, in nanoseconds.
    fn median_ns(&self, phase: usize, worker: usize) -> Option<f64> {
        self.run.median_ns(phase, worker, &self.measured.run.prepared.clock)
    }

    /// The times of one operation of `worker`, sample by sample.
    fn times_ns(&self, phase: usize, worker: usize) -> Vec<f64> {
        let times = self.run.times(phase, &self.measured.run.prepared.clock);
        times.iter().map(|pair| if worker == 0 { pair.a } else { pair.b }).collect()
    }

    /// The logarithm of the ratio, sample pair by sample pair.
    fn log_ratios(&self, phase: usize) -> Vec<f64> {
        let times = self.run.times(phase, &self.measured.run.prepared.clock);
        let positive = times.iter().filter(|pair| pair.a > 0.0 && pair.b > 0.0);
        positive.map(|pair| (pair.b / pair.a).ln()).collect()
    }

    fn log_ratio(&self, phase: usize) -> Option<f64> {
        log_ratio(&self.run.times(phase, &self.measured.run.prepared.clock))
    }
}

/// The runs of a routine at one ring size.
fn runs(measured: &[Measured], nodes: usize, control: Control, routine: Routine) -> Vec<Run<'_>> {
    measured
        .iter()
        .filter(|m| m.nodes == nodes && m.control == control)
        .flat_map(|measured| {
            measured
                .run
                .runs
                .iter()
                .filter(|run| run.routine == routine)
                .map(move |run| Run { measured, run })
        })
        .collect()
}

/// Rows and ratios of a run, ring size by ring size.
///
/// # Errors
///
/// A failure where there is nothing to compute from.
pub(super) fn figures(
    options: &Options,
    measured: &[Measured],
    memory: &[Counted],
    environment: &Environment,
) -> Result<Figures, BenchError> {
    let widen = |interval: Interval| {
        if environment.unpinned.is_some() { interval.widened(UNPINNED_WIDENING) } else { interval }
    };
    let mut figures = Figures { rows: Vec::new(), ratios: Vec::new() };
    for &nodes in &options.nodes {
        for routine in super::ROUTINES {
            let main = runs(measured, nodes, Control::Main, routine);
            let null = runs(measured, nodes, Control::Null, routine);
            for (at, phase) in routine.phases().iter().enumerate() {
                for worker in 0..BACKENDS.len() {
                    figures.rows.push(row(options, &main, at, phase, worker, &widen)?);
                }
                figures.ratios.push(ratio_row(options, &main, &null, at, phase, &widen)?);
            }
        }
        figures.rows.extend(
            memory.iter().filter(|m| m.nodes == nodes).flat_map(|m| memory_rows(options, m)),
        );
    }
    Ok(figures)
}

fn nothing(phase: &Phase) -> BenchError {
    BenchError::failed(format!(
        "there are no samples of {} {} ({})",
        phase.experiment, phase.operation, phase.regime
    ))
}

fn row(
    options: &Options,
    main: &[Run<'_>],
    at: usize,
    phase: &Phase,
    worker: usize,
    widen: &impl Fn(Interval) -> Interval,
) -> Result<Row, BenchError> {
    let medians: Vec<f64> = main.iter().filter_map(|run| run.median_ns(at, worker)).collect();
    let times = |run: &Run<'_>| run.times_ns(at, worker);
    let over_pairs = order_interval(&medians).ok_or_else(|| nothing(phase))?;
    let interval = widen(over_levels(options, main, over_pairs, times));
    let by_sitting: Vec<f64> = (0..options.effort.sittings)
        .filter_map(|sitting| {
            let own = main.iter().filter(|run| run.measured.visit.sitting == sitting);
            let medians: Vec<f64> = own.filter_map(|run| run.median_ns(at, worker)).collect();
            median(&medians)
        })
        .collect();
    let first = main.first().ok_or_else(|| nothing(phase))?.measured;
    Ok(Row {
        workload: options.workload(first.nodes),
        experiment: phase.experiment.to_owned(),
        operation: phase.operation.to_owned(),
        regime: phase.regime.to_owned(),
        nodes: first.nodes,
        vnodes: options.vnodes,
        tokens: first.run.prepared.tokens[worker],
        backend: BACKENDS[worker].to_owned(),
        unit: "ns".to_owned(),
        median: interval.median,
        low: interval.low,
        high: interval.high,
        pairs: medians.len(),
        sittings: by_sitting.len(),
        p99: p99(main, at, worker)?,
        sitting_range: range(&by_sitting),
    })
}

/// The interval over the pairs, wider where sittings, pairs and samples together leave more open.
fn over_levels(
    options: &Options,
    runs: &[Run<'_>],
    over_pairs: Interval,
    values: impl Fn(&Run<'_>) -> Vec<f64>,
) -> Interval {
    let mut sittings: Vec<Vec<Vec<f64>>> = vec![Vec::new(); options.effort.sittings];
    for run in runs {
        let sitting = run.measured.visit.sitting;
        if let Some(pairs) = sittings.get_mut(sitting) {
            pairs.push(values(run));
        }
    }
    match hierarchical_interval(&sittings, options.seed) {
        Some(levels) => over_pairs.hull(levels),
        None => over_pairs,
    }
}

/// The smallest and the largest.
fn range(values: &[f64]) -> Option<[f64; 2]> {
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    Some([least, most])
}

/// The 99th percentile over the single operations of all pairs, the clock taken off.
fn p99(main: &[Run<'_>], at: usize, worker: usize) -> Result<Option<f64>, BenchError> {
    let mut tails = Tails::new()?;
    for run in main {
        for pair in &run.run.samples {
            let times = pair.samples[worker].phases.get(at);
            times.into_iter().flat_map(|times| &times.each_ns).for_each(|&ns| tails.record(ns));
        }
    }
    let read_ns = main.first().map_or(0.0, |run| run.measured.run.prepared.clock.read_ns);
    Ok(tails.percentile(99.0).map(|ns| (real(ns) - read_ns).max(0.0)))
}

fn ratio_row(
    options: &Options,
    main: &[Run<'_>],
    null: &[Run<'_>],
    at: usize,
    phase: &Phase,
    widen: &impl Fn(Interval) -> Interval,
) -> Result<RatioRow, BenchError> {
    let ratio = ratio(main, at).ok_or_else(|| nothing(phase))?;
    let logs = over_levels(options, main, ratio.interval.map(f64::ln), |run| run.log_ratios(at));
    let interval = widen(logs.map(f64::exp));
    let control = self::ratio(null, at);
    let first = main.first().ok_or_else(|| nothing(phase))?.measured;
    Ok(RatioRow {
        workload: options.workload(first.nodes),
        experiment: phase.experiment.to_owned(),
        operation: phase.operation.to_owned(),
        regime: phase.regime.to_owned(),
        nodes: first.nodes,
        vnodes: options.vnodes,
        of: BACKENDS[1].to_owned(),
        over: BACKENDS[0].to_owned(),
        ratio: interval.median,
        low: interval.low,
        high: interval.high,
        slower: ratio.slower,
        pairs: ratio.pairs,
        null: control.map(|control| control.interval.median),
        null_spread: control.map(|control| control.spread),
        status: status(&interval, control.map(|control| control.interval.median)),
    })
}

/// The second worker's time over the first's.
fn ratio(runs: &[Run<'_>], at: usize) -> Option<Ratio> {
    let logs: Vec<f64> = runs.iter().filter_map(|run| run.log_ratio(at)).collect();
    ratio_of_pairs(&logs)
}

/// Bytes per token, and allocations per lookup.
fn memory_rows(options: &Options, counted: &Counted) -> Vec<Row> {
    let memory = &counted.memory;
    let per_token =
        |bytes: u64| if memory.tokens == 0 { 0.0 } else { real(bytes) / real(memory.tokens) };
    let per_lookup = real(memory.lookup_allocations) / real(memory.lookups.max(1));
    [
        ("heap", "bulk", "bytes/token", per_token(memory.bulk_bytes)),
        ("heap", "one-by-one", "bytes/token", per_token(memory.one_by_one_bytes)),
        ("allocations", "get", "allocations/lookup", per_lookup),
    ]
    .into_iter()
    .map(|(operation, regime, unit, value)| Row {
        workload: options.workload(counted.nodes),
        experiment: "memory".to_owned(),
        operation: operation.to_owned(),
        regime: regime.to_owned(),
        nodes: counted.nodes,
        vnodes: options.vnodes,
        tokens: memory.tokens,
        backend: counted.backend.clone(),
        unit: unit.to_owned(),
        median: value,
        low: value,
        high: value,
        pairs: 0,
        sittings: 0,
        p99: None,
        sitting_range: None,
    })
    .collect()
}

/// Every sample of a run, in the order in which it was taken.
pub(super) fn observations(options: &Options, measured: &[Measured]) -> Vec<Observation> {
    let mut observations = Vec::new();
    for measured in measured {
        for run in &measured.run.runs {
            for (sample, pair) in run.samples.iter().enumerate() {
                for (worker, taken) in pair.samples.iter().enumerate() {
                    let phases = run.routine.phases().iter().zip(&taken.phases);
                    observations.extend(phases.map(|(phase, times)| Observation {
                        workload: options.workload(measured.nodes),
                        nodes: measured.nodes,
                        vnodes: options.vnodes,
                        experiment: phase.experiment.to_owned(),
                        operation: phase.operation.to_owned(),
                        regime: phase.regime.to_owned(),
                        control: match measured.control {
                            Control::Main => "main".to_owned(),
                            Control::Null => "null".to_owned(),
                        },
                        sitting: measured.visit.sitting,
                        pair: measured.visit.pair,
                        sample,
                        worker,
                        first: pair.second_first == (worker == 1),
                        backend: measured.backends[worker].to_owned(),
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
    }
    observations
}

#[cfg(test)]
#[path = "analysis_tests.rs"]
mod tests;
