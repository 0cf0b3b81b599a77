//! Tokens for late interaction: the words of people and of code.

use std::mem;

use super::buffer::{TokenBuffer, push_lower, without_last_joiners};
use super::normal_form::Form;
use super::runs::each_run;
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
        self.begin(text);
        let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        let special = |byte: u8| !byte.is_ascii();
        each_run(text.as_bytes(), inside, special, watch, |start, end, special| {
            if special {
                self.tokenize_piece(&text[start..end], watch)?;
            } else if end - start > 1 {
                self.spans.push((start, end));
            }
            Ok(())
        })
    }

    /// Reads a piece with characters beyond ASCII that stands between two ASCII separators.
    ///
    /// No separator of ASCII has a part in the normal form of what follows it but for marks, and
    /// those begin no token.
    fn tokenize_piece(&mut self, piece: &str, watch: Watch<'_>) -> Result<(), Error> {
        let mut normal = mem::take(&mut self.normal);
        let piece = Form::Composed.of(piece, &mut self.characters, &mut normal, watch)?;
        let mut start = None;
        for (count, (at, character)) in piece.char_indices().enumerate() {
            watch.check_at(count)?;
            let class = self.characters.facts(character).class();
            match start {
                None if class.begins() => start = Some(at),
                Some(from) if !(class.begins() || class.follows()) => {
                    self.tokenize_run(&piece[from..at], watch)?;
                    start = None;
                }
                _ => {}
            }
        }
        if let Some(from) = start {
            self.tokenize_run(&piece[from..], watch)?;
        }
        self.normal = normal;
        Ok(())
    }

    /// Makes tokens of a maximal run.
    fn tokenize_run(&mut self, run: &str, watch: Watch<'_>) -> Result<(), Error> {
        let from = self.text.len();
        push_lower(run, &mut self.text, &mut self.characters);
        let run = &self.text[from..];
        let mut start = 0;
        let mut alone = false;
        let mut close = |start: usize, end: usize, alone: bool| {
            let token = without_last_joiners(&run[start..end]);
            if alone || token.chars().nth(1).is_some() {
                self.spans.push((from + start, from + start + token.len()));
            }
        };
        for (count, (at, character)) in run.char_indices().enumerate() {
            watch.check_at(count)?;
            let class = self.characters.facts(character).class();
            if !class.follows() && (alone || class.stands_alone()) {
                close(start, at, alone);
                start = at;
                alone = class.stands_alone();
            }
        }
        close(start, run.len(), alone);
        Ok(())
    }
}
