//! Exact cosine similarity over matrices.

use numpy::ndarray::{Ix1, Ix2};
use numpy::{IntoPyArray, PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rankmeld_core::{Processor, cosine, order};

use crate::arrays;
use crate::detach::detached;
use crate::errors::{InvalidArgumentError, Label, float, refused};

/// Cosine of the query with each row, in row order; `name` is the query's in a refusal.
#[pyfunction]
pub fn cosine_scores<'py>(
    query: &Bound<'py, PyAny>,
    vectors: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(scores(query, vectors, name)?.into_pyarray(query.py()))
}

type Top<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Rows and cosines of the best `limit` rows, best first, equal ones in row order.
#[pyfunction]
pub fn cosine_top<'py>(
    query: &Bound<'py, PyAny>,
    vectors: &Bound<'py, PyAny>,
    limit: Option<usize>,
) -> PyResult<Top<'py>> {
    let py = query.py();
    let scores = scores(query, vectors, "query")?;
    let limit = limit.unwrap_or(scores.len());
    let rows = detached(py, scores.len(), |watch| order::top(&scores, limit, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("vectors")))?;
    let best: Vec<f64> = rows.iter().filter_map(|&row| scores.get(row as usize)).copied().collect();
    let rows: Vec<i64> = rows.into_iter().map(i64::from).collect();
    Ok((rows.into_pyarray(py), best.into_pyarray(py)))
}

fn scores(query: &Bound<'_, PyAny>, vectors: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
    let query = arrays::numbers(query, 1, name)?;
    let vectors = arrays::numbers(vectors, 2, "vectors")?;
    let &[rows, width] = vectors.shape() else { return Ok(Vec::new()) };
    if width != query.len() {
        return Err(InvalidArgumentError::new_err(format!(
            "{name} has {} dimension(s) and vectors have {width}; embed both with one model",
            query.len()
        )));
    }
    let query = arrays::prepared::<f64, Ix1>(&query)?;
    let query = arrays::elements(&query)?;
    if let Some((place, &value)) = query.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        return Err(InvalidArgumentError::new_err(format!(
            "{name}, dimension {place}: the value is {}; vectors must be finite",
            float(value)
        )));
    }
    if width == 0 {
        // Rows of no numbers are zero vectors, and there is nothing to count them by below.
        return Ok(vec![0.0; rows]);
    }
    if arrays::fits_float32(&vectors) {
        scores_of::<f32>(query, &vectors)
    } else {
        scores_of::<f64>(query, &vectors)
    }
}

fn scores_of<T: cosine::Element + numpy::Element>(
    query: &[f64],
    vectors: &Bound<'_, PyUntypedArray>,
) -> PyResult<Vec<f64>> {
    let py = vectors.py();
    let matrix = arrays::prepared::<T, Ix2>(vectors)?;
    let matrix = arrays::elements(&matrix)?;
    detached(py, matrix.len(), |watch| cosine::scores(query, matrix, Processor::best(), watch))?
        .map_err(|error| refused(py, error, &Label::Argument("vectors")))
}
