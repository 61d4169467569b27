//! The tables of the self-test, from its runs: counts, and what 95 % bounds they support.

use crate::gate::decide::Status;
use crate::gate::record::{BenchmarkRow, Verdict};
use crate::gate::selftest::{Kind, PERCENTS, Run};
use crate::report::tables::Sheet;
use crate::stats::{median, real_len};

/// The chance that a bound is wrong.
const DOUBT: f64 = 0.05;

/// The probability of at most `k` of `n` at a rate of `p` each.
fn at_most(k: usize, n: usize, p: f64) -> f64 {
    if p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return if k >= n { 1.0 } else { 0.0 };
    }
    // Terms in logarithms, so that none underflows on the way.
    let mut ln_choose = 0.0_f64;
    let mut sum = 0.0;
    for i in 0..=k.min(n) {
        if i > 0 {
            ln_choose += (real_len(n - i + 1) / real_len(i)).ln();
        }
        sum += (ln_choose + real_len(i) * p.ln() + real_len(n - i) * (-p).ln_1p()).exp();
    }
    sum.min(1.0)
}

/// The rate that is not exceeded, with 95 % confidence, where `k` of `n` were seen: exact, one-sided (Clopper and
/// Pearson). For none of n it is just under 3/n.
#[must_use]
pub fn upper_bound(k: usize, n: usize) -> f64 {
    if k >= n {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_most(k, n, middle) > DOUBT { low = middle } else { high = middle }
    }
    high
}

/// The rate that is reached at least, with 95 % confidence, where `k` of `n` were seen.
#[must_use]
pub fn lower_bound(k: usize, n: usize) -> f64 {
    1.0 - upper_bound(n - k.min(n), n)
}

fn percent(rate: f64) -> String {
    format!("{:.2} %", rate * 100.0)
}

/// Counts of null comparisons.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Nulls {
    comparisons: usize,
    /// Flagged by stage one.
    flagged: usize,
    /// And confirmed by stage two: over the threshold that warns.
    confirmed: usize,
    /// And over the threshold that fails.
    failed: usize,
}

impl Nulls {
    /// A row is two null comparisons: the copy as head, and the copy as control.
    fn add(&mut self, row: &BenchmarkRow) {
        self.comparisons += 2;
        self.flagged += usize::from(row.stage == 2) + usize::from(row.null_stage == 2);
        let confirmed = matches!(row.status, Status::Regressed | Status::Warn);
        self.confirmed += usize::from(confirmed) + usize::from(row.null_tripped);
        self.failed += usize::from(row.status == Status::Regressed)
            + usize::from(row.null_tripped && row.null_ratio > row.fail_above);
    }
}

fn of(runs: &[Run], kind: Kind) -> Vec<&Run> {
    runs.iter().filter(|run| run.kind == kind).collect()
}

fn strings<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// False alarms: single comparisons, after each stage.
#[must_use]
pub fn nulls(runs: &[Run]) -> Sheet {
    let mut rows = Vec::new();
    for kind in [Kind::Idle, Kind::Busy] {
        for fits in [true, false] {
            let mut count = Nulls::default();
            for run in of(runs, kind) {
                run.record
                    .benchmarks
                    .iter()
                    .filter(|b| b.fits_l2 == fits)
                    .for_each(|b| count.add(b));
            }
            if count.comparisons == 0 {
                continue;
            }
            let bound = |k| percent(upper_bound(k, count.comparisons));
            rows.push(vec![
                format!("{}, {}", kind.name(), if fits { "fits L2" } else { "beyond L2" }),
                count.comparisons.to_string(),
                count.flagged.to_string(),
                bound(count.flagged),
                count.confirmed.to_string(),
                bound(count.confirmed),
                count.failed.to_string(),
                bound(count.failed),
            ]);
        }
    }
    Sheet {
        title: "false alarms among single comparisons of a binary with its copy".to_owned(),
        columns: strings([
            "",
            "comparisons",
            "flagged (stage 1)",
            "rate below",
            "confirmed (stage 2)",
            "rate below",
            "failed",
            "rate below",
        ]),
        rows,
    }
}

/// Whole null runs.
#[must_use]
pub fn null_runs(runs: &[Run]) -> Sheet {
    let mut rows = Vec::new();
    for kind in [Kind::Idle, Kind::Busy] {
        let own = of(runs, kind);
        if own.is_empty() {
            continue;
        }
        let ended = |verdict| own.iter().filter(|run| run.record.verdict == verdict).count();
        let spreads: Vec<f64> = own.iter().filter_map(|run| run.record.null_spread).collect();
        let seconds: Vec<f64> = own.iter().map(|run| run.record.seconds).collect();
        let others: Vec<f64> = own
            .iter()
            .filter_map(|run| Some(run.record.load?.busy * real_len(run.record.machine.cpus)))
            .collect();
        let regressed = ended(Verdict::Regressed);
        rows.push(vec![
            kind.name(),
            own.len().to_string(),
            ended(Verdict::Pass).to_string(),
            regressed.to_string(),
            percent(upper_bound(regressed, own.len())),
            ended(Verdict::Inconclusive).to_string(),
            median(&spreads).map_or(String::new(), percent),
            spreads.iter().copied().reduce(f64::max).map_or(String::new(), percent),
            median(&others).map_or(String::new(), |busy| format!("{busy:.2}")),
            median(&seconds).map_or(String::new(), |seconds| format!("{seconds:.0}")),
        ]);
    }
    Sheet {
        title: "whole runs of a binary against its copy".to_owned(),
        columns: strings([
            "",
            "runs",
            "pass",
            "regressed",
            "rate below",
            "inconclusive",
            "null spread, median",
            "largest",
            "processors busy",
            "seconds a run",
        ]),
        rows,
    }
}

fn is_lookup(row: &BenchmarkRow) -> bool {
    ["get", "replicas"].iter().any(|start| row.name.starts_with(start))
}

/// Injected slowdowns: how many were found.
#[must_use]
pub fn slowdowns(runs: &[Run]) -> Sheet {
    let mut rows = Vec::new();
    for kind in PERCENTS.into_iter().flat_map(|p| [Kind::Slow(p), Kind::SlowBusy(p)]) {
        let own = of(runs, kind);
        let told = |run: &&&Run| run.record.verdict != Verdict::Inconclusive;
        for (class, lookups, fits) in [
            ("lookups, fits L2", true, true),
            ("updates, fits L2", false, true),
            ("lookups, beyond L2", true, false),
        ] {
            let found: Vec<&BenchmarkRow> = own
                .iter()
                .filter(told)
                .flat_map(|run| &run.record.benchmarks)
                .filter(|row| is_lookup(row) == lookups && row.fits_l2 == fits)
                .collect();
            if found.is_empty() {
                continue;
            }
            let failed = found.iter().filter(|row| row.status == Status::Regressed).count();
            let warned = found.iter().filter(|row| row.status == Status::Warn).count();
            let ratios: Vec<f64> = found.iter().map(|row| row.ratio).collect();
            rows.push(vec![
                format!("{}, {class}", kind.name()),
                found.len().to_string(),
                failed.to_string(),
                percent(lower_bound(failed, found.len())),
                (failed + warned).to_string(),
                median(&ratios).map_or(String::new(), |ratio| format!("{ratio:.3}x")),
                own.iter()
                    .filter(|run| run.record.verdict == Verdict::Inconclusive)
                    .count()
                    .to_string(),
            ]);
        }
    }
    Sheet {
        title:
            "injected slowdowns (runs that ended inconclusive are counted in the last column only)"
                .to_owned(),
        columns: strings([
            "",
            "comparisons",
            "failed",
            "rate above",
            "failed or warned",
            "ratio seen",
            "runs inconclusive",
        ]),
        rows,
    }
}

/// All tables.
#[must_use]
pub fn all(runs: &[Run]) -> Vec<Sheet> {
    [nulls(runs), null_runs(runs), slowdowns(runs)]
        .into_iter()
        .filter(|s| !s.rows.is_empty())
        .collect()
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
