//! A few hundred rows that are kept together, and never change once others can see them.

use std::ops::Range;

use super::bytes::{Measure, WIDEST, quantize_rows};
use crate::cosine::not_finite;
use crate::products::squares;
use crate::{Error, Processor};

/// Rows side by side, in ascending order of their positions.
#[derive(Debug, Default, Clone)]
pub struct Piece {
    /// Where each row belongs in the order of all; equal cosines are told apart by it.
    pub positions: Vec<i64>,
    /// The rows, one after the other.
    pub rows: Vec<f32>,
    /// Each row's product with itself.
    pub squares: Vec<f64>,
    /// The rows in whole numbers.
    pub whole: Vec<i8>,
    /// What those say about cosines.
    pub measures: Vec<Measure>,
}

impl Piece {
    /// A piece of new rows.
    ///
    /// # Errors
    /// [`Error::VectorNotFinite`] for NaN and infinities.
    pub fn new(
        positions: &[i64],
        rows: &[f32],
        width: usize,
        processor: Processor,
    ) -> Result<Self, Error> {
        let mut own = Vec::with_capacity(positions.len());
        squares(rows, width, processor, &mut own);
        if let Some(row) = own.iter().position(|square| !square.is_finite()) {
            return Err(not_finite(rows, width, row));
        }
        let (mut whole, mut measures) = (Vec::with_capacity(rows.len()), Vec::new());
        if width <= WIDEST {
            quantize_rows(rows, width, &own, processor, &mut whole, &mut measures);
        }
        let (positions, rows) = (positions.to_vec(), rows.to_vec());
        Ok(Self { positions, rows, squares: own, whole, measures })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Adds some rows of another piece.
    pub fn extend(&mut self, other: &Self, rows: Range<usize>, width: usize) {
        let numbers = rows.start * width..rows.end * width;
        self.positions.extend_from_slice(&other.positions[rows.clone()]);
        self.squares.extend_from_slice(&other.squares[rows.clone()]);
        self.rows.extend_from_slice(&other.rows[numbers.clone()]);
        if !other.measures.is_empty() {
            self.measures.extend_from_slice(&other.measures[rows]);
            self.whole.extend_from_slice(&other.whole[numbers]);
        }
    }

    /// Bytes that the rows take.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.positions)
            + size_of_val(&*self.rows)
            + size_of_val(&*self.squares)
            + size_of_val(&*self.whole)
            + size_of_val(&*self.measures)
    }
}
