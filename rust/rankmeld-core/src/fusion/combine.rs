//! From the credits of a candidate to its fused score.

use std::sync::Arc;

use super::Rankings;
use super::cell::Cell;
use super::duplicates::{Duplicates, Entry, Seen, refuse_repeats, visit};
use super::per_list::over_lists;
use crate::exact_sum::{self, Running};
use crate::watch::CHUNK;
use crate::{Error, Watch};

/// How the credits of a candidate become one score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Combination {
    /// Their sum.
    Sum,
    /// Their sum times the number of lists that hold the candidate (`CombMNZ`).
    SumTimesCount,
    /// Their sum over the number of lists that hold the candidate (`CombANZ`).
    SumOverCount,
    /// Their sum times `ln(count + shift)`.
    SumTimesLogCount {
        /// What is added to the count before the logarithm.
        shift: f64,
    },
    /// The largest over the lists that hold the candidate.
    Max,
    /// The smallest over the lists that hold the candidate.
    Min,
    /// The median over the lists that hold the candidate; of two in the middle their mean.
    Median,
}

/// What each list gives its positions, weights included.
#[derive(Debug, Clone, Default)]
pub struct Credits {
    /// For each list a credit for each of its positions; lists of one weight may share theirs, so
    /// a column can be longer than its list.
    pub lists: Vec<Arc<Vec<f64>>>,
    /// What a list gives to each candidate that it does not hold (Borda; zero elsewhere).
    pub absent: Vec<f64>,
    /// Whether a list is counted among those that hold a candidate (a list of weight 0 is not).
    pub counted: Vec<bool>,
}

/// Fused scores in code order.
///
/// Sums are exactly rounded, so the order of the lists changes no bit. Linear in the entries
/// (times the logarithm of the number of lists for the median).
///
/// # Errors
/// [`Error::DuplicateId`] under [`Duplicates::Refuse`], [`Error::ResultNotFinite`] where the exact
/// answer is not finite, [`Error::Interrupted`] if the watch says so.
pub fn combine(
    rankings: &Rankings,
    credits: &Credits,
    combination: Combination,
    duplicates: Duplicates,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    if duplicates == Duplicates::Refuse {
        refuse_repeats(rankings)?;
    }
    match combination {
        Combination::Max | Combination::Min | Combination::Median => {
            over_lists(rankings, credits, combination, duplicates, watch)
        }
        _ => summed(rankings, credits, combination, duplicates, watch),
    }
}

/// Refuses what the exact answer of is no finite number.
pub(super) fn require_finite(scores: Vec<f64>) -> Result<Vec<f64>, Error> {
    match scores.iter().position(|score| !score.is_finite()) {
        Some(candidate) => Err(Error::ResultNotFinite { candidate: candidate as u32 }),
        None => Ok(scores),
    }
}

fn summed(
    rankings: &Rankings,
    credits: &Credits,
    combination: Combination,
    duplicates: Duplicates,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let mut cells = vec![Cell::default(); rankings.candidates];
    let once = matches!(duplicates, Duplicates::First | Duplicates::Last | Duplicates::Refuse)
        && credits.absent.iter().all(|&absent| absent == 0.0);
    for (list, codes) in rankings.lists.iter().enumerate() {
        let mark = list as u32 + 1;
        let counted = u32::from(credits.counted[list]);
        // Up to the second list no candidate has more than two terms.
        let at_most_two = list < 2 && once;
        let mut credit = |code: u32, credit: f64| {
            let cell = &mut cells[code as usize];
            if cell.seen == mark {
                match duplicates {
                    Duplicates::Sum => {}
                    Duplicates::Overwrite => cell.sum = Running::default(),
                    Duplicates::First | Duplicates::Last | Duplicates::Refuse => return,
                }
            } else {
                cell.seen = mark;
                cell.count += counted;
            }
            if at_most_two {
                cell.sum.add_second(credit);
            } else {
                cell.add(credit);
            }
        };
        let column = &credits.lists[list][..codes.len()];
        if duplicates == Duplicates::Last {
            for (codes, column) in codes.rchunks(CHUNK).zip(column.rchunks(CHUNK)) {
                for (&code, &value) in codes.iter().zip(column).rev() {
                    credit(code, value);
                }
                check_long(codes, watch)?;
            }
        } else {
            for (codes, column) in codes.chunks(CHUNK).zip(column.chunks(CHUNK)) {
                for (&code, &value) in codes.iter().zip(column) {
                    credit(code, value);
                }
                check_long(codes, watch)?;
            }
        }
        let absent = credits.absent[list];
        if absent != 0.0 {
            cells.iter_mut().filter(|cell| cell.seen != mark).for_each(|cell| cell.add(absent));
        }
    }
    let mut sure = true;
    let mut scores: Vec<f64> = Vec::with_capacity(cells.len());
    scores.extend(cells.iter().map(|cell| {
        let score = apply(combination, cell.sum.value(), cell.holders());
        sure &= cell.is_sure(score);
        score
    }));
    if sure {
        return Ok(scores);
    }
    let unsure: Vec<u32> = (0..)
        .zip(cells.iter().zip(&scores))
        .filter(|(_, (cell, score))| !cell.is_sure(**score))
        .map(|(code, _)| code)
        .collect();
    for (code, terms) in terms_of(rankings, credits, duplicates, &unsure, watch)? {
        scores[code as usize] = apply_wide(combination, &terms, cells[code as usize].holders());
    }
    require_finite(scores)
}

/// Asks after every full chunk, so not at all for short lists.
fn check_long(chunk: &[u32], watch: Watch<'_>) -> Result<(), Error> {
    if chunk.len() == CHUNK { watch.check() } else { Ok(()) }
}

fn apply(combination: Combination, sum: f64, count: u32) -> f64 {
    let n = f64::from(count);
    match combination {
        Combination::SumTimesCount => sum * n,
        Combination::SumOverCount if count > 0 => sum / n,
        Combination::SumTimesLogCount { shift } if count > 0 => sum * (n + shift).ln(),
        Combination::SumTimesLogCount { .. } => 0.0,
        _ => sum,
    }
}

/// As [`apply`], from the terms: neither the sum nor what follows may leave the range early.
fn apply_wide(combination: Combination, terms: &[f64], count: u32) -> f64 {
    let plain = apply(combination, exact_sum::sum(terms), count);
    if plain.is_finite() {
        return plain;
    }
    let scaled = exact_sum::scaled_sum(terms.iter().copied());
    apply(combination, scaled, count) * 2.0_f64.powi(64)
}

/// The slot of candidates that nobody asked for: behind any slot that there is.
const UNWANTED: u32 = u32::MAX;

/// The terms of a few candidates, for those whose running sum was not enough.
fn terms_of(
    rankings: &Rankings,
    credits: &Credits,
    duplicates: Duplicates,
    wanted: &[u32],
    watch: Watch<'_>,
) -> Result<Vec<(u32, Vec<f64>)>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut slots = vec![UNWANTED; rankings.candidates];
    let mut terms: Vec<(u32, Vec<f64>)> = Vec::with_capacity(wanted.len());
    for (&code, slot) in wanted.iter().zip(0..) {
        slots[code as usize] = slot;
        terms.push((code, Vec::new()));
    }
    let absent: f64 = exact_sum::sum(&credits.absent);
    if absent != 0.0 {
        // Every list gives its share for absence, and takes it back from those that it holds.
        for (_, terms) in &mut terms {
            terms.extend_from_slice(&credits.absent);
        }
    }
    let mut seen = Seen::new(rankings.candidates);
    visit(rankings, duplicates, watch, |entry| match entry {
        Entry::Void { code } => {
            if let Some((_, terms)) = terms.get_mut(slots[code as usize] as usize) {
                terms.clear();
            }
        }
        Entry::Counts { list, position, code } => {
            if let Some((_, terms)) = terms.get_mut(slots[code as usize] as usize) {
                terms.push(credits.lists[list][position]);
                if !seen.again(code, list) {
                    terms.push(-credits.absent[list]);
                }
            }
        }
    })?;
    Ok(terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Credits straight from [`visit`], summed from their terms: the definition.
    fn obvious(rankings: &Rankings, lists: &[Vec<f64>], duplicates: Duplicates) -> Vec<f64> {
        let mut terms: Vec<Vec<f64>> = vec![Vec::new(); rankings.candidates];
        visit(rankings, duplicates, Watch::never(), |entry| match entry {
            Entry::Void { code } => terms[code as usize].clear(),
            Entry::Counts { list, position, code } => {
                terms[code as usize].push(lists[list][position]);
            }
        })
        .expect("nobody stops it");
        terms.iter().map(|terms| exact_sum::sum(terms)).collect()
    }

    fn credits(lists: &[Vec<f64>]) -> Credits {
        Credits {
            lists: lists.iter().cloned().map(Arc::new).collect(),
            absent: vec![0.0; lists.len()],
            counted: vec![true; lists.len()],
        }
    }

    proptest! {
        #[test]
        fn running_sums_equal_sums_of_terms(
            lists in proptest::collection::vec(
                proptest::collection::vec((0..12_u32, -1e6..1e6_f64, -60..60_i32), 0..20), 0..6),
        ) {
            let values: Vec<Vec<f64>> = lists.iter()
                .map(|list| list.iter().map(|&(_, x, e)| x * 2.0_f64.powi(e)).collect())
                .collect();
            let codes = lists.iter().map(|l| l.iter().map(|&(c, ..)| c).collect()).collect();
            let rankings = Rankings { lists: codes, candidates: 12 };
            for rule in [Duplicates::First, Duplicates::Sum, Duplicates::Last, Duplicates::Overwrite] {
                let got = combine(&rankings, &credits(&values), Combination::Sum, rule, Watch::never());
                prop_assert_eq!(got, Ok(obvious(&rankings, &values, rule)));
            }
        }
    }

    #[test]
    fn a_refused_repeat_names_both_positions() {
        let rankings = Rankings { lists: vec![vec![0], vec![1, 0, 2, 0]], candidates: 3 };
        let values = [vec![1.0], vec![1.0; 4]];
        let got = combine(
            &rankings,
            &credits(&values),
            Combination::Sum,
            Duplicates::Refuse,
            Watch::never(),
        );
        assert_eq!(got, Err(Error::DuplicateId { list: 1, candidate: 0, first: 1, second: 3 }));
    }

    #[test]
    fn means_of_huge_scores_stay_in_range_and_huge_sums_are_refused() {
        let rankings = Rankings { lists: vec![vec![0], vec![0]], candidates: 1 };
        let values = [vec![1.7e308], vec![1.7e308]];
        let run = |how| combine(&rankings, &credits(&values), how, Duplicates::Sum, Watch::never());
        assert_eq!(run(Combination::SumOverCount), Ok(vec![1.7e308]));
        assert_eq!(run(Combination::Median), Ok(vec![1.7e308]));
        assert_eq!(run(Combination::Sum), Err(Error::ResultNotFinite { candidate: 0 }));
    }
}
