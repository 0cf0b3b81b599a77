//! Late interaction over the tokens of texts.

use std::num::NonZeroUsize;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rankmeld_core::Processor;
use rankmeld_core::late_interaction::{self, STOP_WORDS, Tokens, Weights};
use rankmeld_core::text::composed;

use crate::corpus_stats::CorpusStats;
use crate::detach::detached;
use crate::errors::{Label, kind, refused};
use crate::texts::{Text, borrowed, no_text, require_order, texts, texts_in_any_order};

/// Text that keeps a thread busy for about five milliseconds; starting one takes a hundredth.
const BYTES_FOR_A_THREAD: usize = 1 << 20;

/// How alike two tokens are.
#[pyfunction]
pub fn token_similarity(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    let py = a.py();
    let (a, b) = (Text::of(a, || "a".to_owned())?, Text::of(b, || "b".to_owned())?);
    let (a, b) = (composed(a.as_str()), composed(b.as_str()));
    detached(py, a.len() + b.len(), |watch| late_interaction::token_similarity(&a, &b, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("a")))
}

/// How much a token says, beside the built-in stop words or others.
#[pyfunction]
pub fn token_weight(
    token: &Bound<'_, PyAny>,
    stop_words: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let py = token.py();
    let token = Text::of(token, || "token".to_owned())?;
    let token = composed(token.as_str());
    let stop_words = stop_words.map(|words| texts_in_any_order(words, "stop_words")).transpose()?;
    let stop_words = stop_words.as_deref().map(borrowed);
    detached(py, token.len(), |watch| match &stop_words {
        None => late_interaction::specificity(&token, watch),
        Some(words) => late_interaction::specificity_beside(&token, words, watch),
    })?
    .map_err(|error| refused(py, error, &Label::Argument("token")))
}

/// The built-in stop words.
#[pyfunction]
pub fn stop_words() -> Vec<&'static str> {
    STOP_WORDS.to_vec()
}

/// The score of one document. Weights are those given, else by the idf of `stats`, else by what a
/// token looks like.
#[pyfunction]
pub fn lexical_score<'py>(
    query: &Bound<'py, PyAny>,
    document: &Bound<'py, PyAny>,
    weights: Option<Vec<f64>>,
    stats: Option<&Bound<'py, CorpusStats>>,
) -> PyResult<f64> {
    let py = query.py();
    let query = Side::of(query, || "query".to_owned())?;
    let document = Side::of(document, || "document".to_owned())?;
    let scores = scores(py, &query, &[document], weights, stats, Some(1))?;
    Ok(scores.first().copied().unwrap_or_default())
}

/// The score of each document, with weights as above.
#[pyfunction]
pub fn lexical_scores<'py>(
    query: &Bound<'py, PyAny>,
    documents: &Bound<'py, PyAny>,
    weights: Option<Vec<f64>>,
    stats: Option<&Bound<'py, CorpusStats>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let py = query.py();
    let query = Side::of(query, || "query".to_owned())?;
    Ok(scores(py, &query, &sides(documents)?, weights, stats, threads)?.into_pyarray(py))
}

fn scores(
    py: Python<'_>,
    query: &Side<'_>,
    documents: &[Side<'_>],
    weights: Option<Vec<f64>>,
    stats: Option<&Bound<'_, CorpusStats>>,
    threads: Option<usize>,
) -> PyResult<Vec<f64>> {
    let work = documents.iter().map(Side::work).sum::<usize>() + query.work();
    let (query, documents) =
        (query.tokens(), documents.iter().map(Side::tokens).collect::<Vec<_>>());
    let stats = stats.map(|stats| stats.get().snapshot());
    let weights = chosen(weights.as_deref(), stats.as_deref());
    let threads = threads.unwrap_or_else(|| threads_for(work));
    detached(py, work, |watch| {
        let processor = Processor::best();
        late_interaction::scores(&query, weights, &documents, processor, threads, watch)
    })?
    .map_err(|error| refused(py, error, &Label::Argument("documents")))
}

/// As many threads as there are processors, if there is enough text for each.
fn threads_for(work: usize) -> usize {
    match work / BYTES_FOR_A_THREAD {
        0 | 1 => 1, // to ask how many processors there are takes longer than a short text
        most => std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(most),
    }
}

/// Matches handed to Python between two looks for a signal: some milliseconds of work.
const MATCHES_BETWEEN_SIGNALS: usize = 1 << 14;

/// A token of the query, its weight, the token of the document and how alike they are.
type Match<'py> = (Bound<'py, PyString>, f64, Option<Bound<'py, PyString>>, f64);

/// What one document has for each token of the query.
#[pyfunction]
pub fn lexical_matches<'py>(
    query: &Bound<'py, PyAny>,
    document: &Bound<'py, PyAny>,
    weights: Option<Vec<f64>>,
    stats: Option<&Bound<'py, CorpusStats>>,
) -> PyResult<Vec<Match<'py>>> {
    let py = query.py();
    let query = Side::of(query, || "query".to_owned())?;
    let document = Side::of(document, || "document".to_owned())?;
    let work = document.work() + query.work();
    let (query, document) = (query.tokens(), document.tokens());
    let stats = stats.map(|stats| stats.get().snapshot());
    let weights = chosen(weights.as_deref(), stats.as_deref());
    let found =
        detached(py, work, |watch| late_interaction::matches(&query, weights, &document, watch))?
            .map_err(|error| refused(py, error, &Label::Argument("document")))?;
    let shown = found.into_iter().enumerate().map(|(place, one)| {
        if place % MATCHES_BETWEEN_SIGNALS == 0 {
            py.check_signals()?;
        }
        let document = one.document.map(|token| PyString::new(py, &token));
        Ok((PyString::new(py, &one.query), one.weight, document, one.similarity))
    });
    shown.collect()
}

fn chosen<'a>(
    weights: Option<&'a [f64]>,
    stats: Option<&'a rankmeld_core::corpus_stats::CorpusStats>,
) -> Weights<'a> {
    match (weights, stats) {
        (Some(weights), _) => Weights::Given(weights),
        (None, Some(stats)) => Weights::Idf(stats),
        (None, None) => Weights::Specificity,
    }
}

/// A query or a document: a text, or its tokens.
enum Side<'py> {
    Text(Text<'py>),
    Tokens(Vec<Text<'py>>),
}

impl<'py> Side<'py> {
    fn of(object: &Bound<'py, PyAny>, name: impl Fn() -> String) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Ok(Self::Text(Text::of(object, name)?));
        }
        if object.is_instance_of::<PyList>() || object.try_iter().is_ok() {
            return Ok(Self::Tokens(texts(object, &name())?));
        }
        Err(PyTypeError::new_err(format!(
            "{} must be a str or a list of tokens, not {}",
            name(),
            no_text(object)?
        )))
    }

    fn tokens(&self) -> Tokens<'_> {
        match self {
            Self::Text(text) => Tokens::Text(text.as_str()),
            Self::Tokens(tokens) => Tokens::Given(borrowed(tokens)),
        }
    }

    fn work(&self) -> usize {
        match self {
            Self::Text(text) => text.as_str().len(),
            Self::Tokens(tokens) => tokens.iter().map(|token| 8 + token.as_str().len()).sum(),
        }
    }
}

fn sides<'py>(documents: &Bound<'py, PyAny>) -> PyResult<Vec<Side<'py>>> {
    if documents.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(
            "documents must be a list of texts or token lists, not a str; to pass one text alone, \
             write [text]",
        ));
    }
    let read = |(index, document): (usize, PyResult<Bound<'py, PyAny>>)| {
        Side::of(&document?, || format!("documents[{index}]"))
    };
    require_order(documents, "documents", "texts or token lists")?;
    if let Ok(list) = documents.cast::<PyList>() {
        return list.iter().map(Ok).enumerate().map(read).collect();
    }
    let iterator = documents.try_iter().map_err(|_| {
        PyTypeError::new_err(format!(
            "documents must be a list of texts or token lists, not {}",
            kind(documents)
        ))
    })?;
    iterator.enumerate().map(read).collect()
}
