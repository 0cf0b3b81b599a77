//! Evidence that flows between hits.

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rankmeld_core::propagation::{self, Edge};

use crate::arrays;
use crate::detach::detached;
use crate::entries::{Place, check_signals, hashed};
use crate::errors::{Label, to_python};
use crate::forms::Ids;
use crate::ids::IdTable;
use crate::neighbors::{Neighbors, each_neighbor};
use crate::ordering::Ties;

/// What flowed: for each edge the place of the hit that it came from, that of the candidate that it
/// went to, and how much it was.
type Flowed<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// The places of the best candidates and their scores; the ids of those that are no hits, whose places
/// come after the hits'; what flowed.
type Spread<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyList>, Flowed<'py>);

/// Gives the neighbours of hits a share of their scores, and orders all of them.
#[pyfunction]
pub fn propagate<'py>(
    ids: &Bound<'py, PyAny>,
    scores: &Bound<'py, PyAny>,
    neighbors: &Bound<'py, PyAny>,
    weight: f64,
    limit: Option<usize>,
    ties: &str,
) -> PyResult<Spread<'py>> {
    let py = ids.py();
    let label = Label::Argument("ranking");
    let ties = Ties::from_word(ties)?;
    let neighbors = Neighbors::of(neighbors)?;
    let column = arrays::numbers(scores, 1, "scores")?;
    let column = arrays::floats(&column, "scores")?;
    let scores = arrays::elements(&column)?;
    let hits = match Ids::from_column(ids)? {
        Ids::Integers(_) => ids.call_method0("tolist")?.cast_into::<PyList>()?.iter().collect(),
        Ids::Objects(ids) => ids,
    };
    let (candidates, edges) = read(hits, scores, &neighbors, weight, &label)?;
    let count = candidates.len();
    let outcome = detached(py, edges.len(), |watch| {
        propagation::propagate(scores, count, &edges, weight, watch)
    })?;
    let candidates = Ids::Objects(candidates);
    let spread = outcome.map_err(|error| {
        let id = |place: usize| candidates.shown(place);
        to_python(py, error, &label, |_, place| id(place), |code| id(code as usize))
    })?;
    let order = ties.order(py, &spread.scores, &candidates, limit.unwrap_or(usize::MAX))?;
    let best: Vec<f64> =
        order.iter().filter_map(|&at| spread.scores.get(at as usize)).copied().collect();
    let Ids::Objects(candidates) = candidates else { return Err(PyTypeError::new_err("ids")) };
    Ok((
        order.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py),
        best.into_pyarray(py),
        PyList::new(py, candidates.iter().skip(scores.len()))?,
        (
            edges.iter().map(|edge| edge.source).collect::<Vec<_>>().into_pyarray(py),
            edges.iter().map(|edge| edge.target).collect::<Vec<_>>().into_pyarray(py),
            spread.shares.into_pyarray(py),
        ),
    ))
}

/// The candidates, hits first, and what flows between them.
///
/// Of hits that share an id the first gives and gets. Where nothing flows, nobody is brought in.
fn read<'py>(
    hits: Vec<Bound<'py, PyAny>>,
    scores: &[f64],
    neighbors: &Neighbors<'py>,
    weight: f64,
    label: &Label<'_, 'py>,
) -> PyResult<(Vec<Bound<'py, PyAny>>, Vec<Edge>)> {
    let place = Place { label, list: 0 };
    let mut table = IdTable::with_capacity(2 * hits.len());
    let mut sources = Vec::with_capacity(hits.len());
    // By code.
    let mut places: Vec<u32> = Vec::with_capacity(2 * hits.len());
    for (position, (id, &score)) in hits.iter().zip(scores).enumerate() {
        let hash = hashed(id, || place.at(position))?;
        let code = table.intern(id, hash as i64, label)? as usize;
        if code == places.len() {
            places.push(position as u32);
            sources.push((id.clone(), position as u32, score));
        }
    }
    let mut candidates = hits;
    let mut edges = Vec::with_capacity(2 * sources.len());
    for (position, (id, source, score)) in sources.into_iter().enumerate() {
        check_signals(id.py(), position)?;
        let Some(listed) = neighbors.get(&id)? else { continue };
        each_neighbor(&id, &listed, |neighbor, hash, edge| {
            if weight == 0.0 || edge == 0.0 || score == 0.0 {
                return Ok(());
            }
            let code = table.intern(neighbor, hash, label)? as usize;
            if code == places.len() {
                places.push(candidates.len() as u32);
                candidates.push(neighbor.clone());
            }
            if let Some(&target) = places.get(code) {
                edges.push(Edge { source, target, weight: edge });
            }
            Ok(())
        })?;
    }
    Ok((candidates, edges))
}
