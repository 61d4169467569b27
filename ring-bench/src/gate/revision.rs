//! From what the user names to programs that can be run: binaries as they are, revisions built each in a worktree.
//!
//! Everything lies under `gate` in the target folder of cargo: a worktree and a target folder for each side, kept so
//! that the next build has little to do, and a copy of each program, so that no later build replaces it under a run.
//! The checkout itself is built in place, into its usual target folder, with the same command.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::compare::Progress;
use crate::error::BenchError;
use crate::gate::Builds;
use crate::lockstep::link::Program;

/// The word that stands for the last release.
pub const RELEASE: &str = "release";

/// Where published results stand; a manifest there names the commit that they were measured on.
const REFERENCE: &str = "ring-bench/reference";

/// What cargo is told for both sides: a profile that differs between two revisions is no difference of the code.
const BUILD: [&str; 12] = [
    "build",
    "--release",
    "--locked",
    "--package",
    "ring-bench",
    "--bin",
    "ring-bench",
    "--config=profile.release.lto=\"fat\"",
    "--config=profile.release.codegen-units=1",
    "--config=profile.release.opt-level=3",
    "--config=profile.release.debug=false",
    "--config=profile.release.strip=\"none\"",
];

/// What came of looking for the two programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Both are there.
    Both(Box<Builds>),
    /// There is nothing to compare with: why.
    NoBase(String),
}

/// Finds or builds both programs. Without `head` it is the checkout as it stands, or this very program where the base
/// is a binary.
///
/// # Errors
///
/// A usage error for what is neither a file nor a revision; a failure where a revision does not build.
pub fn find(base: &str, head: Option<&str>, progress: &dyn Progress) -> Result<Found, BenchError> {
    let binary = |text: &str| Some(PathBuf::from(text)).filter(|path| path.is_file());
    let base_binary = binary(base);
    let head_binary = head.and_then(binary);
    let head_is_this = head.is_none() && base_binary.is_some();
    let needs_repository = base_binary.is_none() || (head_binary.is_none() && !head_is_this);
    let repository = if needs_repository {
        let missing = if base_binary.is_none() {
            ("--base", base)
        } else {
            ("--head", head.unwrap_or_default())
        };
        Some(Repository::open(missing)?)
    } else {
        None
    };
    let commit = match (&repository, &base_binary) {
        (Some(repository), None) => match repository.base(base)? {
            Ok(commit) => Some(commit),
            Err(why) => return Ok(Found::NoBase(why)),
        },
        _ => None,
    };
    progress.phase("builds", 2);
    let base = match (base_binary, &repository, commit) {
        (Some(path), ..) => at_path("base", &path)?,
        (None, Some(repository), Some(commit)) => repository.build("base", base, &commit)?,
        _ => return Err(BenchError::failed("the base was not found")),
    };
    progress.step();
    let head = match (head, head_binary, &repository) {
        (_, Some(path), _) => at_path("head", &path)?,
        (Some(revision), None, Some(repository)) => {
            let commit = repository.commit(revision).ok_or_else(|| unknown("--head", revision))?;
            repository.build("head", revision, &commit)?
        }
        (None, None, Some(repository)) if !head_is_this => repository.build_checkout()?,
        _ => (Program::this("head")?, "this program".to_owned()),
    };
    progress.step();
    Ok(Found::Both(Box::new(Builds { base: base.0, head: head.0, labels: [base.1, head.1] })))
}

fn unknown(option: &str, name: &str) -> BenchError {
    BenchError::usage(format!(
        "{option} {name}: {}, and git knows no such revision",
        no_program(name)
    ))
}

/// Why a name is no program.
fn no_program(name: &str) -> &'static str {
    if Path::new(name).is_dir() { "that is a directory" } else { "there is no such file" }
}

/// Whether this names the commit of the checkout or an ancestor of it: `HEAD`, then any number of `^`, `~` and `~3`.
/// `HEAD^2` is the second parent of a merge, which no longer history would bring.
fn is_before_head(name: &str) -> bool {
    let Some(mut steps) = name.strip_prefix("HEAD") else { return false };
    while !steps.is_empty() {
        steps = match (steps.strip_prefix('^'), steps.strip_prefix('~')) {
            (Some(rest), _) => rest,
            (_, Some(rest)) => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
            _ => return false,
        };
    }
    true
}

/// A file that is a program already.
fn at_path(side: &str, path: &Path) -> Result<(Program, String), BenchError> {
    let whole = fs::canonicalize(path)
        .map_err(|e| BenchError::usage(format!("--{side} {}: {e}", path.display())))?;
    Ok((Program::other(side, whole), path.display().to_string()))
}

/// The repository of the working directory.
struct Repository {
    root: PathBuf,
    /// The folder of worktrees, builds and programs.
    folder: PathBuf,
    /// Cargo's target folder.
    target: PathBuf,
    /// Held while this lives: two runs at a time would share worktrees.
    _lock: File,
}

impl Repository {
    /// Opens it. `wanted` is the option with the name that no file has.
    fn open((option, name): (&str, &str)) -> Result<Self, BenchError> {
        let top = run(Command::new("git").args(["rev-parse", "--show-toplevel"]));
        let root = top.map_err(|why| {
            BenchError::usage(format!(
                "{option} {name}: {}, and no revision can be looked up here: {why}",
                no_program(name)
            ))
        })?;
        let root = PathBuf::from(root);
        let metadata = run(Command::new("cargo")
            .args(["metadata", "--no-deps", "--format-version=1"])
            .current_dir(&root))
        .map_err(|why| BenchError::usage(format!("{}: {why}", root.display())))?;
        let metadata: serde_json::Value = serde_json::from_str(&metadata)
            .map_err(|e| BenchError::failed(format!("cargo metadata cannot be read: {e}")))?;
        let target = metadata["target_directory"]
            .as_str()
            .ok_or_else(|| BenchError::failed("cargo metadata names no target directory"))?;
        let target = PathBuf::from(target);
        let folder = target.join("gate");
        let failed = |e: std::io::Error| BenchError::failed(format!("{}: {e}", folder.display()));
        fs::create_dir_all(folder.join("bin")).map_err(failed)?;
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(Self { root, folder, target, _lock: lock })
    }

    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        run(Command::new("git").arg("-C").arg(&self.root).args(arguments))
    }

    /// The whole name of the commit that `revision` names.
    fn commit(&self, revision: &str) -> Option<String> {
        let wanted = format!("{revision}^{{commit}}");
        self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]).ok()
    }

    /// The commit to compare with; a sentence where there is none that there could be.
    fn base(&self, name: &str) -> Result<Result<String, String>, BenchError> {
        if name == RELEASE {
            return Ok(self.release().ok_or_else(|| {
                format!("there is no release yet: no tag, and no commit named in {REFERENCE}")
            }));
        }
        if let Some(commit) = self.commit(name) {
            return Ok(Ok(commit));
        }
        let is_shallow = self.git(&["rev-parse", "--is-shallow-repository"]);
        if is_shallow.is_ok_and(|answer| answer == "true") {
            return Ok(Err(format!(
                "this is a shallow clone, and {name} is not in it; `git fetch --deepen=50` brings more of the history"
            )));
        }
        if is_before_head(name) {
            return Ok(Err(format!("there is no {name}: the history does not go back so far")));
        }
        Err(unknown("--base", name))
    }

    /// The last tag before the checkout, or else the commit that the reference results name.
    fn release(&self) -> Option<String> {
        let tag = |of: &str| {
            let tag = self.git(&["describe", "--tags", "--abbrev=0", of]).ok()?;
            self.commit(&tag)
        };
        let head = self.commit("HEAD");
        match tag("HEAD") {
            // The release itself is compared with the one before it.
            Some(commit) if Some(&commit) == head.as_ref() => tag("HEAD^"),
            tagged => tagged,
        }
        .or_else(|| self.referenced())
    }

    /// The commit of the newest manifest under the reference folder.
    fn referenced(&self) -> Option<String> {
        let folder = self.root.join(REFERENCE);
        let mut manifests = vec![folder.join("manifest.json")];
        let mut folders: Vec<PathBuf> =
            fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        folders.sort();
        manifests.extend(folders.iter().rev().map(|folder| folder.join("manifest.json")));
        manifests.iter().find_map(|path| {
            let manifest: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
            self.commit(manifest["commit"].as_str()?)
        })
    }

    /// Builds a commit in the worktree of `side`.
    fn build(&self, side: &str, name: &str, commit: &str) -> Result<(Program, String), BenchError> {
        let short = commit.get(..10).unwrap_or(commit);
        let label =
            if commit.starts_with(name) { short.to_owned() } else { format!("{short} ({name})") };
        let tree = self.folder.join("tree").join(side);
        self.check_out(&tree, commit).map_err(|why| {
            BenchError::failed(format!("the {side} {label} cannot be checked out: {why}"))
        })?;
        self.same_compiler(&tree, side)?;
        let target = self.folder.join("build").join(side);
        let built = cargo_build(&tree, &target).map_err(|why| {
            BenchError::failed(format!("the {side} {label} does not build: {why}"))
        })?;
        Ok((self.keep(side, &built)?, label))
    }

    /// Builds the checkout as it stands.
    fn build_checkout(&self) -> Result<(Program, String), BenchError> {
        let built = cargo_build(&self.root, &self.target)
            .map_err(|why| BenchError::failed(format!("the checkout does not build: {why}")))?;
        let commit = self.commit("HEAD").unwrap_or_default();
        let status = self.git(&["status", "--porcelain", "--untracked-files=no"]);
        let modified = status.is_ok_and(|status| !status.is_empty());
        let label = match (commit.get(..10), modified) {
            (Some(short), true) => format!("the checkout ({short} and changes)"),
            (Some(short), false) => format!("the checkout ({short})"),
            (None, _) => "the checkout".to_owned(),
        };
        Ok((self.keep("head", &built)?, label))
    }

    /// Brings a worktree to `commit`, making it anew where it is no longer one.
    fn check_out(&self, tree: &Path, commit: &str) -> Result<(), String> {
        let moved = tree.join(".git").is_file().then(|| {
            let git =
                |arguments: &[&str]| run(Command::new("git").arg("-C").arg(tree).args(arguments));
            // Ours alone, so whatever was changed in it may go.
            git(&["checkout", "--quiet", "--force", "--detach", commit])?;
            git(&["clean", "--quiet", "-dffx"])
        });
        if let Some(Ok(_)) = moved {
            return Ok(());
        }
        // Nothing there to remove is fine.
        let _ = fs::remove_dir_all(tree);
        self.git(&["worktree", "prune"])?;
        let place = tree.display().to_string();
        self.git(&["worktree", "add", "--quiet", "--force", "--detach", &place, commit])?;
        Ok(())
    }

    /// Refuses a revision that asks for another compiler than the checkout: the difference would be the compiler's.
    fn same_compiler(&self, tree: &Path, side: &str) -> Result<(), BenchError> {
        let version = |folder: &Path| {
            run(Command::new("rustc").arg("-vV").current_dir(folder)).map_err(BenchError::failed)
        };
        let (one, other) = (version(&self.root)?, version(tree)?);
        if one == other {
            return Ok(());
        }
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        Err(BenchError::failed(format!(
            "the {side} asks for {}, the checkout for {}; builds of two compilers are not compared",
            first(&other),
            first(&one)
        )))
    }

    /// Copies a program to where no build replaces it.
    fn keep(&self, side: &str, built: &Path) -> Result<Program, BenchError> {
        let kept = self.folder.join("bin").join(side);
        // A worker of a run that was killed may still have the old one open; a new file does not disturb it.
        let _ = fs::remove_file(&kept);
        fs::copy(built, &kept).map_err(|e| {
            BenchError::failed(format!("{} cannot be copied: {e}", built.display()))
        })?;
        Ok(Program::other(side, kept))
    }
}

/// Builds the command in `tree` and returns its file.
fn cargo_build(tree: &Path, target: &Path) -> Result<PathBuf, String> {
    let mut target_dir = std::ffi::OsString::from("--target-dir=");
    target_dir.push(target);
    run(Command::new("cargo").args(BUILD).arg(target_dir).current_dir(tree))?;
    let built = target.join("release").join("ring-bench");
    if built.is_file() { Ok(built) } else { Err(format!("there is no {}", built.display())) }
}

/// Runs a command to its end and returns what it printed, or the end of what it complained.
fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{name}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    Err(complaint(&name, &output))
}

/// The last lines of what a command said.
fn complaint(name: &str, output: &Output) -> String {
    const LINES: usize = 12;
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n  ");
    if last.is_empty() {
        format!("{name} ended with {}", output.status)
    } else {
        format!("{name} says\n  {last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ancestors_may_be_missing_from_a_short_history() {
        for name in ["HEAD", "HEAD~", "HEAD~1", "HEAD^", "HEAD^^", "HEAD~3^~12"] {
            assert!(is_before_head(name), "{name}");
        }
        for name in
            ["HEAD^foo", "HEAD~abc", "HEAD^{tree}", "HEAD^2", "HEAD2", "head~1", "main~1", ""]
        {
            assert!(!is_before_head(name), "{name}");
        }
    }
}
