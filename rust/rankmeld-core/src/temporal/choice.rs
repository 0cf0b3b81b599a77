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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 20 March 2024, a Wednesday.
    const NOW: Now = Now { today: 738_965, after_midnight: true };

    fn found(text: &str) -> Option<Anchor> {
        anchor(text, NOW, Hemisphere::North, Watch::never()).expect("nobody stops it")
    }

    #[test]
    fn relative_phrases_go_first_then_the_most_precise_then_the_first() {
        for (text, phrase) in [
            ("on October 13, 2023, or recently", "recently"),
            ("recently, or 5 days ago", "5 days ago"),
            ("today or yesterday", "today"),
            ("in 2022 or July 2023", "July 2023"),
            ("July 3 days ago", "3 days ago"),
        ] {
            let anchor = found(text).expect(text);
            assert_eq!(&text[anchor.text], phrase);
        }
    }

    #[test]
    fn what_a_longer_phrase_contains_does_not_count() {
        for (text, phrase) in [
            ("the day before yesterday", "the day before yesterday"),
            ("in July 2023", "in July 2023"),
            ("a year ago today", "a year ago today"),
        ] {
            let anchor = found(text).expect(text);
            assert_eq!(&text[anchor.text], phrase);
        }
        // Nor does what one contains that names a day that there is not.
        assert_eq!(found("31 April 2023"), None);
    }

    #[test]
    fn days_ahead_are_whole_only_at_midnight() {
        let at = |after_midnight| {
            let now = Now { after_midnight, ..NOW };
            let found = anchor("March 22, 2024", now, Hemisphere::North, Watch::never());
            found.expect("nobody stops it").map(|anchor| anchor.days)
        };
        assert_eq!((at(false), at(true)), (Some(-2), Some(-1)));
    }

    #[test]
    fn long_texts_can_be_stopped() {
        let stopped = anchor(&"x ".repeat(200_000), NOW, Hemisphere::North, Watch::new(&|| false));
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>(), today in 1..3_652_060_i64) {
            let now = Now { today, after_midnight: true };
            anchor(&text, now, Hemisphere::South, Watch::never()).expect("nobody stops it");
        }

        #[test]
        fn a_phrase_lies_in_its_text_and_exists(
            words in prop::collection::vec(
                "[0-9]{1,5}(st|th)?|last|this|past|in|on|of|days?|weeks?|months|ago|may|july|,|-|the|q3|between|and|summer",
                0..12,
            ),
            today in 1..3_652_060_i64,
        ) {
            let text = words.join(" ");
            let now = Now { today, after_midnight: false };
            let found = anchor(&text, now, Hemisphere::North, Watch::never());
            if let Some(anchor) = found.expect("nobody stops it") {
                prop_assert!(text.get(anchor.text).is_some_and(|phrase| !phrase.is_empty()));
                prop_assert!(anchor.days < today && anchor.tolerance >= 0.0);
                prop_assert!(anchor.interval.is_none_or(|days| 1 <= days.start && days.start < days.end));
            }
        }
    }
}
