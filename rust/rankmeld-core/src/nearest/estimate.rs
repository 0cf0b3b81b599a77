//! An estimate of every cosine, from products of whole numbers: the one loop that reads every row.

#![expect(clippy::inline_always, reason = "what a kernel calls must be compiled with it")]

use super::bytes::{Measure, QuantizedQuery};
use super::piece::Piece;
use crate::Processor;
use crate::widths::{Kernel, run};

/// More than all roundings on the way to an estimate, and to the cosine that it is compared with:
/// both are a few dozen units of 2^-24, for up to [`super::bytes::WIDEST`] numbers.
const ROUNDING: f64 = 1.0 / (1 << 20) as f64;

/// Where a cosine lies.
#[derive(Debug, Clone, Copy)]
pub struct Estimate {
    /// About there.
    pub middle: f64,
    /// At the most so far from the middle.
    pub error: f64,
}

/// Estimates the cosines of rows of a piece: of those picked, or of all.
pub fn estimates(
    query: &QuantizedQuery,
    piece: &Piece,
    picked: Option<&[u32]>,
    processor: Processor,
    out: &mut Vec<Estimate>,
) {
    out.clear();
    run(
        Estimates { query, whole: &piece.whole, measures: &piece.measures, picked, out },
        processor,
    );
}

struct Estimates<'a> {
    query: &'a QuantizedQuery,
    whole: &'a [i8],
    measures: &'a [Measure],
    picked: Option<&'a [u32]>,
    out: &'a mut Vec<Estimate>,
}

impl Kernel for Estimates<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let width = self.query.whole.len();
        if let Some(picked) = self.picked {
            for &row in picked {
                let row = row as usize;
                let whole = &self.whole[row * width..(row + 1) * width];
                self.out.push(estimate(self.query, whole, self.measures[row]));
            }
        } else {
            for (whole, measure) in self.whole.chunks_exact(width).zip(self.measures) {
                self.out.push(estimate(self.query, whole, *measure));
            }
        }
    }
}

/// With `x = s a + e` and `y = t b + f` the product `x y` differs from `(s a) (t b)` by
/// `e y + (s a) f`, which is at most `|e| |y| + (|x| + |e|) |f|`.
#[inline(always)]
fn estimate(query: &QuantizedQuery, whole: &[i8], measure: Measure) -> Estimate {
    let product = f64::from(product(whole, &query.whole));
    let error = f64::from(measure.error);
    Estimate {
        middle: product * (f64::from(measure.step) * query.step),
        error: error + (1.0 + error) * query.error + ROUNDING,
    }
}

/// Exact in any order, as no sum leaves 32 bits; so the compiler may choose the widest registers.
#[inline(always)]
fn product(row: &[i8], query: &[i16]) -> i32 {
    let mut sum = 0;
    for place in 0..row.len().min(query.len()) {
        sum += i32::from(row[place]) * i32::from(query[place]);
    }
    sum
}
