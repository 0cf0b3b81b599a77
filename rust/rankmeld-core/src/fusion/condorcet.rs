//! Condorcet fusion: who wins more pairwise majorities (Montague and Aslam, CIKM 2002).

use super::Rankings;
use super::duplicates::Duplicates;
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
    let mut wins = vec![0.0; n];
    let mut balance = vec![0.0; n];
    for (one, win) in wins.iter_mut().enumerate() {
        if one % CHECK_EVERY == CHECK_EVERY - 1 {
            watch.check()?;
        }
        balance.fill(0.0);
        for (place, &weight) in places.iter().zip(weights) {
            let mine = place[one];
            for (sum, &other) in balance.iter_mut().zip(place) {
                *sum += weight * f64::from((other - mine).signum());
            }
        }
        *win = balance.iter().filter(|&&sum| sum > 0.0).count() as f64;
    }
    Ok(wins)
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
        let many = Rankings { lists: vec![(0..1000).collect()], candidates: 1000 };
        let stopped = majorities(&many, &[1.0], Duplicates::First, Watch::new(&|| false));
        assert_eq!(stopped, Err(Error::Interrupted));
    }
}
