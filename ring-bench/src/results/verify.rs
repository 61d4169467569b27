//! Proves a run, or finds what is wrong with it.
//!
//! Four questions, each by its own means: are the files those of the manifest (their digests), do the tables follow from
//! the samples (the statistics again), do the exact figures follow from the seed (the experiments again), do the drawn
//! files show the figures (drawn again).

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::compare::{self, Progress, replay};
use crate::error::BenchError;
use crate::record::Class;
use crate::report::csv;
use crate::results::differences::{cells, exact_differences, lines, walk};
use crate::results::manifest::{self, FileDigest, MANIFEST, Manifest, SCHEMA, rustc, target};
use crate::results::run_dir::{Env, Run, json};
use crate::results::{exact, read};

/// Findings of one file that are listed; more are counted.
const MOST: usize = 20;

/// What verification found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// What differs, a line each: `FILE: what was expected, what stands there`.
    pub findings: Vec<String>,
    /// What could not be checked here, and why.
    pub skipped: Vec<String>,
    /// What was checked, a line each.
    pub checked: Vec<String>,
    /// SHA-256 of the manifest, which fixes every other file; empty where there is none.
    pub manifest_sha256: String,
}

impl Report {
    /// Takes an error down, once: a missing file is met again and again.
    fn fail(&mut self, error: &BenchError) {
        let finding = error.to_string();
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn find(&mut self, file: &str, what: impl std::fmt::Display) {
        self.findings.push(format!("{file}: {what}"));
    }

    /// Lists differences of one file, up to [`MOST`].
    fn list(&mut self, file: &str, differences: &[String]) {
        for difference in differences.iter().take(MOST) {
            self.find(file, difference);
        }
        if differences.len() > MOST {
            self.find(file, format!("and {} more differences", differences.len() - MOST));
        }
    }
}

/// The files of a run that are not those of its manifest; for whoever uses a run without verifying it.
#[must_use]
pub fn changed_files(folder: &Path) -> Vec<String> {
    let Ok(manifest) = read::json::<Manifest>(folder, MANIFEST) else {
        return vec![MANIFEST.to_owned()];
    };
    let is_changed = |(name, digest): &(&String, &FileDigest)| {
        read::bytes(folder, name).map_or(true, |bytes| FileDigest::of(&bytes) != **digest)
    };
    manifest.files.iter().filter(is_changed).map(|(name, _)| name.clone()).collect()
}

/// Verifies the run in `folder`.
///
/// # Errors
///
/// A usage error where `folder` is no directory. What is wrong with a run is no error but a finding.
pub fn verify(folder: &Path, progress: &dyn Progress) -> Result<Report, BenchError> {
    if !folder.is_dir() {
        return Err(BenchError::usage(format!("{}: there is no such directory", folder.display())));
    }
    let mut report = Report::default();
    if !folder.join(MANIFEST).exists() {
        report.find(
            MANIFEST,
            "a complete run has one, written last; there is none, so the run is incomplete (interrupted, or still under way)",
        );
        return Ok(report);
    }
    if let Ok(bytes) = read::bytes(folder, MANIFEST) {
        report.manifest_sha256 = FileDigest::of(&bytes).sha256;
    }
    let manifest: Manifest = match read::json(folder, MANIFEST) {
        Ok(manifest) => manifest,
        Err(e) => {
            report.fail(&e);
            return Ok(report);
        }
    };
    if manifest.schema != SCHEMA {
        report.find(
            MANIFEST,
            format!("schema {SCHEMA} was expected, {} stands there", manifest.schema),
        );
        return Ok(report);
    }
    digests(folder, &manifest, &mut report, progress)?;
    progress.phase("reading the samples", 1);
    match Run::read(folder) {
        Ok(run) => contents(folder, &manifest, &run, &mut report, progress),
        Err(e) => report.fail(&e),
    }
    Ok(report)
}

/// Whether the files are those of the manifest.
fn digests(
    folder: &Path,
    manifest: &Manifest,
    report: &mut Report,
    progress: &dyn Progress,
) -> Result<(), BenchError> {
    progress.phase("digests", manifest.files.len() as u64);
    for (name, expected) in &manifest.files {
        progress.step();
        // A name with a separator could lead out of the directory.
        if Path::new(name).file_name().is_none_or(|file| file != name.as_str()) {
            report.find(MANIFEST, format!("file names were expected, {name:?} stands there"));
            continue;
        }
        match read::bytes(folder, name) {
            Err(e) => report.fail(&e),
            Ok(bytes) => {
                let found = FileDigest::of(&bytes);
                if found.bytes != expected.bytes {
                    report.find(
                        name,
                        format!(
                            "{} bytes were expected, {} stand there",
                            expected.bytes, found.bytes
                        ),
                    );
                } else if found != *expected {
                    report.find(
                        name,
                        format!(
                            "SHA-256 {} was expected, {} stands there",
                            expected.sha256, found.sha256
                        ),
                    );
                }
            }
        }
    }
    let needed = [
        "env.json",
        "corpora.json",
        "samples.csv",
        "exact.csv",
        "pauses.csv",
        "regimes.csv",
        "results.json",
        "results.csv",
        "results.md",
        "report.html",
    ];
    for name in needed {
        if !manifest.files.contains_key(name) {
            report.find(
                MANIFEST,
                format!("the file {name} was expected in the list, it does not stand there"),
            );
        }
    }
    let entries = std::fs::read_dir(folder)
        .map_err(|e| BenchError::failed(format!("{}: cannot be read: {e}", folder.display())))?;
    let mut names = BTreeSet::new();
    for entry in entries.flatten() {
        names.insert(entry.file_name().to_string_lossy().into_owned());
    }
    for name in names {
        if name != MANIFEST && !manifest.files.contains_key(&name) {
            report.find(&name, "no such file was expected, since the manifest does not list it");
        }
    }
    report.checked.push(format!("digests of {} files", manifest.files.len()));
    Ok(())
}

/// Whether the files follow from each other and from the seed.
fn contents(
    folder: &Path,
    manifest: &Manifest,
    run: &Run,
    report: &mut Report,
    progress: &dyn Progress,
) {
    let of_effort = if manifest.settings.is_quick() { Class::Smoke } else { Class::Indicative };
    let result = || -> Result<_, BenchError> {
        let options = manifest.settings.options(of_effort)?;
        let env: Env = read::json(folder, "env.json")?;
        let memory = exact::memory(&run.exact).map_err(|e| e.at("exact.csv"))?;
        Ok((options, env, memory))
    };
    let (options, env, memory) = match result() {
        Ok(parts) => parts,
        Err(e) => {
            report.fail(&e);
            return;
        }
    };
    // From the seed: keys, what changes move, balance, limits.
    let again = compare::exact(&options, progress)
        .and_then(|(corpora, remap)| Ok((corpora, remap, exact::of_seed(options.seed)?)));
    let (corpora, remap, of_seed) = match again {
        Ok(again) => again,
        Err(e) => {
            report.find("corpora.json", format!("the keys and rings cannot be made again: {e}"));
            return;
        }
    };
    compare_json(folder, "corpora.json", &corpora, report);
    settings(manifest, run, report);
    let mut expected = exact::of_memory(&memory);
    expected.extend(exact::of_remap(&remap));
    expected.extend(of_seed);
    let differences = exact_differences(&expected, &run.exact);
    report.list("exact.csv", &differences);
    report.checked.push(format!("{} exact figures from seed {}", expected.len(), options.seed));
    if (manifest.rustc.as_str(), manifest.target.as_str()) != (rustc(), target()) {
        report.skipped.push(format!(
            "bytes and allocations: counted with {} for {}, this program was built with {} for {}",
            manifest.rustc,
            manifest.target,
            rustc(),
            target()
        ));
    }
    // From the samples: every table cell.
    progress.phase("tables from the samples", 1);
    let rest = replay::Rest { corpora, remap, memory, environment: env.environment.clone() };
    let record = match replay::replay(&options, &run.observations, rest) {
        Ok(mut record) => {
            // Another version may have other rules for it.
            let (class, reasons) = if manifest.version == env!("CARGO_PKG_VERSION") {
                manifest::class(&record, &manifest.settings, manifest.dirty)
            } else {
                (manifest.class, manifest.class_reasons.clone())
            };
            if (manifest.class, &manifest.class_reasons) != (class, &reasons) {
                let told = |class: Class, reasons: &[String]| match reasons {
                    [] => class.name().to_owned(),
                    reasons => format!("{} ({})", class.name(), reasons.join("; ")),
                };
                report.find(
                    MANIFEST,
                    format!(
                        "the class {} was expected from the other files, {} stands there",
                        told(class, &reasons),
                        told(manifest.class, &manifest.class_reasons)
                    ),
                );
            }
            record.class = class;
            record
        }
        Err(e) => {
            report.findings.push(e.at("samples.csv").to_string());
            return;
        }
    };
    compare_json(folder, "results.json", &record, report);
    compare_json(folder, "env.json", &Env::of(&record), report);
    report.checked.push(format!(
        "{} figures and {} ratios from {} samples",
        record.rows.len(),
        record.ratios.len(),
        run.observations.len()
    ));
    let rebuilt = Run {
        record,
        observations: run.observations.clone(),
        exact: expected,
        beside: run.beside.clone(),
    };
    if csv::render(&run.observations) != read::text(folder, "samples.csv").unwrap_or_default() {
        report.find(
            "samples.csv",
            "numbers in their shortest form were expected, others stand there",
        );
    }
    progress.phase("pages", 1);
    drawn(folder, manifest, &rebuilt, report);
}

/// Whether the samples are as many as the manifest's settings say.
fn settings(manifest: &Manifest, run: &Run, report: &mut Report) {
    let of = |control: &str, nodes: usize| {
        let own = run.observations.iter().filter(|o| o.control == control && o.nodes == nodes);
        own.map(|o| (o.sitting, o.pair)).collect::<BTreeSet<_>>()
    };
    let settings = &manifest.settings;
    let mut sittings = BTreeSet::new();
    for &nodes in &settings.nodes {
        for (control, named) in [("main", settings.pairs), ("null", settings.null_pairs)] {
            let pairs = of(control, nodes);
            if pairs.len() != named {
                report.find(
                    MANIFEST,
                    format!(
                        "settings of {} {control} process pairs were expected, since samples.csv has as many with \
                         {nodes} nodes; {named} stand there",
                        pairs.len()
                    ),
                );
            }
            sittings.extend(pairs.into_iter().map(|(sitting, _)| sitting));
        }
    }
    if sittings.len() != settings.sittings {
        report.find(
            MANIFEST,
            format!(
                "settings of {} sittings were expected, since samples.csv has as many; {} stand there",
                sittings.len(),
                settings.sittings
            ),
        );
    }
}

/// Whether the drawn files show the figures.
fn drawn(folder: &Path, manifest: &Manifest, rebuilt: &Run, report: &mut Report) {
    if manifest.version != env!("CARGO_PKG_VERSION") {
        report.skipped.push(format!(
            "results.csv, results.md and report.html: drawn by version {}, this is {}",
            manifest.version,
            env!("CARGO_PKG_VERSION")
        ));
        return;
    }
    for (name, expected) in rebuilt.drawn() {
        let found = match read::text(folder, name) {
            Ok(found) => found,
            Err(e) => {
                report.fail(&e);
                continue;
            }
        };
        let cells = if name == "results.csv" { cells(&expected, &found) } else { None };
        report.list(name, &cells.unwrap_or_else(|| lines(&expected, &found)));
    }
    report.checked.push("results.csv, results.md and report.html drawn again".to_owned());
}

/// Compares a document with the one in a file, cell by cell.
fn compare_json(folder: &Path, name: &str, expected: &impl serde::Serialize, report: &mut Report) {
    let Ok(Ok(expected)) = json(expected).map(|text| serde_json::from_str::<Value>(&text)) else {
        return;
    };
    let found: Value = match read::json(folder, name) {
        Ok(found) => found,
        Err(e) => {
            report.fail(&e);
            return;
        }
    };
    let mut differences = Vec::new();
    walk("", &expected, &found, &mut differences);
    report.list(name, &differences);
}
