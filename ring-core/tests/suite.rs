//! The suite itself: every case is on the list, every rule has tests, the test hash does what it
//! says.

use std::collections::BTreeSet;
use std::path::Path;

use ring_core::conformance::{BrokenReference, Case, RULES, TestHash, suite};
use ring_core::{Fnv1aFmix64, Hash64, Invariant};

/// `module::function` of each case that stands in the sources.
fn cases_in_the_sources() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance/cases");
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the folder of the cases is there") {
        let path = entry.expect("the folder can be read").path();
        let module = path.file_stem().and_then(|stem| stem.to_str()).expect("a module").to_owned();
        let source = std::fs::read_to_string(&path).expect("a source file can be read");
        // A case takes a backend as its only argument; its header may take several lines.
        for item in source.split("fn ").skip(1) {
            let Some((name, rest)) = item.split_once('<') else { continue };
            let header: String = rest.split('{').next().unwrap_or("").split_whitespace().collect();
            let header = header.replace(",>", ">").replace(",)", ")");
            if header == "B:Backend>(backend:&B)" {
                found.insert(format!("{module}::{name}"));
            }
        }
    }
    found
}

fn listed() -> Vec<&'static str> {
    suite::<BrokenReference>().iter().map(Case::name).collect()
}

#[test]
fn every_case_is_on_the_list() {
    let listed: BTreeSet<String> = listed().into_iter().map(str::to_owned).collect();
    assert!(listed.len() > 100, "{} cases", listed.len());
    assert_eq!(cases_in_the_sources(), listed);
}

#[test]
fn no_case_is_listed_twice() {
    let listed = listed();
    let distinct: BTreeSet<_> = listed.iter().collect();
    assert_eq!(distinct.len(), listed.len());
}

/// The tests of a rule in full: cases of the suite by name, `module::` written out.
fn tests_of(rule: &ring_core::conformance::Rule) -> Vec<String> {
    let listed = listed();
    let mut tests = Vec::new();
    for &test in rule.tests {
        let of_module = listed.iter().filter(|case| test.ends_with("::") && case.starts_with(test));
        let written_out: Vec<String> = of_module.map(|case| (*case).to_owned()).collect();
        if test.ends_with("::") {
            assert!(!written_out.is_empty(), "{}: no case in {test}", rule.id);
            tests.extend(written_out);
        } else {
            let elsewhere = test.contains(' ');
            assert!(elsewhere || listed.contains(&test), "{}: no case {test}", rule.id);
            tests.push(test.to_owned());
        }
    }
    tests
}

/// `.ci/spec-map` prints this table and looks whether each test is really there.
#[expect(clippy::print_stdout, reason = "the table is what the command above is for")]
#[test]
fn every_rule_has_tests() {
    println!("| rule | what it says | tests |\n|---|---|---|");
    let mut ids = BTreeSet::new();
    for rule in RULES {
        let tests = tests_of(rule);
        assert!(!tests.is_empty(), "{} has no test", rule.id);
        assert!(ids.insert(rule.id), "{} stands twice", rule.id);
        println!("| {} | {} | `{}` |", rule.id, rule.text, tests.join("` `"));
    }
    for invariant in Invariant::ALL {
        assert!(ids.contains(invariant.label()), "{} has no rule", invariant.label());
    }
    for case in 1..=19 {
        assert!(ids.contains(format!("C{case}").as_str()), "C{case} has no rule");
    }
}

#[test]
fn a_test_hash_is_cut_where_it_says() {
    let full = Fnv1aFmix64.hash64(b"key");
    assert_eq!(TestHash::full().hash64(b"key"), full);
    assert_eq!(TestHash::cut(64).hash64(b"key"), full);
    assert_eq!(TestHash::cut(8).hash64(b"key"), full >> 56 << 56);
    assert_eq!(TestHash::cut(1).hash64(b"key"), full >> 63 << 63);
    assert_eq!(TestHash::cut(0).hash64(b"key"), 0);
    assert_eq!(TestHash::cut_low(8).hash64(b"key"), full & 0xff);
    assert_eq!(TestHash::cut_low(0).hash64(b"key"), 0);
    assert_eq!(TestHash::cut_low(64).hash64(b"key"), full);
    assert_eq!(TestHash::constant(5).hash64(b"key"), 5);
}

#[test]
fn a_test_hash_of_a_table_falls_back_to_the_default_hash() {
    let hash = TestHash::table([("a#0", 1), ("a#1", 2)]);
    assert_eq!((hash.hash64(b"a#0"), hash.hash64(b"a#1")), (1, 2));
    assert_eq!(hash.hash64(b"a#2"), Fnv1aFmix64.hash64(b"a#2"));
    let mut row = [0; 4];
    hash.hash_tokens("a", 0, &mut row);
    assert_eq!(row, [1, 2, Fnv1aFmix64.hash64(b"a#2"), Fnv1aFmix64.hash64(b"a#3")]);
}

/// Rings under two of them are told apart by name.
#[test]
fn test_hashes_that_differ_have_other_names() {
    let hashes = [
        TestHash::full(),
        TestHash::cut(8),
        TestHash::cut_low(8),
        TestHash::constant(0),
        TestHash::constant(1),
        TestHash::table([("a", 1)]),
        TestHash::table([("a", 2)]),
        TestHash::table([("b", 1)]),
        TestHash::panicking("a"),
        TestHash::fickle(),
    ];
    let names: BTreeSet<&str> = hashes.iter().map(Hash64::name).collect();
    assert_eq!(names.len(), hashes.len());
}
