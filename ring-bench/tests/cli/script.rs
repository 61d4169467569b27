//! What the scripts are written in: a folder of their own, commands in it, and what they printed.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder in which commands run, gone at the end of the test.
pub(crate) struct Folder(TempDir);

/// Exit code and output of one command.
#[derive(Debug)]
pub(crate) struct Outcome {
    command: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a text file")
    }

    /// The names of all files in the folder, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    /// `ring-bench` with arguments, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ring-bench"));
        command.args(arguments).current_dir(self.0.path());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs `ring-bench` with arguments divided by blanks, and nothing on standard input.
    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        self.run_with(&words(arguments), b"")
    }

    /// Runs `ring-bench` with arguments divided by blanks and this standard input.
    pub(crate) fn pipe(&self, input: impl AsRef<[u8]>, arguments: &str) -> Outcome {
        self.run_with(&words(arguments), input.as_ref())
    }

    /// Runs `ring-bench` with these arguments and this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Outcome {
        run(self.command(arguments), input)
    }
}

fn words(arguments: &str) -> Vec<&str> {
    arguments.split_whitespace().collect()
}

/// Runs a command with this standard input to its end.
pub(crate) fn run(mut command: Command, input: &[u8]) -> Outcome {
    let name = format!("{command:?}");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("started");
    let mut stdin = child.stdin.take().expect("piped");
    let output = std::thread::scope(|scope| {
        // A command that stops at an error never reads its input to the end.
        scope.spawn(move || stdin.write_all(input).ok());
        child.wait_with_output().expect("ended")
    });
    Outcome {
        command: name,
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

impl Outcome {
    /// Demands success and silence on standard error; returns what was printed.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.command);
        self.text()
    }

    /// Demands success and one warning that holds all of `parts`; returns what was printed.
    #[track_caller]
    pub(crate) fn warns(self, parts: &[&str]) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert!(self.stderr.starts_with("warning: "), "{self:?}");
        self.holds(parts);
        self.text()
    }

    /// Demands success and exactly these bytes.
    #[track_caller]
    pub(crate) fn prints(self, expected: impl AsRef<[u8]>) {
        let (expected, stdout) = (expected.as_ref(), &self.stdout);
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.command);
        assert!(
            stdout == expected,
            "{}\nprinted  {}\nexpected {}",
            self.command,
            stdout.escape_ascii(),
            expected.escape_ascii()
        );
    }

    /// Demands this exit code, nothing on standard output and one error of one line that holds all
    /// of `parts`.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.stdout.is_empty(), "{self:?}");
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        self.holds(parts);
    }

    /// Demands exit code 2 for wrong usage: one error that holds all of `parts`, then a tip.
    #[track_caller]
    pub(crate) fn fails_with_tip(mut self, parts: &[&str], tip: &str) {
        let (error, rest) = self.stderr.split_once('\n').expect("two lines");
        assert!(rest.starts_with("  tip: ") && rest.contains(tip), "{self:?}");
        self.stderr = format!("{error}\n");
        self.fails(2, parts);
    }

    #[track_caller]
    fn holds(&self, parts: &[&str]) {
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is missing in {self:?}");
        }
    }

    /// What was printed, as text.
    #[track_caller]
    pub(crate) fn text(self) -> String {
        String::from_utf8(self.stdout).expect("UTF-8 on standard output")
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn from_hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Lines of text, each with its newline.
pub(crate) fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().flat_map(|line| [line, "\n".to_owned()]).collect()
}
