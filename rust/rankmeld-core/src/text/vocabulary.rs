//! Numbers for tokens.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;

use crate::intern::Interner;

/// Gives each distinct token a number, in first-seen order.
///
/// Tokens lie one after the other in one piece of memory. Hashes are seeded by the process, so
/// that nobody can make up tokens that collide; the seed shows in no number.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    table: Interner,
    bytes: String,
    ends: Vec<usize>,
    state: RandomState,
}

impl Vocabulary {
    /// One without tokens.
    #[must_use]
    pub fn new() -> Self {
        Self {
            table: Interner::with_capacity(0),
            bytes: String::new(),
            ends: Vec::new(),
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
        let hash = self.hash(token);
        let found = self.table.intern(hash, |code| at(&self.bytes, &self.ends, code) == token);
        let found = found.expect("fewer than 2^32 - 1 distinct tokens");
        if found.fresh {
            self.bytes.push_str(token);
            self.ends.push(self.bytes.len());
        }
        found.code
    }

    /// The number of a token that is there.
    #[must_use]
    pub fn find(&self, token: &str) -> Option<u32> {
        self.table.find(self.hash(token), |code| self.token(code) == token)
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
        let mut hasher = self.state.build_hasher();
        hasher.write(token.as_bytes());
        hasher.finish()
    }
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::new()
    }
}

fn at<'a>(bytes: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &bytes[start..ends[number]]
}
