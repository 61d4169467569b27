//! Seeded memberships and the changes that are made to them.

use ring_core::Change;

use crate::error::BenchError;
use crate::seeded::Stream;

/// Changes in a batch.
pub const BATCH: usize = 10;

/// Joining nodes that the update experiments take in turn, so that insertions fall all over the ring.
const SPARES: usize = 64;

/// The nodes of a ring before anything changes.
///
/// Ids are `node-00000`, `node-00001`, …: all of one length, so that no id is dearer to hash than another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// Ids with their weights, in id order.
    pub nodes: Vec<(String, u32)>,
    /// Tokens per unit of weight (V).
    pub vnodes: u32,
}

/// How weights are given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weights {
    /// Every node weighs 1.
    #[default]
    Equal,
    /// Each node weighs 1 to this many, drawn from the seed.
    UpTo(u32),
}

impl Membership {
    /// `nodes` nodes with `vnodes` tokens per unit of weight.
    #[must_use]
    pub fn new(nodes: usize, vnodes: u32, weights: Weights, seed: u64) -> Self {
        let mut stream = Stream::new(seed, "workload/weights");
        let nodes = (0..nodes)
            .map(|i| {
                let weight = match weights {
                    Weights::Equal => 1,
                    Weights::UpTo(most) => {
                        u32::try_from(stream.below(u64::from(most))).unwrap_or(0) + 1
                    }
                };
                (node_id(i), weight)
            })
            .collect();
        Self { nodes, vnodes }
    }

    /// The sum of all weights.
    #[must_use]
    pub fn total_weight(&self) -> u64 {
        self.nodes.iter().map(|(_, weight)| u64::from(*weight)).sum()
    }

    /// Tokens of a ring with this membership (M).
    #[must_use]
    pub fn token_count(&self) -> u64 {
        self.total_weight().saturating_mul(u64::from(self.vnodes))
    }

    /// The changes that build this membership from nothing, as one batch.
    #[must_use]
    pub fn as_changes(&self) -> Vec<Change> {
        self.nodes.iter().map(|(id, weight)| Change::add(id.as_str(), *weight)).collect()
    }
}

/// The id of the `i`-th node.
fn node_id(i: usize) -> String {
    format!("node-{i:05}")
}

/// The id of the `i`-th joining node. As long as a [`node_id`].
fn spare_id(i: usize) -> String {
    format!("join-{i:05}")
}

/// What an update experiment changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// One node joins; the inverse removes it.
    Node,
    /// One node's weight is raised by 1; the inverse lowers it again.
    Weight,
    /// Ten nodes join as one change; the inverse removes all ten as one.
    Batch,
}

impl ChangeKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Node, Self::Weight, Self::Batch];

    /// Nodes that one change touches.
    #[must_use]
    pub fn nodes_changed(self) -> u64 {
        match self {
            Self::Node | Self::Weight => 1,
            Self::Batch => BATCH as u64,
        }
    }
}

/// A change and what undoes it, ready made so that nothing is built while the clock runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The change.
    pub forward: Vec<Change>,
    /// Its inverse: both applied in a row leave the ring as it was.
    pub inverse: Vec<Change>,
}

/// The turns that an update experiment takes, one after the other and round again.
///
/// The same membership, kind and seed give the same turns, so that two subjects make the same changes.
///
/// # Errors
///
/// A usage error where a weight cannot change since the ring has no node.
pub fn turns(
    membership: &Membership,
    kind: ChangeKind,
    seed: u64,
) -> Result<Vec<Turn>, BenchError> {
    match kind {
        ChangeKind::Node => Ok((0..SPARES).map(|i| joining(&[spare_id(i)])).collect()),
        ChangeKind::Batch => Ok((0..SPARES / 8)
            .map(|batch| {
                let ids: Vec<String> = (0..BATCH).map(|i| spare_id(batch * BATCH + i)).collect();
                joining(&ids)
            })
            .collect()),
        ChangeKind::Weight => {
            if membership.nodes.is_empty() {
                return Err(BenchError::usage(
                    "a weight change needs a ring with at least one node; it has none",
                ));
            }
            let mut stream = Stream::new(seed, "workload/weight-change");
            let turns = (0..SPARES).map(|_| {
                let (id, weight) = &membership.nodes[stream.index(membership.nodes.len())];
                Turn {
                    forward: vec![Change::set_weight(id.as_str(), weight.saturating_add(1))],
                    inverse: vec![Change::set_weight(id.as_str(), *weight)],
                }
            });
            Ok(turns.collect())
        }
    }
}

/// Nodes of weight 1 that join, and leave again.
fn joining(ids: &[String]) -> Turn {
    Turn {
        forward: ids.iter().map(|id| Change::add(id.as_str(), 1)).collect(),
        inverse: ids.iter().map(|id| Change::remove(id.as_str())).collect(),
    }
}
