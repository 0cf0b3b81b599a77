//! Relevance, recency, importance, quality and nearness in time, weighed into one score.

use numpy::{IntoPyArray, PyArray1, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rankmeld_core::composite::{self as core, Parts, Request, Weights};
use rankmeld_core::proximity::{self, Target};
use rankmeld_core::quality::Model;
use rankmeld_core::signals::{Moment, Signals, as_days};
use rankmeld_core::wide_float::WideFloat;
use rankmeld_core::{Error, Watch};

use crate::arrays;
use crate::detach::detached;
use crate::documents;
use crate::errors::{Label, refused};

/// Work units of one document: a few powers of two and quotients.
const UNITS: usize = 32;

/// Half-life, stability, weights of tiers, confidence lost per week, weeks of grace, floor,
/// recency of the undated.
type ModelFields = (f64, f64, [f64; 5], f64, f64, f64, f64);

/// Weights of relevance, recency, importance and quality; the model; `now`; and the moment asked
/// for with its tolerance and boost, where one is.
type Options = ((f64, f64, f64, f64), ModelFields, Moment, Option<(Moment, f64, f64)>);

/// Relevance, recency, importance, quality, proximity, their weighed sum.
type PartRow = (f64, f64, f64, f64, f64, f64);

/// New scores, infinite where no float holds them.
#[pyfunction]
pub fn composite<'py>(
    scores: &Bound<'py, PyUntypedArray>,
    documents: Option<&Bound<'py, PyList>>,
    options: Options,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(weighed(scores, documents, options, core::composite)?.into_pyarray(scores.py()))
}

/// What the new scores are made of.
#[pyfunction]
pub fn composite_parts(
    scores: &Bound<'_, PyUntypedArray>,
    documents: Option<&Bound<'_, PyList>>,
    options: Options,
) -> PyResult<Vec<PartRow>> {
    let row = |parts: Parts| {
        let [relevance, recency, importance, quality, weighed] =
            [parts.relevance, parts.recency, parts.importance, parts.quality, parts.weighed]
                .map(WideFloat::value);
        (relevance, recency, importance, quality, parts.proximity, weighed)
    };
    Ok(weighed(scores, documents, options, core::parts)?.into_iter().map(row).collect())
}

fn weighed<T: Send>(
    scores: &Bound<'_, PyUntypedArray>,
    documents: Option<&Bound<'_, PyList>>,
    options: Options,
    kernel: impl FnOnce(&[f64], &[Signals], &Request, Watch<'_>) -> Result<Vec<T>, Error> + Send,
) -> PyResult<Vec<T>> {
    let py = scores.py();
    let column = arrays::floats(scores, "scores")?;
    let scores = arrays::elements(&column)?;
    let documents = documents::signals(documents, scores.len())?;
    let request = request(options);
    detached(py, documents.len() * UNITS, |watch| kernel(scores, &documents, &request, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("ranking")))
}

/// Recency, importance, salience, confidence, usage and quality of one document.
#[pyfunction]
pub fn quality_terms(
    document: &Bound<'_, PyAny>,
    model: ModelFields,
    now: Moment,
) -> PyResult<(f64, f64, f64, f64, f64, f64)> {
    let (model, document) = (model_of(model), documents::of_one(document)?);
    Ok((
        model.recency(&document, now).value(),
        model.effective_importance(&document),
        model.salience(&document),
        model.effective_confidence(&document, now),
        model.usage(&document),
        model.quality(&document, now).value(),
    ))
}

/// How near two moments that are so many microseconds apart are, for a tolerance in days.
#[pyfunction]
pub fn temporal_proximity(distance: i64, tolerance: f64) -> f64 {
    proximity::proximity(as_days(distance), tolerance)
}

fn request((weights, model, now, target): Options) -> Request {
    let (relevance, recency, importance, quality) = weights;
    Request {
        weights: Weights { relevance, recency, importance, quality },
        model: model_of(model),
        now,
        target: target.map(|(moment, tolerance, boost)| Target { moment, tolerance, boost }),
    }
}

fn model_of(fields: ModelFields) -> Model {
    let (
        half_life,
        stability,
        tier_weights,
        confidence_decay,
        grace_weeks,
        confidence_floor,
        undated,
    ) = fields;
    Model {
        half_life,
        stability,
        tier_weights,
        confidence_decay,
        grace_weeks,
        confidence_floor,
        undated,
    }
}
