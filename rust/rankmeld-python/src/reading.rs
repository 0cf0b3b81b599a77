//! Reading one ranking into the columns that the Python face keeps.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::arrays;
use crate::entries::{Entries, Place, number};
use crate::errors::{Label, shown};
use crate::forms::{Form, IdColumn, ScoreColumn};
use crate::input::form_of;

/// Ids (a list or an int64 array), scores (float64, NaN where absent) and documents, each `None`
/// where there are none.
type Columns<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyList>>);

/// Reads any form of ranking, entry by entry, as it stands.
#[pyfunction]
pub fn read<'py>(ranking: &Bound<'py, PyAny>, name: &str) -> PyResult<Columns<'py>> {
    let py = ranking.py();
    let label = Label::Argument(name);
    let place = Place { label: &label, list: 0 };
    let mut form = form_of(ranking, place)?;
    let mut items = form.items();
    if let Form::Items(_) = form {
        if let Some(entries) = Entries::of_plain(&items, place, true)? {
            return columns(py, &entries);
        }
        drop(items);
        form.make_common(py, place)?;
        items = form.items();
    }
    match &form {
        Form::Items(_) | Form::Triples(_) => {
            columns(py, &Entries::of_triples(&items, place, true)?)
        }
        Form::Columns { ids, scores, documents } => {
            let ids = match ids {
                IdColumn::Integers(ids) => {
                    arrays::elements(ids)?.to_vec().into_pyarray(py).into_any()
                }
                IdColumn::Objects(ids) => {
                    // Read for the sake of the refusals.
                    Entries::of_columns(&items, None, place)?;
                    ids.to_list().into_any()
                }
            };
            let id_at =
                |at: usize| ids.get_item(at).map_or_else(|_| String::new(), |id| shown(&id));
            let scores = known_scores(scores, &id_at, place)?
                .map(|scores| scores.into_pyarray(py).into_any());
            Ok((ids, scores, documents.as_ref().map(PyTupleMethods::to_list)))
        }
    }
}

/// Reads any form of ranking and hands its entries to `take`, with their scores, NaN where absent; no
/// scores at all are an empty slice.
pub fn with_entries<'py>(
    ranking: &Bound<'py, PyAny>,
    place: Place<'_, 'py>,
    take: impl FnOnce(&Entries<'_, 'py>, &[f64]) -> PyResult<()>,
) -> PyResult<()> {
    let py = ranking.py();
    let mut form = form_of(ranking, place)?;
    if let Form::Columns { ids: IdColumn::Integers(_), .. } = form {
        form.make_common(py, place)?;
    }
    let mut items = form.items();
    if let Form::Items(_) = form {
        if let Some(entries) = Entries::of_plain(&items, place, true)? {
            return take(&entries, &entries.scores);
        }
        drop(items);
        form.make_common(py, place)?;
        items = form.items();
    }
    match &form {
        Form::Items(_) | Form::Triples(_) => {
            let entries = Entries::of_triples(&items, place, true)?;
            take(&entries, &entries.scores)
        }
        Form::Columns { scores, .. } => {
            let entries = Entries::of_columns(&items, None, place)?;
            let id_at = |at: usize| entries.ids.get(at).map_or_else(String::new, |id| shown(id));
            let scores = known_scores(scores, &id_at, place)?.unwrap_or_default();
            take(&entries, &scores)
        }
    }
}

fn columns<'py>(py: Python<'py>, entries: &Entries<'_, 'py>) -> PyResult<Columns<'py>> {
    let ids = PyList::new(py, &entries.ids)?.into_any();
    let any_score = entries.scores.iter().any(|score| !score.is_nan())
        || (entries.absent.is_none() && !entries.scores.is_empty());
    let scores = any_score.then(|| entries.scores.clone().into_pyarray(py).into_any());
    if entries.documents.is_empty() {
        return Ok((ids, scores, None));
    }
    let mut documents = vec![None; entries.ids.len()];
    for &(position, document) in &entries.documents {
        if let Some(slot) = documents.get_mut(position) {
            *slot = Some(document);
        }
    }
    Ok((ids, scores, Some(PyList::new(py, documents)?)))
}

/// A column of scores as numbers, NaN where absent; `None` if there are none at all.
fn known_scores<'py>(
    column: &ScoreColumn<'py>,
    id_at: &dyn Fn(usize) -> String,
    place: Place<'_, 'py>,
) -> PyResult<Option<Vec<f64>>> {
    let read = |objects: &Bound<'py, PyTuple>| {
        objects
            .iter_borrowed()
            .enumerate()
            .map(|(at, score)| number(score, || (place.at(at), id_at(at))))
            .collect::<PyResult<Vec<_>>>()
    };
    Ok(match column {
        ScoreColumn::Absent => None,
        ScoreColumn::Values(values) => Some(values.clone()),
        ScoreColumn::Array { values, .. } => Some(arrays::elements(values)?.to_vec()),
        ScoreColumn::Objects(objects) => {
            let scores = read(objects)?;
            let any = scores.iter().any(Option::is_some);
            any.then(|| scores.into_iter().map(|score| score.unwrap_or(f64::NAN)).collect())
        }
    })
}
