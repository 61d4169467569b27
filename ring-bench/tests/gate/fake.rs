//! Workers that pretend, and the command that is given them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use ring_bench::lockstep::protocol::VERSION;

/// A child that is being started holds every file that is open at that moment, and a script that is held open for
/// writing cannot be run. So nothing is started while a script is written.
static STARTING: Mutex<()> = Mutex::new(());

pub(crate) fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ring-bench"))
}

/// Runs a command in `folder` to its end.
pub(crate) fn run_in(folder: &Path, command: &mut Command) -> Output {
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = {
        let _alone = STARTING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        command.spawn().expect("the command starts")
    };
    child.wait_with_output().expect("the command ends")
}

/// Runs the gate in `folder`.
pub(crate) fn gate(folder: &Path, arguments: &[&str]) -> Output {
    // A repository that a test makes must not build into the folder of this one.
    let mut command = Command::new(program());
    run_in(folder, command.env_remove("CARGO_TARGET_DIR").arg("gate").args(arguments))
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Writes a script that can be run.
pub(crate) fn script(folder: &Path, name: &str, text: &str) -> String {
    let _alone = STARTING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path.display().to_string()
}

/// What a pretending worker says. The parts are shell words or whole answers.
#[derive(Clone)]
pub(crate) struct Fake {
    /// Nanoseconds of a lookup: a shell expression.
    pub(crate) ns: &'static str,
    pub(crate) hello: String,
    pub(crate) exact: &'static str,
    pub(crate) prepare: &'static str,
}

impl Fake {
    pub(crate) fn new(ns: &'static str) -> Self {
        Self {
            ns,
            hello: format!(
                "echo '{{\"answer\":\"hello\",\"protocol\":{VERSION},\"version\":\"0\",\"build\":\"'$0'\"}}'"
            ),
            exact: r#"echo '{"answer":"failed","code":1,"sentence":"the worker does not understand the question"}'"#,
            prepare: r#"echo '{"answer":"prepared","tokens":1000,"keys":5,"keys_digest":1,"fingerprint":7,"cpu":0,"unpinned":null,"clock":{"read_ns":0.0,"step_ns":1}}'"#,
        }
    }

    pub(crate) fn write(&self, folder: &Path, name: &str) -> String {
        let Self { ns, hello, exact, prepare } = self;
        let text = format!(
            r#"#!/bin/sh
ns={ns}
while read -r line; do
  case "$line" in
    *'"ask":"hello"'*) {hello} ;;
    *'"ask":"exact"'*) {exact} ;;
    *'"ask":"prepare"'*) {prepare} ;;
    *'"ask":"begin"'*) echo '{{"answer":"begun"}}' ;;
    *'"ask":"calibrate"'*) echo '{{"answer":"calibrated","count":1,"operation_ns":1000}}' ;;
    *'"ask":"sample"'*) echo '{{"answer":"sampled","count":1,"phases":[{{"elapsed_ns":'$ns',"readings":1,"each_ns":[]}}],"checksum":9}}' ;;
    *'"ask":"end"'*) echo '{{"answer":"ended","digest":1}}' ;;
    *) exit 0 ;;
  esac
done
"#
        );
        script(folder, name, &text)
    }
}

/// The arguments that compare two programs on one small benchmark of each backend.
pub(crate) fn pair<'a>(base: &'a str, head: &'a str) -> Vec<&'a str> {
    vec!["--base", base, "--head", head, "--only", "get/10x100", "--no-instructions"]
}
