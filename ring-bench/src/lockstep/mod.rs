//! Worker processes measured in turn.
//!
//! A comparison stands on pairs of fresh processes, both pinned to one processor, that the controller wakes in turn
//! (`A B`, `B A`, `A B`, …, the first drawn by lot). Whatever the machine does meanwhile, it does to both. See
//! [`stats`](crate::stats) for what is computed from the pairs.
//!
//! | file | holds |
//! |---|---|
//! | [`protocol`] | what controller and worker say to each other, and its version |
//! | [`worker`] | the worker's side: a subject, and the loop that times it |
//! | [`link`] | the controller's side of one worker: start it, ask it, end it |
//! | [`pair`] | two workers measured in turn |
//! | [`schedule`] | which pair when: sittings, in random order |

pub mod link;
pub mod pair;
pub mod protocol;
pub mod schedule;
pub mod worker;

/// How much wider intervals are made where workers could not be pinned, as a power of the distance from the median.
///
/// A worker that moves between processors meets cold caches, and its pair may run at the same time as something else.
/// What that adds differs from one machine to the next and cannot be told from the samples, so the interval is doubled
/// as a whole, and the result says that nothing was pinned.
pub const UNPINNED_WIDENING: f64 = 2.0;

#[cfg(test)]
mod tests;
