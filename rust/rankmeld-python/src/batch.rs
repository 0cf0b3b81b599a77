//! Reading all rankings of a call: one code for each distinct id, columns for the core.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use pyo3::{Borrowed, PyTraverseError, PyVisit};
use rankmeld_core::fusion::Rankings;
use rankmeld_core::intern::intern_integers;

use crate::arrays;
use crate::detach::detached;
use crate::entries::{Entries, Place, check_signals, number};
use crate::errors::{Label, absent_score, refused, shown};
use crate::forms::{Form, IdColumn, Ids, ScoreColumn};
use crate::ids::IdTable;
use crate::input::form_of;

/// All rankings of a call.
pub struct Batch<'py> {
    /// The rankings as codes.
    pub rankings: Rankings,
    /// The distinct ids, by code.
    pub ids: Ids<'py>,
    /// For each list its scores, if they were asked for.
    pub scores: Vec<Scores<'py>>,
    /// For each list what an explanation shows as raw scores.
    pub raw: Vec<RawScores>,
    /// Every document that came, in order, with the code of its entry.
    pub documents: Vec<(u32, Bound<'py, PyAny>)>,
}

/// Scores of one list, ready for the core.
pub enum Scores<'py> {
    /// Not asked for.
    Unread,
    /// The caller's own array.
    Array(PyReadonlyArray1<'py, f64>),
    /// Read from objects, and kept as the raw scores.
    Kept,
}

impl Batch<'_> {
    /// The scores of each list as numbers; nothing where they were not asked for.
    pub fn columns(&self) -> PyResult<Vec<&[f64]>> {
        let mut columns = Vec::with_capacity(self.scores.len());
        for (scores, raw) in self.scores.iter().zip(&self.raw) {
            columns.push(match (scores, raw) {
                (Scores::Array(array), _) => arrays::elements(array)?,
                (Scores::Kept, RawScores::Values(values)) => values.as_slice(),
                _ => &[],
            });
        }
        Ok(columns)
    }
}

/// Raw scores, kept for explanations.
pub enum RawScores {
    /// The list has none.
    None,
    /// Numbers, NaN where absent.
    Values(Vec<f64>),
    /// The entries themselves: a fusion by rank has no need to read scores.
    Items(Py<PyTuple>),
}

impl RawScores {
    /// The score at a position, if there is one.
    pub fn get(&self, py: Python<'_>, position: usize) -> Option<f64> {
        let score = match self {
            Self::None => None,
            Self::Values(values) => values.get(position).copied(),
            Self::Items(items) => {
                let item = items.bind(py).get_item(position).ok()?;
                let record = item.cast::<PyTuple>().ok()?;
                if !matches!(record.len(), 2 | 3) {
                    return None;
                }
                record.get_item(1).ok()?.extract().ok()
            }
        };
        score.filter(|score| !score.is_nan())
    }

    /// Shows the collector what is held.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Items(items) => visit.call(items),
            Self::None | Self::Values(_) => Ok(()),
        }
    }
}

/// Reads the rankings of a call; scores are read, and required, only where `want_scores` says so.
pub fn read_batch<'py>(
    rankings: &Bound<'py, PyList>,
    label: &Label<'_, 'py>,
    want_scores: bool,
) -> PyResult<Batch<'py>> {
    let py = rankings.py();
    let mut forms = Vec::with_capacity(rankings.len());
    for (list, ranking) in rankings.iter().enumerate() {
        forms.push(form_of(&ranking, Place { label, list })?);
    }
    let integers = |form: &Form<'_>| {
        matches!(form, Form::Columns { ids: IdColumn::Integers(_), documents: None, .. })
    };
    if !forms.is_empty() && forms.iter().all(integers) {
        return read_integers(py, forms, label, want_scores);
    }
    // Entries point into the forms, so that no reference is counted on the way.
    let items: Vec<_> = forms.iter().map(Form::items).collect();
    let read = read_entries(&forms, &items, label, want_scores)?;
    if read.iter().all(Option::is_some) {
        return read_objects(py, &forms, read.into_iter().flatten().collect(), label, want_scores);
    }
    // A form with an entry of a rare kind becomes triples, and those are pointed into.
    let common: Vec<bool> = read.iter().map(Option::is_some).collect();
    drop(read);
    drop(items);
    for (list, (form, common)) in forms.iter_mut().zip(common).enumerate() {
        if !common {
            form.make_common(py, Place { label, list })?;
        }
    }
    let items: Vec<_> = forms.iter().map(Form::items).collect();
    let read = read_entries(&forms, &items, label, want_scores)?;
    read_objects(py, &forms, read.into_iter().flatten().collect(), label, want_scores)
}

/// The entries of each form; `None` for one with an entry of a rare kind.
fn read_entries<'a, 'py>(
    forms: &'a [Form<'py>],
    items: &'a [Vec<Borrowed<'a, 'py, PyAny>>],
    label: &Label<'_, 'py>,
    want_scores: bool,
) -> PyResult<Vec<Option<Entries<'a, 'py>>>> {
    let entries = |(list, (form, items)): (usize, (&'a Form<'py>, &'a Vec<_>))| {
        let place = Place { label, list };
        match form {
            Form::Items(_) => Entries::of_plain(items, place, want_scores),
            Form::Triples(_) => Entries::of_triples(items, place, want_scores).map(Some),
            Form::Columns { ids: IdColumn::Integers(_), .. } => Ok(None),
            Form::Columns { documents, .. } => {
                Entries::of_columns(items, documents.as_ref(), place).map(Some)
            }
        }
    };
    forms.iter().zip(items).enumerate().map(entries).collect()
}

fn read_integers<'py>(
    py: Python<'py>,
    forms: Vec<Form<'py>>,
    label: &Label<'_, 'py>,
    want_scores: bool,
) -> PyResult<Batch<'py>> {
    let mut columns = Vec::with_capacity(forms.len());
    let mut sources = Vec::with_capacity(forms.len());
    for form in forms {
        if let Form::Columns { ids: IdColumn::Integers(ids), scores, .. } = form {
            columns.push(ids);
            sources.push(scores);
        }
    }
    let slices = columns.iter().map(arrays::elements).collect::<PyResult<Vec<_>>>()?;
    let (lists, ids) = interned(py, &slices, label)?;
    let mut scores = Vec::with_capacity(sources.len());
    let mut raw = Vec::with_capacity(sources.len());
    for (list, (source, ids)) in sources.iter().zip(&slices).enumerate() {
        let id_at = |at: usize| ids.get(at).map_or_else(String::new, ToString::to_string);
        let place = Place { label, list };
        let (known, kept) = column_scores(source, place, ids.len(), want_scores, &id_at)?;
        scores.push(known);
        raw.push(kept);
    }
    Ok(Batch {
        rankings: Rankings { lists, candidates: ids.len() },
        ids: Ids::Integers(ids),
        scores,
        raw,
        documents: Vec::new(),
    })
}

fn read_objects<'py>(
    py: Python<'py>,
    forms: &[Form<'py>],
    mut columns: Vec<Entries<'_, 'py>>,
    label: &Label<'_, 'py>,
    want_scores: bool,
) -> PyResult<Batch<'py>> {
    let (lists, ids) = codes(py, &columns, label)?;
    let mut documents = Vec::new();
    let mut scores = Vec::with_capacity(forms.len());
    let mut raw = Vec::with_capacity(forms.len());
    for (list, (form, entries)) in forms.iter().zip(&mut columns).enumerate() {
        let place = Place { label, list };
        let ids = &entries.ids;
        let id_at = |at: usize| ids.get(at).map_or_else(String::new, |id| shown(id));
        let (known, kept) = match form {
            Form::Columns { scores, .. } => {
                column_scores(scores, place, ids.len(), want_scores, &id_at)?
            }
            Form::Items(_) | Form::Triples(_) if want_scores => {
                if let Some(position) = entries.absent {
                    return Err(absent_score(place.at(position), &id_at(position)));
                }
                (Scores::Kept, RawScores::Values(std::mem::take(&mut entries.scores)))
            }
            Form::Items(items) | Form::Triples(items) => {
                (Scores::Unread, RawScores::Items(items.clone().unbind()))
            }
        };
        scores.push(known);
        raw.push(kept);
        let codes = lists.get(list).map_or(&[][..], Vec::as_slice);
        for &(position, document) in &entries.documents {
            documents.extend(codes.get(position).map(|&code| (code, document.to_owned())));
        }
    }
    Ok(Batch {
        rankings: Rankings { lists, candidates: ids.len() },
        ids: Ids::Objects(ids),
        scores,
        raw,
        documents,
    })
}

/// Codes of integers, list by list, and the integers by code.
fn interned(
    py: Python<'_>,
    lists: &[&[i64]],
    label: &Label<'_, '_>,
) -> PyResult<(Vec<Vec<u32>>, Vec<i64>)> {
    let entries = lists.iter().map(|list| list.len()).sum();
    detached(py, entries, |watch| intern_integers(lists, watch))?
        .map_err(|error| refused(py, error, label))
}

/// Codes list by list, and the ids by code.
pub type Codes<'py> = (Vec<Vec<u32>>, Vec<Bound<'py, PyAny>>);

/// Codes of the ids of all lists, and the ids by code.
///
/// Ids of equal hash are taken for equal, which the core finds out in one go, and then proven to
/// be: the same object, or equal. Where the proof fails, all are told apart one by one.
pub fn codes<'py>(
    py: Python<'py>,
    columns: &[Entries<'_, 'py>],
    label: &Label<'_, 'py>,
) -> PyResult<Codes<'py>> {
    let hashes: Vec<&[i64]> = columns.iter().map(|entries| entries.hashes.as_slice()).collect();
    let (lists, distinct) = interned(py, &hashes, label)?;
    let mut first = Vec::with_capacity(distinct.len());
    for (entries, codes) in columns.iter().zip(&lists) {
        for (position, (id, &code)) in entries.ids.iter().zip(codes).enumerate() {
            check_signals(py, position)?;
            match first.get(code as usize) {
                None => first.push(*id),
                Some(known) if known.is(id) || known.eq(id)? => {}
                Some(_) => return codes_one_by_one(py, columns, label),
            }
        }
    }
    Ok((lists, first.into_iter().map(Borrowed::to_owned).collect()))
}

/// Entries between two checks for Ctrl-C where one entry may be compared with all before it.
const ASK_EVERY: usize = 128;

#[cold]
fn codes_one_by_one<'py>(
    py: Python<'py>,
    columns: &[Entries<'_, 'py>],
    label: &Label<'_, 'py>,
) -> PyResult<Codes<'py>> {
    let mut table = IdTable::with_capacity(columns.iter().map(|c| c.ids.len()).sum());
    let mut lists = Vec::with_capacity(columns.len());
    for entries in columns {
        let mut codes = Vec::with_capacity(entries.ids.len());
        for (position, (id, &hash)) in entries.ids.iter().zip(&entries.hashes).enumerate() {
            if position.is_multiple_of(ASK_EVERY) {
                py.check_signals()?;
            }
            codes.push(table.intern(id, hash, label)?);
        }
        lists.push(codes);
    }
    Ok((lists, table.into_ids()))
}

/// Scores of a columnar list, and what explanations need of them.
fn column_scores<'py>(
    column: &ScoreColumn<'py>,
    place: Place<'_, 'py>,
    length: usize,
    want: bool,
    id_at: &dyn Fn(usize) -> String,
) -> PyResult<(Scores<'py>, RawScores)> {
    let absent = |position: usize| absent_score(place.at(position), &id_at(position));
    let values = match column {
        ScoreColumn::Absent if want && length > 0 => return Err(absent(0)),
        ScoreColumn::Absent => return Ok((Scores::Unread, RawScores::None)),
        ScoreColumn::Array { values, nan_is_absent } => {
            let numbers = arrays::elements(values)?;
            if want
                && *nan_is_absent
                && let Some(at) = numbers.iter().position(|x| x.is_nan())
            {
                return Err(absent(at));
            }
            // The caller may change the array later; an explanation must not change with it.
            let raw = RawScores::Values(numbers.to_vec());
            return Ok((if want { Scores::Array(values.clone()) } else { Scores::Unread }, raw));
        }
        ScoreColumn::Values(values) => values.clone(),
        ScoreColumn::Objects(objects) => {
            let mut values = Vec::with_capacity(length);
            for (position, score) in objects.iter_borrowed().enumerate() {
                match number(score, || (place.at(position), id_at(position)))? {
                    Some(value) => values.push(value),
                    None if want => return Err(absent(position)),
                    None => values.push(f64::NAN),
                }
            }
            values
        }
    };
    Ok((if want { Scores::Kept } else { Scores::Unread }, RawScores::Values(values)))
}
