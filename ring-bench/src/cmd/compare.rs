//! `compare`: the two backends side by side.

use std::path::{Path, PathBuf};

use ring_bench::compare::{Comparison, Effort, Options, run as compare};
use ring_bench::corpus::Keys;
use ring_bench::error::BenchError;
use ring_bench::lockstep::link::Program;
use ring_bench::output;
use ring_bench::record::Observation;
use ring_bench::report::terminal::Style;
use ring_bench::report::{csv, html, markdown, terminal};
use ring_bench::results::run_dir::{self, Beside, Run};
use serde::Serialize;

use super::console::{self, Color};
use super::progress::Bar;
use super::{options, peers};

/// Compare the two backends: lookups, changes, memory, and what a change moves
///
/// Pairs of fresh processes, one for each backend, are pinned to one processor and measured in turn, sample by sample,
/// over several sittings; their answers must agree. A figure is the median over processes of each one's median sample,
/// its `±` half the width of the 95 % interval. A ratio is the median over pairs of the median over adjacent samples.
/// `null` is the same ratio between two processes that hold the same backend: where it is off by more than 5 % the
/// ratio is undecided. `~` means that the two cannot be told apart.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Corpora:
  uniform(LEN)  random ids, 16 characters unless LEN says otherwise   uuid      random UUIDs
  sequential    user:1, user:2, ...                                   paths     object paths
  zipf(S)       ids drawn by Zipf's law, S such as 0.99 or 1.2        hot(K)    K ids drawn evenly
  one-arc, on-tokens, far-arcs   what an adversary would choose       file:PATH your own keys, one a line

Examples:
  ring-bench compare
  ring-bench compare --quick
  ring-bench compare --nodes 50 --vnodes 200 --corpus 'zipf(0.99)'
  ring-bench compare --export-json result.json --export-csv samples.csv
  ring-bench compare --corpus file:keys.txt --export-markdown result.md
  ring-bench compare --out runs/monday
  ring-bench compare --peers --export-json peers.json")]
pub(crate) struct Args {
    /// Ring sizes in nodes
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "10,100,1000", value_parser = options::count)]
    nodes: Vec<usize>,

    /// Tokens per node
    #[arg(long, value_name = "V", default_value = "100", value_parser = options::positive)]
    vnodes: u32,

    /// Hash of the rings
    #[arg(long, value_name = "NAME", default_value = "fnv1a64-fmix64", value_parser = options::hash_names())]
    hash: String,

    /// Keys to look up; the list stands below
    #[arg(long, value_name = "NAME", default_value = "uniform(16)")]
    corpus: String,

    /// How many keys; 1048576 unless given, and all lines of a file
    #[arg(long, value_name = "N", value_parser = options::count)]
    pub(super) keys_count: Option<usize>,

    /// Seed of keys, changes and order; what owes nothing to a clock is equal for equal seeds
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub(super) seed: u64,

    /// Fewer and shorter samples, to see that everything works: at most 20 seconds, and as long again with --out
    #[arg(long)]
    pub(super) quick: bool,

    /// Set our rings against other crates and against reference kernels: rings of 10, 100 and 1000 nodes with 100 tokens
    /// each, the targets, and curves of growth. A quarter of an hour, with --quick four minutes; needs the feature peers
    #[arg(long, conflicts_with_all = ["nodes", "vnodes", "hash", "corpus"])]
    peers: bool,

    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    export_json: Vec<PathBuf>,

    /// Write every sample as CSV
    #[arg(long, value_name = "FILE")]
    export_csv: Vec<PathBuf>,

    /// Write the tables as Markdown
    #[arg(long, value_name = "FILE")]
    export_markdown: Vec<PathBuf>,

    /// Write the whole run as one HTML file, pauses and exact figures included
    #[arg(long, value_name = "FILE", conflicts_with = "peers")]
    export_html: Vec<PathBuf>,

    /// Make the complete run, pauses and exact figures included, and write it into this directory, which is new or empty;
    /// `ring-bench verify DIR` proves it
    #[arg(long, value_name = "DIR", conflicts_with = "peers")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, color: Color) -> Result<(), BenchError> {
    options::check_distinct(args.exports())?;
    for path in args.exports() {
        check_place(path)?;
    }
    if args.peers {
        return peers::run(args, color);
    }
    let options = Options {
        nodes: args.nodes.clone(),
        vnodes: args.vnodes,
        hash: args.hash.clone(),
        corpus: args.corpus.parse::<Keys>().map_err(|e| e.at("--corpus"))?,
        keys: args.keys_count,
        seed: args.seed,
        effort: if args.quick { Effort::quick() } else { Effort::full() },
    };
    if let Some(folder) = &args.out {
        run_dir::check_place(folder)?;
    }
    let program = Program::this("ring-bench")?;
    let progress = Bar::new();
    let comparison = compare(&options, &program, &progress)?;
    let complete = args.out.is_some() || !args.export_html.is_empty();
    let beside = if complete {
        Beside::measure(&options, &comparison.record, &program, &progress)
    } else {
        Ok(Beside::default())
    };
    drop(progress);

    // A failed export must not take the table with it: minutes of measuring stand in it.
    let Comparison { record, observations, .. } = &comparison;
    let exported = args.export(record, observations, &markdown::render(record));
    for warning in &record.warnings {
        console::warning(color, warning);
    }
    output::print(&terminal::render(record, Style { color: color.on_stdout() }))?;
    let beside = beside?;
    if !args.export_html.is_empty() {
        let page = html::render(&Run::of(comparison.clone(), beside.clone())?);
        for path in &args.export_html {
            output::write_file(path, page.as_bytes())?;
        }
    }
    if let Some(folder) = &args.out {
        let command = std::env::args_os()
            .skip(1)
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        run_dir::write(folder, comparison, beside, &options, command)?;
    }
    exported
}

impl Args {
    fn exports(&self) -> impl Iterator<Item = &PathBuf> {
        let exports = self.export_json.iter().chain(&self.export_csv);
        exports.chain(&self.export_markdown).chain(&self.export_html)
    }

    /// Writes every file that was asked for, and returns the first error.
    pub(super) fn export(
        &self,
        record: &impl Serialize,
        observations: &[Observation],
        markdown: &str,
    ) -> Result<(), BenchError> {
        let mut json = serde_json::to_string_pretty(record).map_err(|e| {
            BenchError::failed(format!("the result cannot be written as JSON: {e}"))
        })?;
        json.push('\n');
        let mut results = Vec::new();
        results
            .extend(self.export_json.iter().map(|path| output::write_file(path, json.as_bytes())));
        results.extend(
            self.export_csv
                .iter()
                .map(|path| output::write_file(path, csv::render(observations).as_bytes())),
        );
        results.extend(
            self.export_markdown.iter().map(|path| output::write_file(path, markdown.as_bytes())),
        );
        results.into_iter().collect()
    }
}

/// Finds out before anything is measured that a file could not be written afterwards.
fn check_place(path: &Path) -> Result<(), BenchError> {
    if path.as_os_str() == "-" {
        // Refused there, with the words of every other verb.
        return output::write_file(path, b"");
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(BenchError::failed(format!(
            "{}: cannot be written: there is no directory {}",
            path.display(),
            folder.display()
        )));
    }
    if path.is_dir() {
        return Err(BenchError::failed(format!(
            "{}: cannot be written: it is a directory",
            path.display()
        )));
    }
    Ok(())
}
