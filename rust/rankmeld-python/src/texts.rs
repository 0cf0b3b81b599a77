//! The one place that turns strings of Python into text that kernels read.
//!
//! Text is read where it lies. A string with lone surrogates has no UTF-8; it is copied with each
//! of them as U+FFFD.

use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet, PyString};
use rankmeld_core::watch::CHUNK;

use crate::errors::kind;
use crate::input::{is_document, is_frame};

/// A string, held so that its text can be read without the interpreter.
pub enum Text<'py> {
    /// As it lies in Python.
    Borrowed(Bound<'py, PyString>),
    /// A copy without the surrogates.
    Mended(String),
}

impl<'py> Text<'py> {
    /// A string as text; `name` is how a refusal calls it.
    pub fn of(object: &Bound<'py, PyAny>, name: impl FnOnce() -> String) -> PyResult<Self> {
        let Ok(string) = object.cast::<PyString>() else {
            let name = name();
            return Err(PyTypeError::new_err(format!(
                "{name} must be a str, not {}",
                no_text(object)?
            )));
        };
        match string.to_str() {
            Ok(_) => Ok(Self::Borrowed(string.clone())),
            Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(object.py()) => {
                Ok(Self::Mended(mended(string)?))
            }
            Err(error) => Err(error),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        match self {
            // It could be read when it came in, and strings do not change.
            Self::Borrowed(string) => string.to_str().unwrap_or_default(),
            Self::Mended(text) => text,
        }
    }
}

/// The strings of a list or another ordered iterable, which is read once.
///
/// `name` is the argument's: the third text of `texts` is `texts[2]` in a refusal.
pub fn texts<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Vec<Text<'py>>> {
    require_order(object, name, "str")?;
    texts_in_any_order(object, name)
}

/// Refuses what has no order, or not that of its values, where results come in the order of what
/// was given; `items` is how a refusal calls what is wanted a list of.
pub fn require_order(object: &Bound<'_, PyAny>, name: &str, items: &str) -> PyResult<()> {
    if object.is_exact_instance_of::<PyList>() {
        return Ok(());
    }
    let why = if is_frame(object)? {
        "pass one of its columns, as list(frame[\"text\"])"
    } else if object.is_instance_of::<PyDict>() {
        "to pass its values, write list(d.values())"
    } else if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        "the order of a set is not defined"
    } else {
        return Ok(());
    };
    let kind = kind(object);
    Err(PyTypeError::new_err(format!("{name} must be a list of {items}, not a {kind}; {why}")))
}

/// What is no text, as messages name it: its kind, and for a document where its text is.
pub fn no_text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let hint = if is_document(object)? { "; pass document.passage" } else { "" };
    Ok(format!("{}{hint}", kind(object)))
}

/// The strings of any iterable, where their order shows nowhere.
pub fn texts_in_any_order<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Vec<Text<'py>>> {
    let read =
        |(index, item): (usize, Bound<'py, PyAny>)| Text::of(&item, || format!("{name}[{index}]"));
    if let Ok(list) = object.cast::<PyList>() {
        return list.iter().enumerate().map(read).collect();
    }
    if object.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!(
            "{name} must be a list of str, not a str; to pass one text alone, write [text]"
        )));
    }
    let iterator = object.try_iter().map_err(|_| {
        PyTypeError::new_err(format!("{name} must be a list of str, not {}", kind(object)))
    })?;
    iterator.enumerate().map(|(index, item)| read((index, item?))).collect()
}

/// The texts as kernels take them.
pub fn borrowed<'a>(texts: &'a [Text<'_>]) -> Vec<&'a str> {
    texts.iter().map(Text::as_str).collect()
}

/// Texts as a list of strings; long lists ask for signals as they are made.
pub fn strings<'py, 'a>(
    py: Python<'py>,
    texts: impl ExactSizeIterator<Item = &'a str>,
) -> PyResult<Bound<'py, PyList>> {
    let mut strings = Vec::with_capacity(texts.len());
    for (place, text) in texts.enumerate() {
        if place % CHUNK == CHUNK - 1 {
            py.check_signals()?;
        }
        strings.push(PyString::new(py, text));
    }
    PyList::new(py, strings)
}

fn mended(string: &Bound<'_, PyString>) -> PyResult<String> {
    // Four bytes a character, so that two halves that stand side by side stay two.
    let bytes: Vec<u8> =
        string.call_method1("encode", ("utf-32-le", "surrogatepass"))?.extract()?;
    let (characters, _) = bytes.as_chunks::<4>();
    let character = |&bytes| char::from_u32(u32::from_le_bytes(bytes)).unwrap_or('\u{fffd}');
    Ok(characters.iter().map(character).collect())
}
