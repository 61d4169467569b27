//! Which backend to take, in one sentence a workload.
//!
//! A ring in use is looked up far more often than it is changed, so the verdict names the backend that is cheaper at
//! [`LOOKUPS_PER_CHANGE`] lookups for each node that joins or leaves, and the sentence says from how many lookups on that
//! holds. A decision for another mix is what `choose` is for.

use crate::record::{RatioRow, Row, Status, Verdict};
use crate::report::number::{count, ratio_text, time};

/// The mix that a verdict speaks for.
const LOOKUPS_PER_CHANGE: f64 = 100_000.0;

/// What one backend costs, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cost {
    lookup: f64,
    /// A node that joins or leaves: in place, and published.
    updates: [f64; 2],
}

const REGIMES: [&str; 2] = ["exclusive", "published"];

/// How the regimes are called in a sentence.
const SAID: [&str; 2] = ["made in place", "published to readers"];

/// The verdict of one workload.
pub(super) fn of(workload: &str, rows: &[Row], ratios: &[RatioRow]) -> Verdict {
    let verdict = |backend: Option<&str>, reason: String| Verdict {
        workload: workload.to_owned(),
        backend: backend.map(str::to_owned),
        reason,
    };
    let find = |operation: &str, regime: &str| {
        ratios
            .iter()
            .find(|r| r.workload == workload && r.operation == operation && r.regime == regime)
    };
    let Some(lookup) = find("get", "throughput") else {
        return verdict(None, "No lookups were measured.".to_owned());
    };
    let costs = [&lookup.over, &lookup.of].map(|backend| cost(workload, rows, backend));
    let [Some(over), Some(of)] = costs else {
        return verdict(None, "Not everything that a decision needs was measured.".to_owned());
    };
    match lookup.status {
        Status::Undecided => {
            let off = lookup.null.map_or_else(
                || "there was no null control".to_owned(),
                |null| {
                    format!(
                        "two copies of one backend differed by {:.0} %",
                        (null - 1.0).abs() * 100.0
                    )
                },
            );
            verdict(None, format!("Undecided: {off}; run again on a quieter machine."))
        }
        Status::Same => same_lookups(verdict, lookup, over, of),
        Status::Different => {
            let (winner, loser, fast, slow) = if lookup.ratio > 1.0 {
                (&lookup.over, &lookup.of, over, of)
            } else {
                (&lookup.of, &lookup.over, of, over)
            };
            let total =
                |cost: Cost, regime: usize| LOOKUPS_PER_CHANGE * cost.lookup + cost.updates[regime];
            let cheaper =
                (0..REGIMES.len()).all(|regime| total(fast, regime) < total(slow, regime));
            let times = ratio_text(lookup.ratio.max(1.0 / lookup.ratio));
            let exceptions = exceptions(loser, fast, slow);
            verdict(
                cheaper.then_some(winner.as_str()),
                format!(
                    "Take {winner}: a lookup takes {} against {} ({times}){exceptions}.",
                    time(fast.lookup),
                    time(slow.lookup)
                ),
            )
        }
    }
}

/// Below how many lookups a change the slower backend pays, said for each regime.
fn exceptions(loser: &str, fast: Cost, slow: Cost) -> String {
    let below: Vec<String> = (0..REGIMES.len())
        .filter_map(|regime| {
            let lost = fast.updates[regime] - slow.updates[regime];
            let break_even = lost / (slow.lookup - fast.lookup);
            (lost > 0.0).then(|| {
                format!(
                    "below about {} lookups a changed node where changes are {}",
                    count(break_even),
                    SAID[regime]
                )
            })
        })
        .collect();
    if below.is_empty() {
        return ", and changes are no dearer either".to_owned();
    }
    format!("; {loser} is the cheaper one {}", below.join(", and "))
}

/// Lookups cost the same, so changes decide.
fn same_lookups(
    verdict: impl Fn(Option<&str>, String) -> Verdict,
    lookup: &RatioRow,
    over: Cost,
    of: Cost,
) -> Verdict {
    let cheaper = |regime: usize| {
        if over.updates[regime] <= of.updates[regime] {
            lookup.over.as_str()
        } else {
            lookup.of.as_str()
        }
    };
    if cheaper(0) == cheaper(1) {
        let winner = cheaper(0);
        return verdict(
            Some(winner),
            format!(
                "Take {winner}: lookups cost the same, and its changes are cheaper in place and published."
            ),
        );
    }
    verdict(
        None,
        format!(
            "Lookups cost the same: take {} where changes are {}, {} where they are {}.",
            cheaper(0),
            SAID[0],
            cheaper(1),
            SAID[1]
        ),
    )
}

/// What one backend costs in this workload.
fn cost(workload: &str, rows: &[Row], backend: &str) -> Option<Cost> {
    let median = |operation: &str, regime: &str| {
        rows.iter()
            .find(|row| {
                row.workload == workload
                    && row.backend == backend
                    && row.operation == operation
                    && row.regime == regime
            })
            .map(|row| row.median)
    };
    let update =
        |regime: &str| Some(f64::midpoint(median("add", regime)?, median("remove", regime)?));
    Some(Cost {
        lookup: median("get", "throughput")?,
        updates: [update(REGIMES[0])?, update(REGIMES[1])?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKLOAD: &str = "100x100 uniform(16)";

    fn row(backend: &str, operation: &str, regime: &str, median: f64) -> Row {
        Row {
            workload: WORKLOAD.to_owned(),
            experiment: String::new(),
            operation: operation.to_owned(),
            regime: regime.to_owned(),
            nodes: 100,
            vnodes: 100,
            tokens: 10_000,
            backend: backend.to_owned(),
            unit: "ns".to_owned(),
            median,
            low: median,
            high: median,
            pairs: 6,
            sittings: 3,
            p99: None,
            sitting_range: None,
        }
    }

    /// Lookup, exclusive change and published change of each backend.
    fn judge(status: Status, vec: [f64; 3], tree: [f64; 3]) -> Verdict {
        let rows: Vec<Row> = [("sortedvec", vec), ("btree", tree)]
            .iter()
            .flat_map(|(backend, [lookup, exclusive, published])| {
                [
                    row(backend, "get", "throughput", *lookup),
                    row(backend, "add", "exclusive", *exclusive),
                    row(backend, "remove", "exclusive", *exclusive),
                    row(backend, "add", "published", *published),
                    row(backend, "remove", "published", *published),
                ]
            })
            .collect();
        let ratio = tree[0] / vec[0];
        let ratios = [RatioRow {
            workload: WORKLOAD.to_owned(),
            experiment: String::new(),
            operation: "get".to_owned(),
            regime: "throughput".to_owned(),
            nodes: 100,
            vnodes: 100,
            of: "btree".to_owned(),
            over: "sortedvec".to_owned(),
            ratio,
            low: ratio,
            high: ratio,
            slower: 6,
            pairs: 6,
            null: Some(if status == Status::Undecided { 1.08 } else { 1.0 }),
            null_spread: Some(0.0),
            status,
        }];
        of(WORKLOAD, &rows, &ratios)
    }

    #[test]
    fn a_backend_that_wins_everything_is_named_without_conditions() {
        let verdict = judge(Status::Different, [20.0, 1_000.0, 2_000.0], [50.0, 3_000.0, 9_000.0]);
        assert_eq!(verdict.backend.as_deref(), Some("sortedvec"));
        assert_eq!(
            verdict.reason,
            "Take sortedvec: a lookup takes 20.0 ns against 50.0 ns (2.50x), and changes are no dearer either."
        );
    }

    #[test]
    fn a_break_even_is_told_for_the_regime_that_has_one() {
        let verdict =
            judge(Status::Different, [20.0, 70_000.0, 100_000.0], [70.0, 20_000.0, 9_000_000.0]);
        assert_eq!(verdict.backend.as_deref(), Some("sortedvec"));
        assert_eq!(
            verdict.reason,
            "Take sortedvec: a lookup takes 20.0 ns against 70.0 ns (3.50x); btree is the cheaper one below about 1,000 \
             lookups a changed node where changes are made in place."
        );
    }

    #[test]
    fn a_faster_tree_is_taken_as_gladly() {
        let verdict = judge(Status::Different, [70.0, 3_000.0, 3_000.0], [20.0, 1_000.0, 1_000.0]);
        assert_eq!(verdict.backend.as_deref(), Some("btree"));
    }

    #[test]
    fn changes_that_outweigh_a_hundred_thousand_lookups_leave_it_open() {
        let verdict = judge(Status::Different, [20.0, 9e9, 1.0], [21.0, 1.0, 1.0]);
        assert_eq!(verdict.backend, None);
    }

    #[test]
    fn equal_lookups_leave_the_decision_to_changes() {
        let verdict = judge(Status::Same, [20.0, 1.0, 1.0], [20.0, 2.0, 2.0]);
        assert_eq!(verdict.backend.as_deref(), Some("sortedvec"));
        let verdict = judge(Status::Same, [20.0, 3.0, 1.0], [20.0, 2.0, 2.0]);
        assert_eq!(verdict.backend, None);
        assert!(
            verdict.reason.contains("take btree where changes are made in place"),
            "{}",
            verdict.reason
        );
    }

    #[test]
    fn a_bad_null_control_decides_nothing() {
        let verdict = judge(Status::Undecided, [20.0, 1.0, 1.0], [90.0, 2.0, 2.0]);
        assert_eq!(verdict.backend, None);
        assert!(verdict.reason.starts_with("Undecided: two copies of one backend differed by 8 %"));
    }

    #[test]
    fn nothing_measured_is_said() {
        assert_eq!(of("other", &[], &[]).backend, None);
    }
}
