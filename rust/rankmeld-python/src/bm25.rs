//! BM25 scores of a few texts.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyString;
use rankmeld_core::Watch;
use rankmeld_core::bm25::{self, Given, Parameters, Scoring, Statistics};
use rankmeld_core::text::{Stemmer, TokenBuffer};

use crate::detach::detached;
use crate::errors::{Label, refused};
use crate::text::named;
use crate::texts::{Text, borrowed, texts};

/// The number of documents, their average length, and for each distinct token of the query how
/// many documents hold it.
pub type StatisticsOf = (u64, f64, Vec<u64>);

/// The score of each of `texts`: strings that the built-in tokenizer reads, or lists of tokens.
///
/// The query comes in either form.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of the Python face, one by one")]
pub fn bm25_scores<'py>(
    query: &Bound<'py, PyAny>,
    texts: &Bound<'py, PyAny>,
    stemmer: Option<&str>,
    tokenized: bool,
    k1: f64,
    b: f64,
    normalized: bool,
    statistics: Option<StatisticsOf>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let py = query.py();
    let stemmer = named(stemmer)?;
    let query = Terms::of(query, &stemmer, "query")?;
    let query: Vec<&str> = query.iter().collect();
    let given = statistics.as_ref().map(|(count, average_length, holding)| Given {
        statistics: Statistics { count: *count, average_length: *average_length },
        holding,
    });
    let scoring = Scoring { parameters: Parameters { k1, b }, given, normalized };
    let scores = if tokenized {
        let lists = token_lists(texts)?;
        let lists: Vec<Vec<&str>> = lists.iter().map(|list| borrowed(list)).collect();
        let work = lists.iter().map(Vec::len).sum();
        detached(py, work, |_| Ok(bm25::scores_of_tokens(&query, &lists, scoring)))?
    } else {
        let texts = crate::texts::texts(texts, "texts")?;
        let texts = borrowed(&texts);
        let bytes = texts.iter().map(|text| text.len()).sum();
        detached(py, bytes, |watch| bm25::scores(&query, &texts, &stemmer, scoring, watch))?
    };
    let scores = scores.map_err(|error| refused(py, error, &Label::Argument("texts")))?;
    Ok(scores.into_pyarray(py))
}

/// Lists of tokens as text.
pub fn token_lists<'py>(lists: &Bound<'py, PyAny>) -> PyResult<Vec<Vec<Text<'py>>>> {
    lists.try_iter()?.map(|list| texts(&list?, "tokens")).collect()
}

/// The terms of a query: of a string by the built-in tokenizer, or a list of tokens.
pub enum Terms<'py> {
    /// What the tokenizer made.
    Made(TokenBuffer),
    /// What a caller's own tokenizer gave.
    Given(Vec<Text<'py>>),
}

impl<'py> Terms<'py> {
    /// Reads a query; `name` is the argument's.
    pub fn of(query: &Bound<'py, PyAny>, stemmer: &Stemmer, name: &str) -> PyResult<Self> {
        if !query.is_instance_of::<PyString>() {
            return Ok(Self::Given(texts(query, name)?));
        }
        let text = Text::of(query, || name.to_owned())?;
        let text = text.as_str();
        let read = |watch: Watch<'_>| {
            let mut buffer = TokenBuffer::new();
            buffer.bm25_tokenize_watched(text, stemmer, watch)?;
            Ok(buffer)
        };
        let read = detached(query.py(), text.len(), read)?;
        Ok(Self::Made(read.map_err(|error| refused(query.py(), error, &Label::Argument(name)))?))
    }

    /// The terms in order.
    pub fn iter(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Made(buffer) => Box::new(buffer.iter()),
            Self::Given(texts) => Box::new(texts.iter().map(Text::as_str)),
        }
    }
}
