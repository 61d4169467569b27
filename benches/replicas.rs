//! The first three nodes of a key.

mod common;
#[path = "common/routine.rs"]
mod routine;

use criterion::{Criterion, criterion_group, criterion_main};
use ring_bench::routine::Routine;

fn benches(criterion: &mut Criterion) {
    routine::bench(criterion, Routine::Replicas);
}

criterion_group!(all, benches);
criterion_main!(all);
