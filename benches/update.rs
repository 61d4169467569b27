//! A change and its inverse on one live ring, each half timed by itself.

mod common;
#[path = "common/routine.rs"]
mod routine;

use criterion::{Criterion, criterion_group, criterion_main};
use ring_bench::routine::{Regime, Routine};
use ring_bench::workload::ChangeKind;

fn benches(criterion: &mut Criterion) {
    for regime in [Regime::Exclusive, Regime::Published] {
        for kind in ChangeKind::ALL {
            routine::bench(criterion, Routine::Change(kind, regime));
        }
    }
}

criterion_group!(all, benches);
criterion_main!(all);
