//! Seeded keys. They all exist before a clock starts.
//!
//! | name | keys | what it shows |
//! |---|---|---|
//! | `uniform`, `uniform(LEN)` | random ids of LEN characters out of 32, 16 by default | the general case, and the default |
//! | `uuid` | random version-4 UUIDs | 36-byte keys |
//! | `sequential` | `user:1`, `user:2`, … | near-equal keys: what a weak hash makes of them |
//! | `paths` | object paths with shared prefixes, of varied lengths | long keys |
//! | `zipf(S)` | as many uniform ids, drawn with weight rank^-S, S = 0.99 or 1.2 and others up to 4 | skewed popularity |
//! | `hot(K)` | K uniform ids, 1000 by default, drawn evenly | a working set that stays in the cache |
//! | `one-arc` | uniform ids that all fall before one token | an adversary who loads one node |
//! | `on-tokens` | the token ids themselves: each key's hash is exactly a token's | the edge of the ownership rule |
//! | `far-arcs` | uniform ids, in turn from the lower and the upper half of the hash space | no locality at all |
//! | `file:PATH` | the lines of a file, as they are | your own keys |
//!
//! After a good hash the distribution of keys changes locality and load, not the number of comparisons that a lookup
//! makes.
//!
//! The SHA-256 of a corpus is that of its keys with a newline after each, so `sha256sum` of a file with the same lines
//! agrees.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::error::BenchError;
use crate::seeded::Stream;
use crate::workload::Membership;

mod generate;
mod zipf;

/// Keys of a corpus where nobody asks for another number: 2^20, so that a pass never meets them twice soon.
pub const DEFAULT_KEYS: usize = 1 << 20;

/// The most keys that a corpus may be asked to have.
pub const MAX_KEYS: usize = 1 << 28;

/// Which keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Keys {
    /// Random ids of this many characters.
    Uniform(usize),
    /// Version-4 UUIDs.
    Uuid,
    /// `user:1`, `user:2`, …
    Sequential,
    /// Object paths.
    Paths,
    /// Uniform ids drawn by Zipf's law with this exponent in thousandths.
    Zipf(u32),
    /// This many uniform ids, drawn evenly.
    Hot(usize),
    /// Keys that all fall into the widest arc of the ring.
    OneArc,
    /// The ring's token ids.
    OnTokens,
    /// Keys from both halves of the hash space in turn.
    FarArcs,
    /// The lines of a file.
    File(PathBuf),
}

impl Keys {
    /// Whether the keys depend on the ring's membership and hash.
    #[must_use]
    pub fn depends_on_ring(&self) -> bool {
        matches!(self, Self::OneArc | Self::OnTokens | Self::FarArcs)
    }

    /// The part of the name before any parameter.
    fn family(&self) -> &'static str {
        match self {
            Self::Uniform(_) => "uniform",
            Self::Uuid => "uuid",
            Self::Sequential => "sequential",
            Self::Paths => "paths",
            Self::Zipf(_) => "zipf",
            Self::Hot(_) => "hot",
            Self::OneArc => "one-arc",
            Self::OnTokens => "on-tokens",
            Self::FarArcs => "far-arcs",
            Self::File(_) => "file",
        }
    }
}

impl std::fmt::Display for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let family = self.family();
        match self {
            Self::Uniform(n) | Self::Hot(n) => write!(f, "{family}({n})"),
            Self::Zipf(s) => {
                let digits = format!("{}.{:03}", s / 1000, s % 1000);
                write!(f, "{family}({})", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            Self::File(path) => write!(f, "{family}:{}", path.display()),
            _ => f.write_str(family),
        }
    }
}

impl FromStr for Keys {
    type Err = BenchError;

    fn from_str(name: &str) -> Result<Self, BenchError> {
        if let Some(path) = name.strip_prefix("file:") {
            return Ok(Self::File(PathBuf::from(path)));
        }
        let (family, parameter) = match name.strip_suffix(')').and_then(|rest| rest.split_once('('))
        {
            Some((family, parameter)) => (family, Some(parameter)),
            None => (name, None),
        };
        let number = |default: usize, least: usize, most: usize| match parameter {
            None => Ok(default),
            Some(text) => match text.parse::<usize>() {
                Ok(n) if (least..=most).contains(&n) => Ok(n),
                _ => Err(BenchError::usage(format!(
                    "corpus {name}: the parameter of {family} is a whole number from {least} to {most}, not {text}"
                ))),
            },
        };
        let keys = match family {
            // Eight characters of five bits are 2^40 ids: enough that 2^20 of them hardly ever repeat.
            "uniform" => Self::Uniform(number(16, 8, 4096)?),
            "hot" => Self::Hot(number(1000, 1, MAX_KEYS)?),
            "zipf" => Self::Zipf(exponent(name, parameter.unwrap_or("0.99"))?),
            "uuid" => Self::Uuid,
            "sequential" => Self::Sequential,
            "paths" => Self::Paths,
            "one-arc" => Self::OneArc,
            "on-tokens" => Self::OnTokens,
            "far-arcs" => Self::FarArcs,
            _ => {
                return Err(BenchError::usage(format!(
                    "there is no corpus {name}; there are uniform(LEN), uuid, sequential, paths, zipf(S), hot(K), \
                     one-arc, on-tokens, far-arcs and file:PATH"
                )));
            }
        };
        if parameter.is_some() && !matches!(keys, Self::Uniform(_) | Self::Hot(_) | Self::Zipf(_)) {
            return Err(BenchError::usage(format!("corpus {name}: {family} takes no parameter")));
        }
        Ok(keys)
    }
}

/// Reads an exponent such as `0.99` or `1.2` into thousandths.
fn exponent(name: &str, text: &str) -> Result<u32, BenchError> {
    let bad = || {
        BenchError::usage(format!(
            "corpus {name}: the exponent is a number from 0 to 4 with at most three digits after the point, not {text}"
        ))
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |s: &str| !s.is_empty() && s.len() <= 3 && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return Err(bad());
    }
    let thousandths = format!("{whole}{part:0<3}").parse().map_err(|_| bad())?;
    if thousandths > 4000 { Err(bad()) } else { Ok(thousandths) }
}

/// What a corpus is made of: the same specification (and, for an adversary's keys, the same ring) gives the same keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CorpusSpec {
    /// Which keys.
    pub keys: Keys,
    /// How many. `None` is [`DEFAULT_KEYS`], and for a file all its lines.
    pub count: Option<usize>,
    /// The seed.
    pub seed: u64,
}

/// What an adversary knows of the ring.
pub struct Target<'a> {
    /// Its nodes and V.
    pub membership: &'a Membership,
    /// The hash's name.
    pub hash_name: &'a str,
    /// The hash.
    pub hash: &'a dyn Fn(&[u8]) -> u64,
}

impl std::fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target").field("hash_name", &self.hash_name).finish_non_exhaustive()
    }
}

/// What identifies a corpus in results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusInfo {
    /// Its name, as `--corpus` takes it.
    pub name: String,
    /// What the name leaves open.
    pub params: BTreeMap<String, Value>,
    /// The seed.
    pub seed: u64,
    /// How many keys.
    pub keys: usize,
    /// How many of them differ.
    pub distinct: usize,
    /// SHA-256 of the keys, a newline after each: 64 lower-case hex digits.
    pub sha256: String,
}

/// Keys, packed one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corpus {
    /// What the name leaves open, for [`CorpusInfo`].
    params: BTreeMap<String, Value>,
    bytes: Vec<u8>,
    /// Where key i starts; one more entry than keys. 32 bits, to disturb the caches little.
    offsets: Vec<u32>,
}

impl Corpus {
    /// Makes the keys of `spec`; `target` is the ring that an adversary attacks.
    ///
    /// # Errors
    ///
    /// A usage error for a file that cannot be read or holds no key, no keys at all, more than [`MAX_KEYS`] keys or
    /// 4 GiB, or an attack on a ring without tokens.
    pub fn generate(spec: &CorpusSpec, target: &Target<'_>) -> Result<Self, BenchError> {
        let count = spec.count.unwrap_or(DEFAULT_KEYS);
        if count == 0 || count > MAX_KEYS {
            return Err(BenchError::usage(format!(
                "a corpus has from 1 to {MAX_KEYS} keys; {count} were asked for"
            )));
        }
        let mut corpus = Self::empty();
        let mut stream = Stream::new(spec.seed, &format!("corpus/{}", spec.keys.family()));
        match &spec.keys {
            Keys::Uniform(len) => corpus.fill_uniform(count, *len, &mut stream)?,
            Keys::Uuid => corpus.fill_uuid(count, &mut stream)?,
            Keys::Sequential => corpus.fill_sequential(count)?,
            Keys::Paths => corpus.fill_paths(count, &mut stream)?,
            Keys::Zipf(thousandths) => corpus.fill_zipf(count, *thousandths, &mut stream)?,
            Keys::Hot(k) => corpus.fill_hot(count, *k, &mut stream)?,
            Keys::OneArc => corpus.fill_one_arc(count, target, &mut stream)?,
            Keys::OnTokens => corpus.fill_on_tokens(count, target, &mut stream)?,
            Keys::FarArcs => corpus.fill_far_arcs(count, target, &mut stream)?,
            Keys::File(path) => corpus.fill_lines(&read_keys(path)?, spec.count, path)?,
        }
        Ok(corpus)
    }

    /// A corpus without keys, to be filled.
    fn empty() -> Self {
        Self { params: BTreeMap::new(), bytes: Vec::new(), offsets: vec![0] }
    }

    /// Appends a key.
    fn push(&mut self, key: &[u8]) -> Result<(), BenchError> {
        self.bytes.extend_from_slice(key);
        let end = u32::try_from(self.bytes.len()).map_err(|_| {
            BenchError::usage(format!(
                "a corpus takes less than 4 GiB; this one passes it at key {}",
                self.len()
            ))
        })?;
        self.offsets.push(end);
        Ok(())
    }

    /// The lines of a file: an empty line is the empty key, a last line needs no newline.
    fn fill_lines(
        &mut self,
        text: &[u8],
        most: Option<usize>,
        path: &Path,
    ) -> Result<(), BenchError> {
        let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        if lines.is_empty() {
            return Err(BenchError::usage(format!(
                "{} holds no key; a corpus needs at least one",
                path.display()
            )));
        }
        self.params.insert("lines".to_owned(), json!(lines.len()));
        for line in lines.iter().take(most.unwrap_or(usize::MAX)) {
            self.push(line)?;
        }
        Ok(())
    }

    /// How many keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none: never so for a generated corpus.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `i`-th key, counted round and round.
    #[must_use]
    pub fn key(&self, i: usize) -> &[u8] {
        let i = i % self.len();
        &self.bytes[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// The keys at these places, in order.
    ///
    /// # Panics
    ///
    /// Where the range passes the end.
    pub fn keys(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> + Clone {
        self.offsets[range.start..=range.end]
            .windows(2)
            .map(|ends| &self.bytes[ends[0] as usize..ends[1] as usize])
    }

    /// The ranges that make up `count` keys from `start` on, going round at the end.
    pub fn runs(&self, start: usize, count: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        runs(self.len(), start, count)
    }

    /// The SHA-256 of the keys, a newline after each, as 64 lower-case hex digits.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut hasher = Sha256::new();
        let mut block = Vec::with_capacity(1 << 16);
        for key in self.keys(0..self.len()) {
            block.extend_from_slice(key);
            block.push(b'\n');
            if block.len() >= 1 << 15 {
                hasher.update(&block);
                block.clear();
            }
        }
        hasher.update(&block);
        hex(&hasher.finalize())
    }

    /// A cheap digest of the keys, to tell that two workers hold the same ones.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.keys(0..self.len()).fold(self.len() as u64, |sum, key| {
            let end =
                key.last_chunk::<8>().map_or(key.len() as u64, |end| u64::from_le_bytes(*end));
            (sum.rotate_left(5) ^ end).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        })
    }

    /// What identifies this corpus in results.
    #[must_use]
    pub fn info(&self, spec: &CorpusSpec) -> CorpusInfo {
        let mut keys: Vec<&[u8]> = self.keys(0..self.len()).collect();
        keys.sort_unstable();
        keys.dedup();
        CorpusInfo {
            name: spec.keys.to_string(),
            params: self.params.clone(),
            seed: spec.seed,
            keys: self.len(),
            distinct: keys.len(),
            sha256: self.sha256(),
        }
    }
}

/// The ranges that make up `count` places from `start` on in a circle of `len`.
pub fn runs(len: usize, start: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = if len == 0 { 0 } else { start % len };
    let mut left = if len == 0 { 0 } else { count };
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let run = at..at + left.min(len - at);
        left -= run.len();
        at = run.end % len;
        Some(run)
    })
}

/// Bytes as lower-case hex digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(nibble), 16).unwrap_or('?'));
        }
        text
    })
}

/// The bytes of a key file.
fn read_keys(path: &Path) -> Result<Vec<u8>, BenchError> {
    let unreadable = |e: std::io::Error| {
        BenchError::usage(format!("{}: the keys cannot be read: {e}", path.display()))
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = Vec::new();
    // One byte more than is allowed tells a file that is too large from one that just fits.
    file.take(u64::from(u32::MAX) + 1).read_to_end(&mut text).map_err(unreadable)?;
    if u32::try_from(text.len()).is_err() {
        return Err(BenchError::usage(format!(
            "{}: a corpus takes less than 4 GiB",
            path.display()
        )));
    }
    Ok(text)
}

#[cfg(test)]
#[path = "corpus/tests.rs"]
mod tests;
