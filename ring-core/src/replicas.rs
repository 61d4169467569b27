//! Replica sets: the distinct nodes met clockwise.

use std::collections::HashSet;

use crate::token::Token;

/// The first distinct nodes clockwise from a key, and how many of those asked for are missing.
///
/// # Examples
///
/// ```
/// use ring_core::Ring;
///
/// # let mut ring = ring_core::conformance::ReferenceRing::new(100)?;
/// ring.add_node("a", 1)?;
/// ring.add_node("b", 1)?;
/// let set = ring.get_replicas("user:42", 3);
/// assert_eq!(set.nodes().len(), 2);
/// assert_eq!(set.shortfall(), 1);
/// assert_eq!(set.nodes().first().copied(), ring.get_node("user:42"));
/// # Ok::<(), ring_core::RingError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplicaSet<'a> {
    nodes: Vec<&'a str>,
    shortfall: usize,
}

impl<'a> ReplicaSet<'a> {
    /// The first `r` distinct nodes of `walk`, of which the ring has `node_count`.
    pub(crate) fn collect<W>(walk: W, node_count: usize, r: usize) -> Self
    where
        W: Iterator<Item = Token<'a>>,
    {
        let wanted = r.min(node_count);
        let mut nodes = Vec::with_capacity(wanted);
        if wanted > 0 {
            let mut seen = Seen::<64>::new(wanted);
            for token in walk {
                if seen.insert(token.node()) {
                    nodes.push(token.node_id());
                    if nodes.len() == wanted {
                        break;
                    }
                }
            }
        }
        let shortfall = r - nodes.len();
        Self { nodes, shortfall }
    }

    /// The answer `nodes` to a question for `r`, from a ring that finds its replicas by itself.
    #[cfg(feature = "conformance")]
    pub(crate) fn answering(nodes: Vec<&'a str>, r: usize) -> Self {
        let shortfall = r.saturating_sub(nodes.len());
        Self { nodes, shortfall }
    }

    /// The ids of the nodes, the owner first, each once.
    #[must_use]
    pub fn nodes(&self) -> &[&'a str] {
        &self.nodes
    }

    /// How many nodes are missing from the number asked for; 0 where the ring has enough.
    #[must_use]
    pub fn shortfall(&self) -> usize {
        self.shortfall
    }
}

/// The distinct nodes clockwise from a key, lazily: what [`Ring::replicas`](crate::Ring::replicas)
/// returns.
///
/// It ends after the last node, not after the last token, and it is fused.
#[derive(Clone, Debug)]
pub struct Replicas<W> {
    walk: W,
    seen: Seen<16>,
    /// Nodes not met yet.
    left: usize,
}

impl<W> Replicas<W> {
    pub(crate) fn new(walk: W, node_count: usize) -> Self {
        Self { walk, seen: Seen::new(0), left: node_count }
    }
}

impl<'a, W: Iterator<Item = Token<'a>>> Iterator for Replicas<W> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.left == 0 {
            return None;
        }
        for token in self.walk.by_ref() {
            if self.seen.insert(token.node()) {
                self.left -= 1;
                return Some(token.node_id());
            }
        }
        self.left = 0;
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left))
    }
}

impl<'a, W: Iterator<Item = Token<'a>>> core::iter::FusedIterator for Replicas<W> {}

/// A set of node numbers: up to `INLINE` in place, where looking through them all is fastest, more
/// in a hash set, so that a large number of replicas does not take quadratic time.
#[derive(Clone, Debug)]
enum Seen<const INLINE: usize> {
    Inline { numbers: [u32; INLINE], count: usize },
    Hashed(HashSet<u32>),
}

impl<const INLINE: usize> Seen<INLINE> {
    /// For `expected` numbers, where that is known; 0 where it is not.
    fn new(expected: usize) -> Self {
        if expected > INLINE {
            Self::Hashed(HashSet::with_capacity(expected))
        } else {
            Self::Inline { numbers: [0; INLINE], count: 0 }
        }
    }

    /// Adds `number`; `false` where it is in the set already.
    fn insert(&mut self, number: u32) -> bool {
        match self {
            Self::Inline { numbers, count } => {
                if numbers[..*count].contains(&number) {
                    return false;
                }
                if let Some(place) = numbers.get_mut(*count) {
                    *place = number;
                    *count += 1;
                } else {
                    let mut hashed: HashSet<u32> = HashSet::with_capacity(4 * INLINE);
                    hashed.extend(numbers.iter().copied());
                    hashed.insert(number);
                    *self = Self::Hashed(hashed);
                }
                true
            }
            Self::Hashed(numbers) => numbers.insert(number),
        }
    }
}
