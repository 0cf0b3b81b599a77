//! Similarities that somebody else has computed.

use std::ops::Range;

use super::Similarities;
use crate::{Error, Watch};

/// How many rows are read between two questions whether to go on.
const ROWS: usize = 64;

/// A square matrix: row `i`, column `j` is the similarity of candidate `i` to pick `j`.
pub struct Matrix<'a> {
    rows: &'a [f64],
    count: usize,
    picks: Vec<usize>,
}

impl<'a> Matrix<'a> {
    /// Of `count` candidates, row by row.
    ///
    /// # Errors
    /// [`Error::SimilarityNotFinite`] for the first value that is not finite, [`Error::Interrupted`] if
    /// the watch says so.
    pub fn new(rows: &'a [f64], count: usize, watch: Watch<'_>) -> Result<Self, Error> {
        for (row, values) in rows.chunks_exact(count.max(1)).enumerate() {
            if row % ROWS == ROWS - 1 {
                watch.check()?;
            }
            if let Some(column) = values.iter().position(|value| !value.is_finite()) {
                return Err(Error::SimilarityNotFinite { row, column, value: values[column] });
            }
        }
        Ok(Self { rows, count, picks: Vec::new() })
    }
}

impl Similarities for Matrix<'_> {
    fn pick(&mut self, candidate: usize) {
        self.picks.push(candidate);
    }

    fn greatest(&mut self, candidate: usize, picks: Range<usize>) -> (usize, f64) {
        let row = &self.rows[candidate * self.count..][..self.count];
        let mut greatest = (picks.start, f64::NEG_INFINITY);
        for (number, &pick) in picks.clone().zip(&self.picks[picks]) {
            if row[pick] > greatest.1 {
                greatest = (number, row[pick]);
            }
        }
        greatest
    }

    fn cost(&self) -> usize {
        8 // a look into memory that is far away
    }
}
