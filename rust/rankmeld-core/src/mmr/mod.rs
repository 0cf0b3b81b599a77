//! Maximal marginal relevance (Carbonell and Goldstein, 1998): relevant hits that do not repeat
//! each other.
//!
//! Of the candidates that are left, the next pick is the one with the largest
//! `lambda * relevance - (1 - lambda) * s`, with `s` its greatest similarity to any pick so far.
//! [`greedy`] does that for any [`Similarities`]; each of the other files is one kind of them.

pub mod cosines;
pub mod greedy;
pub mod jaccard;
pub mod matrix;
mod overlaps;

pub use cosines::Cosines;
pub use greedy::{Nearest, Pick, Similarities};
pub use jaccard::Jaccard;
pub use matrix::Matrix;

use crate::fusion::normalize::{Normalization, normalize, require_finite};
use crate::order::descending_key;
use crate::{Error, Watch};

/// What becomes of scores before they are weighed against similarities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// `(s - min) / (max - min)`; 1 where all are equal.
    MinMax,
    /// The score itself.
    Raw,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// The weight of relevance, within 0..=1: 1 is the order by score, 0 is diversity alone.
    pub lambda: f64,
    /// How many picks at the most.
    pub limit: usize,
    /// How scores become relevance.
    pub scale: Scale,
}

/// The order of choice; the first pick is the one with the highest score, ties go to the earlier.
///
/// # Errors
/// [`Error::ScoreNotFinite`] for the first such score, [`Error::Interrupted`] if the watch says so.
pub fn mmr(
    scores: &[f64],
    request: &Request,
    similarities: &mut impl Similarities,
    watch: Watch<'_>,
) -> Result<Vec<Pick>, Error> {
    require_finite(scores, 0)?;
    let relevance = match request.scale {
        Scale::MinMax => normalize(scores, Normalization::MinMax, None),
        Scale::Raw => scores.to_vec(),
    };
    let best_first = |&place: &usize| (descending_key(scores[place]), place);
    let Some(first) = (0..scores.len()).min_by_key(best_first) else { return Ok(Vec::new()) };
    // Scores that are close beside their range may meet on the scale. Where nothing but the score
    // counts they need not, as no scale changes their order.
    let decisive = if request.lambda == 1.0 { scores } else { &relevance };
    let mut picks =
        greedy::greedy(decisive, first, request.lambda, request.limit, similarities, watch)?;
    for pick in &mut picks {
        pick.relevance = relevance[pick.candidate as usize];
    }
    Ok(picks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, every similarity anew for every pick.
    fn obvious(relevance: &[f64], lambda: f64, limit: usize, matrix: &[f64]) -> Vec<u32> {
        let count = relevance.len();
        let mut left: Vec<usize> = (0..count).collect();
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < limit && !left.is_empty() {
            let value = |&candidate: &usize| {
                let similar = chosen.iter().map(|&pick| matrix[candidate * count + pick]);
                let similar = similar.fold(f64::NEG_INFINITY, f64::max);
                if chosen.is_empty() {
                    relevance[candidate]
                } else {
                    lambda * relevance[candidate] - (1.0 - lambda) * similar
                }
            };
            let mut best = 0;
            for place in 1..left.len() {
                if value(&left[place]) > value(&left[best]) {
                    best = place;
                }
            }
            chosen.push(left.remove(best));
        }
        chosen.into_iter().map(|candidate| candidate as u32).collect()
    }

    fn order(picks: &[Pick]) -> Vec<u32> {
        picks.iter().map(|pick| pick.candidate).collect()
    }

    /// Scores and similarities from few values, so that ties are the rule.
    fn tied() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
        (0..12_usize).prop_flat_map(|count| {
            let value = (-2..3_i32).prop_map(|value| f64::from(value) / 2.0);
            (
                proptest::collection::vec(value.clone(), count),
                proptest::collection::vec(value, count * count),
            )
        })
    }

    proptest! {
        #[test]
        fn equals_the_definition(
            (scores, matrix) in tied(), quarters in 0..5_u8, limit in 0..14_usize, raw: bool
        ) {
            let lambda = f64::from(quarters) / 4.0;
            let scale = if raw { Scale::Raw } else { Scale::MinMax };
            let request = Request { lambda, limit, scale };
            let mut similarities =
                Matrix::new(&matrix, scores.len(), Watch::never()).expect("finite");
            let picks =
                mmr(&scores, &request, &mut similarities, Watch::never()).expect("finite");
            let relevance = if raw { scores } else { normalize(&scores, Normalization::MinMax, None) };
            prop_assert_eq!(order(&picks), obvious(&relevance, lambda, limit, &matrix));
            for (number, pick) in picks.iter().enumerate() {
                prop_assert_eq!(pick.relevance, relevance[pick.candidate as usize]);
                prop_assert_eq!(pick.nearest.is_none(), number == 0);
                if let Some(nearest) = pick.nearest {
                    let row = &matrix[pick.candidate as usize * relevance.len()..];
                    let before = picks[..number].iter().map(|pick| pick.candidate);
                    let highest = before.map(|pick| row[pick as usize]).fold(-9.0, f64::max);
                    prop_assert_eq!(nearest.similarity, highest);
                    prop_assert_eq!(row[nearest.pick as usize], highest);
                }
            }
        }

        #[test]
        fn relevance_alone_is_the_order_by_score(
            scores in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::ZERO, 0..30)
        ) {
            let matrix = vec![0.5; scores.len() * scores.len()];
            let mut similarities =
                Matrix::new(&matrix, scores.len(), Watch::never()).expect("finite");
            let request = Request { lambda: 1.0, limit: usize::MAX, scale: Scale::MinMax };
            let picks =
                mmr(&scores, &request, &mut similarities, Watch::never()).expect("finite");
            let sorted = crate::order::top(&scores, scores.len(), Watch::never());
            prop_assert_eq!(Ok(order(&picks)), sorted);
        }
    }

    #[test]
    fn bad_scores_are_named() {
        let mut similarities = Matrix::new(&[0.0; 4], 2, Watch::never()).expect("finite");
        let request = Request { lambda: 0.5, limit: 0, scale: Scale::Raw };
        let Err(Error::ScoreNotFinite { position: 1, .. }) =
            mmr(&[0.5, f64::INFINITY], &request, &mut similarities, Watch::never())
        else {
            panic!("an infinity went through")
        };
    }
}
