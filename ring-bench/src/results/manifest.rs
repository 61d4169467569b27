//! What a run was, and what its files must be.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::compare::{Effort, Options};
use crate::corpus::{Keys, hex};
use crate::error::BenchError;
use crate::record::{Class, CompareRecord};

/// The schema of [`Manifest`].
pub const SCHEMA: &str = "ring-run/1";

/// The name of the manifest's file.
pub const MANIFEST: &str = "manifest.json";

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// Its SHA-256.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

impl FileDigest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self { sha256: hex(&Sha256::digest(bytes)), bytes: bytes.len() as u64 }
    }
}

/// The options of `compare`, as far as figures depend on them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Ring sizes in nodes.
    pub nodes: Vec<usize>,
    /// Tokens per node.
    pub vnodes: u32,
    /// The hash of the rings.
    pub hash: String,
    /// The keys, by the name of the corpus.
    pub corpus: String,
    /// How many keys; `null` for the corpus's own number.
    pub keys: Option<usize>,
    /// The seed of everything.
    pub seed: u64,
    /// Sittings.
    pub sittings: usize,
    /// Process pairs of two backends for each ring.
    pub pairs: usize,
    /// Process pairs of one backend with itself for each ring.
    pub null_pairs: usize,
    /// Sample pairs of a routine in a process pair, at the most and at the least.
    pub samples: [usize; 2],
    /// Milliseconds that a routine samples in one process pair.
    pub slice_ms: u64,
}

impl Settings {
    /// Whether they are those of `--quick`, whose figures are good for nothing but to see that all works.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        let quick = Effort::quick();
        (self.sittings, self.pairs, self.null_pairs, self.samples)
            == (quick.sittings, quick.pairs, quick.null_pairs, quick.samples)
    }

    /// Those of a run.
    #[must_use]
    pub fn of(options: &Options) -> Self {
        let effort = &options.effort;
        Self {
            nodes: options.nodes.clone(),
            vnodes: options.vnodes,
            hash: options.hash.clone(),
            corpus: options.corpus.to_string(),
            keys: options.keys,
            seed: options.seed,
            sittings: effort.sittings,
            pairs: effort.pairs,
            null_pairs: effort.null_pairs,
            samples: effort.samples,
            slice_ms: u64::try_from(effort.slice.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// The options that they stand for.
    ///
    /// # Errors
    ///
    /// A failure for a corpus that does not exist.
    pub fn options(&self, class: Class) -> Result<Options, BenchError> {
        Ok(Options {
            nodes: self.nodes.clone(),
            vnodes: self.vnodes,
            hash: self.hash.clone(),
            corpus: self
                .corpus
                .parse::<Keys>()
                .map_err(|e| BenchError::failed(e.to_string()).at(MANIFEST))?,
            keys: self.keys,
            seed: self.seed,
            effort: Effort {
                sittings: self.sittings,
                pairs: self.pairs,
                null_pairs: self.null_pairs,
                samples: self.samples,
                slice: Duration::from_millis(self.slice_ms),
                class,
            },
        })
    }
}

/// The document `ring-run/1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// SHA-256 of the program's file.
    pub build: String,
    /// The commit of the sources; `null` where the run was not started in them.
    pub commit: Option<String>,
    /// Whether files differed from that commit.
    pub dirty: Option<bool>,
    /// SHA-256 of the lock file that the program was built with.
    pub lock_sha256: String,
    /// The compiler.
    pub rustc: String,
    /// What it compiled for.
    pub target: String,
    /// How: optimised or not, and with which features.
    pub flags: String,
    /// The arguments of the command.
    pub command_line: Vec<String>,
    /// What the figures may be used for.
    pub class: Class,
    /// Why they may not be used for more; empty for `reference`.
    pub class_reasons: Vec<String>,
    /// When the run ended, in seconds since 1970.
    pub ended: u64,
    /// The options.
    pub settings: Settings,
    /// Every other file.
    pub files: BTreeMap<String, FileDigest>,
}

/// The lock file of this build.
const LOCK: &str = include_str!("../../../Cargo.lock");

/// The digest of the lock file that this program was built with.
#[must_use]
pub fn lock_digest() -> String {
    hex(&Sha256::digest(LOCK.as_bytes()))
}

/// The compiler of this build.
#[must_use]
pub fn rustc() -> &'static str {
    env!("RING_BENCH_RUSTC")
}

/// The target of this build.
#[must_use]
pub fn target() -> &'static str {
    env!("RING_BENCH_TARGET")
}

/// How this program was built.
#[must_use]
pub fn flags() -> String {
    let mut flags =
        vec![if cfg!(debug_assertions) { "debug assertions" } else { "optimised" }.to_owned()];
    for (on, name) in [
        (cfg!(feature = "count-allocations"), "count-allocations"),
        (cfg!(feature = "peers"), "peers"),
    ] {
        if on {
            flags.push(format!("feature {name}"));
        }
    }
    flags.join(", ")
}

/// Commit and dirty flag of the sources that the command was started in; nothing where it was started elsewhere, since
/// the program cannot know which commit it was built from.
#[must_use]
pub fn sources() -> (Option<String>, Option<bool>) {
    let git = |arguments: &[&str]| -> Option<String> {
        let output = Command::new("git").args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let ours = || -> Option<(String, bool)> {
        let top = git(&["rev-parse", "--show-toplevel"])?;
        let lock = std::fs::read(Path::new(&top).join("Cargo.lock")).ok()?;
        if lock != LOCK.as_bytes() || !Path::new(&top).join("ring-bench").is_dir() {
            return None;
        }
        Some((git(&["rev-parse", "HEAD"])?, !git(&["status", "--porcelain"])?.is_empty()))
    };
    ours().map_or((None, None), |(commit, dirty)| (Some(commit), Some(dirty)))
}

/// The class of a run, and why it is no better one.
///
/// `reference` needs at least six process pairs over three sittings, pinned workers, no hypervisor, at most a quarter of
/// a processor busy with other things, steal under 0.5 %, every null control within 2 %, and sources without changes.
#[must_use]
pub fn class(
    record: &CompareRecord,
    settings: &Settings,
    dirty: Option<bool>,
) -> (Class, Vec<String>) {
    if record.class == Class::Smoke {
        return (Class::Smoke, vec!["it was made with --quick".to_owned()]);
    }
    let environment = &record.environment;
    let mut reasons = Vec::new();
    if settings.pairs < 6 || settings.sittings < 3 {
        reasons.push("fewer than six process pairs over three sittings".to_owned());
    }
    if environment.unpinned.is_some() {
        reasons.push("the workers were not pinned".to_owned());
    }
    if environment.machine.virtual_machine {
        reasons.push("a virtual machine, whose neighbours nobody sees".to_owned());
    }
    match environment.load {
        None => reasons.push("the system does not tell its load".to_owned()),
        Some(load) => {
            let others = load.busy * crate::stats::real_len(environment.machine.cpus) - 1.0;
            if others > 0.25 {
                reasons.push(format!("other programs kept {others:.1} processors busy"));
            }
            if load.steal > 0.005 {
                reasons.push(format!("{:.1} % of the time was stolen", load.steal * 100.0));
            }
        }
    }
    let worst = record
        .ratios
        .iter()
        .filter_map(|ratio| ratio.null)
        .map(|null| (null - 1.0).abs())
        .fold(0.0, f64::max);
    if record.ratios.iter().any(|ratio| ratio.null.is_none()) || worst > 0.02 {
        reasons.push(format!("a null control was off by {:.1} %", worst * 100.0));
    }
    match dirty {
        None => reasons.push("the commit is not known".to_owned()),
        Some(true) => reasons.push("files differed from the commit".to_owned()),
        Some(false) => {}
    }
    (if reasons.is_empty() { Class::Reference } else { Class::Indicative }, reasons)
}
