//! Every error is a sentence that names the value, the rule and the place.

use std::error::Error;

use ring_core::{RingError, Snapshot};

/// Each error with what its sentence must hold.
fn errors() -> Vec<(RingError, &'static [&'static str])> {
    let unknown = RingError::UnknownNode { id: "node-7".to_owned() };
    vec![
        (RingError::ZeroVnodes, &["0", "at least one"]),
        (RingError::ZeroWeight { id: "node-7".to_owned() }, &["node-7", "weight 0", "at least 1"]),
        (
            RingError::DuplicateNode { id: "node-7".to_owned(), weight: 31 },
            &["node-7", "31", "already"],
        ),
        (unknown.clone(), &["node-7", "not registered"]),
        (RingError::TooManyTokens { requested: 1_234, limit: 567 }, &["1234", "567"]),
        (RingError::LimitBelowCount { limit: 567, tokens: 1_234 }, &["1234", "567"]),
        (
            RingError::InChange { index: 41, cause: Box::new(unknown) },
            &["change 41", "node-7", "not registered"],
        ),
        (
            RingError::DifferentHashes { before: "one".to_owned(), after: "other".to_owned() },
            &["\"one\"", "\"other\""],
        ),
        (
            RingError::DifferentHashes { before: "same".to_owned(), after: "same".to_owned() },
            &["\"same\"", "secret"],
        ),
        (
            RingError::HashMismatch { snapshot: "one".to_owned(), ring: "other".to_owned() },
            &["\"one\"", "\"other\"", "snapshot"],
        ),
        (
            RingError::FingerprintMismatch { snapshot: 0xab, ring: 0xcd },
            &["00000000000000ab", "00000000000000cd"],
        ),
        (
            RingError::FingerprintMissing { hash: "siphash-1-3".to_owned() },
            &["siphash-1-3", "fingerprint"],
        ),
        (
            RingError::DuplicateInSnapshot { id: "node-7".to_owned(), positions: (3, 8) },
            &["node-7", "nodes[3]", "nodes[8]"],
        ),
        (RingError::MalformedSnapshot { reason: "line 3".to_owned() }, &["snapshot", "line 3"]),
        (RingError::InvalidCapacities { reason: "capacity 4".to_owned() }, &["capacity 4"]),
    ]
}

#[test]
fn errors_name_the_value_and_the_rule() {
    for (error, parts) in errors() {
        let text = error.to_string();
        for part in parts {
            assert!(text.contains(part), "{part:?} is missing in {text:?}");
        }
        assert!(!text.contains('\n'), "a message of one line: {text:?}");
    }
}

#[test]
fn an_error_of_a_batch_leads_to_its_cause() {
    let cause = RingError::UnknownNode { id: "x".to_owned() };
    let error = RingError::InChange { index: 2, cause: Box::new(cause.clone()) };
    let source = error.source().and_then(|source| source.downcast_ref::<RingError>());
    assert_eq!(source, Some(&cause));
    assert!(cause.source().is_none());
}

/// What is wrong with a document is said with its line and column.
#[test]
fn a_malformed_snapshot_is_told_with_its_place() {
    let json = "{ \"format\": \"hash-ring\", \"version\": 1,\n  \"nodes\": [ { \"id\": \"a\", \
                \"weight\": 0 } ] }";
    let error = Snapshot::from_json(json).expect_err("a weight of 0").to_string();
    assert!(error.contains("line 2 column"), "{error}");
    assert!(error.contains("weight"), "{error}");
}
