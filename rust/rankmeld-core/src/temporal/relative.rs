//! Phrases that count from today.

use super::Now;
use super::calendar::{middle, month_days, month_of, months_before, weekday, year_days, year_of};
use super::phrase::{Phrase, Reading};
use super::words::{Number, Unit, Word};

/// The relative phrase that begins with the first of `ahead`, if one does.
pub(super) fn relative(before: &[Word], ahead: &[Word], now: Now) -> Option<Phrase> {
    single(before, ahead, now)
        .or_else(|| ago(before, ahead, now))
        .or_else(|| rolling(ahead, now))
        .or_else(|| last(before, ahead, now))
        .or_else(|| this(ahead, now))
}

/// Fixed wordings.
fn single(before: &[Word], ahead: &[Word], now: Now) -> Option<Phrase> {
    let Now { today, .. } = now;
    let day = |days: i64, tolerance| {
        Reading::back(now, days, tolerance).naming(today - days..today - days + 1)
    };
    let (words, reading) = match ahead {
        // A week from today, three days before yesterday.
        [Word::Today | Word::Yesterday, ..] if counts_from(before) => return None,
        [Word::Today | Word::Tonight, ..] => (1, day(0, 1)),
        [Word::This, Word::Morning, ..] => (2, day(0, 1)),
        [Word::Yesterday, ..] => (1, day(1, 1)),
        [Word::The, Word::Unit(Unit::Day), Word::Before, Word::Yesterday, ..] => (4, day(2, 1)),
        [Word::Unit(Unit::Day), Word::Before, Word::Yesterday, ..] => (3, day(2, 1)),
        [Word::The, Word::OtherOne, Word::Unit(Unit::Day), ..] => (3, Reading::back(now, 3, 3)),
        // The most recently used entry, and Friday the 13th.
        [Word::Recently, Word::Used, ..]
        | [Word::On, Word::Weekday(_), Word::The, Word::Ordinal(_), ..] => return None,
        [Word::Recently, ..] if before.last() != Some(&Word::Least) => {
            (1, Reading::back(now, 14, 14))
        }
        [Word::On, Word::Weekday(day), after @ ..] if !matches!(after, [Word::Of, ..]) => {
            (2, latest_weekday(now, *day))
        }
        _ => return None,
    };
    Some(Phrase::new(words, reading))
}

/// Whether what stands before a day measures the time from it to another.
fn counts_from(before: &[Word]) -> bool {
    matches!(
        before,
        [.., Word::Unit(_) | Word::Units(_) | Word::Ago, Word::After | Word::Before | Word::From]
    )
}

/// How many, as phrases say it.
#[derive(Debug, Clone, Copy)]
enum Amount {
    One,
    Exactly(i64),
    Couple,
    Few,
}

fn amount(before: &[Word], ahead: &[Word]) -> Option<(usize, Amount)> {
    Some(match ahead {
        [Word::A, Word::Few, ..] => (2, Amount::Few),
        [Word::A, Word::Couple, Word::Of, ..] => (3, Amount::Couple),
        [Word::A, Word::Couple, ..] | [Word::Couple, Word::Of, ..] => (2, Amount::Couple),
        [Word::Couple, ..] => (1, Amount::Couple),
        // Half a year ago.
        [Word::A, ..] if before.last() != Some(&Word::Half) => (1, Amount::One),
        [Word::Number(number), ..] if !goes_on(before, *number) => {
            (1, Amount::Exactly(number.value.into()))
        }
        _ => return None,
    })
}

/// Whether a number is the end of a longer one: `hundred and two`, `twenty one`, `1 000`.
fn goes_on(before: &[Word], number: Number) -> bool {
    match before {
        [.., Word::Magnitude] | [.., Word::Magnitude, Word::And] => true,
        [.., Word::Number(first)] => {
            number.digits == 3 && first.digits != 0
                || number.digits == 0 && first.digits == 0 && first.value >= 20
        }
        _ => false,
    }
}

/// `N days ago`.
fn ago(before: &[Word], ahead: &[Word], now: Now) -> Option<Phrase> {
    let (words, amount) = amount(before, ahead)?;
    let [Word::Unit(unit) | Word::Units(unit), Word::Ago, after @ ..] = &ahead[words..] else {
        return None;
    };
    let (days, tolerance) = match (unit, amount) {
        (Unit::Hour, Amount::Exactly(hours)) => (hours / 24, 1),
        (Unit::Hour, _) => (0, 1),
        (Unit::Day, _) => (number(amount), 2),
        (Unit::Week, Amount::One) => (7, 3),
        (Unit::Week, Amount::Few) => (21, 7),
        (Unit::Week, _) => (7 * number(amount), 5),
        (Unit::Month, Amount::One) => (30, 7),
        (Unit::Month, Amount::Few) => (90, 20),
        (Unit::Month, _) => (30 * number(amount), 10),
        (Unit::Year, Amount::Few) => return None,
        (Unit::Year, _) => (365 * number(amount), 30),
    };
    let mut reading = Reading::back(now, days, tolerance);
    if matches!((unit, amount), (Unit::Day, Amount::One | Amount::Exactly(_))) {
        let day = reading.day;
        reading = reading.naming(day..day + 1);
    }
    let today = usize::from(matches!(after, [Word::Today, ..])); // a year ago today
    Some(Phrase::new(words + 2 + today, reading))
}

fn number(amount: Amount) -> i64 {
    match amount {
        Amount::One => 1,
        Amount::Exactly(number) => number,
        Amount::Couple => 2,
        Amount::Few => 3,
    }
}

/// `last N days`, `the last week`: the time from then to now.
fn rolling(ahead: &[Word], now: Now) -> Option<Phrase> {
    let (lead, (words, amount)) = match ahead {
        // It ends now, where "last week" ended on Sunday.
        [
            Word::The,
            Word::Last | Word::Past | Word::Previous,
            Word::Unit(Unit::Week | Unit::Month),
            ..,
        ] => (2, (0, Amount::One)),
        [Word::This, Word::Past, Word::A, ..] | [_, Word::A, ..] => return None,
        [Word::This, Word::Past, rest @ ..] => (2, amount(&[], rest)?),
        [Word::Last | Word::Past | Word::Previous, rest @ ..] => (1, amount(&[], rest)?),
        _ => return None,
    };
    let [Word::Unit(unit) | Word::Units(unit), after @ ..] = &ahead[lead + words..] else {
        return None;
    };
    let (count, Now { today, .. }) = (number(amount), now);
    let (span, start) = match unit {
        Unit::Day => (count, today - count),
        Unit::Week => (7 * count, today - 7 * count),
        // As in "N months ago"; the calendar says where the interval begins.
        Unit::Month => (30 * count, months_before(today, count)),
        Unit::Hour | Unit::Year => return None,
    };
    if span == 0 || matches!(after, [Word::Of | Word::Ago | Word::Before, ..]) {
        return None;
    }
    let reading = Reading::back(now, span / 2, (span + 1) / 2).naming(start..today + 1);
    Some(Phrase::new(lead + words + 1, reading))
}

/// `last week`; what is the last one of something else says nothing about now.
fn last(before: &[Word], ahead: &[Word], now: Now) -> Option<Phrase> {
    let lead = last_words(ahead)?;
    let (what, after) = ahead.get(lead..)?.split_first()?;
    if matches!(after, [Word::Of, ..]) {
        return None;
    }
    let the = before.last() == Some(&Word::The) && matches!(ahead, [Word::Last, ..]);
    let Now { today, .. } = now;
    let month = month_of(today);
    let reading = match what {
        Word::Night => Reading::back(now, 1, 1).naming(today - 1..today + 1),
        Word::Unit(_) if the => return None, // `rolling`, or the last one before something
        Word::Unit(Unit::Week) => {
            let monday = today - weekday(today);
            Reading::back(now, 7, 3).naming(monday - 7..monday)
        }
        Word::Unit(Unit::Month) => Reading::back(now, 30, 7).naming(month_days(month - 1)),
        Word::Unit(Unit::Year) => Reading::back(now, 365, 30).naming(year_days(year_of(today) - 1)),
        Word::Weekday(day) => latest_weekday(now, *day),
        Word::Weekend => {
            // Of the week before this one, on Saturday and Sunday too.
            let saturday = today - weekday(today) - 2;
            Reading::back(now, today - saturday, 2).naming(saturday..saturday + 2)
        }
        _ => return None,
    };
    Some(Phrase::new(lead + 1, reading))
}

/// How many words at the beginning say `last`.
pub(super) fn last_words(ahead: &[Word]) -> Option<usize> {
    match ahead {
        [Word::Last, ..] => Some(1),
        [Word::This, Word::Past, ..] => Some(2),
        _ => None,
    }
}

/// `this week`: from its first day to now.
fn this(ahead: &[Word], now: Now) -> Option<Phrase> {
    let [Word::This, Word::Unit(unit), ..] = ahead else { return None };
    let Now { today, .. } = now;
    let days = match unit {
        Unit::Week => {
            let monday = today - weekday(today);
            monday..monday + 7
        }
        Unit::Month => month_days(month_of(today)),
        Unit::Year => year_days(year_of(today)),
        Unit::Hour | Unit::Day => return None,
    };
    let passed = days.start..today + 1;
    let tolerance = ((today - days.start + 1) / 2).max(1);
    Some(Phrase::new(2, Reading::back(now, today - middle(&passed), tolerance).naming(days)))
}

/// The latest such day before today.
fn latest_weekday(now: Now, day: u8) -> Reading {
    let back = (weekday(now.today) - i64::from(day) + 6).rem_euclid(7) + 1;
    let found = now.today - back;
    Reading::back(now, back, 1).naming(found..found + 1)
}
