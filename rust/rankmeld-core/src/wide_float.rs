//! Floats whose exponent does not end: products and quotients neither overflow nor vanish.
//!
//! Where a float would do, the bits are those of plain arithmetic: each operation rounds once, to as
//! many bits. What leaves the range of floats on the way, and comes back, is not lost.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

use crate::power_of_two::{exponent, two_to};

/// `factor * 2^power`, the factor within 1..2 or its negative, or zero.
#[derive(Debug, Clone, Copy)]
pub struct WideFloat {
    factor: f64,
    power: i64,
}

impl WideFloat {
    /// Nothing.
    pub const ZERO: Self = Self { factor: 0.0, power: 0 };

    /// One.
    pub const ONE: Self = Self { factor: 1.0, power: 0 };

    /// Whether it is zero, of either sign.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.factor == 0.0
    }

    /// Times `2^power`, which rounds nothing.
    #[must_use]
    pub fn times_two_to(self, power: i64) -> Self {
        if self.is_zero() { self } else { Self { power: self.power + power, ..self } }
    }

    /// The larger of two.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        if self.partial_cmp(&other) == Some(Ordering::Less) { other } else { self }
    }

    /// The nearest float: zero or an infinity where there is none in reach.
    #[must_use]
    pub fn value(self) -> f64 {
        match self.power {
            -1022..=1023 => self.factor * two_to(self.power as i32),
            1024.. => self.factor * f64::INFINITY,
            // The first step is exact, so that only the second one rounds.
            low => self.factor * two_to(-1022) * two_to((low.max(-1100) + 1022) as i32),
        }
    }

    /// A factor of any size as one within 1..2.
    fn normal(factor: f64, power: i64) -> Self {
        if factor == 0.0 {
            return Self { factor, power: 0 };
        }
        let (factor, power) = if exponent(factor) == -1023 {
            (factor * two_to(64), power - 64) // a subnormal one
        } else {
            (factor, power)
        };
        let own = exponent(factor);
        let factor = f64::from_bits(factor.to_bits() & !(0x7FF << 52) | 1023 << 52);
        Self { factor, power: power + i64::from(own) }
    }
}

impl From<f64> for WideFloat {
    /// Of a finite number.
    fn from(value: f64) -> Self {
        debug_assert!(value.is_finite(), "{value}");
        Self::normal(value, 0)
    }
}

impl Mul for WideFloat {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::normal(self.factor * other.factor, self.power + other.power)
    }
}

impl Div for WideFloat {
    type Output = Self;

    /// By another that is not zero.
    fn div(self, other: Self) -> Self {
        Self::normal(self.factor / other.factor, self.power - other.power)
    }
}

impl Add for WideFloat {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let (large, small) = if self.power < other.power { (other, self) } else { (self, other) };
        let shift = small.power - large.power;
        if shift < -1000 {
            return large; // far below the last bit
        }
        Self::normal(large.factor + small.factor * two_to(shift as i32), large.power)
    }
}

impl Sub for WideFloat {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { factor: -other.factor, ..other }
    }
}

impl PartialEq for WideFloat {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for WideFloat {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (*self - *other).factor.partial_cmp(&0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any() -> impl Strategy<Value = f64> {
        proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO
    }

    proptest! {
        #[test]
        fn a_float_comes_back(value in any()) {
            prop_assert_eq!(WideFloat::from(value).value(), value);
        }

        #[test]
        fn within_the_range_of_floats_the_bits_are_theirs(a in -1e90..1e90_f64, b in -1e90..1e90_f64) {
            let (wide, other) = (WideFloat::from(a), WideFloat::from(b));
            prop_assert_eq!((wide + other).value(), a + b);
            prop_assert_eq!((wide - other).value(), a - b);
            prop_assert_eq!((wide * other).value(), a * b);
            prop_assume!(b != 0.0);
            prop_assert_eq!((wide / other).value(), a / b);
        }

        #[test]
        fn sums_of_any_two(a in any(), b in any()) {
            let sum = (WideFloat::from(a) + WideFloat::from(b)).value();
            prop_assert_eq!(sum, a + b);
            prop_assert_eq!(WideFloat::from(a).partial_cmp(&WideFloat::from(b)), a.partial_cmp(&b));
        }

        #[test]
        fn what_leaves_the_range_comes_back(a in 1.0..2.0_f64, power in -1000..1000_i64) {
            let far = WideFloat::from(a).times_two_to(power) * WideFloat::from(1e300);
            let back = far * WideFloat::from(1e300) / WideFloat::from(1e300) / WideFloat::from(1e300);
            let near = back.times_two_to(-power).value();
            prop_assert!((near - a).abs() <= 1e-15 * a);
        }
    }

    #[test]
    fn beyond_the_range_are_infinity_and_zero() {
        assert_eq!(WideFloat::from(-1.5).times_two_to(1 << 40).value(), f64::NEG_INFINITY);
        assert_eq!(WideFloat::from(1.5).times_two_to(-(1 << 40)).value(), 0.0);
        assert_eq!(WideFloat::ONE.times_two_to(-1074).value(), 5e-324);
        assert_eq!(WideFloat::from(1.5).times_two_to(-1074).value(), 1e-323); // to even
    }
}
