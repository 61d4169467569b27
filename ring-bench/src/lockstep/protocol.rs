//! What controller and worker say to each other: one JSON document a line, an answer for each question.
//!
//! The controller asks on the worker's standard input, the worker answers on its standard output. Nothing of it happens
//! while a clock runs. The worker ends at [`Ask::Quit`] or at the end of its input.
//!
//! The first exchange is [`Ask::Hello`]; two programs whose [`VERSION`] differs do not work together. A later version
//! may add questions; it must take a new number where it changes the meaning of one.

use serde::{Deserialize, Serialize};

use crate::corpus::{CorpusSpec, Keys};
use crate::error::BenchError;
use crate::experiments::pauses::{PausePlan, Pauses};
use crate::experiments::regimes::Passes;
use crate::gate::exact::Figure;
use crate::measure::ClockCost;
use crate::routine::Routine;
use crate::stats::real;
use crate::workload::{Membership, Weights};

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// The longest line that is read: what 2^20 single times need, with room to spare.
pub const MAX_LINE: u64 = 1 << 26;

/// What a worker is to hold. All of it is data, so that workers of other builds can hold the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectSpec {
    /// Who: `sortedvec`, `btree`, or the name of a peer.
    pub contender: String,
    /// The ring's hash, by the name that snapshots carry; a peer may have its own.
    pub hash: String,
    /// Nodes (N).
    pub nodes: usize,
    /// Tokens per unit of weight (V).
    pub vnodes: u32,
    /// The largest weight; 1 for equal weights, otherwise drawn from the seed.
    pub max_weight: u32,
    /// The corpus, by its name.
    pub corpus: String,
    /// Its keys; absent for the corpus's own number.
    pub keys: Option<usize>,
    /// The seed of corpus, weights and changes.
    pub seed: u64,
}

impl SubjectSpec {
    /// The membership that it names.
    #[must_use]
    pub fn membership(&self) -> Membership {
        let weights =
            if self.max_weight <= 1 { Weights::Equal } else { Weights::UpTo(self.max_weight) };
        Membership::new(self.nodes, self.vnodes, weights, self.seed)
    }

    /// The corpus that it names.
    ///
    /// # Errors
    ///
    /// A usage error for a name that is none.
    pub fn corpus(&self) -> Result<CorpusSpec, BenchError> {
        Ok(CorpusSpec { keys: self.corpus.parse::<Keys>()?, count: self.keys, seed: self.seed })
    }
}

/// A question to a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// Who are you? Answered by [`Answer::Hello`].
    Hello {
        /// The controller's [`VERSION`].
        protocol: u32,
    },
    /// Build this subject, on this processor. Answered by [`Answer::Prepared`].
    Prepare {
        /// What to hold.
        subject: SubjectSpec,
        /// Where to stay; absent to run anywhere.
        cpu: Option<usize>,
    },
    /// Get ready for a routine. Lookups: make this many untimed ones. Answered by [`Answer::Begun`].
    Begin {
        /// What will be timed.
        routine: Routine,
        /// Untimed lookups, before the first sample.
        warm: u64,
    },
    /// How many operations last this long? Answered by [`Answer::Calibrated`].
    Calibrate {
        /// The aim, in nanoseconds, for each phase.
        target_ns: u64,
    },
    /// One untimed pass, then one timed pass. Answered by [`Answer::Sampled`].
    Sample {
        /// The place in the corpus (or the number of the turn) where the untimed pass starts; the timed one follows it.
        start: u64,
        /// Operations of the untimed pass.
        warm: u64,
        /// Operations of the timed pass.
        count: u64,
    },
    /// The routine is over. Answered by [`Answer::Ended`].
    End,
    /// Count what the subject costs in memory. Answered by [`Answer::Counted`]. Not after [`Ask::Prepare`].
    Count {
        /// What to count.
        subject: SubjectSpec,
    },
    /// Look keys up while changes happen. Answered by [`Answer::Paused`].
    Pauses {
        /// Which changes, how many, and how often a lookup is due.
        plan: PausePlan,
    },
    /// Compute the figures that owe nothing to a clock. Answered by [`Answer::Exact`]. Not after [`Ask::Prepare`].
    Exact,
    /// Look keys up cold, warm, and after a rebuild. Answered by [`Answer::Passed`].
    Regimes {
        /// How many times.
        rounds: usize,
    },
    /// End. Not answered.
    Quit,
}

/// The times of one phase in one sample. Raw whole numbers: whatever is computed from them is computed elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhaseTimes {
    /// Nanoseconds between the first reading and the last, over all operations, clock readings included.
    pub elapsed_ns: u64,
    /// Clock readings in `elapsed_ns`.
    pub readings: u64,
    /// The nanoseconds of each operation, where they are timed one by one; otherwise empty.
    pub each_ns: Vec<u64>,
}

impl PhaseTimes {
    /// Nanoseconds of all operations, without the clock readings; `read_ns` is what one costs.
    ///
    /// Where an operation is so short that the readings seem to cost more than it took, a tenth of what was measured is
    /// kept: such a time means "too short to tell", and a ratio with a zero would mean nothing.
    #[must_use]
    pub fn net_ns(&self, read_ns: f64) -> f64 {
        let elapsed = real(self.elapsed_ns);
        (elapsed - real(self.readings) * read_ns).max(elapsed / 10.0)
    }
}

/// One sample: a timed pass.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Operations of the timed pass, in each phase.
    pub count: u64,
    /// The times, phase by phase.
    pub phases: Vec<PhaseTimes>,
    /// Checksum over the answers of both passes.
    pub checksum: u64,
}

/// What a subject costs in memory, by a counting allocator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryCount {
    /// Tokens of the ring; 0 where a contender cannot tell.
    pub tokens: u64,
    /// Live bytes of a ring built in one batch.
    pub bulk_bytes: u64,
    /// Live bytes of a ring built node by node.
    pub one_by_one_bytes: u64,
    /// All bytes that building in one batch asked for, those freed again on the way included.
    pub bulk_total_bytes: u64,
    /// Allocations in as many lookups as [`lookups`](Self::lookups) says, end to end.
    pub lookup_allocations: u64,
    /// Those lookups.
    pub lookups: u64,
}

/// An answer of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// To [`Ask::Hello`].
    Hello {
        /// The worker's [`VERSION`].
        protocol: u32,
        /// The version of its program.
        version: String,
        /// SHA-256 of its program file: two builds with the same one are one build.
        build: String,
    },
    /// To [`Ask::Prepare`].
    Prepared {
        /// Tokens of the ring; 0 where a contender cannot tell.
        tokens: u64,
        /// Keys of the corpus.
        keys: u64,
        /// A digest of the keys, equal where the keys are.
        keys_digest: u64,
        /// The ring's fingerprint, where it has one.
        fingerprint: Option<u64>,
        /// The processor it stays on, absent where it does not.
        cpu: Option<usize>,
        /// Why it does not.
        unpinned: Option<String>,
        /// What the clock costs there.
        clock: ClockCost,
    },
    /// To [`Ask::Begin`].
    Begun,
    /// To [`Ask::Calibrate`].
    Calibrated {
        /// Operations that last about as long as was asked for, in the shortest phase.
        count: u64,
        /// About how long one operation lasts, in nanoseconds, all phases together.
        operation_ns: u64,
    },
    /// To [`Ask::Sample`].
    Sampled(Sample),
    /// To [`Ask::End`].
    Ended {
        /// A digest of the subject's state, equal where two subjects went through the same changes.
        digest: Option<u64>,
    },
    /// To [`Ask::Count`]. Absent where the program was built without a counting allocator.
    Counted {
        /// The counts.
        memory: Option<MemoryCount>,
    },
    /// To [`Ask::Pauses`].
    Paused {
        /// For each lookup the nanoseconds from when it was due to its answer.
        pauses: Pauses,
    },
    /// To [`Ask::Exact`].
    Exact {
        /// The compiler and target that counts hold for.
        toolchain: String,
        /// The figures.
        figures: Vec<Figure>,
    },
    /// To [`Ask::Regimes`].
    Passed {
        /// The times of the passes.
        passes: Passes,
    },
    /// To anything that could not be done.
    Failed {
        /// The exit code of the error.
        code: u8,
        /// What went wrong.
        sentence: String,
    },
}

impl Answer {
    /// The answer that stands for an error.
    #[must_use]
    pub fn of_error(error: &BenchError) -> Self {
        Self::Failed { code: error.exit_code(), sentence: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_answers_are_one_line_each_and_come_back() {
        let ask = Ask::Sample { start: 5, warm: 2, count: u64::MAX };
        let line = serde_json::to_string(&ask).unwrap();
        assert_eq!(line, r#"{"ask":"sample","start":5,"warm":2,"count":18446744073709551615}"#);
        assert_eq!(serde_json::from_str::<Ask>(&line).unwrap(), ask);

        let sample = Sample {
            count: 3,
            phases: vec![PhaseTimes { elapsed_ns: 1, readings: 3, each_ns: vec![7, 8, 9] }],
            checksum: u64::MAX,
        };
        let answer = Answer::Sampled(sample);
        let line = serde_json::to_string(&answer).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Answer>(&line).unwrap(), answer);
    }

    #[test]
    fn a_question_with_an_unknown_field_is_refused() {
        assert!(
            serde_json::from_str::<Ask>(r#"{"ask":"calibrate","target_ns":1,"cpu":2}"#).is_err()
        );
        assert!(serde_json::from_str::<Ask>(r#"{"ask":"dance"}"#).is_err());
    }
}
