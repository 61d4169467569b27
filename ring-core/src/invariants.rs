//! The invariants I1 to I7 as code that names the first one broken.
//!
//! The checkers see a ring only through [`Ring`] and work everything out again by themselves, so
//! that they can judge any backend, a broken one too.

use core::fmt;
use std::collections::BTreeMap;

use crate::diff::diff;
use crate::hash::Hash64;
use crate::membership::Change;
use crate::ring::Ring;
use crate::token::Token;

/// One of the rules that a ring keeps; see the [crate's page](crate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invariant {
    /// I1: tokens stand in ring order, strictly increasing.
    Order,
    /// I2: every token refers to a registered node, and every node is live.
    Membership,
    /// I3: a node's token set is exactly what its id, its weight, V and the hash generate.
    Completeness,
    /// I4: a key belongs to the first token at or clockwise after its hash.
    Ownership,
    /// I5: the tokens are a function of V, the hash and the set of `(id, weight)` alone.
    HistoryIndependence,
    /// I6: nothing moves but to a node that gains weight or from one that loses it.
    Monotonicity,
    /// I7: a change that fails leaves the ring as it was.
    Atomicity,
}

impl Invariant {
    /// All of them, I1 first.
    pub const ALL: [Self; 7] = [
        Self::Order,
        Self::Membership,
        Self::Completeness,
        Self::Ownership,
        Self::HistoryIndependence,
        Self::Monotonicity,
        Self::Atomicity,
    ];

    /// `"I1"` to `"I7"`.
    #[must_use]
    pub fn label(self) -> &'static str {
        ["I1", "I2", "I3", "I4", "I5", "I6", "I7"][self as usize]
    }
}

/// The first invariant that a ring was found to break, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The invariant.
    pub invariant: Invariant,
    /// What was expected and what was found, as a sentence.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?}) is broken: {}", self.invariant.label(), self.invariant, self.detail)
    }
}

impl core::error::Error for Violation {}

fn broken<T>(invariant: Invariant, detail: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { invariant, detail: detail.into() })
}

/// Checks I1 to I4 on one ring, in this order.
///
/// Ownership is checked at every token, one before and one after each, and at both ends of the
/// hash space, which are all the places where the owner can change.
///
/// # Complexity
///
/// O(M log M), and slow: for tests and for doubts.
///
/// # Errors
///
/// The first [`Violation`] found.
///
/// # Examples
///
/// ```
/// use ring_core::{Ring, check};
///
/// # let mut ring = ring_core::conformance::ReferenceRing::new(10)?;
/// ring.add_node("a", 3)?;
/// check(&ring)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check<R: Ring>(ring: &R) -> Result<(), Violation> {
    let tokens: Vec<Token<'_>> = ring.tokens().collect();
    check_order(&tokens)?;
    check_membership(ring, &tokens)?;
    check_completeness(ring, &tokens)?;
    check_ownership(ring, &tokens)
}

/// Ring order by its definition: the hash, then the bytes of the whole token id.
fn order_key(token: &Token<'_>) -> (u64, Vec<u8>) {
    (token.hash(), token.token_id().into_bytes())
}

fn check_order(tokens: &[Token<'_>]) -> Result<(), Violation> {
    for pair in tokens.windows(2) {
        let [a, b] = pair else { continue };
        if a.hash() > b.hash() || (a.hash() == b.hash() && order_key(a) >= order_key(b)) {
            return broken(
                Invariant::Order,
                format!(
                    "token {:?} at {:016x} stands before {:?} at {:016x}",
                    a.token_id(),
                    a.hash(),
                    b.token_id(),
                    b.hash()
                ),
            );
        }
    }
    Ok(())
}

fn check_membership<R: Ring>(ring: &R, tokens: &[Token<'_>]) -> Result<(), Violation> {
    let nodes: BTreeMap<&str, u32> = ring.nodes().map(|node| (node.id(), node.weight())).collect();
    let ids: Vec<&str> = ring.nodes().map(|node| node.id()).collect();
    if ids.len() != ring.node_count() || !ids.is_sorted_by(|a, b| a.as_bytes() < b.as_bytes()) {
        return broken(
            Invariant::Membership,
            format!("nodes() gives {ids:?} where {} nodes in id order are due", ring.node_count()),
        );
    }
    for (&id, &weight) in &nodes {
        if weight == 0 || ring.weight(id) != Some(weight) {
            return broken(
                Invariant::Membership,
                format!(
                    "nodes() gives node {id:?} weight {weight}, weight() {:?}",
                    ring.weight(id)
                ),
            );
        }
    }
    for token in tokens {
        if !nodes.contains_key(token.node_id()) {
            return broken(
                Invariant::Membership,
                format!("token {:?} belongs to no registered node", token.token_id()),
            );
        }
    }
    Ok(())
}

fn check_completeness<R: Ring>(ring: &R, tokens: &[Token<'_>]) -> Result<(), Violation> {
    let due = generated_tokens(ring.hasher(), ring.vnodes_per_weight(), &weights(ring));
    if tokens.len() != ring.token_count() || tokens.len() != due.len() {
        return broken(
            Invariant::Completeness,
            format!(
                "{} tokens stand in the ring and token_count() says {}, but its nodes generate {}",
                tokens.len(),
                ring.token_count(),
                due.len()
            ),
        );
    }
    for (token, (hash, token_id)) in tokens.iter().zip(&due) {
        if token.hash() != *hash || token.token_id().as_bytes() != token_id {
            return broken(
                Invariant::Completeness,
                format!(
                    "token {:?} at {:016x} stands where {:?} at {hash:016x} is due",
                    token.token_id(),
                    token.hash(),
                    String::from_utf8_lossy(token_id)
                ),
            );
        }
    }
    Ok(())
}

/// The tokens that a membership generates, in ring order, from the definition.
fn generated_tokens<H: Hash64>(
    hasher: &H,
    vnodes_per_weight: u32,
    weights: &BTreeMap<String, u32>,
) -> Vec<(u64, Vec<u8>)> {
    let mut tokens = Vec::new();
    for (id, &weight) in weights {
        for index in 0..u64::from(weight) * u64::from(vnodes_per_weight) {
            let token_id = format!("{id}#{index}").into_bytes();
            tokens.push((hasher.hash64(&token_id), token_id));
        }
    }
    tokens.sort();
    tokens
}

fn weights<R: Ring>(ring: &R) -> BTreeMap<String, u32> {
    ring.nodes().map(|node| (node.id().to_owned(), node.weight())).collect()
}

fn check_ownership<R: Ring>(ring: &R, tokens: &[Token<'_>]) -> Result<(), Violation> {
    let places = tokens.iter().flat_map(|token| {
        [token.hash().wrapping_sub(1), token.hash(), token.hash().wrapping_add(1)]
    });
    for hash in places.chain([0, u64::MAX]) {
        // I1 has been checked, so that the first token at or after a hash can be searched for.
        let at = tokens.partition_point(|token| token.hash() < hash);
        let due = tokens.get(at).or(tokens.first()).map(Token::node_id);
        let answers = [
            ("owner_at", ring.owner_at(hash)),
            ("walk", ring.walk(hash).next().map(|token| token.node_id())),
            ("replicas_at", ring.replicas_at(hash, 1).nodes().first().copied()),
        ];
        for (call, owner) in answers {
            if owner != due {
                return broken(
                    Invariant::Ownership,
                    format!("{call}({hash:#018x}) gives {owner:?} where {due:?} owns"),
                );
            }
        }
    }
    Ok(())
}

/// Checks I5 to I7 on what `changes`, applied as one batch to `before`, made of it: `after`.
///
/// Works out by itself whether the batch had to be accepted. Then `after` must have exactly the
/// tokens that its membership generates (I5), and nothing may have moved but to a node that gained
/// weight or from one that lost it (I6). Where the batch had to be refused, `after` must be
/// `before`, weights included (I7).
///
/// # Complexity
///
/// O(M log M); for tests.
///
/// # Errors
///
/// The first [`Violation`] found; also I7 where `after` accepted what had to be refused or the
/// other way round.
pub fn check_change<A: Ring, B: Ring>(
    before: &A,
    after: &B,
    changes: &[Change],
) -> Result<(), Violation> {
    let old = weights(before);
    let due = due_weights(before, changes);
    let new = weights(after);
    if new != due {
        return broken(
            Invariant::Atomicity,
            format!("after {changes:?} the weights are {new:?} where {due:?} are due"),
        );
    }
    if after.vnodes_per_weight() != before.vnodes_per_weight() {
        return broken(
            Invariant::Atomicity,
            format!(
                "after {changes:?} V is {} where it was {}",
                after.vnodes_per_weight(),
                before.vnodes_per_weight()
            ),
        );
    }
    let generated = generated_tokens(after.hasher(), after.vnodes_per_weight(), &due);
    if !after.tokens().map(|token| order_key(&token)).eq(generated) {
        return broken(
            Invariant::HistoryIndependence,
            format!("after {changes:?} the tokens are not those that {due:?} generates"),
        );
    }
    let moved = match diff(before, after) {
        Ok(moved) => moved,
        Err(error) => return broken(Invariant::HistoryIndependence, error.to_string()),
    };
    let weight = |of: &BTreeMap<String, u32>, id: Option<&str>| {
        id.and_then(|id| of.get(id)).copied().unwrap_or(0)
    };
    for flow in moved.flows() {
        let gains = weight(&new, flow.to) > weight(&old, flow.to);
        let loses = weight(&new, flow.from) < weight(&old, flow.from);
        if !gains && !loses {
            return broken(
                Invariant::Monotonicity,
                format!(
                    "{} hashes moved from {:?} to {:?}, though neither the first lost weight nor \
                     the second gained any",
                    flow.moved, flow.from, flow.to
                ),
            );
        }
    }
    Ok(())
}

/// The weights that a ring must have after a batch, from the rules of [`Ring::apply`].
fn due_weights<R: Ring>(before: &R, changes: &[Change]) -> BTreeMap<String, u32> {
    let old = weights(before);
    let mut new = old.clone();
    for change in changes {
        let accepted = match change {
            Change::Add { id, weight } => *weight > 0 && new.insert(id.clone(), *weight).is_none(),
            Change::Remove { id } => new.remove(id).is_some(),
            Change::SetWeight { id, weight } => {
                *weight > 0 && new.insert(id.clone(), *weight).is_some()
            }
        };
        if !accepted {
            return old;
        }
    }
    let tokens: u128 = new
        .values()
        .map(|&weight| u128::from(weight) * u128::from(before.vnodes_per_weight()))
        .sum();
    if tokens > u128::from(before.token_limit()) { old } else { new }
}
