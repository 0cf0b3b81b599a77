//! Tokens, stems and sentences.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rankmeld_core::text::{self, Stemmer, TokenBuffer};
use rankmeld_core::{Error, Watch};

use crate::detach::detached;
use crate::errors::{Label, refused, unknown_word};
use crate::texts::{Text, strings};

/// The tokens of a text.
#[pyfunction]
pub fn tokenize<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    tokens(text, TokenBuffer::tokenize_watched)
}

/// The terms of a text for BM25, stemmed by a stemmer of `stemmers`.
#[pyfunction]
pub fn bm25_tokenize<'py>(
    text: &Bound<'py, PyAny>,
    stemmer: Option<&str>,
) -> PyResult<Bound<'py, PyList>> {
    let stemmer = named(stemmer)?;
    tokens(text, |buffer, text, watch| buffer.bm25_tokenize_watched(text, &stemmer, watch))
}

/// The text composed (NFC), without lone surrogates; the same object where nothing changes.
#[pyfunction]
pub fn clean_text<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let read = Text::of(given, || "text".to_owned())?;
    let whole = read.as_str();
    let found = detached(py, whole.len(), |watch| text::composed_watched(whole, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("text")))?;
    Ok(match (&read, found) {
        (Text::Borrowed(_), Cow::Borrowed(_)) => given.clone(),
        (_, found) => PyString::new(py, &found).into_any(),
    })
}

/// The light stem of a word.
#[pyfunction]
pub fn light_stem<'py>(word: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = word.py();
    let word = Text::of(word, || "word".to_owned())?;
    Ok(PyString::new(py, &text::light_stem(&text::composed(word.as_str()))))
}

/// The sentences of a text, as slices of it.
#[pyfunction]
pub fn sentences<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = text.py();
    let text = Text::of(text, || "text".to_owned())?;
    let text = text.as_str();
    let found = detached(py, text.len(), |watch| text::sentences_watched(text, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("text")))?;
    strings(py, found.into_iter().map(|range| text.get(range).unwrap_or_default()))
}

/// The languages that have a Snowball stemmer.
#[pyfunction]
pub fn snowball_languages() -> Vec<&'static str> {
    text::SNOWBALL_LANGUAGES.to_vec()
}

/// The stemmer of a name that the Python face has checked.
pub fn named(stemmer: Option<&str>) -> PyResult<Stemmer> {
    Stemmer::named(stemmer).ok_or_else(|| unknown_word("stemmer", stemmer.unwrap_or_default()))
}

fn tokens<'py>(
    text: &Bound<'py, PyAny>,
    read: impl FnOnce(&mut TokenBuffer, &str, Watch<'_>) -> Result<(), Error> + Send,
) -> PyResult<Bound<'py, PyList>> {
    let py = text.py();
    let text = Text::of(text, || "text".to_owned())?;
    let text = text.as_str();
    let tokens = detached(py, text.len(), |watch| {
        let mut buffer = TokenBuffer::new();
        read(&mut buffer, text, watch).map(|()| buffer)
    })?
    .map_err(|error| refused(py, error, &Label::Argument("text")))?;
    strings(py, tokens.iter())
}
