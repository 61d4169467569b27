//! [`BrokenRing`]: the reference ring with one mistake, so that the suite can be seen to bite.

mod changes;
mod tokens;

use core::fmt;

use super::backend::{Backend, SuiteHash};
use super::fault::Fault;
use super::reference::{PlainToken, ReferenceNodes, ReferenceRing, ReferenceWalk};
use crate::error::RingError;
use crate::hash::{Fnv1aFmix64, Hash64};
use crate::membership::{Change, Node};
use crate::replicas::{ReplicaSet, Replicas};
use crate::ring::Ring;
use crate::snapshot::Snapshot;

/// A [`ReferenceRing`] with one [`Fault`].
///
/// It keeps tokens of its own, which follow those of the reference ring change by change, but for
/// the fault. So a token that a fault loses stays lost, as it would in a real ring.
#[derive(Clone)]
pub struct BrokenRing<H> {
    fault: Fault,
    ring: ReferenceRing<H>,
    tokens: Vec<PlainToken>,
}

impl<H: Hash64> BrokenRing<H> {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// The id that the ring takes `id` for.
    fn id(&self, id: &str) -> String {
        match self.fault {
            Fault::IdsTrimmed => id.trim().to_owned(),
            Fault::IdsFolded => id.to_lowercase(),
            Fault::IdsEndAtNul => id.split('\0').next().unwrap_or("").to_owned(),
            _ => id.to_owned(),
        }
    }

    fn key_hash(&self, key: &[u8]) -> u64 {
        let key = match self.fault {
            Fault::KeysEndAtNul => key.split(|&byte| byte == 0).next().unwrap_or(key),
            Fault::KeysTrimmed => key.trim_ascii(),
            _ => key,
        };
        self.ring.hasher.hash64(key)
    }

    /// How a load goes wrong.
    fn load(
        fault: Fault,
        snapshot: &Snapshot,
        hasher: H,
        token_limit: u32,
    ) -> Result<Self, RingError> {
        let name = hasher.name().to_owned();
        if snapshot.hash() != name && fault != Fault::LoadIgnoresHashName {
            return Err(RingError::HashMismatch {
                snapshot: snapshot.hash().to_owned(),
                ring: name,
            });
        }
        let unguarded = hasher.is_keyed() && snapshot.fingerprint().is_none();
        if unguarded && fault != Fault::LoadIgnoresMissingFingerprint {
            return Err(RingError::FingerprintMissing { hash: name });
        }
        let vnodes = match fault {
            Fault::LoadForgetsVnodes => 100,
            _ => snapshot.vnodes_per_weight(),
        };
        let mut ring = Self::empty(fault, vnodes, hasher)?;
        ring.ring.token_limit = token_limit;
        let adds: Vec<Change> = snapshot
            .nodes()
            .map(|node| match fault {
                Fault::LoadForgetsWeights => Change::add(node.id(), 1),
                _ => Change::add(node.id(), node.weight()),
            })
            .collect();
        ring.apply(&adds)?;
        match snapshot.fingerprint() {
            Some(due) if due != ring.fingerprint() && fault != Fault::LoadIgnoresFingerprint => {
                Err(RingError::FingerprintMismatch { snapshot: due, ring: ring.fingerprint() })
            }
            _ => Ok(ring),
        }
    }

    fn empty(fault: Fault, vnodes_per_weight: u32, hasher: H) -> Result<Self, RingError> {
        let vnodes_per_weight = match (vnodes_per_weight, fault) {
            (0, Fault::ZeroVnodesAccepted) => 1,
            (vnodes_per_weight, _) => vnodes_per_weight,
        };
        let mut ring = ReferenceRing::with_hash(vnodes_per_weight, hasher)?;
        if fault == Fault::OtherDefaultLimit {
            ring.token_limit /= 2;
        }
        Ok(Self { fault, ring, tokens: Vec::new() })
    }
}

fn utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

impl<H: Hash64> Ring for BrokenRing<H> {
    type Hash = H;
    type Walk<'a>
        = ReferenceWalk<'a>
    where
        Self: 'a;
    type Nodes<'a>
        = ReferenceNodes<'a>
    where
        Self: 'a;

    fn vnodes_per_weight(&self) -> u32 {
        self.ring.vnodes_per_weight
    }

    fn hasher(&self) -> &H {
        &self.ring.hasher
    }

    fn token_limit(&self) -> u32 {
        self.ring.token_limit
    }

    fn set_token_limit(&mut self, limit: u32) -> Result<(), RingError> {
        if self.has(Fault::LimitBelowCountAccepted) {
            self.ring.token_limit = limit;
            return Ok(());
        }
        self.ring.set_token_limit(limit)
    }

    fn node_count(&self) -> usize {
        self.ring.node_count()
    }

    fn token_count(&self) -> usize {
        self.tokens.len()
    }

    fn weight(&self, id: &str) -> Option<u32> {
        self.ring.weight(&self.id(id))
    }

    fn nodes(&self) -> ReferenceNodes<'_> {
        let mut nodes: Vec<Node<'_>> = self.ring.nodes().collect();
        if self.has(Fault::NodesByUtf16) {
            nodes.sort_by_key(|node| utf16(node.id()));
        }
        ReferenceNodes { nodes: nodes.into_iter() }
    }

    fn walk(&self, hash: u64) -> ReferenceWalk<'_> {
        self.clockwise(hash)
    }

    fn apply(&mut self, changes: &[Change]) -> Result<(), RingError> {
        let changes = self.understood(changes);
        let (old_nodes, old) = (self.ring.nodes.clone(), self.ring.tokens.clone());
        let result = self.apply_to_nodes(&changes);
        self.follow(&old_nodes, &old);
        result
    }

    fn remove_node(&mut self, id: &str) -> bool {
        self.apply(&[Change::remove(id)]).is_ok() || self.has(Fault::RemoveAlwaysTrue)
    }

    fn get_node(&self, key: impl AsRef<[u8]>) -> Option<&str> {
        self.owner_at(self.key_hash(key.as_ref()))
    }

    fn get_node_batch<'a, K: AsRef<[u8]>>(&'a self, keys: &[K], owners: &mut Vec<Option<&'a str>>) {
        let hashes: Vec<u64> = keys.iter().map(|key| self.key_hash(key.as_ref())).collect();
        self.owners_at(&hashes, owners);
    }

    fn owners_at<'a>(&'a self, hashes: &[u64], owners: &mut Vec<Option<&'a str>>) {
        if self.has(Fault::BatchLookupClears) {
            owners.clear();
        }
        let mut found: Vec<_> = hashes.iter().map(|&hash| self.owner_at(hash)).collect();
        if self.has(Fault::BatchLookupReversed) {
            found.reverse();
        }
        owners.extend(found);
    }

    fn get_replicas(&self, key: impl AsRef<[u8]>, r: usize) -> ReplicaSet<'_> {
        self.replicas_at(self.key_hash(key.as_ref()), r)
    }

    fn owner_at(&self, hash: u64) -> Option<&str> {
        self.start(hash).map(|start| &*self.tokens[start].node_id)
    }

    fn replicas_at(&self, hash: u64, r: usize) -> ReplicaSet<'_> {
        let count = self.node_count();
        let walk = self.clockwise(hash);
        let right = ReplicaSet::collect(walk.clone(), count, r);
        let mut nodes = right.nodes().to_vec();
        match self.fault {
            Fault::OwnerRepeated if r >= count && count > 1 => {
                nodes.pop();
                nodes.extend(nodes.first().copied());
            }
            Fault::ReplicasDropNeighboursOnly => {
                nodes = walk.map(|token| token.node_id()).collect();
                nodes.dedup();
                nodes.truncate(r.min(count));
            }
            Fault::ReplicasDoNotWrap => {
                let until_last = self.tokens.len() - self.start(hash).unwrap_or(0);
                nodes = ReplicaSet::collect(walk.take(until_last), count, r).nodes().to_vec();
            }
            Fault::ReplicasWithoutOwner if !nodes.is_empty() => {
                nodes.remove(0);
            }
            Fault::ReplicasSorted => nodes.sort_unstable(),
            Fault::TooManyReplicasGiveNone if r > count => nodes.clear(),
            Fault::ShortfallForgotten => {
                let found = nodes.len();
                return ReplicaSet::answering(nodes, found);
            }
            _ => {}
        }
        ReplicaSet::answering(nodes, r)
    }

    fn replicas(&self, key: impl AsRef<[u8]>) -> Replicas<ReferenceWalk<'_>> {
        let walk = self.walk(self.key_hash(key.as_ref()));
        let early = usize::from(self.has(Fault::LazyReplicasEndEarly));
        Replicas::new(walk, self.node_count().saturating_sub(early))
    }

    fn fingerprint(&self) -> u64 {
        let mut text = Vec::new();
        if self.has(Fault::FingerprintOfNodesOnly) {
            for (id, node) in &self.ring.nodes {
                text.extend_from_slice(format!("{id} {}\n", node.weight).as_bytes());
            }
            return Fnv1aFmix64.hash64(&text);
        }
        for token in &self.tokens {
            text.extend_from_slice(&match self.fault {
                Fault::FingerprintLittleEndian => token.hash.to_le_bytes(),
                _ => token.hash.to_be_bytes(),
            });
            text.extend_from_slice(token.token_id.as_bytes());
            text.push(b'\n');
        }
        Fnv1aFmix64.hash64(&text)
    }
}

impl<H: Hash64> PartialEq for BrokenRing<H> {
    fn eq(&self, other: &Self) -> bool {
        match self.fault {
            Fault::EqualityOfNodesOnly => self.ring.nodes().eq(other.ring.nodes()),
            Fault::EqualityWithLimit => {
                self.ring == other.ring && self.ring.token_limit == other.ring.token_limit
            }
            _ => self.ring == other.ring,
        }
    }
}

impl<H: Hash64> fmt::Debug for BrokenRing<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrokenRing")
            .field("fault", &self.fault)
            .field("ring", &self.ring)
            .finish_non_exhaustive()
    }
}

/// The backend of rings with this fault.
#[derive(Clone, Copy, Debug)]
pub struct BrokenReference(pub Fault);

impl Backend for BrokenReference {
    type Ring<H: SuiteHash> = BrokenRing<H>;

    fn empty(&self, vnodes_per_weight: u32) -> Result<BrokenRing<Fnv1aFmix64>, RingError> {
        BrokenRing::empty(self.0, vnodes_per_weight, Fnv1aFmix64)
    }

    fn empty_with_hash<H: SuiteHash>(
        &self,
        vnodes_per_weight: u32,
        hasher: H,
    ) -> Result<BrokenRing<H>, RingError> {
        BrokenRing::empty(self.0, vnodes_per_weight, hasher)
    }

    fn load(&self, snapshot: &Snapshot) -> Result<BrokenRing<Fnv1aFmix64>, RingError> {
        self.load_with_hash(snapshot, Fnv1aFmix64)
    }

    fn load_with_hash<H: SuiteHash>(
        &self,
        snapshot: &Snapshot,
        hasher: H,
    ) -> Result<BrokenRing<H>, RingError> {
        self.load_within(snapshot, hasher, 16_777_216)
    }

    fn load_within<H: SuiteHash>(
        &self,
        snapshot: &Snapshot,
        hasher: H,
        token_limit: u32,
    ) -> Result<BrokenRing<H>, RingError> {
        BrokenRing::load(self.0, snapshot, hasher, token_limit)
    }
}
