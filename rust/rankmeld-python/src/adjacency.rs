//! The neighbourhoods that an order makes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyFrozenSet, PyMapping, PySet, PyString, PyTuple};
use rankmeld_core::adjacency::Adjacency;

use crate::arrays;
use crate::entries::{Place, check_signals, hashed, plain_ids};
use crate::errors::{InvalidArgumentError, Label, edge_weight, kind, shown};
use crate::graph_input::items;
use crate::ids::IdTable;

/// For each id a tuple of the `(id, weight)` of those within the window.
#[pyfunction]
pub fn adjacent<'py>(
    ids: &Bound<'py, PyAny>,
    groups: Option<&Bound<'py, PyAny>>,
    window: usize,
    forward: &Bound<'py, PyAny>,
    backward: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = ids.py();
    let label = Label::Argument("ids");
    let ids = plain_ids(&listed(ids, "ids", "ids")?, Place { label: &label, list: 0 })?;
    let adjacency = match groups {
        Some(groups) => grouped(&listed(groups, "groups", "groups, one for each id")?, ids.len())?,
        None => Adjacency::new(vec![0; ids.len()], 1),
    };
    let forward = flows(forward, "forward", ids.len())?;
    let backward = flows(backward, "backward", ids.len())?;
    let found = PyDict::new(py);
    for (place, id) in ids.iter_borrowed().enumerate() {
        check_signals(py, place)?;
        let near = adjacency.near(place, window).map(|(at, is_later)| {
            let weights = if is_later { &forward } else { &backward };
            PyTuple::new(py, [ids.get_item(at)?, weights.of(place)?])
        });
        let near = near.collect::<PyResult<Vec<_>>>()?;
        hashed(&id, || format!("ids, position {place}"))?;
        found.set_item(id, PyTuple::new(py, near)?)?;
        if found.len() == place {
            return Err(repeated(&ids, &id, place));
        }
    }
    Ok(found)
}

/// What flows on from each id.
enum Flows<'py> {
    /// As much from all.
    Alike(Bound<'py, PyAny>),
    /// From each its own.
    Own(Bound<'py, PyTuple>),
}

impl<'py> Flows<'py> {
    fn of(&self, place: usize) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Alike(weight) => Ok(weight.clone()),
            Self::Own(weights) => weights.get_item(place),
        }
    }
}

fn flows<'py>(object: &Bound<'py, PyAny>, name: &str, count: usize) -> PyResult<Flows<'py>> {
    let py = object.py();
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(Flows::Alike(object.clone()));
    }
    let column = arrays::floats(&arrays::numbers(object, 1, name)?, name)?;
    let weights = arrays::elements(&column)?;
    if weights.len() != count {
        return Err(InvalidArgumentError::new_err(format!(
            "{name} has {} entries and ids has {count}; it must be a number, or have one for each id",
            weights.len()
        )));
    }
    if let Some(place) = weights.iter().position(|weight| !(0.0..=f64::MAX).contains(weight)) {
        let weight = weights.get(place).copied().unwrap_or_default();
        return Err(InvalidArgumentError::new_err(edge_weight(
            &format!("{name}[{place}]"),
            weight,
        )));
    }
    Ok(Flows::Own(PyTuple::new(py, weights)?))
}

fn grouped(groups: &Bound<'_, PyTuple>, count: usize) -> PyResult<Adjacency> {
    if groups.len() != count {
        return Err(InvalidArgumentError::new_err(format!(
            "groups has {} entries and ids has {count}; there must be a group for each id",
            groups.len()
        )));
    }
    let label = Label::Argument("groups");
    let mut table = IdTable::with_capacity(16);
    let mut codes = Vec::with_capacity(count);
    for (place, group) in groups.iter_borrowed().enumerate() {
        check_signals(groups.py(), place)?;
        let hash = group.hash().map_err(|_| {
            PyTypeError::new_err(format!(
                "groups[{place}] is a {}, which cannot be hashed; a group is a str, an int or another \
                 hashable value",
                kind(&group)
            ))
        })?;
        codes.push(table.intern(&group, hash as i64, &label)?);
    }
    let count = table.into_ids().len();
    Ok(Adjacency::new(codes, count))
}

/// An unchanging copy of a list.
fn listed<'py>(object: &Bound<'py, PyAny>, name: &str, of: &str) -> PyResult<Bound<'py, PyTuple>> {
    let text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    let unordered = object.is_instance_of::<PySet>()
        || object.is_instance_of::<PyFrozenSet>()
        || object.cast::<PyMapping>().is_ok();
    if text || unordered || object.try_iter().is_err() {
        let why = if unordered { ", in their order" } else { "" };
        return Err(PyTypeError::new_err(format!(
            "{name} must be a list of {of}{why}, not a {}",
            kind(object)
        )));
    }
    items(object)
}

#[cold]
fn repeated(ids: &Bound<'_, PyTuple>, id: &Bound<'_, PyAny>, place: usize) -> PyErr {
    let first = ids.iter_borrowed().position(|other| other.eq(id).unwrap_or(false));
    InvalidArgumentError::new_err(format!(
        "ids, position {place}: the id {} stands at position {} already; each id has one place in the \
         order (make ids of (conversation, turn) tuples where turns are numbered anew)",
        shown(id),
        first.unwrap_or(0)
    ))
}
