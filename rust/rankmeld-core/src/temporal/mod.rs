//! The time that a query names: "three weeks ago", "in March", "between May 3rd and June 2023".
//!
//! A text is read once into the few words that phrases are made of ([`scanner`]); rules then look
//! at those words and a handful after them (`relative`, `dates`, `periods`, `between`), and of
//! what they find one phrase is chosen (`choice`). No rule looks further ahead than a phrase is
//! long, so time is linear in the text, whatever the text.
//!
//! There is no clock here and no time zone: the caller says which day it is where the query was
//! asked, and days are counted from 1 January of the year 1, which is day 1.

mod between;
mod calendar;
mod choice;
mod dates;
mod periods;
mod phrase;
mod relative;
mod scanner;
mod words;

use std::ops::Range;

pub use choice::anchor;

/// When the query is asked, as a calendar on the wall and a clock beside it show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// The day.
    pub today: i64,
    /// Whether any of it has passed: days ahead are then not whole.
    pub after_midnight: bool,
}

/// Which half of the year is warm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hemisphere {
    /// Summer begins on 1 June.
    North,
    /// Summer begins on 1 December.
    South,
}

/// What a phrase says.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// Whole days before now, rounded toward zero; negative in the future.
    pub days: i64,
    /// Days, give or take.
    pub tolerance: f64,
    /// Where the phrase stands, in bytes.
    pub text: Range<usize>,
    /// The days it names, if it names any.
    pub interval: Option<Range<i64>>,
}
