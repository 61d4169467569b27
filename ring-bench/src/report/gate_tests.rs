//! Reports of runs that were made up.

use super::*;
use crate::gate::record::{AcceptedRow, ExactRow};

/// A run with one benchmark that regressed, one that did not, and a count that is worse.
pub(crate) fn record(verdict: Verdict) -> GateRecord {
    let row = |name: &str, ratio: f64, status| BenchmarkRow {
        name: name.to_owned(),
        backend: "btree".to_owned(),
        ratio,
        low: ratio - 0.01,
        high: ratio + 0.01,
        slower: 15,
        pairs: 16,
        stage: 2,
        ir_ratio: None,
        status,
        warn_above: 1.03,
        fail_above: 1.05,
        base_ns: 40.0,
        head_ns: 44.0,
        null_ratio: 0.999,
        null_stage: 1,
        null_tripped: false,
        fits_l2: true,
    };
    GateRecord {
        benchmarks: vec![
            row("get/100x100", 1.1, Status::Regressed),
            row("add/100x100", 1.0, Status::Pass),
        ],
        exact: vec![ExactRow {
            name: "bytes".to_owned(),
            kind: "count".to_owned(),
            base: None,
            head: Some("2".to_owned()),
            recorded: Some("1".to_owned()),
            equal: false,
            status: "worse".to_owned(),
        }],
        null_spread: Some(0.0123),
        notes: vec!["a note".to_owned()],
        seconds: 40.0,
        ..GateRecord::empty(verdict, "1234567890 (HEAD~1)", "the checkout", "why it is so")
    }
}

#[test]
fn text_has_the_verdict_last_and_everything_else_before() {
    let mut record = record(Verdict::Regressed);
    record.accepted = vec![AcceptedRow {
        benchmark: "build/100x100".to_owned(),
        backend: None,
        ratio: 1.5,
        reason: "it sorts twice".to_owned(),
        expires: "2027-01-01".to_owned(),
        expired: false,
        used: true,
    }];
    let text = text(&record, Style { color: false });
    assert_eq!(text.lines().last(), Some("REGRESSED: why it is so"));
    for part in [
        "base  1234567890 (HEAD~1)\nhead  the checkout\n",
        "0 of 1 exact figures are equal",
        "differ by 1.23 %",
        "bytes",
        "btree/get/100x100",
        "btree/add/100x100",
        "15/16",
        "accepted until 2027-01-01: build/100x100 up to 1.50x, since it sorts twice",
        "note: a note",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_comment_shows_findings_and_folds_the_rest() {
    let text = markdown(&record(Verdict::Regressed));
    let (findings, folded) = text.split_once("<details>").unwrap();
    assert!(findings.starts_with("### Gate: REGRESSED"), "{text}");
    assert!(findings.contains("btree/get/100x100") && !findings.contains("btree/add"), "{text}");
    assert!(folded.contains("btree/add/100x100") && !folded.contains("btree/get"), "{text}");
    assert!(folded.contains("1 benchmarks without a finding"), "{text}");
}

#[test]
fn a_run_without_a_base_says_so_and_shows_no_tables() {
    let record = GateRecord::empty(Verdict::NoBase, "release", "-", "there is no release yet");
    let text = text(&record, Style { color: false });
    assert!(text.ends_with("NO BASE, passes: there is no release yet\n"), "{text}");
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(!markdown(&record).contains("<details>"));
}
