//! The largest, smallest or median of what the lists gave.

use std::collections::BTreeMap;

use super::cell::Cell;
use super::combine::require_finite;
use super::duplicates::{Duplicates, Entry, visit};
use super::{Combination, Credits, Rankings};
use crate::exact_sum;
use crate::{Error, Watch};

/// Max, min and median: over one value per list, the sum of what counts there.
pub(super) fn over_lists(
    rankings: &Rankings,
    credits: &Credits,
    combination: Combination,
    duplicates: Duplicates,
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); rankings.candidates];
    let mut cells = vec![Cell::default(); rankings.candidates];
    let mut held: Vec<u32> = Vec::new(); // by the list at hand
    let mut at_hand = 0;
    let mut end_list = |list: usize, held: &mut Vec<u32>, cells: &mut [Cell]| {
        let mut lossy = Vec::new();
        for &code in held.iter() {
            let cell = std::mem::take(&mut cells[code as usize]);
            if cell.lost() {
                lossy.push(code);
            }
            values[code as usize].push(cell.sum.value());
        }
        for (code, terms) in repeats(&rankings.lists[list], &credits.lists[list], &lossy) {
            if let Some(value) = values[code as usize].last_mut() {
                *value = sum(&terms);
            }
        }
        held.clear();
    };
    visit(rankings, duplicates, watch, |entry| {
        let Entry::Counts { list, position, code } = entry else { return };
        if !credits.counted[list] {
            return;
        }
        if list != at_hand {
            end_list(at_hand, &mut held, &mut cells);
            at_hand = list;
        }
        let cell = &mut cells[code as usize];
        if cell.seen == 0 {
            cell.seen = 1;
            held.push(code);
        }
        cell.add(credits.lists[list][position]);
    })?;
    if !held.is_empty() {
        end_list(at_hand, &mut held, &mut cells);
    }
    let scores = values.into_iter().map(|mut values| {
        values.sort_unstable_by(f64::total_cmp);
        match (combination, values.as_slice()) {
            (_, []) => 0.0, // only lists of weight 0 hold it
            // No order holds for what is no number, so it must not hide behind the others.
            (_, values) if values.iter().any(|value| value.is_nan()) => f64::NAN,
            (Combination::Max, [.., last]) => *last,
            (Combination::Median, values) => median(values),
            (_, [first, ..]) => *first,
        }
    });
    require_finite(scores.collect())
}

/// The credits of a few candidates that a list holds more than once.
fn repeats(codes: &[u32], column: &[f64], wanted: &[u32]) -> BTreeMap<u32, Vec<f64>> {
    let mut terms: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    if wanted.is_empty() {
        return terms;
    }
    terms.extend(wanted.iter().map(|&code| (code, Vec::new())));
    for (code, &credit) in codes.iter().zip(column) {
        if let Some(terms) = terms.get_mut(code) {
            terms.push(credit);
        }
    }
    terms
}

/// What a list gives in all; credits beyond the range of floats keep their sign, which says where they sort.
fn sum(terms: &[f64]) -> f64 {
    if terms.iter().all(|term| term.is_finite()) {
        return exact_sum::sum(terms);
    }
    terms.iter().filter(|term| !term.is_finite()).sum()
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        return sorted[middle];
    }
    let (a, b) = (sorted[middle - 1], sorted[middle]);
    let mean = f64::midpoint(a, b);
    if mean.is_finite() { mean } else { a / 2.0 + b / 2.0 }
}
