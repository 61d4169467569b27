//! The run that compares the two backends.
//!
//! In this order: what owes nothing to a clock (corpora, memory, remapping), then process pairs in sittings, then the
//! statistics and the verdicts. Nothing else of this program runs while workers measure.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::corpus::{Corpus, CorpusInfo, DEFAULT_KEYS, Keys};
use crate::error::BenchError;
use crate::experiments::remap::{self, Remap};
use crate::lockstep::link::{Link, Program};
use crate::lockstep::pair::{self, PairRun, Plan};
use crate::lockstep::protocol::{Answer, Ask, MemoryCount, SubjectSpec};
use crate::lockstep::schedule::{Visit, visits};
use crate::lockstep::worker::build_id;
use crate::machine::{LoadReading, Machine, measuring_cpu};
use crate::measure::Stopwatch;
use crate::record::{COMPARE_SCHEMA, Class, CompareRecord, Environment, Observation};
use crate::routine::{Regime, Routine};
use crate::seeded::Stream;
use crate::stats::real_len;
use crate::subject::{BACKENDS, corpus_of};
use crate::workload::{BATCH, ChangeKind};

mod analysis;
pub mod replay;
mod verdict;

/// What `compare` times.
const ROUTINES: [Routine; 12] = [
    Routine::Search,
    Routine::SearchChain,
    Routine::Get,
    Routine::GetChain,
    Routine::Replicas,
    Routine::Change(ChangeKind::Node, Regime::Exclusive),
    Routine::Change(ChangeKind::Weight, Regime::Exclusive),
    Routine::Change(ChangeKind::Batch, Regime::Exclusive),
    Routine::Change(ChangeKind::Node, Regime::Published),
    Routine::Change(ChangeKind::Weight, Regime::Published),
    Routine::Change(ChangeKind::Batch, Regime::Published),
    Routine::Build,
];

/// How much is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// Sittings.
    pub sittings: usize,
    /// Process pairs of two backends, for each ring.
    pub pairs: usize,
    /// Process pairs of one backend with itself, for each ring.
    pub null_pairs: usize,
    /// Sample pairs of a routine in a process pair, at the most and at the least.
    pub samples: [usize; 2],
    /// How long a routine samples in one process pair.
    pub slice: Duration,
    /// What the result may be used for.
    pub class: Class,
}

impl Effort {
    /// Within two minutes for the default rings.
    #[must_use]
    pub fn full() -> Self {
        Self {
            sittings: 3,
            pairs: 6,
            null_pairs: 6,
            samples: [40, 5],
            slice: Duration::from_millis(100),
            class: Class::Indicative,
        }
    }

    /// Within twenty seconds for the default rings: a smoke test.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            sittings: 3,
            pairs: 3,
            null_pairs: 3,
            samples: [20, 2],
            slice: Duration::from_millis(12),
            class: Class::Smoke,
        }
    }
}

/// What to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Ring sizes, in nodes.
    pub nodes: Vec<usize>,
    /// Tokens per node.
    pub vnodes: u32,
    /// The hash of the rings.
    pub hash: String,
    /// The keys.
    pub corpus: Keys,
    /// How many keys; absent for the corpus's own number.
    pub keys: Option<usize>,
    /// The seed of everything.
    pub seed: u64,
    /// How much is measured.
    pub effort: Effort,
}

impl Options {
    /// What workers hold at this ring size.
    #[must_use]
    pub fn spec(&self, contender: &str, nodes: usize) -> SubjectSpec {
        SubjectSpec {
            contender: contender.to_owned(),
            hash: self.hash.clone(),
            nodes,
            vnodes: self.vnodes,
            max_weight: 1,
            corpus: self.corpus.to_string(),
            keys: self.keys,
            seed: self.seed,
        }
    }

    /// Refuses what cannot be measured, before anything is built.
    fn check(&self) -> Result<(), BenchError> {
        if self.nodes.is_empty() {
            return Err(BenchError::usage("--nodes names no ring size"));
        }
        for &nodes in &self.nodes {
            if nodes == 0 {
                return Err(BenchError::usage(
                    "--nodes: a ring that is measured has at least one node, not 0",
                ));
            }
            let most =
                (nodes as u64).saturating_add(BATCH as u64).saturating_mul(u64::from(self.vnodes));
            let limit = u64::from(ring_core::DEFAULT_TOKEN_LIMIT);
            if most > limit {
                return Err(BenchError::usage(format!(
                    "--nodes {nodes} with --vnodes {}: with the {BATCH} nodes that the experiments add, the ring would \
                     have {most} tokens; the limit is {limit}",
                    self.vnodes
                )));
            }
        }
        if self.vnodes == 0 {
            return Err(BenchError::usage("--vnodes: a node has at least one token, not 0"));
        }
        Ok(())
    }

    /// The same options with each ring size named once, in the order of first mention.
    #[must_use]
    pub fn without_repeats(&self) -> Self {
        let mut options = self.clone();
        let mut seen = BTreeSet::new();
        options.nodes.retain(|nodes| seen.insert(*nodes));
        options
    }

    /// The name of a workload.
    #[must_use]
    pub fn workload(&self, nodes: usize) -> String {
        format!("{nodes}x{} {}", self.vnodes, self.corpus)
    }
}

/// Is told how far a run is.
pub trait Progress {
    /// A phase of `steps` steps begins.
    fn phase(&self, name: &str, steps: u64);
    /// A step of the phase is done.
    fn step(&self);
}

/// Progress that nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Progress for Unwatched {
    fn phase(&self, _: &str, _: u64) {}
    fn step(&self) {}
}

/// What a run found.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Figures, ratios, verdicts.
    pub record: CompareRecord,
    /// Every sample behind them.
    pub observations: Vec<Observation>,
    /// What was counted of each backend; empty where the program counts nothing.
    pub memory: Vec<Counted>,
}

/// What the two workers of a pair hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Control {
    /// Two backends.
    Main,
    /// The same backend twice.
    Null,
}

/// A process pair with its place in the run.
#[derive(Debug, Clone, PartialEq)]
struct Measured {
    visit: Visit,
    nodes: usize,
    control: Control,
    backends: [&'static str; 2],
    run: PairRun,
}

/// What was counted of one backend at one ring size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The ring size.
    pub nodes: usize,
    /// The backend.
    pub backend: String,
    /// The counts.
    pub memory: MemoryCount,
}

/// Compares the two backends. Workers are processes of `program`.
///
/// # Errors
///
/// A usage error for what cannot be measured; a failure where a worker fails; [`BenchError::AnswersDiffer`] where the
/// backends disagree.
pub fn run(
    options: &Options,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Comparison, BenchError> {
    options.check()?;
    let options = &options.without_repeats();
    let watch = Stopwatch::start();
    let (corpora, remap) = exact(options, progress)?;
    let memory = count_memory(options, program, progress)?;
    let before = LoadReading::now();
    let measured = measure(options, program, progress)?;
    let load = LoadReading::now().zip(before).map(|(now, before)| now.since(&before));

    let prepared = measured.iter().map(|measured| &measured.run.prepared);
    let clock = prepared.clone().map(|p| p.clock).max_by(|a, b| a.read_ns.total_cmp(&b.read_ns));
    let unpinned = prepared.clone().find_map(|p| p.unpinned.clone());
    let environment = Environment {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: build_id(),
        machine: Machine::read(),
        clock,
        cpu: if unpinned.is_none() { prepared.clone().find_map(|p| p.cpu) } else { None },
        unpinned,
        load,
        seconds: watch.seconds(),
    };
    let record = assemble(options, corpora, remap, &memory, &measured, environment)?;
    let observations = analysis::observations(options, &measured);
    Ok(Comparison { record, observations, memory })
}

/// Figures, verdicts and warnings from what was measured.
fn assemble(
    options: &Options,
    corpora: Vec<CorpusInfo>,
    remap: Vec<Remap>,
    memory: &[Counted],
    measured: &[Measured],
    environment: Environment,
) -> Result<CompareRecord, BenchError> {
    let analysis::Figures { rows, ratios } =
        analysis::figures(options, measured, memory, &environment)?;
    let workloads = options.nodes.iter().map(|&nodes| options.workload(nodes));
    let verdicts = workloads.map(|workload| verdict::of(&workload, &rows, &ratios)).collect();
    let mut warnings = warnings(options, &environment, memory.is_empty());
    warnings.extend(corpora.iter().filter_map(few_keys));
    Ok(CompareRecord {
        schema: COMPARE_SCHEMA.to_owned(),
        class: options.effort.class,
        seed: options.seed,
        hash: options.hash.clone(),
        corpora,
        rows,
        remap,
        verdicts,
        ratios,
        environment,
        warnings,
    })
}

/// What owes nothing to a clock: the keys' digests, and what changes move.
///
/// # Errors
///
/// A usage error for a corpus or ring that cannot be.
pub fn exact(
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Vec<CorpusInfo>, Vec<Remap>), BenchError> {
    progress.phase("keys and remapping", options.nodes.len() as u64);
    let mut corpora: Vec<CorpusInfo> = Vec::new();
    let mut remap = Vec::new();
    let mut shared: Option<Corpus> = None;
    for &nodes in &options.nodes {
        let spec = options.spec(BACKENDS[0], nodes);
        if shared.is_none() || options.corpus.depends_on_ring() {
            let corpus = corpus_of(&spec)?;
            corpora.push(corpus.info(&spec.corpus()?));
            shared = Some(corpus);
        }
        if let Some(corpus) = &shared {
            remap.extend(remap::run(&spec.membership(), corpus)?);
        }
        progress.step();
    }
    Ok((corpora, remap))
}

/// Counts bytes and allocations, each in a process of its own. Empty where the program counts nothing.
fn count_memory(
    options: &Options,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Vec<Counted>, BenchError> {
    progress.phase("memory", (options.nodes.len() * BACKENDS.len()) as u64);
    let mut counted = Vec::new();
    for &nodes in &options.nodes {
        for backend in BACKENDS {
            let mut link = Link::start(program)?;
            match link.ask(&Ask::Count { subject: options.spec(backend, nodes) })? {
                Answer::Counted { memory: Some(memory) } => {
                    counted.push(Counted { nodes, backend: backend.to_owned(), memory });
                }
                Answer::Counted { memory: None } => {}
                other => return Err(link.unexpected("a count", &other)),
            }
            progress.step();
        }
    }
    Ok(counted)
}

/// All process pairs, sitting by sitting.
fn measure(
    options: &Options,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Vec<Measured>, BenchError> {
    let effort = &options.effort;
    let mut stream = Stream::new(options.seed, "compare/lots");
    let configurations: Vec<(usize, Control)> = options
        .nodes
        .iter()
        .flat_map(|&nodes| [(nodes, Control::Main), (nodes, Control::Null)])
        .collect();
    let pairs: Vec<usize> = configurations
        .iter()
        .map(
            |(_, control)| if *control == Control::Main { effort.pairs } else { effort.null_pairs },
        )
        .collect();
    let order = visits(&pairs, effort.sittings, &mut stream);
    let plan = Plan {
        routines: ROUTINES.to_vec(),
        samples: effort.samples[0],
        least_samples: effort.samples[1],
        slice: effort.slice,
        same_answers: true,
    };
    progress.phase("process pairs", order.len() as u64);
    let mut measured = Vec::with_capacity(order.len());
    for visit in order {
        let (nodes, control) = configurations[visit.configuration];
        let backends = match control {
            Control::Main => BACKENDS,
            // Each backend is set against itself in turn.
            Control::Null => [BACKENDS[visit.pair % BACKENDS.len()]; 2],
        };
        let specs = backends.map(|backend| options.spec(backend, nodes));
        let mut links = [named(program, backends[0])?, named(program, backends[1])?];
        let [a, b] = &mut links;
        let prepared = pair::prepare([a, b], [&specs[0], &specs[1]], measuring_cpu(), true)?;
        let runs = pair::run([a, b], &prepared, &plan, &mut stream)?;
        measured.push(Measured {
            visit,
            nodes,
            control,
            backends,
            run: PairRun { prepared, runs },
        });
        progress.step();
    }
    Ok(measured)
}

/// Starts a worker that messages call by its backend.
fn named(program: &Program, backend: &str) -> Result<Link, BenchError> {
    Link::start(&Program { name: backend.to_owned(), ..program.clone() })
}

/// The warning for a corpus that goes round too soon.
fn few_keys(corpus: &CorpusInfo) -> Option<String> {
    (corpus.keys < DEFAULT_KEYS).then(|| {
        format!(
            "the corpus {} has {} keys, which come round again and again; on fewer than {DEFAULT_KEYS} a processor learns \
             the answers, and the figures hold for such a set of keys only",
            corpus.name, corpus.keys
        )
    })
}

/// What the reader must know before believing the figures.
fn warnings(options: &Options, environment: &Environment, uncounted: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(reason) = &environment.unpinned {
        warnings.push(format!(
            "the workers could not stay on one processor ({reason}), so every interval was widened; run where pinning is \
             allowed for narrower ones"
        ));
    }
    if let Some(load) = environment.load
        && load.steal > 0.02
    {
        warnings.push(format!(
            "the hypervisor took {:.1} % of the processor time away; run again at a quieter hour",
            load.steal * 100.0
        ));
    }
    if let Some(load) = environment.load {
        // One processor is ours while the workers measure in turn.
        let others = load.busy * real_len(environment.machine.cpus) - 1.0;
        if others > 0.25 {
            warnings.push(format!(
                "other programs kept {others:.1} processors busy meanwhile; the null control shows what that did"
            ));
        }
    }
    if uncounted {
        warnings.push(
            "this program was built without the feature count-allocations, so there are no memory figures".to_owned(),
        );
    }
    if options.effort.class == Class::Smoke {
        warnings.push(format!(
            "{} process pairs are too few to decide by; run without --quick for {}",
            options.effort.pairs,
            Effort::full().pairs
        ));
    }
    warnings
}
