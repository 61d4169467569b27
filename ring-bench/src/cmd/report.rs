//! `report`: a run drawn again.

use std::path::{Path, PathBuf};

use ring_bench::error::BenchError;
use ring_bench::output;
use ring_bench::report::terminal::{Style, render};
use ring_bench::results::manifest::MANIFEST;
use ring_bench::results::run_dir::{Run, json};
use ring_bench::results::splice::splice;

use super::console::{self, Color};
use super::options;

/// Draw a run again: its tables here, and its drawn files in the directory or elsewhere
///
/// Without an export or a page, results.csv, results.md and report.html of the directory are written again where they are
/// missing or differ. The manifest stays as it is, so that `verify` still judges.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A page holds tables between lines that say <!-- table: NAME --> and <!-- end -->. NAME is lookups, regimes, updates,
memory, remap, verdicts, balance, moves or limits.

Examples:
  ring-bench report runs/monday
  ring-bench report runs/monday --export-html monday.html
  ring-bench report ring-bench/reference --splice README.md")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Write the whole run as one HTML file
    #[arg(long, value_name = "FILE")]
    export_html: Vec<PathBuf>,

    /// Write the tables as Markdown
    #[arg(long, value_name = "FILE")]
    export_markdown: Vec<PathBuf>,

    /// Write every figure as CSV
    #[arg(long, value_name = "FILE")]
    export_csv: Vec<PathBuf>,

    /// Write the figures as JSON
    #[arg(long, value_name = "FILE")]
    export_json: Vec<PathBuf>,

    /// Put tables into a page, between its markers
    #[arg(long, value_name = "PAGE")]
    splice: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args, color: Color) -> Result<(), BenchError> {
    let place = args.folder.display().to_string();
    if !args.folder.join(MANIFEST).is_file() {
        return Err(BenchError::usage(format!(
            "{place}: is no complete run: it has no {MANIFEST}"
        )));
    }
    options::check_distinct(
        [&args.export_html, &args.export_markdown, &args.export_csv, &args.export_json]
            .into_iter()
            .chain([&args.splice])
            .flatten(),
    )?;
    console::warn_of_changes(color, &args.folder);
    let run = Run::read(&args.folder).map_err(|e| BenchError::usage(e.to_string()).at(&place))?;
    let drawn = run.drawn();
    let of = |name: &str| {
        drawn.iter().find(|(drawn, _)| *drawn == name).map_or("", |(_, text)| text.as_str())
    };
    let exports = [
        (&args.export_html, of("report.html")),
        (&args.export_markdown, of("results.md")),
        (&args.export_csv, of("results.csv")),
    ];
    for (paths, text) in exports {
        for path in paths {
            output::write_file(path, text.as_bytes())?;
        }
    }
    for path in &args.export_json {
        output::write_file(path, json(&run.record)?.as_bytes())?;
    }
    for page in &args.splice {
        splice_into(page, &run)?;
    }
    let elsewhere = args.export_html.len()
        + args.export_markdown.len()
        + args.export_csv.len()
        + args.export_json.len()
        + args.splice.len();
    if elsewhere > 0 {
        return Ok(());
    }
    for (name, text) in &drawn {
        let path = args.folder.join(name);
        if std::fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            output::write_file(&path, text.as_bytes())?;
        }
    }
    output::print(&render(&run.record, Style { color: color.on_stdout() }))
}

fn splice_into(page: &Path, run: &Run) -> Result<(), BenchError> {
    let name = page.display().to_string();
    let old = std::fs::read_to_string(page)
        .map_err(|e| BenchError::usage(format!("{name}: cannot be read: {e}")))?;
    let (new, _) = splice(&old, run).map_err(|e| e.at(&name))?;
    if new == old {
        return Ok(());
    }
    output::write_file(page, new.as_bytes())
}
