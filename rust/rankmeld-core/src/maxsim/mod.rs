//! `MaxSim` over embeddings, the late interaction of `ColBERT` (Khattab and Zaharia, 2020): the sum over
//! query vectors of the largest dot product with a vector of the document.
//!
//! # What is computed
//! A dot product is one chain of fused multiply-adds in the order of the elements. It runs in double
//! precision if either side is given in it, else in single precision, in which the products of
//! narrower numbers are exact; bytes with bytes are summed up as integers, bfloat16 with bfloat16 in
//! pairs, the second product of a pair first. Similarities are multiplied by the scale of the
//! document's vector, or by one over its length, and compared; the largest ones, times the scale of
//! the query vector or one over its length, are summed up in double precision in the order of the
//! query. The bits are the same on every processor, with any number of threads, and whatever other
//! documents there are.
//!
//! A document whose numbers overflow, or vanish, in single precision is computed in double precision,
//! and where that is not enough with powers of two kept apart.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined into a function for wide registers is compiled for them"
)]

mod best;
mod documents;
mod exact;
mod kernels;
mod query;
mod reduce;
mod score;
mod source;
#[cfg(test)]
mod tests;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use documents::{Document, Documents, Scales, Vectors};
pub use query::{Kind, Query};
pub use score::Scores;

use score::Scoring;

use crate::{Error, Processor, Watch, parallel};

/// How to score.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether similarities are cosines; the query has to be made with the same choice.
    pub normalize: bool,
    /// Whether to tell where scores come from.
    pub explain: bool,
    /// How many threads share the documents.
    pub threads: usize,
    /// What the work runs on.
    pub processor: Processor,
}

/// Scores every document.
///
/// # Errors
/// [`Error::DocumentNotFinite`] for NaN or an infinity in a vector that counts,
/// [`Error::DocumentScoreNotFinite`] for a score that is no double, [`Error::MatchNotFinite`] for a
/// similarity to explain that is none, [`Error::Interrupted`].
///
/// # Panics
/// If the slices are shorter than the numbers beside them say.
pub fn scores(
    query: &Query,
    documents: &Documents<'_>,
    options: Options,
    watch: Watch<'_>,
) -> Result<Scores, Error> {
    let Options { normalize, explain, threads, processor } = options;
    let work = documents.before(documents.len());
    let parts = parallel::in_parts(work, threads, watch, |part, watch| {
        let range = documents.first_from(part.start)..documents.first_from(part.end);
        let work = Scoring { query, documents, range, normalize, explain, processor, watch };
        kernels::run_on(processor, work)
    })?;
    let mut all = Scores::default();
    for part in parts {
        if all.scores.is_empty() {
            all = part;
        } else {
            all.scores.extend(part.scores);
            all.matches.extend(part.matches);
            all.similarities.extend(part.similarities);
        }
    }
    Ok(all)
}
