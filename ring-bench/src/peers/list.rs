//! Every configuration that is measured: the one place that names them.

use std::collections::hash_map::{DefaultHasher, RandomState};
use std::hash::BuildHasherDefault;

use fnv::FnvBuildHasher;
use ring_btree::BTreeStore;
use ring_core::{Fnv1aFmix64, SipHash13, Xxh3};
use ring_sortedvec::SortedVecStore;

use super::crowded::{EightBits, OneArc};
use super::hasher::Xxh3Build;
use super::own::Own;
use super::own_calls::{Batched, LazyReplicas, Many, ReplicaSets, Singly, Walking};
use super::own_shared::{Guard, Locked, Reader};
use super::subject::PeerSubject;
use super::{
    Changes, Peer, anchorhash, btree_map, check, consistent_hash, consistent_hash_ring, hash_alone,
    hash_rings, hashring, hrw_hash, hulahoop, jumphash, maglev, modulo, pingora_ketama,
    random_reads, sorted_vec,
};
use crate::error::BenchError;
use crate::lockstep::protocol::{MemoryCount, SubjectSpec};
use crate::subject::Subject;

/// The hash that a crate comes with.
pub(crate) const SHIPPED: &str = "shipped";
/// XXH3.
pub(crate) const XXH3: &str = "xxh3-64";
/// The default hash of our rings.
pub(crate) const DEFAULT: &str = "fnv1a64-fmix64";
/// The keyed hash of our rings.
pub(crate) const SIPHASH: &str = "siphash-1-3";
/// See [`OneArc`].
pub(crate) const ONE_ARC: &str = "one-arc";
/// See [`EightBits`].
pub(crate) const EIGHT_BITS: &str = "eight-bits";

pub(crate) const SORTED_VEC_RING: &str = "SortedVecRing";
pub(crate) const BTREE_RING: &str = "BTreeRing";
pub(crate) const BATCHED: &str = "SortedVecRing, get_node_batch";
pub(crate) const SINGLY: &str = "SortedVecRing, a node a call";
pub(crate) const READER: &str = "SharedRing, reader handle";
pub(crate) const GUARD: &str = "SharedRing, guard a lookup";
pub(crate) const LOCKED: &str = "RwLock<SortedVecRing>";
pub(crate) const HASHRING: &str = "hashring";
pub(crate) const HASHRING_SINGLY: &str = "hashring, a node a call";
pub(crate) const JUMPHASH: &str = "jumphash";
pub(crate) const ANCHORHASH: &str = "anchorhash, full";
pub(crate) const ANCHORHASH_ROOMY: &str = "anchorhash, roomy";
pub(crate) const MAGLEV: &str = "maglev";
pub(crate) const SORTED_VEC: &str = "sorted Vec";
pub(crate) const BTREE_MAP: &str = "BTreeMap";
pub(crate) const ONE_READ: &str = "one random read";
pub(crate) const TWO_READS: &str = "two dependent reads";

/// Calls that return several nodes, for each backend: counted, never timed.
pub(crate) const SEVERAL: [[&str; 3]; 2] = [
    ["SortedVecRing, walk", "SortedVecRing, replicas", "SortedVecRing, get_replicas"],
    ["BTreeRing, walk", "BTreeRing, replicas", "BTreeRing, get_replicas"],
];

/// Sets the parameter of a contender apart from its name: `two dependent reads/1800000`.
const PARAMETER: char = '/';

/// What sort of thing a configuration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One of our rings.
    Own,
    /// Another ring of tokens.
    Ring,
    /// An algorithm that is no ring.
    Algorithm,
    /// Something to measure the others by.
    Kernel,
    /// Of use in one comparison only: not in the table.
    Special,
}

/// One configuration.
#[derive(Debug)]
pub(crate) struct Configuration {
    /// The contender's name, in specifications and results. With [`hash`](Self::hash) it is unique.
    pub(crate) contender: &'static str,
    /// The name of its hash.
    pub(crate) hash: &'static str,
    /// What sort of thing it is.
    pub(crate) kind: Kind,
    /// The package, with the version that is measured; empty for what is ours.
    pub(crate) package: &'static str,
    /// How it is called.
    pub(crate) note: &'static str,
    /// How nodes come and go.
    pub(crate) changes: Changes,
    /// Makes a subject of it.
    pub(crate) subject: fn(&SubjectSpec) -> Result<Box<dyn Subject>, BenchError>,
    /// Checks it and counts its memory.
    pub(crate) check: fn(&SubjectSpec) -> Result<Option<MemoryCount>, BenchError>,
}

impl Configuration {
    const fn of<P: Peer>(
        kind: Kind,
        contender: &'static str,
        hash: &'static str,
        package: &'static str,
        note: &'static str,
    ) -> Self {
        Self {
            contender,
            hash,
            kind,
            package,
            note,
            changes: P::CHANGES,
            subject: PeerSubject::<P>::boxed,
            check: check::run::<P>,
        }
    }

    const fn own<P: Peer>(contender: &'static str, hash: &'static str, note: &'static str) -> Self {
        Self::of::<P>(Kind::Own, contender, hash, "", note)
    }

    const fn kernel<P: Peer>(
        contender: &'static str,
        hash: &'static str,
        note: &'static str,
    ) -> Self {
        Self::of::<P>(Kind::Kernel, contender, hash, "", note)
    }

    const fn special<P: Peer>(contender: &'static str, hash: &'static str) -> Self {
        Self::of::<P>(Kind::Special, contender, hash, "", "")
    }
}

type Vector<H> = Own<SortedVecStore, H>;
type Tree<H> = Own<BTreeStore, H>;
type Sip = BuildHasherDefault<DefaultHasher>;

/// All of them.
pub(crate) static CONFIGURATIONS: &[Configuration] = &[
    // Ours.
    Configuration::own::<Vector<Fnv1aFmix64>>(SORTED_VEC_RING, DEFAULT, "as it ships"),
    Configuration::own::<Vector<Xxh3>>(SORTED_VEC_RING, XXH3, ""),
    Configuration::own::<Vector<SipHash13>>(SORTED_VEC_RING, SIPHASH, "keyed"),
    Configuration::own::<Tree<Fnv1aFmix64>>(BTREE_RING, DEFAULT, "as it ships"),
    Configuration::own::<Tree<Xxh3>>(BTREE_RING, XXH3, ""),
    Configuration::own::<Tree<SipHash13>>(BTREE_RING, SIPHASH, "keyed"),
    Configuration::own::<Locked<SortedVecStore, Fnv1aFmix64>>(
        LOCKED,
        DEFAULT,
        "a read lock a lookup, uncontended",
    ),
    // Rings of tokens.
    Configuration::of::<hashring::Ring<::hashring::DefaultHashBuilder>>(
        Kind::Ring,
        HASHRING,
        SHIPPED,
        "hashring 0.3.6",
        "SipHash-2-4; batch_add, remove a token; tokens of 8 bytes",
    ),
    Configuration::of::<hashring::Ring<Xxh3Build>>(
        Kind::Ring,
        HASHRING,
        XXH3,
        "hashring 0.3.6",
        "batch_add, remove a token; tokens of 8 bytes",
    ),
    Configuration::of::<pingora_ketama::Ring<pingora_ketama::V1>>(
        Kind::Ring,
        "pingora-ketama, version 1",
        SHIPPED,
        "pingora-ketama 0.9.1",
        "CRC-32; 160 points a node; built anew for a change",
    ),
    Configuration::of::<pingora_ketama::Ring<pingora_ketama::V2>>(
        Kind::Ring,
        "pingora-ketama, version 2",
        SHIPPED,
        "pingora-ketama 0.9.1",
        "CRC-32; points as asked for; built anew for a change",
    ),
    Configuration::of::<consistent_hash_ring::Ring<FnvBuildHasher>>(
        Kind::Ring,
        "consistent_hash_ring",
        SHIPPED,
        "consistent_hash_ring 0.8.0",
        "FNV-1a; insert, remove",
    ),
    Configuration::of::<consistent_hash_ring::Ring<Xxh3Build>>(
        Kind::Ring,
        "consistent_hash_ring",
        XXH3,
        "consistent_hash_ring 0.8.0",
        "insert, remove",
    ),
    Configuration::of::<hash_rings::Ring<RandomState>>(
        Kind::Ring,
        "hash-rings",
        SHIPPED,
        "hash-rings 1.1.0",
        "SipHash-1-3, keyed by the process; insert_node, remove_node",
    ),
    Configuration::of::<hash_rings::Ring<Xxh3Build>>(
        Kind::Ring,
        "hash-rings",
        XXH3,
        "hash-rings 1.1.0",
        "insert_node, remove_node",
    ),
    Configuration::of::<hulahoop::Ring<Sip>>(
        Kind::Ring,
        "hulahoop",
        SHIPPED,
        "hulahoop 0.2.0",
        "SipHash-1-3; insert, remove",
    ),
    Configuration::of::<hulahoop::Ring<Xxh3Build>>(
        Kind::Ring,
        "hulahoop",
        XXH3,
        "hulahoop 0.2.0",
        "insert, remove",
    ),
    Configuration::of::<consistent_hash::Ring<::consistent_hash::DefaultHash>>(
        Kind::Ring,
        "consistent_hash",
        SHIPPED,
        "consistent_hash 0.1.4",
        "SipHash-1-3; first of calc_candidates; built anew for a change",
    ),
    Configuration::of::<consistent_hash::Ring<consistent_hash::Xxh3>>(
        Kind::Ring,
        "consistent_hash",
        XXH3,
        "consistent_hash 0.1.4",
        "first of calc_candidates; built anew for a change",
    ),
    // Algorithms that are no rings.
    Configuration::of::<jumphash::Jump<::jumphash::JumpHasher>>(
        Kind::Algorithm,
        JUMPHASH,
        SHIPPED,
        "jumphash 0.1.9",
        "SipHash-1-3, keyed by the process; slots are numbers",
    ),
    Configuration::of::<jumphash::Jump<jumphash::Xxh3Slots>>(
        Kind::Algorithm,
        JUMPHASH,
        XXH3,
        "jumphash 0.1.9",
        "slots are numbers",
    ),
    Configuration::of::<anchorhash::Anchor<RandomState, anchorhash::Full>>(
        Kind::Algorithm,
        ANCHORHASH,
        SHIPPED,
        "anchorhash 0.2.2",
        "SipHash-1-3, keyed by the process; as many slots as nodes, nobody can join",
    ),
    Configuration::of::<anchorhash::Anchor<Xxh3Build, anchorhash::Full>>(
        Kind::Algorithm,
        ANCHORHASH,
        XXH3,
        "anchorhash 0.2.2",
        "as many slots as nodes, nobody can join",
    ),
    Configuration::of::<anchorhash::Anchor<RandomState, anchorhash::Roomy>>(
        Kind::Algorithm,
        ANCHORHASH_ROOMY,
        SHIPPED,
        "anchorhash 0.2.2",
        "SipHash-1-3, keyed by the process; slots for twice as many nodes",
    ),
    Configuration::of::<anchorhash::Anchor<Xxh3Build, anchorhash::Roomy>>(
        Kind::Algorithm,
        ANCHORHASH_ROOMY,
        XXH3,
        "anchorhash 0.2.2",
        "slots for twice as many nodes",
    ),
    Configuration::of::<maglev::Table<Sip>>(
        Kind::Algorithm,
        MAGLEV,
        SHIPPED,
        "maglev 0.2.1",
        "SipHash-1-3; about 100 entries a node; built anew for a change",
    ),
    Configuration::of::<maglev::Table<Xxh3Build>>(
        Kind::Algorithm,
        MAGLEV,
        XXH3,
        "maglev 0.2.1",
        "about 100 entries a node; built anew for a change",
    ),
    Configuration::of::<hrw_hash::Rendezvous<BuildHasherDefault<::hrw_hash::DefaultHasher>>>(
        Kind::Algorithm,
        "hrw-hash",
        SHIPPED,
        "hrw-hash 2.0.3",
        "rapidhash; first of sorted",
    ),
    Configuration::of::<hrw_hash::Rendezvous<Xxh3Build>>(
        Kind::Algorithm,
        "hrw-hash",
        XXH3,
        "hrw-hash 2.0.3",
        "first of sorted",
    ),
    Configuration::of::<modulo::Modulo<Xxh3>>(Kind::Algorithm, "hash % N", XXH3, "", ""),
    // Reference kernels.
    Configuration::kernel::<sorted_vec::SortedVec<Fnv1aFmix64>>(
        SORTED_VEC,
        DEFAULT,
        "partition_point",
    ),
    Configuration::kernel::<sorted_vec::SortedVec<Xxh3>>(SORTED_VEC, XXH3, "partition_point"),
    Configuration::kernel::<btree_map::PlainMap<Fnv1aFmix64>>(BTREE_MAP, DEFAULT, "range"),
    Configuration::kernel::<btree_map::PlainMap<Xxh3>>(BTREE_MAP, XXH3, "range"),
    Configuration::kernel::<hash_alone::HashAlone<Fnv1aFmix64>>("hash alone", DEFAULT, ""),
    Configuration::kernel::<hash_alone::HashAlone<Xxh3>>("hash alone", XXH3, ""),
    Configuration::kernel::<hash_alone::HashAlone<SipHash13>>("hash alone", SIPHASH, ""),
    // What one comparison needs.
    Configuration::special::<random_reads::RandomReads<1>>(ONE_READ, DEFAULT),
    Configuration::special::<random_reads::RandomReads<2>>(TWO_READS, DEFAULT),
    Configuration::special::<Batched<SortedVecStore, Fnv1aFmix64>>(BATCHED, DEFAULT),
    Configuration::special::<Singly<SortedVecStore, Fnv1aFmix64>>(SINGLY, DEFAULT),
    Configuration::special::<hashring::Grown<::hashring::DefaultHashBuilder>>(
        HASHRING_SINGLY,
        SHIPPED,
    ),
    Configuration::special::<Reader<SortedVecStore, Fnv1aFmix64>>(READER, DEFAULT),
    Configuration::special::<Guard<SortedVecStore, Fnv1aFmix64>>(GUARD, DEFAULT),
    Configuration::special::<sorted_vec::SortedVec<OneArc>>(SORTED_VEC, ONE_ARC),
    Configuration::special::<Vector<OneArc>>(SORTED_VEC_RING, ONE_ARC),
    Configuration::special::<Vector<EightBits>>(SORTED_VEC_RING, EIGHT_BITS),
    Configuration::special::<Tree<OneArc>>(BTREE_RING, ONE_ARC),
    Configuration::special::<Tree<EightBits>>(BTREE_RING, EIGHT_BITS),
    Configuration::special::<Many<SortedVecStore, Fnv1aFmix64, Walking>>(SEVERAL[0][0], DEFAULT),
    Configuration::special::<Many<SortedVecStore, Fnv1aFmix64, LazyReplicas>>(
        SEVERAL[0][1],
        DEFAULT,
    ),
    Configuration::special::<Many<SortedVecStore, Fnv1aFmix64, ReplicaSets>>(
        SEVERAL[0][2],
        DEFAULT,
    ),
    Configuration::special::<Many<BTreeStore, Fnv1aFmix64, Walking>>(SEVERAL[1][0], DEFAULT),
    Configuration::special::<Many<BTreeStore, Fnv1aFmix64, LazyReplicas>>(SEVERAL[1][1], DEFAULT),
    Configuration::special::<Many<BTreeStore, Fnv1aFmix64, ReplicaSets>>(SEVERAL[1][2], DEFAULT),
];

/// The configuration of a contender, whose name may carry a parameter, and a hash.
pub(crate) fn find(contender: &str, hash: &str) -> Option<&'static Configuration> {
    let name = bare(contender);
    CONFIGURATIONS.iter().find(|listed| listed.contender == name && listed.hash == hash)
}

/// The configuration that a specification names.
///
/// # Errors
///
/// A usage error where there is none.
pub(crate) fn named(spec: &SubjectSpec) -> Result<&'static Configuration, BenchError> {
    find(&spec.contender, &spec.hash).ok_or_else(|| {
        BenchError::usage(format!(
            "there is no peer {} with the hash {}",
            spec.contender, spec.hash
        ))
    })
}

/// A contender's name without a parameter.
pub(crate) fn bare(contender: &str) -> &str {
    contender.split(PARAMETER).next().unwrap_or(contender)
}

/// A contender's name with a parameter.
pub(crate) fn with_parameter(contender: &str, parameter: usize) -> String {
    format!("{contender}{PARAMETER}{parameter}")
}

/// The parameter in a contender's name; 0 where there is none.
///
/// # Errors
///
/// A usage error where it is no number.
pub(crate) fn parameter(contender: &str) -> Result<usize, BenchError> {
    match contender.split_once(PARAMETER) {
        None => Ok(0),
        Some((_, number)) => number.parse().map_err(|_| {
            BenchError::usage(format!("{contender}: {number:?} is no number of bytes"))
        }),
    }
}
