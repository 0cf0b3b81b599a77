//! Queries and documents as numbers of tokens.

use super::lexicon::Lexicon;
use crate::text::{TokenBuffer, composed};
use crate::{Error, Watch};

/// Text that brings one token that was not there before, in passages about a few things.
const BYTES_A_DISTINCT_TOKEN: usize = 24;

/// A query or a document.
#[derive(Debug, Clone)]
pub enum Tokens<'a> {
    /// A text, to be tokenized.
    Text(&'a str),
    /// Tokens, taken as they are.
    Given(Vec<&'a str>),
}

/// Documents as numbers of their distinct tokens.
pub struct Batch {
    /// All distinct tokens, those of the query first.
    pub lexicon: Lexicon,
    buffer: TokenBuffer,
    /// The documents' distinct tokens in first-seen order, one document after the other.
    pub numbers: Vec<u32>,
    /// Where each document ends in `numbers`.
    pub ends: Vec<usize>,
    /// By token, one more than the last document that it was seen in.
    last_seen: Vec<u32>,
}

impl Batch {
    /// One with room for so many distinct tokens.
    pub fn with_capacity(tokens: usize) -> Self {
        Self {
            lexicon: Lexicon::with_capacity(tokens),
            buffer: TokenBuffer::new(),
            numbers: Vec::with_capacity(tokens),
            ends: Vec::new(),
            last_seen: Vec::with_capacity(tokens),
        }
    }

    /// The numbers of the query's tokens, which come first.
    pub fn read_query(&mut self, query: &Tokens<'_>, watch: Watch<'_>) -> Result<Vec<u32>, Error> {
        self.append(query, watch)?;
        Ok(std::mem::take(&mut self.numbers))
    }

    /// Forgets the documents, and all tokens but those of the query.
    pub fn restart(&mut self, query: &[String], watch: Watch<'_>) -> Result<(), Error> {
        self.numbers.clear();
        self.ends.clear();
        self.last_seen.clear();
        if self.lexicon.len() > query.len() {
            self.lexicon = Lexicon::with_capacity(self.lexicon.len());
            for token in query {
                self.lexicon.number(token, watch)?;
            }
        }
        Ok(())
    }

    /// Adds a document.
    pub fn read(&mut self, document: &Tokens<'_>, watch: Watch<'_>) -> Result<(), Error> {
        let start = self.numbers.len();
        self.append(document, watch)?;
        self.last_seen.resize(self.lexicon.len(), 0);
        let stamp = self.ends.len() as u32 + 1;
        // What is kept moves up over what is not; without a branch, as nobody predicts it.
        let mut kept = start;
        for place in start..self.numbers.len() {
            let number = self.numbers[place];
            let last_seen = &mut self.last_seen[number as usize];
            self.numbers[kept] = number;
            kept += usize::from(*last_seen != stamp);
            *last_seen = stamp;
        }
        self.numbers.truncate(kept);
        self.ends.push(kept);
        Ok(())
    }

    /// Appends the numbers of all tokens.
    fn append(&mut self, tokens: &Tokens<'_>, watch: Watch<'_>) -> Result<(), Error> {
        match tokens {
            Tokens::Text(text) => {
                self.buffer.tokenize_watched(text, watch)?;
                self.lexicon.number_all(&self.buffer, &mut self.numbers, watch)?;
            }
            Tokens::Given(tokens) => {
                for (place, token) in tokens.iter().enumerate() {
                    watch.check_at(place * 8)?;
                    self.numbers.push(self.lexicon.number(&composed(token), watch)?);
                }
            }
        }
        Ok(())
    }
}

/// About how many distinct tokens some documents have.
pub fn expected(documents: &[Tokens<'_>]) -> usize {
    let size = |document: &Tokens<'_>| match document {
        Tokens::Text(text) => text.len() / BYTES_A_DISTINCT_TOKEN,
        Tokens::Given(tokens) => tokens.len() / 2,
    };
    documents.iter().map(size).sum()
}
