//! One lookup: search alone and end to end, independent and as a dependent chain, bare and through a shared ring.

mod common;
#[path = "common/routine.rs"]
mod routine;

use criterion::{Criterion, criterion_group, criterion_main};
use ring_bench::routine::Routine;

fn benches(criterion: &mut Criterion) {
    for routine in
        [Routine::Search, Routine::SearchChain, Routine::Get, Routine::GetChain, Routine::GetShared]
    {
        routine::bench(criterion, routine);
    }
}

criterion_group!(all, benches);
criterion_main!(all);
