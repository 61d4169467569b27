use std::collections::BTreeSet;

use ring_core::{Fnv1aFmix64, Hash64, Ring};
use ring_sortedvec::SortedVecRing;

use super::*;
use crate::workload::Weights;

fn membership() -> Membership {
    Membership::new(5, 40, Weights::Equal, 1)
}

fn make(name: &str, count: Option<usize>, seed: u64) -> Corpus {
    let membership = membership();
    let hash = |bytes: &[u8]| Fnv1aFmix64.hash64(bytes);
    let target = Target { membership: &membership, hash_name: Fnv1aFmix64.name(), hash: &hash };
    Corpus::generate(&CorpusSpec { keys: name.parse().unwrap(), count, seed }, &target).unwrap()
}

const GENERATED: [&str; 11] = [
    "uniform",
    "uniform(40)",
    "uuid",
    "sequential",
    "paths",
    "zipf(0.99)",
    "zipf(1.2)",
    "hot(7)",
    "one-arc",
    "on-tokens",
    "far-arcs",
];

#[test]
fn every_family_has_as_many_keys_as_asked_for_and_depends_on_the_seed() {
    for name in GENERATED {
        let corpus = make(name, Some(500), 1);
        assert_eq!(corpus.len(), 500, "{name}");
        assert_eq!(corpus, make(name, Some(500), 1), "{name}");
        if name != "sequential" {
            assert_ne!(corpus.sha256(), make(name, Some(500), 2).sha256(), "{name}");
        }
    }
}

#[test]
fn digests_are_fixed_for_ever() {
    // Written down once: another digest means other keys, and results that cannot be compared.
    let digests: Vec<String> =
        GENERATED.iter().map(|name| make(name, Some(100), 42).sha256()[..8].to_owned()).collect();
    let expected = "b4772520 ee9e4480 249712c7 aa26c407 1f9adb57 e5e8efd6 e44a75a4 c5cbb291 af14c3c9 179a9715 5c9c9671";
    assert_eq!(digests.join(" "), expected);
}

#[test]
fn the_digest_is_that_of_the_lines() {
    let corpus = make("sequential", Some(3), 0);
    assert_eq!(corpus.sha256(), hex(&Sha256::digest(b"user:1\nuser:2\nuser:3\n")));
    assert_eq!(corpus.key(1), b"user:2");
    assert_eq!(corpus.key(4), b"user:2");
}

#[test]
fn names_are_read_and_written_alike() {
    for (name, written) in [
        ("uniform", "uniform(16)"),
        ("zipf(1.20)", "zipf(1.2)"),
        ("zipf", "zipf(0.99)"),
        ("zipf(1)", "zipf(1)"),
        ("hot", "hot(1000)"),
        ("file:a(b)", "file:a(b)"),
        ("one-arc", "one-arc"),
    ] {
        let keys: Keys = name.parse().unwrap();
        assert_eq!(keys.to_string(), written);
        assert_eq!(written.parse::<Keys>().unwrap(), keys);
    }
}

#[test]
fn names_that_mean_nothing_are_refused_with_a_sentence() {
    for name in [
        "",
        "unifrom",
        "uniform()",
        "uniform(7)",
        "uniform(-1)",
        "uniform(1e3)",
        "uuid(3)",
        "zipf(-1)",
        "zipf(4.001)",
        "zipf(0.9999)",
        "zipf(nan)",
        "zipf(.5)",
        "hot(0)",
        "hot(99999999999999999999)",
    ] {
        let error = name.parse::<Keys>().unwrap_err();
        assert_eq!(error.exit_code(), 2, "{name}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn no_keys_and_too_many_keys_are_refused_before_anything_is_made() {
    let membership = membership();
    let target = Target { membership: &membership, hash_name: "", hash: &|_| 0 };
    for (name, count) in [("uniform", 0), ("uuid", MAX_KEYS + 1), ("uniform(4096)", MAX_KEYS)] {
        let spec = CorpusSpec { keys: name.parse().unwrap(), count: Some(count), seed: 0 };
        assert_eq!(Corpus::generate(&spec, &target).unwrap_err().exit_code(), 2, "{name}");
    }
}

#[test]
fn keys_of_one_arc_have_one_owner_and_different_ones_are_many() {
    let membership = membership();
    let mut ring = SortedVecRing::new(membership.vnodes).unwrap();
    ring.apply(&membership.as_changes()).unwrap();
    let corpus = make("one-arc", Some(2_000), 3);
    let owners: BTreeSet<_> = corpus.keys(0..corpus.len()).map(|key| ring.get_node(key)).collect();
    let tokens: BTreeSet<_> = corpus
        .keys(0..corpus.len())
        .map(|key| ring.walk(ring.hasher().hash64(key)).next().unwrap().token_id())
        .collect();
    assert_eq!((owners.len(), tokens.len()), (1, 1));
    assert!(corpus.keys(0..corpus.len()).collect::<BTreeSet<_>>().len() > 500);
}

#[test]
fn keys_on_tokens_have_exactly_a_tokens_hash() {
    let membership = membership();
    let mut ring = SortedVecRing::new(membership.vnodes).unwrap();
    ring.apply(&membership.as_changes()).unwrap();
    let hashes: BTreeSet<u64> = ring.tokens().map(|token| token.hash()).collect();
    let corpus = make("on-tokens", Some(1_000), 3);
    assert!(corpus.keys(0..corpus.len()).all(|key| hashes.contains(&Fnv1aFmix64.hash64(key))));
}

#[test]
fn far_arcs_alternate_between_the_halves() {
    let corpus = make("far-arcs", Some(100), 3);
    for (i, key) in corpus.keys(0..100).enumerate() {
        assert_eq!(Fnv1aFmix64.hash64(key) >> 63, i as u64 % 2);
    }
}

#[test]
fn uniform_keys_all_differ_and_hot_ones_are_few() {
    let distinct = |name: &str| {
        let spec = CorpusSpec { keys: name.parse().unwrap(), count: Some(20_000), seed: 0 };
        make(name, spec.count, 0).info(&spec).distinct
    };
    assert_eq!(distinct("uniform"), 20_000);
    assert_eq!(distinct("uuid"), 20_000);
    assert_eq!(distinct("hot(7)"), 7);
    let zipf = distinct("zipf(1.2)");
    assert!((100..10_000).contains(&zipf), "{zipf}");
}

#[test]
fn a_file_gives_its_lines_as_they_are() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let name = format!("file:{}", file.path().display());
    std::fs::write(file.path(), b"a\r\n\n\xff\x00\nlast").unwrap();
    let corpus = make(&name, None, 0);
    let keys: Vec<&[u8]> = corpus.keys(0..corpus.len()).collect();
    assert_eq!(keys, [&b"a\r"[..], b"", b"\xff\x00", b"last"]);
    assert_eq!(make(&name, Some(2), 0).len(), 2);
}

#[test]
fn an_empty_or_missing_file_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let membership = membership();
    let target = Target { membership: &membership, hash_name: "", hash: &|_| 0 };
    for path in [file.path().to_owned(), PathBuf::from("no/such/file")] {
        let spec = CorpusSpec { keys: Keys::File(path.clone()), count: None, seed: 0 };
        let error = Corpus::generate(&spec, &target).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}

#[test]
fn runs_go_round() {
    let ranges = |start, count| runs(10, start, count).collect::<Vec<_>>();
    assert_eq!(ranges(8, 5), [8..10, 0..3]);
    assert_eq!(ranges(23, 4), std::slice::from_ref(&(3..7)));
    assert_eq!(ranges(0, 20), [0..10, 0..10]);
    assert_eq!(runs(0, 3, 5).count(), 0);
}
