//! Fractional capacities, made into weights.

use crate::error::RingError;

/// Turns capacities into positive weights that sum to `total`, by largest remainder.
///
/// The ring then holds `total × V` tokens. Each node's quota is `total × capacity ÷ sum`. Quotas
/// below 1 become 1, and what is left is shared anew among the others; then every quota is cut to
/// a whole number, and the units left over go to the largest remainders, ties to the lower index.
/// The capacities are taken as the exact numbers that the floats are, and nothing is rounded on
/// the way, so that the answer is the same in every language with whole-number arithmetic.
///
/// # Complexity
///
/// O(N log N).
///
/// # Errors
///
/// [`RingError::InvalidCapacities`] for an empty list, a `total` below the number of capacities
/// (each needs at least 1), and a capacity that is zero, negative, infinite or not a number.
///
/// # Examples
///
/// ```
/// use ring_core::weights_from_capacities;
///
/// assert_eq!(weights_from_capacities(&[1.5, 3.0, 0.5], 10)?, [3, 6, 1]);
/// assert_eq!(weights_from_capacities(&[1000.0, 1.0], 10)?, [9, 1]);
/// assert!(weights_from_capacities(&[1.0, -1.0], 10).is_err());
/// # Ok::<(), ring_core::RingError>(())
/// ```
pub fn weights_from_capacities(capacities: &[f64], total: u32) -> Result<Vec<u32>, RingError> {
    validate(capacities, total)?;
    // By capacity, the lower index first among equals.
    let mut order: Vec<usize> = (0..capacities.len()).collect();
    order.sort_by(|&a, &b| capacities[a].total_cmp(&capacities[b]));

    // A capacity below the largest ÷ 2^33 has a quota below 1 whatever the total, as totals stay
    // below 2^32. The others fit whole numbers of 86 bits (53 of the float, 33 of the ratio), so
    // that their sum and their products with the total fit 118 bits.
    let largest = order.last().map_or(0.0, |&last| capacities[last]);
    let mut small = order.partition_point(|&i| capacities[i] * 8_589_934_592.0 < largest);
    let smallest_exponent = order.get(small).map_or(0, |&i| split(capacities[i]).1);
    let units: Vec<u128> = order[small..]
        .iter()
        .map(|&i| {
            let (mantissa, exponent) = split(capacities[i]);
            u128::from(mantissa) << (exponent - smallest_exponent)
        })
        .collect();
    let first = small;
    let mut sum: u128 = units.iter().sum();
    let mut left = u128::from(total) - small as u128;
    // Giving the smallest its 1 only lowers the quotas of the rest, so the order does not matter.
    while units.get(small - first).is_some_and(|unit| unit * left < sum) {
        sum -= units[small - first];
        left -= 1;
        small += 1;
    }

    let mut weights = vec![1; capacities.len()];
    let mut remainders = Vec::with_capacity(capacities.len() - small);
    let mut spare = left;
    for (&index, unit) in order[small..].iter().zip(&units[small - first..]) {
        let quota = unit * left / sum;
        spare -= quota;
        // A quota is at most the total, which has 32 bits.
        weights[index] = u32::try_from(quota).unwrap_or(u32::MAX);
        remainders.push((unit * left % sum, index));
    }
    remainders.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    for (spent, &(_, index)) in remainders.iter().enumerate() {
        if spent as u128 == spare {
            break;
        }
        weights[index] += 1;
    }
    Ok(weights)
}

fn validate(capacities: &[f64], total: u32) -> Result<(), RingError> {
    let invalid = |reason| Err(RingError::InvalidCapacities { reason });
    if capacities.is_empty() {
        return invalid("the list is empty, but a total can only be shared among nodes".to_owned());
    }
    for (index, capacity) in capacities.iter().enumerate() {
        if !(capacity.is_finite() && *capacity > 0.0) {
            return invalid(format!(
                "capacity {index} is {capacity}, but a capacity is a finite number above 0"
            ));
        }
    }
    if (total as usize) < capacities.len() {
        return invalid(format!(
            "a total of {total} cannot give each of {} nodes a weight of at least 1",
            capacities.len()
        ));
    }
    Ok(())
}

/// A positive finite float as `mantissa × 2^exponent`, exactly; the mantissa has at most 53 bits.
fn split(value: f64) -> (u64, u32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    // The exponent field counts from -1075; only differences matter here. Subnormals have field 0
    // and the scale of field 1.
    let field = u32::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
    if field == 0 { (fraction, 1) } else { (fraction | (1 << 52), field) }
}
