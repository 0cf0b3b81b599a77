//! Sums that are rounded once, from the exact value.
//!
//! The order of the summands then changes no bit, and mirrored ranks tie exactly. The result is
//! what Python's `math.fsum` gives, and stays right where that overflows on the way.

/// `a + b` as the rounded sum and what rounding took away (Knuth's `TwoSum`).
#[inline]
#[must_use]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// A running sum in two floats, which hold the exact value as long as [`Running::add`] says so.
///
/// Two floats are enough for sums of ranks' credits. Where they are not, the caller sums the terms
/// again with [`sum`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Running {
    high: f64,
    low: f64,
}

impl Running {
    /// Adds one term; whether nothing was lost.
    #[inline]
    pub fn add(&mut self, term: f64) -> bool {
        let (high, error) = two_sum(self.high, term);
        let (low, lost) = two_sum(self.low, error);
        self.high = high;
        self.low = low;
        // Also false for infinities: their errors are NaN.
        lost == 0.0
    }

    /// The rounded sum.
    #[inline]
    #[must_use]
    pub fn value(&self) -> f64 {
        self.high + self.low
    }
}

/// The exact sum of `terms` times `2^-scale`, rounded once (Shewchuk's expansions).
///
/// The scaled form serves sums that leave the range on the way to an answer inside it.
#[must_use]
pub fn scaled_sum(terms: impl IntoIterator<Item = f64>, scale: i32) -> f64 {
    let factor = 2.0_f64.powi(-scale);
    let mut partials: Vec<f64> = Vec::new();
    for term in terms {
        let mut carried = term * factor;
        let mut kept = 0;
        for index in 0..partials.len() {
            let (sum, error) = two_sum(carried, partials[index]);
            if error != 0.0 {
                partials[kept] = error;
                kept += 1;
            }
            carried = sum;
        }
        partials.truncate(kept);
        partials.push(carried);
    }
    round_once(&partials)
}

/// The exact sum of `terms`, rounded once.
#[must_use]
pub fn sum(terms: &[f64]) -> f64 {
    let plain = scaled_sum(terms.iter().copied(), 0);
    if plain.is_finite() {
        return plain;
    }
    // A partial sum left the range. Scaled by 2^-64 it cannot, short of 2^64 terms, and what
    // scaling drops below the smallest float is far below the last bit of so large a sum.
    scaled_sum(terms.iter().copied(), 64) * 2.0_f64.powi(64)
}

/// Rounds partials that do not overlap and grow in size, to nearest, ties to even.
fn round_once(partials: &[f64]) -> f64 {
    let mut rest = partials.iter().rev().copied();
    let Some(mut high) = rest.next() else {
        return 0.0;
    };
    let mut low = 0.0;
    for partial in rest.by_ref() {
        let (sum, error) = two_sum(high, partial);
        high = sum;
        low = error;
        if low != 0.0 {
            break;
        }
    }
    // `low` may be exactly half a unit of `high`; then the sign of what follows decides.
    if let Some(next) = rest.next()
        && ((low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0))
    {
        let double = low * 2.0;
        let candidate = high + double;
        if candidate - high == double {
            return candidate;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sum over a common exponent in wide integers: exact by construction.
    fn obvious(terms: &[f64]) -> f64 {
        // All test values are integers times 2^-80 and below 2^40 in size.
        let total: i128 = terms.iter().map(|&t| (t * 2.0_f64.powi(80)) as i128).sum();
        // i128 to f64 rounds to nearest, ties to even.
        total as f64 * 2.0_f64.powi(-80)
    }

    proptest! {
        #[test]
        fn equals_wide_integer_arithmetic(
            parts in proptest::collection::vec((-(1_i64 << 50)..(1_i64 << 50), -80..-30_i32), 0..40)
        ) {
            let terms: Vec<f64> =
                parts.iter().map(|&(m, e)| m as f64 * 2.0_f64.powi(e)).collect();
            let expected = obvious(&terms);
            prop_assert_eq!(sum(&terms), expected);
            let mut running = Running::default();
            let exact = terms.iter().fold(true, |exact, &term| running.add(term) & exact);
            if exact {
                prop_assert_eq!(running.value(), expected);
            }
        }

        #[test]
        fn order_changes_no_bit(mut terms in proptest::collection::vec(-1e300..1e300_f64, 0..12)) {
            let one_way = sum(&terms);
            terms.reverse();
            prop_assert_eq!(one_way.to_bits(), sum(&terms).to_bits());
        }
    }

    #[test]
    fn half_a_unit_is_decided_by_what_follows() {
        assert_eq!(sum(&[1e16, 1.0, 1e-16]), 10_000_000_000_000_002.0);
        assert_eq!(sum(&[1e16, 1.0, -1e-16]), 1e16);
        assert_eq!(sum(&[1e16, 1.0]), 1e16);
    }

    #[test]
    fn leaves_the_range_on_the_way_and_comes_back() {
        assert_eq!(sum(&[1.7e308, 1.7e308, -1.7e308]), 1.7e308);
        assert_eq!(sum(&[1.7e308, 1.7e308]), f64::INFINITY);
        let mut running = Running::default();
        assert!(running.add(1.7e308));
        assert!(!running.add(1.7e308));
    }
}
