//! `verify`: proves a run, or says what is wrong with it.

use std::path::PathBuf;

use ring_bench::error::BenchError;
use ring_bench::output;
use ring_bench::results::verify::verify;

use super::console::{self, Color};
use super::progress::Bar;

/// Verify a run: digests, every table cell from the samples, keys and exact figures from the seed
///
/// Prints a line for each finding, `FILE: what was expected, what stands there`, and ends with exit code 1 where there is
/// one. What could not be checked with this program is said on standard error. It proves that tables and pages follow
/// from the samples; that the samples were measured, on that machine and from that commit, is the word of who cites them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ring-bench verify ring-bench/reference
  ring-bench verify runs/monday && echo proven")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// `a, b and c`.
fn sentence(parts: &[String]) -> String {
    match parts {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => parts.concat(),
    }
}

pub(crate) fn run(args: &Args, color: Color) -> Result<(), BenchError> {
    let progress = Bar::new();
    let report = verify(&args.folder, &progress)?;
    drop(progress);
    for skipped in &report.skipped {
        console::warning(color, &format!("not checked: {skipped}"));
    }
    if report.findings.is_empty() {
        return output::print(&format!(
            "verified: {}.\nmanifest.json has SHA-256 {}, which fixes every file of the run.\n",
            sentence(&report.checked),
            report.manifest_sha256
        ));
    }
    output::print(&(report.findings.join("\n") + "\n"))?;
    let count = report.findings.len();
    Err(BenchError::failed(format!(
        "{}: {count} finding{}",
        args.folder.display(),
        if count == 1 { "" } else { "s" }
    )))
}
