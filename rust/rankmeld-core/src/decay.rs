//! Age as a factor: halving, and the pass that multiplies scores by it.

use crate::signals::{Moment, Signals, age_in_days};
use crate::wide_float::WideFloat;
use crate::{Error, Watch};

/// More halvings than this are as many: floats count no further one by one.
const FURTHEST: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// `2 ** -halvings`, for any number of them that is not negative, an infinite one included.
#[must_use]
pub fn halved(halvings: f64) -> WideFloat {
    let capped = halvings.min(FURTHEST);
    let whole = capped.floor();
    WideFloat::from((whole - capped).exp2()).times_two_to(-(whole as i64))
}

/// How age becomes a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// `2 ** -(age / half_life)`.
    Exponential,
    /// `1 / (1 + age / half_life)`.
    Hyperbolic,
}

/// What a pass over scores does.
#[derive(Debug, Clone, Copy)]
pub struct Decay {
    /// The moment that age counts to.
    pub now: Moment,
    /// Days after which one half is left; above zero.
    pub half_life: f64,
    /// How age becomes a factor.
    pub curve: Curve,
    /// Importance counts to this power; 0: not at all.
    pub importance_power: f64,
    /// The factor of age where there is no date.
    pub undated: f64,
}

impl Decay {
    /// Days since the document was last written, 0 for an evergreen one; `None` if unknown.
    #[must_use]
    pub fn age(&self, document: &Signals) -> Option<f64> {
        if document.evergreen {
            return Some(0.0);
        }
        document.written().map(|written| age_in_days(written, self.now))
    }

    /// What the document's score is multiplied by.
    #[must_use]
    pub fn factor(&self, document: &Signals) -> WideFloat {
        let of_age = match (self.age(document), self.curve) {
            (None, _) => WideFloat::from(self.undated),
            (Some(age), Curve::Exponential) => halved(age / self.half_life),
            (Some(age), Curve::Hyperbolic) => WideFloat::from(1.0 / (1.0 + age / self.half_life)),
        };
        match document.importance {
            Some(importance) if self.importance_power > 0.0 => {
                of_age * self.share(importance.clamp(0.0, 1.0))
            }
            _ => of_age,
        }
    }

    /// Importance, within 0..1, to the power asked for.
    fn share(&self, importance: f64) -> WideFloat {
        let power = importance.powf(self.importance_power);
        if power >= f64::MIN_POSITIVE || importance == 0.0 {
            return WideFloat::from(power);
        }
        halved(-self.importance_power * importance.log2()) // what floats cannot hold
    }
}

/// Scores with the age of their documents in them; a negative one is divided by its factor.
///
/// An answer that is no float is infinite.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn decayed(
    scores: &[f64],
    documents: &[Signals],
    decay: &Decay,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let mut decayed = Vec::with_capacity(scores.len());
    for (place, (&score, document)) in scores.iter().zip(documents).enumerate() {
        watch.check_at(place)?;
        let factor = decay.factor(document);
        decayed.push(if score >= 0.0 {
            (WideFloat::from(score) * factor).value()
        } else if factor.is_zero() {
            f64::NEG_INFINITY
        } else {
            (WideFloat::from(score) / factor).value()
        });
    }
    Ok(decayed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decay(half_life: f64, curve: Curve) -> Decay {
        Decay { now: 0, half_life, curve, importance_power: 0.0, undated: 0.25 }
    }

    fn written(days_ago: i64) -> Signals {
        Signals { created: Some(-days_ago * 86_400_000_000), ..Signals::default() }
    }

    fn one(score: f64, document: Signals, decay: &Decay) -> f64 {
        decayed(&[score], &[document], decay, Watch::never()).expect("nobody stops it")[0]
    }

    #[test]
    fn one_half_life_leaves_one_half() {
        for curve in [Curve::Exponential, Curve::Hyperbolic] {
            assert_eq!(one(8.0, written(30), &decay(30.0, curve)), 4.0);
            assert_eq!(one(-8.0, written(30), &decay(30.0, curve)), -16.0);
            assert_eq!(one(8.0, written(30), &decay(f64::INFINITY, curve)), 8.0);
            assert_eq!(one(8.0, written(-30), &decay(1.0, curve)), 8.0);
        }
        assert_eq!(one(8.0, Signals::default(), &decay(1.0, Curve::Exponential)), 2.0);
    }

    #[test]
    fn nothing_vanishes_on_the_way() {
        let day = decay(1.0, Curve::Exponential);
        assert_eq!(one(2.0_f64.powi(1000), written(1100), &day), 2.0_f64.powi(-100));
        assert_eq!(one(-2.0_f64.powi(-1000), written(1100), &day), -2.0_f64.powi(100));
        assert_eq!(one(-1.0, written(1100), &day), f64::NEG_INFINITY);
        assert_eq!(one(1.0, written(1), &decay(5e-324, Curve::Exponential)), 0.0);
    }

    #[test]
    fn importance_beyond_floats_still_counts() {
        let squared = Decay { importance_power: 2.0, ..decay(1.0, Curve::Exponential) };
        let document = Signals { importance: Some(2.0_f64.powi(-600)), ..written(0) };
        assert_eq!(one(2.0_f64.powi(1000), document, &squared), 2.0_f64.powi(-200));
        let worthless = Signals { importance: Some(-1.0), ..written(0) };
        assert_eq!(one(1.0, worthless, &squared), 0.0);
        assert_eq!(one(-1.0, worthless, &squared), f64::NEG_INFINITY);
    }
}
