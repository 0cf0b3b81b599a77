//! Text as kernels read it: tokens, stems, sentences, and numbers for tokens.
//!
//! Both tokenizers find the runs between ASCII separators 64 bytes at a time (`runs`). A run of
//! ASCII is a token as it lies in a lower-cased copy of the text; only runs with other characters
//! are looked at character by character.

mod bm25;
mod buffer;
mod characters;
mod classes;
mod folding;
mod normal_form;
mod runs;
mod sentences;
mod snowball;
mod stem;
mod symbols;
mod tokenize;
mod vocabulary;

pub use buffer::TokenBuffer;
pub use classes::{is_digit, is_han, is_letter, is_spaceless, is_word};
pub use folding::{case_folded, folded};
pub use normal_form::{composed, composed_watched};
pub use sentences::{sentences, sentences_watched};
pub use snowball::SNOWBALL_LANGUAGES;
pub use stem::{Stemmer, light_stem};
pub use symbols::Symbols;
pub use vocabulary::Vocabulary;
