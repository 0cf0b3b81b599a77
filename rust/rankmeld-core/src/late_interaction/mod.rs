//! Late interaction over the tokens of texts: each query token finds the document token that is
//! most like it, and the weighted mean of those similarities is the score.
//!
//! The idea is `ColBERT`'s (Khattab and Zaharia, 2020), with the similarity of two strings in place
//! of the dot product of two vectors: no model, and spelling variants still meet.
//!
//! [`token_similarity`] is the definition, of one pair. [`lexical`] scores many documents: it
//! numbers the tokens of a batch ([`lexicon`]), compares each distinct one with sixteen query
//! tokens at a time ([`block`]), and looks for maxima in what came out.

mod block;
pub mod lexical;
mod lexicon;
mod token_similarity;
mod token_weight;
mod wide;

pub use lexical::{Matches, TokenMatch, Tokens, Weights, matches, scores};
pub use token_similarity::token_similarity;
pub use token_weight::{STOP_WORDS, specificity, specificity_beside};
