//! The tokens of a text, in memory that is used again for the next one.

use std::mem;
use std::ops::Range;

use super::characters::Characters;
use super::classes::Class;
use super::normal_form::Form;
use super::runs::{Kind, each_run};
use super::stem::Stemmer;
use crate::{Error, Watch};

/// What follows the last token, so that [`WINDOW`] bytes can be read from where any token begins.
const PADDING: &str = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// How many bytes can be read from where a token begins.
pub(super) const WINDOW: usize = PADDING.len();

/// Holds the tokens of the text that was read last.
#[derive(Debug, Default)]
pub struct TokenBuffer {
    /// The text with the capitals of ASCII lowered, then whatever is in no text as it lies.
    pub(super) text: String,
    /// Where the tokens lie in `text`.
    pub(super) spans: Vec<(usize, usize)>,
    /// What is known of characters.
    pub(super) characters: Characters,
    /// A piece in its normal form, where that is another.
    changed: String,
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

    /// Whether nothing stood between the token at a position and the one after it.
    #[must_use]
    pub fn touches_next(&self, position: usize) -> bool {
        let next = self.spans.get(position + 1);
        next.is_some_and(|&(start, _)| self.spans[position].1 == start)
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

    /// Reads the runs of `inside` bytes, those beyond ASCII among them, into tokens.
    ///
    /// A run without a `special` byte is a token if it has two bytes. Another is a piece of the
    /// text in which `read` finds tokens. No separator of ASCII has a part in the normal form of
    /// what follows it but for marks, and those begin no token; so pieces are normalized by
    /// themselves.
    pub(super) fn fill(
        &mut self,
        text: &str,
        form: Form,
        inside: impl Kind,
        special: impl Kind,
        read: impl Fn(&mut Self, Range<usize>, Watch<'_>) -> Result<(), Error>,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        self.spans.clear();
        self.text.clear();
        self.text.push_str(text);
        self.text.make_ascii_lowercase();
        let done = each_run(text.as_bytes(), inside, special, watch, |start, end, special| {
            if !special {
                if end - start > 1 {
                    self.spans.push((start, end));
                }
                return Ok(());
            }
            let common = self.characters.common(&self.text[start..end], watch)?;
            if !(form.keeps(common) && common.lower()) {
                self.fill_changed(&text[start..end], form, &read, watch)
            } else if !common.letter() {
                read(self, start..end, watch)
            } else {
                if self.text[start..end].chars().nth(1).is_some() {
                    self.spans.push((start, end));
                }
                Ok(())
            }
        });
        self.pad();
        done
    }

    /// Makes sure that [`WINDOW`] bytes can be read from where any token begins.
    pub(super) fn pad(&mut self) {
        self.text.push_str(PADDING);
    }

    /// Reads a piece that is not yet in its normal form and lower case.
    fn fill_changed(
        &mut self,
        piece: &str,
        form: Form,
        read: impl Fn(&mut Self, Range<usize>, Watch<'_>) -> Result<(), Error>,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let mut changed = mem::take(&mut self.changed);
        let piece = form.of(piece, &mut self.characters, &mut changed, watch)?;
        let mut run = None;
        let close = |buffer: &mut Self, run: Range<usize>| {
            // Keeps tokens of two runs from touching.
            buffer.text.push(' ');
            let from = buffer.text.len();
            buffer.push_lower(&piece[run], watch)?;
            read(buffer, from..buffer.text.len(), watch)
        };
        for (count, (at, character)) in piece.char_indices().enumerate() {
            watch.check_at(count)?;
            let parts = self.characters.facts(character).class() == Class::Other;
            match run {
                None if !parts => run = Some(at),
                Some(start) if parts => {
                    close(self, start..at)?;
                    run = None;
                }
                _ => {}
            }
        }
        if let Some(start) = run {
            close(self, start..piece.len())?;
        }
        self.changed = changed;
        Ok(())
    }

    /// Appends the lower case of a run, which is that of Python's `str.lower` for the run alone.
    fn push_lower(&mut self, run: &str, watch: Watch<'_>) -> Result<(), Error> {
        if run.contains('Σ') {
            // At the end of a word it has a form of its own, which the standard library knows.
            self.text.push_str(&run.to_lowercase());
            return Ok(());
        }
        for (count, character) in run.chars().enumerate() {
            watch.check_at(count)?;
            if self.characters.facts(character).lower() {
                self.text.push(character);
            } else {
                self.text.extend(character.to_lowercase());
            }
        }
        Ok(())
    }
}

/// The end of a token, before joiners that join nothing.
pub(super) fn without_last_joiners(text: &str, token: Range<usize>) -> usize {
    token.start + text[token].trim_end_matches(['\u{200c}', '\u{200d}']).len()
}
