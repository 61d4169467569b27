//! `--out` writes a file whole or not at all.

use std::fs;

use crate::script::Folder;

#[test]
fn bad_input_leaves_what_was_there() {
    let folder = Folder::new();
    folder.write("ring.json", "precious");
    folder.run("ring --add a --add a --out ring.json").fails(2, &["--add a: "]);
    folder.run("ring --ring missing --out ring.json").fails(2, &["missing: "]);
    folder.run("ring --add a=4294967295 --out ring.json").fails(2, &["token limit"]);
    assert_eq!(folder.read("ring.json"), "precious");
    folder.run("ring --add a --add a --out new.json").fails(2, &["--add a: "]);
    assert_eq!(folder.files(), ["ring.json"]);
}

#[test]
fn what_cannot_be_written_is_failed_work_and_leaves_nothing() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder")).expect("made");
    folder.run("ring --add a --out folder").fails(1, &["folder: cannot be written: ", "directory"]);
    folder
        .run("ring --add a --out folder/no/ring.json")
        .fails(1, &["folder/no/ring.json: cannot be written: there is no directory folder/no"]);
    folder.run("ring --add a --out -").fails(2, &["-: a file was expected"]);
    folder.run("ring --ring -").fails(2, &["-: the file of a ring was expected"]);
    folder.run_with(&["ring", "--out", ""], b"").fails(2, &["--out <FILE>"]);
    folder
        .run("ring --add a --fingerprint --out folder")
        .fails(1, &["folder: cannot be written: "]);
    assert_eq!(folder.files(), ["folder"]);
    assert_eq!(fs::read_dir(folder.path("folder")).expect("a folder").count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_destroys_nothing() {
    let folder = Folder::new();
    folder.write("ring.json", "precious");
    // A limit on the size of files stands in for a disk that fills up half-way.
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec {} ring $(seq -f '--add node-%g' 1000) --out ring.json",
        env!("CARGO_BIN_EXE_ring-bench")
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).current_dir(folder.path("."));
    crate::script::run(command, b"").fails(1, &["ring.json: cannot be written: "]);
    assert_eq!(folder.read("ring.json"), "precious");
    assert_eq!(folder.files(), ["ring.json"]);
}

#[cfg(unix)]
#[test]
fn a_device_stays_a_device() {
    use std::os::unix::fs::FileTypeExt as _;

    let folder = Folder::new();
    folder.run("ring --add a --out /dev/null").prints("");
    assert!(fs::metadata("/dev/null").expect("there").file_type().is_char_device());
    let ring = folder.run("ring --add a").ok();
    folder.run("ring --add a --out /dev/stdout").prints(ring);
}
