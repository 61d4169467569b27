//! Which pair when: sittings, and in each every configuration in a new random order.
//!
//! A machine drifts: another tenant comes, a clock rate changes. Were one configuration measured from beginning to end
//! before the next, it would have all of one weather to itself. So every configuration is visited in every sitting, and
//! results show the range between sittings.

use crate::seeded::Stream;

/// One visit: a process pair for one configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Visit {
    /// Which sitting, from 0.
    pub sitting: usize,
    /// Which configuration, from 0.
    pub configuration: usize,
    /// Which pair of this configuration over the whole run, from 0.
    pub pair: usize,
}

/// All visits of a run in their order. `configurations` says how many pairs each configuration gets; they are spread
/// evenly over `sittings`.
///
/// Where a number of pairs is no multiple of `sittings`, the earlier sittings have one more.
#[must_use]
pub fn visits(configurations: &[usize], sittings: usize, stream: &mut Stream) -> Vec<Visit> {
    let mut order = Vec::new();
    for sitting in 0..sittings {
        let mut visits = Vec::new();
        for (configuration, &pairs) in configurations.iter().enumerate() {
            visits.extend((0..pairs).filter(|pair| pair % sittings == sitting).map(|pair| Visit {
                sitting,
                configuration,
                pair,
            }));
        }
        stream.shuffle(&mut visits);
        order.extend(visits);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_visited_once_and_evenly_over_the_sittings() {
        let order = visits(&[6, 3, 7], 3, &mut Stream::new(1, "schedule"));
        assert_eq!(order.len(), 16);
        assert!(order.is_sorted_by_key(|visit| visit.sitting));
        let count = |configuration, sitting| {
            order
                .iter()
                .filter(|v| v.configuration == configuration && v.sitting == sitting)
                .count()
        };
        assert_eq!([0, 1, 2].map(|sitting| count(0, sitting)), [2, 2, 2]);
        assert_eq!([0, 1, 2].map(|sitting| count(1, sitting)), [1, 1, 1]);
        assert_eq!([0, 1, 2].map(|sitting| count(2, sitting)), [3, 2, 2]);
        let mut pairs: Vec<(usize, usize)> =
            order.iter().map(|v| (v.configuration, v.pair)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 16);
    }

    #[test]
    fn sittings_have_orders_of_their_own() {
        let order = visits(&[1; 20], 1, &mut Stream::new(1, "schedule"));
        let again = visits(&[1; 20], 1, &mut Stream::new(2, "schedule"));
        assert_ne!(order, again);
        assert!(visits(&[2, 2], 0, &mut Stream::new(1, "schedule")).is_empty());
    }
}
