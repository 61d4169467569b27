//! What the gate times: the list of benchmarks, and the rings they run on.

use crate::error::BenchError;
use crate::lockstep::protocol::SubjectSpec;
use crate::machine::Machine;
use crate::routine::{Regime, Routine};
use crate::subject::BACKENDS;
use crate::workload::ChangeKind;

/// Tokens of a node in every ring of the gate.
pub const VNODES: u32 = 100;

/// The seed of keys, weights and changes. It stays, so that two builds of different days hold the same.
const SEED: u64 = 42;

/// The rings, in nodes, and what is timed on each.
const RINGS: [(usize, &[Routine]); 3] = [
    (10, &[Routine::Get]),
    (
        100,
        &[
            Routine::Get,
            Routine::GetBatch,
            Routine::Replicas,
            Routine::Change(ChangeKind::Node, Regime::Exclusive),
            Routine::Change(ChangeKind::Weight, Regime::Exclusive),
            Routine::Change(ChangeKind::Batch, Regime::Exclusive),
            Routine::Build,
            Routine::Diff,
            Routine::Load,
        ],
    ),
    (1000, &[Routine::Get]),
];

/// A ring of one backend, with what is timed on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// The backend.
    pub backend: &'static str,
    /// Nodes; each has [`VNODES`] tokens.
    pub nodes: usize,
    /// What is timed.
    pub routines: Vec<Routine>,
}

impl Configuration {
    /// Whether the ring is too large for a second-level cache of `l2_bytes`.
    ///
    /// A token takes at most 20 bytes in the vector and 39 in the tree.
    #[must_use]
    pub fn is_beyond(&self, l2_bytes: u64) -> bool {
        let token_bytes = if self.backend == "btree" { 39 } else { 20 };
        (self.nodes as u64).saturating_mul(u64::from(VNODES) * token_bytes) > l2_bytes
    }
}

/// One benchmark: a phase of a routine on a ring of a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Benchmark {
    /// Its name, such as `get/100x100`: the same for both backends.
    pub name: String,
    /// The backend.
    pub backend: &'static str,
    /// Which of the suite's configurations.
    pub configuration: usize,
    /// The routine that it is a phase of.
    pub routine: Routine,
    /// Which of its phases.
    pub phase: usize,
    /// Whether the ring fits the second-level cache. The gate judges the others by a wider threshold.
    pub fits_l2: bool,
}

/// All benchmarks of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// The rings.
    pub configurations: Vec<Configuration>,
    /// The benchmarks, ring by ring.
    pub benchmarks: Vec<Benchmark>,
    keys: Option<usize>,
}

/// The second-level cache of a machine that does not tell.
const USUAL_L2: u64 = 1 << 20;

impl Suite {
    /// The benchmarks whose `backend/name` contains one of `only`; all of them where `only` is empty.
    ///
    /// `keys` is the number of keys; absent for the corpus's own, which is what figures should stand on.
    ///
    /// # Errors
    ///
    /// A usage error where an entry of `only` names no benchmark.
    pub fn new(only: &[String], keys: Option<usize>) -> Result<Self, BenchError> {
        let l2 = Machine::read().cache_bytes(2).unwrap_or(USUAL_L2);
        let mut suite = Self { configurations: Vec::new(), benchmarks: Vec::new(), keys };
        let mut found = vec![false; only.len()];
        for (nodes, routines) in RINGS {
            for backend in BACKENDS {
                let mut configuration = Configuration { backend, nodes, routines: Vec::new() };
                let at = suite.configurations.len();
                for &routine in routines {
                    let before = suite.benchmarks.len();
                    for (phase, named) in routine.phases().iter().enumerate() {
                        let name = format!("{}/{nodes}x{VNODES}", named.operation);
                        let whole = format!("{backend}/{name}");
                        let mut wanted = only.is_empty();
                        for (found, word) in found.iter_mut().zip(only) {
                            if whole.contains(word.as_str()) {
                                (*found, wanted) = (true, true);
                            }
                        }
                        if wanted {
                            let fits_l2 = !configuration.is_beyond(l2);
                            suite.benchmarks.push(Benchmark {
                                name,
                                backend,
                                configuration: at,
                                routine,
                                phase,
                                fits_l2,
                            });
                        }
                    }
                    if suite.benchmarks.len() > before {
                        configuration.routines.push(routine);
                    }
                }
                if !configuration.routines.is_empty() {
                    suite.configurations.push(configuration);
                }
            }
        }
        match found.iter().position(|found| !found) {
            Some(at) => Err(BenchError::usage(format!(
                "--only {}: no benchmark is named so; `gate --list` names them all",
                only[at]
            ))),
            None => Ok(suite),
        }
    }

    /// What both workers of a pair hold in this configuration.
    #[must_use]
    pub fn spec(&self, configuration: &Configuration) -> SubjectSpec {
        SubjectSpec {
            contender: configuration.backend.to_owned(),
            hash: "fnv1a64-fmix64".to_owned(),
            nodes: configuration.nodes,
            vnodes: VNODES,
            max_weight: 1,
            corpus: "uniform(16)".to_owned(),
            keys: self.keys,
            seed: SEED,
        }
    }

    /// The benchmarks of one routine in one configuration, with their places in the suite.
    pub fn of(
        &self,
        configuration: usize,
        routine: Routine,
    ) -> impl Iterator<Item = (usize, &Benchmark)> {
        self.benchmarks
            .iter()
            .enumerate()
            .filter(move |(_, b)| b.configuration == configuration && b.routine == routine)
    }

    /// A line a benchmark: backend, name, and whether its ring fits the second-level cache here.
    #[must_use]
    pub fn list(&self) -> String {
        let line = |b: &Benchmark| {
            let note = if b.fits_l2 { "" } else { "\tbeyond the second-level cache" };
            format!("{}/{}{note}\n", b.backend, b.name)
        };
        self.benchmarks.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_backends_run_the_same_benchmarks_and_at_least_a_dozen() {
        let suite = Suite::new(&[], None).unwrap();
        let of = |backend| {
            let own = suite.benchmarks.iter().filter(move |b| b.backend == backend);
            own.map(|b| b.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(of("sortedvec"), of("btree"));
        let names = of("btree");
        assert!(names.len() >= 12, "{names:?}");
        for name in [
            "get/10x100",
            "get/100x100",
            "get/1000x100",
            "replicas-3/100x100",
            "get-batch/100x100",
            "add/100x100",
            "remove/100x100",
            "raise-weight/100x100",
            "add-10/100x100",
            "build/100x100",
            "diff/100x100",
            "load-snapshot/100x100",
        ] {
            assert!(names.iter().any(|n| n == name), "{name} is missing");
        }
    }

    #[test]
    fn a_selection_keeps_only_the_rings_it_needs() {
        let suite = Suite::new(&["btree/add/".to_owned()], Some(10)).unwrap();
        assert_eq!(suite.benchmarks.len(), 1);
        assert_eq!(suite.configurations.len(), 1);
        assert_eq!(suite.benchmarks[0].configuration, 0);
        let routine = Routine::Change(ChangeKind::Node, Regime::Exclusive);
        assert_eq!(suite.configurations[0].routines, [routine]);
        assert_eq!(suite.of(0, routine).count(), 1);
        assert_eq!(suite.spec(&suite.configurations[0]).keys, Some(10));
        assert_eq!(suite.list(), "btree/add/100x100\n");

        let error = Suite::new(&["get".to_owned(), "skip".to_owned()], None).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("--only skip"), "{error}");
    }

    #[test]
    fn rings_are_told_apart_by_the_cache_they_need() {
        let ring = |backend, nodes| Configuration { backend, nodes, routines: Vec::new() };
        assert!(!ring("btree", 100).is_beyond(1 << 20));
        assert!(!ring("sortedvec", 100).is_beyond(1 << 20));
        assert!(ring("btree", 1000).is_beyond(1 << 20));
        assert!(ring("sortedvec", 1000).is_beyond(1 << 20));
    }
}
