//! Both backends as subjects, under every hash.

use super::*;

pub(crate) fn spec(contender: &str, hash: &str) -> SubjectSpec {
    SubjectSpec {
        contender: contender.to_owned(),
        hash: hash.to_owned(),
        nodes: 12,
        vnodes: 20,
        max_weight: 2,
        corpus: "uniform".to_owned(),
        keys: Some(600),
        seed: 3,
    }
}

/// Every routine's checksums over some steps, and its digest.
fn trace(subject: &mut dyn Subject) -> Vec<(Routine, Vec<u64>, Option<u64>)> {
    Routine::ALL
        .into_iter()
        .map(|routine| {
            subject.begin(routine).unwrap();
            let mut sums = Vec::new();
            for start in [0, 590, 1] {
                for phase in 0..routine.phases().len() {
                    let count = if routine.is_lookup() { 40 } else { 1 };
                    let step = Step { routine, phase, start, count };
                    sums.push(subject.step(step).unwrap());
                    sums.push(subject.settle(step));
                }
            }
            (routine, sums, subject.end(routine))
        })
        .collect()
}

#[test]
fn both_backends_give_the_same_answers_in_every_routine_under_every_hash() {
    for hash in AnyHash::NAMES {
        let [a, b] = BACKENDS.map(|contender| trace(&mut *build(&spec(contender, hash)).unwrap()));
        assert_eq!(a, b, "{hash}");
    }
}

#[test]
fn every_routine_answers_something_and_ends_where_it_began() {
    let mut subject = build(&spec("btree", "fnv1a64-fmix64")).unwrap();
    let before = subject.fingerprint();
    for (routine, sums, digest) in trace(&mut *subject) {
        assert!(sums.iter().any(|&sum| sum != 0), "{routine} answers nothing");
        assert_eq!(digest, before, "{routine}");
    }
}

#[test]
fn lookups_agree_with_the_ring() {
    let mut subject = build(&spec("sortedvec", "xxh3-64")).unwrap();
    let mut pass = |routine| {
        subject.begin(routine).unwrap();
        let sum = subject.step(Step { routine, phase: 0, start: 7, count: 1_300 }).unwrap();
        subject.end(routine);
        sum
    };
    let get = pass(Routine::Get);
    assert_eq!(get, pass(Routine::Search));
    assert_eq!(get, pass(Routine::GetBatch));
    assert_eq!(get, pass(Routine::GetShared));
    assert_eq!(pass(Routine::GetChain), pass(Routine::SearchChain));
    assert_ne!(get, pass(Routine::GetChain));
}

#[test]
fn what_does_not_exist_is_refused_with_a_sentence() {
    for (spec, word) in [
        (spec("skiplist", "xxh3-64"), "skiplist"),
        (spec("btree", "md5"), "md5"),
        (SubjectSpec { vnodes: 0, ..spec("btree", "xxh3-64") }, "cannot be built"),
        (SubjectSpec { vnodes: u32::MAX, ..spec("btree", "xxh3-64") }, "cannot be built"),
        (SubjectSpec { corpus: "klingon".to_owned(), ..spec("btree", "xxh3-64") }, "klingon"),
    ] {
        let error = build(&spec).err().unwrap();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn an_empty_ring_answers_without_an_owner() {
    let mut subject = build(&SubjectSpec { nodes: 0, ..spec("sortedvec", "xxh3-64") }).unwrap();
    assert_eq!(subject.token_count(), 0);
    let step = Step { routine: Routine::Get, phase: 0, start: 0, count: 3 };
    let sum = subject.step(step).unwrap();
    assert_eq!(sum, (0..3).fold(0, |sum, _| fold(sum, u64::MAX)));
}
