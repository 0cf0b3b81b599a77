//! The distinct tokens of a batch, each with what comparing it needs, worked out once.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::text::Vocabulary;
use crate::{Error, Watch};

/// Codes of bigrams of two ASCII characters: their own fourteen bits.
pub const ASCII_CODES: usize = 1 << 14;

/// Distinct tokens, numbered in first-seen order.
#[derive(Default)]
pub struct Lexicon {
    vocabulary: Vocabulary,
    profiles: Vec<Profile>,
    /// The distinct bigrams of all tokens, one token after the other.
    bigrams: Vec<u32>,
    codes: BigramCodes,
}

/// What is known of a token.
#[derive(Debug, Clone, Copy, Default)]
pub struct Profile {
    /// How many characters it has.
    pub characters: usize,
    /// A bit for each character, many sharing one: what contains a token has all of its bits.
    pub signature: u64,
    /// Where its bigrams end in the column of bigrams.
    end: usize,
}

/// Numbers of bigrams, and by which token each was last seen.
struct BigramCodes {
    others: HashMap<(char, char), u32, RandomState>,
    last_seen: Vec<u32>,
}

impl Default for BigramCodes {
    fn default() -> Self {
        Self { others: HashMap::default(), last_seen: vec![0; ASCII_CODES] }
    }
}

impl Lexicon {
    /// The number of a token, which may be new.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so; the lexicon is then of no more use.
    #[inline]
    pub fn number(&mut self, token: &str, watch: Watch<'_>) -> Result<u32, Error> {
        let number = self.vocabulary.intern(token);
        if number as usize == self.profiles.len() {
            self.describe(token, watch)?;
        }
        Ok(number)
    }

    /// How many distinct tokens there are.
    pub fn len(&self) -> usize {
        self.profiles.len()
    }

    /// How many bigrams have been given a code.
    pub fn codes(&self) -> usize {
        self.codes.last_seen.len()
    }

    /// The token of a number.
    pub fn token(&self, number: usize) -> &str {
        self.vocabulary.token(number as u32)
    }

    /// What is known of a token.
    #[inline]
    pub fn profile(&self, number: usize) -> Profile {
        self.profiles[number]
    }

    /// The codes of a token's distinct bigrams.
    #[inline]
    pub fn bigrams(&self, number: usize) -> &[u32] {
        let start = if number == 0 { 0 } else { self.profiles[number - 1].end };
        &self.bigrams[start..self.profiles[number].end]
    }

    fn describe(&mut self, token: &str, watch: Watch<'_>) -> Result<(), Error> {
        let stamp = self.profiles.len() as u32 + 1;
        let (characters, signature) = if token.is_ascii() {
            self.describe_ascii(token.as_bytes(), stamp, watch)?
        } else {
            self.describe_any(token, stamp, watch)?
        };
        self.profiles.push(Profile { characters, signature, end: self.bigrams.len() });
        Ok(())
    }

    fn describe_ascii(
        &mut self,
        token: &[u8],
        stamp: u32,
        watch: Watch<'_>,
    ) -> Result<(usize, u64), Error> {
        let mut signature = token.first().map_or(0, |&byte| bit(u32::from(byte)));
        for (place, pair) in token.windows(2).enumerate() {
            watch.check_at(place)?;
            signature |= bit(u32::from(pair[1]));
            let code = (usize::from(pair[0] & 127) << 7) | usize::from(pair[1] & 127);
            let last_seen = &mut self.codes.last_seen[code];
            if *last_seen != stamp {
                *last_seen = stamp;
                self.bigrams.push(code as u32);
            }
        }
        Ok((token.len(), signature))
    }

    fn describe_any(
        &mut self,
        token: &str,
        stamp: u32,
        watch: Watch<'_>,
    ) -> Result<(usize, u64), Error> {
        let (mut characters, mut signature) = (0, 0);
        let mut before = None;
        for character in token.chars() {
            watch.check_at(characters)?;
            characters += 1;
            signature |= bit(u32::from(character));
            if let Some(before) = before.replace(character) {
                let code = self.codes.of(before, character);
                let last_seen = &mut self.codes.last_seen[code as usize];
                if *last_seen != stamp {
                    *last_seen = stamp;
                    self.bigrams.push(code);
                }
            }
        }
        Ok((characters, signature))
    }
}

impl BigramCodes {
    fn of(&mut self, first: char, second: char) -> u32 {
        if first.is_ascii() && second.is_ascii() {
            return (first as u32) << 7 | second as u32;
        }
        let next = self.last_seen.len() as u32;
        let code = *self.others.entry((first, second)).or_insert(next);
        if code == next {
            self.last_seen.push(0);
        }
        code
    }
}

fn bit(character: u32) -> u64 {
    1 << (character & 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_profile_says_what_the_token_is(tokens in proptest::collection::vec("[abé字🙂]{0,6}", 0..12)) {
            let mut lexicon = Lexicon::default();
            let mut pairs: Vec<(u32, (char, char))> = Vec::new();
            for token in &tokens {
                let number = lexicon.number(token, Watch::never()).expect("nobody stops it") as usize;
                prop_assert_eq!(lexicon.token(number), token);
                prop_assert_eq!(lexicon.profile(number).characters, token.chars().count());
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
    fn a_part_has_no_bit_that_the_whole_lacks() {
        let mut lexicon = Lexicon::default();
        for (part, whole) in [("search", "searching"), ("字", "漢字"), ("a", "a")] {
            let signature = |lexicon: &mut Lexicon, token| {
                let number = lexicon.number(token, Watch::never()).expect("nobody stops it");
                lexicon.profile(number as usize).signature
            };
            let (part, whole) = (signature(&mut lexicon, part), signature(&mut lexicon, whole));
            assert_eq!(part & whole, part);
        }
    }
}
