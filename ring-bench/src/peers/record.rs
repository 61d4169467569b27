//! What `compare --peers` found, as it is exported.

use serde::{Deserialize, Serialize};

use crate::corpus::CorpusInfo;
use crate::record::{Class, Environment, RatioRow, Row};

/// The schema of [`PeersRecord`]. Members may be added to it, none may change its meaning.
pub const SCHEMA: &str = "ring-peers/1";

/// The JSON document of `compare --peers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeersRecord {
    /// [`SCHEMA`].
    pub schema: String,
    /// What the figures may be used for.
    pub class: Class,
    /// The seed of everything that is random.
    pub seed: u64,
    /// The keys.
    pub corpora: Vec<CorpusInfo>,
    /// What was measured, in the order of the table.
    pub contenders: Vec<ContenderInfo>,
    /// The targets, each set against what was measured.
    pub targets: Vec<TargetRow>,
    /// The figures of each contender. `backend` is its [`label`](ContenderInfo::label).
    pub rows: Vec<Row>,
    /// All pairs of contenders that were set against each other.
    pub ratios: Vec<RatioRow>,
    /// How costs grow with the number of tokens.
    pub growth: Vec<GrowthRow>,
    /// The circumstances.
    pub environment: Environment,
    /// What the reader must know before believing the figures.
    pub warnings: Vec<String>,
}

/// A contender of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContenderInfo {
    /// Its name and its hash: `hashring (xxh3-64)`.
    pub label: String,
    /// Its name.
    pub contender: String,
    /// Its hash: `shipped` for the one that the crate comes with.
    pub hash: String,
    /// `own`, `ring`, `algorithm` or `kernel`.
    pub kind: String,
    /// The package and its version; empty for what is ours.
    pub package: String,
    /// How it is called.
    pub note: String,
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The figure is this or more.
    AtLeast(f64),
    /// The figure is this or less.
    AtMost(f64),
    /// Nothing was asked for: the row is for information.
    None,
}

/// Whether a target was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The whole interval keeps within the bound.
    Met,
    /// The whole interval lies outside.
    Missed,
    /// The interval holds the bound, or a null control was off by more than
    /// [`NULL_LIMIT`](crate::record::NULL_LIMIT), or there was none.
    Undecided,
    /// Nothing was asked for.
    Informative,
}

/// One target, or a figure that stands beside the targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetRow {
    /// What is compared.
    pub what: String,
    /// Ours.
    pub own: String,
    /// The rival; empty where a figure stands by itself.
    pub rival: String,
    /// Nodes (N) of the ring.
    pub nodes: usize,
    /// Tokens (M) of the ring: nodes times tokens a node.
    pub tokens: u64,
    /// `x` for how many times the rival's time ours takes or the other way round, `ns`, `bytes/token` or
    /// `allocations/lookup`.
    pub unit: String,
    /// What was asked for.
    pub bound: Bound,
    /// What was measured: the median over process pairs.
    pub measured: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// Process pairs; 0 for a counted figure.
    pub pairs: usize,
    /// The null controls, of ours and of the rival: the ratio between two processes that hold the same.
    pub nulls: [Option<f64>; 2],
    /// Whether the ring is larger than the second-level cache, so that a figure depends on the machine's weather.
    pub beyond_l2: bool,
    /// The smallest and the largest figure of a sitting.
    pub sitting_range: Option<[f64; 2]>,
    /// Whether it was reached.
    pub outcome: Outcome,
}

/// How a cost grows with the number of tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GrowthRow {
    /// Which backend or kernel.
    pub contender: String,
    /// The hash; `one-arc` and `eight-bits` crowd the tokens.
    pub hash: String,
    /// What is done: `search`, `get`, `add`, `remove`, `add-10`, `remove-10`, `build`, or `heap`.
    pub operation: String,
    /// The unit: `ns`, or `bytes`.
    pub unit: String,
    /// The cost at each number of tokens.
    pub points: Vec<GrowthPoint>,
    /// The exponent: the slope of the straight line through all points, both axes logarithmic.
    pub exponent: Option<f64>,
    /// For searches: nanoseconds that each doubling of M adds, as the slope of cost over log2 M.
    pub per_doubling: Option<f64>,
}

/// One point of a growth curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GrowthPoint {
    /// Tokens (M).
    pub tokens: u64,
    /// The cost: the median over process pairs.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
}
