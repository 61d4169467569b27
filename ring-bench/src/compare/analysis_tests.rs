//! Figures from samples that were made up, so that the right answer is known. No clock is read.

use super::*;
use crate::compare::{Effort, ROUTINES};
use crate::corpus::Keys;
use crate::lockstep::pair::{PairRun, Prepared, SamplePair};
use crate::lockstep::protocol::{MemoryCount, PhaseTimes, Sample};
use crate::lockstep::schedule::Visit;
use crate::machine::Machine;
use crate::measure::ClockCost;
use crate::record::Status;

const CLOCK: ClockCost = ClockCost { read_ns: 20.0, step_ns: 1 };

fn options() -> Options {
    Options {
        nodes: vec![10],
        vnodes: 100,
        hash: "xxh3-64".to_owned(),
        corpus: Keys::Uniform(16),
        keys: None,
        seed: 1,
        effort: Effort::full(),
    }
}

fn environment(unpinned: Option<&str>) -> Environment {
    Environment {
        version: String::new(),
        build: String::new(),
        machine: Machine::read(),
        clock: Some(CLOCK),
        cpu: None,
        unpinned: unpinned.map(str::to_owned),
        load: None,
        seconds: 1.0,
    }
}

/// A sample whose every operation took `ns`, the clock left out.
fn sample(routine: Routine, ns: u64) -> Sample {
    let count = 100;
    let phase = |at: u64| {
        // The second phase takes twice as long.
        let ns = ns * (at + 1);
        if routine.is_lookup() {
            PhaseTimes { elapsed_ns: count * ns + 20, readings: 1, each_ns: Vec::new() }
        } else {
            PhaseTimes {
                elapsed_ns: count * (ns + 20),
                readings: count,
                each_ns: vec![ns + 20; usize::try_from(count).unwrap()],
            }
        }
    };
    let phases = (0..routine.phases().len() as u64).map(phase).collect();
    Sample { count, phases, checksum: 7 }
}

/// A process pair whose operations take `times` nanoseconds.
fn measured(control: Control, pair: usize, times: [u64; 2]) -> Measured {
    let runs = ROUTINES
        .into_iter()
        .map(|routine| RoutineRun {
            routine,
            samples: (0..5)
                .map(|i| SamplePair {
                    second_first: i % 2 == 0,
                    samples: times.map(|ns| sample(routine, ns)),
                })
                .collect(),
        })
        .collect();
    let prepared =
        Prepared { tokens: [1000, 1000], keys: 500, cpu: None, unpinned: None, clock: CLOCK };
    Measured {
        visit: Visit { sitting: pair % 3, configuration: 0, pair },
        nodes: 10,
        control,
        backends: BACKENDS,
        run: PairRun { prepared, runs },
    }
}

/// Six pairs: the first backend takes 100 to 105 ns, the second `factor` hundredths of that.
fn pairs(factor: u64, null: u64) -> Vec<Measured> {
    let main = (0..6).map(|i| {
        let base = 100 + i as u64;
        measured(Control::Main, i, [base, base * factor / 100])
    });
    main.chain((0..6).map(|i| measured(Control::Null, i, [100, null]))).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * b.abs().max(1.0)
}

#[test]
fn rows_are_medians_over_pairs_with_their_range() {
    let figures = figures(&options(), &pairs(200, 100), &[], &environment(None)).unwrap();
    let phases: usize = ROUTINES.iter().map(|routine| routine.phases().len()).sum();
    assert_eq!((figures.rows.len(), figures.ratios.len()), (2 * phases, phases));
    let row = &figures.rows[0];
    assert_eq!(
        (row.operation.as_str(), row.backend.as_str(), row.pairs, row.sittings),
        ("search", "sortedvec", 6, 3)
    );
    assert!(close(row.median, 102.5) && close(row.low, 100.0) && close(row.high, 105.0), "{row:?}");
    // Sittings hold pairs 0 and 3, 1 and 4, 2 and 5.
    assert_eq!(row.sitting_range.map(|range| range.map(f64::round)), Some([102.0, 104.0]));
    assert_eq!(row.p99, None);
    let removal =
        figures.rows.iter().find(|r| r.operation == "remove" && r.backend == "btree").unwrap();
    assert!(close(removal.median, 410.0), "{removal:?}");
    // 3,000 single times: thirty lie beyond.
    assert!((removal.p99.unwrap() - 420.0).abs() < 2.0, "{removal:?}");
}

#[test]
fn a_backend_ten_percent_slower_is_told_apart_and_a_copy_is_not() {
    let slower = figures(&options(), &pairs(110, 100), &[], &environment(None)).unwrap();
    for ratio in &slower.ratios {
        assert!((ratio.ratio - 1.10).abs() < 0.01, "{ratio:?}");
        assert_eq!((ratio.status, ratio.slower, ratio.pairs), (Status::Different, 6, 6));
        assert_eq!(ratio.faster(), Some("sortedvec"));
        assert!(close(ratio.null.unwrap(), 1.0));
    }
    let copy = figures(&options(), &pairs(100, 100), &[], &environment(None)).unwrap();
    assert!(
        copy.ratios.iter().all(|ratio| ratio.status == Status::Same && ratio.faster().is_none())
    );
}

#[test]
fn a_null_control_that_is_off_leaves_it_undecided() {
    let figures = figures(&options(), &pairs(200, 107), &[], &environment(None)).unwrap();
    assert!(figures.ratios.iter().all(|ratio| ratio.status == Status::Undecided));
    let without: Vec<Measured> =
        pairs(200, 100).into_iter().filter(|measured| measured.control == Control::Main).collect();
    let figures = self::figures(&options(), &without, &[], &environment(None)).unwrap();
    assert!(
        figures
            .ratios
            .iter()
            .all(|ratio| ratio.status == Status::Undecided && ratio.null.is_none())
    );
}

#[test]
fn intervals_are_wider_where_nothing_was_pinned() {
    let options = options();
    let pinned = figures(&options, &pairs(110, 100), &[], &environment(None)).unwrap();
    let free = figures(&options, &pairs(110, 100), &[], &environment(Some("no"))).unwrap();
    for (pinned, free) in pinned.rows.iter().zip(&free.rows) {
        assert!(close(pinned.median, free.median));
        assert!(free.low < pinned.low && free.high > pinned.high, "{free:?}");
    }
    for (pinned, free) in pinned.ratios.iter().zip(&free.ratios) {
        assert!(free.high - free.low >= pinned.high - pinned.low);
    }
}

#[test]
fn nothing_measured_is_an_error_and_not_a_zero() {
    let error = figures(&options(), &[], &[], &environment(None)).err().unwrap();
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("no samples of lookup search"), "{error}");
}

#[test]
fn memory_is_counted_per_token() {
    let memory = MemoryCount {
        tokens: 1000,
        bulk_bytes: 19_000,
        one_by_one_bytes: 25_000,
        bulk_total_bytes: 0,
        lookup_allocations: 5,
        lookups: 10,
    };
    let counted = Counted { nodes: 10, backend: "btree".to_owned(), memory };
    let figures = figures(&options(), &pairs(200, 100), &[counted], &environment(None)).unwrap();
    let memory: Vec<(&str, f64)> = figures
        .rows
        .iter()
        .filter(|row| row.experiment == "memory")
        .map(|row| (row.regime.as_str(), row.median))
        .collect();
    assert_eq!(memory, [("bulk", 19.0), ("one-by-one", 25.0), ("get", 0.5)]);
}

#[test]
fn every_sample_is_observed() {
    let measured = pairs(200, 100);
    let observations = observations(&options(), &measured);
    let phases: usize = ROUTINES.iter().map(|routine| routine.phases().len()).sum();
    assert_eq!(observations.len(), 12 * phases * 5 * 2);
    let firsts = observations.iter().filter(|o| o.first).count();
    assert_eq!(firsts * 2, observations.len());
}
