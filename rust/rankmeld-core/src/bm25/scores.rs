//! BM25 within a few texts, or of a few texts over the statistics of a collection.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::formula::{Formula, Parameters, Statistics, credit};
use crate::text::{Stemmer, TokenBuffer};
use crate::{Error, Watch};

/// Bytes of text between two questions to the watch: some milliseconds of work.
const BYTES_BETWEEN_CHECKS: usize = 1 << 17;

/// The statistics of a collection, in place of those of the texts themselves.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// Documents and their average length.
    pub statistics: Statistics,
    /// For each distinct token of the query, in first-seen order, how many documents hold it.
    pub holding: &'a [u64],
}

/// How scores are computed.
#[derive(Debug, Clone, Copy)]
pub struct Scoring<'a> {
    /// k1 and b.
    pub parameters: Parameters,
    /// The statistics; `None`: those of the texts.
    pub given: Option<Given<'a>>,
    /// Whether the largest score becomes 1.
    pub normalized: bool,
}

/// The score of each text for the distinct tokens of a query.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn scores(
    query: &[&str],
    texts: &[&str],
    stemmer: &Stemmer,
    scoring: Scoring<'_>,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let mut counts = Counts::of(query);
    let mut buffer = TokenBuffer::new();
    let mut bytes = 0;
    for text in texts {
        bytes += text.len();
        if bytes >= BYTES_BETWEEN_CHECKS {
            watch.check()?;
            bytes = 0;
        }
        buffer.bm25_tokenize_watched(text, stemmer, watch)?;
        counts.push(buffer.iter());
    }
    Ok(counts.scores(scoring))
}

/// The same for documents that are tokens already.
#[must_use]
pub fn scores_of_tokens(query: &[&str], documents: &[Vec<&str>], scoring: Scoring<'_>) -> Vec<f64> {
    let mut counts = Counts::of(query);
    for document in documents {
        counts.push(document.iter().copied());
    }
    counts.scores(scoring)
}

/// How often the terms of a query occur; what else the documents hold is only counted.
struct Counts<'a> {
    terms: HashMap<&'a str, u32, RandomState>,
    /// For each first byte the lengths that terms have, as bits: most tokens are no term, and this
    /// tells without a look into the table.
    shapes: [u32; 256],
    /// Frequencies in the document at hand.
    here: Vec<u32>,
    /// Terms and frequencies of all documents, by document and term.
    entries: Vec<(u32, u32)>,
    ends: Vec<usize>,
    lengths: Vec<u32>,
}

impl<'a> Counts<'a> {
    fn of(query: &[&'a str]) -> Self {
        let mut terms = HashMap::with_hasher(RandomState::default());
        let mut shapes = [0; 256];
        for &token in query {
            let next = terms.len() as u32;
            terms.entry(token).or_insert(next);
            let (first, length) = shape(token);
            shapes[first] |= length;
        }
        let here = vec![0; terms.len()];
        Self { terms, shapes, here, entries: Vec::new(), ends: Vec::new(), lengths: Vec::new() }
    }

    fn push<'b>(&mut self, tokens: impl Iterator<Item = &'b str>) {
        let from = self.entries.len();
        let mut length = 0;
        for token in tokens {
            length += 1;
            let (first, shape) = shape(token);
            if self.shapes[first] & shape == 0 {
                continue;
            }
            if let Some(&term) = self.terms.get(token) {
                let count = &mut self.here[term as usize];
                if *count == 0 {
                    self.entries.push((term, 0));
                }
                *count += 1;
            }
        }
        let found = &mut self.entries[from..];
        found.sort_unstable();
        for (term, frequency) in found {
            *frequency = std::mem::take(&mut self.here[*term as usize]);
        }
        self.ends.push(self.entries.len());
        self.lengths.push(length);
    }

    fn scores(&self, scoring: Scoring<'_>) -> Vec<f64> {
        let (statistics, holding) = match scoring.given {
            Some(given) => (given.statistics, given.holding.to_vec()),
            None => (self.statistics(), self.holding()),
        };
        let formula = Formula::new(scoring.parameters, statistics);
        let weights: Vec<f64> = holding.into_iter().map(|count| formula.weight(count)).collect();
        let mut from = 0;
        let score = |(&end, &length): (&usize, &u32)| {
            let norm = formula.norm(length);
            let entries = &self.entries[std::mem::replace(&mut from, end)..end];
            // From 0.0 on: an empty sum of floats would be -0.0.
            entries.iter().fold(0.0, |sum, &(term, frequency)| {
                sum + credit(weights[term as usize], f64::from(frequency), norm)
            })
        };
        let mut scores: Vec<f64> = self.ends.iter().zip(&self.lengths).map(score).collect();
        let largest = scores.iter().copied().fold(0.0, f64::max);
        if scoring.normalized && largest > 0.0 {
            for score in &mut scores {
                *score /= largest;
            }
        }
        scores
    }

    fn statistics(&self) -> Statistics {
        let tokens = self.lengths.iter().map(|&length| u64::from(length)).sum();
        Statistics::of(self.lengths.len() as u64, tokens)
    }

    fn holding(&self) -> Vec<u64> {
        let mut holding = vec![0; self.terms.len()];
        for &(term, _) in &self.entries {
            holding[term as usize] += 1;
        }
        holding
    }
}

/// A token's first byte, and its length as one bit.
fn shape(token: &str) -> (usize, u32) {
    let first = token.as_bytes().first().copied().unwrap_or(0);
    (usize::from(first), 1 << token.len().min(31))
}
