//! Exact cosine similarity of one query against the rows of a matrix.

use std::borrow::Cow;

use crate::power_of_two::{exponent, times_power};
use crate::products::{Products, products, squares};
use crate::{Error, Processor, Watch};

/// How many numbers are handled between two questions whether to go on: about a millisecond.
pub(crate) const BLOCK: usize = 1 << 20;

/// A number that cosines are taken of.
pub trait Element: Copy + Into<f64> + Send + Sync {
    /// Rows of this width whose products and sums of squares stay within the range of `f64`, and
    /// whose cosines are those of `rows`.
    fn in_range(rows: &[Self], width: usize) -> Cow<'_, [Self]>;
}

impl Element for f32 {
    fn in_range(rows: &[Self], _width: usize) -> Cow<'_, [Self]> {
        Cow::Borrowed(rows)
    }
}

impl Element for f64 {
    /// Each row times a power of two, which makes its largest component about 1: no bit of a
    /// cosine changes.
    fn in_range(rows: &[Self], width: usize) -> Cow<'_, [Self]> {
        let mut scaled = Vec::with_capacity(rows.len());
        for row in rows.chunks_exact(width) {
            let largest = row.iter().copied().map(f64::abs).fold(0.0, f64::max);
            let power = -exponent(largest);
            scaled.extend(row.iter().map(|&value| times_power(value, power)));
        }
        Cow::Owned(scaled)
    }
}

/// Cosine of `query` with each row of `matrix` (row-major, `query.len()` wide).
///
/// Sums run in `f64` in a fixed order; products of two `f32` are exact there. A zero vector scores
/// 0, a vector with itself exactly 1. A matrix of width 0 has no rows to score.
///
/// # Errors
/// [`Error::VectorNotFinite`] for NaN and infinities in the matrix, [`Error::Interrupted`] if the watch says so.
pub fn scores<T: Element>(
    query: &[f64],
    matrix: &[T],
    processor: Processor,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let width = query.len();
    if width == 0 {
        return Ok(Vec::new());
    }
    let query = f64::in_range(query, width);
    let mut own = Vec::new();
    squares(&query, width, processor, &mut own);
    let query_squares = own[0];
    let rows = matrix.len() / width;
    let (mut scores, mut block) = (Vec::with_capacity(rows), Vec::new());
    for part in matrix.chunks((BLOCK / width).max(1) * width) {
        if !scores.is_empty() {
            watch.check()?;
        }
        block.clear();
        products(&query, &T::in_range(part, width), processor, &mut block);
        if let Some(bad) = block.iter().position(|row| !row.squares.is_finite()) {
            return Err(not_finite(matrix, width, scores.len() + bad));
        }
        let score = |row: &Products| cosine(row.dot, query_squares, row.squares);
        scores.extend(block.iter().map(score));
    }
    Ok(scores)
}

/// The cosine, given the product of two vectors and of each with itself.
#[must_use]
pub fn cosine(dot: f64, a_squares: f64, b_squares: f64) -> f64 {
    // One root of the product: of equal vectors, and of many multiples, it is the exact norm.
    let norms = (a_squares * b_squares).sqrt();
    if norms == 0.0 { 0.0 } else { (dot / norms).clamp(-1.0, 1.0) }
}

/// Names the value that made a row unusable.
pub(crate) fn not_finite<T: Element>(matrix: &[T], width: usize, row: usize) -> Error {
    let mut bad = matrix.chunks_exact(width).enumerate().skip(row).filter_map(|(row, vector)| {
        let mut values = vector.iter().map(|&value| value.into()).enumerate();
        values.find(|(_, value)| !value.is_finite()).map(|(column, value)| (row, column, value))
    });
    let (row, column, value) = bad.next().unwrap_or((row, 0, f64::NAN));
    Error::VectorNotFinite { row, column, value, also: bad.next().map(|(row, ..)| row) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BEST: Processor = Processor::Avx512;

    proptest! {
        #[test]
        fn equals_the_formula(
            (width, values) in (1..20_usize).prop_flat_map(|width| (
                Just(width),
                proptest::collection::vec(-10.0..10.0_f32, width..=width * 6),
            ))
        ) {
            let (query, matrix) = values.split_at(width);
            let matrix = &matrix[..matrix.len() / width * width];
            let wide: Vec<f64> = query.iter().map(|&x| f64::from(x)).collect();
            let got = scores(&wide, matrix, BEST, Watch::never()).expect("finite");
            for (row, &score) in matrix.chunks_exact(width).zip(&got) {
                let wide = |v: &[f32]| v.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
                let (q, r) = (wide(query), wide(row));
                let product: f64 = q.iter().zip(&r).map(|(x, y)| x * y).sum();
                let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
                let expected =
                    if norm(&q) * norm(&r) == 0.0 { 0.0 } else { product / (norm(&q) * norm(&r)) };
                prop_assert!((score - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn zero_vectors_score_zero_and_bad_values_are_named() {
        assert_eq!(
            scores(&[1.0, 0.0], &[0.0_f32, 0.0, 2.0, 0.0], BEST, Watch::never()),
            Ok(vec![0.0, 1.0])
        );
        assert_eq!(scores(&[0.0, 0.0], &[1.0_f32, 1.0], BEST, Watch::never()), Ok(vec![0.0]));
        let Err(Error::VectorNotFinite { row: 1, column: 1, value, also: None }) =
            scores(&[1.0, 1.0], &[1.0, 1.0, 2.0, f32::INFINITY], BEST, Watch::never())
        else {
            panic!("an infinity went through")
        };
        assert!(value.is_infinite());
    }

    #[test]
    fn doubles_of_any_size_have_a_cosine() {
        for size in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
            let got =
                scores(&[size, 0.0], &[3.0 * size, 4.0 * size, 0.0, 0.0], BEST, Watch::never());
            let Ok([near, zero]) = got.as_deref() else { panic!("{got:?}") };
            assert!((near - 0.6).abs() < 1e-15);
            assert_eq!(*zero, 0.0);
        }
        assert!(scores(&[1.0, 1.0], &[f64::NAN, 1.0], BEST, Watch::never()).is_err());
    }
}
