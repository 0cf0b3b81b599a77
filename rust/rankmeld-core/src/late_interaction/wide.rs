//! The two loops over a batch, compiled for the widths that processors have.
//!
//! There is one text of them, so every width gives the same bits.
#![expect(unsafe_code, reason = "what a processor has is known at run time alone")]

use super::block::{Block, LANES, Quad};
use super::lexicon::Lexicon;
use crate::{Error, Processor, Watch, watch};

/// Documents as numbers of tokens.
#[derive(Clone, Copy)]
pub struct Documents<'a> {
    pub lexicon: &'a Lexicon,
    /// The numbers of each document's distinct tokens, one document after the other.
    pub numbers: &'a [u32],
    /// Where each document ends in `numbers`.
    pub ends: &'a [usize],
}

/// Gives `found(document, maxima)` what each document has for each lane of a block: the best
/// similarity with any of its tokens.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn each_maxima(
    processor: Processor,
    block: &Block,
    documents: Documents<'_>,
    rows: &mut Vec<Quad>,
    work: &mut Work<'_>,
    found: impl FnMut(usize, &[f64]),
) -> Result<(), Error> {
    // With fewer lanes taken, fewer quads are worked out and kept.
    match block.quads() {
        1 => of_quads::<1>(processor, block, documents, rows, work, found),
        2 => of_quads::<2>(processor, block, documents, rows, work, found),
        3 => of_quads::<3>(processor, block, documents, rows, work, found),
        _ => of_quads::<4>(processor, block, documents, rows, work, found),
    }
}

fn of_quads<const Q: usize>(
    processor: Processor,
    block: &Block,
    documents: Documents<'_>,
    rows: &mut Vec<Quad>,
    work: &mut Work<'_>,
    found: impl FnMut(usize, &[f64]),
) -> Result<(), Error> {
    match processor {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: such a processor has these instructions, or it would not be named.
        Processor::Avx2 | Processor::Avx512 => unsafe {
            avx2::<Q>(block, documents, rows, work, found)
        },
        _ => portable::<Q>(block, documents, rows, work, found),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<const Q: usize>(
    block: &Block,
    documents: Documents<'_>,
    rows: &mut Vec<Quad>,
    work: &mut Work<'_>,
    found: impl FnMut(usize, &[f64]),
) -> Result<(), Error> {
    portable::<Q>(block, documents, rows, work, found)
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "its loops are compiled with the caller's instructions")]
fn portable<const Q: usize>(
    block: &Block,
    Documents { lexicon, numbers, ends }: Documents<'_>,
    rows: &mut Vec<Quad>,
    work: &mut Work<'_>,
    mut found: impl FnMut(usize, &[f64]),
) -> Result<(), Error> {
    rows.clear();
    rows.reserve(lexicon.len() * Q);
    for number in 0..lexicon.len() {
        work.done(lexicon.bigrams(number).len())?;
        rows.extend_from_slice(&block.row::<Q>(lexicon, number));
    }
    let (rows, _) = rows.as_chunks::<Q>();
    let mut start = 0;
    for (document, &end) in ends.iter().enumerate() {
        work.done(end - start)?;
        let mut best = [[0.0; 4]; Q];
        for &number in &numbers[start..end] {
            for (best, row) in best.iter_mut().zip(&rows[number as usize]) {
                for (best, &similarity) in best.iter_mut().zip(row) {
                    *best = if similarity > *best { similarity } else { *best };
                }
            }
        }
        found(document, best.as_flattened());
        start = end;
    }
    Ok(())
}

/// Counts steps of very unequal length, and asks the watch when they add up to enough.
pub struct Work<'a> {
    watch: Watch<'a>,
    steps: usize,
}

impl<'a> Work<'a> {
    /// Nothing done yet.
    pub fn new(watch: Watch<'a>) -> Self {
        Self { watch, steps: 0 }
    }

    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    #[inline]
    pub fn done(&mut self, steps: usize) -> Result<(), Error> {
        self.steps += steps + LANES;
        if self.steps < 8 * watch::CHUNK {
            return Ok(());
        }
        self.steps = 0;
        self.watch.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_width_gives_the_bits_of_the_portable_one(
            tokens in proptest::collection::vec("[abcé]{0,9}", 1..60),
            lanes in 1..=LANES,
            cuts in proptest::collection::vec(0_usize..20, 0..5),
        ) {
            let mut lexicon = Lexicon::with_capacity(0);
            let numbers: Result<Vec<u32>, Error> =
                tokens.iter().map(|token| lexicon.number(token, Watch::never())).collect();
            let numbers = numbers.expect("nobody stops it");
            let mut end = 0;
            let ends: Vec<usize> = cuts
                .iter()
                .map(|cut| {
                    end = (end + cut).min(numbers.len());
                    end
                })
                .collect();
            let documents = Documents { lexicon: &lexicon, numbers: &numbers, ends: &ends };
            let mut block = Block::new();
            block.fill(&lexicon, 0, lanes.min(lexicon.len()));
            let found = |processor| {
                let (mut rows, mut all) = (Vec::new(), Vec::new());
                let collect = |document, maxima: &[f64]| {
                    all.push((document, maxima.iter().map(|m| m.to_bits()).collect::<Vec<_>>()));
                };
                each_maxima(processor, &block, documents, &mut rows, &mut Work::new(Watch::never()), collect)
                    .expect("nobody stops it");
                all
            };
            let portable = found(Processor::Portable);
            prop_assert_eq!(portable.len(), ends.len());
            for &processor in Processor::available() {
                prop_assert_eq!(&found(processor), &portable);
            }
        }
    }
}
