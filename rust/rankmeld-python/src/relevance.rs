//! Words that a message shares with texts.

use pyo3::prelude::*;
use rankmeld_core::relevance::MessageWords;

use crate::detach::detached;
use crate::errors::{Label, refused};
use crate::texts::{Text, borrowed, texts as read};

/// For each text the first word of the message in it that is long enough to count.
#[pyfunction]
pub fn shared_words(
    message: &Bound<'_, PyAny>,
    texts: &Bound<'_, PyAny>,
) -> PyResult<Vec<Option<String>>> {
    let py = message.py();
    let message = Text::of(message, || "message".to_owned())?;
    let texts = read(texts, "texts")?;
    let (message, texts) = (message.as_str(), borrowed(&texts));
    let work = message.len() + texts.iter().map(|text| text.len()).sum::<usize>();
    detached(py, work, |watch| MessageWords::of(message, watch)?.in_texts(&texts, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("ranking")))
}
