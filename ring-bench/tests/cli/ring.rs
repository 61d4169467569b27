//! `ring` writes snapshots.

use serde_json::{Value, json};

use crate::script::Folder;

const A_AND_B: &str = "{
  \"format\": \"hash-ring\",
  \"version\": 1,
  \"hash\": \"fnv1a64-fmix64\",
  \"vnodes_per_weight\": 64,
  \"nodes\": [
    { \"id\": \"A\", \"weight\": 1 },
    { \"id\": \"B\", \"weight\": 1 }
  ],
  \"fingerprint\": \"73a7029a9da8fe9d\"
}
";

/// The members of the snapshot that was printed.
fn snapshot(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn nodes(text: &str) -> Value {
    snapshot(text)["nodes"].take()
}

#[test]
fn a_snapshot_goes_to_standard_output_or_a_file() {
    let folder = Folder::new();
    folder.run("ring --vnodes 64 --add B --add A").prints(A_AND_B);
    folder.run("ring --vnodes 64 --add B --add A --out ring.json").prints("");
    assert_eq!(folder.read("ring.json"), A_AND_B);
    folder.run("ring --ring ring.json").prints(A_AND_B);
}

#[test]
fn the_fingerprint_alone_is_16_digits() {
    let folder = Folder::new();
    folder.write("ring.json", A_AND_B);
    folder.run("ring --ring ring.json --fingerprint").prints("73a7029a9da8fe9d\n");
    folder.run("ring --ring ring.json --add C --fingerprint").prints("5fb492b227f45294\n");
    folder
        .run("ring --fingerprint --out new.json --vnodes 64 --add A --add B")
        .prints("73a7029a9da8fe9d\n");
    assert_eq!(folder.read("new.json"), A_AND_B);
}

#[test]
fn without_anything_the_ring_is_empty_and_v_is_100() {
    let ring = snapshot(&Folder::new().run("ring").ok());
    assert_eq!(ring["vnodes_per_weight"], 100);
    assert_eq!(ring["hash"], "fnv1a64-fmix64");
    assert_eq!(ring["nodes"], json!([]));
}

#[test]
fn a_file_may_be_changed_in_place() {
    let folder = Folder::new();
    folder.write("ring.json", A_AND_B);
    folder.run("ring --ring ring.json --remove A --set-weight B=2 --out ring.json").prints("");
    assert_eq!(nodes(&folder.read("ring.json")), json!([{"id": "B", "weight": 2}]));
}

#[test]
fn changes_are_one_batch_in_the_order_written() {
    let folder = Folder::new();
    folder.write("ring.json", A_AND_B);
    let ring = "ring --ring ring.json";
    let after = |changes: &str| nodes(&folder.run(&format!("{ring} {changes}")).ok());
    assert_eq!(
        after("--remove A --add A=3"),
        json!([{"id": "A", "weight": 3}, {"id": "B", "weight": 1}])
    );
    assert_eq!(
        after("--add C --set-weight C=2 --remove B --set-weight C=4 --add B=9"),
        json!([{"id": "A", "weight": 1}, {"id": "B", "weight": 9}, {"id": "C", "weight": 4}])
    );
    // The same changes in another order are refused, and name the first at fault.
    folder
        .run(&format!("{ring} --add A=3 --remove A"))
        .fails(2, &["--add A=3: ", "\"A\" is registered already"]);
    folder
        .run(&format!("{ring} --set-weight C=2 --add C"))
        .fails(2, &["--set-weight C=2: ", "\"C\" is not registered"]);
    folder
        .run(&format!("{ring} --remove A --remove A"))
        .fails(2, &["--remove A: ", "\"A\" is not registered"]);
    // The history leaves no trace.
    let there_and_back = folder.run(&format!("{ring} --add C --remove A --remove C --add A"));
    there_and_back.prints(A_AND_B);
}

#[test]
fn ids_are_any_text_and_the_last_equals_sign_splits() {
    let folder = Folder::new();
    let one = |argument: &str| nodes(&folder.run_with(&["ring", "--add", argument], b"").ok());
    for (argument, id, weight) in [
        ("=1", "", 1),
        ("", "", 1),
        ("a=b=2", "a=b", 2),
        ("==3", "=", 3),
        ("a b\t\n=1", "a b\t\n", 1),
        ("-x", "-x", 1),
        ("--add=4", "--add", 4),
        ("키", "키", 1),
        ("a#1", "a#1", 1),
        ("\"\\", "\"\\", 1),
    ] {
        assert_eq!(one(argument), json!([{"id": id, "weight": weight}]), "{argument:?}");
    }
    // An id with `=` needs its weight; removal takes the whole argument as the id.
    folder.run("ring --add a=b").fails(2, &["--add a=b: ", "--add a=b=1"]);
    let gone = ["ring", "--add", "a=1=1", "--remove", "a=1", "--add", "=2", "--remove", ""];
    assert_eq!(nodes(&folder.run_with(&gone, b"").ok()), json!([]));
}

#[test]
fn ids_that_differ_in_form_are_two_nodes() {
    let folder = Folder::new();
    let ring = [
        "ring", "--add", "\u{e9}", "--add", "e\u{301}", "--add", "a", "--add", "a#1", "--add", "a#",
    ];
    assert_eq!(nodes(&folder.run_with(&ring, b"").ok()).as_array().map(Vec::len), Some(5));
}

#[cfg(unix)]
#[test]
fn ids_that_are_not_utf_8_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = Folder::new();
    for option in ["--add", "--remove", "--set-weight"] {
        let mut command = folder.command(&["ring", option]);
        command.arg(OsStr::from_bytes(b"n\xffde=1"));
        crate::script::run(command, b"").fails(2, &[option, "not UTF-8", "n\\xffde=1"]);
    }
}

#[test]
fn weights_are_whole_numbers_from_1_to_4294967295() {
    let folder = Folder::new();
    folder.write("ring.json", A_AND_B);
    for weight in ["0", "-1", "1.5", "1000000000000", "4294967296", "+1", "1e3", "0x1", "one", ""] {
        for option in ["--add C", "--set-weight A"] {
            folder.run(&format!("ring --ring ring.json {option}={weight}")).fails(
                2,
                &[&format!("{option}={weight}: "), &format!("{weight:?}"), "from 1 to 4294967295"],
            );
        }
    }
    folder.run("ring --ring ring.json --set-weight A").fails(2, &["--set-weight A: ", "missing"]);
    folder.run("ring --vnodes 1 --add a=16777216 --fingerprint").ok();
}

#[test]
fn too_many_tokens_are_refused_before_anything_is_built() {
    let folder = Folder::new();
    let limit = "its token limit is 16777216";
    folder.run("ring --vnodes 1 --add a=16777217").fails(2, &["16777217 tokens", limit]);
    folder.run("ring --add a=4294967295").fails(2, &["429496729500 tokens", limit]);
    folder
        .run("ring --vnodes 4294967295 --add a=4294967295 --add b=4294967295")
        .fails(2, &["36893488130239234050 tokens", limit]);
    // The limit is checked once, on the final membership.
    folder
        .run("ring --vnodes 4294967295 --add a --remove a --fingerprint")
        .prints("efd01f60ba992926\n");
}

#[test]
fn v_is_a_whole_number_from_1() {
    let folder = Folder::new();
    for v in ["0", "-1", "1.5", "1000000000000", "many", ""] {
        let outcome = folder.run_with(&["ring", "--vnodes", v], b"");
        outcome.fails(2, &["--vnodes", &format!("'{v}'"), "from 1 to 4294967295"]);
    }
}

#[test]
fn a_ring_gets_another_v_or_hash_and_keeps_its_nodes() {
    let folder = Folder::new();
    folder.write("ring.json", A_AND_B);
    let other =
        snapshot(&folder.run("ring --ring ring.json --vnodes 7 --hash xxh3-64 --add C=2").ok());
    assert_eq!((&other["vnodes_per_weight"], &other["hash"]), (&json!(7), &json!("xxh3-64")));
    assert_eq!(other["nodes"].as_array().map(Vec::len), Some(3));
    folder.run("ring --vnodes 7 --hash xxh3-64 --add A --add B --add C=2 --out direct.json").ok();
    assert_eq!(snapshot(&folder.read("direct.json")), other);
    folder
        .run("ring --ring direct.json --remove C --vnodes 64 --hash fnv1a64-fmix64")
        .prints(A_AND_B);
    folder.run("ring --ring ring.json --vnodes 7 --add A").fails(2, &["--add A: "]);
}

#[test]
fn an_unknown_hash_is_refused() {
    Folder::new()
        .run("ring --hash md5")
        .fails(2, &["'md5'", "fnv1a64-fmix64, xxh3-64, siphash-1-3"]);
}

#[test]
fn a_keyed_ring_loads_only_with_its_secret() {
    let folder = Folder::new();
    folder.write("secret", "000102030405060708090a0b0c0d0e0f");
    folder.write("other", "000102030405060708090a0b0c0d0e10");
    folder.run("ring --hash siphash-1-3 --add a").fails(2, &["--hash-secret-file"]);
    folder
        .run("ring --hash siphash-1-3 --hash-secret-file secret --add a --add b --out ring.json")
        .prints("");
    assert!(!folder.read("ring.json").contains("0001020304"));
    for verb in ["ring", "route", "diff", "balance"] {
        let verb = format!("{verb} --ring ring.json");
        folder.run(&format!("{verb} --hash-secret-file secret")).ok();
        folder.run(&verb).fails(2, &["ring.json: ", "siphash-1-3", "--hash-secret-file"]);
        folder
            .run(&format!("{verb} --hash-secret-file other"))
            .fails(2, &["ring.json: ", "fingerprint", "secret"]);
    }
    let unsigned: String =
        folder.read("ring.json").lines().filter(|line| !line.contains("fingerprint")).collect();
    folder.write("unsigned.json", unsigned.replace("],", "]"));
    folder
        .run("ring --ring unsigned.json --hash-secret-file secret")
        .fails(2, &["unsigned.json: ", "no fingerprint", "siphash-1-3"]);
}

#[test]
fn capacities_become_weights_that_sum_to_the_budget() {
    let folder = Folder::new();
    folder.write("sizes.tsv", "big\t3\nmedium\t1.5\nsmall\t0.5\n");
    let weights = |text: &str| -> Vec<u64> {
        let nodes = nodes(text);
        let nodes = nodes.as_array().expect("a list").iter();
        nodes.map(|node| node["weight"].as_u64().expect("a weight")).collect()
    };
    let text = folder.run("ring --capacities sizes.tsv --budget 10").ok();
    assert_eq!(weights(&text), [6, 3, 1]);
    // No newline at the end; ids with TAB, empty ids, floats in any form.
    folder.write("sizes.tsv", "\t1e3\na\tb\t1000.0\n=\t1000");
    let text = folder.run("ring --capacities sizes.tsv --budget 7").ok();
    assert_eq!(
        nodes(&text),
        json!([{"id": "", "weight": 3}, {"id": "=", "weight": 2}, {"id": "a\tb", "weight": 2}])
    );
    // They are added first, to the ring if there is one; then come the changes.
    folder.write("ring.json", A_AND_B);
    folder.write("sizes.tsv", "c\t1\nd\t1\n");
    let text = folder
        .run("ring --ring ring.json --remove A --capacities sizes.tsv --budget 4 --set-weight c=9")
        .ok();
    assert_eq!(
        nodes(&text),
        json!([{"id": "B", "weight": 1}, {"id": "c", "weight": 9}, {"id": "d", "weight": 2}])
    );
}

#[test]
fn bad_capacities_name_their_line() {
    let folder = Folder::new();
    let fails = |text: &[u8], parts: &[&str]| {
        folder.write("sizes.tsv", text);
        folder.run("ring --capacities sizes.tsv --budget 10").fails(2, parts);
    };
    fails(b"", &["sizes.tsv: ", "empty"]);
    fails(b"a\t1\nb 2\n", &["sizes.tsv: line 2: ", "TAB"]);
    fails(b"a\t1\n\nb\t2\n", &["sizes.tsv: line 2: ", "TAB"]);
    fails(b"a\t1\r\n", &["sizes.tsv: line 1: ", "\"1\\r\""]);
    fails(b"a\t1\nb\t2\n\xff\t1\n", &["sizes.tsv: line 3: ", "not UTF-8"]);
    fails(b"a\t1\nb\t2\na\t3\n", &["sizes.tsv: line 3: ", "\"a\" is registered already"]);
    for number in ["0", "-1", "NaN", "inf", "1e999", "x", "", "1,5", "0x10"] {
        let line = format!("a\t1\nb\t{number}\n");
        fails(line.as_bytes(), &["sizes.tsv: line 2: ", &format!("{number:?}"), "above 0"]);
    }
    folder.write("sizes.tsv", "a\t1\nb\t1\n");
    let ring = "ring --capacities sizes.tsv";
    folder.run(&format!("{ring} --budget 1")).fails(2, &["sizes.tsv: ", "total of 1", "2 nodes"]);
    for budget in ["0", "-1", "1.5", "x", "1000000000000"] {
        folder.run(&format!("{ring} --budget {budget}")).fails(2, &["--budget", budget]);
    }
    folder.run(ring).fails(2, &["--budget"]);
    folder.run("ring --budget 3").fails(2, &["--capacities"]);
    folder.run("ring --budget 3 --capacities missing").fails(2, &["missing: cannot be read"]);
    folder.run("ring --budget 3 --capacities .").fails(2, &[".: cannot be read"]);
    folder.run(&format!("{ring} --budget 3 --add a")).fails(2, &["--add a: "]);
}
