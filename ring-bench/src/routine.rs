//! The closed list of what can be timed.
//!
//! A [`Routine`] is what a worker repeats. It has one phase, or two where a change and its inverse are timed each by
//! itself. A phase is what results speak of: an experiment, an operation and a regime.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::BenchError;
use crate::mix::Mix;
use crate::workload::{BATCH, ChangeKind};

/// Nodes that the replica routine asks for.
pub const REPLICAS: usize = 3;

/// Who else may look at the ring while it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Regime {
    /// Nobody: the change is made in place, through `&mut`.
    Exclusive,
    /// Readers: the change is made to a copy, which is then published (`SharedRing`).
    Published,
}

/// Something that a worker repeats and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Routine {
    /// Owners of hashes that are given; independent lookups, which overlap.
    Search,
    /// The same, where each lookup needs the answer of the one before.
    SearchChain,
    /// Owners of keys: hash and search.
    Get,
    /// The same as a dependent chain.
    GetChain,
    /// Owners of many keys by one call.
    GetBatch,
    /// Owners of keys through a handle on a shared ring.
    GetShared,
    /// The first [`REPLICAS`] nodes of keys.
    Replicas,
    /// A change, and its inverse.
    Change(ChangeKind, Regime),
    /// The whole ring from its membership, as one batch.
    Build,
    /// What moves between the ring and the ring with one node more.
    Diff,
    /// The ring from its snapshot, fingerprint checked.
    Load,
    /// A change, its inverse, and lookups after each: a workload as `choose` meets it.
    Mix(Mix),
}

/// What a phase of a routine is called in results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Phase {
    /// `lookup` or `update`.
    pub experiment: &'static str,
    /// What is done.
    pub operation: &'static str,
    /// Under which circumstances.
    pub regime: &'static str,
}

impl Routine {
    /// All routines but [`Mix`](Self::Mix), which has parameters.
    pub const ALL: [Self; 16] = [
        Self::Search,
        Self::SearchChain,
        Self::Get,
        Self::GetChain,
        Self::GetBatch,
        Self::GetShared,
        Self::Replicas,
        Self::Change(ChangeKind::Node, Regime::Exclusive),
        Self::Change(ChangeKind::Weight, Regime::Exclusive),
        Self::Change(ChangeKind::Batch, Regime::Exclusive),
        Self::Change(ChangeKind::Node, Regime::Published),
        Self::Change(ChangeKind::Weight, Regime::Published),
        Self::Change(ChangeKind::Batch, Regime::Published),
        Self::Build,
        Self::Diff,
        Self::Load,
    ];

    /// Its name, in the protocol and in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::SearchChain => "search-chain",
            Self::Get => "get",
            Self::GetChain => "get-chain",
            Self::GetBatch => "get-batch",
            Self::GetShared => "get-shared",
            Self::Replicas => "replicas",
            Self::Change(ChangeKind::Node, Regime::Exclusive) => "node-exclusive",
            Self::Change(ChangeKind::Node, Regime::Published) => "node-published",
            Self::Change(ChangeKind::Weight, Regime::Exclusive) => "weight-exclusive",
            Self::Change(ChangeKind::Weight, Regime::Published) => "weight-published",
            Self::Change(ChangeKind::Batch, Regime::Exclusive) => "batch-exclusive",
            Self::Change(ChangeKind::Batch, Regime::Published) => "batch-published",
            Self::Build => "build",
            Self::Diff => "diff",
            Self::Load => "load",
            Self::Mix(_) => "mix",
        }
    }

    /// Whether it looks keys up: many operations are then one pass, timed as a whole. Otherwise each operation lasts
    /// long enough to be timed by itself.
    #[must_use]
    pub fn is_lookup(self) -> bool {
        matches!(
            self,
            Self::Search
                | Self::SearchChain
                | Self::Get
                | Self::GetChain
                | Self::GetBatch
                | Self::GetShared
                | Self::Replicas
        )
    }

    /// What its phases are called, in the order in which they are timed.
    #[must_use]
    pub fn phases(self) -> &'static [Phase] {
        const fn lookup(operation: &'static str, regime: &'static str) -> Phase {
            Phase { experiment: "lookup", operation, regime }
        }
        const fn update(operation: &'static str, regime: &'static str) -> Phase {
            Phase { experiment: "update", operation, regime }
        }
        const EXCLUSIVE: &str = "exclusive";
        const PUBLISHED: &str = "published";
        const { assert!(BATCH == 10, "the names below say ten") };
        match self {
            Self::Search => const { &[lookup("search", "throughput")] },
            Self::SearchChain => const { &[lookup("search", "chain")] },
            Self::Get => const { &[lookup("get", "throughput")] },
            Self::GetChain => const { &[lookup("get", "chain")] },
            Self::GetBatch => const { &[lookup("get-batch", "throughput")] },
            Self::GetShared => const { &[lookup("get", "shared")] },
            Self::Replicas => const { &[lookup("replicas-3", "throughput")] },
            Self::Change(ChangeKind::Node, Regime::Exclusive) => {
                const { &[update("add", EXCLUSIVE), update("remove", EXCLUSIVE)] }
            }
            Self::Change(ChangeKind::Node, Regime::Published) => {
                const { &[update("add", PUBLISHED), update("remove", PUBLISHED)] }
            }
            Self::Change(ChangeKind::Weight, Regime::Exclusive) => {
                const { &[update("raise-weight", EXCLUSIVE), update("lower-weight", EXCLUSIVE)] }
            }
            Self::Change(ChangeKind::Weight, Regime::Published) => {
                const { &[update("raise-weight", PUBLISHED), update("lower-weight", PUBLISHED)] }
            }
            Self::Change(ChangeKind::Batch, Regime::Exclusive) => {
                const { &[update("add-10", EXCLUSIVE), update("remove-10", EXCLUSIVE)] }
            }
            Self::Change(ChangeKind::Batch, Regime::Published) => {
                const { &[update("add-10", PUBLISHED), update("remove-10", PUBLISHED)] }
            }
            Self::Build => const { &[update("build", "bulk")] },
            Self::Diff => const { &[update("diff", "bulk")] },
            Self::Load => const { &[update("load-snapshot", "bulk")] },
            Self::Mix(mix) => match mix.regime {
                Regime::Exclusive => {
                    const { &[update("mix", EXCLUSIVE), update("mix-inverse", EXCLUSIVE)] }
                }
                Regime::Published => {
                    const { &[update("mix", PUBLISHED), update("mix-inverse", PUBLISHED)] }
                }
            },
        }
    }
}

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mix(mix) => mix.fmt(f),
            _ => f.write_str(self.name()),
        }
    }
}

impl FromStr for Routine {
    type Err = BenchError;

    fn from_str(name: &str) -> Result<Self, BenchError> {
        if name.starts_with("mix:") {
            return name.parse().map(Self::Mix);
        }
        Self::ALL.into_iter().find(|routine| routine.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|routine| routine.name()).collect();
            BenchError::usage(format!("there is no routine {name}; there are {}", names.join(", ")))
        })
    }
}

impl Serialize for Routine {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Routine {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_routine_is_listed_once_and_found_by_its_name() {
        let names: BTreeSet<&str> = Routine::ALL.iter().map(|r| r.name()).collect();
        assert_eq!(names.len(), Routine::ALL.len());
        for routine in Routine::ALL {
            assert_eq!(routine.name().parse::<Routine>(), Ok(routine));
            let json = serde_json::to_string(&routine).unwrap();
            assert_eq!(serde_json::from_str::<Routine>(&json).unwrap(), routine);
        }
        assert!(
            "search ".parse::<Routine>().unwrap_err().to_string().contains("no routine search ")
        );
    }

    #[test]
    fn no_two_phases_have_the_same_name() {
        let phases: Vec<Phase> = Routine::ALL.iter().flat_map(|r| r.phases()).copied().collect();
        assert_eq!(phases.iter().collect::<BTreeSet<_>>().len(), phases.len());
    }
}
