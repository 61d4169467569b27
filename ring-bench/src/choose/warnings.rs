//! What the reader must know before believing the figures.

use std::collections::BTreeMap;

use crate::choose::MODEL_LIMIT;
use crate::choose::measure::{Check, Costs, Pause};
use crate::choose::workload::{Lookups, Workload};
use crate::report::number::time;
use crate::routine::Regime;
use crate::stats::real;

/// How many times the median pause in place the p99 may be before a few changes must have taken far longer than the rest.
/// Lookups due during a change wait for what is left of it, and most changes of one kind take about as long.
const RARE: f64 = 10.0;

/// What the reader must know before believing the figures.
pub(super) fn warnings(
    costs: &Costs,
    in_cache: bool,
    checks: &[Check],
    pauses: &BTreeMap<String, Pause>,
    workload: &Workload,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let most = checks.iter().map(|check| check.lookups_per_change).max();
    if let (Lookups::PerChange(own), Some(most)) = (workload.lookups_per_change, most)
        && own > most
    {
        warnings.push(format!(
            "the mixed workload was run with up to {most} lookups a change, since a round with {own} would last too long; \
             beyond, the cost follows from lookups alone, which were measured"
        ));
    }
    if let Some(reason) = &costs.unpinned {
        warnings.push(format!(
            "the workers could not stay on one processor ({reason}), so the interval was widened"
        ));
    }
    let worst = checks.iter().map(|check| check.error.abs()).fold(0.0, f64::max);
    if !in_cache && worst > MODEL_LIMIT {
        warnings.push(format!(
            "the ring is larger than the second-level cache, where lookups and changes take it from each other: the mixed \
             workload is up to {:.0} % off the model",
            worst * 100.0
        ));
    }
    for (backend, pause) in pauses {
        if let (Some(idle), Some(during)) = (pause.idle_p99, pause.p99)
            && real(idle) * 2.0 > real(during)
        {
            warnings.push(format!(
                "readers of {backend} waited {} without any change too (p99), so the pauses say more about the machine \
                 than about the change",
                time(real(idle))
            ));
        }
    }
    for (backend, pause) in pauses.iter().filter(|_| workload.regime == Regime::Exclusive) {
        if let (Some(p50), Some(p99)) = (pause.p50, pause.p99)
            && real(p99) > RARE * real(p50)
        {
            warnings.push(format!(
                "half of the readers of {backend} that met a change waited at most {}, the slowest 1 % at least {}: a few \
                 changes took far longer than the others, since the scheduler stopped them or since memory had to grow; what \
                 is still there in a second run is the backend's own",
                time(real(p50)),
                time(real(p99))
            ));
        }
    }
    let null = costs.null[0].max(costs.null[1]);
    if null > 0.05 {
        warnings.push(format!(
            "two copies of one backend differed by {:.1} %; run again on a quieter machine for a finer answer",
            null * 100.0
        ));
    }
    warnings
}
