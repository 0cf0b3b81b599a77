//! One reference that threads exchange, with nothing in between.

use std::sync::{Mutex, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

/// Holds an object; a new one takes its place only if the one expected is still there.
///
/// Its lock is held while a reference is read or swapped, never while anything of Python's runs: no
/// hash, no comparison, no destructor, no garbage collection.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct Cell(Mutex<Option<Py<PyAny>>>);

#[pymethods]
impl Cell {
    /// Holds `value`.
    #[new]
    fn new(value: Py<PyAny>) -> Self {
        Self(Mutex::new(Some(value)))
    }

    /// The object.
    fn get(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map(|value| value.clone_ref(py))
    }

    /// Puts `value` in place of `expected`, by identity; false if another object is there.
    fn exchange(&self, expected: &Bound<'_, PyAny>, value: Py<PyAny>) -> bool {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_none_or(|held| !held.is(expected)) {
            drop(held);
            return false;
        }
        let before = held.replace(value);
        // The caller has `expected` in hand, so this is not the last reference.
        drop(held);
        drop(before);
        true
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock() {
            Ok(held) => held.as_ref().map_or(Ok(()), |value| visit.call(value)),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(before);
    }
}
