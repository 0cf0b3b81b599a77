//! Keys of a cache: hashed and compared as Python does, and no code of theirs under a lock.

#![expect(
    clippy::inline_always,
    reason = "an operation takes a few dozen nanoseconds, and calls are dear"
)]

use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{PyTraverseError, PyVisit};
use rankmeld_core::cache::Same;

/// A key as the cache holds it.
pub enum Key {
    /// A `str` itself, not of a subclass, that has UTF-8: two of them are compared by their bytes.
    Text(Py<PyString>),
    /// Anything else: what it equals is its own business.
    Other(Py<PyAny>),
}

impl Key {
    /// The key as it came in.
    pub fn object(&self) -> &Py<PyAny> {
        match self {
            Self::Text(text) => text.as_any(),
            Self::Other(object) => object,
        }
    }

    /// The text of a plain `str`, read where it lies: it was asked for when the key came in, so
    /// this allocates nothing and cannot fail.
    pub fn text<'a>(&'a self, py: Python<'_>) -> Option<&'a str> {
        match self {
            Self::Text(text) => text.to_str(py).ok(),
            Self::Other(_) => None,
        }
    }

    /// For the collector.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Text(_) => Ok(()), // a string refers to nothing
            Self::Other(object) => visit.call(object),
        }
    }
}

/// A key that is looked for. Hashing it is behind us, whatever code that ran.
pub struct Probe<'a, 'py> {
    /// The key.
    pub object: &'a Bound<'py, PyAny>,
    /// Its hash.
    pub hash: u64,
    text: Option<(&'a Bound<'py, PyString>, &'a str)>,
}

impl<'a, 'py> Probe<'a, 'py> {
    /// Hashes a key.
    #[inline(always)]
    pub fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        let hash = object.hash()?.cast_unsigned() as u64;
        let string = object.cast_exact::<PyString>().ok();
        // A string with lone surrogates has no UTF-8, and is compared as any other object.
        let text = string.and_then(|string| Some((string, string.to_str().ok()?)));
        Ok(Self { object, hash, text })
    }

    /// Whether a key of the cache, which has the same hash, is this one.
    #[inline(always)]
    pub fn same(&self, key: &Key) -> Same {
        if key.object().is(self.object) {
            return Same::Yes;
        }
        match (self.text, key.text(self.object.py())) {
            (Some((_, text)), Some(other)) => {
                if text == other {
                    Same::Yes
                } else {
                    Same::No
                }
            }
            _ => Same::Unsure,
        }
    }

    /// The key for keeps.
    pub fn key(&self) -> Key {
        match self.text {
            Some((string, _)) => Key::Text(string.clone().unbind()),
            None => Key::Other(self.object.clone().unbind()),
        }
    }
}
