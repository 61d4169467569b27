//! Ring sizes and subjects of all benches.
//!
//! `cargo bench` is for people, who look at one backend from one day to the next. Numbers that are compared or cited
//! come from `ring-bench compare`, which measures two backends in turn.

use ring_bench::lockstep::protocol::SubjectSpec;

/// Ring sizes, in nodes of 100 tokens.
pub(crate) const NODES: [usize; 3] = [10, 100, 1000];

/// The subject that a bench times: 2^20 random keys, or a few where `cargo test` only runs each bench once.
pub(crate) fn spec(contender: &str, nodes: usize) -> SubjectSpec {
    let measuring = std::env::args().any(|argument| argument == "--bench");
    SubjectSpec {
        contender: contender.to_owned(),
        hash: "fnv1a64-fmix64".to_owned(),
        nodes,
        vnodes: 100,
        max_weight: 1,
        corpus: "uniform(16)".to_owned(),
        keys: Some(if measuring { 1 << 20 } else { 1 << 12 }),
        seed: 42,
    }
}
