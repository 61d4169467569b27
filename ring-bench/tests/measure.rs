//! Measuring through the command: worker processes, and `compare` on a tiny ring. Nothing is asserted about times.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use ring_bench::lockstep::link::{Link, Program};
use ring_bench::lockstep::protocol::{Answer, Ask, SubjectSpec};
use ring_bench::record::{Class, CompareRecord};

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ring-bench"))
}

fn ring_bench(arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).stdin(Stdio::null()).output().expect("ring-bench runs")
}

fn spec(contender: &str, nodes: usize) -> SubjectSpec {
    SubjectSpec {
        contender: contender.to_owned(),
        hash: "fnv1a64-fmix64".to_owned(),
        nodes,
        vnodes: 100,
        max_weight: 1,
        corpus: "uniform".to_owned(),
        keys: Some(1_000),
        seed: 1,
    }
}

fn worker() -> Link {
    Link::start(&Program::other("worker", program())).expect("a worker")
}

/// Whether a process is there and has not ended. An ended child that nobody waited for is a zombie.
#[cfg(target_os = "linux")]
fn is_running(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| {
        !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
    })
}

/// Waits until a process has ended, for ten seconds at the most.
#[cfg(target_os = "linux")]
fn ends(process: u32) -> bool {
    (0..1_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !is_running(process)
    })
}

#[test]
fn a_worker_says_which_build_it_is() {
    let (a, b) = (worker(), worker());
    assert_eq!(a.identity(), b.identity());
    assert_eq!(a.identity().build.len(), 64);
    assert_eq!(a.identity().version, env!("CARGO_PKG_VERSION"));
}

#[test]
fn bytes_and_allocations_are_counted_in_a_process_of_their_own() {
    let counted =
        |contender: &str| match worker().ask(&Ask::Count { subject: spec(contender, 100) }) {
            Ok(Answer::Counted { memory: Some(memory) }) => memory,
            other => panic!("{other:?}"),
        };
    for contender in ["sortedvec", "btree"] {
        let memory = counted(contender);
        assert_eq!(memory, counted(contender), "counts do not depend on luck");
        assert_eq!(memory.tokens, 10_000);
        assert_eq!(memory.lookup_allocations, 0, "a lookup allocates nothing");
        // A token is 16 bytes at the least.
        for bytes in [memory.bulk_bytes, memory.one_by_one_bytes] {
            assert!((160_000..600_000).contains(&bytes), "{contender}: {memory:?}");
        }
        assert!(memory.bulk_total_bytes >= memory.bulk_bytes);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_takes_too_long_is_ended() {
    let mut worker = worker();
    let process = worker.process_id().expect("a process");
    worker.set_patience(Duration::from_millis(1));
    let error = worker
        .ask(&Ask::Prepare { subject: spec("btree", 10_000), cpu: None })
        .expect_err("too slow");
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("no answer within"), "{error}");
    assert!(ends(process));
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_was_killed_is_an_error_that_says_how_it_ended() {
    let mut worker = worker();
    let process = worker.process_id().expect("a process").to_string();
    assert!(Command::new("kill").args(["-9", &process]).status().expect("kill runs").success());
    let error = worker
        .ask(&Ask::Prepare { subject: spec("btree", 10), cpu: None })
        .expect_err("it is dead");
    assert!(
        error.to_string().contains("died") && error.to_string().contains("signal: 9"),
        "{error}"
    );
}

#[test]
fn a_program_that_is_no_worker_is_an_error() {
    // It knows no verb `worker` of ours, and says so or nothing; what counts is that it is not believed.
    let other = std::env::current_exe().expect("this test");
    let error = Link::start(&Program::other("base", other)).expect_err("not a worker");
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().starts_with("base: "), "{error}");
}

/// Processes whose parent is `parent`.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc")
        .expect("/proc")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    processes
        .filter(|process| {
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            let after_name = stat.rsplit(')').next().unwrap_or_default();
            after_name.split_whitespace().nth(1) == Some(parent.to_string().as_str())
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn no_worker_outlives_a_controller_that_was_killed() {
    let mut controller = Command::new(program())
        .args(["compare", "--nodes", "200", "--keys-count", "5000"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("ring-bench runs");
    let mut workers = Vec::new();
    for _ in 0..2_000 {
        workers = children(controller.id());
        if workers.len() == 2 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    controller.kill().expect("killed");
    controller.wait().expect("waited for");
    assert_eq!(workers.len(), 2, "a pair of workers was never seen");
    for worker in workers {
        assert!(ends(worker), "worker {worker} is still there");
    }
}

/// Runs a tiny comparison and returns its record with its standard output.
fn compare(folder: &Path, name: &str, more: &[&str]) -> (CompareRecord, String) {
    let json = folder.join(format!("{name}.json"));
    let json = json.to_str().expect("a path");
    let mut arguments = vec![
        "--nodes",
        "3,5",
        "--vnodes",
        "20",
        "--keys-count",
        "2000",
        "--quick",
        "--export-json",
        json,
    ];
    arguments.extend(more);
    let output = ring_bench(&[&["compare"], &arguments[..]].concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    assert!(
        !errors.contains('\x1b') && !errors.contains('\r'),
        "no bar where stderr is no terminal: {errors:?}"
    );
    let record = serde_json::from_slice(&fs::read(json).expect("exported")).expect("a record");
    (record, String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn a_comparison_exports_everything_and_repeats_what_owes_nothing_to_a_clock() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = folder.path().join("samples.csv");
    let markdown = folder.path().join("result.md");
    let more = [
        "--export-csv",
        csv.to_str().expect("a path"),
        "--export-markdown",
        markdown.to_str().expect("a path"),
    ];
    let (one, text) = compare(folder.path(), "one", &more);
    let (two, _) = compare(folder.path(), "two", &[]);

    assert_eq!((one.schema.as_str(), one.class, one.seed), ("ring-compare/1", Class::Smoke, 42));
    let exact = |record: &CompareRecord| {
        serde_json::to_string(&(&record.corpora, &record.remap)).expect("JSON")
    };
    assert_eq!(exact(&one), exact(&two));
    let (other, _) = compare(folder.path(), "other", &["--seed", "43"]);
    assert_ne!(exact(&one), exact(&other));

    assert_eq!(one.remap.len(), 6);
    for experiment in ["lookup", "update", "memory"] {
        assert!(one.rows.iter().any(|row| row.experiment == experiment), "{experiment}");
    }
    let workloads = ["3x20 uniform(16)", "5x20 uniform(16)"];
    let judged: Vec<&str> = one.verdicts.iter().map(|verdict| verdict.workload.as_str()).collect();
    assert_eq!(judged, workloads);
    for row in &one.rows {
        assert!(workloads.contains(&row.workload.as_str()));
        assert!(row.low <= row.median && row.median <= row.high, "{row:?}");
        assert!(row.median > 0.0 || row.operation == "allocations", "{row:?}");
    }
    for verdict in &one.verdicts {
        assert!(text.contains(&verdict.reason), "{}", verdict.reason);
    }

    let samples = fs::read_to_string(&csv).expect("exported");
    let fields = |line: &str| line.split(',').count();
    let mut lines = samples.lines();
    let columns = fields(lines.next().expect("a header"));
    assert!(lines.clone().count() > 100);
    assert!(lines.all(|line| fields(line) == columns));
    assert!(fs::read_to_string(&markdown).expect("exported").contains("| search |"));
}

#[test]
fn what_cannot_be_measured_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing/result.json");
    let missing = missing.to_str().expect("a path");
    let cases: [(&[&str], i32, &str); 9] = [
        (&["--nodes", "0"], 2, "at least one node"),
        (&["--nodes", "10,ten"], 2, "ten"),
        (&["--nodes", "200000"], 2, "the limit is 16777216"),
        (&["--vnodes", "0"], 2, "--vnodes"),
        (&["--corpus", "klingon"], 2, "klingon"),
        (&["--corpus", "file:no/such/file"], 2, "no/such/file"),
        (&["--keys-count", "0"], 2, "from 1 to"),
        (&["--seed", "-1"], 2, "-1"),
        (&["--export-json", missing], 1, "no directory"),
    ];
    for (arguments, code, word) in cases {
        let output = ring_bench(&[&["compare", "--quick"], arguments].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(word), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn a_ring_size_named_twice_is_measured_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (record, _) = compare(folder.path(), "twice", &["--nodes", "4,4"]);
    let mut sizes: Vec<usize> =
        record.verdicts.iter().filter_map(|v| v.workload.split('x').next()?.parse().ok()).collect();
    sizes.dedup();
    assert_eq!(sizes.len(), record.verdicts.len());
}

#[test]
fn the_worker_answers_nonsense_and_goes_on() {
    let mut child = Command::new(program())
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a worker");
    let mut questions = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    questions.write_all(b"hello?\n{\"ask\":\"hello\",\"protocol\":1}\n").expect("asked");
    let mut next = || answers.next().expect("an answer").expect("text");
    assert!(next().contains("does not understand"));
    assert!(next().contains("\"answer\":\"hello\""));
    drop(questions);
    assert!(child.wait().expect("waited for").success());
}
