//! Runs that were damaged, by accident or by a forger: `verify` names the file and the cell.

use ring_bench::record::Class;

use super::*;

#[test]
fn a_class_that_does_not_follow_is_found_in_the_manifest() {
    let (_place, folder) = copy();
    let path = folder.join(MANIFEST);
    let manifest: Manifest =
        serde_json::from_slice(&fs::read(&path).expect("a manifest")).expect("a manifest");
    let claims = |change: &dyn Fn(&mut Manifest)| {
        let mut manifest = manifest.clone();
        change(&mut manifest);
        fs::write(&path, json(&manifest).expect("JSON")).expect("written");
        findings(&folder)
    };
    let found = claims(&|manifest| manifest.class = Class::Reference);
    assert!(found.starts_with("manifest.json: the class smoke "), "{found}");
    assert!(found.contains("reference ") && found.contains("stands there"), "{found}");
    assert_eq!(found.lines().count(), 1, "{found}");
    let found = claims(&|manifest| manifest.class_reasons.clear());
    assert!(found.contains("--quick") && found.lines().count() == 1, "{found}");
}

#[test]
fn an_edit_that_no_drawing_shows_is_found_by_the_digest_of_its_row() {
    for name in ["pauses.csv", "regimes.csv"] {
        let (_place, folder) = copy();
        let path = folder.join(name);
        let old = fs::read_to_string(&path).expect("a file");
        let mut lines: Vec<&str> = old.lines().collect();
        // Two lines of one series that differ, in the other order.
        let series = |line: &str| line.rsplit_once(',').map(|(series, _)| series.to_owned());
        let series = |line: &str| match name {
            "pauses.csv" => series(line).and_then(|rest| Some(rest.rsplit_once(',')?.0.to_owned())),
            _ => series(line),
        };
        let at = (1..lines.len() - 1)
            .find(|&at| series(lines[at]) == series(lines[at + 1]) && lines[at] != lines[at + 1]);
        lines.swap(at.expect("two lines"), at.expect("two lines") + 1);
        fs::write(&path, lines.join("\n") + "\n").expect("written");
        repair_manifest(&folder, name);
        let found = findings(&folder);
        assert!(found.contains("samples_sha256"), "{name}: {found}");
        assert!(
            found.contains(if name == "pauses.csv" { "row pauses" } else { "row passes" }),
            "{found}"
        );
    }
}

#[test]
fn settings_that_the_samples_do_not_bear_out_are_found() {
    for (field, words) in [
        ("pairs", "main process pairs"),
        ("null_pairs", "null process pairs"),
        ("sittings", "settings of 3 sittings"),
    ] {
        let (_place, folder) = copy();
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).expect("a manifest");
        let edited = text.replace(&format!("\"{field}\": 3"), &format!("\"{field}\": 9"));
        assert_ne!(text, edited, "{field}");
        fs::write(&path, edited).expect("written");
        let found = findings(&folder);
        assert!(found.contains(words), "{field}: {found}");
    }
}

#[test]
fn an_interrupted_run_is_incomplete() {
    let (_place, folder) = copy();
    fs::remove_file(folder.join(MANIFEST)).expect("removed");
    let found = findings(&folder);
    assert!(found.starts_with("manifest.json: ") && found.contains("incomplete"), "{found}");
    assert_eq!(found.lines().count(), 1);
}

#[test]
fn truncated_missing_and_extra_files_are_named() {
    for name in [
        "samples.csv",
        "exact.csv",
        "results.json",
        "report.html",
        "env.json",
        "pauses.csv",
        "regimes.csv",
    ] {
        let (_place, folder) = copy();
        let old = fs::read(folder.join(name)).expect("a file");
        fs::write(folder.join(name), &old[..old.len() / 2]).expect("written");
        let found = findings(&folder);
        assert!(
            found.lines().any(|line| line.starts_with(&format!("{name}: "))
                && line.contains("bytes were expected")),
            "{found}"
        );
    }
    let (_place, folder) = copy();
    fs::remove_file(folder.join("corpora.json")).expect("removed");
    fs::write(folder.join("notes.txt"), "extra").expect("written");
    let found = findings(&folder);
    assert_eq!(found.matches("corpora.json: cannot be read").count(), 1, "{found}");
    assert!(found.contains("notes.txt: no such file was expected"), "{found}");
}

#[test]
fn an_edited_file_is_named_by_its_digest() {
    let (_place, folder) = copy();
    edit(&folder, "samples.csv", 7, "elapsed_ns", |old| old.chars().rev().collect());
    let found = findings(&folder);
    assert!(found.contains("samples.csv: SHA-256") || found.contains("samples.csv: "), "{found}");
}

#[test]
fn an_edited_sample_is_found_by_the_cell_that_no_longer_follows() {
    for (line, column) in [(7, "elapsed_ns"), (8, "readings"), (9, "first"), (10, "count")] {
        let (_place, folder) = copy();
        edit(&folder, "samples.csv", line, column, |old| match old {
            "0" => "1".to_owned(),
            "1" if column == "first" => "0".to_owned(),
            other => (other.parse::<u64>().expect("a number") + 1).to_string(),
        });
        repair_manifest(&folder, "samples.csv");
        let found = findings(&folder);
        assert!(found.lines().all(|line| !line.starts_with("samples.csv: SHA-256")), "{found}");
        assert!(
            found.lines().any(|line| line.starts_with("results.csv: line ")),
            "{column}: {found}"
        );
        // The cell by its row and column, in words.
        let cell = found.lines().find(|line| line.contains("column samples_sha256")).unwrap_or("");
        assert!(
            cell.contains(", row figure, 3x4 uniform(16), ") && cell.contains("was expected"),
            "{column}: {found}"
        );
    }
}

#[test]
fn an_edited_cell_exact_figure_or_key_digest_is_found_though_the_manifest_was_repaired() {
    let replace = |name: &str, from: &str, to: &str| {
        let (place, folder) = copy();
        let old = fs::read_to_string(folder.join(name)).expect("a file");
        assert!(old.contains(from), "{name} holds no {from}");
        fs::write(folder.join(name), old.replacen(from, to, 1)).expect("written");
        repair_manifest(&folder, name);
        let found = findings(&folder);
        drop(place);
        found
    };
    let found = replace("results.json", "\"slower\": ", "\"slower\": 9");
    assert!(found.contains("results.json: ratios["), "{found}");
    let found = replace("exact.csv", "keys_total,300", "keys_total,301");
    assert!(
        found.contains("exact.csv: line ") && found.contains("keys_total = 300 was expected"),
        "{found}"
    );
    let found = replace("corpora.json", "\"sha256\": \"", "\"sha256\": \"f");
    assert!(found.contains("corpora.json: [") && found.contains("sha256"), "{found}");
    let found = replace("report.html", "<h1>", "<h1>Best: ");
    assert!(found.contains("report.html: line "), "{found}");
}
