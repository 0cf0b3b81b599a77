//! Ordering by score, with the tie rules that compare ids.

use std::cmp::Ordering;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rankmeld_core::order as total_order;
use rankmeld_core::run;

use crate::arrays;
use crate::detach::detached;
use crate::errors::{Label, kind, refused, shown, unknown_word};
use crate::forms::Ids;

/// What decides between equal scores.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// First seen first.
    First,
    /// Smaller id first.
    IdAscending,
    /// Larger id first.
    IdDescending,
}

impl Ties {
    /// Reads the option's word.
    pub fn from_word(word: &str) -> PyResult<Self> {
        match word {
            "first" => Ok(Self::First),
            "id_asc" => Ok(Self::IdAscending),
            "id_desc" => Ok(Self::IdDescending),
            _ => Err(unknown_word("ties", word)),
        }
    }

    /// As the reader of files knows it, whose ids are text.
    pub fn core(self) -> run::Ties {
        match self {
            Self::First => run::Ties::First,
            Self::IdAscending => run::Ties::IdAscending,
            Self::IdDescending => run::Ties::IdDescending,
        }
    }

    /// Codes of the best `limit` scores.
    pub fn order(
        self,
        py: Python<'_>,
        scores: &[f64],
        ids: &Ids<'_>,
        limit: usize,
    ) -> PyResult<Vec<u32>> {
        let sorted = detached(py, scores.len(), |watch| match self {
            Self::First => total_order::top(scores, limit, watch),
            Self::IdAscending | Self::IdDescending => {
                total_order::top_and_ties(scores, limit, watch)
            }
        })?;
        let sorted = sorted.map_err(|error| refused(py, error, &Label::Argument("scores")))?;
        if self == Self::First {
            return Ok(sorted);
        }
        total_order::break_ties(sorted, scores, limit, |a, b| match ids {
            Ids::Integers(ids) => Ok(self.directed(ids.get(a as usize).cmp(&ids.get(b as usize)))),
            Ids::Objects(ids) => match (ids.get(a as usize), ids.get(b as usize)) {
                (Some(a), Some(b)) => self.between(a, b),
                _ => Ok(Ordering::Equal),
            },
        })
    }

    /// Which of two ids of equal scores comes first.
    pub fn between(self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Ordering> {
        compare(a, b).map(|ordering| self.directed(ordering))
    }

    fn directed(self, ordering: Ordering) -> Ordering {
        if self == Self::IdDescending { ordering.reverse() } else { ordering }
    }
}

fn compare(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Ordering> {
    let less = |x: &Bound<'_, PyAny>, y| {
        x.lt(y).map_err(|error| {
            if !error.is_instance_of::<PyTypeError>(a.py()) {
                return error;
            }
            PyTypeError::new_err(format!(
                "ties are to be broken by id, but ids {} ({}) and {} ({}) have equal scores and \
                 cannot be compared; use ids of one kind, or ties=\"first\"",
                shown(a),
                kind(a),
                shown(b),
                kind(b),
            ))
        })
    };
    if less(a, b)? {
        Ok(Ordering::Less)
    } else if less(b, a)? {
        Ok(Ordering::Greater)
    } else {
        Ok(Ordering::Equal)
    }
}

/// Positions of the best `limit` of finite `scores`, best first.
#[pyfunction]
pub fn order<'py>(
    scores: &Bound<'py, PyAny>,
    ids: &Bound<'py, PyAny>,
    limit: Option<usize>,
    ties: &str,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let py = scores.py();
    let array =
        arrays::as_array(scores).ok_or_else(|| PyTypeError::new_err("scores must be an array"))?;
    let column = arrays::floats(array, "scores")?;
    let scores = arrays::elements(&column)?;
    let ids = Ids::from_column(ids)?;
    let order = Ties::from_word(ties)?.order(py, scores, &ids, limit.unwrap_or(scores.len()))?;
    Ok(order.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py))
}
