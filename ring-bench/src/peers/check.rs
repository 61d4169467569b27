//! Tries a contender out before it is timed, and counts its memory: in a process that times nothing.

use super::cluster::{Cluster, leaked_keys};
use super::list::parameter;
use super::subject::{keys_of, look_up};
use super::{Changes, Peer};
use crate::error::BenchError;
use crate::experiments::memory::counted;
use crate::lockstep::protocol::{MemoryCount, SubjectSpec};

/// Keys whose owners are checked.
const KEYS: usize = 20_000;

/// Lookups whose allocations are counted.
const LOOKUPS: usize = 10_000;

/// Tokens up to which a ring is also built node by node.
const ONE_BY_ONE: usize = 200_000;

/// Checks the contender of a specification, then counts.
///
/// Every key has an owner among the nodes, and the same one when asked again; after a node joined and left again, all is
/// as before, and meanwhile no key went to another node than the one that joined. The example of the crate's
/// documentation comes out as documented.
///
/// `None` where nothing counts.
///
/// # Errors
///
/// A failure that says which check does not hold; a usage error as for a subject.
pub(crate) fn run<P: Peer>(spec: &SubjectSpec) -> Result<Option<MemoryCount>, BenchError> {
    let spec = SubjectSpec { keys: Some(spec.keys.unwrap_or(KEYS).min(KEYS)), ..spec.clone() };
    let fails =
        |what: String| BenchError::failed(format!("{} ({}): {what}", spec.contender, spec.hash));
    P::example().map_err(|what| fails(format!("an example of its documentation: {what}")))?;
    let keys = leaked_keys(&keys_of(&spec)?)?;
    let cluster = Cluster::leaked(spec.nodes, spec.vnodes, parameter(&spec.contender)?);
    // Built once to set up what is only set up once in a process, such as threads, then once more to be counted.
    drop(P::build(cluster)?);
    let (built, bulk) = counted(|| P::build(cluster));
    let mut peer = built?;
    if P::OWNS {
        owners(&mut peer, cluster, &keys).map_err(fails)?;
    }
    let (_, lookup) = counted(|| look_up(&peer, &keys, 0, LOOKUPS));
    let one_by_one = match grown::<P>(cluster, &peer)? {
        Some(bytes) => bytes,
        None => bulk.map_or(0, |bulk| bulk.live_bytes),
    };
    Ok(bulk.zip(lookup).map(|(bulk, lookup)| MemoryCount {
        tokens: peer.tokens() as u64,
        bulk_bytes: bulk.live_bytes,
        one_by_one_bytes: one_by_one,
        bulk_total_bytes: bulk.requested_bytes,
        lookup_allocations: lookup.allocations,
        lookups: LOOKUPS as u64,
    }))
}

/// The owners of some keys, each asked for twice, before, while and after a spare is there.
pub(crate) fn owners<P: Peer>(
    peer: &mut P,
    cluster: &'static Cluster,
    keys: &[&'static str],
) -> Result<(), String> {
    let before = owners_of(peer, keys, cluster.nodes)?;
    if owners_of(peer, keys, cluster.nodes)? != before {
        return Err("the same keys have other owners when asked again".to_owned());
    }
    if P::CHANGES == Changes::None {
        return Ok(());
    }
    let spare = cluster.nodes;
    let spares = &cluster.numbers[spare..=spare];
    peer.add(spares).map_err(|e| e.to_string())?;
    let during = owners_of(peer, keys, spare + 1)?;
    // Maglev's tables are only nearly minimal, and what is built anew may resolve equal hashes another way.
    let astray = before.iter().zip(&during).filter(|(b, d)| b != d && **d != spare).count();
    if astray > keys.len() / 10 {
        return Err(format!("{astray} of {} keys went to a node that did not join", keys.len()));
    }
    let joined = during.iter().filter(|owner| **owner == spare).count();
    if joined == 0 && keys.len() > 20 * (spare + 1) {
        return Err("a node that joined got no key".to_owned());
    }
    peer.remove(spares).map_err(|e| e.to_string())?;
    peer.forget();
    if owners_of(peer, keys, cluster.nodes)? != before {
        return Err("after a node joined and left, keys have other owners than before".to_owned());
    }
    Ok(())
}

/// The owner of each key, which must be one of the first `nodes` nodes.
fn owners_of<P: Peer>(peer: &P, keys: &[&'static str], nodes: usize) -> Result<Vec<usize>, String> {
    keys.iter()
        .map(|key| match peer.owner(key) {
            Some(owner) if owner < nodes => Ok(owner),
            found => Err(format!("the key {key:?} belongs to {found:?}, which is no node")),
        })
        .collect()
}

/// The live bytes of a ring that was built by one call a node; `None` where there is no such call, or the ring is large.
fn grown<P: Peer>(cluster: &'static Cluster, bulk: &P) -> Result<Option<u64>, BenchError> {
    let tokens = bulk.tokens();
    if P::CHANGES != Changes::InPlace || tokens == 0 || tokens > ONE_BY_ONE {
        return Ok(None);
    }
    let nobody: &'static Cluster = Box::leak(Box::new(Cluster {
        nodes: 0,
        vnodes: cluster.vnodes,
        ids: cluster.ids.clone(),
        numbers: cluster.numbers.clone(),
        footprint: 0,
    }));
    let (ring, bytes) = counted(|| {
        let mut ring = P::build(nobody)?;
        for node in cluster.members() {
            ring.add(std::slice::from_ref(node))?;
        }
        Ok::<P, BenchError>(ring)
    });
    let ring = ring?;
    if ring.tokens() != tokens {
        return Err(BenchError::failed(format!(
            "built one by one the ring has {} tokens, built at once {tokens}",
            ring.tokens()
        )));
    }
    Ok(bytes.map(|bytes| bytes.live_bytes))
}
