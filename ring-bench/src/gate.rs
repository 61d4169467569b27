//! The gate: whether one build is slower than another, or places keys differently.
//!
//! | file | holds |
//! |---|---|
//! | [`benchmarks`] | what is timed, on which rings |
//! | `pairs` | process pairs of base and head, and of base and its copy |
//! | [`decide`] | the rules: two stages, thresholds, the null control |
//! | [`exact`] | figures that owe nothing to a clock, and the file they are compared with |
//! | [`callgrind`] | instructions of the timed part |
//! | [`accepted`] | slowdowns that somebody accepted in writing |
//! | [`revision`] | from revisions to programs |
//! | [`record`] | what a run found, as it is exported |
//! | [`selftest`] | how often the gate errs: null comparisons and injected slowdowns |
//!
//! What it cannot see: a difference below three times the spread of its null control, which every report states, and on
//! rings beyond the second-level cache anything below [`decide::WIDE`].

use std::path::PathBuf;
use std::time::Duration;

use crate::compare::Progress;
use crate::error::BenchError;
use crate::lockstep::UNPINNED_WIDENING;
use crate::lockstep::link::{Link, Program};
use crate::lockstep::protocol::{Answer, Ask};
use crate::machine::{LoadReading, allowed_cpus};
use crate::measure::{Stopwatch, unix_seconds};
use crate::seeded::Stream;
use crate::stats::{Ratio, median, ratio_of_pairs};

use accepted::Accepted;
use benchmarks::Suite;
use decide::{Evidence, STAGE_ONE, STAGE_TWO, Status, WARN};
use exact::{Figure, Recorded};
use pairs::{Bench, Control, Measured, Sides, Task};
use record::{BenchmarkRow, ExactRow, GateRecord, Verdict};

pub mod accepted;
pub mod benchmarks;
pub mod callgrind;
pub mod decide;
pub mod exact;
mod pairs;
pub mod record;
pub mod revision;
pub mod selftest;
#[cfg(feature = "slowdown")]
pub mod slowdown;

/// The two programs of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Builds {
    /// What is compared with.
    pub base: Program,
    /// What is compared.
    pub head: Program,
    /// What reports call them, base first.
    pub labels: [String; 2],
}

/// How a run is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// What is timed.
    pub suite: Suite,
    /// The file of recorded exact figures, where there is one.
    pub reference: Option<PathBuf>,
    /// The file of accepted changes, where there is one.
    pub accepted: Option<PathBuf>,
    /// Whether exact figures are compared.
    pub exact: bool,
    /// Whether instructions are counted, where valgrind is present.
    pub instructions: bool,
    /// How long a worker may take to answer.
    pub patience: Duration,
    /// The seed of the order.
    pub seed: u64,
}

/// Seconds of a day.
const DAY: u64 = 86_400;

/// Compares two builds.
///
/// # Errors
///
/// A failure where a worker cannot be started, dies, hangs or speaks another protocol; a usage error for a file that
/// cannot be read. Builds that answer differently are no error here but the verdict of the record.
pub fn run(
    builds: &Builds,
    options: &Options,
    progress: &dyn Progress,
) -> Result<GateRecord, BenchError> {
    let watch = Stopwatch::start();
    let mut accepted = match &options.accepted {
        Some(path) => Accepted::read(path, unix_seconds() / DAY)?,
        None => Accepted::default(),
    };
    let recorded = options.reference.as_deref().map(Recorded::read).transpose()?;
    let sides = Sides::new(builds)?;
    let identities = sides.greet()?;
    let [base, head] = &builds.labels;
    let mut record = GateRecord::empty(Verdict::Pass, base, head, "");
    if identities[0].build == identities[1].build {
        record.notes.push("base and head are the same file, byte for byte".to_owned());
    }
    if options.exact {
        record.exact = exact_rows(builds, recorded.as_ref(), options, &mut record.notes, progress)?;
    }
    accepted.check(|name, backend| {
        let benchmark = |b: &benchmarks::Benchmark| {
            b.name == name && backend.is_none_or(|backend| b.backend == backend)
        };
        Suite::new(&[], None).is_ok_and(|suite| suite.benchmarks.iter().any(benchmark))
            || backend.is_none() && record.exact.iter().any(|row| row.name == name)
    })?;
    accept_counts(&mut record.exact, &mut accepted);

    let placement = record.exact.iter().filter(|row| row.status == "placement").count();
    if placement > 0 {
        record.verdict = Verdict::AnswersDiffer;
        record.reason = format!(
            "PLACEMENT CHANGED: {placement} of {} exact figures differ, so keys would go to other nodes; nothing was timed",
            record.exact.len()
        );
    } else {
        let timed = measure(builds, options, &sides, &mut accepted, &mut record, progress);
        if let Err(BenchError::AnswersDiffer(sentence)) = timed {
            record.verdict = Verdict::AnswersDiffer;
            record.reason = format!("ANSWERS DIFFER: {sentence}");
        } else {
            timed?;
        }
    }
    record.exit = record.verdict.exit_code();
    record.accepted = accepted.into_rows();
    for row in record.accepted.iter().filter(|row| row.expired) {
        record.notes.push(format!(
            "the accepted change of {} expired on {} and counts no more",
            row.benchmark, row.expires
        ));
    }
    record.seconds = watch.seconds();
    Ok(record)
}

/// The exact figures of one build; `None` where it is a version that has none.
fn ask_exact(
    program: &Program,
    patience: Duration,
) -> Result<Option<(String, Vec<Figure>)>, BenchError> {
    let mut link = Link::start(program)?;
    link.set_patience(patience);
    match link.ask(&Ask::Exact) {
        Ok(Answer::Exact { toolchain, figures }) => Ok(Some((toolchain, figures))),
        Ok(other) => Err(link.unexpected("exact figures", &other)),
        // A version of before them says this of any question that it does not know.
        Err(BenchError::Failed(said)) if said.contains("does not understand") => Ok(None),
        Err(error) => Err(error),
    }
}

fn exact_rows(
    builds: &Builds,
    recorded: Option<&Recorded>,
    options: &Options,
    notes: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<Vec<ExactRow>, BenchError> {
    progress.phase("exact figures", 2);
    let mut sides = Vec::new();
    for program in [&builds.base, &builds.head] {
        let figures = ask_exact(program, options.patience)?;
        if figures.is_none() {
            notes.push(format!(
                "the {} has no exact figures: it is of a version before them",
                program.name
            ));
        }
        sides.push(figures);
        progress.step();
    }
    let toolchain = sides[1].as_ref().map_or("", |(toolchain, _)| toolchain.as_str());
    if recorded.is_some_and(|recorded| recorded.toolchain != toolchain) {
        notes.push(format!(
            "the recorded counts are of another toolchain than {toolchain}, so they are not compared"
        ));
    }
    let same_toolchain = sides[0].as_ref().is_some_and(|(of_base, _)| of_base == toolchain);
    let base = sides[0].as_ref().map(|(_, figures)| {
        let compared =
            figures.iter().filter(|f| same_toolchain || f.kind == exact::Kind::Placement);
        compared.cloned().collect::<Vec<_>>()
    });
    let head = sides[1].as_ref().map(|(_, figures)| figures.as_slice());
    Ok(exact::compare(base.as_deref(), head, recorded, toolchain))
}

/// Marks counts that are worse, but accepted so.
fn accept_counts(rows: &mut [ExactRow], accepted: &mut Accepted) {
    for row in rows.iter_mut().filter(|row| row.status == "worse") {
        let number =
            |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<f64>().ok());
        let before = number(&row.base).into_iter().chain(number(&row.recorded)).reduce(f64::min);
        if let Some((before, now)) = before.zip(number(&row.head))
            && before > 0.0
            && accepted.takes(&row.name, None, now / before)
        {
            "accepted".clone_into(&mut row.status);
        }
    }
}

/// The tasks of a stage: what is listed, configuration by configuration.
fn tasks(suite: &Suite, wanted: impl Fn(Control, usize) -> bool) -> Vec<Task> {
    let mut tasks = Vec::new();
    for control in [Control::Main, Control::Null] {
        for (configuration, ring) in suite.configurations.iter().enumerate() {
            let wanted =
                |routine| suite.of(configuration, routine).any(|(at, _)| wanted(control, at));
            let routines: Vec<_> = ring.routines.iter().copied().filter(|&r| wanted(r)).collect();
            if !routines.is_empty() {
                tasks.push(Task { control, configuration, routines });
            }
        }
    }
    tasks
}

fn ratio(measured: &Measured, control: Control, at: usize) -> Option<Ratio> {
    ratio_of_pairs(&measured.get(&(control, at))?.logs)
}

/// Both stages, and the verdict.
fn measure(
    builds: &Builds,
    options: &Options,
    sides: &Sides,
    accepted: &mut Accepted,
    record: &mut GateRecord,
    progress: &dyn Progress,
) -> Result<(), BenchError> {
    let suite = &options.suite;
    let before = LoadReading::now();
    let mut bench = Bench {
        suite,
        sides,
        patience: options.patience,
        progress,
        stream: Stream::new(options.seed, "gate/lots"),
        unpinned: None,
    };
    let first = bench.stage("stage one", &tasks(suite, |_, _| true), STAGE_ONE.pairs)?;
    let mut evidence = Vec::new();
    for (at, benchmark) in suite.benchmarks.iter().enumerate() {
        let of = |control| {
            ratio(&first, control, at).ok_or_else(|| {
                BenchError::failed(format!("there are no samples of {}", benchmark.name))
            })
        };
        evidence.push(Evidence {
            first: of(Control::Main)?,
            second: None,
            null_first: of(Control::Null)?,
            null_second: None,
            fits_l2: benchmark.fits_l2,
            ir_ratio: None,
        });
    }
    let nulls: Vec<(Ratio, bool)> = evidence.iter().map(|e| (e.null_first, e.fits_l2)).collect();
    let spread = decide::null_spread(&nulls);
    let widening = if bench.unpinned.is_some() { UNPINNED_WIDENING } else { 1.0 };
    let flagged = |control, at: usize| {
        let e: &Evidence = &evidence[at];
        match control {
            Control::Main => STAGE_ONE.flags(&e.first, decide::thresholds(e, spread, widening)[0]),
            Control::Null => STAGE_ONE.flags(&e.null_first, WARN),
        }
    };
    let again = tasks(suite, flagged);
    let flags: Vec<[bool; 2]> = (0..evidence.len())
        .map(|at| [flagged(Control::Main, at), flagged(Control::Null, at)])
        .collect();
    let second = if again.is_empty() {
        Measured::new()
    } else {
        bench.stage("stage two", &again, STAGE_TWO.pairs)?
    };
    record.load = LoadReading::now().zip(before).map(|(now, before)| now.since(&before));
    for (at, (evidence, [main, null])) in evidence.iter_mut().zip(flags).enumerate() {
        evidence.second = main.then(|| ratio(&second, Control::Main, at)).flatten();
        evidence.null_second = null.then(|| ratio(&second, Control::Null, at)).flatten();
    }
    count_instructions(builds, options, &mut evidence, &mut record.notes, progress)?;

    record.null_spread = Some(spread);
    for (at, evidence) in evidence.iter().enumerate() {
        let mut row = row(suite, at, evidence, spread, widening, [&first, &second]);
        if row.status == Status::Regressed {
            let ir = row.ir_ratio.unwrap_or(1.0);
            let by_instructions = evidence.second.is_none();
            let ratio = if by_instructions { ir } else { row.ratio };
            if accepted.takes(&row.name, Some(&row.backend), ratio) {
                row.status = Status::Accepted;
            }
        }
        record.benchmarks.push(row);
    }
    add_notes(record, bench.unpinned.as_deref());
    (record.verdict, record.reason) = verdict(record, decide::inconclusive(&evidence, spread));
    Ok(())
}

fn count_instructions(
    builds: &Builds,
    options: &Options,
    evidence: &mut [Evidence],
    notes: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<(), BenchError> {
    if !options.instructions {
        notes.push("instructions: skipped, as was asked for".to_owned());
        return Ok(());
    }
    if !callgrind::is_present() {
        notes.push("instructions: skipped, valgrind is not installed".to_owned());
        return Ok(());
    }
    let ratios = callgrind::ratios(&options.suite, builds, progress)?;
    let missing = ratios.iter().filter(|ratio| ratio.is_none()).count();
    if missing > 0 {
        notes.push(format!(
            "instructions: skipped for {missing} benchmarks, whose functions callgrind did not find in both builds"
        ));
    }
    for (evidence, ratio) in evidence.iter_mut().zip(ratios) {
        evidence.ir_ratio = ratio;
    }
    Ok(())
}

fn row(
    suite: &Suite,
    at: usize,
    evidence: &Evidence,
    spread: f64,
    widening: f64,
    stages: [&Measured; 2],
) -> BenchmarkRow {
    let benchmark = &suite.benchmarks[at];
    let decided = evidence.second.as_ref().unwrap_or(&evidence.first);
    let null = evidence.null_second.as_ref().unwrap_or(&evidence.null_first);
    let stage = |second: &Option<Ratio>| if second.is_some() { 2 } else { 1 };
    let [warn, fail] = decide::thresholds(evidence, spread, widening);
    let interval =
        if widening > 1.0 { decided.interval.widened(widening) } else { decided.interval };
    let measured = stages[usize::from(evidence.second.is_some())].get(&(Control::Main, at));
    let ns = |side: usize| measured.and_then(|series| median(&series.ns[side])).unwrap_or(0.0);
    BenchmarkRow {
        name: benchmark.name.clone(),
        backend: benchmark.backend.to_owned(),
        ratio: interval.median,
        low: interval.low,
        high: interval.high,
        slower: decided.slower,
        pairs: decided.pairs,
        stage: stage(&evidence.second),
        ir_ratio: evidence.ir_ratio,
        status: decide::status(evidence, spread, widening),
        warn_above: 1.0 + warn,
        fail_above: 1.0 + fail,
        base_ns: ns(0),
        head_ns: ns(1),
        null_ratio: null.interval.median,
        null_stage: stage(&evidence.null_second),
        null_tripped: decide::tripped(evidence),
        fits_l2: benchmark.fits_l2,
    }
}

/// What the reader should know of this run.
fn add_notes(record: &mut GateRecord, unpinned: Option<&str>) {
    if let Some(reason) = unpinned {
        record.notes.push(format!(
            "the workers could not stay on one processor ({reason}), so thresholds and intervals are twice as wide"
        ));
    }
    if allowed_cpus().len() == 1 {
        record.notes.push(
            "there is one processor only: workers, this program and everything else share it, which makes noise likelier"
                .to_owned(),
        );
    }
    if let Some(load) = record.load
        && load.steal > 0.02
    {
        record.notes.push(format!(
            "the hypervisor took {:.1} % of the processor time away",
            load.steal * 100.0
        ));
    }
    let beyond: Vec<&BenchmarkRow> = record.benchmarks.iter().filter(|b| !b.fits_l2).collect();
    if !beyond.is_empty() {
        let threshold = beyond.iter().map(|b| b.fail_above - 1.0).fold(decide::WIDE, f64::max);
        record.notes.push(format!(
            "{} benchmarks run on rings beyond the second-level cache, where copies of one binary differ: there only more \
             than {:.0} % is seen",
            beyond.len(),
            threshold * 100.0
        ));
    }
}

/// The verdict of a run that was measured, and why.
fn verdict(record: &GateRecord, inconclusive: Option<String>) -> (Verdict, String) {
    let names = |rows: Vec<String>| rows.join(", ");
    let worse = record.exact.iter().filter(|row| row.status == "worse").map(|row| row.name.clone());
    let worse: Vec<String> = worse.collect();
    if !worse.is_empty() {
        return (Verdict::Regressed, format!("counted figures are worse: {}", names(worse)));
    }
    let slower: Vec<String> = record
        .benchmarks
        .iter()
        .filter(|row| row.status == Status::Regressed)
        .map(|row| match row.ir_ratio {
            Some(ir) if row.stage == 1 => {
                format!("{}/{} ({ir:.2}x instructions)", row.backend, row.name)
            }
            _ => format!("{}/{} ({:.2}x)", row.backend, row.name, row.ratio),
        })
        .collect();
    if let Some(why) = inconclusive {
        let also = if slower.is_empty() {
            String::new()
        } else {
            format!("; what looked slower: {}", names(slower))
        };
        return (Verdict::Inconclusive, format!("too noisy to tell: {why}{also}"));
    }
    if slower.is_empty() {
        let warned = record.benchmarks.iter().filter(|row| row.status == Status::Warn).count();
        let warned = if warned == 0 { String::new() } else { format!(", {warned} warned of") };
        return (
            Verdict::Pass,
            format!("none of {} benchmarks is slower{warned}", record.benchmarks.len()),
        );
    }
    (Verdict::Regressed, format!("slower: {}", names(slower)))
}
