//! What is known of a candidate while credits are added up.

use crate::exact_sum::Running;

/// A candidate's running sum, kept together so that an entry touches one cache line.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    /// The sum of its credits.
    pub sum: Running,
    /// The last list that held the candidate, plus one.
    pub seen: u32,
    /// How many counted lists hold it; the topmost bit is set once the sum lost something.
    pub count: u32,
}

impl Cell {
    const LOST: u32 = 1 << 31;

    /// Adds a credit, and notes if that loses something.
    #[inline]
    pub fn add(&mut self, credit: f64) {
        if !self.sum.add(credit) {
            self.count |= Self::LOST;
        }
    }

    /// Whether the sum is not the exact one any more.
    #[inline]
    pub fn lost(self) -> bool {
        self.count & Self::LOST != 0
    }

    /// Whether the score made of this sum is the exact one, rounded.
    #[inline]
    pub fn is_sure(self, score: f64) -> bool {
        !self.lost() & score.is_finite()
    }

    /// How many counted lists hold the candidate.
    #[inline]
    pub fn holders(self) -> u32 {
        self.count & !Self::LOST
    }
}
