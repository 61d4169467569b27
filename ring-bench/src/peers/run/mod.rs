//! The run behind `compare --peers`.
//!
//! First everyone is checked, and memory is counted, each in a process of its own. Then process pairs in sittings, in two
//! stages. The first measures the table and every comparison whose rivals are known beforehand. The second sets our
//! rings against those peers that the table shows to be fastest, in new pairs, so that whoever was lucky in the first
//! has no advantage from it.

use std::time::Duration;

use crate::compare::Progress;
use crate::corpus::CorpusInfo;
use crate::error::BenchError;
use crate::lockstep::link::{Link, Program};
use crate::lockstep::pair::{self, PairRun, Plan};
use crate::lockstep::protocol::{Answer, Ask, MemoryCount};
use crate::lockstep::schedule::visits;
use crate::lockstep::worker::build_id;
use crate::machine::{LoadReading, Machine, measuring_cpu};
use crate::measure::Stopwatch;
use crate::peers::list as names;
use crate::peers::record::{PeersRecord, SCHEMA};
use crate::record::{Class, Environment, Observation};
use crate::seeded::Stream;
use crate::stats::real_len;

mod growth;
mod plan;
mod results;
mod rows;
mod targets;

use plan::{Comparisons, Contender, VNODES};
use results::{Measured, Results};

/// How much is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// Sittings.
    pub sittings: usize,
    /// Process pairs of each target.
    pub pairs: usize,
    /// Process pairs of each null control.
    pub null_pairs: usize,
    /// Process pairs behind each cell of the table, and each point of a growth curve.
    pub survey_pairs: usize,
    /// Sample pairs of a routine in a process pair, at the most and at the least.
    pub samples: [usize; 2],
    /// How long a routine samples in one process pair.
    pub slice: Duration,
    /// Ring sizes of the table, in nodes and ascending. At the largest, changes, builds and memory are measured as well.
    pub table: [usize; 3],
    /// Ring sizes of the curves, in nodes and ascending.
    pub sizes: &'static [usize],
    /// What the result may be used for.
    pub class: Class,
}

impl Effort {
    /// Within ten minutes.
    #[must_use]
    pub fn full() -> Self {
        Self {
            sittings: 3,
            pairs: 6,
            null_pairs: 3,
            survey_pairs: 3,
            samples: [40, 4],
            slice: Duration::from_millis(60),
            table: [10, 100, 1_000],
            sizes: &[10, 100, 1_000, 10_000, 100_000],
            class: Class::Indicative,
        }
    }

    /// Within three minutes: a smoke test.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            sittings: 3,
            pairs: 2,
            null_pairs: 1,
            survey_pairs: 1,
            samples: [20, 2],
            slice: Duration::from_millis(15),
            table: [10, 100, 1_000],
            sizes: &[10, 100, 1_000, 10_000],
            class: Class::Smoke,
        }
    }
}

impl Effort {
    /// The largest ring of the table.
    fn large(&self) -> usize {
        self.table[2]
    }

    /// Nodes that are added one call a node: 1024 for a table that ends at 1000.
    fn grown(&self) -> usize {
        self.large() + 24
    }

    /// Ring sizes of those curves that end at ten times the largest ring of the table, since more would take too long.
    fn middling(&self) -> impl Iterator<Item = usize> + use<> {
        let most = self.large() * 10;
        self.sizes.iter().copied().filter(move |&nodes| nodes <= most)
    }
}

/// What to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The seed of everything.
    pub seed: u64,
    /// How many keys; absent for 2^20.
    pub keys: Option<usize>,
    /// How much is measured.
    pub effort: Effort,
}

/// A finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct PeersRun {
    /// The document.
    pub record: PeersRecord,
    /// Every sample.
    pub observations: Vec<Observation>,
}

/// What was counted of a contender.
#[derive(Debug)]
struct Counted {
    contender: Contender,
    nodes: usize,
    memory: MemoryCount,
}

/// Runs everything. Workers are processes of `program`.
///
/// # Errors
///
/// A failure where a check does not hold or a worker fails.
pub fn run(
    options: &Options,
    program: &Program,
    progress: &dyn Progress,
) -> Result<PeersRun, BenchError> {
    let watch = Stopwatch::start();
    let corpora = vec![keys(options)?];
    let counted = check(options, program, progress)?;
    let before = LoadReading::now();
    let mut results = Results::default();
    let mut first = plan::survey(&options.effort);
    let footprint = |nodes| footprint(&counted, nodes);
    for known in plan::fixed(&options.effort, footprint).0 {
        let [own, rival] = &known.pair;
        first.add(own, rival, known.nodes, &known.routines, known.pairs);
    }
    let mut stream = Stream::new(options.seed, "peers/lots");
    measure(options, program, progress, ("the table", 0), &first, &mut stream, &mut results)?;
    let second = targets::rivals(&options.effort, &results);
    measure(options, program, progress, ("the fastest", 1), &second, &mut stream, &mut results)?;
    let load = LoadReading::now().zip(before).map(|(now, before)| now.since(&before));

    let prepared = results.measured.iter().map(|measured| &measured.run.prepared);
    let clock = prepared.clone().map(|p| p.clock).max_by(|a, b| a.read_ns.total_cmp(&b.read_ns));
    let unpinned = prepared.clone().find_map(|p| p.unpinned.clone());
    let cpu = if unpinned.is_none() { prepared.clone().find_map(|p| p.cpu) } else { None };
    results.unpinned = unpinned.is_some();
    let environment = Environment {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: build_id(),
        machine: Machine::read(),
        clock,
        cpu,
        unpinned,
        load,
        seconds: watch.seconds(),
    };
    let l2 = environment.machine.cache_bytes(2);
    let rows = rows::rows(&options.effort, &results, &counted);
    let record = PeersRecord {
        schema: SCHEMA.to_owned(),
        class: options.effort.class,
        seed: options.seed,
        corpora,
        contenders: rows::contenders(),
        targets: targets::rows(&options.effort, &results, &counted, l2),
        rows,
        ratios: rows::ratios(&results),
        growth: growth::rows(&options.effort, &results, &counted),
        warnings: warnings(options, &environment, counted.is_empty()),
        environment,
    };
    Ok(PeersRun { record, observations: rows::observations(&results) })
}

/// What identifies the keys.
fn keys(options: &Options) -> Result<CorpusInfo, BenchError> {
    let spec = Contender::vector(names::DEFAULT).spec(1, options.keys, options.seed);
    Ok(crate::peers::subject::keys_of(&spec)?.info(&spec.corpus()?))
}

/// Checks everyone and counts memory, each in a process of its own.
fn check(
    options: &Options,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Vec<Counted>, BenchError> {
    let mut wanted: Vec<(Contender, usize)> = names::CONFIGURATIONS
        .iter()
        .map(|configuration| {
            let nodes = match configuration.kind {
                // Those that ask for several nodes need a ring that has as many.
                names::Kind::Special => options.effort.table[1],
                _ => options.effort.large(),
            };
            (Contender::of(configuration), nodes)
        })
        .collect();
    for &nodes in options.effort.sizes {
        for contender in [Contender::vector(names::DEFAULT), Contender::tree(names::DEFAULT)] {
            if !wanted.contains(&(contender.clone(), nodes)) {
                wanted.push((contender, nodes));
            }
        }
    }
    progress.phase("checks and memory", wanted.len() as u64);
    let mut counted = Vec::new();
    for (contender, nodes) in wanted {
        let mut link = named(program, &contender)?;
        let subject = contender.spec(nodes, options.keys, options.seed);
        match link.ask(&Ask::Count { subject })? {
            Answer::Counted { memory: Some(memory) } => {
                counted.push(Counted { contender, nodes, memory });
            }
            Answer::Counted { memory: None } => {}
            other => return Err(link.unexpected("a count", &other)),
        }
        progress.step();
    }
    Ok(counted)
}

/// The bytes that our ring of so many nodes takes. Where nothing counts: 16 a token, and two for the directory.
fn footprint(counted: &[Counted], nodes: usize) -> usize {
    let own = Contender::vector(names::DEFAULT);
    let known = counted.iter().find(|c| c.contender == own && c.nodes == nodes);
    let bytes = known.and_then(|c| usize::try_from(c.memory.bulk_bytes).ok());
    bytes.unwrap_or(nodes * VNODES as usize * 18)
}

/// All process pairs of a stage, sitting by sitting.
fn measure(
    options: &Options,
    program: &Program,
    progress: &dyn Progress,
    (name, stage): (&str, usize),
    comparisons: &Comparisons,
    stream: &mut Stream,
    results: &mut Results,
) -> Result<(), BenchError> {
    let effort = &options.effort;
    let pairs: Vec<usize> = comparisons.0.iter().map(|comparison| comparison.pairs).collect();
    let order = visits(&pairs, effort.sittings, stream);
    progress.phase(name, order.len() as u64);
    for visit in order {
        let comparison = &comparisons.0[visit.configuration];
        let [first, second] = &comparison.pair;
        let same_answers = first == second && first.is_deterministic();
        let specs = [first, second].map(|c| c.spec(comparison.nodes, options.keys, options.seed));
        let plan = Plan {
            routines: comparison.routines.clone(),
            samples: effort.samples[0],
            // What lasts long takes few samples in each of the pairs.
            least_samples: if comparison.nodes >= effort.large() { 1 } else { effort.samples[1] },
            slice: effort.slice,
            same_answers,
        };
        let mut links = [named(program, first)?, named(program, second)?];
        let [a, b] = &mut links;
        let prepared =
            pair::prepare([a, b], [&specs[0], &specs[1]], measuring_cpu(), same_answers)?;
        let runs = pair::run([a, b], &prepared, &plan, stream)?;
        let run = PairRun { prepared, runs };
        results.measured.push(Measured { stage, visit, comparison: comparison.clone(), run });
        progress.step();
    }
    Ok(())
}

/// Starts a worker that messages call by its contender.
fn named(program: &Program, contender: &Contender) -> Result<Link, BenchError> {
    Link::start(&Program { name: contender.label(), ..program.clone() })
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
    if let Some(load) = environment.load {
        if load.steal > 0.02 {
            warnings.push(format!(
                "the hypervisor took {:.1} % of the processor time away; run again at a quieter hour",
                load.steal * 100.0
            ));
        }
        // One processor is ours while the workers measure in turn.
        let others = load.busy * real_len(environment.machine.cpus) - 1.0;
        if others > 0.25 {
            warnings.push(format!(
                "other programs kept {others:.1} processors busy meanwhile; the null controls show what that did"
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
