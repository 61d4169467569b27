//! The gate through the command.
//!
//! Most tests give it workers that only pretend: scripts that speak the protocol and tell times that were made up. So
//! every verdict is reached through real processes and pipes, and no test depends on how busy the machine is.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod bad_inputs;
mod fake;
mod real;
mod revisions;
mod verdicts;
