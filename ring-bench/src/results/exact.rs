//! `exact.csv`: what owes nothing to a clock, a figure a row.
//!
//! Bytes and allocations (`memory`) hold for one compiler and target; all else must be the same everywhere.

use crate::compare::Counted;
use crate::error::BenchError;
use crate::experiments::remap::Remap;
use crate::experiments::{balance, limits};
use crate::lockstep::protocol::MemoryCount;
use crate::record::ExactFigure;
use crate::report::csv::quoted;
use crate::results::read;

/// The experiment whose figures hold for one compiler and target only.
pub const MEMORY: &str = "memory";

const COLUMNS: [&str; 4] = ["experiment", "case", "measure", "value"];

/// The figures as CSV.
#[must_use]
pub fn render(figures: &[ExactFigure]) -> String {
    let mut text = COLUMNS.join(",");
    text.push('\n');
    for figure in figures {
        let fields = [&figure.experiment, &figure.case, &figure.measure, &figure.value];
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

/// Reads what [`render`] wrote.
///
/// # Errors
///
/// A failure that names the line.
pub fn parse(text: &str) -> Result<Vec<ExactFigure>, BenchError> {
    read::csv(text, &COLUMNS)?
        .into_iter()
        .map(|fields| match <[String; 4]>::try_from(fields) {
            Ok([experiment, case, measure, value]) => {
                Ok(ExactFigure { experiment, case, measure, value })
            }
            Err(_) => Err(BenchError::failed("a row of four fields has another number of them")),
        })
        .collect()
}

/// The figures of a seed that need no measuring: balance, moves, limits.
///
/// # Errors
///
/// None in practice.
pub fn of_seed(seed: u64) -> Result<Vec<ExactFigure>, BenchError> {
    let mut figures = balance::run(seed)?;
    figures.extend(limits::run(seed)?);
    Ok(figures)
}

/// What the changes of a comparison move.
#[must_use]
pub fn of_remap(rows: &[Remap]) -> Vec<ExactFigure> {
    let mut figures = Vec::new();
    for row in rows {
        let case = format!("{}x{} {}", row.nodes, row.vnodes, row.change);
        let mut push = |measure, value: String| {
            figures.push(ExactFigure::new("remap", &*case, measure, value));
        };
        let ratio = |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| ratio.to_string());
        push("keys_total", row.keys_total.to_string());
        push("keys_moved", row.keys_moved.to_string());
        push("moved", row.moved.clone());
        push("minimum_fraction", row.minimum_fraction.to_string());
        push("modulo_keys_moved", row.modulo_keys_moved.to_string());
        push("keys_max_over_min_before", ratio(row.keys_max_over_min_before));
        push("keys_max_over_min_after", ratio(row.keys_max_over_min_after));
    }
    figures
}

/// The counts of a comparison.
#[must_use]
pub fn of_memory(counted: &[Counted]) -> Vec<ExactFigure> {
    let mut figures = Vec::new();
    for Counted { nodes, backend, memory } in counted {
        let case = format!("{nodes} {backend}");
        let mut push =
            |measure, value: u64| figures.push(ExactFigure::new(MEMORY, &*case, measure, value));
        push("tokens", memory.tokens);
        push("bulk_bytes", memory.bulk_bytes);
        push("one_by_one_bytes", memory.one_by_one_bytes);
        push("bulk_total_bytes", memory.bulk_total_bytes);
        push("lookup_allocations", memory.lookup_allocations);
        push("lookups", memory.lookups);
    }
    figures
}

/// The counts that [`of_memory`] wrote.
///
/// # Errors
///
/// A failure that names what is missing.
pub fn memory(figures: &[ExactFigure]) -> Result<Vec<Counted>, BenchError> {
    let mut cases: Vec<&str> =
        figures.iter().filter(|f| f.experiment == MEMORY).map(|f| f.case.as_str()).collect();
    cases.dedup();
    cases
        .into_iter()
        .map(|case| {
            let value = |measure: &str| {
                figures
                    .iter()
                    .find(|f| f.experiment == MEMORY && f.case == case && f.measure == measure)
                    .and_then(|figure| figure.value.parse::<u64>().ok())
                    .ok_or_else(|| {
                        BenchError::failed(format!("memory of {case}: there is no {measure}"))
                    })
            };
            let (nodes, backend) = case
                .split_once(' ')
                .and_then(|(nodes, backend)| Some((nodes.parse().ok()?, backend.to_owned())))
                .ok_or_else(|| BenchError::failed(format!("memory: {case:?} names no ring")))?;
            Ok(Counted {
                nodes,
                backend,
                memory: MemoryCount {
                    tokens: value("tokens")?,
                    bulk_bytes: value("bulk_bytes")?,
                    one_by_one_bytes: value("one_by_one_bytes")?,
                    bulk_total_bytes: value("bulk_total_bytes")?,
                    lookup_allocations: value("lookup_allocations")?,
                    lookups: value("lookups")?,
                },
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_counts_come_back() {
        let memory_of = |bytes| MemoryCount {
            tokens: 1_000,
            bulk_bytes: bytes,
            one_by_one_bytes: bytes + 1,
            bulk_total_bytes: bytes + 2,
            lookup_allocations: 0,
            lookups: 10,
        };
        let counted: Vec<Counted> = [(10, "sortedvec", 5), (10, "btree", 6), (100, "btree", 7)]
            .map(|(nodes, backend, bytes)| Counted {
                nodes,
                backend: backend.to_owned(),
                memory: memory_of(bytes),
            })
            .to_vec();
        let mut figures = of_memory(&counted);
        figures.push(ExactFigure::new("odd", "a,\"b\"\n", "x", 0.1 + 0.2));
        let back = parse(&render(&figures)).unwrap();
        assert_eq!(back, figures);
        assert_eq!(memory(&back).unwrap(), counted);
        let broken: Vec<ExactFigure> = back[1..].to_vec();
        assert!(memory(&broken).unwrap_err().to_string().contains("tokens"));
    }
}
