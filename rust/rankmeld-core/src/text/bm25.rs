//! Terms for lexical search: words, numbers and ideographs.

use std::ops::Range;

use super::buffer::{TokenBuffer, without_last_joiners};
use super::characters::Characters;
use super::classes::Class;
use super::normal_form::Form;
use super::stem::{Stem, Stemmer};
use crate::{Error, Watch};

/// What a term is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    Ideograph,
}

impl Kind {
    /// The kind of a character, where it has one of its own.
    fn of(class: Class) -> Option<Self> {
        match class {
            Class::Letter | Class::Syllable => Some(Self::Word),
            Class::Digit | Class::SyllableDigit => Some(Self::Number),
            Class::Ideograph | Class::IdeographicNumber => Some(Self::Ideograph),
            Class::Other | Class::Underscore | Class::Mark | Class::Joiner => None,
        }
    }
}

impl TokenBuffer {
    /// Reads the terms of a text in NFKC: lower-cased and stemmed words of two letters or more,
    /// runs of decimal digits, single ideographs.
    ///
    /// Marks and joiners inside a word belong to it and are no letters; elsewhere they part terms.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn bm25_tokenize_watched(
        &mut self,
        text: &str,
        stemmer: &Stemmer,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let inside = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let special = |byte: u8| byte.is_ascii_digit() || !byte.is_ascii();
        self.fill(text, Form::Compatible, inside, special, Self::push_terms, watch)?;
        self.stem(stemmer, watch)
    }

    /// Makes terms of a lower-cased piece of the text.
    fn push_terms(&mut self, piece: Range<usize>, watch: Watch<'_>) -> Result<(), Error> {
        let Self { text, spans, characters, .. } = self;
        let mut close = |kind: Option<Kind>, letters: usize, term: Range<usize>| match kind {
            Some(Kind::Word) if letters > 1 => {
                spans.push((term.start, without_last_joiners(text, term)));
            }
            Some(Kind::Number | Kind::Ideograph) => spans.push((term.start, term.end)),
            Some(Kind::Word) | None => {}
        };
        let (mut kind, mut letters, mut start) = (None, 0, piece.start);
        for (count, (at, character)) in text[piece.clone()].char_indices().enumerate() {
            watch.check_at(count)?;
            let at = piece.start + at;
            let class = characters.facts(character).class();
            if kind == Some(Kind::Word) && class.follows() {
                continue;
            }
            let next = Kind::of(class);
            if next != kind || next == Some(Kind::Ideograph) {
                close(kind, letters, start..at);
                (kind, letters, start) = (next, 0, at);
            }
            letters += 1;
        }
        close(kind, letters, start..piece.end);
        Ok(())
    }

    /// Puts stems in the place of words.
    fn stem(&mut self, stemmer: &Stemmer, watch: Watch<'_>) -> Result<(), Error> {
        if matches!(stemmer, Stemmer::Unchanged) {
            return Ok(());
        }
        for (count, span) in self.spans.iter_mut().enumerate() {
            watch.check_at(count)?;
            let (start, end) = *span;
            let term = &self.text[start..end];
            if !is_word(term, &mut self.characters) {
                continue;
            }
            let stem = stemmer.apply(term);
            let from = self.text.len();
            match stem {
                Stem::Beginning(length) => {
                    span.1 = start + length;
                    continue;
                }
                Stem::BeginningAnd(length, ending) => {
                    self.text.extend_from_within(start..start + length);
                    self.text.push_str(ending);
                }
                Stem::Other(stem) => self.text.push_str(&stem),
            }
            *span = (from, self.text.len());
        }
        self.pad();
        Ok(())
    }
}

/// Whether a term is a word; its first character says so.
fn is_word(term: &str, characters: &mut Characters) -> bool {
    term.starts_with(|first: char| {
        first.is_ascii_lowercase() || Kind::of(characters.facts(first).class()) == Some(Kind::Word)
    })
}
