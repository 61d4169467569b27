//! Other crates, measured the way their users call them, and what they are measured by.
//!
//! One adapter a file, each an implementation of [`Peer`]. [`list`] holds every configuration that is measured, and is
//! the only place that names them. [`subject`] makes a subject of a worker of any of them, [`check`] tries one out and
//! counts its memory, and [`run`] is the run behind `compare --peers`.
//!
//! | what | adapters |
//! |---|---|
//! | rings of tokens | [`hashring`], [`pingora_ketama`], [`consistent_hash_ring`], [`hash_rings`], [`hulahoop`], [`consistent_hash`] |
//! | no rings | [`jumphash`], [`anchorhash`], [`maglev`], [`hrw_hash`], [`modulo`] |
//! | reference kernels | [`sorted_vec`], [`btree_map`], [`hash_alone`], [`random_reads`] |
//! | ours, by the same loops | [`own`], and the ways to call it in [`own_calls`] and [`own_shared`] |
//!
//! # What is timed
//!
//! A contender gets what its user would have at hand: keys as text, nodes as a list, a change as the number of the node
//! that joins. What its user would have to make for the call (the tokens that `batch_add` takes by value, the list that
//! a rebuild reads) is made inside the timed part; nothing else is.
//!
//! # The checksum
//!
//! Every lookup's answer goes into a checksum, or the compiler would leave the lookup out. What is added is what the
//! call hands over, as it stands in registers when the call returns: the number of a node where the answer is one or
//! holds one by value, the address where it is a reference to a node or its id. A reference into the array of *tokens*
//! says nothing about the node before it is followed, so there the number is read: it stands on the line that the
//! search compared last. The bytes of an id are never read: that would be one more cache miss for those who return ids,
//! and none for those who return numbers. Addresses differ from process to process, so the sum is not compared; that
//! the answers are right is checked outside the clock, see [`check`] and
//! [`Subject::settle`](crate::subject::Subject::settle).

use crate::error::BenchError;
use crate::lockstep::protocol::{MemoryCount, SubjectSpec};
use crate::measure::fold;
use crate::subject::Subject;

pub(crate) mod anchorhash;
pub(crate) mod btree_map;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod consistent_hash;
pub(crate) mod consistent_hash_ring;
pub(crate) mod crowded;
pub(crate) mod hash_alone;
pub(crate) mod hash_rings;
pub(crate) mod hasher;
pub(crate) mod hashring;
pub(crate) mod hrw_hash;
pub(crate) mod hulahoop;
pub(crate) mod jumphash;
pub(crate) mod list;
pub(crate) mod maglev;
pub(crate) mod modulo;
pub(crate) mod own;
pub(crate) mod own_calls;
pub(crate) mod own_shared;
pub(crate) mod pingora_ketama;
pub(crate) mod random_reads;
pub mod record;
pub mod run;
pub(crate) mod sorted_vec;
pub(crate) mod subject;
#[cfg(test)]
mod tests;

use cluster::Cluster;

/// How a contender takes a node in or lets it go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changes {
    /// By a call on the live ring.
    InPlace,
    /// By building it anew. What it replaced is freed outside the clock.
    Rebuild,
    /// Not at all, or it costs nothing: a number is counted up.
    None,
}

/// One way to call one crate.
///
/// Adapters hold what the crate gives them and nothing else, and do no work of their own in what is timed:
/// [`build`](Self::build), [`mark`](Self::mark) (or [`look_up`](Self::look_up)), [`search`](Self::search),
/// [`add`](Self::add) and [`remove`](Self::remove).
pub(crate) trait Peer: Sized + 'static {
    /// How nodes come and go.
    const CHANGES: Changes;

    /// Whether it finds the owner of a hash that is given.
    const SEARCHES: bool = false;

    /// Whether keys have owners. Not so for kernels that only hash or read.
    const OWNS: bool = true;

    /// The ring of the cluster's members.
    fn build(cluster: &'static Cluster) -> Result<Self, BenchError>;

    /// Tokens; 0 where it has none.
    fn tokens(&self) -> usize {
        0
    }

    /// Looks a key up, and returns what stands for the answer in a checksum: see the [module](self).
    fn mark(&self, key: &'static str) -> u64;

    /// Looks keys up one after the other, and folds the answers into `sum`.
    #[inline]
    fn look_up(&self, keys: &[&'static str], sum: u64) -> u64 {
        keys.iter().fold(sum, |sum, key| fold(sum, self.mark(key)))
    }

    /// Finds the owner of a hash, and returns what stands for it. Only where [`SEARCHES`](Self::SEARCHES).
    fn search(&self, hash: u64) -> u64 {
        hash
    }

    /// The hash that [`search`](Self::search) takes for this key.
    fn hash(key: &str) -> u64 {
        let _ = key;
        0
    }

    /// The number of the node that a key belongs to, `None` where it belongs to none that is known. Never timed.
    fn owner(&self, key: &'static str) -> Option<usize> {
        let _ = key;
        None
    }

    /// Takes in these spares: all of them as one change where the crate has a call for that, otherwise one by one.
    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        Err(refused("a contender that nobody can join", spares.len()))
    }

    /// Lets these spares go again.
    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        Err(refused("a contender that nobody can leave", spares.len()))
    }

    /// Frees what a change replaced. Never timed.
    fn forget(&mut self) {}

    /// Repeats an example of the crate's own documentation or tests through the same calls; `Err` says what differs.
    /// What is ours has tests instead.
    fn example() -> Result<(), String> {
        Ok(())
    }
}

/// Compares what an example gave with what the crate's documentation says.
pub(crate) fn expect<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    documented: &T,
) -> Result<(), String> {
    if found == documented {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}, documented is {documented:?}"))
    }
}

/// The address of an answer.
#[inline]
pub(crate) fn address<T: ?Sized>(answer: &T) -> u64 {
    std::ptr::from_ref(answer).addr() as u64
}

/// What stands for no answer.
pub(crate) const NOBODY: u64 = u64::MAX;

/// A fault of the experiment: the contender refused what it must allow.
pub(crate) fn refused(what: &str, error: impl std::fmt::Display) -> BenchError {
    BenchError::failed(format!("{what} refused a change of the experiment: {error}"))
}

/// Whether `spec` names one of the configurations in [`list`].
pub(crate) fn knows(spec: &SubjectSpec) -> bool {
    list::find(&spec.contender, &spec.hash).is_some()
}

/// Builds the subject of a configuration.
///
/// # Errors
///
/// A usage error for a configuration or corpus that does not exist, or a ring that cannot be built.
pub(crate) fn build(spec: &SubjectSpec) -> Result<Box<dyn Subject>, BenchError> {
    (list::named(spec)?.subject)(spec)
}

/// Checks a configuration and counts its memory; `None` where the program counts nothing.
///
/// # Errors
///
/// A failure where a check does not hold; otherwise as [`build`].
pub(crate) fn count(spec: &SubjectSpec) -> Result<Option<MemoryCount>, BenchError> {
    (list::named(spec)?.check)(spec)
}
