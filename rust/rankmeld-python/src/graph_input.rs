//! Reading nodes and edges that are named by ids.

use std::borrow::Cow;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyList, PyString, PyTuple};

use crate::arrays;
use crate::entries::{Place, check_signals, hashed, is_plain_id, plain_id, plain_ids};
use crate::errors::{InvalidArgumentError, Label, edge_weight, kind, shown};
use crate::ids::IdTable;
use crate::input::collected;

/// Edges as columns of codes.
#[derive(Default)]
pub struct EdgeColumns {
    /// Where each begins.
    pub sources: Vec<i64>,
    /// Where each ends.
    pub targets: Vec<i64>,
    /// What each weighs.
    pub weights: Vec<f64>,
}

/// The nodes, in the order in which they came; of equal ones the first.
pub fn read_nodes<'py>(nodes: &Bound<'py, PyAny>) -> PyResult<IdTable<'py>> {
    let label = Label::Argument("nodes");
    let place = Place { label: &label, list: 0 };
    let nodes = plain_ids(&items(nodes)?, place)?;
    let mut table = IdTable::with_capacity(nodes.len());
    for (position, node) in nodes.iter().enumerate() {
        check_signals(nodes.py(), position)?;
        let hash = hashed(&node, || place.at(position))?;
        table.intern(&node, hash as i64, &label)?;
    }
    Ok(table)
}

/// The edges between nodes of the table. Ends that are not there join it if it is `open`; else
/// the edge is left out.
pub fn read_edges<'py>(
    edges: &Bound<'py, PyAny>,
    table: &mut IdTable<'py>,
    open: bool,
) -> PyResult<EdgeColumns> {
    let edges = items(edges)?;
    let mut columns = EdgeColumns {
        sources: Vec::with_capacity(edges.len()),
        targets: Vec::with_capacity(edges.len()),
        weights: Vec::with_capacity(edges.len()),
    };
    for (position, edge) in edges.iter_borrowed().enumerate() {
        check_signals(edges.py(), position)?;
        let edge = record_of(&edge, position)?;
        let weight = weight_of(&edge, position)?;
        let source = end_of(&edge, 0, table, open, position)?;
        let target = end_of(&edge, 1, table, open, position)?;
        if let (Some(source), Some(target)) = (source, target) {
            columns.sources.push(source.into());
            columns.targets.push(target.into());
            columns.weights.push(weight);
        }
    }
    Ok(columns)
}

/// An unchanging copy of a sequence of any kind.
pub fn items<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    if let Ok(items) = object.cast::<PyTuple>() {
        return Ok(items.clone());
    }
    if let Ok(items) = object.cast::<PyList>() {
        return Ok(items.to_tuple());
    }
    if arrays::as_array(object).is_some() {
        let items = object.call_method0("tolist")?;
        return Ok(items.cast::<PyList>()?.to_tuple());
    }
    collected(&object.try_iter()?)
}

fn record_of<'a, 'py>(
    edge: &'a Bound<'py, PyAny>,
    position: usize,
) -> PyResult<Cow<'a, Bound<'py, PyTuple>>> {
    let record = match edge.cast::<PyTuple>() {
        Ok(record) => Some(Cow::Borrowed(record)),
        Err(_) => edge.cast::<PyList>().ok().map(|edge| Cow::Owned(edge.to_tuple())),
    };
    match record {
        Some(record) if matches!(record.len(), 2 | 3) => Ok(record),
        Some(record) => Err(InvalidArgumentError::new_err(format!(
            "edges[{position}] has {} part(s) ({}); an edge is (source, target) or (source, target, \
             weight)",
            record.len(),
            shown(edge)
        ))),
        None => Err(PyTypeError::new_err(format!(
            "edges[{position}] is a {} ({}); an edge is (source, target) or (source, target, weight)",
            kind(edge),
            shown(edge)
        ))),
    }
}

fn end_of<'py>(
    edge: &Bound<'py, PyTuple>,
    end: usize,
    table: &mut IdTable<'py>,
    open: bool,
    position: usize,
) -> PyResult<Option<u32>> {
    let place = || format!("edges[{position}], {}", if end == 0 { "source" } else { "target" });
    let id = edge.get_borrowed_item(end)?;
    if open {
        let id = if is_plain_id(&id) { Cow::Borrowed(&*id) } else { plain_id(&id, place)? };
        let hash = hashed(&id, place)?;
        return table.intern(&id, hash as i64, &Label::Argument("edges")).map(Some);
    }
    let hash = hashed(&id, place)?;
    let found = table.find(&id, hash as i64)?;
    if found.is_none() && !is_plain_id(&id) {
        plain_id(&id, place)?; // which refuses what could be no node either
    }
    Ok(found)
}

fn weight_of(edge: &Bound<'_, PyTuple>, position: usize) -> PyResult<f64> {
    if edge.len() == 2 {
        return Ok(1.0);
    }
    let weight = edge.get_borrowed_item(2)?;
    let weight = match weight.cast_exact::<PyFloat>() {
        Ok(weight) => weight.value(),
        Err(_) => rare_weight(edge, &weight, position)?,
    };
    if (0.0..=f64::MAX).contains(&weight) {
        return Ok(weight);
    }
    Err(InvalidArgumentError::new_err(edge_weight(&place_of(edge, position), weight)))
}

#[cold]
fn rare_weight(
    edge: &Bound<'_, PyTuple>,
    weight: &Bound<'_, PyAny>,
    position: usize,
) -> PyResult<f64> {
    let no_number = weight.is_instance_of::<PyString>()
        || weight.is_instance_of::<PyBytes>()
        || weight.is_instance_of::<PyBool>();
    match weight.extract::<f64>() {
        Ok(weight) if !no_number => Ok(weight),
        Err(error) if error.is_instance_of::<PyOverflowError>(weight.py()) => Ok(f64::INFINITY),
        _ => Err(PyTypeError::new_err(format!(
            "{}: the weight is a {} ({}); it must be a number, or left out for 1",
            place_of(edge, position),
            kind(weight),
            shown(weight)
        ))),
    }
}

#[cold]
fn place_of(edge: &Bound<'_, PyTuple>, position: usize) -> String {
    let end = |at: usize| edge.get_item(at).map_or_else(|_| String::new(), |id| shown(&id));
    format!("edges[{position}] ({} -> {})", end(0), end(1))
}
