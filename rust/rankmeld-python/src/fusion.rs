//! Fusion: accept, detach, call, return.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pyo3::{PyTraverseError, PyVisit, intern};
use rankmeld_core::fusion::normalize::Normalization;
use rankmeld_core::fusion::rank_credits::RankCredit;
use rankmeld_core::fusion::{self, Combination, Duplicates, Request, trace};

use crate::batch::{Batch, RawScores, read_batch};
use crate::detach::detached;
use crate::errors::{Label, refused, to_python, unknown_word};
use crate::forms::Ids;
use crate::ordering::Ties;

/// What entries are worth; made by the Python face, which has checked the parameters.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct Method(fusion::Method);

#[pymethods]
impl Method {
    /// `w / (k + (position + rank_base))`.
    #[staticmethod]
    fn reciprocal(k: f64, rank_base: i64) -> Self {
        Self(fusion::Method::Ranks(RankCredit::Reciprocal { k, rank_base }))
    }

    /// `w / rank^2`.
    #[staticmethod]
    fn inverse_square() -> Self {
        Self(fusion::Method::Ranks(RankCredit::InverseSquare))
    }

    /// `w (1 - phi) phi^(rank - 1)`.
    #[staticmethod]
    fn rank_biased(phi: f64) -> Self {
        Self(fusion::Method::Ranks(RankCredit::RankBiased { phi }))
    }

    /// `1 - position / n`.
    #[staticmethod]
    fn linear() -> Self {
        Self(fusion::Method::Linear)
    }

    /// Borda counts, in points of N or shares of 1.
    #[staticmethod]
    fn borda(points: bool) -> Self {
        Self(fusion::Method::Borda { points })
    }

    /// Pairwise majorities.
    #[staticmethod]
    fn condorcet() -> Self {
        Self(fusion::Method::Condorcet)
    }

    /// Normalized scores; `bounds` holds a known range or `None` for each list.
    #[staticmethod]
    fn scores(
        normalize: &str,
        on_constant: Option<f64>,
        bounds: Vec<Option<(f64, f64)>>,
    ) -> PyResult<Self> {
        let rule = match normalize {
            "minmax" => Normalization::MinMax,
            "max" => Normalization::Max,
            "sum" => Normalization::Sum,
            "zscore" => Normalization::ZScore,
            "dbsf" => Normalization::DistributionBased,
            "none" => Normalization::None,
            _ => return Err(unknown_word("normalize", normalize)),
        };
        let known = |range| match range {
            Some((low, high)) => Normalization::Bounds { low, high },
            None => rule,
        };
        let lists = bounds.into_iter().map(known).collect();
        Ok(Self(fusion::Method::Scores { lists, on_constant }))
    }
}

impl Method {
    /// As the core knows it.
    pub fn core(&self) -> fusion::Method {
        self.0.clone()
    }

    /// Whether raw scores take part.
    fn wants_scores(&self) -> bool {
        matches!(&self.0, fusion::Method::Scores { .. })
    }
}

/// Reads the option's word.
pub fn combination(word: &str) -> PyResult<Combination> {
    Ok(match word {
        "sum" => Combination::Sum,
        "mnz" => Combination::SumTimesCount,
        "anz" => Combination::SumOverCount,
        "log" => Combination::SumTimesLogCount { shift: 0.0 },
        "logn" => Combination::SumTimesLogCount { shift: 0.01 },
        "max" => Combination::Max,
        "min" => Combination::Min,
        "median" => Combination::Median,
        _ => return Err(unknown_word("combine", word)),
    })
}

/// Reads the option's word.
pub fn duplicates(word: &str) -> PyResult<Duplicates> {
    Ok(match word {
        "first" => Duplicates::First,
        "sum" => Duplicates::Sum,
        "last" => Duplicates::Last,
        "overwrite" => Duplicates::Overwrite,
        "error" => Duplicates::Refuse,
        _ => return Err(unknown_word("duplicates", word)),
    })
}

/// Ids, scores, documents (or `None`), matched chunks by place (or `None`), and the trace.
type Output<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Option<Bound<'py, PyList>>,
    Option<Bound<'py, PyDict>>,
    Trace,
);

/// Fuses rankings; `names` holds a name or `None` for each, `weights` a number for each.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one flat call per fusion keeps its overhead low")]
pub fn fuse<'py>(
    py: Python<'py>,
    rankings: &Bound<'py, PyList>,
    names: &Bound<'py, PyList>,
    weights: Vec<f64>,
    method: &Method,
    combine: &str,
    duplicates: &str,
    limit: Option<usize>,
    ties: &str,
) -> PyResult<Output<'py>> {
    let label = Label::Lists(names);
    let request = Request {
        method: method.core(),
        combination: combination(combine)?,
        duplicates: self::duplicates(duplicates)?,
        weights,
    };
    let ties = Ties::from_word(ties)?;
    let batch = read_batch(rankings, &label, method.wants_scores())?;
    let columns = batch.columns()?;
    let fused = detached(py, batch.rankings.entries(), |watch| {
        fusion::fuse(&batch.rankings, &columns, &request, watch)
    })?;
    let Batch { rankings, ids, raw, documents, .. } = batch;
    let fused = fused.map_err(|error| {
        let code_at = |list: usize, position: usize| {
            rankings.lists.get(list).and_then(|codes| codes.get(position)).copied()
        };
        let id_of = |code: u32| ids.shown(code as usize);
        let id_at = |list, position| code_at(list, position).map_or_else(String::new, id_of);
        to_python(py, error, &label, id_at, id_of)
    })?;
    let order = ties.order(py, &fused.scores, &ids, limit.unwrap_or(fused.scores.len()))?;
    let scores = picked(&fused.scores, &order);
    let (kept, chunks) = documents_of(py, &order, rankings.candidates, &documents)?;
    let ids = ids_of(py, &order, ids)?;
    let inner = trace::Trace { rankings, duplicates: request.duplicates, fused, order };
    Ok((ids, scores.into_pyarray(py).into_any(), kept, chunks, Trace { inner, raw }))
}

/// The values of these codes. Of a known length, so that the column is made in one piece.
fn picked<T: Copy + Default>(column: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&code| column.get(code as usize).copied().unwrap_or_default()).collect()
}

fn ids_of<'py>(py: Python<'py>, order: &[u32], ids: Ids<'py>) -> PyResult<Bound<'py, PyAny>> {
    match ids {
        Ids::Integers(ids) => Ok(picked(&ids, order).into_pyarray(py).into_any()),
        Ids::Objects(ids) => {
            // Each code occurs once, so references move out instead of being counted up and down.
            let mut ids: Vec<Option<Bound<'py, PyAny>>> = ids.into_iter().map(Some).collect();
            let best = order.iter().map(|&code| ids.get_mut(code as usize).and_then(Option::take));
            Ok(PyList::new(py, best)?.into_any())
        }
    }
}

type Kept<'py> = (Option<Bound<'py, PyList>>, Option<Bound<'py, PyDict>>);

/// The place of an id that the limit cut off.
const CUT: usize = usize::MAX;

/// For the ids that survived: the first document seen, and the first matched chunk by place.
fn documents_of<'py>(
    py: Python<'py>,
    order: &[u32],
    candidates: usize,
    documents: &[(u32, Bound<'py, PyAny>)],
) -> PyResult<Kept<'py>> {
    if documents.is_empty() {
        return Ok((None, None));
    }
    let mut places = vec![CUT; candidates];
    for (place, &code) in order.iter().enumerate() {
        if let Some(slot) = places.get_mut(code as usize) {
            *slot = place;
        }
    }
    let key = intern!(py, "matched_chunk");
    let mut kept: Vec<Option<&Bound<'py, PyAny>>> = vec![None; order.len()];
    let chunks = PyDict::new(py);
    for (code, document) in documents {
        let place = places.get(*code as usize).copied().unwrap_or(CUT);
        let Some(slot) = kept.get_mut(place) else {
            continue;
        };
        let first = slot.is_none();
        if first {
            *slot = Some(document);
        }
        let Ok(metadata) = document.getattr(intern!(py, "metadata")) else {
            continue;
        };
        if metadata.contains(key).unwrap_or(false) && !chunks.contains(place)? {
            // The document that is kept anyway needs no copy for its own chunk.
            let chunk = if first { py.None().into_bound(py) } else { metadata.get_item(key)? };
            chunks.set_item(place, (first, chunk))?;
        }
    }
    Ok((Some(PyList::new(py, kept)?), Some(chunks)))
}

/// Where the scores of one fusion come from.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct Trace {
    inner: trace::Trace,
    raw: Vec<RawScores>,
}

/// List, position, raw score, normalized value, credit.
type Row = (usize, Option<usize>, Option<f64>, Option<f64>, f64);

#[pymethods]
impl Trace {
    /// For each of these distinct places of the output what every list gave.
    fn contributions(&self, py: Python<'_>, places: Vec<usize>) -> PyResult<Vec<Vec<Row>>> {
        let known: Vec<usize> =
            places.into_iter().filter(|&place| place < self.inner.order.len()).collect();
        let entries = self.inner.rankings.entries();
        let found = detached(py, entries, |watch| self.inner.contributions(&known, watch))?;
        let found = found.map_err(|error| refused(py, error, &Label::Argument("ranking")))?;
        let row = |c: &trace::Contribution| {
            let raw = self.raw.get(c.list).zip(c.position);
            let score = raw.and_then(|(raw, position)| raw.get(py, position));
            (c.list, c.position, score, c.normalized, c.credit)
        };
        Ok(found.iter().map(|contributions| contributions.iter().map(row).collect()).collect())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.raw.iter().try_for_each(|raw| raw.traverse(&visit))
    }
}
