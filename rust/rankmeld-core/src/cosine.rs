//! Exact cosine similarity of one query against the rows of a matrix.

use crate::Error;

/// How many sums run side by side; wide enough to fill two vector registers of doubles.
const LANES: usize = 8;

/// Cosine of `query` with each row of `matrix` (row-major, `query.len()` wide).
///
/// Products of two `f32` are exact in `f64`, and sums run in `f64` in a fixed order. A zero vector
/// scores 0. A matrix of width 0 has no rows to score.
///
/// # Errors
/// [`Error::VectorNotFinite`] for NaN and infinities in the matrix.
pub fn scores(query: &[f32], matrix: &[f32]) -> Result<Vec<f64>, Error> {
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let query_norm = dot(query, query).sqrt();
    matrix
        .chunks_exact(query.len())
        .enumerate()
        .map(|(row, vector)| {
            let squares = dot(vector, vector);
            if !squares.is_finite() {
                return Err(not_finite(row, vector));
            }
            let norms = query_norm * squares.sqrt();
            Ok(if norms == 0.0 { 0.0 } else { (dot(query, vector) / norms).clamp(-1.0, 1.0) })
        })
        .collect()
}

/// Names the value that made a row unusable. The sum of squares of finite `f32` is finite in `f64`.
fn not_finite(row: usize, vector: &[f32]) -> Error {
    let (column, value) = vector
        .iter()
        .enumerate()
        .find(|(_, value)| !value.is_finite())
        .map_or((0, f64::NAN), |(column, &value)| (column, f64::from(value)));
    Error::VectorNotFinite { row, column, value }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            lanes[lane] += f64::from(x[lane]) * f64::from(y[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
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
            let got = scores(query, matrix).expect("finite");
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
        assert_eq!(scores(&[1.0, 0.0], &[0.0, 0.0, 2.0, 0.0]), Ok(vec![0.0, 1.0]));
        assert_eq!(scores(&[0.0, 0.0], &[1.0, 1.0]), Ok(vec![0.0]));
        let Err(Error::VectorNotFinite { row: 1, column: 1, value }) =
            scores(&[1.0, 1.0], &[1.0, 1.0, 2.0, f32::INFINITY])
        else {
            panic!("an infinity went through")
        };
        assert!(value.is_infinite());
    }
}
