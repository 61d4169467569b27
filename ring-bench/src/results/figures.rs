//! `results.csv`: every figure of a run, with a digest of the samples that it follows from.
//!
//! A median can survive the edit of a sample, a digest cannot: the last column is the start of the SHA-256 over the
//! lines of `samples.csv` behind the figure, in their order; of `pauses.csv` and `regimes.csv` for what stands there.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::corpus::hex;
use crate::record::{CompareRecord, Observation, Status};
use crate::report::csv::{quoted, render as render_samples};
use crate::results::regimes::Pass;
use crate::results::run_dir::Beside;
use crate::results::{pauses, regimes};
use crate::stats::{median, real, real_len};

/// The columns, in order.
pub const COLUMNS: [&str; 21] = [
    "kind",
    "workload",
    "nodes",
    "vnodes",
    "experiment",
    "operation",
    "regime",
    "of",
    "over",
    "unit",
    "median",
    "low",
    "high",
    "pairs",
    "sittings",
    "p99",
    "null",
    "status",
    "samples",
    "operations",
    "samples_sha256",
];

/// The samples behind one figure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Behind {
    samples: usize,
    operations: u64,
    digest: String,
}

fn behind<'a>(observations: impl Iterator<Item = &'a Observation>) -> Behind {
    let mut hasher = Sha256::new();
    let mut behind = Behind::default();
    for observation in observations {
        behind.samples += 1;
        behind.operations = behind.operations.wrapping_add(observation.count);
        let text = render_samples(std::slice::from_ref(observation));
        hasher.update(text.lines().nth(1).unwrap_or_default().as_bytes());
        hasher.update(b"\n");
    }
    hex(&hasher.finalize())[..16].clone_into(&mut behind.digest);
    behind
}

/// The digest of the lines after the header of a file.
fn digest_of_lines(file: &str) -> String {
    let lines = file.split_once('\n').map_or("", |(_, lines)| lines);
    hex(&Sha256::digest(lines.as_bytes()))[..16].to_owned()
}

/// A row of what was measured beside the pairs.
struct BesideRow<'a> {
    kind: &'a str,
    nodes: usize,
    operation: &'a str,
    regime: &'a str,
    backend: &'a str,
    median: f64,
    samples: usize,
    operations: u64,
    digest: String,
}

/// Pauses and passes, a row each series. Their digests tell an edit that no drawing shows.
fn beside_rows(beside: &Beside) -> Vec<BesideRow<'_>> {
    let mut rows = Vec::new();
    for series in &beside.pauses {
        let operations = series.counts.iter().map(|(_, count)| count).sum();
        rows.push(BesideRow {
            kind: "pauses",
            nodes: series.nodes,
            operation: &series.phase,
            regime: &series.regime,
            backend: &series.backend,
            median: series.quantile(0.5).map_or(0.0, real),
            samples: series.counts.len(),
            operations,
            digest: digest_of_lines(&pauses::render(std::slice::from_ref(series))),
        });
    }
    let mut passes: BTreeMap<(usize, &str, &str), Vec<Pass>> = BTreeMap::new();
    for pass in &beside.regimes {
        passes.entry((pass.nodes, &pass.regime, &pass.backend)).or_default().push(pass.clone());
    }
    for ((nodes, regime, backend), own) in passes {
        let each: Vec<f64> =
            own.iter().map(|p| real(p.elapsed_ns) / real_len(p.lookups.max(1))).collect();
        rows.push(BesideRow {
            kind: "passes",
            nodes,
            operation: "get",
            regime,
            backend,
            median: median(&each).unwrap_or(0.0),
            samples: own.len(),
            operations: own.iter().map(|pass| pass.lookups as u64).sum(),
            digest: digest_of_lines(&regimes::render(&own)),
        });
    }
    rows
}

/// All figures: those of each backend, the ratios, the null controls, and what was measured beside them.
#[must_use]
pub fn render(record: &CompareRecord, observations: &[Observation], beside: &Beside) -> String {
    let mut text = COLUMNS.join(",");
    text.push('\n');
    let mut push = |fields: [String; 21]| {
        text.push_str(&fields.join(","));
        text.push('\n');
    };
    let maybe = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let of = |workload: &str, experiment: &str, operation: &str, regime: &str| {
        let names = [workload, experiment, operation, regime].map(str::to_owned);
        move |o: &&Observation| {
            [&o.workload, &o.experiment, &o.operation, &o.regime].into_iter().eq(names.iter())
        }
    };
    for row in &record.rows {
        let own = of(&row.workload, &row.experiment, &row.operation, &row.regime);
        let behind = behind(
            observations
                .iter()
                .filter(own)
                .filter(|o| o.control == "main" && o.backend == row.backend),
        );
        push([
            "figure".to_owned(),
            quoted(&row.workload),
            row.nodes.to_string(),
            row.vnodes.to_string(),
            row.experiment.clone(),
            row.operation.clone(),
            row.regime.clone(),
            row.backend.clone(),
            String::new(),
            row.unit.clone(),
            row.median.to_string(),
            row.low.to_string(),
            row.high.to_string(),
            row.pairs.to_string(),
            row.sittings.to_string(),
            maybe(row.p99),
            String::new(),
            String::new(),
            behind.samples.to_string(),
            behind.operations.to_string(),
            if behind.samples > 0 { behind.digest } else { String::new() },
        ]);
    }
    for ratio in &record.ratios {
        let own = of(&ratio.workload, &ratio.experiment, &ratio.operation, &ratio.regime);
        let behind = behind(observations.iter().filter(own).filter(|o| o.control == "null"));
        push([
            "ratio".to_owned(),
            quoted(&ratio.workload),
            ratio.nodes.to_string(),
            ratio.vnodes.to_string(),
            ratio.experiment.clone(),
            ratio.operation.clone(),
            ratio.regime.clone(),
            ratio.of.clone(),
            ratio.over.clone(),
            "ratio".to_owned(),
            ratio.ratio.to_string(),
            ratio.low.to_string(),
            ratio.high.to_string(),
            ratio.pairs.to_string(),
            String::new(),
            String::new(),
            maybe(ratio.null),
            match ratio.status {
                Status::Different => "different",
                Status::Same => "same",
                Status::Undecided => "undecided",
            }
            .to_owned(),
            behind.samples.to_string(),
            behind.operations.to_string(),
            behind.digest,
        ]);
    }
    for row in beside_rows(beside) {
        let mut fields: [String; 21] = Default::default();
        for (column, field) in [
            ("kind", row.kind.to_owned()),
            ("nodes", row.nodes.to_string()),
            ("operation", quoted(row.operation)),
            ("regime", quoted(row.regime)),
            ("of", quoted(row.backend)),
            ("unit", "ns".to_owned()),
            ("median", row.median.to_string()),
            ("samples", row.samples.to_string()),
            ("operations", row.operations.to_string()),
            ("samples_sha256", row.digest),
        ] {
            if let Some(at) = COLUMNS.iter().position(|name| *name == column) {
                fields[at] = field;
            }
        }
        push(fields);
    }
    text
}
