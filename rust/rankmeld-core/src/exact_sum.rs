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

    /// Adds the second term of a sum, from which nothing can be lost: two floats hold any two.
    #[inline]
    pub fn add_second(&mut self, term: f64) {
        (self.high, self.low) = two_sum(self.high, term);
    }

    /// The rounded sum.
    #[inline]
    #[must_use]
    pub fn value(&self) -> f64 {
        self.high + self.low
    }
}

/// The exact sum of `terms` times `2^-64`, rounded once: for sums that leave the range on the way
/// to an answer inside it. What scaling drops below the smallest float is lost.
#[must_use]
pub fn scaled_sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    let factor = 2.0_f64.powi(-SCALE);
    expanded(terms.into_iter().map(|term| term * factor)).map_or(f64::NAN, |sum| round_once(&sum))
}

/// The exact sum of `terms`, rounded once; NaN if a term is not finite, infinite if the sum is.
#[must_use]
pub fn sum(terms: &[f64]) -> f64 {
    if let Some(partials) = expanded(terms.iter().copied()) {
        return round_once(&partials);
    }
    // A partial sum left the range. Large terms are added scaled down, which loses nothing of
    // them, and brought back; if that is possible, the sum with the small ones is in range too.
    let small = |term: &f64| term.abs() < LARGE; // which NaN is not
    let down =
        terms.iter().copied().filter(|term| !small(term)).map(|term| term * 2.0_f64.powi(-SCALE));
    let Some(partials) = expanded(down) else { return f64::NAN };
    let total = round_once(&partials) * 2.0_f64.powi(SCALE);
    if !total.is_finite() {
        return total;
    }
    let back = partials.into_iter().map(|partial| partial * 2.0_f64.powi(SCALE));
    expanded(back.chain(terms.iter().copied().filter(small))).map_or(total, |sum| round_once(&sum))
}

/// The power of two that brings sums of up to as many terms back into the range.
const SCALE: i32 = 64;

/// From here on (2^-900) a float scaled down keeps all its bits.
const LARGE: f64 = 1.183_052_186_166_774_7e-271;

/// Partials that do not overlap, grow in size and together are the exact sum (Shewchuk); `None`
/// once a partial sum is not finite.
fn expanded(terms: impl IntoIterator<Item = f64>) -> Option<Vec<f64>> {
    let mut partials: Vec<f64> = Vec::new();
    for mut carried in terms {
        let mut kept = 0;
        for index in 0..partials.len() {
            let (sum, error) = two_sum(carried, partials[index]);
            if error != 0.0 {
                partials[kept] = error;
                kept += 1;
            }
            carried = sum;
        }
        if !carried.is_finite() {
            return None;
        }
        partials.truncate(kept);
        partials.push(carried);
    }
    Some(partials)
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
        for tiny in [1e-300, 5e-324, 1e-200, 1.0] {
            assert_eq!(sum(&[1.7e308, 1.7e308, -1.7e308, -1.7e308, tiny]), tiny);
        }
        assert!(sum(&[f64::NAN, 1.0]).is_nan());
        assert_eq!(LARGE, 2.0_f64.powi(-900));
        let mut running = Running::default();
        assert!(running.add(1.7e308));
        assert!(!running.add(1.7e308));
    }
}
