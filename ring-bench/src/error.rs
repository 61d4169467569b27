//! The one error of the command, and the exit code that belongs to each kind.

use std::fmt;

/// Why a command stopped. Every kind carries a sentence for the user and has an exit code of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BenchError {
    /// The work failed: a file could not be written, a worker died, a figure did not verify. Exit code 1.
    Failed(String),
    /// Usage or input is wrong. Exit code 2.
    Usage(String),
    /// A build is slower than the one it was compared with. Exit code 3.
    Regressed(String),
    /// The machine was too noisy for an answer. Exit code 4.
    Inconclusive(String),
    /// Two subjects that must agree gave different answers. Exit code 5.
    AnswersDiffer(String),
    /// Whoever read standard output has closed it: the command ends quietly, with exit code 0 and without a message.
    PipeClosed,
}

impl BenchError {
    /// A failure of the work itself (exit code 1).
    pub fn failed(sentence: impl Into<String>) -> Self {
        Self::Failed(sentence.into())
    }

    /// Wrong usage or input (exit code 2).
    pub fn usage(sentence: impl Into<String>) -> Self {
        Self::Usage(sentence.into())
    }

    /// The process exit code of this kind of error.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::Regressed(_) => 3,
            Self::Inconclusive(_) => 4,
            Self::AnswersDiffer(_) => 5,
            Self::PipeClosed => 0,
        }
    }

    /// The same kind of error with `place` put before its sentence.
    #[must_use]
    pub fn at(self, place: &str) -> Self {
        let put = |sentence: String| format!("{place}: {sentence}");
        match self {
            Self::Failed(s) => Self::Failed(put(s)),
            Self::Usage(s) => Self::Usage(put(s)),
            Self::Regressed(s) => Self::Regressed(put(s)),
            Self::Inconclusive(s) => Self::Inconclusive(put(s)),
            Self::AnswersDiffer(s) => Self::AnswersDiffer(put(s)),
            Self::PipeClosed => Self::PipeClosed,
        }
    }
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(s)
            | Self::Usage(s)
            | Self::Regressed(s)
            | Self::Inconclusive(s)
            | Self::AnswersDiffer(s) => f.write_str(s),
            Self::PipeClosed => f.write_str("the reader of standard output has gone"),
        }
    }
}

impl std::error::Error for BenchError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_exit_code() {
        let kinds = [
            BenchError::Failed(String::new()),
            BenchError::Usage(String::new()),
            BenchError::Regressed(String::new()),
            BenchError::Inconclusive(String::new()),
            BenchError::AnswersDiffer(String::new()),
        ];
        let codes: Vec<u8> = kinds.iter().map(BenchError::exit_code).collect();
        assert_eq!(codes, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn at_keeps_the_kind_and_names_the_place() {
        let error = BenchError::usage("weight 0 is not allowed").at("ring.json");
        assert_eq!(error.exit_code(), 2);
        assert_eq!(error.to_string(), "ring.json: weight 0 is not allowed");
    }
}
