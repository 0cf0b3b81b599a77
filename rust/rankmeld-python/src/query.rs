//! What is asked: the tier of a query, the pieces of its text, the shape of its scores.

use numpy::ndarray::Ix1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rankmeld_core::query::{Vocabulary, cleaned, features};

use crate::arrays;
use crate::detach::detached;
use crate::errors::{Label, refused};
use crate::texts::{Text, borrowed, strings, texts};

/// The words by which queries are told apart.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct QueryWords(Vocabulary);

#[pymethods]
impl QueryWords {
    /// Makes the words of three lists ready.
    #[new]
    fn new(
        multi_hop: &Bound<'_, PyAny>,
        architecture: &Bound<'_, PyAny>,
        declarations: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let py = multi_hop.py();
        let multi_hop = texts(multi_hop, "multi_hop")?;
        let architecture = texts(architecture, "architecture")?;
        let declarations = texts(declarations, "declarations")?;
        let multi_hop = borrowed(&multi_hop);
        let architecture = borrowed(&architecture);
        let declarations = borrowed(&declarations);
        let length = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
        let work = length(&multi_hop) + length(&architecture) + length(&declarations);
        detached(py, work, |watch| {
            Vocabulary::new(&multi_hop, &architecture, &declarations, watch)
        })?
        .map(Self)
        .map_err(|error| refused(py, error, &Label::Argument("vocabulary")))
    }

    /// The tier of a query, cheapest 0.
    fn tier(&self, query: &Bound<'_, PyAny>) -> PyResult<u8> {
        let py = query.py();
        let query = Text::of(query, || "query".to_owned())?;
        let query = query.as_str();
        detached(py, query.len(), |watch| self.0.tier(query, watch))?
            .map(|tier| tier as u8)
            .map_err(|error| refused(py, error, &Label::Argument("query")))
    }
}

/// A query without punctuation, in pieces: between words and word in turn.
#[pyfunction]
pub fn query_pieces<'py>(query: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = query.py();
    let query = Text::of(query, || "query".to_owned())?;
    let query = query.as_str();
    let cleaned = detached(py, query.len(), |watch| cleaned(query, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("query")))?;
    strings(py, cleaned.pieces())
}

/// Skewness and lead of the best of some scores; none if they are too few or not finite.
#[pyfunction]
pub fn score_features(scores: &Bound<'_, PyAny>) -> PyResult<Option<(f64, f64)>> {
    let py = scores.py();
    let scores = arrays::numbers(scores, 1, "scores")?;
    let scores = arrays::prepared::<f64, Ix1>(&scores)?;
    let scores = arrays::elements(&scores)?;
    detached(py, scores.len(), |watch| features(scores, watch))?
        .map(|found| found.map(|found| (found.skewness, found.top1_margin)))
        .map_err(|error| refused(py, error, &Label::Argument("scores")))
}
