//! Process pairs of the gate: base against head, and base against its copy.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use crate::compare::Progress;
use crate::error::BenchError;
use crate::gate::Builds;
use crate::gate::benchmarks::Suite;
use crate::lockstep::link::{Identity, Link, Program};
use crate::lockstep::pair::{self, Plan, Prepared};
use crate::lockstep::schedule::visits;
use crate::machine::measuring_cpu;
use crate::routine::Routine;
use crate::seeded::Stream;
use crate::stats::log_ratio;

/// Sample pairs of a routine in a process pair, at the most and at the least.
const SAMPLES: [usize; 2] = [40, 12];

/// How long a routine samples in one process pair.
const SLICE: Duration = Duration::from_millis(100);

/// Who is set against the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Control {
    /// The head.
    Main,
    /// A byte copy of the base.
    Null,
}

/// What the process pairs of one benchmark gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Series {
    /// The log ratio of each pair: the other one over the base.
    pub(super) logs: Vec<f64>,
    /// The median time of one operation in each pair, base and other, in nanoseconds.
    pub(super) ns: [Vec<f64>; 2],
}

/// The series of a stage, by control and benchmark.
pub(super) type Measured = BTreeMap<(Control, usize), Series>;

/// Which routines of which configuration are to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) control: Control,
    pub(super) configuration: usize,
    pub(super) routines: Vec<Routine>,
}

/// Keeps what a worker has freed in its process. Memory given back to the system is faulted in again, page by page, and
/// whether a block is given back depends on what lies above it in the heap: one process builds a ring of 10,000 tokens in
/// 97 µs and the next in 184 µs (`gate --only sortedvec/build` with and without these). The C library of GNU reads them,
/// others pay no attention. The second threshold is the largest that it takes.
const KEEP_MEMORY: [(&str, &str); 2] =
    [("MALLOC_TRIM_THRESHOLD_", "1073741824"), ("MALLOC_MMAP_THRESHOLD_", "33554432")];

/// The programs of a run, each copied anew before every process pair.
///
/// Where a file lies in memory, and even how long its name is, can make one loop of one copy several percent slower, and
/// keeps doing so for as long as that file is run: two copies of one program then differ in every pair. Fresh copies under
/// names of one length turn that into noise, which pairs average out. The copies go when this goes.
pub(super) struct Sides {
    base: Program,
    head: Program,
    folder: tempfile::TempDir,
}

impl Sides {
    /// Programs to be copied into a folder of their own.
    pub(super) fn new(builds: &Builds) -> Result<Self, BenchError> {
        let folder = tempfile::Builder::new().prefix("ring-gate-").tempdir().map_err(|e| {
            BenchError::failed(format!("no folder for copies of the programs can be made: {e}"))
        })?;
        Ok(Self { base: builds.base.clone(), head: builds.head.clone(), folder })
    }

    /// A fresh copy of `program` under a name of four letters, which keeps its memory.
    fn fresh(&self, program: &Program, file: &str, name: &str) -> Result<Program, BenchError> {
        let path = self.folder.path().join(file);
        let failed = |e: std::io::Error| {
            BenchError::failed(format!(
                "{}: {} cannot be copied: {e}",
                program.name,
                program.path.display()
            ))
        };
        // A new file, not the old one written over: that would be the same memory again.
        if path.exists() {
            fs::remove_file(&path).map_err(failed)?;
        }
        fs::copy(&program.path, &path).map_err(failed)?;
        let mut fresh = Program { name: name.to_owned(), path, ..program.clone() };
        fresh.environment.extend(KEEP_MEMORY);
        Ok(fresh)
    }

    /// The base, and what is set against it.
    fn pair(&self, control: Control) -> Result<[Program; 2], BenchError> {
        let other = match control {
            Control::Main => self.fresh(&self.head, "head", "head")?,
            Control::Null => self.fresh(&self.base, "copy", "the copy of the base")?,
        };
        Ok([self.fresh(&self.base, "base", "base")?, other])
    }

    /// Starts a worker of each side once, and returns what they say of themselves: base first.
    pub(super) fn greet(&self) -> Result<[Identity; 2], BenchError> {
        let greet = |program: &Program| Link::start(program).map(|link| link.identity().clone());
        Ok([greet(&self.base)?, greet(&self.head)?])
    }
}

/// Measures stages.
pub(super) struct Bench<'a> {
    pub(super) suite: &'a Suite,
    pub(super) sides: &'a Sides,
    /// How long a worker may take to answer.
    pub(super) patience: Duration,
    pub(super) progress: &'a dyn Progress,
    pub(super) stream: Stream,
    /// Why workers were not pinned, once one was not.
    pub(super) unpinned: Option<String>,
}

impl Bench<'_> {
    /// `pairs` fresh process pairs for each task, in random order.
    pub(super) fn stage(
        &mut self,
        name: &str,
        tasks: &[Task],
        pairs: usize,
    ) -> Result<Measured, BenchError> {
        let order = visits(&vec![pairs; tasks.len()], 1, &mut self.stream);
        self.progress.phase(name, order.len() as u64);
        let mut measured = Measured::new();
        for visit in order {
            self.pair(&tasks[visit.configuration], &mut measured)?;
            self.progress.step();
        }
        Ok(measured)
    }

    fn pair(&mut self, task: &Task, measured: &mut Measured) -> Result<(), BenchError> {
        let configuration = &self.suite.configurations[task.configuration];
        let spec = self.suite.spec(configuration);
        let plan = Plan {
            routines: task.routines.clone(),
            samples: SAMPLES[0],
            least_samples: SAMPLES[1],
            slice: SLICE,
            same_answers: true,
        };
        // Who is started first is drawn by lot: the second one finds memory as the first one left it.
        let swapped = self.stream.coin();
        let mut programs = self.sides.pair(task.control)?;
        if swapped {
            programs.reverse();
        }
        let mut links = [Link::start(&programs[0])?, Link::start(&programs[1])?];
        for link in &mut links {
            link.set_patience(self.patience);
        }
        let [a, b] = &mut links;
        let prepared = pair::prepare([a, b], [&spec, &spec], measuring_cpu(), true)?;
        let runs = pair::run([a, b], &prepared, &plan, &mut self.stream)?;
        let Prepared { clock, unpinned, .. } = prepared;
        self.unpinned = self.unpinned.take().or(unpinned);
        for run in runs {
            for (at, benchmark) in self.suite.of(task.configuration, run.routine) {
                let series = measured.entry((task.control, at)).or_default();
                if let Some(log) = log_ratio(&run.times(benchmark.phase, &clock)) {
                    series.logs.push(if swapped { -log } else { log });
                }
                for (side, ns) in series.ns.iter_mut().enumerate() {
                    let worker = if swapped { 1 - side } else { side };
                    ns.extend(run.median_ns(benchmark.phase, worker, &clock));
                }
            }
        }
        Ok(())
    }
}
