//! Ring files that cannot be loaded: exit code 2, one sentence with file and place, nothing printed.

use crate::script::Folder;

/// Every verb that loads a ring must refuse `text` with an error that holds all of `parts`.
#[track_caller]
fn refused(text: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = Folder::new();
    folder.write("ring.json", text);
    let parts: Vec<&str> = ["error: ring.json: "].iter().chain(parts).copied().collect();
    for verb in ["ring", "route", "route --backend btree", "diff", "balance"] {
        folder.pipe("key\n", &format!("{verb} --ring ring.json")).fails(2, &parts);
    }
    folder.run("diff --from ring.json --to ring.json").fails(2, &parts);
}

/// A snapshot with `nodes` and `more` members.
fn document(nodes: &str, more: &str) -> String {
    format!(
        "{{\n  \"format\": \"hash-ring\",\n  \"version\": 1,\n  \"nodes\": [{nodes}]{more}\n}}\n"
    )
}

#[test]
fn missing_unreadable_and_folders() {
    let folder = Folder::new();
    for verb in ["ring", "route", "diff", "balance"] {
        let run = |file: &str| folder.pipe("key\n", &format!("{verb} --ring {file}"));
        run("missing.json").fails(2, &["missing.json: cannot be read: ", "No such file"]);
        run(".").fails(2, &[".: cannot be read: ", "directory"]);
    }
}

#[test]
fn text_that_is_no_json_names_line_and_column() {
    refused("", &["malformed snapshot: ", "at line 1 column 0"]);
    refused("ring", &["malformed snapshot: ", "at line 1 column 1"]);
    refused("[]", &["malformed snapshot: ", "line 1"]);
    refused("null", &["malformed snapshot: ", "line 1"]);
    refused(document("", ",\n  oops"), &["malformed snapshot: ", "at line 5 column 3"]);
    refused(document("{\"id\": \"a\"},", ""), &["malformed snapshot: ", "at line 4 column"]);
    refused(document("", "") + "x", &["malformed snapshot: trailing", "at line 6 column 1"]);
    refused(format!("\u{feff}{}", document("", "")), &["byte-order mark", "line 1 column 1"]);
    let whole = document("{\"id\": \"a\"}", "");
    for end in 0..whole.len() - 2 {
        refused(&whole[..end], &["malformed snapshot: ", " at line "]);
    }
}

#[test]
fn text_that_is_not_utf_8_names_line_and_column() {
    let good = document("{\"id\": \"a?\"}", "");
    let bytes: Vec<u8> = good.bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect();
    refused(bytes, &["not UTF-8 at line 4 column 22"]);
    refused(b"\xff\xfe{\0}\0", &["not UTF-8 at line 1 column 1"]);
}

#[test]
fn unknown_fields_hashes_formats_and_versions() {
    refused(document("", ",\n  \"vnodes\": 3"), &["unknown field `vnodes`", "line 5 column"]);
    refused(
        document("{\"id\": \"a\", \"wieght\": 2}", ""),
        &["unknown field `wieght`", "line 4 column"],
    );
    refused(
        document("", ",\n  \"hash\": \"md5\""),
        &["the hash \"md5\" is unknown", "fnv1a64-fmix64, xxh3-64"],
    );
    let good = document("", "");
    refused(good.replace("hash-ring", "hash_ring"), &["\"hash_ring\"", "line 2 column"]);
    refused(good.replace("1,", "2,"), &["version is 2", "line 3 column"]);
    refused(good.replace("\"version\": 1,", ""), &["missing field `version`"]);
}

#[test]
fn weights_and_v_are_whole_numbers_in_range() {
    for number in
        ["0", "-1", "1.5", "1000000000000", "1.0", "1e0", "\"1\"", "null", "4294967296", "1e999"]
    {
        let weight = format!("{{\"id\": \"a\", \"weight\": {number}}}");
        refused(document(&weight, ""), &["malformed snapshot: ", "line 4 column"]);
        let v = format!(",\n  \"vnodes_per_weight\": {number}");
        refused(document("", &v), &["malformed snapshot: ", "line 5 column"]);
    }
}

#[test]
fn an_id_stands_once() {
    let twice = "{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"a\"}";
    refused(document(twice, ""), &["node \"a\" stands twice", "nodes[0] and nodes[2]"]);
    refused(
        document("{\"id\": \"a\", \"id\": \"b\"}", ""),
        &["duplicate field `id`", "line 4 column"],
    );
    refused(document("{\"id\": \"\\ud800\"}", ""), &["hex escape", "line 4 column"]);
}

#[test]
fn a_fingerprint_that_disagrees_is_shown_beside_the_right_one() {
    let folder = Folder::new();
    let ring = folder.run("ring --vnodes 64 --add A --add B").ok();
    let both = ["73a7029a9da8fe9d", "5fb492b227f45294"];
    refused(ring.replace(both[0], both[1]), &both);
    refused(ring.replace("64,", "65,"), &[both[0], "fingerprint"]);
    refused(ring.replace(both[0], "73a7"), &["\"73a7\"", "16 hexadecimal digits", "at line"]);
    folder.write("ring.json", ring.replace(both[0], &both[0].to_uppercase()));
    folder.run("ring --ring ring.json").prints(ring);
}

#[test]
fn too_many_tokens_are_refused_before_anything_is_built() {
    let limit = "its token limit is 16777216";
    let heavy = "{\"id\": \"a\", \"weight\": 4294967295}, {\"id\": \"b\", \"weight\": 4294967295}";
    refused(document(heavy, ""), &["858993459000 tokens", limit]);
    refused(
        document(heavy, ",\n  \"vnodes_per_weight\": 4294967295"),
        &["36893488130239234050 tokens", limit],
    );
}

#[cfg(unix)]
#[test]
fn an_endless_device_is_not_read_until_memory_is_full() {
    let folder = Folder::new();
    let error = ["/dev/zero: malformed snapshot: ", "line 1 column 1"];
    folder.run("ring --ring /dev/zero").fails(2, &error);
}

#[test]
fn a_ring_of_many_nodes_is_no_trouble() {
    let folder = Folder::new();
    let nodes: Vec<String> = (0..50_000).map(|i| format!("{{\"id\":\"node-{i}\"}}")).collect();
    let text = document(&nodes.join(","), ",\"vnodes_per_weight\": 2");
    folder.write("ring.json", text.replace("{\n", &format!("{{{}\n", " ".repeat(100_000))));
    assert_eq!(folder.pipe("x", "route --ring ring.json").ok().lines().count(), 1);
}
