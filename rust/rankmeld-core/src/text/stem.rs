//! Stems of words: the light rule, and Snowball's by language.

use std::borrow::Cow;

use super::snowball::Snowball;

/// Words of so many characters or fewer are left alone by the light rule.
const SHORT: usize = 4;

/// What brings the forms of a word together.
#[derive(Debug)]
pub enum Stemmer {
    /// Words stay as they are.
    Unchanged,
    /// [`light_stem`].
    Light,
    /// A language's Snowball algorithm.
    Snowball(Snowball),
}

/// A stem by what it has of its word, so that most need no memory.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stem {
    /// So many bytes of the word.
    Beginning(usize),
    /// So many bytes of the word and another ending.
    BeginningAnd(usize, &'static str),
    /// Another word.
    Other(String),
}

impl Stemmer {
    /// The stemmer of a name: `light`, a language of
    /// [`SNOWBALL_LANGUAGES`](super::SNOWBALL_LANGUAGES), or none at all.
    #[must_use]
    pub fn named(name: Option<&str>) -> Option<Self> {
        match name {
            None => Some(Self::Unchanged),
            Some("light") => Some(Self::Light),
            Some(language) => Snowball::of(language).map(Self::Snowball),
        }
    }

    /// The stem of a lower-cased word.
    #[must_use]
    pub fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        self.apply(word).of(word)
    }

    #[inline]
    pub(super) fn apply(&self, word: &str) -> Stem {
        match self {
            Self::Unchanged => Stem::Beginning(word.len()),
            Self::Light => light(word),
            Self::Snowball(snowball) => snowball.apply(word),
        }
    }
}

impl Stem {
    fn of(self, word: &str) -> Cow<'_, str> {
        match self {
            Self::Beginning(length) => Cow::Borrowed(&word[..length]),
            Self::BeginningAnd(length, ending) => Cow::Owned([&word[..length], ending].concat()),
            Self::Other(stem) => Cow::Owned(stem),
        }
    }
}

/// Takes an English plural's ending off, and knows two forms of *ride*.
///
/// `rode` and `riding` give `ride`; a word of up to four characters, or one in `ss`, stays; `sses`
/// becomes `ss`, `ies` becomes `y`, and another final `s` goes.
#[must_use]
pub fn light_stem(word: &str) -> Cow<'_, str> {
    light(word).of(word)
}

#[inline]
fn light(word: &str) -> Stem {
    let length = word.len();
    match word.as_bytes() {
        b"rode" => Stem::BeginningAnd(1, "ide"),
        b"riding" => Stem::BeginningAnd(3, "e"),
        [.., b's', b's'] => Stem::Beginning(length),
        [.., b's'] if word.chars().nth(SHORT).is_none() => Stem::Beginning(length),
        [.., b's', b's', b'e', b's'] => Stem::Beginning(length - 2),
        [.., b'i', b'e', b's'] => Stem::BeginningAnd(length - 3, "y"),
        [.., b's'] => Stem::Beginning(length - 1),
        _ => Stem::Beginning(length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{SNOWBALL_LANGUAGES, TokenBuffer};
    use proptest::prelude::*;

    #[test]
    fn light_stems() {
        for (word, stem) in [
            ("rode", "ride"),
            ("riding", "ride"),
            ("news", "news"),
            ("glass", "glass"),
            ("sses", "sses"),
            ("asses", "ass"),
            ("dies", "dies"),
            ("flies", "fly"),
            ("été", "été"),
            ("étés", "étés"),
            ("cafés", "café"),
            ("s", "s"),
            ("", ""),
        ] {
            assert_eq!(light_stem(word), stem, "{word}");
        }
    }

    #[test]
    fn names() {
        for name in
            [None, Some("light")].into_iter().chain(SNOWBALL_LANGUAGES.iter().copied().map(Some))
        {
            assert!(Stemmer::named(name).is_some(), "{name:?}");
        }
        assert!(Stemmer::named(Some("lovins")).is_none());
    }

    proptest! {
        #[test]
        fn a_buffer_holds_the_stems_of_its_words(
            words in proptest::collection::vec((0..6_usize, 0..5_usize), 0..40)
        ) {
            let (beginnings, endings) =
                (["quer", "riding", "straß", "l", "address", "été"], ["", "s", "ies", "es", "ing"]);
            let words: Vec<String> = words
                .into_iter()
                .map(|(first, last)| format!("{}{}", beginnings[first], endings[last]))
                .filter(|word| word.len() > 1)
                .collect();
            let mut buffer = TokenBuffer::new();
            for name in [None, Some("light"), Some("english"), Some("german")] {
                let stemmer = Stemmer::named(name).expect("a known name");
                buffer.bm25_tokenize(&words.join(" "), &stemmer);
                let wanted: Vec<_> = words.iter().map(|word| stemmer.stem(word)).collect();
                prop_assert_eq!(buffer.iter().collect::<Vec<_>>(), wanted);
            }
        }
    }
}
