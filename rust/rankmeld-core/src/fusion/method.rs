//! One entry point for all methods: from rankings to fused scores and the credits behind them.

use std::collections::HashMap;
use std::sync::Arc;

use super::normalize::{Normalization, normalize, require_finite};
use super::rank_credits::RankCredit;
use super::{Combination, Credits, Duplicates, Rankings, borda, combine, condorcet};
use crate::watch::CHUNK;
use crate::{Error, Watch};

/// What a list's entries are worth.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// By position alone.
    Ranks(RankCredit),
    /// `1 - position / n` for a list of n entries.
    Linear,
    /// Borda counts, the absent included.
    Borda {
        /// Whether they are points of `N` instead of shares of 1.
        points: bool,
    },
    /// By normalized score.
    Scores {
        /// How each list is normalized.
        lists: Vec<Normalization>,
        /// What a list of equal scores gets instead of its rule's value.
        on_constant: Option<f64>,
    },
    /// Pairwise majorities; there are no credits, and the combination does not apply.
    Condorcet,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// What entries are worth.
    pub method: Method,
    /// How credits become a score.
    pub combination: Combination,
    /// What repeats count for.
    pub duplicates: Duplicates,
    /// One weight per list, finite and not negative.
    pub weights: Vec<f64>,
}

/// Fused scores and where they come from.
#[derive(Debug, Clone, Default)]
pub struct Fused {
    /// One score per code.
    pub scores: Vec<f64>,
    /// What the lists gave.
    pub credits: Credits,
    /// Values before weights, for methods that have such.
    pub normalized: Option<Vec<Arc<Vec<f64>>>>,
}

/// Fuses `rankings`; `scores` holds a column per list where the method needs them.
///
/// # Errors
/// [`Error::ScoreNotFinite`] for a score that is used, the errors of [`combine()`], and
/// [`Error::Interrupted`] if the watch says so.
pub fn fuse(
    rankings: &Rankings,
    scores: &[&[f64]],
    request: &Request,
    watch: Watch<'_>,
) -> Result<Fused, Error> {
    let weights = &request.weights;
    let counted = weights.iter().map(|&weight| weight > 0.0).collect();
    let mut absent = vec![0.0; weights.len()];
    let mut normalized = None;
    let lists = match &request.method {
        Method::Condorcet => {
            if request.duplicates == Duplicates::Refuse {
                super::duplicates::refuse_repeats(rankings)?;
            }
            let scores = condorcet::majorities(rankings, weights, request.duplicates, watch)?;
            return Ok(Fused { scores, ..Fused::default() });
        }
        Method::Ranks(credit) => by_rank(rankings, *credit, weights),
        Method::Linear => {
            let values = |codes: &Vec<u32>| Arc::new(borda::values(codes.len(), codes.len()).0);
            let values: Vec<_> = rankings.lists.iter().map(values).collect();
            let credits = weighted(&values, weights);
            normalized = Some(values);
            credits
        }
        Method::Borda { points } => {
            let count = if *points { borda::points } else { borda::values };
            // What the absent get takes part in the sum only.
            let sums = request.combination == Combination::Sum;
            let mut values = Vec::with_capacity(weights.len());
            for ((codes, absent), weight) in rankings.lists.iter().zip(&mut absent).zip(weights) {
                let (held, missing) = count(codes.len(), rankings.candidates);
                *absent = if sums { missing * weight } else { 0.0 };
                values.push(Arc::new(held));
            }
            let credits = weighted(&values, weights);
            normalized = Some(values);
            credits
        }
        Method::Scores { lists: rules, on_constant } => {
            let mut values = Vec::with_capacity(weights.len());
            for (list, (&column, &rule)) in scores.iter().zip(rules).enumerate() {
                if column.len() > CHUNK {
                    watch.check()?;
                }
                require_finite(column, list)?;
                values.push(Arc::new(normalize(column, rule, *on_constant)));
            }
            let credits = weighted(&values, weights);
            normalized = Some(values);
            credits
        }
    };
    let credits = Credits { lists, absent, counted };
    let scores = combine(rankings, &credits, request.combination, request.duplicates, watch)?;
    Ok(Fused { scores, credits, normalized })
}

/// Credits by position: lists of one weight share a column as long as the longest of them.
fn by_rank(rankings: &Rankings, credit: RankCredit, weights: &[f64]) -> Vec<Arc<Vec<f64>>> {
    let mut lengths: HashMap<u64, usize> = HashMap::new();
    for (weight, codes) in weights.iter().zip(&rankings.lists) {
        let longest = lengths.entry(weight.to_bits()).or_default();
        *longest = codes.len().max(*longest);
    }
    let mut made: HashMap<u64, Arc<Vec<f64>>> = HashMap::with_capacity(lengths.len());
    let mut column = |weight: &f64| {
        let bits = weight.to_bits();
        let made = made.entry(bits);
        Arc::clone(made.or_insert_with(|| Arc::new(credit.credits(*weight, lengths[&bits]))))
    };
    weights.iter().map(&mut column).collect()
}

fn weighted(values: &[Arc<Vec<f64>>], weights: &[f64]) -> Vec<Arc<Vec<f64>>> {
    values
        .iter()
        .zip(weights)
        .map(|(column, &weight)| {
            if weight == 1.0 {
                Arc::clone(column)
            } else {
                Arc::new(column.iter().map(|value| weight * value).collect())
            }
        })
        .collect()
}
