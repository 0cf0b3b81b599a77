//! Cutting a text into sentences.

use std::ops::Range;

/// Where the sentences of a text stand, in order, without the white space around them.
///
/// A sentence ends at `.`, `!`, `?` or `;` before white space or the end, at a line break, and at
/// the full-width marks wherever they stand. It keeps the mark. What is blank is no sentence.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
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
            found.extend(trimmed(text, start..end));
            start = end;
        }
    }
    found.extend(trimmed(text, start..text.len()));
    found
}

/// The range without white space at its ends, unless nothing is left.
fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let sentence = text[range.clone()].trim_end();
    let end = range.start + sentence.len();
    let start = end - sentence.trim_start().len();
    (start < end).then_some(start..end)
}
