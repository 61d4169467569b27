//! A whole ring from its membership, as one batch.

mod common;
#[path = "common/routine.rs"]
mod routine;

use criterion::{Criterion, criterion_group, criterion_main};
use ring_bench::routine::Routine;

fn benches(criterion: &mut Criterion) {
    routine::bench(criterion, Routine::Build);
}

criterion_group!(all, benches);
criterion_main!(all);
