//! [`Snapshot`]: what a ring is made of, as a small JSON document.

use std::collections::BTreeMap;

use crate::error::RingError;
use crate::hash::Hash64;
use crate::membership::Node;
use crate::ring::Ring;

#[cfg(feature = "snapshot")]
mod json;

/// V, the name of the hash, the nodes with their weights, and the fingerprint of the ring that
/// they make.
///
/// Tokens are never stored: they follow from the rest (I5). The fingerprint guards against a
/// library, hash or setting that would silently route otherwise; loading compares it. A keyed
/// hash's secret is never part of a snapshot.
///
/// # Examples
///
/// A snapshot written by hand; what is left out has its default (`hash` `fnv1a64-fmix64`,
/// `vnodes_per_weight` 100, `weight` 1):
///
/// ```
/// use ring_core::Snapshot;
///
/// let json = r#"{ "format": "hash-ring", "version": 1, "vnodes_per_weight": 64,
///                 "nodes": [ { "id": "A" }, { "id": "B", "weight": 2 } ] }"#;
/// let snapshot = Snapshot::from_json(json)?;
/// assert_eq!(snapshot.nodes().map(|node| node.weight()).sum::<u32>(), 3);
/// assert!(Snapshot::from_json(&json.replace("64", "64.0")).is_err());
/// # Ok::<(), ring_core::RingError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    hash: String,
    vnodes_per_weight: u32,
    /// In byte order of the ids.
    nodes: Vec<(String, u32)>,
    fingerprint: Option<u64>,
}

impl Snapshot {
    /// A snapshot of these parts. The nodes may come in any order.
    ///
    /// # Errors
    ///
    /// V or a weight of 0, an id that stands twice.
    pub fn new(
        hash: impl Into<String>,
        vnodes_per_weight: u32,
        nodes: Vec<(String, u32)>,
        fingerprint: Option<u64>,
    ) -> Result<Self, RingError> {
        if vnodes_per_weight == 0 {
            return Err(RingError::ZeroVnodes);
        }
        let mut positions = BTreeMap::new();
        for (position, (id, weight)) in nodes.iter().enumerate() {
            if *weight == 0 {
                return Err(RingError::ZeroWeight { id: id.clone() });
            }
            if let Some(first) = positions.insert(id, position) {
                return Err(RingError::DuplicateInSnapshot {
                    id: id.clone(),
                    positions: (first, position),
                });
            }
        }
        let mut nodes = nodes;
        nodes.sort_unstable();
        Ok(Self { hash: hash.into(), vnodes_per_weight, nodes, fingerprint })
    }

    /// The snapshot of `ring`, with its fingerprint.
    pub(crate) fn of<R: Ring + ?Sized>(ring: &R) -> Self {
        Self {
            hash: ring.hasher().name().to_owned(),
            vnodes_per_weight: ring.vnodes_per_weight(),
            nodes: ring.nodes().map(|node| (node.id().to_owned(), node.weight())).collect(),
            fingerprint: Some(ring.fingerprint()),
        }
    }

    /// The name of the hash.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// V: tokens per unit of weight.
    #[must_use]
    pub fn vnodes_per_weight(&self) -> u32 {
        self.vnodes_per_weight
    }

    /// The nodes with their weights, in byte order of their ids.
    #[must_use]
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node<'_>> {
        self.nodes.iter().map(|(id, weight)| Node::new(id, *weight))
    }

    /// The fingerprint of the ring, where the snapshot has one.
    #[must_use]
    pub fn fingerprint(&self) -> Option<u64> {
        self.fingerprint
    }

    /// Reads a snapshot.
    ///
    /// # Errors
    ///
    /// [`RingError::MalformedSnapshot`], with line and column, for text that is not JSON, for an
    /// unknown format, version or field, a member that is missing or stands twice, a number that
    /// is not a whole one in range (`1.0` and `1e0` are refused too), `null`, a lone surrogate, a
    /// byte-order mark, and for text after the end; and the errors of [`new`](Self::new).
    #[cfg(feature = "snapshot")]
    pub fn from_json(json: &str) -> Result<Self, RingError> {
        json::read(json)
    }

    /// Writes the snapshot, nodes in byte order of their ids, with a newline at the end.
    #[cfg(feature = "snapshot")]
    #[must_use]
    pub fn to_json(&self) -> String {
        json::write(self)
    }
}
