//! Cutting a text into sentences.

use std::ops::Range;

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
    let mut characters = text.char_indices().peekable();
    let mut count = 0;
    while let Some((at, character)) = characters.next() {
        count += 1;
        watch.check_at(count)?;
        let ends = match character {
            // The Greek question mark is a semicolon by another code.
            '.' | '!' | '?' | ';' | '\u{37e}' => {
                characters.peek().is_none_or(|(_, next)| next.is_whitespace())
            }
            '。' | '！' | '？' | '；' => true,
            // The line breaks of Unicode. CR LF leaves a blank between them.
            _ => matches!(character, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}'),
        };
        if ends {
            let end = at + character.len_utf8();
            found.extend(trimmed(text, start..end));
            start = end;
        }
    }
    found.extend(trimmed(text, start..text.len()));
    Ok(found)
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
