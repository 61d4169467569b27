//! The figures of a run computed again from its samples.
//!
//! The same statistics over the same numbers: where a table cell differs from what comes out here, either was changed.

use std::collections::BTreeMap;

use super::{Control, Counted, Measured, Options, ROUTINES, assemble};
use crate::corpus::CorpusInfo;
use crate::error::BenchError;
use crate::experiments::remap::Remap;
use crate::lockstep::pair::{PairRun, Prepared, RoutineRun, SamplePair};
use crate::lockstep::protocol::{PhaseTimes, Sample};
use crate::lockstep::schedule::Visit;
use crate::measure::ClockCost;
use crate::record::{CompareRecord, Environment, Observation};
use crate::routine::Routine;
use crate::subject::BACKENDS;

/// What a run was made of, beside its samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Rest {
    /// The keys.
    pub corpora: Vec<CorpusInfo>,
    /// What changes move.
    pub remap: Vec<Remap>,
    /// What was counted.
    pub memory: Vec<Counted>,
    /// The circumstances.
    pub environment: Environment,
}

/// Computes the record of a run again.
///
/// # Errors
///
/// A failure that names the sample which cannot be: an operation or backend that `compare` does not have, a gap in the
/// numbering, a worker without its neighbour.
pub fn replay(
    options: &Options,
    observations: &[Observation],
    rest: Rest,
) -> Result<CompareRecord, BenchError> {
    let measured = measured(options, observations)?;
    assemble(options, rest.corpora, rest.remap, &rest.memory, &measured, rest.environment)
}

/// The routine and phase of an observation.
fn phase_of(observation: &Observation) -> Option<(Routine, usize)> {
    ROUTINES.into_iter().find_map(|routine| {
        let at = routine.phases().iter().position(|phase| {
            phase.experiment == observation.experiment
                && phase.operation == observation.operation
                && phase.regime == observation.regime
        })?;
        Some((routine, at))
    })
}

/// The process pairs in the order in which they first appear.
fn measured(options: &Options, observations: &[Observation]) -> Result<Vec<Measured>, BenchError> {
    let mut places: BTreeMap<(usize, bool, usize), usize> = BTreeMap::new();
    let mut measured: Vec<Measured> = Vec::new();
    for (line, observation) in observations.iter().enumerate() {
        // The header is line 1.
        let wrong = |what: &str| BenchError::failed(format!("line {}: {what}", line + 2));
        let control = match observation.control.as_str() {
            "main" => Control::Main,
            "null" => Control::Null,
            _ => return Err(wrong("control is neither main nor null")),
        };
        let backend = BACKENDS
            .into_iter()
            .find(|backend| *backend == observation.backend)
            .ok_or_else(|| wrong("there is no such backend"))?;
        let (routine, phase) =
            phase_of(observation).ok_or_else(|| wrong("there is no such operation"))?;
        if !options.nodes.contains(&observation.nodes) || observation.worker > 1 {
            return Err(wrong("the run has no such ring size or worker"));
        }
        let key = (observation.nodes, control == Control::Main, observation.pair);
        let at = *places.entry(key).or_insert_with(|| {
            measured.push(Measured {
                visit: Visit {
                    sitting: observation.sitting,
                    configuration: 0,
                    pair: observation.pair,
                },
                nodes: observation.nodes,
                control,
                backends: [backend; 2],
                run: PairRun {
                    prepared: Prepared {
                        tokens: [0; 2],
                        keys: 0,
                        cpu: None,
                        unpinned: None,
                        clock: ClockCost { read_ns: observation.read_ns, step_ns: 0 },
                    },
                    runs: Vec::new(),
                },
            });
            measured.len() - 1
        });
        let pair = &mut measured[at];
        pair.backends[observation.worker] = backend;
        pair.run.prepared.tokens[observation.worker] = observation.tokens;
        let runs = &mut pair.run.runs;
        let place = runs.iter().position(|run| run.routine == routine).unwrap_or_else(|| {
            runs.push(RoutineRun { routine, samples: Vec::new() });
            runs.len() - 1
        });
        let samples = &mut runs[place].samples;
        if observation.sample == samples.len() {
            let empty = || Sample {
                phases: vec![PhaseTimes::default(); routine.phases().len()],
                ..Sample::default()
            };
            samples.push(SamplePair { second_first: false, samples: [empty(), empty()] });
        }
        let sample = samples
            .get_mut(observation.sample)
            .ok_or_else(|| wrong("the samples before it are missing"))?;
        sample.second_first = observation.first == (observation.worker == 1);
        let own = &mut sample.samples[observation.worker];
        own.count = observation.count;
        own.checksum = observation.checksum;
        own.phases[phase] = PhaseTimes {
            elapsed_ns: observation.elapsed_ns,
            readings: observation.readings,
            each_ns: observation.each_ns.clone(),
        };
    }
    for pair in &measured {
        for run in &pair.run.runs {
            let whole = |sample: &Sample| {
                sample.count > 0 && sample.phases.iter().all(|phase| phase.elapsed_ns > 0)
            };
            if let Some(at) = run.samples.iter().position(|pair| !pair.samples.iter().all(whole)) {
                return Err(BenchError::failed(format!(
                    "sample {at} of {} in pair {} of the ring of {} nodes is not whole",
                    run.routine, pair.visit.pair, pair.nodes
                )));
            }
        }
    }
    Ok(measured)
}
