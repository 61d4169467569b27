//! What the fuzz targets do with their input: one module a target, each with a function `run` that
//! panics where the library is wrong.
//!
//! The targets under `fuzz_targets/` only hand the fuzzer's bytes on, so that `cargo test` here
//! replays the seeds without a fuzzer.

pub mod capacities;
pub mod histories;
pub mod snapshot;
pub mod token_order;

use arbitrary::{Arbitrary, Unstructured};

mod hash;
mod id;

/// As many as the input makes, up to `most`. A `Vec` of `arbitrary` ends after one on average.
fn until_empty<'a, T: Arbitrary<'a>>(
    u: &mut Unstructured<'a>,
    most: usize,
) -> arbitrary::Result<Vec<T>> {
    let mut made = Vec::new();
    while !u.is_empty() && made.len() < most {
        made.push(u.arbitrary()?);
    }
    Ok(made)
}
