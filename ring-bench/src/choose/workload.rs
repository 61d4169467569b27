//! What a backend is chosen for: workload files, and the presets that come with the program.

use std::fmt;
use std::path::{Path, PathBuf};

use ring_core::Hash64 as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::corpus::Keys;
use crate::error::BenchError;
use crate::hashes::AnyHash;
use crate::lockstep::protocol::SubjectSpec;
use crate::mix::{MAX_BATCH, Mix, MixKind};
use crate::routine::Regime;

/// The presets: name and text.
pub const PRESETS: [(&str, &str); 5] = [
    ("cache-fleet", include_str!("../../presets/cache-fleet.toml")),
    ("cdn-edge", include_str!("../../presets/cdn-edge.toml")),
    ("kv-shards", include_str!("../../presets/kv-shards.toml")),
    ("autoscaling-churn", include_str!("../../presets/autoscaling-churn.toml")),
    ("giant", include_str!("../../presets/giant.toml")),
];

/// The largest workload file that is read.
const MAX_FILE: u64 = 1 << 20;

/// Lookups for each changed node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookups {
    /// This many; 0 for changes alone.
    PerChange(u64),
    /// Nothing ever changes.
    Only,
}

impl fmt::Display for Lookups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerChange(n) => n.fmt(f),
            Self::Only => f.write_str("only"),
        }
    }
}

impl std::str::FromStr for Lookups {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>() {
            Ok(n) if digits && n <= MAX_LOOKUPS => Ok(Self::PerChange(n)),
            _ if text == "only" => Ok(Self::Only),
            _ => Err(format!("not a whole number from 0 to {MAX_LOOKUPS}, nor the word only")),
        }
    }
}

/// The most lookups for each changed node that can be told from lookups only.
pub const MAX_LOOKUPS: u64 = 1_000_000_000_000;

impl Serialize for Lookups {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::PerChange(n) => serializer.serialize_u64(*n),
            Self::Only => serializer.serialize_str("only"),
        }
    }
}

impl<'de> Deserialize<'de> for Lookups {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LookupsVisitor)
    }
}

/// Takes a number or the word, and lets what a file leaves out be reported as missing.
struct LookupsVisitor;

impl LookupsVisitor {
    fn take<E: serde::de::Error>(text: &str) -> Result<Lookups, E> {
        text.parse().map_err(|e| E::custom(format!("lookups_per_change: {text} is {e}")))
    }
}

impl serde::de::Visitor<'_> for LookupsVisitor {
    type Value = Lookups;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from 0 to {MAX_LOOKUPS} or \"only\"")
    }

    fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Lookups, E> {
        Self::take(&n.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<Lookups, E> {
        Self::take(&n.to_string())
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Lookups, E> {
        if word == "only" {
            return Ok(Lookups::Only);
        }
        Err(E::invalid_value(serde::de::Unexpected::Str(word), &self))
    }
}

/// What a backend is chosen for. Every field may be left out of a file but `nodes` and `lookups_per_change`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// How results call it.
    #[serde(default = "defaults::name")]
    pub name: String,
    /// Nodes (N).
    pub nodes: usize,
    /// Tokens per unit of weight (V).
    #[serde(default = "defaults::vnodes")]
    pub vnodes: u32,
    /// The largest weight: 1 for equal weights, otherwise each node weighs 1 to this, drawn from the seed.
    #[serde(default = "defaults::one")]
    pub max_weight: u32,
    /// The ring's hash.
    #[serde(default = "defaults::hash")]
    pub hash: String,
    /// Lookups for each changed node (L).
    pub lookups_per_change: Lookups,
    /// Nodes that one change touches (b).
    #[serde(default = "defaults::one")]
    pub batch: u32,
    /// What a change does.
    #[serde(default = "defaults::change")]
    pub change: MixKind,
    /// Whether a change is made in place or published to readers.
    #[serde(default = "defaults::regime")]
    pub regime: Regime,
    /// The keys, by the name of a corpus.
    #[serde(default = "defaults::corpus")]
    pub corpus: String,
    /// How many keys; absent for the corpus's own number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<usize>,
    /// The seed of keys, weights, changes and order.
    #[serde(default = "defaults::seed")]
    pub seed: u64,
}

mod defaults {
    use super::{MixKind, Regime};

    pub(super) fn name() -> String {
        "custom".to_owned()
    }
    pub(super) fn vnodes() -> u32 {
        100
    }
    pub(super) fn one() -> u32 {
        1
    }
    pub(super) fn hash() -> String {
        "fnv1a64-fmix64".to_owned()
    }
    pub(super) fn change() -> MixKind {
        MixKind::Node
    }
    pub(super) fn regime() -> Regime {
        Regime::Exclusive
    }
    pub(super) fn corpus() -> String {
        "uniform(16)".to_owned()
    }
    pub(super) fn seed() -> u64 {
        42
    }
}

impl Workload {
    /// A workload of this many nodes, looked up this often for each changed node; the rest as in a file that leaves it
    /// out.
    #[must_use]
    pub fn new(nodes: usize, lookups_per_change: Lookups) -> Self {
        Self {
            name: defaults::name(),
            nodes,
            vnodes: defaults::vnodes(),
            max_weight: 1,
            hash: defaults::hash(),
            lookups_per_change,
            batch: 1,
            change: MixKind::Node,
            regime: Regime::Exclusive,
            corpus: defaults::corpus(),
            keys: None,
            seed: defaults::seed(),
        }
    }

    /// The workload that `text` describes in TOML.
    ///
    /// # Errors
    ///
    /// A usage error that names the line, the field and the rule.
    pub fn parse(text: &str) -> Result<Self, BenchError> {
        let workload: Self = toml::from_str(text).map_err(|e| {
            let message = e.message().replace('\n', "; ");
            // What is missing stands on no line.
            let before = e.span().filter(|_| !message.starts_with("missing field"));
            match before.and_then(|span| text.get(..span.start)) {
                Some(before) => {
                    let line = before.matches('\n').count() + 1;
                    BenchError::usage(format!("line {line}: {message}"))
                }
                None => BenchError::usage(message),
            }
        })?;
        workload.check()?;
        Ok(workload)
    }

    /// The preset of this name, or the workload in the file of this name.
    ///
    /// A path of keys in the file (`file:PATH`) counts from the file's own folder.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), with the file's name; a usage error where there is neither.
    pub fn named(name: &str) -> Result<Self, BenchError> {
        if let Some((_, text)) = PRESETS.iter().find(|(preset, _)| *preset == name) {
            return Self::parse(text).map_err(|e| e.at(&format!("preset {name}")));
        }
        let path = Path::new(name);
        let size = std::fs::metadata(path).map_err(|e| {
            let presets: Vec<&str> = PRESETS.iter().map(|(preset, _)| *preset).collect();
            BenchError::usage(format!(
                "{name} is neither a preset ({}) nor a workload file that can be read: {e}",
                presets.join(", ")
            ))
        })?;
        if !size.is_file() {
            return Err(BenchError::usage(format!("{name}: a workload is a regular file")));
        }
        if size.len() > MAX_FILE {
            return Err(BenchError::usage(format!(
                "{name}: a workload file has at most {MAX_FILE} bytes, this one {}",
                size.len()
            )));
        }
        let bytes = std::fs::read(path)
            .map_err(|e| BenchError::usage(format!("{name}: cannot be read: {e}")))?;
        let text = String::from_utf8(bytes)
            .map_err(|e| BenchError::usage(format!("{name}: is not UTF-8: {e}")))?;
        let mut workload = Self::parse(&text).map_err(|e| e.at(name))?;
        if let Some(keys) = workload.corpus.strip_prefix("file:") {
            let folder = path.parent().map(PathBuf::from).unwrap_or_default();
            workload.corpus = format!("file:{}", folder.join(keys).display());
        }
        Ok(workload)
    }

    /// Refuses what cannot be measured, before anything is built.
    ///
    /// # Errors
    ///
    /// A usage error that names the field, the value and the rule.
    pub fn check(&self) -> Result<(), BenchError> {
        let refuse = |sentence: String| Err(BenchError::usage(sentence));
        if self.nodes == 0 {
            return refuse(
                "nodes: a ring that is measured has at least one node, not 0".to_owned(),
            );
        }
        if self.vnodes == 0 {
            return refuse("vnodes: a node has at least one token, not 0".to_owned());
        }
        if self.keys == Some(0) {
            return refuse("keys: there is at least one key to look up, not 0".to_owned());
        }
        if self.max_weight == 0 {
            return refuse("max_weight: the smallest weight is 1, not 0".to_owned());
        }
        if self.batch == 0 || self.batch > MAX_BATCH {
            return refuse(format!(
                "batch: a change touches from 1 to {MAX_BATCH} nodes, not {}",
                self.batch
            ));
        }
        if self.change == MixKind::Weight && self.batch as usize > self.nodes {
            return refuse(format!(
                "batch: {} nodes cannot be reweighed in a ring of {}",
                self.batch, self.nodes
            ));
        }
        if !AnyHash::NAMES.contains(&self.hash.as_str()) {
            return refuse(format!(
                "hash: {:?} is unknown, the hashes are {}",
                self.hash,
                AnyHash::NAMES.join(", ")
            ));
        }
        self.corpus.parse::<Keys>().map_err(|e| e.at("corpus"))?;
        // The weights are at most max_weight each; an upper bound that is too large is worked out exactly below.
        let most = (self.nodes as u128 * u128::from(self.max_weight) + u128::from(self.batch))
            * u128::from(self.vnodes);
        let limit = u128::from(ring_core::DEFAULT_TOKEN_LIMIT);
        if most > limit {
            return refuse(format!(
                "nodes, max_weight, vnodes and batch: the ring could have {most} tokens; the limit is {limit}"
            ));
        }
        Ok(())
    }

    /// What a worker holds.
    #[must_use]
    pub fn spec(&self, contender: &str) -> SubjectSpec {
        SubjectSpec {
            contender: contender.to_owned(),
            hash: self.hash.clone(),
            nodes: self.nodes,
            vnodes: self.vnodes,
            max_weight: self.max_weight,
            corpus: self.corpus.clone(),
            keys: self.keys,
            seed: self.seed,
        }
    }

    /// The change with this many lookups for each changed node after it.
    #[must_use]
    pub fn mix(&self, lookups_per_change: u64) -> Mix {
        Mix {
            kind: self.change,
            batch: self.batch,
            regime: self.regime,
            lookups: lookups_per_change.saturating_mul(u64::from(self.batch)),
        }
    }

    /// Whether its hash needs a secret.
    #[must_use]
    pub fn is_keyed(&self) -> bool {
        AnyHash::named(&self.hash, Some([0; 16])).is_ok_and(|hash| hash.is_keyed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_parses_and_carries_its_name() {
        for (name, _) in PRESETS {
            assert_eq!(Workload::named(name).unwrap().name, name);
        }
    }

    #[test]
    fn a_file_needs_two_fields_and_the_rest_has_defaults() {
        let workload = Workload::parse("nodes = 7\nlookups_per_change = 12").unwrap();
        assert_eq!(workload, Workload::new(7, Lookups::PerChange(12)));
        let only = Workload::parse("nodes = 7\nlookups_per_change = \"only\"").unwrap();
        assert_eq!(only.lookups_per_change, Lookups::Only);
        let again = serde_json::to_string(&only).unwrap();
        assert_eq!(serde_json::from_str::<Workload>(&again).unwrap(), only);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let base = "nodes = 7\nlookups_per_change = 1\n";
        for (text, words) in [
            ("nodes = 7", vec!["missing field", "lookups_per_change"]),
            ("lookups_per_change = 7", vec!["missing field", "nodes"]),
            (&format!("{base}keys = 0"), vec!["keys", "not 0"]),
            ("nodes = 7\nlookups_per_change = 9999999999999", vec!["line 2", "9999999999999"]),
            ("nodes = 7\nlookups_per_change = -1", vec!["line 2", "-1"]),
            ("nodes = 7\nlookups_per_change = 1.5", vec!["line 2", "whole number"]),
            ("nodes = 7\nlookups_per_change = \"many\"", vec!["line 2", "\"only\""]),
            ("nodes = -7\nlookups_per_change = 1", vec!["line 1", "-7"]),
            (&format!("{base}vnode = 3"), vec!["line 3", "vnode"]),
            (&format!("{base}nodes = 3"), vec!["line 3", "duplicate"]),
            (&format!("{base}regime = \"lazy\""), vec!["line 3", "lazy", "exclusive"]),
            (&format!("{base}batch = 0"), vec!["batch", "not 0"]),
            (&format!("{base}change = \"weight\"\nbatch = 8"), vec!["8 nodes", "ring of 7"]),
            (&format!("{base}vnodes = 4000000000"), vec!["32000000000", "limit"]),
            (&format!("{base}vnodes = 4294967296"), vec!["line 3"]),
            (&format!("{base}corpus = \"klingon\""), vec!["corpus", "klingon"]),
            (&format!("{base}hash = \"md5\""), vec!["hash", "md5"]),
            ("nodes == 7", vec!["line 1"]),
        ] {
            let error = Workload::parse(text).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{text}");
            for word in words {
                assert!(error.to_string().contains(word), "{text}: {error}");
            }
        }
    }

    #[test]
    fn a_name_that_is_neither_preset_nor_file_lists_the_presets() {
        let error = Workload::named("no-such").unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("cache-fleet"), "{error}");
    }

    #[test]
    fn a_key_file_counts_from_the_workload_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.toml");
        std::fs::write(&path, "nodes = 7\nlookups_per_change = 1\ncorpus = \"file:keys.txt\"")
            .unwrap();
        let workload = Workload::named(path.to_str().unwrap()).unwrap();
        assert_eq!(workload.corpus, format!("file:{}", folder.path().join("keys.txt").display()));
        std::fs::write(&path, b"nodes = 7 # \xff").unwrap();
        let error = Workload::named(path.to_str().unwrap()).unwrap_err();
        assert!(error.to_string().contains("not UTF-8"), "{error}");
    }
}
