//! Where a cache gets the time: its caller brings the clock.

/// A clock that counts seconds from any moment on.
pub trait Clock {
    /// The seconds now.
    fn now(&self) -> f64;

    /// A moment that is not before now, of a clock that never goes back and tells it more cheaply
    /// than now itself.
    ///
    /// An entry that has not expired then has not expired now, which is all that most reads need.
    #[inline]
    fn not_before_now(&self) -> Option<f64> {
        None
    }
}

/// A clock that was read before.
impl Clock for f64 {
    #[inline]
    fn now(&self) -> f64 {
        *self
    }
}
