//! Instructions that the work itself takes, counted by callgrind.
//!
//! A worker of each build runs under valgrind. Collection is on only inside a subject's `step`, the part that is timed,
//! and a dump is written each time a routine begins. So a dump holds the instructions of one routine and nothing of the
//! harness, and it is the same run after run, while whole-program counts shift with the environment. The two phases of
//! a routine, a change and its inverse, are one count.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::compare::Progress;
use crate::error::BenchError;
use crate::gate::Builds;
use crate::gate::benchmarks::{Configuration, Suite};
use crate::lockstep::link::{Link, PATIENCE, Program};
use crate::lockstep::protocol::{Answer, Ask, SubjectSpec};
use crate::routine::Routine;
use crate::stats::real;

/// The program.
const VALGRIND: &str = "valgrind";

/// What a trigger line says where a subject begins a routine: both words. A subject that wraps another one is not meant.
const BEGIN: [&str; 2] = ["RingSubject", "Subject>::begin"];

/// Keys: counts do not depend on caches, so few will do.
const KEYS: usize = 4096;

/// Operations of a lookup routine, and of any other.
const OPERATIONS: [u64; 2] = [2000, 12];

/// Whether valgrind can be run.
#[must_use]
pub fn is_present() -> bool {
    let version = Command::new(VALGRIND)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    version.is_ok_and(|status| status.success())
}

/// Head over base for each benchmark of the suite; `None` where a build was not counted.
///
/// # Errors
///
/// A failure where a worker fails under valgrind.
pub fn ratios(
    suite: &Suite,
    builds: &Builds,
    progress: &dyn Progress,
) -> Result<Vec<Option<f64>>, BenchError> {
    progress.phase("instructions", 2 * suite.configurations.len() as u64);
    let mut ratios = vec![None; suite.benchmarks.len()];
    for (at, configuration) in suite.configurations.iter().enumerate() {
        let spec = SubjectSpec { keys: Some(KEYS), ..suite.spec(configuration) };
        let mut counts = Vec::new();
        for program in [&builds.base, &builds.head] {
            counts.push(count(program, &spec, configuration)?);
            progress.step();
        }
        for (place, &routine) in configuration.routines.iter().enumerate() {
            let [base, head] = [0, 1].map(|side| counts[side].get(place).copied().unwrap_or(0));
            for (benchmark, _) in suite.of(at, routine) {
                ratios[benchmark] = (base > 0 && head > 0).then(|| real(head) / real(base));
            }
        }
    }
    Ok(ratios)
}

/// Instructions of each routine; empty where the build has no function of the expected name.
fn count(
    program: &Program,
    spec: &SubjectSpec,
    configuration: &Configuration,
) -> Result<Vec<u64>, BenchError> {
    let failed = |e: std::io::Error| BenchError::failed(format!("callgrind's files: {e}"));
    let folder = tempfile::Builder::new().prefix("ring-gate-").tempdir().map_err(failed)?;
    let out = folder.path().join("out");
    let mut to_file = OsString::from("--callgrind-out-file=");
    to_file.push(&out);
    let mut arguments: Vec<OsString> = [
        "--quiet",
        "--tool=callgrind",
        "--toggle-collect=*RingSubject*step*",
        "--dump-before=*::begin",
    ]
    .map(OsString::from)
    .to_vec();
    arguments.extend([to_file, program.path.clone().into_os_string()]);
    arguments.extend(program.arguments.iter().cloned());
    let program = Program {
        name: format!("{} under valgrind", program.name),
        path: VALGRIND.into(),
        arguments,
        environment: Vec::new(),
    };
    let mut link = Link::start_patiently(&program, PATIENCE)?;
    match link.ask(&Ask::Prepare { subject: spec.clone(), cpu: None })? {
        Answer::Prepared { .. } => {}
        other => return Err(link.unexpected("a subject", &other)),
    }
    for &routine in &configuration.routines {
        link.begin(routine, 0)?;
        link.sample(0, 0, OPERATIONS[usize::from(!routine.is_lookup())])?;
        link.finish()?;
    }
    // One more beginning writes the dump of the last routine.
    link.begin(Routine::Get, 0)?;
    drop(link);
    Ok(read(folder.path(), configuration.routines.len()))
}

/// The totals of the dumps in `folder`, one a routine; none where there are fewer.
fn read(folder: &Path, routines: usize) -> Vec<u64> {
    let dumps = (1..).map_while(|part| fs::read_to_string(folder.join(format!("out.{part}"))).ok());
    // What is dumped at the first beginning came before any routine.
    let totals: Vec<u64> = dumps.filter_map(|text| total(&text)).skip(1).take(routines).collect();
    if totals.len() == routines { totals } else { Vec::new() }
}

/// The total of a dump, if a subject's beginning made it.
fn total(dump: &str) -> Option<u64> {
    let line = |start: &str| dump.lines().find_map(|line| line.strip_prefix(start));
    line("desc: Trigger: ").filter(|trigger| BEGIN.iter().all(|word| trigger.contains(word)))?;
    line("summary: ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(trigger: &str, total: u64) -> String {
        format!(
            "# callgrind format\ndesc: Trigger: {trigger}\nevents: Ir\nsummary: {total}\n\nfn=(1) x\ntotals: {total}\n"
        )
    }

    #[test]
    fn dumps_are_matched_with_routines() {
        let folder = tempfile::tempdir().unwrap();
        let begin = "--dump-before=<a::RingSubject<S,H> as a::Subject>::begin";
        for (part, text) in
            [dump("--dump-before=x::begin", 9), dump(begin, 0), dump(begin, 510), dump(begin, 77)]
                .iter()
                .enumerate()
        {
            fs::write(folder.path().join(format!("out.{}", part + 1)), text).unwrap();
        }
        assert_eq!(read(folder.path(), 2), [510, 77]);
        assert_eq!(read(folder.path(), 3), Vec::<u64>::new());
        assert_eq!(total("desc: Trigger: Program termination\nsummary: 5\n"), None);
    }
}
