//! What every contender of a worker shares: the nodes, and the keys.

use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::workload::{BATCH, Membership, Weights};

/// Nodes that join and leave by turns. A change of one node takes them singly, a batch [`BATCH`] at a time.
pub(crate) const SPARES: usize = 8 * BATCH;

/// The nodes of a ring, and those that may join it.
///
/// A node is its number. Crates that take any type as a node get the number, since no other node type is cheaper to
/// hash, to copy and to compare; those that want more get what is made of it. The numbers from [`nodes`](Self::nodes)
/// on are spares.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Nodes of the ring as it is built.
    pub(crate) nodes: usize,
    /// Tokens of each.
    pub(crate) vnodes: u32,
    /// The id of each node and spare.
    pub(crate) ids: Vec<String>,
    /// The number of each node and spare, for crates that borrow their nodes.
    pub(crate) numbers: Vec<u32>,
    /// Bytes that the reference kernels read from; 0 for all others.
    pub(crate) footprint: usize,
}

impl Cluster {
    /// A cluster that lives as long as the process. A worker makes one of them.
    pub(crate) fn leaked(nodes: usize, vnodes: u32, footprint: usize) -> &'static Self {
        let mut ids: Vec<String> = Membership::new(nodes, vnodes, Weights::Equal, 0)
            .nodes
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        ids.extend((0..SPARES).map(|i| format!("{SPARE_PREFIX}{i:05}")));
        let numbers = (0..ids.len()).map(number).collect();
        Box::leak(Box::new(Self { nodes, vnodes, ids, numbers, footprint }))
    }

    /// The numbers of the nodes in the ring as it is built.
    pub(crate) fn members(&self) -> &[u32] {
        &self.numbers[..self.nodes]
    }

    /// The number of the node with this id.
    pub(crate) fn number_of(&self, id: &str) -> Option<usize> {
        let (first, digits) = match id.strip_prefix(SPARE_PREFIX) {
            Some(digits) => (self.nodes, digits),
            None => (0, id.strip_prefix("node-")?),
        };
        let place = first + digits.parse::<usize>().ok()?;
        self.ids.get(place).filter(|known| *known == id).map(|_| place)
    }
}

/// As long as the prefix of other nodes, so that no id is dearer to hash.
const SPARE_PREFIX: &str = "join-";

/// A node's number as crates are given it.
pub(crate) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// The keys of a corpus as text, living as long as the process.
///
/// All contenders read the same list of `&str`, as a caller has it who keeps text: crates that hash anything which is
/// `Hash` get the text itself, those that want bytes get its bytes, and nobody pays for a conversion. Packed one after
/// the other and in order, the processor fetches them ahead for everyone alike.
///
/// # Errors
///
/// A usage error for keys that are no text.
pub(crate) fn leaked_keys(corpus: &Corpus) -> Result<Vec<&'static str>, BenchError> {
    let mut text = String::with_capacity(corpus.keys(0..corpus.len()).map(<[u8]>::len).sum());
    let mut ends = Vec::with_capacity(corpus.len());
    for key in corpus.keys(0..corpus.len()) {
        let key = str::from_utf8(key).map_err(|_| {
            BenchError::usage(format!("peers look up text; the key {key:?} is not UTF-8"))
        })?;
        text.push_str(key);
        ends.push(text.len());
    }
    let text: &'static str = Box::leak(text.into_boxed_str());
    let mut start = 0;
    Ok(ends.into_iter().map(|end| &text[std::mem::replace(&mut start, end)..end]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{CorpusSpec, Target};

    #[test]
    fn nodes_are_known_by_their_ids() {
        let cluster = Cluster::leaked(12, 3, 0);
        assert_eq!(cluster.members().len(), 12);
        for (place, id) in cluster.ids.iter().enumerate() {
            assert_eq!(cluster.number_of(id), Some(place));
            assert_eq!(cluster.numbers[place] as usize, place);
        }
        assert_eq!(cluster.number_of("node-00012"), None);
        assert_eq!(cluster.number_of("node-12"), None);
        assert_eq!(cluster.number_of("x"), None);
    }

    #[test]
    fn keys_are_those_of_the_corpus() {
        let membership = Membership::new(1, 1, Weights::Equal, 0);
        let target = Target { membership: &membership, hash_name: "", hash: &|_| 0 };
        let spec = CorpusSpec { keys: "paths".parse().unwrap(), count: Some(500), seed: 4 };
        let corpus = Corpus::generate(&spec, &target).unwrap();
        let keys = leaked_keys(&corpus).unwrap();
        assert!(keys.iter().map(|key| key.as_bytes()).eq(corpus.keys(0..500)));
    }
}
