//! The one place that turns refusals of the core into Python exceptions.

use std::fmt;

use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rankmeld_core::Error;

import_exception!(rankmeld.errors, FormatError);
import_exception!(rankmeld.errors, InvalidArgumentError);
import_exception!(rankmeld.errors, InvalidScoreError);
import_exception!(rankmeld.errors, RankmeldError);

/// How messages call the lists of a call: by index and name, or by the argument's own name.
pub enum Label<'a, 'py> {
    /// `rankings[2]`, with the name of a list that has one: a list of names and `None`.
    Lists(&'a Bound<'py, PyList>),
    /// An argument that is one ranking.
    Argument(&'a str),
}

impl Label<'_, '_> {
    /// The list's name in a message.
    pub fn list(&self, index: usize) -> String {
        match self {
            Self::Argument(name) => (*name).to_owned(),
            Self::Lists(names) => match names.get_item(index) {
                Ok(name) if !name.is_none() => format!("rankings[{index}] ({})", shown(&name)),
                _ => format!("rankings[{index}]"),
            },
        }
    }

    /// An entry's place in a message.
    pub fn place(&self, index: usize, position: usize) -> String {
        format!("{}, position {position}", self.list(index))
    }
}

/// How an id is shown: its `repr`, cut where it is long.
pub fn shown(object: &Bound<'_, PyAny>) -> String {
    const LONGEST: usize = 80;
    let text = object
        .repr()
        .map_or_else(|_| "<unprintable>".to_owned(), |repr| repr.to_string_lossy().into_owned());
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST - 3).chain("...".chars()).collect()
}

/// The kind of an object, as messages name it.
pub fn kind(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string())
}

/// A score that is missing where a number is needed.
pub fn absent_score(place: impl fmt::Display, id: &str) -> PyErr {
    InvalidScoreError::new_err(format!(
        "{place}, id {id}: there is no score (None), and this operation needs one; \
         give every hit a finite score, or fuse by rank"
    ))
}

/// Turns an error of the core into the exception that people see.
///
/// `id` gives the id at a list's position or of a code, where the error is about one.
pub fn to_python(
    py: Python<'_>,
    error: Error,
    label: &Label<'_, '_>,
    id_at: impl Fn(usize, usize) -> String,
    id_of: impl Fn(u32) -> String,
) -> PyErr {
    match error {
        Error::ScoreNotFinite { list, position, value } => InvalidScoreError::new_err(format!(
            "{}, id {}: the score is {}; scores must be finite numbers",
            label.place(list, position),
            id_at(list, position),
            float(value),
        )),
        Error::ScoreNegative { position, value } => InvalidScoreError::new_err(format!(
            "{}, id {}: the score is {}; evidence is not negative: bring the scores to 0 and above \
             first, as rankmeld.fuse_scores with normalize=\"minmax\" does",
            label.place(0, position),
            id_at(0, position),
            float(value),
        )),
        Error::ResultNotFinite { candidate } => InvalidScoreError::new_err(format!(
            "the fused score of id {} is not a finite number; \
             scale the scores or the weights down, or normalize the lists",
            id_of(candidate),
        )),
        Error::DuplicateId { list, candidate, first, second } => {
            InvalidArgumentError::new_err(format!(
                "{}: id {} stands at positions {first} and {second}, and duplicates=\"error\" \
                 refuses that; remove one, or choose another rule for duplicates",
                label.list(list),
                id_of(candidate),
            ))
        }
        Error::TooManyCandidates => InvalidArgumentError::new_err(format!("{error}; fuse fewer")),
        Error::QueryNotFinite { row, column, value } => InvalidArgumentError::new_err(format!(
            "query, vector {row}, dimension {column}: the value is {}; vectors must be finite",
            float(value),
        )),
        Error::DocumentNotFinite { document, row, column, value } => {
            InvalidArgumentError::new_err(format!(
                "document {document}, vector {row}, dimension {column}: the value is {}; vectors \
                 must be finite",
                float(value),
            ))
        }
        Error::DocumentScoreNotFinite { document } => InvalidScoreError::new_err(format!(
            "the score of document {document} is not a finite number; scale the vectors down"
        )),
        Error::MatchNotFinite { document, vector } => InvalidScoreError::new_err(format!(
            "the similarity of query vector {vector} to document {document} is not a finite number; \
             scale the vectors down"
        )),
        Error::MarginNotFinite { first, second } => InvalidScoreError::new_err(format!(
            "{}: the two highest are {} and {}, and (s1 - s2) / s1 is not a finite number; move \
             the scores to where the lowest is 0",
            label.list(0),
            float(first),
            float(second),
        )),
        // Readers of files name the file and say so with a `FormatError`.
        Error::Damaged(_) => InvalidArgumentError::new_err(error.to_string()),
        Error::VectorNotFinite { row, column, value, also } => {
            let also = also.map_or_else(String::new, |row| format!(" (row {row} is not, either)"));
            InvalidArgumentError::new_err(format!(
                "vectors, row {row}, column {column}: the value is {}; vectors must be finite{also}",
                float(value),
            ))
        }
        Error::SimilarityNotFinite { row, column, value } => {
            InvalidArgumentError::new_err(format!(
                "similarity, row {row}, column {column}: the value is {}; similarities must be \
                 finite",
                float(value),
            ))
        }
        Error::ThresholdTooLow { least } => InvalidArgumentError::new_err(format!(
            "{} is too low: too many pairs would be missed; the smallest possible is {least:?}",
            label.list(0),
        )),
        Error::EdgeOutside { edge, node, nodes } => InvalidArgumentError::new_err(format!(
            "edge {edge}: the node is {node}, and there are {nodes} nodes, numbered from 0; number \
             the nodes without gaps, or pass nodes= if there are more",
        )),
        Error::EdgeWeight { edge, value } => {
            InvalidArgumentError::new_err(edge_weight(&format!("edge {edge}"), value))
        }
        Error::RowOutOfPlace { row, begin, edges } => InvalidArgumentError::new_err(format!(
            "indptr[{row}] is {begin}; indptr begins with 0, never descends, and ends with the \
             number of edges, {edges}",
        )),
        Error::TooManyNodes => InvalidArgumentError::new_err(
            "the largest number of a node is far beyond the number of edges; nodes are numbered from \
             0: say how many there are with nodes=, or pass other ids to rankmeld.Graph.from_edges",
        ),
        // The signal handler's own exception, where there is one, is the better answer.
        Error::Interrupted => match py.check_signals() {
            Err(raised) => raised,
            Ok(()) => PyKeyboardInterrupt::new_err(()),
        },
    }
}

/// As [`to_python`], for errors that are about no id.
pub fn refused(py: Python<'_>, error: Error, label: &Label<'_, '_>) -> PyErr {
    to_python(py, error, label, |_, _| String::new(), |_| String::new())
}

/// A float as Python writes it.
pub fn float(value: f64) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "inf" } else { "-inf" }.to_owned()
    } else {
        format!("{value:?}")
    }
}

/// The weight of an edge that is none.
pub fn edge_weight(place: &str, value: f64) -> String {
    format!("{place}: the weight is {}; weights are finite and not negative", float(value))
}

/// A word of an option that the Python face should not have let through.
pub fn unknown_word(option: &str, word: &str) -> PyErr {
    InvalidArgumentError::new_err(format!("{option} is {word:?}, which is not a known word"))
}

/// An id that cannot be hashed.
pub fn unhashable(place: impl fmt::Display, id: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!(
        "{place}: the id is a {}, which cannot be hashed; ids are str, int, bytes, tuple or \
         another hashable value (for dicts and other records see rankmeld.from_records)",
        kind(id)
    ))
}
