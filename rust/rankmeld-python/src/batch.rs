//! Reading all rankings of a call: one code for each distinct id, columns for the core.

use std::borrow::Cow;

use numpy::PyReadonlyArray1;
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use pyo3::{Borrowed, PyTraverseError, PyVisit};
use rankmeld_core::Error;
use rankmeld_core::fusion::Rankings;
use rankmeld_core::intern::{Interner, intern_integers};

use crate::arrays;
use crate::detach::detached;
use crate::errors::{Label, absent_score, to_python, unhashable};
use crate::input::{Form, IdColumn, Ids, ScoreColumn, Sink, form_of, number, plain_id, walk};

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
    /// Read from objects.
    Values(Vec<f64>),
}

impl Scores<'_> {
    /// The numbers.
    pub fn as_slice(&self) -> PyResult<&[f64]> {
        match self {
            Self::Unread => Ok(&[]),
            Self::Array(array) => arrays::elements(array),
            Self::Values(values) => Ok(values),
        }
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
        match self {
            Self::None => None,
            Self::Values(values) => values.get(position).copied().filter(|score| !score.is_nan()),
            Self::Items(items) => {
                let item = items.bind(py).get_item(position).ok()?;
                let record = item.cast::<PyTuple>().ok()?;
                if !matches!(record.len(), 2 | 3) {
                    return None;
                }
                record.get_item(1).ok()?.extract().ok().filter(|score: &f64| !score.is_nan())
            }
        }
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
    let forms = rankings
        .iter()
        .enumerate()
        .map(|(list, ranking)| form_of(&ranking, label, list))
        .collect::<PyResult<Vec<_>>>()?;
    let integers = |form: &Form<'_>| {
        matches!(form, Form::Columns { ids: IdColumn::Integers(_), documents: None, .. })
    };
    if !forms.is_empty() && forms.iter().all(integers) {
        read_integers(rankings.py(), forms, label, want_scores)
    } else {
        read_objects(rankings.py(), forms, label, want_scores)
    }
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
    let entries = slices.iter().map(|slice| slice.len()).sum();
    let (lists, ids) = detached(py, entries, || intern_integers(&slices))?
        .map_err(|error| to_python(py, error, label, |_, _| String::new(), |_| String::new()))?;
    let mut batch = Batch {
        rankings: Rankings { lists, candidates: ids.len() },
        ids: Ids::Integers(ids),
        scores: Vec::with_capacity(sources.len()),
        raw: Vec::with_capacity(sources.len()),
        documents: Vec::new(),
    };
    for (list, (source, ids)) in sources.into_iter().zip(&slices).enumerate() {
        let id_at =
            |position: usize| ids.get(position).map_or_else(|| "?".to_owned(), ToString::to_string);
        let (scores, raw) = column_scores(py, source, label, list, ids.len(), want_scores, &id_at)?;
        batch.scores.push(scores);
        batch.raw.push(raw);
    }
    Ok(batch)
}

/// Scores of a columnar list, and what explanations need of them.
fn column_scores<'py>(
    py: Python<'py>,
    column: ScoreColumn<'py>,
    label: &Label<'_, 'py>,
    list: usize,
    length: usize,
    want: bool,
    id_at: &dyn Fn(usize) -> String,
) -> PyResult<(Scores<'py>, RawScores)> {
    let absent = |position: usize| absent_score(label.place(list, position), &id_at(position));
    match column {
        ScoreColumn::Absent if want && length > 0 => Err(absent(0)),
        ScoreColumn::Absent => Ok((Scores::Values(Vec::new()), RawScores::None)),
        ScoreColumn::Array { values, nan_is_absent } => {
            let numbers = arrays::elements(&values)?;
            if want
                && nan_is_absent
                && let Some(at) = numbers.iter().position(|x| x.is_nan())
            {
                return Err(absent(at));
            }
            // The caller may change the array later; an explanation must not change with it.
            let raw = RawScores::Values(numbers.to_vec());
            Ok((if want { Scores::Array(values) } else { Scores::Unread }, raw))
        }
        ScoreColumn::Values(values) if want => {
            Ok((Scores::Values(values.clone()), RawScores::Values(values)))
        }
        ScoreColumn::Values(values) => Ok((Scores::Unread, RawScores::Values(values))),
        ScoreColumn::Objects(objects) => {
            let mut values = Vec::with_capacity(length);
            let nobody = py.None().into_bound(py);
            for (position, score) in objects.iter_borrowed().enumerate() {
                let place = || format!("{}, id {}", label.place(list, position), id_at(position));
                match number(score, &nobody, &place)? {
                    Some(value) => values.push(value),
                    None if want => return Err(absent(position)),
                    None => values.push(f64::NAN),
                }
            }
            let raw = RawScores::Values(values.clone());
            Ok((if want { Scores::Values(values) } else { Scores::Unread }, raw))
        }
    }
}

fn read_objects<'py>(
    py: Python<'py>,
    forms: Vec<Form<'py>>,
    label: &Label<'_, 'py>,
    want_scores: bool,
) -> PyResult<Batch<'py>> {
    let longest = forms.iter().map(length_of).max().unwrap_or(0);
    let mut reader = Reader {
        label,
        list: 0,
        want_scores,
        interner: Interner::with_capacity(longest),
        ids: Vec::with_capacity(longest),
        codes: Vec::new(),
        scores: Vec::new(),
        documents: Vec::new(),
    };
    let mut batch = Batch {
        rankings: Rankings::default(),
        ids: Ids::Objects(Vec::new()),
        scores: Vec::with_capacity(forms.len()),
        raw: Vec::with_capacity(forms.len()),
        documents: Vec::new(),
    };
    for (list, form) in forms.into_iter().enumerate() {
        reader.list = list;
        reader.codes = Vec::with_capacity(length_of(&form));
        match form {
            Form::Items(items) => {
                walk(&items, label, list, &mut reader)?;
                let scores = std::mem::take(&mut reader.scores);
                if want_scores {
                    batch.raw.push(RawScores::Values(scores.clone()));
                    batch.scores.push(Scores::Values(scores));
                } else {
                    batch.raw.push(RawScores::Items(items.unbind()));
                    batch.scores.push(Scores::Unread);
                }
            }
            Form::Columns { ids, scores, documents } => {
                let ids = match ids {
                    IdColumn::Objects(ids) => ids,
                    IdColumn::Integers(ids) => PyTuple::new(py, arrays::elements(&ids)?)?,
                };
                let nothing = py.None().into_bound(py);
                for (position, id) in ids.iter_borrowed().enumerate() {
                    let document = documents.as_ref().map(|d| d.get_borrowed_item(position));
                    let document = document.transpose()?.unwrap_or_else(|| nothing.as_borrowed());
                    let code = reader.code(position, id)?;
                    reader.keep(code, document);
                }
                let id_at = |at: usize| {
                    ids.get_item(at).map_or_else(|_| "?".to_owned(), |id| crate::errors::shown(&id))
                };
                let (scores, raw) =
                    column_scores(py, scores, label, list, ids.len(), want_scores, &id_at)?;
                batch.scores.push(scores);
                batch.raw.push(raw);
            }
        }
        batch.rankings.lists.push(std::mem::take(&mut reader.codes));
    }
    batch.rankings.candidates = reader.ids.len();
    batch.ids = Ids::Objects(reader.ids);
    batch.documents = reader.documents;
    Ok(batch)
}

fn length_of(form: &Form<'_>) -> usize {
    match form {
        Form::Items(items) => items.len(),
        Form::Columns { ids: IdColumn::Objects(ids), .. } => ids.len(),
        Form::Columns { ids: IdColumn::Integers(ids), .. } => ids.len(),
    }
}

/// Gives codes to the ids of objects.
struct Reader<'a, 'py> {
    label: &'a Label<'a, 'py>,
    list: usize,
    want_scores: bool,
    interner: Interner,
    ids: Vec<Bound<'py, PyAny>>,
    codes: Vec<u32>,
    scores: Vec<f64>,
    documents: Vec<(u32, Bound<'py, PyAny>)>,
}

/// An error of the interpreter or of the core, on the way through the interner.
enum Failure {
    Python(PyErr),
    Core(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl<'py> Reader<'_, 'py> {
    #[inline]
    fn code(&mut self, position: usize, id: Borrowed<'_, 'py, PyAny>) -> PyResult<u32> {
        let label = self.label;
        let list = self.list;
        let id: Cow<'_, Bound<'py, PyAny>> = plain_id(&id, || label.place(list, position))?;
        let Ok(hash) = id.hash() else {
            return Err(unhashable(label.place(list, position), &id));
        };
        let ids = &self.ids;
        let found = self.interner.intern(hash.cast_unsigned() as u64, |code| {
            // Python's own rule: the same object, else equality.
            match ids.get(code as usize) {
                Some(known) => Ok(known.is(&*id) || known.eq(&*id).map_err(Failure::Python)?),
                None => Ok(false),
            }
        });
        let found = match found {
            Ok(found) => found,
            Err(Failure::Python(error)) => return Err(error),
            Err(Failure::Core(error)) => {
                let nothing = |_| String::new();
                return Err(to_python(id.py(), error, label, |_, _| String::new(), nothing));
            }
        };
        if found.fresh {
            self.ids.push(id.into_owned());
        }
        self.codes.push(found.code);
        Ok(found.code)
    }

    #[inline]
    fn keep(&mut self, code: u32, document: Borrowed<'_, 'py, PyAny>) {
        if !document.is_none() {
            self.documents.push((code, (*document).clone()));
        }
    }
}

impl<'py> Sink<'py> for Reader<'_, 'py> {
    #[inline]
    fn entry(
        &mut self,
        position: usize,
        id: Borrowed<'_, 'py, PyAny>,
        score: Option<Borrowed<'_, 'py, PyAny>>,
        document: Option<Borrowed<'_, 'py, PyAny>>,
    ) -> PyResult<()> {
        let code = self.code(position, id)?;
        if self.want_scores {
            let place = || self.label.place(self.list, position);
            let value = match score {
                Some(score) => number(score, &id, &place)?,
                None => None,
            };
            let Some(value) = value else {
                return Err(absent_score(place(), &crate::errors::shown(&id)));
            };
            self.scores.push(value);
        }
        if let Some(document) = document {
            self.keep(code, document);
        }
        Ok(())
    }
}
