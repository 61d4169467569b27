//! [`SharedRing`]: many readers, one writer at a time, every change published whole.

use core::fmt;
use core::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwap, Cache, Guard};

use crate::error::RingError;
use crate::membership::Change;
use crate::ring::Ring;

/// A ring that many threads read while one at a time changes it.
///
/// Readers load one immutable ring through an atomic pointer. They never wait for a writer, and
/// they never free an old ring: a writer does that, once the last reader has let go. A writer
/// copies the ring, changes the copy and publishes it whole, so that no reader ever sees half of a
/// batch.
///
/// What that costs: a change takes a copy of the ring (O(M)) on top of the change itself, and an
/// old ring stays in memory until a later change (or [`reclaim`](Self::reclaim)) finds it unused.
/// A [`RingReader`] that is not asked keeps the ring that it saw last.
///
/// # Examples
///
/// Two lookups that belong together go through one guard. Between two loads another ring may have
/// been published:
///
/// ```
/// use ring_core::{Change, Ring, SharedRing};
///
/// # let ring = ring_core::conformance::ReferenceRing::new(100)?;
/// let shared = SharedRing::new(ring);
/// shared.apply(&[Change::add("a", 1), Change::add("b", 1)])?;
///
/// // Not so: the two answers may come from two rings.
/// let owner = shared.load().get_node("user:1").map(str::to_owned);
/// let replicas = shared.load().get_replicas("user:1", 2).nodes().len();
///
/// // But so: both come from one.
/// let ring = shared.load();
/// let owner = ring.get_node("user:1");
/// let replicas = ring.get_replicas("user:1", 2);
/// assert_eq!(owner, Some(replicas.nodes()[0]));
/// # Ok::<(), ring_core::RingError>(())
/// ```
pub struct SharedRing<R> {
    current: ArcSwap<R>,
    /// Rings that were replaced, each kept alive by this one reference until no reader has
    /// another. That is why a reader's reference is never the last one.
    retired: Mutex<Vec<Arc<R>>>,
}

impl<R> SharedRing<R> {
    /// Shares `ring`.
    pub fn new(ring: R) -> Self {
        Self { current: ArcSwap::from_pointee(ring), retired: Mutex::default() }
    }

    /// The ring as it is now. The guard keeps it readable, and unchanged, until it is dropped.
    ///
    /// It never waits and frees nothing. Keep the guard for a request, not for ever: it keeps the
    /// ring's memory.
    pub fn load(&self) -> RingGuard<'_, R> {
        RingGuard { ring: self.current.load(), _shared: core::marker::PhantomData }
    }

    /// A handle for hot loops, one per thread: it looks whether the pointer has changed and
    /// otherwise goes on with the ring that it has.
    pub fn reader(&self) -> RingReader<'_, R> {
        RingReader { cache: Cache::new(&self.current) }
    }

    /// Frees the old rings that no reader has any more, and returns how many old rings are left.
    ///
    /// Every change does this too. Call it where changes are rare and memory is dear.
    pub fn reclaim(&self) -> usize {
        let mut retired = self.lock();
        Self::free_unused(&mut retired);
        retired.len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<R>>> {
        // The list is whole whenever a panic can happen, so poison says nothing here.
        self.retired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A count of 1 is the list's own reference. New references are only ever made from one that
    /// exists, and the pointer that readers load no longer leads here, so the count stays 1.
    fn free_unused(retired: &mut Vec<Arc<R>>) {
        retired.retain(|ring| Arc::strong_count(ring) > 1);
    }
}

impl<R: Ring + Clone> SharedRing<R> {
    /// Changes a copy of the ring under the writer lock and publishes it whole, then returns what
    /// `change` returned.
    ///
    /// Other writers wait, readers do not. `change` must not change this same shared ring again: it
    /// would wait for itself. Where `change` panics, nothing is published and the next
    /// writer goes on from the ring as it was. What `change` did is published even where it
    /// returns an error of its own; [`try_update`](Self::try_update) does not.
    ///
    /// # Examples
    ///
    /// ```
    /// # use ring_core::{Ring, SharedRing};
    /// # let shared = SharedRing::new(ring_core::conformance::ReferenceRing::new(100)?);
    /// shared.update(|ring| ring.add_node("a", 1))?;
    /// assert_eq!(shared.load().get_node("k"), Some("a"));
    /// # Ok::<(), ring_core::RingError>(())
    /// ```
    pub fn update<T>(&self, change: impl FnOnce(&mut R) -> T) -> T {
        let result: Result<T, core::convert::Infallible> = self.try_update(|ring| Ok(change(ring)));
        match result {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// As [`update`](Self::update), but where `change` returns an error nothing is published.
    ///
    /// # Errors
    ///
    /// The error that `change` returned.
    pub fn try_update<T, E>(&self, change: impl FnOnce(&mut R) -> Result<T, E>) -> Result<T, E> {
        let mut retired = self.lock();
        let mut ring = R::clone(&self.current.load());
        let value = change(&mut ring)?;
        // `swap` returns only when every guard on the old ring counts as a reference of its own.
        retired.push(self.current.swap(Arc::new(ring)));
        Self::free_unused(&mut retired);
        Ok(value)
    }

    /// Applies a batch to a copy and publishes it whole; see [`Ring::apply`].
    ///
    /// # Errors
    ///
    /// Those of [`Ring::apply`]; nothing is published then.
    pub fn apply(&self, changes: &[Change]) -> Result<(), RingError> {
        self.try_update(|ring| ring.apply(changes))
    }
}

impl<R> fmt::Debug for SharedRing<R>
where
    R: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRing").field("current", &*self.load()).finish_non_exhaustive()
    }
}

/// One immutable ring, readable as long as the guard lives.
pub struct RingGuard<'a, R> {
    ring: Guard<Arc<R>>,
    /// A guard must not outlive its `SharedRing`, whose list of old rings does the freeing.
    _shared: core::marker::PhantomData<&'a SharedRing<R>>,
}

impl<R> Deref for RingGuard<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.ring
    }
}

impl<R: fmt::Debug> fmt::Debug for RingGuard<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RingGuard").field(&**self).finish()
    }
}

/// A reader's own handle on a [`SharedRing`].
pub struct RingReader<'a, R> {
    cache: Cache<&'a ArcSwap<R>, Arc<R>>,
}

impl<R> RingReader<'_, R> {
    /// The ring as it is now. One atomic load and a comparison where nothing was published since
    /// the last call.
    #[inline]
    pub fn load(&mut self) -> &R {
        self.cache.load()
    }
}

impl<R> Clone for RingReader<'_, R> {
    fn clone(&self) -> Self {
        Self { cache: self.cache.clone() }
    }
}

impl<R: fmt::Debug> fmt::Debug for RingReader<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RingReader").finish_non_exhaustive()
    }
}
