//! Where what a run should hold differs from what it holds: lines, cells, members of a document.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::record::ExactFigure;
use crate::results::{figures, read};

/// The lines that differ.
pub(super) fn lines(expected: &str, found: &str) -> Vec<String> {
    let mut differences = Vec::new();
    let (mut old, mut new) = (expected.lines(), found.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (old.next(), new.next()) {
            (None, None) => return differences,
            (old, new) if old == new => {}
            (old, new) => differences.push(format!(
                "line {line}: {} was expected, {} stands there",
                short(old),
                short(new)
            )),
        }
    }
}

/// The cells of `results.csv` that differ, each with its row and column; `None` where the two have not the same rows.
pub(super) fn cells(expected: &str, found: &str) -> Option<Vec<String>> {
    const NAMES: [&str; 6] = ["kind", "workload", "operation", "regime", "of", "over"];
    let old = read::csv(expected, &figures::COLUMNS).ok()?;
    let new = read::csv(found, &figures::COLUMNS).ok()?;
    if old.len() != new.len() {
        return None;
    }
    let mut differences = Vec::new();
    for (at, (old, new)) in old.iter().zip(&new).enumerate() {
        let row: Vec<&str> = figures::COLUMNS
            .iter()
            .zip(old)
            .filter(|(column, cell)| NAMES.contains(column) && !cell.is_empty())
            .map(|(_, cell)| cell.as_str())
            .collect();
        for ((column, old), new) in figures::COLUMNS.iter().zip(old).zip(new) {
            if old != new {
                differences.push(format!(
                    "line {}, row {}, column {column}: {} was expected, {} stands there",
                    at + 2,
                    row.join(", "),
                    short(Some(old)),
                    short(Some(new))
                ));
            }
        }
    }
    // The same cells in another writing, such as a quote that is not needed.
    if differences.is_empty() && expected != found { None } else { Some(differences) }
}

/// A line, cut where it is long.
fn short(line: Option<&str>) -> String {
    match line {
        None => "no line".to_owned(),
        Some(line) if line.chars().count() <= 160 => format!("{line:?}"),
        Some(line) => format!("{:?}...", line.chars().take(160).collect::<String>()),
    }
}

/// What names a row of a document, for readers: its workload, operation and so on.
fn label(value: &Value) -> String {
    let names = ["workload", "name", "nodes", "change", "operation", "regime", "backend"];
    let words: Vec<String> = names
        .iter()
        .filter_map(|name| value.get(name))
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect();
    words.join(", ")
}

/// What differs between two documents, each with its place.
pub(super) fn walk(place: &str, expected: &Value, found: &Value, differences: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(old), Value::Object(new)) => {
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for name in names {
                let inner = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                walk(
                    &inner,
                    old.get(name).unwrap_or(&Value::Null),
                    new.get(name).unwrap_or(&Value::Null),
                    differences,
                );
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                let label = label(old);
                let inner = if label.is_empty() {
                    format!("{place}[{at}]")
                } else {
                    format!("{place}[{label}]")
                };
                walk(&inner, old, new, differences);
            }
        }
        (old, new) if old == new => {}
        (Value::Array(old), Value::Array(new)) => differences.push(format!(
            "{place}: {} entries were expected, {} stand there",
            old.len(),
            new.len()
        )),
        (old, new) => differences.push(format!("{place}: {old} was expected, {new} stands there")),
    }
}

/// What differs between two lists of exact figures.
pub(super) fn exact_differences(expected: &[ExactFigure], found: &[ExactFigure]) -> Vec<String> {
    let mut differences = Vec::new();
    for (at, figure) in expected.iter().enumerate() {
        match found.get(at) {
            Some(other) if other == figure => {}
            other => differences.push(format!(
                "line {}: {}, {}, {} = {} was expected, {} stands there",
                at + 2,
                figure.experiment,
                figure.case,
                figure.measure,
                figure.value,
                other.map_or_else(
                    || "nothing".to_owned(),
                    |o| format!("{}, {}, {} = {}", o.experiment, o.case, o.measure, o.value)
                )
            )),
        }
    }
    if found.len() > expected.len() {
        differences.push(format!(
            "{} figures were expected, {} stand there",
            expected.len(),
            found.len()
        ));
    }
    differences
}
