//! Normal forms: NFC for tokens, NFKC for the terms of lexical search.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::characters::{Characters, Facts};
use crate::{Error, Watch};

/// The text in NFC; as it is where it is composed already.
#[must_use]
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// The same, of a text that may be long.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn composed_watched<'a>(text: &'a str, watch: Watch<'_>) -> Result<Cow<'a, str>, Error> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Ok(Cow::Borrowed(text));
    }
    let mut changed = String::with_capacity(text.len());
    Form::Composed.append(text, &mut changed, watch)?;
    Ok(Cow::Owned(changed))
}

/// A normal form.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// NFC.
    Composed,
    /// NFKC.
    Compatible,
}

impl Form {
    /// The piece in this form, for all that tokens see of it: itself, or what is then put into
    /// `changed`. Separators stay as they are where they would become other separators.
    ///
    /// Nothing reaches across the beginning of a character that the form keeps, so only what lies
    /// between two of those is normalized: the first of the two, and the others after it.
    pub(super) fn of<'a>(
        self,
        piece: &'a str,
        characters: &mut Characters,
        changed: &'a mut String,
        watch: Watch<'_>,
    ) -> Result<&'a str, Error> {
        changed.clear();
        let (mut copied, mut safe, mut pending) = (0, 0, false);
        for (count, (at, character)) in piece.char_indices().enumerate() {
            watch.check_at(count)?;
            if !self.keeps(characters.facts(character)) {
                pending = true;
                continue;
            }
            if pending {
                changed.push_str(&piece[copied..safe]);
                self.append(&piece[safe..at], changed, watch)?;
                (copied, pending) = (at, false);
            }
            safe = at;
        }
        if pending {
            changed.push_str(&piece[copied..safe]);
            self.append(&piece[safe..], changed, watch)?;
        } else if copied == 0 {
            return Ok(piece);
        } else {
            changed.push_str(&piece[copied..]);
        }
        Ok(changed)
    }

    /// Whether the form leaves texts of characters with these facts alone.
    pub(super) fn keeps(self, facts: Facts) -> bool {
        match self {
            Self::Composed => facts.composed(),
            Self::Compatible => facts.compatible(),
        }
    }

    fn append(self, piece: &str, changed: &mut String, watch: Watch<'_>) -> Result<(), Error> {
        let mut push = |(count, character)| {
            changed.push(character);
            watch.check_at(count)
        };
        match self {
            Self::Composed => piece.nfc().enumerate().try_for_each(&mut push),
            Self::Compatible => piece.nfkc().enumerate().try_for_each(&mut push),
        }
    }
}
