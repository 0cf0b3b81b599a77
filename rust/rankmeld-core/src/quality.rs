//! What a document is worth by itself, whatever is asked: importance, trust, use and freshness.

use crate::decay::halved;
use crate::signals::{Moment, Signals, Tier, age_in_days};
use crate::wide_float::WideFloat;

/// The importance of a document that has none.
const MIDDLING: f64 = 0.5;

/// What worth is made of. All numbers are finite and not negative, but for the half-life, which is
/// above zero and may be infinite.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Days after which one half is left of recency.
    pub half_life: f64,
    /// How much more slowly what is used often fades.
    pub stability: f64,
    /// By the number of a [`Tier`].
    pub tier_weights: [f64; Tier::ALL.len()],
    /// Lost per week.
    pub confidence_decay: f64,
    /// Weeks in which nothing is lost.
    pub grace_weeks: f64,
    /// What is never lost.
    pub confidence_floor: f64,
    /// The recency of what has no date.
    pub undated: f64,
}

impl Model {
    /// `2 ** -(age / half_life)`.
    #[must_use]
    pub fn recency(&self, document: &Signals, now: Moment) -> WideFloat {
        self.fading(document, now, self.half_life)
    }

    /// Within 0..1.
    #[must_use]
    pub fn effective_importance(&self, document: &Signals) -> f64 {
        document.importance.unwrap_or(MIDDLING).clamp(0.0, 1.0)
    }

    /// The tier's weight, more or less by importance; within 0..1.
    #[must_use]
    pub fn salience(&self, document: &Signals) -> f64 {
        let weight = self.tier_weights[document.tier as usize];
        (weight * (0.5 + 0.5 * self.effective_importance(document))).clamp(0.0, 1.0)
    }

    /// What is left of the confidence in a lasting memory; 1 for all others.
    #[must_use]
    pub fn effective_confidence(&self, document: &Signals, now: Moment) -> f64 {
        let Some(confidence) = document.confidence else { return 1.0 };
        if document.tier.is_short_term() {
            return 1.0;
        }
        let confirmed = document.confirmed().unwrap_or(now);
        let weeks = (age_in_days(confirmed, now) / 7.0 - self.grace_weeks).max(0.0);
        (confidence.clamp(0.0, 1.0) - self.confidence_decay * weeks).max(self.confidence_floor)
    }

    /// `1 + ln(1 + n)` of a document that was used n times.
    #[must_use]
    pub fn usage(&self, document: &Signals) -> f64 {
        1.0 + document.familiarity
    }

    /// Salience, confidence and usage, and for what fades by itself its freshness.
    #[must_use]
    pub fn quality(&self, document: &Signals, now: Moment) -> WideFloat {
        let lasting = WideFloat::from(self.salience(document))
            * WideFloat::from(self.effective_confidence(document, now))
            * WideFloat::from(self.usage(document));
        if !document.tier.is_short_term() {
            return lasting;
        }
        let half_life = self.half_life * (1.0 + self.stability * document.familiarity);
        lasting * self.fading(document, now, half_life)
    }

    fn fading(&self, document: &Signals, now: Moment, half_life: f64) -> WideFloat {
        match document.touched() {
            Some(touched) => halved(age_in_days(touched, now) / half_life),
            None => WideFloat::from(self.undated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000_000;

    fn model() -> Model {
        Model {
            half_life: 7.0,
            stability: 0.0,
            tier_weights: [0.5, 0.30, 0.55, 0.90, 0.95],
            confidence_decay: 0.05,
            grace_weeks: 1.0,
            confidence_floor: 0.05,
            undated: 1.0,
        }
    }

    #[test]
    fn of_nothing_known() {
        let (model, unknown) = (model(), Signals::default());
        assert_eq!(model.recency(&unknown, 0).value(), 1.0);
        assert_eq!(model.salience(&unknown), 0.375);
        assert_eq!(model.quality(&unknown, 0).value(), 0.375);
    }

    #[test]
    fn confidence_fades_for_what_lasts() {
        let told = |tier| Signals {
            confidence: Some(0.8),
            updated: Some(-21 * DAY),
            tier,
            ..Signals::default()
        };
        let left = |document| model().effective_confidence(&document, 0);
        assert_eq!(left(told(Tier::Semantic)), 0.8 - 0.05 * 2.0);
        assert_eq!(left(told(Tier::Episodic)), 1.0);
        assert_eq!(left(Signals { updated: None, ..told(Tier::Procedural) }), 0.8);
        assert_eq!(left(Signals { confidence: Some(-3.0), ..told(Tier::Semantic) }), 0.05);
    }

    #[test]
    fn what_is_used_often_fades_more_slowly() {
        let worn = Signals { familiarity: 1.0, created: Some(-14 * DAY), ..Signals::default() };
        let stable = Model { stability: 1.0, ..model() };
        assert_eq!(model().quality(&worn, 0).value(), 0.375 * 2.0 / 4.0);
        assert_eq!(stable.quality(&worn, 0).value(), 0.375 * 2.0 / 2.0);
    }
}
