//! Faults of validation.

use std::collections::BTreeMap;

use super::BrokenRing;
use crate::conformance::fault::Fault;
use crate::error::RingError;
use crate::hash::Hash64;
use crate::membership::Change;
use crate::ring::Ring;

impl<H: Hash64> BrokenRing<H> {
    /// The changes that the ring takes `changes` for.
    pub(super) fn understood(&self, changes: &[Change]) -> Vec<Change> {
        let mut weights: BTreeMap<String, u32> =
            self.ring.nodes.iter().map(|(id, node)| (id.clone(), node.weight)).collect();
        let mut understood = Vec::new();
        for change in changes {
            let id = self.id(change.node_id());
            let registered = weights.get(&id).copied();
            let (change, after) = match (change, self.fault) {
                (
                    Change::Add { weight: 0, .. } | Change::SetWeight { weight: 0, .. },
                    Fault::ZeroWeightRemoves,
                ) => (Change::remove(&id), None),
                (Change::Remove { .. }, Fault::BatchIgnoresUnknownRemoval)
                    if registered.is_none() && changes.len() > 1 =>
                {
                    continue;
                }
                (Change::Add { weight, .. }, Fault::SameAddAccepted)
                    if registered == Some(*weight) =>
                {
                    continue;
                }
                (Change::Add { weight: weight @ 1.., .. }, Fault::AddActsAsSetWeight)
                    if registered.is_some() =>
                {
                    (Change::set_weight(&id, *weight), Some(*weight))
                }
                (Change::SetWeight { weight: weight @ 1.., .. }, Fault::SetWeightActsAsAdd)
                    if registered.is_none() =>
                {
                    (Change::add(&id, *weight), Some(*weight))
                }
                (Change::Add { weight, .. }, _) => {
                    (Change::add(&id, self.weight_read(*weight)), Some(*weight))
                }
                (Change::SetWeight { weight, .. }, _) => {
                    (Change::set_weight(&id, self.weight_read(*weight)), Some(*weight))
                }
                (Change::Remove { .. }, _) => (Change::remove(&id), None),
            };
            match after {
                Some(weight) => weights.insert(id, weight),
                None => weights.remove(&id),
            };
            understood.push(change);
        }
        understood
    }

    /// The weight that the ring takes `weight` for.
    fn weight_read(&self, weight: u32) -> u32 {
        let vnodes = self.ring.vnodes_per_weight;
        if self.has(Fault::WeightProductWraps) && weight.checked_mul(vnodes).is_none() {
            return (weight.wrapping_mul(vnodes) / vnodes).max(1);
        }
        weight
    }

    /// Applies a batch to the reference ring, with the faults of validation.
    pub(super) fn apply_to_nodes(&mut self, changes: &[Change]) -> Result<(), RingError> {
        let named = |index, cause| RingError::InChange { index, cause: Box::new(cause) };
        if self.has(Fault::EmptyIdRefused) {
            if let Some(index) = changes.iter().position(|change| change.node_id().is_empty()) {
                return Err(named(index, RingError::UnknownNode { id: String::new() }));
            }
        }
        if self.has(Fault::SameWeightRefused) {
            for (index, change) in changes.iter().enumerate() {
                match (change, self.ring.nodes.get(change.node_id())) {
                    (Change::SetWeight { id, weight }, Some(node)) if node.weight == *weight => {
                        let (id, weight) = (id.clone(), *weight);
                        return Err(named(index, RingError::DuplicateNode { id, weight }));
                    }
                    _ => {}
                }
            }
        }
        if self.has(Fault::BatchCheckedAgainstStart) {
            for (index, change) in changes.iter().enumerate() {
                if let Err((_, cause)) = self.ring.nodes_after(std::slice::from_ref(change)) {
                    return Err(named(index, cause));
                }
            }
        }
        if self.has(Fault::BatchChecksWeightLast) {
            for (index, change) in changes.iter().enumerate() {
                let mut until: Vec<Change> = changes[..index].to_vec();
                until.push(match change {
                    Change::Add { id, .. } => Change::add(id, 1),
                    Change::SetWeight { id, .. } => Change::set_weight(id, 1),
                    Change::Remove { id } => Change::remove(id),
                });
                if let Err((position, cause)) = self.ring.nodes_after(&until) {
                    return Err(named(position, cause));
                }
            }
        }
        if self.has(Fault::BatchChecksLimitEachTime) {
            for until in 1..=changes.len() {
                let (nodes, _) = self
                    .ring
                    .nodes_after(&changes[..until])
                    .map_err(|(index, cause)| named(index, cause))?;
                self.ring.check_limit(&nodes)?;
            }
        }
        let limit = self.ring.token_limit;
        self.ring.token_limit = match self.fault {
            Fault::LimitIgnored => limit.max(1_000_000),
            Fault::LimitOffByOne => limit.saturating_sub(1),
            _ => limit,
        };
        let result = self.ring.apply(changes);
        self.ring.token_limit = limit;
        match (result, self.fault) {
            (Err(RingError::InChange { cause, .. }), Fault::BatchNamesFirstIndex) => {
                Err(named(0, *cause))
            }
            (Err(RingError::InChange { index, cause }), Fault::BatchNotAtomic) => {
                let done = self.ring.apply(&changes[..index]);
                debug_assert!(done.is_ok(), "the changes before the first bad one are good");
                Err(named(index, *cause))
            }
            (Err(RingError::InChange { index, cause }), Fault::FailedAddChangesWeight) => {
                let node = self.ring.nodes.get_mut(changes[index].node_id());
                if let (Change::Add { weight: weight @ 1.., .. }, Some(node)) =
                    (&changes[index], node)
                {
                    node.weight = *weight;
                }
                Err(named(index, *cause))
            }
            (result, _) => result,
        }
    }
}
