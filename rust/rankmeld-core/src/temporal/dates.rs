//! Days and months of the calendar: `March 14th`, `14 March 2024`, `2024-03-14`, `in March`.

use super::Now;
use super::calendar::{day_of_month, month_days, month_number, month_of, year_of};
use super::phrase::{Phrase, Reading};
use super::relative::last_words;
use super::words::{Month, Number, Unit, Word};

/// A day or a month as a phrase states it, which need not exist.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stated {
    pub year: Option<u32>,
    pub month: u32,
    pub day: Option<u32>,
}

/// The phrase of a day or a month that begins with the first of `ahead`, if one does.
pub(super) fn date(ahead: &[Word], now: Now) -> Option<Phrase> {
    if let [Word::The, Word::Last, Word::Month(Month { verb: true, .. }), ..] = ahead {
        return Some(Phrase::new(3, None)); // the last may fail, and the last march was long
    }
    let lead = last_words(ahead).or_else(|| preposition(ahead)).unwrap_or(0);
    let on = matches!(ahead, [Word::On, ..]);
    let weekday = match ahead.get(lead..)? {
        [Word::Weekday(_), Word::Comma, ..] => 2,
        [Word::Weekday(_), ..] => 1,
        _ => 0,
    };
    if let Some((words, stated)) = stated(&ahead[lead + weekday..], on) {
        let words = lead + weekday + words;
        let known = stated.year.is_some() || !shares_year(&ahead[words..]);
        return Some(Phrase::new(words, known.then(|| stated.reading(now)).flatten()));
    }
    let [Word::Month(month), after @ ..] = &ahead[lead..] else { return None };
    let reading = match ahead {
        _ if lead == 0 || on => return None,
        _ if shares_year(after) => return Some(Phrase::new(lead + 1, None)),
        // Since June left.
        [Word::Since, ..] if matches!(after, [Word::Verb, ..]) => return None,
        [Word::Last | Word::This, ..] => {
            if matches!(after, [Word::Of, ..]) {
                return None;
            }
            whole_month(latest_month(*month, month_of(now.today) - 1))
        }
        _ => whole_month(latest_month(*month, month_of(now.today))),
    };
    Some(Phrase::new(lead + 1, reading))
}

/// How many words at the beginning lead to a date.
pub(super) fn preposition(ahead: &[Word]) -> Option<usize> {
    match ahead {
        [Word::Back, Word::In, ..] => Some(2),
        [Word::In | Word::On | Word::Since | Word::During, ..] => Some(1),
        _ => None,
    }
}

/// The day or the month of a year at the beginning of `ahead`, and how many words it takes.
///
/// A bare number beside a month is a day, but for the verbs `may` and `march`: those want more,
/// which `surely` is enough of.
pub(super) fn stated(ahead: &[Word], surely: bool) -> Option<(usize, Stated)> {
    match *ahead {
        [Word::IsoDate(year, month, day), ..] => {
            let (year, month) = (Some(year.into()), month.into());
            Some((1, Stated { year, month, day: Some(day.into()) }))
        }
        [Word::Month(month), Word::Ordinal(day), ..] => Some(with_year(ahead, 2, month, day)),
        [Word::Month(month), Word::Number(Number { value: day, digits: 1..=2 }), ..] => {
            let found = with_year(ahead, 2, month, day);
            (found.1.year.is_some() || surely || !month.verb).then_some(found)
        }
        [Word::Month(month), ..] => {
            let of = usize::from(matches!(ahead, [_, Word::Of, ..]));
            let (words, year) = year(&ahead[1 + of..])?;
            let month = month.number.into();
            Some((1 + of + words, Stated { year: Some(year), month, day: None }))
        }
        _ => day_first(ahead, surely),
    }
}

fn day_first(ahead: &[Word], surely: bool) -> Option<(usize, Stated)> {
    let the = usize::from(matches!(ahead, [Word::The, ..]));
    let (day, ordinal) = match ahead[the..] {
        [Word::Ordinal(day), ..] => (day, true),
        [Word::Number(Number { value: day, digits: 1..=2 }), ..] => (day, false),
        _ => return None,
    };
    let of = match ahead[the + 1..] {
        [Word::Unit(Unit::Day), Word::Of, ..] => 2,
        [Word::Of, ..] => 1,
        _ => 0,
    };
    let words = the + 1 + of;
    let [Word::Month(month), ..] = ahead[words..] else { return None };
    let found = with_year(ahead, words + 1, month, day);
    // "The 5th may be late": an ordinal before a verb wants "of".
    let is_date = ordinal && (of > 0 || !month.verb);
    (found.1.year.is_some() || surely || is_date).then_some(found)
}

fn with_year(ahead: &[Word], words: usize, month: Month, day: u32) -> (usize, Stated) {
    let year = match ahead[words..] {
        [Word::Clock, Word::Number(Number { value, digits: 4 }), ..] => Some((2, value)),
        ref after => year(after),
    };
    let (more, year) = year.map_or((0, None), |(more, year)| (more, Some(year)));
    (words + more, Stated { year, month: month.number.into(), day: Some(day) })
}

/// A year, behind a comma or not.
pub(super) fn year(ahead: &[Word]) -> Option<(usize, u32)> {
    match ahead {
        [Word::Number(Number { value, digits: 4 }), ..] => Some((1, *value)),
        [
            Word::Comma,
            Word::Number(Number { value, digits: 4 }) | Word::AfterComma(Number { value, .. }),
            ..,
        ] => Some((2, *value)),
        _ => None,
    }
}

/// Whether a year follows that is that of another day or month: `July and August 1988`.
fn shares_year(after: &[Word]) -> bool {
    let [
        Word::And,
        Word::Month(_) | Word::Ordinal(_) | Word::Number(Number { digits: 1..=2, .. }),
        after @ ..,
    ] = after
    else {
        return false;
    };
    year(after).is_some_and(|(_, year)| is_year(year))
}

/// Whether it is a year that phrases may name.
pub(super) fn is_year(year: u32) -> bool {
    (1900..=2099).contains(&year)
}

impl Stated {
    fn reading(self, now: Now) -> Option<Reading> {
        let month = match (self.year, self.day) {
            (Some(_), _) => self.month_stated()?,
            (None, _) => self.latest(now.today)?,
        };
        match self.day {
            None => Some(whole_month(month)),
            Some(day) => {
                let day = day_of_month(month, day)?;
                Some(Reading::at(day, 2, day..day + 1))
            }
        }
    }

    /// The number of the month, of the year that is stated.
    pub(super) fn month_stated(self) -> Option<i64> {
        let (year, month) = (self.year?, u8::try_from(self.month).ok()?);
        (is_year(year) && (1..=12).contains(&month)).then(|| month_number(year.into(), month))
    }

    /// The number of the month of the latest year in which it has begun by that day.
    pub(super) fn latest(self, day: i64) -> Option<i64> {
        self.first_existing((year_of(day) - 8..=year_of(day)).rev(), |start| start <= day)
    }

    /// The number of the month of the earliest year in which it begins on that day or later.
    pub(super) fn earliest(self, day: i64) -> Option<i64> {
        self.first_existing(year_of(day)..=year_of(day) + 8, |start| start >= day)
    }

    /// Leap days are up to eight years apart.
    fn first_existing(
        self,
        mut years: impl Iterator<Item = i64>,
        fits: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        let month = u8::try_from(self.month).ok()?;
        years.find_map(|year| {
            let number = month_number(year, month);
            let start = day_of_month(number, self.day.unwrap_or(1))?;
            fits(start).then_some(number)
        })
    }
}

/// The latest such month that is no later than the month `latest`.
fn latest_month(month: Month, latest: i64) -> i64 {
    let back = (latest - i64::from(month.number) + 1).rem_euclid(12);
    latest - back
}

fn whole_month(month: i64) -> Reading {
    let days = month_days(month);
    Reading::at(days.start + 14, 15, days)
}
