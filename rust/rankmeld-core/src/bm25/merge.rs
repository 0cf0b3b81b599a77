//! Several segments as one, without what is gone.

use std::sync::Arc;

use super::index::{Part, Place};
use super::segment::{Lists, Segment};
use crate::text::Vocabulary;
use crate::{Error, Watch};

/// The new number of a document that is gone.
const GONE: u32 = u32::MAX;

/// The living documents of the parts in the order of their insertion, and where each stood.
pub(super) fn merged(parts: &[Part], watch: Watch<'_>) -> Result<(Part, Vec<Place>), Error> {
    let places = living(parts);
    let rank = |place: &Place| parts[place.part as usize].order[place.document as usize];
    let order: Vec<u64> = places.iter().map(rank).collect();
    let mut numbers: Vec<Vec<u32>> = parts.iter().map(|p| vec![GONE; p.segment.len()]).collect();
    let mut lengths = Vec::with_capacity(places.len());
    for (number, place) in places.iter().enumerate() {
        numbers[place.part as usize][place.document as usize] = number as u32;
        lengths.push(parts[place.part as usize].segment.length(place.document));
    }
    watch.check()?;
    let mut terms = Terms::of(parts);
    for (number, part) in parts.iter().enumerate() {
        terms.fill(part, number, &numbers[number], watch)?;
    }
    let segment = terms.segment(&lengths, watch)?;
    Ok((Part::new(Arc::new(segment), Arc::default(), order.into()), places))
}

/// The living documents by their rank of insertion.
fn living(parts: &[Part]) -> Vec<Place> {
    let mut places = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let lives = |document: &u32| !part.removal.contains(*document);
        let place = |document| Place { part: number as u32, document };
        places.extend((0..part.segment.len() as u32).filter(lives).map(place));
    }
    // Nearly always so already: only who replaced a document has an earlier rank in a later part.
    places.sort_by_key(|place| parts[place.part as usize].order[place.document as usize]);
    places
}

/// Terms of all parts, numbered anew, and their lists while these are filled.
struct Terms {
    vocabulary: Vocabulary,
    /// For each part the new number of each term, [`GONE`] if no living document holds it.
    numbers: Vec<Vec<u32>>,
    lists: Lists,
    /// Where the next posting of each term goes.
    next: Vec<usize>,
}

impl Terms {
    fn of(parts: &[Part]) -> Self {
        let mut vocabulary = Vocabulary::new();
        let mut counts: Vec<usize> = Vec::new();
        let mut numbers = Vec::with_capacity(parts.len());
        for part in parts {
            let known = part.segment.vocabulary();
            let number = |term: u32| {
                let count =
                    part.segment.postings(term).documents.len() - part.removal.postings(term);
                if count == 0 {
                    return GONE;
                }
                let number = vocabulary.intern(known.token(term));
                if number as usize == counts.len() {
                    counts.push(0);
                }
                counts[number as usize] += count;
                number
            };
            numbers.push((0..known.len() as u32).map(number).collect());
        }
        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut total = 0;
        starts.push(0);
        starts.extend(counts.iter().map(|count| {
            total += count;
            total
        }));
        Self {
            vocabulary,
            numbers,
            next: starts.clone(),
            lists: Lists { starts, documents: vec![0; total], frequencies: vec![0; total] },
        }
    }

    /// Takes over the living postings of one part.
    fn fill(
        &mut self,
        part: &Part,
        part_number: usize,
        documents: &[u32],
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        for (term, &number) in self.numbers[part_number].iter().enumerate() {
            watch.check_at(term)?;
            if number == GONE {
                continue;
            }
            let postings = part.segment.postings(term as u32);
            let next = &mut self.next[number as usize];
            for (at, &document) in postings.documents.iter().enumerate() {
                watch.check_at(at)?;
                let document = documents[document as usize];
                if document != GONE {
                    self.lists.documents[*next] = document;
                    self.lists.frequencies[*next] = postings.frequency(at);
                    *next += 1;
                }
            }
        }
        Ok(())
    }

    fn segment(mut self, lengths: &[u32], watch: Watch<'_>) -> Result<Segment, Error> {
        let Lists { starts, documents, frequencies } = &mut self.lists;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (term, list) in starts.windows(2).enumerate() {
            watch.check_at(term)?;
            let documents = &mut documents[list[0]..list[1]];
            let frequencies = &mut frequencies[list[0]..list[1]];
            if documents.is_sorted() {
                continue;
            }
            pairs.clear();
            pairs.extend(documents.iter().copied().zip(frequencies.iter().copied()));
            pairs.sort_unstable();
            for (slot, pair) in documents.iter_mut().zip(frequencies).zip(&pairs) {
                (*slot.0, *slot.1) = *pair;
            }
        }
        Ok(Segment::new(self.vocabulary, self.lists, lengths))
    }
}
