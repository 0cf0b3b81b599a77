//! The forms that a ranking can have, before its entries are read.

use numpy::PyReadonlyArray1;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::arrays;
use crate::entries::{Place, triples};
use crate::errors::shown;

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
    /// The same as `(id, score, document)` triples with ids in the form that comes back.
    Triples(Bound<'py, PyTuple>),
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

impl<'py> Form<'py> {
    /// The items of a list, or the ids of a column of objects.
    pub fn items(&self) -> Vec<Borrowed<'_, 'py, PyAny>> {
        match self {
            Self::Items(items)
            | Self::Triples(items)
            | Self::Columns { ids: IdColumn::Objects(items), .. } => {
                items.iter_borrowed().collect()
            }
            Self::Columns { ids: IdColumn::Integers(_), .. } => Vec::new(),
        }
    }

    /// Turns a form with entries of rare kinds into one of common kinds.
    pub fn make_common(&mut self, py: Python<'py>, place: Place<'_, 'py>) -> PyResult<()> {
        match self {
            Self::Items(items) => *self = Self::Triples(triples(items, place)?),
            Self::Columns { ids, .. } => {
                if let IdColumn::Integers(integers) = ids {
                    let objects = PyTuple::new(py, arrays::elements(integers)?)?;
                    *ids = IdColumn::Objects(objects);
                }
            }
            Self::Triples(_) => {}
        }
        Ok(())
    }
}

/// Ids of a columnar ranking.
pub enum IdColumn<'py> {
    /// An array of integers that fit int64.
    Integers(PyReadonlyArray1<'py, i64>),
    /// Objects in the form that comes back: no NumPy scalars, no NaN.
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
