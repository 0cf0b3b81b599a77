//! Text into the words that rules look at, each byte read once.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::words::{LONGEST, Number, Word};
use crate::{Error, Watch};

/// The words of a text, with all that no phrase contains left out but for one mark.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// What they are.
    pub words: Vec<Word>,
    /// Where they begin and end, in bytes.
    pub places: Vec<(usize, usize)>,
}

impl Words {
    /// The words of a text.
    pub(super) fn of(text: &str, watch: Watch<'_>) -> Result<Self, Error> {
        let mut found = Self::default();
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut pieces = 0;
        while let Some(&byte) = bytes.get(at) {
            pieces += 1;
            watch.check_at(pieces)?;
            at = match byte {
                b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => found.word(text, at),
                b' ' | b'\t'..=b'\r' => at + 1,
                b',' => found.push(Word::Comma, at, at + 1),
                0..0x80 => found.push(Word::Other, at, at + 1),
                _ => found.beyond_ascii(text, at),
            };
        }
        Ok(found)
    }

    /// Takes a word in, and gives where it ends. What no phrase contains stands there once, with
    /// the commas behind it.
    fn push(&mut self, word: Word, start: usize, end: usize) -> usize {
        let is_mark = matches!(word, Word::Other | Word::Comma);
        if !is_mark || self.words.last() != Some(&Word::Other) {
            self.words.push(word);
            self.places.push((start, end));
        }
        end
    }

    fn word(&mut self, text: &str, start: usize) -> usize {
        let bytes = text.as_bytes();
        let mut end = start + 1;
        while bytes.get(end).is_some_and(|&byte| is_word_byte(byte)) {
            end += 1;
        }
        if bytes.get(end).is_some_and(|byte| !byte.is_ascii()) {
            let whole = end_of_word(text, end);
            if whole > end {
                return self.push(Word::Other, start, whole);
            }
        }
        let run = &bytes[start..end];
        if !run[0].is_ascii_digit() {
            return self.letters(text, start, end);
        }
        let digits = run.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = value(&run[..digits]);
        let number = Number { value, digits: u8::try_from(digits).unwrap_or(u8::MAX) };
        match &run[digits..] {
            [] if digits == 4 => self.four_digits(text, start, number),
            [] if is_clock(&text[start..]) && !is_glued(&text[..start]) => {
                self.push(Word::Clock, start, start + CLOCK)
            }
            [] => self.push_number(text, Word::Number(number), start, end),
            suffix if is_ordinal(suffix) && digits <= 2 => {
                self.push_number(text, Word::Ordinal(value), start, end)
            }
            _ => self.push(Word::Other, start, end),
        }
    }

    fn letters(&mut self, text: &str, start: usize, end: usize) -> usize {
        if end - start > LONGEST || is_joined(&text[..start]) {
            return self.push(Word::Other, start, end);
        }
        let (word, takes_dot) = Word::of(&text.as_bytes()[start..end]);
        match word {
            Word::Number(_) => self.push_number(text, word, start, end),
            _ if takes_dot && text.as_bytes().get(end) == Some(&b'.') => {
                self.push(word, start, end + 1)
            }
            _ => self.push(word, start, end),
        }
    }

    /// A year, a number, or the beginning of a date in ISO 8601.
    fn four_digits(&mut self, text: &str, start: usize, number: Number) -> usize {
        let end = start + 4;
        let bytes = text.as_bytes();
        if let Some([b'-', m1, m2, b'-', d1, d2]) = bytes.get(end..end + 6)
            && [m1, m2, d1, d2].iter().all(|byte| byte.is_ascii_digit())
            && bytes.get(end + 6).is_none_or(|&byte| !is_word_byte(byte))
            && end_of_word(text, end + 6) == end + 6
        {
            let pair = |tens: &u8, ones: &u8| 10 * (tens - b'0') + (ones - b'0');
            let date = Word::IsoDate(number.value as u16, pair(m1, m2), pair(d1, d2));
            return self.push_number(text, date, start, end + 6);
        }
        if text[..start].ends_with(',') && !runs_on(&text[end..]) {
            return self.push(Word::AfterComma(number), start, end);
        }
        self.push_number(text, Word::Number(number), start, end)
    }

    /// A number, unless it is a part of something longer: `1,000`, `2.5`, `-3`, `20:30`, `5%`.
    fn push_number(&mut self, text: &str, word: Word, start: usize, end: usize) -> usize {
        let day = matches!(word, Word::Ordinal(_) | Word::Number(Number { digits: 1..=2, .. }));
        let rest = &text[end..];
        let glued = is_glued(&text[..start]) || runs_on(rest) && !(day && is_comma_year(rest));
        self.push(if glued { Word::Other } else { word }, start, end)
    }

    fn beyond_ascii(&mut self, text: &str, at: usize) -> usize {
        let end = end_of_word(text, at);
        if end > at {
            return self.push(Word::Other, at, end);
        }
        let Some(character) = text[at..].chars().next() else { return text.len() };
        let end = at + character.len_utf8();
        if character.is_whitespace() { end } else { self.push(Word::Other, at, end) }
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Letters, marks on them, numbers of any kind, and the underscore.
fn is_word_character(character: char) -> bool {
    if character.is_ascii() {
        return is_word_byte(character as u8);
    }
    matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark | GeneralCategoryGroup::Number
    )
}

/// Where the word ends that goes on at a place; the place itself if none does.
fn end_of_word(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    at + rest.find(|character| !is_word_character(character)).unwrap_or(rest.len())
}

fn value(digits: &[u8]) -> u32 {
    digits.iter().fold(0_u32, |value, digit| {
        value.saturating_mul(10).saturating_add(u32::from(digit - b'0'))
    })
}

fn is_ordinal(suffix: &[u8]) -> bool {
    [&b"st"[..], b"nd", b"rd", b"th"].iter().any(|known| suffix.eq_ignore_ascii_case(known))
}

/// Whether what stands before a number belongs to it.
fn is_glued(before: &str) -> bool {
    match before.as_bytes().last() {
        None => false,
        Some(byte) if byte.is_ascii() => b",.-+/:$#".contains(byte),
        Some(_) => before.ends_with(['−', '–', '±', '€', '£', '¥']),
    }
}

/// Whether what stands before a word joins it to a number: `2008-May 2009`.
fn is_joined(before: &str) -> bool {
    let number = before.strip_suffix(['-', '–', '−']);
    number.is_some_and(|number| number.ends_with(|last: char| last.is_ascii_digit()))
}

/// Letters of a [`Word::Clock`].
const CLOCK: usize = 8;

/// Whether a time of day begins here as `ctime` and logs write it, `02:52:33`, with white space
/// behind it.
fn is_clock(text: &str) -> bool {
    let Some((clock, after)) = text.split_at_checked(CLOCK) else { return false };
    let expected = |(place, byte): (usize, u8)| match place % 3 {
        2 => byte == b':',
        _ => byte.is_ascii_digit(),
    };
    clock.bytes().enumerate().all(expected) && after.starts_with(char::is_whitespace)
}

/// Whether a number goes on in what follows it.
fn runs_on(after: &str) -> bool {
    let mut characters = after.chars();
    match characters.next() {
        Some(',' | '.' | ':' | '/') => characters.next().is_some_and(|c| c.is_ascii_digit()),
        Some('-' | '–' | '−') => characters.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        Some('%' | '°' | '$' | '€' | '£' | '¥') => true,
        _ => false,
    }
}

/// Whether a comma and a number of four digits follow, without a space.
fn is_comma_year(after: &str) -> bool {
    let [b',', year @ ..] = after.as_bytes() else { return false };
    year.len() >= 4 && year[..4].iter().all(u8::is_ascii_digit) && end_of_word(after, 5) == 5
}
