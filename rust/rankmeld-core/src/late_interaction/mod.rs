//! Late interaction over the tokens of texts: each query token finds the document token that is
//! most like it, and the weighted mean of those similarities is the score.
//!
//! The idea is `ColBERT`'s (Khattab and Zaharia, 2020), with the similarity of two strings in place
//! of the dot product of two vectors: no model, and spelling variants still meet.
//!
//! [`token_similarity`] is the definition, of one pair. [`scores`] does many documents at once: it
//! numbers the tokens of a batch (`batch`, `lexicon`), compares each distinct one with up to sixteen
//! query tokens in one walk over its bigrams (`block`), and looks for maxima in what came out
//! (`wide`).

mod batch;
mod block;
mod lexical;
mod lexicon;
mod matches;
mod token_similarity;
mod token_weight;
mod wide;

pub use batch::Tokens;
pub use lexical::{Weights, scores};
pub use matches::{TokenMatch, matches};
pub use token_similarity::token_similarity;
pub use token_weight::{STOP_WORDS, specificity, specificity_beside};
