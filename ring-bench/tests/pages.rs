//! Pages that must not disagree with what they show: README with the reference run, CITATION.cff with the version, the
//! methodology with the command.

use std::fs;
use std::path::{Path, PathBuf};

use ring_bench::results::manifest::MANIFEST;
use ring_bench::results::run_dir::Run;
use ring_bench::results::splice::splice;

/// A file of the workspace.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(place(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn readme_shows_the_reference_run() {
    let folder = place("ring-bench/reference");
    assert!(folder.join(MANIFEST).is_file(), "ring-bench/reference holds no complete run");
    let run = Run::read(&folder).expect("the reference run can be read");
    let readme = text("README.md");
    let (spliced, count) = splice(&readme, &run).expect("README.md has markers for tables");
    assert!(count > 0);
    assert!(
        spliced == readme,
        "README.md differs from ring-bench/reference; run `ring-bench report ring-bench/reference --splice README.md`"
    );
}

#[test]
fn the_citation_names_this_version() {
    let citation = text("CITATION.cff");
    let version = citation.lines().find_map(|line| line.strip_prefix("version: "));
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
    for needed in ["cff-version: 1.2.0", "title: ", "authors:", "date-released: "] {
        assert!(citation.lines().any(|line| line.starts_with(needed)), "{needed}");
    }
}

#[test]
fn the_methodology_explains_every_operation_of_compare() {
    let page = text("ring-bench/METHODOLOGY.md");
    let samples =
        fs::read_to_string(place("ring-bench/reference/results.csv")).expect("a reference run");
    for line in samples.lines().skip(1) {
        let operation = line.split(',').nth(5).expect("an operation");
        assert!(
            page.contains(&format!("`{operation}`")),
            "METHODOLOGY.md does not explain {operation}"
        );
    }
}
