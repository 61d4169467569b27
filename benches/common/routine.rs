//! A routine of `ring-bench`, timed by criterion for both backends at all ring sizes.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use ring_bench::measure::timed;
use ring_bench::routine::Routine;
use ring_bench::subject::{BACKENDS, Step, Subject, build};

use crate::common::{NODES, spec};

/// Times every phase of `routine`, one benchmark each.
pub(crate) fn bench(criterion: &mut Criterion, routine: Routine) {
    for (number, phase) in routine.phases().iter().enumerate() {
        let name = format!("{}/{}/{}", phase.experiment, phase.operation, phase.regime);
        let mut group = criterion.benchmark_group(name);
        for nodes in NODES {
            for backend in BACKENDS {
                let mut subject =
                    build(&spec(backend, nodes)).expect("a subject of the closed list");
                subject.begin(routine).expect("a routine of every backend");
                group.bench_function(BenchmarkId::new(backend, nodes), |bencher| {
                    bencher.iter_custom(|count| time(&mut *subject, routine, number, count));
                });
            }
        }
        group.finish();
    }
}

/// How long `count` operations of one phase take. A change and its inverse are made in turn, and only the half that is
/// asked for is counted.
fn time(subject: &mut dyn Subject, routine: Routine, phase: usize, count: u64) -> Duration {
    let mut step = |phase, start, count| {
        let step = Step { routine, phase, start, count };
        let (ns, result) = timed(|| subject.step(step));
        result.expect("a step that was begun");
        subject.settle(step);
        Duration::from_nanos(ns)
    };
    let count = usize::try_from(count).expect("a count that fits memory");
    if routine.is_lookup() {
        return step(phase, 0, count);
    }
    (0..count)
        .map(|turn| {
            let halves = (0..routine.phases().len()).map(|half| step(half, turn, 1));
            halves
                .enumerate()
                .filter(|(half, _)| *half == phase)
                .map(|(_, time)| time)
                .sum::<Duration>()
        })
        .sum()
}
