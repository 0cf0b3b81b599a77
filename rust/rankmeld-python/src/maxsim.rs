//! `MaxSim` over embeddings: documents in the forms that people have them.

use numpy::ndarray::{Ix1, Ix2};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rankmeld_core::Processor;
use rankmeld_core::maxsim::{Documents, Options, Query, Scales, Scores, Vectors, scores};

use crate::arrays;
use crate::detach::detached;
use crate::embeddings::{Embeddings, Factors, document, embeddings, is_other, width_error};
use crate::errors::{InvalidArgumentError, Label, kind, refused};

/// Multiplications for which a thread of its own pays: some milliseconds of work.
const WORK_OF_A_THREAD: usize = 1 << 28;

/// How many documents of a list are read between two questions whether to go on: some milliseconds.
const DOCUMENTS_BETWEEN_QUESTIONS: usize = 4_096;

/// Scores; for each document and query vector the vector that is most similar, and how much it is.
type Found<'py> =
    (Bound<'py, PyArray1<f64>>, Option<(Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>)>);

/// The documents of a call, held for the time of it.
enum Given<'py> {
    Separate(Vec<Option<(Embeddings<'py>, usize)>>, Vec<Option<Factors<'py>>>),
    Flat(Embeddings<'py>, Option<Factors<'py>>, Vec<usize>),
    Padded(Embeddings<'py>, Option<Factors<'py>>, [usize; 2], Option<Vec<bool>>),
}

/// `MaxSim` of the query with each document, in document order.
#[pyfunction]
#[pyo3(signature = (query, documents, offsets, mask, normalize, scales, query_scales, threads, explain))]
#[expect(clippy::too_many_arguments, reason = "the options of the public function")]
pub fn maxsim<'py>(
    query: &Bound<'py, PyAny>,
    documents: &Bound<'py, PyAny>,
    offsets: Option<&Bound<'py, PyAny>>,
    mask: Option<&Bound<'py, PyAny>>,
    normalize: bool,
    scales: Option<&Bound<'py, PyAny>>,
    query_scales: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
    explain: bool,
) -> PyResult<Found<'py>> {
    let py = query.py();
    require_no_swap(query, documents, offsets.is_some())?;
    let array = embeddings(query, 2, || "query".to_owned())?;
    let &[count, width] = array.shape() else { return Err(no_width()) };
    let held = Embeddings::of(&array)?;
    let factors = of_bytes(&held, query_scales, &[count], "query_scales", "query")?;
    let vectors = held.vectors(scales_of(factors.as_ref())?)?;
    let label = Label::Argument("query");
    let query = Query::new(&vectors, count, width, normalize)
        .map_err(|error| refused(py, error, &label))?;
    let given = read(documents, width, offsets, mask, scales)?;
    let documents = given.documents()?;
    let work = documents.before(documents.len()).saturating_mul(query.len().max(1) * width.max(1));
    let threads = threads.unwrap_or_else(|| (work / WORK_OF_A_THREAD).clamp(1, cores()));
    let options = Options { normalize, explain, threads, processor: Processor::best() };
    let found = detached(py, work, |watch| scores(&query, &documents, options, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("documents")))?;
    handed_out(py, found, query.len(), explain)
}

/// Refuses many queries for one document: one query for many documents was meant.
fn require_no_swap(
    query: &Bound<'_, PyAny>,
    documents: &Bound<'_, PyAny>,
    flat: bool,
) -> PyResult<()> {
    let dimensions = |object| arrays::as_array(object).map(PyUntypedArrayMethods::ndim);
    if flat || dimensions(query) != Some(3) || dimensions(documents) != Some(2) {
        return Ok(());
    }
    Err(InvalidArgumentError::new_err(
        "query has 3 dimensions and documents has 2, as if they had changed places; the query comes \
         first, as maxsim(query, documents)",
    ))
}

fn handed_out(py: Python<'_>, found: Scores, count: usize, explain: bool) -> PyResult<Found<'_>> {
    let shape = [found.scores.len(), count];
    let scores = found.scores.into_pyarray(py);
    if !explain {
        return Ok((scores, None));
    }
    let matches = found.matches.into_pyarray(py).reshape(shape)?;
    let similarities = found.similarities.into_pyarray(py).reshape(shape)?;
    Ok((scores, Some((matches, similarities))))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn no_width() -> PyErr {
    InvalidArgumentError::new_err("query must have the shape (vectors, width)")
}

fn scales_of<'a>(factors: Option<&'a Factors<'_>>) -> PyResult<Scales<'a>> {
    factors.map_or(Ok(Scales::One(1.0)), Factors::scales)
}

/// Scales are for bytes: with other numbers they would be left out in silence.
fn of_bytes<'py>(
    held: &Embeddings<'py>,
    scales: Option<&Bound<'py, PyAny>>,
    shape: &[usize],
    name: &str,
    owner: &str,
) -> PyResult<Option<Factors<'py>>> {
    let Some(scales) = scales else { return Ok(None) };
    if !held.is_bytes() {
        return Err(InvalidArgumentError::new_err(format!(
            "{name} is given, and {owner} is not int8; scales belong to vectors of int8"
        )));
    }
    Factors::of(scales, shape, name).map(Some)
}

fn read<'py>(
    documents: &Bound<'py, PyAny>,
    width: usize,
    offsets: Option<&Bound<'py, PyAny>>,
    mask: Option<&Bound<'py, PyAny>>,
    scales: Option<&Bound<'py, PyAny>>,
) -> PyResult<Given<'py>> {
    if let Some(offsets) = offsets {
        if mask.is_some() {
            return Err(InvalidArgumentError::new_err(
                "offsets and mask are both given; offsets belong to documents of shape \
                 (vectors, width), a mask to (documents, vectors, width)",
            ));
        }
        return flat(documents, width, offsets, scales);
    }
    if mask.is_none() && is_list(documents)? {
        return separate(documents, width, scales);
    }
    padded(documents, width, mask, scales)
}

/// Whether documents come one by one: anything but an array, or what gives one.
fn is_list(documents: &Bound<'_, PyAny>) -> PyResult<bool> {
    if documents.is_instance_of::<PyList>() || documents.is_instance_of::<PyTuple>() {
        return Ok(true);
    }
    Ok(arrays::as_array(documents).is_none() && !documents.hasattr("__array__")?)
}

fn flat<'py>(
    documents: &Bound<'py, PyAny>,
    width: usize,
    offsets: &Bound<'py, PyAny>,
    scales: Option<&Bound<'py, PyAny>>,
) -> PyResult<Given<'py>> {
    let array = embeddings(documents, 2, || "documents (with offsets)".to_owned())?;
    let &[rows, columns] = array.shape() else { return Err(no_width()) };
    if columns != width {
        return Err(width_error("documents", columns, width));
    }
    let offsets = read_offsets(offsets, rows)?;
    let held = Embeddings::of(&array)?;
    let factors = of_bytes(&held, scales, &[rows], "scales", "documents")?;
    Ok(Given::Flat(held, factors, offsets))
}

fn read_offsets(object: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<usize>> {
    let array = arrays::numbers(object, 1, "offsets")?;
    let fail = |text: String| Err(InvalidArgumentError::new_err(text));
    if array.is_empty() {
        return fail(
            "offsets is empty; it has one entry more than there are documents, 0 first".into(),
        );
    }
    if !matches!(arrays::kind_of(&array), 'i' | 'u') {
        return Err(PyTypeError::new_err(format!(
            "offsets has dtype {}; it must hold integers",
            array.dtype().str()?
        )));
    }
    let column: Vec<i128> = if arrays::fits_int64(&array) {
        let column = arrays::integers(&array)?;
        arrays::elements(&column)?.iter().copied().map(i128::from).collect()
    } else {
        let column = arrays::prepared::<u64, Ix1>(&array)?;
        arrays::elements(&column)?.iter().copied().map(i128::from).collect()
    };
    let mut offsets: Vec<usize> = Vec::with_capacity(column.len());
    for (place, offset) in column.into_iter().enumerate() {
        let before = offsets.last().copied().unwrap_or(0);
        match usize::try_from(offset) {
            Ok(0) if place == 0 => offsets.push(0),
            _ if place == 0 => return fail(format!("offsets[0] is {offset}; it must be 0")),
            Ok(offset) if offset > rows => {
                return fail(format!(
                    "offsets[{place}] is {offset}, where document {} ends, and documents has \
                     {rows} vector(s)",
                    place - 1
                ));
            }
            Ok(offset) if offset >= before => offsets.push(offset),
            _ => {
                return fail(format!(
                    "offsets[{place}] is {offset}, where document {} ends, and it begins at \
                     {before}; offsets must not decrease",
                    place - 1
                ));
            }
        }
    }
    match offsets.last() {
        Some(&last) if last == rows => Ok(offsets),
        last => fail(format!(
            "offsets ends at {}, and documents has {rows} vector(s); the last entry must be where \
             the last document ends",
            last.copied().unwrap_or(0)
        )),
    }
}

fn padded<'py>(
    documents: &Bound<'py, PyAny>,
    width: usize,
    mask: Option<&Bound<'py, PyAny>>,
    scales: Option<&Bound<'py, PyAny>>,
) -> PyResult<Given<'py>> {
    let name =
        || "documents (without offsets; one document alone is written [document])".to_owned();
    if let Some(array) = arrays::as_array(documents)
        && arrays::kind_of(array) == 'O'
        && array.ndim() == 1
    {
        return Err(PyTypeError::new_err(
            "documents is an array of objects; to pass the arrays that it holds, write \
             list(documents)",
        ));
    }
    let array = embeddings(documents, 3, name).map_err(|error| {
        if mask.is_some() && is_ragged(documents) { no_mask_for_a_list() } else { error }
    })?;
    let &[count, length, columns] = array.shape() else { return Err(no_width()) };
    if columns != width && count > 0 {
        return Err(width_error("documents", columns, width));
    }
    let mask = mask.map(|mask| read_mask(mask, [count, length])).transpose()?;
    let held = Embeddings::of(&array)?;
    let factors = of_bytes(&held, scales, &[count, length], "scales", "documents")?;
    Ok(Given::Padded(held, factors, [count, length], mask))
}

/// Whether these are documents that come one by one, not all as long as the first.
fn is_ragged(documents: &Bound<'_, PyAny>) -> bool {
    let Ok(items) = documents.try_iter() else { return false };
    let mut lengths = items.map(|item| item.and_then(|item| item.len()).ok());
    let first = lengths.next();
    arrays::as_array(documents).is_none() && lengths.any(|length| Some(length) != first)
}

fn no_mask_for_a_list() -> PyErr {
    InvalidArgumentError::new_err(
        "mask is given, and documents is a list of documents of several lengths; a list of arrays \
         takes no mask: leave it out and pass each document without its padding",
    )
}

fn read_mask(object: &Bound<'_, PyAny>, shape: [usize; 2]) -> PyResult<Vec<bool>> {
    let array = arrays::booleans(object, "mask")?;
    if array.shape() != shape {
        return Err(InvalidArgumentError::new_err(format!(
            "mask has shape {:?} for documents of shape {:?}; it must have one entry for each vector",
            array.shape(),
            [shape[0], shape[1]]
        )));
    }
    // Read as bytes: an array of booleans can hold others than 0 and 1.
    let bytes = arrays::prepared::<u8, Ix2>(&array)?;
    Ok(arrays::elements(&bytes)?.iter().map(|&byte| byte != 0).collect())
}

fn separate<'py>(
    documents: &Bound<'py, PyAny>,
    width: usize,
    scales: Option<&Bound<'py, PyAny>>,
) -> PyResult<Given<'py>> {
    if is_other(documents) {
        return Err(not_documents(documents));
    }
    let iterator = documents.try_iter().map_err(|_| not_documents(documents))?;
    let mut held = Vec::new();
    for (index, item) in iterator.enumerate() {
        if index % DOCUMENTS_BETWEEN_QUESTIONS == 0 {
            documents.py().check_signals()?;
        }
        held.push(document(&item?, width, || format!("documents[{index}]"))?);
    }
    let factors = scales.map_or(Ok(Vec::new()), |scales| each_scales(scales, &held))?;
    Ok(Given::Separate(held, factors))
}

fn not_documents(object: &Bound<'_, PyAny>) -> PyErr {
    let hint =
        if object.is_instance_of::<PyDict>() { "; pass list(documents.values())" } else { "" };
    PyTypeError::new_err(format!(
        "documents must be a list of arrays, an array with offsets, or an array of three \
         dimensions, not {}{hint}",
        kind(object)
    ))
}

/// Scales of documents that come one by one: one number for all, or for each an array or a number.
fn each_scales<'py>(
    scales: &Bound<'py, PyAny>,
    held: &[Option<(Embeddings<'py>, usize)>],
) -> PyResult<Vec<Option<Factors<'py>>>> {
    let each: Vec<Bound<'py, PyAny>> = if scales.hasattr("__len__")? && scales.len().is_ok() {
        scales.try_iter()?.collect::<PyResult<_>>()?
    } else {
        Factors::of(scales, &[], "scales")?; // refused also where no document has vectors
        vec![scales.clone(); held.len()]
    };
    if each.len() != held.len() {
        return Err(InvalidArgumentError::new_err(format!(
            "scales has {} entries for {} document(s); give an array or a number for each",
            each.len(),
            held.len()
        )));
    }
    let read = |(index, (scales, held)): (usize, (&Bound<'py, PyAny>, &Option<_>))| {
        let Some((held, rows)) = held else { return Ok(None) };
        let (name, owner) = (format!("scales[{index}]"), format!("documents[{index}]"));
        of_bytes(held, Some(scales), &[*rows], &name, &owner)
    };
    each.iter().zip(held).enumerate().map(read).collect()
}

impl Given<'_> {
    fn documents(&self) -> PyResult<Documents<'_>> {
        Ok(match self {
            Self::Separate(held, factors) => {
                let mut each = Vec::with_capacity(held.len());
                for (index, held) in held.iter().enumerate() {
                    each.push(match held {
                        None => (Vectors::Singles(&[]), 0),
                        Some((held, rows)) => {
                            let factors = factors.get(index).and_then(Option::as_ref);
                            (held.vectors(scales_of(factors)?)?, *rows)
                        }
                    });
                }
                Documents::separate(each)
            }
            Self::Flat(held, factors, offsets) => {
                Documents::Flat { vectors: held.vectors(scales_of(factors.as_ref())?)?, offsets }
            }
            Self::Padded(held, factors, [count, length], mask) => Documents::Padded {
                vectors: held.vectors(scales_of(factors.as_ref())?)?,
                count: *count,
                length: *length,
                mask: mask.as_deref(),
            },
        })
    }
}
