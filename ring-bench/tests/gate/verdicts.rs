//! Every verdict, by workers whose times are known.

use std::fs;

use serde_json::Value;

use crate::fake::{Fake, code, gate, pair, stderr, stdout};

fn json(base: &Fake, head: &Fake, more: &[&str]) -> (i32, Value, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let base = base.write(folder.path(), "base");
    let head = head.write(folder.path(), "head");
    let mut arguments = pair(&base, &head);
    arguments.extend(["--format", "json"]);
    arguments.extend(more);
    let output = gate(folder.path(), &arguments);
    let value = serde_json::from_str(&stdout(&output))
        .unwrap_or_else(|e| panic!("{e}: {}", stderr(&output)));
    (code(&output), value, stderr(&output))
}

#[test]
fn equal_times_pass() {
    let (code, value, said) = json(&Fake::new("1000"), &Fake::new("1000"), &[]);
    assert_eq!((code, &value["verdict"], &value["exit"]), (0, &"pass".into(), &0.into()), "{said}");
    assert_eq!(value["schema"], "ring-gate/1");
    assert_eq!(value["null_spread"], 0.0);
    let rows = value["benchmarks"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(row["name"], "get/10x100");
        assert_eq!(
            (&row["ratio"], &row["pairs"], &row["stage"]),
            (&1.0.into(), &8.into(), &1.into())
        );
        assert_eq!(row["status"], "pass");
        assert!(row["ir_ratio"].is_null());
    }
    let notes = value["notes"].to_string();
    assert!(notes.contains("instructions: skipped"), "{notes}");
    assert!(said.is_empty(), "{said}");
}

#[test]
fn ten_percent_more_time_regresses_in_two_stages() {
    let (code, value, said) = json(&Fake::new("1000"), &Fake::new("1100"), &[]);
    assert_eq!((code, &value["verdict"]), (3, &"regressed".into()));
    let row = &value["benchmarks"][0];
    assert_eq!((&row["stage"], &row["pairs"], &row["slower"]), (&2.into(), &16.into(), &16.into()));
    assert!((row["ratio"].as_f64().unwrap() - 1.1).abs() < 1e-9);
    assert_eq!(row["status"], "regressed");
    assert!(said.starts_with("error: REGRESSED: slower: "), "{said}");
}

#[test]
fn workers_are_told_to_keep_their_memory() {
    // A worker that is not told is twice as slow.
    let told =
        Fake::new("$((MALLOC_TRIM_THRESHOLD_ > 0 && MALLOC_MMAP_THRESHOLD_ > 0 ? 1000 : 2000))");
    let (code, value, said) = json(&told, &Fake::new("1000"), &[]);
    assert_eq!((code, &value["benchmarks"][0]["ratio"]), (0, &1.0.into()), "{said}");
    let (code, value, said) = json(&Fake::new("1000"), &told, &[]);
    assert_eq!((code, &value["benchmarks"][0]["ratio"]), (0, &1.0.into()), "{said}");
}

#[test]
fn four_percent_warns_and_less_time_is_faster() {
    let (code, value, _) = json(&Fake::new("1000"), &Fake::new("1040"), &[]);
    assert_eq!((code, &value["benchmarks"][0]["status"]), (0, &"warn".into()));
    let (code, value, _) = json(&Fake::new("1000"), &Fake::new("900"), &[]);
    assert_eq!((code, &value["benchmarks"][0]["status"]), (0, &"faster".into()));
}

#[test]
fn a_copy_that_differs_from_its_base_leaves_no_verdict() {
    // The script looks at its own name: the null control runs a copy called `copy`.
    let base = Fake::new("1000; case $0 in */copy) ns=1040;; esac");
    let (code, value, said) = json(&base, &Fake::new("1500"), &[]);
    assert_eq!((code, &value["verdict"]), (4, &"inconclusive".into()));
    assert!((value["null_spread"].as_f64().unwrap() - 0.04).abs() < 1e-9);
    assert!(said.contains("too noisy to tell"), "{said}");
    // What looked slower is named all the same.
    assert!(said.contains("get/10x100"), "{said}");
}

#[test]
fn other_rings_are_no_comparison_and_say_so_loudly() {
    let mut other = Fake::new("1000");
    other.prepare = r#"echo '{"answer":"prepared","tokens":1000,"keys":5,"keys_digest":1,"fingerprint":8,"cpu":0,"unpinned":null,"clock":{"read_ns":0.0,"step_ns":1}}'"#;
    let (code, value, said) = json(&Fake::new("1000"), &other, &[]);
    assert_eq!((code, &value["verdict"], &value["exit"]), (5, &"answers-differ".into(), &5.into()));
    assert!(said.contains("ANSWERS DIFFER"), "{said}");
    assert_eq!(value["benchmarks"], Value::Array(Vec::new()));
}

#[test]
fn a_placement_that_changed_is_seen_before_anything_is_timed() {
    let exact = |value| {
        let mut fake = Fake::new("1000");
        fake.exact = value;
        fake
    };
    let one = exact(
        r#"echo '{"answer":"exact","toolchain":"t","figures":[{"name":"owners","kind":"placement","value":"00"},{"name":"bytes","kind":"count","value":"10"}]}'"#,
    );
    let moved = exact(
        r#"echo '{"answer":"exact","toolchain":"t","figures":[{"name":"owners","kind":"placement","value":"01"},{"name":"bytes","kind":"count","value":"10"}]}'"#,
    );
    let (code, value, said) = json(&one, &moved, &[]);
    assert_eq!((code, &value["verdict"]), (5, &"answers-differ".into()));
    assert!(said.contains("PLACEMENT CHANGED: 1 of 2"), "{said}");
    assert_eq!(value["exact"][0]["equal"], false);
    assert_eq!(
        (&value["exact"][0]["base"], &value["exact"][0]["head"]),
        (&"00".into(), &"01".into())
    );

    let larger = exact(
        r#"echo '{"answer":"exact","toolchain":"t","figures":[{"name":"owners","kind":"placement","value":"00"},{"name":"bytes","kind":"count","value":"11"}]}'"#,
    );
    let (code, value, said) = json(&one, &larger, &[]);
    assert_eq!((code, &value["verdict"]), (3, &"regressed".into()), "{said}");
    assert!(said.contains("counted figures are worse: bytes"), "{said}");
    let (code, ..) = json(&larger, &one, &[]);
    assert_eq!(code, 0, "less memory passes");
}

#[test]
fn an_accepted_change_passes_and_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("accepted.toml");
    let write = |backend: &str, expires: &str| {
        let text = format!(
            "[[accepted]]\nbenchmark = \"get/10x100\"\n{backend}ratio = 1.15\nreason = \"a test\"\nexpires = \"{expires}\"\n"
        );
        fs::write(&file, text).expect("written");
    };
    let file_name = file.display().to_string();
    let run = || json(&Fake::new("1000"), &Fake::new("1100"), &["--accepted", &file_name]);

    write("", "9999-12-31");
    let (code, value, said) = run();
    assert_eq!((code, &value["benchmarks"][0]["status"]), (0, &"accepted".into()), "{said}");
    assert_eq!(
        (&value["accepted"][0]["used"], &value["accepted"][0]["reason"]),
        (&true.into(), &"a test".into())
    );

    write("backend = \"btree\"\n", "9999-12-31");
    let (code, value, _) = run();
    assert_eq!(
        (code, &value["verdict"]),
        (3, &"regressed".into()),
        "the other backend is not accepted"
    );

    write("", "2020-01-01");
    let (code, value, _) = run();
    assert_eq!(code, 3);
    assert!(value["notes"].to_string().contains("expired on 2020-01-01"), "{value}");
}

#[test]
fn workers_that_cannot_be_pinned_widen_the_thresholds_and_are_told_of() {
    let mut fake = Fake::new("1000");
    fake.prepare = r#"echo '{"answer":"prepared","tokens":1000,"keys":5,"keys_digest":1,"fingerprint":7,"cpu":null,"unpinned":"the system refused","clock":{"read_ns":0.0,"step_ns":1}}'"#;
    let (code, value, _) = json(&fake, &fake, &[]);
    assert_eq!(code, 0);
    let notes = value["notes"].to_string();
    assert!(notes.contains("could not stay on one processor (the system refused)"), "{notes}");
}

#[test]
fn every_form_tells_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = Fake::new("1000").write(folder.path(), "base");
    let head = Fake::new("1100").write(folder.path(), "head");
    for (format, start) in [
        ("text", format!("base  {base}\nhead  {head}\n")),
        ("markdown", "### Gate: REGRESSED".to_owned()),
        ("github", "::error title=ring-bench gate::REGRESSED".to_owned()),
    ] {
        let mut arguments = pair(&base, &head);
        let trend = folder.path().join(format!("{format}.trend")).display().to_string();
        let json = folder.path().join(format!("{format}.json")).display().to_string();
        arguments.extend(["--format", format, "--export-trend", &trend, "--export-json", &json]);
        let output = gate(folder.path(), &arguments);
        assert_eq!(code(&output), 3);
        assert!(stdout(&output).starts_with(&start), "{}", stdout(&output));
        let trend: Value = serde_json::from_str(&fs::read_to_string(trend).unwrap()).unwrap();
        assert_eq!(trend[0]["name"], "sortedvec/get/10x100");
        assert_eq!(trend[0]["unit"], "ns/op");
        assert_eq!(trend[0]["value"], 1100.0);
        let json: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
        assert_eq!(json["exit"], 3);
    }
}
