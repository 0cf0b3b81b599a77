//! Near-duplicates: sketches of texts, and what is found with them.

use std::num::NonZeroUsize;
use std::sync::{Arc, PoisonError, RwLock};

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rankmeld_core::dedup::{
    self, BandIndex, Linkage, Settings, Shingling, Sketch, Sketcher, storage,
};
use rankmeld_core::{Error, Processor};

use crate::detach::detached;
use crate::errors::{InvalidArgumentError, Label, refused, unknown_word};
use crate::texts::{Text, borrowed, texts};

/// Work enough to go on without the interpreter, whatever it is.
const ALWAYS: usize = usize::MAX;

/// Makes sketches of texts.
#[pyclass(frozen, name = "Sketcher", module = "rankmeld._core")]
pub struct PySketcher(pub Sketcher);

#[pymethods]
impl PySketcher {
    /// Sketches that are found by their bands (`banded`), or compared pair by pair.
    #[new]
    fn new(
        py: Python<'_>,
        threshold: f64,
        num_perm: usize,
        shingle: Option<usize>,
        verify: bool,
        banded: bool,
    ) -> PyResult<Self> {
        let shingling =
            shingle.and_then(NonZeroUsize::new).map_or(Shingling::Words, Shingling::Runs);
        let settings = Settings { threshold, values: num_perm, shingling, verify };
        if !banded {
            return Ok(Self(Sketcher::without_bands(settings, Processor::best())));
        }
        let sketcher = Sketcher::with_bands(settings, Processor::best());
        sketcher.map(Self).map_err(|error| match error {
            Error::ThresholdTooLow { least } => InvalidArgumentError::new_err(format!(
                "threshold is {threshold:?}, which num_perm={num_perm} cannot serve: too many pairs \
                 would be missed; the smallest possible is {least:?}, or raise num_perm"
            )),
            error => refused(py, error, &Label::Argument("threshold")),
        })
    }

    /// How texts are compared, as the arguments of `new` without the last.
    #[getter]
    fn settings(&self) -> (f64, usize, Option<usize>, bool) {
        let settings = self.0.settings();
        let shingle = match settings.shingling {
            Shingling::Words => None,
            Shingling::Runs(length) => Some(length.get()),
        };
        (settings.threshold, settings.values, shingle, settings.verify)
    }

    /// How many bands there are, and how many values of a signature each has.
    #[getter]
    fn banding(&self) -> (usize, usize) {
        (self.0.bands(), self.0.rows())
    }

    /// Sketches of texts.
    fn texts(&self, given: &Bound<'_, PyAny>, threads: usize) -> PyResult<Sketches> {
        let held = texts(given, "texts")?;
        let texts = borrowed(&held);
        let work = texts.iter().map(|text| text.len()).sum();
        sketched(given.py(), work, |watch| self.0.of_texts(&texts, threads, watch))
    }

    /// Sketches of texts that come as lists of tokens.
    fn tokens(
        &self,
        given: Vec<Bound<'_, PyAny>>,
        py: Python<'_>,
        threads: usize,
    ) -> PyResult<Sketches> {
        let held = given.iter().map(|tokens| texts(tokens, "the tokens of the tokenizer"));
        let held: Vec<Vec<Text<'_>>> = held.collect::<PyResult<_>>()?;
        let tokens: Vec<Vec<&str>> = held.iter().map(|tokens| borrowed(tokens)).collect();
        let work = tokens.iter().map(|tokens| 8 * tokens.len()).sum();
        sketched(py, work, |watch| self.0.of_tokens(&tokens, threads, watch))
    }

    /// Signatures and keys of bands, text by text.
    fn signatures<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Signatures<'py>> {
        let py = given.py();
        let held = texts(given, "texts")?;
        let texts = borrowed(&held);
        let work = texts.iter().map(|text| text.len()).sum();
        let (signatures, keys) = detached(py, work, |watch| self.0.sign(&texts, watch))?
            .map_err(|error| refused(py, error, &Label::Argument("texts")))?;
        Ok((signatures.into_pyarray(py), keys.into_pyarray(py)))
    }
}

type Signatures<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);

fn sketched(
    py: Python<'_>,
    work: usize,
    kernel: impl FnOnce(rankmeld_core::Watch<'_>) -> Result<Vec<Sketch>, Error> + Send,
) -> PyResult<Sketches> {
    let made = detached(py, work, kernel)?;
    let made = made.map_err(|error| refused(py, error, &Label::Argument("texts")))?;
    Ok(Sketches(made.into_iter().map(Arc::new).collect()))
}

/// Sketches of some texts, in order.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct Sketches(pub Vec<Arc<Sketch>>);

#[pymethods]
impl Sketches {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Those at some places.
    fn only(&self, places: Vec<usize>) -> Self {
        Self(places.into_iter().filter_map(|place| self.0.get(place).cloned()).collect())
    }

    /// The similarity of two of them; 0 for a place where there is none.
    fn similarity(&self, one: usize, other: usize) -> f64 {
        match (self.0.get(one), self.0.get(other)) {
            (Some(one), Some(other)) => one.similarity(other),
            _ => 0.0,
        }
    }

    /// As bytes that go into a file.
    fn encode<'py>(&self, py: Python<'py>, sketcher: &PySketcher) -> PyResult<Bound<'py, PyBytes>> {
        let settings = sketcher.0.settings();
        let texts = self.0.iter().map(AsRef::as_ref);
        let bytes = detached(py, ALWAYS, |_| Ok(storage::encode(settings, texts)))?
            .map_err(|error| refused(py, error, &Label::Argument("index")))?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// What `encode` made.
#[pyfunction]
pub fn decode_sketches(py: Python<'_>, encoded: &[u8]) -> PyResult<(PySketcher, Sketches)> {
    let (sketcher, texts) =
        detached(py, ALWAYS, |watch| storage::decode(encoded, Processor::best(), watch))?
            .map_err(|error| refused(py, error, &Label::Argument("encoded")))?;
    Ok((PySketcher(sketcher), Sketches(texts.into_iter().map(Arc::new).collect())))
}

/// For each text of the batches the first one of its cluster.
#[pyfunction]
pub fn near_clusters<'py>(
    py: Python<'py>,
    sketcher: &PySketcher,
    batches: Vec<PyRef<'py, Sketches>>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let all: Vec<Arc<Sketch>> = batches.iter().flat_map(|batch| batch.0.iter().cloned()).collect();
    let (bands, threshold) = (sketcher.0.bands(), sketcher.0.settings().threshold);
    let firsts =
        detached(py, ALWAYS, |watch| dedup::clusters(&all, bands, threshold, threads, watch))?
            .map_err(|error| refused(py, error, &Label::Argument("texts")))?;
    let firsts: Vec<i64> = firsts.into_iter().map(i64::from).collect();
    Ok(firsts.into_pyarray(py))
}

/// For each hit of a ranking, best first, the place of the one that stays for it.
#[pyfunction]
pub fn near_kept(
    py: Python<'_>,
    sketcher: &PySketcher,
    hits: &Sketches,
    groups: Vec<Vec<u32>>,
    linkage: &str,
) -> PyResult<Vec<u32>> {
    let linkage = match linkage {
        "chain" => Linkage::Chain,
        "star" => Linkage::Star,
        word => return Err(unknown_word("linkage", word)),
    };
    let (bands, threshold) = (sketcher.0.bands(), sketcher.0.settings().threshold);
    let hits = &hits.0;
    detached(py, 64 * hits.len() * hits.len().min(dedup::ALL_PAIRS), |watch| {
        dedup::kept_in_groups(hits, &groups, bands, threshold, linkage, watch)
    })?
    .map_err(|error| refused(py, error, &Label::Argument("ranking")))
}

/// Sketches under numbers, for many readers beside a writer.
///
/// The lock is held with the interpreter only, for about a millisecond: so no `fork` finds it taken,
/// nor the index half changed. What takes longer works on what was read.
#[pyclass(frozen, name = "BandIndex", module = "rankmeld._core")]
pub struct PyBandIndex {
    index: RwLock<BandIndex>,
    threshold: f64,
}

/// Sketches that are put into the index before other threads and signals have their turn.
const AT_ONCE: usize = 1 << 7;

#[pymethods]
impl PyBandIndex {
    #[new]
    fn new(sketcher: &PySketcher) -> Self {
        let index = RwLock::new(BandIndex::new(sketcher.0.bands()));
        Self { index, threshold: sketcher.0.settings().threshold }
    }

    /// Keeps each sketch under its number, in place of the one that was there.
    fn put(&self, py: Python<'_>, numbers: Vec<u64>, sketches: &Sketches) -> PyResult<()> {
        let mut pairs = numbers.iter().zip(&sketches.0).peekable();
        while pairs.peek().is_some() {
            let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
            pairs
                .by_ref()
                .take(AT_ONCE)
                .try_for_each(|(&number, sketch)| index.put(number, sketch.clone()))
                .map_err(|error| refused(py, error, &Label::Argument("texts")))?;
            drop(index);
            if pairs.peek().is_some() {
                py.detach(|| {});
                py.check_signals()?;
            }
        }
        Ok(())
    }

    /// Removes the sketch under a number; whether there was one.
    fn remove(&self, number: u64) -> bool {
        self.index.write().unwrap_or_else(PoisonError::into_inner).remove(number)
    }

    /// Numbers and similarities of what is near the one sketch, the most similar first.
    fn query(&self, py: Python<'_>, sketch: &Sketches) -> PyResult<Vec<(u64, f64)>> {
        let Some(sketch) = sketch.0.first() else { return Ok(Vec::new()) };
        let candidates =
            self.index.read().unwrap_or_else(PoisonError::into_inner).candidates(sketch);
        detached(py, ALWAYS, |watch| dedup::similar(&candidates, sketch, self.threshold, watch))?
            .map_err(|error| refused(py, error, &Label::Argument("text")))
    }

    /// All numbers, ascending, with their sketches as they are now.
    fn all(&self) -> (Vec<u64>, Sketches) {
        let all = self.index.read().unwrap_or_else(PoisonError::into_inner).all();
        let (numbers, sketches) = all.into_iter().unzip();
        (numbers, Sketches(sketches))
    }
}
