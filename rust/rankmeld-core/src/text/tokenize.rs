//! Tokens for late interaction: the words of people and of code.

use std::ops::Range;

use super::buffer::{TokenBuffer, without_last_joiners};
use super::normal_form::Form;
use crate::{Error, Watch};

impl TokenBuffer {
    /// Reads the tokens of a text in NFC.
    ///
    /// Tokens are the lower-cased maximal runs of letters, decimal digits and underscores, with
    /// the marks and joiners inside them. Each character of a script without spaces is a token of
    /// its own, with its marks; what is then left as one character is dropped.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn tokenize_watched(&mut self, text: &str, watch: Watch<'_>) -> Result<(), Error> {
        let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        let special = |byte: u8| !byte.is_ascii();
        self.fill(text, Form::Composed, inside, special, Self::push_tokens, watch)
    }

    /// Makes tokens of a lower-cased piece of the text.
    fn push_tokens(&mut self, piece: Range<usize>, watch: Watch<'_>) -> Result<(), Error> {
        let Self { text, spans, characters, .. } = self;
        let mut close = |(start, alone): (usize, bool), end: usize| {
            let end = without_last_joiners(text, start..end);
            if alone || text[start..end].chars().nth(1).is_some() {
                spans.push((start, end));
            }
        };
        // Where the token that is being read begins, and whether it is one character with its marks.
        let mut open: Option<(usize, bool)> = None;
        for (count, (at, character)) in text[piece.clone()].char_indices().enumerate() {
            watch.check_at(count)?;
            let at = piece.start + at;
            let class = characters.facts(character).class();
            let goes_on = match open {
                None => class.follows(),
                Some((_, alone)) => class.follows() || (class.begins() && !alone),
            };
            if !goes_on || class.stands_alone() {
                if let Some(open) = open {
                    close(open, at);
                }
                open = class.begins().then_some((at, class.stands_alone()));
            }
        }
        if let Some(open) = open {
            close(open, piece.end);
        }
        Ok(())
    }
}
