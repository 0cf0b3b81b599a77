//! The tokens of a text, in memory that is used again for the next one.

use super::classes::Class;
use super::composed::{compatible, composed};
use super::stem::Stemmer;

/// Holds the tokens of the text that was read last.
#[derive(Debug, Default)]
pub struct TokenBuffer {
    /// What the tokens are slices of.
    text: String,
    spans: Vec<(usize, usize)>,
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

    /// Reads the lower-cased runs of letters, digits and underscores of a text; each character of
    /// a script without spaces is a token of its own, and runs of one other character are dropped.
    pub fn tokenize(&mut self, text: &str) {
        self.text.clear();
        self.spans.clear();
        let text = composed(text);
        let mut rest = &*text;
        while let Some(start) = rest.find(|c| Class::of(c).begins()) {
            rest = &rest[start..];
            let stop = |c| !(Class::of(c).begins() || Class::of(c).follows());
            let run = &rest[..rest.find(stop).unwrap_or(rest.len())];
            rest = &rest[run.len()..];
            let from = self.text.len();
            self.text.push_str(&run.to_lowercase());
            self.split(from);
        }
    }

    /// Makes tokens of the run that begins at `from` and ends with the text.
    fn split(&mut self, from: usize) {
        let mut start = from;
        let mut alone = false;
        let run = &self.text[from..];
        let mut token = |start: usize, end: usize, alone: bool| {
            let token = self.text[start..end].trim_end_matches(['\u{200c}', '\u{200d}']);
            if alone || token.chars().nth(1).is_some() {
                self.spans.push((start, start + token.len()));
            }
        };
        for (at, character) in run.char_indices() {
            let class = Class::of(character);
            if class.follows() || !(alone || class.stands_alone()) {
                continue;
            }
            token(start, from + at, alone);
            start = from + at;
            alone = class.stands_alone();
        }
        token(start, self.text.len(), alone);
    }

    /// Reads the words of two letters or more, runs of digits and single ideographs of a text in
    /// NFKC and lower case; words are stemmed.
    pub fn bm25_tokenize(&mut self, text: &str, stemmer: &Stemmer) {
        self.text.clear();
        self.spans.clear();
        self.text.push_str(&compatible(text).to_lowercase());
        let end = self.text.len();
        let mut start = 0;
        let mut state = Class::Other;
        let mut letters = 0;
        let spans = &mut self.spans;
        let mut stems: Vec<(usize, String)> = Vec::new();
        let text = &self.text;
        let mut close = |start: usize, end: usize, state: Class, letters: usize| match state {
            Class::Letter if letters > 1 => {
                let word = text[start..end].trim_end_matches(['\u{200c}', '\u{200d}']);
                let stem = stemmer.stem(word);
                if word.starts_with(&*stem) {
                    spans.push((start, start + stem.len()));
                } else {
                    stems.push((spans.len(), stem.into_owned()));
                    spans.push((0, 0));
                }
            }
            Class::Digit | Class::Ideograph => spans.push((start, end)),
            _ => {}
        };
        for (at, character) in text.char_indices() {
            let class = match Class::of(character) {
                Class::Letter | Class::Syllable => Class::Letter,
                Class::Digit | Class::SyllableDigit => Class::Digit,
                Class::Ideograph | Class::IdeographicNumber => Class::Ideograph,
                Class::Mark | Class::Joiner if state == Class::Letter => continue,
                _ => Class::Other,
            };
            if class != state || class == Class::Ideograph {
                close(start, at, state, letters);
                start = at;
                letters = 0;
                state = class;
            }
            letters += 1;
        }
        close(start, end, state, letters);
        for (index, stem) in stems {
            let from = self.text.len();
            self.text.push_str(&stem);
            self.spans[index] = (from, self.text.len());
        }
    }
}
