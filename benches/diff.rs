//! What moves between a ring and the same ring with one node more.

mod common;
#[path = "common/routine.rs"]
mod routine;

use criterion::{Criterion, criterion_group, criterion_main};
use ring_bench::routine::Routine;

fn benches(criterion: &mut Criterion) {
    routine::bench(criterion, Routine::Diff);
}

criterion_group!(all, benches);
criterion_main!(all);
