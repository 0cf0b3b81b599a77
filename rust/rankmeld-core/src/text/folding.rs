//! Texts without what makes no difference to a reader: case, composition, how wide a space is.

use std::borrow::Cow;

use super::normal_form::composed;
use crate::{Error, Watch};

/// The text composed (NFC) and folded, with each run of white space as one space, trimmed.
///
/// Two texts are equal after this exactly if they are after full case folding.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn folded(text: &str, watch: Watch<'_>) -> Result<String, Error> {
    let mut folded = String::with_capacity(text.len());
    // Composing and folding reach across no white space, so words are taken one by one.
    for (count, word) in text.split_whitespace().enumerate() {
        watch.check_at(count)?;
        if count > 0 {
            folded.push(' ');
        }
        push_word(word, &mut folded, watch)?;
    }
    Ok(folded)
}

/// The text composed (NFC) and folded, its white space as it is.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn case_folded(text: &str, watch: Watch<'_>) -> Result<String, Error> {
    let mut folded = String::with_capacity(text.len());
    push_word(text, &mut folded, watch)?;
    Ok(folded)
}

fn push_word(word: &str, folded: &mut String, watch: Watch<'_>) -> Result<(), Error> {
    let start = folded.len();
    if word.is_ascii() {
        folded.push_str(word);
        folded[start..].make_ascii_lowercase();
        return Ok(());
    }
    for (count, character) in composed(word).chars().enumerate() {
        watch.check_at(count)?;
        folded.extend(fold(character));
    }
    // What one character becomes may compose with the next.
    if let Cow::Owned(changed) = composed(&folded[start..]) {
        folded.truncate(start);
        folded.push_str(&changed);
    }
    Ok(())
}

/// What all forms of a letter have in common.
///
/// The way through upper case and back takes letters together that full case folding does, all of
/// them and no others, but for the dotless i, which shares its capital with another letter.
fn fold(character: char) -> impl Iterator<Item = char> {
    let plain = (character.is_ascii() || character == 'ı').then(|| character.to_ascii_lowercase());
    let others = plain.is_none().then(|| {
        let lower = character.to_lowercase();
        lower.flat_map(char::to_uppercase).flat_map(char::to_lowercase)
    });
    plain.into_iter().chain(others.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::is_word;

    fn of(text: &str) -> String {
        folded(text, Watch::never()).expect("nobody stops it")
    }

    #[test]
    fn case_composition_and_spaces_make_no_difference() {
        assert_eq!(of("  POR \u{2003}\n QUE\u{301} "), "por qué");
        for form in ["Straße", "STRASSE", "straẞe", "ſtraſſe"] {
            assert_eq!(of(form), "strasse");
        }
        assert_eq!(of("ΛΌΓΟΣ"), of("λόγος"));
        assert_eq!(of("\u{390}"), of("\u{3aa}\u{301}"));
        assert_eq!(of("ﬂow"), "flow");
        assert_ne!(of("ı"), of("i"));
        assert_eq!(of(" \u{3000}"), "");
    }

    #[test]
    fn a_character_folds_to_what_it_is_to_words() {
        for character in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let kept = fold(character).all(|other| is_word(other) == is_word(character));
            assert!(kept, "{character:?}");
        }
    }

    #[test]
    fn it_stops_when_told() {
        let stop = Watch::new(&|| false);
        assert_eq!(folded(&"a ".repeat(1 << 17), stop), Err(Error::Interrupted));
        assert_eq!(folded(&"é".repeat(1 << 17), stop), Err(Error::Interrupted));
    }
}
