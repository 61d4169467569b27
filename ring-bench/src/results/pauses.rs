//! `pauses.csv`: what readers met during changes, as counts of lookups by time.
//!
//! Times are kept to two digits, as the histogram keeps them. Every percentile of the report follows from them.

use hdrhistogram::Histogram;

use crate::choose::measure::{pause_plan, pauses};
use crate::choose::workload::{Lookups, Workload};
use crate::compare::{Options, Progress};
use crate::error::BenchError;
use crate::experiments::pauses::Pauses;
use crate::lockstep::link::Program;
use crate::record::CompareRecord;
use crate::report::csv::quoted;
use crate::results::read;
use crate::routine::Regime;
use crate::stats::real;
use crate::subject::BACKENDS;

/// The lookups that were due during changes of one backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Nodes of the ring.
    pub nodes: usize,
    /// `exclusive` or `published`.
    pub regime: String,
    /// The backend.
    pub backend: String,
    /// `during` changes, or `between` them.
    pub phase: String,
    /// Nanoseconds and how many lookups took that long, ascending.
    pub counts: Vec<(u64, u64)>,
}

impl Series {
    /// The time that this part of the lookups stayed within; `None` where fewer than ten lie beyond it.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Option<u64> {
        let total: u64 = self.counts.iter().map(|(_, count)| count).sum();
        if real(total) * (1.0 - part) < 9.999 {
            return None;
        }
        let mut left = real(total) * part;
        self.counts.iter().find_map(|(ns, count)| {
            left -= real(*count);
            (left <= 0.0).then_some(*ns)
        })
    }
}

const COLUMNS: [&str; 6] = ["nodes", "regime", "backend", "phase", "ns", "lookups"];

/// Measures them: each ring size, both regimes, both backends, a process each.
///
/// # Errors
///
/// A failure where a worker fails.
pub fn measure(
    options: &Options,
    record: &CompareRecord,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Vec<Series>, BenchError> {
    let options = options.without_repeats();
    let regimes = [(Regime::Exclusive, "exclusive"), (Regime::Published, "published")];
    progress.phase("pauses", (options.nodes.len() * regimes.len() * BACKENDS.len()) as u64);
    let mut series = Vec::new();
    for &nodes in &options.nodes {
        for (regime, name) in regimes {
            for backend in BACKENDS {
                let workload = Workload {
                    vnodes: options.vnodes,
                    hash: options.hash.clone(),
                    corpus: options.corpus.to_string(),
                    keys: options.keys,
                    seed: options.seed,
                    regime,
                    ..Workload::new(nodes, Lookups::PerChange(0))
                };
                let change = record.rows.iter().find(|row| {
                    row.nodes == nodes
                        && row.operation == "add"
                        && row.regime == name
                        && row.backend == backend
                });
                let plan = pause_plan(&workload, change.map_or(0.0, |row| row.median));
                let found = pauses(&workload.spec(backend), &plan, program)?;
                series.extend(of(nodes, name, backend, &found)?);
                progress.step();
            }
        }
    }
    Ok(series)
}

/// The series of one process. Where no lookup was due in a phase there is none: the file would have no line for it, and a
/// run must read back as it was.
fn of(
    nodes: usize,
    regime: &str,
    backend: &str,
    found: &Pauses,
) -> Result<Vec<Series>, BenchError> {
    let phases = [("during", &found.during), ("between", &found.between)];
    let some = phases.into_iter().filter(|(_, times)| !times.is_empty());
    some.map(|(phase, times)| {
        Ok(Series {
            nodes,
            regime: regime.to_owned(),
            backend: backend.to_owned(),
            phase: phase.to_owned(),
            counts: counts(times)?,
        })
    })
    .collect()
}

fn counts(times: &[u64]) -> Result<Vec<(u64, u64)>, BenchError> {
    let mut histogram = Histogram::<u64>::new_with_bounds(1, 3_600_000_000_000, 2)
        .map_err(|e| BenchError::failed(format!("the histogram of pauses: {e}")))?;
    for &ns in times {
        histogram.saturating_record(ns.max(1));
    }
    Ok(histogram
        .iter_recorded()
        .map(|value| (value.value_iterated_to(), value.count_at_value()))
        .collect())
}

/// The series as CSV.
#[must_use]
pub fn render(series: &[Series]) -> String {
    let mut text = COLUMNS.join(",");
    text.push('\n');
    for one in series {
        for (ns, count) in &one.counts {
            let fields = [
                one.nodes.to_string(),
                quoted(&one.regime),
                quoted(&one.backend),
                quoted(&one.phase),
                ns.to_string(),
                count.to_string(),
            ];
            text.push_str(&fields.join(","));
            text.push('\n');
        }
    }
    text
}

/// Reads what [`render`] wrote.
///
/// # Errors
///
/// A failure that names the line.
pub fn parse(text: &str) -> Result<Vec<Series>, BenchError> {
    let mut series: Vec<Series> = Vec::new();
    for (at, row) in read::csv(text, &COLUMNS)?.into_iter().enumerate() {
        let number = |column: usize| -> Result<u64, BenchError> {
            row[column].parse().map_err(|_| {
                BenchError::failed(format!(
                    "line {}: {} is no whole number",
                    at + 2,
                    COLUMNS[column]
                ))
            })
        };
        let (nodes, ns, count) = (number(0)?, number(4)?, number(5)?);
        let nodes = usize::try_from(nodes).unwrap_or(usize::MAX);
        let same = series.last().is_some_and(|last| {
            (last.nodes, &last.regime, &last.backend, &last.phase)
                == (nodes, &row[1], &row[2], &row[3])
        });
        if !same {
            series.push(Series {
                nodes,
                regime: row[1].clone(),
                backend: row[2].clone(),
                phase: row[3].clone(),
                counts: Vec::new(),
            });
        }
        if let Some(last) = series.last_mut() {
            last.counts.push((ns, count));
        }
    }
    Ok(series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_without_lookups_reads_back_as_it_was() {
        let found = Pauses { during: Vec::new(), between: vec![7, 9] };
        let series = of(10, "published", "btree", &found).unwrap();
        assert_eq!(series.len(), 1);
        assert_eq!(parse(&render(&series)).unwrap(), series);
    }

    #[test]
    fn series_come_back_with_their_percentiles() {
        let series: Vec<Series> = ["sortedvec", "btree"]
            .map(|backend| Series {
                nodes: 10,
                regime: "exclusive".to_owned(),
                backend: backend.to_owned(),
                phase: "during".to_owned(),
                counts: counts(&(1..=1_000).collect::<Vec<u64>>()).unwrap(),
            })
            .to_vec();
        let back = parse(&render(&series)).unwrap();
        assert_eq!(back, series);
        // Two digits of a value are kept.
        assert!(back[0].quantile(0.5).is_some_and(|ns| (495..=505).contains(&ns)));
        assert!(back[0].quantile(0.99).is_some_and(|ns| (980..=1_000).contains(&ns)));
        assert_eq!(back[0].quantile(0.999), None);
    }
}
