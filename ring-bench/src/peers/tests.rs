//! Every configuration, checked the way it is before it is timed, and timed once for its answers' sake.

use std::collections::BTreeSet;

use super::list::{self, CONFIGURATIONS, Configuration, Kind};
use super::own::Own;
use super::*;
use crate::routine::{Regime, Routine};
use crate::subject::Step;
use crate::workload::ChangeKind;

fn spec(configuration: &Configuration, nodes: usize) -> SubjectSpec {
    SubjectSpec {
        contender: configuration.contender.to_owned(),
        hash: configuration.hash.to_owned(),
        nodes,
        vnodes: 20,
        max_weight: 1,
        corpus: "uniform(16)".to_owned(),
        keys: Some(2_000),
        seed: 5,
    }
}

#[test]
fn every_configuration_passes_its_checks() {
    for configuration in CONFIGURATIONS {
        for nodes in [1, 12] {
            let counted = (configuration.check)(&spec(configuration, nodes));
            let counted = counted.unwrap_or_else(|e| panic!("{nodes} nodes: {e}"));
            if let Some(memory) = counted
                && matches!(configuration.kind, Kind::Own | Kind::Ring)
            {
                assert!(memory.tokens >= 20, "{}", configuration.contender);
            }
        }
    }
}

#[test]
fn no_two_configurations_have_the_same_name_and_none_is_a_backend() {
    let names: BTreeSet<(&str, &str)> =
        CONFIGURATIONS.iter().map(|c| (c.contender, c.hash)).collect();
    assert_eq!(names.len(), CONFIGURATIONS.len());
    for backend in crate::subject::BACKENDS {
        assert!(CONFIGURATIONS.iter().all(|c| c.contender != backend));
    }
}

#[test]
fn packages_are_named_with_the_version_that_is_built() {
    let lock = include_str!("../../../Cargo.lock");
    for configuration in CONFIGURATIONS.iter().filter(|c| !c.package.is_empty()) {
        let (name, version) = configuration.package.split_once(' ').unwrap();
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&entry), "{}", configuration.package);
    }
}

#[test]
fn every_routine_of_every_configuration_ends_where_it_began() {
    for configuration in CONFIGURATIONS {
        let mut subject = (configuration.subject)(&spec(configuration, 12)).unwrap();
        let mut routines = vec![Routine::Get, Routine::Build];
        if configuration.changes != Changes::None {
            routines.push(Routine::Change(ChangeKind::Node, Regime::Exclusive));
            routines.push(Routine::Change(ChangeKind::Batch, Regime::Exclusive));
        }
        let mut digests = BTreeSet::new();
        for routine in routines {
            subject.begin(routine).unwrap();
            for start in [0, 1_995, 3] {
                for phase in 0..routine.phases().len() {
                    let count = if routine.is_lookup() { 40 } else { 1 };
                    let step = Step { routine, phase, start, count };
                    subject.step(step).unwrap();
                    subject.settle(step);
                }
            }
            digests.insert(subject.end(routine).unwrap());
        }
        assert_eq!(digests.len(), 1, "{} ({})", configuration.contender, configuration.hash);
    }
}

#[test]
fn a_change_is_seen_while_it_lasts() {
    for configuration in CONFIGURATIONS.iter().filter(|c| c.changes != Changes::None) {
        let mut subject = (configuration.subject)(&spec(configuration, 3)).unwrap();
        for kind in [ChangeKind::Node, ChangeKind::Batch] {
            let routine = Routine::Change(kind, Regime::Exclusive);
            subject.begin(routine).unwrap();
            let mut seen = BTreeSet::new();
            for start in 0..40 {
                let digests = [0, 1].map(|phase| {
                    let step = Step { routine, phase, start, count: 1 };
                    subject.step(step).unwrap();
                    subject.settle(step)
                });
                seen.insert(digests[0] == digests[1]);
            }
            assert!(seen.contains(&false), "{} ({})", configuration.contender, configuration.hash);
            subject.end(routine);
        }
    }
}

#[test]
fn what_a_configuration_has_no_part_in_is_refused() {
    let find = |name| CONFIGURATIONS.iter().find(|c| c.contender == name).unwrap();
    let begin = |name, routine| {
        (find(name).subject)(&spec(find(name), 3)).unwrap().begin(routine).unwrap_err()
    };
    let change = Routine::Change(ChangeKind::Node, Regime::Exclusive);
    assert!(begin(list::JUMPHASH, change).to_string().contains("no part in node-exclusive"));
    assert_eq!(begin(list::HASHRING, Routine::Search).exit_code(), 2);
    assert_eq!(begin(list::SORTED_VEC_RING, Routine::Diff).exit_code(), 2);

    let unknown = SubjectSpec { hash: "md5".to_owned(), ..spec(find(list::HASHRING), 3) };
    assert!(build(&unknown).err().unwrap().to_string().contains("md5"));
    let adversary = SubjectSpec { corpus: "one-arc".to_owned(), ..spec(find(list::HASHRING), 3) };
    assert!(build(&adversary).err().unwrap().to_string().contains("one-arc"));
    let bytes = SubjectSpec {
        contender: format!("{}/many", list::TWO_READS),
        ..spec(find(list::TWO_READS), 3)
    };
    assert!(build(&bytes).err().unwrap().to_string().contains("many"));
}

#[test]
fn kernels_place_keys_as_our_rings_do() {
    type Hash = ring_core::Xxh3;
    type Vector = Own<ring_sortedvec::SortedVecStore, Hash>;
    let cluster = cluster::Cluster::leaked(30, 20, 0);
    let own = Vector::build(cluster).unwrap();
    let tree = Own::<ring_btree::BTreeStore, Hash>::build(cluster).unwrap();
    let vec = sorted_vec::SortedVec::<Hash>::build(cluster).unwrap();
    let map = btree_map::PlainMap::<Hash>::build(cluster).unwrap();
    for i in 0..3_000 {
        let key: &'static str = Box::leak(format!("key {i}").into_boxed_str());
        let owner = own.owner(key).unwrap();
        assert_eq!(tree.owner(key), Some(owner));
        assert_eq!(vec.owner(key), Some(owner));
        assert_eq!(map.owner(key), Some(owner));
        assert_eq!(
            own.mark(key),
            own.search(Own::<ring_sortedvec::SortedVecStore, Hash>::hash(key))
        );
        assert_eq!(vec.mark(key), owner as u64);
    }
}

/// A contender that answers by a rule, to see the checks fail.
struct Faulty<const FAULT: u8> {
    nodes: usize,
    asked: std::cell::Cell<usize>,
}

impl<const FAULT: u8> Peer for Faulty<FAULT> {
    const CHANGES: Changes = Changes::InPlace;

    fn build(cluster: &'static cluster::Cluster) -> Result<Self, BenchError> {
        Ok(Self { nodes: cluster.nodes, asked: std::cell::Cell::new(0) })
    }

    fn mark(&self, _: &'static str) -> u64 {
        0
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.asked.set(self.asked.get() + 1);
        let hash = usize::try_from(key.bytes().fold(7_u64, |h, b| fold(h, u64::from(b)))).unwrap();
        match FAULT {
            // A key without a node.
            1 if hash % 50 == 0 => None,
            // A node that left long ago.
            2 if hash % 50 == 0 => Some(self.nodes + 1),
            // Another answer each time.
            3 => Some(self.asked.get() % 3),
            // All keys move.
            4 => Some(hash % self.nodes),
            // Nobody goes to the node that joined.
            5 => Some(hash % 5),
            _ if hash % 6 == 0 => Some(self.nodes - 1),
            _ => Some(hash % 5),
        }
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.nodes += spares.len();
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        // A node that leaves its keys behind.
        self.nodes -= if FAULT == 6 { 0 } else { spares.len() };
        Ok(())
    }
}

fn verdict<const FAULT: u8>() -> Result<(), String> {
    let cluster = cluster::Cluster::leaked(5, 20, 0);
    let keys: Vec<&'static str> =
        (0..4_000).map(|i| &*Box::leak(format!("{i}").into_boxed_str())).collect();
    check::owners(&mut Faulty::<FAULT>::build(cluster).unwrap(), cluster, &keys)
}

#[test]
fn the_checks_find_each_fault() {
    verdict::<0>().unwrap();
    for (found, word) in [
        (verdict::<1>(), "belongs to None"),
        (verdict::<2>(), "belongs to Some(6)"),
        (verdict::<3>(), "asked again"),
        (verdict::<4>(), "did not join"),
        (verdict::<5>(), "got no key"),
        (verdict::<6>(), "no node"),
    ] {
        let found = found.unwrap_err();
        assert!(found.contains(word), "{found}");
    }
}
