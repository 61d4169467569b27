//! How often the gate errs: the same binary against its copy, and builds that are slower by a known part.
//!
//! Every run is a line of `runs.jsonl` in a folder, written when the run is done. A test that was stopped goes on from
//! there, and the tables are computed from that file alone.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::compare::Progress;
use crate::error::BenchError;
use crate::gate::benchmarks::Suite;
use crate::gate::record::{GateRecord, Verdict};
use crate::gate::{Builds, Options, run as run_gate};
use crate::lockstep::link::Program;
use crate::lockstep::worker::build_id;
use crate::machine::{allowed_cpus, measuring_cpu, pin_to};

pub mod tables;

/// The file of runs.
pub const RUNS: &str = "runs.jsonl";

/// The slowdowns that are injected, in percent.
pub const PERCENTS: [u32; 3] = [5, 10, 20];

/// What a run was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A binary against its copy, nothing else running on purpose.
    Idle,
    /// The same with the other processors kept busy.
    Busy,
    /// The slowed build, by this many percent, against the same build slowed by nothing.
    Slow(u32),
    /// The same with the other processors kept busy.
    SlowBusy(u32),
}

impl Kind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Idle => "idle".to_owned(),
            Self::Busy => "busy".to_owned(),
            Self::Slow(percent) => format!("+{percent} % idle"),
            Self::SlowBusy(percent) => format!("+{percent} % busy"),
        }
    }

    fn is_busy(self) -> bool {
        matches!(self, Self::Busy | Self::SlowBusy(_))
    }
}

/// One run of the gate in the test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What it was about.
    pub kind: Kind,
    /// SHA-256 of the program.
    pub build: String,
    /// What the gate found.
    pub record: GateRecord,
}

/// How many runs of each kind there should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Null runs, otherwise idle.
    pub idle: usize,
    /// Null runs, other processors busy.
    pub busy: usize,
    /// Runs for each injected slowdown, otherwise idle.
    pub slow: usize,
    /// The same, other processors busy.
    pub slow_busy: usize,
}

impl Counts {
    fn of(&self, kind: Kind) -> usize {
        match kind {
            Kind::Idle => self.idle,
            Kind::Busy => self.busy,
            Kind::Slow(_) => self.slow,
            Kind::SlowBusy(_) => self.slow_busy,
        }
    }
}

/// How the test is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// What is timed.
    pub suite: Suite,
    /// How many runs.
    pub counts: Counts,
    /// Where the runs are kept.
    pub folder: PathBuf,
    /// The build with the feature `slowdown`; needed for slow runs only.
    pub slowed: Option<PathBuf>,
    /// How long a worker may take to answer.
    pub patience: Duration,
}

/// The runs in `folder`; none where it holds none yet.
///
/// # Errors
///
/// A usage error for a file that holds something else.
pub fn read(folder: &Path) -> Result<Vec<Run>, BenchError> {
    let path = folder.join(RUNS);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path)
        .map_err(|e| BenchError::usage(format!("{}: cannot be read: {e}", path.display())))?;
    let run = |(at, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|e| {
            BenchError::usage(format!("{}: line {} is no run: {e}", path.display(), at + 1))
        })
    };
    text.lines().enumerate().map(run).collect()
}

/// Makes the runs that are missing. `done` is told of each.
///
/// # Errors
///
/// A failure where a run fails or cannot be written; a usage error where the folder holds runs of another build, or
/// slow runs are wanted and there is no build for them.
pub fn run(
    test: &Test,
    progress: &dyn Progress,
    mut done: impl FnMut(&Run),
) -> Result<(), BenchError> {
    let failed = |e: std::io::Error| {
        BenchError::failed(format!("{}: cannot be written: {e}", test.folder.display()))
    };
    fs::create_dir_all(&test.folder).map_err(failed)?;
    let build = build_id();
    let runs = read(&test.folder)?;
    if runs.iter().any(|run| run.build != build) {
        return Err(BenchError::usage(format!(
            "{} holds runs of another build; take another folder, or build that one again",
            test.folder.display()
        )));
    }
    let mut out =
        File::options().create(true).append(true).open(test.folder.join(RUNS)).map_err(failed)?;
    let mut kinds = vec![Kind::Idle, Kind::Busy];
    kinds.extend(PERCENTS.map(Kind::Slow));
    kinds.extend(PERCENTS.map(Kind::SlowBusy));
    let have = |kind| runs.iter().filter(|run| run.kind == kind).count();
    let rounds = kinds.iter().map(|&kind| test.counts.of(kind)).max().unwrap_or(0);
    let copy = tempfile::tempdir().map_err(failed)?;
    for round in 0..rounds {
        // All kinds in every round, so that no hour of the machine belongs to one of them.
        for &kind in &kinds {
            if round < have(kind) || round >= test.counts.of(kind) {
                continue;
            }
            let record = one(test, kind, round as u64, copy.path(), progress)?;
            let run = Run { kind, build: build.clone(), record };
            let mut line = serde_json::to_vec(&run)
                .map_err(|e| BenchError::failed(format!("a run has no JSON form: {e}")))?;
            line.push(b'\n');
            out.write_all(&line).and_then(|()| out.flush()).map_err(failed)?;
            done(&run);
        }
    }
    Ok(())
}

/// What a run compares.
fn builds(kind: Kind, slowed: Option<&Path>, folder: &Path) -> Result<Builds, BenchError> {
    let (base, head, name) = match kind {
        Kind::Idle | Kind::Busy => {
            let base = Program::this("base")?;
            let path = folder.join("copy");
            if !path.exists() {
                fs::copy(&base.path, &path).map_err(|e| {
                    BenchError::failed(format!("the program cannot be copied: {e}"))
                })?;
            }
            (base, Program::other("head", path), "this program")
        }
        Kind::Slow(percent) | Kind::SlowBusy(percent) => {
            let path = slowed.ok_or_else(|| {
                BenchError::usage(
                    "slow runs need --slowed FILE: a build with `--features slowdown`, see GATE.md",
                )
            })?;
            // The same build, slower by nothing: another build would differ by more than what is injected, since the
            // compiler lays it out anew.
            let by = |name: &str, percent: u32| {
                let mut program = Program::other(name, path.to_owned());
                program.arguments.push(format!("--slow-by={percent}").into());
                program
            };
            (by("base", 0), by("head", percent), "the slowed build, by nothing")
        }
    };
    Ok(Builds { base, head, labels: [name.to_owned(), kind.name()] })
}

fn one(
    test: &Test,
    kind: Kind,
    seed: u64,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<GateRecord, BenchError> {
    let builds = builds(kind, test.slowed.as_deref(), folder)?;
    let options = Options {
        suite: test.suite.clone(),
        reference: None,
        accepted: None,
        exact: false,
        instructions: false,
        patience: test.patience,
        seed,
    };
    let _noise = kind.is_busy().then(Noise::start);
    let record = run_gate(&builds, &options, progress)?;
    if record.verdict == Verdict::AnswersDiffer {
        return Err(BenchError::AnswersDiffer(record.reason));
    }
    Ok(record)
}

/// Threads that keep every processor busy but the one that is measured on; they end with it.
struct Noise {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Noise {
    fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let others = allowed_cpus().into_iter().filter(|&cpu| Some(cpu) != measuring_cpu());
        let threads = others.map(|cpu| {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || {
                // Where it cannot be pinned it disturbs all the more.
                let _ = pin_to(cpu);
                disturb(&stop);
            })
        });
        let threads = threads.collect();
        Self { stop, threads }
    }
}

/// Arithmetic and memory traffic in turn, until told to stop: caches and memory that processors share are busy too.
fn disturb(stop: &AtomicBool) {
    let mut memory = vec![1_u64; 1 << 20];
    let mut x = 1_u64;
    while !stop.load(Ordering::Relaxed) {
        for cell in &mut memory {
            x = x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(*cell);
            *cell = x;
        }
    }
    std::hint::black_box(&memory);
}

impl Drop for Noise {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that panicked has ended as well.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowed_build_is_set_against_itself() {
        let builds = builds(Kind::SlowBusy(10), Some(Path::new("slowed")), Path::new(".")).unwrap();
        assert_eq!(builds.base.path, builds.head.path);
        assert_eq!(builds.base.arguments, ["worker", "--slow-by=0"]);
        assert_eq!(builds.head.arguments, ["worker", "--slow-by=10"]);
        let missing = super::builds(Kind::Slow(5), None, Path::new(".")).unwrap_err();
        assert_eq!(missing.exit_code(), 2);
    }
}
