//! The BM25 index: segments and snapshots. Ids, documents and their history are Python's.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::ndarray::Ix1;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use rankmeld_core::bm25::{Builder, Found, Parameters, Place, Segment, Snapshot, Wanted};
use rankmeld_core::text::composed;
use rankmeld_core::{Error, Watch, parallel};

use crate::arrays;
use crate::bm25::{Terms, token_lists};
use crate::detach::detached;
use crate::errors::{InvalidArgumentError, Label, refused};
use crate::text::named;
use crate::texts::{Text, borrowed};

/// Collects the documents of one segment. One thread has it.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct Bm25Builder(Mutex<Builder>);

#[pymethods]
impl Bm25Builder {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Builder::new()))
    }

    /// Collects a document for each text.
    fn push_texts(&self, texts: &Bound<'_, PyAny>, stemmer: Option<&str>) -> PyResult<()> {
        let py = texts.py();
        let stemmer = named(stemmer)?;
        let texts = crate::texts::texts(texts, "documents")?;
        let texts = borrowed(&texts);
        let bytes = texts.iter().map(|text| text.len()).sum();
        detached(py, bytes, |watch| self.builder().push_texts(&texts, &stemmer, watch))?
            .map_err(|error| refused(py, error, &Label::Argument("documents")))
    }

    /// Collects a document for each list of tokens.
    fn push_tokens(&self, lists: &Bound<'_, PyAny>) -> PyResult<()> {
        let lists = token_lists(lists)?;
        let mut builder = self.builder();
        for list in &lists {
            builder.push_tokens(list.iter().map(Text::as_str));
        }
        Ok(())
    }

    /// The segment; nothing is left in the builder.
    fn finish(&self, py: Python<'_>) -> PyResult<Bm25Segment> {
        let builder = std::mem::take(&mut *self.builder());
        let segment = detached(py, usize::MAX, |watch| builder.finish(watch))?
            .map_err(|error| refused(py, error, &Label::Argument("documents")))?;
        Ok(Bm25Segment(Arc::new(segment)))
    }
}

impl Bm25Builder {
    fn builder(&self) -> std::sync::MutexGuard<'_, Builder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Documents that were indexed together.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct Bm25Segment(Arc<Segment>);

/// What an index holds at one moment.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct Bm25Snapshot(Arc<Snapshot>);

/// Parts, documents in them, and scores of hits, best first.
type Hits<'py> = (Vec<u32>, Vec<u32>, Bound<'py, PyArray1<f64>>);

/// A column of integers for NumPy.
type Integers<'py> = Bound<'py, PyArray1<i64>>;

#[pymethods]
impl Bm25Snapshot {
    /// Without documents.
    #[staticmethod]
    fn empty(k1: f64, b: f64) -> Self {
        Self(Arc::new(Snapshot::empty(Parameters { k1, b })))
    }

    /// For each part how many documents it has and how many of them live.
    fn sizes(&self) -> Vec<(usize, usize)> {
        self.0.sizes()
    }

    /// Living documents and their average length.
    fn statistics(&self) -> (u64, f64) {
        let statistics = self.0.statistics();
        (statistics.count, statistics.average_length)
    }

    /// How many living documents hold a token.
    fn holding(&self, token: &Bound<'_, PyAny>) -> PyResult<u64> {
        let token = Text::of(token, || "token".to_owned())?;
        Ok(self.0.holding(&composed(token.as_str())))
    }

    /// Whether the document at a place is there.
    fn lives(&self, part: u32, document: u32) -> bool {
        self.0.lives(Place { part, document })
    }

    /// The rank of a document in the order of insertion.
    fn order_of(&self, part: u32, document: u32) -> u64 {
        self.0.order_of(Place { part, document })
    }

    /// Without these documents.
    fn without(&self, py: Python<'_>, places: Vec<(u32, u32)>) -> PyResult<Self> {
        let places: Vec<Place> =
            places.into_iter().map(|(part, document)| Place { part, document }).collect();
        self.changed(py, |snapshot, watch| snapshot.without(&places, watch))
    }

    /// With a segment, whose documents have these ranks, and where each then stood in it.
    fn with_segment<'py>(
        &self,
        py: Python<'py>,
        segment: &Bm25Segment,
        order: Vec<u64>,
    ) -> PyResult<(Self, Integers<'py>)> {
        let segment = segment.0.clone();
        let mut stood = Vec::new();
        let made = self.changed(py, |snapshot, watch| {
            let (made, documents) = snapshot.with(segment, order, watch)?;
            stood.extend(documents.into_iter().map(i64::from));
            Ok(made)
        })?;
        Ok((made, stood.into_pyarray(py)))
    }

    /// With the parts from `first` on as one, and where each of its documents stood.
    fn merged<'py>(
        &self,
        py: Python<'py>,
        first: usize,
    ) -> PyResult<(Self, Integers<'py>, Integers<'py>)> {
        let mut places = Vec::new();
        let made = self.changed(py, |snapshot, watch| {
            let (made, stood) = snapshot.merged(first, watch)?;
            places = stood;
            Ok(made)
        })?;
        let (parts, documents) = columns(py, &places);
        Ok((made, parts, documents))
    }

    /// The hits of a query: a string, or a list of tokens.
    fn search<'py>(
        &self,
        query: &Bound<'py, PyAny>,
        stemmer: Option<&str>,
        limit: Option<usize>,
        ties: bool,
        allowed: Option<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Hits<'py>> {
        let py = query.py();
        let terms = Terms::of(query, &named(stemmer)?, "query")?;
        let query = self.0.query(terms.iter());
        let allowed = Allowed::of(allowed)?;
        let allowed = allowed.slices()?;
        let wanted = wanted(limit, ties, allowed.as_deref());
        let found = detached(py, query.postings(), |watch| self.0.search(&query, wanted, watch))?
            .map_err(|error| refused(py, error, &Label::Argument("query")))?;
        Ok(hits(py, &found))
    }

    /// The hits of several queries.
    fn search_many<'py>(
        &self,
        queries: &Bound<'py, PyList>,
        stemmer: Option<&str>,
        limit: Option<usize>,
        ties: bool,
        allowed: Option<Vec<Bound<'py, PyAny>>>,
        threads: usize,
    ) -> PyResult<Vec<Hits<'py>>> {
        let py = queries.py();
        let stemmer = named(stemmer)?;
        let terms = |(at, query): (usize, Bound<'py, PyAny>)| {
            Terms::of(&query, &stemmer, &format!("queries[{at}]"))
        };
        let terms: Vec<Terms<'py>> =
            queries.iter().enumerate().map(terms).collect::<PyResult<_>>()?;
        let queries: Vec<_> = terms.iter().map(|terms| self.0.query(terms.iter())).collect();
        let allowed = Allowed::of(allowed)?;
        let allowed = allowed.slices()?;
        let wanted = wanted(limit, ties, allowed.as_deref());
        let work = queries.iter().map(rankmeld_core::bm25::Query::postings).sum();
        let found = detached(py, work, |watch| {
            parallel::in_parts(queries.len(), threads, watch, |range, watch| {
                let queries = queries.get(range).unwrap_or_default();
                queries.iter().map(|query| self.0.search(query, wanted, watch)).collect()
            })
        })?
        .map_err(|error| refused(py, error, &Label::Argument("queries")))?;
        let found: Vec<Vec<Found>> = found.into_iter().flat_map(|part: Vec<_>| part).collect();
        Ok(found.iter().map(|found| hits(py, found)).collect())
    }

    /// The living documents as bytes, and where each stands.
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyBytes>, Integers<'py>, Integers<'py>)> {
        let (bytes, places) = detached(py, usize::MAX, |watch| self.0.to_bytes(watch))?
            .map_err(|error| refused(py, error, &Label::Argument("index")))?;
        let (parts, documents) = columns(py, &places);
        Ok((PyBytes::new(py, &bytes), parts, documents))
    }

    /// The snapshot that gave these bytes.
    #[staticmethod]
    fn from_bytes(k1: f64, b: f64, postings: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let py = postings.py();
        let parameters = Parameters { k1, b };
        let bytes = postings.as_bytes();
        let snapshot = detached(py, bytes.len(), |_| Snapshot::from_bytes(parameters, bytes))?
            .map_err(|error| refused(py, error, &Label::Argument("postings")))?;
        Ok(Self(Arc::new(snapshot)))
    }
}

impl Bm25Snapshot {
    fn changed(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&Snapshot, Watch<'_>) -> Result<Snapshot, Error> + Send,
    ) -> PyResult<Self> {
        let made = detached(py, usize::MAX, |watch| change(&self.0, watch))?
            .map_err(|error| refused(py, error, &Label::Argument("documents")))?;
        Ok(Self(Arc::new(made)))
    }
}

/// For each part which documents may be found.
struct Allowed<'py>(Option<Vec<PyReadonlyArray1<'py, bool>>>);

impl<'py> Allowed<'py> {
    fn of(masks: Option<Vec<Bound<'py, PyAny>>>) -> PyResult<Self> {
        let read = |mask: Bound<'py, PyAny>| {
            let array = arrays::as_array(&mask)
                .ok_or_else(|| InvalidArgumentError::new_err("a mask must be an array"))?;
            arrays::prepared::<bool, Ix1>(array)
        };
        let masks = masks.map(|masks| masks.into_iter().map(read).collect::<PyResult<_>>());
        Ok(Self(masks.transpose()?))
    }

    fn slices(&self) -> PyResult<Option<Vec<&[bool]>>> {
        match &self.0 {
            None => Ok(None),
            Some(masks) => masks.iter().map(arrays::elements).collect::<PyResult<_>>().map(Some),
        }
    }
}

fn wanted<'a>(limit: Option<usize>, ties: bool, allowed: Option<&'a [&'a [bool]]>) -> Wanted<'a> {
    Wanted { limit: limit.unwrap_or(usize::MAX), ties, allowed }
}

fn hits<'py>(py: Python<'py>, found: &[Found]) -> Hits<'py> {
    let scores: Vec<f64> = found.iter().map(|hit| hit.score).collect();
    (
        found.iter().map(|hit| hit.place.part).collect(),
        found.iter().map(|hit| hit.place.document).collect(),
        scores.into_pyarray(py),
    )
}

fn columns<'py>(py: Python<'py>, places: &[Place]) -> (Integers<'py>, Integers<'py>) {
    let parts: Vec<i64> = places.iter().map(|place| i64::from(place.part)).collect();
    let documents: Vec<i64> = places.iter().map(|place| i64::from(place.document)).collect();
    (parts.into_pyarray(py), documents.into_pyarray(py))
}
