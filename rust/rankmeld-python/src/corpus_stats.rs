//! Counts of a collection that Python holds.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use rankmeld_core::corpus_stats::{CorpusStats as Counts, Counter, Missing};
use rankmeld_core::text::{TokenBuffer, composed};
use rankmeld_core::{Error, Watch};

use crate::detach::detached;
use crate::errors::{InvalidArgumentError, Label, refused, shown, unknown_word};
use crate::text::named;
use crate::texts::{Text, borrowed, texts, texts_in_any_order};

/// How many texts hold each token; may be read and changed from many threads.
///
/// The lock is held while counts are merged, which runs nothing of Python's and keeps the
/// interpreter: so no `fork` finds it taken. Readers work on a snapshot.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct CorpusStats(Mutex<Arc<Counts>>);

impl CorpusStats {
    /// The counts as they are now.
    pub fn snapshot(&self) -> Arc<Counts> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Counts) -> T) -> T {
        // A change never leaves anything half done, not even when it panics: it checks first.
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut counts))
    }

    fn of(counts: Counts) -> Self {
        Self(Mutex::new(Arc::new(counts)))
    }
}

#[pymethods]
impl CorpusStats {
    /// Counts of no texts.
    #[new]
    fn new() -> Self {
        Self::of(Counts::new())
    }

    /// Counts of some texts, read by a tokenizer that is built in.
    #[staticmethod]
    fn of_texts(given: &Bound<'_, PyAny>, tokenizer: &str) -> PyResult<Self> {
        let py = given.py();
        let texts = texts(given, "texts")?;
        let texts = borrowed(&texts);
        let stemmer = named(Some("light"))?;
        let read = match tokenizer {
            "tokenize" => TokenBuffer::tokenize_watched,
            "bm25_tokenize" => {
                return Self::counted(py, &texts, |buffer, text, watch| {
                    buffer.bm25_tokenize_watched(text, &stemmer, watch)
                });
            }
            word => return Err(unknown_word("tokenizer", word)),
        };
        Self::counted(py, &texts, read)
    }

    /// Counts of some texts, given as what a caller's tokenizer made of them; `first` is the first
    /// one's place among all texts, by which a refusal calls it.
    #[staticmethod]
    fn of_tokens(given: &Bound<'_, PyList>, first: usize) -> PyResult<Self> {
        let py = given.py();
        let mut counter = Counter::default();
        for (place, tokens) in given.iter().enumerate() {
            py.check_signals()?;
            let name = format!("tokenizer(texts[{}])", first + place);
            let tokens = texts_in_any_order(&tokens, &name)?;
            let tokens: Vec<_> = tokens.iter().map(|token| composed(token.as_str())).collect();
            let count = counter.count(tokens.iter().map(AsRef::as_ref), Watch::never());
            count.map_err(|error| refused(py, error, &Label::Argument("texts")))?;
        }
        Ok(Self::of(counter.finish()))
    }

    /// Counts that were bytes.
    #[staticmethod]
    fn from_bytes(saved: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let counts = Counts::from_bytes(saved.as_bytes());
        counts.map(Self::of).ok_or_else(|| {
            InvalidArgumentError::new_err(
                "these bytes are no counts of a collection; make them again",
            )
        })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let counts = self.snapshot();
        let bytes = detached(py, counts.distinct() * 8, |_| Ok(counts.to_bytes()))?
            .map_err(|error| refused(py, error, &Label::Argument("texts")))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Adds the texts that others count.
    fn merge(&self, others: &Bound<'_, Self>) {
        let others = others.get().snapshot();
        self.change(|counts| counts.merge(&others));
    }

    /// Takes away the texts that others count.
    fn subtract(&self, others: &Bound<'_, Self>) -> PyResult<()> {
        let py = others.py();
        let others = others.get().snapshot();
        self.change(|counts| counts.subtract(&others)).map_err(|missing| {
            let what = match missing {
                Missing::Texts(texts) => {
                    format!("there are {} of them, and only {texts} were added", others.texts())
                }
                Missing::Token(number) => format!(
                    "more of them hold {} than of those that were added",
                    shown(pyo3::types::PyString::new(py, others.token(number)).as_any())
                ),
                Missing::Whole => "what would be left fits no texts".to_owned(),
            };
            InvalidArgumentError::new_err(format!(
                "texts cannot be removed: {what}; remove only texts that were added, and as they were"
            ))
        })
    }

    #[getter]
    fn texts(&self) -> u64 {
        self.snapshot().texts()
    }

    #[getter]
    fn length(&self) -> u64 {
        self.snapshot().length()
    }

    #[getter]
    fn average_length(&self) -> f64 {
        self.snapshot().average_length()
    }

    #[getter]
    fn distinct(&self) -> usize {
        self.snapshot().distinct()
    }

    fn frequency(&self, token: &Bound<'_, PyAny>) -> PyResult<u64> {
        let token = Text::of(token, || "token".to_owned())?;
        Ok(self.snapshot().frequency(&composed(token.as_str())))
    }

    fn idf(&self, token: &Bound<'_, PyAny>) -> PyResult<f64> {
        let token = Text::of(token, || "token".to_owned())?;
        Ok(self.snapshot().idf(&composed(token.as_str())))
    }

    fn equals(&self, other: &Bound<'_, Self>) -> bool {
        *self.snapshot() == *other.get().snapshot()
    }
}

impl CorpusStats {
    fn counted(
        py: Python<'_>,
        texts: &[&str],
        mut read: impl FnMut(&mut TokenBuffer, &str, Watch<'_>) -> Result<(), Error> + Send,
    ) -> PyResult<Self> {
        let size = texts.iter().map(|text| text.len()).sum();
        let count = |watch: Watch<'_>| -> Result<Counts, Error> {
            let (mut counter, mut buffer) = (Counter::default(), TokenBuffer::new());
            let mut unwatched = 0;
            for text in texts {
                unwatched += text.len();
                if unwatched > rankmeld_core::watch::CHUNK {
                    unwatched = 0;
                    watch.check()?;
                }
                read(&mut buffer, text, watch)?;
                counter.count(buffer.iter(), watch)?;
            }
            Ok(counter.finish())
        };
        let counts = detached(py, size, count)?
            .map_err(|error| refused(py, error, &Label::Argument("texts")))?;
        Ok(Self::of(counts))
    }
}
