//! Scores of documents: the weighted mean, over the query's tokens, of the best similarity with a
//! token of the document.
//!
//! Documents are taken in batches. The tokens of a batch are numbered, so that a distinct one is
//! compared once; a document is then a list of numbers, and its maxima are maxima of rows.

use std::ops::Range;

use super::batch::{Batch, Tokens, expected};
use super::block::{Block, LANES, Quad};
use super::lexicon::Lexicon;
use super::token_weight::specificity;
use super::wide::{self, Documents, Work};
use crate::corpus_stats::CorpusStats;
use crate::exact_sum::{self, Running};
use crate::parallel::in_parts;
use crate::power_of_two::{exponent, times_power};
use crate::{Error, Processor, Watch};

/// From so many tokens on a batch is complete: its tables then fit the caches, and any number of
/// documents needs no more memory than that.
const BATCH_TOKENS: usize = 1 << 15;

/// A batch is also complete once it has so many maxima, documents times query tokens.
const BATCH_MAXIMA: usize = 1 << 18;

/// How many quads there is room for in rows, unless there are [`FEW_TOKENS`] to expect.
///
/// Together the tables of a hundred passages take less than this one piece, of which only what is
/// needed is ever touched. An allocator that has once seen so large a piece come and go keeps as
/// much memory from one call to the next; else every call would begin with new pages, and those
/// cost more than half as much as all the rest.
const ROOM: usize = 1 << 16;

/// So many distinct tokens fit into a few pages anyway.
const FEW_TOKENS: usize = 500;

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

/// The score of each document.
///
/// A term of the weighted sum is rounded, sums are exact, their quotient is rounded: no order and
/// no batch shows in it, and neither do `threads`, which share the documents.
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
    threads: usize,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let score = |range: Range<usize>, watch: Watch<'_>| {
        score_all(query, weights, &documents[range], processor, watch)
    };
    in_parts(documents.len(), threads, watch, score).map(|parts| parts.concat())
}

fn score_all(
    query: &Tokens<'_>,
    weights: Weights<'_>,
    documents: &[Tokens<'_>],
    processor: Processor,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let tokens = expected(documents).min(BATCH_TOKENS);
    let mut asked = Scorer::new(query, weights, tokens, processor, watch)?;
    let mut scores = Vec::with_capacity(documents.len());
    while scores.len() < documents.len() {
        if !scores.is_empty() {
            watch.check()?;
        }
        asked.score_batch(&documents[scores.len()..], &mut scores, watch)?;
    }
    Ok(scores)
}

impl Weights<'_> {
    /// The weight of each token of a query.
    pub(super) fn of(
        self,
        asked: &[u32],
        lexicon: &Lexicon,
        watch: Watch<'_>,
    ) -> Result<Vec<f64>, Error> {
        // Each distinct token is looked at once; those of the query have the first numbers.
        let each = |weight: &dyn Fn(&str) -> Result<f64, Error>| -> Result<Vec<f64>, Error> {
            let distinct = asked.iter().max().map_or(0, |&last| last as usize + 1);
            let weights =
                (0..distinct).map(|n| weight(lexicon.token(n))).collect::<Result<Vec<_>, _>>()?;
            Ok(asked.iter().map(|&number| weights[number as usize]).collect())
        };
        match self {
            Self::Specificity => each(&|token| specificity(token, watch)),
            Self::Idf(stats) => each(&|token| Ok(stats.idf(token))),
            Self::Given(weights) => {
                assert_eq!(asked.len(), weights.len(), "one weight for each token of the query");
                Ok(weights.to_vec())
            }
        }
    }
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
        tokens: usize,
        processor: Processor,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let mut batch = Batch::with_capacity(tokens);
        let asked = batch.read_query(query, watch)?;
        let weights = weights.of(&asked, &batch.lexicon, watch)?;
        let room = if tokens > FEW_TOKENS { ROOM } else { 0 };
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
            rows: Vec::with_capacity(room),
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

#[cfg(test)]
mod tests {
    use super::super::matches::matches;
    use super::super::token_similarity;
    use super::*;
    use proptest::prelude::*;

    fn scores(
        query: &Tokens<'_>,
        weights: Weights<'_>,
        documents: &[Tokens<'_>],
        watch: Watch<'_>,
    ) -> Result<Vec<f64>, Error> {
        super::scores(query, weights, documents, Processor::best(), 1, watch)
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
                prop_assert_eq!(found.len(), query.len());
                for (one, asked) in found.iter().zip(&query) {
                    prop_assert_eq!(&one.query, asked);
                    let of = |there: &str| {
                        token_similarity(asked, there, Watch::never()).expect("goes on")
                    };
                    let best = document.iter().map(|there| of(there)).fold(0.0, f64::max);
                    let first = document.iter().find(|there| best > 0.0 && of(there) == best);
                    prop_assert_eq!(one.similarity, best);
                    prop_assert_eq!(one.document.as_deref(), first.copied());
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
        for threads in [2, 3, 1000] {
            let (best, never) = (Processor::best(), Watch::never());
            let weights = Weights::Given(&weights);
            let shared = super::scores(&query, weights, &documents, best, threads, never);
            assert_eq!(shared.as_ref(), Ok(&together));
        }
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
