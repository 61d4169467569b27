//! Runs as directories, through the command: written, verified, damaged, drawn again, compared, spliced. A tiny run
//! serves all tests. Nothing is asserted about times.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use ring_bench::results::manifest::{FileDigest, MANIFEST, Manifest};
use ring_bench::results::run_dir::json;

mod damage;

fn ring_bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ring-bench"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("ring-bench runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A run that was made once.
fn original() -> &'static Path {
    static RUN: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, folder) = RUN.get_or_init(|| {
        let place = tempfile::tempdir().expect("a directory");
        let folder = place.path().join("run");
        let output = ring_bench(&[
            "compare",
            "--quick",
            "--nodes",
            "3,5",
            "--vnodes",
            "4",
            "--keys-count",
            "300",
            "--out",
            folder.to_str().expect("a path"),
        ]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        (place, folder)
    });
    folder
}

/// A copy of it to be damaged.
fn copy() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().expect("a directory");
    let folder = place.path().join("copy");
    fs::create_dir(&folder).expect("made");
    for entry in fs::read_dir(original()).expect("a run") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), folder.join(entry.file_name())).expect("copied");
    }
    (place, folder)
}

/// Verifies a copy, which must fail; returns the findings.
fn findings(folder: &Path) -> String {
    let output = ring_bench(&["verify", folder.to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(1), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Puts the digest of a changed file into the manifest, as a forger would.
fn repair_manifest(folder: &Path, name: &str) {
    let path = folder.join(MANIFEST);
    let mut manifest: Manifest =
        serde_json::from_slice(&fs::read(&path).expect("a manifest")).expect("a manifest");
    let digest = FileDigest::of(&fs::read(folder.join(name)).expect("a file"));
    manifest.files.insert(name.to_owned(), digest);
    fs::write(path, json(&manifest).expect("JSON")).expect("written");
}

/// Changes a field of one line of a CSV file.
fn edit(folder: &Path, name: &str, line: usize, column: &str, change: impl Fn(&str) -> String) {
    let path = folder.join(name);
    let old = fs::read_to_string(&path).expect("a file");
    let header: Vec<&str> = old.lines().next().expect("a header").split(',').collect();
    let at = header.iter().position(|c| *c == column).expect("a column");
    let lines: Vec<String> = old
        .lines()
        .enumerate()
        .map(|(place, text)| {
            if place != line {
                return text.to_owned();
            }
            let mut fields: Vec<String> = text.split(',').map(str::to_owned).collect();
            fields[at] = change(&fields[at]);
            fields.join(",")
        })
        .collect();
    fs::write(path, lines.join("\n") + "\n").expect("written");
}

#[test]
fn a_run_verifies_and_says_what_was_checked() {
    let output = ring_bench(&["verify", original().to_str().expect("a path")]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(
        text(&output.stdout).starts_with("verified: digests of 10 files, "),
        "{}",
        text(&output.stdout)
    );
    // A sentence, what to cite, and no progress where nobody watches.
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].ends_with(" drawn again."), "{printed}");
    let manifest = FileDigest::of(&fs::read(original().join(MANIFEST)).expect("a manifest"));
    assert!(lines[1].contains(&manifest.sha256), "{printed}");
    assert_eq!(lines.len(), 2);
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn who_uses_a_changed_run_is_warned() {
    let (_place, folder) = copy();
    edit(&folder, "pauses.csv", 1, "lookups", |old| format!("{old}0"));
    let folder = folder.to_str().expect("a path");
    let original = original().to_str().expect("a path");
    for arguments in
        [vec!["report", folder, "--export-json", "/dev/null"], vec!["cmp", original, folder]]
    {
        let output = ring_bench(&arguments);
        let said = text(&output.stderr);
        assert!(said.contains("pauses.csv differ from what the manifest names"), "{said}");
    }
    let output = ring_bench(&["cmp", original, original]);
    assert!(!text(&output.stderr).contains("differ from what"), "{}", text(&output.stderr));
}

#[test]
fn what_is_no_run_is_refused() {
    let place = tempfile::tempdir().expect("a directory");
    let missing = place.path().join("missing");
    for verb in ["verify", "report"] {
        let output = ring_bench(&[verb, missing.to_str().expect("a path")]);
        assert_eq!(output.status.code(), Some(2), "{verb}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    assert!(findings(place.path()).contains("incomplete"));
    fs::write(place.path().join(MANIFEST), "{\"schema\": 3").expect("written");
    assert!(findings(place.path()).starts_with("manifest.json: is not what a run writes"));
}

#[test]
fn a_report_is_drawn_again_byte_for_byte() {
    let (_place, folder) = copy();
    let before = fs::read(folder.join("report.html")).expect("a report");
    fs::remove_file(folder.join("report.html")).expect("removed");
    fs::write(folder.join("results.md"), "").expect("written");
    let path = folder.to_str().expect("a path");
    assert!(ring_bench(&["report", path]).status.success());
    assert!(fs::read(folder.join("report.html")).expect("a report") == before);
    assert!(ring_bench(&["verify", path]).status.success());
    let page = folder.parent().expect("a parent").join("page.html");
    assert!(
        ring_bench(&["report", path, "--export-html", page.to_str().expect("a path")])
            .status
            .success()
    );
    assert!(fs::read(page).expect("a page") == before);
}

#[test]
fn a_page_is_spliced_whole_or_not_at_all() {
    let (place, folder) = copy();
    let (run, page) = (folder.to_str().expect("a path"), place.path().join("page.md"));
    let name = page.to_str().expect("a path");
    fs::write(&page, "# A\n<!-- table: remap -->\nold\n<!-- end -->\nrest\n").expect("written");
    assert!(ring_bench(&["report", run, "--splice", name]).status.success());
    let spliced = fs::read_to_string(&page).expect("a page");
    assert!(
        spliced.contains("hash space moved")
            && !spliced.contains("old")
            && spliced.ends_with("rest\n")
    );
    assert!(ring_bench(&["report", run, "--splice", name]).status.success());
    assert_eq!(fs::read_to_string(&page).expect("a page"), spliced);
    for bad in ["<!-- table: remap -->\n", "<!-- table: prices -->\n<!-- end -->\n", "none\n"] {
        fs::write(&page, bad).expect("written");
        let output = ring_bench(&["report", run, "--splice", name]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert_eq!(fs::read_to_string(&page).expect("a page"), bad);
    }
}

#[test]
fn runs_of_different_machines_are_refused_unless_told_otherwise() {
    let (_place, folder) = copy();
    let (a, b) = (original().to_str().expect("a path"), folder.to_str().expect("a path"));
    assert!(ring_bench(&["cmp", a, b]).status.success());
    let path = folder.join("results.json");
    let mut record: serde_json::Value =
        serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
    record["environment"]["machine"]["cpu"] = "Abacus 3000".into();
    fs::write(&path, record.to_string()).expect("written");
    let output = ring_bench(&["cmp", a, b]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Abacus 3000"), "{}", text(&output.stderr));
    assert!(ring_bench(&["cmp", a, b, "--different-machines"]).status.success());
}

#[test]
fn places_that_cannot_be_written_are_told_before_anything_is_measured() {
    let place = tempfile::tempdir().expect("a directory");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ring-bench"));
        command.args(["compare", "--quick"]).args(arguments).current_dir(place.path());
        let output = command.stdin(Stdio::null()).output().expect("ring-bench runs");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        (output.status.code(), text(&output.stderr))
    };
    fs::write(place.path().join("file"), "x").expect("written");
    for (arguments, code, words) in [
        (&["--export-json", "a", "--export-csv", "a"][..], 2, "a: two exports go to this file"),
        (&["--export-json", "a", "--export-markdown", "./a"], 2, "./a: two exports"),
        (&["--export-json", "file", "--export-html", "file"], 2, "file: two exports"),
        (&["--export-json", "-"], 2, "-: a file was expected"),
        (&["--export-json", "no/a"], 1, "no/a: cannot be written: there is no directory no"),
        (&["--out", "no/run"], 1, "no/run: cannot be written: its parent is no directory"),
        (&["--out", "file"], 1, "file: cannot be written: "),
    ] {
        let (found, said) = run(arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    assert_eq!(fs::read_dir(place.path()).expect("a directory").count(), 1);
}

#[test]
fn a_run_is_never_written_over_something() {
    let place = tempfile::tempdir().expect("a directory");
    fs::write(place.path().join("precious"), "x").expect("written");
    let output =
        ring_bench(&["compare", "--quick", "--out", place.path().to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("new or empty"), "{}", text(&output.stderr));
    assert_eq!(fs::read_dir(place.path()).expect("a directory").count(), 1);
}

#[test]
fn choose_refuses_what_it_cannot_measure_before_it_measures() {
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("w.toml");
    let name = file.to_str().expect("a path");
    for (content, word) in [
        ("nodes = 5\nlookups_per_change = 1\nvnode = 3\n", "line 3"),
        ("nodes = 5\n", "lookups_per_change"),
        ("nodes = 0\nlookups_per_change = 1\n", "nodes"),
        ("\u{0}", "line 1"),
    ] {
        fs::write(&file, content).expect("written");
        let output = ring_bench(&["choose", name]);
        assert_eq!(output.status.code(), Some(2), "{content}");
        assert!(output.stdout.is_empty());
        let said = text(&output.stderr);
        assert!(said.contains(name) && said.contains(word), "{said}");
    }
    for arguments in [
        &["choose"][..],
        &["choose", "no-such-preset"],
        &["choose", "--nodes", "5"],
        &["choose", "giant", "--max-pause", "50"],
        &["choose", "giant", "--max-memory", "4 apples"],
        &["choose", "giant", "--max-over-mean", "1"],
        &["choose", "giant", "--lookups-per-change", "-1"],
    ] {
        let output = ring_bench(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn choose_answers_with_the_fixed_members() {
    let output = ring_bench(&[
        "choose",
        "--nodes",
        "4",
        "--vnodes",
        "10",
        "--lookups-per-change",
        "50",
        "--keys-count",
        "500",
        "--max-over-mean",
        "2",
        "--format",
        "json",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["schema"], "ring-choose/1");
    for name in [
        "workload",
        "verdict",
        "p_cheaper",
        "cost_ratio",
        "break_even",
        "pause_ns",
        "bytes",
        "checks",
        "excluded",
        "vnodes",
    ] {
        assert!(found.get(name).is_some(), "{name}");
    }
    for backend in ["sortedvec", "btree"] {
        for name in ["p50", "p99", "p999", "max", "count"] {
            assert!(found["pause_ns"][backend].get(name).is_some(), "{backend} {name}");
        }
    }
    assert!(
        found["checks"]
            .as_array()
            .expect("checks")
            .iter()
            .all(|check| check["predicted_ns"].as_f64() > Some(0.0))
    );
    assert!(found["vnodes"]["vnodes"].as_u64() > Some(1));
}

#[test]
fn everything_listed_can_be_shown() {
    let listed = ring_bench(&["list"]);
    assert!(listed.status.success());
    for line in text(&listed.stdout).lines().skip(1) {
        let name = line.split_whitespace().nth(1).expect("a name");
        let shown = ring_bench(&["show", name]);
        assert!(shown.status.success() && !shown.stdout.is_empty(), "{name}");
    }
    assert_eq!(ring_bench(&["show", "nothing"]).status.code(), Some(2));
}

#[test]
fn key_files_that_are_empty_or_missing_are_refused_and_bytes_of_any_kind_work() {
    let place = tempfile::tempdir().expect("a directory");
    let keys = place.path().join("keys.txt");
    let corpus = format!("file:{}", keys.display());
    let compare = || {
        ring_bench(&["compare", "--quick", "--nodes", "3", "--vnodes", "4", "--corpus", &corpus])
    };
    let missing = compare();
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("cannot be read"), "{}", text(&missing.stderr));
    fs::write(&keys, "").expect("written");
    let empty = compare();
    assert_eq!(empty.status.code(), Some(2));
    assert!(text(&empty.stderr).contains("holds no key"), "{}", text(&empty.stderr));
    fs::write(&keys, b"\xff\xfe\n\n\0\nplain").expect("written");
    let odd = compare();
    assert!(odd.status.success(), "{}", text(&odd.stderr));
    assert!(text(&odd.stdout).contains("4 keys, 4 distinct"), "{}", text(&odd.stdout));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_destroys_no_export() {
    let place = tempfile::tempdir().expect("a directory");
    let page = place.path().join("page.html");
    fs::write(&page, "precious").expect("written");
    // A limit on the size of files stands in for a disk that fills up half-way.
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec {} report {} --export-html {}",
        env!("CARGO_BIN_EXE_ring-bench"),
        original().display(),
        page.display()
    );
    let output = Command::new("sh").args(["-c", &script]).output().expect("sh runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("page.html: cannot be written"));
    assert_eq!(fs::read_to_string(&page).expect("a page"), "precious");
    assert_eq!(fs::read_dir(place.path()).expect("a directory").count(), 1);
}
