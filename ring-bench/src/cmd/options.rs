//! Options that several verbs share, and the values they take.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use ring_bench::error::BenchError;
use ring_bench::hashes::AnyHash;
use ring_bench::keys::KeyLines;
use ring_bench::names::readable_path;
use ring_bench::output;
use ring_bench::ring_file::read_secret;
use ring_core::Hash64;
use serde::Serialize;

use super::console;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    /// Tables to read.
    Text,
    /// One JSON document.
    Json,
}

/// The secret of a keyed hash.
#[derive(Debug, clap::Args)]
pub(crate) struct SecretArgs {
    /// The secret of the hash siphash-1-3: 32 hexadecimal digits in a file
    #[arg(long, value_name = "FILE")]
    hash_secret_file: Option<PathBuf>,
}

impl SecretArgs {
    pub(crate) fn read(&self) -> Result<Option<[u8; 16]>, BenchError> {
        self.hash_secret_file.as_deref().map(read_secret).transpose()
    }

    /// Refuses a secret that none of the hashes in use takes: whoever gave it believes otherwise.
    pub(crate) fn check_used(&self, hashes: &[AnyHash]) -> Result<(), BenchError> {
        match (&self.hash_secret_file, hashes) {
            (Some(_), [hash, ..]) if !hashes.iter().any(Hash64::is_keyed) => {
                Err(BenchError::usage(format!(
                    "--hash-secret-file is given, but the hash {} takes no secret",
                    hash.name()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Takes the name of a hash.
pub(crate) fn hash_names() -> PossibleValuesParser {
    PossibleValuesParser::new(AnyHash::NAMES)
}

/// Takes a whole number from 1 to 4294967295 in plain decimal: a weight, V or a budget.
pub(crate) fn positive(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(number @ 1..) if is_decimal(text) => Ok(number),
        _ => Err(format!("not a whole number from 1 to {}", u32::MAX)),
    }
}

/// Takes a whole number in plain decimal: how many nodes are wanted for a key.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if is_decimal(text) => Ok(number),
        _ => Err(format!("not a whole number from 0 to {}", usize::MAX)),
    }
}

/// The standard library's parser takes `+1` as well.
fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Keys from a file, `-` being standard input.
pub(crate) fn keys(path: &Path) -> Result<KeyLines, BenchError> {
    if path.as_os_str() == "-" {
        console::say_if_waiting_for_keys();
    }
    KeyLines::open(path)
}

/// Refuses two exports to one file, of which the second would replace the first.
pub(crate) fn check_distinct<'a>(
    paths: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), BenchError> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in paths {
        // Pipes and devices take one text after the other.
        if path.exists() && !path.is_file() {
            continue;
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let place = match (path.canonicalize(), folder.canonicalize(), path.file_name()) {
            (Ok(place), ..) => place,
            (_, Ok(folder), Some(name)) => folder.join(name),
            _ => path.clone(),
        };
        if seen.contains(&place) {
            return Err(BenchError::usage(format!(
                "{}: two exports go to this file, and the second would replace the first",
                readable_path(path)
            )));
        }
        seen.push(place);
    }
    Ok(())
}

/// Prints a report as a JSON document.
pub(crate) fn print_json(report: &impl Serialize) -> Result<(), BenchError> {
    let json = serde_json::to_string_pretty(report)
        .map_err(|error| BenchError::failed(format!("the report has no JSON form: {error}")))?;
    output::print(&(json + "\n"))
}

/// How large a ring is, in words.
pub(crate) fn size(nodes: usize, tokens: usize) -> String {
    let plural =
        |count: usize, word| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!("{}, {}", plural(nodes, "node"), plural(tokens, "token"))
}

/// Which part `count` is of `total`; `None` of nothing.
pub(crate) fn part(count: u64, total: u64) -> Option<f64> {
    (total > 0).then(|| float(count) / float(total))
}

/// A count as a float, exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts of keys and nodes are far below 2^53")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}
