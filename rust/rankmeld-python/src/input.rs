//! The one place that decides what a ranking is: from what a user has to ids and columns.

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyIterator, PyList, PyMapping,
    PyMemoryView, PySet, PyString, PyTuple, PyType,
};
use rankmeld_core::order;

use crate::arrays;
use crate::detach::detached;
use crate::entries::{CHECK_EVERY, Place, number, plain_ids};
use crate::errors::{
    InvalidArgumentError, InvalidScoreError, Label, absent_score, float, kind, refused, shown,
};
use crate::forms::{Form, IdColumn, ScoreColumn};

/// Finds out what form a ranking has.
pub fn form_of<'py>(object: &Bound<'py, PyAny>, place: Place<'_, 'py>) -> PyResult<Form<'py>> {
    if let Ok(items) = object.cast_exact::<PyList>() {
        return Ok(Form::Items(items.to_tuple()));
    }
    if let Ok(items) = object.cast_exact::<PyTuple>() {
        return form_of_tuple(items, place);
    }
    if object.is_instance(ranking_type(object.py())?)? {
        return form_of_ranking(object);
    }
    if let Some(array) = arrays::as_array(object) {
        return form_of_array(array, place);
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        return form_of_mapping(mapping, place);
    }
    if object.hasattr("to_pylist")? {
        // An Arrow array: its scalars are no plain values, and not equal to those of a list.
        let items = object.call_method0("to_pylist")?;
        return Ok(Form::Items(items.cast::<PyList>()?.to_tuple()));
    }
    refuse_what_is_no_ranking(object, place)?;
    let Ok(iterator) = object.try_iter() else {
        return Err(no_ranking(object, place));
    };
    Ok(Form::Items(collected(&iterator)?))
}

fn form_of_tuple<'py>(items: &Bound<'py, PyTuple>, place: Place<'_, 'py>) -> PyResult<Form<'py>> {
    let is_column = |item: &Bound<'py, PyAny>| {
        item.is_instance_of::<PyList>() || arrays::as_array(item).is_some()
    };
    if items.len() != 2 || !items.iter().all(|item| is_column(&item)) {
        if matches!(place.label, Label::Lists(_)) && looks_like_a_pair(items)? {
            return Err(PyTypeError::new_err(format!(
                "{} is a tuple ({}) that looks like one hit of a ranking; rankings is a list of \
                 rankings: to pass one ranking alone, write [ranking]",
                place.list(),
                shown(items)
            )));
        }
        return Ok(Form::Items(items.clone()));
    }
    let (ids, scores) = (items.get_item(0)?, items.get_item(1)?);
    let (n_ids, n_scores) = (ids.len()?, scores.len()?);
    if n_ids != n_scores {
        return Err(InvalidArgumentError::new_err(format!(
            "{} is a tuple of two columns, {n_ids} ids and {n_scores} scores; \
             they must be of equal length",
            place.list()
        )));
    }
    let ids = match arrays::as_array(&ids) {
        Some(array) => match id_column(array, place)? {
            IdColumn::Objects(ids) => IdColumn::Objects(plain_ids(&ids, place)?),
            integers @ IdColumn::Integers(_) => integers,
        },
        None => IdColumn::Objects(plain_ids(&ids.cast::<PyList>()?.to_tuple(), place)?),
    };
    let scores = match arrays::as_array(&scores) {
        Some(array) if arrays::kind_of(array) == 'O' => ScoreColumn::Objects(
            array.call_method0(intern!(array.py(), "tolist"))?.cast::<PyList>()?.to_tuple(),
        ),
        Some(array) => {
            let name = format!("the scores of {}", place.list());
            ScoreColumn::Array { values: arrays::floats(array, &name)?, nan_is_absent: false }
        }
        None => ScoreColumn::Objects(scores.cast::<PyList>()?.to_tuple()),
    };
    Ok(Form::Columns { ids, scores, documents: None })
}

/// Whether a tuple is an id with its score: the brackets around the ranking were forgotten.
fn looks_like_a_pair(items: &Bound<'_, PyTuple>) -> PyResult<bool> {
    if !matches!(items.len(), 2 | 3) {
        return Ok(false);
    }
    let (id, score) = (items.get_item(0)?, items.get_item(1)?);
    let number = score.is_exact_instance_of::<PyFloat>() || score.is_exact_instance_of::<PyInt>();
    let text = id.is_instance_of::<PyString>() || id.is_instance_of::<PyBytes>();
    Ok(text && number || score.is_exact_instance_of::<PyFloat>() && !id.is_instance_of::<PyFloat>())
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
    place: Place<'_, 'py>,
) -> PyResult<Form<'py>> {
    if array.ndim() != 1 {
        return Err(InvalidArgumentError::new_err(format!(
            "{} is an array with {} dimension(s); an array of ids has one",
            place.list(),
            array.ndim()
        )));
    }
    if matches!(arrays::kind_of(array), 'f' | 'c') && !array.is_empty() {
        return Err(PyTypeError::new_err(format!(
            "{} is an array of dtype {}, which looks like scores; an array of integers is read as \
             ids, and ids with scores go in as a tuple (ids, scores)",
            place.list(),
            array.dtype().str()?
        )));
    }
    let ids = id_column(array, place)?;
    match ids {
        // An object array may hold pairs and hits, as a list may.
        IdColumn::Objects(items) if arrays::kind_of(array) == 'O' => Ok(Form::Items(items)),
        ids => Ok(Form::Columns { ids, scores: ScoreColumn::Absent, documents: None }),
    }
}

fn id_column<'py>(
    array: &Bound<'py, PyUntypedArray>,
    place: Place<'_, 'py>,
) -> PyResult<IdColumn<'py>> {
    if array.ndim() != 1 {
        return Err(InvalidArgumentError::new_err(format!(
            "the ids of {} are an array with {} dimension(s); they must have one",
            place.list(),
            array.ndim()
        )));
    }
    arrays::require_unmasked(array, &place.list())?;
    if matches!(arrays::kind_of(array), 'V' | 'M' | 'm') && !array.is_empty() {
        return Err(PyTypeError::new_err(format!(
            "{} has ids of dtype {}, which have no plain Python value; pass one field of a structured \
             array, or the moments as strings",
            place.list(),
            array.dtype().str()?
        )));
    }
    if arrays::kind_of(array) == 'b' && !array.is_empty() {
        return Err(PyTypeError::new_err(format!(
            "{} is an array of booleans, which is a mask and no ids; pass the positions \
             (numpy.flatnonzero) or the ids themselves",
            place.list()
        )));
    }
    if arrays::fits_int64(array) || array.is_empty() {
        return Ok(IdColumn::Integers(arrays::integers(array)?));
    }
    // Values and not scalars: `tolist` gives plain Python objects.
    let objects = array.call_method0(intern!(array.py(), "tolist"))?;
    let objects = objects.cast::<PyList>()?.to_tuple();
    // Objects of an object array are looked at one by one, where their list is read.
    let plain = arrays::kind_of(array) == 'O' || arrays::kind_of(array) == 'U';
    Ok(IdColumn::Objects(if plain { objects } else { plain_ids(&objects, place)? }))
}

/// A mapping is ordered by descending score, equal ones as they were inserted.
fn form_of_mapping<'py>(
    mapping: &Bound<'py, PyMapping>,
    place: Place<'_, 'py>,
) -> PyResult<Form<'py>> {
    let items = match mapping.cast_exact::<PyDict>() {
        Ok(dict) => dict.items(),
        Err(_) => mapping.items()?,
    };
    let mut ids = Vec::with_capacity(items.len());
    let mut scores = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        let (id, score) = item.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()?;
        let score = number(score.as_borrowed(), || (place.at(position), shown(&id)))?
            .ok_or_else(|| absent_score(place.at(position), &shown(&id)))?;
        if !score.is_finite() {
            return Err(InvalidScoreError::new_err(format!(
                "{}, id {}: the score is {}; the scores of a mapping order it, so they must be \
                 finite numbers",
                place.at(position),
                shown(&id),
                float(score)
            )));
        }
        ids.push(id);
        scores.push(score);
    }
    let order =
        detached(mapping.py(), scores.len(), |watch| order::top(&scores, usize::MAX, watch))?
            .map_err(|error| refused(mapping.py(), error, place.label))?;
    let ids = order.iter().filter_map(|&at| ids.get(at as usize)).collect::<Vec<_>>();
    let ids = plain_ids(&PyTuple::new(mapping.py(), ids)?, place)?;
    let scores = order.iter().filter_map(|&at| scores.get(at as usize)).copied().collect();
    Ok(Form::Columns {
        ids: IdColumn::Objects(ids),
        scores: ScoreColumn::Values(scores),
        documents: None,
    })
}

fn refuse_what_is_no_ranking<'py>(
    object: &Bound<'py, PyAny>,
    place: Place<'_, 'py>,
) -> PyResult<()> {
    if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        return Err(PyTypeError::new_err(format!(
            "{} is a set, which has no order; pass a list, best first",
            place.list()
        )));
    }
    let has = |name| object.hasattr(name);
    let frame = is_frame(object)?;
    if frame || (has("index")? && has("values")? && has("dtype")?) {
        let way = if frame {
            "pass two of its columns as a tuple (ids, scores) of arrays"
        } else {
            "pass .to_dict() where the index holds ids and the values scores, .to_list() where the \
             values are ids"
        };
        return Err(PyTypeError::new_err(format!(
            "{} is a {}, which can be read in more than one way; {way}",
            place.list(),
            kind(object)
        )));
    }
    let text = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>();
    let record = object.is_instance_of::<PyTuple>() || is_document(object)?;
    if text || record { Err(no_ranking(object, place)) } else { Ok(()) }
}

fn no_ranking<'py>(object: &Bound<'py, PyAny>, place: Place<'_, 'py>) -> PyErr {
    let slip = match place.label {
        Label::Lists(_) => {
            "; rankings is a list of rankings: to pass one ranking alone, write [ranking]"
        }
        Label::Argument(_) => "",
    };
    PyTypeError::new_err(format!(
        "{} is a {} ({}), where a ranking belongs: a list of ids or of (id, score) pairs, a mapping \
         of id to score, a tuple (ids, scores) or an array of ids{slip}",
        place.list(),
        kind(object),
        shown(object)
    ))
}

pub fn collected<'py>(iterator: &Bound<'py, PyIterator>) -> PyResult<Bound<'py, PyTuple>> {
    let mut items = Vec::new();
    for item in iterator {
        items.push(item?);
        if items.len() % CHECK_EVERY == 0 {
            iterator.py().check_signals()?;
        }
    }
    PyTuple::new(iterator.py(), items)
}

/// The Python class, looked up once per interpreter.
pub fn ranking_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    TYPE.import(py, "rankmeld.ranking", "Ranking")
}

/// What all scalars of NumPy are.
pub fn scalar_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    TYPE.import(py, "numpy", "generic")
}

/// Whether an object is a table, of which iterating gives the names of columns.
pub fn is_frame(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("columns")? && object.hasattr("shape")?)
}

/// Whether an object is a `Document`.
pub fn is_document(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    object.is_instance(TYPE.import(object.py(), "rankmeld.document", "Document")?)
}
