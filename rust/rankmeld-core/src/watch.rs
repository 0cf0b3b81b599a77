//! Letting the caller stop long work.

use crate::Error;

/// How many entries a kernel handles between two questions: well under a tenth of a second of work.
pub const CHUNK: usize = 1 << 16;

/// Asks the caller now and then whether to go on.
#[derive(Clone, Copy)]
pub struct Watch<'a>(&'a (dyn Fn() -> bool + Sync));

impl<'a> Watch<'a> {
    /// Asks `go_on`.
    #[must_use]
    pub fn new(go_on: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self(go_on)
    }

    /// For callers that never stop anything.
    #[must_use]
    pub fn never() -> Self {
        Self(&|| true)
    }

    /// Asks now.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the work is to stop.
    pub fn check(self) -> Result<(), Error> {
        if (self.0)() { Ok(()) } else { Err(Error::Interrupted) }
    }

    /// Asks at every position that begins a chunk, but for the first: short work pays nothing.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the work is to stop.
    #[inline]
    pub fn check_at(self, position: usize) -> Result<(), Error> {
        if position != 0 && position.is_multiple_of(CHUNK) { self.check() } else { Ok(()) }
    }
}
