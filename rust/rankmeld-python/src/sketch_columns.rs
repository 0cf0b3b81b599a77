//! Sketches as columns of NumPy, for engines that carry them from machine to machine.

use numpy::ndarray::Ix1;
use numpy::{IntoPyArray, PyArray1, PyUntypedArray};
use pyo3::prelude::*;
use rankmeld_core::Error;
use rankmeld_core::dedup::{self, Columns, Sketch, columns};

use crate::arrays::{integers, prepared};
use crate::dedup::{PySketcher, Sketches};
use crate::detach::detached;
use crate::errors::{Label, refused};

/// Bytes, and where among them those of each text begin and the last one's end.
type Evidence<'py> = (Bound<'py, PyUntypedArray>, Bound<'py, PyUntypedArray>);

type AsColumns<'py> =
    (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// Sketches as evidence, and the buckets of one text after the other.
#[pyfunction]
pub fn sketch_columns<'py>(py: Python<'py>, sketches: &Sketches) -> PyResult<AsColumns<'py>> {
    let work = 128 * sketches.0.len();
    let made = detached(py, work, |_| Ok(Columns::of(sketches.0.iter().map(AsRef::as_ref))))?;
    let Columns { evidence, offsets, buckets } = accepted(py, made, "sketches")?;
    Ok((evidence.into_pyarray(py), offsets.into_pyarray(py), buckets.into_pyarray(py)))
}

/// For each place of two columns of evidence whether the pair there is similar enough.
#[pyfunction]
pub fn near_pairs<'py>(
    py: Python<'py>,
    sketcher: &PySketcher,
    ones: Evidence<'py>,
    others: Evidence<'py>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let ones = read(py, sketcher, &ones, "ones")?;
    let others = read(py, sketcher, &others, "others")?;
    let threshold = sketcher.0.settings().threshold;
    let pairs = ones.iter().zip(&others);
    let near = detached(py, 128 * ones.len(), |watch| columns::reaching(pairs, threshold, watch))?;
    Ok(accepted(py, near, "ones")?.into_pyarray(py))
}

/// For each text of a bucket the first one of its cluster; `known` has the same number for texts
/// that are linked already.
#[pyfunction]
pub fn near_bucket<'py>(
    py: Python<'py>,
    sketcher: &PySketcher,
    texts: Evidence<'py>,
    known: &Bound<'py, PyUntypedArray>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let texts = read(py, sketcher, &texts, "texts")?;
    let (known, threshold) = (integers(known)?, sketcher.0.settings().threshold);
    let known = known.as_slice()?;
    let firsts = detached(py, usize::MAX, |watch| {
        dedup::clusters_in_bucket(&texts, known, threshold, watch)
    })?;
    let firsts = accepted(py, firsts, "texts")?.into_iter().map(i64::from).collect::<Vec<_>>();
    Ok(firsts.into_pyarray(py))
}

fn read(
    py: Python<'_>,
    sketcher: &PySketcher,
    (bytes, offsets): &Evidence<'_>,
    name: &str,
) -> PyResult<Vec<Sketch>> {
    let (bytes, offsets) = (prepared::<u8, Ix1>(bytes)?, integers(offsets)?);
    let (bytes, offsets) = (bytes.as_slice()?, offsets.as_slice()?);
    let settings = sketcher.0.settings();
    let made = detached(py, bytes.len(), |watch| columns::read(settings, bytes, offsets, watch))?;
    accepted(py, made, name)
}

fn accepted<T>(py: Python<'_>, outcome: Result<T, Error>, name: &str) -> PyResult<T> {
    outcome.map_err(|error| refused(py, error, &Label::Argument(name)))
}
