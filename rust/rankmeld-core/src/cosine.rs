//! Exact cosine similarity of one query against the rows of a matrix.

use crate::power_of_two::{exponent, times_power};
use crate::{Error, Watch};

/// How many sums run side by side; wide enough to fill two vector registers of doubles.
const LANES: usize = 8;

/// A number that cosines are taken of.
pub trait Element: Copy + Into<f64> + Send + Sync {
    /// Whether products and sums of squares of any such numbers stay within the range of `f64`.
    const FITS: bool;
}

impl Element for f32 {
    const FITS: bool = true;
}

impl Element for f64 {
    const FITS: bool = false;
}

/// Cosine of `query` with each row of `matrix` (row-major, `query.len()` wide).
///
/// Sums run in `f64` in a fixed order; products of two `f32` are exact there. A zero vector scores
/// 0. A matrix of width 0 has no rows to score.
///
/// # Errors
/// [`Error::VectorNotFinite`] for NaN and infinities in the matrix, [`Error::Interrupted`] if the watch says so.
pub fn scores<T: Element>(
    query: &[f64],
    matrix: &[T],
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let query = scaled(query);
    let query_norm = squares(&query).sqrt();
    let rows = matrix.chunks_exact(query.len()).enumerate();
    rows.map(|(row, vector)| {
        watch.check_at(row)?;
        let (product, sum) = if T::FITS {
            (dot(&query, vector), squares(vector))
        } else {
            let vector = scaled(vector);
            (dot(&query, &vector), squares(&vector))
        };
        if !sum.is_finite() {
            return Err(not_finite(row, vector));
        }
        Ok(cosine(product, query_norm * sum.sqrt()))
    })
    .collect()
}

/// The vector times a power of two, so that its largest component is about 1.
fn scaled<T: Element>(vector: &[T]) -> Vec<f64> {
    let wide = vector.iter().map(|&value| value.into());
    let largest = wide.clone().map(f64::abs).fold(0.0, f64::max);
    let power = -exponent(largest);
    wide.map(|value| times_power(value, power)).collect()
}

fn cosine(product: f64, norms: f64) -> f64 {
    if norms == 0.0 { 0.0 } else { (product / norms).clamp(-1.0, 1.0) }
}

/// Names the value that made a row unusable.
fn not_finite<T: Element>(row: usize, vector: &[T]) -> Error {
    let mut values = vector.iter().map(|&value| value.into()).enumerate();
    let found = values.find(|(_, value)| !value.is_finite());
    let (column, value) = found.unwrap_or((0, f64::NAN));
    Error::VectorNotFinite { row, column, value }
}

fn dot<T: Element>(a: &[f64], b: &[T]) -> f64 {
    sum_of_products(a, b, |x, y| x * y.into())
}

fn squares<T: Element>(a: &[T]) -> f64 {
    sum_of_products(a, a, |x, y| x.into() * y.into())
}

fn sum_of_products<A: Copy, B: Copy>(a: &[A], b: &[B], product: impl Fn(A, B) -> f64) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            lanes[lane] += product(x[lane], y[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(&x, &y)| product(x, y)).sum();
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            let got = scores(&wide, matrix, Watch::never()).expect("finite");
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
            scores(&[1.0, 0.0], &[0.0_f32, 0.0, 2.0, 0.0], Watch::never()),
            Ok(vec![0.0, 1.0])
        );
        assert_eq!(scores(&[0.0, 0.0], &[1.0_f32, 1.0], Watch::never()), Ok(vec![0.0]));
        let Err(Error::VectorNotFinite { row: 1, column: 1, value }) =
            scores(&[1.0, 1.0], &[1.0, 1.0, 2.0, f32::INFINITY], Watch::never())
        else {
            panic!("an infinity went through")
        };
        assert!(value.is_infinite());
    }

    #[test]
    fn doubles_of_any_size_have_a_cosine() {
        for size in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
            let got = scores(&[size, 0.0], &[3.0 * size, 4.0 * size, 0.0, 0.0], Watch::never());
            let Ok([near, zero]) = got.as_deref() else { panic!("{got:?}") };
            assert!((near - 0.6).abs() < 1e-15);
            assert_eq!(*zero, 0.0);
        }
        assert!(scores(&[1.0, 1.0], &[f64::NAN, 1.0], Watch::never()).is_err());
    }
}
