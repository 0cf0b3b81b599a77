//! How many bits rows have in common.

#![expect(clippy::inline_always, reason = "what a kernel calls must be compiled with it")]

use crate::Processor;
use crate::widths::{Kernel, run};

/// Adds, for each of `rows`, which lie one after the other, how many bits it shares with `row`.
pub fn overlaps(row: &[u64], rows: &[u64], processor: Processor, out: &mut Vec<u32>) {
    run(Overlaps { row, rows, out }, processor);
}

struct Overlaps<'a> {
    row: &'a [u64],
    rows: &'a [u64],
    out: &'a mut Vec<u32>,
}

impl Kernel for Overlaps<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for row in self.rows.chunks_exact(self.row.len()) {
            let mut shared = 0;
            for (a, b) in self.row.iter().zip(row) {
                shared += (a & b).count_ones();
            }
            self.out.push(shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_widths_count_the_same(
            (width, words) in (1..50_usize).prop_flat_map(|width| (
                Just(width),
                proptest::collection::vec(any::<u64>(), width * 3),
            ))
        ) {
            for &processor in Processor::available() {
                let mut got = Vec::new();
                overlaps(&words[..width], &words, processor, &mut got);
                let bit = |row: &[u64], place: usize| row[place / 64] >> (place % 64) & 1 == 1;
                let shared = |row: &[u64]| {
                    (0..width * 64).filter(|&place| bit(row, place) && bit(&words, place)).count()
                };
                let expected: Vec<u32> =
                    words.chunks_exact(width).map(|row| shared(row) as u32).collect();
                prop_assert_eq!(got, expected);
            }
        }
    }
}
