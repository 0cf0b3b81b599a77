//! The one place that decides what an array is.
//!
//! In order: is it an array, of how many dimensions, of which kind of numbers; then byte order,
//! contiguity and alignment. What the kernels cannot read as it lies is copied once, by NumPy.

use std::ops::Range;

use numpy::{
    Element, PyArray, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArray,
    PyReadonlyArray1, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods, dtype,
    ndarray::{Dimension, Ix1, IxDyn},
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyType};

use crate::errors::{InvalidArgumentError, kind};

/// Loads what reading and making arrays needs of NumPy.
///
/// It would be loaded on first use otherwise, where a pending signal can get in between, and that
/// ends in a panic. Here it is part of the import, and fails like one.
pub fn load_numpy(py: Python<'_>) -> PyResult<()> {
    py.import("numpy")?;
    let array = PyArray::<f64, Ix1>::zeros(py, 1, false);
    drop(array.try_readonly()?);
    drop(array.try_readwrite()?);
    Ok(())
}

/// An object as an array of any kind, if it is one.
pub fn as_array<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyUntypedArray>> {
    object.cast::<PyUntypedArray>().ok()
}

/// NumPy's letter for the kind of an array's elements: `i`, `u`, `f`, `b`, `c`, `O`, `U`...
pub fn kind_of(array: &Bound<'_, PyUntypedArray>) -> char {
    char::from(array.dtype().kind())
}

/// A column of float64, read without a copy where it lies right.
pub fn floats<'py>(
    array: &Bound<'py, PyUntypedArray>,
    name: &str,
) -> PyResult<PyReadonlyArray1<'py, f64>> {
    require_numbers(array, name)?;
    require_dimensions(array, 1, name)?;
    prepared::<f64, Ix1>(array)
}

/// A column of int64 from an array of integers (kind `i` or `u`) whose values fit.
pub fn integers<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<PyReadonlyArray1<'py, i64>> {
    prepared::<i64, Ix1>(array)
}

/// Whether every value of an integer array fits int64: all kinds but the widest unsigned.
pub fn fits_int64(array: &Bound<'_, PyUntypedArray>) -> bool {
    match kind_of(array) {
        'i' => true,
        'u' => array.dtype().itemsize() < 8,
        _ => false,
    }
}

/// An object as an array of real numbers with this many dimensions, made by NumPy if need be.
pub fn numbers<'py>(
    object: &Bound<'py, PyAny>,
    dimensions: usize,
    name: &str,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = made(object, name)?;
    require_numbers(&array, name)?;
    require_dimensions(&array, dimensions, name)?;
    Ok(array)
}

/// An object as an array of booleans.
pub fn booleans<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = made(object, name)?;
    require_unmasked(&array, name)?;
    if kind_of(&array) == 'b' || array.is_empty() {
        return Ok(array);
    }
    Err(PyTypeError::new_err(format!(
        "{name} has dtype {}; it must be boolean, as {name}.astype(bool) is",
        array.dtype().str()?
    )))
}

/// The array in the byte order of this machine: itself, or a copy that NumPy makes.
pub fn native<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyAny>> {
    let wanted = array.dtype().call_method1("newbyteorder", ("=",))?;
    array.call_method("astype", (wanted,), Some(&[("copy", false)].into_py_dict(array.py())?))
}

/// Whether float32 holds every value of the array: half and single precision, small integers.
pub fn fits_float32(array: &Bound<'_, PyUntypedArray>) -> bool {
    match kind_of(array) {
        'f' => array.dtype().itemsize() <= 4,
        _ => array.dtype().itemsize() <= 2,
    }
}

/// The elements of an array in C order, held so that kernels can read them.
///
/// Arrays are often views of one: the documents of a matrix, say. What is held is the whole of it, as
/// holding each view apart would be checked against all others of the same memory.
pub struct Held<'py, T: Element> {
    array: PyReadonlyArrayDyn<'py, T>,
    places: Range<usize>,
}

impl<'py, T: Element> Held<'py, T> {
    /// Holds an array as it lies, or a copy in native byte order, C-contiguous and aligned.
    pub fn of(array: &Bound<'py, PyUntypedArray>) -> PyResult<Self> {
        if let Some(held) = Self::within_base(array)? {
            return Ok(held);
        }
        let array = prepared::<T, IxDyn>(array)?;
        let places = 0..array.len();
        Ok(Self { array, places })
    }

    fn within_base(array: &Bound<'py, PyUntypedArray>) -> PyResult<Option<Self>> {
        if !lies_right(array) || array.is_empty() {
            return Ok(None);
        }
        let Ok(view) = array.cast::<PyArrayDyn<T>>() else { return Ok(None) };
        let Ok(base) = array.getattr("base")?.cast_into::<PyArrayDyn<T>>() else {
            return Ok(None);
        };
        if !lies_right(base.as_untyped()) {
            return Ok(None);
        }
        let bytes = (view.data() as usize).wrapping_sub(base.data() as usize);
        let begin = bytes / size_of::<T>();
        let places = begin..begin.saturating_add(array.len());
        if !bytes.is_multiple_of(size_of::<T>()) || places.end > base.len() {
            return Ok(None);
        }
        Ok(Some(Self { array: base.try_readonly()?, places }))
    }

    /// The elements.
    pub fn elements(&self) -> PyResult<&[T]> {
        Ok(elements(&self.array)?.get(self.places.clone()).unwrap_or_default())
    }
}

fn lies_right(array: &Bound<'_, PyUntypedArray>) -> bool {
    array.is_c_contiguous() && array.is_aligned()
}

/// The elements of a prepared array; an empty one may lie anywhere, so it is not looked at.
pub fn elements<'a, T: Element, D: Dimension>(
    array: &'a PyReadonlyArray<'_, T, D>,
) -> PyResult<&'a [T]> {
    if array.is_empty() { Ok(&[]) } else { Ok(array.as_slice()?) }
}

fn made<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Some(array) = as_array(object) {
        return Ok(array.clone());
    }
    let as_array = AS_ARRAY.import(object.py(), "numpy", "asarray")?;
    let array = as_array.call1((object,)).map_err(|error| {
        if error.to_string().contains("inhomogeneous") {
            return PyTypeError::new_err(format!(
                "{name} is a {} whose parts differ in length; all rows of an array must be as long \
                 as the first",
                kind(object)
            ));
        }
        PyTypeError::new_err(format!(
            "{name} must be an array of numbers; NumPy cannot make one of a {} ({error})",
            kind(object)
        ))
    })?;
    Ok(array.cast_into::<PyUntypedArray>()?)
}

/// Refuses masked arrays, whose masked values would be read as any others.
pub fn require_unmasked(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<()> {
    static MASKED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = array.py();
    if array.is_exact_instance_of::<PyUntypedArray>() {
        return Ok(());
    }
    if array.is_instance(MASKED.import(py, "numpy.ma", "MaskedArray")?)? {
        return Err(PyTypeError::new_err(format!(
            "{name} is a masked array; pass .compressed() to leave masked entries out, or \
             .filled(value) to give them a value"
        )));
    }
    Ok(())
}

fn require_numbers(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<()> {
    require_unmasked(array, name)?;
    if matches!(kind_of(array), 'i' | 'u' | 'f') || (array.is_empty() && kind_of(array) != 'c') {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "{name} has dtype {}; it must hold real numbers (integers or floats)",
        array.dtype().str()?
    )))
}

fn require_dimensions(array: &Bound<'_, PyUntypedArray>, want: usize, name: &str) -> PyResult<()> {
    if array.ndim() == want {
        return Ok(());
    }
    Err(InvalidArgumentError::new_err(format!(
        "{name} has {} dimension(s) (shape {:?}); it must have {want}",
        array.ndim(),
        array.shape()
    )))
}

/// The array in native byte order, C-contiguous and aligned: itself, or a copy that NumPy makes.
pub fn prepared<'py, T: Element, D: Dimension>(
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<PyReadonlyArray<'py, T, D>> {
    static REQUIRE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = array.py();
    let wanted = dtype::<T>(py);
    if lies_right(array)
        && let Ok(array) = array.cast::<PyArray<T, D>>()
    {
        return Ok(array.try_readonly()?);
    }
    let require = REQUIRE.import(py, "numpy", "require")?;
    let copy = require.call1((array, wanted, ["C_CONTIGUOUS", "ALIGNED"]))?;
    Ok(copy.cast::<PyArray<T, D>>()?.try_readonly()?)
}
