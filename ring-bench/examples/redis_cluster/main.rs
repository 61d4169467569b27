//! A cluster of real Redis servers, sharded by a ring: nodes come and go while a thread reads.
//!
//! ```text
//! cargo run --release --example redis_cluster
//! cargo run --release --example redis_cluster -- --keys 20000
//! ```
//!
//! It starts five servers on this machine and writes the keys. Then a sixth server comes, and one
//! goes. Each time it moves only what `diff` says has to move, in the order that loses nothing: copy,
//! publish the new ring, wait until nobody reads through the old one, delete. All the while another
//! thread reads random keys and checks their values. In the end it proves that no read failed, that
//! nothing was lost, and that the keys moved, as the servers themselves counted them, are just those
//! that were predicted.
//!
//! Writes would have to go to both owners while a key moves, or wait; this example writes only at the
//! start.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use clap::Parser;
use ring_core::{Change, Ring as _, SharedRing};
use ring_sortedvec::SortedVecRing;

mod cluster;
mod reader;
mod server;

use cluster::{Cluster, Moved};
use reader::{Reads, StopOnDrop};

/// What can go wrong, as a sentence.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Shard keys over real Redis servers, and move them while they are read
#[derive(Parser)]
struct Args {
    /// How many keys are written
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    keys: u32,

    /// The server program
    #[arg(long, value_name = "PROGRAM", default_value = "redis-server")]
    redis_server: String,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("redis_cluster: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    let first = (1..=5).map(|i| format!("redis-{i}"));
    let mut ring = SortedVecRing::new(100)?;
    let adds: Vec<Change> = first.map(|id| Change::add(id, 1)).collect();
    ring.apply(&adds)?;

    let shared = SharedRing::new(ring);
    let keys: Vec<String> = (0..args.keys).map(|i| format!("user:{i}")).collect();
    let mut cluster = Cluster::new(&args.redis_server, &shared, &keys);
    for change in &adds {
        cluster.start(change.node_id())?;
    }
    cluster.load()?;
    cluster.verify()?;
    let mut counts = vec![("loaded", cluster.sizes()?)];

    let reads = Reads::default();
    let addresses = cluster.addresses();
    let (added, removed) = std::thread::scope(|threads| {
        // However this ends, the reader is told to stop: a scope waits for its threads.
        let stop = StopOnDrop(&reads.stop);
        let reader =
            threads.spawn(|| reader::read_until_stopped(&shared, &keys, &addresses, &reads));
        reads.wait_for(1_000, &reader)?;

        cluster.start("redis-6")?;
        let added = cluster.change(&Change::add("redis-6", 1), &reads)?;
        reads.wait_for(1_000, &reader)?;
        counts.push(("sixth came", cluster.sizes()?));

        let removed = cluster.change(&Change::remove("redis-2"), &reads)?;
        reads.wait_for(1_000, &reader)?;
        counts.push(("second left", cluster.sizes()?));

        drop(stop);
        reader.join().map_err(|_| "the reading thread panicked")??;
        Ok::<_, Failure>((added, removed))
    })?;
    cluster.verify()?;
    cluster.stop("redis-2")?;

    print_servers(&cluster, &counts);
    print_changes(&[("redis-6 came", &added), ("redis-2 left", &removed)]);
    let (found, missed) = (reads.found.load(Relaxed), reads.missed.load(Relaxed));
    println!("reads by the other thread: {found} found with the right value, {missed} failed");
    if missed > 0 {
        return Err(format!("{missed} reads found nothing or a wrong value").into());
    }
    println!("nothing was lost: all {} keys are at their owners, and nowhere else", keys.len());
    Ok(())
}

/// Keys by server after each step, and that they sum to all keys.
fn print_servers(cluster: &Cluster<'_>, counts: &[(&str, Vec<(String, usize)>)]) {
    print!("{:<10}{:>8}{:>10}", "server", "port", "process");
    for (step, _) in counts {
        print!("{step:>13}");
    }
    println!();
    for (id, port, process) in cluster.everyone() {
        print!("{id:<10}{port:>8}{process:>10}");
        for (_, sizes) in counts {
            let size = sizes.iter().find(|(server, _)| server == id);
            print!("{:>13}", size.map_or("–".to_owned(), |(_, size)| size.to_string()));
        }
        println!();
    }
    print!("{:<28}", "sum");
    for (_, sizes) in counts {
        print!("{:>13}", sizes.iter().map(|(_, size)| size).sum::<usize>());
    }
    println!("\n");
}

/// What each change moved, predicted and counted.
fn print_changes(changes: &[(&str, &Moved)]) {
    println!(
        "{:<14}{:>10}{:>12}{:>10}{:>10}{:>10}{:>17}",
        "change", "of space", "predicted", "moved", "restored", "deleted", "reads meanwhile"
    );
    for (name, moved) in changes {
        println!(
            "{name:<14}{:>8.2} %{:>12}{:>10}{:>10}{:>10}{:>17}",
            moved.fraction * 100.0,
            moved.predicted,
            moved.found,
            moved.restored,
            moved.deleted,
            moved.reads
        );
    }
    println!("restored and deleted are the servers' own counts of commands\n");
}
