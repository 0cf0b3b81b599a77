//! What a rule gives back.

use std::ops::Range;

use super::{Hemisphere, Now};

/// What the rules know beside the words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    /// When the query is asked.
    pub now: Now,
    /// Where.
    pub hemisphere: Hemisphere,
}

/// What a phrase means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// Whether it counts from today, as "last week" does and "in March" does not.
    pub relative: bool,
    /// The day that it aims at.
    pub day: i64,
    /// Half days, give or take.
    pub half_days: i64,
    /// The days that it names, if it names any.
    pub interval: Option<Range<i64>>,
}

impl Reading {
    /// A phrase that counts back from today.
    pub(super) fn back(now: Now, days: i64, tolerance: i64) -> Self {
        Self { relative: true, day: now.today - days, half_days: 2 * tolerance, interval: None }
    }

    /// A phrase of the calendar.
    pub(super) fn at(day: i64, tolerance: i64, interval: Range<i64>) -> Self {
        Self { relative: false, day, half_days: 2 * tolerance, interval: Some(interval) }
    }

    /// The same phrase, naming these days.
    pub(super) fn naming(self, interval: Range<i64>) -> Self {
        Self { interval: Some(interval), ..self }
    }

    /// Whether it lies in the years that there are.
    pub(super) fn exists(&self) -> bool {
        self.day >= 1 && self.interval.as_ref().is_none_or(|days| days.start >= 1)
    }
}

/// A phrase at the place where a rule looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    /// How many words it takes.
    pub words: usize,
    /// What it means; nothing if it names a day that there is not.
    pub reading: Option<Reading>,
}

impl Phrase {
    /// A phrase of so many words.
    pub(super) fn new(words: usize, reading: impl Into<Option<Reading>>) -> Self {
        Self { words, reading: reading.into() }
    }
}
