//! Which rows of a table a search is about.

use std::ops::Range;

use super::piece::Piece;
use super::table::Table;

/// The rows that are searched.
#[derive(Debug, Clone, Copy)]
pub enum Subset<'a> {
    /// All of them.
    All,
    /// Those at these positions, which ascend; there need not be rows at all of them.
    Positions(&'a [i64]),
}

/// Rows of a table, numbered from 0 in the order of their positions.
pub struct Selection<'a> {
    /// Pieces with rows in it.
    pub shares: Vec<Share<'a>>,
    /// Rows by their numbers in their pieces, where a piece has others as well.
    picked: Vec<u32>,
}

/// What a piece has in a selection.
pub struct Share<'a> {
    /// The piece.
    pub piece: &'a Piece,
    /// How many rows of the selection come before.
    pub before: usize,
    /// Its rows among those that are picked; `None`: all that it has.
    picked: Option<Range<usize>>,
}

impl<'a> Selection<'a> {
    /// The rows of a table that are in a subset.
    pub fn of(table: &'a Table, subset: Subset<'_>) -> Self {
        let mut selection = Self { shares: Vec::new(), picked: Vec::new() };
        let mut wanted = match subset {
            Subset::All => None,
            Subset::Positions(positions) => Some(positions),
        };
        let mut before = 0;
        for piece in table.pieces() {
            let picked = wanted.as_mut().map(|wanted| {
                let start = selection.picked.len();
                pick(&piece.positions, wanted, &mut selection.picked);
                start..selection.picked.len()
            });
            let share = Share { piece, before, picked };
            before += share.len();
            selection.shares.push(share);
        }
        selection
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.shares.last().map_or(0, |share| share.before + share.len())
    }

    /// The rows of a share by their numbers in the piece; `None`: all.
    pub fn picked(&self, share: &Share<'_>) -> Option<&[u32]> {
        share.picked.clone().map(|picked| &self.picked[picked])
    }

    /// The piece of a row, and its number there.
    pub fn find(&self, row: usize) -> (&'a Piece, usize) {
        // The last one that begins at or before it: the ones without rows begin where others do.
        let share = self.shares.partition_point(|share| share.before <= row) - 1;
        let share = &self.shares[share];
        let place = row - share.before;
        (share.piece, self.picked(share).map_or(place, |picked| picked[place] as usize))
    }
}

impl Share<'_> {
    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.picked.as_ref().map_or(self.piece.len(), ExactSizeIterator::len)
    }
}

/// Adds the numbers of the rows at wanted positions; leaves those of wanted that are behind them.
fn pick(positions: &[i64], wanted: &mut &[i64], picked: &mut Vec<u32>) {
    let Some(last) = positions.last() else { return };
    let (here, later) = wanted.split_at(wanted.partition_point(|position| position <= last));
    *wanted = later;
    let mut row = 0;
    for position in here {
        row += lead(&positions[row..], *position);
        if positions[row] == *position {
            picked.push(row as u32);
        }
    }
}

/// How many positions are below this one: few as a rule, so the search begins at the start.
fn lead(positions: &[i64], position: i64) -> usize {
    let mut reach = 1;
    while positions.get(reach - 1).is_some_and(|&other| other < position) {
        reach *= 2;
    }
    let from = reach / 2;
    let until = reach.min(positions.len());
    from + positions[from..until].partition_point(|&other| other < position)
}
