//! Figures that owe nothing to a clock, and their comparison with a file.
//!
//! Two kinds. **Placement** says which node owns what: fingerprints, owners, replica sets, moved parts. It must be the
//! same for every build on every machine, and a build that differs is wrong, however fast. **Counts** say what a ring
//! costs: bytes and allocations, the same for one compiler and target only, tokens compared and tokens walked.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use ring_core::{Hash64, HashRing, Ring, TokenStore};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::experiments::{lookup, memory, remap};
use crate::gate::record::ExactRow;
use crate::hashes::AnyHash;
use crate::lockstep::protocol::SubjectSpec;
use crate::measure::fold;
use crate::routine::REPLICAS;
use crate::stats::real;
use crate::subject::{BACKENDS, BackendTask, built, corpus_of, with_backend};

/// The header of the file.
const HEADER: &str = "name,kind,value";

/// Keys that are looked up.
const KEYS: usize = 20_000;

/// What a figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Which node owns what.
    Placement,
    /// What a ring costs. Less is better.
    Count,
}

impl Kind {
    /// Its name, in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Placement => "placement",
            Self::Count => "count",
        }
    }
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub kind: Kind,
    /// Its value, as it is compared.
    pub value: String,
}

/// All figures of this build, in the order of the file.
///
/// # Errors
///
/// Those of building rings; none is expected.
pub fn figures() -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for (nodes, max_weight) in [(10, 1), (100, 1), (1000, 1), (100, 5)] {
        let ring = if max_weight == 1 {
            format!("{nodes}x100")
        } else {
            format!("{nodes}x100 weights 1-{max_weight}")
        };
        let spec = |contender: &str, hash: &str| SubjectSpec {
            contender: contender.to_owned(),
            hash: hash.to_owned(),
            nodes,
            vnodes: 100,
            max_weight,
            corpus: "uniform(16)".to_owned(),
            keys: Some(KEYS),
            seed: 42,
        };
        let mut put = |name: String, kind, value: String| {
            figures.push(Figure { name, kind, value });
        };
        // Memory first: nothing of a ring is alive then.
        for backend in BACKENDS {
            let Some(count) = memory::count(&spec(backend, AnyHash::NAMES[0]))? else { continue };
            put(
                format!("bytes built at once {ring} {backend}"),
                Kind::Count,
                count.bulk_bytes.to_string(),
            );
            put(
                format!("bytes built node by node {ring} {backend}"),
                Kind::Count,
                count.one_by_one_bytes.to_string(),
            );
            put(
                format!("allocations in {} lookups {ring} {backend}", count.lookups),
                Kind::Count,
                count.lookup_allocations.to_string(),
            );
        }
        for hash in AnyHash::NAMES {
            for backend in BACKENDS {
                let spec = spec(backend, hash);
                let corpus = corpus_of(&spec)?;
                let placed = with_backend(&spec, Place { spec: &spec, corpus: &corpus })?;
                for (what, value) in [
                    ("fingerprint", placed.fingerprint),
                    ("owners", placed.owners),
                    ("replicas", placed.replicas),
                ] {
                    put(
                        format!("{what} {ring} {hash} {backend}"),
                        Kind::Placement,
                        format!("{value:016x}"),
                    );
                }
                if let Some(probes) = placed.probes {
                    put(
                        format!(
                            "tokens compared in lookups of {KEYS} keys {ring} {hash} {backend}"
                        ),
                        Kind::Count,
                        probes.to_string(),
                    );
                }
                put(
                    format!(
                        "tokens walked for {REPLICAS} replicas of {KEYS} keys {ring} {hash} {backend}"
                    ),
                    Kind::Count,
                    placed.walked.to_string(),
                );
            }
        }
        let spec = spec(BACKENDS[0], AnyHash::NAMES[0]);
        for moved in remap::run(&spec.membership(), &corpus_of(&spec)?)? {
            let change = &moved.change;
            put(format!("moved by {change} {ring}"), Kind::Placement, moved.moved);
            put(
                format!("keys moved by {change} {ring}"),
                Kind::Placement,
                moved.keys_moved.to_string(),
            );
        }
    }
    Ok(figures)
}

/// Where keys go in a ring.
struct Placed {
    fingerprint: u64,
    owners: u64,
    replicas: u64,
    /// Tokens that lookups compared, where the backend tells.
    probes: Option<u64>,
    /// Tokens that were looked at to find the replicas.
    walked: u64,
}

struct Place<'a> {
    spec: &'a SubjectSpec,
    corpus: &'a Corpus,
}

impl BackendTask for Place<'_> {
    type Output = Placed;

    fn run<S, H>(self, hash: H) -> Result<Placed, BenchError>
    where
        S: TokenStore + Send + Sync + 'static,
        H: Hash64 + Clone + Send + Sync + 'static,
    {
        let ring: HashRing<S, H> = built(&self.spec.membership(), hash)?;
        let keys = self.corpus.len();
        let walked = |key: &[u8]| {
            let mut seen: Vec<&str> = Vec::with_capacity(REPLICAS);
            let mut tokens = 0_u64;
            for token in ring.walk(ring.hasher().hash64(key)) {
                tokens += 1;
                if !seen.contains(&token.node_id()) {
                    seen.push(token.node_id());
                }
                if seen.len() == REPLICAS {
                    break;
                }
            }
            tokens
        };
        let probes = |key: &[u8]| {
            let compared = ring.probes_at(ring.hasher().hash64(key))?;
            u64::try_from(compared).ok()
        };
        Ok(Placed {
            probes: self.corpus.keys(0..keys).map(probes).sum(),
            fingerprint: ring.fingerprint(),
            owners: fold(lookup::get(&ring, self.corpus, 0, keys), keys as u64),
            replicas: lookup::replicas(&ring, self.corpus, 0, keys),
            walked: self.corpus.keys(0..keys).map(walked).sum(),
        })
    }
}

/// The toolchain that counts hold for: compiler version and target.
#[must_use]
pub fn toolchain() -> &'static str {
    concat!(env!("RING_BENCH_RUSTC"), " ", env!("RING_BENCH_TARGET"))
}

/// The recorded figures: the toolchain of the counts, and values by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recorded {
    /// The toolchain that the counts were taken with.
    pub toolchain: String,
    values: BTreeMap<String, String>,
}

/// The file that holds `figures`.
#[must_use]
pub fn render(figures: &[Figure]) -> String {
    let mut text = format!("{HEADER}\ntoolchain of the counts,toolchain,{}\n", toolchain());
    for figure in figures {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{},{}", figure.name, figure.kind.name(), figure.value);
    }
    text
}

impl Recorded {
    /// Reads what [`render`] wrote.
    ///
    /// # Errors
    ///
    /// A usage error that names the line at fault.
    pub fn parse(text: &str) -> Result<Self, BenchError> {
        let mut recorded = Self::default();
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line) != Some(HEADER) {
            return Err(BenchError::usage(format!("line 1: the header is not {HEADER}")));
        }
        for (at, line) in lines {
            let fields: Vec<&str> = line.split(',').collect();
            match fields[..] {
                [_, "toolchain", value] => value.clone_into(&mut recorded.toolchain),
                [name, "placement" | "count", value] => {
                    recorded.values.insert(name.to_owned(), value.to_owned());
                }
                _ => {
                    return Err(BenchError::usage(format!(
                        "line {}: not a name, a kind and a value: {line}",
                        at + 1
                    )));
                }
            }
        }
        Ok(recorded)
    }

    /// How many figures.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), and where the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let place = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|e| BenchError::usage(format!("{place}: cannot be read: {e}")))?;
        Self::parse(&text).map_err(|e| e.at(&place))
    }
}

/// Sets base, head and the recorded figures side by side.
///
/// Counts are compared with the file only where it was written with the `toolchain` of the head.
#[must_use]
pub fn compare(
    base: Option<&[Figure]>,
    head: Option<&[Figure]>,
    recorded: Option<&Recorded>,
    toolchain: &str,
) -> Vec<ExactRow> {
    let Some(head) = head else { return Vec::new() };
    head.iter().map(|figure| row(figure, base.unwrap_or_default(), recorded, toolchain)).collect()
}

fn row(figure: &Figure, base: &[Figure], recorded: Option<&Recorded>, toolchain: &str) -> ExactRow {
    let base = base.iter().find(|other| other.name == figure.name).map(|other| &other.value);
    let recorded = recorded
        .filter(|recorded| figure.kind == Kind::Placement || recorded.toolchain == toolchain)
        .and_then(|recorded| recorded.values.get(&figure.name));
    let others = [base, recorded];
    let mut present = others.into_iter().flatten();
    let equal = present.clone().all(|other| *other == figure.value);
    let number = |text: &str| text.parse::<u64>().map_or(f64::NAN, real);
    let status = match figure.kind {
        _ if equal => "equal",
        Kind::Placement => "placement",
        Kind::Count if present.any(|other| number(other) < number(&figure.value)) => "worse",
        Kind::Count => "better",
    };
    ExactRow {
        name: figure.name.clone(),
        kind: figure.kind.name().to_owned(),
        base: base.cloned(),
        head: Some(figure.value.clone()),
        recorded: recorded.cloned(),
        equal,
        status: status.to_owned(),
    }
}

#[cfg(test)]
#[path = "exact_tests.rs"]
mod tests;
