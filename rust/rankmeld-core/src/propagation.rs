//! Evidence that flows from a hit to what stands next to it.
//!
//! A turn of a conversation answers the one before it, a chunk of a document goes on where the last one
//! ends: what was found vouches for its neighbours.

use crate::exact_sum::{self, Running};
use crate::wide_float::WideFloat;
use crate::{Error, Watch};

/// Where the evidence of a hit flows, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The hit that it comes from.
    pub source: u32,
    /// The candidate that it goes to.
    pub target: u32,
    /// How much of it flows here: finite, not negative.
    pub weight: f64,
}

/// What became of the scores.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Propagated {
    /// The candidates' new scores.
    pub scores: Vec<f64>,
    /// For each edge, what flowed along it.
    pub shares: Vec<f64>,
}

/// New scores of all candidates: each its own, if it has one, and a share of its neighbours'.
///
/// `scores` are those of the first candidates, the hits; `candidates` counts those that only a share
/// brings in, too. All shares are of the scores before. Sums are exactly rounded, so the order of the
/// edges changes no bit. Linear in the edges.
///
/// # Errors
/// [`Error::ScoreNotFinite`] and [`Error::ScoreNegative`] for scores of the hits,
/// [`Error::ResultNotFinite`] for new ones that no float holds, [`Error::Interrupted`] if the watch says
/// so.
pub fn propagate(
    scores: &[f64],
    candidates: usize,
    edges: &[Edge],
    weight: f64,
    watch: Watch<'_>,
) -> Result<Propagated, Error> {
    require_evidence(scores)?;
    let mut sums = vec![Sum::default(); candidates.max(scores.len())];
    for (sum, &score) in sums.iter_mut().zip(scores) {
        sum.add(score);
    }
    let mut shares = Vec::with_capacity(edges.len());
    for (place, edge) in edges.iter().enumerate() {
        watch.check_at(place)?;
        let share = share(weight, edge.weight, scores[edge.source as usize]);
        sums[edge.target as usize].add(share);
        shares.push(share);
    }
    let mut new: Vec<f64> = sums.iter().map(|sum| sum.running.value()).collect();
    if sums.iter().any(|sum| sum.lost) {
        sum_again(scores, edges, &shares, &sums, &mut new);
    }
    match new.iter().position(|score| !score.is_finite()) {
        Some(candidate) => Err(Error::ResultNotFinite { candidate: candidate as u32 }),
        None => Ok(Propagated { scores: new, shares }),
    }
}

/// A running sum, and whether it is not the exact one any more.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    running: Running,
    lost: bool,
}

impl Sum {
    fn add(&mut self, term: f64) {
        self.lost |= !self.running.add(term);
    }
}

fn require_evidence(scores: &[f64]) -> Result<(), Error> {
    match scores.iter().position(|score| !(0.0..=f64::MAX).contains(score)) {
        None => Ok(()),
        Some(position) if scores[position].is_finite() => {
            Err(Error::ScoreNegative { position, value: scores[position] })
        }
        Some(position) => Err(Error::ScoreNotFinite { list: 0, position, value: scores[position] }),
    }
}

/// `weight * edge * score`, of which no part leaves the range of floats on the way.
fn share(weight: f64, edge: f64, score: f64) -> f64 {
    let part = weight * edge;
    let share = part * score;
    if part.is_normal() && share.is_normal() || weight == 0.0 || edge == 0.0 || score == 0.0 {
        return share;
    }
    (WideFloat::from(weight) * WideFloat::from(edge) * WideFloat::from(score)).value()
}

/// Replaces the sums that two floats could not hold.
fn sum_again(scores: &[f64], edges: &[Edge], shares: &[f64], sums: &[Sum], new: &mut [f64]) {
    let own = (0..).zip(scores).map(|(target, &score)| (target, score));
    let flowed = edges.iter().zip(shares).map(|(edge, &share)| (edge.target, share));
    let mut terms: Vec<(u32, f64)> =
        own.chain(flowed).filter(|&(target, _)| sums[target as usize].lost).collect();
    terms.sort_by_key(|&(target, _)| target);
    for run in terms.chunk_by(|a, b| a.0 == b.0) {
        let terms: Vec<f64> = run.iter().map(|&(_, term)| term).collect();
        new[run[0].0 as usize] = exact_sum::sum(&terms);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(scores: &[f64], candidates: usize, edges: &[(u32, u32, f64)], weight: f64) -> Vec<f64> {
        propagated(scores, candidates, edges, weight).expect("finite").scores
    }

    fn propagated(
        scores: &[f64],
        candidates: usize,
        edges: &[(u32, u32, f64)],
        weight: f64,
    ) -> Result<Propagated, Error> {
        let edges: Vec<Edge> =
            edges.iter().map(|&(source, target, weight)| Edge { source, target, weight }).collect();
        propagate(scores, candidates, &edges, weight, Watch::never())
    }

    #[test]
    fn all_at_once_from_the_scores_before() {
        let chain = [(0, 1, 1.0), (1, 2, 1.0)];
        assert_eq!(of(&[1.0, 0.5, 0.25], 3, &chain, 1.0), [1.0, 1.5, 0.75]);
    }

    #[test]
    fn what_is_new_has_its_share_alone() {
        assert_eq!(of(&[1.0, 0.5], 3, &[(0, 2, 3.0), (1, 2, 1.0)], 0.5), [1.0, 0.5, 1.75]);
        assert_eq!(of(&[], 0, &[], 0.5), [0.0; 0]);
    }

    #[test]
    fn nothing_leaves_the_range_on_the_way() {
        assert_eq!(
            of(&[2.0_f64.powi(-1000)], 2, &[(0, 1, 2.0_f64.powi(600))], 2.0_f64.powi(600))[1],
            2.0_f64.powi(200)
        );
        assert_eq!(
            of(&[2.0_f64.powi(1000)], 2, &[(0, 1, 2.0_f64.powi(-600))], 2.0_f64.powi(-600))[1],
            2.0_f64.powi(-200)
        );
        let large = propagated(&[f64::MAX, f64::MAX], 2, &[(0, 1, 1.0)], 1.0);
        assert_eq!(large, Err(Error::ResultNotFinite { candidate: 1 }));
    }

    #[test]
    fn scores_are_evidence() {
        let refusal = |score| propagated(&[0.0, score], 2, &[], 1.0).expect_err("no evidence");
        assert_eq!(refusal(-1e-300), Error::ScoreNegative { position: 1, value: -1e-300 });
        assert_eq!(
            refusal(f64::INFINITY),
            Error::ScoreNotFinite { list: 0, position: 1, value: f64::INFINITY }
        );
        assert!(matches!(refusal(f64::NAN), Error::ScoreNotFinite { position: 1, .. }));
        assert_eq!(of(&[-0.0], 1, &[], 1.0), [0.0]);
    }

    #[test]
    fn it_stops_when_told() {
        let edges = vec![Edge { source: 0, target: 0, weight: 0.0 }; 1 << 17];
        let stop = Watch::new(&|| false);
        assert_eq!(propagate(&[1.0], 1, &edges, 1.0, stop), Err(Error::Interrupted));
    }

    proptest! {
        /// Sums of scores so unlike each other that two floats do not hold them.
        #[test]
        fn the_order_of_edges_changes_no_bit(
            scores in prop::collection::vec((1.0..2.0_f64, -300..300_i32), 1..12),
            edges in prop::collection::vec((any::<u32>(), any::<u32>(), 0.1..2.0_f64), 0..40),
        ) {
            let scores: Vec<f64> = scores.iter().map(|&(factor, power)| factor * 2.0_f64.powi(power)).collect();
            let count = scores.len() as u32;
            let mut edges: Vec<_> = edges.iter().map(|&(s, t, w)| (s % count, t % (count + 2), w)).collect();
            let candidates = scores.len() + 2;
            let found = of(&scores, candidates, &edges, 0.4);
            for (target, &new) in found.iter().enumerate() {
                let flowed = edges.iter().filter(|edge| edge.1 as usize == target);
                let mut terms: Vec<f64> = flowed.map(|edge| share(0.4, edge.2, scores[edge.0 as usize])).collect();
                terms.extend(scores.get(target));
                prop_assert_eq!(new, exact_sum::sum(&terms));
            }
            edges.reverse();
            prop_assert_eq!(of(&scores, candidates, &edges, 0.4), found);
        }
    }
}
