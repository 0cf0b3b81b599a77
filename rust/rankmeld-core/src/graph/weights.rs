//! Weights of edges, in as few bytes as say them exactly.

use super::slices::WIDE;

/// A weight for each edge.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// All are alike, whatever they are: shares do not depend on it.
    Equal(Vec<()>),
    /// All of them are single precision.
    Single(Vec<f32>),
    /// Any.
    Double(Vec<f64>),
}

/// The same as they lie in slices, 0 where there is no edge.
#[derive(Debug, Clone)]
pub(super) enum Laid {
    Equal(Vec<[(); WIDE]>),
    Single(Vec<[f32; WIDE]>),
    Double(Vec<[f64; WIDE]>),
}

/// What an edge carries.
pub(super) trait Weight: Copy + Default + Sync {
    /// The weight as a number.
    fn value(self) -> f64;
    /// The weight times `value`.
    fn times(self, value: f64) -> f64;
}

impl Weight for () {
    #[inline]
    fn value(self) -> f64 {
        1.0
    }

    #[inline]
    fn times(self, value: f64) -> f64 {
        value
    }
}

impl Weight for f32 {
    #[inline]
    fn value(self) -> f64 {
        self.into()
    }

    #[inline]
    fn times(self, value: f64) -> f64 {
        f64::from(self) * value
    }
}

impl Weight for f64 {
    #[inline]
    fn value(self) -> f64 {
        self
    }

    #[inline]
    fn times(self, value: f64) -> f64 {
        self * value
    }
}
