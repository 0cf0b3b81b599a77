//! Reading where the evidence of hits flows: a mapping of ids to their neighbours, of any size.
//!
//! Only the ids of the ranking are looked up in it, so a mapping of a million ids costs what one of a
//! hundred does.

use std::borrow::Cow;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple,
};

use crate::entries::{hashed, is_plain_id, plain_id};
use crate::errors::{InvalidArgumentError, edge_weight, kind, shown};
use crate::input::collected;

/// Where neighbours are looked up.
pub enum Neighbors<'py> {
    /// A dict or what derives from it: nothing is added where an id is missing.
    Dict(Bound<'py, PyDict>),
    /// The `get` of any other mapping.
    Get(Bound<'py, PyAny>),
}

impl<'py> Neighbors<'py> {
    /// Finds out how the neighbours of an id are asked for.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(dict) = object.cast::<PyDict>() {
            return Ok(Self::Dict(dict.clone()));
        }
        if object.cast::<PyMapping>().is_ok() {
            return Ok(Self::Get(object.getattr(intern!(object.py(), "get"))?));
        }
        Err(PyTypeError::new_err(format!(
            "neighbors must be a mapping of ids to their neighbours, as rankmeld.adjacent makes it, not {}",
            kind(object)
        )))
    }

    /// What is listed for an id, if anything is.
    pub fn get(&self, id: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = match self {
            Self::Dict(dict) => dict.get_item(id)?,
            Self::Get(get) => Some(get.call1((id,))?),
        };
        Ok(found.filter(|found| !found.is_none()))
    }
}

/// Calls `each(neighbour, hash, weight)` for all that is listed for `id`.
pub fn each_neighbor<'py>(
    id: &Bound<'py, PyAny>,
    listed: &Bound<'py, PyAny>,
    mut each: impl FnMut(&Bound<'py, PyAny>, i64, f64) -> PyResult<()>,
) -> PyResult<()> {
    let mut one = |place: usize, item: &Bound<'py, PyAny>| {
        let at = || format!("neighbors[{}][{place}]", shown(id));
        let (neighbor, weight) = match item.cast::<PyTuple>() {
            Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, weight_of(&pair.get_item(1)?, &at)?),
            Ok(other) if other.len() == 3 => return Err(no_pair(&at(), other)),
            _ => match item.cast::<PyList>() {
                Ok(pair) if pair.len() == 2 => {
                    (pair.get_item(0)?, weight_of(&pair.get_item(1)?, &at)?)
                }
                _ => (item.clone(), 1.0),
            },
        };
        let neighbor = if is_plain_id(&neighbor) {
            Cow::Borrowed(&neighbor)
        } else {
            plain_id(&neighbor, at)?
        };
        let hash = hashed(&neighbor, at)?;
        each(&neighbor, hash as i64, weight)
    };
    if let Ok(items) = listed.cast::<PyTuple>() {
        return items.iter().enumerate().try_for_each(|(place, item)| one(place, &item));
    }
    let items = if let Ok(items) = listed.cast::<PyList>() {
        items.to_tuple()
    } else if let Ok(weighted) = listed.cast::<PyMapping>() {
        weighted.items()?.to_tuple()
    } else {
        ordered(id, listed)?
    };
    items.iter().enumerate().try_for_each(|(place, item)| one(place, &item))
}

/// The items of another iterable, unless it has no order or is no list of ids at all.
#[cold]
fn ordered<'py>(
    id: &Bound<'py, PyAny>,
    listed: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyTuple>> {
    let refused = |why: &str| {
        PyTypeError::new_err(format!(
            "neighbors[{}] must be a list of ids or of (id, weight) pairs, not a {}{why}",
            shown(id),
            kind(listed)
        ))
    };
    if listed.is_instance_of::<PySet>() || listed.is_instance_of::<PyFrozenSet>() {
        return Err(refused("; the order of a set is not defined"));
    }
    if listed.is_instance_of::<PyString>() || listed.is_instance_of::<PyBytes>() {
        return Err(refused("; for one neighbour alone, write [id]"));
    }
    collected(&listed.try_iter().map_err(|_| refused(""))?)
}

fn weight_of(weight: &Bound<'_, PyAny>, at: &impl Fn() -> String) -> PyResult<f64> {
    let weight = match weight.cast_exact::<PyFloat>() {
        Ok(weight) => weight.value(),
        Err(_) => rare_weight(weight, at)?,
    };
    if (0.0..=f64::MAX).contains(&weight) {
        return Ok(weight);
    }
    Err(InvalidArgumentError::new_err(edge_weight(&at(), weight)))
}

#[cold]
fn rare_weight(weight: &Bound<'_, PyAny>, at: &dyn Fn() -> String) -> PyResult<f64> {
    let no_number = weight.is_instance_of::<PyString>()
        || weight.is_instance_of::<PyBytes>()
        || weight.is_instance_of::<PyBool>();
    match weight.extract::<f64>() {
        Ok(weight) if !no_number => Ok(weight),
        Err(error) if error.is_instance_of::<PyOverflowError>(weight.py()) => Ok(f64::INFINITY),
        _ => Err(PyTypeError::new_err(format!(
            "{}: the weight is a {} ({}); it must be a number. A neighbour is an id or an (id, weight) \
             pair; an id that is a tuple of two goes in as (id, weight)",
            at(),
            kind(weight),
            shown(weight)
        ))),
    }
}

#[cold]
fn no_pair(at: &str, item: &Bound<'_, PyTuple>) -> PyErr {
    PyTypeError::new_err(format!(
        "{at} is a tuple of three ({}); a neighbour is an id or an (id, weight) pair; an id that is a \
         tuple goes in as (id, weight)",
        shown(item)
    ))
}
