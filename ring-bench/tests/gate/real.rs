//! The gate on this very program. Nothing is asserted about times.

use std::process::Command;

use ring_bench::compare::Unwatched;
use ring_bench::gate::benchmarks::Suite;
use ring_bench::gate::exact::{Kind, Recorded, compare, render};
use ring_bench::gate::{Builds, callgrind};
use ring_bench::lockstep::link::{Link, Program};
use ring_bench::lockstep::protocol::{Answer, Ask};

use crate::fake::{code, gate, pair, program, run_in, stderr, stdout};

const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/gate-exact.csv");

#[test]
fn this_build_gives_the_recorded_figures() {
    let mut link = Link::start(&Program::other("head", program())).expect("a worker");
    let Ok(Answer::Exact { toolchain, figures }) = link.ask(&Ask::Exact) else {
        panic!("no exact figures")
    };
    let recorded = Recorded::read(REFERENCE.as_ref()).expect("the reference file");
    let rows = compare(None, Some(&figures), Some(&recorded), &toolchain);
    let differ: Vec<_> = rows.iter().filter(|row| !row.equal).collect();
    assert!(differ.is_empty(), "{differ:#?}");
    let placements = figures.iter().filter(|figure| figure.kind == Kind::Placement);
    assert!(placements.clone().count() >= 80);
    assert!(rows.iter().filter(|row| row.recorded.is_some()).count() >= placements.count());
    // No figure of the file went missing.
    assert_eq!(Recorded::parse(&render(&figures)).map(|r| r.len()), Ok(recorded.len()));
    // Both backends place alike: the figures of a pair are equal.
    for figure in figures.iter().filter(|figure| figure.name.ends_with(" btree")) {
        if figure.kind == Kind::Placement {
            let other = figure.name.replace(" btree", " sortedvec");
            assert!(figures.iter().any(|f| f.name == other && f.value == figure.value), "{other}");
        }
    }
}

#[test]
fn a_copy_of_this_program_does_not_regress() {
    let folder = tempfile::tempdir().expect("a folder");
    let this = program().display().to_string();
    let mut arguments = pair(&this, &this);
    arguments.extend(["--keys-count", "2000", "--format", "json", "--reference", REFERENCE]);
    let output = gate(folder.path(), &arguments);
    let value: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    // A busy machine may leave no verdict, but it must not invent one.
    assert!([0, 4].contains(&code(&output)), "{}", stderr(&output));
    assert_eq!(value["exit"], code(&output));
    assert!(
        value["exact"].as_array().is_some_and(|rows| rows.iter().all(|row| row["equal"] == true))
    );
    assert!(value["notes"].to_string().contains("the same file, byte for byte"), "{value}");
}

#[test]
fn instructions_are_the_same_run_after_run() {
    if !callgrind::is_present() {
        eprintln!("skipped: valgrind is not installed");
        return;
    }
    // A program of this profile is mostly debugging symbols, and a worker under valgrind hashes its own file.
    let folder = tempfile::tempdir().expect("a folder");
    let small = folder.path().join("small");
    let mut strip = Command::new("strip");
    strip.arg("--strip-debug").arg("-o").arg(&small).arg(program());
    assert!(
        run_in(folder.path(), &mut strip).status.success(),
        "strip, of the package binutils, failed"
    );
    let program = Program::other("base", small);
    let builds = Builds { base: program.clone(), head: program, labels: Default::default() };
    let suite = Suite::new(&["btree/get/100x100".to_owned(), "btree/add/".to_owned()], None)
        .expect("there are some");
    let ratios = callgrind::ratios(&suite, &builds, &Unwatched).expect("counted");
    assert_eq!(ratios, vec![Some(1.0); suite.benchmarks.len()]);
}

#[test]
fn benchmarks_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = gate(folder.path(), &["--list"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).lines().count() >= 24, "{}", stdout(&output));
    assert!(stdout(&output).contains("btree/load-snapshot/100x100\n"));
}
