//! Tables from runs that were made up.

use super::*;
use crate::gate::record::GateRecord;

#[test]
fn bounds_are_those_of_the_books() {
    // None of n: the n-th root of 0.05 is left. 3/n is the rule of thumb.
    assert!((upper_bound(0, 1500) - (1.0 - 0.05_f64.powf(1.0 / 1500.0))).abs() < 1e-9);
    assert!(upper_bound(0, 1500) < 3.0 / 1500.0);
    // Clopper and Pearson, one-sided: 1 of 20 gives 21.6 %, 20 of 20 at least 86.1 %, 19 of 20 at least 78.4 %.
    assert!((upper_bound(1, 20) - 0.2161).abs() < 1e-4);
    assert!((lower_bound(20, 20) - 0.8609).abs() < 1e-4);
    assert!((lower_bound(19, 20) - 0.7839).abs() < 1e-4);
    assert!((upper_bound(3, 3) - 1.0).abs() < 1e-12);
    assert!(lower_bound(0, 5) < 1e-9);
}

fn row(name: &str, status: Status, stage: u8, tripped: bool) -> BenchmarkRow {
    BenchmarkRow {
        name: name.to_owned(),
        backend: "btree".to_owned(),
        ratio: 1.1,
        low: 1.0,
        high: 1.2,
        slower: 8,
        pairs: 8,
        stage,
        ir_ratio: None,
        status,
        warn_above: 1.03,
        fail_above: 1.05,
        base_ns: 1.0,
        head_ns: 1.1,
        null_ratio: 1.04,
        null_stage: if tripped { 2 } else { 1 },
        null_tripped: tripped,
        fits_l2: true,
    }
}

fn run(kind: Kind, verdict: Verdict, benchmarks: Vec<BenchmarkRow>) -> Run {
    let record = GateRecord {
        benchmarks,
        null_spread: Some(0.01),
        ..GateRecord::empty(verdict, "a", "b", "")
    };
    Run { kind, build: String::new(), record }
}

#[test]
fn both_comparisons_of_a_row_count() {
    let runs = [
        run(
            Kind::Idle,
            Verdict::Pass,
            vec![row("get/1", Status::Pass, 1, false), row("add/1", Status::Pass, 2, false)],
        ),
        run(Kind::Idle, Verdict::Inconclusive, vec![row("get/1", Status::Regressed, 2, true)]),
    ];
    let sheet = nulls(&runs);
    assert_eq!(sheet.rows.len(), 1);
    let cells: Vec<&str> = sheet.rows[0].iter().map(String::as_str).collect();
    assert_eq!([cells[1], cells[2], cells[4], cells[6]], ["6", "3", "2", "1"]);
    let sheet = null_runs(&runs);
    assert_eq!(sheet.rows[0][1..6].join(" "), format!("2 1 0 {} 1", percent(upper_bound(0, 2))));
    assert_eq!(sheet.columns.len(), sheet.rows[0].len());
}

#[test]
fn slowdowns_are_told_apart_by_class_and_inconclusive_runs_are_left_out() {
    let benchmarks = || {
        vec![
            row("get/1", Status::Regressed, 2, false),
            row("replicas-3/1", Status::Warn, 2, false),
            row("add/1", Status::Pass, 1, false),
        ]
    };
    let runs = [
        run(Kind::Slow(10), Verdict::Regressed, benchmarks()),
        run(Kind::Slow(10), Verdict::Inconclusive, benchmarks()),
    ];
    let sheet = slowdowns(&runs);
    let lines: Vec<String> = sheet.rows.iter().map(|row| row.join("|")).collect();
    assert!(lines[0].starts_with("+10 % idle, lookups, fits L2|2|1|"), "{lines:?}");
    assert!(lines[0].ends_with("|2|1.100x|1"), "{lines:?}");
    assert!(lines[1].starts_with("+10 % idle, updates, fits L2|1|0|"), "{lines:?}");
    assert_eq!(lines.len(), 2);
    assert_eq!(all(&runs).len(), 1);
}
