//! Writing a run, and reading it whole.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::compare::{Comparison, Options, Progress};
use crate::corpus::CorpusInfo;
use crate::error::BenchError;
use crate::lockstep::link::Program;
use crate::measure::unix_seconds;
use crate::output::write_file;
use crate::record::{CompareRecord, Environment, ExactFigure, Observation};
use crate::report::{csv, html, markdown};
use crate::results::manifest::{
    self, FileDigest, MANIFEST, Manifest, SCHEMA, Settings, flags, lock_digest, rustc, target,
};
use crate::results::pauses::{self, Series};
use crate::results::regimes::{self, Pass};
use crate::results::{exact, figures, read};

/// What `env.json` holds.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Env {
    /// The circumstances.
    pub environment: Environment,
    /// The largest distance from 1 of a pair of the null control: no smaller difference can be told from one pair.
    pub noise_floor: f64,
}

impl Env {
    /// That of a record.
    #[must_use]
    pub fn of(record: &CompareRecord) -> Self {
        let floor = record.ratios.iter().filter_map(|ratio| ratio.null_spread).fold(0.0, f64::max);
        Self { environment: record.environment.clone(), noise_floor: floor }
    }
}

/// A document as this program writes it.
///
/// # Errors
///
/// None in practice: everything written has a JSON form.
pub fn json(document: &impl Serialize) -> Result<String, BenchError> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|e| BenchError::failed(format!("a document has no JSON form: {e}")))?;
    Ok(text + "\n")
}

/// A run as it stands in its directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The figures.
    pub record: CompareRecord,
    /// Every sample.
    pub observations: Vec<Observation>,
    /// What owes nothing to a clock.
    pub exact: Vec<ExactFigure>,
    /// What was measured beside the comparison.
    pub beside: Beside,
}

/// What a complete run measures beside the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// What readers met during changes.
    pub pauses: Vec<Series>,
    /// Lookups that find the ring cold, warm and rebuilt.
    pub regimes: Vec<Pass>,
}

impl Beside {
    /// Measures it.
    ///
    /// # Errors
    ///
    /// Those of the workers.
    pub fn measure(
        options: &Options,
        record: &CompareRecord,
        program: &Program,
        progress: &dyn Progress,
    ) -> Result<Self, BenchError> {
        Ok(Self {
            pauses: pauses::measure(options, record, program, progress)?,
            regimes: regimes::measure(options, program, progress)?,
        })
    }
}

impl Run {
    /// The run of a comparison that was just made.
    ///
    /// # Errors
    ///
    /// None in practice.
    pub fn of(comparison: Comparison, beside: Beside) -> Result<Self, BenchError> {
        let Comparison { record, observations, memory } = comparison;
        let mut figures = exact::of_memory(&memory);
        figures.extend(exact::of_remap(&record.remap));
        figures.extend(exact::of_seed(record.seed)?);
        Ok(Self { record, observations, exact: figures, beside })
    }

    /// The run in `folder`.
    ///
    /// # Errors
    ///
    /// A failure that names the file.
    pub fn read(folder: &Path) -> Result<Self, BenchError> {
        Ok(Self {
            record: read::json(folder, "results.json")?,
            observations: read::samples(folder)?,
            exact: exact::parse(&read::text(folder, "exact.csv")?)
                .map_err(|e| e.at("exact.csv"))?,
            beside: Beside {
                pauses: pauses::parse(&read::text(folder, "pauses.csv")?)
                    .map_err(|e| e.at("pauses.csv"))?,
                regimes: regimes::parse(&read::text(folder, "regimes.csv")?)
                    .map_err(|e| e.at("regimes.csv"))?,
            },
        })
    }

    /// The files that are drawn from the others: name and content.
    #[must_use]
    pub fn drawn(&self) -> Vec<(&'static str, String)> {
        vec![
            ("results.csv", figures::render(&self.record, &self.observations, &self.beside)),
            ("results.md", markdown_of(self)),
            ("report.html", html::render(self)),
        ]
    }

    /// All files but the manifest.
    fn files(&self) -> Result<Vec<(&'static str, String)>, BenchError> {
        let corpora: &Vec<CorpusInfo> = &self.record.corpora;
        let mut files = vec![
            ("env.json", json(&Env::of(&self.record))?),
            ("corpora.json", json(corpora)?),
            ("samples.csv", csv::render(&self.observations)),
            ("exact.csv", exact::render(&self.exact)),
            ("pauses.csv", pauses::render(&self.beside.pauses)),
            ("regimes.csv", regimes::render(&self.beside.regimes)),
            ("results.json", json(&self.record)?),
        ];
        files.extend(self.drawn());
        Ok(files)
    }
}

/// The comparison as Markdown, and after it what owes nothing to a clock.
fn markdown_of(run: &Run) -> String {
    let mut text = markdown::render(&run.record);
    let regimes = regimes::sheet(&run.beside.regimes);
    for sheet in regimes.into_iter().chain(crate::report::exact::sheets(&run.exact)) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n**{}**\n\n{}", sheet.title, markdown::draw(&sheet));
    }
    text
}

/// Refuses a place where no run can be written, before anything is measured.
///
/// # Errors
///
/// A usage error for a directory that is there and not empty; a failure where none can be made: the parent is missing, or
/// a file stands there.
pub fn check_place(folder: &Path) -> Result<(), BenchError> {
    let refuse = |what: &str| Err(BenchError::usage(format!("--out {}: {what}", folder.display())));
    let fail = |what: &str| {
        Err(BenchError::failed(format!("--out {}: cannot be written: {what}", folder.display())))
    };
    match std::fs::read_dir(folder) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                return refuse("a run needs a directory that is new or empty");
            }
            Ok(())
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
            if parent.is_some_and(|parent| !parent.is_dir()) {
                return fail("its parent is no directory");
            }
            Ok(())
        }
        Err(_) => fail("it is no directory that can be read"),
    }
}

/// Makes the directory, or takes one that is empty. Another run may have come while this one was measured.
fn claim(folder: &Path) -> Result<(), BenchError> {
    let failed = |what: &str| {
        BenchError::failed(format!("--out {}: cannot be written: {what}", folder.display()))
    };
    match std::fs::create_dir(folder) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            let mut entries = std::fs::read_dir(folder).map_err(|e| failed(&e.to_string()))?;
            match entries.next() {
                None => Ok(()),
                Some(_) => Err(failed("another run stands there by now; take another directory")),
            }
        }
        Err(e) => Err(failed(&e.to_string())),
    }
}

/// Writes a run: every file whole, the manifest last, so that a run without one is known to be incomplete.
///
/// The class of the record becomes what the circumstances allow. Returns the run as it was written.
///
/// # Errors
///
/// A failure where a file cannot be written.
pub fn write(
    folder: &Path,
    comparison: Comparison,
    beside: Beside,
    options: &Options,
    command_line: Vec<String>,
) -> Result<Run, BenchError> {
    let mut run = Run::of(comparison, beside)?;
    let settings = Settings::of(&options.without_repeats());
    let (commit, dirty) = manifest::sources();
    let (class, class_reasons) = manifest::class(&run.record, &settings, dirty);
    run.record.class = class;
    claim(folder)?;
    let mut files = BTreeMap::new();
    for (name, content) in run.files()? {
        write_file(&folder.join(name), content.as_bytes())?;
        files.insert(name.to_owned(), FileDigest::of(content.as_bytes()));
    }
    let manifest = Manifest {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: run.record.environment.build.clone(),
        commit,
        dirty,
        lock_sha256: lock_digest(),
        rustc: rustc().to_owned(),
        target: target().to_owned(),
        flags: flags(),
        command_line,
        class,
        class_reasons,
        ended: unix_seconds(),
        settings,
        files,
    };
    write_file(&folder.join(MANIFEST), json(&manifest)?.as_bytes())?;
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_claimed_once() {
        let place = tempfile::tempdir().expect("a place");
        let folder = place.path().join("run");
        claim(&folder).expect("it is new");
        claim(&folder).expect("it is empty");
        std::fs::write(folder.join("samples.csv"), "").expect("written");
        let refused = claim(&folder).expect_err("another run is there").to_string();
        assert!(refused.contains("another run stands there"), "{refused}");
        assert!(claim(&place.path().join("a/b")).is_err(), "no parent");
    }
}
