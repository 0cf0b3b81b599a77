//! Scores with the age of their documents in them.

use numpy::{IntoPyArray, PyArray1, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rankmeld_core::decay::{self, Curve, Decay};
use rankmeld_core::signals::Moment;

use crate::arrays;
use crate::detach::detached;
use crate::documents;
use crate::errors::{Label, refused, unknown_word};

/// Work units of one document: a power of two, or several.
const UNITS: usize = 8;

/// `now`, half-life, curve, power of importance, factor of the undated.
type Options<'a> = (Moment, f64, &'a str, f64, f64);

/// New scores, infinite where no float holds them.
#[pyfunction]
pub fn time_decay<'py>(
    scores: &Bound<'py, PyUntypedArray>,
    documents: Option<&Bound<'py, PyList>>,
    options: Options<'_>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let py = scores.py();
    let column = arrays::floats(scores, "scores")?;
    let scores = arrays::elements(&column)?;
    let documents = documents::signals(documents, scores.len())?;
    let decay = decay_of(options)?;
    let decayed = detached(py, scores.len() * UNITS, |watch| {
        decay::decayed(scores, &documents, &decay, watch)
    })?;
    let decayed = decayed.map_err(|error| refused(py, error, &Label::Argument("ranking")))?;
    Ok(decayed.into_pyarray(py))
}

/// Ages in days, `None` where unknown, and factors of documents.
#[pyfunction]
pub fn decay_factors(
    documents: &Bound<'_, PyList>,
    options: Options<'_>,
) -> PyResult<(Vec<Option<f64>>, Vec<f64>)> {
    let decay = decay_of(options)?;
    let documents = documents::signals(Some(documents), documents.len())?;
    let ages = documents.iter().map(|document| decay.age(document)).collect();
    Ok((ages, documents.iter().map(|document| decay.factor(document).value()).collect()))
}

fn decay_of((now, half_life, curve, importance_power, undated): Options<'_>) -> PyResult<Decay> {
    let curve = match curve {
        "exponential" => Curve::Exponential,
        "hyperbolic" => Curve::Hyperbolic,
        _ => return Err(unknown_word("curve", curve)),
    };
    Ok(Decay { now, half_life, curve, importance_power, undated })
}
