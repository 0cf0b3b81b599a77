//! The shape of a list of scores: does one stand out, or are they flat.

use crate::exact_sum::Running;
use crate::{Error, Watch};

/// What a list of scores looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// The population skewness, `m3 / m2^1.5`; 0 where all are equal.
    pub skewness: f64,
    /// How far the highest leads the second, as a part of it; 0 unless it is above 0.
    pub top1_margin: f64,
}

/// The features of two scores or more, all of them finite; of others there are none.
///
/// # Errors
/// [`Error::MarginNotFinite`] if the lead is no finite multiple of the highest score, and
/// [`Error::Interrupted`] if the watch says so.
pub fn features(scores: &[f64], watch: Watch<'_>) -> Result<Option<Features>, Error> {
    let Some(ends) = Ends::of(scores, watch)? else { return Ok(None) };
    Ok(Some(Features { skewness: ends.skewness(scores, watch)?, top1_margin: ends.margin()? }))
}

/// The two largest scores, and the smallest.
struct Ends {
    first: f64,
    second: f64,
    last: f64,
}

impl Ends {
    fn of(scores: &[f64], watch: Watch<'_>) -> Result<Option<Self>, Error> {
        let least = f64::NEG_INFINITY;
        let mut ends = Self { first: least, second: least, last: f64::INFINITY };
        for (place, &score) in scores.iter().enumerate() {
            watch.check_at(place)?;
            if !score.is_finite() {
                return Ok(None);
            }
            ends.second = ends.second.max(score.min(ends.first));
            ends.first = ends.first.max(score);
            ends.last = ends.last.min(score);
        }
        Ok((scores.len() >= 2).then_some(ends))
    }

    /// How far the highest leads the second, as a part of it.
    fn margin(&self) -> Result<f64, Error> {
        let Self { first, second, .. } = *self;
        if first <= 0.0 {
            return Ok(0.0);
        }
        let lead = first - second;
        // The lead of a huge score over a hugely negative one leaves the range, its half does not.
        let margin = if lead.is_finite() {
            lead / first
        } else {
            (first / 2.0 - second / 2.0) / (first / 2.0)
        };
        if margin.is_finite() { Ok(margin) } else { Err(Error::MarginNotFinite { first, second }) }
    }

    /// The population skewness of all scores.
    ///
    /// Moving and stretching scores changes no skewness, so they are brought to 0..1 first: their
    /// powers then stay in the range, and one score is at least half a unit from the mean.
    fn skewness(&self, scores: &[f64], watch: Watch<'_>) -> Result<f64, Error> {
        let Self { first, last, .. } = *self;
        if first == last {
            return Ok(0.0);
        }
        let scale = if (first - last).is_finite() { 1.0 } else { 0.5 };
        let (low, span) = (last * scale, first * scale - last * scale);
        let place = |score: f64| (score * scale - low) / span;
        let centre = mean(scores.iter().map(|&score| place(score)), watch)?;
        let away = |score: f64| place(score) - centre;
        let m2 = mean(scores.iter().map(|&score| away(score).powi(2)), watch)?;
        let m3 = mean(scores.iter().map(|&score| away(score).powi(3)), watch)?;
        // Adding 0 takes the sign from a zero.
        Ok(m3 / (m2 * m2.sqrt()) + 0.0)
    }
}

/// The mean of numbers within -1..1, summed in twice the precision.
fn mean(terms: impl ExactSizeIterator<Item = f64>, watch: Watch<'_>) -> Result<f64, Error> {
    let count = terms.len();
    let mut sum = Running::default();
    for (place, term) in terms.enumerate() {
        watch.check_at(place)?;
        sum.add(term);
    }
    Ok(sum.value() / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(scores: &[f64]) -> Option<(f64, f64)> {
        let found = features(scores, Watch::never()).expect("a margin in the range");
        found.map(|Features { skewness, top1_margin }| (skewness, top1_margin))
    }

    #[test]
    fn the_formulas() {
        assert_eq!(of(&[5.0, 1.0, 1.0, 1.0, 1.0]), Some((1.5, 0.8)));
        assert_eq!(of(&[1.0, 0.0]), Some((0.0, 1.0)));
        assert_eq!(of(&[2.0, -3.0]), Some((0.0, 2.5)));
        assert_eq!(of(&[0.0, -1.0]), Some((0.0, 0.0)));
    }

    #[test]
    fn too_few_or_not_finite_is_none() {
        for scores in [&[][..], &[1.0], &[1.0, f64::NAN], &[f64::INFINITY, 1.0, 1.0]] {
            assert_eq!(of(scores), None);
        }
    }

    #[test]
    fn equal_ones_are_flat_to_the_bit() {
        for score in [0.1, -0.3, 1e308, 5e-324, 0.0] {
            let (skewness, margin) = of(&[score; 7]).expect("seven scores");
            assert_eq!((skewness.to_bits(), margin.to_bits()), (0, 0));
        }
    }

    #[test]
    fn the_range_of_floats_is_no_border() {
        let (skewness, margin) = of(&[1e308, -1e308, -1e308, -1e308, -1e308]).expect("five scores");
        assert!((skewness - 1.5).abs() < 1e-15 && margin == 2.0);
        let tiny = f64::from_bits(1);
        let (skewness, margin) = of(&[5.0 * tiny, tiny, tiny, tiny, tiny]).expect("five scores");
        assert!((skewness - 1.5).abs() < 1e-15 && margin == 0.8);
        let next = 1.0 + f64::EPSILON;
        let (skewness, _) = of(&[next, 1.0, 1.0, 1.0, 1.0]).expect("five scores");
        assert!((skewness - 1.5).abs() < 1e-15);
        let outside = features(&[1e-320, -1.0], Watch::never());
        assert_eq!(outside, Err(Error::MarginNotFinite { first: 1e-320, second: -1.0 }));
    }

    proptest! {
        #[test]
        fn neither_order_nor_scale_matters(
            mut scores in proptest::collection::vec(-1e3..1e3_f64, 2..40), power in -900..900_i32
        ) {
            let (skewness, margin) = of(&scores).expect("two or more");
            scores.reverse();
            let scaled: Vec<f64> = scores.iter().map(|score| score * 2.0_f64.powi(power)).collect();
            let (other, same) = of(&scaled).expect("two or more");
            prop_assert!((skewness - other).abs() <= 1e-12 * (1.0 + skewness.abs()));
            prop_assert_eq!(margin, same);
        }
    }

    #[test]
    fn it_stops_when_told() {
        let stop = Watch::new(&|| false);
        assert_eq!(features(&vec![1.0; 1 << 17], stop), Err(Error::Interrupted));
    }
}
