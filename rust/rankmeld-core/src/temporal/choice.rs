//! Which phrase of a text counts.

use super::between::between;
use super::dates::date;
use super::periods::period;
use super::phrase::{Context, Phrase, Reading};
use super::relative::relative;
use super::scanner::Words;
use super::words::Word;
use super::{Anchor, Hemisphere, Now};
use crate::{Error, Watch};

/// The time that a text names.
///
/// Relative phrases go before those of the calendar; then the smaller tolerance counts, then the
/// first place. A phrase that another one contains does not count.
///
/// # Errors
/// [`Error::Interrupted`] if the work is to stop.
pub fn anchor(
    text: &str,
    now: Now,
    hemisphere: Hemisphere,
    watch: Watch<'_>,
) -> Result<Option<Anchor>, Error> {
    let Words { words, places } = Words::of(text, watch)?;
    let context = Context { now, hemisphere };
    let mut best: Option<(Reading, usize, usize)> = None;
    let mut covered = 0;
    for at in 0..words.len() {
        watch.check_at(at)?;
        let Some(phrase) = phrase(&words[..at], &words[at..], context) else { continue };
        let end = at + phrase.words;
        if end <= covered {
            continue;
        }
        covered = end;
        let better =
            |reading: &Reading| best.as_ref().is_none_or(|(best, ..)| rank(reading) < rank(best));
        if let Some(reading) = phrase.reading.filter(Reading::exists).filter(better) {
            best = Some((reading, at, end - 1));
        }
    }
    Ok(best.map(|(reading, first, last)| Anchor {
        days: days_before(now, reading.day),
        tolerance: reading.half_days as f64 / 2.0,
        text: places[first].0..places[last].1,
        interval: reading.interval,
    }))
}

fn rank(reading: &Reading) -> (bool, i64) {
    (!reading.relative, reading.half_days)
}

/// The longest phrase that begins here.
fn phrase(before: &[Word], ahead: &[Word], context: Context) -> Option<Phrase> {
    if matches!(ahead, [Word::Other | Word::Comma | Word::Of | Word::And, ..]) {
        return None;
    }
    between(ahead, context.now)
        .or_else(|| date(ahead, context.now))
        .or_else(|| period(ahead, context))
        .or_else(|| relative(before, ahead, context.now))
}

/// Whole days from the midnight with which a day begins to now, rounded toward zero.
fn days_before(now: Now, day: i64) -> i64 {
    let days = now.today - day;
    days + i64::from(days < 0 && now.after_midnight)
}
