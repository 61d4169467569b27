//! `gate-selftest`: how often the gate errs on this machine.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use ring_bench::error::BenchError;
use ring_bench::gate::benchmarks::Suite;
use ring_bench::gate::selftest::{self, Counts, Run, Test, tables};
use ring_bench::output;
use ring_bench::report::{markdown, terminal};

use super::console::Color;
use super::options;
use super::progress::Bar;

/// Find out how often the gate errs: null comparisons and injected slowdowns
///
/// Runs the gate on this program against its copy, with the machine as it is and with the other processors kept busy,
/// and against a build that is slower by 5, 10 and 20 %. Every run is appended to a file in --out, so that a test that
/// was stopped goes on where it was; the tables are computed from that file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo build --release --package ring-bench --features slowdown --target-dir target/slowdown
  ring-bench gate-selftest --out target/selftest --slowed target/slowdown/release/ring-bench
  ring-bench gate-selftest --out target/selftest --idle-runs 2 --busy-runs 0 --slow-runs 0
  ring-bench gate-selftest --out target/selftest --tables-only --markdown")]
pub(crate) struct Args {
    /// The folder of the runs
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Null runs with the machine as it is; a run is 56 comparisons
    #[arg(long, value_name = "N", default_value = "30", value_parser = options::count)]
    idle_runs: usize,

    /// Null runs with the other processors kept busy
    #[arg(long, value_name = "N", default_value = "30", value_parser = options::count)]
    busy_runs: usize,

    /// Runs for each injected slowdown
    #[arg(long, value_name = "N", default_value = "3", value_parser = options::count)]
    slow_runs: usize,

    /// Runs for each injected slowdown with the other processors kept busy
    #[arg(long, value_name = "N", default_value = "0", value_parser = options::count)]
    slow_busy_runs: usize,

    /// This program, built with the feature `slowdown`
    #[arg(long, value_name = "BINARY")]
    slowed: Option<PathBuf>,

    /// Only benchmarks whose name contains this; repeatable
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,

    /// Keys to look up; fewer than 1048576 tell little
    #[arg(long, value_name = "N", hide = true, value_parser = options::count)]
    keys_count: Option<usize>,

    /// How long a worker may take for one answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = options::positive)]
    time_limit: u32,

    /// Make no run, only the tables
    #[arg(long)]
    tables_only: bool,

    /// Write the tables as Markdown
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args, _: Color) -> Result<(), BenchError> {
    let test = Test {
        suite: Suite::new(&args.only, args.keys_count)?,
        counts: Counts {
            idle: args.idle_runs,
            busy: args.busy_runs,
            slow: args.slow_runs,
            slow_busy: args.slow_busy_runs,
        },
        folder: args.out.clone(),
        slowed: args.slowed.clone(),
        patience: Duration::from_secs(args.time_limit.into()),
    };
    if !args.tables_only {
        let progress = Bar::new();
        selftest::run(&test, &progress, tell)?;
    }
    let mut text = String::new();
    for sheet in tables::all(&selftest::read(&args.out)?) {
        // Writing to a string cannot fail.
        let _ = if args.markdown {
            writeln!(text, "**{}**\n\n{}", sheet.title, markdown::draw(&sheet))
        } else {
            writeln!(text, "{}\n{}", sheet.title, terminal::draw(&sheet))
        };
    }
    output::print(&text)
}

/// A line for each run that is done.
fn tell(run: &Run) {
    let record = &run.record;
    let spread = record.null_spread.unwrap_or(0.0) * 100.0;
    // Where standard error is gone, the runs are still in the file.
    let _ = writeln!(
        std::io::stderr(),
        "{}: {}, null spread {spread:.2} %, {:.0} s",
        run.kind.name(),
        record.verdict.name(),
        record.seconds
    );
}
