//! The document of `compare --peers` as tables, for a terminal and as Markdown.

use std::fmt::Write as _;

use crate::peers::record::{Bound, GrowthRow, Outcome, PeersRecord, TargetRow};
use crate::record::Row;
use crate::report::number::{count, plus_minus, ratio_interval};
use crate::report::tables::{Sheet, circumstances, keys};
use crate::report::terminal::Style;
use crate::report::{markdown as md, terminal as tty};
use crate::stats::{Interval, real};

/// Stands where there is no figure.
const NONE: &str = "-";

/// The document as text for a terminal.
#[must_use]
pub fn terminal(record: &PeersRecord, style: Style) -> String {
    let mut text = String::new();
    for line in heading(record) {
        text.push_str(&line);
        text.push('\n');
    }
    for sheet in sheets(record) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}\n{}", tty::title(&sheet.title, style), tty::draw(&sheet));
    }
    let _ = writeln!(text, "\n{}", tally(record));
    text
}

/// The document as Markdown.
#[must_use]
pub fn markdown(record: &PeersRecord) -> String {
    let mut text = String::new();
    for line in heading(record) {
        let _ = writeln!(text, "- {}", md::escape(&line));
    }
    for sheet in sheets(record) {
        let _ = write!(text, "\n**{}**\n\n{}", md::escape(&sheet.title), md::draw(&sheet));
    }
    let _ = writeln!(text, "\n{}", md::escape(&tally(record)));
    for warning in &record.warnings {
        let _ = writeln!(text, "- Warning: {}", md::escape(warning));
    }
    text
}

fn heading(record: &PeersRecord) -> Vec<String> {
    let pairs = record.targets.iter().map(|target| target.pairs).max().unwrap_or(0);
    let mut lines = vec![
        format!(
            "class {}, seed {}, {pairs} process pairs a target, {:.0} s",
            record.class.name(),
            record.seed,
            record.environment.seconds
        ),
        keys(&record.corpora),
    ];
    lines.extend(circumstances(&record.environment));
    lines
}

/// How many targets were met.
fn tally(record: &PeersRecord) -> String {
    let of = |outcome| record.targets.iter().filter(|target| target.outcome == outcome).count();
    format!(
        "{} targets met, {} missed, {} undecided",
        of(Outcome::Met),
        of(Outcome::Missed),
        of(Outcome::Undecided)
    )
}

fn sheets(record: &PeersRecord) -> Vec<Sheet> {
    let mut sheets = vec![table(record), targets(record)];
    let plain = |row: &&GrowthRow| !is_crowded(row);
    for (title, operation) in [
        ("search alone by tokens M [ns]: no hash, the owner's id returned", "search"),
        ("the same, each search waiting for the one before [ns]", "search-chain"),
    ] {
        let rows = record.growth.iter().filter(plain).filter(|row| row.operation == operation);
        sheets.push(curve(title, rows));
    }
    sheets.push(curve(
        "search alone among crowded tokens by M [ns]: all in one arc, and a hash cut to eight bits",
        record.growth.iter().filter(|row| is_crowded(row)),
    ));
    sheets.push(exponents(record));
    sheets
}

fn is_crowded(row: &GrowthRow) -> bool {
    matches!(row.hash.as_str(), "one-arc" | "eight-bits")
}

/// A figure to four digits or so.
fn figure(value: f64) -> String {
    match value.abs() {
        size if size < 10.0 => format!("{value:.2}"),
        size if size < 10_000.0 => format!("{value:.1}"),
        _ => count(value),
    }
}

fn half_width(row: &Row) -> f64 {
    Interval { median: row.median, low: row.low, high: row.high, coverage: 0.0 }.half_width()
}

/// Everyone's lookups, changes, build and memory.
fn table(record: &PeersRecord) -> Sheet {
    let mut sizes: Vec<usize> =
        record.rows.iter().filter(|r| r.operation == "get").map(|r| r.nodes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.retain(|&nodes| record.rows.iter().any(|r| r.nodes == nodes && r.unit == "ns"));
    let large = sizes.last().copied().unwrap_or(0);
    let mut columns = vec![String::new(), "hash".to_owned()];
    for nodes in &sizes {
        columns.extend([format!("get, N={nodes} [ns]"), "±".to_owned()]);
    }
    columns.extend(
        ["sittings", "add [µs]", "remove [µs]", "build [ms]", "heap [MiB]", "allocations/get"]
            .map(str::to_owned),
    );
    let rows = record.contenders.iter().map(|contender| {
        let find = |operation: &str, regime: &str, nodes: usize| {
            record.rows.iter().find(|row| {
                row.backend == contender.label
                    && row.operation == operation
                    && row.regime == regime
                    && row.nodes == nodes
            })
        };
        let mut cells = vec![contender.contender.clone(), contender.hash.clone()];
        for &nodes in &sizes {
            let row = find("get", "throughput", nodes);
            cells.push(row.map_or_else(|| NONE.to_owned(), |row| figure(row.median)));
            cells.push(row.map_or_else(|| NONE.to_owned(), |row| plus_minus(half_width(row))));
        }
        let range = find("get", "throughput", large).and_then(|row| row.sitting_range);
        cells.push(range.map_or_else(
            || NONE.to_owned(),
            |[least, most]| format!("{}..{}", figure(least), figure(most)),
        ));
        for (operation, regime, scale) in [
            ("add", "exclusive", 1e3),
            ("remove", "exclusive", 1e3),
            ("build", "bulk", 1e6),
            ("heap", "bulk", f64::from(1 << 20)),
            ("allocations", "get", 1.0),
        ] {
            // What holds no ring has no bytes worth a column.
            let row = find(operation, regime, large)
                .filter(|_| contender.kind != "kernel" || scale < 1e6);
            cells.push(row.map_or_else(|| NONE.to_owned(), |row| figure(row.median / scale)));
        }
        cells
    });
    Sheet {
        title: format!(
            "everyone: 100 tokens a node; changes, build and memory at N={large}; \"sittings\" is the spread of get at N={large}"
        ),
        rows: rows.collect(),
        columns,
    }
}

fn targets(record: &PeersRecord) -> Sheet {
    let columns = [
        "",
        "N",
        "ours",
        "against",
        "measured",
        "asked",
        "null, ours",
        "null, theirs",
        "sittings",
        "outcome",
    ];
    let null =
        |null: Option<f64>| null.map_or_else(|| NONE.to_owned(), |null| format!("{null:.3}x"));
    let rows = record.targets.iter().map(|target| {
        let timed = target.pairs > 0;
        vec![
            target.what.clone(),
            count(real(target.nodes as u64)),
            target.own.clone(),
            if timed { target.rival.clone() } else { NONE.to_owned() },
            measured(target),
            asked(target),
            null(target.nulls[0]),
            null(target.nulls[1]),
            match target.sitting_range {
                Some([least, most]) if target.beyond_l2 => format!("{least:.2}..{most:.2}"),
                _ => NONE.to_owned(),
            },
            match target.outcome {
                Outcome::Met => "met",
                Outcome::Missed => "MISSED",
                Outcome::Undecided => "undecided",
                Outcome::Informative => NONE,
            }
            .to_owned(),
        ]
    });
    Sheet {
        title: "targets: x is how many times the rival's time (at least), or ours (at most); \"sittings\" where the ring \
                is beyond L2"
            .to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn measured(target: &TargetRow) -> String {
    match target.unit.as_str() {
        "x" => ratio_interval(target.measured, target.low, target.high),
        "ns" => format!("{:+.1} ns [{:+.1}, {:+.1}]", target.measured, target.low, target.high),
        unit => format!("{:.2} {unit}", target.measured),
    }
}

fn asked(target: &TargetRow) -> String {
    let unit = if target.unit == "x" { "x" } else { "" };
    match target.bound {
        Bound::AtLeast(least) => format!(">= {least}{unit}"),
        Bound::AtMost(most) => format!("<= {most}{unit}"),
        Bound::None => NONE.to_owned(),
    }
}

/// Curves beside each other: a row for each number of tokens, a column for each contender.
fn curve<'a>(title: &str, rows: impl Iterator<Item = &'a GrowthRow>) -> Sheet {
    let curves: Vec<&GrowthRow> = rows.collect();
    let mut tokens: Vec<u64> =
        curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.tokens)).collect();
    tokens.sort_unstable();
    tokens.dedup();
    let mut columns = vec!["M".to_owned()];
    columns.extend(curves.iter().map(|curve| {
        if is_crowded(curve) {
            format!("{}, {}", curve.contender, curve.hash)
        } else {
            curve.contender.clone()
        }
    }));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for m in tokens {
        let mut cells = vec![count(real(m))];
        cells.extend(curves.iter().map(|curve| {
            let point = curve.points.iter().find(|point| point.tokens == m);
            point.map_or_else(|| NONE.to_owned(), |point| figure(point.value))
        }));
        rows.push(cells);
    }
    let mut last = vec!["per doubling".to_owned()];
    last.extend(curves.iter().map(|curve| {
        curve.per_doubling.map_or_else(|| NONE.to_owned(), |slope| format!("{slope:+.2}"))
    }));
    rows.push(last);
    Sheet { title: title.to_owned(), columns, rows }
}

/// What each operation costs at each size, and the exponent of its growth.
fn exponents(record: &PeersRecord) -> Sheet {
    let mut tokens: Vec<u64> =
        record.growth.iter().flat_map(|row| row.points.iter().map(|point| point.tokens)).collect();
    tokens.sort_unstable();
    tokens.dedup();
    let mut columns = vec![String::new(), String::new(), "unit".to_owned()];
    columns.extend(tokens.iter().map(|&m| format!("M={}", count(real(m)))));
    columns.push("exponent".to_owned());
    let rows = record.growth.iter().filter(|row| !is_crowded(row)).map(|row| {
        let mut cells = vec![row.contender.clone(), row.operation.clone(), row.unit.clone()];
        cells.extend(tokens.iter().map(|m| {
            let point = row.points.iter().find(|point| point.tokens == *m);
            point.map_or_else(|| NONE.to_owned(), |point| figure(point.value))
        }));
        cells.push(row.exponent.map_or_else(|| NONE.to_owned(), |e| format!("{e:.2}")));
        cells
    });
    Sheet {
        title: "growth with the number of tokens M: cost, and the exponent of M over all sizes"
            .to_owned(),
        rows: rows.collect(),
        columns,
    }
}
