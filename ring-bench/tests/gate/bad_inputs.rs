//! What goes wrong: each a sentence and the right exit code, and no process left behind.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::fake::{Fake, code, gate, pair, run_in, script, stderr, stdout};
use std::process::Command;

/// Runs the gate on two programs that cannot be compared; returns exit code and message.
fn refused(folder: &Path, base: &str, head: &str, more: &[&str]) -> (i32, String) {
    let mut arguments = pair(base, head);
    arguments.extend(more);
    let output = gate(folder, &arguments);
    assert_eq!(stdout(&output), "", "nothing was found, so nothing is printed");
    (code(&output), stderr(&output))
}

#[test]
fn a_program_of_another_kind_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = Fake::new("1000").write(folder.path(), "good");
    let talker = script(folder.path(), "talker", "#!/bin/sh\necho usage: talker FILE\nsleep 0.1\n");
    for (base, head, side) in [(&talker, &good, "base"), (&good, &talker, "head")] {
        let (code, said) = refused(folder.path(), base, head, &[]);
        assert_eq!(code, 1);
        assert!(
            said.contains(side) && said.contains("does not speak the worker protocol"),
            "{said}"
        );
        assert!(said.contains("usage: talker"), "{said}");
    }
    let (code, said) = refused(folder.path(), "/bin/true", &good, &[]);
    assert_eq!(code, 1);
    assert!(said.contains("base"), "{said}");

    let text = folder.path().join("text");
    fs::write(&text, "no program").expect("written");
    let (code, said) = refused(folder.path(), &text.display().to_string(), &good, &[]);
    assert_eq!(code, 1);
    assert!(said.contains("cannot be started"), "{said}");
}

#[test]
fn another_protocol_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = Fake::new("1000").write(folder.path(), "good");
    let mut old = Fake::new("1000");
    old.hello = r#"echo '{"answer":"hello","protocol":99,"version":"9.9","build":""}'"#.to_owned();
    let old = old.write(folder.path(), "old");
    let (code, said) = refused(folder.path(), &old, &good, &[]);
    assert_eq!(code, 1);
    assert!(said.contains("speaks version 99 of the worker protocol"), "{said}");
}

#[test]
fn what_is_neither_a_file_nor_a_revision_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = gate(folder.path(), &["--base", "no/such/thing"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--base no/such/thing"), "{}", stderr(&output));
    let output = gate(folder.path(), &[]);
    assert_eq!(code(&output), 2);
    let good = Fake::new("1000").write(folder.path(), "good");
    let output = gate(folder.path(), &["--base", &good, "--head", "no/such/head"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--head no/such/head"), "{}", stderr(&output));
    for arguments in
        [["--only", "nothing"], ["--accepted", "missing.toml"], ["--reference", "missing.csv"]]
    {
        let mut all = vec!["--base", good.as_str(), "--head", good.as_str()];
        all.extend(arguments);
        let output = gate(folder.path(), &all);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(arguments[1]), "{}", stderr(&output));
    }
}

/// Whether a process is there and has not ended.
fn is_running(process: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", process.trim())).is_ok_and(|stat| {
        !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
    })
}

#[test]
fn a_worker_that_dies_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = Fake::new("1000").write(folder.path(), "good");
    let mut dying = Fake::new("1000");
    dying.prepare = "exit 7";
    let dying = dying.write(folder.path(), "dying");
    let (code, said) = refused(folder.path(), &good, &dying, &[]);
    assert_eq!(code, 1);
    assert!(said.contains("head: the worker died") && said.contains('7'), "{said}");
}

#[test]
fn a_worker_that_hangs_is_ended_after_the_time_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = Fake::new("1000").write(folder.path(), "good");
    let mut hanging = Fake::new("1000");
    // It becomes another program, and remembers its number.
    hanging.prepare = "echo $$ >> pids; exec sleep 1000";
    let hanging = hanging.write(folder.path(), "hanging");
    let (code, said) = refused(folder.path(), &good, &hanging, &["--time-limit", "1"]);
    assert_eq!(code, 1);
    assert!(
        said.contains("head: the worker gave no answer within 1 seconds and was ended"),
        "{said}"
    );
    let pids = fs::read_to_string(folder.path().join("pids")).expect("it ran");
    for process in pids.lines() {
        let ended = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            !is_running(process)
        });
        assert!(ended, "process {process} was left behind");
    }
}

#[test]
fn one_processor_is_enough_and_is_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let fake = Fake::new("1000").write(folder.path(), "fake");
    // Any processor that we may use.
    let cpu = ring_bench::machine::allowed_cpus()[0].to_string();
    let mut command = Command::new("taskset");
    command
        .args(["--cpu-list", &cpu])
        .arg(crate::fake::program())
        .arg("gate")
        .args(pair(&fake, &fake));
    let output = run_in(folder.path(), &mut command);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("note: there is one processor only"), "{}", stdout(&output));
}
