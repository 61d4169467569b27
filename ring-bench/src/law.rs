//! The law that shares of the hash space follow, and samples from it.
//!
//! Tokens with independent uniform hashes cut the circle into M arcs. A node with `v` of the M tokens owns `v` of them,
//! and the sum of `v` of M spacings follows the Beta law with parameters `v` and `M − v` (H. A. David and H. N.
//! Nagaraja, *Order Statistics*, section 6.4). A node that joins with `v` tokens takes a Beta(`v`, M) part.

use crate::seeded::Stream;
use crate::stats::real;

/// The logarithm of the gamma function, for positive arguments: Lanczos's approximation with g = 7 and nine terms, good
/// to about 15 digits (coefficients by P. Godfrey).
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    const FIRST: f64 = 0.999_999_999_999_809_9;
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let mut place = x;
    let sum = TERMS.iter().fold(FIRST, |sum, term| {
        place += 1.0;
        sum + term / place
    });
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// The part of Beta(`a`, `b`) at or below `x`: the regularised incomplete beta function.
#[must_use]
pub fn beta_below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The continued fraction converges fast on the side of the mean where the law's own tail lies.
    if x < (a + 1.0) / (a + b + 2.0) {
        tail_fraction(x, a, b)
    } else {
        1.0 - tail_fraction(1.0 - x, b, a)
    }
}

/// The part of Beta(`a`, `b`) above `x`, without the loss of digits that `1 − beta_below` has in the tail.
#[must_use]
pub fn beta_above(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x >= 1.0 {
        return 0.0;
    }
    if x < (a + 1.0) / (a + b + 2.0) {
        1.0 - tail_fraction(x, a, b)
    } else {
        tail_fraction(1.0 - x, b, a)
    }
}

/// The continued fraction of the incomplete beta function (NIST DLMF 8.17.22), by Lentz's method.
#[expect(clippy::many_single_char_names, reason = "the names of the formula that is cited")]
fn tail_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let ln_front =
        a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) - a.ln();
    let not_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut fraction, mut c, mut d) = (1.0, 1.0, 0.0);
    // Some hundred terms are enough for a and b up to 10^7; the end is only there so that nothing can loop for ever.
    for step in 0..20_000_u32 {
        let m = f64::from(step / 2);
        let numerator = if step == 0 {
            1.0
        } else if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / not_zero(1.0 + numerator * d);
        c = not_zero(1.0 + numerator / c);
        let factor = c * d;
        fraction *= factor;
        if step > 0 && (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    ln_front.exp() * (fraction - 1.0)
}

/// The value that Beta(`a`, `b`) stays below with probability `p`, by halving; to about 12 digits.
#[must_use]
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        // Each tail by the function that keeps its digits.
        let below =
            if p < 0.5 { beta_below(middle, a, b) < p } else { beta_above(middle, a, b) > 1.0 - p };
        if below {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= high * 1e-13 {
            break;
        }
    }
    f64::midpoint(low, high)
}

/// Nodes of one weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Their weight.
    pub weight: u32,
    /// How many there are.
    pub nodes: u64,
}

/// A bound for the probability that some node's share is above `limit` times its expected one, in a ring with `vnodes`
/// tokens per unit of weight: the sum over nodes of the probability for each.
///
/// The true probability is never larger, and for small ones hardly smaller, since two nodes are seldom both so full.
#[must_use]
pub fn over_probability(groups: &[Group], vnodes: u32, limit: f64) -> f64 {
    of_any(groups, vnodes, |own, all| beta_above(limit * own / all, own, all - own))
}

/// The same for a share below `limit` times the expected one.
#[must_use]
pub fn under_probability(groups: &[Group], vnodes: u32, limit: f64) -> f64 {
    of_any(groups, vnodes, |own, all| beta_below(limit * own / all, own, all - own))
}

/// The sum over nodes of what `of` says of one, by its tokens and all tokens; at most 1.
fn of_any(groups: &[Group], vnodes: u32, of: impl Fn(f64, f64) -> f64) -> f64 {
    let tokens = |weight: u64| real(weight) * f64::from(vnodes);
    let total: u64 = groups.iter().map(|group| u64::from(group.weight) * group.nodes).sum();
    let all = tokens(total);
    let sum: f64 = groups
        .iter()
        .map(|group| {
            let own = tokens(u64::from(group.weight));
            // One node owns everything: exactly its expected share.
            if own >= all { 0.0 } else { real(group.nodes) * of(own, all) }
        })
        .sum();
    sum.min(1.0)
}

/// The squared deviation of share over mean, averaged over the nodes of a ring (cv²): its mean and its standard
/// deviation over rings of `nodes` nodes with `vnodes` tokens each.
///
/// Shares are Dirichlet(V, …, V), whose moments are ratios of rising factorials: E\[x²] = V(V+1) / M(M+1), E\[x⁴] and
/// E\[x²y²] likewise (N. Balakrishnan and V. B. Nevzorov, *A Primer on Statistical Distributions*, chapter 27).
#[must_use]
pub fn cv_squared(nodes: u64, vnodes: u32) -> (f64, f64) {
    let (n, v) = (real(nodes), f64::from(vnodes));
    let m = n * v;
    let up = |from: f64, steps: u32| (0..steps).map(|i| from + f64::from(i)).product::<f64>();
    let square = up(v, 2) / up(m, 2);
    let fourth = up(v, 4) / up(m, 4);
    let both = up(v, 2).powi(2) / up(m, 4);
    let variance = n * (fourth - square * square) + n * (n - 1.0) * (both - square * square);
    ((n - 1.0) / (m + 1.0), n * variance.max(0.0).sqrt())
}

/// The mean of the same over keys: `keys` distinct keys at random, each at the owner of its place.
///
/// Given the shares, counts are multinomial, which adds N·(1 − N·E\[x²]) / K.
#[must_use]
pub fn keys_cv_squared(nodes: u64, vnodes: u32, keys: u64) -> f64 {
    let (of_space, _) = cv_squared(nodes, vnodes);
    // E\[x²] = (1 + cv²) / N².
    of_space + (real(nodes) - 1.0 - of_space) / real(keys)
}

/// The smallest V with [`over_probability`] at most `risk`; `None` where more than `most` would be needed.
#[must_use]
pub fn smallest_vnodes(groups: &[Group], limit: f64, risk: f64, most: u32) -> Option<u32> {
    let fits = |vnodes: u32| over_probability(groups, vnodes, limit) <= risk;
    if most == 0 || !fits(most) {
        return None;
    }
    // The probability falls with V, so the place can be found by halving.
    let (mut least, mut enough) = (1, most);
    while least < enough {
        let middle = least + (enough - least) / 2;
        if fits(middle) {
            enough = middle;
        } else {
            least = middle + 1;
        }
    }
    Some(enough)
}

/// Draws rings by the law, without making their tokens: a node's share is a gamma variate over the sum of all.
#[derive(Debug, Clone)]
pub struct Sampler {
    stream: Stream,
    /// The second half of the last pair of normal variates.
    spare: Option<f64>,
}

impl Sampler {
    /// A sampler of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { stream: Stream::new(seed, "law/sampler"), spare: None }
    }

    /// Evenly between 0 and 1, neither included.
    fn unit(&mut self) -> f64 {
        real((self.stream.word() >> 12) * 2 + 1) / real(1 << 53)
    }

    /// A standard normal variate (Marsaglia's polar method).
    fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * s.ln() / s).sqrt();
                self.spare = Some(v * factor);
                return u * factor;
            }
        }
    }

    /// A gamma variate of shape at least 1 (Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", 2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.unit().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// The largest share over expected share in one ring.
    pub fn max_over_mean(&mut self, groups: &[Group], vnodes: u32) -> f64 {
        let total: u64 = groups.iter().map(|group| u64::from(group.weight) * group.nodes).sum();
        let (mut sum, mut most) = (0.0, 0.0_f64);
        for group in groups {
            let tokens = f64::from(group.weight) * f64::from(vnodes);
            for _ in 0..group.nodes {
                let part = self.gamma(tokens);
                sum += part;
                most = most.max(part / f64::from(group.weight));
            }
        }
        most / sum * real(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64, part: f64) {
        assert!((value / expected - 1.0).abs() < part, "{value} is not {expected}");
    }

    #[test]
    fn ln_gamma_agrees_with_factorials_and_halves() {
        close(ln_gamma(5.0), 24.0_f64.ln(), 1e-14);
        close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln(), 1e-13);
        // ln 170! by summing logarithms.
        let ln_factorial: f64 = (1..=170).map(|n| f64::from(n).ln()).sum();
        close(ln_gamma(171.0), ln_factorial, 1e-13);
    }

    #[test]
    fn the_beta_law_agrees_with_polynomials() {
        // Beta(1, b) has 1 − (1 − x)^b below x; Beta(2, 2) has 3x² − 2x³.
        for x in [0.01, 0.3, 0.5, 0.9] {
            close(beta_below(x, 1.0, 7.0), 1.0 - (1.0 - x).powi(7), 1e-12);
            close(beta_above(x, 1.0, 7.0), (1.0 - x).powi(7), 1e-12);
            close(beta_below(x, 2.0, 2.0), 3.0 * x * x - 2.0 * x * x * x, 1e-12);
        }
        assert!(beta_below(0.0, 3.0, 4.0) == 0.0 && beta_above(1.0, 3.0, 4.0) == 0.0);
    }

    #[test]
    fn quantiles_agree_with_the_published_bands() {
        // 99.9 % bands of one node's share over the mean, and of what a tenth node moves.
        for (a, b, scale, low, high) in [
            (100.0, 900.0, 10.0, 0.714_48, 1.337_8),
            (1.0, 9.0, 10.0, 0.000_555_68, 5.702_5),
            (100.0, 1000.0, 1.0, 0.064_857, 0.121_82),
        ] {
            close(beta_quantile(0.0005, a, b) * scale, low, 1e-4);
            close(beta_quantile(0.9995, a, b) * scale, high, 1e-4);
        }
    }

    #[test]
    fn deviations_over_nodes_agree_with_rings_that_are_drawn() {
        // Two nodes with a token each: the share x is even on 0 to 1, cv² is (2x − 1)², its mean 1/3, its variance 4/45.
        let (mean, deviation) = cv_squared(2, 1);
        close(mean, 1.0 / 3.0, 1e-12);
        close(deviation, (4.0_f64 / 45.0).sqrt(), 1e-12);
        // One node never deviates, and neither do its keys.
        assert!(cv_squared(1, 7).0 == 0.0 && cv_squared(1, 7).1 < 1e-7);
        assert!(keys_cv_squared(1, 7, 10).abs() < 1e-12);
        let (nodes, vnodes) = (12_u32, 9);
        let (mean, deviation) = cv_squared(nodes.into(), vnodes);
        let mut sampler = Sampler::new(9);
        let rings: Vec<f64> = (0..20_000)
            .map(|_| {
                let parts: Vec<f64> = (0..nodes).map(|_| sampler.gamma(vnodes.into())).collect();
                let middle = parts.iter().sum::<f64>() / f64::from(nodes);
                parts.iter().map(|part| (part / middle - 1.0).powi(2)).sum::<f64>()
                    / f64::from(nodes)
            })
            .collect();
        let found = rings.iter().sum::<f64>() / 20_000.0;
        let spread = rings.iter().map(|ring| (ring - found).powi(2)).sum::<f64>() / 20_000.0;
        close(found, mean, 5.0 * deviation / mean / 20_000.0_f64.sqrt());
        close(spread.sqrt(), deviation, 0.05);
        // Keys by hand: two nodes of even halves would differ by chance alone, with variance 1/K; here the halves differ
        // as well, and E[x²] is 1/3.
        close(keys_cv_squared(2, 1, 100), 1.0 / 3.0 + (1.0 - 1.0 / 3.0) / 100.0, 1e-12);
    }

    #[test]
    fn a_node_below_its_share_is_as_likely_as_the_law_says() {
        let two = [Group { weight: 1, nodes: 2 }];
        // One token each: below half of the expected half with probability 1/4, for either node.
        close(under_probability(&two, 1, 0.5), 0.5, 1e-12);
        close(over_probability(&two, 1, 1.5), 0.5, 1e-12);
        assert!(under_probability(&[Group { weight: 3, nodes: 1 }], 1, 0.9) == 0.0);
    }

    #[test]
    fn the_smallest_v_is_the_smallest() {
        let equal = [Group { weight: 1, nodes: 100 }];
        let v = smallest_vnodes(&equal, 1.2, 0.01, 100_000).unwrap();
        assert!(over_probability(&equal, v, 1.2) <= 0.01);
        assert!(over_probability(&equal, v - 1, 1.2) > 0.01);
        assert_eq!(smallest_vnodes(&equal, 1.2, 0.01, v - 1), None);
        assert_eq!(smallest_vnodes(&[Group { weight: 3, nodes: 1 }], 1.01, 0.01, 10), Some(1));
    }

    #[test]
    fn samples_agree_with_the_law_and_hardly_beat_the_bound() {
        for groups in [
            vec![Group { weight: 1, nodes: 20 }],
            vec![Group { weight: 1, nodes: 10 }, Group { weight: 4, nodes: 5 }],
        ] {
            // A V at which about one ring in ten has too full a node.
            let v = smallest_vnodes(&groups, 1.3, 0.1, 10_000).unwrap();
            let bound = over_probability(&groups, v, 1.3);
            let mut sampler = Sampler::new(4);
            let over =
                (0..4_000).filter(|_| sampler.max_over_mean(&groups, v) > 1.3).count() as u64;
            let part = real(over) / 4_000.0;
            // Five deviations of the count; below the bound by what two full nodes in one ring take off.
            assert!(part < bound + 5.0 * (bound / 4_000.0).sqrt(), "{part} {bound}");
            assert!(part > 0.8 * bound - 5.0 * (bound / 4_000.0).sqrt(), "{part} {bound}");
        }
    }
}
