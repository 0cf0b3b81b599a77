//! The columns of a run.

use std::ops::Range;

/// Rankings of many queries, one behind the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Columns {
    /// Where each query's hits begin; the last entry is where the last query's end.
    pub offsets: Vec<usize>,
    /// For each hit the code of its document.
    pub codes: Vec<u32>,
    /// For each hit its score.
    pub scores: Vec<f64>,
}

impl Columns {
    /// How many queries there are.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Where the hits of a query lie.
    ///
    /// # Panics
    /// For a query that there is not.
    #[must_use]
    pub fn hits(&self, query: usize) -> Range<usize> {
        self.offsets[query]..self.offsets[query + 1]
    }
}

/// The columns of a run where they lie elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// As [`Columns::offsets`].
    pub offsets: &'a [i64],
    /// As [`Columns::codes`].
    pub codes: &'a [u32],
    /// As [`Columns::scores`].
    pub scores: &'a [f64],
}

impl View<'_> {
    /// How many queries there are.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Where the hits of a query lie.
    ///
    /// # Panics
    /// For a query that there is not.
    #[must_use]
    pub fn hits(&self, query: usize) -> Range<usize> {
        let bound = |at: usize| self.offsets[at].cast_unsigned() as usize;
        bound(query)..bound(query + 1)
    }
}
