//! The container of everything that is kept in a file.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyBytesMethods};
use rankmeld_core::sealed::{self, Refusal};

/// Parts as the bytes of one file.
#[pyfunction]
pub fn seal<'py>(
    py: Python<'py>,
    kind: &str,
    version: u32,
    parts: Vec<Bound<'py, PyBytes>>,
) -> Bound<'py, PyBytes> {
    let parts: Vec<&[u8]> = parts.iter().map(PyBytesMethods::as_bytes).collect();
    PyBytes::new(py, &sealed::seal(kind, version, &parts))
}

/// The version and parts of a file, or in place of these what is wrong with it: a word, and the
/// version if it is too new.
type Unsealed<'py> = (Option<&'static str>, u32, Vec<Bound<'py, PyBytes>>);

/// Takes apart what [`seal`] made.
#[pyfunction]
pub fn unseal<'py>(
    py: Python<'py>,
    kind: &str,
    newest: u32,
    file: &Bound<'py, PyBytes>,
) -> Unsealed<'py> {
    let bytes = file.as_bytes();
    match sealed::unseal(kind, newest, bytes) {
        Ok((version, parts)) => {
            let part = |range| PyBytes::new(py, bytes.get(range).unwrap_or_default());
            (None, version, parts.into_iter().map(part).collect())
        }
        Err(Refusal::Foreign) => (Some("foreign"), 0, Vec::new()),
        Err(Refusal::Newer(version)) => (Some("newer"), version, Vec::new()),
        Err(Refusal::Truncated) => (Some("truncated"), 0, Vec::new()),
        Err(Refusal::Damaged) => (Some("damaged"), 0, Vec::new()),
    }
}
