//! What a run found, as it is exported.
//!
//! [`CompareRecord`] is the JSON document of `compare`; [`Observation`] is a row of its CSV. Members may be added to the
//! schema `ring-compare/1`, none may change its meaning.

use serde::{Deserialize, Serialize};

use crate::corpus::CorpusInfo;
use crate::experiments::remap::Remap;
use crate::machine::{Load, Machine};
use crate::measure::ClockCost;
use crate::stats::Interval;

/// The schema of [`CompareRecord`].
pub const COMPARE_SCHEMA: &str = "ring-compare/1";

/// A ratio is undecided where the null control of the same operation is off by more than this part.
pub const NULL_LIMIT: f64 = 0.05;

/// What a figure may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// It shows that everything works. Too few pairs to decide by.
    Smoke,
    /// It tells which of two is faster, here and now.
    Indicative,
    /// It may be cited.
    Reference,
}

impl Class {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Indicative => "indicative",
            Self::Reference => "reference",
        }
    }
}

/// A figure of one backend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The ring and the keys, such as `100x100 uniform(16)`.
    pub workload: String,
    /// `lookup`, `update` or `memory`.
    pub experiment: String,
    /// What was done, or what was counted.
    pub operation: String,
    /// Under which circumstances.
    pub regime: String,
    /// Nodes (N).
    pub nodes: usize,
    /// Tokens per unit of weight (V).
    pub vnodes: u32,
    /// Tokens (M).
    pub tokens: u64,
    /// Which backend.
    pub backend: String,
    /// The unit of all figures of the row.
    pub unit: String,
    /// The median over process pairs of each process's median sample; for counted figures the figure.
    pub median: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// Process pairs; 0 for a counted figure, which no repetition would change.
    pub pairs: usize,
    /// Sittings that they were spread over.
    pub sittings: usize,
    /// The 99th percentile of single operations; `null` where they are not timed singly, or too few lie beyond it.
    pub p99: Option<f64>,
    /// The smallest and the largest median of a sitting.
    pub sitting_range: Option<[f64; 2]>,
}

/// Whether two backends could be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The interval of the ratio leaves out 1.
    Different,
    /// It does not.
    Same,
    /// The null control was off by more than [`NULL_LIMIT`], or there was none.
    Undecided,
}

/// How the second backend's time compares with the first's, in pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatioRow {
    /// As in [`Row`], and so for the next five.
    pub workload: String,
    /// See [`Row`].
    pub experiment: String,
    /// See [`Row`].
    pub operation: String,
    /// See [`Row`].
    pub regime: String,
    /// See [`Row`].
    pub nodes: usize,
    /// See [`Row`].
    pub vnodes: u32,
    /// The backend whose time is divided.
    pub of: String,
    /// The backend that it is divided by.
    pub over: String,
    /// The median over process pairs.
    pub ratio: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// Pairs in which `of` was slower.
    pub slower: usize,
    /// Pairs in all.
    pub pairs: usize,
    /// The null control: the same ratio between two processes that hold the same backend. `null` where none was run.
    pub null: Option<f64>,
    /// The largest distance from 1 of a pair of the null control.
    pub null_spread: Option<f64>,
    /// Whether the two could be told apart.
    pub status: Status,
}

impl RatioRow {
    /// The backend that was faster, where they could be told apart.
    #[must_use]
    pub fn faster(&self) -> Option<&str> {
        match self.status {
            Status::Different if self.ratio > 1.0 => Some(&self.over),
            Status::Different => Some(&self.of),
            Status::Same | Status::Undecided => None,
        }
    }
}

/// Whether an interval and its null control tell two apart.
#[must_use]
pub fn status(ratio: &Interval, null: Option<f64>) -> Status {
    match null {
        Some(null) if (null - 1.0).abs() <= NULL_LIMIT => {
            if ratio.holds(1.0) {
                Status::Same
            } else {
                Status::Different
            }
        }
        _ => Status::Undecided,
    }
}

/// Which backend to take for a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The workload, as in [`Row`].
    pub workload: String,
    /// The backend; `null` where the figures do not say.
    pub backend: Option<String>,
    /// Why, in one sentence.
    pub reason: String,
}

/// Where and under which circumstances a run was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The version of this program.
    pub version: String,
    /// SHA-256 of this program's file.
    pub build: String,
    /// The machine.
    pub machine: Machine,
    /// What the clock costs.
    pub clock: Option<ClockCost>,
    /// The processor that the workers stayed on.
    pub cpu: Option<usize>,
    /// Why they did not; intervals were then widened.
    pub unpinned: Option<String>,
    /// How busy the machine was during the run.
    pub load: Option<Load>,
    /// Seconds that the run took.
    pub seconds: f64,
}

/// The JSON document of `compare`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareRecord {
    /// [`COMPARE_SCHEMA`].
    pub schema: String,
    /// What the figures may be used for.
    pub class: Class,
    /// The seed of everything that is random.
    pub seed: u64,
    /// The hash of every ring.
    pub hash: String,
    /// The keys, one entry a corpus.
    pub corpora: Vec<CorpusInfo>,
    /// The figures of each backend.
    pub rows: Vec<Row>,
    /// What the changes move.
    pub remap: Vec<Remap>,
    /// Which backend to take, one entry a workload.
    pub verdicts: Vec<Verdict>,
    /// The backends set against each other.
    pub ratios: Vec<RatioRow>,
    /// The circumstances.
    pub environment: Environment,
    /// What the reader must know before believing the figures.
    pub warnings: Vec<String>,
}

/// One timed pass of one worker in one phase, as it was measured: raw whole numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// As in [`Row`], and so for the next five.
    pub workload: String,
    /// See [`Row`].
    pub nodes: usize,
    /// See [`Row`].
    pub vnodes: u32,
    /// See [`Row`].
    pub experiment: String,
    /// See [`Row`].
    pub operation: String,
    /// See [`Row`].
    pub regime: String,
    /// `main` where the two workers hold different backends, `null` where they hold the same.
    pub control: String,
    /// The sitting, from 0.
    pub sitting: usize,
    /// The process pair, from 0, within workload and control.
    pub pair: usize,
    /// The sample pair, from 0, within process pair and operation.
    pub sample: usize,
    /// The worker of the pair: 0 or 1.
    pub worker: usize,
    /// Whether this worker went first in the sample pair.
    pub first: bool,
    /// The backend that it held.
    pub backend: String,
    /// Operations.
    pub count: u64,
    /// Nanoseconds of all of them, clock readings included.
    pub elapsed_ns: u64,
    /// Clock readings in `elapsed_ns`.
    pub readings: u64,
    /// Checksum over the answers of the sample.
    pub checksum: u64,
    /// Tokens of the ring that this worker held.
    pub tokens: u64,
    /// What a clock reading costs in this process pair, in nanoseconds.
    pub read_ns: f64,
    /// The nanoseconds of each operation, where they are timed one by one.
    pub each_ns: Vec<u64>,
}

/// A figure that owes nothing to a clock, as a row of `exact.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactFigure {
    /// Which experiment, such as `remap`.
    pub experiment: String,
    /// Which ring and which change.
    pub case: String,
    /// What was counted or computed.
    pub measure: String,
    /// Its value: a whole number, or the shortest digits that read back as the same number.
    pub value: String,
}

impl ExactFigure {
    /// A figure.
    pub fn new(
        experiment: &str,
        case: impl Into<String>,
        measure: &str,
        value: impl std::fmt::Display,
    ) -> Self {
        Self {
            experiment: experiment.to_owned(),
            case: case.into(),
            measure: measure.to_owned(),
            value: value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_undecided_without_a_good_null_control() {
        let ratio = |low, high| Interval { median: 2.0, low, high, coverage: 0.97 };
        assert_eq!(status(&ratio(1.9, 2.1), Some(1.01)), Status::Different);
        assert_eq!(status(&ratio(0.9, 2.1), Some(0.96)), Status::Same);
        assert_eq!(status(&ratio(1.9, 2.1), Some(1.06)), Status::Undecided);
        assert_eq!(status(&ratio(1.9, 2.1), Some(0.94)), Status::Undecided);
        assert_eq!(status(&ratio(1.9, 2.1), None), Status::Undecided);
    }
}
