//! A snapshot as bytes: one segment of the living documents, and back.
//!
//! Little endian: how many documents, terms, postings and large frequencies there are (u64 each);
//! the length of each document (u32); the length of each token in bytes (u32), and the tokens; the
//! length of each list (u32); the documents (u32) and frequencies (u8) of all postings; the large
//! frequencies as positions (u64) and numbers (u32). Checksums are the container's.

use std::sync::Arc;

use super::formula::Parameters;
use super::index::{Place, Snapshot};
use super::segment::{LARGE, Lists, Segment};
use crate::text::Vocabulary;
use crate::{Error, Watch};

impl Snapshot {
    /// The living documents in the order of insertion as bytes, and where each stands.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn to_bytes(&self, watch: Watch<'_>) -> Result<(Vec<u8>, Vec<Place>), Error> {
        let (merged, places) = self.merged(0, watch)?;
        let empty =
            Segment::new(Vocabulary::new(), Lists { starts: vec![0], ..Lists::default() }, &[]);
        let segment = merged.parts().first().map_or(&empty, |part| &part.segment);
        Ok((written(segment), places))
    }

    /// The snapshot that gave these bytes.
    ///
    /// # Errors
    /// [`Error::Damaged`] for others.
    pub fn from_bytes(parameters: Parameters, bytes: &[u8]) -> Result<Self, Error> {
        let segment = read(Reader(bytes))?;
        let empty = Self::empty(parameters);
        if segment.is_empty() {
            return Ok(empty);
        }
        let order = (0..segment.len() as u64).collect();
        Ok(empty.with(Arc::new(segment), order, Watch::never())?.0)
    }
}

fn written(segment: &Segment) -> Vec<u8> {
    let vocabulary = segment.vocabulary();
    let terms = 0..vocabulary.len() as u32;
    let (documents, frequencies, large) = segment.columns();
    let mut bytes = Vec::with_capacity(documents.len() * 5 + segment.len() * 4 + terms.len() * 20);
    let counts = [segment.len(), terms.len(), documents.len(), large.len()];
    put(&mut bytes, counts.into_iter().map(|count| (count as u64).to_le_bytes()));
    put(&mut bytes, (0..segment.len() as u32).map(|d| segment.length(d).to_le_bytes()));
    let length = |term| (vocabulary.token(term).len() as u32).to_le_bytes();
    put(&mut bytes, terms.clone().map(length));
    for term in terms.clone() {
        bytes.extend_from_slice(vocabulary.token(term).as_bytes());
    }
    let length = |term| (segment.postings(term).documents.len() as u32).to_le_bytes();
    put(&mut bytes, terms.map(length));
    put(&mut bytes, documents.iter().map(|document| document.to_le_bytes()));
    bytes.extend_from_slice(frequencies);
    for &(posting, frequency) in large {
        bytes.extend_from_slice(&(posting as u64).to_le_bytes());
        bytes.extend_from_slice(&frequency.to_le_bytes());
    }
    bytes
}

fn put<const N: usize>(bytes: &mut Vec<u8>, numbers: impl Iterator<Item = [u8; N]>) {
    bytes.extend(numbers.flatten());
}

fn read(mut reader: Reader<'_>) -> Result<Segment, Error> {
    let [documents, terms, postings, large] =
        [reader.count()?, reader.count()?, reader.count()?, reader.count()?];
    let lengths = reader.numbers(documents)?;
    let vocabulary = reader.vocabulary(terms)?;
    let mut starts = vec![0];
    for length in reader.numbers(terms)? {
        starts.push(starts[starts.len() - 1] + length as usize);
    }
    let lists = Lists {
        documents: reader.numbers(postings)?,
        frequencies: reader.frequencies(postings, large)?,
        starts,
    };
    if !reader.0.is_empty() {
        return Err(Error::Damaged("there is more than the counts say"));
    }
    check(&lists, &lengths)?;
    Ok(Segment::new(vocabulary, lists, &lengths))
}

/// Refuses lists that no documents of these lengths have: searches rely on it.
fn check(lists: &Lists, lengths: &[u32]) -> Result<(), Error> {
    if lists.starts[lists.starts.len() - 1] != lists.documents.len() {
        return Err(Error::Damaged("the lists have another number of postings than there are"));
    }
    let mut tokens = vec![0_u64; lengths.len()];
    for list in lists.starts.windows(2) {
        let documents = &lists.documents[list[0]..list[1]];
        if documents.is_empty() || !documents.is_sorted_by(|a, b| a < b) {
            return Err(Error::Damaged("a list is empty or not in order"));
        }
    }
    for (&document, &frequency) in lists.documents.iter().zip(&lists.frequencies) {
        match tokens.get_mut(document as usize) {
            Some(count) if frequency > 0 => *count += u64::from(frequency),
            _ => return Err(Error::Damaged("a posting is of no document")),
        }
    }
    if tokens.iter().zip(lengths).any(|(&tokens, &length)| tokens != u64::from(length)) {
        return Err(Error::Damaged("a document has another length than its terms say"));
    }
    Ok(())
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) =
            self.0.split_at_checked(bytes).ok_or(Error::Damaged("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn count(&mut self) -> Result<usize, Error> {
        let (numbers, _) = self.take(8)?.as_chunks();
        let count = numbers.first().map_or(0, |&bytes| u64::from_le_bytes(bytes));
        // No column is longer than the bytes that are left, so sizes below cannot overflow.
        usize::try_from(count)
            .ok()
            .filter(|&count| count <= self.0.len())
            .ok_or(Error::Damaged("a count is too large"))
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u32>, Error> {
        let (numbers, _) = self.take(count.saturating_mul(4))?.as_chunks();
        Ok(numbers.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect())
    }

    fn vocabulary(&mut self, terms: usize) -> Result<Vocabulary, Error> {
        let mut vocabulary = Vocabulary::new();
        for (number, length) in (0..).zip(self.numbers(terms)?) {
            let token = std::str::from_utf8(self.take(length as usize)?)
                .map_err(|_| Error::Damaged("a token is no text"))?;
            if vocabulary.intern(token) != number {
                return Err(Error::Damaged("a token stands there twice"));
            }
        }
        Ok(vocabulary)
    }

    fn frequencies(&mut self, postings: usize, large: usize) -> Result<Vec<u32>, Error> {
        let small = self.take(postings)?;
        let mut frequencies: Vec<u32> = small.iter().map(|&small| u32::from(small)).collect();
        let (entries, _) = self.take(large.saturating_mul(12))?.as_chunks::<12>();
        for entry in entries {
            let ([posting, ..], rest) = entry.as_chunks::<8>() else { continue };
            let frequency =
                rest.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
            let posting = usize::try_from(u64::from_le_bytes(*posting)).unwrap_or(usize::MAX);
            match (small.get(posting), frequencies.get_mut(posting)) {
                (Some(&LARGE), Some(slot)) if frequency >= u32::from(LARGE) => *slot = frequency,
                _ => return Err(Error::Damaged("a large frequency is of no posting")),
            }
        }
        Ok(frequencies)
    }
}
