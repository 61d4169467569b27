//! The command line: its verbs, and what all of them share.
//!
//! Every verb is a module with `Args`, which clap fills, and `run`, which does the work. A verb prints
//! its data on standard output and returns an error for the rest; only this file turns errors into
//! messages and exit codes.

mod balance;
mod capacities;
mod changes;
mod choose;
mod cmp;
mod compare;
mod console;
mod diff;
mod gate;
mod gate_selftest;
mod hash;
mod list;
mod noise;
mod options;
mod peers;
mod progress;
mod report;
mod ring;
mod route;
mod verify;
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use ring_bench::error::BenchError;

use self::console::Color;

/// Consistent-hash rings from the command line: build them, route keys with them, see what a change
/// moves, and compare the two backends.
///
/// Without a verb it compares. Data goes to standard output, everything else to standard error.
/// Exit codes: 0 done, 1 the work failed, 2 usage or bad input, 3 regressed, 4 inconclusive,
/// 5 placement or answers differ.
#[derive(Debug, Parser)]
#[command(name = "ring-bench", version, override_usage = "ring-bench [OPTIONS] [COMMAND]")]
#[command(after_help = "\
Examples:
  ring-bench
  ring-bench --quick
  ring-bench ring --add cache-a --add cache-b=2 --out ring.json
  printf 'user:1\\nuser:2\\n' | ring-bench route --ring ring.json
  ring-bench diff --ring ring.json --add cache-c
  ring-bench balance --ring ring.json

`ring-bench VERB --help` has examples for each verb.")]
struct Cli {
    /// Whether messages are coloured; auto: on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    #[arg(display_order = 900)]
    color: Color,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Compare(compare::Args),
    Choose(choose::Args),
    Gate(gate::Args),
    Noise(noise::Args),
    Report(report::Args),
    Verify(verify::Args),
    Cmp(cmp::Args),
    List(list::Args),
    Show(list::ShowArgs),
    Ring(ring::Args),
    Route(route::Args),
    Hash(hash::Args),
    Diff(diff::Args),
    Balance(balance::Args),
    #[command(hide = true)]
    GateSelftest(gate_selftest::Args),
    #[command(hide = true)]
    Worker(worker::Args),
}

/// Runs the command with the arguments of the process.
pub(crate) fn main() -> ExitCode {
    let color = Color::of_arguments();
    let (color, result) = match parse(color) {
        Ok(cli) => (cli.color, run(cli.verb, cli.color)),
        Err(error) if error.use_stderr() => (color, Err(console::usage(&error))),
        Err(help) => (color, console::print_help(&help)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if error != BenchError::PipeClosed {
                console::error(color, &error);
            }
            ExitCode::from(error.exit_code())
        }
    }
}

fn parse(color: Color) -> Result<Cli, clap::Error> {
    let arguments = with_default_verb(std::env::args_os().collect());
    let matches = Cli::command().color(color.for_clap()).try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

/// Puts `compare` where the verb is left out: before the first argument that is neither the
/// program nor about colour, unless that one is a verb or asks for help.
fn with_default_verb(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at).and_then(|argument| argument.to_str()) {
        match argument {
            "--color" => at += 2,
            _ if argument.starts_with("--color=") => at += 1,
            "-h" | "--help" | "-V" | "--version" => return arguments,
            _ if argument.starts_with('-') => break,
            _ => return arguments,
        }
    }
    arguments.insert(at.min(arguments.len()), OsString::from("compare"));
    arguments
}

fn run(verb: Verb, color: Color) -> Result<(), BenchError> {
    match verb {
        Verb::Compare(args) => compare::run(&args, color),
        Verb::Choose(args) => choose::run(&args, color),
        Verb::Gate(args) => gate::run(&args, color),
        Verb::GateSelftest(args) => gate_selftest::run(&args, color),
        Verb::Noise(args) => noise::run(&args),
        Verb::Report(args) => report::run(&args, color),
        Verb::Verify(args) => verify::run(&args, color),
        Verb::Cmp(args) => cmp::run(&args, color),
        Verb::List(args) => list::run(&args),
        Verb::Show(args) => list::show(&args),
        Verb::Ring(args) => ring::run(&args),
        Verb::Route(args) => route::run(&args, color),
        Verb::Hash(args) => hash::run(&args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Balance(args) => balance::run(&args),
        Verb::Worker(args) => worker::run(&args),
    }
}
