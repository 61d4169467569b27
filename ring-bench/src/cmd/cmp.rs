//! `cmp`: two runs side by side.

use std::path::PathBuf;

use ring_bench::error::BenchError;
use ring_bench::output;
use ring_bench::results::cmp::{Side, machine_differences, sheets};
use ring_bench::table::{Align, Table};

use super::console::{self, Color};
use super::options::{self, ReportFormat};

/// Set two runs side by side: times, and the ratios of the two backends
///
/// `apart` means that the two intervals do not meet, `~` that they do. Runs of different machines are refused unless told
/// otherwise: their times differ for reasons that no table shows.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ring-bench cmp runs/monday runs/tuesday
  ring-bench cmp ring-bench/reference runs/mine --different-machines")]
pub(crate) struct Args {
    /// The first run's directory
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The second run's directory
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Compare runs of different machines all the same
    #[arg(long)]
    different_machines: bool,

    /// How the result is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

pub(crate) fn run(args: &Args, color: Color) -> Result<(), BenchError> {
    for folder in [&args.a, &args.b] {
        console::warn_of_changes(color, folder);
    }
    let (a, b) = (Side::read(&args.a)?, Side::read(&args.b)?);
    let sheets = sheets(&a, &b, args.different_machines)?;
    for difference in machine_differences(&a.record, &b.record) {
        console::warning(color, &format!("different machines: {difference}"));
    }
    for side in [&a, &b] {
        for reason in &side.manifest.class_reasons {
            console::warning(
                color,
                &format!("{} is {}: {reason}", side.name, side.manifest.class.name()),
            );
        }
    }
    if matches!(args.format, ReportFormat::Json) {
        let document = serde_json::json!({
            "schema": "ring-cmp/1",
            "a": a.name,
            "b": b.name,
            "tables": sheets.iter().map(|sheet| serde_json::json!({
                "title": sheet.title, "columns": sheet.columns, "rows": sheet.rows
            })).collect::<Vec<_>>(),
        });
        return options::print_json(&document);
    }
    let mut text = String::new();
    for sheet in &sheets {
        let align = |at| if at == 0 { Align::Left } else { Align::Right };
        let columns: Vec<(&str, Align)> =
            sheet.columns.iter().enumerate().map(|(at, name)| (name.as_str(), align(at))).collect();
        let mut table = Table::new(&columns);
        for row in &sheet.rows {
            table.row(row.iter().cloned());
        }
        text += &format!("{}\n{}\n", sheet.title, table.render());
    }
    output::print(text.trim_end_matches('\n'))?;
    output::print("\n")
}
