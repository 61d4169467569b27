//! Two runs side by side.
//!
//! Figures of two machines differ for reasons that no table shows, so machines that differ are refused unless the caller
//! insists. Times of two runs on one machine are not gated on either: what stands here is for people to look at, and a
//! ratio counts as changed only where the intervals do not meet.

use std::path::Path;

use crate::error::BenchError;
use crate::record::CompareRecord;
use crate::report::number::{ratio_interval, ratio_text, time};
use crate::report::tables::Sheet;
use crate::results::manifest::{MANIFEST, Manifest};
use crate::results::read;

/// A run, as far as it is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// How tables call it.
    pub name: String,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its figures.
    pub record: CompareRecord,
}

impl Side {
    /// The run in `folder`.
    ///
    /// # Errors
    ///
    /// A usage error for what is no complete run.
    pub fn read(folder: &Path) -> Result<Self, BenchError> {
        let name = folder.display().to_string();
        let wrong = |e: BenchError| BenchError::usage(e.to_string()).at(&name);
        if !folder.join(MANIFEST).is_file() {
            return Err(BenchError::usage(format!(
                "{name}: is no complete run: it has no {MANIFEST}"
            )));
        }
        Ok(Self {
            manifest: read::json(folder, MANIFEST).map_err(wrong)?,
            record: read::json(folder, "results.json").map_err(wrong)?,
            name,
        })
    }
}

/// What makes the machines of two runs different; empty where they are alike.
#[must_use]
pub fn machine_differences(a: &CompareRecord, b: &CompareRecord) -> Vec<String> {
    let (a, b) = (&a.environment.machine, &b.environment.machine);
    let mut differences = Vec::new();
    let mut look = |what: &str, a: String, b: String| {
        if a != b {
            differences.push(format!("{what}: {a} against {b}"));
        }
    };
    look("processor", a.cpu.clone(), b.cpu.clone());
    look("processors", a.cpus.to_string(), b.cpus.to_string());
    look("architecture", a.architecture.clone(), b.architecture.clone());
    look("caches", format!("{:?}", a.caches), format!("{:?}", b.caches));
    look("kernel", a.kernel.clone(), b.kernel.clone());
    look("memory in GiB", (a.memory_bytes >> 30).to_string(), (b.memory_bytes >> 30).to_string());
    differences
}

/// The tables of a comparison: times, then ratios.
///
/// # Errors
///
/// A usage error where the machines differ and `anyway` is not set, or the runs have no figure in common.
pub fn sheets(a: &Side, b: &Side, anyway: bool) -> Result<Vec<Sheet>, BenchError> {
    let differences = machine_differences(&a.record, &b.record);
    if !differences.is_empty() && !anyway {
        return Err(BenchError::usage(format!(
            "the runs were made on different machines ({}); --different-machines compares them all the same",
            differences.join("; ")
        )));
    }
    let sheet = |title: &str, columns: [&str; 5], rows: Vec<Vec<String>>| Sheet {
        title: title.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    };
    let mut times = Vec::new();
    for row in a.record.rows.iter().filter(|row| row.unit == "ns") {
        let other = b.record.rows.iter().find(|o| {
            (&o.workload, &o.operation, &o.regime, &o.backend)
                == (&row.workload, &row.operation, &row.regime, &row.backend)
        });
        let Some(other) = other else { continue };
        let apart = other.low > row.high || other.high < row.low;
        times.push(vec![
            format!("{}: {}, {}, {}", row.workload, row.operation, row.regime, row.backend),
            time(row.median),
            time(other.median),
            ratio_text(other.median / row.median),
            if apart { "apart" } else { "~" }.to_owned(),
        ]);
    }
    let mut ratios = Vec::new();
    for row in &a.record.ratios {
        let other = b.record.ratios.iter().find(|o| {
            (&o.workload, &o.operation, &o.regime) == (&row.workload, &row.operation, &row.regime)
        });
        let Some(other) = other else { continue };
        let apart = other.low > row.high || other.high < row.low;
        ratios.push(vec![
            format!("{}: {}, {}", row.workload, row.operation, row.regime),
            ratio_interval(row.ratio, row.low, row.high),
            ratio_interval(other.ratio, other.low, other.high),
            ratio_text(other.ratio / row.ratio),
            if apart { "apart" } else { "~" }.to_owned(),
        ]);
    }
    if times.is_empty() {
        return Err(BenchError::usage("the two runs have no figure in common".to_owned()));
    }
    Ok(vec![
        sheet("times", ["", "A", "B", "B/A", "intervals"], times),
        sheet("ratios of the two backends", ["", "A", "B", "B/A", "intervals"], ratios),
    ])
}
