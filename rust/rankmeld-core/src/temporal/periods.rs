//! Seasons, quarters and years.

use super::Hemisphere;
use super::calendar::{middle, month_days, month_of, year_days};
use super::dates::{is_year, preposition, year};
use super::phrase::{Context, Phrase, Reading};
use super::relative::last_words;
use super::words::{Number, Season, Unit, Word};

/// The phrase of a period that begins with the first of `ahead`, if one does.
pub(super) fn period(ahead: &[Word], context: Context) -> Option<Phrase> {
    season(ahead, context).or_else(|| quarter(ahead, context)).or_else(|| whole_year(ahead))
}

/// `in the summer`, `last summer`, `summer 2020`.
fn season(ahead: &[Word], context: Context) -> Option<Phrase> {
    let last = last_words(ahead);
    let lead = last.or_else(|| preposition(ahead)).unwrap_or(0);
    let the = usize::from(matches!(ahead.get(lead..)?, [Word::The, ..]));
    let [Word::Season(season), after @ ..] = &ahead[lead + the..] else { return None };
    let words = lead + the + 1;
    let middle_month = middle_month(*season, context.hemisphere);
    if let Some((more, year)) = year_of_period(after, false) {
        let reading = is_year(year).then(|| around(12 * i64::from(year) + middle_month));
        return Some(Phrase::new(words + more, reading));
    }
    if matches!((season, after), (_, [Word::Of, ..]) | (Season::Spring, [Word::Software, ..])) {
        return None;
    }
    // A season is known by the month in its middle; it begins one month earlier.
    let this_month = month_of(context.now.today);
    let latest = match ahead {
        _ if last.is_some() && the == 0 => this_month - 2,
        [Word::In, Word::The, ..] | [Word::Back, Word::In, Word::The, ..] => this_month + 1,
        _ => return None,
    };
    let back = (latest - middle_month).rem_euclid(12);
    Some(Phrase::new(words, around(latest - back)))
}

/// The month in the middle of a season, from 0.
fn middle_month(season: Season, hemisphere: Hemisphere) -> i64 {
    let north = match season {
        Season::Spring => 3,
        Season::Summer => 6,
        Season::Autumn => 9,
        Season::Winter => 0,
    };
    match hemisphere {
        Hemisphere::North => north,
        Hemisphere::South => (north + 6) % 12,
    }
}

/// The season around its middle month.
fn around(month: i64) -> Reading {
    let days = month_days(month - 1).start..month_days(month + 1).end;
    Reading::at(month_days(month).start + 14, 45, days)
}

/// `Q3 2024`, `quarter 3 2024`, `the third quarter of 2024`, `last quarter`.
fn quarter(ahead: &[Word], context: Context) -> Option<Phrase> {
    if let Some(lead) = last_words(ahead)
        && let [Word::Quarter, after @ ..] = &ahead[lead..]
    {
        let quarter = month_of(context.now.today).div_euclid(3);
        let is_last = !matches!(after, [Word::Of | Word::Measure | Word::Unit(Unit::Hour), ..]);
        return is_last.then(|| Phrase::new(lead + 1, whole_quarter(quarter - 1)));
    }
    let lead = preposition(ahead).unwrap_or(0);
    let lead = lead + usize::from(matches!(ahead.get(lead..)?, [Word::The, ..]));
    let (words, quarter) = match ahead[lead..] {
        [Word::QuarterOf(quarter), ..] => (1, quarter.into()),
        [Word::Quarter, Word::Number(Number { value, digits: 1 }), ..] => (2, value),
        [Word::Nth(quarter), Word::Quarter, ..] => (2, quarter.into()),
        [Word::Ordinal(quarter), Word::Quarter, ..] => (2, quarter),
        _ => return None,
    };
    let (more, year) = year_of_period(&ahead[lead + words..], true)?;
    let reading = ((1..=4).contains(&quarter) && is_year(year))
        .then(|| whole_quarter(4 * i64::from(year) + i64::from(quarter) - 1));
    Some(Phrase::new(lead + words + more, reading))
}

fn whole_quarter(quarter: i64) -> Reading {
    let days = month_days(3 * quarter).start..month_days(3 * quarter + 2).end;
    Reading::at(middle(&days), 46, days)
}

/// `in 2023`, but not what will be in 2000 days, nor what it costs in 2019 dollars.
fn whole_year(ahead: &[Word]) -> Option<Phrase> {
    let (words, after) = match ahead {
        [Word::Back, Word::In, after @ ..] => (2, after),
        [Word::In, after @ ..] => (1, after),
        _ => return None,
    };
    let [Word::Number(Number { value, digits: 4 }), after @ ..] = after else { return None };
    if !is_year(*value) || matches!(after, [Word::Unit(_) | Word::Units(_) | Word::Measure, ..]) {
        return None;
    }
    let days = year_days(i64::from(*value));
    let first_of_july = month_days(12 * i64::from(*value) + 6).start;
    Some(Phrase::new(words + 1, Reading::at(first_of_july, 120, days)))
}

/// The year behind a period: `2024`, `of 2024`, and with a comma where that is usual.
fn year_of_period(ahead: &[Word], comma: bool) -> Option<(usize, u32)> {
    match ahead {
        [Word::Of, after @ ..] => {
            year(after).filter(|found| found.0 == 1).map(|(_, year)| (2, year))
        }
        [Word::Comma, ..] if !comma => None,
        _ => year(ahead),
    }
}
