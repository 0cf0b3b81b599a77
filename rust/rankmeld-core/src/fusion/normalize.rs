//! Bringing the scores of different retrievers onto one scale.

use crate::Error;
use crate::exact_sum;
use crate::power_of_two::{exponent, times_power};
use crate::range::range;

/// How a list's scores are mapped before they are weighted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Normalization {
    /// `(s - min) / (max - min)`.
    MinMax,
    /// `(s - low) / (high - low)` with a known range, clipped to 0..1.
    Bounds {
        /// Lower end.
        low: f64,
        /// Upper end, above `low`.
        high: f64,
    },
    /// `s / max`; all zero where the maximum is not above zero.
    Max,
    /// `(s - min) / sum(s - min)`.
    Sum,
    /// `(s - mean) / population deviation`.
    ZScore,
    /// `(s - (mean - 3d)) / 6d` with `d` the sample deviation, clipped to 0..1.
    DistributionBased,
    /// The score itself.
    None,
}

impl Normalization {
    /// What a list of one entry or of equal scores gets by default; `None` where the formula holds.
    #[must_use]
    pub fn constant(self) -> Option<f64> {
        match self {
            Self::MinMax => Some(1.0),
            Self::Sum | Self::ZScore => Some(0.0),
            Self::DistributionBased => Some(0.5),
            Self::Bounds { .. } | Self::Max | Self::None => None,
        }
    }
}

/// Refuses NaN and infinities in the scores of one list.
///
/// # Errors
/// [`Error::ScoreNotFinite`] for the first one.
pub fn require_finite(scores: &[f64], list: usize) -> Result<(), Error> {
    match scores.iter().position(|score| !score.is_finite()) {
        Some(position) => Err(Error::ScoreNotFinite { list, position, value: scores[position] }),
        None => Ok(()),
    }
}

/// The normalized scores of one list of finite scores.
///
/// `on_constant` replaces what a list of one entry or of equal scores gets.
#[must_use]
pub fn normalize(scores: &[f64], how: Normalization, on_constant: Option<f64>) -> Vec<f64> {
    let Some((min, max)) = range(scores) else {
        return Vec::new();
    };
    if min == max
        && let Some(default) = how.constant()
    {
        return vec![on_constant.unwrap_or(default); scores.len()];
    }
    match how {
        Normalization::MinMax => ratio(scores, min, max),
        Normalization::Bounds { low, high } => {
            ratio(scores, low, high).into_iter().map(|value| value.clamp(0.0, 1.0)).collect()
        }
        Normalization::Max if max <= 0.0 => vec![0.0; scores.len()],
        Normalization::Max => scores.iter().map(|score| score / max).collect(),
        Normalization::Sum => {
            let above = unit_range(scores, min, max);
            let total = exact_sum::sum(&above);
            above.into_iter().map(|value| value / total).collect()
        }
        Normalization::ZScore => {
            let (above, mean, deviation) = moments(scores, min, max, scores.len() as f64);
            above.into_iter().map(|value| (value - mean) / deviation).collect()
        }
        Normalization::DistributionBased => {
            let (above, mean, deviation) = moments(scores, min, max, scores.len() as f64 - 1.0);
            let bottom = mean - 3.0 * deviation;
            above
                .into_iter()
                .map(|value| ((value - bottom) / (6.0 * deviation)).clamp(0.0, 1.0))
                .collect()
        }
        Normalization::None => scores.to_vec(),
    }
}

/// `(s - low) / (high - low)`; halves where the difference of huge scores would overflow.
fn ratio(scores: &[f64], low: f64, high: f64) -> Vec<f64> {
    let span = high - low;
    if span.is_finite() {
        return scores.iter().map(|score| (score - low) / span).collect();
    }
    let span = high / 2.0 - low / 2.0;
    scores.iter().map(|score| (score / 2.0 - low / 2.0) / span).collect()
}

/// Scores moved to start at zero and scaled by a power of two into 0..2.
///
/// Sum, mean and deviation over it cannot leave the range, and keep the relative precision that
/// scores lose which are large beside their differences.
fn unit_range(scores: &[f64], min: f64, max: f64) -> Vec<f64> {
    let half = max / 2.0 - min / 2.0;
    if half >= f64::MIN_POSITIVE {
        let scale = exponent(half);
        let shift = |score: f64| {
            let span = score - min;
            if span.is_finite() {
                times_power(span, -scale)
            } else {
                times_power(score / 2.0 - min / 2.0, 1 - scale)
            }
        };
        scores.iter().map(|&score| shift(score) / 2.0).collect()
    } else {
        // Differences of subnormal size are exact; 2^1074 makes them integers.
        scores.iter().map(|&score| times_power(score - min, 1022)).collect()
    }
}

/// Scores in unit range, their mean, and their deviation with this divisor.
fn moments(scores: &[f64], min: f64, max: f64, divisor: f64) -> (Vec<f64>, f64, f64) {
    let above = unit_range(scores, min, max);
    let mean = exact_sum::sum(&above) / above.len() as f64;
    let squares: Vec<f64> = above.iter().map(|value| (value - mean) * (value - mean)).collect();
    let deviation = (exact_sum::sum(&squares) / divisor).sqrt();
    (above, mean, deviation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Normalization; 6] = [
        Normalization::MinMax,
        Normalization::Max,
        Normalization::Sum,
        Normalization::ZScore,
        Normalization::DistributionBased,
        Normalization::None,
    ];

    proptest! {
        #[test]
        fn order_is_kept_and_results_are_finite(
            scores in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO, 1..30)
        ) {
            for how in ALL {
                let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if how == Normalization::Max && max < 1.0 {
                    continue; // a ratio to a tiny maximum may rightly leave the range
                }
                let got = normalize(&scores, how, None);
                for (i, a) in scores.iter().enumerate() {
                    prop_assert!(got[i].is_finite(), "{how:?} of {scores:?} gave {got:?}");
                    for (j, b) in scores.iter().enumerate() {
                        prop_assert!(a < b || got[i] >= got[j], "{how:?}: {a} {b} {got:?}");
                    }
                }
            }
        }

        #[test]
        fn scale_and_shift_change_nothing(
            steps in proptest::collection::vec(0..1000_i32, 2..20), scale in -1000..900_i32
        ) {
            for how in [Normalization::MinMax, Normalization::Sum, Normalization::ZScore, Normalization::DistributionBased] {
                let plain: Vec<f64> = steps.iter().map(|&s| f64::from(s)).collect();
                let moved: Vec<f64> = plain.iter().map(|s| times_power(s - 400.0, scale)).collect();
                for (a, b) in normalize(&plain, how, None).iter().zip(normalize(&moved, how, None)) {
                    prop_assert!((a - b).abs() < 1e-9, "{how:?} at 2^{scale}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn the_whole_range_of_floats_is_a_range() {
        let scores = [f64::MAX, 0.0, f64::MIN];
        assert_eq!(normalize(&scores, Normalization::MinMax, None), [1.0, 0.5, 0.0]);
        let tiny = [2.0 * 5e-324, 5e-324, 0.0];
        assert_eq!(normalize(&tiny, Normalization::MinMax, None), [1.0, 0.5, 0.0]);
        let close = [1.0 + f64::EPSILON, 1.0];
        assert_eq!(normalize(&close, Normalization::ZScore, None), [1.0, -1.0]);
    }
}
