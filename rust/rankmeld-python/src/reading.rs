//! Reading one ranking into the columns that the Python face keeps.

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::arrays;
use crate::errors::{Label, unhashable};
use crate::input::{Form, IdColumn, ScoreColumn, Sink, form_of, number, plain_id, walk};

/// Ids (a list or an int64 array), scores (float64, NaN where absent) and documents, each `None`
/// where there are none.
type Columns<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyList>>);

/// Reads any form of ranking, entry by entry, as it stands.
#[pyfunction]
pub fn read<'py>(ranking: &Bound<'py, PyAny>, name: &str) -> PyResult<Columns<'py>> {
    let py = ranking.py();
    let label = Label::Argument(name);
    let form = form_of(ranking, &label, 0)?;
    let mut sink = Collected::new(py, &label);
    let (ids, scores, documents) = match form {
        Form::Items(items) => {
            walk(&items, &label, 0, &mut sink)?;
            (None, Scores::Read, None)
        }
        Form::Columns { ids: IdColumn::Integers(ids), scores, documents } => {
            (Some(ids), Scores::of(scores), documents)
        }
        Form::Columns { ids: IdColumn::Objects(ids), scores, documents } => {
            for (position, id) in ids.iter_borrowed().enumerate() {
                sink.id(position, id)?;
            }
            (None, Scores::of(scores), documents)
        }
    };
    let ids = match ids {
        Some(ids) => arrays::elements(&ids)?.to_vec().into_pyarray(py).into_any(),
        None => PyList::new(py, &sink.ids)?.into_any(),
    };
    let scores = match scores {
        Scores::Read => sink.any_score.then_some(sink.scores),
        Scores::None => None,
        Scores::Known(scores) => Some(scores),
        Scores::Objects(objects) => {
            for (position, score) in objects.iter_borrowed().enumerate() {
                sink.score(position, &ids.get_item(position)?, Some(score))?;
            }
            sink.any_score.then_some(sink.scores)
        }
    };
    let documents = match documents {
        Some(documents) => Some(documents.to_list()),
        None if sink.any_document => Some(PyList::new(py, &sink.documents)?),
        None => None,
    };
    Ok((ids, scores.map(|scores| frozen(py, scores)), documents))
}

/// A read-only array.
pub fn frozen(py: Python<'_>, values: Vec<f64>) -> Bound<'_, PyAny> {
    let array = values.into_pyarray(py);
    drop(array.readwrite().make_nonwriteable());
    array.into_any()
}

enum Scores<'py> {
    Read,
    None,
    Known(Vec<f64>),
    Objects(Bound<'py, PyTuple>),
}

impl<'py> Scores<'py> {
    fn of(column: ScoreColumn<'py>) -> Self {
        match column {
            ScoreColumn::Absent => Self::None,
            ScoreColumn::Values(values) => Self::Known(values),
            ScoreColumn::Array { values, .. } => {
                Self::Known(arrays::elements(&values).map(<[f64]>::to_vec).unwrap_or_default())
            }
            ScoreColumn::Objects(objects) => Self::Objects(objects),
        }
    }
}

/// Columns as they grow.
struct Collected<'a, 'py> {
    py: Python<'py>,
    label: &'a Label<'a, 'py>,
    ids: Vec<Bound<'py, PyAny>>,
    scores: Vec<f64>,
    documents: Vec<Bound<'py, PyAny>>,
    any_score: bool,
    any_document: bool,
}

impl<'a, 'py> Collected<'a, 'py> {
    fn new(py: Python<'py>, label: &'a Label<'a, 'py>) -> Self {
        Self {
            py,
            label,
            ids: Vec::new(),
            scores: Vec::new(),
            documents: Vec::new(),
            any_score: false,
            any_document: false,
        }
    }

    fn id(&mut self, position: usize, id: Borrowed<'_, 'py, PyAny>) -> PyResult<()> {
        let place = || self.label.place(0, position);
        let id = plain_id(&id, place)?;
        if id.hash().is_err() {
            return Err(unhashable(place(), &id));
        }
        self.ids.push(id.into_owned());
        Ok(())
    }

    fn score(
        &mut self,
        position: usize,
        id: &Bound<'py, PyAny>,
        score: Option<Borrowed<'_, 'py, PyAny>>,
    ) -> PyResult<()> {
        let value = match score {
            Some(score) => number(score, id, &|| self.label.place(0, position))?,
            None => None,
        };
        self.any_score |= value.is_some();
        self.scores.push(value.unwrap_or(f64::NAN));
        Ok(())
    }
}

impl<'py> Sink<'py> for Collected<'_, 'py> {
    fn entry(
        &mut self,
        position: usize,
        id: Borrowed<'_, 'py, PyAny>,
        score: Option<Borrowed<'_, 'py, PyAny>>,
        document: Option<Borrowed<'_, 'py, PyAny>>,
    ) -> PyResult<()> {
        self.id(position, id)?;
        self.score(position, &id, score)?;
        let document = document
            .map_or_else(|| self.py.None().into_bound(self.py), |document| (*document).clone());
        self.any_document |= !document.is_none();
        self.documents.push(document);
        Ok(())
    }
}
