//! What a run of the gate found: the JSON document `ring-gate/1`.

use serde::{Deserialize, Serialize};

use crate::gate::decide::Status;
use crate::machine::{Load, Machine};

/// The schema of [`GateRecord`].
pub const SCHEMA: &str = "ring-gate/1";

/// What a run of the gate ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing is slower, as far as can be told. Warnings may stand beside it.
    Pass,
    /// Something is slower, or a counted figure is worse. Exit code 3.
    Regressed,
    /// The machine was too noisy for an answer. Exit code 4.
    Inconclusive,
    /// The two builds place keys differently, or a build differs from what was recorded. Exit code 5.
    AnswersDiffer,
    /// There is nothing to compare with. Passes.
    NoBase,
}

impl Verdict {
    /// The exit code that belongs to it.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Pass | Self::NoBase => 0,
            Self::Regressed => 3,
            Self::Inconclusive => 4,
            Self::AnswersDiffer => 5,
        }
    }

    /// Its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Regressed => "regressed",
            Self::Inconclusive => "inconclusive",
            Self::AnswersDiffer => "answers-differ",
            Self::NoBase => "no-base",
        }
    }
}

/// One benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkRow {
    /// Its name.
    pub name: String,
    /// The backend.
    pub backend: String,
    /// Head over base, of the stage that decided.
    pub ratio: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// Process pairs in which the head was slower.
    pub slower: usize,
    /// Process pairs of that stage.
    pub pairs: usize,
    /// The stage that decided: 2 where the first one flagged it.
    pub stage: u8,
    /// Instructions, head over base; `null` where they were not counted.
    pub ir_ratio: Option<f64>,
    /// What became of it.
    pub status: Status,
    /// Above this ratio it warns.
    pub warn_above: f64,
    /// Above this ratio it fails.
    pub fail_above: f64,
    /// The median time of one operation of the base, in nanoseconds.
    pub base_ns: f64,
    /// The same of the head.
    pub head_ns: f64,
    /// Its null control: the copy of the base over the base, of the stage that decided.
    pub null_ratio: f64,
    /// The stage that decided on the null control.
    pub null_stage: u8,
    /// Whether the null control was called slower in both stages.
    pub null_tripped: bool,
    /// Whether the ring fits the second-level cache.
    pub fits_l2: bool,
}

/// One figure that owes nothing to a clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactRow {
    /// Its name.
    pub name: String,
    /// `placement` or `count`.
    pub kind: String,
    /// What the base says; `null` where it cannot tell.
    pub base: Option<String>,
    /// What the head says; `null` where it cannot tell.
    pub head: Option<String>,
    /// What the file says; `null` where it has no such figure, or one of another compiler.
    pub recorded: Option<String>,
    /// Whether all that are there agree.
    pub equal: bool,
    /// `equal`, `better`, `worse`, `accepted`, or `placement`.
    pub status: String,
}

/// An accepted change that was made use of, or might have been.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AcceptedRow {
    /// The benchmark, or the exact figure.
    pub benchmark: String,
    /// The backend; `null` for both.
    pub backend: Option<String>,
    /// Accepted up to this ratio.
    pub ratio: f64,
    /// Why.
    pub reason: String,
    /// The last day on which it counts.
    pub expires: String,
    /// Whether it has expired.
    pub expired: bool,
    /// Whether something was accepted by it in this run.
    pub used: bool,
}

/// A run of the gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateRecord {
    /// [`SCHEMA`].
    pub schema: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The exit code.
    pub exit: u8,
    /// Why, in one sentence.
    pub reason: String,
    /// What was compared with.
    pub base: String,
    /// What was compared.
    pub head: String,
    /// The spread of the null control; `null` where nothing was measured.
    pub null_spread: Option<f64>,
    /// The benchmarks.
    pub benchmarks: Vec<BenchmarkRow>,
    /// The figures that owe nothing to a clock.
    pub exact: Vec<ExactRow>,
    /// The accepted changes.
    pub accepted: Vec<AcceptedRow>,
    /// What the reader should know: what was skipped, what the gate cannot see here.
    pub notes: Vec<String>,
    /// The machine.
    pub machine: Machine,
    /// How busy it was while workers measured.
    pub load: Option<Load>,
    /// Seconds that the run took, builds left out.
    pub seconds: f64,
}

impl GateRecord {
    /// A record of a run that measured nothing yet.
    #[must_use]
    pub fn empty(verdict: Verdict, base: &str, head: &str, reason: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            verdict,
            exit: verdict.exit_code(),
            reason: reason.to_owned(),
            base: base.to_owned(),
            head: head.to_owned(),
            null_spread: None,
            benchmarks: Vec::new(),
            exact: Vec::new(),
            accepted: Vec::new(),
            notes: Vec::new(),
            machine: Machine::read(),
            load: None,
            seconds: 0.0,
        }
    }
}
