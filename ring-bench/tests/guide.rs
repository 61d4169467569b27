//! The figures of the guide in `ring-core` are what `cargo run --example guide_figures` makes of
//! real rings.

use std::collections::BTreeSet;
use std::sync::LazyLock;

#[path = "../examples/guide_figures/figures/mod.rs"]
mod figures;

/// All figures, made once.
static FIGURES: LazyLock<Vec<figures::Figure>> =
    LazyLock::new(|| figures::all().expect("the figures can be made"));

#[test]
fn committed_figures_are_what_the_generator_makes() {
    for figure in &*FIGURES {
        let path = figures::folder().join(figure.name);
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == figure.content,
            "{} is not what the generator makes; run `cargo run --release --example guide_figures` and look at it",
            path.display()
        );
    }
}

#[test]
fn every_committed_figure_is_generated_and_shown() {
    let generated: BTreeSet<String> = FIGURES.iter().map(|figure| figure.name.to_owned()).collect();
    let committed: BTreeSet<String> = std::fs::read_dir(figures::folder())
        .expect("the figures are committed")
        .filter_map(|entry| entry.expect("the folder can be listed").file_name().into_string().ok())
        .collect();
    assert_eq!(committed, generated);

    let mut pages = String::new();
    let guide = figures::folder().join("..");
    for entry in std::fs::read_dir(guide).expect("the guide is beside its figures") {
        let path = entry.expect("the folder can be listed").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            pages += &std::fs::read_to_string(path).expect("a page is text");
        }
    }
    for name in &generated {
        assert!(
            pages.contains(&format!("include_str!(\"figures/{name}\")")),
            "{name} is not shown"
        );
    }
}

/// README's short table of balance is part of the guide's.
#[test]
fn readme_shows_figures_of_the_guide() {
    let readme = include_str!("../../README.md");
    let balance = FIGURES.iter().find(|figure| figure.name == "balance.md").expect("it is made");
    let mut shown = 0;
    for row in balance.content.lines().filter(|row| row.starts_with("| 100 |")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, _, vnodes, _, _, deviation, fullest, _, _] = cells[..] else {
            panic!("{row} has other columns")
        };
        if vnodes != "1" {
            let line = format!("| {vnodes} | {deviation} | {fullest} |");
            assert!(readme.lines().any(|shown| shown == line), "README.md does not show {line}");
            shown += 1;
        }
    }
    assert_eq!(shown, 3);
}

#[test]
fn drawings_have_a_title_and_stand_in_markdown_without_breaking_it() {
    for figure in &*FIGURES {
        if !figure.content.starts_with("<svg") {
            continue;
        }
        let name = figure.name;
        let lines: Vec<&str> = figure.content.lines().collect();
        // Markdown takes raw HTML from a line with one whole tag up to the first empty line.
        assert!(lines[0].starts_with("<svg ") && lines[0].ends_with('>'), "{name}");
        assert!(lines.iter().all(|line| !line.trim().is_empty()), "{name} has an empty line");
        let title = lines[1].strip_prefix("<title>").and_then(|line| line.strip_suffix("</title>"));
        assert!(
            title.is_some_and(|title| title.len() > 30),
            "{name} has no title that says what it shows"
        );
        // Text takes the page's own colour, so that it can be read on light and dark grounds.
        for line in lines.iter().filter(|line| line.starts_with("<text")) {
            assert!(line.contains("fill=\"currentColor\""), "{name}: {line}");
        }
    }
}

/// A document of `compare --peers`, with just what the tables are made of. Figures follow from the contender's place
/// in the list and the number of nodes, so that a cell in the wrong row or column is seen.
fn peers_document(class: &str) -> serde_json::Value {
    use ring_bench::stats::real_len;
    use serde_json::json;
    let names = [
        "SortedVecRing",
        "BTreeRing",
        "hash % N",
        "jumphash",
        "hrw-hash",
        "maglev",
        "hash alone",
        "SharedRing, reader handle",
        "SharedRing, guard a lookup",
        "RwLock<SortedVecRing>",
    ];
    let row = |label: &str, operation: &str, regime: &str, nodes: usize, median: f64| {
        json!({
            "workload": "", "experiment": "", "operation": operation, "regime": regime, "nodes": nodes, "vnodes": 100,
            "tokens": 100 * nodes, "backend": label, "unit": "ns", "median": median, "low": 0.9 * median,
            "high": 1.1 * median, "pairs": 6, "sittings": 3, "p99": null, "sitting_range": null
        })
    };
    let (mut contenders, mut rows, mut ratios) = (vec![], vec![], vec![]);
    for (place, name) in names.iter().enumerate() {
        for hash in ["xxh3-64", "fnv1a64-fmix64"] {
            let label = format!("{name} ({hash})");
            let package = if *name == "maglev" { "maglev 1.2.3" } else { "" };
            let note = if *name == "maglev" { "built anew" } else { "" };
            contenders.push(
                json!({ "label": label, "contender": name, "hash": hash, "package": package, "note": note }),
            );
            for (nodes, more) in [(100, 0.5), (1000, 0.25)] {
                let median = 10.0 * real_len(place + 1) + more;
                rows.push(row(&label, "get", "throughput", nodes, median));
            }
        }
        // The crates are changed under the hash that they come with.
        if !matches!(*name, "hash % N" | "jumphash" | "hash alone") {
            let hash = if place < 2 { "xxh3-64" } else { "shipped" };
            let label = format!("{name} ({hash})");
            if hash == "shipped" {
                contenders.push(
                    json!({ "label": label, "contender": name, "hash": hash, "package": "", "note": "" }),
                );
            }
            rows.push(row(&label, "add", "exclusive", 1000, 1e6 + 1e3 * real_len(place)));
        }
        rows.push(row(
            &format!("{name} (xxh3-64)"),
            "heap",
            "bulk",
            1000,
            1024.0 * real_len(place),
        ));
        let ratio = 1.0 + real_len(place) / 10.0;
        ratios.push(json!({
            "workload": "", "experiment": "lookup", "operation": "get", "regime": "throughput", "nodes": 100,
            "vnodes": 100, "of": format!("{name} (fnv1a64-fmix64)"), "over": "SortedVecRing (fnv1a64-fmix64)",
            "ratio": ratio, "low": ratio - 0.01, "high": ratio + 0.01, "slower": 6, "pairs": 6, "null": null,
            "null_spread": null, "status": "different"
        }));
    }
    json!({
        "schema": "ring-peers/1", "class": class, "contenders": contenders, "rows": rows, "ratios": ratios,
        "environment": committed_environment()
    })
}

/// The circumstances of the reference run: any will do here.
fn committed_environment() -> serde_json::Value {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/reference/env.json");
    let text = std::fs::read_to_string(place).expect("the reference run is committed");
    let mut env: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    env["environment"].take()
}

#[test]
fn tables_of_times_hold_the_figures_of_their_document() {
    let peers = figures::read_peers(&peers_document("indicative").to_string())
        .unwrap_or_else(|error| panic!("{error}"));
    let schemes = figures::schemes_of(&peers).expect("the document has all schemes");
    let rows: Vec<&str> = schemes.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    assert_eq!(
        rows,
        [
            "| ring on a sorted vector | this repository | 10.5 ± 10 % | 10.2 ± 10 % | 1000.0 ± 10 % | 0 |",
            "| ring on a tree | this repository | 20.5 ± 10 % | 20.2 ± 10 % | 1001.0 ± 10 % | 1 |",
            "| `hash % N` | this repository | 30.5 ± 10 % | 30.2 ± 10 % | - | 2 |",
            "| jump | this repository | 40.5 ± 10 % | 40.2 ± 10 % | - | 3 |",
            "| rendezvous | this repository | 50.5 ± 10 % | 50.2 ± 10 % | 1004.0 ± 10 % | 4 |",
            "| Maglev | maglev 1.2.3: built anew | 60.5 ± 10 % | 60.2 ± 10 % | 1005.0 ± 10 % | 5 |",
            "| *hash* | | 70.5 ± 10 % | 70.2 ± 10 % | | |",
        ]
    );
    let readers = figures::readers_of(&peers).expect("the document has all readers");
    for cell in [
        "| 1 (10.5 ns) |",
        "| 1.70x \\[1.69, 1.71] |",
        "| 1.80x \\[1.79, 1.81] |",
        "| 1.90x \\[1.89, 1.91] |",
    ] {
        assert!(readers.contains(cell), "no {cell} in {readers}");
    }
}

#[test]
fn a_document_that_proves_nothing_is_refused() {
    let refusal = |document: serde_json::Value| -> String {
        match figures::read_peers(&document.to_string()) {
            Ok(_) => panic!("it was taken"),
            Err(error) => error.to_string(),
        }
    };
    assert!(refusal(peers_document("smoke")).contains("the class is smoke"));
    let mut other = peers_document("reference");
    other["schema"] = "ring-compare/1".into();
    assert!(refusal(other).contains("ring-compare/1"));

    let mut without = peers_document("reference");
    without["contenders"]
        .as_array_mut()
        .expect("a list")
        .retain(|one| one["contender"] != "maglev");
    let peers = figures::read_peers(&without.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let error = figures::schemes_of(&peers).expect_err("a scheme is missing").to_string();
    assert!(error.contains("maglev"), "{error}");
}

/// Once a run against other crates is published, the guide shows it.
#[test]
fn a_published_run_is_shown() {
    let published = figures::peers_place().exists();
    for name in ["scheme_times.md", "reader_times.md"] {
        let figure = FIGURES.iter().find(|figure| figure.name == name).expect("it is made");
        assert_eq!(!figure.content.is_empty(), published, "{name}");
    }
}
