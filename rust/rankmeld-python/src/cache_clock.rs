//! The clock of a cache: the system's, or a callable of Python.

#![expect(
    clippy::inline_always,
    reason = "an operation takes a few dozen nanoseconds, and calls are dear"
)]

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use rankmeld_core::cache::Clock;

use crate::errors::{InvalidArgumentError, float, kind};
use crate::monotonic::Monotonic;

/// Where the time comes from.
pub enum TimeSource {
    /// `time.monotonic`.
    Monotonic(Monotonic),
    /// A callable that gives seconds.
    Callable(Py<PyAny>),
}

/// A callable is asked before the lock is taken; the system's clock where the time is needed.
pub enum Time<'a> {
    /// To be read.
    Monotonic(&'a Monotonic),
    /// What the callable gave.
    Told(f64),
}

impl TimeSource {
    /// Without a callable it is the system's clock.
    pub fn new(callable: Option<Py<PyAny>>) -> Self {
        callable.map_or_else(|| Self::Monotonic(Monotonic::new()), Self::Callable)
    }

    /// For the collector.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Monotonic(_) => Ok(()),
            Self::Callable(clock) => visit.call(clock),
        }
    }

    /// The time for one operation.
    #[inline(always)]
    pub fn time(&self, py: Python<'_>) -> PyResult<Time<'_>> {
        match self {
            Self::Monotonic(clock) => Ok(Time::Monotonic(clock)),
            Self::Callable(clock) => told(clock.bind(py)).map(Time::Told),
        }
    }
}

/// What a clock says.
#[cold]
fn told(clock: &Bound<'_, PyAny>) -> PyResult<f64> {
    let given = clock.call0()?;
    let seconds: f64 = given.extract().map_err(|_| {
        PyTypeError::new_err(format!("clock gave a {}; it must give seconds", kind(&given)))
    })?;
    if seconds.is_finite() {
        return Ok(seconds);
    }
    Err(InvalidArgumentError::new_err(format!(
        "clock gave {}; it must give finite seconds",
        float(seconds)
    )))
}

impl Clock for Time<'_> {
    #[inline(always)]
    fn now(&self) -> f64 {
        match self {
            Self::Monotonic(clock) => clock.now(),
            Self::Told(seconds) => *seconds,
        }
    }

    #[inline(always)]
    fn not_before_now(&self) -> Option<f64> {
        match self {
            Self::Monotonic(clock) => clock.not_before_now(),
            Self::Told(_) => None,
        }
    }
}
