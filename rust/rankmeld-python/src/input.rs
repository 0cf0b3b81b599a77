//! The one place that decides what a ranking is: from what a user has to ids and columns.

use std::borrow::Cow;

use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyIterator, PyList,
    PyMapping, PySet, PyString, PyTuple, PyType,
};
use pyo3::{Borrowed, intern};
use rankmeld_core::order;

use crate::arrays;
use crate::errors::{
    InvalidArgumentError, InvalidScoreError, Label, absent_score, float, kind, shown, unhashable,
};

/// How many entries are read between two checks for Ctrl-C.
const CHECK_EVERY: usize = 1 << 16;

/// A column of ids.
pub enum Ids<'py> {
    /// Integers that came as an array.
    Integers(Vec<i64>),
    /// Anything else.
    Objects(Vec<Bound<'py, PyAny>>),
}

impl<'py> Ids<'py> {
    /// The ids of a column as the Python face keeps it: an int64 array or a list.
    pub fn from_column(column: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Some(array) = arrays::as_array(column) {
            let column = arrays::integers(array)?;
            return Ok(Self::Integers(arrays::elements(&column)?.to_vec()));
        }
        Ok(Self::Objects(column.cast::<PyList>()?.iter().collect()))
    }

    /// How messages show the id with this code.
    pub fn shown(&self, code: usize) -> String {
        match self {
            Self::Integers(ids) => ids.get(code).map(ToString::to_string),
            Self::Objects(ids) => ids.get(code).map(shown),
        }
        .unwrap_or_else(|| "?".to_owned())
    }
}

/// A ranking as it lies, before its entries are read.
pub enum Form<'py> {
    /// Bare ids, pairs, triples, hits: an unchanging copy of the caller's sequence.
    Items(Bound<'py, PyTuple>),
    /// Columns of equal length.
    Columns {
        /// The ids.
        ids: IdColumn<'py>,
        /// The scores.
        scores: ScoreColumn<'py>,
        /// The documents, where there are any.
        documents: Option<Bound<'py, PyTuple>>,
    },
}

/// Ids of a columnar ranking.
pub enum IdColumn<'py> {
    /// An array of integers that fit int64.
    Integers(PyReadonlyArray1<'py, i64>),
    /// Objects.
    Objects(Bound<'py, PyTuple>),
}

/// Scores of a columnar ranking.
pub enum ScoreColumn<'py> {
    /// There are none.
    Absent,
    /// An array; NaN in the column of a `Ranking` stands for an absent score.
    Array {
        /// The numbers.
        values: PyReadonlyArray1<'py, f64>,
        /// Whether NaN means that there is no score.
        nan_is_absent: bool,
    },
    /// Numbers that were read already.
    Values(Vec<f64>),
    /// Objects.
    Objects(Bound<'py, PyTuple>),
}

/// Takes the entries of a ranking.
pub trait Sink<'py> {
    /// One entry. The id may still be anything; score and document are `None` where not given.
    fn entry(
        &mut self,
        position: usize,
        id: Borrowed<'_, 'py, PyAny>,
        score: Option<Borrowed<'_, 'py, PyAny>>,
        document: Option<Borrowed<'_, 'py, PyAny>>,
    ) -> PyResult<()>;
}

/// Finds out what form a ranking has.
pub fn form_of<'py>(
    object: &Bound<'py, PyAny>,
    label: &Label<'_, 'py>,
    list: usize,
) -> PyResult<Form<'py>> {
    if let Ok(items) = object.cast_exact::<PyList>() {
        return Ok(Form::Items(items.to_tuple()));
    }
    if let Ok(items) = object.cast_exact::<PyTuple>() {
        return form_of_tuple(items, label, list);
    }
    if object.is_instance(ranking_type(object.py())?)? {
        return form_of_ranking(object);
    }
    if let Some(array) = arrays::as_array(object) {
        return form_of_array(array, label, list);
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        return form_of_mapping(mapping, label, list);
    }
    refuse_what_is_no_ranking(object, label, list)?;
    let Ok(iterator) = object.try_iter() else {
        return Err(no_ranking(object, label, list));
    };
    Ok(Form::Items(collected(&iterator)?))
}

fn form_of_tuple<'py>(
    items: &Bound<'py, PyTuple>,
    label: &Label<'_, 'py>,
    list: usize,
) -> PyResult<Form<'py>> {
    let is_column = |item: &Bound<'py, PyAny>| {
        item.is_instance_of::<PyList>() || arrays::as_array(item).is_some()
    };
    if items.len() != 2 || !items.iter().all(|item| is_column(&item)) {
        return Ok(Form::Items(items.clone()));
    }
    let (ids, scores) = (items.get_item(0)?, items.get_item(1)?);
    let (n_ids, n_scores) = (ids.len()?, scores.len()?);
    if n_ids != n_scores {
        return Err(InvalidArgumentError::new_err(format!(
            "{} is a tuple of two columns, {n_ids} ids and {n_scores} scores; \
             they must be of equal length",
            label.list(list)
        )));
    }
    let ids = match arrays::as_array(&ids) {
        Some(array) => id_column(array, label, list)?,
        None => IdColumn::Objects(ids.cast::<PyList>()?.to_tuple()),
    };
    let scores = match arrays::as_array(&scores) {
        Some(array) if arrays::kind_of(array) == 'O' => ScoreColumn::Objects(
            array.call_method0(intern!(array.py(), "tolist"))?.cast::<PyList>()?.to_tuple(),
        ),
        Some(array) => {
            let name = format!("the scores of {}", label.list(list));
            ScoreColumn::Array { values: arrays::floats(array, &name)?, nan_is_absent: false }
        }
        None => ScoreColumn::Objects(scores.cast::<PyList>()?.to_tuple()),
    };
    Ok(Form::Columns { ids, scores, documents: None })
}

/// A `Ranking` is read from its own columns.
fn form_of_ranking<'py>(ranking: &Bound<'py, PyAny>) -> PyResult<Form<'py>> {
    let py = ranking.py();
    let ids = ranking.getattr(intern!(py, "_ids"))?;
    let ids = match arrays::as_array(&ids) {
        Some(array) => IdColumn::Integers(arrays::integers(array)?),
        None => IdColumn::Objects(ids.cast::<PyList>()?.to_tuple()),
    };
    let scores = ranking.getattr(intern!(py, "_scores"))?;
    let scores = match arrays::as_array(&scores) {
        Some(array) => {
            ScoreColumn::Array { values: arrays::floats(array, "scores")?, nan_is_absent: true }
        }
        None => ScoreColumn::Absent,
    };
    let documents = ranking.getattr(intern!(py, "_documents"))?;
    let documents = documents.cast::<PyList>().ok().map(PyListMethods::to_tuple);
    Ok(Form::Columns { ids, scores, documents })
}

fn form_of_array<'py>(
    array: &Bound<'py, PyUntypedArray>,
    label: &Label<'_, 'py>,
    list: usize,
) -> PyResult<Form<'py>> {
    if array.ndim() != 1 {
        return Err(InvalidArgumentError::new_err(format!(
            "{} is an array with {} dimension(s); an array of ids has one",
            label.list(list),
            array.ndim()
        )));
    }
    if matches!(arrays::kind_of(array), 'f' | 'c') && !array.is_empty() {
        return Err(PyTypeError::new_err(format!(
            "{} is an array of dtype {}, which looks like scores; an array of integers is read as \
             ids, and ids with scores go in as a tuple (ids, scores)",
            label.list(list),
            array.dtype().str()?
        )));
    }
    let ids = id_column(array, label, list)?;
    match ids {
        // An object array may hold pairs and hits, as a list may.
        IdColumn::Objects(items) if arrays::kind_of(array) == 'O' => Ok(Form::Items(items)),
        ids => Ok(Form::Columns { ids, scores: ScoreColumn::Absent, documents: None }),
    }
}

fn id_column<'py>(
    array: &Bound<'py, PyUntypedArray>,
    label: &Label<'_, 'py>,
    list: usize,
) -> PyResult<IdColumn<'py>> {
    if array.ndim() != 1 {
        return Err(InvalidArgumentError::new_err(format!(
            "the ids of {} are an array with {} dimension(s); they must have one",
            label.list(list),
            array.ndim()
        )));
    }
    if arrays::kind_of(array) == 'b' && !array.is_empty() {
        return Err(PyTypeError::new_err(format!(
            "{} is an array of booleans, which is a mask and no ids; pass the positions \
             (numpy.flatnonzero) or the ids themselves",
            label.list(list)
        )));
    }
    if arrays::fits_int64(array) || array.is_empty() {
        return Ok(IdColumn::Integers(arrays::integers(array)?));
    }
    // Values and not scalars: `tolist` gives plain Python objects.
    let objects = array.call_method0(intern!(array.py(), "tolist"))?;
    Ok(IdColumn::Objects(objects.cast::<PyList>()?.to_tuple()))
}

/// A mapping is ordered by descending score, equal ones as they were inserted.
fn form_of_mapping<'py>(
    mapping: &Bound<'py, PyMapping>,
    label: &Label<'_, 'py>,
    list: usize,
) -> PyResult<Form<'py>> {
    let items = match mapping.cast_exact::<PyDict>() {
        Ok(dict) => dict.items(),
        Err(_) => mapping.items()?,
    };
    let mut ids = Vec::with_capacity(items.len());
    let mut scores = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        let (id, score) = item.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()?;
        let place = || label.place(list, position);
        let score = number(score.as_borrowed(), &id, &place)?
            .ok_or_else(|| absent_score(place(), &shown(&id)))?;
        if !score.is_finite() {
            return Err(InvalidScoreError::new_err(format!(
                "{}, id {}: the score is {}; the scores of a mapping order it, so they must be \
                 finite numbers",
                place(),
                shown(&id),
                float(score)
            )));
        }
        ids.push(id);
        scores.push(score);
    }
    let order = order::top(&scores, scores.len());
    let ids = order.iter().filter_map(|&at| ids.get(at as usize)).collect::<Vec<_>>();
    let ids = PyTuple::new(mapping.py(), ids)?;
    let scores = order.iter().filter_map(|&at| scores.get(at as usize)).copied().collect();
    Ok(Form::Columns {
        ids: IdColumn::Objects(ids),
        scores: ScoreColumn::Values(scores),
        documents: None,
    })
}

fn refuse_what_is_no_ranking<'py>(
    object: &Bound<'py, PyAny>,
    label: &Label<'_, 'py>,
    list: usize,
) -> PyResult<()> {
    if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        return Err(PyTypeError::new_err(format!(
            "{} is a set, which has no order; pass a list, best first",
            label.list(list)
        )));
    }
    let text = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>();
    let record = object.is_instance_of::<PyTuple>() || is_document(object)?;
    if text || record { Err(no_ranking(object, label, list)) } else { Ok(()) }
}

fn no_ranking<'py>(object: &Bound<'py, PyAny>, label: &Label<'_, 'py>, list: usize) -> PyErr {
    let slip = match label {
        Label::Lists(_) => {
            "; rankings is a list of rankings: to pass one ranking alone, write [ranking]"
        }
        Label::Argument(_) => "",
    };
    PyTypeError::new_err(format!(
        "{} is a {} ({}), where a ranking belongs: a list of ids or of (id, score) pairs, a mapping \
         of id to score, a tuple (ids, scores) or an array of ids{slip}",
        label.list(list),
        kind(object),
        shown(object)
    ))
}

fn collected<'py>(iterator: &Bound<'py, PyIterator>) -> PyResult<Bound<'py, PyTuple>> {
    let mut items = Vec::new();
    for item in iterator {
        items.push(item?);
        if items.len() % CHECK_EVERY == 0 {
            iterator.py().check_signals()?;
        }
    }
    PyTuple::new(iterator.py(), items)
}

/// Walks the entries of a list of bare ids, pairs, triples, hits and documents.
pub fn walk<'py>(
    items: &Bound<'py, PyTuple>,
    label: &Label<'_, 'py>,
    list: usize,
    sink: &mut impl Sink<'py>,
) -> PyResult<()> {
    for (position, item) in items.iter_borrowed().enumerate() {
        if position % CHECK_EVERY == CHECK_EVERY - 1 {
            items.py().check_signals()?;
        }
        if let Ok(record) = item.cast_exact::<PyTuple>() {
            walk_record(position, item, &record, sink)?;
        } else if item.is_exact_instance_of::<PyString>() || item.is_exact_instance_of::<PyInt>() {
            sink.entry(position, item, None, None)?;
        } else {
            walk_rare(position, item, label, list, sink)?;
        }
    }
    Ok(())
}

/// A tuple of two or three is a pair or a triple; any other is an id.
#[inline]
fn walk_record<'py>(
    position: usize,
    item: Borrowed<'_, 'py, PyAny>,
    record: &Bound<'py, PyTuple>,
    sink: &mut impl Sink<'py>,
) -> PyResult<()> {
    match record.len() {
        2 => sink.entry(
            position,
            record.get_borrowed_item(0)?,
            Some(record.get_borrowed_item(1)?),
            None,
        ),
        3 => sink.entry(
            position,
            record.get_borrowed_item(0)?,
            Some(record.get_borrowed_item(1)?),
            Some(record.get_borrowed_item(2)?),
        ),
        _ => sink.entry(position, item, None, None),
    }
}

#[cold]
fn walk_rare<'py>(
    position: usize,
    item: Borrowed<'_, 'py, PyAny>,
    label: &Label<'_, 'py>,
    list: usize,
    sink: &mut impl Sink<'py>,
) -> PyResult<()> {
    if let Ok(record) = item.cast::<PyTuple>() {
        return walk_record(position, item, &record, sink);
    }
    if let Ok(record) = item.cast::<PyList>() {
        let record = record.to_tuple();
        if !matches!(record.len(), 2 | 3) {
            return Err(unhashable(label.place(list, position), &item));
        }
        return walk_record(position, item, &record, sink);
    }
    if is_document(&item)? {
        let id = item.getattr(intern!(item.py(), "id"))?;
        return sink.entry(position, id.as_borrowed(), None, Some(item));
    }
    sink.entry(position, item, None, None)
}

/// An id in the form that comes back: the object itself, or the plain value of a NumPy scalar.
///
/// The common kinds pass untouched; what remains is looked at for NaN.
pub fn plain_id<'a, 'py>(
    id: &'a Borrowed<'_, 'py, PyAny>,
    place: impl Fn() -> String,
) -> PyResult<Cow<'a, Bound<'py, PyAny>>> {
    if id.is_exact_instance_of::<PyString>() || id.is_exact_instance_of::<PyInt>() {
        return Ok(Cow::Borrowed(id));
    }
    rare_id(id, place)
}

#[cold]
fn rare_id<'a, 'py>(
    id: &'a Bound<'py, PyAny>,
    place: impl Fn() -> String,
) -> PyResult<Cow<'a, Bound<'py, PyAny>>> {
    if id.is_exact_instance_of::<PyTuple>() || id.is_exact_instance_of::<PyBytes>() || id.is_none()
    {
        return Ok(Cow::Borrowed(id));
    }
    let py = id.py();
    let id = if id.is_instance(scalar_type(py)?)? {
        Cow::Owned(id.call_method0(intern!(py, "item"))?)
    } else {
        Cow::Borrowed(id)
    };
    if id.hash().is_err() {
        return Err(unhashable(place(), &id));
    }
    if id.ne(&*id)? {
        return Err(InvalidArgumentError::new_err(format!(
            "{}: the id is NaN, which is not equal to itself; pass a real id",
            place()
        )));
    }
    Ok(id)
}

/// A score as a number, or `None` where there is none.
pub fn number<'py>(
    score: Borrowed<'_, 'py, PyAny>,
    id: &Bound<'py, PyAny>,
    place: &dyn Fn() -> String,
) -> PyResult<Option<f64>> {
    if let Ok(score) = score.cast_exact::<PyFloat>() {
        return Ok(Some(score.extract::<f64>()?));
    }
    if score.is_none() {
        return Ok(None);
    }
    let text = score.is_instance_of::<PyString>() || score.is_instance_of::<PyBytes>();
    let boolean = score.is_instance_of::<PyBool>();
    let read = if text || boolean { None } else { Some(score.extract::<f64>()) };
    match read {
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(error)) if error.is_instance_of::<PyOverflowError>(score.py()) => {
            Err(InvalidScoreError::new_err(format!(
                "{}, id {}: the score is too large for a float; scores must be finite numbers",
                place(),
                shown(id)
            )))
        }
        _ => Err(PyTypeError::new_err(format!(
            "{}, id {}: the score is a {} ({}); it must be a number, or None if there is none",
            place(),
            shown(id),
            kind(&score),
            shown(&score)
        ))),
    }
}

/// A type of another module, looked up once per interpreter.
fn looked_up<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyType>>,
    module: &str,
    name: &str,
) -> PyResult<&'py Bound<'py, PyType>> {
    cell.import(py, module, name)
}

fn ranking_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    looked_up(py, &TYPE, "rankmeld.ranking", "Ranking")
}

fn scalar_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    looked_up(py, &TYPE, "numpy", "generic")
}

fn is_document(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    object.is_instance(looked_up(object.py(), &TYPE, "rankmeld.document", "Document")?)
}
