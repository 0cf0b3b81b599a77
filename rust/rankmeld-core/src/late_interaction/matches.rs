//! Which token of a document each token of a query met.

use super::batch::{Batch, Tokens};
use super::block::{Block, LANES};
use super::lexical::Weights;
use super::wide::Work;
use crate::{Error, Watch};

/// What a document has for one token of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenMatch {
    /// The query's token.
    pub query: String,
    /// How much it counts.
    pub weight: f64,
    /// The document's most similar token, the first of equal ones; none where no token is alike at
    /// all.
    pub document: Option<String>,
    /// Their similarity; 0 where there is none.
    pub similarity: f64,
}

/// What one document has for each token of the query, in its order.
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
) -> Result<Vec<TokenMatch>, Error> {
    let mut batch = Batch::with_capacity(0);
    let asked = batch.read_query(query, watch)?;
    let distinct = batch.lexicon.len();
    batch.read(document, watch)?;
    let Batch { lexicon, numbers, .. } = &batch;
    let mut best: Vec<(f64, Option<u32>)> = vec![(0.0, None); distinct];
    let mut block = Block::new();
    let mut work = Work::new(watch);
    for first in (0..distinct).step_by(LANES) {
        block.fill(lexicon, first, distinct);
        for &number in numbers {
            work.done(lexicon.bigrams(number as usize).len())?;
            let row = block.row::<{ LANES / 4 }>(lexicon, number as usize);
            for (best, &similarity) in best[first..].iter_mut().zip(row.as_flattened()) {
                if similarity > best.0 {
                    *best = (similarity, Some(number));
                }
            }
        }
    }
    let token = |number: u32| lexicon.token(number as usize).to_owned();
    let found = asked.iter().zip(weights.of(&asked, lexicon, watch)?).map(|(&number, weight)| {
        let (similarity, document) = best[number as usize];
        TokenMatch { query: token(number), weight, document: document.map(token), similarity }
    });
    Ok(found.collect())
}
