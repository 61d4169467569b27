//! A contender as the subject of a worker: the loops that are timed, the same for all.

use std::hint::black_box;

use super::cluster::{Cluster, SPARES, leaked_keys};
use super::list::parameter;
use super::{Changes, Peer};
use crate::corpus::{Corpus, runs};
use crate::error::BenchError;
use crate::lockstep::protocol::SubjectSpec;
use crate::measure::fold;
use crate::routine::{Regime, Routine};
use crate::subject::{Step, Subject, corpus_of};
use crate::workload::{BATCH, ChangeKind};

/// Lookups that are repeated after each timed pass, for a digest of their owners.
const WITNESSES: usize = 8;

/// A contender with its keys.
pub(crate) struct PeerSubject<P: Peer> {
    peer: P,
    cluster: &'static Cluster,
    corpus: Corpus,
    keys: Vec<&'static str>,
    /// The hash of each key, where searches take one.
    hashes: Vec<u64>,
    built: Option<P>,
}

impl<P: Peer> PeerSubject<P> {
    /// The subject of a specification.
    ///
    /// # Errors
    ///
    /// A usage error for a corpus that does not exist, or a ring that cannot be built.
    pub(crate) fn boxed(spec: &SubjectSpec) -> Result<Box<dyn Subject>, BenchError> {
        let corpus = keys_of(spec)?;
        let cluster = Cluster::leaked(spec.nodes, spec.vnodes, parameter(&spec.contender)?);
        let keys = leaked_keys(&corpus)?;
        let hashes =
            if P::SEARCHES { keys.iter().map(|key| P::hash(key)).collect() } else { Vec::new() };
        Ok(Box::new(Self { peer: P::build(cluster)?, cluster, corpus, keys, hashes, built: None }))
    }

    /// The spares of a turn.
    fn spares(&self, kind: ChangeKind, turn: usize) -> &'static [u32] {
        let spares = &self.cluster.numbers[self.cluster.nodes..];
        match kind {
            ChangeKind::Batch => &spares[turn % (SPARES / BATCH) * BATCH..][..BATCH],
            ChangeKind::Node | ChangeKind::Weight => &spares[turn % SPARES..][..1],
        }
    }

    /// The numbers of some keys' owners.
    fn witness(&self, start: usize, count: usize) -> u64 {
        let apart = (count / WITNESSES).max(1);
        (0..WITNESSES.min(count)).fold(0, |sum, i| {
            let owner = self.peer.owner(self.keys[(start + i * apart) % self.keys.len()]);
            fold(sum, owner.map_or(super::NOBODY, |owner| owner as u64))
        })
    }
}

/// The corpus of a specification, whose hash need not be one of ours.
pub(crate) fn keys_of(spec: &SubjectSpec) -> Result<Corpus, BenchError> {
    if spec.corpus()?.keys.depends_on_ring() {
        return Err(BenchError::usage(format!(
            "the corpus {} attacks one of our rings; peers have none",
            spec.corpus
        )));
    }
    corpus_of(&SubjectSpec { hash: super::list::DEFAULT.to_owned(), ..spec.clone() })
}

/// A pass of lookups.
#[inline(never)]
pub(crate) fn look_up<P: Peer>(peer: &P, keys: &[&'static str], start: usize, count: usize) -> u64 {
    runs(keys.len(), start, count).fold(0, |sum, run| peer.look_up(&keys[run], sum))
}

/// A pass of searches.
#[inline(never)]
fn search<P: Peer>(peer: &P, hashes: &[u64], start: usize, count: usize) -> u64 {
    let mut sum = 0;
    for run in runs(hashes.len(), start, count) {
        sum = hashes[run].iter().fold(sum, |sum, &hash| fold(sum, peer.search(hash)));
    }
    sum
}

/// Searches that wait for one another: where the next hash stands depends on the answer before.
#[inline(never)]
fn search_chain<P: Peer>(peer: &P, hashes: &[u64], start: usize, count: usize) -> u64 {
    let mut sum = 0;
    let mut at = start % hashes.len().max(1);
    for _ in 0..count {
        let found = peer.search(hashes[at]);
        sum = fold(sum, found);
        // One or two places on. The processor does not guess data, so it waits even where it is always the same.
        at += 1 + usize::from(found & STRIDE != 0);
        if at >= hashes.len() {
            at -= hashes.len();
        }
    }
    sum
}

/// A bit that varies in addresses of ids, and in random words.
const STRIDE: u64 = 1 << 5;

impl<P: Peer> Subject for PeerSubject<P> {
    fn token_count(&self) -> u64 {
        self.peer.tokens() as u64
    }

    fn fingerprint(&self) -> Option<u64> {
        None
    }

    fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    fn begin(&mut self, routine: Routine) -> Result<(), BenchError> {
        let able = match routine {
            Routine::Get | Routine::Build => true,
            Routine::Search | Routine::SearchChain => P::SEARCHES,
            Routine::Change(ChangeKind::Node | ChangeKind::Batch, Regime::Exclusive) => {
                P::CHANGES != Changes::None
            }
            _ => false,
        };
        if able {
            Ok(())
        } else {
            Err(BenchError::usage(format!("this peer has no part in {routine}")))
        }
    }

    fn step(&mut self, step: Step) -> Result<u64, BenchError> {
        match step.routine {
            Routine::Search => {
                black_box(search(&self.peer, &self.hashes, step.start, step.count));
            }
            Routine::SearchChain => {
                black_box(search_chain(&self.peer, &self.hashes, step.start, step.count));
            }
            Routine::Change(kind, _) => {
                let spares = self.spares(kind, step.start);
                match step.phase {
                    0 => self.peer.add(spares)?,
                    _ => self.peer.remove(spares)?,
                }
            }
            Routine::Build => self.built = Some(P::build(self.cluster)?),
            _ => {
                black_box(look_up(&self.peer, &self.keys, step.start, step.count));
            }
        }
        // The sum holds addresses: whoever compared it would find every process different.
        Ok(0)
    }

    fn settle(&mut self, step: Step) -> u64 {
        self.peer.forget();
        self.built = None;
        match step.routine {
            Routine::Build => 0,
            _ => self.witness(step.start, step.count.max(WITNESSES)),
        }
    }

    fn end(&mut self, _: Routine) -> Option<u64> {
        Some(self.witness(0, self.keys.len()))
    }
}
