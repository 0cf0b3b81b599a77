//! Relevance, recency, importance and quality, weighed into one score.
//!
//! Quality scales relevance, so that a good document about something else gains nothing from it.

use crate::proximity::Target;
use crate::quality::Model;
use crate::range::range;
use crate::signals::{Moment, Signals};
use crate::wide_float::WideFloat;
use crate::{Error, Watch};

/// What each part counts; finite, not negative. A part of weight 0 is not looked at.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// The score of the ranking.
    pub relevance: f64,
    /// How new the document is.
    pub recency: f64,
    /// How important it is.
    pub importance: f64,
    /// What it is worth by itself, in proportion to its relevance.
    pub quality: f64,
}

impl Weights {
    /// Whether the scores of the ranking count for anything.
    #[must_use]
    pub fn need_scores(&self) -> bool {
        self.relevance > 0.0 || self.quality > 0.0
    }
}

/// How a ranking is weighed.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// What each part counts.
    pub weights: Weights,
    /// What worth is made of.
    pub model: Model,
    /// The moment that age counts to.
    pub now: Moment,
    /// The time that the query asks for.
    pub target: Option<Target>,
}

/// The parts of one score: 0 for one of weight 0.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    /// The ranking's score on the scale of the set.
    pub relevance: WideFloat,
    /// See [`Model::recency`].
    pub recency: WideFloat,
    /// See [`Model::effective_importance`].
    pub importance: WideFloat,
    /// [`Model::quality`] over the highest of the set.
    pub quality: WideFloat,
    /// How near the document is to the time that is asked for; 0 where none is.
    pub proximity: f64,
    /// Their sum, each part weighed.
    pub weighed: WideFloat,
    /// That, with the boost for proximity.
    pub score: WideFloat,
}

/// How scores become relevance.
#[derive(Debug, Clone, Copy)]
enum Scale {
    /// All of them are this.
    Constant(f64),
    /// `(s - low) / spread`.
    Linear { low: WideFloat, spread: WideFloat },
}

impl Scale {
    /// Scores over the highest; where one is negative, from the lowest to the highest.
    fn of(scores: &[f64]) -> Self {
        let Some((low, high)) = range(scores) else { return Self::Constant(0.0) };
        if low < 0.0 && low == high {
            return Self::Constant(1.0);
        }
        if high == 0.0 && low == 0.0 {
            return Self::Constant(0.0);
        }
        let (low, high) = (WideFloat::from(low.min(0.0)), WideFloat::from(high));
        Self::Linear { low, spread: high - low }
    }

    fn relevance(self, score: f64) -> WideFloat {
        match self {
            Self::Constant(relevance) => WideFloat::from(relevance),
            Self::Linear { low, spread } => (WideFloat::from(score) - low) / spread,
        }
    }
}

/// The parts of each score, in the order of the documents; `scores` may be empty where they do not
/// count.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn parts(
    scores: &[f64],
    documents: &[Signals],
    request: &Request,
    watch: Watch<'_>,
) -> Result<Vec<Parts>, Error> {
    each(scores, documents, request, watch, |parts| parts)
}

/// The new score of each document; one that is no float is infinite. Arguments as for [`parts`].
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn composite(
    scores: &[f64],
    documents: &[Signals],
    request: &Request,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    each(scores, documents, request, watch, |parts| parts.score.value())
}

fn each<T>(
    scores: &[f64],
    documents: &[Signals],
    request: &Request,
    watch: Watch<'_>,
    wanted: impl Fn(Parts) -> T,
) -> Result<Vec<T>, Error> {
    let Request { weights, model, now, .. } = request;
    let mut qualities = Vec::new();
    let mut highest = WideFloat::ZERO;
    if weights.quality > 0.0 {
        for (place, document) in documents.iter().enumerate() {
            watch.check_at(place)?;
            let quality = model.quality(document, *now);
            highest = highest.larger(quality);
            qualities.push(quality);
        }
    }
    let scale = weights.need_scores().then(|| Scale::of(scores));
    let mut found = Vec::with_capacity(documents.len());
    for (place, document) in documents.iter().enumerate() {
        watch.check_at(place)?;
        let relevance = scale.zip(scores.get(place)).map(|(scale, &score)| scale.relevance(score));
        let quality = qualities.get(place).filter(|quality| !quality.is_zero());
        found.push(wanted(request.weigh(
            document,
            relevance.unwrap_or(WideFloat::ZERO),
            quality.map_or(WideFloat::ZERO, |&quality| quality / highest),
        )));
    }
    Ok(found)
}

impl Request {
    fn weigh(&self, document: &Signals, relevance: WideFloat, quality: WideFloat) -> Parts {
        let Self { weights, model, now, target } = self;
        let counted = |weight: f64, part: &dyn Fn() -> WideFloat| {
            if weight > 0.0 { part() } else { WideFloat::ZERO }
        };
        let recency = counted(weights.recency, &|| model.recency(document, *now));
        let importance =
            counted(weights.importance, &|| WideFloat::from(model.effective_importance(document)));
        let proximity = target.map_or(0.0, |target| target.proximity(document));
        let weighed = relevance
            * (WideFloat::from(weights.relevance) + WideFloat::from(weights.quality) * quality)
            + WideFloat::from(weights.recency) * recency
            + WideFloat::from(weights.importance) * importance;
        let score = match target {
            Some(target) => weighed * target.factor(proximity),
            None => weighed,
        };
        Parts { relevance, recency, importance, quality, proximity, weighed, score }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000_000;

    fn request(relevance: f64, recency: f64, importance: f64, quality: f64) -> Request {
        let model = Model {
            half_life: 7.0,
            stability: 0.0,
            tier_weights: [0.5, 0.30, 0.55, 0.90, 0.95],
            confidence_decay: 0.05,
            grace_weeks: 1.0,
            confidence_floor: 0.05,
            undated: 1.0,
        };
        let weights = Weights { relevance, recency, importance, quality };
        Request { weights, model, now: 0, target: None }
    }

    fn made(days_ago: i64) -> Signals {
        Signals { created: Some(-days_ago * DAY), ..Signals::default() }
    }

    fn scored(scores: &[f64], documents: &[Signals], request: &Request) -> Vec<f64> {
        composite(scores, documents, request, Watch::never()).expect("nobody stops it")
    }

    #[test]
    fn relevance_is_over_the_highest_or_between_the_ends() {
        let alone = request(1.0, 0.0, 0.0, 0.0);
        let relevance = |scores: &[f64]| scored(scores, &vec![made(0); scores.len()], &alone);
        assert_eq!(relevance(&[4.0, 1.0, 0.0]), [1.0, 0.25, 0.0]);
        assert_eq!(relevance(&[3.0, 1.0, -1.0]), [1.0, 0.5, 0.0]);
        assert_eq!(relevance(&[-2.0, -2.0]), [1.0, 1.0]);
        assert_eq!(relevance(&[0.0, -0.0]), [0.0, 0.0]);
        assert_eq!(relevance(&[5e-324, 0.0]), [1.0, 0.0]);
        assert_eq!(relevance(&[f64::MAX, -f64::MAX, 0.0]), [1.0, 0.0, 0.5]);
    }

    #[test]
    fn quality_scales_relevance_and_the_rest_is_added() {
        let all = request(0.5, 0.25, 2.0, 1.0);
        let found = scored(&[2.0, 1.0], &[made(7), made(0)], &all);
        assert_eq!(found, [1.0 * (0.5 + 0.5) + 0.125 + 1.0, 0.5 * (0.5 + 1.0) + 0.25 + 1.0]);
    }

    #[test]
    fn a_weight_of_zero_looks_at_nothing() {
        let importance = request(0.0, 0.0, 1.0, 0.0);
        assert_eq!(scored(&[], &[made(0), made(9)], &importance), [0.5, 0.5]);
        assert!(
            !importance.weights.need_scores() && request(0.0, 0.0, 0.0, 1.0).weights.need_scores()
        );
    }

    #[test]
    fn nothing_overflows_or_vanishes_on_the_way() {
        let heavy = request(f64::MAX, 0.0, 0.0, f64::MAX);
        let found = scored(&[8.0, 1.0], &[made(0), made(0)], &heavy);
        assert_eq!(found, [f64::INFINITY, f64::MAX / 4.0]);
        let tiny = request(f64::MAX, 0.0, 0.0, 0.0);
        let found = scored(&[f64::MAX, 5e-324], &[made(0), made(0)], &tiny);
        assert_eq!(found, [f64::MAX, 5e-324]);
        let faded = Request {
            model: Model { half_life: 0.001, ..heavy.model },
            ..request(0.0, 0.0, 0.0, 1.0)
        };
        assert_eq!(
            scored(&[1.0, 1.0], &[made(400), made(401)], &faded),
            [1.0, 2.0_f64.powi(-1000)]
        );
    }

    #[test]
    fn what_is_near_in_time_is_lifted() {
        let target = Some(Target { moment: -10 * DAY, tolerance: 1.0, boost: 0.5 });
        let asked = Request { target, ..request(1.0, 0.0, 0.0, 0.0) };
        let documents = [made(10), made(12), made(20), Signals::default()];
        assert_eq!(scored(&[2.0; 4], &documents, &asked), [1.5, 1.25, 1.0, 1.0]);
        let parts = parts(&[2.0; 4], &documents, &asked, Watch::never()).expect("nobody stops it");
        assert_eq!((parts[1].proximity, parts[1].weighed.value()), (0.5, 1.0));
    }
}
