//! Measures consistent-hash rings: what a lookup, a change and a token cost, and what a change moves.
//!
//! | module | holds |
//! |---|---|
//! | [`error`] | the one error type, with the exit code of each kind |
//! | [`seeded`] | the only source of randomness: `ChaCha8` and integer derivations |
//! | [`corpus`], [`workload`] | seeded keys; seeded memberships and changes |
//! | [`stats`] | medians, intervals, sign tests, ratios of pairs |
//! | [`measure`] | the clock: stopwatch, its cost, calibration, checksums |
//! | [`machine`] | processor, load, pinning |
//! | [`routine`] | the closed list of what can be timed, and its names |
//! | [`mix`] | a workload as `choose` meets it: a change, its inverse, lookups after each |
//! | [`subject`] | what is timed: one contender with its ring and its keys |
//! | [`lockstep`] | worker processes, their protocol, and pairs of them measured in turn |
//! | [`experiments`] | one file per question: lookup, update, memory, remap |
//! | [`record`] | what a run found, as it is exported |
//! | [`compare`] | the run that compares the two backends |
//! | [`choose`] | which backend a workload should take |
//! | [`gate`] | whether one build is slower than another, or places keys differently |
//! | [`law`] | the Beta law of shares, and sampling from it |
//! | [`noise`] | the run that tells how noisy the machine is |
//! | [`results`] | a run as a directory: written, verified, compared, spliced into pages |
//! | [`report`] | terminal, Markdown and CSV forms of a record |
//! | [`hashes`], [`keys`], [`ring_file`], [`table`], [`names`], [`output`] | what the other verbs share |

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that fails may panic"))]

pub mod choose;
pub mod compare;
pub mod corpus;
pub mod error;
pub mod experiments;
pub mod gate;
pub mod hashes;
pub mod keys;
pub mod law;
pub mod lockstep;
pub mod machine;
pub mod measure;
pub mod mix;
pub mod names;
pub mod noise;
pub mod output;
#[cfg(feature = "peers")]
pub mod peers;
pub mod record;
pub mod report;
pub mod results;
pub mod ring_file;
pub mod routine;
pub mod seeded;
pub mod stats;
pub mod subject;
pub mod table;
pub mod workload;
