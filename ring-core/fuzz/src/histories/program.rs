//! A program: V, a hash, a handful of ids, and steps over them.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};
use ring_core::{Change, Ring};

use crate::hash::CutHash;
use crate::id::Id;
use crate::until_empty;

/// Steps of a program at most.
const MOST_STEPS: usize = 24;

#[derive(Debug)]
pub(super) struct Program {
    pub(super) vnodes_per_weight: u32,
    pub(super) hash: CutHash,
    ids: Vec<Id>,
    pub(super) steps: Vec<Step>,
}

/// One step. A `u8` names an id of the program.
#[derive(Arbitrary, Debug)]
pub(super) enum Step {
    Add(u8, Weight),
    Remove(u8),
    SetWeight(u8, Weight),
    /// In one batch, every id that is not registered, or every eighth of them for each bit.
    AddMany(u8, Weight),
    /// In one batch, every id that is registered, or every eighth of them for each bit.
    RemoveMany(u8),
    Apply(List<(Kind, u8, Weight), 8>),
    Limit(Limit),
    /// From a snapshot, with a fingerprint or without.
    Reload {
        fingerprint: bool,
    },
    Look {
        keys: List<List<u8, 8>, 4>,
        r: usize,
    },
}

/// At most so many of them, each number of them as likely.
#[derive(Debug)]
pub(super) struct List<T, const MOST: usize>(pub(super) Vec<T>);

impl<'a, T: Arbitrary<'a>, const MOST: usize> Arbitrary<'a> for List<T, MOST> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let count = u.int_in_range(0..=MOST)?;
        Ok(Self((0..count).map(|_| u.arbitrary()).collect::<arbitrary::Result<_>>()?))
    }
}

#[derive(Arbitrary, Clone, Copy, Debug)]
pub(super) enum Kind {
    Add,
    Remove,
    SetWeight,
}

/// Mostly small; 0, and weights whose tokens pass every limit, now and then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight(pub(super) u32);

impl<'a> Arbitrary<'a> for Weight {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let kind: u8 = u.arbitrary()?;
        Ok(Self(match kind {
            0..=190 => u32::from(kind % 6) + 1,
            191..=229 => u32::from(kind - 190) * 4,
            230..=239 => 0,
            240..=247 => u32::MAX,
            _ => u.arbitrary()?,
        }))
    }
}

/// Around what a ring of a program holds, or the highest of all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit(pub(super) u32);

impl<'a> Arbitrary<'a> for Limit {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let limit = u32::from(u.arbitrary::<u16>()? % 1024);
        Ok(Self(if limit > 900 { u32::MAX } else { limit }))
    }
}

impl<'a> Arbitrary<'a> for Program {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let vnodes_per_weight =
            *u.choose(&[1, 1, 2, 3, 7, 10, 16, 40, 100, 130, 600, 0, u32::MAX])?;
        let hash = u.arbitrary()?;
        let mut ids: Vec<Id> = Vec::new();
        for _ in 0..u.int_in_range(1..=8)? {
            ids.push(u.arbitrary()?);
        }
        // Now and then enough nodes for replica sets that outgrow what is kept in place.
        let more = u.int_in_range(0..=255)?;
        ids.extend((160..more).map(|number: u8| Id(number.to_string())));
        Ok(Self { vnodes_per_weight, hash, ids, steps: until_empty(u, MOST_STEPS)? })
    }
}

impl Program {
    pub(super) fn id(&self, named: u8) -> &str {
        &self.ids[usize::from(named) % self.ids.len()].0
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(|id| id.0.as_str())
    }

    /// Every eighth id for each bit, without duplicates.
    fn picked(&self, bits: u8) -> BTreeSet<&str> {
        let ids = self.ids().enumerate();
        ids.filter(|(nth, _)| bits >> (nth % 8) & 1 == 1).map(|(_, id)| id).collect()
    }

    /// The changes that a step asks for, in a ring of these nodes; `None` where it is no change.
    pub(super) fn changes<R: Ring>(&self, step: &Step, ring: &R) -> Option<Vec<Change>> {
        let one = |kind, node, weight: Weight| match kind {
            Kind::Add => Change::add(self.id(node), weight.0),
            Kind::Remove => Change::remove(self.id(node)),
            Kind::SetWeight => Change::set_weight(self.id(node), weight.0),
        };
        match step {
            Step::Add(node, weight) => Some(vec![one(Kind::Add, *node, *weight)]),
            Step::Remove(node) => Some(vec![one(Kind::Remove, *node, Weight(0))]),
            Step::SetWeight(node, weight) => Some(vec![one(Kind::SetWeight, *node, *weight)]),
            Step::AddMany(bits, weight) => {
                let ids = self.picked(*bits).into_iter();
                let new = ids.filter(|id| ring.weight(id).is_none());
                Some(new.map(|id| Change::add(id, weight.0)).collect())
            }
            Step::RemoveMany(bits) => {
                let ids = self.picked(*bits).into_iter();
                let old = ids.filter(|id| ring.weight(id).is_some());
                Some(old.map(Change::remove).collect())
            }
            Step::Apply(list) => {
                Some(list.0.iter().map(|&(kind, node, weight)| one(kind, node, weight)).collect())
            }
            Step::Limit(_) | Step::Reload { .. } | Step::Look { .. } => None,
        }
    }
}
