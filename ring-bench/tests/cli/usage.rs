//! Arguments, help and colours.

use crate::script::{Folder, run};

const VERBS: [&str; 5] = ["ring", "route", "hash", "diff", "balance"];

#[test]
fn every_help_has_examples_of_its_verb() {
    let folder = Folder::new();
    for verb in VERBS {
        for help in [format!("{verb} --help"), format!("{verb} -h"), format!("help {verb}")] {
            let text = folder.run(&help).ok();
            let (_, examples) = text.split_once("Examples:\n").expect("examples");
            assert!(examples.contains(&format!("ring-bench {verb} ")), "{text}");
        }
    }
    let text = folder.run("--help").ok();
    for verb in VERBS {
        assert!(text.contains(&format!("\n  {verb} ")), "{verb} is missing in\n{text}");
    }
}

/// The examples are run as they stand, one after the other, in one folder.
#[cfg(unix)]
#[test]
fn the_examples_work_as_they_stand() {
    let folder = Folder::new();
    folder.write("keys.txt", "user:1\nuser:2\nuser:3\n");
    folder.run("ring --add cache-a --add cache-b --out before.json").prints("");
    folder.run("ring --add cache-a --add cache-b --add cache-c --out after.json").prints("");
    let path = std::env::var("PATH").expect("a path");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_ring-bench"));
    let path = format!("{}:{path}", binary.parent().expect("a folder").display());
    let mut count = 0;
    for verb in VERBS {
        let help = folder.run(&format!("{verb} --help")).ok();
        let (_, examples) = help.split_once("Examples:\n").expect("examples");
        for line in examples.lines().filter(|line| line.starts_with("  ")) {
            // jq may not be there; what is piped to it must be made all the same.
            let line = line.split("| jq").next().unwrap_or(line);
            let mut command = std::process::Command::new("sh");
            command.args(["-c", line]).env("PATH", &path).current_dir(folder.path("."));
            let outcome = run(command, b"");
            assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{line}");
            count += 1;
        }
    }
    assert!(count >= 15, "{count} examples");
}

#[test]
fn wrong_usage_is_one_sentence_and_exit_code_2() {
    let folder = Folder::new();
    folder.run("hash --kies x").fails_with_tip(&["unexpected argument '--kies'"], "--keys");
    folder.run("rout").fails_with_tip(&["unrecognized subcommand 'rout'"], "route");
    folder.run("hash --keys").fails(2, &["--keys <FILE>"]);
    folder.run("hash extra").fails(2, &["'extra'"]);
    folder.run("route --format xml --ring x").fails(2, &["'xml'", "tsv, jsonl"]);
    folder.run("balance").fails(2, &["--ring <FILE>"]);
    folder.run("hash --keys a --keys b").fails(2, &["--keys", "multiple times"]);
}

#[test]
fn no_verb_is_compare() {
    let folder = Folder::new();
    // Flags of compare alone, with values that it refuses before it measures.
    for arguments in ["--nodes x", "--color never --nodes x", "compare --nodes x"] {
        folder.run(arguments).fails(2, &["--nodes", "'x'"]);
    }
    folder.run("--ring ring.json").fails(2, &["--ring"]);
}

#[test]
fn a_message_is_one_line_whatever_was_named() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| folder.run_with(arguments, b"");
    let path = "no\n\u{1b}[31msuch";
    let shown = r#""no\n\u{1b}[31msuch": cannot be"#;
    run(&["ring", "--ring", path]).fails(2, &[shown]);
    run(&["hash", "--keys", path]).fails(2, &[shown]);
    run(&["ring", "--capacities", path, "--budget", "1"]).fails(2, &[shown]);
    run(&["hash", "--hash-secret-file", path]).fails(2, &[shown]);
    run(&["ring", "--out", &format!("{path}/x")])
        .fails(1, &[r#""no\n\u{1b}[31msuch/x": cannot be"#]);
    run(&["ring", "--remove", "a\nb"]).fails(2, &[r#"--remove "a\nb": node "a\nb" is not"#]);
    run(&["ring", "--vnodes", "a\nb"]).fails(2, &["--vnodes"]);
}

#[test]
fn the_version_is_that_of_the_package() {
    Folder::new().run("--version").prints(concat!("ring-bench ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn messages_have_colour_only_where_asked_for() {
    let folder = Folder::new();
    folder.run("ring --add a --out ring.json").prints("");
    let error = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = folder.command(arguments);
        command.envs(variables.iter().copied());
        let outcome = run(command, b"x\n");
        (outcome.stderr.contains("\u{1b}["), outcome.stdout.contains(&0x1b))
    };
    for arguments in [
        &["route", "--ring", "missing"][..],
        &["route", "--ring", "ring.json", "--replicas", "2"],
        &["route", "--replicas", "x"],
        &["--help"],
    ] {
        // Standard error is no terminal here.
        assert_eq!(error(arguments, &[]), (false, false), "{arguments:?}");
        let with = |color: &'static str| [&[color], arguments].concat();
        let after = |color: &'static str| [arguments, &[color][..]].concat();
        for never in [with("--color=never"), after("--color=never")] {
            assert_eq!(error(&never, &[("CLICOLOR_FORCE", "1")]), (false, false), "{never:?}");
        }
        for auto in [with("--color=auto"), after("--color=auto")] {
            assert_eq!(error(&auto, &[("NO_COLOR", "1")]), (false, false), "{auto:?}");
        }
        for always in [with("--color=always"), after("--color=always")] {
            let (stderr, stdout) = error(&always, &[("NO_COLOR", "1")]);
            // Help is the one thing on standard output that is not data.
            assert_eq!(
                (stderr, stdout),
                (arguments[0] != "--help", arguments[0] == "--help"),
                "{always:?}"
            );
        }
    }
    assert_eq!(error(&["--color", "always", "hash", "--keys", "missing"], &[]), (true, false));
    folder.run("--color sometimes hash").fails(2, &["'sometimes'", "auto, always, never"]);
}
