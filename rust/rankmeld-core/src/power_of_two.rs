//! Scaling by powers of two, which changes no bit of a float's significand.

/// `value * 2^power` for a power within -2046..=2046, in two steps as one factor may be no float.
#[must_use]
pub fn times_power(value: f64, power: i32) -> f64 {
    let half = power / 2;
    value * 2.0_f64.powi(half) * 2.0_f64.powi(power - half)
}

/// `2^power` for a power within -1022..=1023.
#[must_use]
pub fn two_to(power: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&power), "{power}");
    f64::from_bits(u64::from((1023 + power).unsigned_abs()) << 52)
}

/// The exponent of a normal number; -1023 for zero and subnormal ones.
#[must_use]
pub fn exponent(value: f64) -> i32 {
    ((value.to_bits() >> 52) & 0x7FF) as i32 - 1023
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_one_end_of_the_range_to_the_other() {
        assert_eq!(times_power(5e-324, 2046), 2.0_f64.powi(972));
        assert_eq!(times_power(2.0_f64.powi(972), -2046), 5e-324);
        assert_eq!((two_to(-1022), two_to(0)), (f64::MIN_POSITIVE, 1.0));
        assert_eq!((exponent(1.5), exponent(0.75), exponent(0.0)), (0, -1, -1023));
    }
}
