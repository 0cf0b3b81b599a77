//! How much a token says: names, numbers and long words more than the words that hold a sentence
//! together.

use crate::text::{composed, is_spaceless};
use crate::watch::CHUNK;
use crate::{Error, Watch};

/// Words of English and Spanish that say little by themselves, sorted.
pub const STOP_WORDS: [&str; 51] = [
    "a", "al", "an", "and", "are", "as", "at", "be", "by", "can", "como", "con", "de", "del", "do",
    "does", "el", "en", "es", "for", "from", "how", "in", "is", "it", "la", "las", "los", "o",
    "of", "on", "or", "para", "por", "que", "se", "su", "sus", "that", "the", "this", "to", "un",
    "una", "what", "when", "where", "who", "why", "with", "y",
];

/// What a stop word weighs.
const STOP_WORD: f64 = 0.35;
/// Identifiers, versions, dates: who asks for one wants that one.
const WITH_DIGIT_OR_UNDERSCORE: f64 = 2.2;
/// From [`LONG_FROM`] characters on.
const LONG: f64 = 1.6;
const LONG_FROM: usize = 8;
/// Up to [`SHORT_UP_TO`] characters.
const SHORT: f64 = 0.6;
const SHORT_UP_TO: usize = 2;
/// Everything else; and what is written without spaces, where length says nothing.
const ORDINARY: f64 = 1.0;

/// The weight of a composed token beside the built-in [`STOP_WORDS`].
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn specificity(token: &str, watch: Watch<'_>) -> Result<f64, Error> {
    weight(token, STOP_WORDS.binary_search(&token).is_ok(), watch)
}

/// The weight of a composed token beside stop words of the caller's own, which are composed here.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn specificity_beside(
    token: &str,
    stop_words: &[&str],
    watch: Watch<'_>,
) -> Result<f64, Error> {
    weight(token, stop_words.iter().any(|word| composed(word) == token), watch)
}

fn weight(token: &str, is_stop_word: bool, watch: Watch<'_>) -> Result<f64, Error> {
    if is_stop_word {
        return Ok(STOP_WORD);
    }
    for (place, bytes) in token.as_bytes().chunks(CHUNK).enumerate() {
        watch.check_at(place * CHUNK)?;
        if bytes.iter().any(|&byte| byte.is_ascii_digit() || byte == b'_') {
            return Ok(WITH_DIGIT_OR_UNDERSCORE);
        }
    }
    if !token.is_ascii() {
        for (place, character) in token.chars().enumerate() {
            watch.check_at(place)?;
            if is_spaceless(character) {
                return Ok(ORDINARY);
            }
        }
    }
    Ok(match token.chars().take(LONG_FROM).count() {
        LONG_FROM.. => LONG,
        ..=SHORT_UP_TO => SHORT,
        _ => ORDINARY,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_in_their_order() {
        assert!(STOP_WORDS.is_sorted());
        for (token, expected) in [
            ("the", 0.35),
            ("the1", 2.2),
            ("_", 2.2),
            ("x3", 2.2),
            ("x\u{ff13}", 0.6),
            ("漢字漢字漢字漢字", 1.0),
            ("字", 1.0),
            ("จะ", 1.0),
            ("naïveté", 1.0),
            ("naïvetés", 1.6),
            ("é", 0.6),
            ("", 0.6),
            ("abc", 1.0),
        ] {
            assert_eq!(specificity(token, Watch::never()), Ok(expected), "{token}");
        }
    }

    #[test]
    fn own_stop_words_take_the_place_of_the_built_in_ones() {
        let beside = |token, word| specificity_beside(token, &[word], Watch::never());
        assert_eq!(beside("the", "foo"), Ok(1.0));
        assert_eq!(beside("x1", "x1"), Ok(0.35));
        assert_eq!(beside("caf\u{e9}", "cafe\u{301}"), Ok(0.35));
    }

    #[test]
    fn a_long_token_is_stopped() {
        for token in ["a", "é", "각"] {
            let token = token.repeat(CHUNK + 1);
            assert_eq!(specificity(&token, Watch::new(&|| false)), Err(Error::Interrupted));
            assert_eq!(specificity(&token, Watch::never()), Ok(LONG));
        }
    }
}
