//! Vectors in few bits, and how far they are from what they stand for.
//!
//! A vector `x` becomes whole numbers and a step, `x = step * whole + e`. The length of `e` is taken
//! here, for each vector, and so bounds the error of every product with it: `|e y| <= |e| |y|`.

use crate::Processor;
use crate::products::squares;

/// The largest whole number of a row.
const ROW_LEVELS: f64 = 127.0;

/// The largest whole number of a query.
const QUERY_LEVELS: f64 = 32_767.0;

/// Wider vectors have no estimate: a sum of their products may leave 32 bits.
pub const WIDEST: usize = 1 << 20;

/// What a query's whole numbers may add up to, so that with rows of 127 no sum leaves 32 bits. A
/// half for each number is kept back for rounding.
const MOST: f64 = (i32::MAX / 127) as f64 - (WIDEST / 2) as f64;

/// Lengths are sums with errors of their own, far below this part of them.
const LONGER: f64 = 1.0 + 1e-6;

/// Added to and taken from a number below 2^51 it leaves the nearest whole one, ties to even, in
/// two instructions that every processor has.
const TO_WHOLE: f64 = 6_755_399_441_055_744.0;

/// What a row's whole numbers say about its cosines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// The step over the length of the row.
    pub step: f32,
    /// The length of what the whole numbers leave out, over the length of the row; not too small.
    pub error: f32,
}

/// Adds the whole numbers and the measure of each row; `own` has the rows' squares, all finite.
pub fn quantize_rows(
    rows: &[f32],
    width: usize,
    own: &[f64],
    processor: Processor,
    whole: &mut Vec<i8>,
    measures: &mut Vec<Measure>,
) {
    let (mut left_out, mut length) = (vec![0.0; width], Vec::with_capacity(1));
    for (row, own) in rows.chunks_exact(width).zip(own) {
        let largest = f64::from(row.iter().copied().map(f32::abs).fold(0.0, f32::max));
        if largest == 0.0 {
            whole.resize(whole.len() + width, 0);
            measures.push(Measure { step: 0.0, error: 0.0 });
            continue;
        }
        let (step, steps) = (largest / ROW_LEVELS, ROW_LEVELS / largest);
        whole.extend(row.iter().zip(&mut left_out).map(|(&value, left_out)| {
            let value = f64::from(value);
            let level = (value * steps + TO_WHOLE) - TO_WHOLE;
            *left_out = value - level * step;
            level as i8
        }));
        length.clear();
        squares(&left_out, width, processor, &mut length);
        let norm = own.sqrt();
        let error = (length[0].sqrt() / norm * LONGER) as f32;
        measures.push(Measure { step: (step / norm) as f32, error: error.next_up() });
    }
}

/// A query's whole numbers.
pub struct QuantizedQuery {
    /// The numbers, padded with nothing: as many as a row has.
    pub whole: Vec<i16>,
    /// The step over the length of the query.
    pub step: f64,
    /// The length of what the whole numbers leave out, over the length of the query.
    pub error: f64,
}

impl QuantizedQuery {
    /// Of a query within the range of [`crate::cosine::Element::in_range`], and its square; `None` for one
    /// that is zero or too wide.
    pub fn of(query: &[f64], own: f64, processor: Processor) -> Option<Self> {
        if own == 0.0 || query.len() > WIDEST {
            return None;
        }
        let sizes = query.iter().map(|value| value.abs());
        let (largest, sum) = sizes.fold((0.0, 0.0), |(m, s): (f64, f64), v| (m.max(v), s + v));
        let step = (largest / QUERY_LEVELS).max(sum / MOST);
        let mut left_out = Vec::with_capacity(query.len());
        let whole = query.iter().map(|&value| {
            let level = (value / step + TO_WHOLE) - TO_WHOLE;
            left_out.push(value - level * step);
            level as i16
        });
        let whole = whole.collect();
        let mut length = Vec::with_capacity(1);
        squares(&left_out, query.len(), processor, &mut length);
        let norm = own.sqrt();
        Some(Self { whole, step: step / norm, error: length[0].sqrt() / norm * LONGER })
    }
}
