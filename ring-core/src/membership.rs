//! Nodes, weights, V and the token limit: validates a change and says which tokens come and go.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::RingError;
use crate::hash::Hash64;
use crate::token::{NodeIds, Slot};

/// The token limit of a new ring: 2^24 tokens, of 16 bytes each in a sorted vector (256 MiB), with
/// its directory and spare room about 320 MiB.
pub const DEFAULT_TOKEN_LIMIT: u32 = 16_777_216;

/// V where nobody says otherwise: in a snapshot without `vnodes_per_weight`.
pub const DEFAULT_VNODES_PER_WEIGHT: u32 = 100;

/// One change of a ring's membership, for [`Ring::apply`](crate::Ring::apply).
///
/// # Examples
///
/// ```
/// use ring_core::Change;
///
/// let swap = [Change::add("cache-b", 2), Change::remove("cache-a")];
/// assert_eq!(swap[1].node_id(), "cache-a");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Registers a node that is not registered yet.
    Add {
        /// The new node's id.
        id: String,
        /// Its weight, at least 1.
        weight: u32,
    },
    /// Removes a registered node.
    Remove {
        /// The node's id.
        id: String,
    },
    /// Gives a registered node another weight.
    SetWeight {
        /// The node's id.
        id: String,
        /// The new weight, at least 1.
        weight: u32,
    },
}

impl Change {
    /// Registers the node `id` with `weight`.
    pub fn add(id: impl Into<String>, weight: u32) -> Self {
        Self::Add { id: id.into(), weight }
    }

    /// Removes the node `id`.
    pub fn remove(id: impl Into<String>) -> Self {
        Self::Remove { id: id.into() }
    }

    /// Gives the node `id` another `weight`.
    pub fn set_weight(id: impl Into<String>, weight: u32) -> Self {
        Self::SetWeight { id: id.into(), weight }
    }

    /// The id of the node that the change is about.
    #[must_use]
    pub fn node_id(&self) -> &str {
        match self {
            Self::Add { id, .. } | Self::Remove { id } | Self::SetWeight { id, .. } => id,
        }
    }
}

/// A registered node: what [`Ring::nodes`](crate::Ring::nodes) yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node<'a> {
    id: &'a str,
    weight: u32,
}

impl<'a> Node<'a> {
    /// A node of this id and weight.
    #[must_use]
    pub fn new(id: &'a str, weight: u32) -> Self {
        Self { id, weight }
    }

    /// The node's id.
    #[must_use]
    pub fn id(&self) -> &'a str {
        self.id
    }

    /// The node's weight, at least 1: it owns `weight × V` tokens.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.weight
    }
}

/// Who is in the ring.
///
/// Nodes have numbers, so that a token can name its node in four bytes. A number is given anew
/// once its node is gone; it never decides an order.
#[derive(Clone, Debug)]
pub(crate) struct Membership {
    vnodes_per_weight: u32,
    token_limit: u32,
    token_count: usize,
    table: NodeTable,
    by_id: BTreeMap<Arc<str>, u32>,
}

/// Nodes by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeTable {
    entries: Vec<Entry>,
    free: Vec<u32>,
}

/// Under a number that is free stands an empty id.
#[derive(Clone, Debug)]
struct Entry {
    id: Arc<str>,
    weight: u32,
}

impl NodeTable {
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&str> {
        Some(&self.entries.get(number as usize)?.id)
    }

    fn weight(&self, number: u32) -> u32 {
        self.entries.get(number as usize).map_or(0, |entry| entry.weight)
    }
}

impl NodeIds for NodeTable {
    fn id(&self, node: u32) -> &str {
        self.get(node).unwrap_or("")
    }
}

/// What a valid batch comes to, worked out before anything changes.
#[derive(Debug)]
pub(crate) struct Plan<'c> {
    /// One entry per id whose weight really changes, in id order.
    changes: Vec<NetChange<'c>>,
    token_count: usize,
}

impl Plan<'_> {
    /// Whether nothing changes in the end.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// A weight of 0 stands for "not registered".
#[derive(Debug)]
struct NetChange<'c> {
    id: &'c str,
    number: u32,
    before: u32,
    after: u32,
}

/// The tokens that go and the tokens that come with a [`Plan`], not sorted yet.
#[derive(Debug)]
pub(crate) struct TokenChanges {
    pub(crate) removed: Vec<Slot>,
    pub(crate) inserted: Vec<Slot>,
}

impl Membership {
    pub(crate) fn new(vnodes_per_weight: u32) -> Result<Self, RingError> {
        if vnodes_per_weight == 0 {
            return Err(RingError::ZeroVnodes);
        }
        Ok(Self {
            vnodes_per_weight,
            token_limit: DEFAULT_TOKEN_LIMIT,
            token_count: 0,
            table: NodeTable::default(),
            by_id: BTreeMap::new(),
        })
    }

    pub(crate) fn vnodes_per_weight(&self) -> u32 {
        self.vnodes_per_weight
    }

    pub(crate) fn token_limit(&self) -> u32 {
        self.token_limit
    }

    pub(crate) fn set_token_limit(&mut self, limit: u32) -> Result<(), RingError> {
        if (limit as usize) < self.token_count {
            return Err(RingError::LimitBelowCount { limit, tokens: self.token_count });
        }
        self.token_limit = limit;
        Ok(())
    }

    pub(crate) fn token_count(&self) -> usize {
        self.token_count
    }

    pub(crate) fn node_count(&self) -> usize {
        self.by_id.len()
    }

    pub(crate) fn weight(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).map(|&number| self.table.weight(number))
    }

    pub(crate) fn table(&self) -> &NodeTable {
        &self.table
    }

    pub(crate) fn nodes(&self) -> Nodes<'_> {
        Nodes { by_id: self.by_id.iter(), table: &self.table }
    }

    /// Validates a batch on the ids it touches, each change against the membership as the earlier
    /// ones leave it, the token limit on the final one.
    pub(crate) fn plan<'c>(&self, changes: &'c [Change]) -> Result<Plan<'c>, RingError> {
        // (before, after) per id that the batch names.
        let mut touched: BTreeMap<&'c str, (u32, u32)> = BTreeMap::new();
        for (index, change) in changes.iter().enumerate() {
            let id = change.node_id();
            let (_, current) = touched.entry(id).or_insert_with(|| {
                let registered = self.weight(id).unwrap_or(0);
                (registered, registered)
            });
            *current = net_weight(change, *current)
                .map_err(|cause| RingError::InChange { index, cause: Box::new(cause) })?;
        }

        let mut requested = self.token_count as u128;
        for &(before, after) in touched.values() {
            requested = requested - self.tokens_of(before) + self.tokens_of(after);
        }
        let token_count = match usize::try_from(requested) {
            Ok(count) if requested <= u128::from(self.token_limit) => count,
            _ => return Err(RingError::TooManyTokens { requested, limit: self.token_limit }),
        };

        let mut fresh_numbers = self.table.fresh_numbers();
        let changes = touched
            .into_iter()
            .filter(|&(_, (before, after))| before != after)
            .map(|(id, (before, after))| {
                let number = match self.by_id.get(id) {
                    Some(&number) => number,
                    None => fresh_numbers.next().unwrap_or(u32::MAX),
                };
                NetChange { id, number, before, after }
            })
            .collect();
        Ok(Plan { changes, token_count })
    }

    fn tokens_of(&self, weight: u32) -> u128 {
        u128::from(u64::from(weight) * u64::from(self.vnodes_per_weight))
    }

    /// Hashes the tokens that go and come with `plan`.
    pub(crate) fn hash_tokens<H: Hash64>(&self, plan: &Plan<'_>, hasher: &H) -> TokenChanges {
        let vnodes = self.vnodes_per_weight;
        let total = |from: fn(&NetChange<'_>) -> u32, to: fn(&NetChange<'_>) -> u32| -> usize {
            let weights = plan.changes.iter().map(|c| to(c).saturating_sub(from(c)) as usize);
            weights.sum::<usize>() * vnodes as usize
        };
        let mut removed = Vec::with_capacity(total(|c| c.after, |c| c.before));
        let mut inserted = Vec::with_capacity(total(|c| c.before, |c| c.after));
        for change in &plan.changes {
            // The limit on tokens keeps every index within 32 bits.
            let (low, high) = (change.before.min(change.after), change.before.max(change.after));
            let indices = low.saturating_mul(vnodes)..high.saturating_mul(vnodes);
            let slots = if change.before < change.after { &mut inserted } else { &mut removed };
            hash_node(hasher, change.id, change.number, indices, slots);
        }
        TokenChanges { removed, inserted }
    }

    /// Registers the nodes that `plan` adds and sets the new weights. Nodes that go stay known by
    /// number until [`finish`](Self::finish), since the order of their tokens is still asked for.
    pub(crate) fn start(&mut self, plan: &Plan<'_>) {
        for change in &plan.changes {
            let at = change.number as usize;
            if change.before == 0 {
                let id: Arc<str> = Arc::from(change.id);
                let entry = Entry { id: Arc::clone(&id), weight: change.after };
                match self.table.entries.get_mut(at) {
                    Some(free) => *free = entry,
                    None => self.table.entries.push(entry),
                }
                self.by_id.insert(id, change.number);
            } else if let Some(entry) = self.table.entries.get_mut(at) {
                entry.weight = change.after;
            }
        }
        let added = plan.changes.iter().filter(|c| c.before == 0).count();
        let left = self.table.free.len().saturating_sub(added);
        self.table.free.truncate(left);
        self.token_count = plan.token_count;
    }

    /// Forgets the nodes that `plan` removes.
    pub(crate) fn finish(&mut self, plan: &Plan<'_>) {
        for change in plan.changes.iter().filter(|c| c.after == 0) {
            self.by_id.remove(change.id);
            if let Some(entry) = self.table.entries.get_mut(change.number as usize) {
                entry.id = Arc::default();
            }
            self.table.free.push(change.number);
        }
    }
}

impl NodeTable {
    /// The numbers that new nodes get, in this order: free ones from the back, then new ones.
    fn fresh_numbers(&self) -> impl Iterator<Item = u32> + '_ {
        let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.free.iter().rev().copied().chain(next..=u32::MAX)
    }
}

/// The weight of a change's node after it, from the one before it; 0 is "not registered".
fn net_weight(change: &Change, current: u32) -> Result<u32, RingError> {
    match change {
        Change::Add { id, weight: 0 } | Change::SetWeight { id, weight: 0 } => {
            Err(RingError::ZeroWeight { id: id.clone() })
        }
        Change::Add { id, weight } => match current {
            0 => Ok(*weight),
            registered => Err(RingError::DuplicateNode { id: id.clone(), weight: registered }),
        },
        Change::Remove { id } | Change::SetWeight { id, .. } if current == 0 => {
            Err(RingError::UnknownNode { id: id.clone() })
        }
        Change::Remove { .. } => Ok(0),
        Change::SetWeight { weight, .. } => Ok(*weight),
    }
}

/// Appends the node's tokens of these indices.
fn hash_node<H: Hash64>(
    hasher: &H,
    id: &str,
    number: u32,
    indices: core::ops::Range<u32>,
    slots: &mut Vec<Slot>,
) {
    let mut buffer = [0; 128];
    let mut first = indices.start;
    while first < indices.end {
        let count = (indices.end - first).min(128);
        let row = &mut buffer[..count as usize];
        hasher.hash_tokens(id, first, row);
        slots.extend(row.iter().zip(first..).map(|(&hash, index)| Slot {
            hash,
            node: number,
            index,
        }));
        first += count;
    }
}

/// The nodes of a [`HashRing`](crate::HashRing) in byte order of their ids.
#[derive(Clone, Debug)]
pub struct Nodes<'a> {
    by_id: std::collections::btree_map::Iter<'a, Arc<str>, u32>,
    table: &'a NodeTable,
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        let (id, &number) = self.by_id.next()?;
        Some(Node::new(id, self.table.weight(number)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.by_id.size_hint()
    }
}

impl ExactSizeIterator for Nodes<'_> {}
