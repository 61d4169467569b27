//! Keys are lines of bytes; `hash` shows each with its hash.

use crate::script::{Folder, from_hex};

#[test]
fn a_line_is_its_hash_a_tab_and_the_key() {
    let folder = Folder::new();
    folder.pipe("\na\nnode#1\n키\nuser:42\n", "hash").prints(
        "efd01f60ba992926\t\n\
         82a2a958a9bece5b\ta\n\
         37bd095809cbd0c0\tnode#1\n\
         a94cee1b288babca\t키\n\
         998817bee6718248\tuser:42\n",
    );
}

#[test]
fn an_empty_file_has_no_keys() {
    let folder = Folder::new();
    folder.write("keys", "");
    folder.run("hash --keys keys").prints("");
    folder.pipe("", "hash").prints("");
}

#[test]
fn a_last_line_needs_no_newline() {
    let folder = Folder::new();
    let line = "82a2a958a9bece5b\ta\n";
    folder.pipe("a", "hash").prints(line);
    folder.pipe("a\n", "hash").prints(line);
    folder.pipe("a\na", "hash").prints(line.repeat(2));
}

#[test]
fn an_empty_line_is_the_empty_key() {
    let folder = Folder::new();
    let empty = "efd01f60ba992926\t\n";
    folder.pipe("\n", "hash").prints(empty);
    folder.pipe("\n\n\n", "hash").prints(empty.repeat(3));
}

#[test]
fn a_carriage_return_is_part_of_the_key() {
    let folder = Folder::new();
    let hash = |bytes: &[u8]| folder.pipe(bytes, "hash").ok();
    let with = hash(b"a\r\n");
    assert!(with.ends_with("\ta\r\n"), "{with:?}");
    assert_ne!(with[..16], hash(b"a\n")[..16]);
    assert!(hash(b"\r").ends_with("\t\r\n"));
}

#[test]
fn keys_are_any_bytes() {
    let folder = Folder::new();
    let key = from_hex("00ff80fe09c3");
    let outcome = folder.pipe(&key, "hash");
    assert_eq!(outcome.code, Some(0));
    assert_eq!(outcome.stdout[16..], [b"\t", &key[..], b"\n"].concat());
}

#[test]
fn a_dash_is_standard_input_and_so_is_nothing() {
    let folder = Folder::new();
    folder.write("keys", "a\nb\n");
    let expected = folder.run("hash --keys keys").ok();
    assert_eq!(expected.lines().count(), 2);
    folder.pipe("a\nb\n", "hash --keys -").prints(&expected);
    folder.pipe("a\nb\n", "hash").prints(&expected);
    // A file of that name has another path.
    folder.write("-", "x\n");
    assert!(folder.run("hash --keys ./-").ok().ends_with("\tx\n"));
}

#[test]
fn a_key_longer_than_any_buffer_works() {
    let folder = Folder::new();
    let long = "0123456789".repeat(100_000);
    folder.write("keys", format!("a\n{long}\na"));
    let lines = folder.run("hash --keys keys").ok();
    let keys: Vec<&str> = lines.lines().map(|line| &line[17..]).collect();
    assert_eq!(keys, ["a", &long, "a"]);
}

#[test]
fn the_hash_has_a_name() {
    let folder = Folder::new();
    folder.write("secret", "000102030405060708090a0b0c0d0e0f\n");
    folder.pipe("\n", "hash --hash fnv1a64-fmix64").prints("efd01f60ba992926\t\n");
    folder.pipe("\n", "hash --hash xxh3-64").prints("2d06800538d394c2\t\n");
    folder
        .pipe("\n", "hash --hash siphash-1-3 --hash-secret-file secret")
        .prints("abac0158050fc4dc\t\n");
}

#[test]
fn the_keyed_hash_needs_a_secret_of_32_digits() {
    let folder = Folder::new();
    folder.pipe("a", "hash --hash siphash-1-3").fails(2, &["siphash-1-3", "--hash-secret-file"]);
    let siphash = "hash --hash siphash-1-3 --hash-secret-file secret";
    folder.pipe("a", siphash).fails(2, &["secret: cannot be read"]);
    let digits = "000102030405060708090A0b0c0d0e0f";
    for good in [digits.to_owned(), format!("{digits}\n"), format!("{digits}\r\n")] {
        folder.write("secret", good);
        folder.pipe("\n", siphash).prints("abac0158050fc4dc\t\n");
    }
    for bad in ["", "00", &digits[1..], &format!("{digits}0"), &digits.replace('f', "g"), "\n"] {
        folder.write("secret", bad);
        let outcome = folder.pipe("a", siphash);
        assert!(bad.len() < 4 || !outcome.stderr.contains(bad.trim()), "the secret is shown");
        outcome.fails(2, &["secret: ", "32 hexadecimal digits"]);
    }
}

#[test]
fn a_secret_that_no_hash_takes_is_refused() {
    let folder = Folder::new();
    folder.write("secret", "000102030405060708090a0b0c0d0e0f");
    let place = ["--hash-secret-file", "fnv1a64-fmix64 takes no secret"];
    folder.pipe("a", "hash --hash-secret-file secret").fails(2, &place);
    folder.run("ring --hash-secret-file secret").fails(2, &place);
}

#[test]
fn keys_that_cannot_be_read_are_bad_input() {
    let folder = Folder::new();
    folder.write("ring.json", folder.run("ring --add a").ok());
    for verb in
        ["hash", "route --ring ring.json", "diff --ring ring.json", "balance --ring ring.json"]
    {
        folder.run(&format!("{verb} --keys missing")).fails(2, &["missing: cannot be read: "]);
        folder.run(&format!("{verb} --keys .")).fails(2, &[".: cannot be read: ", "directory"]);
    }
}
