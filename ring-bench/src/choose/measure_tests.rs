//! Percentiles, bytes and rounds, on made-up figures.

use super::*;

#[test]
fn percentiles_need_ten_times_beyond_them() {
    let of = |during: Vec<u64>| Pause::of(&Pauses { during, between: vec![5; 1_000] });
    let pause = of((1..=1_000).collect());
    assert_eq!((pause.p50, pause.p99, pause.p999), (Some(500), Some(990), None));
    assert_eq!((pause.max, pause.count, pause.idle_p99), (Some(1_000), 1_000, Some(5)));
    let few = of(vec![7, 9]);
    assert_eq!((few.p50, few.p99, few.max), (None, None, Some(9)));
    assert_eq!(few.against_limit(), Some(9));
    assert_eq!(of(Vec::new()).against_limit(), None);
}

#[test]
fn more_rounds_are_taken_where_they_fall_on_both_sides_of_the_limit() {
    let of = |measured: [f64; 3]| vec![[[vec![100.0; 3], measured.to_vec()], [vec![], vec![]]]];
    assert!(!is_mixed(&of([101.0, 99.0, 114.0])));
    assert!(!is_mixed(&of([120.0, 80.0, 130.0])));
    assert!(is_mixed(&of([101.0, 99.0, 120.0])));
    assert!(is_mixed(&of([101.0, 80.0, 120.0])));
}

#[test]
fn a_published_ring_is_there_twice() {
    let memory = MemoryCount {
        tokens: 10,
        bulk_bytes: 200,
        one_by_one_bytes: 300,
        bulk_total_bytes: 900,
        lookup_allocations: 0,
        lookups: 1,
    };
    assert_eq!(peak_bytes(&memory, Regime::Exclusive), 300);
    assert_eq!(peak_bytes(&memory, Regime::Published), 600);
}
