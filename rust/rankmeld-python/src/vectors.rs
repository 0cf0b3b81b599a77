//! Exact cosine similarity over matrices.

use numpy::{IntoPyArray, PyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rankmeld_core::{cosine, order};

use crate::arrays;
use crate::detach::detached;
use crate::errors::{InvalidArgumentError, Label, float, to_python};

/// Cosine of the query with each row, in row order.
#[pyfunction]
pub fn cosine_scores<'py>(
    query: &Bound<'py, PyAny>,
    vectors: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(scores(query, vectors)?.into_pyarray(query.py()))
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
    let scores = scores(query, vectors)?;
    let limit = limit.unwrap_or(scores.len());
    let rows = detached(py, scores.len(), || order::top(&scores, limit))?;
    let best: Vec<f64> = rows.iter().filter_map(|&row| scores.get(row as usize)).copied().collect();
    let rows: Vec<i64> = rows.into_iter().map(i64::from).collect();
    Ok((rows.into_pyarray(py), best.into_pyarray(py)))
}

fn scores(query: &Bound<'_, PyAny>, vectors: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let py = query.py();
    let query = arrays::vector(query, "query")?;
    let matrix = arrays::matrix(vectors, "vectors")?;
    let &[_, width] = matrix.shape() else {
        return Ok(Vec::new());
    };
    if width != query.len() {
        return Err(InvalidArgumentError::new_err(format!(
            "query has {} dimension(s) and vectors have {width}; embed both with one model",
            query.len()
        )));
    }
    let (query, matrix) = (arrays::elements(&query)?, arrays::elements(&matrix)?);
    if let Some((place, &value)) = query.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        return Err(InvalidArgumentError::new_err(format!(
            "query, dimension {place}: the value is {}; vectors must be finite",
            float(f64::from(value))
        )));
    }
    detached(py, matrix.len(), || cosine::scores(query, matrix))?.map_err(|error| {
        let label = Label::Argument("vectors");
        to_python(py, error, &label, |_, _| String::new(), |_| String::new())
    })
}
