//! A run of the gate as text for a terminal, and as Markdown for a comment on a pull request.

use std::fmt::Write as _;

use crate::gate::decide::Status;
use crate::gate::record::{BenchmarkRow, GateRecord, Verdict};
use crate::report::markdown::{self, escape};
use crate::report::number::{percent, ratio_interval, time};
use crate::report::tables::Sheet;
use crate::report::terminal::{self, Style};

/// The benchmarks `wanted`, one a row.
fn benchmarks(record: &GateRecord, wanted: impl Fn(&BenchmarkRow) -> bool) -> Sheet {
    let columns = [
        "benchmark",
        "base",
        "head",
        "head/base",
        "slower",
        "stage",
        "null",
        "fails over",
        "instructions",
        "",
    ];
    let row = |row: &BenchmarkRow| {
        let beyond = if row.fits_l2 { "" } else { ", beyond L2" };
        vec![
            format!("{}/{}{beyond}", row.backend, row.name),
            time(row.base_ns),
            time(row.head_ns),
            ratio_interval(row.ratio, row.low, row.high),
            format!("{}/{}", row.slower, row.pairs),
            row.stage.to_string(),
            format!("{:.3}x", row.null_ratio),
            format!("{:.3}x", row.fail_above),
            row.ir_ratio.map_or_else(|| "-".to_owned(), |ir| format!("{ir:.4}x")),
            row.status.name().to_owned(),
        ]
    };
    Sheet {
        title: String::new(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: record.benchmarks.iter().filter(|row| wanted(row)).map(row).collect(),
    }
}

/// The exact figures that differ, one a row.
fn exact(record: &GateRecord) -> Sheet {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    Sheet {
        title: String::new(),
        columns: ["exact figure", "recorded", "base", "head", ""].map(str::to_owned).to_vec(),
        rows: record
            .exact
            .iter()
            .filter(|row| !row.equal)
            .map(|row| {
                vec![
                    row.name.clone(),
                    value(&row.recorded),
                    value(&row.base),
                    value(&row.head),
                    row.status.clone(),
                ]
            })
            .collect(),
    }
}

/// How many exact figures there are, and how many of them agree.
fn exact_line(record: &GateRecord) -> Option<String> {
    if record.exact.is_empty() {
        return None;
    }
    let equal = record.exact.iter().filter(|row| row.equal).count();
    Some(format!(
        "{equal} of {} exact figures are equal (placement, bytes, allocations, tokens compared and walked)",
        record.exact.len()
    ))
}

/// The spread of the null control, in words.
fn null_line(record: &GateRecord) -> Option<String> {
    let spread = record.null_spread?;
    Some(format!(
        "null control: two copies of the base differ by {} (root mean square)",
        percent(spread)
    ))
}

/// A few words for the verdict.
#[must_use]
pub fn headline(record: &GateRecord) -> String {
    let word = match record.verdict {
        Verdict::Pass => "PASS",
        Verdict::Regressed => "REGRESSED",
        Verdict::Inconclusive => "INCONCLUSIVE",
        Verdict::AnswersDiffer => "ANSWERS DIFFER",
        Verdict::NoBase => "NO BASE, passes",
    };
    format!("{word}: {}", record.reason)
}

/// The whole run as text.
#[must_use]
pub fn text(record: &GateRecord, style: Style) -> String {
    let bold = |text: &str| {
        if style.color { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    };
    let mut text = format!("base  {}\nhead  {}\n", record.base, record.head);
    // Writing to a string cannot fail.
    for line in [exact_line(record), null_line(record)].into_iter().flatten() {
        let _ = writeln!(text, "{line}");
    }
    for sheet in [exact(record), benchmarks(record, |_| true)] {
        if !sheet.rows.is_empty() {
            let _ = write!(text, "\n{}", terminal::draw(&sheet));
        }
    }
    text.push('\n');
    for accepted in record.accepted.iter().filter(|row| row.used) {
        let _ = writeln!(
            text,
            "accepted until {}: {} up to {:.2}x, since {}",
            accepted.expires, accepted.benchmark, accepted.ratio, accepted.reason
        );
    }
    for note in &record.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if record.seconds > 0.0 {
        let _ = writeln!(text, "{:.0} s, builds left out", record.seconds);
    }
    let _ = writeln!(text, "{}", bold(&headline(record)));
    text
}

/// The run for a comment: the verdict, what stands out, and the rest folded away.
#[must_use]
pub fn markdown(record: &GateRecord) -> String {
    let mut text = format!("### Gate: {}\n\n", escape(&headline(record)));
    let _ = writeln!(text, "{} against {}.", escape(&record.head), escape(&record.base));
    for line in [exact_line(record), null_line(record)].into_iter().flatten() {
        let _ = writeln!(text, "- {}", escape(&line));
    }
    for note in &record.notes {
        let _ = writeln!(text, "- {}", escape(note));
    }
    let is_quiet = |row: &BenchmarkRow| row.status == Status::Pass;
    for sheet in [exact(record), benchmarks(record, |row| !is_quiet(row))] {
        if !sheet.rows.is_empty() {
            let _ = write!(text, "\n{}", markdown::draw(&sheet));
        }
    }
    for accepted in record.accepted.iter().filter(|row| row.used) {
        let _ = writeln!(
            text,
            "\nAccepted until {}: {} up to {:.2}x, since {}",
            accepted.expires,
            escape(&accepted.benchmark),
            accepted.ratio,
            escape(&accepted.reason)
        );
    }
    let quiet = benchmarks(record, is_quiet);
    if !quiet.rows.is_empty() {
        let _ = write!(
            text,
            "\n<details><summary>{} benchmarks without a finding</summary>\n\n{}\n</details>\n",
            quiet.rows.len(),
            markdown::draw(&quiet)
        );
    }
    text
}

#[cfg(test)]
#[path = "gate_tests.rs"]
pub(crate) mod tests;
