//! One document: tiles over its vectors, the largest similarities, and whether they can be trusted.

use std::ops::Range;

use super::best::{Best, Sum, Value};
use super::documents::Document;
use super::query::Query;
use super::source::{Source, squares};
use super::tile::{BLOCKS, Packed, ROWS, Sums, Tile};
use crate::{Error, Watch};

/// Asks a watch after so many multiplications, not after so many vectors: those may be few and long.
pub struct Pace<'a> {
    watch: Watch<'a>,
    every: usize,
    left: usize,
}

impl<'a> Pace<'a> {
    /// For a processor that does `every` multiplications in some hundredths of a second.
    pub fn new(watch: Watch<'a>, every: usize) -> Self {
        Self { watch, every, left: every }
    }

    /// Counts multiplications.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the work is to stop.
    #[inline(always)]
    pub fn count(&mut self, multiplications: usize) -> Result<(), Error> {
        if let Some(left) = self.left.checked_sub(multiplications) {
            self.left = left;
            return Ok(());
        }
        self.left = self.every;
        self.watch.check()
    }
}

/// What one kind of tile needs for its work, kept from document to document.
pub struct Workspace<T: Tile<Sum: Sum>> {
    best: Best<<T::Sum as Sum>::Value>,
    sums: Sums<T::Sum>,
    buffer: Vec<T::Element>,
}

impl<T: Tile<Sum: Sum>> Default for Workspace<T> {
    fn default() -> Self {
        Self { best: Best::default(), sums: Sums::default(), buffer: Vec::new() }
    }
}

impl<T: Tile<Sum: Sum>> Workspace<T> {
    /// Finds the largest similarities of one document, which has a vector that counts.
    ///
    /// Gives `None` where these numbers overflow, may have vanished, or are none: what to do about
    /// it is for the caller.
    #[inline(always)]
    pub fn reduce<const PLACES: bool>(
        &mut self,
        query: &Query,
        packed: &Packed<T::Lane, T::Sum>,
        document: &Document<'_>,
        source: &impl Source<T::Element>,
        normalize: bool,
        pace: &mut Pace<'_>,
    ) -> Result<Option<&Best<<T::Sum as Sum>::Value>>, Error> {
        let width = query.width();
        let blocks = query.blocks();
        self.best.begin(blocks);
        let mut factors = [<T::Sum as Sum>::Value::factor(1.0); ROWS];
        // Scales of one number are the same for every tile.
        let uniform = !normalize && document.vectors.has_one_scale();
        if uniform && !set_factors(&mut factors, document, 0..1, width, normalize) {
            return Ok(None);
        }
        factors = if uniform { [factors[0]; ROWS] } else { factors };
        for run in document.runs() {
            let mut next = run.start;
            while next < run.end {
                let rows = tile_of(next, &run);
                next = rows.end;
                if !uniform && !set_factors(&mut factors, document, rows.clone(), width, normalize)
                {
                    return Ok(None);
                }
                let elements = source.rows(rows.clone(), &mut self.buffer);
                for first in (0..blocks).step_by(BLOCKS) {
                    let some = BLOCKS.min(blocks - first);
                    T::multiply(elements, rows.len(), packed, (first, some), &mut self.sums);
                    for (block, sums) in (first..first + some).zip(&self.sums) {
                        let sums = &sums[..rows.len()];
                        self.best.take::<_, PLACES>(block, rows.start, sums, &factors);
                    }
                }
                pace.count(rows.len() * blocks * width * super::tile::LANES)?;
            }
        }
        if !self.best.is_sound() || self.has_vanished(query, document, width) {
            return Ok(None);
        }
        Ok(Some(&self.best))
    }

    /// Whether a similarity is near zero while some vector is so faint that its products vanish.
    #[inline(always)]
    fn has_vanished(&self, query: &Query, document: &Document<'_>, width: usize) -> bool {
        let (tiny, faint) = (<T::Sum as Sum>::Value::TINY, <T::Sum as Sum>::Value::FAINT);
        let suspicious = self.best.values().take(query.len()).any(|value| value.abs() < tiny);
        let vanishes = |query: f64| query * faint < <T::Sum as Sum>::Value::NORMAL;
        !T::Sum::ALWAYS_FINITE
            && suspicious
            && (vanishes(query.faintest()) || has_faint_vector(document, width, faint))
    }
}

fn has_faint_vector(document: &Document<'_>, width: usize, faint: f64) -> bool {
    document.runs().flatten().any(|row| {
        // Of nearly every vector the first element tells; only zeros and faint ones are read on.
        let first = document.vectors.element(row * width).abs();
        let largest = if first < faint { document.vectors.largest(row, width) } else { first };
        largest > 0.0 && largest < faint
    })
}

/// The rows that a tile takes next: as many as fit, and at the end the few that are left, together
/// with some that were taken before, as taking them twice changes nothing.
#[inline(always)]
fn tile_of(next: usize, run: &Range<usize>) -> Range<usize> {
    const SIZES: [usize; 5] = [1, 2, 4, 8, ROWS];
    let left = run.end - next;
    let overlapping = SIZES.into_iter().find(|&size| left <= size && size <= run.len());
    if let Some(size) = overlapping {
        return run.end - size..run.end;
    }
    let size = SIZES.into_iter().rfind(|&size| size <= left).unwrap_or(1);
    next..next + size
}

/// The scale of each row, or what makes it a unit vector; whether none is too large or too small.
#[inline(always)]
fn set_factors<V: Value>(
    factors: &mut [V; ROWS],
    document: &Document<'_>,
    rows: Range<usize>,
    width: usize,
    normalize: bool,
) -> bool {
    let mut sound = true;
    let first = rows.start;
    for row in rows {
        let scale = document.vectors.scale(row);
        let exact = if !normalize || scale == 0.0 {
            scale
        } else {
            let squares = squares(&document.vectors, row, width);
            if squares == 0.0 && !document.vectors.is_zero(row, width) {
                return false;
            }
            if squares == 0.0 { 0.0 } else { squares.sqrt().recip() }
        };
        // A length beyond the range of doubles would make a factor of zero.
        let none = exact == 0.0 && (scale == 0.0 || document.vectors.is_zero(row, width));
        sound &= none || V::FACTORS.contains(&exact);
        factors[row - first] = V::factor(exact);
    }
    sound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_every_row() {
        for start in 0..3 {
            for length in 1..60 {
                let run = start..start + length;
                let mut next = run.start;
                while next < run.end {
                    let rows = tile_of(next, &run);
                    assert!(rows.start >= run.start && rows.start <= next && rows.end > next);
                    assert!([1, 2, 4, 8, 12].contains(&rows.len()) && rows.end <= run.end);
                    next = rows.end;
                }
            }
        }
    }
}
