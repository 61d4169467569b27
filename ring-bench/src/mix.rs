//! A workload as `choose` meets it: a change, lookups, the inverse change, lookups.
//!
//! Without lookups it is the change alone, of any batch size. With lookups it is what the cost model of
//! [`choose`](crate::choose) is checked against, since there each changes what the other finds in the caches.

use std::fmt;
use std::str::FromStr;

use ring_core::Change;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::BenchError;
use crate::routine::Regime;
use crate::seeded::Stream;
use crate::workload::{Membership, Turn};

/// The most nodes that one change may touch.
pub const MAX_BATCH: u32 = 10_000;

/// Turns that are made ready; a run goes round and round in them.
const TURNS: u32 = 64;

/// What a change does to its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MixKind {
    /// Nodes join; the inverse removes them.
    Node,
    /// Nodes weigh 1 more; the inverse takes it off again.
    Weight,
}

/// A change of some nodes, its inverse, and lookups after each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mix {
    /// What a change does.
    pub kind: MixKind,
    /// Nodes that one change touches, 1 to [`MAX_BATCH`].
    pub batch: u32,
    /// In place, or to a copy that is then published.
    pub regime: Regime,
    /// Lookups after each change.
    pub lookups: u64,
}

impl Mix {
    /// The changes with their inverses. The same membership, mix and seed give the same.
    ///
    /// # Errors
    ///
    /// A usage error for a batch that is empty, above [`MAX_BATCH`], or reweighs more nodes than there are.
    pub fn turns(&self, membership: &Membership, seed: u64) -> Result<Vec<Turn>, BenchError> {
        if self.batch == 0 || self.batch > MAX_BATCH {
            return Err(BenchError::usage(format!(
                "batch: a change touches from 1 to {MAX_BATCH} nodes, not {}",
                self.batch
            )));
        }
        let batch = self.batch as usize;
        if self.kind == MixKind::Weight && batch > membership.nodes.len() {
            return Err(BenchError::usage(format!(
                "batch: {batch} nodes cannot be reweighed in a ring of {}",
                membership.nodes.len()
            )));
        }
        let mut stream = Stream::new(seed, "mix/turns");
        let turns = (TURNS / self.batch).max(4) as usize;
        let turn = |turn: usize| match self.kind {
            MixKind::Node => {
                let ids: Vec<String> =
                    (0..batch).map(|i| format!("join-{:05}", turn * batch + i)).collect();
                Turn {
                    forward: ids.iter().map(|id| Change::add(id.as_str(), 1)).collect(),
                    inverse: ids.iter().map(|id| Change::remove(id.as_str())).collect(),
                }
            }
            MixKind::Weight => {
                let mut places: Vec<usize> = (0..membership.nodes.len()).collect();
                stream.shuffle(&mut places);
                let nodes = || places[..batch].iter().map(|&place| &membership.nodes[place]);
                Turn {
                    forward: nodes()
                        .map(|(id, weight)| {
                            Change::set_weight(id.as_str(), weight.saturating_add(1))
                        })
                        .collect(),
                    inverse: nodes()
                        .map(|(id, weight)| Change::set_weight(id.as_str(), *weight))
                        .collect(),
                }
            }
        };
        Ok((0..turns).map(turn).collect())
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            MixKind::Node => "node",
            MixKind::Weight => "weight",
        };
        let regime = match self.regime {
            Regime::Exclusive => "exclusive",
            Regime::Published => "published",
        };
        write!(f, "mix:{kind}:{regime}:{}:{}", self.batch, self.lookups)
    }
}

impl FromStr for Mix {
    type Err = BenchError;

    fn from_str(name: &str) -> Result<Self, BenchError> {
        let parse = || -> Option<Self> {
            let parts: Vec<&str> = name.split(':').collect();
            let ["mix", kind, regime, batch, lookups] = parts[..] else { return None };
            Some(Self {
                kind: match kind {
                    "node" => MixKind::Node,
                    "weight" => MixKind::Weight,
                    _ => return None,
                },
                regime: match regime {
                    "exclusive" => Regime::Exclusive,
                    "published" => Regime::Published,
                    _ => return None,
                },
                batch: batch.parse().ok()?,
                lookups: lookups.parse().ok()?,
            })
        };
        parse().ok_or_else(|| {
            BenchError::usage(format!(
                "{name} is no mix; one reads mix:node|weight:exclusive|published:BATCH:LOOKUPS"
            ))
        })
    }
}

impl Serialize for Mix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Mix {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ring_core::Ring;
    use ring_sortedvec::SortedVecRing;

    use super::*;
    use crate::routine::Routine;
    use crate::workload::Weights;

    fn mix(kind: MixKind, batch: u32) -> Mix {
        Mix { kind, batch, regime: Regime::Exclusive, lookups: 0 }
    }

    #[test]
    fn names_come_back_as_routines() {
        for kind in [MixKind::Node, MixKind::Weight] {
            for regime in [Regime::Exclusive, Regime::Published] {
                let routine = Routine::Mix(Mix { kind, batch: 7, regime, lookups: u64::MAX });
                assert_eq!(routine.to_string().parse::<Routine>(), Ok(routine));
                let json = serde_json::to_string(&routine).unwrap();
                assert_eq!(serde_json::from_str::<Routine>(&json).unwrap(), routine);
            }
        }
        for bad in ["mix:", "mix:node:exclusive:1", "mix:node:exclusive:1:2:3", "mix:a:b:1:2"] {
            assert!(bad.parse::<Routine>().is_err(), "{bad}");
        }
    }

    #[test]
    fn every_turn_touches_as_many_nodes_as_it_says_and_is_undone_by_its_inverse() {
        let membership = Membership::new(30, 10, Weights::UpTo(4), 2);
        let mut ring = SortedVecRing::new(10).unwrap();
        ring.apply(&membership.as_changes()).unwrap();
        let before = ring.fingerprint();
        for kind in [MixKind::Node, MixKind::Weight] {
            for batch in [1, 7, 30] {
                let turns = mix(kind, batch).turns(&membership, 9).unwrap();
                assert!(turns.len() >= 4);
                for turn in turns {
                    let ids: BTreeSet<String> =
                        turn.forward.iter().map(|change| format!("{change:?}")).collect();
                    assert_eq!(ids.len(), batch as usize);
                    ring.apply(&turn.forward).unwrap();
                    assert_ne!(ring.fingerprint(), before);
                    ring.apply(&turn.inverse).unwrap();
                    assert_eq!(ring.fingerprint(), before);
                }
            }
        }
    }

    #[test]
    fn batches_that_cannot_be_are_refused_with_their_number() {
        let membership = Membership::new(3, 10, Weights::Equal, 2);
        for (kind, batch, word) in [
            (MixKind::Node, 0, "not 0"),
            (MixKind::Node, MAX_BATCH + 1, "not 10001"),
            (MixKind::Weight, 4, "4 nodes cannot be reweighed in a ring of 3"),
        ] {
            let error = mix(kind, batch).turns(&membership, 1).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
