//! `route` gives each key its nodes.

use ring_core::{Ring as _, Snapshot};
use ring_sortedvec::SortedVecRing;
use serde_json::{Value, json};

use crate::script::{Folder, lines};

/// A folder with `ring.json` (nodes a, b=2, c), `keys` and the ring itself.
fn folder() -> (Folder, SortedVecRing, Vec<String>) {
    let folder = Folder::new();
    folder.run("ring --add a --add b=2 --add c --out ring.json").prints("");
    let keys: Vec<String> = (0..500).map(|i| format!("user:{i}")).collect();
    folder.write("keys", keys.join("\n"));
    let snapshot = Snapshot::from_json(&folder.read("ring.json")).expect("a snapshot");
    (folder, SortedVecRing::from_snapshot(&snapshot).expect("a ring"), keys)
}

#[test]
fn tsv_is_the_key_then_its_nodes_in_input_order() {
    let (folder, ring, keys) = folder();
    for replicas in [1, 2, 3] {
        let expected =
            lines(keys.iter().map(|key| {
                format!("{key}\t{}", ring.get_replicas(key, replicas).nodes().join("\t"))
            }));
        folder
            .run(&format!("route --ring ring.json --keys keys --replicas {replicas}"))
            .prints(expected);
    }
}

#[test]
fn one_node_is_the_default_and_it_is_the_owner() {
    let (folder, ring, keys) = folder();
    let expected =
        lines(keys.iter().map(|key| format!("{key}\t{}", ring.get_node(key).expect("an owner"))));
    folder.run("route --ring ring.json --keys keys").prints(&expected);
    folder.pipe(keys.join("\n"), "route --ring ring.json").prints(&expected);
    folder.pipe(keys.join("\n"), "route --ring ring.json --keys -").prints(&expected);
}

#[test]
fn both_backends_answer_alike() {
    let (folder, ..) = folder();
    for options in
        ["", "--replicas 2", "--replicas 0", "--format jsonl", "--format jsonl --replicas 3"]
    {
        let route = format!("route --ring ring.json --keys keys {options} --backend");
        let expected = folder.run(&format!("{route} sortedvec")).ok();
        folder.run(&format!("{route} btree")).prints(expected);
    }
    folder
        .run("route --ring ring.json --backend hashmap")
        .fails(2, &["'hashmap'", "sortedvec, btree"]);
}

#[test]
fn every_hash_routes_by_its_own_ring() {
    let (folder, ..) = folder();
    folder.write("secret", "000102030405060708090a0b0c0d0e0f");
    let mut answers = vec![folder.run("route --ring ring.json --keys keys").ok()];
    for (hash, secret) in [("xxh3-64", ""), ("siphash-1-3", "--hash-secret-file secret")] {
        folder
            .run(&format!("ring --ring ring.json --hash {hash} {secret} --out other.json"))
            .prints("");
        let route = format!("route --ring other.json --keys keys {secret}");
        let answer = folder.run(&route).ok();
        folder.run(&format!("{route} --backend btree")).prints(&answer);
        answers.push(answer);
    }
    assert!(answers[0] != answers[1] && answers[1] != answers[2] && answers[0] != answers[2]);
}

#[test]
fn no_nodes_leave_the_key_and_a_tab() {
    let (folder, ..) = folder();
    folder.pipe("x\n\ny", "route --ring ring.json --replicas 0").prints("x\t\n\t\ny\t\n");
    folder
        .pipe("x", "route --ring ring.json --replicas 0 --format jsonl")
        .prints("{\"key\":\"x\",\"nodes\":[],\"shortfall\":0}\n");
    folder.run("ring --out empty.json").prints("");
    let empty = "route --ring empty.json";
    let warning = ["2 keys", "fewer nodes than the 1 asked for", "empty.json has 0"];
    assert_eq!(folder.pipe("x\ny", empty).warns(&warning), "x\t\ny\t\n");
    folder.pipe("x\ny", &format!("{empty} --replicas 0")).prints("x\t\ny\t\n");
    folder.pipe("", empty).prints("");
}

#[test]
fn a_shortfall_is_one_warning_with_the_count_of_keys() {
    let (folder, ring, keys) = folder();
    let warning = ["500 keys got fewer nodes than the 5 asked for", "ring.json has 3"];
    let text = folder.run("route --ring ring.json --keys keys --replicas 5").warns(&warning);
    for (line, key) in text.lines().zip(&keys) {
        let expected = format!("{key}\t{}", ring.get_replicas(key, 5).nodes().join("\t"));
        assert_eq!(line, expected);
    }
    let one = folder.pipe("x", "route --ring ring.json --replicas 4").warns(&["1 key got"]);
    assert_eq!(one.lines().count(), 1);
    let largest = format!("route --ring ring.json --replicas {} --format jsonl", usize::MAX);
    let line = folder.pipe("x", &largest).warns(&["1 key got"]);
    let line: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(line["shortfall"], json!(usize::MAX - 3));
}

#[test]
fn jsonl_is_a_compact_object_a_key() {
    let (folder, ring, keys) = folder();
    let text = folder.run("route --ring ring.json --keys keys --replicas 2 --format jsonl").ok();
    assert_eq!(text.lines().count(), keys.len());
    for (line, key) in text.lines().zip(&keys) {
        let nodes = ring.get_replicas(key, 2).nodes().join("\",\"");
        assert_eq!(line, format!("{{\"key\":\"{key}\",\"nodes\":[\"{nodes}\"],\"shortfall\":0}}"));
    }
}

#[test]
fn jsonl_escapes_text_and_spells_other_bytes_in_hex() {
    let folder = Folder::new();
    folder.run("ring --add n --out ring.json").prints("");
    let route = "route --ring ring.json --format jsonl";
    folder.pipe(b"\"q\\\t\r\0\x7f\n\xed\xa0\x80\n\xff\n\n", route).prints(concat!(
        r#"{"key":"\"q\\\t\r\u0000"#,
        "\x7f",
        r#"","nodes":["n"],"shortfall":0}"#,
        "\n",
        // What UTF-8 would make of an unpaired surrogate is not UTF-8.
        r#"{"key_hex":"eda080","nodes":["n"],"shortfall":0}"#,
        "\n",
        r#"{"key_hex":"ff","nodes":["n"],"shortfall":0}"#,
        "\n",
        r#"{"key":"","nodes":["n"],"shortfall":0}"#,
        "\n",
    ));
}

#[test]
fn ids_that_break_a_line_of_tsv_are_refused_before_the_first() {
    let folder = Folder::new();
    for id in ["a\tb", "a\n", "\ra"] {
        folder
            .run_with(&["ring", "--add", "ok=50", "--add", id, "--out", "ring.json"], b"")
            .prints("");
        let route = "route --ring ring.json";
        folder.pipe("x", route).fails(2, &["ring.json: ", &format!("{id:?}"), "jsonl"]);
        // A missing key file is not what the user is told about first.
        folder.run(&format!("{route} --keys missing")).fails(2, &["jsonl"]);
        folder.pipe("x", &format!("{route} --replicas 0")).prints("x\t\n");
        let line = folder.pipe("x", &format!("{route} --replicas 2 --format jsonl")).ok();
        let line: Value = serde_json::from_str(&line).expect("JSON");
        assert!(line["nodes"].as_array().expect("a list").contains(&json!(id)));
    }
}

#[test]
fn the_empty_id_is_an_empty_field() {
    let folder = Folder::new();
    folder.run_with(&["ring", "--add", "=1", "--out", "ring.json"], b"").prints("");
    folder.pipe("x", "route --ring ring.json").prints("x\t\n");
    folder
        .pipe("x", "route --ring ring.json --format jsonl")
        .prints("{\"key\":\"x\",\"nodes\":[\"\"],\"shortfall\":0}\n");
}

#[test]
fn keys_keep_their_bytes() {
    let folder = Folder::new();
    folder.run("ring --add n --out ring.json").prints("");
    folder
        .pipe(b"a\r\n\xff\0\n\nt\tab\nlast", "route --ring ring.json")
        .prints(b"a\r\tn\n\xff\0\tn\n\tn\nt\tab\tn\nlast\tn\n");
}

#[test]
fn replicas_is_a_whole_number() {
    let (folder, ..) = folder();
    for replicas in ["x", "-1", "1.5", "", "18446744073709551616", "+1", "1e3"] {
        let arguments = ["route", "--ring", "ring.json", "--replicas", replicas];
        folder
            .run_with(&arguments, b"x")
            .fails(2, &["--replicas", &format!("'{replicas}'"), "whole number"]);
    }
}

#[test]
fn the_ring_is_needed() {
    let folder = Folder::new();
    folder.pipe("x", "route").fails(2, &["--ring <FILE>"]);
    folder.pipe("x", "route --ring missing.json").fails(2, &["missing.json: cannot be read"]);
}
