//! Whether a text holds a word of a message.
//!
//! What counts as a word is long enough to say something: more than three characters of a script with
//! spaces; two ideographs side by side; four characters side by side of another script that is written
//! without spaces, but for hiragana, whose long runs are endings that every sentence has.

use foldhash::fast::RandomState;
use hashbrown::HashSet;
use unicode_script::{Script, UnicodeScript};

use crate::text::{TokenBuffer, is_han, is_spaceless};
use crate::watch::CHUNK;
use crate::{Error, Watch};

/// A word of a script with spaces is looked for if it has more characters than this.
const SHORT: usize = 3;

/// How many of these characters side by side count as a word.
const IDEOGRAPHS: usize = 2;
const SYLLABLES: usize = 4;

/// The words of a message.
#[derive(Debug, Default)]
pub struct MessageWords {
    words: HashSet<Box<str>, RandomState>,
}

impl MessageWords {
    /// The words of a message that count.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the work is to stop.
    pub fn of(message: &str, watch: Watch<'_>) -> Result<Self, Error> {
        let mut made = Self::default();
        let mut reader = WordReader::new();
        reader.find(message, watch, |word| {
            if !made.words.contains(word) {
                made.words.insert(word.into());
            }
            false
        })?;
        Ok(made)
    }

    /// Whether there is no word that counts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// For each text the first of these words in it, in lower case.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the work is to stop.
    pub fn in_texts(&self, texts: &[&str], watch: Watch<'_>) -> Result<Vec<Option<String>>, Error> {
        if self.is_empty() {
            return Ok(vec![None; texts.len()]);
        }
        let mut reader = WordReader::new();
        let mut done = 0;
        let mut found = Vec::with_capacity(texts.len());
        for text in texts {
            found.push(reader.find(text, watch, |word| self.words.contains(word))?);
            done += text.len() + 1;
            if done >= CHUNK {
                watch.check()?;
                done = 0;
            }
        }
        Ok(found)
    }
}

/// Finds the words of texts, in memory that is used again for the next one.
#[derive(Debug)]
struct WordReader {
    tokens: TokenBuffer,
    joined: String,
}

impl WordReader {
    fn new() -> Self {
        Self { tokens: TokenBuffer::new(), joined: String::new() }
    }

    /// The first word of a text that is `wanted`.
    fn find(
        &mut self,
        text: &str,
        watch: Watch<'_>,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<Option<String>, Error> {
        self.tokens.tokenize_watched(text, watch)?;
        let tokens = &self.tokens;
        for (place, token) in tokens.iter().enumerate() {
            watch.check_at(place)?;
            let word = match Kind::of(token) {
                Kind::Word if token.len() > SHORT && token.chars().nth(SHORT).is_some() => token,
                Kind::Ideograph if join(tokens, place, IDEOGRAPHS, &mut self.joined) => {
                    &self.joined
                }
                Kind::Syllable if join(tokens, place, SYLLABLES, &mut self.joined) => &self.joined,
                _ => continue,
            };
            if wanted(word) {
                return Ok(Some(word.to_owned()));
            }
        }
        Ok(None)
    }
}

/// Puts together so many tokens of one kind from a place on, if they stand side by side.
fn join(tokens: &TokenBuffer, place: usize, size: usize, joined: &mut String) -> bool {
    let kind = Kind::of(tokens.get(place));
    joined.clear();
    for part in place..place + size {
        if part > place && !(tokens.touches_next(part - 1) && Kind::of(tokens.get(part)) == kind) {
            return false;
        }
        joined.push_str(tokens.get(part));
    }
    true
}

/// What a token is to the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Ideograph,
    Hiragana,
    Syllable,
}

impl Kind {
    fn of(token: &str) -> Self {
        match token.chars().next() {
            Some(first) if is_spaceless(first) => match first.script() {
                _ if is_han(first) => Self::Ideograph,
                Script::Hiragana => Self::Hiragana,
                _ => Self::Syllable,
            },
            _ => Self::Word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shared(message: &str, text: &str) -> Option<String> {
        let words = MessageWords::of(message, Watch::never()).expect("nobody stops it");
        words.in_texts(&[text], Watch::never()).expect("nobody stops it").remove(0)
    }

    #[test]
    fn long_words_count_whole_and_in_any_case() {
        assert_eq!(shared("The HOUSE, please", "a house-boat").as_deref(), Some("house"));
        assert_eq!(shared("house", "greenhouse houses a_house"), None);
        assert_eq!(shared("the old cat sat", "the old cat sat"), None);
        assert_eq!(shared("boat", "boat").as_deref(), Some("boat"));
        assert_eq!(shared("nai\u{308}ve", "NA\u{cf}VE").as_deref(), Some("na\u{ef}ve"));
    }

    #[test]
    fn two_ideographs_count_where_they_stand_side_by_side() {
        assert_eq!(shared("検索 engine", "文書を検索する").as_deref(), Some("検索"));
        assert_eq!(shared("検索", "検 索, 索検, 検あ索"), None);
        assert_eq!(shared("検", "検"), None);
        assert_eq!(shared("違う話", "全然違う"), None);
    }

    #[test]
    fn other_scripts_without_spaces_count_by_fours() {
        assert_eq!(shared("システム", "検索システムです").as_deref(), Some("システム"));
        assert_eq!(shared("しています", "検索しています"), None);
        assert!(shared("กรุงเทพมหานคร", "ไปกรุงเทพ").is_some());
        assert_eq!(shared("ไปไหน", "มาแล้ว"), None);
    }

    #[test]
    fn it_stops_when_told() {
        let long = "word ".repeat(CHUNK + 1);
        let stop = || false;
        assert!(matches!(MessageWords::of(&long, Watch::new(&stop)), Err(Error::Interrupted)));
        let words = MessageWords::of("other", Watch::never()).expect("nobody stops it");
        assert_eq!(words.in_texts(&[&long], Watch::new(&stop)), Err(Error::Interrupted));
        let many = vec!["a text of some words"; CHUNK / 10];
        assert_eq!(words.in_texts(&many, Watch::new(&stop)), Err(Error::Interrupted));
    }

    proptest! {
        #[test]
        fn sharing_is_mutual(a in "[ab 検索システム่ก]{0,14}", b in "[ab 検索システム่ก]{0,14}") {
            prop_assert_eq!(shared(&a, &b).is_some(), shared(&b, &a).is_some());
        }

        #[test]
        fn a_text_holds_its_own_words(a in "\\PC{0,20}", b in "[a-z]{4,8}") {
            let text = format!("{a} {b}");
            prop_assert!(shared(&b, &text).is_some());
        }
    }
}
