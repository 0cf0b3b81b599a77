//! Cutting a text into sentences.

use std::ops::Range;

use super::runs::each_run;
use crate::{Error, Watch};

/// Where the sentences of a text stand, in order, without the white space around them.
///
/// A sentence ends at `.`, `!`, `?` or `;` before white space or the end, at a line break, and at
/// the full-width marks wherever they stand. It keeps the mark. What is blank is no sentence.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn sentences_watched(text: &str, watch: Watch<'_>) -> Result<Vec<Range<usize>>, Error> {
    let mut found = Vec::new();
    let mut start = 0;
    let nothing_special = |_| false;
    each_run(text.as_bytes(), may_end_one, nothing_special, watch, |from, to, _| {
        for at in from..to {
            watch.check_at(at)?; // a run of nothing but marks is handed over whole
            let mut characters = text[at..].chars();
            let character = characters.next().unwrap_or_default();
            if ends_one(character, characters.next()) {
                let end = at + character.len_utf8();
                found.extend(trimmed(text, start..end));
                start = end;
            }
        }
        Ok(())
    })?;
    found.extend(trimmed(text, start..text.len()));
    Ok(found)
}

/// Whether a character that may end a sentence can begin with this byte, which then begins one.
fn may_end_one(byte: u8) -> bool {
    matches!(byte, b'.' | b'!' | b'?' | b';' | b'\n'..=b'\r' | 0xc2..)
}

fn ends_one(character: char, next: Option<char>) -> bool {
    match character {
        // The Greek question mark is a semicolon by another code.
        '.' | '!' | '?' | ';' | '\u{37e}' => next.is_none_or(char::is_whitespace),
        '。' | '！' | '？' | '；' => true,
        // The line breaks of Unicode. CR LF leaves a blank between them.
        _ => matches!(character, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}'),
    }
}

/// As [`sentences_watched`], for texts that are read in a moment.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    sentences_watched(text, Watch::never()).unwrap_or_default()
}

/// The range without white space at its ends, unless nothing is left.
fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let sentence = text[range.clone()].trim_end();
    let end = range.start + sentence.len();
    let start = end - sentence.trim_start().len();
    (start < end).then_some(start..end)
}
