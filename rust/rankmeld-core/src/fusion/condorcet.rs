//! Condorcet fusion: who wins more pairwise majorities (Montague and Aslam, CIKM 2002).

use std::cmp::Ordering;

use super::Rankings;
use super::duplicates::Duplicates;
use crate::exact_sum::{self, Running};
use crate::{Error, Watch};

/// How many candidates are compared with all others between two checks for an interruption.
const CHECK_EVERY: usize = 64;

/// For each candidate, how many others it beats.
///
/// A list votes for the candidate that it ranks better; a held candidate is better than an absent
/// one; a list that holds neither has no vote. Votes count with the list's weight. Quadratic in
/// the candidates, linear in the lists.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn majorities(
    rankings: &Rankings,
    weights: &[f64],
    duplicates: Duplicates,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let n = rankings.candidates;
    let places: Vec<Vec<i32>> =
        rankings.lists.iter().map(|codes| places(codes, n, duplicates)).collect();
    let alike = weights.windows(2).all(|pair| pair[0] == pair[1]);
    let mut wins = vec![0.0; n];
    let mut balance = vec![0; n];
    for (one, win) in wins.iter_mut().enumerate() {
        if one % CHECK_EVERY == CHECK_EVERY - 1 {
            watch.check()?;
        }
        let beaten = if alike {
            // Lists of one weight: votes are counted, a column at a time.
            balance.fill(0_i32);
            for place in &places {
                let mine = place[one];
                for (sum, &other) in balance.iter_mut().zip(place) {
                    *sum += (other - mine).signum();
                }
            }
            balance.iter().filter(|&&sum| sum > 0).count()
        } else {
            (0..n).filter(|&other| weighed(&places, weights, one, other) > 0.0).count()
        };
        // With no weight at all nobody wins.
        *win = if weights.iter().any(|&weight| weight > 0.0) { beaten as f64 } else { 0.0 };
    }
    Ok(wins)
}

/// The weight of the votes for one candidate less that of the votes for another, exactly rounded:
/// its sign does not depend on the order of the lists.
fn weighed(places: &[Vec<i32>], weights: &[f64], one: usize, other: usize) -> f64 {
    let votes = || {
        places.iter().zip(weights).map(|(place, &weight)| match place[one].cmp(&place[other]) {
            Ordering::Less => weight,
            Ordering::Equal => 0.0,
            Ordering::Greater => -weight,
        })
    };
    let mut balance = Running::default();
    if votes().fold(true, |exact, vote| balance.add(vote) & exact) {
        balance.value()
    } else {
        exact_sum::sum(&votes().collect::<Vec<_>>())
    }
}

/// The place of each candidate in one list; absent ones share the last place there is.
fn places(codes: &[u32], candidates: usize, duplicates: Duplicates) -> Vec<i32> {
    // Behind every position that a list can have.
    let mut places = vec![i32::MAX; candidates];
    for (&code, position) in codes.iter().zip(0..i32::MAX) {
        let place = &mut places[code as usize];
        if duplicates == Duplicates::Last || *place == i32::MAX {
            *place = position;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_majority_beats_a_single_first_place() {
        // 0 beats 1 in two of three lists, and both beat 2, which one list does not know.
        let rankings =
            Rankings { lists: vec![vec![0, 1, 2], vec![0, 1], vec![2, 1, 0]], candidates: 3 };
        let wins = majorities(&rankings, &[1.0; 3], Duplicates::First, Watch::never());
        assert_eq!(wins, Ok(vec![2.0, 1.0, 0.0]));
        let heavy = majorities(&rankings, &[1.0, 1.0, 5.0], Duplicates::First, Watch::never());
        assert_eq!(heavy, Ok(vec![0.0, 1.0, 2.0]));
        let weightless = majorities(&rankings, &[0.0; 3], Duplicates::First, Watch::never());
        assert_eq!(weightless, Ok(vec![0.0; 3]));
        let tied = Rankings { lists: vec![vec![1, 0], vec![0, 1], vec![1, 0]], candidates: 2 };
        for weights in [[1e16, 1.0, 1.0], [1.0, 1.0, 1e-20], [0.1, 0.4, 0.3]] {
            let mut wins = Vec::new();
            for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                let lists = order.map(|at| tied.lists[at].clone()).to_vec();
                let rankings = Rankings { lists, candidates: 2 };
                let weights = order.map(|at| weights[at]);
                wins.push(majorities(&rankings, &weights, Duplicates::First, Watch::never()));
            }
            assert!(wins.windows(2).all(|pair| pair[0] == pair[1]), "{wins:?}");
        }
        let many = Rankings { lists: vec![(0..1000).collect()], candidates: 1000 };
        let stopped = majorities(&many, &[1.0], Duplicates::First, Watch::new(&|| false));
        assert_eq!(stopped, Err(Error::Interrupted));
    }
}
