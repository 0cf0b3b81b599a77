//! Names that stand in a text: as whole words, in any case.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::text::{Symbols, case_folded};
use crate::{Error, Watch};

/// For each of the names whether it stands in the text.
///
/// Both are composed (NFC) and fully case-folded. A name counts as [`Symbols::find`] says, without the
/// white space around it. Linear in the text and the names together, as long as not many names of
/// different lengths begin with the same word; a name that comes again costs next to nothing.
///
/// # Errors
/// [`Error::Interrupted`] if the work is to stop.
pub fn standing_in(text: &str, names: &[&str], watch: Watch<'_>) -> Result<Vec<bool>, Error> {
    let mut numbers: HashMap<&str, usize, RandomState> = HashMap::default();
    let mut distinct: Vec<String> = Vec::new();
    let mut number_of: Vec<usize> = Vec::with_capacity(names.len());
    for (place, &name) in names.iter().enumerate() {
        watch.check_at(place)?;
        let number = *numbers.entry(name).or_insert(distinct.len());
        if number == distinct.len() {
            distinct.push(case_folded(name.trim(), watch)?);
        }
        number_of.push(number);
    }
    // Of names that fold to the same, the first is the one that is found.
    let mut first: HashMap<&str, usize, RandomState> = HashMap::default();
    for (number, name) in distinct.iter().enumerate() {
        first.entry(name).or_insert(number);
    }
    let folded: Vec<&str> = distinct.iter().map(String::as_str).collect();
    let mut found = vec![false; distinct.len()];
    for number in Symbols::new(&folded, watch)?.find(&case_folded(text, watch)?, watch)? {
        found[number as usize] = true;
    }
    Ok(number_of.into_iter().map(|number| found[first[folded[number]]]).collect())
}

/// Scores times `factor` where they are `chosen`.
///
/// # Errors
/// [`Error::ScoreNotFinite`] for a score, [`Error::ResultNotFinite`] for a product.
pub fn boosted(scores: &[f64], chosen: &[bool], factor: f64) -> Result<Vec<f64>, Error> {
    let mut new = Vec::with_capacity(scores.len());
    for (position, (&score, &chosen)) in scores.iter().zip(chosen).enumerate() {
        if !score.is_finite() {
            return Err(Error::ScoreNotFinite { list: 0, position, value: score });
        }
        let product = if chosen { score * factor } else { score };
        if !product.is_finite() {
            return Err(Error::ResultNotFinite { candidate: position as u32 });
        }
        new.push(product);
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, names: &[&str]) -> Vec<bool> {
        standing_in(text, names, Watch::never()).expect("nobody interrupts")
    }

    #[test]
    fn whole_words_in_any_case() {
        assert_eq!(
            found(
                "What did CAROLINE say?",
                &["Caroline", "Mel", "caroline", "line", "What did", ""]
            ),
            [true, false, true, false, true, false]
        );
        assert_eq!(found("Caroline_2", &["Caroline"]), [false]);
        assert_eq!(found("STRASSE", &["straße", " Straße\u{3000}"]), [true, true]);
        assert_eq!(found("cafe\u{301}", &["CAFÉ", "cafe"]), [true, false]);
        assert_eq!(found("house  rules", &["house rules", "rules"]), [false, true]);
    }

    #[test]
    fn products_are_finite() {
        assert_eq!(boosted(&[1.0, -2.0], &[false, true], 1.5), Ok(vec![1.0, -3.0]));
        assert_eq!(
            boosted(&[1.0, f64::MAX], &[false, true], 1.5),
            Err(Error::ResultNotFinite { candidate: 1 })
        );
        assert!(matches!(
            boosted(&[1.0, f64::NAN], &[false, false], 1.5),
            Err(Error::ScoreNotFinite { position: 1, .. })
        ));
    }

    #[test]
    fn it_stops_when_told() {
        let stop = Watch::new(&|| false);
        let names = vec!["a"; 1 << 17];
        assert_eq!(standing_in("a", &names, stop), Err(Error::Interrupted));
    }
}
