//! Numbers for tokens.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;

use super::TokenBuffer;
use super::buffer::WINDOW;
use crate::intern::{Interned, Interner};
use crate::{Error, Watch};

/// The longest token, in bytes, that fits into a key beside its length.
const SHORT: usize = WINDOW - 1;

/// The key of every long token; a short one's highest byte is its length.
const LONG: u128 = u128::MAX;

/// How many tokens get their keys before the table is asked for them, and between two looks at its size.
const BLOCK: usize = 64;

/// Gives each distinct token a number, in first-seen order.
///
/// Tokens lie one after the other in one piece of memory; those of up to 15 bytes are compared as
/// one number each. Hashes are seeded by the process, so that nobody can make up tokens that
/// collide; the seed shows in no number.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    table: Interner,
    keys: Vec<u128>,
    bytes: String,
    ends: Vec<usize>,
    state: RandomState,
}

impl Vocabulary {
    /// One without tokens.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// One without tokens, and with room for so many in its table.
    #[must_use]
    pub fn with_capacity(tokens: usize) -> Self {
        Self {
            table: Interner::with_capacity(tokens),
            keys: Vec::with_capacity(tokens),
            bytes: String::with_capacity(8 * tokens),
            ends: Vec::with_capacity(tokens),
            state: RandomState::default(),
        }
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no token yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The token's number; the next one if it is new.
    ///
    /// # Panics
    /// At 2^32 - 1 distinct tokens.
    pub fn intern(&mut self, token: &str) -> u32 {
        let (hash, key) = (self.hash(token), key(token));
        let Self { table, keys, bytes, ends, .. } = self;
        let same =
            |code| keys[code as usize] == key && (key != LONG || at(bytes, ends, code) == token);
        let Interned { code, fresh } = table.intern(hash, same).expect(ENOUGH);
        if fresh {
            keys.push(key);
            bytes.push_str(token);
            ends.push(bytes.len());
        }
        code
    }

    /// Appends the number of each token of a buffer, in order.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so; some tokens have their numbers then.
    ///
    /// # Panics
    /// As [`Vocabulary::intern`].
    pub fn intern_all(
        &mut self,
        tokens: &TokenBuffer,
        numbers: &mut Vec<u32>,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let mut blocks = 0;
        let is_long = |&(start, end): &(usize, usize)| end - start > SHORT;
        for part in tokens.spans.split_inclusive(is_long) {
            let short = part.len() - usize::from(part.last().is_some_and(is_long));
            for block in part[..short].chunks(BLOCK) {
                watch.check_at(blocks * BLOCK * 8)?;
                blocks += 1;
                self.intern_short(&tokens.text, block, numbers);
            }
            numbers.extend(
                part[short..].iter().map(|&(start, end)| self.intern(&tokens.text[start..end])),
            );
        }
        Ok(())
    }

    /// Interns tokens of which each fits into a key, and from whose beginnings keys can be read.
    fn intern_short(&mut self, text: &str, spans: &[(usize, usize)], numbers: &mut Vec<u32>) {
        let Self { table, keys, bytes, ends, state } = self;
        let before = ends.len();
        let first = numbers.len();
        keys.resize(before + spans.len(), 0);
        // Keys first: what follows waits for the table, and begins anew where a guess was wrong.
        let mut block = [(0, 0); BLOCK];
        for (hashed_key, &(start, end)) in block.iter_mut().zip(spans) {
            let window =
                text.as_bytes()[start..].first_chunk().expect("padding follows the last token");
            let length = end - start;
            let key = u128::from_le_bytes(*window) & ((1 << (8 * length)) - 1) | packed(length);
            *hashed_key = (hashed(state, key), key);
        }
        let block = block[..spans.len()].iter().copied();
        table.intern_block(block, keys, numbers).expect(ENOUGH);
        // New numbers come in order, so what is new is found without a branch, and then copied.
        let mut fresh = [0; BLOCK];
        let mut count = 0;
        for (place, &number) in numbers[first..].iter().enumerate() {
            fresh[count & (BLOCK - 1)] = place;
            count += usize::from(number as usize == before + count);
        }
        for &place in &fresh[..count] {
            let (start, end) = spans[place];
            bytes.push_str(&text[start..end]);
            ends.push(bytes.len());
        }
        keys.truncate(ends.len());
    }

    /// The number of a token that is there.
    #[must_use]
    pub fn find(&self, token: &str) -> Option<u32> {
        let key = key(token);
        let same =
            |code| self.keys[code as usize] == key && (key != LONG || self.token(code) == token);
        self.table.find(self.hash(token), same)
    }

    /// The token of a number.
    ///
    /// # Panics
    /// For a number that no token has.
    #[must_use]
    pub fn token(&self, number: u32) -> &str {
        at(&self.bytes, &self.ends, number)
    }

    fn hash(&self, token: &str) -> u64 {
        match key(token) {
            LONG => {
                let mut hasher = self.state.build_hasher();
                hasher.write(token.as_bytes());
                hasher.finish()
            }
            key => hashed(&self.state, key),
        }
    }
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::new()
    }
}

const ENOUGH: &str = "fewer than 2^32 - 1 distinct tokens";

fn at<'a>(bytes: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &bytes[start..ends[number]]
}

/// A short token's bytes with its length behind them; no two tokens have one such key.
fn key(token: &str) -> u128 {
    if token.len() > SHORT {
        return LONG;
    }
    let mut bytes = [0; WINDOW];
    bytes[..token.len()].copy_from_slice(token.as_bytes());
    u128::from_le_bytes(bytes) | packed(token.len())
}

fn packed(length: usize) -> u128 {
    (length as u128) << (8 * SHORT)
}

fn hashed(state: &RandomState, key: u128) -> u64 {
    let mut hasher = state.build_hasher();
    hasher.write_u128(key);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Tokens that share beginnings and ends, short and long, with and without NUL.
    fn tokens() -> impl Strategy<Value = Vec<String>> {
        let token = |(first, length): (usize, usize)| {
            format!("{}{}", ["", "a", "\0", "é", "ab"][first], "ab\0".repeat(length))
        };
        proptest::collection::vec((0..5_usize, 0..9_usize).prop_map(token), 0..300)
    }

    /// Words, of which a few are too long for a key.
    fn text() -> impl Strategy<Value = String> {
        let word = |number: usize| match number % 16 {
            0 => format!("averyveryverylongword{number}"),
            1 => format!("длинное{number}"),
            _ => format!("w{number}"),
        };
        proptest::collection::vec((0..900_usize).prop_map(word), 0..700)
            .prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn numbers_count_distinct_tokens_in_first_seen_order(tokens in tokens()) {
            let mut vocabulary = Vocabulary::new();
            let mut known: HashMap<&str, u32> = HashMap::new();
            for token in &tokens {
                prop_assert_eq!(vocabulary.find(token), known.get(token.as_str()).copied());
                let next = known.len() as u32;
                let number = *known.entry(token).or_insert(next);
                prop_assert_eq!(vocabulary.intern(token), number);
                prop_assert_eq!(vocabulary.token(number), token);
            }
            prop_assert_eq!(vocabulary.len(), known.len());
        }

        #[test]
        fn all_at_once_is_one_by_one(texts in proptest::collection::vec(text(), 0..3)) {
            let (mut at_once, mut one_by_one) = (Vocabulary::new(), Vocabulary::with_capacity(99));
            let mut buffer = TokenBuffer::new();
            let mut numbers = Vec::new();
            for text in texts {
                buffer.tokenize(&text);
                numbers.clear();
                at_once.intern_all(&buffer, &mut numbers, Watch::never()).expect("goes on");
                let wanted: Vec<u32> =
                    buffer.iter().map(|token| one_by_one.intern(token)).collect();
                prop_assert_eq!(&numbers, &wanted);
                let read: Vec<&str> = numbers.iter().map(|&n| at_once.token(n)).collect();
                prop_assert_eq!(read, buffer.iter().collect::<Vec<_>>());
            }
            prop_assert_eq!(at_once.len(), one_by_one.len());
        }
    }

    #[test]
    fn every_length_has_its_own_number() {
        let mut vocabulary = Vocabulary::new();
        for length in 0..40 {
            for filling in ["\0", "x"] {
                vocabulary.intern(&filling.repeat(length));
            }
        }
        assert_eq!(vocabulary.len(), 79, "the empty token is one, whatever it is filled with");
        assert_eq!(vocabulary.find(&"\0".repeat(16)), Some(31));
    }
}
