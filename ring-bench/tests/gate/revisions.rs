//! Revisions: small repositories whose program pretends, so that they build in a second.

use std::fs;
use std::path::Path;
use std::process::Command;

use ring_bench::lockstep::protocol::VERSION;

use crate::fake::{code, gate, run_in, stderr, stdout};

/// A repository with the package `ring-bench`.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().expect("a folder"));
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.write("Cargo.toml", "[package]\nname = \"ring-bench\"\nversion = \"0.0.1\"\nedition = \"2021\"\n\n[workspace]\n");
        repository.write(
            "Cargo.lock",
            "version = 4\n\n[[package]]\nname = \"ring-bench\"\nversion = \"0.0.1\"\n",
        );
        repository.write(".gitignore", "/target\n");
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    fn git(&self, arguments: &[&str]) {
        let output = run_in(
            self.path(),
            Command::new("git")
                .args([
                    "-c",
                    "user.name=t",
                    "-c",
                    "user.email=t@example.org",
                    "-c",
                    "commit.gpgsign=false",
                ])
                .args(arguments),
        );
        assert!(output.status.success(), "{}", stderr(&output));
    }

    /// Commits a program whose lookups take `ns` nanoseconds; anything but a number does not build.
    fn commit(&self, ns: &str) {
        self.program(ns);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", ns]);
    }

    fn program(&self, ns: &str) {
        let text = format!(
            r##"fn main() {{
    let ns: u64 = {ns};
    for line in std::io::stdin().lines() {{
        let line = line.unwrap();
        let asks = |what: &str| line.contains(&format!("\"ask\":\"{{what}}\""));
        if asks("hello") {{
            println!(r#"{{{{"answer":"hello","protocol":{VERSION},"version":"0","build":"{{ns}}"}}}}"#);
        }} else if asks("exact") {{
            println!(r#"{{{{"answer":"failed","code":1,"sentence":"the worker does not understand the question"}}}}"#);
        }} else if asks("prepare") {{
            println!(r#"{{{{"answer":"prepared","tokens":1000,"keys":5,"keys_digest":1,"fingerprint":7,"cpu":0,"unpinned":null,"clock":{{{{"read_ns":0.0,"step_ns":1}}}}}}}}"#);
        }} else if asks("begin") {{
            println!(r#"{{{{"answer":"begun"}}}}"#);
        }} else if asks("calibrate") {{
            println!(r#"{{{{"answer":"calibrated","count":1,"operation_ns":1000}}}}"#);
        }} else if asks("sample") {{
            println!(r#"{{{{"answer":"sampled","count":1,"phases":[{{{{"elapsed_ns":{{ns}},"readings":1,"each_ns":[]}}}}],"checksum":9}}}}"#);
        }} else if asks("end") {{
            println!(r#"{{{{"answer":"ended","digest":1}}}}"#);
        }} else {{
            return;
        }}
    }}
}}
"##
        );
        self.write("src/main.rs", &text);
    }

    /// The gate on one small benchmark; exit code, report, messages.
    fn gate(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut all = vec!["--only", "get/10x100", "--no-instructions"];
        all.extend(arguments);
        let output = gate(self.path(), &all);
        (code(&output), stdout(&output), stderr(&output))
    }
}

#[test]
fn revisions_are_built_and_compared() {
    let repository = Repository::new();
    repository.commit("1000");
    repository.git(&["tag", "v1"]);
    repository.commit("1020");
    repository.commit("1040");
    repository.commit("1060");

    // 2 % a commit pass one by one, but not since the last release.
    let (code, report, said) = repository.gate(&["--base", "HEAD~1"]);
    assert_eq!(code, 0, "{report}{said}");
    assert!(report.contains("(HEAD~1)") && report.contains("head  the checkout ("), "{report}");
    let (code, report, said) = repository.gate(&["--base", "release"]);
    assert_eq!(code, 3, "{report}{said}");
    let (code, report, _) = repository.gate(&["--base", "v1", "--head", "HEAD~2"]);
    assert_eq!(code, 0, "{report}");
    assert!(report.contains("1.020x") || report.contains("1.02x"), "{report}");

    // What is not committed counts as well.
    repository.program("1500");
    let (code, report, _) = repository.gate(&["--base", "HEAD"]);
    assert_eq!(code, 3, "{report}");
    assert!(report.contains("and changes)"), "{report}");

    let (code, _, said) = repository.gate(&["--base", "no-such-branch"]);
    assert_eq!(code, 2);
    assert!(said.contains("--base no-such-branch"), "{said}");
    let (code, _, said) = repository.gate(&["--base", "HEAD", "--head", "no-such-branch"]);
    assert_eq!(code, 2);
    assert!(said.contains("--head no-such-branch"), "{said}");
}

#[test]
fn a_base_that_does_not_build_is_told_with_what_the_compiler_said() {
    let repository = Repository::new();
    repository.commit("no_such_name");
    repository.commit("1000");
    let (code, report, said) = repository.gate(&["--base", "HEAD~1"]);
    assert_eq!((code, report.as_str()), (1, ""));
    assert!(said.contains("the base ") && said.contains("does not build"), "{said}");
    assert!(said.contains("no_such_name"), "{said}");
}

#[test]
fn without_a_base_it_says_so_and_passes() {
    let repository = Repository::new();
    // Not even a first commit.
    repository.program("1000");
    let (code, report, said) = repository.gate(&["--base", "HEAD"]);
    assert_eq!(code, 0, "{said}");
    assert!(report.contains("NO BASE"), "{report}");
    repository.commit("1000");
    let (code, report, said) = repository.gate(&["--base", "HEAD~1"]);
    assert_eq!(code, 0, "{said}");
    assert!(report.contains("NO BASE, passes: there is no HEAD~1"), "{report}");
    assert!(said.starts_with("warning: NO BASE"), "{said}");
    let (code, report, _) = repository.gate(&["--base", "release", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((code, &value["verdict"], &value["exit"]), (0, &"no-base".into(), &0.into()));

    repository.commit("1010");
    let clone = tempfile::tempdir().expect("a folder");
    let from = format!("file://{}", repository.path().display());
    let output = run_in(
        clone.path(),
        Command::new("git").args(["clone", "--quiet", "--depth=1", &from, "clone"]),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let output = gate(&clone.path().join("clone"), &["--base", "HEAD~1"]);
    assert_eq!(crate::fake::code(&output), 0);
    assert!(stdout(&output).contains("shallow clone"), "{}", stdout(&output));
}

#[test]
fn the_commit_of_the_published_results_stands_in_for_a_tag() {
    let repository = Repository::new();
    repository.commit("1000");
    let commit = run_in(repository.path(), Command::new("git").args(["rev-parse", "HEAD"]));
    let commit = stdout(&commit);
    repository.write(
        "ring-bench/reference/run/manifest.json",
        &format!("{{\"commit\":\"{}\"}}", commit.trim()),
    );
    repository.commit("1200");
    let (code, report, said) = repository.gate(&["--base", "release"]);
    assert_eq!(code, 3, "{report}{said}");
    assert!(report.contains("(release)"), "{report}");
}
