//! Which figure stands in which cell.

use crate::corpus::CorpusInfo;
use crate::experiments::remap::Remap;
use crate::record::{CompareRecord, Environment, RatioRow, Row, Status};
use crate::report::number::{Unit, count, percent, plus_minus, ratio_interval, ratio_text};
use crate::stats::{Interval, real, real_len};
use crate::subject::BACKENDS;

/// A table to be drawn: words in the first column, numbers in the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// What it shows.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, a cell a column.
    pub rows: Vec<Vec<String>>,
}

/// Stands where two cannot be told apart.
const SAME: &str = "~";
/// Stands where the null control forbids a word.
const UNDECIDED: &str = "undecided";
/// Stands where there is no figure.
const NONE: &str = "-";

/// All tables of a comparison: lookups, updates and memory of each ring, then remapping.
#[must_use]
pub fn sheets(record: &CompareRecord) -> Vec<Sheet> {
    let mut sheets = Vec::new();
    let mut workloads: Vec<&str> = record.rows.iter().map(|row| row.workload.as_str()).collect();
    workloads.dedup();
    for workload in workloads {
        let rows: Vec<&Row> = record.rows.iter().filter(|row| row.workload == workload).collect();
        let tokens = rows.iter().map(|row| row.tokens).max().unwrap_or(0);
        let beyond = if beyond_l2(record, &rows) { ", larger than L2" } else { "" };
        let place = format!("{workload}, {} tokens{beyond}", count(real(tokens)));
        for (experiment, name) in [("lookup", "one lookup"), ("update", "one change")] {
            let ratios: Vec<&RatioRow> = record
                .ratios
                .iter()
                .filter(|ratio| ratio.workload == workload && ratio.experiment == experiment)
                .collect();
            if !ratios.is_empty() {
                let apart = sittings_apart(&rows, experiment).map_or_else(String::new, |apart| {
                    format!(", sittings up to {:.0} % apart", apart * 100.0)
                });
                sheets.push(times(&format!("{place}: {name}{apart}"), experiment, &rows, &ratios));
            }
        }
        sheets.extend(memory(&format!("{place}: memory"), &rows));
    }
    if !record.remap.is_empty() {
        sheets.push(remap(&record.remap));
    }
    sheets
}

/// Whether the larger of the two rings takes more than the second-level cache.
fn beyond_l2(record: &CompareRecord, rows: &[&Row]) -> bool {
    let bytes = rows
        .iter()
        .filter(|row| row.operation == "heap")
        .map(|row| row.median * real(row.tokens))
        .fold(0.0, f64::max);
    record.environment.machine.cache_bytes(2).is_some_and(|l2| bytes > real(l2))
}

/// The largest distance between the medians of two sittings of one row, as a part of the smaller.
fn sittings_apart(rows: &[&Row], experiment: &str) -> Option<f64> {
    rows.iter()
        .filter(|row| row.experiment == experiment && row.sittings > 1)
        .filter_map(|row| row.sitting_range)
        .map(|[least, most]| if least > 0.0 { most / least - 1.0 } else { 0.0 })
        .reduce(f64::max)
}

/// What is done, with its circumstances where they are not the usual ones.
fn label(operation: &str, regime: &str) -> String {
    match regime {
        "throughput" | "bulk" => operation.to_owned(),
        _ => format!("{operation}, {regime}"),
    }
}

fn times(title: &str, experiment: &str, rows: &[&Row], ratios: &[&RatioRow]) -> Sheet {
    let unit =
        Unit::of(rows.iter().filter(|row| row.experiment == experiment).map(|row| row.median));
    let tails = experiment == "update";
    let mut columns = vec![String::new()];
    for backend in BACKENDS {
        columns.extend([format!("{backend} [{}]", unit.sign()), "±".to_owned()]);
        if tails {
            columns.push(format!("p99 [{}]", unit.sign()));
        }
    }
    columns.extend([
        format!("{}/{}", BACKENDS[1], BACKENDS[0]),
        "null".to_owned(),
        "faster".to_owned(),
    ]);
    let rows = ratios
        .iter()
        .map(|ratio| {
            let mut cells = vec![label(&ratio.operation, &ratio.regime)];
            for backend in BACKENDS {
                let row = rows.iter().find(|row| {
                    row.backend == backend
                        && row.operation == ratio.operation
                        && row.regime == ratio.regime
                });
                cells.push(row.map_or_else(|| NONE.to_owned(), |row| unit.write(row.median)));
                cells.push(row.map_or_else(|| NONE.to_owned(), |row| plus_minus(half_width(row))));
                if tails {
                    let p99 = row.and_then(|row| row.p99);
                    cells.push(p99.map_or_else(|| NONE.to_owned(), |p99| unit.write(p99)));
                }
            }
            cells.push(ratio_interval(ratio.ratio, ratio.low, ratio.high));
            cells.push(ratio.null.map_or_else(|| NONE.to_owned(), ratio_text));
            cells.push(match ratio.status {
                Status::Different => ratio.faster().unwrap_or(NONE).to_owned(),
                Status::Same => SAME.to_owned(),
                Status::Undecided => UNDECIDED.to_owned(),
            });
            cells
        })
        .collect();
    Sheet { title: title.to_owned(), columns, rows }
}

fn half_width(row: &Row) -> f64 {
    Interval { median: row.median, low: row.low, high: row.high, coverage: 0.0 }.half_width()
}

fn memory(title: &str, rows: &[&Row]) -> Option<Sheet> {
    let counted: Vec<&&Row> = rows.iter().filter(|row| row.experiment == "memory").collect();
    let lines: Vec<(&str, &str, &str)> = counted
        .iter()
        .filter(|row| row.backend == BACKENDS[0])
        .map(|row| (row.operation.as_str(), row.regime.as_str(), row.unit.as_str()))
        .collect();
    if lines.is_empty() {
        return None;
    }
    let mut columns = vec![String::new()];
    columns.extend(BACKENDS.map(str::to_owned));
    let rows = lines
        .into_iter()
        .map(|(operation, regime, unit)| {
            let mut cells = vec![match operation {
                "heap" => format!(
                    "{unit}, built {}",
                    if regime == "bulk" { "in one batch" } else { "node by node" }
                ),
                _ => unit.to_owned(),
            }];
            cells.extend(BACKENDS.map(|backend| {
                let row = counted.iter().find(|row| {
                    row.backend == backend && row.operation == operation && row.regime == regime
                });
                row.map_or_else(|| NONE.to_owned(), |row| format!("{:.1}", row.median))
            }));
            cells
        })
        .collect();
    Some(Sheet { title: title.to_owned(), columns, rows })
}

fn remap(rows: &[Remap]) -> Sheet {
    let columns = [
        "",
        "hash space moved",
        "least possible",
        "keys moved",
        "by hash % N",
        "max/min keys before",
        "after",
    ];
    let ratio =
        |ratio: Option<f64>| ratio.map_or_else(|| NONE.to_owned(), |ratio| format!("{ratio:.2}"));
    let cells = |row: &Remap| {
        let part = |keys: u64| percent(real(keys) / real(row.keys_total.max(1)));
        vec![
            format!("{}x{}, {}", row.nodes, row.vnodes, row.change),
            percent(row.moved_fraction),
            percent(row.minimum_fraction),
            part(row.keys_moved),
            part(row.modulo_keys_moved),
            ratio(row.keys_max_over_min_before),
            ratio(row.keys_max_over_min_after),
        ]
    };
    Sheet {
        title: "what a change moves (of the hash space exactly, of the keys counted)".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.iter().map(cells).collect(),
    }
}

/// The keys, in a few words.
pub(crate) fn keys(corpora: &[CorpusInfo]) -> String {
    let corpora: Vec<String> = corpora
        .iter()
        .map(|c| {
            format!(
                "{} ({} keys, {} distinct)",
                c.name,
                count(real_len(c.keys)),
                count(real_len(c.distinct))
            )
        })
        .collect();
    format!("keys: {}", corpora.join("; "))
}

/// The machine and its state, a line each.
pub(crate) fn circumstances(environment: &Environment) -> [String; 2] {
    let machine = &environment.machine;
    let l2 = machine
        .cache_bytes(2)
        .map_or_else(String::new, |b| format!(", L2 {} KiB", count(real(b / 1024))));
    let mut state = Vec::new();
    if let Some(clock) = environment.clock {
        state.push(format!("a clock reading costs {:.0} ns", clock.read_ns));
    }
    state.push(environment.cpu.map_or_else(
        || "workers not pinned, intervals widened".to_owned(),
        |cpu| format!("workers pinned to processor {cpu}"),
    ));
    if let Some(load) = environment.load {
        state.push(format!(
            "processors {:.0} % busy, {:.1} % stolen",
            load.busy * 100.0,
            load.steal * 100.0
        ));
    }
    let machine = format!(
        "machine: {}, {} processors{l2}, {}{}",
        machine.cpu,
        machine.cpus,
        machine.kernel,
        if machine.virtual_machine { ", virtual" } else { "" }
    );
    [machine, state.join(", ")]
}

/// The circumstances, in a few lines.
#[must_use]
pub fn heading(record: &CompareRecord) -> Vec<String> {
    let pairs = record.ratios.first().map_or(0, |ratio| ratio.pairs);
    let sittings = record.rows.iter().map(|row| row.sittings).max().unwrap_or(0);
    let mut lines = vec![
        format!(
            "class {}, seed {}, hash {}, {pairs} process pairs over {sittings} sittings",
            record.class.name(),
            record.seed,
            record.hash
        ),
        keys(&record.corpora),
    ];
    lines.extend(circumstances(&record.environment));
    lines
}
