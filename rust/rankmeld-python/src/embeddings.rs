//! Arrays of vectors in the kinds of numbers that embeddings come in.
//!
//! What an array is gets decided in [`arrays`]; here is which kinds of numbers the kernels take as they
//! are (single, half and double precision, bfloat16, signed bytes) and what becomes of the others.

use half::f16;
use half::slice::HalfFloatSliceExt;
use numpy::ndarray::Ix1;
use numpy::{PyArrayDescrMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use rankmeld_core::maxsim::{Scales, Vectors};

use crate::arrays::{self, Held};
use crate::errors::{InvalidArgumentError, float, kind};

/// An array of vectors, held so that kernels can read it without the interpreter.
pub enum Embeddings<'py> {
    Singles(Held<'py, f32>),
    Doubles(Held<'py, f64>),
    Halves(Held<'py, f16>),
    Bf16(Held<'py, u16>),
    Bytes(Held<'py, i8>),
}

impl<'py> Embeddings<'py> {
    /// An array of numbers, converted once if it is of no kind that kernels read.
    pub fn of(array: &Bound<'py, PyUntypedArray>) -> PyResult<Self> {
        if is_bfloat16(array)? {
            let view = arrays::native(array)?.call_method1("view", ("uint16",))?;
            return Ok(Self::Bf16(Held::of(view.cast::<PyUntypedArray>()?)?));
        }
        Ok(match (arrays::kind_of(array), array.dtype().itemsize()) {
            ('f', 2) => Self::Halves(Held::of(array)?),
            ('u', 2) => Self::Bf16(Held::of(array)?),
            ('i', 1) => Self::Bytes(Held::of(array)?),
            _ if arrays::fits_float32(array) => Self::Singles(Held::of(array)?),
            _ => Self::Doubles(Held::of(array)?),
        })
    }

    /// The numbers, for a kernel; bytes with these scales.
    pub fn vectors<'a>(&'a self, scales: Scales<'a>) -> PyResult<Vectors<'a>> {
        Ok(match self {
            Self::Singles(array) => Vectors::Singles(array.elements()?),
            Self::Doubles(array) => Vectors::Doubles(array.elements()?),
            Self::Halves(array) => Vectors::Halves(array.elements()?.reinterpret_cast()),
            Self::Bf16(array) => Vectors::Bf16(array.elements()?),
            Self::Bytes(array) => Vectors::Bytes(array.elements()?, scales),
        })
    }

    /// Whether the numbers are bytes, which scales are for.
    pub fn is_bytes(&self) -> bool {
        matches!(self, Self::Bytes(_))
    }
}

/// An object as an array of vectors with this many dimensions; `name` is how a refusal calls it.
pub fn embeddings<'py>(
    object: &Bound<'py, PyAny>,
    dimensions: usize,
    name: impl Fn() -> String,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Some(array) = arrays::as_array(object)
        && array.ndim() == dimensions
        && matches!(arrays::kind_of(array), 'f' | 'i' | 'u')
        && array.is_exact_instance_of::<PyUntypedArray>()
    {
        return Ok(array.clone());
    }
    if let Some(array) = arrays::as_array(object)
        && array.ndim() == dimensions
        && is_bfloat16(array)?
    {
        return Ok(array.clone());
    }
    arrays::numbers(object, dimensions, &name())
}

/// Whether the elements are the bfloat16 that a package adds to NumPy.
fn is_bfloat16(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    let dtype = array.dtype();
    if arrays::kind_of(array) != 'V' || dtype.itemsize() != 2 {
        return Ok(false);
    }
    dtype.getattr("name")?.eq("bfloat16")
}

/// What vectors of bytes are multiplied by: one number, or one for each of them.
pub enum Factors<'py> {
    One(f64),
    Each(PyReadonlyArray1<'py, f64>),
}

impl<'py> Factors<'py> {
    /// Reads scales for vectors whose axes but the last have this `shape`.
    pub fn of(object: &Bound<'py, PyAny>, shape: &[usize], name: &str) -> PyResult<Self> {
        let is_column = arrays::as_array(object).is_some_and(|array| array.ndim() > 0)
            || object.hasattr("__len__")?;
        if !is_column {
            let scale: f64 = object.extract().map_err(|_| {
                PyTypeError::new_err(format!(
                    "{name} must be a number or an array with one for each vector, not {}",
                    kind(object)
                ))
            })?;
            checked(&[scale], name)?;
            return Ok(Self::One(scale));
        }
        let array = arrays::numbers(object, shape.len(), name)?;
        if array.shape() != shape {
            return Err(InvalidArgumentError::new_err(format!(
                "{name} has shape {:?} for vectors of shape {shape:?}; give one number for each \
                 vector, or one for all",
                array.shape()
            )));
        }
        let flat = array.call_method1("reshape", (-1,))?;
        let column = arrays::prepared::<f64, Ix1>(flat.cast::<PyUntypedArray>()?)?;
        checked(arrays::elements(&column)?, name)?;
        Ok(Self::Each(column))
    }

    /// The scales, for a kernel.
    pub fn scales(&self) -> PyResult<Scales<'_>> {
        Ok(match self {
            Self::One(scale) => Scales::One(*scale),
            Self::Each(column) => Scales::Each(arrays::elements(column)?),
        })
    }
}

fn checked(scales: &[f64], name: &str) -> PyResult<()> {
    let bad = scales.iter().enumerate().find(|(_, scale)| !scale.is_finite() || **scale < 0.0);
    let Some((place, &scale)) = bad else { return Ok(()) };
    Err(InvalidArgumentError::new_err(format!(
        "{name}, vector {place}: the scale is {}; scales must be finite and not negative",
        float(scale)
    )))
}

/// A list of vectors for one document: rows and columns, none for an empty list.
pub fn document<'py>(
    object: &Bound<'py, PyAny>,
    width: usize,
    name: impl Fn() -> String,
) -> PyResult<Option<(Embeddings<'py>, usize)>> {
    if is_nothing(object) {
        return Ok(None);
    }
    let array = embeddings(object, 2, &name)?;
    let &[rows, columns] = array.shape() else { return Ok(None) };
    if columns != width {
        return Err(width_error(&name(), columns, width));
    }
    Ok(Some((Embeddings::of(&array)?, rows)))
}

/// Whether this is how a document without vectors looks, beside an array of no rows.
fn is_nothing(object: &Bound<'_, PyAny>) -> bool {
    match arrays::as_array(object) {
        Some(array) => array.shape() == [0] || array.shape() == [0, 0],
        None => !is_other(object) && object.len().is_ok_and(|length| length == 0),
    }
}

/// Whether this is a text or a mapping: it can be empty, or be gone through, and still is no list.
pub fn is_other(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyDict>()
}

/// Vectors of two widths.
pub fn width_error(name: &str, columns: usize, width: usize) -> PyErr {
    InvalidArgumentError::new_err(format!(
        "{name} has vectors of {columns} dimension(s), and query has {width}; embed both with one \
         model"
    ))
}
