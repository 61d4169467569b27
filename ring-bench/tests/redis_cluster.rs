//! The servers that the example `redis_cluster` starts are stopped however it ends.
//!
//! The tests that need the program `redis-server` (Debian's package of this name) are run by
//! `cargo test -p ring-bench --test redis_cluster -- --ignored`.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[path = "../examples/redis_cluster/server.rs"]
mod server;

use server::Server;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const NEEDS_REDIS: &str = "this test needs the program redis-server";

/// Whether a process runs; one that has ended but was not waited for does not.
fn runs(process: u32) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", &process.to_string()]).output();
    let output = output.expect("ps is part of every system").stdout;
    !output.is_empty() && !output.starts_with(b"Z")
}

fn ends(process: u32) -> bool {
    let start = Instant::now();
    while runs(process) {
        if start.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

/// The example's program, which `cargo test` builds beside this test's.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own program");
    let folder = test.parent().and_then(Path::parent).expect("tests are two folders deep");
    folder.join("examples/redis_cluster")
}

#[test]
fn a_missing_program_is_named_in_a_sentence() {
    let Err(failure) = Server::start("no-such-redis-server") else {
        panic!("there is no such program")
    };
    let sentence = failure.to_string();
    assert!(sentence.starts_with("no-such-redis-server was not found: install it"), "{sentence}");
}

#[test]
#[ignore = "needs the program redis-server"]
fn a_server_ends_when_it_is_stopped_dropped_or_left_by_a_panic() {
    let stopped = Server::start("redis-server").expect(NEEDS_REDIS);
    let process = stopped.process();
    assert!(runs(process) && stopped.port() > 0);
    stopped.stop().expect("the server ends");
    assert!(!runs(process));

    let dropped = Server::start("redis-server").expect(NEEDS_REDIS);
    let process = dropped.process();
    drop(dropped);
    assert!(!runs(process));

    let left = Server::start("redis-server").expect(NEEDS_REDIS);
    let process = left.process();
    let panicked = std::thread::spawn(move || {
        let _left = left;
        panic!("on purpose");
    });
    assert!(panicked.join().is_err());
    assert!(!runs(process));
}

#[test]
#[ignore = "needs the program redis-server"]
fn no_server_is_left_when_the_example_is_killed() {
    for signal in ["-INT", "-TERM", "-KILL"] {
        let mut running = Command::new(example())
            .args(["--keys", "1000000"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("`cargo test -p ring-bench` builds the example too");
        // It tells each server's process id as it starts: `redis-1: process 4711 on port 40123`.
        let lines = BufReader::new(running.stderr.take().expect("it is piped")).lines();
        let processes: Vec<u32> = lines
            .map_while(Result::ok)
            .filter_map(|line| line.split(' ').nth(2)?.parse().ok())
            .take(5)
            .collect();
        assert_eq!(processes.len(), 5, "{NEEDS_REDIS}");
        assert!(processes.iter().all(|&process| runs(process)));
        let id = running.id().to_string();
        Command::new("kill").args([signal, &id]).status().expect("kill is part of every system");
        running.wait().expect("it was killed");
        assert!(processes.iter().all(|&process| ends(process)), "a server is left after {signal}");
    }
}
