//! How alike two tokens are.

use foldhash::fast::RandomState;
use hashbrown::HashSet;
use memchr::memmem;

use crate::{Error, Watch};

/// 1 for equal tokens, 0 where one is empty, the ratio of lengths where one contains the other,
/// else the Sørensen-Dice coefficient of the sets of their bigrams.
///
/// Characters are Unicode scalar values. The tokens are taken as they are: whoever calls composes
/// them first. Linear in their lengths.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn token_similarity(a: &str, b: &str, watch: Watch<'_>) -> Result<f64, Error> {
    if a == b {
        return Ok(1.0);
    }
    if a.is_empty() || b.is_empty() {
        return Ok(0.0);
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if memmem::find(long.as_bytes(), short.as_bytes()).is_some() {
        return Ok(ratio(short.chars().count(), long.chars().count()));
    }
    let (a, b) = (bigrams(a, watch)?, bigrams(b, watch)?);
    let in_both = a.intersection(&b).count();
    Ok(dice(in_both, a.len() + b.len()))
}

/// Twice what two sets share over the sum of their sizes; 0 for two empty sets.
pub(super) fn dice(in_both: usize, of_each: usize) -> f64 {
    ratio(2 * in_both, of_each.max(1))
}

/// A quotient of two counts, rounded once.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

fn bigrams(token: &str, watch: Watch<'_>) -> Result<HashSet<(char, char), RandomState>, Error> {
    let mut found = HashSet::with_hasher(RandomState::default());
    for (place, pair) in token.chars().zip(token.chars().skip(1)).enumerate() {
        watch.check_at(place)?;
        found.insert(pair);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(a: &str, b: &str) -> f64 {
        token_similarity(a, b, Watch::never()).expect("nobody stops it")
    }

    #[test]
    fn each_rule_by_hand() {
        assert_eq!(of("", ""), 1.0);
        assert_eq!(of("", "a"), 0.0);
        assert_eq!(of("search", "searching"), 6.0 / 9.0);
        assert_eq!(of("night", "nacht"), 0.25);
        assert_eq!(of("a", "b"), 0.0);
        assert_eq!(of("yxyxyx", "xyxyxy"), 1.0);
        assert_eq!(of("字", "漢字"), 0.5);
        assert_eq!(of("naïve", "naive"), 0.5);
    }

    proptest! {
        #[test]
        fn is_symmetric_and_within_bounds(a in "[abé字]{0,7}", b in "[abé字]{0,7}") {
            let similarity = of(&a, &b);
            prop_assert_eq!(similarity, of(&b, &a));
            prop_assert!((0.0..=1.0).contains(&similarity));
            prop_assert_eq!(of(&a, &a), 1.0);
        }
    }

    #[test]
    fn a_long_token_can_be_stopped() {
        let long = "ab".repeat(100_000);
        let stop = Watch::new(&|| false);
        assert_eq!(token_similarity(&long, "xyz", stop), Err(Error::Interrupted));
        assert_eq!(of(&long, "xyz"), 0.0);
    }
}
