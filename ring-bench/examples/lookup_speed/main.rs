//! Lookups per second of the Rust ring over a file of keys, told as the ports in `ring-core/interop` tell theirs.
//!
//! ```text
//! cargo run --release --example lookup_speed -- ring.json keys [--replicas R]
//! ```
//!
//! A key a line, bytes up to the LF. The keys are held in memory, and a first pass warms up. `fleet.py --bench` runs
//! this and the ports in turns.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use ring_core::{Ring as _, Snapshot};
use ring_sortedvec::SortedVecRing;

/// How many lookups a second the Rust ring does over the keys of a file
#[derive(Parser)]
struct Args {
    /// The ring, as a snapshot
    snapshot: PathBuf,

    /// The keys, one a line
    keys: PathBuf,

    /// Nodes asked for by key
    #[arg(long, value_name = "R", default_value_t = 1)]
    replicas: usize,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("lookup_speed: {error}");
            ExitCode::from(2)
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

fn run(args: &Args) -> Result<String, Box<dyn Error>> {
    let snapshot = String::from_utf8(read(&args.snapshot)?)
        .map_err(|error| format!("{} is no UTF-8: {error}", args.snapshot.display()))?;
    let ring = SortedVecRing::from_snapshot(&Snapshot::from_json(&snapshot)?)?;
    let text = read(&args.keys)?;
    let mut keys: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    keys.pop_if(|last| last.is_empty());
    if keys.is_empty() {
        return Err(format!("{} holds no key", args.keys.display()).into());
    }

    let (mut lookups, mut answers, mut spent) = (0, 0, Duration::ZERO);
    let mut warm = false;
    while spent < Duration::from_secs(1) {
        let start = Instant::now();
        for key in &keys {
            // The answers are told, so that no lookup can be left out.
            answers += match args.replicas {
                1 => ring.get_node(key).map_or(0, str::len),
                r => ring.get_replicas(key, r).nodes().len(),
            };
        }
        if warm {
            spent += start.elapsed();
            lookups += keys.len() as u64;
        }
        warm = true;
    }
    let nanoseconds = spent.as_nanos();
    let rate = u128::from(lookups) * 1_000_000_000 / nanoseconds;
    Ok(format!(
        "rust: {rate} lookups per second ({} keys, {} tokens, R = {}, check {answers})",
        keys.len(),
        ring.token_count(),
        args.replicas
    ))
}
