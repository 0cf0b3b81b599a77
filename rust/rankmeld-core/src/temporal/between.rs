//! `between A and B`, each of them a month or a date, and `from A to B`.

use std::ops::Range;

use super::Now;
use super::calendar::{day_of_month, middle, month_days};
use super::dates::{Stated, stated};
use super::phrase::{Phrase, Reading};
use super::words::Word;

/// The phrase at the beginning of `ahead`, if there is one.
pub(super) fn between(ahead: &[Word], now: Now) -> Option<Phrase> {
    // From May to June a letter may be of people, so that there each needs a day or a year.
    let (rest, joint, edge): (_, _, fn(&[Word]) -> _) = match ahead {
        [Word::Between, rest @ ..] => (rest, Word::And, edge),
        [Word::From, rest @ ..] => (rest, Word::To, |ahead| stated(ahead, true)),
        _ => return None,
    };
    let (first_words, first) = edge(rest)?;
    // "Between March 1, 1999, and May 31, 2002".
    let comma = usize::from(matches!(rest[first_words..], [Word::Comma, ..]));
    let (found, rest) = rest[first_words + comma..].split_first()?;
    if *found != joint {
        return None;
    }
    let (last_words, last) = edge(rest)?;
    let reading = span(first, last, now).map(|days| Reading {
        relative: false,
        day: middle(&days),
        half_days: days.end - 1 - days.start,
        interval: Some(days),
    });
    Some(Phrase::new(2 + first_words + comma + last_words, reading))
}

fn edge(ahead: &[Word]) -> Option<(usize, Stated)> {
    stated(ahead, true).or(match ahead {
        [Word::Month(month), ..] => {
            Some((1, Stated { year: None, month: month.number.into(), day: None }))
        }
        _ => None,
    })
}

/// From the first day of the one to the last day of the other.
///
/// A year that only one of them has is the other's too, or its neighbour, so that A is before B;
/// if none has, B is the latest that has begun. Two that stand the wrong way round are turned.
fn span(first: Stated, last: Stated, now: Now) -> Option<Range<i64>> {
    let (first, last) = match (first.year, last.year) {
        (Some(_), Some(_)) => {
            let first = days(first, first.month_stated()?)?;
            let last = days(last, last.month_stated()?)?;
            if first.start <= last.start { (first, last) } else { (last, first) }
        }
        (Some(_), None) => {
            let first = days(first, first.month_stated()?)?;
            let month = last.earliest(first.start)?;
            (first, days(last, month)?)
        }
        (None, year) => {
            let month = match year {
                Some(_) => last.month_stated()?,
                None => last.latest(now.today)?,
            };
            let last = days(last, month)?;
            let month = first.latest(last.start)?;
            (days(first, month)?, last)
        }
    };
    Some(first.start..last.end.max(first.end))
}

fn days(stated: Stated, month: i64) -> Option<Range<i64>> {
    match stated.day {
        None => Some(month_days(month)),
        Some(day) => day_of_month(month, day).map(|day| day..day + 1),
    }
}
