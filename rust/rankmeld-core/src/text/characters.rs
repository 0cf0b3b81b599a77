//! What is known of characters, looked up once each.

use std::iter;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};

use super::classes::Class;
use crate::{Error, Watch};

/// Characters that have a place of their own in the table: those of the basic plane.
const BASIC: usize = 1 << 16;

/// The class of a character, and what holds for it, in one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts(u8);

impl Facts {
    /// No character has class 0.
    const UNKNOWN: Self = Self(0);
    const CLASS: u8 = 0b1111;
    const COMPOSED: u8 = 1 << 4;
    const COMPATIBLE: u8 = 1 << 5;
    const LOWER: u8 = 1 << 6;
    const LETTER: u8 = 1 << 7;

    fn of(character: char) -> Self {
        let class = Class::of(character);
        let one = || iter::once(character);
        let starts = canonical_combining_class(character) == 0;
        let kept = |answer| starts && answer == IsNormalized::Yes;
        // What a separator becomes is of no interest, as long as it parts tokens.
        let parts = |character| Class::of(character) == Class::Other;
        let flag = |holds, bit| if holds { bit } else { 0 };
        Self(
            class as u8
                | flag(
                    kept(is_nfc_quick(one())) || parts(character) && one().nfc().all(parts),
                    Self::COMPOSED,
                )
                | flag(
                    kept(is_nfkc_quick(one())) || parts(character) && one().nfkc().all(parts),
                    Self::COMPATIBLE,
                )
                | flag(character.to_lowercase().eq(one()), Self::LOWER)
                | flag(class == Class::Letter, Self::LETTER),
        )
    }

    /// The character's part in a token.
    pub(super) fn class(self) -> Class {
        Class::ALL[usize::from(self.0 & Self::CLASS)]
    }

    /// Whether NFC keeps the character (or what it is to tokens) and joins it to none before it.
    pub(super) fn composed(self) -> bool {
        self.0 & Self::COMPOSED != 0
    }

    /// Whether NFKC keeps the character (or what it is to tokens) and joins it to none before it.
    pub(super) fn compatible(self) -> bool {
        self.0 & Self::COMPATIBLE != 0
    }

    /// Whether lower case leaves the character alone.
    pub(super) fn lower(self) -> bool {
        self.0 & Self::LOWER != 0
    }

    /// Whether it is a [`Class::Letter`].
    pub(super) fn letter(self) -> bool {
        self.0 & Self::LETTER != 0
    }
}

/// A table of facts that fills as characters are met.
///
/// The tables of Unicode are searched by halving; a text asks for few characters, many times.
#[derive(Debug, Default)]
pub(super) struct Characters {
    basic: Vec<Facts>,
}

impl Characters {
    /// What is known of a character.
    #[inline]
    pub(super) fn facts(&mut self, character: char) -> Facts {
        match self.basic.get(character as usize) {
            Some(&facts) if facts != Facts::UNKNOWN => facts,
            _ => self.look_up(character),
        }
    }

    /// What holds for all characters of a piece; its class says nothing.
    pub(super) fn common(&mut self, piece: &str, watch: Watch<'_>) -> Result<Facts, Error> {
        let mut common = u8::MAX;
        for (count, character) in piece.chars().enumerate() {
            watch.check_at(count)?;
            common &= self.facts(character).0;
        }
        Ok(Facts(common))
    }

    #[cold]
    fn look_up(&mut self, character: char) -> Facts {
        self.basic.resize(BASIC, Facts::UNKNOWN);
        let facts = Facts::of(character);
        if let Some(known) = self.basic.get_mut(character as usize) {
            *known = facts;
        }
        facts
    }
}
