//! Faults of the tokens: which come and go, in which order they stand, where a walk starts.

use std::collections::BTreeMap;

use super::{BrokenRing, utf16};
use crate::conformance::fault::Fault;
use crate::conformance::reference::{PlainNode, PlainToken, ReferenceWalk};
use crate::hash::Hash64;

impl<H: Hash64> BrokenRing<H> {
    /// Follows the reference ring, which had `old_nodes` and `old` tokens.
    pub(super) fn follow(&mut self, old_nodes: &BTreeMap<String, PlainNode>, old: &[PlainToken]) {
        let vnodes = self.ring.vnodes_per_weight;
        let count = |nodes: &BTreeMap<String, PlainNode>, id: &str| {
            nodes.get(id).map_or(0, |node| node.weight * vnodes)
        };
        let nodes = self.ring.nodes.clone();
        let goes = |token: &PlainToken| token.index >= count(&nodes, &token.node_id);
        self.take_out(old.iter().filter(|token| goes(token)));
        for token in self.ring.tokens.clone() {
            let before = count(old_nodes, &token.node_id);
            if token.index >= before {
                self.put_in(token, before > 0);
            }
        }
        // A node that went and came back within a batch has another number than its tokens had.
        for token in &mut self.tokens {
            if let Some(node) = nodes.get(&*token.node_id) {
                let cut = self.fault == Fault::NodeNumberCut;
                token.number = if cut { node.number & 0x3f } else { node.number };
            }
        }
        if self.has(Fault::CollisionOverwritten) {
            // Stable: of equal hashes the one that came last is kept.
            self.tokens.reverse();
            self.tokens.sort_by_key(|token| token.hash);
            self.tokens.dedup_by_key(|token| token.hash);
        }
        self.sort();
    }

    fn take_out<'a>(&mut self, gone: impl Iterator<Item = &'a PlainToken>) {
        let (fault, vnodes, nodes) = (self.fault, self.ring.vnodes_per_weight, &self.ring.nodes);
        if fault == Fault::RemovalByHash {
            for token in gone {
                let at = self.tokens.partition_point(|other| other.hash < token.hash);
                if self.tokens.get(at).is_some_and(|other| other.hash == token.hash) {
                    self.tokens.remove(at);
                }
            }
            return;
        }
        let first = self.tokens.first().cloned();
        let mut ids: Vec<&str> = gone.map(|token| &*token.node_id).collect();
        ids.dedup();
        ids.sort_unstable();
        ids.dedup();
        self.tokens.retain(|token| {
            let Some(node) = nodes.get(&*token.node_id) else {
                return fault == Fault::RemovalForgetsWeight && token.index >= vnodes;
            };
            let index = token.index - u32::from(fault == Fault::IndexFromOne);
            index < node.weight * vnodes || fault == Fault::LeftoverAfterWeightChange
        });
        if fault == Fault::LastNodeLeavesToken && nodes.is_empty() {
            self.tokens.extend(first);
        }
        if fault == Fault::RemovalByPrefix {
            for id in ids.into_iter().filter(|id| !nodes.contains_key(*id)) {
                let prefix = format!("{id}#");
                self.tokens.retain(|token| !token.token_id.starts_with(&prefix));
            }
        }
    }

    fn put_in(&mut self, mut token: PlainToken, node_was_there: bool) {
        let node = self.ring.nodes.get(&*token.node_id).copied();
        let count = node.map_or(0, |node| node.weight * self.ring.vnodes_per_weight);
        match self.fault {
            Fault::WeightRaisedInNameOnly if node_was_there => return,
            Fault::WeightIgnored if token.index >= self.ring.vnodes_per_weight => return,
            Fault::OneTokenShort if token.index + 1 == count => return,
            Fault::IndexFromOne => {
                token.index += 1;
                token.token_id = format!("{}#{}", token.node_id, token.index);
                token.hash = self.ring.hasher.hash64(token.token_id.as_bytes());
            }
            Fault::NoSeparator => {
                let glued = format!("{}{}", token.node_id, token.index);
                token.hash = self.ring.hasher.hash64(glued.as_bytes());
            }
            Fault::HashWithoutFinaliser => {
                token.hash = token.token_id.bytes().fold(0xcbf2_9ce4_8422_2325, |state, byte| {
                    (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
            }
            _ => {}
        }
        self.tokens.push(token);
    }

    fn sort(&mut self) {
        fn by<K: Ord>(tokens: &mut [PlainToken], key: impl Fn(&PlainToken) -> K) {
            tokens.sort_by_cached_key(|token| key(token));
        }
        let tokens = &mut self.tokens;
        match self.fault {
            Fault::TiesByInsertionOrder => by(tokens, |t| (t.hash, t.number)),
            Fault::TiesByIdThenIndex => {
                by(tokens, |t| (t.hash, t.node_id.clone(), t.index.to_string()));
            }
            Fault::TiesByNumber => by(tokens, |t| (t.hash, t.node_id.clone(), t.index)),
            Fault::TiesByUtf16 => by(tokens, |t| (t.hash, utf16(&t.token_id))),
            Fault::SignedSort => by(tokens, |t| (signed(t.hash), t.token_id.clone())),
            Fault::UpperHalfOrder => by(tokens, |t| (t.hash >> 32, t.token_id.clone())),
            _ => tokens.sort_by(|a, b| (a.hash, &a.token_id).cmp(&(b.hash, &b.token_id))),
        }
    }

    /// Where the walk from `hash` starts; `None` where it has no tokens.
    pub(super) fn start(&self, hash: u64) -> Option<usize> {
        if self.has(Fault::HighestHashIsNobody) && hash == u64::MAX {
            return None;
        }
        let found = self.tokens.iter().position(|token| match self.fault {
            Fault::StrictlyAfter => token.hash > hash,
            Fault::UpperHalfOrder => token.hash >> 32 >= hash >> 32,
            _ => token.hash >= hash,
        });
        let wrapped = (!self.has(Fault::NoWrapAround) && !self.tokens.is_empty()).then_some(0);
        let mut start = found.or(wrapped)?;
        if self.has(Fault::LastOfEqualHashesOwns) {
            let hash = self.tokens[start].hash;
            start += self.tokens[start..].iter().take_while(|token| token.hash == hash).count() - 1;
        }
        Some(start)
    }

    pub(super) fn clockwise(&self, hash: u64) -> ReferenceWalk<'_> {
        let Some(start) = self.start(hash) else { return ReferenceWalk::standing([&[]; 4]) };
        let (before, from) = self.tokens.split_at(start);
        ReferenceWalk::standing(match self.fault {
            Fault::NoWrapAround => [from, &[], &[], &[]],
            Fault::WalkGoesRoundTwice => [from, before, from, before],
            Fault::WalkYieldsFirstTwice => [from, before, &from[..1], &[]],
            _ => [from, before, &[], &[]],
        })
    }
}

/// A number whose unsigned order is the signed order of `hash`.
fn signed(hash: u64) -> u64 {
    hash ^ (1 << 63)
}
