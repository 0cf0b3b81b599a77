//! Many rows in pieces, shared between states of the table.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::piece::Piece;
use crate::{Error, Processor, Watch};

/// Numbers in a piece: what is copied for one row that changes, a fraction of a millisecond.
const NUMBERS_OF_A_PIECE: usize = 1 << 18;

/// Rows of a piece, however wide they are.
const ROWS_OF_A_PIECE: Range<usize> = 16..4096;

/// Vectors by position, in one state: a change makes another table, which shares with this one
/// every piece that it leaves as it is. So readers of a state keep it for as long as they like.
#[derive(Debug, Clone)]
pub struct Table {
    width: usize,
    pieces: Vec<Arc<Piece>>,
}

impl Table {
    /// Without rows.
    ///
    /// # Panics
    /// If the width is 0.
    #[must_use]
    pub fn new(width: usize) -> Self {
        assert!(width > 0, "rows without numbers cannot be counted");
        Self { width, pieces: Vec::new() }
    }

    /// Numbers of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bytes that the rows take, with all that is kept beside them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.bytes()).sum()
    }

    /// Bytes that the rows take besides those of another state, which shares pieces with this one.
    #[must_use]
    pub fn bytes_beside(&self, other: &Self) -> usize {
        let theirs: HashSet<_> = other.pieces.iter().map(Arc::as_ptr).collect();
        let own = self.pieces.iter().filter(|piece| !theirs.contains(&Arc::as_ptr(piece)));
        own.map(|piece| piece.bytes()).sum()
    }

    pub(super) fn pieces(&self) -> &[Arc<Piece>] {
        &self.pieces
    }

    /// The table with rows put in at their positions, in place of those that are there, and others
    /// taken out. Both lists of positions ascend; what is in both is put in.
    ///
    /// Copies the pieces that change and no others.
    ///
    /// # Errors
    /// [`Error::VectorNotFinite`] for NaN and infinities, [`Error::Interrupted`] if the watch says so.
    pub fn updated(
        &self,
        positions: &[i64],
        rows: &[f32],
        gone: &[i64],
        processor: Processor,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        debug_assert!(positions.is_sorted() && gone.is_sorted());
        debug_assert_eq!(rows.len(), positions.len() * self.width);
        let most =
            (NUMBERS_OF_A_PIECE / self.width).clamp(ROWS_OF_A_PIECE.start, ROWS_OF_A_PIECE.end);
        let new = Piece::new(positions, rows, self.width, processor)?;
        let mut next = Self::new(self.width);
        let (mut put, mut out) = (0, 0);
        let empty = Arc::default();
        let count = self.pieces.len().max(1);
        for index in 0..count {
            watch.check_at(index * most)?;
            let piece = self.pieces.get(index).unwrap_or(&empty);
            // A piece takes in what belongs before the next one, the last one all the rest.
            let end = self.pieces.get(index + 1).and_then(|next| next.positions.first());
            let until = |all: &[i64], from: usize| {
                from + end.map_or(all.len() - from, |end| all[from..].partition_point(|p| p < end))
            };
            let (puts, outs) = (put..until(positions, put), out..until(gone, out));
            (put, out) = (puts.end, outs.end);
            let is_here = |position: &i64| piece.positions.binary_search(position).is_ok();
            if puts.is_empty() && !gone[outs.clone()].iter().any(is_here) {
                next.pieces.push(Arc::clone(piece));
            } else {
                next.push(merged(piece, &new, puts, &gone[outs], self.width), most);
            }
        }
        next.pieces.retain(|piece| piece.len() > 0);
        Ok(next)
    }

    /// Adds a piece at the end: in parts if it is long, to the one before if both are short.
    fn push(&mut self, piece: Piece, most: usize) {
        if let Some(last) = self.pieces.last_mut()
            && last.len() + piece.len() <= most / 2
        {
            Arc::make_mut(last).extend(&piece, 0..piece.len(), self.width);
            return;
        }
        if piece.len() <= most {
            self.pieces.push(Arc::new(piece));
            return;
        }
        for start in (0..piece.len()).step_by(most) {
            let mut part = Piece::default();
            part.extend(&piece, start..piece.len().min(start + most), self.width);
            self.pieces.push(Arc::new(part));
        }
    }
}

/// A piece with some of the new rows, and without those that are gone.
fn merged(old: &Piece, new: &Piece, puts: Range<usize>, gone: &[i64], width: usize) -> Piece {
    let mut merged = Piece::default();
    let (mut from, mut gone) = (0, gone.iter().peekable());
    let mut keep_until = |merged: &mut Piece, position: i64| {
        let at = from + old.positions[from..].partition_point(|&other| other < position);
        merged.extend(old, from..at, width);
        from = at + usize::from(old.positions.get(at) == Some(&position));
    };
    for put in puts {
        let position = new.positions[put];
        while let Some(&position) = gone.next_if(|&&other| other < position) {
            keep_until(&mut merged, position);
        }
        keep_until(&mut merged, position);
        merged.extend(new, put..put + 1, width);
    }
    for &position in gone {
        keep_until(&mut merged, position);
    }
    merged.extend(old, from..old.len(), width);
    merged
}
