//! What a character is to the tokenizers.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// The part that a character can play in a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Parts tokens.
    Other = 1,
    /// A letter of a script that is written with spaces, or with another mark between words.
    Letter,
    /// A decimal digit of such a script.
    Digit,
    /// The underscore.
    Underscore,
    /// A mark on the character before it.
    Mark,
    /// U+200C or U+200D.
    Joiner,
    /// A letter of Han.
    Ideograph,
    /// A number of Han that is no letter, such as U+3007.
    IdeographicNumber,
    /// A letter of another script without spaces.
    Syllable,
    /// A decimal digit of a script without spaces.
    SyllableDigit,
}

impl Class {
    /// All of them, each at the place that is its number; what is left of four bits is [`Class::Other`].
    pub(super) const ALL: [Self; 16] = {
        let mut all = [Self::Other; 16];
        let known = [
            Self::Letter,
            Self::Digit,
            Self::Underscore,
            Self::Mark,
            Self::Joiner,
            Self::Ideograph,
            Self::IdeographicNumber,
            Self::Syllable,
            Self::SyllableDigit,
        ];
        let mut next = 0;
        while next < known.len() {
            all[known[next] as usize] = known[next];
            next += 1;
        }
        all
    };

    /// The class of a character.
    pub(super) fn of(character: char) -> Self {
        match character {
            '_' => return Self::Underscore,
            '\u{200c}' | '\u{200d}' => return Self::Joiner,
            _ => {}
        }
        let category = character.general_category();
        match character.general_category_group() {
            GeneralCategoryGroup::Letter if is_han(character) => Self::Ideograph,
            GeneralCategoryGroup::Letter if is_unspaced(character) => Self::Syllable,
            GeneralCategoryGroup::Letter => Self::Letter,
            GeneralCategoryGroup::Mark => Self::Mark,
            _ => match category {
                GeneralCategory::DecimalNumber if is_unspaced(character) => Self::SyllableDigit,
                GeneralCategory::DecimalNumber => Self::Digit,
                GeneralCategory::LetterNumber if is_han(character) => Self::IdeographicNumber,
                _ => Self::Other,
            },
        }
    }

    /// Whether each such character is a token of its own.
    pub(super) fn stands_alone(self) -> bool {
        matches!(self, Self::Ideograph | Self::Syllable | Self::SyllableDigit)
    }

    /// Whether a token can begin with such a character.
    pub(super) fn begins(self) -> bool {
        matches!(self, Self::Letter | Self::Digit | Self::Underscore) || self.stands_alone()
    }

    /// Whether such a character belongs to the one before it.
    pub(super) fn follows(self) -> bool {
        matches!(self, Self::Mark | Self::Joiner)
    }
}

/// Whether a character is of a script that is written without spaces.
#[must_use]
pub fn is_spaceless(character: char) -> bool {
    !character.is_ascii() && Class::of(character).stands_alone()
}

/// Whether a character is a letter of any script.
#[must_use]
pub fn is_letter(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphabetic();
    }
    character.general_category_group() == GeneralCategoryGroup::Letter
}

/// Whether a character is a decimal digit of any script.
#[must_use]
pub fn is_digit(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_digit();
    }
    character.general_category() == GeneralCategory::DecimalNumber
}

/// Whether a character is part of a word: a letter, a decimal digit, a mark or the underscore.
#[must_use]
pub fn is_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    match character.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark => true,
        GeneralCategoryGroup::Number => is_digit(character),
        _ => false,
    }
}

/// Whether a character is of Han, or the closing mark, which belongs to no script but is written as an
/// ideograph.
#[must_use]
pub fn is_han(character: char) -> bool {
    character == '\u{3006}' || character.script() == Script::Han
}

fn is_unspaced(character: char) -> bool {
    match character.script() {
        Script::Hiragana
        | Script::Katakana
        | Script::Thai
        | Script::Lao
        | Script::Khmer
        | Script::Myanmar => true,
        // Shared by both kana: repeat marks, the masu mark, long vowels, half-width voiced marks.
        Script::Common => matches!(
            character,
            '\u{3031}'
                ..='\u{3035}' | '\u{303c}' | '\u{30fc}' | '\u{ff70}' | '\u{ff9e}' | '\u{ff9f}'
        ),
        _ => false,
    }
}
