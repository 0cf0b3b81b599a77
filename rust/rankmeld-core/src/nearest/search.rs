//! The nearest rows: where every cosine lies, and the cosines of those that may be among the best.

use std::collections::BinaryHeap;
use std::ops::Range;

use super::bytes::QuantizedQuery;
use super::estimate::{Estimate, estimates};
use super::piece::Piece;
use super::selection::{Selection, Subset};
use super::table::Table;
use crate::cosine::{Element, cosine};
use crate::order::{self, descending_key};
use crate::products::{dots, squares};
use crate::{Error, Processor, Watch, parallel};

/// Fewer numbers than this are multiplied at once: it takes some microseconds.
const WORTH_ESTIMATING: usize = 1 << 16;

/// An estimate pays while the limit is below one in this many rows.
const ROWS_FOR_EACH: usize = 8;

/// Numbers that are multiplied between two questions whether to go on: some milliseconds. To ask is
/// to wait for the interpreter, which other threads may have.
const BETWEEN_QUESTIONS: usize = if cfg!(test) { 1 << 18 } else { 1 << 26 };

/// How a search goes.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How many rows are wanted at the most.
    pub limit: usize,
    /// Threads that share the work.
    pub threads: usize,
    /// Instructions to be used.
    pub processor: Processor,
}

impl Table {
    /// Positions and cosines of the rows nearest to a query as wide as they are, best first, equal
    /// cosines by position. The same bits as if the cosine of every row were taken.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    ///
    /// # Panics
    /// If the query has another width.
    pub fn nearest(
        &self,
        query: &[f64],
        subset: Subset<'_>,
        options: Options,
        watch: Watch<'_>,
    ) -> Result<(Vec<i64>, Vec<f64>), Error> {
        assert_eq!(query.len(), self.width(), "the query has another width");
        let query = f64::in_range(query, query.len());
        let mut own = Vec::with_capacity(1);
        squares(&query, query.len(), options.processor, &mut own);
        let selection = &Selection::of(self, subset);
        Search { query: &query, own: own[0], selection, options, watch }.run()
    }
}

/// A row that may be among the best, and where its cosine lies.
type Candidate = (u32, Estimate);

struct Search<'a> {
    query: &'a [f64],
    own: f64,
    selection: &'a Selection<'a>,
    options: Options,
    watch: Watch<'a>,
}

impl Search<'_> {
    fn run(&self) -> Result<(Vec<i64>, Vec<f64>), Error> {
        let count = self.selection.len();
        let limit = self.options.limit.min(count);
        let (rows, scores) = if let Some(query) = self.quantized(count, limit) {
            let rows = self.reaching(&self.candidates(&query, limit)?, limit)?;
            let scores = self.cosines(&rows)?;
            (Some(rows), scores)
        } else {
            (None, self.every_cosine()?)
        };
        let best = order::top(&scores, limit, self.watch)?;
        let position = |&place: &u32| {
            let place = place as usize;
            let (piece, row) =
                self.selection.find(rows.as_ref().map_or(place, |rows| rows[place] as usize));
            piece.positions[row]
        };
        let score = |&place: &u32| scores[place as usize];
        Ok((best.iter().map(position).collect(), best.iter().map(score).collect()))
    }

    /// The query in whole numbers, if estimates pay.
    fn quantized(&self, count: usize, limit: usize) -> Option<QuantizedQuery> {
        let pays = limit < count / ROWS_FOR_EACH
            && limit > 0
            && count * self.query.len() >= WORTH_ESTIMATING;
        if pays { QuantizedQuery::of(self.query, self.own, self.options.processor) } else { None }
    }

    /// Rows that may be among the best, in order.
    fn candidates(&self, query: &QuantizedQuery, limit: usize) -> Result<Vec<Candidate>, Error> {
        let shares = &self.selection.shares;
        let work = |part: Range<usize>, watch: Watch<'_>| {
            let (mut candidates, mut floor) = (Vec::new(), Floor::new(limit));
            let (mut out, mut multiplied) = (Vec::new(), 0);
            for share in &shares[part] {
                if multiplied >= BETWEEN_QUESTIONS {
                    watch.check()?;
                    multiplied = 0;
                }
                multiplied += share.len() * self.query.len();
                let picked = self.selection.picked(share);
                estimates(query, share.piece, picked, self.options.processor, &mut out);
                for (row, &estimate) in (share.before as u32..).zip(&out) {
                    if estimate.middle + estimate.error >= floor.height {
                        candidates.push((row, estimate));
                        floor.raise(estimate.middle - estimate.error);
                    }
                }
            }
            Ok(candidates)
        };
        let parts = parallel::in_parts(shares.len(), self.options.threads, self.watch, work)?;
        Ok(parts.concat())
    }

    /// Those of the candidates that still may be, once the cosines of the likeliest are known.
    fn reaching(&self, candidates: &[Candidate], limit: usize) -> Result<Vec<u32>, Error> {
        let middles: Vec<f64> = candidates.iter().map(|(_, estimate)| estimate.middle).collect();
        let likeliest = order::top(&middles, limit, self.watch)?;
        let rows: Vec<u32> = likeliest.iter().map(|&place| candidates[place as usize].0).collect();
        // So many rows have at least this cosine: one that stays below for sure is not wanted.
        let least = self.cosines(&rows)?.into_iter().fold(f64::INFINITY, f64::min);
        let reaches = |estimate: &Estimate| estimate.middle + estimate.error >= least;
        Ok(candidates
            .iter()
            .filter(|(_, estimate)| reaches(estimate))
            .map(|(row, _)| *row)
            .collect())
    }

    /// The cosine of each of these rows, which are few.
    fn cosines(&self, rows: &[u32]) -> Result<Vec<f64>, Error> {
        let mut scores = Vec::with_capacity(rows.len());
        let between = (BETWEEN_QUESTIONS / self.query.len()).max(1);
        for some in rows.chunks(between) {
            if !scores.is_empty() {
                self.watch.check()?;
            }
            for &row in some {
                let (piece, row) = self.selection.find(row as usize);
                self.add_cosines(piece, row..row + 1, &mut scores);
            }
        }
        Ok(scores)
    }

    /// The cosine of each row.
    fn every_cosine(&self) -> Result<Vec<f64>, Error> {
        let shares = &self.selection.shares;
        let work = |part: Range<usize>, watch: Watch<'_>| {
            let (mut scores, mut asked) = (Vec::new(), 0);
            for share in &shares[part] {
                if (scores.len() - asked) * self.query.len() >= BETWEEN_QUESTIONS {
                    watch.check()?;
                    asked = scores.len();
                }
                match self.selection.picked(share) {
                    None => self.add_cosines(share.piece, 0..share.len(), &mut scores),
                    Some(picked) => picked.iter().for_each(|&row| {
                        let row = row as usize;
                        self.add_cosines(share.piece, row..row + 1, &mut scores);
                    }),
                }
            }
            Ok(scores)
        };
        Ok(parallel::in_parts(shares.len(), self.options.threads, self.watch, work)?.concat())
    }

    fn add_cosines(&self, piece: &Piece, rows: Range<usize>, scores: &mut Vec<f64>) {
        let (start, width) = (scores.len(), self.query.len());
        let numbers = &piece.rows[rows.start * width..rows.end * width];
        dots(self.query, numbers, self.options.processor, scores);
        for (score, own) in scores[start..].iter_mut().zip(&piece.squares[rows]) {
            *score = cosine(*score, self.own, *own);
        }
    }
}

/// What so many of the rows that were seen reach for sure.
struct Floor {
    limit: usize,
    lows: BinaryHeap<u64>,
    height: f64,
}

impl Floor {
    fn new(limit: usize) -> Self {
        Self { limit, lows: BinaryHeap::with_capacity(limit), height: f64::NEG_INFINITY }
    }

    /// Another row, and what it reaches at the least.
    fn raise(&mut self, low: f64) {
        let key = descending_key(low);
        if self.lows.len() < self.limit {
            self.lows.push(key);
        } else if let Some(mut worst) = self.lows.peek_mut()
            && key < *worst
        {
            *worst = key;
        } else {
            return;
        }
        if self.lows.len() == self.limit
            && let Some(&worst) = self.lows.peek()
        {
            self.height = order::score_of(worst);
        }
    }
}
