//! What a verdict needs, on made-up evidence.

use super::*;
use crate::choose::model::PairCost;
use crate::routine::Regime;

fn costs(null: f64) -> Costs {
    Costs { pairs: Vec::new(), null: [null; 2], null_cost: null, tokens: 0, unpinned: None }
}

fn comparison(median: f64, low: f64, high: f64) -> Comparison {
    Comparison {
        ratio: Interval { median, low, high, coverage: 0.97 },
        cheaper: usize::from(median < 1.0),
        p_cheaper: 1.0,
        sittings_agree: true,
    }
}

fn check(backend: &str, lookups: u64, measured_ns: f64, error: f64) -> Check {
    Check {
        backend: backend.to_owned(),
        lookups_per_change: lookups,
        predicted_ns: 0.0,
        measured_ns,
        error,
    }
}

fn judge(comparison: Comparison, null: f64, checks: &[Check], in_cache: bool) -> (Verdict, String) {
    let costs = costs(null);
    let evidence =
        Evidence { comparison, costs: &costs, checks, in_cache, lookups: Lookups::PerChange(100) };
    decide(&evidence, &[])
}

#[test]
fn a_clear_ratio_names_the_cheaper_backend() {
    let (verdict, reason) = judge(comparison(2.0, 1.9, 2.1), 0.01, &[], true);
    assert_eq!(verdict, Verdict::SortedVec);
    assert!(reason.contains("2.00x [1.90, 2.10] with btree"), "{reason}");
    let (verdict, reason) = judge(comparison(0.5, 0.4, 0.625), 0.01, &[], true);
    assert_eq!(verdict, Verdict::BTree);
    assert!(reason.contains("2.00x [1.60, 2.50] with sortedvec"), "{reason}");
}

#[test]
fn each_doubt_withholds_the_verdict_and_says_why() {
    let clear = || comparison(2.0, 1.9, 2.1);
    let off = [check("btree", 100, 50.0, 0.2), check("sortedvec", 100, 20.0, 0.01)];
    let turned = [check("btree", 100, 10.0, 0.2), check("sortedvec", 100, 20.0, 0.01)];
    for ((verdict, reason), word) in [
        (judge(comparison(1.1, 0.9, 1.3), 0.01, &[], true), "holds 1"),
        (judge(Comparison { sittings_agree: false, ..clear() }, 0.01, &[], true), "disagree"),
        (judge(clear(), 0.4, &[], true), "two copies"),
        (judge(clear(), 0.01, &off, true), "+20 % off the model with btree"),
        (judge(clear(), 0.01, &turned, false), "ranks btree first"),
    ] {
        assert_eq!(verdict, Verdict::Undecidable, "{reason}");
        assert!(reason.contains(word), "{reason}");
    }
    // Beyond the cache a line that is off is no doubt while the mixed workload ranks them alike.
    assert_eq!(judge(clear(), 0.01, &off, false).0, Verdict::SortedVec);
}

#[test]
fn two_copies_that_differ_in_a_part_that_hardly_counts_are_no_doubt() {
    // One lookup beside a change: the lookups of two copies differ by half, their costs by one per cent.
    let costs = Costs { null: [0.5, 0.01], null_cost: 0.01, ..costs(0.0) };
    let evidence = Evidence {
        comparison: comparison(0.5, 0.4, 0.625),
        costs: &costs,
        checks: &[],
        in_cache: true,
        lookups: Lookups::PerChange(1),
    };
    assert_eq!(decide(&evidence, &[]).0, Verdict::BTree);
    // And the other way round.
    let costs = Costs { null: [0.0, 0.0], null_cost: 0.5, ..costs.clone() };
    assert_eq!(decide(&Evidence { costs: &costs, ..evidence }, &[]).0, Verdict::Undecidable);
}

#[test]
fn a_workload_beyond_the_longest_round_is_said_to_be() {
    let checks = [check("btree", 500, 50.0, 0.01)];
    let warned = |own| {
        let workload = Workload::new(100, Lookups::PerChange(own));
        warnings(&costs(0.0), true, &checks, &BTreeMap::new(), &workload).join("; ")
    };
    assert!(warned(501).contains("up to 500 lookups a change"), "{}", warned(501));
    assert_eq!(warned(500), "");
}

#[test]
fn a_pause_that_few_changes_make_is_said_to_be() {
    let pause = |p99| Pause {
        p50: Some(1_000),
        p99: Some(p99),
        p999: None,
        max: Some(p99),
        count: 5_000,
        idle_p99: Some(100),
    };
    let warned = |p99, regime| {
        let workload = Workload { regime, ..Workload::new(100, Lookups::PerChange(1)) };
        let pauses = BTreeMap::from([("btree".to_owned(), pause(p99))]);
        warnings(&costs(0.0), true, &[], &pauses, &workload).join("; ")
    };
    assert!(warned(10_001, Regime::Exclusive).contains("a few changes took far longer"));
    assert_eq!(warned(10_000, Regime::Exclusive), "");
    // Published, readers do not wait for changes, and the tail is all that there is to see.
    assert_eq!(warned(10_001, Regime::Published), "");
}

#[test]
fn constraints_filter_before_cost_decides() {
    let pause = |ns| Pause {
        p50: None,
        p99: Some(ns),
        p999: None,
        max: Some(ns),
        count: 5_000,
        idle_p99: None,
    };
    let pauses = BTreeMap::from([
        ("sortedvec".to_owned(), pause(80_000)),
        ("btree".to_owned(), pause(9_000)),
    ]);
    let bytes = BTreeMap::from([("sortedvec".to_owned(), 1_000), ("btree".to_owned(), 2_000)]);
    let limits = |pause: u64, memory: u64| Constraints {
        max_pause: Some(Duration::from_nanos(pause)),
        max_memory: Some(memory),
        max_over_mean: None,
    };
    let costs = costs(0.01);
    let evidence = Evidence {
        comparison: comparison(2.0, 1.9, 2.1),
        costs: &costs,
        checks: &[],
        in_cache: true,
        lookups: Lookups::PerChange(100),
    };
    let verdict = |constraints| decide(&evidence, &excluded(&constraints, &pauses, &bytes)).0;
    assert_eq!(verdict(limits(100_000, 5_000)), Verdict::SortedVec);
    assert_eq!(verdict(limits(50_000, 5_000)), Verdict::BTree);
    assert_eq!(verdict(limits(100_000, 1_500)), Verdict::SortedVec);
    assert_eq!(verdict(limits(50_000, 1_500)), Verdict::Refused);
    // A limit is kept by what just reaches it.
    assert!(excluded(&limits(80_000, 2_000), &pauses, &bytes).is_empty());
}

#[test]
fn lookups_only_costs_one_lookup() {
    let pair = PairCost { sitting: 0, lookup: [2.0, 3.0], update: [50.0, 70.0] };
    assert_eq!(format!("{:?}", pair.cost(Lookups::Only)), "[2.0, 3.0]");
    assert_eq!(format!("{:?}", pair.cost(Lookups::PerChange(10))), "[70.0, 100.0]");
}
