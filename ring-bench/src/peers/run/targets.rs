//! The targets: what was asked for, set against what was measured.

use super::plan::{Comparisons, Contender, NODE, TEN, VNODES, table, two_reads};
use super::results::{Figure, Results, What};
use super::{Counted, Effort, footprint};
use crate::peers::Changes;
use crate::peers::list::{self as names, Kind};
use crate::peers::record::{Bound, Outcome, TargetRow};
use crate::record::NULL_LIMIT;
use crate::routine::Routine;
use crate::stats::{Interval, real};

/// How many of the fastest peers go into the second stage. Two, since the first stage may take the wrong one of two that
/// are nearly equal; the faster one there counts.
const FASTEST: usize = 2;

/// The peers that are fastest in the table by the time of `what`, among those that `fits` picks.
fn fastest(results: &Results, what: What, fits: impl Fn(&Kin) -> bool) -> Vec<Contender> {
    let mut timed: Vec<(f64, Contender)> = table()
        .filter(|configuration| configuration.kind == Kind::Ring)
        .filter(|configuration| {
            fits(&Kin {
                shipped: configuration.hash == names::SHIPPED,
                in_place: configuration.changes == Changes::InPlace,
            })
        })
        .filter_map(|configuration| {
            let contender = Contender::of(configuration);
            Some((results.time(&contender, what)?.interval.median, contender))
        })
        .collect();
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    timed.into_iter().take(FASTEST).map(|(_, contender)| contender).collect()
}

/// What a ring of the table is like.
struct Kin {
    shipped: bool,
    in_place: bool,
}

/// Ours with the hash of the two categories of rivals: any configuration, and as it ships.
fn categories() -> [(Contender, bool); 2] {
    [(Contender::vector(names::XXH3), false), (Contender::vector(names::DEFAULT), true)]
}

/// The comparisons of the second stage.
pub(super) fn rivals(effort: &Effort, results: &Results) -> Comparisons {
    let mut plan = Comparisons::default();
    let large = effort.large();
    for (own, shipped) in categories() {
        for nodes in effort.table {
            let what = What::first(nodes, Routine::Get);
            for rival in fastest(results, what, |kin| kin.shipped || !shipped) {
                plan.controlled(&own, &rival, nodes, &[Routine::Get], effort);
            }
        }
        for rival in fastest(results, What::first(large, Routine::Build), |_| true) {
            plan.controlled(&own, &rival, large, &[Routine::Build], effort);
        }
    }
    for rival in in_place(results, large) {
        plan.controlled(&Contender::tree(names::XXH3), &rival, large, &[NODE], effort);
    }
    plan
}

/// The peers with XXH3 that update in place fastest, by what joining and leaving take.
fn in_place(results: &Results, large: usize) -> Vec<Contender> {
    let mut rivals = Vec::new();
    for what in [What::first(large, NODE), What::second(large, NODE)] {
        for rival in fastest(results, what, |kin| kin.in_place && !kin.shipped) {
            if !rivals.contains(&rival) {
                rivals.push(rival);
            }
        }
    }
    rivals
}

/// The rival of the second stage that leaves ours the smallest lead.
fn hardest(
    results: &Results,
    own: &Contender,
    rivals: Vec<Contender>,
    what: What,
) -> Option<Contender> {
    let lead =
        |rival: &Contender| results.ratio([own, rival], what).map(|(f, _)| f.interval.median);
    rivals
        .into_iter()
        .filter_map(|rival| Some((lead(&rival)?, rival)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, rival)| rival)
}

/// What is made of two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// How many times as long the rival takes.
    Lead,
    /// How many times as long ours takes.
    Cost,
    /// How many nanoseconds more the rival takes.
    RivalMore,
    /// How many nanoseconds more ours takes.
    OwnMore,
}

/// Builds the rows.
struct Sheet<'a> {
    results: &'a Results,
    counted: &'a [Counted],
    l2: Option<u64>,
    rows: Vec<TargetRow>,
}

impl Sheet<'_> {
    /// A row about times. Nothing where it was not measured.
    fn timed(
        &mut self,
        what: &str,
        pair: [&Contender; 2],
        place: What,
        measure: Measure,
        bound: Bound,
    ) {
        let figure = match measure {
            Measure::Lead => self.results.ratio(pair, place).map(|(figure, _)| figure),
            Measure::Cost => self.results.ratio(pair, place).map(|(f, _)| map(f, |r| 1.0 / r)),
            Measure::RivalMore => self.results.difference(pair, place),
            Measure::OwnMore => self.results.difference(pair, place).map(|f| map(f, |ns| -ns)),
        };
        let Some(figure) = figure else { return };
        let nulls =
            pair.map(|contender| self.results.null(contender, place).map(|n| n.interval.median));
        let bytes = footprint(self.counted, place.nodes) as u64;
        self.rows.push(TargetRow {
            what: what.to_owned(),
            own: pair[0].label(),
            rival: pair[1].label(),
            nodes: place.nodes,
            tokens: place.nodes as u64 * u64::from(VNODES),
            unit: match measure {
                Measure::Lead | Measure::Cost => "x",
                Measure::RivalMore | Measure::OwnMore => "ns",
            }
            .to_owned(),
            bound,
            measured: figure.interval.median,
            low: figure.interval.low,
            high: figure.interval.high,
            pairs: figure.pairs,
            nulls,
            beyond_l2: self.l2.is_some_and(|l2| bytes > l2),
            sitting_range: figure.range,
            outcome: outcome(bound, &figure.interval, nulls),
        });
    }

    /// A row about what was counted.
    fn counted(
        &mut self,
        what: &str,
        own: &Contender,
        nodes: usize,
        unit: &str,
        value: f64,
        bound: Bound,
    ) {
        let interval = Interval::exact(value);
        self.rows.push(TargetRow {
            what: what.to_owned(),
            own: own.label(),
            rival: String::new(),
            nodes,
            tokens: nodes as u64 * u64::from(VNODES),
            unit: unit.to_owned(),
            bound,
            measured: value,
            low: value,
            high: value,
            pairs: 0,
            nulls: [None, None],
            beyond_l2: false,
            sitting_range: None,
            outcome: outcome(bound, &interval, [Some(1.0), Some(1.0)]),
        });
    }
}

fn map(figure: Figure, f: impl Fn(f64) -> f64 + Copy) -> Figure {
    let range = figure.range.map(|[least, most]| {
        let (one, other) = (f(least), f(most));
        [one.min(other), one.max(other)]
    });
    Figure { interval: figure.interval.map(f), range, ..figure }
}

/// Whether the interval keeps within the bound, where the null controls allow to say so.
fn outcome(bound: Bound, interval: &Interval, nulls: [Option<f64>; 2]) -> Outcome {
    let (within, outside) = match bound {
        Bound::None => return Outcome::Informative,
        Bound::AtLeast(least) => (interval.low >= least, interval.high < least),
        Bound::AtMost(most) => (interval.high <= most, interval.low > most),
    };
    let steady = |null: Option<f64>| null.is_some_and(|null| (null - 1.0).abs() <= NULL_LIMIT);
    match (within, outside) {
        _ if !nulls.into_iter().all(steady) => Outcome::Undecided,
        (true, _) => Outcome::Met,
        (_, true) => Outcome::Missed,
        _ => Outcome::Undecided,
    }
}

/// All targets in the order in which they were asked for, and beside them what else the run says about each.
pub(super) fn rows(
    effort: &Effort,
    results: &Results,
    counted: &[Counted],
    l2: Option<u64>,
) -> Vec<TargetRow> {
    let mut sheet = Sheet { results, counted, l2, rows: Vec::new() };
    lookups(&mut sheet, effort);
    searches(&mut sheet, effort);
    updates(&mut sheet, effort);
    memory(&mut sheet, effort.large());
    calls(&mut sheet, effort);
    allocations(&mut sheet, effort);
    sheet.rows
}

fn lookups(sheet: &mut Sheet<'_>, effort: &Effort) {
    let results = sheet.results;
    let asked = [[1.8, 4.0, 5.0], [1.5, 2.5, 2.5]];
    let said = [
        "lookup against the fastest ring in any configuration",
        "lookup against the fastest ring as it ships",
    ];
    for (((own, shipped), asked), said) in categories().into_iter().zip(asked).zip(said) {
        for (nodes, least) in effort.table.into_iter().zip(asked) {
            let what = What::first(nodes, Routine::Get);
            let rivals = fastest(results, what, |kin| kin.shipped || !shipped);
            if let Some(rival) = hardest(results, &own, rivals, what) {
                sheet.timed(said, [&own, &rival], what, Measure::Lead, Bound::AtLeast(least));
            }
        }
    }
    let [_, middle, large] = effort.table;
    for nodes in [middle, large] {
        let what = What::first(nodes, Routine::Get);
        for name in [names::JUMPHASH, names::ANCHORHASH, names::ANCHORHASH_ROOMY, names::MAGLEV] {
            let pair = [Contender::vector(names::DEFAULT), Contender::new(name, names::SHIPPED)];
            let said = "lookup against an algorithm that is no ring, each as it ships";
            let least = Bound::AtLeast(1.0);
            sheet.timed(said, [&pair[0], &pair[1]], what, Measure::Lead, least);
        }
        for name in [names::JUMPHASH, names::ANCHORHASH, names::ANCHORHASH_ROOMY, names::MAGLEV] {
            let pair = [Contender::vector(names::XXH3), Contender::new(name, names::XXH3)];
            let said = "the same, both with XXH3";
            sheet.timed(said, [&pair[0], &pair[1]], what, Measure::Lead, Bound::None);
        }
    }
}

fn searches(sheet: &mut Sheet<'_>, effort: &Effort) {
    let own = Contender::vector(names::DEFAULT);
    for (routine, said) in [
        (Routine::Search, "search alone against two dependent reads"),
        (Routine::SearchChain, "the same, each search waiting for the one before"),
    ] {
        for &nodes in effort.sizes {
            let what = What::first(nodes, routine);
            let reads = two_reads(footprint(sheet.counted, nodes));
            let (measure, bound) = if nodes < effort.large() {
                (Measure::OwnMore, Bound::AtMost(8.0))
            } else {
                (Measure::Cost, Bound::AtMost(1.5))
            };
            sheet.timed(said, [&own, &reads], what, measure, bound);
        }
    }
    for nodes in effort.middling() {
        let what = What::first(nodes, Routine::Search);
        let arc = Contender::vector(names::ONE_ARC);
        let plain = Contender::new(names::SORTED_VEC, names::ONE_ARC);
        let said = "search among tokens in one arc against a search by halves";
        sheet.timed(said, [&arc, &plain], what, Measure::Cost, Bound::None);
    }
    let tree = Contender::tree(names::DEFAULT);
    let map = Contender::new(names::BTREE_MAP, names::DEFAULT);
    for nodes in effort.middling() {
        let what = What::first(nodes, Routine::Search);
        let said = "search alone against the plain BTreeMap";
        sheet.timed(said, [&tree, &map], what, Measure::Cost, Bound::AtMost(1.4));
    }
}

fn updates(sheet: &mut Sheet<'_>, effort: &Effort) {
    let results = sheet.results;
    let large = effort.large();
    let [add, remove] = [What::first(large, NODE), What::second(large, NODE)];
    for (own, rival) in [(names::DEFAULT, names::SHIPPED), (names::XXH3, names::XXH3)] {
        let (own, rival) = (Contender::vector(own), Contender::new(names::HASHRING, rival));
        let said = "add one node against batch_add";
        sheet.timed(said, [&own, &rival], add, Measure::Lead, Bound::AtLeast(3.0));
        let said = "remove one node against remove";
        sheet.timed(said, [&own, &rival], remove, Measure::Lead, Bound::AtLeast(15.0));
    }
    let own = Contender::vector(names::DEFAULT);
    let singly = Contender::new(names::SINGLY, names::DEFAULT);
    let hashring = Contender::new(names::HASHRING, names::SHIPPED);
    let [add_ten, remove_ten] = [What::first(large, TEN), What::second(large, TEN)];
    let (two, twenty) = (Bound::AtLeast(2.5), Bound::AtLeast(20.0));
    let said = "add ten nodes as one change against one by one";
    sheet.timed(said, [&own, &singly], add_ten, Measure::Lead, two);
    let said = "remove ten nodes as one change against one by one";
    sheet.timed(said, [&own, &singly], remove_ten, Measure::Lead, two);
    let said = "add ten nodes as one change against ten batch_add of one";
    sheet.timed(said, [&own, &hashring], add_ten, Measure::Lead, twenty);
    let tree = Contender::tree(names::XXH3);
    for (said, what) in [
        ("add one node against the fastest that updates in place", add),
        ("remove one node against the fastest that updates in place", remove),
    ] {
        if let Some(rival) = hardest(results, &tree, in_place(results, large), what) {
            sheet.timed(said, [&tree, &rival], what, Measure::Lead, Bound::AtLeast(1.0));
        }
    }
    let build = What::first(large, Routine::Build);
    for (own, _) in categories() {
        if let Some(rival) = hardest(results, &own, fastest(results, build, |_| true), build) {
            let said = "build against the fastest ring in any configuration";
            sheet.timed(said, [&own, &rival], build, Measure::Lead, Bound::AtLeast(2.0));
        }
    }
    let grown = Contender::new(names::HASHRING_SINGLY, names::SHIPPED);
    let build = What::first(effort.grown(), Routine::Build);
    let said = "all nodes added one call a node against a batch_add a node";
    sheet.timed(said, [&singly, &grown], build, Measure::Lead, Bound::AtLeast(4.0));
}

fn memory(sheet: &mut Sheet<'_>, large: usize) {
    for (own, most) in
        [(Contender::vector(names::DEFAULT), 24.0), (Contender::tree(names::DEFAULT), 44.0)]
    {
        let known = sheet.counted.iter().find(|c| c.contender == own && c.nodes == large);
        let Some(memory) = known.map(|c| c.memory.clone()) else { continue };
        let per_token = |bytes: u64| real(bytes) / real(memory.tokens.max(1));
        let unit = "bytes/token";
        let said = "heap after adding one by one, everything included";
        let value = per_token(memory.one_by_one_bytes);
        sheet.counted(said, &own, large, unit, value, Bound::AtMost(most));
        let said = "heap after building at once";
        sheet.counted(said, &own, large, unit, per_token(memory.bulk_bytes), Bound::None);
    }
}

fn calls(sheet: &mut Sheet<'_>, effort: &Effort) {
    let own = Contender::vector(names::DEFAULT);
    let batched = Contender::new(names::BATCHED, names::DEFAULT);
    for nodes in effort.middling() {
        let least = match nodes / effort.large() {
            0 => 1.0,
            1..10 => 1.3,
            _ => 1.8,
        };
        let what = What::first(nodes, Routine::Get);
        let said = "get_node_batch, per key, against single calls";
        sheet.timed(said, [&batched, &own], what, Measure::Lead, Bound::AtLeast(least));
    }
    for (name, said, bound) in [
        (names::READER, "lookup through a reader handle against the bare ring", Bound::AtMost(2.0)),
        (names::GUARD, "the same with a guard loaded for each lookup", Bound::None),
        (names::LOCKED, "the same with a read lock for each lookup", Bound::None),
    ] {
        let shared = Contender::new(name, names::DEFAULT);
        let what = What::first(effort.table[1], Routine::Get);
        sheet.timed(said, [&own, &shared], what, Measure::RivalMore, bound);
    }
}

fn allocations(sheet: &mut Sheet<'_>, effort: &Effort) {
    let [_, middle, large] = effort.table;
    let unit = "allocations/lookup";
    let mut wanted = Vec::new();
    for (own, several) in
        [names::SORTED_VEC_RING, names::BTREE_RING].into_iter().zip(names::SEVERAL)
    {
        wanted.push((own, large, "get_node", 0.0));
        let [walk, replicas, sets] = several;
        wanted.push((walk, middle, "walk over 16 tokens", 0.0));
        wanted.push((replicas, middle, "the lazy replica iterator, 16 nodes", 0.0));
        wanted.push((sets, middle, "get_replicas of 64 nodes", 1.0));
    }
    for (name, nodes, what, most) in wanted {
        let own = Contender::new(name, names::DEFAULT);
        let known = sheet.counted.iter().find(|c| c.contender == own && c.nodes == nodes);
        let Some(memory) = known.map(|c| c.memory.clone()) else { continue };
        let value = real(memory.lookup_allocations) / real(memory.lookups.max(1));
        let said = format!("allocations of {what}");
        sheet.counted(&said, &own, nodes, unit, value, Bound::AtMost(most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { median: f64::midpoint(low, high), low, high, coverage: 0.97 }
    }

    #[test]
    fn a_target_is_met_or_missed_by_the_whole_interval() {
        let good = [Some(1.01), Some(0.97)];
        let at_least = |low, high| outcome(Bound::AtLeast(2.0), &interval(low, high), good);
        assert_eq!(at_least(2.0, 2.5), Outcome::Met);
        assert_eq!(at_least(1.9, 2.5), Outcome::Undecided);
        assert_eq!(at_least(1.5, 1.9), Outcome::Missed);
        let at_most = |low, high| outcome(Bound::AtMost(2.0), &interval(low, high), good);
        assert_eq!(at_most(1.5, 2.0), Outcome::Met);
        assert_eq!(at_most(1.5, 2.1), Outcome::Undecided);
        assert_eq!(at_most(2.1, 2.5), Outcome::Missed);
    }

    #[test]
    fn nothing_is_decided_without_two_good_null_controls() {
        let bound = Bound::AtLeast(2.0);
        for nulls in
            [[None, Some(1.0)], [Some(1.0), None], [Some(1.06), Some(1.0)], [Some(1.0), Some(0.94)]]
        {
            assert_eq!(outcome(bound, &interval(3.0, 4.0), nulls), Outcome::Undecided);
            assert_eq!(outcome(Bound::None, &interval(3.0, 4.0), nulls), Outcome::Informative);
        }
    }
}
