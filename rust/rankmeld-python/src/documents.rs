//! The one place that reads documents into the numbers that kernels weigh.
//!
//! A document keeps these numbers beside its fields, so that each costs one look at an attribute.

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};
use pyo3::{Borrowed, intern};
use rankmeld_core::signals::{Moment, Signals, Tier};

use crate::entries::CHECK_EVERY;

/// The signals of each of `count` hits' documents; a hit without one has those of a document of
/// which nothing is known.
pub fn signals(documents: Option<&Bound<'_, PyList>>, count: usize) -> PyResult<Vec<Signals>> {
    let Some(documents) = documents else { return Ok(vec![Signals::default(); count]) };
    let mut signals = Vec::with_capacity(count);
    for (place, document) in documents.iter().enumerate() {
        if place % CHECK_EVERY == CHECK_EVERY - 1 {
            document.py().check_signals()?;
        }
        signals.push(if document.is_none() { Signals::default() } else { of_one(&document)? });
    }
    Ok(signals)
}

/// The signals of one document.
pub fn of_one(document: &Bound<'_, PyAny>) -> PyResult<Signals> {
    let py = document.py();
    let kept = match document.getattr(intern!(py, "_signals")) {
        Err(error) if error.is_instance_of::<PyAttributeError>(py) => read_anew(document)?,
        kept => kept?,
    };
    let kept = kept.cast_exact::<PyTuple>()?;
    let number = |place| optional::<f64>(kept, place);
    let moment = |place| optional::<Moment>(kept, place);
    Ok(Signals {
        created: moment(0)?,
        updated: moment(1)?,
        valid_from: moment(2)?,
        accessed: moment(3)?,
        familiarity: number(4)?.unwrap_or_default(),
        importance: number(5)?,
        confidence: number(6)?,
        tier: tier(optional(kept, 7)?.unwrap_or_default()),
        evergreen: optional(kept, 8)?.unwrap_or_default(),
    })
}

/// Of a document whose class sets its fields without `Document.__init__`, as a dataclass derived
/// from it does.
fn read_anew<'py>(document: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static READ: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    READ.import(document.py(), "rankmeld.document", "signals_of")?.call1((document,))
}

fn optional<'a, 'py, T>(kept: &'a Bound<'py, PyTuple>, place: usize) -> PyResult<Option<T>>
where
    T: FromPyObject<'a, 'py>,
    T::Error: Into<PyErr>,
{
    let item: Borrowed<'a, 'py, PyAny> = kept.get_borrowed_item(place)?;
    if item.is_none() { Ok(None) } else { item.extract::<T>().map(Some).map_err(Into::into) }
}

fn tier(number: usize) -> Tier {
    Tier::ALL.get(number).copied().unwrap_or_default()
}
