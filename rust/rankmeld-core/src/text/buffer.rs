//! The tokens of a text, in memory that is used again for the next one.

use super::characters::Characters;
use super::stem::Stemmer;
use crate::Watch;

/// Holds the tokens of the text that was read last.
#[derive(Debug, Default)]
pub struct TokenBuffer {
    /// The text with the capitals of ASCII lowered, then whatever is in no text as it lies.
    pub(super) text: String,
    /// Where the tokens lie in `text`.
    pub(super) spans: Vec<(usize, usize)>,
    /// What is known of characters.
    pub(super) characters: Characters,
    /// A piece in its normal form.
    pub(super) normal: String,
}

impl TokenBuffer {
    /// One without tokens.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The token at a position.
    ///
    /// # Panics
    /// For a position beyond the last.
    #[must_use]
    pub fn get(&self, position: usize) -> &str {
        let (start, end) = self.spans[position];
        &self.text[start..end]
    }

    /// The tokens in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.spans.iter().map(|&(start, end)| &self.text[start..end])
    }

    /// As [`TokenBuffer::tokenize_watched`], for texts that are read in a moment.
    pub fn tokenize(&mut self, text: &str) {
        let done = self.tokenize_watched(text, Watch::never());
        debug_assert!(done.is_ok(), "nobody stops it");
    }

    /// As [`TokenBuffer::bm25_tokenize_watched`], for texts that are read in a moment.
    pub fn bm25_tokenize(&mut self, text: &str, stemmer: &Stemmer) {
        let done = self.bm25_tokenize_watched(text, stemmer, Watch::never());
        debug_assert!(done.is_ok(), "nobody stops it");
    }

    /// Takes in another text.
    pub(super) fn begin(&mut self, text: &str) {
        self.spans.clear();
        self.text.clear();
        self.text.push_str(text);
        self.text.make_ascii_lowercase();
    }
}

/// Appends the lower case of a run, which is that of Python's `str.lower` for the run alone.
pub(super) fn push_lower(run: &str, text: &mut String, characters: &mut Characters) {
    if run.chars().all(|character| characters.facts(character).lower()) {
        text.push_str(run);
    } else {
        // A sigma at the end of a word has a form of its own, so words are lowered whole.
        text.push_str(&run.to_lowercase());
    }
}

/// The run without joiners at its end, where they join nothing.
pub(super) fn without_last_joiners(run: &str) -> &str {
    run.trim_end_matches(['\u{200c}', '\u{200d}'])
}
