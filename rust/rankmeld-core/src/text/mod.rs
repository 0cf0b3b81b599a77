//! Text as kernels read it: tokens, stems, sentences, and numbers for tokens.

mod buffer;
mod classes;
mod composed;
mod sentences;
mod snowball;
mod stem;
mod vocabulary;

pub use buffer::TokenBuffer;
pub use classes::is_spaceless;
pub use composed::composed;
pub use sentences::sentences;
pub use snowball::SNOWBALL_LANGUAGES;
pub use stem::{Stemmer, light_stem};
pub use vocabulary::Vocabulary;
