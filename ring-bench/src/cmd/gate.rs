//! `gate`: whether one build is slower than another, or places keys differently.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ring_bench::error::BenchError;
use ring_bench::gate::benchmarks::Suite;
use ring_bench::gate::record::{GateRecord, Verdict};
use ring_bench::gate::revision::{self, Found};
use ring_bench::gate::{Options, exact, run as run_gate};
use ring_bench::output;
use ring_bench::report::terminal::Style;
use ring_bench::report::{gate as report, github};

use super::console::{self, Color};
use super::options;
use super::progress::Bar;

/// How the report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table to read.
    Text,
    /// One JSON document, `ring-gate/1`.
    Json,
    /// For a comment on a pull request.
    Markdown,
    /// Annotations of a GitHub workflow.
    Github,
}

/// Tell whether a build is slower than another, or places keys differently
///
/// First the figures that owe nothing to a clock are compared exactly, with the base and with the recorded file. Then
/// pairs of fresh processes, one of each build, are pinned to one processor and measured in turn, beside a null
/// control of the base against its own copy. A benchmark is flagged where the head is slower in 7 of 8 pairs and the
/// median is over the threshold; it regressed where 13 of 16 fresh pairs say so again. The thresholds are 3 % to warn
/// and 5 % to fail, and never less than three times the spread of the null control.
///
/// Exit codes: 0 pass, 1 a worker failed or does not speak the protocol, 2 usage, 3 regressed, 4 too noisy to tell,
/// 5 answers or placement differ. Without a commit to compare with (a first commit, a shallow clone) it says so and
/// passes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ring-bench gate --base HEAD~1
  ring-bench gate --base release --format markdown
  ring-bench gate --base v1.0.0 --head my-branch
  ring-bench gate --base old/ring-bench --head new/ring-bench --format json
  ring-bench gate --base HEAD~1 --only get/ --only btree/add")]
pub(crate) struct Args {
    /// What to compare with: a revision, a ring-bench program, or `release` for the last tag
    #[arg(long, value_name = "REV|BINARY|release", required_unless_present_any = ["list", "write_reference"])]
    base: Option<String>,

    /// What to compare: a revision or a program; the checkout unless given, or this program where the base is one
    #[arg(long, value_name = "REV|BINARY")]
    head: Option<String>,

    /// How the report is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Only benchmarks whose name contains this; repeatable
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,

    /// The file of accepted changes; ring-bench/accepted.toml where it exists
    #[arg(long, value_name = "FILE")]
    accepted: Option<PathBuf>,

    /// The file of recorded exact figures; ring-bench/gate-exact.csv where it exists
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,

    /// Leave out counting instructions, even where valgrind is installed
    #[arg(long)]
    no_instructions: bool,

    /// How long a worker may take for one answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = options::positive)]
    time_limit: u32,

    /// Keys to look up; fewer than 1048576 tell little
    #[arg(long, value_name = "N", hide = true, value_parser = options::count)]
    keys_count: Option<usize>,

    /// Seed of the order in which processes run
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,

    /// Write the JSON document to a file as well
    #[arg(long, value_name = "FILE")]
    export_json: Vec<PathBuf>,

    /// Write the Markdown form to a file as well
    #[arg(long, value_name = "FILE")]
    export_markdown: Vec<PathBuf>,

    /// Write the head's figures for github-action-benchmark (tool customSmallerIsBetter)
    #[arg(long, value_name = "FILE")]
    export_trend: Vec<PathBuf>,

    /// Name the benchmarks and stop
    #[arg(long)]
    list: bool,

    /// Write this program's exact figures to the reference file and stop
    #[arg(long)]
    write_reference: bool,
}

/// Where the files stand in a checkout.
const ACCEPTED: &str = "ring-bench/accepted.toml";
const REFERENCE: &str = "ring-bench/gate-exact.csv";

pub(crate) fn run(args: &Args, color: Color) -> Result<(), BenchError> {
    let suite = Suite::new(&args.only, args.keys_count)?;
    if args.list {
        return output::print(&suite.list());
    }
    if args.write_reference {
        let path = args.reference.clone().unwrap_or_else(|| PathBuf::from(REFERENCE));
        return output::write_file(&path, exact::render(&exact::figures()?).as_bytes());
    }
    let base = args.base.as_deref().unwrap_or_default();
    let options = Options {
        suite,
        reference: args.reference.clone().or_else(|| standing(REFERENCE)),
        accepted: args.accepted.clone().or_else(|| standing(ACCEPTED)),
        exact: true,
        instructions: !args.no_instructions,
        patience: Duration::from_secs(args.time_limit.into()),
        seed: args.seed,
    };
    let progress = Bar::new();
    let record = match revision::find(base, args.head.as_deref(), &progress)? {
        Found::Both(builds) => run_gate(&builds, &options, &progress)?,
        Found::NoBase(why) => GateRecord::empty(
            Verdict::NoBase,
            base,
            args.head.as_deref().unwrap_or("the checkout"),
            &why,
        ),
    };
    drop(progress);
    let exported = args.export(&record);
    args.print(&record, color)?;
    exported?;
    let headline = report::headline(&record);
    match record.verdict {
        Verdict::Pass => Ok(()),
        Verdict::NoBase => {
            console::warning(color, &headline);
            Ok(())
        }
        Verdict::Regressed => Err(BenchError::Regressed(headline)),
        Verdict::Inconclusive => Err(BenchError::Inconclusive(headline)),
        Verdict::AnswersDiffer => Err(BenchError::AnswersDiffer(headline)),
    }
}

/// A file of the checkout, where it is there.
fn standing(path: &str) -> Option<PathBuf> {
    Some(PathBuf::from(path)).filter(|path| path.is_file())
}

fn json(record: &GateRecord) -> Result<String, BenchError> {
    serde_json::to_string_pretty(record)
        .map(|json| json + "\n")
        .map_err(|e| BenchError::failed(format!("the report has no JSON form: {e}")))
}

impl Args {
    fn print(&self, record: &GateRecord, color: Color) -> Result<(), BenchError> {
        output::print(&match self.format {
            Format::Text => report::text(record, Style { color: color.on_stdout() }),
            Format::Json => json(record)?,
            Format::Markdown => report::markdown(record),
            Format::Github => github::annotations(record),
        })
    }

    /// Writes every file that was asked for, and returns the first error.
    fn export(&self, record: &GateRecord) -> Result<(), BenchError> {
        let write = |path: &Path, text: String| output::write_file(path, text.as_bytes());
        let mut results = Vec::new();
        for path in &self.export_json {
            results.push(write(path, json(record)?));
        }
        results.extend(self.export_markdown.iter().map(|p| write(p, report::markdown(record))));
        results.extend(self.export_trend.iter().map(|p| write(p, github::trend(record))));
        results.into_iter().collect()
    }
}
