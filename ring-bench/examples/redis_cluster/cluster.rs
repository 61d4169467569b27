//! The servers of the ring's nodes, and how keys move between them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::Connection;
use ring_core::{Change, Diff, Hash64 as _, MovedArc, Ring as _, SharedRing, diff};
use ring_sortedvec::SortedVecRing;

use super::Failure;
use super::reader::{Addresses, Reads};
use super::server::Server;

/// Commands in one pipeline.
const PIPELINE: usize = 1_000;

/// The value that is stored for a key.
pub(crate) fn value(key: &str) -> String {
    format!("value of {key}")
}

/// What a change moved.
pub(crate) struct Moved {
    /// Part of the hash space that changed owner, by `diff`.
    pub(crate) fraction: f64,
    /// Keys of the list that lie in moved arcs.
    pub(crate) predicted: usize,
    /// Keys that were found on servers in moved arcs, and moved.
    pub(crate) found: usize,
    /// `RESTORE` commands, as the servers counted them.
    pub(crate) restored: usize,
    /// `UNLINK` commands, as the servers counted them.
    pub(crate) deleted: usize,
    /// Reads that the other thread did meanwhile.
    pub(crate) reads: u64,
}

/// Keys by the pair of nodes between which they move.
type Flows = BTreeMap<(String, String), BTreeSet<String>>;

struct Member {
    server: Server,
    connection: Connection,
}

/// Servers by node id, and the ring that all readers share.
pub(crate) struct Cluster<'a> {
    program: &'a str,
    shared: &'a SharedRing<SortedVecRing>,
    /// All keys that were ever written. A real store has no such list; here it is what the counts
    /// are checked against.
    keys: &'a [String],
    members: BTreeMap<String, Member>,
    addresses: Arc<Addresses>,
    /// Every server that ever ran: id, port and process id.
    everyone: Vec<(String, u16, u32)>,
}

impl<'a> Cluster<'a> {
    pub(crate) fn new(
        program: &'a str,
        shared: &'a SharedRing<SortedVecRing>,
        keys: &'a [String],
    ) -> Self {
        let addresses = Arc::new(Mutex::default());
        Self { program, shared, keys, members: BTreeMap::new(), addresses, everyone: Vec::new() }
    }

    /// Starts the server of a node. The ring does not name it yet, so nobody asks it.
    pub(crate) fn start(&mut self, id: &str) -> Result<(), Failure> {
        let server = Server::start(self.program)?;
        eprintln!("{id}: process {} on port {}", server.process(), server.port());
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        addresses.insert(id.to_owned(), server.port());
        drop(addresses);
        self.everyone.push((id.to_owned(), server.port(), server.process()));
        let connection = server.connect()?;
        self.members.insert(id.to_owned(), Member { server, connection });
        Ok(())
    }

    /// Stops the server of a node that owns nothing any more.
    pub(crate) fn stop(&mut self, id: &str) -> Result<(), Failure> {
        if self.shared.load().weight(id).is_some() || size(self.connection(id)?)? > 0 {
            return Err(format!("{id} is still in use").into());
        }
        self.members.remove(id).map_or(Ok(()), |member| member.server.stop())
    }

    /// Where readers find the servers.
    pub(crate) fn addresses(&self) -> Arc<Addresses> {
        Arc::clone(&self.addresses)
    }

    /// Every server that ever ran: id, port and process id.
    pub(crate) fn everyone(&self) -> impl Iterator<Item = (&str, u16, u32)> {
        self.everyone.iter().map(|(id, port, process)| (id.as_str(), *port, *process))
    }

    /// Keys by server, as the servers count them.
    pub(crate) fn sizes(&mut self) -> Result<Vec<(String, usize)>, Failure> {
        let members = self.members.iter_mut();
        members.map(|(id, member)| Ok((id.clone(), size(&mut member.connection)?))).collect()
    }

    /// Writes every key to its owner.
    pub(crate) fn load(&mut self) -> Result<(), Failure> {
        for (owner, keys) in self.by_owner()? {
            let connection = self.connection(&owner)?;
            for keys in keys.chunks(PIPELINE) {
                let mut pipe = redis::pipe();
                for key in keys {
                    pipe.cmd("SET").arg(key).arg(value(key)).ignore();
                }
                pipe.query::<()>(connection)?;
            }
        }
        Ok(())
    }

    /// Proves that every key is at its owner with its value, and nowhere else.
    pub(crate) fn verify(&mut self) -> Result<(), Failure> {
        let mut expected = BTreeMap::new();
        for (owner, keys) in self.by_owner()? {
            let connection = self.connection(&owner)?;
            for keys in keys.chunks(PIPELINE) {
                let mut pipe = redis::pipe();
                for key in keys {
                    pipe.cmd("GET").arg(key);
                }
                let values: Vec<Option<String>> = pipe.query(connection)?;
                for (key, found) in keys.iter().zip(values) {
                    if found.as_ref() != Some(&value(key)) {
                        return Err(
                            format!("{key} was lost: its owner {owner} has {found:?}").into()
                        );
                    }
                }
            }
            expected.insert(owner, keys.len());
        }
        // All keys are where they belong; as many as that are there, so there are no others.
        for (id, found) in self.sizes()? {
            let expected = expected.get(&id).copied().unwrap_or(0);
            if found != expected {
                return Err(format!("{id} has {found} keys, but owns {expected}").into());
            }
        }
        Ok(())
    }

    /// Changes the ring and moves just the keys whose owner changes, while readers go on.
    pub(crate) fn change(&mut self, change: &Change, reads: &Reads) -> Result<Moved, Failure> {
        let reads_before = reads.found.load(Relaxed);
        let before = SortedVecRing::clone(&self.shared.load());
        let mut after = before.clone();
        after.apply(std::slice::from_ref(change))?;
        let plan = diff(&before, &after)?;
        let predicted = self.predict(&plan, &before, &after)?;
        for member in self.members.values_mut() {
            redis::cmd("CONFIG").arg("RESETSTAT").query::<()>(&mut member.connection)?;
        }

        // The order that loses nothing: copy, publish, wait, delete.
        let flows = self.find(&plan)?;
        for ((from, to), keys) in &flows {
            self.copy(from, to, keys)?;
        }
        self.shared.apply(std::slice::from_ref(change))?;
        self.wait_for_readers()?;
        for ((from, _), keys) in &flows {
            self.delete(from, keys)?;
        }

        let counted = flows.iter().map(|(pair, keys)| (pair.clone(), keys.len())).collect();
        if predicted != counted {
            return Err(format!("predicted were {predicted:?}, but moved were {counted:?}").into());
        }
        let (restored, deleted) = self.check_commands(&counted)?;
        Ok(Moved {
            fraction: plan.moved_fraction(),
            predicted: predicted.values().sum(),
            found: counted.values().sum(),
            restored,
            deleted,
            reads: reads.found.load(Relaxed) - reads_before,
        })
    }

    /// How many keys of the list move between which nodes, by the arcs of `diff`; and that lookups in
    /// both rings say the same.
    fn predict(
        &self,
        plan: &Diff<'_>,
        before: &SortedVecRing,
        after: &SortedVecRing,
    ) -> Result<BTreeMap<(String, String), usize>, Failure> {
        let mut counts = BTreeMap::new();
        for key in self.keys {
            let pair = arc_of(plan, key).and_then(ends);
            let (from, to) = (before.get_node(key), after.get_node(key));
            if pair != from.zip(to).filter(|(from, to)| from != to) {
                return Err(
                    format!("diff says {pair:?} of {key}, lookups {from:?} and {to:?}").into()
                );
            }
            if let Some((from, to)) = pair {
                *counts.entry((from.to_owned(), to.to_owned())).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// The keys on the servers that lie in moved arcs. Only servers that give something are searched.
    fn find(&mut self, plan: &Diff<'_>) -> Result<Flows, Failure> {
        let givers: BTreeSet<&str> = plan.flows().iter().filter_map(|flow| flow.from).collect();
        let mut flows = Flows::new();
        for giver in givers {
            let connection = self.connection(giver)?;
            let mut cursor = 0_u64;
            loop {
                let (next, keys): (u64, Vec<String>) =
                    redis::cmd("SCAN").arg(cursor).arg("COUNT").arg(PIPELINE).query(connection)?;
                for key in keys {
                    if let Some((from, to)) = arc_of(plan, &key).and_then(ends) {
                        // A set, since a scan may name a key twice.
                        flows.entry((from.to_owned(), to.to_owned())).or_default().insert(key);
                    }
                }
                if next == 0 {
                    break;
                }
                cursor = next;
            }
        }
        Ok(flows)
    }

    /// Copies keys with their time to live, whatever their type.
    fn copy(&mut self, from: &str, to: &str, keys: &BTreeSet<String>) -> Result<(), Failure> {
        for keys in in_pipelines(keys) {
            let mut pipe = redis::pipe();
            for key in &keys {
                pipe.cmd("PTTL").arg(key).cmd("DUMP").arg(key);
            }
            let dumps: Vec<(i64, Option<Vec<u8>>)> = {
                let values: Vec<redis::Value> = pipe.query(self.connection(from)?)?;
                let pairs = values.chunks_exact(2);
                pairs
                    .map(|pair| redis::from_redis_value(redis::Value::Array(pair.to_vec())))
                    .collect::<Result<_, _>>()?
            };
            let mut pipe = redis::pipe();
            for (key, (lifetime, dump)) in keys.iter().zip(dumps) {
                // A key that has expired since the scan has nothing to move.
                let Some(dump) = dump else { continue };
                // A negative lifetime means for ever, which RESTORE calls 0.
                pipe.cmd("RESTORE").arg(key).arg(lifetime.max(0)).arg(dump).ignore();
            }
            pipe.query::<()>(self.connection(to)?)?;
        }
        Ok(())
    }

    /// Waits until no reader holds an old ring, so that nobody asks the old owners any more.
    fn wait_for_readers(&self) -> Result<(), Failure> {
        let start = Instant::now();
        while self.shared.reclaim() > 0 {
            if start.elapsed() > Duration::from_mins(1) {
                return Err("a reader keeps an old ring for a minute".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn delete(&mut self, from: &str, keys: &BTreeSet<String>) -> Result<(), Failure> {
        for keys in in_pipelines(keys) {
            let mut pipe = redis::pipe();
            for key in keys {
                pipe.cmd("UNLINK").arg(key).ignore();
            }
            pipe.query::<()>(self.connection(from)?)?;
        }
        Ok(())
    }

    /// Compares the moved keys with what each server counted: keys put in, keys taken out, and no
    /// other write. Returns the sums.
    fn check_commands(
        &mut self,
        moved: &BTreeMap<(String, String), usize>,
    ) -> Result<(usize, usize), Failure> {
        let (mut restored, mut deleted) = (0, 0);
        for (id, member) in &mut self.members {
            let info: String =
                redis::cmd("INFO").arg("commandstats").query(&mut member.connection)?;
            let sum = |which: fn(&(String, String)) -> &String| -> usize {
                moved.iter().filter(|(pair, _)| which(pair) == id).map(|(_, keys)| keys).sum()
            };
            let expected =
                [("restore", sum(|pair| &pair.1)), ("unlink", sum(|pair| &pair.0)), ("set", 0)];
            for (command, expected) in expected {
                let counted = calls(&info, command);
                if counted != expected {
                    return Err(
                        format!("{id} counted {counted} × {command}, expected {expected}").into()
                    );
                }
            }
            restored += calls(&info, "restore");
            deleted += calls(&info, "unlink");
        }
        Ok((restored, deleted))
    }

    /// The keys of the list by their owners.
    fn by_owner(&self) -> Result<BTreeMap<String, Vec<&'a str>>, Failure> {
        let ring = self.shared.load();
        let mut by_owner: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for key in self.keys {
            let owner = ring.get_node(key).ok_or("the ring is empty")?;
            match by_owner.get_mut(owner) {
                Some(keys) => keys.push(key),
                None => {
                    by_owner.insert(owner.to_owned(), vec![key]);
                }
            }
        }
        Ok(by_owner)
    }

    fn connection(&mut self, id: &str) -> Result<&mut Connection, Failure> {
        let member = self.members.get_mut(id).ok_or_else(|| format!("{id} has no server"))?;
        Ok(&mut member.connection)
    }
}

/// The moved arc that a key lies in, if any. The arcs stand in order and do not overlap.
fn arc_of<'d, 'r>(plan: &'d Diff<'r>, key: &str) -> Option<&'d MovedArc<'r>> {
    let hash = ring_core::Fnv1aFmix64.hash64(key.as_bytes());
    let arcs = plan.arcs();
    let arc = arcs.get(arcs.partition_point(|arc| *arc.hashes.end() < hash))?;
    arc.hashes.contains(&hash).then_some(arc)
}

/// From whom to whom an arc moves; neither ring is ever empty here.
fn ends<'r>(arc: &MovedArc<'r>) -> Option<(&'r str, &'r str)> {
    arc.from.zip(arc.to)
}

fn size(connection: &mut Connection) -> Result<usize, Failure> {
    Ok(redis::cmd("DBSIZE").query(connection)?)
}

/// How often a command was called, by a server's `INFO commandstats`.
fn calls(info: &str, command: &str) -> usize {
    let start = format!("cmdstat_{command}:calls=");
    let line = info.lines().find_map(|line| line.strip_prefix(&start));
    line.and_then(|rest| rest.split(',').next()?.parse().ok()).unwrap_or(0)
}

/// Keys in lists of one pipeline each.
fn in_pipelines(keys: &BTreeSet<String>) -> Vec<Vec<&String>> {
    keys.iter().collect::<Vec<_>>().chunks(PIPELINE).map(<[&String]>::to_vec).collect()
}
