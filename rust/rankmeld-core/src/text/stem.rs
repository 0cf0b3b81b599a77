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
        match self {
            Self::Unchanged => Cow::Borrowed(word),
            Self::Light => light_stem(word),
            Self::Snowball(snowball) => snowball.stem(word),
        }
    }
}

/// Takes an English plural's ending off, and knows two forms of *ride*.
///
/// `rode` and `riding` give `ride`; a word of up to four characters, or one in `ss`, stays; `sses`
/// becomes `ss`, `ies` becomes `y`, and another final `s` goes.
#[must_use]
pub fn light_stem(word: &str) -> Cow<'_, str> {
    if word == "rode" || word == "riding" {
        return Cow::Borrowed("ride");
    }
    let Some(stem) = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')) else {
        return Cow::Borrowed(word);
    };
    if is_short(word) {
        return Cow::Borrowed(word);
    }
    match stem.strip_suffix("ie") {
        Some(beginning) => Cow::Owned(format!("{beginning}y")),
        None => Cow::Borrowed(stem.strip_suffix("e").filter(|s| s.ends_with("ss")).unwrap_or(stem)),
    }
}

fn is_short(word: &str) -> bool {
    word.chars().nth(SHORT).is_none()
}
