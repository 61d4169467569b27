//! The cases, by what they are about. Each is a function over a [`Backend`](super::Backend) that
//! panics where the ring is wrong. A new one also has to be named in the list in `list.rs`; a test
//! of this crate finds those that are not.

pub(super) mod golden;
pub(super) mod histories;
pub(super) mod i1_order;
pub(super) mod i2_membership;
pub(super) mod i3_completeness;
pub(super) mod i4_ownership;
pub(super) mod i5_history;
pub(super) mod i6_monotonicity;
pub(super) mod i7_atomicity;
pub(super) mod operations;
pub(super) mod replicas;
pub(super) mod sharing;
pub(super) mod snapshots;
pub(super) mod statistics;
