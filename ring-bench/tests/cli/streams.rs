//! Input that is long or slow, and output that nobody reads to the end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::script::{Folder, lines};

/// A folder with `ring.json` and 200,000 keys, more than any pipe holds.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.run("ring --add a --add b --out ring.json").prints("");
    folder.write("keys", lines((0..200_000).map(|i| format!("user:{i}"))));
    folder
}

fn start(folder: &Folder, arguments: &str) -> Child {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let mut command = folder.command(&arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("started")
}

/// Waits for the end; returns exit code and standard error.
fn end(mut child: Child) -> (Option<i32>, String) {
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("readable");
    (child.wait().expect("ended").code(), stderr)
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = folder();
    for arguments in [
        "hash --keys keys",
        "route --ring ring.json --keys keys",
        "route --ring ring.json --keys keys --replicas 2 --format jsonl",
        // Not even the warning: whoever closed the pipe has seen enough.
        "route --ring ring.json --keys keys --replicas 9",
    ] {
        let mut child = start(&folder, arguments);
        let mut line = String::new();
        // As `| head -1` does: one line, then the pipe closes.
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        assert!(line.contains("user:0"), "{line}");
        assert_eq!(end(child), (Some(0), String::new()), "{arguments}");
    }
}

#[test]
fn a_pipe_that_was_never_read_ends_quietly_too() {
    let folder = folder();
    for arguments in [
        "ring --add a",
        "diff --ring ring.json --add c",
        "balance --ring ring.json --keys keys",
        "--help",
        "route --help",
        "--version",
    ] {
        let mut child = start(&folder, arguments);
        drop(child.stdout.take());
        assert_eq!(end(child), (Some(0), String::new()), "{arguments}");
    }
}

#[test]
fn answers_come_as_keys_arrive() {
    let folder = folder();
    for arguments in ["hash", "route --ring ring.json", "route --ring ring.json --replicas 2"] {
        let mut child = start(&folder, arguments);
        let mut keys = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        let (heard, answers) = {
            let (send, receive) = mpsc::channel();
            (
                receive,
                std::thread::spawn(move || answers.lines().try_for_each(|line| send.send(line))),
            )
        };
        for key in ["one", "two", "three", "last"] {
            write!(keys, "{key}").expect("written");
            keys.flush().expect("written");
            // The end of the line alone is what the command waits for.
            writeln!(keys).expect("written");
            // However slow the machine is, the answer does not wait for another key.
            let Ok(line) = heard.recv_timeout(Duration::from_mins(1)) else {
                child.kill().expect("running");
                panic!("{arguments} keeps its answer back");
            };
            let line = line.expect("text");
            assert!(line.contains(key), "{line}");
        }
        drop(keys);
        answers.join().expect("ended").expect("heard");
        assert_eq!(end(child), (Some(0), String::new()));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_keys() {
    let folder = folder();
    // 64 MiB of keys through a process that may have 40 MiB of memory in all.
    let block = format!("{}\n", "k".repeat(63)).repeat(1024);
    for verb in [
        "hash",
        "route --ring ring.json",
        "diff --ring ring.json --add c",
        "balance --ring ring.json",
    ] {
        within_40_mib(&folder, verb, &block, 1024);
    }
    // As many lines as one read brings, and 3 KiB of nodes for each.
    let nodes: Vec<_> = (0..100).map(|i| format!("--add a-node-of-a-longer-name-{i}")).collect();
    let nodes = nodes.join(" ");
    folder.run(&format!("ring --vnodes 2 --out wide.json {nodes}")).prints("");
    for format in ["tsv", "jsonl"] {
        let route = format!("route --ring wide.json --replicas 100 --format {format}");
        within_40_mib(&folder, &route, &"\n".repeat(65_536), 1);
    }
}

#[cfg(target_os = "linux")]
#[track_caller]
fn within_40_mib(folder: &Folder, verb: &str, block: &str, blocks: usize) {
    let script =
        format!("ulimit -v 40960; exec {} {verb} --keys -", env!("CARGO_BIN_EXE_ring-bench"));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).current_dir(folder.path("."));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("started");
    let mut keys = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    std::thread::scope(|scope| {
        scope.spawn(move || (0..blocks).try_for_each(|_| keys.write_all(block.as_bytes())).ok());
        let bytes = std::io::copy(&mut output, &mut std::io::sink()).expect("readable");
        assert!(bytes > 0);
    });
    assert_eq!(end(child), (Some(0), String::new()), "{verb}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_failed_work() {
    let folder = folder();
    for arguments in [
        "hash --keys keys",
        "route --ring ring.json --keys keys",
        "ring --add a",
        "ring --fingerprint",
        "diff --ring ring.json",
        "balance --ring ring.json",
        "--help",
    ] {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = folder.command(&arguments);
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let output = command.stdout(full).stderr(Stdio::piped()).output().expect("ran");
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{arguments:?} {stderr}");
        assert!(stderr.starts_with("error: standard output: cannot be written: "), "{stderr}");
    }
}
