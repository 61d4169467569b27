//! What was measured, and the figures that come of it.

use super::plan::{Comparison, Contender};
use crate::lockstep::UNPINNED_WIDENING;
use crate::lockstep::pair::{PairRun, RoutineRun};
use crate::lockstep::schedule::Visit;
use crate::routine::Routine;
use crate::stats::{Interval, Ratio, log_ratio, median, order_interval, ratio_of_pairs};

/// A process pair with its place in the run.
#[derive(Debug)]
pub(super) struct Measured {
    /// Which part of the run: what comes later chose its rivals by what came before.
    pub(super) stage: usize,
    pub(super) visit: Visit,
    pub(super) comparison: Comparison,
    pub(super) run: PairRun,
}

impl Measured {
    fn of(&self, routine: Routine) -> Option<&RoutineRun> {
        self.run.runs.iter().find(|run| run.routine == routine)
    }

    fn is(&self, pair: [&Contender; 2], nodes: usize) -> bool {
        self.comparison.nodes == nodes
            && self.comparison.pair[0] == *pair[0]
            && self.comparison.pair[1] == *pair[1]
    }

    /// The median time of an operation of one worker, in nanoseconds.
    fn median_ns(&self, what: What, worker: usize) -> Option<f64> {
        self.of(what.routine)?.median_ns(what.phase, worker, &self.run.prepared.clock)
    }
}

/// What was done: a phase of a routine, at a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct What {
    pub(super) nodes: usize,
    pub(super) routine: Routine,
    pub(super) phase: usize,
}

impl What {
    /// The first phase of a routine.
    pub(super) fn first(nodes: usize, routine: Routine) -> Self {
        Self { nodes, routine, phase: 0 }
    }

    /// The second one.
    pub(super) fn second(nodes: usize, routine: Routine) -> Self {
        Self { nodes, routine, phase: 1 }
    }
}

/// A figure with its interval, and how far apart the sittings were.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    pub(super) interval: Interval,
    pub(super) pairs: usize,
    pub(super) sittings: usize,
    pub(super) range: Option<[f64; 2]>,
}

/// All process pairs of a run.
#[derive(Debug, Default)]
pub(super) struct Results {
    pub(super) measured: Vec<Measured>,
    /// Whether intervals are widened, since workers could not be pinned.
    pub(super) unpinned: bool,
}

impl Results {
    /// The process pairs of two contenders, of the latest stage that has any.
    fn pairs(&self, pair: [&Contender; 2], what: What) -> Vec<&Measured> {
        let of = |measured: &&Measured| {
            measured.is(pair, what.nodes) && measured.of(what.routine).is_some()
        };
        let last = self.measured.iter().filter(of).map(|measured| measured.stage).max();
        let last = |measured: &&Measured| Some(measured.stage) == last;
        self.measured.iter().filter(of).filter(last).collect()
    }

    /// The median over process pairs of `value`, and of each sitting.
    fn figure(measured: &[&Measured], value: impl Fn(&Measured) -> Option<f64>) -> Option<Figure> {
        let values: Vec<(usize, f64)> =
            measured.iter().filter_map(|m| Some((m.visit.sitting, value(m)?))).collect();
        let all: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        let interval = order_interval(&all)?;
        let mut sittings: Vec<usize> = values.iter().map(|(sitting, _)| *sitting).collect();
        sittings.sort_unstable();
        sittings.dedup();
        let medians = sittings.iter().filter_map(|sitting| {
            let own = values.iter().filter(|(of, _)| of == sitting).map(|(_, value)| *value);
            median(&own.collect::<Vec<f64>>())
        });
        let medians: Vec<f64> = medians.collect();
        let least = medians.iter().copied().reduce(f64::min);
        let most = medians.iter().copied().reduce(f64::max);
        Some(Figure {
            interval,
            pairs: all.len(),
            sittings: sittings.len(),
            range: least.zip(most).map(|(least, most)| [least, most]),
        })
    }

    fn widen(&self, interval: Interval) -> Interval {
        if self.unpinned { interval.widened(UNPINNED_WIDENING) } else { interval }
    }

    /// The time of one operation of a contender, in nanoseconds, over all pairs that it took part in.
    pub(super) fn time(&self, contender: &Contender, what: What) -> Option<Figure> {
        let took_part: Vec<&Measured> = self
            .measured
            .iter()
            .filter(|m| m.comparison.nodes == what.nodes && m.comparison.pair.contains(contender))
            .collect();
        let worker = |m: &Measured| usize::from(m.comparison.pair[0] != *contender);
        let figure = Self::figure(&took_part, |m| m.median_ns(what, worker(m)))?;
        Some(Figure { interval: self.widen(figure.interval), ..figure })
    }

    /// The same in one sort of pair only, by one worker of it.
    pub(super) fn time_beside(
        &self,
        pair: [&Contender; 2],
        worker: usize,
        what: What,
    ) -> Option<Figure> {
        let figure = Self::figure(&self.pairs(pair, what), |m| m.median_ns(what, worker))?;
        Some(Figure { interval: self.widen(figure.interval), ..figure })
    }

    /// The second contender's time over the first's, with what the pairs say.
    pub(super) fn ratio(&self, pair: [&Contender; 2], what: What) -> Option<(Figure, Ratio)> {
        let pairs = self.pairs(pair, what);
        let log =
            |m: &Measured| log_ratio(&m.of(what.routine)?.times(what.phase, &m.run.prepared.clock));
        let logs: Vec<f64> = pairs.iter().filter_map(|m| log(m)).collect();
        let ratio = ratio_of_pairs(&logs)?;
        let figure = Self::figure(&pairs, log)?;
        let figure = Figure {
            interval: self.widen(ratio.interval),
            range: figure.range.map(|range| range.map(f64::exp)),
            ..figure
        };
        Some((figure, ratio))
    }

    /// The second contender's time less the first's, in nanoseconds: the median over adjacent samples of each pair.
    pub(super) fn difference(&self, pair: [&Contender; 2], what: What) -> Option<Figure> {
        Self::figure(&self.pairs(pair, what), |m| {
            let times = m.of(what.routine)?.times(what.phase, &m.run.prepared.clock);
            median(&times.iter().map(|pair| pair.b - pair.a).collect::<Vec<f64>>())
        })
    }

    /// The null control of a contender: the ratio between two processes that hold it.
    pub(super) fn null(&self, contender: &Contender, what: What) -> Option<Ratio> {
        self.ratio([contender, contender], what).map(|(_, ratio)| ratio)
    }
}
