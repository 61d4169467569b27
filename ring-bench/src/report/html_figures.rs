//! The figures of a run: cost against size, cost against use, pauses, and what the law says.

use crate::record::Row;
use crate::report::exact::{cases, value};
use crate::report::number::{count, percent, time};
use crate::report::svg::{Axis, Plot};
use crate::results::run_dir::Run;
use crate::stats::real;
use crate::subject::BACKENDS;

/// A figure with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Its anchor in the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// The drawing.
    pub svg: String,
}

/// The class of a backend's drawing.
const CLASSES: [&str; 2] = ["a", "b"];

/// All of them.
#[must_use]
pub fn all(run: &Run) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (operation, regime, words) in [
        ("get", "throughput", "One lookup, independent of the others"),
        ("get", "chain", "One lookup that waits for the one before"),
        ("add", "exclusive", "One node joins, in place"),
        ("add", "published", "One node joins, published to readers"),
    ] {
        figures.extend(cost_by_size(run, operation, regime, words));
    }
    let mut workloads: Vec<(&str, usize)> =
        run.record.rows.iter().map(|row| (row.workload.as_str(), row.nodes)).collect();
    workloads.dedup();
    for (workload, nodes) in workloads {
        for regime in ["exclusive", "published"] {
            figures.extend(cost_by_use(run, workload, nodes, regime));
        }
    }
    for regime in ["exclusive", "published"] {
        figures.extend(pauses(run, regime));
    }
    figures.extend(moved(run));
    figures.extend(balance(run));
    figures
}

fn rows<'a>(run: &'a Run, operation: &str, regime: &str, backend: &str) -> Vec<&'a Row> {
    run.record
        .rows
        .iter()
        .filter(|r| r.operation == operation && r.regime == regime && r.backend == backend)
        .collect()
}

/// Cost against the number of tokens, both logarithmic, with the cache sizes marked.
fn cost_by_size(run: &Run, operation: &str, regime: &str, words: &str) -> Option<Figure> {
    let by_backend = BACKENDS.map(|backend| rows(run, operation, regime, backend));
    let all: Vec<&Row> = by_backend.iter().flatten().copied().collect();
    if all.is_empty() {
        return None;
    }
    let x = Axis::log(all.iter().map(|row| real(row.tokens)));
    let y = Axis::log(all.iter().flat_map(|row| [row.low, row.high]));
    let mut plot = Plot::new(words, x, y, ["tokens (M)", "time"], [&short_count, &short_time]);
    let machine = &run.record.environment.machine;
    for (at, level) in [1, 2, 3].into_iter().enumerate() {
        for (backend, row) in BACKENDS.into_iter().zip([0, 1]) {
            let heap = rows(run, "heap", "one-by-one", backend);
            let per_token = heap.last().map_or(0.0, |row| row.median);
            let Some(bytes) = machine.cache_bytes(level) else { continue };
            if per_token > 0.0 && row == 0 {
                plot.mark(real(bytes) / per_token, &format!("L{level}"), u32::from(at == 1));
            }
        }
    }
    for (at, rows) in by_backend.iter().enumerate() {
        let line: Vec<[f64; 2]> = rows.iter().map(|row| [real(row.tokens), row.median]).collect();
        plot.line(CLASSES[at], &line);
        for row in rows {
            plot.point(
                CLASSES[at],
                at == 1,
                [real(row.tokens), row.median, row.low, row.high],
                &format!(
                    "{}, {} tokens: {} [{}, {}]",
                    row.backend,
                    count(real(row.tokens)),
                    time(row.median),
                    time(row.low),
                    time(row.high)
                ),
            );
        }
    }
    Some(Figure {
        id: format!("size-{operation}-{regime}"),
        title: format!("{words}, against the number of tokens."),
        caption: "Dashed uprights: where a sorted vector of that many tokens fills the cache."
            .to_owned(),
        svg: plot.finish(),
    })
}

/// Counts with as few digits as an axis has room for.
fn short_count(value: f64) -> String {
    match value {
        _ if value >= 999_500.0 => format!("{:.0}M", value / 1e6),
        _ if value >= 9_995.0 => format!("{:.0}k", value / 1e3),
        _ => count(value),
    }
}

/// Times with as few letters as an axis has room for.
fn short_time(ns: f64) -> String {
    let write = |value: f64, unit: &str| {
        if value < 9.95 && (value - value.round()).abs() > 0.05 {
            format!("{value:.1} {unit}")
        } else {
            format!("{value:.0} {unit}")
        }
    };
    match ns {
        _ if ns < 999.0 => write(ns, "ns"),
        _ if ns < 999e3 => write(ns / 1e3, "µs"),
        _ if ns < 999e6 => write(ns / 1e6, "ms"),
        _ => write(ns / 1e9, "s"),
    }
}

/// What one backend costs in a workload: lookup and changed node, each as median, low, high.
fn costs(run: &Run, workload: &str, regime: &str, backend: &str) -> Option<[[f64; 3]; 2]> {
    let find = |operation: &str, regime: &str| {
        let own = rows(run, operation, regime, backend).into_iter();
        own.filter(|row| row.workload == workload).map(|row| [row.median, row.low, row.high]).next()
    };
    let (add, remove) = (find("add", regime)?, find("remove", regime)?);
    let change = [0, 1, 2].map(|at| f64::midpoint(add[at], remove[at]));
    Some([find("get", "throughput")?, change])
}

/// Total cost against lookups for each changed node, with the crossing.
fn cost_by_use(run: &Run, workload: &str, nodes: usize, regime: &str) -> Option<Figure> {
    let [first, second] = BACKENDS.map(|backend| costs(run, workload, regime, backend));
    let both = [first?, second?];
    let uses: Vec<f64> = (0..=24).map(|at| 10.0_f64.powf(f64::from(at) / 4.0)).collect();
    let cost = |costs: &[[f64; 3]; 2], uses: f64, at: usize| uses * costs[0][at] + costs[1][at];
    let y =
        Axis::log(both.iter().flat_map(|costs| uses.iter().map(move |&uses| cost(costs, uses, 0))));
    let words =
        format!("{workload}, changes {regime}: total cost of a changed node with its lookups");
    let x = Axis { low: 1.0, high: 1e6, log: true };
    let labels = ["lookups for each changed node (L)", "total cost"];
    let mut plot = Plot::new(&words, x, y, labels, [&short_count, &short_time]);
    for (at, costs) in both.iter().enumerate() {
        let band: Vec<[f64; 3]> =
            uses.iter().map(|&uses| [uses, cost(costs, uses, 1), cost(costs, uses, 2)]).collect();
        plot.band(CLASSES[at], &band);
        let line: Vec<[f64; 2]> = uses.iter().map(|&uses| [uses, cost(costs, uses, 0)]).collect();
        plot.line(CLASSES[at], &line);
    }
    let crossing = (both[0][1][0] - both[1][1][0]) / (both[1][0][0] - both[0][0][0]);
    let caption = if crossing.is_finite() && crossing > 0.0 {
        plot.mark(crossing, &format!("L* = {}", count(crossing)), 0);
        format!("The lines cross at about {} lookups for each changed node.", count(crossing))
    } else {
        let cheaper = usize::from(both[1][0][0] < both[0][0][0]);
        format!("No crossing: {} is cheaper in lookups and in changes.", BACKENDS[cheaper])
    };
    Some(Figure {
        id: format!("use-{nodes}-{regime}"),
        title: format!("{workload}, changes {regime}: total cost against use."),
        caption,
        svg: plot.finish(),
    })
}

/// Percentiles of the time from when a lookup was due to its answer, during changes.
fn pauses(run: &Run, regime: &str) -> Option<Figure> {
    let nodes = run.beside.pauses.iter().map(|series| series.nodes).max()?;
    let own = |backend: &str, phase: &str| {
        run.beside.pauses.iter().find(|s| {
            s.nodes == nodes && s.regime == regime && s.backend == backend && s.phase == phase
        })
    };
    // The x axis runs in decades of what lies beyond: 90 %, 99 %, 99.9 %.
    let parts: Vec<f64> = (0..=16).map(|at| 1.0 - 10.0_f64.powf(-f64::from(at) / 4.0)).collect();
    let points = |series: &crate::results::pauses::Series| -> Vec<[f64; 2]> {
        let beyond = parts.iter().map(|part| (1.0 / (1.0 - part), series.quantile(*part)));
        beyond.filter_map(|(x, ns)| Some([x, real(ns?)])).collect()
    };
    let mut drawn = Vec::new();
    for (at, backend) in BACKENDS.into_iter().enumerate() {
        drawn.push((CLASSES[at], own(backend, "during").map(points).unwrap_or_default()));
    }
    let idle = own(BACKENDS[0], "between").map(points).unwrap_or_default();
    if drawn.iter().all(|(_, points)| points.is_empty()) {
        return None;
    }
    let all = drawn.iter().map(|(_, points)| points).chain([&idle]);
    let y = Axis::log(all.flatten().map(|[_, y]| *y));
    let words = format!(
        "{nodes} nodes, changes {regime}: how long lookups wait that are due during a change"
    );
    let x = Axis { low: 1.0, high: 10_000.0, log: true };
    let percentile = |x: f64| match x {
        _ if x < 1.5 => "0 %".to_owned(),
        _ if x < 15.0 => "90 %".to_owned(),
        _ if x < 150.0 => "99 %".to_owned(),
        _ if x < 1_500.0 => "99.9 %".to_owned(),
        _ => "99.99 %".to_owned(),
    };
    let labels = ["part of the lookups that wait no longer", "due to answered"];
    let mut plot = Plot::new(&words, x, y, labels, [&percentile, &short_time]);
    plot.line("law", &idle);
    for (class, points) in drawn {
        plot.line(class, &points);
    }
    Some(Figure {
        id: format!("pauses-{regime}"),
        title: format!("{words}."),
        caption: "Open loop, from when a lookup was due. Grey: lookups due between changes, which is what the machine itself does. A percentile is drawn only with ten lookups beyond it.".to_owned(),
        svg: plot.finish(),
    })
}

/// Moved fractions beside the law: a row of bands and points.
fn moved(run: &Run) -> Option<Figure> {
    let figure = |case: &str, measure: &str| value(&run.exact, "move", case, measure);
    let own: Vec<&str> = cases(&run.exact, "move")
        .into_iter()
        .filter(|case| figure(case, "law_low").is_some() && case.contains("fmix64:"))
        .collect();
    let values = own.iter().flat_map(|case| {
        ["moved_least", "moved_most", "law_low", "law_high"].map(|m| figure(case, m).unwrap_or(0.1))
    });
    let words = "The part of the hash space that a change moves";
    let x = Axis::log(values);
    rows_plot(words, &own, x, &x.ticks(), &|case| {
        Some((
            [figure(case, "law_mean")?, figure(case, "law_low")?, figure(case, "law_high")?],
            [figure(case, "moved_mean")?, figure(case, "moved_least")?, figure(case, "moved_most")?],
        ))
    })
    .map(|svg| Figure {
        id: "moved".to_owned(),
        title: format!("{words}, beside the law."),
        caption: "Grey: mean and 99.9 % band of the Beta law for one ring. Blue: mean, least and most of twenty rings.".to_owned(),
        svg,
    })
}

/// How full the fullest node is, beside the law's bound.
fn balance(run: &Run) -> Option<Figure> {
    let figure = |case: &str, measure: &str| value(&run.exact, "balance", case, measure);
    let own: Vec<&str> = cases(&run.exact, "balance");
    let values = own.iter().flat_map(|case| {
        ["max_over_mean", "max_over_mean_worst", "law_max_over_mean_bound"]
            .map(|m| figure(case, m).unwrap_or(1.0))
    });
    let words = "The fullest node's share over the mean";
    // Half decades would leave most of the width empty.
    let x = Axis { low: 1.0, high: values.fold(1.1, f64::max) * 1.02, log: true };
    let ticks: Vec<f64> =
        [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0].into_iter().filter(|t| *t <= x.high).collect();
    rows_plot(words, &own, x, &ticks, &|case| {
        let (middle, worst) = (figure(case, "max_over_mean")?, figure(case, "max_over_mean_worst")?);
        let bound = figure(case, "law_max_over_mean_bound")?;
        Some(([bound, 1.0, bound], [middle, middle, worst]))
    })
    .map(|svg| Figure {
        id: "balance".to_owned(),
        title: format!("{words}, beside the law."),
        caption: "Grey: up to the bound that one ring in a thousand passes. Blue: median and worst of twenty rings.".to_owned(),
        svg,
    })
}

/// A part as percent, with no more digits than it has.
fn short_percent(part: f64) -> String {
    let digits = format!("{:.4}", part * 100.0);
    format!("{} %", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Low, mean and high: of the law, and of what was found.
type LawAndFound = ([f64; 3], [f64; 3]);

/// A row a case: the law's band with its mean, and over it what was found.
fn rows_plot(
    words: &str,
    cases: &[&str],
    x: Axis,
    ticks: &[f64],
    figures: &dyn Fn(&str) -> Option<LawAndFound>,
) -> Option<String> {
    use std::fmt::Write as _;
    const ROW: f64 = 34.0;
    let rows: Vec<_> = cases.iter().filter_map(|case| Some((*case, figures(case)?))).collect();
    if rows.is_empty() {
        return None;
    }
    let (left, right, top) = (14.0, 426.0, 8.0);
    let bottom = top + ROW * real(rows.len() as u64);
    let at = |value: f64| left + x.place(value) * (right - left);
    let mut body = String::new();
    let write = |value: f64| {
        if words.contains("part") { percent(value) } else { format!("{value:.1}") }
    };
    for &tick in ticks {
        let place = at(tick);
        let anchor = if place > 390.0 {
            "end"
        } else if place < 50.0 {
            "start"
        } else {
            "middle"
        };
        let _ = write!(
            body,
            "<line class=\"grid\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{top}\" y2=\"{bottom:.1}\"/><text class=\"tick\" x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            bottom + 16.0,
            if words.contains("part") { short_percent(tick) } else { write(tick) }
        );
    }
    for (row, (case, (law, found))) in rows.iter().enumerate() {
        let base = top + ROW * real(row as u64);
        let (text, middle) = (base + 11.0, base + 23.0);
        let _ = write!(
            body,
            "<text class=\"small\" x=\"{left}\" y=\"{text:.1}\">{}</text>\
             <rect class=\"band law\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\"/>\
             <line class=\"line law\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <g class=\"point a\"><title>{}: {} ({} to {}), law {} ({} to {})</title>\
             <path d=\"M{:.1} {middle:.1}H{:.1}\"/><circle cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"4\"/></g>",
            crate::report::svg::escape(case),
            at(law[1]),
            middle - 6.0,
            (at(law[2]) - at(law[1])).max(1.0),
            at(law[0]),
            at(law[0]),
            middle - 7.0,
            middle + 7.0,
            crate::report::svg::escape(case),
            write(found[0]),
            write(found[1]),
            write(found[2]),
            write(law[0]),
            write(law[1]),
            write(law[2]),
            at(found[1]),
            at(found[2]),
            at(found[0]),
        );
    }
    Some(format!(
        "<svg viewBox=\"0 0 440 {:.0}\" role=\"img\" aria-label=\"{words}\"><title>{words}</title>{body}</svg>",
        bottom + 24.0
    ))
}
