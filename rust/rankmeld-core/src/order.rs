//! The one total order: descending score, then the tie rule.
//!
//! Every sort in the library goes through this file, and a top-k is by construction a prefix of
//! the full sort: both compare the same pair of score key and first-seen index.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::range::range;
use crate::watch::CHUNK;
use crate::{Error, Watch};

/// How many entries make a bucket sort by leading bits worth its tables.
const BUCKETS_FROM: usize = 256;

/// Bits of one bucket digit at the most; two digits are looked at.
const LARGEST_DIGIT: u32 = 11;

/// A limit below one in this many entries is kept in a heap while the entries pass by.
const HEAP_BELOW: usize = 16;

/// Maps a score to a key that sorts ascending where scores sort descending.
///
/// `-0.0` and `0.0` get one key, as they are equal scores.
#[must_use]
pub fn descending_key(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    // Positive numbers: flip all but the sign, so that larger comes first. Negative: as they are,
    // their sign bit puts them behind, and a larger magnitude further behind.
    if bits >> 63 == 0 { !bits ^ (1 << 63) } else { bits }
}

/// The score of a key.
#[must_use]
pub fn score_of(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 0 { !(key ^ (1 << 63)) } else { key })
}

/// A score's key with the index of its candidate: no two entries are equal.
type Entry = (u64, u32);

/// Positions of the best `limit` scores, best first, equal scores in index order.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn top(scores: &[f64], limit: usize, watch: Watch<'_>) -> Result<Vec<u32>, Error> {
    if limit < scores.len() / HEAP_BELOW {
        return best_few(scores, limit, watch);
    }
    if limit < scores.len() {
        return Ok(selected(scores, limit));
    }
    sorted(scores, (0..scores.len() as u32).collect(), watch)
}

/// The best `limit` in order, for a small `limit`: most entries only meet the worst one kept.
fn best_few(scores: &[f64], limit: usize, watch: Watch<'_>) -> Result<Vec<u32>, Error> {
    let mut heap: BinaryHeap<Entry> = BinaryHeap::with_capacity(limit);
    for (&score, index) in scores.iter().zip(0_u32..) {
        watch.check_at(index as usize)?;
        let entry = (descending_key(score), index);
        if heap.len() < limit {
            heap.push(entry);
        } else if let Some(mut worst) = heap.peek_mut()
            && entry < *worst
        {
            *worst = entry;
        }
    }
    Ok(heap.into_sorted_vec().into_iter().map(|(_, index)| index).collect())
}

/// The best `limit` in order, where there are more.
fn selected(scores: &[f64], limit: usize) -> Vec<u32> {
    let mut entries = selection(scores, limit);
    entries.sort_unstable();
    entries.into_iter().map(|(_, index)| index).collect()
}

/// The best `limit` entries, in any order.
fn selection(scores: &[f64], limit: usize) -> Vec<Entry> {
    let entry = |(&score, index)| (descending_key(score), index);
    let mut entries: Vec<Entry> = scores.iter().zip(0..).map(entry).collect();
    if limit == 0 {
        entries.clear();
    } else if limit < entries.len() {
        entries.select_nth_unstable(limit - 1);
        entries.truncate(limit);
    }
    entries
}

/// As [`top`], with all that tie with the last one: what a tie rule has to choose from.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn top_and_ties(scores: &[f64], limit: usize, watch: Watch<'_>) -> Result<Vec<u32>, Error> {
    let worst = selection(scores, limit).into_iter().map(|(key, _)| key).max();
    let wanted = |&(_, &score): &(u32, &f64)| Some(descending_key(score)) <= worst;
    let indices = (0..).zip(scores).filter(wanted).map(|(index, _)| index).collect();
    sorted(scores, indices, watch)
}

/// Indices, given in ascending order, by score and index.
fn sorted(scores: &[f64], indices: Vec<u32>, watch: Watch<'_>) -> Result<Vec<u32>, Error> {
    let key = |index: u32| descending_key(scores[index as usize]);
    if indices.len() < BUCKETS_FROM {
        let mut entries: Vec<Entry> = indices.iter().map(|&index| (key(index), index)).collect();
        entries.sort_unstable();
        return Ok(entries.into_iter().map(|(_, index)| index).collect());
    }
    let Some((worst, best)) = range(scores) else { return Ok(indices) };
    let (low, high) = (descending_key(best), descending_key(worst));
    if low == high {
        return Ok(indices);
    }
    let mut order = indices;
    // The leading bits of the range that the keys span tell nearly all entries apart: two digits
    // have about 64 buckets for each entry, and small tables for few entries.
    let digit = (order.len().ilog2() / 2 + 4).min(LARGEST_DIGIT);
    let shift = (u64::BITS - (high - low).leading_zeros()).saturating_sub(2 * digit);
    let mask = (1 << digit) - 1;
    let mut counts = [[0_u32; 1 << LARGEST_DIGIT]; 2];
    let [lower, upper] = &mut counts;
    let mut entries: Vec<Bucketed> = Vec::with_capacity(order.len());
    entries.extend(order.iter().map(|&index| {
        let bucket = ((key(index) - low) >> shift) as u32;
        lower[(bucket & mask) as usize] += 1;
        upper[(bucket >> digit) as usize] += 1;
        Bucketed { bucket, index }
    }));
    let mut other = vec![Bucketed::default(); entries.len()];
    distribute(&entries, &mut other, lower, |entry| entry.bucket & mask, watch)?;
    distribute(&other, &mut entries, upper, |entry| entry.bucket >> digit, watch)?;
    // What is left is sorted where it lies: short runs, of which those of equal scores, the usual
    // case, came here in index order.
    for (slot, entry) in order.iter_mut().zip(&entries) {
        *slot = entry.index;
    }
    let mut start = 0;
    for end in 1..=entries.len() {
        if end == entries.len() || entries[end].bucket != entries[start].bucket {
            let run = &mut order[start..end];
            if run.len() > 1 && !run.is_sorted_by_key(|&index| (key(index), index)) {
                run.sort_unstable_by_key(|&index| (key(index), index));
            }
            start = end;
        }
    }
    Ok(order)
}

/// A candidate and the bucket that its score falls into.
#[derive(Debug, Clone, Copy, Default)]
struct Bucketed {
    bucket: u32,
    index: u32,
}

/// One stable pass of a radix sort; `counts` says how often each digit occurs.
fn distribute(
    from: &[Bucketed],
    to: &mut [Bucketed],
    counts: &mut [u32],
    digit: impl Fn(&Bucketed) -> u32,
    watch: Watch<'_>,
) -> Result<(), Error> {
    let mut sum = 0;
    for slot in counts.iter_mut() {
        sum += std::mem::replace(slot, sum);
    }
    for chunk in from.chunks(CHUNK) {
        for entry in chunk {
            let slot = &mut counts[digit(entry) as usize];
            to[*slot as usize] = *entry;
            *slot += 1;
        }
        if from.len() > CHUNK {
            watch.check()?;
        }
    }
    Ok(())
}

/// Orders equal scores by `compare` and cuts to `limit`; `order` is what [`top_and_ties`] gave.
///
/// `compare` is asked only about equal scores; entries that it calls equal stay in index order.
///
/// # Errors
/// The first error of `compare`.
pub fn break_ties<E>(
    mut order: Vec<u32>,
    scores: &[f64],
    limit: usize,
    mut compare: impl FnMut(u32, u32) -> Result<Ordering, E>,
) -> Result<Vec<u32>, E> {
    for run in order.chunk_by_mut(|&a, &b| scores[a as usize] == scores[b as usize]) {
        try_sort(run, &mut compare)?;
    }
    order.truncate(limit);
    Ok(order)
}

/// A stable merge sort whose comparison may fail.
fn try_sort<E>(
    run: &mut [u32],
    compare: &mut impl FnMut(u32, u32) -> Result<Ordering, E>,
) -> Result<(), E> {
    let middle = run.len() / 2;
    if middle == 0 {
        return Ok(());
    }
    try_sort(&mut run[..middle], compare)?;
    try_sort(&mut run[middle..], compare)?;
    let (left, right) = run.split_at(middle);
    let mut merged = Vec::with_capacity(run.len());
    let (mut l, mut r) = (0, 0);
    while l < left.len() && r < right.len() {
        if compare(left[l], right[r])? == Ordering::Greater {
            merged.push(right[r]);
            r += 1;
        } else {
            merged.push(left[l]);
            l += 1;
        }
    }
    merged.extend_from_slice(&left[l..]);
    merged.extend_from_slice(&right[r..]);
    run.copy_from_slice(&merged);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn obvious(scores: &[f64]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..scores.len() as u32).collect();
        order
            .sort_by(|&a, &b| scores[b as usize].partial_cmp(&scores[a as usize]).expect("finite"));
        order
    }

    /// Scores with many ties, both zeros and both signs.
    fn scores(longest: usize) -> impl Strategy<Value = Vec<f64>> {
        let one = prop_oneof![
            Just(0.0),
            Just(-0.0),
            (-3..3_i32).prop_map(f64::from),
            proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL,
        ];
        proptest::collection::vec(one, 0..longest)
    }

    proptest! {
        #[test]
        fn top_is_a_prefix_of_the_stable_sort(scores in scores(60), limit in 0..70_usize) {
            let mut expected = obvious(&scores);
            expected.truncate(limit);
            prop_assert_eq!(top(&scores, limit, Watch::never()), Ok(expected));
        }

        #[test]
        fn keys_have_their_scores(score in proptest::num::f64::ANY) {
            let again = score_of(descending_key(score));
            prop_assert!(again == score || (again.is_nan() && score.is_nan()));
        }

        #[test]
        fn long_lists_sort_the_same(scores in scores(3000), limit in 0..3000_usize) {
            let mut expected = obvious(&scores);
            expected.truncate(limit);
            prop_assert_eq!(top(&scores, limit, Watch::never()), Ok(expected));
        }

        #[test]
        fn a_tie_rule_decides_only_among_equals(scores in scores(60), limit in 0..70_usize) {
            let got = by_rule(&scores, limit, |a, b| Ok(b.cmp(&a))).expect("no error");
            let mut expected: Vec<u32> = (0..scores.len() as u32).rev().collect();
            expected.sort_by(|&a, &b| {
                scores[b as usize].partial_cmp(&scores[a as usize]).expect("finite")
            });
            expected.truncate(limit);
            prop_assert_eq!(got, expected);
        }
    }

    fn by_rule(
        scores: &[f64],
        limit: usize,
        compare: impl FnMut(u32, u32) -> Result<Ordering, &'static str>,
    ) -> Result<Vec<u32>, &'static str> {
        let order = top_and_ties(scores, limit, Watch::never()).expect("nobody stops it");
        break_ties(order, scores, limit, compare)
    }

    #[test]
    fn a_failing_comparison_is_passed_on_and_unequal_scores_are_never_compared() {
        let refuse = |_, _| Err::<Ordering, _>("asked");
        assert_eq!(by_rule(&[1.0, 2.0, 3.0], 3, refuse), Ok(vec![2, 1, 0]));
        assert_eq!(by_rule(&[1.0, 2.0, 2.0], 3, refuse), Err("asked"));
        assert_eq!(by_rule(&[1.0, 1.0, 2.0], 1, refuse), Ok(vec![2]));
    }

    #[test]
    fn long_sorts_can_be_stopped() {
        let scores: Vec<f64> = (0..300_000_i32).map(f64::from).collect();
        let stop = Watch::new(&|| false);
        assert_eq!(top(&scores, usize::MAX, stop), Err(Error::Interrupted));
        assert_eq!(top(&scores, 3, stop), Err(Error::Interrupted));
        assert_eq!(top(&scores[..1000], usize::MAX, stop).map(|order| order.len()), Ok(1000));
    }
}
