//! Documents that were indexed together: an inverted list for each term. Never changed once made.

use std::ops::Range;
use std::sync::OnceLock;

use super::members::Members;
use crate::text::Vocabulary;
use crate::{Error, Watch};

/// Postings in one block, which has a bound of its own.
pub const BLOCK: usize = 64;

/// From this frequency on, the byte beside a posting says only that the number is kept apart.
pub(super) const LARGE: u8 = u8::MAX;

/// What bounds the credit of every posting of a block, whatever the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The largest frequency.
    pub frequency: u32,
    /// The number of the smallest length, see [`Segment::lengths`].
    pub length: u32,
}

/// Immutable postings of some documents, which are numbered from 0.
///
/// A posting takes five bytes: the document, and the frequency in one byte (the few large ones
/// are kept apart). Lengths are numbered in ascending order, so that what depends on a length is looked
/// up in a short table.
#[derive(Debug)]
pub struct Segment {
    vocabulary: Vocabulary,
    /// Where the list of each term begins, and one more.
    starts: Vec<usize>,
    /// Where the blocks of each term begin, and one more.
    first_blocks: Vec<usize>,
    documents: Vec<u32>,
    frequencies: Vec<u8>,
    large: Vec<(usize, u32)>,
    blocks: Vec<Block>,
    /// The frequent terms, ascending, each with its documents as bits.
    frequent: Vec<(u32, Members)>,
    lengths: Vec<u32>,
    length_numbers: Vec<u32>,
    tokens: u64,
    forward: OnceLock<Forward>,
}

/// Inverted lists side by side: term by term, ascending documents.
#[derive(Debug, Default)]
pub struct Lists {
    /// Where the list of each term begins, and one more.
    pub starts: Vec<usize>,
    /// The documents.
    pub documents: Vec<u32>,
    /// How often each has the term, 1 or more.
    pub frequencies: Vec<u32>,
}

/// One inverted list.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'a> {
    /// Documents, ascending.
    pub documents: &'a [u32],
    frequencies: &'a [u8],
    /// Frequencies kept apart, by position in the segment.
    large: &'a [(usize, u32)],
    start: usize,
    /// Bounds, one for every [`BLOCK`] postings.
    pub blocks: &'a [Block],
    members: Option<&'a Members>,
}

impl Postings<'_> {
    /// The frequency at a position of the list.
    #[inline]
    pub fn frequency(&self, at: usize) -> u32 {
        let frequency = self.frequencies[at];
        if frequency == LARGE { self.large_frequency(at) } else { u32::from(frequency) }
    }

    /// The position of a document that is at `from` or behind it, or whether it is not there: then
    /// where it would stand at the earliest.
    #[inline]
    pub fn position(&self, document: u32, from: usize) -> Result<usize, usize> {
        if let Some(members) = self.members {
            return members.position(document).ok_or(from);
        }
        let documents = self.documents;
        let (mut low, mut step) = (from, 1);
        while low + step < documents.len() && documents[low + step] < document {
            low += step;
            step *= 2;
        }
        let high = documents.len().min(low + step + 1);
        let found = documents[low..high].binary_search(&document);
        found.map(|at| low + at).map_err(|at| low + at)
    }

    #[cold]
    fn large_frequency(&self, at: usize) -> u32 {
        let found = self.large.binary_search_by_key(&(self.start + at), |&(posting, _)| posting);
        found.map_or(u32::from(LARGE), |place| self.large[place].1)
    }
}

/// For each document the terms that it holds.
#[derive(Debug)]
struct Forward {
    starts: Vec<usize>,
    terms: Vec<u32>,
}

impl Segment {
    /// Puts a segment together; `lengths` says how many tokens each document has.
    ///
    /// The vocabulary has as many terms as there are lists.
    pub(super) fn new(vocabulary: Vocabulary, lists: Lists, lengths: &[u32]) -> Self {
        let mut distinct = lengths.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let number = |length: &u32| distinct.partition_point(|known| known < length) as u32;
        let length_numbers: Vec<u32> = lengths.iter().map(number).collect();
        let mut first_blocks = Vec::with_capacity(lists.starts.len());
        let mut frequent = Vec::new();
        let mut blocks = Vec::with_capacity(lists.starts.len() + lists.documents.len() / BLOCK);
        first_blocks.push(0);
        for (term, list) in (0..).zip(lists.starts.windows(2)) {
            let range = list[0]..list[1];
            let documents = &lists.documents[range.clone()];
            frequent.extend(Members::of(documents, lengths.len()).map(|members| (term, members)));
            let documents = documents.chunks(BLOCK);
            let frequencies = lists.frequencies[range].chunks(BLOCK);
            blocks.extend(documents.zip(frequencies).map(|(documents, frequencies)| Block {
                frequency: frequencies.iter().copied().max().unwrap_or(0),
                length: documents.iter().map(|&d| length_numbers[d as usize]).min().unwrap_or(0),
            }));
            first_blocks.push(blocks.len());
        }
        let large = |&(_, &frequency): &(usize, &u32)| frequency >= u32::from(LARGE);
        Self {
            vocabulary,
            first_blocks,
            blocks,
            frequent,
            large: lists
                .frequencies
                .iter()
                .enumerate()
                .filter(large)
                .map(|(p, &f)| (p, f))
                .collect(),
            frequencies: lists.frequencies.iter().map(|&f| f.min(u32::from(LARGE)) as u8).collect(),
            starts: lists.starts,
            documents: lists.documents,
            tokens: lengths.iter().map(|&length| u64::from(length)).sum(),
            lengths: distinct,
            length_numbers,
            forward: OnceLock::new(),
        }
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length_numbers.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length_numbers.is_empty()
    }

    /// The terms, numbered.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Tokens of all documents.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The lengths that documents have, ascending.
    pub(super) fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// For each document the number of its length.
    pub(super) fn length_numbers(&self) -> &[u32] {
        &self.length_numbers
    }

    /// Tokens of one document.
    pub(super) fn length(&self, document: u32) -> u32 {
        self.lengths[self.length_numbers[document as usize] as usize]
    }

    /// Documents and frequencies of all postings, and the frequencies kept apart.
    pub(super) fn columns(&self) -> (&[u32], &[u8], &[(usize, u32)]) {
        (&self.documents, &self.frequencies, &self.large)
    }

    fn range(&self, term: u32) -> Range<usize> {
        self.starts[term as usize]..self.starts[term as usize + 1]
    }

    /// The list of a term.
    pub(super) fn postings(&self, term: u32) -> Postings<'_> {
        let range = self.range(term);
        let blocks = self.first_blocks[term as usize]..self.first_blocks[term as usize + 1];
        Postings {
            documents: &self.documents[range.clone()],
            frequencies: &self.frequencies[range.clone()],
            large: &self.large,
            start: range.start,
            blocks: &self.blocks[blocks],
            members: self
                .frequent
                .binary_search_by_key(&term, |&(term, _)| term)
                .ok()
                .map(|place| &self.frequent[place].1),
        }
    }

    /// The terms of a document.
    ///
    /// The first call sorts all postings by document, in linear time: who never removes anything
    /// pays nothing for it.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub(super) fn terms_of(&self, document: u32, watch: Watch<'_>) -> Result<&[u32], Error> {
        let forward = if let Some(forward) = self.forward.get() {
            forward
        } else {
            let made = self.by_document(watch)?;
            self.forward.get_or_init(|| made)
        };
        let document = document as usize;
        Ok(&forward.terms[forward.starts[document]..forward.starts[document + 1]])
    }

    fn by_document(&self, watch: Watch<'_>) -> Result<Forward, Error> {
        let mut starts = vec![0; self.len() + 1];
        for (at, &document) in self.documents.iter().enumerate() {
            watch.check_at(at)?;
            starts[document as usize + 1] += 1;
        }
        for document in 0..self.len() {
            starts[document + 1] += starts[document];
        }
        let mut next = starts.clone();
        let mut terms = vec![0; self.documents.len()];
        for term in 0..self.vocabulary.len() as u32 {
            for at in self.range(term) {
                watch.check_at(at)?;
                let next = &mut next[self.documents[at] as usize];
                terms[*next] = term;
                *next += 1;
            }
        }
        Ok(Forward { starts, terms })
    }
}
