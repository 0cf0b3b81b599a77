//! Which documents of a segment are gone, and what they took from the statistics.

use std::sync::Arc;

use super::segment::Segment;
use crate::{Error, Watch};

/// Terms whose counts are copied together when one of them changes.
const CHUNK: usize = 256;

/// What has been removed of one segment. A change makes a new value; readers keep the old one.
///
/// The counts of terms stand in chunks that old and new value share where nothing changed, so a
/// removal costs as much as its document is long, however large the vocabulary.
#[derive(Debug, Clone, Default)]
pub struct Removal {
    /// One bit for each document; empty while nothing is gone.
    bits: Vec<u64>,
    documents: usize,
    tokens: u64,
    postings: Vec<Option<Arc<[u32; CHUNK]>>>,
}

impl Removal {
    /// How many documents are gone.
    pub fn len(&self) -> usize {
        self.documents
    }

    /// How many tokens they had.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Whether a document is gone.
    #[inline]
    pub fn contains(&self, document: u32) -> bool {
        let word = self.bits.get(document as usize / 64);
        word.is_some_and(|word| word >> (document % 64) & 1 != 0)
    }

    /// How many postings of a term are gone.
    pub fn postings(&self, term: u32) -> usize {
        let chunk = self.postings.get(term as usize / CHUNK).and_then(Option::as_ref);
        chunk.map_or(0, |chunk| chunk[term as usize % CHUNK] as usize)
    }

    /// With these documents of the segment gone as well; gone ones are passed over.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn and(
        &self,
        segment: &Segment,
        documents: &[u32],
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let mut made = self.clone();
        made.bits.resize(segment.len().div_ceil(64), 0);
        made.postings.resize(segment.vocabulary().len().div_ceil(CHUNK), None);
        for (count, &document) in documents.iter().enumerate() {
            watch.check_at(count)?;
            if made.contains(document) {
                continue;
            }
            made.bits[document as usize / 64] |= 1 << (document % 64);
            made.documents += 1;
            made.tokens += u64::from(segment.length(document));
            for &term in segment.terms_of(document, watch)? {
                let chunk = &mut made.postings[term as usize / CHUNK];
                let chunk = chunk.get_or_insert_with(|| Arc::new([0; CHUNK]));
                Arc::make_mut(chunk)[term as usize % CHUNK] += 1;
            }
        }
        Ok(made)
    }
}
