//! One file per question: what a lookup, a change and a token cost, and what a change moves.
//!
//! The files here hold the work itself; who times it, how often and in which order is decided in
//! [`lockstep`](crate::lockstep).

pub mod balance;
pub mod limits;
pub mod lookup;
pub mod memory;
pub mod pauses;
pub mod regimes;
pub mod remap;
pub mod update;
