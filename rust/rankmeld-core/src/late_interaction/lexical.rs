//! Scores of documents: the weighted mean, over the query's tokens, of the best similarity with a
//! token of the document.
//!
//! Documents are taken in batches. The tokens of a batch are numbered, so that a distinct one is
//! compared once; a document is then a list of numbers, and its maxima are maxima of rows.

use super::block::{Block, LANES, Quad};
use super::lexicon::Lexicon;
use super::token_weight::specificity;
use super::wide::{self, Documents, Work};
use crate::corpus_stats::CorpusStats;
use crate::exact_sum::{self, Running};
use crate::power_of_two::{exponent, times_power};
use crate::text::{TokenBuffer, composed};
use crate::{Error, Processor, Watch};

/// From so many tokens on a batch is complete: its tables then fit the caches, and any number of
/// documents needs no more memory than that.
const BATCH_TOKENS: usize = 1 << 15;

/// Text that brings one token that was not there before, in passages about a few things.
const BYTES_A_DISTINCT_TOKEN: usize = 24;

/// A batch is also complete once it has so many maxima, documents times query tokens.
const BATCH_MAXIMA: usize = 1 << 18;

/// A query or a document.
#[derive(Debug, Clone)]
pub enum Tokens<'a> {
    /// A text, to be tokenized.
    Text(&'a str),
    /// Tokens, taken as they are.
    Given(Vec<&'a str>),
}

/// How much each token of a query counts.
#[derive(Debug, Clone, Copy)]
pub enum Weights<'a> {
    /// By what it looks like: [`specificity`].
    Specificity,
    /// By how few texts of a collection hold it: its idf there.
    Idf(&'a CorpusStats),
    /// As the caller says, for each of them; finite and not negative.
    Given(&'a [f64]),
}

/// What a document has for one token of the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenMatch {
    /// The number of the query's token in [`Matches::tokens`].
    pub query: usize,
    /// How much it counts.
    pub weight: f64,
    /// The number of the document's most similar token, the first of equal ones; none where no
    /// token is alike at all.
    pub document: Option<usize>,
    /// Their similarity; 0 where there is none.
    pub similarity: f64,
}

/// The matches of all tokens of a query, in its order.
#[derive(Debug, Default)]
pub struct Matches {
    /// The distinct tokens of both sides.
    pub tokens: Vec<String>,
    /// One for each token of the query.
    pub matches: Vec<TokenMatch>,
}

/// The score of each document.
///
/// A term of the weighted sum is rounded, sums are exact, their quotient is rounded: no order and
/// no batch shows in it.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
///
/// # Panics
/// If not as many weights are given as the query has tokens.
pub fn scores(
    query: &Tokens<'_>,
    weights: Weights<'_>,
    documents: &[Tokens<'_>],
    processor: Processor,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let batch = Batch::with_capacity(expected(documents));
    let mut asked = Scorer::new(query, weights, batch, processor, watch)?;
    let mut scores = Vec::with_capacity(documents.len());
    while scores.len() < documents.len() {
        if !scores.is_empty() {
            watch.check()?;
        }
        asked.score_batch(&documents[scores.len()..], &mut scores, watch)?;
    }
    Ok(scores)
}

/// What one document has for each token of the query.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
///
/// # Panics
/// If not as many weights are given as the query has tokens.
pub fn matches(
    query: &Tokens<'_>,
    weights: Weights<'_>,
    document: &Tokens<'_>,
    watch: Watch<'_>,
) -> Result<Matches, Error> {
    let mut batch = Batch::with_capacity(0);
    let asked = batch.read_query(query, watch)?;
    let weights = weights.of(&asked, &batch.lexicon);
    let distinct = batch.lexicon.len();
    batch.read(document, watch)?;
    let mut best: Vec<(f64, Option<usize>)> = vec![(0.0, None); distinct];
    let mut block = Block::new();
    let mut work = Work::new(watch);
    for first in (0..distinct).step_by(LANES) {
        block.fill(&batch.lexicon, first, distinct);
        for &number in &batch.numbers {
            work.done(batch.lexicon.bigrams(number as usize).len())?;
            let row = block.row::<{ LANES / 4 }>(&batch.lexicon, number as usize);
            for (best, &similarity) in best[first..].iter_mut().zip(row.as_flattened()) {
                if similarity > best.0 {
                    *best = (similarity, Some(number as usize));
                }
            }
        }
    }
    let found = asked.into_iter().zip(weights).map(|(number, weight)| {
        let (similarity, document) = best[number as usize];
        TokenMatch { query: number as usize, weight, document, similarity }
    });
    let tokens = (0..batch.lexicon.len()).map(|number| batch.lexicon.token(number).to_owned());
    Ok(Matches { matches: found.collect(), tokens: tokens.collect() })
}

impl Weights<'_> {
    fn of(self, asked: &[u32], lexicon: &Lexicon) -> Vec<f64> {
        let tokens = asked.iter().map(|&number| lexicon.token(number as usize));
        match self {
            Self::Specificity => tokens.map(specificity).collect(),
            Self::Idf(stats) => tokens.map(|token| stats.idf(token)).collect(),
            Self::Given(weights) => {
                assert_eq!(asked.len(), weights.len(), "one weight for each token of the query");
                weights.to_vec()
            }
        }
    }
}

/// About how many distinct tokens the first batch has.
fn expected(documents: &[Tokens<'_>]) -> usize {
    let size = |document: &Tokens<'_>| match document {
        Tokens::Text(text) => text.len() / BYTES_A_DISTINCT_TOKEN,
        Tokens::Given(tokens) => tokens.len() / 2,
    };
    documents.iter().map(size).sum::<usize>().min(BATCH_TOKENS)
}

/// A query, ready for one batch of documents after the other.
struct Scorer {
    /// The query's tokens, numbered, and the distinct ones of them.
    asked: Vec<u32>,
    distinct: Vec<String>,
    weights: Vec<f64>,
    sum_of_weights: f64,
    batch: Batch,
    processor: Processor,
    block: Block,
    rows: Vec<Quad>,
    /// For each document of a batch the best similarity of each distinct query token.
    maxima: Vec<f64>,
}

impl Scorer {
    fn new(
        query: &Tokens<'_>,
        weights: Weights<'_>,
        mut batch: Batch,
        processor: Processor,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let asked = batch.read_query(query, watch)?;
        let weights = weights.of(&asked, &batch.lexicon);
        let distinct = (0..batch.lexicon.len()).map(|n| batch.lexicon.token(n).to_owned());
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let weights: Vec<f64> =
            weights.iter().map(|&weight| times_power(weight, -exponent(largest))).collect();
        Ok(Self {
            distinct: distinct.collect(),
            sum_of_weights: exact_sum::sum(&weights),
            weights,
            asked,
            batch,
            processor,
            block: Block::new(),
            rows: Vec::new(),
            maxima: Vec::new(),
        })
    }

    /// Scores as many of the documents as make up a batch, at least one.
    fn score_batch(
        &mut self,
        documents: &[Tokens<'_>],
        scores: &mut Vec<f64>,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        if self.sum_of_weights == 0.0 {
            scores.extend(documents.iter().map(|_| 0.0));
            return Ok(());
        }
        let most = (BATCH_MAXIMA / self.distinct.len()).max(1);
        self.batch.restart(&self.distinct, watch)?;
        for document in documents.iter().take(most) {
            self.batch.read(document, watch)?;
            if self.batch.numbers.len() >= BATCH_TOKENS {
                break;
            }
        }
        self.find_maxima(watch)?;
        let maxima = self.maxima.chunks_exact(self.distinct.len());
        scores.extend(maxima.map(|maxima| self.mean(maxima)));
        Ok(())
    }

    fn find_maxima(&mut self, watch: Watch<'_>) -> Result<(), Error> {
        let Self { batch: Batch { lexicon, numbers, ends, .. }, block, rows, maxima, .. } = self;
        let distinct = self.distinct.len();
        maxima.clear();
        maxima.resize(ends.len() * distinct, 0.0);
        let documents = Documents { lexicon, numbers, ends };
        let mut work = Work::new(watch);
        for first in (0..distinct).step_by(LANES) {
            block.fill(lexicon, first, distinct);
            wide::each_maxima(
                self.processor,
                block,
                documents,
                rows,
                &mut work,
                |document, best| {
                    let lanes =
                        &mut maxima[document * distinct..][first..distinct.min(first + LANES)];
                    lanes.copy_from_slice(&best[..lanes.len()]);
                },
            )?;
        }
        Ok(())
    }

    fn mean(&self, maxima: &[f64]) -> f64 {
        let terms = || {
            let terms = self.asked.iter().zip(&self.weights);
            terms.map(|(&number, weight)| weight * maxima[number as usize])
        };
        let mut sum = Running::default();
        let exact = terms().fold(true, |exact, term| sum.add(term) & exact);
        let sum = if exact { sum.value() } else { exact_sum::sum(&terms().collect::<Vec<_>>()) };
        sum / self.sum_of_weights
    }
}

/// Documents as numbers of their distinct tokens.
struct Batch {
    lexicon: Lexicon,
    buffer: TokenBuffer,
    /// The documents' distinct tokens in first-seen order, one document after the other.
    numbers: Vec<u32>,
    /// Where each document ends in `numbers`.
    ends: Vec<usize>,
    /// By token, one more than the last document that it was seen in.
    last_seen: Vec<u32>,
}

impl Batch {
    fn with_capacity(tokens: usize) -> Self {
        Self {
            lexicon: Lexicon::with_capacity(tokens),
            buffer: TokenBuffer::new(),
            numbers: Vec::with_capacity(tokens),
            ends: Vec::new(),
            last_seen: Vec::with_capacity(tokens),
        }
    }

    /// The numbers of the query's tokens, which come first.
    fn read_query(&mut self, query: &Tokens<'_>, watch: Watch<'_>) -> Result<Vec<u32>, Error> {
        self.append(query, watch)?;
        Ok(std::mem::take(&mut self.numbers))
    }

    /// Forgets the documents, and all tokens but those of the query.
    fn restart(&mut self, query: &[String], watch: Watch<'_>) -> Result<(), Error> {
        self.numbers.clear();
        self.ends.clear();
        self.last_seen.clear();
        if self.lexicon.len() > query.len() {
            self.lexicon = Lexicon::with_capacity(self.lexicon.len());
            for token in query {
                self.lexicon.number(token, watch)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, document: &Tokens<'_>, watch: Watch<'_>) -> Result<(), Error> {
        let start = self.numbers.len();
        self.append(document, watch)?;
        self.last_seen.resize(self.lexicon.len(), 0);
        let stamp = self.ends.len() as u32 + 1;
        // What is kept moves up over what is not; without a branch, as nobody predicts it.
        let mut kept = start;
        for place in start..self.numbers.len() {
            let number = self.numbers[place];
            let last_seen = &mut self.last_seen[number as usize];
            self.numbers[kept] = number;
            kept += usize::from(*last_seen != stamp);
            *last_seen = stamp;
        }
        self.numbers.truncate(kept);
        self.ends.push(kept);
        Ok(())
    }

    /// Appends the numbers of all tokens.
    fn append(&mut self, tokens: &Tokens<'_>, watch: Watch<'_>) -> Result<(), Error> {
        match tokens {
            Tokens::Text(text) => {
                self.buffer.tokenize_watched(text, watch)?;
                self.lexicon.number_all(&self.buffer, &mut self.numbers, watch)?;
            }
            Tokens::Given(tokens) => {
                for (place, token) in tokens.iter().enumerate() {
                    watch.check_at(place * 8)?;
                    self.numbers.push(self.lexicon.number(&composed(token), watch)?);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::token_similarity;
    use super::*;
    use proptest::prelude::*;

    fn scores(
        query: &Tokens<'_>,
        weights: Weights<'_>,
        documents: &[Tokens<'_>],
        watch: Watch<'_>,
    ) -> Result<Vec<f64>, Error> {
        super::scores(query, weights, documents, Processor::best(), watch)
    }

    fn by_definition(query: &[&str], weights: &[f64], document: &[&str]) -> f64 {
        let best = |asked: &&str| {
            let similarity =
                |there| token_similarity(asked, there, Watch::never()).expect("nobody stops it");
            document.iter().map(|there| similarity(there)).fold(0.0, f64::max)
        };
        let terms: Vec<f64> = query.iter().zip(weights).map(|(asked, w)| w * best(asked)).collect();
        let whole = exact_sum::sum(weights);
        if whole == 0.0 { 0.0 } else { exact_sum::sum(&terms) / whole }
    }

    fn given<'a>(tokens: &[&'a str]) -> Tokens<'a> {
        Tokens::Given(tokens.to_vec())
    }

    fn borrowed(tokens: &[String]) -> Vec<&str> {
        tokens.iter().map(String::as_str).collect()
    }

    /// Short tokens of few letters, so that they meet; now and then one with more bigrams than a
    /// byte counts.
    fn tokens(most: usize) -> impl Strategy<Value = Vec<String>> {
        let long = (0_u32..3, 200_usize..400).prop_map(|(from, length)| {
            (0..length).map(|n| char::from_u32(0x4e00 + from + n as u32).expect("Han")).collect()
        });
        let token = prop_oneof![20 => "[abcé字]{0,6}", 4 => "[a-z]{1,12}", 1 => long];
        proptest::collection::vec(token, 0..most)
    }

    proptest! {
        #[test]
        fn equals_the_definition_of_every_pair(
            query in tokens(40),
            documents in proptest::collection::vec(tokens(12), 0..5),
            seed in 0_u32..1000,
        ) {
            let query = borrowed(&query);
            let weights: Vec<f64> =
                (0..query.len()).map(|n| f64::from((seed + n as u32 * 7) % 11) / 10.0).collect();
            let documents: Vec<Vec<&str>> = documents.iter().map(|d| borrowed(d)).collect();
            let sides: Vec<Tokens<'_>> = documents.iter().map(|d| given(d)).collect();
            let found = scores(&given(&query), Weights::Given(&weights), &sides, Watch::never()).expect("goes on");
            let expected: Vec<f64> =
                documents.iter().map(|d| by_definition(&query, &weights, d)).collect();
            prop_assert_eq!(found, expected);
            for document in &documents {
                let found = matches(&given(&query), Weights::Specificity, &given(document), Watch::never()).expect("goes on");
                prop_assert_eq!(found.matches.len(), query.len());
                for (one, asked) in found.matches.iter().zip(&query) {
                    prop_assert_eq!(&found.tokens[one.query], asked);
                    let of = |there: &str| {
                        token_similarity(asked, there, Watch::never()).expect("goes on")
                    };
                    let best = document.iter().map(|there| of(there)).fold(0.0, f64::max);
                    let first = document.iter().find(|there| best > 0.0 && of(there) == best);
                    prop_assert_eq!(one.similarity, best);
                    prop_assert_eq!(one.document.map(|n| found.tokens[n].as_str()), first.copied());
                }
            }
        }
    }

    #[test]
    fn texts_are_tokenized_and_no_batch_shows() {
        let words: Vec<String> = (0..3000).map(|n| format!("word{n} other{}", n % 7)).collect();
        let texts: Vec<String> = words.chunks(40).cycle().take(900).map(|c| c.join(" ")).collect();
        let documents: Vec<Tokens<'_>> = texts.iter().map(|text| Tokens::Text(text)).collect();
        let query = Tokens::Text("Word12 wordy OTHER3 the");
        let weights = [1.0, 0.5, 2.0, 0.35];
        let together =
            scores(&query, Weights::Given(&weights), &documents, Watch::never()).expect("goes on");
        for (document, together) in documents.iter().zip(together).step_by(31) {
            let alone = scores(
                &query,
                Weights::Given(&weights),
                std::slice::from_ref(document),
                Watch::never(),
            );
            assert_eq!(alone, Ok(vec![together]));
        }
    }

    #[test]
    fn weights_of_any_size_leave_the_mean_as_it_is() {
        let (query, document) = (given(&["ab", "cd"]), [given(&["ab", "cx"])]);
        for weight in [5e-324, 1e-300, 1.0, 1e300, f64::MAX] {
            let found =
                scores(&query, Weights::Given(&[weight, weight]), &document, Watch::never());
            assert_eq!(found, Ok(vec![0.5]));
        }
        let found = scores(&query, Weights::Given(&[0.0, 0.0]), &document, Watch::never());
        assert_eq!(found, Ok(vec![0.0]));
    }

    #[test]
    fn long_work_is_stopped() {
        let text = "word other ".repeat(100_000);
        let stop = Watch::new(&|| false);
        let query = Tokens::Text("word");
        assert_eq!(
            scores(&query, Weights::Specificity, &[Tokens::Text(&text)], stop),
            Err(Error::Interrupted)
        );
        let many: Vec<String> = (0..100_000).map(|n| format!("w{n}")).collect();
        let many = [Tokens::Given(borrowed(&many))];
        assert_eq!(scores(&query, Weights::Specificity, &many, stop), Err(Error::Interrupted));
        assert!(matches(&query, Weights::Specificity, &many[0], stop).is_err());
    }
}
