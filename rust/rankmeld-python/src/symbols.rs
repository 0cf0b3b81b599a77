//! Names that are found in texts.

use pyo3::prelude::*;
use rankmeld_core::text::Symbols;

use crate::detach::detached;
use crate::errors::{Label, refused};
use crate::texts::{borrowed, texts};

/// Names, numbered in the order in which they were given.
#[pyclass(frozen, name = "Symbols", module = "rankmeld._core")]
pub struct PySymbols(Symbols);

#[pymethods]
impl PySymbols {
    /// Learns names, which are folded as the texts are.
    #[new]
    fn new(names: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = names.py();
        let names = texts(names, "names")?;
        let names = borrowed(&names);
        let work = names.iter().map(|name| name.len()).sum();
        detached(py, work, |watch| Symbols::new(&names, watch))?
            .map(Self)
            .map_err(|error| refused(py, error, &Label::Argument("names")))
    }

    /// The numbers of the names in each text.
    fn find(&self, texts: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u32>>> {
        let py = texts.py();
        let texts = crate::texts::texts(texts, "texts")?;
        let texts = borrowed(&texts);
        let work = texts.iter().map(|text| text.len()).sum();
        detached(py, work, |watch| texts.iter().map(|text| self.0.find(text, watch)).collect())?
            .map_err(|error| refused(py, error, &Label::Argument("texts")))
    }
}
