//! How near a document's time is to the time that is asked for.

use crate::signals::{Moment, Signals, as_days};
use crate::wide_float::WideFloat;

/// The proximity of a distance in days: 1 within the tolerance, 0 from three times it on, linear between.
#[must_use]
pub fn proximity(distance: f64, tolerance: f64) -> f64 {
    if distance <= tolerance {
        return 1.0;
    }
    let left = 3.0 * tolerance - distance; // a distance is no more than ten thousand years
    if left > 0.0 { left / (2.0 * tolerance) } else { 0.0 }
}

/// A time asked for, and what being near it is worth.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The middle; it may be outside the years that documents can have.
    pub moment: Moment,
    /// Days around it that are as good.
    pub tolerance: f64,
    /// By which share a score grows at the most.
    pub boost: f64,
}

impl Target {
    /// Within 0..1; 0 for a document without a date.
    #[must_use]
    pub fn proximity(&self, document: &Signals) -> f64 {
        let Some(moment) = document.about() else { return 0.0 };
        let distance = as_days(moment.saturating_sub(self.moment).saturating_abs());
        proximity(distance, self.tolerance)
    }

    /// What a score is multiplied by.
    #[must_use]
    pub fn factor(&self, proximity: f64) -> WideFloat {
        WideFloat::ONE + WideFloat::from(self.boost) * WideFloat::from(proximity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_within_zero_beyond_and_linear_between() {
        let found = [0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(|distance| proximity(distance, 2.0));
        assert_eq!(found, [1.0, 1.0, 0.75, 0.5, 0.25, 0.0, 0.0]);
        assert_eq!((proximity(0.0, 0.0), proximity(1e-9, 0.0)), (1.0, 0.0));
        assert_eq!((proximity(3e6, 1e308), proximity(1.0, 5e-324)), (1.0, 0.0));
    }

    proptest! {
        #[test]
        fn farther_is_never_nearer(a in 0.0..1e3_f64, b in 0.0..1e3_f64, tolerance in 0.0..400.0_f64) {
            let (near, far) = (proximity(a.min(b), tolerance), proximity(a.max(b), tolerance));
            prop_assert!((0.0..=1.0).contains(&far) && far <= near && near <= 1.0);
        }
    }

    #[test]
    fn a_target_outside_all_years_is_near_to_nothing() {
        let document = Signals { created: Some(1 << 58), ..Signals::default() };
        for moment in [i64::MIN, i64::MAX] {
            let target = Target { moment, tolerance: 100.0, boost: 1.0 };
            assert_eq!(target.proximity(&document), 0.0);
        }
        assert_eq!(
            Target { moment: 0, tolerance: 1.0, boost: 1.0 }.proximity(&Signals::default()),
            0.0
        );
    }
}
