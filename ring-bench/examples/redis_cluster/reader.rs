//! The thread that reads all the time.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use redis::Connection;
use ring_core::{Ring as _, SharedRing};
use ring_sortedvec::SortedVecRing;

use super::cluster::value;
use super::{Failure, server};

/// Keys that are read through one ring, by one pipeline for each of their owners.
const AT_ONCE: usize = 64;

/// In one round of so many, the thread dawdles between asking the ring and asking the servers. A real
/// service has slow requests too, and they are the ones that meet a server whose keys have gone.
const DAWDLES_EVERY: u64 = 4;

/// Ports by node: where a reader finds a server that came after it started.
pub(crate) type Addresses = Mutex<BTreeMap<String, u16>>;

/// What the reading thread counted, and the word to stop.
#[derive(Default)]
pub(crate) struct Reads {
    /// Keys found with the right value.
    pub(crate) found: AtomicU64,
    /// Keys not found where the ring said, or with another value.
    pub(crate) missed: AtomicU64,
    pub(crate) stop: AtomicBool,
}

impl Reads {
    /// Waits until the thread has read `more` keys from now on.
    pub(crate) fn wait_for<T>(
        &self,
        more: u64,
        reader: &ScopedJoinHandle<'_, T>,
    ) -> Result<(), Failure> {
        let wanted = self.found.load(Relaxed) + more;
        let start = Instant::now();
        while self.found.load(Relaxed) < wanted {
            // A reader that has ended says why when it is joined.
            if reader.is_finished() {
                return Ok(());
            }
            if start.elapsed() > Duration::from_mins(1) {
                return Err("the reading thread stands still".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// Says stop when it is dropped, in a panic or an early return too.
pub(crate) struct StopOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Reads random keys from their owners until it is told to stop.
pub(crate) fn read_until_stopped(
    shared: &SharedRing<SortedVecRing>,
    keys: &[String],
    addresses: &Addresses,
    reads: &Reads,
) -> Result<(), Failure> {
    let mut connections: BTreeMap<String, Connection> = BTreeMap::new();
    let mut random = 1_u64;
    for round in 1_u64.. {
        if reads.stop.load(Relaxed) {
            break;
        }
        // The guard lives until the last answer is here. As long as it does, the ring that it keeps
        // counts as being read, and nobody deletes what this ring says is there.
        let ring = shared.load();
        let mut by_owner: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for _ in 0..AT_ONCE {
            // Knuth's generator is random enough to pick keys.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = usize::try_from(random >> 33).unwrap_or(0) % keys.len();
            if let Some(owner) = ring.get_node(&keys[place]) {
                by_owner.entry(owner).or_default().push(&keys[place]);
            }
        }
        if round % DAWDLES_EVERY == 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        for (owner, keys) in by_owner {
            let connection = match connections.get_mut(owner) {
                Some(connection) => connection,
                None => connections.entry(owner.to_owned()).or_insert(connect(owner, addresses)?),
            };
            let mut pipe = redis::pipe();
            for key in &keys {
                pipe.cmd("GET").arg(key);
            }
            let values: Vec<Option<String>> = pipe.query(connection)?;
            let right = keys.iter().zip(&values).filter(|(key, found)| **found == Some(value(key)));
            let right = right.count() as u64;
            reads.found.fetch_add(right, Relaxed);
            reads.missed.fetch_add(keys.len() as u64 - right, Relaxed);
        }
    }
    Ok(())
}

fn connect(owner: &str, addresses: &Addresses) -> Result<Connection, Failure> {
    let port = addresses.lock().unwrap_or_else(PoisonError::into_inner).get(owner).copied();
    server::connect(port.ok_or_else(|| format!("nobody knows the port of {owner}"))?)
}
