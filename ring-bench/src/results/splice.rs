//! Tables of a run put into a page, between markers.
//!
//! A page says `<!-- table: NAME -->` and `<!-- end -->`; what stands between the two lines is replaced. So that a page
//! cannot disagree with the run it shows, a test splices again and looks whether anything changes.

use crate::error::BenchError;
use crate::report::markdown::draw;
use crate::report::tables::sheets;
use crate::report::{exact, tables};
use crate::results::run_dir::Run;

const BEGIN: &str = "<!-- table: ";
const END: &str = "<!-- end -->";

/// The tables that a page may name.
pub const NAMES: [&str; 9] =
    ["lookups", "regimes", "updates", "memory", "remap", "verdicts", "balance", "moves", "limits"];

/// The Markdown of one table.
fn table(run: &Run, name: &str) -> Result<String, BenchError> {
    let record = &run.record;
    let of = |part: &str| -> String {
        let own = sheets(record).into_iter().filter(|sheet| sheet.title.contains(part));
        own.map(|sheet| format!("**{}**\n\n{}", sheet.title, draw(&sheet)))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let exact = |names: &[&str]| -> String {
        let own =
            exact::sheets(&run.exact).into_iter().filter(|s| names.contains(&s.title.as_str()));
        own.map(|sheet| format!("**{}**\n\n{}", sheet.title, draw(&sheet)))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let text = match name {
        "lookups" => of(": one lookup"),
        "regimes" => crate::results::regimes::sheet(&run.beside.regimes)
            .map(|sheet| format!("**{}**\n\n{}", sheet.title, draw(&sheet)))
            .unwrap_or_default(),
        "updates" => of(": one change"),
        "memory" => of(": memory"),
        "remap" => of("what a change moves"),
        "verdicts" => record.verdicts.iter().fold(String::new(), |text, verdict| {
            text + &format!("- **{}**: {}\n", verdict.workload, verdict.reason)
        }),
        "balance" => exact(&[exact::BALANCE]),
        "moves" => exact(&[exact::MOVE]),
        "limits" => exact(&[exact::POPULARITY, exact::AVALANCHE, exact::ADVERSARY]),
        _ => {
            return Err(BenchError::usage(format!(
                "there is no table {name:?}; there are {}",
                NAMES.join(", ")
            )));
        }
    };
    let circumstances: Vec<String> =
        tables::heading(record).into_iter().map(|line| format!("_{line}_  ")).collect();
    Ok(format!(
        "{}\n{}\n",
        text.trim_end(),
        if name == "verdicts" { format!("\n{}", circumstances.join("\n")) } else { String::new() }
    )
    .trim_end()
    .to_owned()
        + "\n")
}

/// The page with its tables replaced, and how many there were.
///
/// # Errors
///
/// A usage error for a table that does not exist, a marker that does not end, or a page without markers.
pub fn splice(page: &str, run: &Run) -> Result<(String, usize), BenchError> {
    let mut spliced = String::with_capacity(page.len());
    let mut count = 0;
    let mut lines = page.split_inclusive('\n').enumerate();
    while let Some((at, line)) = lines.next() {
        spliced.push_str(line);
        let marker = line.trim().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix("-->"));
        let Some(name) = marker.map(str::trim) else { continue };
        let text = table(run, name).map_err(|e| e.at(&format!("line {}", at + 1)))?;
        spliced.push('\n');
        spliced.push_str(&text);
        spliced.push('\n');
        let end = lines.find(|(_, line)| line.trim() == END).ok_or_else(|| {
            BenchError::usage(format!("line {}: the table {name} has no {END} after it", at + 1))
        })?;
        spliced.push_str(end.1);
        count += 1;
    }
    if count == 0 {
        return Err(BenchError::usage(format!("there is no {BEGIN}NAME --> in the page")));
    }
    Ok((spliced, count))
}
