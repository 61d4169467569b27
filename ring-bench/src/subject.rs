//! What is timed: one contender, holding its ring and its keys.
//!
//! A worker process holds one [`Subject`]. The two backends share one implementation, [`RingSubject`], generic over
//! store and hash, so that no difference between them can come from the harness. A peer crate implements the trait
//! itself and is added in [`build`].

use std::sync::Arc;

use ring_core::{
    Change, Fnv1aFmix64, Hash64, HashRing, Ring, SharedRing, SipHash13, Snapshot, TokenStore, Xxh3,
};
use ring_sortedvec::SortedVecStore;

use crate::corpus::{Corpus, Target};
use crate::error::BenchError;
use crate::experiments::{lookup, pauses, regimes, update};
use crate::hashes::AnyHash;
use crate::lockstep::protocol::SubjectSpec;
use crate::measure::fold;
use crate::mix::Mix;
use crate::routine::{Regime, Routine};
use crate::workload::{Membership, Turn, turns};

/// The backends, in the order in which they are compared: ratios are the second over the first.
pub const BACKENDS: [&str; 2] = ["sortedvec", "btree"];

/// One timed step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Which routine. It was begun before.
    pub routine: Routine,
    /// Which of its phases.
    pub phase: usize,
    /// Lookups: the place in the corpus where the pass starts. Otherwise the number of the turn.
    pub start: usize,
    /// Lookups: how many. Otherwise 1.
    pub count: usize,
}

/// Something that can be timed.
///
/// A worker calls [`begin`](Self::begin), then any number of times [`step`](Self::step) (for a routine of two phases
/// both in turn, with the same `start`), each followed by [`settle`](Self::settle), then [`end`](Self::end). Only
/// `step` is timed. `start` and `count` are never beyond what a `usize` holds, `count` is never 0, and `phase` is a
/// phase of the routine.
pub trait Subject {
    /// Tokens of the ring as it was built; 0 where the contender has none or cannot tell.
    fn token_count(&self) -> u64;

    /// The ring's fingerprint; `None` where it has none.
    fn fingerprint(&self) -> Option<u64>;

    /// The keys that it looks up.
    fn corpus(&self) -> &Corpus;

    /// Gets ready for a routine: whatever should not be timed.
    ///
    /// # Errors
    ///
    /// A usage error for a routine that this contender has no part in.
    fn begin(&mut self, routine: Routine) -> Result<(), BenchError>;

    /// Does the work that is timed, and returns a checksum of the answers, where there are any.
    ///
    /// # Errors
    ///
    /// A failure of the contender: it ends the run.
    fn step(&mut self, step: Step) -> Result<u64, BenchError>;

    /// Tidies up after a step, outside the clock, and returns a checksum of what the step left behind.
    fn settle(&mut self, step: Step) -> u64;

    /// Ends the routine and returns a digest of the state: equal for two subjects that did the same. `None` where there
    /// is nothing to compare.
    fn end(&mut self, routine: Routine) -> Option<u64>;

    /// How long lookups that were due during a change took, from when each was due to its answer; see
    /// [`pauses`].
    ///
    /// # Errors
    ///
    /// A usage error for a contender that has no part in it; a failure of the contender.
    fn pauses(&mut self, _: &pauses::PausePlan) -> Result<pauses::Pauses, BenchError> {
        Err(BenchError::usage("pauses are measured of the two backends only"))
    }

    /// The times of lookups that find the ring cold, warm and rebuilt; see [`regimes`].
    ///
    /// # Errors
    ///
    /// A usage error for a contender that has no part in it.
    fn regimes(&mut self, _: usize) -> Result<regimes::Passes, BenchError> {
        Err(BenchError::usage("regimes are measured of the two backends only"))
    }
}

/// Builds the subject that `spec` names.
///
/// # Errors
///
/// A usage error for a contender, hash or corpus that does not exist, or a ring that cannot be built.
pub fn build(spec: &SubjectSpec) -> Result<Box<dyn Subject>, BenchError> {
    #[cfg(feature = "peers")]
    if crate::peers::knows(spec) {
        return crate::peers::build(spec);
    }
    let task = Build { spec, corpus: Arc::new(corpus_of(spec)?), membership: spec.membership() };
    with_backend(spec, task)
}

/// The corpus of `spec`: the same for every contender.
///
/// # Errors
///
/// As [`Corpus::generate`].
pub fn corpus_of(spec: &SubjectSpec) -> Result<Corpus, BenchError> {
    let membership = spec.membership();
    let hash = measured_hash(&spec.hash)?;
    let hash64 = |bytes: &[u8]| hash.hash64(bytes);
    let target = Target { membership: &membership, hash_name: hash.name(), hash: &hash64 };
    Corpus::generate(&spec.corpus()?, &target)
}

/// The secret of the keyed hash in measurements. It protects nothing here, so it may be known.
pub(crate) const SECRET: [u8; 16] = *b"ring-bench secre";

/// The hash of this name, with a fixed secret where it is keyed.
fn measured_hash(name: &str) -> Result<AnyHash, BenchError> {
    AnyHash::named(name, Some(SECRET))
}

/// Work that is compiled once for each backend and hash; see [`with_backend`].
pub(crate) trait BackendTask {
    /// What the work returns.
    type Output;

    /// Does the work with rings of store `S` under `hash`.
    fn run<S, H>(self, hash: H) -> Result<Self::Output, BenchError>
    where
        S: TokenStore + Send + Sync + 'static,
        H: Hash64 + Clone + Send + Sync + 'static;
}

/// Runs `task` with the backend and hash that `spec` names.
pub(crate) fn with_backend<T: BackendTask>(
    spec: &SubjectSpec,
    task: T,
) -> Result<T::Output, BenchError> {
    match spec.contender.as_str() {
        "sortedvec" => with_hash::<SortedVecStore, T>(&spec.hash, task),
        "btree" => with_hash::<ring_btree::BTreeStore, T>(&spec.hash, task),
        other => Err(BenchError::usage(format!(
            "there is no contender {other}; there are {}",
            BACKENDS.join(", ")
        ))),
    }
}

fn with_hash<S: TokenStore + Send + Sync + 'static, T: BackendTask>(
    hash: &str,
    task: T,
) -> Result<T::Output, BenchError> {
    match measured_hash(hash)? {
        AnyHash::Fnv1aFmix64(_) => task.run::<S, Fnv1aFmix64>(Fnv1aFmix64),
        AnyHash::Xxh3(_) => task.run::<S, Xxh3>(Xxh3),
        AnyHash::SipHash13(_) => task.run::<S, SipHash13>(SipHash13::with_secret(SECRET)),
    }
}

struct Build<'a> {
    spec: &'a SubjectSpec,
    corpus: Arc<Corpus>,
    membership: Membership,
}

impl BackendTask for Build<'_> {
    type Output = Box<dyn Subject>;

    fn run<S, H>(self, hash: H) -> Result<Box<dyn Subject>, BenchError>
    where
        S: TokenStore + Send + Sync + 'static,
        H: Hash64 + Clone + Send + Sync + 'static,
    {
        let ring: HashRing<S, H> = built(&self.membership, hash)?;
        Ok(Box::new(RingSubject::new(ring, self.corpus, self.membership, self.spec.seed)))
    }
}

/// A ring with this membership, built in one batch.
pub(crate) fn built<S: TokenStore, H: Hash64>(
    membership: &Membership,
    hash: H,
) -> Result<HashRing<S, H>, BenchError> {
    let refused = |e: ring_core::RingError| {
        BenchError::usage(format!(
            "a ring of {} nodes with {} tokens per unit of weight cannot be built: {e}",
            membership.nodes.len(),
            membership.vnodes
        ))
    };
    let mut ring = HashRing::with_hash(membership.vnodes, hash).map_err(refused)?;
    ring.apply(&membership.as_changes()).map_err(refused)?;
    Ok(ring)
}

/// A fault of the experiment, not of its user: the ring refused a change that it must allow.
fn broken(error: &ring_core::RingError) -> BenchError {
    BenchError::failed(format!("the ring refused a change of the experiment: {error}"))
}

/// A ring of this workspace as a subject.
pub struct RingSubject<S: TokenStore, H: Hash64> {
    ring: HashRing<S, H>,
    corpus: Arc<Corpus>,
    /// The hash of each key of the corpus.
    hashes: Vec<u64>,
    membership: Membership,
    seed: u64,
    staged: Staged<HashRing<S, H>>,
}

/// What a routine needs beside the ring, made before the clock starts.
enum Staged<R> {
    Nothing,
    /// In-place changes.
    Exclusive(Vec<Turn>),
    /// The shared ring and its changes.
    Published(SharedRing<R>, Vec<Turn>),
    /// The changes that build the ring, and the ring built last.
    Build(Vec<Change>, Option<R>),
    /// The ring with one node more.
    Diff(R),
    /// The ring's snapshot, and the ring loaded last.
    Load(String, Option<R>),
}

impl<S: TokenStore, H: Hash64> std::fmt::Debug for RingSubject<S, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RingSubject")
            .field("tokens", &self.ring.token_count())
            .finish_non_exhaustive()
    }
}

impl<S: TokenStore, H: Hash64 + Clone> RingSubject<S, H> {
    /// A subject that looks the keys of `corpus` up in `ring`, and changes it as the membership and the seed say.
    pub fn new(
        ring: HashRing<S, H>,
        corpus: Arc<Corpus>,
        membership: Membership,
        seed: u64,
    ) -> Self {
        let hashes = corpus.keys(0..corpus.len()).map(|key| ring.hasher().hash64(key)).collect();
        Self { ring, corpus, hashes, membership, seed, staged: Staged::Nothing }
    }

    /// The answers of a pass of lookups.
    fn look_up(&self, routine: Routine, start: usize, count: usize) -> u64 {
        let (ring, corpus) = (&self.ring, &*self.corpus);
        match (routine, &self.staged) {
            (Routine::Search, _) => lookup::search(ring, &self.hashes, start, count),
            (Routine::SearchChain, _) => lookup::search_chain(ring, &self.hashes, start, count),
            (Routine::GetChain, _) => lookup::get_chain(ring, corpus, start, count),
            (Routine::GetBatch, _) => lookup::get_batch(ring, corpus, start, count),
            (Routine::GetShared, Staged::Published(shared, _)) => {
                lookup::get_shared(&mut shared.reader(), corpus, start, count)
            }
            (Routine::Replicas, _) => lookup::replicas(ring, corpus, start, count),
            _ => lookup::get(ring, corpus, start, count),
        }
    }
}

/// The change of this phase: forward in the first, its inverse in the second.
fn changes(turns: &[Turn], step: Step) -> &[Change] {
    let turn = &turns[step.start % turns.len()];
    if step.phase == 0 { &turn.forward } else { &turn.inverse }
}

impl<S, H> Subject for RingSubject<S, H>
where
    S: TokenStore + Send + Sync,
    H: Hash64 + Clone + Send + Sync,
{
    fn token_count(&self) -> u64 {
        self.ring.token_count() as u64
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.ring.fingerprint())
    }

    fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    fn begin(&mut self, routine: Routine) -> Result<(), BenchError> {
        self.staged = match routine {
            Routine::Change(kind, Regime::Exclusive) => {
                Staged::Exclusive(turns(&self.membership, kind, self.seed)?)
            }
            Routine::Change(kind, Regime::Published) => Staged::Published(
                SharedRing::new(self.ring.clone()),
                turns(&self.membership, kind, self.seed)?,
            ),
            Routine::Mix(mix) => {
                let turns = mix.turns(&self.membership, self.seed)?;
                match mix.regime {
                    Regime::Exclusive => Staged::Exclusive(turns),
                    Regime::Published => {
                        Staged::Published(SharedRing::new(self.ring.clone()), turns)
                    }
                }
            }
            Routine::GetShared => Staged::Published(SharedRing::new(self.ring.clone()), Vec::new()),
            Routine::Build => Staged::Build(self.membership.as_changes(), None),
            Routine::Diff => {
                let mut after = self.ring.clone();
                after.add_node("join-00000", 1).map_err(|e| broken(&e))?;
                Staged::Diff(after)
            }
            Routine::Load => Staged::Load(self.ring.snapshot().to_json(), None),
            _ => Staged::Nothing,
        };
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<u64, BenchError> {
        if step.routine.is_lookup() {
            return Ok(self.look_up(step.routine, step.start, step.count));
        }
        match &mut self.staged {
            Staged::Nothing => Err(BenchError::failed(format!("{} was not begun", step.routine))),
            Staged::Exclusive(turns) => {
                update::exclusive(&mut self.ring, changes(turns, step)).map_err(|e| broken(&e))?;
                let (start, count) = lookups(step);
                Ok(if count == 0 { 0 } else { lookup::get(&self.ring, &self.corpus, start, count) })
            }
            Staged::Published(shared, turns) => {
                update::published(shared, changes(turns, step)).map_err(|e| broken(&e))?;
                let (start, count) = lookups(step);
                Ok(if count == 0 {
                    0
                } else {
                    lookup::get_shared(&mut shared.reader(), &self.corpus, start, count)
                })
            }
            Staged::Build(changes, built) => {
                let mut ring =
                    HashRing::with_hash(self.membership.vnodes, self.ring.hasher().clone())
                        .map_err(|e| broken(&e))?;
                ring.apply(changes).map_err(|e| broken(&e))?;
                *built = Some(ring);
                Ok(0)
            }
            Staged::Diff(after) => {
                let diff = ring_core::diff(&self.ring, after).map_err(|e| broken(&e))?;
                let moved =
                    diff.flows().iter().fold(0, |sum, flow| fold(sum, low_half(flow.moved)));
                Ok(fold(moved, diff.arcs().len() as u64))
            }
            Staged::Load(json, loaded) => {
                let snapshot = Snapshot::from_json(json).map_err(|e| broken(&e))?;
                let ring = HashRing::from_snapshot_with_hash(&snapshot, self.ring.hasher().clone());
                *loaded = Some(ring.map_err(|e| broken(&e))?);
                Ok(0)
            }
        }
    }

    fn settle(&mut self, step: Step) -> u64 {
        let turn = step.start as u64;
        match &mut self.staged {
            Staged::Exclusive(_) => update::witness(&self.ring, turn),
            Staged::Published(shared, turns) if !turns.is_empty() => {
                update::witness(&*shared.load(), turn)
            }
            // Dropping what was built is no part of building it.
            Staged::Build(_, built) | Staged::Load(_, built) => {
                built.take().map_or(0, |ring| update::witness(&ring, turn))
            }
            _ => 0,
        }
    }

    fn end(&mut self, _: Routine) -> Option<u64> {
        let digest = match &self.staged {
            Staged::Published(shared, _) => shared.load().fingerprint(),
            _ => self.ring.fingerprint(),
        };
        self.staged = Staged::Nothing;
        Some(digest)
    }

    fn pauses(&mut self, plan: &pauses::PausePlan) -> Result<pauses::Pauses, BenchError> {
        let turns = plan.mix.turns(&self.membership, self.seed)?;
        let times = match plan.mix.regime {
            Regime::Exclusive => pauses::exclusive(&mut self.ring, &turns, &self.corpus, plan),
            Regime::Published => {
                pauses::published(&SharedRing::new(self.ring.clone()), &turns, &self.corpus, plan)
            }
        };
        times.map_err(|e| broken(&e))
    }

    fn regimes(&mut self, rounds: usize) -> Result<regimes::Passes, BenchError> {
        regimes::run::<S, H>(&self.membership, self.ring.hasher(), &self.corpus, rounds)
    }
}

/// Where the lookups after a change of a [`Mix`] start, and how many there are; none after any other change.
fn lookups(step: Step) -> (usize, usize) {
    let Routine::Mix(Mix { lookups, .. }) = step.routine else { return (0, 0) };
    let count = usize::try_from(lookups).unwrap_or(usize::MAX);
    (step.start.wrapping_mul(2).wrapping_add(step.phase).wrapping_mul(count), count)
}

/// The lower 64 bits, for a checksum.
fn low_half(moved: u128) -> u64 {
    u64::try_from(moved & u128::from(u64::MAX)).unwrap_or(0)
}

#[cfg(test)]
#[path = "subject_tests.rs"]
mod tests;
