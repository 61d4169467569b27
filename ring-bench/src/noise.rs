//! How noisy this machine is: the clock, two copies of one thing set against each other, load and steal.
//!
//! A difference that is smaller than what two copies of one backend show cannot be told from noise here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::compare::Progress;
use crate::error::BenchError;
use crate::lockstep::link::{Link, Program};
use crate::lockstep::pair::{Plan, prepare, run as run_pair};
use crate::lockstep::protocol::SubjectSpec;
use crate::lockstep::schedule::visits;
use crate::machine::{Load, LoadReading, Machine, measuring_cpu};
use crate::measure::ClockCost;
use crate::routine::{Regime, Routine};
use crate::seeded::Stream;
use crate::stats::{log_ratio, ratio_of_pairs};
use crate::subject::BACKENDS;
use crate::workload::ChangeKind;

/// The schema of [`Noise`].
pub const SCHEMA: &str = "ring-noise/1";

/// Process pairs of each backend with itself.
const PAIRS: usize = 8;
const SITTINGS: usize = 2;

/// What stands in for all routines: short and long ones, reading and writing.
const ROUTINES: [Routine; 4] = [
    Routine::Search,
    Routine::Get,
    Routine::Change(ChangeKind::Node, Regime::Exclusive),
    Routine::Change(ChangeKind::Node, Regime::Published),
];

/// Two copies of one backend set against each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Null {
    /// The backend.
    pub backend: String,
    /// What was done.
    pub operation: String,
    /// Under which circumstances.
    pub regime: String,
    /// The median ratio of the second copy's time to the first's: 1 on a machine without noise.
    pub ratio: f64,
    /// The largest distance from 1 of a pair.
    pub spread: f64,
    /// Process pairs.
    pub pairs: usize,
}

/// How noisy the machine is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// [`SCHEMA`].
    pub schema: String,
    /// The machine.
    pub machine: Machine,
    /// What the clock costs.
    pub clock: ClockCost,
    /// The processor that the workers stayed on.
    pub cpu: Option<usize>,
    /// Why they did not.
    pub unpinned: Option<String>,
    /// How busy the machine was meanwhile.
    pub load: Option<Load>,
    /// The null controls.
    pub nulls: Vec<Null>,
}

impl Noise {
    /// The largest spread of a null control: a difference below it cannot be told here from one pair.
    #[must_use]
    pub fn floor(&self) -> f64 {
        self.nulls.iter().fold(0.0, |floor, null| null.spread.max(floor))
    }
}

/// Measures it, on a ring of 100 nodes with 100 tokens each. Takes about ten seconds.
///
/// # Errors
///
/// A failure where a worker fails.
pub fn run(seed: u64, program: &Program, progress: &dyn Progress) -> Result<Noise, BenchError> {
    let mut stream = Stream::new(seed, "noise/lots");
    let order = visits(&[PAIRS; BACKENDS.len()], SITTINGS, &mut stream);
    let plan = Plan {
        routines: ROUTINES.to_vec(),
        samples: 40,
        least_samples: 10,
        slice: Duration::from_millis(100),
        same_answers: true,
    };
    let before = LoadReading::now();
    progress.phase("null control", order.len() as u64);
    let mut runs = Vec::new();
    let mut clock: Option<ClockCost> = None;
    let (mut cpu, mut unpinned) = (None, None);
    for visit in order {
        let backend = BACKENDS[visit.configuration];
        let spec = SubjectSpec {
            contender: backend.to_owned(),
            hash: "fnv1a64-fmix64".to_owned(),
            nodes: 100,
            vnodes: 100,
            max_weight: 1,
            corpus: "uniform(16)".to_owned(),
            keys: None,
            seed,
        };
        let mut links = [Link::start(program)?, Link::start(program)?];
        let [a, b] = &mut links;
        let prepared = prepare([a, b], [&spec, &spec], measuring_cpu(), true)?;
        let routines = run_pair([a, b], &prepared, &plan, &mut stream)?;
        cpu = prepared.cpu;
        unpinned = unpinned.or(prepared.unpinned);
        clock = Some(clock.map_or(prepared.clock, |c| {
            if c.read_ns >= prepared.clock.read_ns { c } else { prepared.clock }
        }));
        runs.push((backend, prepared.clock, routines));
        progress.step();
    }
    let load = LoadReading::now().zip(before).map(|(now, before)| now.since(&before));
    let mut nulls = Vec::new();
    for backend in BACKENDS {
        for routine in ROUTINES {
            for (at, phase) in routine.phases().iter().enumerate() {
                let own = runs.iter().filter(|(of, ..)| *of == backend);
                let logs: Vec<f64> = own
                    .flat_map(|(_, clock, routines)| routines.iter().map(move |run| (clock, run)))
                    .filter(|(_, run)| run.routine == routine)
                    .filter_map(|(clock, run)| log_ratio(&run.times(at, clock)))
                    .collect();
                nulls.extend(ratio_of_pairs(&logs).map(|ratio| Null {
                    backend: backend.to_owned(),
                    operation: phase.operation.to_owned(),
                    regime: phase.regime.to_owned(),
                    ratio: ratio.interval.median,
                    spread: ratio.spread,
                    pairs: ratio.pairs,
                }));
            }
        }
    }
    Ok(Noise {
        schema: SCHEMA.to_owned(),
        machine: Machine::read(),
        clock: clock.unwrap_or_else(ClockCost::measure),
        cpu: if unpinned.is_none() { cpu } else { None },
        unpinned,
        load,
        nulls,
    })
}
