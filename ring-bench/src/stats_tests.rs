//! Synthetic data with a known truth: no clock is read here.

use super::*;

/// A heavy-tailed positive time around `centre`: what a shared machine's samples look like.
fn noisy(stream: &mut Stream, centre: f64) -> f64 {
    let unit = |word: u64| real(word >> 11) / 9_007_199_254_740_992.0;
    // The sum of twelve uniforms is near normal; one sample in twenty is delayed.
    let sum: f64 = (0..12).map(|_| unit(stream.word())).sum();
    let delayed = if stream.below(20) == 0 { 1.5 } else { 1.0 };
    centre * (1.0 + 0.02 * (sum - 6.0)) * delayed
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[test]
fn binomial_tails_are_exact() {
    for (n, wins, expected) in [
        (8, 7, 9.0 / 256.0),
        (16, 13, 697.0 / 65_536.0),
        (6, 6, 1.0 / 64.0),
        (6, 0, 1.0),
        (0, 0, 1.0),
        (5, 6, 0.0),
    ] {
        assert!(close(binomial_upper_tail(n, wins), expected), "{wins} of {n}");
    }
    // Symmetry: half the mass and half the middle term.
    let n = 2_000;
    let upper = binomial_upper_tail(n, n / 2);
    let above = binomial_upper_tail(n, n / 2 + 1);
    assert!((upper + above - 1.0).abs() < 1e-9, "{upper} + {above}");
}

#[test]
fn two_stages_of_signs_give_the_stated_rate() {
    assert!((sign_test(7, 8) * sign_test(13, 16) - 3.7e-4).abs() < 1e-5);
}

#[test]
fn order_interval_covers_the_true_median_as_often_as_it_says() {
    let mut stream = Stream::new(1, "coverage/order");
    for n in [6, 8, 16, 31] {
        let trials = 4_000;
        let mut hits = 0_u32;
        let mut stated = 0.0;
        for _ in 0..trials {
            // A skewed distribution: squares of uniforms. Its median is 0.25.
            let values: Vec<f64> =
                (0..n).map(|_| (real(stream.word()) / real(u64::MAX)).powi(2)).collect();
            let interval = order_interval(&values).unwrap();
            stated = interval.coverage;
            hits += u32::from(interval.holds(0.25));
        }
        let rate = f64::from(hits) / f64::from(trials);
        let deviation = (stated * (1.0 - stated) / f64::from(trials)).sqrt();
        assert!(stated >= CONFIDENCE);
        assert!((rate - stated).abs() < 4.0 * deviation, "n = {n}: {rate} against {stated}");
    }
}

#[test]
fn too_few_values_give_their_range_and_say_what_it_is_worth() {
    let five = order_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    assert_eq!((five.low, five.high), (1.0, 5.0));
    assert!(close(five.coverage, 0.9375));
    let one = order_interval(&[7.0]).unwrap();
    assert_eq!((one.median, one.low, one.high, one.coverage), (7.0, 7.0, 7.0, 0.0));
    assert!(order_interval(&[]).is_none());
}

#[test]
fn bootstrap_covers_about_as_often_as_it_aims_to() {
    let mut stream = Stream::new(2, "coverage/bootstrap");
    let trials = 300;
    let mut hits = 0_u32;
    for trial in 0..trials {
        let values: Vec<f64> =
            (0..25).map(|_| (real(stream.word()) / real(u64::MAX)).powi(2)).collect();
        hits += u32::from(bootstrap_interval(&values, trial).unwrap().holds(0.25));
    }
    // The percentile bootstrap of a median of 25 is known to miss a little more often than it aims to.
    let trials = u32::try_from(trials).unwrap();
    assert!(hits * 100 >= trials * 89, "{hits} of {trials}");
}

#[test]
fn bootstrap_is_a_function_of_values_and_seed() {
    let values = [1.0, 5.0, 2.0, 4.0, 3.0, 9.0];
    assert_eq!(bootstrap_interval(&values, 1), bootstrap_interval(&values, 1));
    assert!(bootstrap_interval(&[], 1).is_none());
}

#[test]
fn hierarchical_interval_sees_the_difference_between_sittings() {
    let mut stream = Stream::new(3, "hierarchical/data");
    let mut sittings = |shift: f64| -> Vec<Vec<Vec<f64>>> {
        (0..3_u32)
            .map(|s| {
                let centre = 100.0 + shift * (f64::from(s) - 1.0);
                (0..3).map(|_| (0..20).map(|_| noisy(&mut stream, centre)).collect()).collect()
            })
            .collect()
    };
    let (calm, drifting) = (sittings(0.0), sittings(10.0));
    let calm_interval = hierarchical_interval(&calm, 1).unwrap();
    let drifting_interval = hierarchical_interval(&drifting, 1).unwrap();
    assert!(calm_interval.holds(100.0) || (calm_interval.median - 100.0).abs() < 1.5);
    assert!(drifting_interval.half_width() > 3.0 * calm_interval.half_width());
    // All samples in one heap would hide it.
    let heap: Vec<f64> = drifting.iter().flatten().flatten().copied().collect();
    assert!(bootstrap_interval(&heap, 1).unwrap().half_width() < drifting_interval.half_width());
}

#[test]
fn hierarchical_interval_covers_when_every_level_varies() {
    let mut stream = Stream::new(4, "hierarchical/coverage");
    let trials = 120;
    let mut hits = 0_u32;
    for trial in 0..trials {
        let mut data: Vec<Vec<Vec<f64>>> = Vec::new();
        for _ in 0..8 {
            let sitting =
                noisy(&mut stream, 0.0) + 2.0 * (real(stream.word()) / real(u64::MAX) - 0.5);
            data.push(
                (0..2)
                    .map(|_| {
                        let pair = 100.0 + sitting + real(stream.word()) / real(u64::MAX) - 0.5;
                        (0..5)
                            .map(|_| pair + 0.2 * (real(stream.word()) / real(u64::MAX) - 0.5))
                            .collect()
                    })
                    .collect(),
            );
        }
        hits += u32::from(hierarchical_interval(&data, trial).unwrap().holds(100.0));
    }
    let trials = u32::try_from(trials).unwrap();
    assert!(hits * 100 >= trials * 85, "{hits} of {trials}");
}

#[test]
fn empty_levels_have_no_interval() {
    assert!(hierarchical_interval(&[], 1).is_none());
    assert!(hierarchical_interval(&[vec![], vec![vec![]]], 1).is_none());
    // An empty pair beside a filled one is left out, not taken for a zero.
    let data = [vec![vec![], vec![5.0, 5.0]]];
    assert!(close(hierarchical_interval(&data, 1).unwrap().median, 5.0));
}

/// Process pairs of a subject `b` that is `factor` times as slow as `a`, with drift that both share.
fn synthetic_pairs(seed: u64, factor: f64, pairs: usize) -> Vec<Vec<TimePair>> {
    let mut stream = Stream::new(seed, "pairs");
    (0..pairs)
        .map(|_| {
            let weather = 1.0 + 0.3 * real(stream.below(100)) / 100.0;
            (0..40)
                .map(|_| TimePair {
                    a: noisy(&mut stream, 500.0 * weather),
                    b: noisy(&mut stream, 500.0 * weather * factor),
                })
                .collect()
        })
        .collect()
}

fn ratio(pairs: &[Vec<TimePair>]) -> Ratio {
    let logs: Vec<f64> = pairs.iter().filter_map(|samples| log_ratio(samples)).collect();
    ratio_of_pairs(&logs).unwrap()
}

#[test]
fn a_subject_ten_percent_slower_is_found_and_a_copy_is_not() {
    let mut found = 0;
    let mut false_alarms = 0;
    for seed in 0..100 {
        let slower = ratio(&synthetic_pairs(seed, 1.10, 8));
        found += u32::from(slower.slower >= 7 && slower.interval.median > 1.05);
        let copy = ratio(&synthetic_pairs(1_000 + seed, 1.0, 8));
        false_alarms += u32::from(copy.slower >= 7 && copy.interval.median > 1.05);
    }
    assert_eq!((found, false_alarms), (100, 0));
}

#[test]
fn the_ratio_is_the_injected_one() {
    let measured = ratio(&synthetic_pairs(9, 1.10, 16));
    assert!(measured.interval.holds(1.10), "{measured:?}");
    assert!((measured.interval.median - 1.10).abs() < 0.01);
    assert!(measured.is_distinguishable());
}

#[test]
fn swapping_the_subjects_inverts_the_ratio() {
    let pairs = synthetic_pairs(11, 1.3, 8);
    let swapped: Vec<Vec<TimePair>> =
        pairs.iter().map(|p| p.iter().map(|t| TimePair { a: t.b, b: t.a }).collect()).collect();
    let (forth, back) = (ratio(&pairs), ratio(&swapped));
    assert!(close(forth.interval.median, 1.0 / back.interval.median));
    assert!(close(forth.interval.low, 1.0 / back.interval.high));
    assert!(close(forth.interval.high, 1.0 / back.interval.low));
    assert_eq!(forth.slower + back.slower, forth.pairs);
}

#[test]
fn the_scale_of_the_times_does_nothing() {
    let pairs = synthetic_pairs(12, 0.8, 8);
    let scaled: Vec<Vec<TimePair>> = pairs
        .iter()
        .map(|p| p.iter().map(|t| TimePair { a: t.a * 1024.0, b: t.b * 1024.0 }).collect())
        .collect();
    assert_eq!(ratio(&pairs), ratio(&scaled));
}

#[test]
fn times_of_zero_are_left_out() {
    assert!(log_ratio(&[TimePair { a: 0.0, b: 1.0 }]).is_none());
    let kept = log_ratio(&[TimePair { a: 0.0, b: 1.0 }, TimePair { a: 1.0, b: 2.0 }]).unwrap();
    assert!(close(kept, 2.0_f64.ln()));
}

#[test]
fn widening_stretches_both_ends_as_ratios() {
    let narrow = Interval { median: 2.0, low: 1.0, high: 4.0, coverage: 0.95 };
    let wide = narrow.widened(2.0);
    assert!(close(wide.low, 0.5) && close(wide.high, 8.0) && close(wide.median, 2.0));
    assert_eq!(narrow.widened(1.0), narrow);
}
