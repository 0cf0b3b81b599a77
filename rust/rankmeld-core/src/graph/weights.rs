//! Weights of edges, in as few bytes as say them exactly.

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

/// What an edge carries.
pub(super) trait Weight: Copy + Default + Sync {
    /// The weight as a number.
    fn value(self) -> f64;
    /// The weight times `value`.
    fn times(self, value: f64) -> f64;
}

impl Weight for () {
    fn value(self) -> f64 {
        1.0
    }

    fn times(self, value: f64) -> f64 {
        value
    }
}

impl Weight for f32 {
    fn value(self) -> f64 {
        self.into()
    }

    fn times(self, value: f64) -> f64 {
        f64::from(self) * value
    }
}

impl Weight for f64 {
    fn value(self) -> f64 {
        self
    }

    fn times(self, value: f64) -> f64 {
        self * value
    }
}
