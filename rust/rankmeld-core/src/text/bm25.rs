//! Terms for lexical search: words, numbers and ideographs.

use std::mem;

use super::buffer::{TokenBuffer, push_lower, without_last_joiners};
use super::classes::Class;
use super::normal_form::Form;
use super::runs::each_run;
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
        self.begin(text);
        let inside = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let special = |byte: u8| byte.is_ascii_digit() || !byte.is_ascii();
        each_run(text.as_bytes(), inside, special, watch, |start, end, special| {
            if special {
                self.bm25_piece(&text[start..end], stemmer, watch)?;
            } else if end - start > 1 {
                self.push_word(start, end, stemmer);
            }
            Ok(())
        })
    }

    /// Reads a piece between two ASCII separators; see [`TokenBuffer::tokenize_watched`].
    fn bm25_piece(
        &mut self,
        piece: &str,
        stemmer: &Stemmer,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let mut normal = mem::take(&mut self.normal);
        let piece = Form::Compatible.of(piece, &mut self.characters, &mut normal, watch)?;
        let mut kind = None;
        let (mut start, mut letters) = (0, 0);
        for (count, (at, character)) in piece.char_indices().enumerate() {
            watch.check_at(count)?;
            let class = self.characters.facts(character).class();
            if kind == Some(Kind::Word) && class.follows() {
                continue;
            }
            let next = Kind::of(class);
            if next != kind || next == Some(Kind::Ideograph) {
                self.close(&piece[start..at], kind, letters, stemmer);
                (kind, start, letters) = (next, at, 0);
            }
            letters += 1;
        }
        self.close(&piece[start..], kind, letters, stemmer);
        self.normal = normal;
        Ok(())
    }

    /// Makes a term of what lies between two changes of kind.
    fn close(&mut self, term: &str, kind: Option<Kind>, letters: usize, stemmer: &Stemmer) {
        let from = self.text.len();
        match kind {
            Some(Kind::Word) if letters > 1 => {
                push_lower(without_last_joiners(term), &mut self.text, &mut self.characters);
                self.push_word(from, self.text.len(), stemmer);
            }
            Some(Kind::Number | Kind::Ideograph) => {
                self.text.push_str(term);
                self.spans.push((from, self.text.len()));
            }
            _ => {}
        }
    }

    /// Makes a term of a lower-cased word of the text.
    fn push_word(&mut self, start: usize, end: usize, stemmer: &Stemmer) {
        let from = self.text.len();
        match stemmer.apply(&self.text[start..end]) {
            Stem::Beginning(length) => return self.spans.push((start, start + length)),
            Stem::BeginningAnd(length, ending) => {
                self.text.extend_from_within(start..start + length);
                self.text.push_str(ending);
            }
            Stem::Other(stem) => self.text.push_str(&stem),
        }
        self.spans.push((from, self.text.len()));
    }
}
