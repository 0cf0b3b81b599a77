//! The distinct tokens of a batch, each with what comparing it needs, worked out once.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::text::{TokenBuffer, Vocabulary};
use crate::watch::CHUNK;
use crate::{Error, Watch};

/// Distinct tokens, numbered in first-seen order.
pub struct Lexicon {
    vocabulary: Vocabulary,
    profiles: Vec<Profile>,
    /// The distinct bigrams of all tokens, one token after the other.
    bigrams: Vec<u32>,
    codes: BigramCodes,
}

/// What is known of a token.
#[derive(Debug, Clone, Copy)]
struct Profile {
    /// Where its bigrams end in the column of bigrams.
    end: usize,
    /// A bit for each of its characters, many sharing one.
    signature: u32,
}

/// Numbers of bigrams in first-seen order, and the token in which each was last seen.
struct BigramCodes {
    /// By two ASCII characters one more than their code; 0 if there is none yet.
    ascii: Vec<u32>,
    others: HashMap<(char, char), u32, RandomState>,
    /// By code, one more than the number of a token.
    last_seen: Vec<u32>,
}

impl Lexicon {
    /// One with room for so many tokens.
    pub fn with_capacity(tokens: usize) -> Self {
        Self {
            vocabulary: Vocabulary::with_capacity(tokens),
            profiles: Vec::with_capacity(tokens),
            bigrams: Vec::with_capacity(tokens * 8),
            codes: BigramCodes {
                ascii: vec![0; 1 << 14],
                others: HashMap::default(),
                last_seen: Vec::new(),
            },
        }
    }

    /// The number of a token, which may be new.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so; the lexicon is then of no more use.
    pub fn number(&mut self, token: &str, watch: Watch<'_>) -> Result<u32, Error> {
        let number = self.vocabulary.intern(token);
        self.describe_new(watch)?;
        Ok(number)
    }

    /// Appends the number of each token of a buffer, in order.
    ///
    /// # Errors
    /// As [`Lexicon::number`].
    pub fn number_all(
        &mut self,
        tokens: &TokenBuffer,
        numbers: &mut Vec<u32>,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        self.vocabulary.intern_all(tokens, numbers, watch)?;
        self.describe_new(watch)
    }

    /// How many distinct tokens there are.
    pub fn len(&self) -> usize {
        self.profiles.len()
    }

    /// How many bigrams have a code.
    pub fn codes(&self) -> usize {
        self.codes.last_seen.len()
    }

    /// The token of a number.
    pub fn token(&self, number: usize) -> &str {
        self.vocabulary.token(number as u32)
    }

    /// The codes of a token's distinct bigrams.
    #[inline]
    pub fn bigrams(&self, number: usize) -> &[u32] {
        let start = if number == 0 { 0 } else { self.profiles[number - 1].end };
        &self.bigrams[start..self.profiles[number].end]
    }

    /// Whether `whole` has every character that `part` has, as far as a glance tells.
    #[inline]
    pub fn may_contain(&self, whole: usize, part: usize) -> bool {
        self.profiles[part].signature & !self.profiles[whole].signature == 0
    }

    fn describe_new(&mut self, watch: Watch<'_>) -> Result<(), Error> {
        let Self { vocabulary, profiles, bigrams, codes } = self;
        for (count, number) in (profiles.len()..vocabulary.len()).enumerate() {
            watch.check_at(count * 16)?; // looking at a token costs about as much as that many entries
            let token = vocabulary.token(number as u32);
            let stamp = number as u32 + 1;
            let signature = if token.len() < CHUNK && token.is_ascii() {
                codes.collect_ascii(token.as_bytes(), stamp, bigrams)
            } else {
                codes.collect(token, stamp, bigrams, watch)?
            };
            profiles.push(Profile { end: bigrams.len(), signature });
        }
        Ok(())
    }
}

impl BigramCodes {
    /// Appends the codes of the distinct bigrams of a token; gives its signature.
    #[inline]
    fn collect_ascii(&mut self, token: &[u8], stamp: u32, bigrams: &mut Vec<u32>) -> u32 {
        let mut signature = token.first().map_or(0, |&byte| bit(byte));
        bigrams.reserve(token.len());
        for pair in token.windows(2) {
            let (first, second) = (pair[0], pair[1]);
            signature |= bit(second);
            let code = self.of_ascii(first, second);
            self.append_once(code, stamp, bigrams);
        }
        signature
    }

    /// As [`BigramCodes::collect_ascii`], for any token.
    fn collect(
        &mut self,
        token: &str,
        stamp: u32,
        bigrams: &mut Vec<u32>,
        watch: Watch<'_>,
    ) -> Result<u32, Error> {
        let mut signature = 0;
        let mut before = None;
        for (place, character) in token.chars().enumerate() {
            watch.check_at(place)?;
            signature |= bit(character);
            if let Some(before) = before.replace(character) {
                let code = self.of(before, character);
                self.append_once(code, stamp, bigrams);
            }
        }
        Ok(signature)
    }

    #[inline]
    fn append_once(&mut self, code: u32, stamp: u32, bigrams: &mut Vec<u32>) {
        let last_seen = &mut self.last_seen[code as usize];
        if *last_seen != stamp {
            *last_seen = stamp;
            bigrams.push(code);
        }
    }

    fn of(&mut self, first: char, second: char) -> u32 {
        if let (Ok(first), Ok(second)) = (u8::try_from(first), u8::try_from(second))
            && first.is_ascii()
            && second.is_ascii()
        {
            return self.of_ascii(first, second);
        }
        let next = self.last_seen.len() as u32;
        let code = *self.others.entry((first, second)).or_insert(next);
        if code == next {
            self.last_seen.push(0);
        }
        code
    }

    #[inline]
    fn of_ascii(&mut self, first: u8, second: u8) -> u32 {
        let code = &mut self.ascii[(usize::from(first & 127) << 7) | usize::from(second & 127)];
        if *code == 0 {
            self.last_seen.push(0);
            *code = self.last_seen.len() as u32;
        }
        *code - 1
    }
}

#[inline]
fn bit(character: impl Into<u32>) -> u32 {
    1 << (character.into() & 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_profile_says_what_the_token_is(tokens in proptest::collection::vec("[abé字🙂]{0,6}", 0..12)) {
            let mut lexicon = Lexicon::with_capacity(0);
            let mut pairs: Vec<(u32, (char, char))> = Vec::new();
            for token in &tokens {
                let number = lexicon.number(token, Watch::never()).expect("nobody stops it") as usize;
                prop_assert_eq!(lexicon.token(number), token);
                let distinct: BTreeSet<(char, char)> = token.chars().zip(token.chars().skip(1)).collect();
                prop_assert_eq!(lexicon.bigrams(number).len(), distinct.len());
                let mut seen = BTreeSet::new();
                let in_order = token.chars().zip(token.chars().skip(1)).filter(|pair| seen.insert(*pair));
                pairs.extend(lexicon.bigrams(number).iter().copied().zip(in_order));
            }
            // One code for one bigram, whatever token it is in.
            for (code, pair) in &pairs {
                prop_assert!(pairs.iter().all(|(other, with)| (code == other) == (pair == with)));
            }
            prop_assert_eq!(lexicon.len(), tokens.iter().collect::<BTreeSet<_>>().len());
        }
    }

    #[test]
    fn a_part_has_no_character_that_the_whole_lacks() {
        let mut lexicon = Lexicon::with_capacity(0);
        for (part, whole) in [("search", "searching"), ("字", "漢字"), ("a", "a"), ("", "a")] {
            let mut number =
                |token| lexicon.number(token, Watch::never()).expect("nobody stops it") as usize;
            let (part, whole) = (number(part), number(whole));
            assert!(lexicon.may_contain(whole, part));
        }
        let (a, b) = (lexicon.number("a", Watch::never()), lexicon.number("b", Watch::never()));
        assert!(!lexicon.may_contain(a.expect("goes on") as usize, b.expect("goes on") as usize));
    }
}
