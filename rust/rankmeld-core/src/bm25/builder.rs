//! Making a segment: tokens come in document by document, lists go out term by term.

use super::segment::{Lists, Segment};
use crate::text::{Stemmer, TokenBuffer, Vocabulary};
use crate::{Error, Watch};

/// Bytes of text between two questions to the watch: some milliseconds of work.
const BYTES_BETWEEN_CHECKS: usize = 1 << 17;

/// No entry yet for this term.
const NONE: usize = usize::MAX;

/// Collects documents for one segment.
#[derive(Debug, Default)]
pub struct Builder {
    vocabulary: Vocabulary,
    /// For each term where its latest entry stands.
    latest: Vec<usize>,
    /// Entries of all documents, one for each distinct term of a document.
    terms: Vec<u32>,
    frequencies: Vec<u32>,
    /// Where the entries of each document end.
    ends: Vec<usize>,
    lengths: Vec<u32>,
}

impl Builder {
    /// For a segment without documents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many documents were collected.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Collects one document for each text.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn push_texts(
        &mut self,
        texts: &[&str],
        stemmer: &Stemmer,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let mut buffer = TokenBuffer::new();
        let mut numbers = Vec::new();
        let mut bytes = 0;
        for text in texts {
            bytes += text.len();
            if bytes >= BYTES_BETWEEN_CHECKS {
                watch.check()?;
                bytes = 0;
            }
            buffer.bm25_tokenize_watched(text, stemmer, watch)?;
            numbers.clear();
            self.vocabulary.intern_all(&buffer, &mut numbers, watch)?;
            self.push(numbers.iter().copied());
        }
        Ok(())
    }

    /// Collects one document of these tokens.
    pub fn push_tokens<'a>(&mut self, tokens: impl Iterator<Item = &'a str>) {
        let numbers: Vec<u32> = tokens.map(|token| self.vocabulary.intern(token)).collect();
        self.push(numbers.into_iter());
    }

    /// Collects one document of tokens that the vocabulary has.
    fn push(&mut self, tokens: impl ExactSizeIterator<Item = u32>) {
        self.latest.resize(self.vocabulary.len(), NONE);
        self.lengths.push(tokens.len() as u32);
        let start = self.terms.len();
        for term in tokens {
            let latest = &mut self.latest[term as usize];
            if *latest != NONE && *latest >= start {
                self.frequencies[*latest] += 1;
            } else {
                *latest = self.terms.len();
                self.terms.push(term);
                self.frequencies.push(1);
            }
        }
        self.ends.push(self.terms.len());
    }

    /// The segment of what was collected.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn finish(self, watch: Watch<'_>) -> Result<Segment, Error> {
        let mut starts = vec![0; self.vocabulary.len() + 1];
        for &term in &self.terms {
            starts[term as usize + 1] += 1;
        }
        for term in 0..self.vocabulary.len() {
            starts[term + 1] += starts[term];
        }
        let mut next = starts.clone();
        let mut documents = vec![0; self.terms.len()];
        let mut frequencies = vec![0; self.terms.len()];
        let mut from = 0;
        for (document, &end) in self.ends.iter().enumerate() {
            for entry in from..end {
                watch.check_at(entry)?;
                let place = &mut next[self.terms[entry] as usize];
                documents[*place] = document as u32;
                frequencies[*place] = self.frequencies[entry];
                *place += 1;
            }
            from = end;
        }
        let lists = Lists { starts, documents, frequencies };
        Ok(Segment::new(self.vocabulary, lists, &self.lengths))
    }
}
