//! Notes on passages: the sentence of each that answers a query best.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rankmeld_core::Processor;
use rankmeld_core::notes::{self as kernel, Passage};

use crate::detach::detached;
use crate::errors::{Label, refused};
use crate::texts::{Text, strings, texts as read};

/// Sentences and how relevant they are.
type Columns<'py> = (Bound<'py, PyList>, Bound<'py, PyArray1<f64>>);

/// Columns with a row for each passage, whose parts are columns too; `None` where the query has no
/// token.
#[pyfunction]
pub fn notes<'py>(
    query: &Bound<'py, PyAny>,
    titles: &Bound<'py, PyAny>,
    topics: &Bound<'py, PyAny>,
    texts: &Bound<'py, PyAny>,
) -> PyResult<Option<Columns<'py>>> {
    let py = query.py();
    let query = Text::of(query, || "query".to_owned())?;
    let (titles, topics) = (read(titles, "titles")?, read(topics, "topics")?);
    let texts = read(texts, "texts")?;
    let passages: Vec<Passage<'_>> = titles
        .iter()
        .zip(&topics)
        .zip(&texts)
        .map(|((title, topic), text)| Passage {
            title: title.as_str(),
            topic: topic.as_str(),
            text: text.as_str(),
        })
        .collect();
    let bytes =
        |passage: &Passage<'_>| passage.title.len() + passage.topic.len() + passage.text.len();
    let query = query.as_str();
    let work = query.len() + passages.iter().map(bytes).sum::<usize>();
    let found =
        detached(py, work, |watch| kernel::notes(query, &passages, Processor::best(), watch))?
            .map_err(|error| refused(py, error, &Label::Argument("ranking")))?;
    let Some(found) = found else { return Ok(None) };
    let sentences = strings(py, found.iter().map(|note| note.sentence))?;
    let relevance: Vec<f64> = found.iter().map(|note| note.relevance).collect();
    Ok(Some((sentences, relevance.into_pyarray(py))))
}
