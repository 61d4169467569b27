//! `results.csv`: every figure of a run, with a digest of the samples that it follows from.
//!
//! A median can survive the edit of a sample, a digest cannot: the last column is the start of the SHA-256 over the
//! lines of `samples.csv` behind the figure, in their order.

use sha2::{Digest, Sha256};

use crate::corpus::hex;
use crate::record::{CompareRecord, Observation, Status};
use crate::report::csv::{quoted, render as render_samples};

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

/// All figures: those of each backend, the ratios, the null controls.
#[must_use]
pub fn render(record: &CompareRecord, observations: &[Observation]) -> String {
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
    text
}
