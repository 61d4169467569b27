//! `balance` says how evenly a ring shares out the hash space and the keys.

use serde_json::{Value, json};

use crate::script::{Folder, lines};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.run("ring --vnodes 64 --add A --add B=3 --out ring.json").prints("");
    folder.write("keys", lines((0..3000).map(|i| format!("user:{i}"))));
    folder
}

fn json(folder: &Folder, arguments: &str) -> Value {
    let text = folder.run(&format!("balance --format json {arguments}")).ok();
    serde_json::from_str(&text).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[track_caller]
fn close(value: &Value, expected: f64) {
    assert!((number(value) - expected).abs() < 1e-12, "{value} is not {expected}");
}

#[test]
fn the_document_has_these_members_in_this_order() {
    let folder = folder();
    let text = folder.run("balance --ring ring.json --format json").ok();
    let members: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('"')?.split('"').next())
        .collect();
    let node =
        ["id", "weight", "tokens", "arc", "share", "expected_share", "ratio", "keys", "key_ratio"];
    let summary = [
        "max_over_mean",
        "min_over_mean",
        "max_over_min",
        "cv",
        "keys_max_over_mean",
        "keys_min_over_mean",
        "keys_max_over_min",
        "keys_cv",
    ];
    let expected: Vec<&str> = ["schema", "fingerprint", "tokens_total", "keys_total", "nodes"]
        .into_iter()
        .chain(node)
        .chain(node)
        .chain(summary)
        .collect();
    assert_eq!(members, expected);
}

#[test]
fn ratios_follow_from_shares_and_weights() {
    let folder = folder();
    let document = json(&folder, "--ring ring.json");
    assert_eq!(document["schema"], "ring-balance/1");
    let fingerprint = folder.run("ring --ring ring.json --fingerprint").ok();
    assert_eq!(document["fingerprint"], fingerprint.trim_end());
    assert_eq!(document["tokens_total"], 256);
    let [a, b] = &document["nodes"].as_array().expect("a list")[..] else { panic!("two nodes") };
    assert_eq!((&a["id"], &a["weight"], &a["tokens"]), (&json!("A"), &json!(1), &json!(64)));
    assert_eq!((&b["id"], &b["weight"], &b["tokens"]), (&json!("B"), &json!(3), &json!(192)));
    let arc =
        |node: &Value| node["arc"].as_str().expect("a string").parse::<u128>().expect("a count");
    assert_eq!(arc(a) + arc(b), 1 << 64);
    #[expect(clippy::cast_precision_loss, reason = "the share is rounded once as well")]
    for (node, expected) in [(a, 0.25), (b, 0.75)] {
        close(&node["share"], arc(node) as f64 / 2_f64.powi(64));
        close(&node["expected_share"], expected);
        close(&node["ratio"], number(&node["share"]) / expected);
        assert_eq!((&node["keys"], &node["key_ratio"]), (&Value::Null, &Value::Null));
    }
    let (low, high) = (
        number(&a["ratio"]).min(number(&b["ratio"])),
        number(&a["ratio"]).max(number(&b["ratio"])),
    );
    close(&document["max_over_mean"], high);
    close(&document["min_over_mean"], low);
    close(&document["max_over_min"], high / low);
    close(&document["cv"], f64::midpoint((low - 1.0).powi(2), (high - 1.0).powi(2)).sqrt());
    for member in
        ["keys_total", "keys_max_over_mean", "keys_min_over_mean", "keys_max_over_min", "keys_cv"]
    {
        assert_eq!(document[member], Value::Null, "{member}");
    }
}

#[test]
fn keys_are_counted_by_owner() {
    let folder = folder();
    let document = json(&folder, "--ring ring.json --keys keys");
    let routed = folder.run("route --ring ring.json --keys keys").ok();
    assert_eq!(document["keys_total"], 3000);
    let mut ratios = Vec::new();
    for (node, expected) in document["nodes"].as_array().expect("a list").iter().zip([0.25, 0.75]) {
        let suffix = format!("\t{}", node["id"].as_str().expect("an id"));
        let count = routed.lines().filter(|line| line.ends_with(&suffix)).count();
        assert_eq!(node["keys"], json!(count));
        let ratio = f64::from(u32::try_from(count).expect("small")) / 3000.0 / expected;
        close(&node["key_ratio"], ratio);
        ratios.push(ratio);
    }
    let (low, high) = (ratios[0].min(ratios[1]), ratios[0].max(ratios[1]));
    close(&document["keys_max_over_mean"], high);
    close(&document["keys_min_over_mean"], low);
    close(&document["keys_max_over_min"], high / low);
    close(&document["keys_cv"], f64::midpoint((low - 1.0).powi(2), (high - 1.0).powi(2)).sqrt());
}

#[test]
fn with_changes_there_is_a_before_and_an_after() {
    let folder = folder();
    let changes = "--add C=2 --set-weight B=1";
    folder.run(&format!("ring --ring ring.json {changes} --out after.json")).prints("");
    let both = json(&folder, &format!("--ring ring.json {changes} --keys keys"));
    assert_eq!(both["before"], json(&folder, "--ring ring.json --keys keys"));
    assert_eq!(both["after"], json(&folder, "--ring after.json --keys keys"));
    assert_eq!(both["after"]["nodes"].as_array().map(Vec::len), Some(3));
    folder.run("balance --ring ring.json --add A").fails(2, &["--add A: ", "registered already"]);
}

#[test]
fn an_empty_ring_has_no_figures() {
    let folder = folder();
    folder.run("ring --out empty.json").prints("");
    let document = json(&folder, "--ring empty.json --keys keys");
    assert_eq!(document["nodes"], json!([]));
    assert_eq!((&document["tokens_total"], &document["keys_total"]), (&json!(0), &json!(3000)));
    let summary = [
        "max_over_mean",
        "min_over_mean",
        "max_over_min",
        "cv",
        "keys_max_over_mean",
        "keys_min_over_mean",
        "keys_max_over_min",
        "keys_cv",
    ];
    for member in summary {
        assert_eq!(document[member], Value::Null, "{member}");
    }
    folder.run("balance --ring empty.json").prints("ring  efd01f60ba992926, 0 nodes, 0 tokens\n");
}

#[test]
fn one_node_owns_everything() {
    let folder = Folder::new();
    folder.run("ring --vnodes 3 --add only=7 --out ring.json").prints("");
    let document = json(&folder, "--ring ring.json");
    assert_eq!(document["nodes"][0]["arc"], "18446744073709551616");
    for (member, expected) in [("max_over_mean", 1.0), ("max_over_min", 1.0), ("cv", 0.0)] {
        assert_eq!(document[member], json!(expected), "{member}");
    }
}

#[test]
fn figures_that_would_divide_by_zero_are_null() {
    let folder = folder();
    folder.write("none", "");
    let document = json(&folder, "--ring ring.json --keys none");
    assert_eq!(document["keys_total"], 0);
    assert_eq!(document["nodes"][0]["keys"], 0);
    assert_eq!(document["nodes"][0]["key_ratio"], Value::Null);
    assert_eq!(document["keys_max_over_mean"], Value::Null);
    folder.write("one", "user:1\n");
    let document = json(&folder, "--ring ring.json --keys one");
    assert_eq!(document["keys_max_over_min"], Value::Null);
    assert!(number(&document["keys_max_over_mean"]) > 1.0);
    let text = folder.run("balance --ring ring.json --keys one").ok();
    assert!(text.contains("max/min -"), "{text}");
}

#[test]
fn text_is_a_summary_and_a_table() {
    let folder = Folder::new();
    folder.run("ring --vnodes 64 --add A --add B --out ring.json").prints("");
    let before = "ring  73a7029a9da8fe9d, 2 nodes, 128 tokens\n\
         share of the hash space: max/mean 1.0423, min/mean 0.9577, max/min 1.0883, cv 0.0423\n\
         \n\
         node  weight  tokens  share %  expected %   ratio\n\
         A          1      64  47.8860     50.0000  0.9577\n\
         B          1      64  52.1140     50.0000  1.0423\n";
    folder.run("balance --ring ring.json").prints(before);
    let after = "ring  72d6\n".len();
    let text = folder.run("balance --ring ring.json --remove A").ok();
    assert!(text.starts_with(&format!("Before\n{before}\nAfter\nring  ")), "{text}");
    assert!(text.len() > before.len() + after);
    let text = folder.pipe("a\nb\nc", "balance --ring ring.json --keys -").ok();
    assert!(text.contains("\n3 keys: max/mean "), "{text}");
    assert!(text.contains("ratio  keys  key ratio\n"), "{text}");
}
