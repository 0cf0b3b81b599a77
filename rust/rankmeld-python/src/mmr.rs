//! Maximal marginal relevance over texts, vectors or a matrix of similarities.

use numpy::ndarray::{Ix1, Ix2};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rankmeld_core::cosine::Element;
use rankmeld_core::mmr::jaccard::Sets;
use rankmeld_core::mmr::{self, Cosines, Jaccard, Matrix, Pick, Request, Scale};
use rankmeld_core::{Error, Processor, Watch};

use crate::arrays;
use crate::detach::detached;
use crate::errors::{InvalidArgumentError, Label, refused};
use crate::texts::{borrowed, texts};

/// Columns, in the order of choice: the places of the picks, their relevance, their similarity to
/// the pick that each is most similar to, the place of that one, and what they were chosen for.
type Columns = (Vec<u32>, Vec<f64>, Vec<Option<f64>>, Vec<Option<u32>>, Vec<f64>);

/// By the Jaccard similarity of the token sets of texts, one for each score.
#[pyfunction]
pub fn mmr_jaccard(
    scores: &Bound<'_, PyUntypedArray>,
    passages: &Bound<'_, PyAny>,
    lambda_: f64,
    limit: Option<usize>,
    minmax: bool,
) -> PyResult<Columns> {
    let passages = texts(passages, "texts")?;
    let passages = borrowed(&passages);
    let bytes = passages.iter().map(|text| text.len()).sum();
    chosen(scores, request(lambda_, limit, minmax), bytes, |scores, request, watch| {
        let sets = Sets::of_texts(&passages, watch)?;
        let mut jaccard = Jaccard::new(&sets, Processor::best(), watch)?;
        mmr::mmr(scores, request, &mut jaccard, watch)
    })
}

/// By the cosine of vectors, one row for each score.
#[pyfunction]
pub fn mmr_cosine(
    scores: &Bound<'_, PyUntypedArray>,
    vectors: &Bound<'_, PyAny>,
    lambda_: f64,
    limit: Option<usize>,
    minmax: bool,
) -> PyResult<Columns> {
    let vectors = arrays::numbers(vectors, 2, "vectors")?;
    let &[_, width] = vectors.shape() else { return Ok(Columns::default()) };
    let request = request(lambda_, limit, minmax);
    if arrays::fits_float32(&vectors) {
        by_cosine::<f32>(scores, &vectors, width, request)
    } else {
        by_cosine::<f64>(scores, &vectors, width, request)
    }
}

fn by_cosine<T: Element + numpy::Element>(
    scores: &Bound<'_, PyUntypedArray>,
    vectors: &Bound<'_, PyUntypedArray>,
    width: usize,
    request: Request,
) -> PyResult<Columns> {
    let vectors = arrays::prepared::<T, Ix2>(vectors)?;
    let vectors = arrays::elements(&vectors)?;
    chosen(scores, request, vectors.len(), |scores, request, watch| {
        let mut cosines = Cosines::new(vectors, width, Processor::best(), watch)?;
        mmr::mmr(scores, request, &mut cosines, watch)
    })
}

/// By a matrix of similarities, a row and a column for each score.
#[pyfunction]
pub fn mmr_matrix(
    scores: &Bound<'_, PyUntypedArray>,
    similarity: &Bound<'_, PyAny>,
    lambda_: f64,
    limit: Option<usize>,
    minmax: bool,
) -> PyResult<Columns> {
    let matrix = arrays::numbers(similarity, 2, "similarity")?;
    let count = scores.len();
    if matrix.shape() != [count, count] {
        return Err(InvalidArgumentError::new_err(format!(
            "similarity has shape {:?} for {count} hit(s); it must have a row and a column for \
             each hit, in the order of the ranking",
            matrix.shape(),
        )));
    }
    let matrix = arrays::prepared::<f64, Ix2>(&matrix)?;
    let matrix = arrays::elements(&matrix)?;
    chosen(scores, request(lambda_, limit, minmax), matrix.len(), |scores, request, watch| {
        let mut matrix = Matrix::new(matrix, count, watch)?;
        mmr::mmr(scores, request, &mut matrix, watch)
    })
}

fn request(lambda: f64, limit: Option<usize>, minmax: bool) -> Request {
    let scale = if minmax { Scale::MinMax } else { Scale::Raw };
    Request { lambda, limit: limit.unwrap_or(usize::MAX), scale }
}

fn chosen(
    scores: &Bound<'_, PyUntypedArray>,
    request: Request,
    work: usize,
    choose: impl FnOnce(&[f64], &Request, Watch<'_>) -> Result<Vec<Pick>, Error> + Send,
) -> PyResult<Columns> {
    let py = scores.py();
    let scores = arrays::prepared::<f64, Ix1>(scores)?;
    let scores = arrays::elements(&scores)?;
    let picks = detached(py, work, |watch| choose(scores, &request, watch))?
        .map_err(|error| refused(py, error, &Label::Argument("ranking")))?;
    let nearest = || picks.iter().map(|pick| pick.nearest);
    Ok((
        picks.iter().map(|pick| pick.candidate).collect(),
        picks.iter().map(|pick| pick.relevance).collect(),
        nearest().map(|nearest| nearest.map(|nearest| nearest.similarity)).collect(),
        nearest().map(|nearest| nearest.map(|nearest| nearest.pick)).collect(),
        picks.iter().map(|pick| pick.value(request.lambda)).collect(),
    ))
}
