//! The golden vectors of `testdata/`, file by file.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use super::super::backend::Backend;
use super::super::list::panic_text;
use super::super::support::{State, empty, intact, ring_with, tokens};
use super::super::test_hash::TestHash;
use super::super::vectors::{GoldenRing, Members, hash, ids, list, number, read, string};
use crate::diff::{HASH_SPACE, diff, shares};
use crate::error::RingError;
use crate::hash::Fnv1aFmix64;
use crate::membership::Change;
use crate::ring::Ring;
use crate::snapshot::Snapshot;

/// The vectors of a file, each with its name. A file without any would prove nothing.
fn each(file: &str, known: &[&str], vectors: &[Value], run: impl Fn(Members<'_>)) {
    assert!(!vectors.is_empty(), "{file} holds no vectors");
    for vector in vectors {
        let vector = Members::of(vector, known);
        // A panic knows only its line of code; this adds which vector it was.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(vector))) {
            panic!("vector {:?} of {file}: {}", vector.text("name"), panic_text(&*panic));
        }
    }
}

fn due_tokens(vector: Members<'_>) -> Vec<(u64, String)> {
    let due = vector.list("tokens").iter().map(|token| match list(token) {
        [at, id, index] => (hash(at), format!("{}#{}", string(id), number(index))),
        other => panic!("a token is a hash, an id and an index, not {other:?}"),
    });
    due.collect()
}

fn assert_replicas<R: Ring>(ring: &R, lookup: &Value) {
    let lookup = Members::of(lookup, &["key", "key_hex", "hash", "r", "nodes", "shortfall"]);
    let (key, r) = (lookup.key(), lookup.count("r"));
    let due = ids(lookup.value("nodes"));
    for set in [ring.get_replicas(&key, r), ring.replicas_at(lookup.hash("hash"), r)] {
        assert_eq!(set.nodes(), due, "{r} replicas of {key:?}");
        assert_eq!(set.shortfall(), lookup.count("shortfall"));
    }
    assert_eq!(ring.replicas(&key).take(r).collect::<Vec<_>>(), due, "lazily, of {key:?}");
}

pub(in super::super) fn tokens_json<B: Backend>(backend: &B) {
    let vectors = read("tokens.json");
    each("tokens.json", &["name", "ring", "tokens"], list(&vectors), |vector| {
        let ring = GoldenRing::of(vector.value("ring")).build(backend);
        assert_eq!(tokens(&ring), due_tokens(vector));
        intact(&ring);
    });
}

pub(in super::super) fn owners_json<B: Backend>(backend: &B) {
    let vectors = read("owners.json");
    each("owners.json", &["name", "ring", "lookups", "at"], list(&vectors), |vector| {
        let ring = GoldenRing::of(vector.value("ring")).build(backend);
        let (mut keys, mut due) = (Vec::new(), Vec::new());
        for lookup in vector.list("lookups") {
            let lookup = Members::of(lookup, &["key", "key_hex", "hash", "owner"]);
            let (key, owner) = (lookup.key(), lookup.value("owner").as_str());
            assert_eq!(ring.get_node(&key), owner, "{key:?}");
            assert_eq!(ring.owner_at(lookup.hash("hash")), owner, "the hash of {key:?}");
            keys.push(key);
            due.push(owner);
        }
        let mut owners = Vec::new();
        ring.get_node_batch(&keys, &mut owners);
        assert_eq!(owners, due);
        for pair in vector.list("at") {
            let [at, owner] = list(pair) else { panic!("{pair} is no pair") };
            assert_eq!(ring.owner_at(hash(at)), owner.as_str(), "{at}");
            let first = ring.walk(hash(at)).next().map(|token| token.node_id());
            assert_eq!(first, owner.as_str(), "a walk from {at}");
        }
    });
}

pub(in super::super) fn replicas_json<B: Backend>(backend: &B) {
    let vectors = read("replicas.json");
    each("replicas.json", &["name", "ring", "lookups"], list(&vectors), |vector| {
        let ring = GoldenRing::of(vector.value("ring")).build(backend);
        for lookup in vector.list("lookups") {
            assert_replicas(&ring, lookup);
        }
    });
}

pub(in super::super) fn fingerprints_json<B: Backend>(backend: &B) {
    let vectors = read("fingerprints.json");
    let known = ["name", "ring", "tokens", "fingerprint"];
    each("fingerprints.json", &known, list(&vectors), |vector| {
        let ring = GoldenRing::of(vector.value("ring")).build(backend);
        assert_eq!(ring.token_count(), vector.count("tokens"));
        assert_eq!(ring.fingerprint(), vector.hash("fingerprint"));
        assert_eq!(ring.snapshot().fingerprint(), Some(vector.hash("fingerprint")));
    });
}

pub(in super::super) fn cut_hashes_json<B: Backend>(backend: &B) {
    let vectors = read("cut_hashes.json");
    let known = ["name", "mask", "ring", "tokens", "fingerprint", "lookups"];
    each("cut_hashes.json", &known, list(&vectors), |vector| {
        let golden = GoldenRing::of(vector.value("ring"));
        let hash = TestHash::masked(vector.hash("mask"));
        let ring = ring_with(backend, golden.vnodes_per_weight, hash, &golden.nodes);
        assert_eq!(tokens(&ring), due_tokens(vector));
        assert_eq!(ring.fingerprint(), vector.hash("fingerprint"));
        for lookup in vector.list("lookups") {
            assert_replicas(&ring, lookup);
        }
        intact(&ring);
    });
}

pub(in super::super) fn snapshots_json_valid<B: Backend>(backend: &B) {
    let file = read("snapshots.json");
    let file = Members::of(&file, &["valid", "invalid"]);
    let known = ["name", "text", "hash", "secret_hex", "snapshot", "tokens"];
    each("snapshots.json", &known, file.list("valid"), |vector| {
        let read = Snapshot::from_json(vector.text("text")).expect("the document is valid");
        let ring = backend.load_with_hash(&read, vector.golden_hash()).expect("it can be loaded");
        assert_eq!(ring.token_count(), vector.count("tokens"));
        let written: Value =
            serde_json::from_str(&ring.snapshot().to_json()).expect("a snapshot is JSON");
        assert_eq!(written, *vector.value("snapshot"));
    });
}

pub(in super::super) fn snapshots_json_invalid<B: Backend>(backend: &B) {
    let file = read("snapshots.json");
    let file = Members::of(&file, &["valid", "invalid"]);
    let known = ["name", "text", "text_hex", "hash", "secret_hex", "stage", "reason", "hidden"];
    each("snapshots.json", &known, file.list("invalid"), |vector| {
        let text = match vector.optional("text") {
            Some(text) => string(text).to_owned(),
            None => match String::from_utf8(vector.bytes("text_hex")) {
                Ok(text) => text,
                // No text in Rust: it is refused before it comes to the reader.
                Err(_) => return assert_eq!(vector.text("stage"), "document"),
            },
        };
        // This parser shows every fault, also those marked `hidden`.
        let stage = match Snapshot::from_json(&text) {
            Err(_) => "document",
            Ok(read) => match backend.load_with_hash(&read, vector.golden_hash()) {
                Err(_) => "ring",
                Ok(_) => "nowhere",
            },
        };
        let due = vector.text("stage");
        assert_eq!(stage, due, "where it is refused, for {}", vector.text("reason"));
    });
}

pub(in super::super) fn diffs_json<B: Backend>(backend: &B) {
    let vectors = read("diffs.json");
    let known = ["name", "before", "after", "moved", "flows", "error"];
    each("diffs.json", &known, list(&vectors), |vector| {
        let before = GoldenRing::of(vector.value("before")).build(backend);
        let after = GoldenRing::of(vector.value("after")).build(backend);
        let found = diff(&before, &after);
        if vector.optional("error").is_some() {
            assert!(matches!(found, Err(RingError::DifferentHashes { .. })), "{found:?}");
            return;
        }
        let found = found.expect("the rings can be compared");
        assert_eq!(found.moved(), vector.hashes("moved"));
        let flows: Vec<_> = found.flows().iter().map(|f| (f.from, f.to, f.moved)).collect();
        let due = vector.list("flows").iter().map(|flow| {
            let flow = Members::of(flow, &["from", "to", "moved"]);
            (flow.value("from").as_str(), flow.value("to").as_str(), flow.hashes("moved"))
        });
        assert_eq!(flows, due.collect::<Vec<_>>());
        for arc in found.arcs() {
            for hash in [*arc.hashes.start(), *arc.hashes.end()] {
                assert_eq!((before.owner_at(hash), after.owner_at(hash)), (arc.from, arc.to));
            }
        }
        assert_eq!(found.arcs().iter().map(crate::MovedArc::size).sum::<u128>(), found.moved());
    });
}

pub(in super::super) fn shares_json<B: Backend>(backend: &B) {
    let vectors = read("shares.json");
    let known = ["name", "ring", "total_weight", "shares"];
    each("shares.json", &known, list(&vectors), |vector| {
        let ring = GoldenRing::of(vector.value("ring")).build(backend);
        let found = shares(&ring);
        let listed: Vec<_> = found.iter().map(|s| (s.id, s.weight, s.arc)).collect();
        let due = vector.list("shares").iter().map(|share| {
            let share = Members::of(share, &["id", "weight", "arc"]);
            (share.text("id"), share.number("weight"), share.hashes("arc"))
        });
        assert_eq!(listed, due.collect::<Vec<_>>());
        let sum: u128 = found.iter().map(|share| share.arc).sum();
        assert_eq!(sum, if found.is_empty() { 0 } else { HASH_SPACE });
        let total = f64::from(vector.number("total_weight"));
        for share in &found {
            assert!((share.expected - f64::from(share.weight) / total).abs() < 1e-15);
            assert!((share.share - crate::fraction(share.arc)).abs() < 1e-15);
            let own = ring.walk(0).filter(|token| token.node_id() == share.id).count();
            assert_eq!(share.tokens, own);
        }
    });
}

fn change(value: &Value) -> Change {
    let change = Members::of(value, &["op", "id", "weight"]);
    let id = change.text("id");
    match change.text("op") {
        "add" => Change::add(id, change.number("weight")),
        "set_weight" => Change::set_weight(id, change.number("weight")),
        "remove" => Change::remove(id),
        other => panic!("{other:?} is no change"),
    }
}

/// Runs one step of a script.
fn step<B: Backend>(backend: &B, ring: &mut B::Ring<Fnv1aFmix64>, step: &Value) {
    let known =
        ["op", "expect", "id", "weight", "key", "key_hex", "r", "limit", "changes", "error_index"];
    let step = Members::of(step, &known);
    let op = step.text("op");
    let before = State::of(ring);
    let may_fail = matches!(op, "add" | "set_weight" | "limit" | "apply");
    let expects_error = may_fail && step.text("expect") == "error";
    let mut refused = None;
    match op {
        "new" => *ring = empty(backend, ring.vnodes_per_weight()),
        "add" => refused = ring.add_node(step.text("id"), step.number("weight")).err(),
        "set_weight" => refused = ring.set_weight(step.text("id"), step.number("weight")).err(),
        "limit" => refused = ring.set_token_limit(step.number("limit")).err(),
        "apply" => {
            let changes: Vec<Change> = step.list("changes").iter().map(change).collect();
            refused = ring.apply(&changes).err();
            if let Some(error) = &refused {
                let index = match error {
                    RingError::InChange { index, .. } => Value::from(*index),
                    _ => Value::Null,
                };
                assert_eq!(index, *step.value("error_index"), "{error}");
            }
        }
        "remove" => {
            assert_eq!(Value::from(ring.remove_node(step.text("id"))), *step.value("expect"));
        }
        "tokens" => assert_eq!(ring.token_count(), step.count("expect")),
        "weight" => {
            let weight = ring.weight(step.text("id")).map_or(Value::Null, Value::from);
            assert_eq!(weight, *step.value("expect"));
        }
        "get" => assert_eq!(ring.get_node(step.key()), step.value("expect").as_str()),
        "replicas" => {
            let set = ring.get_replicas(step.key(), step.count("r"));
            let due = ids(step.value("expect"));
            assert_eq!(set.nodes(), due);
            assert_eq!(set.shortfall(), step.count("r") - due.len());
        }
        "fingerprint" => assert_eq!(ring.fingerprint(), step.hash("expect")),
        other => panic!("{other:?} is no step of a script"),
    }
    assert_eq!(refused.is_some(), expects_error, "{op} gives {refused:?}");
    if expects_error {
        assert_eq!(State::of(ring), before, "a refused {op} changed the ring");
    }
}

/// Runs scripts, each on a ring of its own.
fn run_scripts<B: Backend>(backend: &B, file: &str, scripts: &Value) {
    each(file, &["name", "vnodes_per_weight", "ops"], list(scripts), |script| {
        let mut ring = empty(backend, script.number("vnodes_per_weight"));
        for op in script.list("ops") {
            step(backend, &mut ring, op);
        }
        intact(&ring);
    });
}

pub(in super::super) fn cases_json<B: Backend>(backend: &B) {
    run_scripts(backend, "cases.json", &read("cases.json"));
}

/// Random histories, the same that the ports in `interop/` are held to. The environment variable
/// `RING_HISTORIES` names a further file of them.
pub(in super::super) fn histories_json<B: Backend>(backend: &B) {
    run_scripts(backend, "histories.json", &read("histories.json"));
    if let Some(path) = std::env::var_os("RING_HISTORIES") {
        let file = path.to_string_lossy();
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("RING_HISTORIES: {file} cannot be read: {error}"));
        let scripts = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("RING_HISTORIES: {file} is no JSON: {error}"));
        run_scripts(backend, &file, &scripts);
    }
}
