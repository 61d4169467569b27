//! Weights from capacities, against exact arithmetic on fractions of any size.

use arbitrary::{Arbitrary, Unstructured};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};
use ring_core::weights_from_capacities;

use crate::until_empty;

/// Nodes in a list at most: exact fractions are slow.
const MOST: usize = 40;

/// Capacities that are equal, close, or as far apart as floats go; now and then one that is none.
#[derive(Clone, Copy, Debug)]
struct Capacity(f64);

impl<'a> Arbitrary<'a> for Capacity {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self(match u.int_in_range(0..=15)? {
            0 => f64::from_bits(u.arbitrary()?),
            1..=4 => f64::from(u.int_in_range(1..=12_u8)?),
            5..=7 => f64::from(u.arbitrary::<u16>()?) / 16.0,
            // One bit apart.
            8..=10 => f64::from_bits(1.0_f64.to_bits() + u64::from(u.int_in_range(0..=3_u8)?)),
            // Some 2^33 apart, where a quota is below 1 whatever the total.
            11 | 12 => f64::from(u.int_in_range(1..=3_u8)?) * 2_f64.powi(u.int_in_range(-36..=36)?),
            13 => f64::from_bits(u.int_in_range(1..=u64::from(u16::MAX))?),
            14 => *u.choose(&[f64::MAX, f64::MIN_POSITIVE, f64::EPSILON])?,
            _ => f64::from_bits(u.arbitrary::<u64>()? & (u64::MAX >> 1)),
        }))
    }
}

/// Compares the weights with those of exact arithmetic.
///
/// # Panics
///
/// Where the library is wrong.
pub fn run(bytes: &[u8]) {
    let mut input = Unstructured::new(bytes);
    let Ok(total) = any_total(&mut input) else { return };
    let Ok(capacities) = until_empty::<Capacity>(&mut input, MOST) else { return };
    let capacities: Vec<f64> = capacities.into_iter().map(|Capacity(value)| value).collect();
    let given = weights_from_capacities(&capacities, total);
    let due = exact(&capacities, total);
    match (&given, &due) {
        (Ok(given), Some(due)) => assert_eq!(given, due, "{capacities:?} share {total}"),
        (Err(error), None) => assert!(!error.to_string().is_empty()),
        _ => panic!("{capacities:?} share {total}: {given:?} where {due:?} is due"),
    }
}

/// Few units for many nodes, or any number.
fn any_total(u: &mut Unstructured<'_>) -> arbitrary::Result<u32> {
    match u.int_in_range(0..=3)? {
        0 | 1 => u.int_in_range(0..=60),
        2 => Ok(u32::MAX - u32::from(u.arbitrary::<u8>()?)),
        _ => u.arbitrary(),
    }
}

/// The definition: quotas below 1 become 1, until there is none; then the largest remainders.
fn exact(capacities: &[f64], total: u32) -> Option<Vec<u32>> {
    let positive = |value: &f64| value.is_finite() && *value > 0.0;
    if capacities.is_empty() || total.to_usize()? < capacities.len() {
        return None;
    }
    if !capacities.iter().all(positive) {
        return None;
    }
    let capacities: Vec<BigRational> =
        capacities.iter().map(|&value| BigRational::from_float(value)).collect::<Option<_>>()?;

    let mut weights = vec![BigInt::one(); capacities.len()];
    let mut sharing: Vec<usize> = (0..capacities.len()).collect();
    let mut left = BigInt::from(total);
    let quotas = loop {
        let sum: BigRational = sharing.iter().map(|&node| &capacities[node]).sum();
        let quota = |node: usize| &capacities[node] * BigRational::from(left.clone()) / &sum;
        let quotas: Vec<(usize, BigRational)> =
            sharing.iter().map(|&node| (node, quota(node))).collect();
        let below: Vec<usize> = quotas
            .iter()
            .filter(|(_, quota)| *quota < BigRational::one())
            .map(|&(node, _)| node)
            .collect();
        if below.is_empty() {
            break quotas;
        }
        left -= below.len();
        sharing.retain(|node| !below.contains(node));
    };

    let mut remainders = Vec::new();
    for (node, quota) in quotas {
        weights[node] = quota.floor().to_integer();
        left -= &weights[node];
        remainders.push((quota.fract(), node));
    }
    remainders.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, node) in remainders.iter().take(left.to_usize()?) {
        weights[*node] += 1;
    }
    weights.iter().map(ToPrimitive::to_u32).collect()
}
