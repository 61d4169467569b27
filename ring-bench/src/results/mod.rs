//! A run as a directory: everything needed to believe its figures, or to find out why not.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | what was run, by which program, and the SHA-256 of every other file; written last |
//! | `env.json` | the machine, the clock, the load during the run |
//! | `corpora.json` | the keys: names, parameters, seeds, digests |
//! | `samples.csv` | every sample, raw |
//! | `exact.csv` | what owes nothing to a clock, a figure a row |
//! | `pauses.csv` | what readers met during changes, as counts of lookups by time |
//! | `regimes.csv` | lookups that find the ring cold, warm and rebuilt, a pass a row |
//! | `results.json`, `results.csv`, `results.md` | the figures |
//! | `report.html` | the figures as people read them, in one file |
//!
//! A directory without a manifest is a run that was interrupted. [`verify`] computes everything again that can be.

pub mod cmp;
mod differences;
pub mod exact;
pub mod figures;
pub mod manifest;
pub mod pauses;
pub mod read;
pub mod regimes;
pub mod run_dir;
pub mod splice;
pub mod verify;
