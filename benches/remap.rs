//! How long it takes to tell what three changes move: exactly, and among the keys of a corpus.

mod common;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ring_bench::experiments::remap;
use ring_bench::subject::corpus_of;

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("remap");
    group.sample_size(10);
    for nodes in common::NODES {
        let spec = common::spec("sortedvec", nodes);
        let (membership, corpus) =
            (spec.membership(), corpus_of(&spec).expect("a corpus of the closed list"));
        group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
            bencher.iter(|| remap::run(&membership, &corpus).expect("a ring with nodes"));
        });
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
