//! What `choose` measures: process pairs, the mixed workload, pauses and bytes.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::choose::MODEL_LIMIT;
use crate::choose::model::PairCost;
use crate::choose::workload::{Lookups, Workload};
use crate::compare::Progress;
use crate::error::BenchError;
use crate::experiments::pauses::{PausePlan, Pauses};
use crate::lockstep::link::{Link, Program};
use crate::lockstep::pair::{PairRun, Plan, Prepared, prepare, run as run_pair};
use crate::lockstep::protocol::{Answer, Ask, MemoryCount, SubjectSpec};
use crate::lockstep::schedule::visits;
use crate::machine::measuring_cpu;
use crate::measure::Stopwatch;
use crate::routine::{Regime, Routine};
use crate::seeded::Stream;
use crate::stats::{log_ratio, median, ratio_of_pairs, real};
use crate::subject::BACKENDS;

/// Sittings of every measurement.
pub(super) const SITTINGS: usize = 3;
/// Process pairs of the two backends, three a sitting: the interval of nine leaves out the lowest and the highest, so that
/// one disturbed pair does not decide.
const PAIRS: usize = 9;
/// Process pairs of one backend with itself, three for each.
const NULL_PAIRS: usize = 6;
/// A slow machine takes no more than these of a sitting once the sitting's part of the time is over: pairs of the two
/// backends, and of one with itself.
const LEAST_OF_SITTING: [usize; 2] = [2, 1];
/// How long a sitting may take before it is cut to the least.
const SITTING: Duration = Duration::from_secs(8);
/// Rounds of the mixed workload.
const CHECK_ROUNDS: usize = 3;
/// The same where those fall on both sides of the limit, so that their median says little.
const MORE_CHECK_ROUNDS: usize = 7;
/// How long a routine samples in a process pair.
const SLICE: Duration = Duration::from_millis(120);
/// Processes of each backend that measure pauses.
const PAUSE_PROCESSES: usize = 3;

/// After this long, checks stay with the processes they have and take the fewest rounds, and pauses are cut to one round,
/// so that a slow machine still answers within a minute or little more.
pub(super) const LATE: Duration = Duration::from_secs(40);

/// How long one answer may take. A large ring on a machine that gives little of its time takes minutes to be built.
const PATIENCE: Duration = Duration::from_mins(10);

/// A worker that messages call by its backend.
fn worker(program: &Program, backend: &str) -> Result<Link, BenchError> {
    let mut link = Link::start(&Program { name: backend.to_owned(), ..program.clone() })?;
    link.set_patience(PATIENCE);
    Ok(link)
}

/// The routine that stands for a lookup of the workload.
fn lookup(workload: &Workload) -> Routine {
    match workload.regime {
        Regime::Exclusive => Routine::Get,
        Regime::Published => Routine::GetShared,
    }
}

fn plan(routines: Vec<Routine>) -> Plan {
    Plan { routines, samples: 40, least_samples: 4, slice: SLICE, same_answers: true }
}

/// A process pair that holds its rings.
struct Started {
    links: [Link; 2],
    prepared: Prepared,
}

impl Started {
    fn run(&mut self, plan: &Plan, stream: &mut Stream) -> Result<PairRun, BenchError> {
        let [a, b] = &mut self.links;
        let runs = run_pair([a, b], &self.prepared, plan, stream)?;
        Ok(PairRun { prepared: self.prepared.clone(), runs })
    }
}

/// Starts a process pair of these backends.
fn start(
    workload: &Workload,
    backends: [&str; 2],
    program: &Program,
) -> Result<Started, BenchError> {
    let specs = backends.map(|backend| workload.spec(backend));
    let mut links = [worker(program, backends[0])?, worker(program, backends[1])?];
    let [a, b] = &mut links;
    let prepared = prepare([a, b], [&specs[0], &specs[1]], measuring_cpu(), true)?;
    Ok(Started { links, prepared })
}

/// One process pair of these backends.
fn pair(
    workload: &Workload,
    backends: [&str; 2],
    plan: &Plan,
    program: &Program,
    stream: &mut Stream,
) -> Result<PairRun, BenchError> {
    start(workload, backends, program)?.run(plan, stream)
}

/// The time of one changed node: the mean of the change and its inverse, a node's part of the batch. Both workers.
fn changed_node(run: &PairRun, routine: Routine, batch: u32) -> Option<[f64; 2]> {
    let own = run.runs.iter().find(|own| own.routine == routine)?;
    let clock = &run.prepared.clock;
    let of = |worker: usize| -> Option<f64> {
        let there = own.median_ns(0, worker, clock)?;
        let back = own.median_ns(1, worker, clock)?;
        Some(f64::midpoint(there, back) / f64::from(batch))
    };
    Some([of(0)?, of(1)?])
}

/// The time of one lookup. Both workers.
fn one_lookup(run: &PairRun, routine: Routine) -> Option<[f64; 2]> {
    let own = run.runs.iter().find(|own| own.routine == routine)?;
    let clock = &run.prepared.clock;
    Some([own.median_ns(0, 0, clock)?, own.median_ns(0, 1, clock)?])
}

/// What the pairs found.
#[derive(Debug, Clone)]
pub(super) struct Costs {
    /// A process pair each.
    pub(super) pairs: Vec<PairCost>,
    /// The null control of lookups and of changes: how far the median of two copies is from 1.
    pub(super) null: [f64; 2],
    /// The null control of the workload itself: the same of its whole cost.
    pub(super) null_cost: f64,
    /// Tokens of the ring.
    pub(super) tokens: u64,
    /// Why workers could not stay on one processor.
    pub(super) unpinned: Option<String>,
}

fn missing() -> BenchError {
    BenchError::failed("a process pair came back without one of its measurements")
}

/// Lookups alone and changes alone, in pairs, with null controls between them.
pub(super) fn costs(
    workload: &Workload,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Costs, BenchError> {
    let watch = Stopwatch::start();
    let mut taken = [[0; 2]; SITTINGS];
    let mut stream = Stream::new(workload.seed, "choose/lots");
    let get = lookup(workload);
    let change = Routine::Mix(workload.mix(0));
    let changing = workload.lookups_per_change != Lookups::Only;
    let mut routines = vec![get];
    if changing {
        routines.push(change);
    }
    let plan = plan(routines);
    let order = visits(&[PAIRS, NULL_PAIRS], SITTINGS, &mut stream);
    progress.phase("lookups and changes", order.len() as u64);
    let mut costs =
        Costs { pairs: Vec::new(), null: [0.0; 2], null_cost: 0.0, tokens: 0, unpinned: None };
    let mut nulls: [Vec<f64>; 3] = Default::default();
    let cost_of = |run: &PairRun, sitting: usize| -> Result<PairCost, BenchError> {
        let lookup = one_lookup(run, get).ok_or_else(missing)?;
        let update = if changing {
            changed_node(run, change, workload.batch).ok_or_else(missing)?
        } else {
            [0.0; 2]
        };
        Ok(PairCost { sitting, lookup, update })
    };
    for visit in order {
        let main = visit.configuration == 0;
        let end = SITTING * u32::try_from(visit.sitting + 1).unwrap_or(1);
        let own = &mut taken[visit.sitting][visit.configuration];
        if *own >= LEAST_OF_SITTING[visit.configuration] && watch.left_of(end).is_zero() {
            progress.step();
            continue;
        }
        *own += 1;
        let backends = if main { BACKENDS } else { [BACKENDS[visit.pair % 2]; 2] };
        let run = pair(workload, backends, &plan, program, &mut stream)?;
        if main {
            costs.pairs.push(cost_of(&run, visit.sitting)?);
        } else {
            let log = |routine: Routine| {
                let own = run.runs.iter().find(|own| own.routine == routine)?;
                log_ratio(&own.times(0, &run.prepared.clock))
            };
            nulls[0].extend(log(get));
            nulls[1].extend(log(change));
            let whole = cost_of(&run, visit.sitting)?;
            nulls[2].push(whole.log_ratio(workload.lookups_per_change));
        }
        costs.tokens = run.prepared.tokens[0];
        costs.unpinned = costs.unpinned.or(run.prepared.unpinned);
        progress.step();
    }
    let [lookups, changes, whole] = nulls
        .map(|logs| ratio_of_pairs(&logs).map_or(0.0, |ratio| (ratio.interval.median - 1.0).abs()));
    costs.null = [lookups, changes];
    costs.null_cost = whole;
    Ok(costs)
}

/// The model beside the mixed workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Which backend.
    pub backend: String,
    /// Lookups for each changed node.
    pub lookups_per_change: u64,
    /// What the model says of one changed node with its lookups, from the costs in the same process.
    pub predicted_ns: f64,
    /// What the mixed workload took.
    pub measured_ns: f64,
    /// Measured over predicted, less 1; the median over rounds.
    pub error: f64,
}

/// Runs the mixed workload at these numbers of lookups for each changed node.
pub(super) fn checks(
    workload: &Workload,
    points: &[u64],
    watch: &Stopwatch,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Vec<Check>, BenchError> {
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let mut stream = Stream::new(workload.seed, "choose/checks");
    let get = lookup(workload);
    let change = Routine::Mix(workload.mix(0));
    let mut routines = vec![get, change];
    routines.extend(points.iter().map(|&lookups| Routine::Mix(workload.mix(lookups))));
    let plan = plan(routines);
    progress.phase("the mixed workload", CHECK_ROUNDS as u64);
    let mut found: Vec<[[Vec<f64>; 2]; 2]> = vec![Default::default(); points.len()];
    let mut started = start(workload, BACKENDS, program)?;
    for at in 0..MORE_CHECK_ROUNDS {
        let late = watch.left_of(LATE).is_zero();
        if at >= CHECK_ROUNDS && (late || !is_mixed(&found)) {
            break;
        }
        // Fresh processes for each round while there is time. One round alone would judge by one moment of the machine:
        // on a busy one, single rounds were twice the model where all others were within a tenth of it.
        if at > 0 && !late {
            started = start(workload, BACKENDS, program)?;
        }
        let run = started.run(&plan, &mut stream)?;
        let lookup = one_lookup(&run, get).ok_or_else(missing)?;
        let update = changed_node(&run, change, workload.batch).ok_or_else(missing)?;
        let cost = PairCost { sitting: 0, lookup, update };
        for (&point, found) in points.iter().zip(&mut found) {
            let mixed = Routine::Mix(workload.mix(point));
            let measured = changed_node(&run, mixed, workload.batch).ok_or_else(missing)?;
            let predicted = cost.cost(Lookups::PerChange(point));
            for backend in 0..BACKENDS.len() {
                found[backend][0].push(predicted[backend]);
                found[backend][1].push(measured[backend]);
            }
        }
        progress.step();
    }
    let mut checks = Vec::new();
    for (&point, found) in points.iter().zip(&found) {
        for (backend, [predicted, measured]) in BACKENDS.iter().zip(found) {
            let errors: Vec<f64> =
                predicted.iter().zip(measured).map(|(p, m)| m / p - 1.0).collect();
            checks.push(Check {
                backend: (*backend).to_owned(),
                lookups_per_change: point,
                predicted_ns: median(predicted).ok_or_else(missing)?,
                measured_ns: median(measured).ok_or_else(missing)?,
                error: median(&errors).ok_or_else(missing)?,
            });
        }
    }
    Ok(checks)
}

/// Whether rounds of one point and backend are on both sides of the limit. Asked of either outcome alike: neither more
/// rounds for a model that just failed, nor fewer for one that just held.
fn is_mixed(found: &[[[Vec<f64>; 2]; 2]]) -> bool {
    found.iter().flatten().any(|[predicted, measured]| {
        let off = |(p, m): (&f64, &f64)| (m / p - 1.0).abs() > MODEL_LIMIT;
        let beyond = predicted.iter().zip(measured).filter(|&pair| off(pair)).count();
        beyond > 0 && beyond < predicted.len()
    })
}

/// How long lookups took that were due during a change, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Half of them took no longer.
    pub p50: Option<u64>,
    /// 99 % took no longer; absent with fewer than 1,000.
    pub p99: Option<u64>,
    /// 99.9 % took no longer; absent with fewer than 10,000.
    pub p999: Option<u64>,
    /// The longest.
    pub max: Option<u64>,
    /// How many there were.
    pub count: u64,
    /// What 99 % of the lookups due *between* changes took no longer than: the machine's own pauses.
    pub idle_p99: Option<u64>,
}

impl Pause {
    /// The percentiles of these times. Each is shown only where ten times lie beyond it.
    #[must_use]
    pub fn of(pauses: &Pauses) -> Self {
        let idle_p99 = Self::percentiles(&pauses.between).p99;
        Self { idle_p99, ..Self::percentiles(&pauses.during) }
    }

    fn percentiles(times: &[u64]) -> Self {
        let Ok(mut histogram) = Histogram::<u64>::new_with_bounds(1, 3_600_000_000_000, 3) else {
            return Self { p50: None, p99: None, p999: None, max: None, count: 0, idle_p99: None };
        };
        for &ns in times {
            histogram.saturating_record(ns.max(1));
        }
        let count = histogram.len();
        let at = |quantile: f64, least: u64| {
            (count >= least).then(|| histogram.value_at_quantile(quantile))
        };
        Self {
            p50: at(0.5, 20),
            p99: at(0.99, 1_000),
            p999: at(0.999, 10_000),
            max: (count > 0).then(|| times.iter().copied().max().unwrap_or(0)),
            count,
            idle_p99: None,
        }
    }

    /// What a limit on pauses is held against: the time that 99 % stay within, or the longest where there are too few to
    /// tell.
    #[must_use]
    pub fn against_limit(&self) -> Option<u64> {
        self.p99.or(self.max)
    }
}

/// How the pauses are measured, given what a changed batch takes.
#[must_use]
pub fn pause_plan(workload: &Workload, change_ns: f64) -> PausePlan {
    // About a hundred lookups are due in a long change. Never more often than a lookup and two readings of a slow clock
    // take, several times over: a reader that cannot keep up would measure its own backlog.
    let period = (change_ns / 100.0).clamp(4_000.0, 100_000.0);
    PausePlan {
        mix: workload.mix(0),
        changes: 200,
        period_ns: Duration::from_secs_f64(period / 1e9).as_nanos().try_into().unwrap_or(1_000),
        budget_ns: 1_200_000_000,
    }
}

/// The raw times of lookups of one backend, from one process that runs by itself.
///
/// # Errors
///
/// A failure where the worker fails.
pub fn pauses(
    spec: &SubjectSpec,
    plan: &PausePlan,
    program: &Program,
) -> Result<Pauses, BenchError> {
    let mut link = worker(program, &spec.contender)?;
    // In place, one thread does everything and stays on its processor. Published, reader and writer choose theirs.
    let cpu = match plan.mix.regime {
        Regime::Exclusive => measuring_cpu(),
        Regime::Published => None,
    };
    match link.ask(&Ask::Prepare { subject: spec.clone(), cpu })? {
        Answer::Prepared { .. } => {}
        other => return Err(link.unexpected("a subject", &other)),
    }
    match link.ask(&Ask::Pauses { plan: plan.clone() })? {
        Answer::Paused { pauses } => Ok(pauses),
        other => Err(link.unexpected("pauses", &other)),
    }
}

/// The pauses of both backends, measured in turn.
pub(super) fn all_pauses(
    workload: &Workload,
    costs: &Costs,
    watch: &Stopwatch,
    program: &Program,
    progress: &dyn Progress,
) -> Result<[Pause; 2], BenchError> {
    let mut times = [Pauses::default(), Pauses::default()];
    progress.phase("pauses", (PAUSE_PROCESSES * BACKENDS.len()) as u64);
    let update = |backend: usize| {
        let own: Vec<f64> = costs.pairs.iter().map(|pair| pair.update[backend]).collect();
        median(&own).unwrap_or(0.0) * f64::from(workload.batch)
    };
    for round in 0..PAUSE_PROCESSES {
        if round > 0 && watch.left_of(LATE).is_zero() {
            break;
        }
        for (at, backend) in BACKENDS.iter().enumerate() {
            let plan = pause_plan(workload, update(at));
            let found = pauses(&workload.spec(backend), &plan, program)?;
            times[at].during.extend(found.during);
            times[at].between.extend(found.between);
            progress.step();
        }
    }
    Ok(times.map(|times| Pause::of(&times)))
}

/// The bytes of both backends; `None` where the program counts nothing.
pub(super) fn memory(
    workload: &Workload,
    program: &Program,
    progress: &dyn Progress,
) -> Result<[Option<MemoryCount>; 2], BenchError> {
    progress.phase("memory", BACKENDS.len() as u64);
    let mut counts = [None, None];
    for (count, backend) in counts.iter_mut().zip(BACKENDS) {
        let mut link = worker(program, backend)?;
        *count = match link.ask(&Ask::Count { subject: workload.spec(backend) })? {
            Answer::Counted { memory } => memory,
            other => return Err(link.unexpected("a count", &other)),
        };
        progress.step();
    }
    Ok(counts)
}

/// The median time of one lookup of each backend in a workload that is only looked up, from few pairs.
pub(super) fn lookup_times(
    workload: &Workload,
    program: &Program,
    progress: &dyn Progress,
) -> Result<[f64; 2], BenchError> {
    const FEW: usize = 3;
    let mut stream = Stream::new(workload.seed, "choose/vnodes");
    let get = lookup(workload);
    let plan = plan(vec![get]);
    progress.phase("lookups at this V", FEW as u64);
    let mut times: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..FEW {
        let run = pair(workload, BACKENDS, &plan, program, &mut stream)?;
        let found = one_lookup(&run, get).ok_or_else(missing)?;
        times.iter_mut().zip(found).for_each(|(times, time)| times.push(time));
        progress.step();
    }
    Ok([median(&times[0]).ok_or_else(missing)?, median(&times[1]).ok_or_else(missing)?])
}

/// What a worst-case ring of the workload holds in bytes: grown node by node, and twice where changes are published,
/// since the old and the new ring are then there at once.
#[must_use]
pub fn peak_bytes(memory: &MemoryCount, regime: Regime) -> u64 {
    let ring = memory.one_by_one_bytes.max(memory.bulk_bytes);
    match regime {
        Regime::Exclusive => ring,
        Regime::Published => ring.saturating_mul(2),
    }
}

/// A ring takes more than this cache where its bytes, as a real number, are above it.
#[must_use]
pub(super) fn fits(bytes: u64, cache: Option<u64>) -> bool {
    cache.is_some_and(|cache| real(bytes) <= real(cache))
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
