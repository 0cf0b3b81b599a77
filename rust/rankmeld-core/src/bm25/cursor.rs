//! Walking along the list of one term, window by window or from document to document.

use std::ops::Range;

use super::formula::credit;
use super::segment::{BLOCK, Block, Postings, Segment};

/// Documents whose scores are summed side by side; their sums stay in the nearest cache.
pub(super) const WINDOW: usize = 2048;

/// A bound is a credit of numbers that no posting exceeds; both are rounded, so it gets a little more.
const ROUNDED: f64 = 1.0 + 4.0 * f64::EPSILON;

/// Sums of the documents of a window, and which of them were touched.
pub(super) struct Room {
    pub sums: [f64; WINDOW],
    pub touched: [u64; WINDOW / 64],
}

impl Room {
    pub fn new() -> Box<Self> {
        Box::new(Self { sums: [0.0; WINDOW], touched: [0; WINDOW / 64] })
    }
}

/// What credits in one segment are computed from.
#[derive(Clone, Copy)]
pub(super) struct Lengths<'a> {
    numbers: &'a [u32],
    norms: &'a [f64],
}

impl<'a> Lengths<'a> {
    pub fn new(segment: &'a Segment, norms: &'a [f64]) -> Self {
        Self { numbers: segment.length_numbers(), norms }
    }

    #[inline]
    fn norm(&self, document: u32) -> f64 {
        self.norms[self.numbers[document as usize] as usize]
    }

    fn bound(&self, weight: f64, block: Block) -> f64 {
        let norm = self.norms[block.length as usize];
        credit(weight, f64::from(block.frequency), norm) * ROUNDED
    }
}

/// A position in the list of a term.
pub(super) struct Cursor<'a> {
    postings: Postings<'a>,
    lengths: Lengths<'a>,
    weight: f64,
    /// No credit of the list exceeds it.
    pub bound: f64,
    at: usize,
    /// Where the window added last begins.
    from: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(postings: Postings<'a>, lengths: Lengths<'a>, weight: f64) -> Self {
        let bounds = postings.blocks.iter().map(|&block| lengths.bound(weight, block));
        let bound = bounds.fold(0.0, f64::max);
        Self { postings, lengths, weight, bound, at: 0, from: 0 }
    }

    /// The next document of the list.
    #[inline]
    pub fn document(&self) -> Option<u32> {
        self.postings.documents.get(self.at).copied()
    }

    /// Adds the credits of a window's documents, passing over blocks that cannot reach `needed`.
    ///
    /// Gives how many postings were passed.
    pub fn add(&mut self, window: Range<u32>, needed: f64, room: &mut Room) -> usize {
        self.from = self.at;
        let documents = self.postings.documents;
        while self.document().is_some_and(|document| document < window.end) {
            let block = self.at / BLOCK;
            let end = documents.len().min((block + 1) * BLOCK);
            let skip = needed > 0.0
                && self.lengths.bound(self.weight, self.postings.blocks[block]) < needed;
            let inside = |&document: &u32| document < window.end;
            let stop = if documents[end - 1] < window.end {
                end
            } else {
                self.at + documents[self.at..end].partition_point(inside)
            };
            if !skip {
                for (at, &document) in (self.at..).zip(&documents[self.at..stop]) {
                    let place = (document - window.start) as usize % WINDOW;
                    room.sums[place] += self.credit(at, document);
                    room.touched[place / 64] |= 1 << (place % 64);
                }
            }
            self.at = stop;
        }
        self.at - self.from
    }

    #[inline]
    fn credit(&self, at: usize, document: u32) -> f64 {
        let frequency = f64::from(self.postings.frequency(at));
        credit(self.weight, frequency, self.lengths.norm(document))
    }

    /// The credit of a document in the window added last; 0 if the term does not occur.
    pub fn look_back(&self, document: u32) -> f64 {
        let found = self.postings.position(document, self.from);
        found.map_or(0.0, |at| self.credit(at, document))
    }

    /// Goes on to a document, which lies ahead, and gives its credit; 0 if the term does not occur.
    pub fn look_up(&mut self, document: u32) -> f64 {
        match self.postings.position(document, self.at) {
            Ok(at) => {
                self.at = at;
                self.credit(at, document)
            }
            Err(at) => {
                self.at = at;
                0.0
            }
        }
    }
}
