//! Cosines between vectors.

use std::borrow::Cow;
use std::ops::Range;

use super::Similarities;
use crate::cosine::{BLOCK, Element, cosine, not_finite};
use crate::products::{dots, squares};
use crate::{Error, Processor, Watch};

/// Cosines between the rows of a matrix, each computed when it is asked for.
pub struct Cosines<'a, T: Element> {
    rows: Cow<'a, [T]>,
    width: usize,
    squares: Vec<f64>,
    /// The rows of the picks, one after the other.
    picked: Vec<T>,
    picked_squares: Vec<f64>,
    dots: Vec<f64>,
    processor: Processor,
}

impl<'a, T: Element> Cosines<'a, T> {
    /// Of `rows`, each `width` numbers; a zero row is similar to none.
    ///
    /// # Errors
    /// [`Error::VectorNotFinite`] for the first row that is not, [`Error::Interrupted`] if the
    /// watch says so.
    pub fn new(
        rows: &'a [T],
        width: usize,
        processor: Processor,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let width = width.max(1);
        let (mut scaled, mut own) = (Vec::new(), Vec::with_capacity(rows.len() / width));
        for part in rows.chunks((BLOCK / width).max(1) * width) {
            if !own.is_empty() {
                watch.check()?;
            }
            let part = T::in_range(part, width);
            squares(&part, width, processor, &mut own);
            if let Cow::Owned(part) = part {
                scaled.reserve_exact(rows.len() - scaled.len());
                scaled.extend(part);
            }
        }
        let in_range = if scaled.is_empty() { Cow::Borrowed(rows) } else { Cow::Owned(scaled) };
        if let Some(bad) = own.iter().position(|squares| !squares.is_finite()) {
            return Err(not_finite(rows, width, bad));
        }
        Ok(Self {
            rows: in_range,
            width,
            squares: own,
            picked: Vec::new(),
            picked_squares: Vec::new(),
            dots: Vec::new(),
            processor,
        })
    }
}

impl<T: Element> Similarities for Cosines<'_, T> {
    fn pick(&mut self, candidate: usize) {
        let row = &self.rows[candidate * self.width..][..self.width];
        self.picked.extend_from_slice(row);
        self.picked_squares.push(self.squares[candidate]);
    }

    fn greatest(&mut self, candidate: usize, picks: Range<usize>) -> (usize, f64) {
        let row = &self.rows[candidate * self.width..][..self.width];
        let picked = &self.picked[picks.start * self.width..picks.end * self.width];
        self.dots.clear();
        dots(row, picked, self.processor, &mut self.dots);
        let mut greatest = (picks.start, f64::NEG_INFINITY);
        for ((number, &dot), &squares) in
            picks.clone().zip(&self.dots).zip(&self.picked_squares[picks])
        {
            let similarity = cosine(dot, self.squares[candidate], squares);
            if similarity > greatest.1 {
                greatest = (number, similarity);
            }
        }
        greatest
    }

    fn cost(&self) -> usize {
        self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cosine::scores;
    use crate::mmr::{Matrix, Request, Scale, mmr};
    use proptest::prelude::*;

    fn request(limit: usize) -> Request {
        Request { lambda: 0.6, limit, scale: Scale::MinMax }
    }

    proptest! {
        #[test]
        fn the_same_as_all_cosines_beforehand(
            (width, values) in (1..40_usize).prop_flat_map(|width| (
                Just(width),
                proptest::collection::vec(-3.0..3.0_f32, 0..=width * 9),
            )),
            limit in 0..10_usize,
        ) {
            let count = values.len() / width;
            let rows = &values[..count * width];
            let order: Vec<f64> = (0..count).map(|place| (place % 4) as f64).collect();
            let matrix: Vec<f64> = rows
                .chunks_exact(width)
                .flat_map(|row| {
                    let query: Vec<f64> = row.iter().map(|&value| f64::from(value)).collect();
                    scores(&query, rows, Processor::Portable, Watch::never()).expect("finite")
                })
                .collect();
            let mut all = Matrix::new(&matrix, count, Watch::never()).expect("finite");
            let expected = mmr(&order, &request(limit), &mut all, Watch::never());
            for &processor in Processor::available() {
                let mut cosines =
                    Cosines::new(rows, width, processor, Watch::never()).expect("finite");
                prop_assert_eq!(&mmr(&order, &request(limit), &mut cosines, Watch::never()), &expected);
            }
            let doubles: Vec<f64> = rows.iter().map(|&value| f64::from(value) * 1e-200).collect();
            let mut cosines =
                Cosines::new(&doubles, width, Processor::best(), Watch::never()).expect("finite");
            let picks = mmr(&order, &request(limit), &mut cosines, Watch::never());
            prop_assert_eq!(picks.map(|picks| picks.len()), expected.map(|picks| picks.len()));
        }
    }

    #[test]
    fn bad_rows_are_named_and_long_work_can_be_stopped() {
        let Err(Error::VectorNotFinite { row: 1, column: 1, .. }) =
            Cosines::new(&[1.0_f32, 2.0, 0.0, f32::NAN], 2, Processor::best(), Watch::never())
        else {
            panic!("a NaN went through")
        };
        let rows: Vec<f32> = (0..2_000_i16).map(f32::from).collect();
        let mut cosines =
            Cosines::new(&rows, 1, Processor::best(), Watch::never()).expect("finite");
        let scores = vec![1.0; rows.len()];
        let stop = Watch::new(&|| false);
        let stopped = mmr(&scores, &request(usize::MAX), &mut cosines, stop);
        assert_eq!(stopped, Err(Error::Interrupted));
    }
}
