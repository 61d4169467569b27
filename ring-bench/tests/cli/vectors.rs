//! The golden vectors of `ring-core`, through the command.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::script::{Folder, from_hex, lines};

fn vectors(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ring-core/testdata").join(name);
    serde_json::from_slice(&fs::read(path).expect("golden vectors")).expect("JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

/// Writes a ring of the vectors as a snapshot, completed by the command; returns the options that it
/// needs.
fn write_ring(folder: &Folder, name: &str, ring: &Value) -> String {
    let secret = write_secret(folder, &ring["secret_hex"]);
    let mut snapshot = json!({"format": "hash-ring", "version": 1});
    for member in ["hash", "vnodes_per_weight", "nodes"] {
        snapshot[member] = ring[member].clone();
    }
    if secret.is_empty() {
        folder.write(name, snapshot.to_string());
    } else {
        // A keyed ring loads only with its fingerprint, so that it has to be built from changes.
        let mut arguments: Vec<String> = format!(
            "ring --hash {} {secret} --vnodes {} --out {name}",
            text(&ring["hash"]),
            ring["vnodes_per_weight"]
        )
        .split_whitespace()
        .map(str::to_owned)
        .collect();
        for node in list(&ring["nodes"]) {
            arguments.push(format!("--add={}={}", text(&node["id"]), node["weight"]));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        folder.run_with(&arguments, b"").prints("");
    }
    secret
}

fn write_secret(folder: &Folder, secret: &Value) -> String {
    match secret.as_str() {
        None => String::new(),
        Some(digits) => {
            folder.write("secret", digits);
            "--hash-secret-file secret".to_owned()
        }
    }
}

/// The key's bytes; `None` where it cannot stand on a line.
fn key(lookup: &Value) -> Option<Vec<u8>> {
    let bytes = match lookup["key"].as_str() {
        Some(key) => key.as_bytes().to_vec(),
        None => from_hex(text(&lookup["key_hex"])),
    };
    (!bytes.contains(&b'\n')).then_some(bytes)
}

fn key_lines(keys: &[Vec<u8>]) -> Vec<u8> {
    keys.iter().flat_map(|key| [key.as_slice(), b"\n"].concat()).collect()
}

#[test]
fn hashes() {
    let folder = Folder::new();
    let hashes = vectors("hashes.json");
    let check = |case: &Value, name: &str, secret: &str| {
        let input = from_hex(text(&case["input_hex"]));
        if input.contains(&b'\n') {
            return 0;
        }
        let expected = [text(&case[name]).as_bytes(), b"\t", &input[..], b"\n"].concat();
        let input = key_lines(&[input]);
        folder.pipe(input, &format!("hash --hash {name} {secret}")).prints(expected);
        1
    };
    let mut checked = 0;
    for case in list(&hashes["plain"]) {
        checked += check(case, "fnv1a64-fmix64", "") + check(case, "xxh3-64", "");
    }
    for case in list(&hashes["keyed"]) {
        let secret = write_secret(&folder, &case["secret_hex"]);
        checked += check(case, "siphash-1-3", &secret);
    }
    assert!(checked > 250, "{checked}");
}

#[test]
fn fingerprints() {
    for case in list(&vectors("fingerprints.json")) {
        let folder = Folder::new();
        let secret = write_ring(&folder, "ring.json", &case["ring"]);
        let expected = format!("{}\n", text(&case["fingerprint"]));
        folder.run(&format!("ring --ring ring.json --fingerprint {secret}")).prints(expected);
    }
}

#[test]
fn snapshots() {
    let folder = Folder::new();
    let snapshots = vectors("snapshots.json");
    let write = |case: &Value| match case["text"].as_str() {
        Some(document) => folder.write("ring.json", document),
        None => folder.write("ring.json", from_hex(text(&case["text_hex"]))),
    };
    for case in list(&snapshots["valid"]) {
        write(case);
        let secret = write_secret(&folder, &case["secret_hex"]);
        let printed = folder.run(&format!("ring --ring ring.json {secret}")).ok();
        let printed: Value = serde_json::from_str(&printed).expect("JSON");
        assert_eq!(printed, case["snapshot"], "{}", case["name"]);
    }
    let mut other_hash = 0;
    for case in list(&snapshots["invalid"]) {
        write(case);
        let secret = write_secret(&folder, &case["secret_hex"]);
        let outcome = folder.run(&format!("ring --ring ring.json {secret}"));
        let named_alone = text(&case["name"]).starts_with("hash: ");
        if case["reason"] == "another hash than the ring's" && !named_alone {
            // Fine but for the hash that a caller loads it with; the command takes the one it names.
            other_hash += 1;
        } else {
            outcome.fails(2, &["ring.json: "]);
        }
    }
    assert_eq!(other_hash, 6, "documents left out");
}

#[test]
fn owners_and_replicas() {
    for (file, backend) in
        [("owners.json", "sortedvec"), ("owners.json", "btree"), ("replicas.json", "sortedvec")]
    {
        for case in list(&vectors(file)) {
            let folder = Folder::new();
            let secret = write_ring(&folder, "ring.json", &case["ring"]);
            let lookups = list(&case["lookups"]);
            let counts: BTreeSet<u64> =
                lookups.iter().map(|l| l["r"].as_u64().unwrap_or(1)).collect();
            for r in counts {
                let (mut keys, mut expected) = (Vec::new(), Vec::new());
                for lookup in lookups.iter().filter(|l| l["r"].as_u64().unwrap_or(1) == r) {
                    let Some(key) = key(lookup) else { continue };
                    keys.push(key);
                    expected.push(match &lookup["nodes"] {
                        Value::Null => list(&json!([lookup["owner"]]))
                            .iter()
                            .filter(|o| !o.is_null())
                            .cloned()
                            .collect(),
                        nodes => list(nodes).to_vec(),
                    });
                }
                let arguments = format!(
                    "route --ring ring.json {secret} --backend {backend} --replicas {r} --format jsonl"
                );
                let outcome = folder.pipe(key_lines(&keys), &arguments);
                assert_eq!(outcome.code, Some(0), "{outcome:?}");
                let answers = outcome.text();
                assert_eq!(answers.lines().count(), keys.len());
                for ((answer, expected), key) in answers.lines().zip(&expected).zip(&keys) {
                    let answer: Value = serde_json::from_str(answer).expect("JSON");
                    let at = format!("{} {}", case["name"], key.escape_ascii());
                    assert_eq!(list(&answer["nodes"]), &expected[..], "{at}");
                    assert_eq!(answer["shortfall"], json!(r - expected.len() as u64), "{at}");
                    match std::str::from_utf8(key) {
                        Ok(key) => assert_eq!(answer["key"], key),
                        Err(_) => assert_eq!(from_hex(text(&answer["key_hex"])), *key),
                    }
                }
            }
        }
    }
}

#[test]
fn diffs() {
    for case in list(&vectors("diffs.json")) {
        let folder = Folder::new();
        let secret = write_ring(&folder, "before.json", &case["before"]);
        let secret_after = write_ring(&folder, "after.json", &case["after"]);
        let secret = if secret.is_empty() { secret_after } else { secret };
        let outcome =
            folder.run(&format!("diff --from before.json --to after.json {secret} --format json"));
        if case["error"] == true {
            outcome.fails(2, &[]);
            continue;
        }
        let document: Value = serde_json::from_str(&outcome.ok()).expect("JSON");
        assert_eq!(document["moved"], case["moved"], "{}", case["name"]);
        let flows: Vec<Value> = list(&document["flows"])
            .iter()
            .map(|flow| json!({"from": flow["from"], "to": flow["to"], "moved": flow["moved"]}))
            .collect();
        assert_eq!(&flows[..], list(&case["flows"]), "{}", case["name"]);
    }
}

#[test]
fn shares() {
    for case in list(&vectors("shares.json")) {
        let folder = Folder::new();
        let secret = write_ring(&folder, "ring.json", &case["ring"]);
        let text = folder.run(&format!("balance --ring ring.json {secret} --format json")).ok();
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let shares: Vec<Value> = list(&document["nodes"])
            .iter()
            .map(|node| json!({"id": node["id"], "weight": node["weight"], "arc": node["arc"]}))
            .collect();
        assert_eq!(&shares[..], list(&case["shares"]), "{}", case["name"]);
    }
}

#[test]
fn capacities() {
    let folder = Folder::new();
    let (mut weighed, mut refused) = (0, 0);
    for case in list(&vectors("capacities.json")) {
        let number =
            |bits: &Value| f64::from_bits(u64::from_str_radix(text(bits), 16).expect("16 digits"));
        let bits = list(&case["bits"]).iter().enumerate();
        let file = lines(bits.map(|(i, bits)| format!("{i:06}\t{:e}", number(bits))));
        folder.write("sizes.tsv", file);
        let total = case["total"].as_u64().expect("a total");
        let outcome =
            folder.run(&format!("ring --vnodes 1 --capacities sizes.tsv --budget {total}"));
        if !case["error"].is_null() {
            outcome.fails(2, &[]);
            refused += 1;
        } else if total > 16_777_216 {
            outcome.fails(2, &[&format!("{total} tokens"), "token limit"]);
        } else {
            let document: Value = serde_json::from_str(&outcome.ok()).expect("JSON");
            let weights: Vec<_> =
                list(&document["nodes"]).iter().map(|n| n["weight"].clone()).collect();
            assert_eq!(&weights[..], list(&case["weights"]), "{}", case["name"]);
            weighed += 1;
        }
    }
    assert!(weighed > 50 && refused > 10, "{weighed} {refused}");
}
