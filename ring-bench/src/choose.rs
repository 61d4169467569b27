//! Which backend a workload should take, and how sure that is.
//!
//! | file | holds |
//! |---|---|
//! | [`workload`] | workload files and presets |
//! | [`model`] | the cost model, break-even, P(cheaper): statistics alone |
//! | [`measure`] | the process pairs, the mixed workload, pauses, bytes |
//! | [`vnodes`] | the smallest V for a limit on the fullest node |
//! | `warnings` | what a reader must know before believing the figures |
//!
//! First constraints filter, then cost decides. A verdict is withheld where the figures cannot carry it: see
//! [`Verdict::Undecidable`].

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::compare::Progress;
use crate::error::BenchError;
use crate::lockstep::UNPINNED_WIDENING;
use crate::lockstep::link::Program;
use crate::machine::Machine;
use crate::measure::Stopwatch;
use crate::report::number::ratio_interval;
use crate::stats::Interval;
use crate::subject::BACKENDS;

pub mod measure;
pub mod model;
pub mod vnodes;
mod warnings;
pub mod workload;

use measure::{Check, Costs, Pause};
use model::{BreakEven, Comparison, CostRatio, Outcome};
use vnodes::Vnodes;
use warnings::warnings;
use workload::{Lookups, Workload};

/// The schema of [`Choice`].
pub const SCHEMA: &str = "ring-choose/1";

/// How far the mixed workload may be from the model, as a part, on a ring that fits the second-level cache.
pub const MODEL_LIMIT: f64 = 0.15;

/// How long the lookups between two changes may take in a check of the model around the break-even, in nanoseconds, so
/// that a minute is enough for many rounds.
const ROUND_NS: f64 = 5_000_000.0;

/// The same at the workload's own number of lookups, where the verdict is given.
const OWN_ROUND_NS: f64 = 200_000_000.0;

/// What filters before cost decides.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Constraints {
    /// The longest pause that a reader may meet during a change.
    pub max_pause: Option<Duration>,
    /// The most bytes that rings may take.
    pub max_memory: Option<u64>,
    /// The fullest node's share over its expected one: asks for the smallest V that keeps it.
    pub max_over_mean: Option<f64>,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The sorted vector.
    SortedVec,
    /// The B-tree.
    BTree,
    /// The figures do not carry a verdict: the interval of the cost ratio holds 1, the sittings disagree, two copies of
    /// one backend differ by too much of the effect, or the mixed workload does not follow the model.
    Undecidable,
    /// The constraints leave no backend.
    Refused,
}

impl Verdict {
    /// The verdict for a backend, by its place in [`BACKENDS`].
    fn of(backend: usize) -> Self {
        if backend == 0 { Self::SortedVec } else { Self::BTree }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SortedVec => "sortedvec",
            Self::BTree => "btree",
            Self::Undecidable => "undecidable",
            Self::Refused => "refused",
        }
    }
}

/// A backend that a constraint leaves out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    /// Which.
    pub backend: String,
    /// The constraint, such as `max-pause 50000 ns`.
    pub constraint: String,
    /// What was measured, in the constraint's unit.
    pub measured: u64,
}

/// The document `ring-choose/1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// [`SCHEMA`].
    pub schema: String,
    /// The workload's name.
    pub workload: String,
    /// The workload.
    pub settings: Workload,
    /// What was decided.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
    /// The backend with the smaller median cost.
    pub cheaper: String,
    /// The probability that it is the cheaper one.
    pub p_cheaper: f64,
    /// The second backend's total cost over the first's.
    pub cost_ratio: CostRatio,
    /// What a changed node costs with its lookups, in nanoseconds, by backend; one lookup where nothing changes.
    pub cost_ns: BTreeMap<String, f64>,
    /// One lookup, in nanoseconds, by backend.
    pub lookup_ns: BTreeMap<String, f64>,
    /// One changed node, in nanoseconds, by backend; empty where nothing changes.
    pub update_ns: BTreeMap<String, f64>,
    /// Where the ranking turns; `null` where one backend dominates or nothing can be said.
    pub break_even: Option<BreakEven>,
    /// What reading the break-even needs: which dominates, or why nothing can be said.
    pub break_even_reason: String,
    /// The pauses that a reader meets during one change, by backend; empty where nothing changes.
    pub pause_ns: BTreeMap<String, Pause>,
    /// Bytes of the rings that are there at the worst moment, by backend; empty where the program counts nothing.
    pub bytes: BTreeMap<String, u64>,
    /// The model beside the mixed workload.
    pub checks: Vec<Check>,
    /// The backends that constraints leave out.
    pub excluded: Vec<Excluded>,
    /// The smallest V, where it was asked for.
    pub vnodes: Option<Vnodes>,
    /// How far the medians of two copies of one backend were apart: lookups, changes.
    pub null: [f64; 2],
    /// The same of the workload's whole cost; this is what the effect is held against.
    pub null_cost: f64,
    /// Process pairs.
    pub pairs: usize,
    /// Sittings that they were spread over.
    pub sittings: usize,
    /// What the reader must know before believing the figures.
    pub warnings: Vec<String>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// Measures the workload and decides. Workers are processes of `program`. Takes up to a minute.
///
/// # Errors
///
/// A usage error for what cannot be measured; a failure where a worker fails; [`BenchError::AnswersDiffer`] where the
/// backends disagree.
#[expect(
    clippy::too_many_lines,
    reason = "one measurement after the other, then the record of them"
)]
pub fn run(
    workload: &Workload,
    constraints: &Constraints,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Choice, BenchError> {
    workload.check()?;
    let watch = Stopwatch::start();
    // First, since it may refuse and takes no pairs.
    let mut vnodes = match constraints.max_over_mean {
        Some(limit) => {
            progress.phase("the smallest V", 1);
            let found = vnodes::smallest(workload, limit)?;
            progress.step();
            Some(found)
        }
        None => None,
    };
    let memory = measure::memory(workload, program, progress)?;
    let bytes: BTreeMap<String, u64> = BACKENDS
        .iter()
        .zip(&memory)
        .filter_map(|(backend, memory)| {
            Some(((*backend).to_owned(), measure::peak_bytes(memory.as_ref()?, workload.regime)))
        })
        .collect();
    let costs = measure::costs(workload, program, progress)?;
    let outcome = model::outcome(&costs.pairs, workload.lookups_per_change);
    let changing = workload.lookups_per_change != Lookups::Only;
    // Medians, since one disturbed pair would shorten every round.
    let slower = [0, 1]
        .map(|at| costs.pairs.iter().map(|pair| pair.lookup[at]).collect::<Vec<f64>>())
        .iter()
        .filter_map(|own| crate::stats::median(own))
        .fold(1.0, f64::max);
    let within = |round_ns: f64| round_ns / slower / f64::from(workload.batch);
    let points = model::check_points(
        &outcome,
        workload.lookups_per_change,
        within(ROUND_NS),
        within(OWN_ROUND_NS),
    );
    let checks = measure::checks(workload, &points, &watch, program, progress)?;
    let mut pause_ns = BTreeMap::new();
    if changing {
        let pauses = measure::all_pauses(workload, &costs, &watch, program, progress)?;
        pause_ns.extend(BACKENDS.map(str::to_owned).into_iter().zip(pauses));
    }
    if let Some(found) = &mut vnodes {
        at_this_v(found, workload, program, progress)?;
    }
    let comparison = model::compare(&costs.pairs, workload.lookups_per_change, workload.seed)
        .ok_or_else(|| BenchError::failed("no process pair was measured"))?;
    // What is there at the worst moment must fit: of a published ring the old and the new one.
    let l2 = Machine::read().cache_bytes(2);
    let in_cache = bytes.values().all(|&bytes| measure::fits(bytes, l2));
    let evidence = Evidence {
        comparison: widened(&comparison, &costs),
        costs: &costs,
        checks: &checks,
        in_cache,
        lookups: workload.lookups_per_change,
    };
    let excluded = excluded(constraints, &pause_ns, &bytes);
    let (verdict, reason) = decide(&evidence, &excluded);
    let (break_even, break_even_reason) = match outcome {
        Outcome::BreakEven(even) => {
            let reason = format!("{} is cheaper below, {} above", even.below, even.above);
            (Some(even), reason)
        }
        Outcome::Dominates(backend) if changing => {
            (None, format!("{} is cheaper in lookups and in changes", BACKENDS[backend]))
        }
        Outcome::Dominates(_) => (None, "nothing changes, so lookups decide".to_owned()),
        Outcome::Unknown(reason) => (None, reason),
    };
    let by_backend = |figure: &dyn Fn(usize) -> f64| -> BTreeMap<String, f64> {
        BACKENDS.iter().enumerate().map(|(at, name)| ((*name).to_owned(), figure(at))).collect()
    };
    let median_of = |figure: &dyn Fn(&model::PairCost) -> f64| {
        let values: Vec<f64> = costs.pairs.iter().map(figure).collect();
        crate::stats::median(&values).unwrap_or(0.0)
    };
    Ok(Choice {
        schema: SCHEMA.to_owned(),
        workload: workload.name.clone(),
        settings: workload.clone(),
        verdict,
        reason,
        cheaper: BACKENDS[evidence.comparison.cheaper].to_owned(),
        p_cheaper: evidence.comparison.p_cheaper,
        cost_ratio: CostRatio {
            median: evidence.comparison.ratio.median,
            low: evidence.comparison.ratio.low,
            high: evidence.comparison.ratio.high,
        },
        cost_ns: by_backend(&|at| median_of(&|pair| pair.cost(workload.lookups_per_change)[at])),
        lookup_ns: by_backend(&|at| median_of(&|pair| pair.lookup[at])),
        update_ns: if changing {
            by_backend(&|at| median_of(&|pair| pair.update[at]))
        } else {
            BTreeMap::new()
        },
        break_even,
        break_even_reason,
        warnings: warnings(&costs, in_cache, &checks, &pause_ns, workload),
        pause_ns,
        bytes,
        excluded,
        vnodes,
        null: costs.null,
        null_cost: costs.null_cost,
        pairs: costs.pairs.len(),
        sittings: measure::SITTINGS,
        checks,
        seconds: watch.seconds(),
    })
}

/// Bytes and lookup cost at the V that was found.
fn at_this_v(
    found: &mut Vnodes,
    workload: &Workload,
    program: &Program,
    progress: &dyn Progress,
) -> Result<(), BenchError> {
    let there = Workload { vnodes: found.vnodes, ..workload.clone() };
    let memory = measure::memory(&there, program, progress)?;
    for (backend, memory) in BACKENDS.iter().zip(memory) {
        if let Some(memory) = memory {
            let bytes = measure::peak_bytes(&memory, workload.regime);
            found.bytes.insert((*backend).to_owned(), bytes);
        }
    }
    let times = measure::lookup_times(&there, program, progress)?;
    found.lookup_ns.extend(BACKENDS.map(str::to_owned).into_iter().zip(times));
    Ok(())
}

/// Wider where the workers could not stay on one processor.
fn widened(comparison: &Comparison, costs: &Costs) -> Comparison {
    let ratio = if costs.unpinned.is_some() {
        comparison.ratio.widened(UNPINNED_WIDENING)
    } else {
        comparison.ratio
    };
    Comparison { ratio, ..comparison.clone() }
}

/// The backends that the constraints leave out.
fn excluded(
    constraints: &Constraints,
    pauses: &BTreeMap<String, Pause>,
    bytes: &BTreeMap<String, u64>,
) -> Vec<Excluded> {
    let mut excluded = Vec::new();
    let mut hold = |backend: &str, name: &str, unit: &str, limit: u64, measured: u64| {
        if measured > limit {
            excluded.push(Excluded {
                backend: backend.to_owned(),
                constraint: format!("{name} {limit} {unit}"),
                measured,
            });
        }
    };
    for backend in BACKENDS {
        let pause = pauses.get(backend).and_then(Pause::against_limit);
        if let (Some(limit), Some(pause)) = (constraints.max_pause, pause) {
            let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
            hold(backend, "max-pause", "ns", limit, pause);
        }
        if let (Some(limit), Some(&bytes)) = (constraints.max_memory, bytes.get(backend)) {
            hold(backend, "max-memory", "bytes", limit, bytes);
        }
    }
    excluded
}

/// What a verdict stands on.
struct Evidence<'a> {
    comparison: Comparison,
    costs: &'a Costs,
    checks: &'a [Check],
    in_cache: bool,
    lookups: Lookups,
}

/// The verdict and its reason.
fn decide(evidence: &Evidence<'_>, excluded: &[Excluded]) -> (Verdict, String) {
    let left: Vec<usize> = (0..BACKENDS.len())
        .filter(|&at| excluded.iter().all(|excluded| excluded.backend != BACKENDS[at]))
        .collect();
    match left[..] {
        [] => return (Verdict::Refused, "The constraints leave no backend.".to_owned()),
        [only] => {
            let other = BACKENDS[1 - only];
            let limits: Vec<&str> = excluded.iter().map(|e| e.constraint.as_str()).collect();
            return (
                Verdict::of(only),
                format!(
                    "Take {}: {other} does not keep to {}, whatever the cost.",
                    BACKENDS[only],
                    limits.join(" and ")
                ),
            );
        }
        _ => {}
    }
    let Comparison { ratio, cheaper, p_cheaper, .. } = &evidence.comparison;
    match doubt(evidence) {
        Some(doubt) => (
            Verdict::Undecidable,
            format!(
                "Undecidable: {doubt}. Run again at a quieter hour; where it stays so, cost does not tell the two apart \
                 here, and pauses and bytes may."
            ),
        ),
        None => (
            Verdict::of(*cheaper),
            format!(
                "Take {}: the whole workload costs {} with {}, and it is the cheaper one with probability {:.3}.",
                BACKENDS[*cheaper],
                dearer(ratio, *cheaper),
                BACKENDS[1 - cheaper],
                p_cheaper
            ),
        ),
    }
}

/// How much dearer the other one is: `2.43x [2.40, 2.47]`.
fn dearer(ratio: &Interval, cheaper: usize) -> String {
    let shown = if cheaper == 0 { *ratio } else { ratio.map(|ratio| 1.0 / ratio) };
    ratio_interval(shown.median, shown.low, shown.high)
}

/// Why the figures carry no verdict, if they do not.
fn doubt(evidence: &Evidence<'_>) -> Option<String> {
    let Comparison { ratio, cheaper, sittings_agree, .. } = &evidence.comparison;
    let (first, second) = (BACKENDS[0], BACKENDS[1]);
    if ratio.holds(1.0) {
        return Some(format!(
            "the interval of the cost ratio, {}, holds 1",
            ratio_interval(ratio.median, ratio.low, ratio.high)
        ));
    }
    if !sittings_agree {
        return Some(format!("the sittings disagree on which of {first} and {second} is cheaper"));
    }
    let effect = (ratio.median.max(1.0 / ratio.median) - 1.0).abs();
    // The control of the whole cost, at the workload's own L: what two copies do in a part that hardly counts, such as
    // one lookup beside a change, says nothing about the ratio.
    let null = evidence.costs.null_cost;
    if null * 3.0 > effect {
        return Some(format!(
            "two copies of one backend differed by {:.1} %, and the effect of {:.1} % is not three times that",
            null * 100.0,
            effect * 100.0
        ));
    }
    let worst = evidence.checks.iter().max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()))?;
    if worst.error.abs() <= MODEL_LIMIT {
        return None;
    }
    if evidence.in_cache {
        return Some(format!(
            "the mixed workload at {} lookups a change is {:+.0} % off the model with {}, more than {:.0} %",
            worst.lookups_per_change,
            worst.error * 100.0,
            worst.backend,
            MODEL_LIMIT * 100.0
        ));
    }
    // Beyond the cache no line can be expected to hold, so the mixed workload itself must rank them as the model does.
    let nearest = nearest(evidence.checks, evidence.lookups)?;
    let measured = |backend: &str| {
        let own = nearest.iter().find(|check| check.backend == backend);
        own.map_or(0.0, |check| check.measured_ns)
    };
    let ranked = usize::from(measured(second) < measured(first));
    (ranked != *cheaper).then(|| {
        format!(
            "the mixed workload is {:+.0} % off the model and ranks {} first, where the model ranks {}",
            worst.error * 100.0,
            BACKENDS[ranked],
            BACKENDS[*cheaper]
        )
    })
}

/// The checks at the point nearest to the workload's own.
fn nearest(checks: &[Check], lookups: Lookups) -> Option<Vec<&Check>> {
    let Lookups::PerChange(lookups) = lookups else { return None };
    let point = checks.iter().map(|c| c.lookups_per_change).min_by_key(|p| p.abs_diff(lookups))?;
    Some(checks.iter().filter(|check| check.lookups_per_change == point).collect())
}

#[cfg(test)]
#[path = "choose/tests.rs"]
mod tests;
