//! Reading the entries of a list: bare ids, pairs, triples, hits, documents.

use std::borrow::Cow;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::{Borrowed, intern};

use crate::errors::{InvalidArgumentError, InvalidScoreError, Label, kind, shown, unhashable};
use crate::input::{is_document, ranking_type, scalar_type};

/// How many entries are read between two checks for Ctrl-C.
pub const CHECK_EVERY: usize = 1 << 16;

/// The entries of one list, as columns that point into it.
#[derive(Default)]
pub struct Entries<'a, 'py> {
    /// The ids.
    pub ids: Vec<Borrowed<'a, 'py, PyAny>>,
    /// Their hashes.
    pub hashes: Vec<i64>,
    /// The scores, NaN where absent; empty if they were not asked for.
    pub scores: Vec<f64>,
    /// The first position without a score, if scores were asked for.
    pub absent: Option<usize>,
    /// Positions and documents of entries that have one.
    pub documents: Vec<(usize, Borrowed<'a, 'py, PyAny>)>,
}

/// Where entries are read, and how messages call it.
#[derive(Clone, Copy)]
pub struct Place<'a, 'py> {
    /// The call's lists.
    pub label: &'a Label<'a, 'py>,
    /// The list that is read.
    pub list: usize,
}

impl Place<'_, '_> {
    /// The list's name in a message.
    pub fn list(&self) -> String {
        self.label.list(self.list)
    }

    /// An entry's place in a message.
    pub fn at(&self, position: usize) -> String {
        self.label.place(self.list, position)
    }
}

impl<'a, 'py> Entries<'a, 'py> {
    fn with_capacity(length: usize, want_scores: bool) -> Self {
        Self {
            ids: Vec::with_capacity(length),
            hashes: Vec::with_capacity(length),
            scores: Vec::with_capacity(if want_scores { length } else { 0 }),
            ..Self::default()
        }
    }

    /// The entries of a list of which every item is of a common kind; `None` if one is not.
    pub fn of_plain(
        items: &'a [Borrowed<'a, 'py, PyAny>],
        place: Place<'_, 'py>,
        want_scores: bool,
    ) -> PyResult<Option<Self>> {
        let mut entries = Self::with_capacity(items.len(), want_scores);
        for (position, item) in items.iter().enumerate() {
            check_signals(item.py(), position)?;
            let object: &'a Bound<'py, PyAny> = item;
            let record = match object.cast_exact::<PyTuple>() {
                Ok(record) => Some((record, record.len())),
                Err(_) => None,
            };
            match record {
                Some((record, length @ (2 | 3))) => {
                    let id = record.get_borrowed_item(0)?;
                    if !is_plain_id(&id) {
                        return Ok(None);
                    }
                    entries.record(position, id, record, length, place, want_scores)?;
                }
                // Any other tuple is an id.
                Some(_) => entries.bare(position, *item, place, want_scores)?,
                None if is_plain_id(item) => entries.bare(position, *item, place, want_scores)?,
                None => return Ok(None),
            }
        }
        Ok(Some(entries))
    }

    /// The entries of a list of triples that [`triples`] made.
    pub fn of_triples(
        items: &'a [Borrowed<'a, 'py, PyAny>],
        place: Place<'_, 'py>,
        want_scores: bool,
    ) -> PyResult<Self> {
        let mut entries = Self::with_capacity(items.len(), want_scores);
        for (position, item) in items.iter().enumerate() {
            let object: &'a Bound<'py, PyAny> = item;
            let record = object.cast_exact::<PyTuple>()?;
            let id = record.get_borrowed_item(0)?;
            entries.record(position, id, record, 3, place, want_scores)?;
        }
        Ok(entries)
    }

    /// The entries of a column of ids and, maybe, one of documents.
    pub fn of_columns(
        ids: &'a [Borrowed<'a, 'py, PyAny>],
        documents: Option<&'a Bound<'py, PyTuple>>,
        place: Place<'_, 'py>,
    ) -> PyResult<Self> {
        let mut entries = Self::with_capacity(ids.len(), false);
        for (position, id) in ids.iter().enumerate() {
            check_signals(id.py(), position)?;
            entries.id(position, *id, place)?;
        }
        if let Some(documents) = documents {
            for (position, document) in documents.iter_borrowed().enumerate() {
                entries.document(position, document, place)?;
            }
        }
        Ok(entries)
    }

    #[expect(clippy::inline_always, reason = "a call per entry costs a tenth of a fusion")]
    #[inline(always)]
    fn id(
        &mut self,
        position: usize,
        id: Borrowed<'a, 'py, PyAny>,
        place: Place<'_, 'py>,
    ) -> PyResult<()> {
        let hash = hashed(&id, || place.at(position))?;
        self.ids.push(id);
        self.hashes.push(hash as i64);
        Ok(())
    }

    fn document(
        &mut self,
        position: usize,
        document: Borrowed<'a, 'py, PyAny>,
        place: Place<'_, 'py>,
    ) -> PyResult<()> {
        if document.is_none() {
            return Ok(());
        }
        if !is_document(&document)? {
            return Err(PyTypeError::new_err(format!(
                "{}: the document is a {} ({}); it must be a rankmeld.Document, or None",
                place.at(position),
                kind(&document),
                shown(&document)
            )));
        }
        self.documents.push((position, document));
        Ok(())
    }

    #[inline]
    fn bare(
        &mut self,
        position: usize,
        id: Borrowed<'a, 'py, PyAny>,
        place: Place<'_, 'py>,
        want_scores: bool,
    ) -> PyResult<()> {
        self.id(position, id, place)?;
        if want_scores {
            self.scores.push(f64::NAN);
            self.absent.get_or_insert(position);
        }
        Ok(())
    }

    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn record(
        &mut self,
        position: usize,
        id: Borrowed<'a, 'py, PyAny>,
        record: &'a Bound<'py, PyTuple>,
        length: usize,
        place: Place<'_, 'py>,
        want_scores: bool,
    ) -> PyResult<()> {
        self.id(position, id, place)?;
        if want_scores {
            let score = number(record.get_borrowed_item(1)?, || (place.at(position), shown(&id)))?;
            if score.is_none() {
                self.absent.get_or_insert(position);
            }
            self.scores.push(score.unwrap_or(f64::NAN));
        }
        if length == 3 {
            self.document(position, record.get_borrowed_item(2)?, place)?;
        }
        Ok(())
    }
}

/// An id's hash; a `TypeError` from there says that the id has none, anything else is its own.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
pub fn hashed(id: &Bound<'_, PyAny>, place: impl Fn() -> String) -> PyResult<isize> {
    match id.hash() {
        Ok(hash) => Ok(hash),
        Err(error) => Err(not_hashed(error, id, place)),
    }
}

#[cold]
fn not_hashed(error: PyErr, id: &Bound<'_, PyAny>, place: impl Fn() -> String) -> PyErr {
    if error.is_instance_of::<PyTypeError>(id.py()) { unhashable(place(), id) } else { error }
}

/// Asks for signals now and then.
#[inline]
pub fn check_signals(py: Python<'_>, position: usize) -> PyResult<()> {
    if position % CHECK_EVERY == CHECK_EVERY - 1 { py.check_signals() } else { Ok(()) }
}

/// Whether an id comes back as it is without a closer look: the common kinds.
#[inline]
pub fn is_plain_id(id: &Bound<'_, PyAny>) -> bool {
    id.is_exact_instance_of::<PyString>() || id.is_exact_instance_of::<PyInt>()
}

/// Any list as `(id, score, document)` triples, whatever its items are.
#[cold]
pub fn triples<'py>(
    items: &Bound<'py, PyTuple>,
    place: Place<'_, 'py>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = items.py();
    let none = py.None().into_bound(py);
    let made = items.iter().enumerate().map(|(position, item)| {
        check_signals(py, position)?;
        let (id, score, document) = match record_of(&item, place, position)? {
            Some(record) => {
                let document = if record.len() == 3 { record.get_item(2)? } else { none.clone() };
                (record.get_item(0)?, record.get_item(1)?, document)
            }
            None if is_document(&item)? => (item.getattr(intern!(py, "id"))?, none.clone(), item),
            None => (item, none.clone(), none.clone()),
        };
        let id = plain_id(&id, || place.at(position))?.into_owned();
        PyTuple::new(py, [id, score, document])
    });
    PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)
}

/// An item as a pair or triple, if it is one: a tuple (a hit is one) or list of two or three.
fn record_of<'py>(
    item: &Bound<'py, PyAny>,
    place: Place<'_, 'py>,
    position: usize,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if let Ok(record) = item.cast::<PyTuple>() {
        return Ok(matches!(record.len(), 2 | 3).then(|| record.clone()));
    }
    let Ok(record) = item.cast::<PyList>() else { return Ok(None) };
    let record = record.to_tuple();
    if !matches!(record.len(), 2 | 3) {
        return Err(unhashable(place.at(position), item));
    }
    Ok(Some(record))
}

/// A column of ids in the form that comes back.
pub fn plain_ids<'py>(
    ids: &Bound<'py, PyTuple>,
    place: Place<'_, 'py>,
) -> PyResult<Bound<'py, PyTuple>> {
    if ids.iter_borrowed().all(|id| is_plain_id(&id)) {
        return Ok(ids.clone());
    }
    let plain = ids
        .iter()
        .enumerate()
        .map(|(position, id)| Ok(plain_id(&id, || place.at(position))?.into_owned()));
    PyTuple::new(ids.py(), plain.collect::<PyResult<Vec<_>>>()?)
}

/// An id in the form that comes back: the object itself, or the plain value of a NumPy scalar.
pub fn plain_id<'a, 'py>(
    id: &'a Bound<'py, PyAny>,
    place: impl Fn() -> String,
) -> PyResult<Cow<'a, Bound<'py, PyAny>>> {
    let py = id.py();
    let id = if id.is_instance(scalar_type(py)?)? {
        Cow::Owned(id.call_method0(intern!(py, "item"))?)
    } else {
        Cow::Borrowed(id)
    };
    // It has a hash, so it would pass for an id, and the answer would be a ranking of rankings.
    if id.get_type().is(ranking_type(py)?) {
        return Err(PyTypeError::new_err(format!(
            "{} is a Ranking, where an id or a hit belongs; pass one ranking, and fuse several first, as \
             rankmeld.rrf does",
            place()
        )));
    }
    hashed(&id, &place)?;
    let differs = id.ne(&*id).map_err(|error| {
        if !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        PyTypeError::new_err(format!(
            "{}: the id is {} ({}), of which it cannot be told whether it equals itself; pass a real \
             id",
            place(),
            shown(&id),
            kind(&id)
        ))
    })?;
    if differs {
        return Err(InvalidArgumentError::new_err(format!(
            "{}: the id is NaN, which is not equal to itself; pass a real id",
            place()
        )));
    }
    Ok(id)
}

/// A score as a number, or `None` where there is none; `about` gives place and id for a refusal.
pub fn number(
    score: Borrowed<'_, '_, PyAny>,
    about: impl Fn() -> (String, String),
) -> PyResult<Option<f64>> {
    if let Ok(score) = score.cast_exact::<PyFloat>() {
        return Ok(Some(score.value()));
    }
    rare_number(&score, &about)
}

#[cold]
fn rare_number(
    score: &Bound<'_, PyAny>,
    about: &dyn Fn() -> (String, String),
) -> PyResult<Option<f64>> {
    if score.is_none() {
        return Ok(None);
    }
    let text = score.is_instance_of::<PyString>() || score.is_instance_of::<PyBytes>();
    let boolean = score.is_instance_of::<PyBool>();
    let read = if text || boolean { None } else { Some(score.extract::<f64>()) };
    let (place, id) = match &read {
        Some(Ok(value)) => return Ok(Some(*value)),
        _ => about(),
    };
    Err(match read {
        Some(Err(error)) if error.is_instance_of::<PyOverflowError>(score.py()) => {
            InvalidScoreError::new_err(format!(
                "{place}, id {id}: the score is too large for a float; \
                 scores must be finite numbers"
            ))
        }
        _ => {
            let hint = if is_prose(score) || is_document(score)? {
                "; a document comes third, as (id, score, document), or alone, as Document(id, text)"
            } else {
                ""
            };
            PyTypeError::new_err(format!(
                "{place}, id {id}: the score is a {} ({}); \
                 it must be a number, or None if there is none{hint}",
                kind(score),
                shown(score)
            ))
        }
    })
}

/// Whether this is a text that is no number either.
fn is_prose(score: &Bound<'_, PyAny>) -> bool {
    let Ok(text) = score.cast::<PyString>() else { return false };
    text.to_str().is_ok_and(|text| !text.trim().is_empty() && text.trim().parse::<f64>().is_err())
}
