//! Vectors in memory that are searched exactly and change one by one.

use numpy::ndarray::{Ix1, Ix2};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rankmeld_core::Processor;
use rankmeld_core::nearest::{Options, Subset, Table};

use crate::arrays;
use crate::detach::detached;
use crate::errors::{InvalidArgumentError, Label, float, refused};

/// Multiplications for which a thread of its own pays: some milliseconds of work.
const WORK_OF_A_THREAD: usize = 1 << 28;

/// Vectors by position, in one state.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct VectorTable(Table);

type Top<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl VectorTable {
    /// Without vectors.
    #[new]
    fn new(width: usize) -> PyResult<Self> {
        if width == 0 {
            return Err(InvalidArgumentError::new_err("width is 0; it must be 1 or more"));
        }
        Ok(Self(Table::new(width)))
    }

    /// Numbers of a vector.
    #[getter]
    fn width(&self) -> usize {
        self.0.width()
    }

    /// Bytes of memory that the vectors take.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.bytes()
    }

    /// Bytes of memory that the vectors take besides those of another state.
    fn bytes_beside(&self, other: &Self) -> usize {
        self.0.bytes_beside(&other.0)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Another state: with vectors at these positions, and without those that are gone.
    fn updated(
        &self,
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        vectors: &Bound<'_, PyAny>,
        gone: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let positions = ascending(positions, "positions")?;
        let gone = ascending(gone, "gone")?;
        let vectors = arrays::numbers(vectors, 2, "vectors")?;
        let (positions, gone) = (arrays::elements(&positions)?, arrays::elements(&gone)?);
        if vectors.shape() != [positions.len(), self.0.width()] {
            return Err(InvalidArgumentError::new_err(format!(
                "vectors has shape {:?} for {} position(s) and a width of {}; it must have a row for \
                 each position",
                vectors.shape(),
                positions.len(),
                self.0.width()
            )));
        }
        if !arrays::fits_float32(&vectors) && !vectors.is_empty() {
            return Err(PyTypeError::new_err(format!(
                "vectors has dtype {}; it must be float32",
                vectors.dtype().str()?
            )));
        }
        let rows = arrays::prepared::<f32, Ix2>(&vectors)?;
        let rows = arrays::elements(&rows)?;
        let processor = Processor::best();
        let update = |watch: rankmeld_core::Watch<'_>| {
            self.0.updated(positions, rows, gone, processor, watch)
        };
        let table = detached(py, usize::MAX, update)?
            .map_err(|error| refused(py, error, &Label::Argument("vectors")))?;
        Ok(Self(table))
    }

    /// Positions and cosines of the nearest `limit`, best first, equal cosines by position; of those
    /// at some positions alone if they are given.
    #[pyo3(signature = (query, limit, positions, threads))]
    fn nearest<'py>(
        &self,
        query: &Bound<'py, PyAny>,
        limit: Option<usize>,
        positions: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Top<'py>> {
        let py = query.py();
        let query = arrays::numbers(query, 1, "query")?;
        if query.len() != self.0.width() {
            return Err(InvalidArgumentError::new_err(format!(
                "query has {} dimension(s) and vectors have {}; embed both with one model",
                query.len(),
                self.0.width()
            )));
        }
        let query = arrays::prepared::<f64, Ix1>(&query)?;
        let query = arrays::elements(&query)?;
        if let Some((place, &value)) = query.iter().enumerate().find(|(_, x)| !x.is_finite()) {
            return Err(InvalidArgumentError::new_err(format!(
                "query, dimension {place}: the value is {}; vectors must be finite",
                float(value)
            )));
        }
        let positions = positions.map(|some| ascending(some, "positions")).transpose()?;
        let subset = match &positions {
            None => Subset::All,
            Some(some) => Subset::Positions(arrays::elements(some)?),
        };
        let work = self.0.len().saturating_mul(query.len());
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(|| (work / WORK_OF_A_THREAD).clamp(1, cores()));
        let options =
            Options { limit: limit.unwrap_or(usize::MAX), threads, processor: Processor::best() };
        let search =
            |watch: rankmeld_core::Watch<'_>| self.0.nearest(query, subset, options, watch);
        let (positions, scores) = detached(py, work, search)?
            .map_err(|error| refused(py, error, &Label::Argument("vectors")))?;
        Ok((positions.into_pyarray(py), scores.into_pyarray(py)))
    }
}

/// Positions: integers that ascend.
fn ascending<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArray1<'py, i64>> {
    let array = arrays::numbers(object, 1, name)?;
    if !arrays::fits_int64(&array) && !array.is_empty() {
        return Err(PyTypeError::new_err(format!(
            "{name} has dtype {}; it must hold integers",
            array.dtype().str()?
        )));
    }
    let column = arrays::integers(&array)?;
    if !arrays::elements(&column)?.is_sorted_by(|a, b| a < b) {
        return Err(InvalidArgumentError::new_err(format!(
            "{name} must ascend, each position once; sort them with numpy.unique"
        )));
    }
    Ok(column)
}
