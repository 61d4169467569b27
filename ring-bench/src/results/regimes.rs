//! `regimes.csv`: lookups that find the ring cold, warm and rebuilt, a pass a row.

use crate::compare::{Options, Progress};
use crate::error::BenchError;
use crate::experiments::regimes::{LOOKUPS, Passes};
use crate::lockstep::link::{Link, Program};
use crate::lockstep::protocol::{Answer, Ask};
use crate::machine::measuring_cpu;
use crate::report::number::{Unit, ratio_text};
use crate::report::tables::Sheet;
use crate::results::read;
use crate::stats::{TimePair, log_ratio, median, order_interval, real, real_len};
use crate::subject::BACKENDS;
use std::fmt::Write as _;

/// Processes of each backend.
const PROCESSES: usize = 6;
/// Rounds in a process.
const ROUNDS: usize = 15;

/// The title of the table.
pub const TITLE: &str = "one lookup among 256, by the state in which they find the ring";

/// A pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// Nodes of the ring.
    pub nodes: usize,
    /// The backend.
    pub backend: String,
    /// The process, from 0; the two backends of a number ran one after the other.
    pub process: usize,
    /// `cold`, `warm` or `rebuilt`.
    pub regime: String,
    /// Lookups.
    pub lookups: usize,
    /// Nanoseconds of all of them.
    pub elapsed_ns: u64,
}

const COLUMNS: [&str; 6] = ["nodes", "backend", "process", "regime", "lookups", "elapsed_ns"];

/// Measures them: each ring size and backend in `PROCESSES` processes.
///
/// # Errors
///
/// A failure where a worker fails; [`BenchError::AnswersDiffer`] where the backends do.
pub fn measure(
    options: &Options,
    program: &Program,
    progress: &dyn Progress,
) -> Result<Vec<Pass>, BenchError> {
    let options = options.without_repeats();
    progress.phase("cold and rebuilt", (options.nodes.len() * PROCESSES) as u64);
    let mut all = Vec::new();
    for &nodes in &options.nodes {
        for process in 0..PROCESSES {
            let mut checksums = Vec::new();
            for at in 0..BACKENDS.len() {
                // Who goes first changes each time.
                let backend = BACKENDS[(at + process) % BACKENDS.len()];
                let mut link =
                    Link::start(&Program { name: backend.to_owned(), ..program.clone() })?;
                let subject = options.spec(backend, nodes);
                match link.ask(&Ask::Prepare { subject, cpu: measuring_cpu() })? {
                    Answer::Prepared { .. } => {}
                    other => return Err(link.unexpected("a subject", &other)),
                }
                let passes = match link.ask(&Ask::Regimes { rounds: ROUNDS })? {
                    Answer::Passed { passes } => passes,
                    other => return Err(link.unexpected("passes", &other)),
                };
                checksums.push(passes.checksum);
                let Passes { cold, warm, rebuilt, .. } = passes;
                for (regime, times) in [("cold", cold), ("warm", warm), ("rebuilt", rebuilt)] {
                    all.extend(times.into_iter().map(|elapsed_ns| Pass {
                        nodes,
                        backend: backend.to_owned(),
                        process,
                        regime: regime.to_owned(),
                        lookups: LOOKUPS,
                        elapsed_ns,
                    }));
                }
            }
            if checksums.windows(2).any(|pair| pair[0] != pair[1]) {
                return Err(BenchError::AnswersDiffer(format!(
                    "{} gave different answers on a ring of {nodes} nodes",
                    BACKENDS.join(" and ")
                )));
            }
            progress.step();
        }
    }
    Ok(all)
}

/// The passes as CSV.
#[must_use]
pub fn render(passes: &[Pass]) -> String {
    let mut text = COLUMNS.join(",");
    text.push('\n');
    for pass in passes {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{}",
            pass.nodes, pass.backend, pass.process, pass.regime, pass.lookups, pass.elapsed_ns
        );
    }
    text
}

/// Reads what [`render`] wrote.
///
/// # Errors
///
/// A failure that names the line.
pub fn parse(text: &str) -> Result<Vec<Pass>, BenchError> {
    let rows = read::csv(text, &COLUMNS)?;
    rows.iter()
        .enumerate()
        .map(|(at, row)| {
            let number = |column: usize| -> Result<u64, BenchError> {
                row[column].parse().map_err(|_| {
                    BenchError::failed(format!(
                        "line {}: {} is no whole number",
                        at + 2,
                        COLUMNS[column]
                    ))
                })
            };
            let size = |column| number(column).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
            Ok(Pass {
                nodes: size(0)?,
                backend: row[1].clone(),
                process: size(2)?,
                regime: row[3].clone(),
                lookups: size(4)?,
                elapsed_ns: number(5)?,
            })
        })
        .collect()
}

/// The table: per lookup, the median over processes of each one's median pass.
#[must_use]
pub fn sheet(passes: &[Pass]) -> Option<Sheet> {
    let mut rings: Vec<usize> = passes.iter().map(|pass| pass.nodes).collect();
    rings.dedup();
    let of = |nodes: usize, regime: &str, backend: &str| -> Vec<f64> {
        (0..PROCESSES)
            .filter_map(|process| {
                let own: Vec<f64> = passes
                    .iter()
                    .filter(|p| {
                        (p.nodes, p.process, p.regime.as_str(), p.backend.as_str())
                            == (nodes, process, regime, backend)
                    })
                    .map(|p| real(p.elapsed_ns) / real_len(p.lookups.max(1)))
                    .collect();
                median(&own)
            })
            .collect()
    };
    let mut rows = Vec::new();
    for nodes in rings {
        for regime in ["cold", "rebuilt", "warm"] {
            let times = BACKENDS.map(|backend| of(nodes, regime, backend));
            let mut row = vec![format!("{nodes} nodes, {regime}")];
            for times in &times {
                let interval = order_interval(times)?;
                row.push(Unit::Ns.write(interval.median));
                row.push(crate::report::number::plus_minus(interval.half_width()));
            }
            let pairs: Vec<TimePair> =
                times[0].iter().zip(&times[1]).map(|(&a, &b)| TimePair { a, b }).collect();
            row.push(log_ratio(&pairs).map_or("-".to_owned(), |log| ratio_text(log.exp())));
            rows.push(row);
        }
    }
    let columns = ["", "sortedvec [ns]", "±", "btree [ns]", "±", "btree/sortedvec"];
    (!rows.is_empty()).then(|| Sheet {
        title: TITLE.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_come_back_and_make_a_table() {
        let mut passes = Vec::new();
        for process in 0..PROCESSES {
            for (backend, ns) in [("sortedvec", 256), ("btree", 512)] {
                for regime in ["cold", "warm", "rebuilt"] {
                    passes.push(Pass {
                        nodes: 10,
                        backend: backend.to_owned(),
                        process,
                        regime: regime.to_owned(),
                        lookups: 256,
                        elapsed_ns: ns * 10,
                    });
                }
            }
        }
        assert_eq!(parse(&render(&passes)).unwrap(), passes);
        let sheet = sheet(&passes).unwrap();
        assert_eq!(sheet.rows.len(), 3);
        assert_eq!(
            sheet.rows[0],
            ["10 nodes, cold", "10.0", "± 0.0 %", "20.0", "± 0.0 %", "2.00x"]
        );
        assert_eq!(super::sheet(&[]), None);
    }
}
