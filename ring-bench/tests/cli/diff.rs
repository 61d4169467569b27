//! `diff` says what moves.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::script::{Folder, lines};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.run("ring --vnodes 64 --add A --add B --out ab.json").prints("");
    folder.run("ring --vnodes 64 --add A --add B --add C --out abc.json").prints("");
    folder.write("keys", lines((0..2000).map(|i| format!("user:{i}"))));
    folder
}

fn json(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&folder.run(&format!("diff {arguments} --format json")).ok())
        .expect("JSON")
}

#[test]
fn the_document_has_these_members_in_this_order() {
    let folder = folder();
    let text = folder.run("diff --from ab.json --to abc.json --format json").ok();
    let members: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('"')?.split('"').next())
        .collect();
    let flow = ["from", "to", "moved", "fraction", "keys"];
    let expected: Vec<&str> = [
        "schema",
        "hash",
        "from_fingerprint",
        "to_fingerprint",
        "moved",
        "moved_fraction",
        "flows",
    ]
    .into_iter()
    .chain(flow)
    .chain(flow)
    .chain(["keys_total", "keys_moved"])
    .collect();
    assert_eq!(members, expected);
    let document = json(&folder, "--from ab.json --to abc.json");
    assert_eq!(document["schema"], "ring-diff/1");
    assert_eq!(document["hash"], "fnv1a64-fmix64");
    assert_eq!(document["from_fingerprint"], "73a7029a9da8fe9d");
    assert_eq!(document["to_fingerprint"], "5fb492b227f45294");
    assert_eq!((&document["keys_total"], &document["keys_moved"]), (&Value::Null, &Value::Null));
    assert_eq!(document["flows"][0]["keys"], Value::Null);
}

#[test]
fn a_new_node_takes_and_nobody_else_does() {
    let folder = folder();
    let document = json(&folder, "--from ab.json --to abc.json");
    let flows = document["flows"].as_array().expect("a list");
    let pairs: Vec<_> = flows.iter().map(|flow| (&flow["from"], &flow["to"])).collect();
    assert_eq!(pairs, [(&json!("A"), &json!("C")), (&json!("B"), &json!("C"))]);
    let count = |value: &Value| value.as_str().expect("a string").parse::<u128>().expect("a count");
    assert_eq!(count(&document["moved"]), flows.iter().map(|flow| count(&flow["moved"])).sum());
    #[expect(clippy::cast_precision_loss, reason = "the fraction is rounded once as well")]
    let fraction = count(&document["moved"]) as f64 / 2_f64.powi(64);
    assert_eq!(document["moved_fraction"], json!(fraction));
}

#[test]
fn two_files_and_one_with_changes_say_the_same() {
    let folder = folder();
    let expected = json(&folder, "--from ab.json --to abc.json --keys keys");
    assert_eq!(json(&folder, "--ring ab.json --add C --keys keys"), expected);
    let back = json(&folder, "--ring abc.json --remove C --keys keys");
    assert_eq!(back["moved"], expected["moved"]);
    assert_eq!(back["flows"][0]["from"], "C");
}

#[test]
fn keys_that_move_are_those_that_route_elsewhere() {
    let folder = folder();
    let changes = "--add C=2 --remove A --set-weight B=3";
    let document = json(&folder, &format!("--ring ab.json {changes} --keys keys"));
    folder.run(&format!("ring --ring ab.json {changes} --out after.json")).prints("");
    let route = |ring: &str| folder.run(&format!("route --ring {ring} --keys keys")).ok();
    let mut moved: BTreeMap<(String, String), u64> = BTreeMap::new();
    for (before, after) in route("ab.json").lines().zip(route("after.json").lines()) {
        let owner = |line: &str| line.rsplit('\t').next().expect("an owner").to_owned();
        if before != after {
            *moved.entry((owner(before), owner(after))).or_default() += 1;
        }
    }
    assert_eq!(document["keys_total"], 2000);
    assert_eq!(document["keys_moved"], json!(moved.values().sum::<u64>()));
    let flows = document["flows"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let counted: BTreeMap<(String, String), u64> = flows
        .iter()
        .map(|flow| {
            ((text(&flow["from"]), text(&flow["to"])), flow["keys"].as_u64().expect("a count"))
        })
        .collect();
    assert_eq!(counted, moved);
    assert!(moved.len() > 1, "{moved:?}");
}

#[test]
fn an_empty_ring_has_no_owners() {
    let folder = folder();
    folder.run("ring --vnodes 64 --out empty.json").prints("");
    let document = json(&folder, "--from empty.json --to ab.json --keys keys");
    assert_eq!(document["moved"], "18446744073709551616");
    assert_eq!(document["moved_fraction"], json!(1.0));
    assert_eq!(document["keys_moved"], 2000);
    assert!(
        document["flows"].as_array().expect("a list").iter().all(|flow| flow["from"].is_null())
    );
    let text = folder.run("diff --from ab.json --to empty.json").ok();
    assert!(text.contains("(no node)"), "{text}");
}

#[test]
fn nothing_moves_where_nothing_changes() {
    let folder = folder();
    for same in
        ["--from ab.json --to ab.json", "--ring ab.json", "--ring ab.json --add x --remove x"]
    {
        let document = json(&folder, &format!("{same} --keys keys"));
        assert_eq!(document["moved"], "0");
        assert_eq!(document["moved_fraction"], json!(0.0));
        assert_eq!(document["flows"], json!([]));
        assert_eq!((&document["keys_total"], &document["keys_moved"]), (&json!(2000), &json!(0)));
        assert!(folder.run(&format!("diff {same}")).ok().contains("moved  0.0000 %"));
    }
}

#[test]
fn flows_stand_in_byte_order_of_their_ids() {
    let folder = Folder::new();
    // U+FF4E stands before U+1F600 in UTF-8, after it in UTF-16.
    let ids = ["", "#", "B", "a", "\u{ff4e}", "\u{1f600}"];
    let mut ring = vec!["ring", "--vnodes", "400", "--out", "ring.json"];
    let adds: Vec<String> = ids.iter().rev().map(|id| format!("--add={id}=1")).collect();
    ring.extend(adds.iter().map(String::as_str));
    folder.run_with(&ring, b"").prints("");
    folder.run("ring --ring ring.json --vnodes 1 --out other.json").prints("");
    let document = json(&folder, "--from ring.json --to other.json");
    let flows = document["flows"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let pairs: Vec<_> = flows.iter().map(|flow| (text(&flow["from"]), text(&flow["to"]))).collect();
    assert!(pairs.is_sorted() && pairs.len() > 6, "{pairs:?}");
    assert!(pairs.iter().any(|(from, _)| from == "\u{1f600}"));
}

#[test]
fn rings_under_different_hashes_are_not_compared() {
    let folder = folder();
    folder.run("ring --ring ab.json --hash xxh3-64 --out other.json").prints("");
    folder
        .run("diff --from ab.json --to other.json")
        .fails(2, &["ab.json and other.json: ", "\"fnv1a64-fmix64\" and \"xxh3-64\""]);
}

#[test]
fn another_v_is_a_change_like_any_other() {
    let folder = folder();
    folder.run("ring --ring ab.json --vnodes 65 --out other.json").prints("");
    let document = json(&folder, "--from ab.json --to other.json");
    let fraction = document["moved_fraction"].as_f64().expect("a number");
    assert!(fraction > 0.0 && fraction < 0.2, "{fraction}");
}

#[test]
fn the_two_forms_do_not_mix() {
    let folder = folder();
    folder.run("diff").fails(2, &["--from A --to B", "--ring A"]);
    folder.run("diff --from ab.json").fails(2, &["--to"]);
    folder.run("diff --to ab.json").fails(2, &["--from"]);
    folder.run("diff --add C").fails(2, &["--ring"]);
    folder
        .run("diff --from ab.json --to abc.json --ring ab.json")
        .fails(2, &["--ring", "cannot be used"]);
    for change in ["--add x", "--remove A", "--set-weight A=2"] {
        folder
            .run(&format!("diff --from ab.json --to abc.json {change}"))
            .fails(2, &["cannot be used"]);
    }
    folder.run("diff --ring ab.json --add A").fails(2, &["--add A: ", "registered already"]);
    folder.run("diff --from ab.json --to missing").fails(2, &["missing: cannot be read"]);
    folder.run("diff --ring ab.json --format xml").fails(2, &["'xml'", "text, json"]);
}

#[test]
fn text_is_a_summary_and_a_table() {
    let folder = folder();
    folder.run("diff --ring ab.json --add C").prints(
        "from   73a7029a9da8fe9d, 2 nodes, 128 tokens, V 64\n\
         to     5fb492b227f45294, 3 nodes, 192 tokens, V 64\n\
         moved  28.9522 % of the hash space, 5340745214114365791 of 2^64 places\n\
         \n\
         from  to  % of space\n\
         A     C      18.0274\n\
         B     C      10.9248\n",
    );
    let text = folder.pipe("", "diff --ring ab.json --add C --keys -").ok();
    assert!(text.contains("keys   0 of 0 moved\n"), "{text}");
    let text = folder.run_with(&["diff", "--ring", "ab.json", "--add", "\u{1b}[2J\n=1"], b"").ok();
    assert!(text.contains(r#""\u{1b}[2J\n""#) && !text.contains('\u{1b}'), "{text}");
}
