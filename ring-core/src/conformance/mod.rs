//! The suite that every backend runs, the reference ring that it is compared with, and the broken
//! rings that prove that the suite bites.
//!
//! A backend's `tests/conformance.rs` holds one line, [`conformance_tests!`], which makes a
//! `#[test]` of each case in the list. A case is a function over a [`Backend`], so that it says the
//! same of every ring. What the list covers stands in [`RULES`], rule by rule.
//!
//! Everything here is for tests and panics where a ring is wrong.
//!
//! [`conformance_tests!`]: crate::conformance_tests

mod allocations;
mod backend;
mod broken;
mod cases;
mod fault;
mod list;
mod reference;
mod rules;
mod support;
mod test_hash;
pub mod vectors;

pub use allocations::{Allocations, check_allocations};
pub use backend::{Backend, SuiteHash};
pub use broken::{BrokenReference, BrokenRing};
pub use fault::Fault;
pub use list::{Case, panic_text, run, suite};
pub use reference::{ReferenceNodes, ReferenceRing, ReferenceWalk};
pub use rules::{RULES, Rule};
pub use test_hash::TestHash;
