//! Who is set against whom.

use super::{Effort, growth};
use crate::lockstep::protocol::SubjectSpec;
use crate::peers::list::{self, CONFIGURATIONS, Configuration, Kind};
use crate::peers::{Changes, list as names};
use crate::routine::{Regime, Routine};
use crate::workload::ChangeKind;

/// Tokens of a node, everywhere.
pub(super) const VNODES: u32 = 100;

/// One node joins, and leaves.
pub(super) const NODE: Routine = Routine::Change(ChangeKind::Node, Regime::Exclusive);
/// Ten nodes join, and leave.
pub(super) const TEN: Routine = Routine::Change(ChangeKind::Batch, Regime::Exclusive);

/// What a worker holds, but for the size of the ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contender {
    /// Its name, with a parameter where it has one.
    pub(super) name: String,
    /// The name of its hash.
    pub(super) hash: &'static str,
}

impl Contender {
    pub(super) fn new(name: &str, hash: &'static str) -> Self {
        Self { name: name.to_owned(), hash }
    }

    /// Our ring on a vector.
    pub(super) fn vector(hash: &'static str) -> Self {
        Self::new(names::SORTED_VEC_RING, hash)
    }

    /// Our ring on a tree.
    pub(super) fn tree(hash: &'static str) -> Self {
        Self::new(names::BTREE_RING, hash)
    }

    pub(super) fn of(configuration: &Configuration) -> Self {
        Self::new(configuration.contender, configuration.hash)
    }

    /// Name and hash, as results show them; of those that read, the bytes that they read from.
    pub(super) fn label(&self) -> String {
        match list::parameter(&self.name) {
            Ok(0) | Err(_) => format!("{} ({})", self.name, self.hash),
            Ok(bytes) => format!("{} in {bytes} bytes", list::bare(&self.name)),
        }
    }

    /// Whether two processes place keys alike. A shipped hash may be keyed by the process.
    pub(super) fn is_deterministic(&self) -> bool {
        self.hash != names::SHIPPED
    }

    pub(super) fn spec(&self, nodes: usize, keys: Option<usize>, seed: u64) -> SubjectSpec {
        SubjectSpec {
            contender: self.name.clone(),
            hash: self.hash.to_owned(),
            nodes,
            vnodes: VNODES,
            max_weight: 1,
            corpus: "uniform(16)".to_owned(),
            keys,
            seed,
        }
    }
}

/// Two contenders that are measured in turn. The ratio is the second's time over the first's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) pair: [Contender; 2],
    pub(super) nodes: usize,
    pub(super) routines: Vec<Routine>,
    pub(super) pairs: usize,
}

/// Comparisons, each pair of contenders at each size once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Comparisons(pub(super) Vec<Comparison>);

impl Comparisons {
    /// Asks for `pairs` process pairs of `own` and `rival` doing `routines`.
    pub(super) fn add(
        &mut self,
        own: &Contender,
        rival: &Contender,
        nodes: usize,
        routines: &[Routine],
        pairs: usize,
    ) {
        let pair = [own.clone(), rival.clone()];
        let known = self.0.iter_mut().find(|known| known.pair == pair && known.nodes == nodes);
        if let Some(known) = known {
            let more = routines.iter().filter(|routine| !known.routines.contains(routine));
            let more: Vec<Routine> = more.copied().collect();
            known.routines.extend(more);
            known.pairs = known.pairs.max(pairs);
        } else {
            self.0.push(Comparison { pair, nodes, routines: routines.to_vec(), pairs });
        }
    }

    /// The same with a null control of each.
    pub(super) fn controlled(
        &mut self,
        own: &Contender,
        rival: &Contender,
        nodes: usize,
        routines: &[Routine],
        effort: &Effort,
    ) {
        self.add(own, rival, nodes, routines, effort.pairs);
        self.add(own, own, nodes, routines, effort.null_pairs);
        self.add(rival, rival, nodes, routines, effort.null_pairs);
    }
}

/// The configurations that stand in the table.
pub(super) fn table() -> impl Iterator<Item = &'static Configuration> {
    CONFIGURATIONS.iter().filter(|configuration| configuration.kind != Kind::Special)
}

/// The ring of ours that a configuration of the table is set against: of the same hash where it has one of ours.
fn partner(configuration: &Configuration) -> Contender {
    Contender::vector(match configuration.hash {
        names::SHIPPED => names::DEFAULT,
        hash => hash,
    })
}

/// Whether the table shows what changes of this configuration cost. An algorithm's changes hash next to nothing, so one
/// hash is enough.
fn shows_changes(configuration: &Configuration) -> bool {
    configuration.changes != Changes::None
        && (configuration.kind != Kind::Algorithm || configuration.hash == names::SHIPPED)
}

/// The table: everyone's lookups at each size, and what changes and builds cost at the largest.
pub(super) fn survey(effort: &Effort) -> Comparisons {
    let mut plan = Comparisons::default();
    for configuration in table() {
        let (own, rival) = (partner(configuration), Contender::of(configuration));
        for nodes in effort.table {
            plan.add(&own, &rival, nodes, &[Routine::Get], effort.survey_pairs);
        }
        if shows_changes(configuration) {
            let routines = [NODE, Routine::Build];
            plan.add(&own, &rival, effort.large(), &routines, effort.survey_pairs);
        }
    }
    for hash in [names::DEFAULT, names::XXH3] {
        let own = Contender::vector(hash);
        for nodes in effort.table {
            plan.add(&own, &own, nodes, &[Routine::Get], effort.null_pairs);
        }
    }
    plan
}

/// The comparisons whose rivals are known beforehand. `footprint` says how many bytes our ring of so many nodes takes.
pub(super) fn fixed(effort: &Effort, footprint: impl Fn(usize) -> usize) -> Comparisons {
    let mut plan = Comparisons::default();
    growth::plan(&mut plan, effort, &footprint);
    let own = Contender::vector(names::DEFAULT);
    let [_, middle, large] = effort.table;
    for nodes in [middle, large] {
        for name in [names::JUMPHASH, names::ANCHORHASH, names::ANCHORHASH_ROOMY, names::MAGLEV] {
            let rival = Contender::new(name, names::SHIPPED);
            plan.controlled(&own, &rival, nodes, &[Routine::Get], effort);
        }
    }
    for &nodes in effort.sizes {
        let two = two_reads(footprint(nodes));
        plan.controlled(&own, &two, nodes, &[Routine::Search, Routine::SearchChain], effort);
    }
    for nodes in effort.middling() {
        let (tree, map) =
            (Contender::tree(names::DEFAULT), Contender::new(names::BTREE_MAP, names::DEFAULT));
        plan.controlled(&tree, &map, nodes, &[Routine::Search], effort);
        let batched = Contender::new(names::BATCHED, names::DEFAULT);
        plan.controlled(&batched, &own, nodes, &[Routine::Get], effort);
        let (arc, plain) =
            (Contender::vector(names::ONE_ARC), Contender::new(names::SORTED_VEC, names::ONE_ARC));
        plan.controlled(&arc, &plain, nodes, &[Routine::Search], effort);
    }
    for (own, rival) in [
        (own.clone(), Contender::new(names::HASHRING, names::SHIPPED)),
        (Contender::vector(names::XXH3), Contender::new(names::HASHRING, names::XXH3)),
    ] {
        plan.controlled(&own, &rival, large, &[NODE], effort);
    }
    let singly = Contender::new(names::SINGLY, names::DEFAULT);
    let hashring = Contender::new(names::HASHRING, names::SHIPPED);
    plan.controlled(&own, &singly, large, &[TEN], effort);
    plan.controlled(&own, &hashring, large, &[TEN], effort);
    let hashring_singly = Contender::new(names::HASHRING_SINGLY, names::SHIPPED);
    plan.controlled(&singly, &hashring_singly, effort.grown(), &[Routine::Build], effort);
    for name in [names::READER, names::GUARD, names::LOCKED] {
        let shared = Contender::new(name, names::DEFAULT);
        plan.controlled(&own, &shared, middle, &[Routine::Get], effort);
    }
    plan
}

pub(super) fn one_read(bytes: usize) -> Contender {
    Contender::new(&list::with_parameter(names::ONE_READ, bytes), names::DEFAULT)
}

pub(super) fn two_reads(bytes: usize) -> Contender {
    Contender::new(&list::with_parameter(names::TWO_READS, bytes), names::DEFAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_comparison_is_between_what_exists_and_can_do_it() {
        for effort in [Effort::full(), Effort::quick()] {
            let plans = [survey(&effort), fixed(&effort, |nodes| nodes * 1800)];
            for comparison in plans.iter().flat_map(|plan| &plan.0) {
                for contender in &comparison.pair {
                    let known = list::find(&contender.name, contender.hash);
                    let known = known.unwrap_or_else(|| panic!("{}", contender.label()));
                    for routine in &comparison.routines {
                        if matches!(routine, Routine::Change(..)) {
                            assert_ne!(known.changes, Changes::None, "{}", contender.label());
                        }
                    }
                }
                assert!(comparison.pairs > 0 && !comparison.routines.is_empty());
            }
        }
    }

    #[test]
    fn a_pair_is_visited_for_all_its_routines_at_once() {
        let mut plan = Comparisons::default();
        let (a, b) = (Contender::vector(names::DEFAULT), Contender::tree(names::DEFAULT));
        plan.add(&a, &b, 10, &[Routine::Get], 3);
        plan.add(&a, &b, 10, &[Routine::Get, Routine::Build], 6);
        plan.add(&a, &b, 100, &[Routine::Get], 3);
        assert_eq!(plan.0.len(), 2);
        assert_eq!(plan.0[0].routines, [Routine::Get, Routine::Build]);
        assert_eq!(plan.0[0].pairs, 6);
    }

    #[test]
    fn the_table_shows_each_configuration_at_each_size() {
        let plan = survey(&Effort::full());
        for configuration in table() {
            for nodes in Effort::full().table {
                let contender = Contender::of(configuration);
                assert!(plan.0.iter().any(|c| c.nodes == nodes && c.pair[1] == contender));
            }
        }
    }
}
