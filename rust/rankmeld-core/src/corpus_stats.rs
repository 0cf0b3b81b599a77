//! How many texts of a collection hold each token, and how long the texts are.
//!
//! Counts of a few texts are themselves [`CorpusStats`], so adding texts is merging, removing them
//! is subtracting, and either changes everything or nothing.

mod stored;

use thiserror::Error as ThisError;

use crate::text::Vocabulary;
use crate::{Error, Watch};

/// Inverse document frequency: `ln(1 + (texts - holding + 0.5) / (holding + 0.5))`, the form that
/// is never negative, as in Lucene's BM25. `holding` is at most `texts`.
///
/// Exact where nearly every text holds the token, and so little is left beside the 1.
#[must_use]
pub fn idf(texts: u64, holding: u64) -> f64 {
    let (texts, holding) = (texts as f64, holding as f64);
    ((texts - holding + 0.5) / (holding + 0.5)).ln_1p()
}

/// Why counts cannot be taken from others: the texts were not all in there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum Missing {
    /// There are fewer texts.
    #[error("there are only {0} texts")]
    Texts(u64),
    /// Fewer texts hold this token, by its number in what was to be taken.
    #[error("token {0} is in fewer texts")]
    Token(u32),
    /// What would be left is no collection of texts: some token would be in more texts than there
    /// are, or the texts would have fewer tokens than distinct ones.
    #[error("what would be left fits no texts")]
    Whole,
}

/// From so many tokens that no text holds any more, and more of them than others, on they are
/// forgotten.
const FORGET_FROM: usize = 1 << 10;

/// The counts.
#[derive(Debug, Clone, Default)]
pub struct CorpusStats {
    vocabulary: Vocabulary,
    /// By token, how many texts hold it.
    frequencies: Vec<u64>,
    texts: u64,
    /// Tokens of all texts, repeated ones as often as they stand there.
    length: u64,
    /// The sum of the frequencies.
    distinct_in_texts: u64,
    /// At least the largest frequency.
    most: u64,
    /// Tokens that no text holds any more.
    forgotten: usize,
}

impl CorpusStats {
    /// Counts of no texts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many texts there are.
    #[must_use]
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// How many tokens all texts have together.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// How many tokens a text has on average; 0 for no texts.
    #[must_use]
    pub fn average_length(&self) -> f64 {
        if self.texts == 0 { 0.0 } else { self.length as f64 / self.texts as f64 }
    }

    /// How many distinct tokens there are.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.frequencies.len() - self.forgotten
    }

    /// How many texts hold a token.
    #[must_use]
    pub fn frequency(&self, token: &str) -> u64 {
        self.vocabulary.find(token).map_or(0, |number| self.frequencies[number as usize])
    }

    /// The [`idf`] of a token.
    #[must_use]
    pub fn idf(&self, token: &str) -> f64 {
        idf(self.texts, self.frequency(token))
    }

    /// The token of a number, for what [`Missing::Token`] says.
    ///
    /// # Panics
    /// For a number that no token has.
    #[must_use]
    pub fn token(&self, number: u32) -> &str {
        self.vocabulary.token(number)
    }

    /// The tokens that some text holds, with how many do, in no order that means anything.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        let all = (0..).zip(&self.frequencies);
        all.filter(|&(_, &held)| held > 0).map(|(number, &held)| (self.token(number), held))
    }

    /// Adds the texts that `others` counts.
    pub fn merge(&mut self, others: &Self) {
        for (token, held) in others.counts() {
            let number = self.vocabulary.intern(token) as usize;
            if number == self.frequencies.len() {
                self.frequencies.push(0);
            } else if self.frequencies[number] == 0 {
                self.forgotten -= 1;
            }
            self.frequencies[number] += held;
            self.most = self.most.max(self.frequencies[number]);
        }
        self.texts += others.texts;
        self.length += others.length;
        self.distinct_in_texts += others.distinct_in_texts;
    }

    /// Takes away the texts that `others` counts.
    ///
    /// # Errors
    /// [`Missing`] if the counts show that they were not all added; nothing is changed then.
    pub fn subtract(&mut self, others: &Self) -> Result<(), Missing> {
        self.check_holds(others)?;
        for (token, held) in others.counts() {
            let frequency = self.frequency_mut(token);
            *frequency -= held;
            if *frequency == 0 {
                self.forgotten += 1;
            }
        }
        self.texts -= others.texts;
        self.length -= others.length;
        self.distinct_in_texts -= others.distinct_in_texts;
        if self.most > self.texts {
            self.most = self.frequencies.iter().copied().max().unwrap_or(0);
        }
        if self.forgotten >= FORGET_FROM && self.forgotten > self.distinct() {
            let mut kept = Self::new();
            kept.merge(self);
            *self = kept;
        }
        Ok(())
    }

    fn check_holds(&self, others: &Self) -> Result<(), Missing> {
        if others.texts > self.texts {
            return Err(Missing::Texts(self.texts));
        }
        let held = (0..).zip(&others.frequencies);
        let lacking = |&(number, &held): &(u32, &u64)| held > self.frequency(others.token(number));
        if let Some((number, _)) = held.into_iter().find(lacking) {
            return Err(Missing::Token(number));
        }
        let texts = self.texts - others.texts;
        // Nearly never true, as few tokens are in nearly all texts; so this looks at all of them.
        let too_many = self.most > texts
            && self.counts().any(|(token, held)| held - others.frequency(token) > texts);
        let distinct = self.distinct_in_texts - others.distinct_in_texts;
        let length = self.length.checked_sub(others.length);
        let lengths_fit =
            length.is_some_and(|length| length >= distinct && (length == 0) == (distinct == 0));
        if too_many || !lengths_fit { Err(Missing::Whole) } else { Ok(()) }
    }

    fn frequency_mut(&mut self, token: &str) -> &mut u64 {
        let number = self.vocabulary.find(token).expect("it was looked up before");
        &mut self.frequencies[number as usize]
    }
}

/// Equal counts, however they came about.
impl PartialEq for CorpusStats {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
            && self.length == other.length
            && self.distinct() == other.distinct()
            && self.counts().all(|(token, held)| other.frequency(token) == held)
    }
}

impl Eq for CorpusStats {}

/// Counts texts, token by token.
#[derive(Debug, Default)]
pub struct Counter {
    counted: CorpusStats,
    /// By token, the last text that it was seen in, counted from 1.
    last_seen: Vec<u64>,
}

impl Counter {
    /// Counts one text of these tokens.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so; the counter is then of no more use.
    pub fn count<'a>(
        &mut self,
        tokens: impl Iterator<Item = &'a str>,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let stats = &mut self.counted;
        stats.texts += 1;
        for (place, token) in tokens.enumerate() {
            watch.check_at(place * 8)?;
            stats.length += 1;
            let number = stats.vocabulary.intern(token) as usize;
            if number == stats.frequencies.len() {
                stats.frequencies.push(0);
                self.last_seen.push(0);
            }
            if self.last_seen[number] != stats.texts {
                self.last_seen[number] = stats.texts;
                stats.frequencies[number] += 1;
                stats.distinct_in_texts += 1;
            }
        }
        Ok(())
    }

    /// What was counted.
    #[must_use]
    pub fn finish(self) -> CorpusStats {
        let most = self.counted.frequencies.iter().copied().max().unwrap_or(0);
        CorpusStats { most, ..self.counted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(texts: &[Vec<String>]) -> CorpusStats {
        let mut counter = Counter::default();
        for text in texts {
            counter
                .count(text.iter().map(String::as_str), Watch::never())
                .expect("nobody stops it");
        }
        counter.finish()
    }

    fn texts(most: usize) -> impl Strategy<Value = Vec<Vec<String>>> {
        proptest::collection::vec(proptest::collection::vec("[a-d]", 0..6), 0..most)
    }

    #[test]
    fn one_long_text_can_be_stopped() {
        let stop = Watch::new(&|| false);
        let few = std::iter::repeat_n("a", 10);
        assert_eq!(Counter::default().count(few, stop), Ok(()));
        let many = std::iter::repeat_n("a", crate::watch::CHUNK);
        assert_eq!(Counter::default().count(many, stop), Err(Error::Interrupted));
    }

    proptest! {
        #[test]
        fn adding_and_removing_are_inverse(some in texts(8), more in texts(8)) {
            let (first, second) = (counted(&some), counted(&more));
            let mut both = first.clone();
            both.merge(&second);
            let all: Vec<Vec<String>> = some.iter().chain(&more).cloned().collect();
            prop_assert_eq!(&both, &counted(&all));
            for (token, held) in both.counts() {
                let holding = all.iter().filter(|text| text.iter().any(|t| t == token)).count();
                prop_assert_eq!(held, holding as u64);
                prop_assert!(both.idf(token) >= 0.0);
            }
            prop_assert_eq!(CorpusStats::from_bytes(&both.to_bytes()), Some(both.clone()));
            prop_assert_eq!(both.subtract(&second), Ok(()));
            prop_assert_eq!(&both, &first);
            prop_assert_eq!(both.distinct(), first.distinct());
            prop_assert_eq!(both.to_bytes(), first.to_bytes());
            both.merge(&second);
            prop_assert_eq!(&both, &counted(&all));
        }

        #[test]
        fn what_is_refused_changes_nothing_and_what_is_not_stays_a_collection(
            some in texts(5), more in texts(5)
        ) {
            let before = counted(&some);
            let mut after = before.clone();
            if after.subtract(&counted(&more)).is_err() {
                prop_assert_eq!(&after, &before);
            }
            prop_assert!(after.counts().all(|(_, held)| held <= after.texts()));
            prop_assert!(after.length() >= after.counts().map(|(_, held)| held).sum::<u64>());
        }
    }

    #[test]
    fn each_kind_of_missing_text_is_told() {
        let text = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut stats = counted(&[text("a b"), text("a b"), text("a")]);
        let two = counted(&[text("a"), text("c")]);
        assert_eq!(stats.subtract(&two), Err(Missing::Token(1)));
        assert_eq!(stats.subtract(&counted(&vec![text("a"); 4])), Err(Missing::Texts(3)));
        // Three texts hold "a", and only two would be left.
        assert_eq!(stats.subtract(&counted(&[text("b")])), Err(Missing::Whole));
        assert_eq!(stats.subtract(&counted(&[text("a a a a")])), Err(Missing::Whole));
    }

    #[test]
    fn tokens_of_removed_texts_take_no_room_for_ever() {
        let mut stats = CorpusStats::new();
        for round in 0..40 {
            let words: Vec<String> = (0..200).map(|n| format!("w{round}-{n}")).collect();
            let one = counted(&[words]);
            stats.merge(&one);
            stats.subtract(&one).expect("just added");
        }
        assert_eq!((stats.distinct(), stats.texts(), stats.length()), (0, 0, 0));
        assert!(stats.frequencies.len() < FORGET_FROM + 200);
    }
}
