//! Rankings of many queries: reading, fusing and writing them.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use rankmeld_core::fusion::Request;
use rankmeld_core::order::break_ties;
use rankmeld_core::run::{
    Batch, Columns, Leg, QueryError, View, Wanted, blocks_of, by_score, fuse_queries, grouped,
};

use crate::arrays;
use crate::batch::codes;
use crate::detach::detached;
use crate::entries::{Entries, Place};
use crate::errors::{Label, absent_score, refused, shown, to_python};
use crate::fusion::{Method, combination, duplicates};
use crate::ids::IdTable;
use crate::ordering::Ties;
use crate::reading::with_entries;

/// Offsets, codes and scores.
pub type Arrays<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// Columns as arrays.
pub fn as_arrays(py: Python<'_>, columns: Columns) -> Arrays<'_> {
    let offsets: Vec<i64> = columns.offsets.iter().map(|&at| (at as u64).cast_signed()).collect();
    (offsets.into_pyarray(py), columns.codes.into_pyarray(py), columns.scores.into_pyarray(py))
}

/// The columns of a run, held so that kernels can read them.
pub struct Held<'py> {
    offsets: PyReadonlyArray1<'py, i64>,
    codes: PyReadonlyArray1<'py, u32>,
    scores: PyReadonlyArray1<'py, f64>,
}

impl<'py> Held<'py> {
    /// Holds offsets, codes and scores.
    pub fn of(columns: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let column = |at| columns.get_item(at);
        Ok(Self {
            offsets: column(0)?.extract()?,
            codes: column(1)?.extract()?,
            scores: column(2)?.extract()?,
        })
    }

    /// The columns.
    pub fn view(&self) -> PyResult<View<'_>> {
        Ok(View {
            offsets: arrays::elements(&self.offsets)?,
            codes: arrays::elements(&self.codes)?,
            scores: arrays::elements(&self.scores)?,
        })
    }
}

/// Reads one ranking of any form for each query, and gives each distinct id a code: the ids, then the
/// columns, with NaN for scores that are absent.
#[pyfunction]
pub fn run_columns<'py>(
    queries: &Bound<'py, PyList>,
    rankings: &Bound<'py, PyList>,
) -> PyResult<(Bound<'py, PyTuple>, Arrays<'py>)> {
    let py = queries.py();
    let mut table = IdTable::with_capacity(0);
    let mut columns = Columns { offsets: vec![0], ..Columns::default() };
    for (query, ranking) in queries.iter().zip(rankings) {
        py.check_signals()?;
        let name = format!("query {}", shown(&query));
        let label = Label::Argument(&name);
        with_entries(&ranking, Place { label: &label, list: 0 }, |entries, scores| {
            for (id, &hash) in entries.ids.iter().zip(&entries.hashes) {
                columns.codes.push(table.intern(id, hash, &label)?);
            }
            columns.scores.extend_from_slice(scores);
            columns.scores.resize(columns.codes.len(), f64::NAN);
            columns.offsets.push(columns.codes.len());
            Ok(())
        })?;
    }
    Ok((PyTuple::new(py, table.into_ids())?, as_arrays(py, columns)))
}

/// Puts rows of a table together by query, and orders those of each by score.
#[pyfunction]
pub fn run_of_rows<'py>(
    py: Python<'py>,
    query_codes: PyReadonlyArray1<'py, u32>,
    queries: usize,
    codes: PyReadonlyArray1<'py, u32>,
    scores: PyReadonlyArray1<'py, f64>,
) -> PyResult<Arrays<'py>> {
    let rows = arrays::elements(&query_codes)?;
    let (codes, scores) = (arrays::elements(&codes)?, arrays::elements(&scores)?);
    let made = detached(py, rows.len(), |watch| {
        let blocks = blocks_of(rows);
        let (columns, _) = grouped(&blocks, queries, codes.to_vec(), scores.to_vec(), watch)?;
        by_score(&columns, watch)
    })?;
    made.map(|columns| as_arrays(py, columns))
        .map_err(|error| refused(py, error, &Label::Argument("table")))
}

/// A run to be fused: its ids, its columns, and for each query of the result its own, or -1.
type Given<'py> = (Bound<'py, PyTuple>, Bound<'py, PyTuple>, PyReadonlyArray1<'py, i64>);

/// Fuses runs query by query: the ids of all runs, then the columns of the result.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "as `fuse`, for many queries")]
pub fn fuse_runs<'py>(
    py: Python<'py>,
    runs: Vec<Given<'py>>,
    names: &Bound<'py, PyList>,
    queries: &Bound<'py, PyList>,
    weights: Vec<f64>,
    method: &Method,
    combine: &str,
    duplicates: &str,
    limit: Option<usize>,
    ties: &str,
    threads: usize,
) -> PyResult<(Bound<'py, PyTuple>, Arrays<'py>)> {
    let request = Request {
        method: method.core(),
        combination: combination(combine)?,
        duplicates: self::duplicates(duplicates)?,
        weights,
    };
    let ties = Ties::from_word(ties)?;
    let tables: Vec<&Bound<'py, PyTuple>> = runs.iter().map(|(ids, ..)| ids).collect();
    let (ids, shared) = one_table(py, &tables)?;
    let held =
        runs.iter().map(|(_, columns, _)| Held::of(columns)).collect::<PyResult<Vec<_>>>()?;
    let mut legs = Vec::with_capacity(runs.len());
    for ((held, (.., rows)), shared) in held.iter().zip(&runs).zip(&shared) {
        let (view, queries) = (held.view()?, arrays::elements(rows)?);
        legs.push(Leg { view, shared: shared.as_deref(), queries });
    }
    let batch = Batch { legs: &legs, queries: queries.len(), documents: ids.len() };
    let wanted = Wanted { limit, whole_ties: ties != Ties::First };
    let work = legs.iter().map(|leg| leg.view.codes.len()).sum();
    let fused = detached(py, work, |watch| fuse_queries(batch, &request, wanted, threads, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("runs")))?
        .map_err(|error| not_fused(py, error, &legs, &ids, names, queries))?;
    let fused = if ties == Ties::First { fused } else { by_id(py, &fused, &ids, ties, limit)? };
    Ok((ids, as_arrays(py, fused)))
}

/// From the codes of one table to those of the common one; `None` where they are the same.
type Shared = Option<Vec<u32>>;

/// One table with the ids of all, and the way to it from each.
fn one_table<'py>(
    py: Python<'py>,
    tables: &[&Bound<'py, PyTuple>],
) -> PyResult<(Bound<'py, PyTuple>, Vec<Shared>)> {
    let Some((first, others)) = tables.split_first() else {
        return Ok((PyTuple::empty(py), Vec::new()));
    };
    if others.iter().all(|table| table.is(*first)) {
        return Ok(((*first).clone(), vec![None; tables.len()]));
    }
    let label = Label::Argument("runs");
    let items: Vec<Vec<_>> = tables.iter().map(|table| table.iter_borrowed().collect()).collect();
    let entries = items
        .iter()
        .map(|items| Entries::of_columns(items, None, Place { label: &label, list: 0 }))
        .collect::<PyResult<Vec<_>>>()?;
    let (codes, ids) = codes(py, &entries, &label)?;
    Ok((PyTuple::new(py, ids)?, codes.into_iter().map(Some).collect()))
}

/// Orders hits of equal scores by id, and cuts each ranking to the limit.
fn by_id(
    py: Python<'_>,
    fused: &Columns,
    ids: &Bound<'_, PyTuple>,
    ties: Ties,
    limit: Option<usize>,
) -> PyResult<Columns> {
    let mut out = Columns { offsets: vec![0], ..Columns::default() };
    for query in 0..fused.queries() {
        py.check_signals()?;
        let hits = fused.hits(query);
        let codes = fused.codes.get(hits.clone()).unwrap_or_default();
        let scores = fused.scores.get(hits).unwrap_or_default();
        let id = |position: u32| {
            let code = codes.get(position as usize).copied().unwrap_or_default();
            ids.get_borrowed_item(code as usize)
        };
        let all = (0..codes.len() as u32).collect();
        let limit = limit.unwrap_or(codes.len());
        let order = break_ties(all, scores, limit, |a, b| ties.between(&*id(a)?, &*id(b)?))?;
        let places = || order.iter().map(|&place| place as usize);
        out.codes.extend(places().filter_map(|place| codes.get(place)));
        out.scores.extend(places().filter_map(|place| scores.get(place)));
        out.offsets.push(out.codes.len());
    }
    Ok(out)
}

/// A refusal of the core, told with run, query and id.
fn not_fused(
    py: Python<'_>,
    refusal: QueryError,
    legs: &[Leg<'_>],
    ids: &Bound<'_, PyTuple>,
    names: &Bound<'_, PyList>,
    queries: &Bound<'_, PyList>,
) -> PyErr {
    let QueryError { query, error } = refusal;
    let query_id = queries.get_item(query).map_or_else(|_| String::new(), |id| shown(&id));
    let id_of =
        |code: u32| ids.get_item(code as usize).map_or_else(|_| String::new(), |id| shown(&id));
    let id_at = |list: usize, position: usize| {
        let code = legs.get(list).and_then(|leg| {
            let code = *leg.view.codes.get(leg.hits(query).start + position)?;
            leg.shared.map_or(Some(code), |shared| shared.get(code as usize).copied())
        });
        code.map_or_else(String::new, id_of)
    };
    let of_query = |list: usize| {
        let name = names.get_item(list).ok().filter(|name| !name.is_none());
        let name = name.map_or_else(String::new, |name| format!(" ({})", shown(&name)));
        format!("runs[{list}]{name}, query {query_id}")
    };
    match error {
        // That is how a run keeps a score that is not there.
        rankmeld_core::Error::ScoreNotFinite { list, position, value } if value.is_nan() => {
            let place = format!("{}, position {position}", of_query(list));
            absent_score(place, &id_at(list, position))
        }
        rankmeld_core::Error::ScoreNotFinite { list, .. }
        | rankmeld_core::Error::DuplicateId { list, .. } => {
            to_python(py, error, &Label::Argument(&of_query(list)), id_at, id_of)
        }
        other => {
            let id_of = |code| format!("{} for query {query_id}", id_of(code));
            to_python(py, other, &Label::Argument("runs"), id_at, id_of)
        }
    }
}
