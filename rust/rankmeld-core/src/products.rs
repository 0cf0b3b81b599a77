//! Dot products of rows, summed in `f64` in one fixed order.
//!
//! Products of two `f32` are exact in `f64`. The sums run in lanes side by side that are added up
//! at the end, so a product of two rows has the same bits wherever, and in whichever order of the
//! two, it is taken.

#![expect(clippy::inline_always, reason = "what a kernel calls must be compiled with it")]

use crate::Processor;
use crate::cosine::Element;
use crate::widths::{Kernel, run};

/// How many sums run side by side: two of the widest registers, so that their additions overlap.
const LANES: usize = 16;

/// A row's product with another, and with itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Products {
    /// With the other row.
    pub dot: f64,
    /// With itself.
    pub squares: f64,
}

/// Adds the products of `row` with each of `rows`, which lie one after the other, to `out`.
pub fn dots<A: Element, B: Element>(
    row: &[A],
    rows: &[B],
    processor: Processor,
    out: &mut Vec<f64>,
) {
    run(Dots { row, rows, out }, processor);
}

/// Adds the products of `query` with each of `rows`, and of those with themselves, to `out`.
pub fn products<T: Element>(
    query: &[f64],
    rows: &[T],
    processor: Processor,
    out: &mut Vec<Products>,
) {
    run(ProductsOfRows { query, rows, out }, processor);
}

/// Adds the product of each row of this width with itself to `out`.
pub fn squares<T: Element>(rows: &[T], width: usize, processor: Processor, out: &mut Vec<f64>) {
    run(Squares { rows, width, out }, processor);
}

struct Dots<'a, A, B> {
    row: &'a [A],
    rows: &'a [B],
    out: &'a mut Vec<f64>,
}

impl<A: Element, B: Element> Kernel for Dots<'_, A, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for row in self.rows.chunks_exact(self.row.len()) {
            self.out.push(dot(self.row, row));
        }
    }
}

struct Squares<'a, T> {
    rows: &'a [T],
    width: usize,
    out: &'a mut Vec<f64>,
}

impl<T: Element> Kernel for Squares<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for row in self.rows.chunks_exact(self.width) {
            self.out.push(dot(row, row));
        }
    }
}

struct ProductsOfRows<'a, T> {
    query: &'a [f64],
    rows: &'a [T],
    out: &'a mut Vec<Products>,
}

impl<T: Element> Kernel for ProductsOfRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for row in self.rows.chunks_exact(self.query.len()) {
            self.out.push(Products { dot: dot(self.query, row), squares: dot(row, row) });
        }
    }
}

#[inline(always)]
fn dot<A: Element, B: Element>(a: &[A], b: &[B]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a_chunks, a_rest) = a.as_chunks();
    let (b_chunks, b_rest) = b.as_chunks();
    for place in 0..a_chunks.len().min(b_chunks.len()) {
        lanes = added(lanes, &a_chunks[place], &b_chunks[place]);
    }
    if !a_rest.is_empty() {
        lanes = added(lanes, &padded(a_rest), &padded(b_rest));
    }
    folded(lanes)
}

#[inline(always)]
fn added<A: Element, B: Element>(
    mut lanes: [f64; LANES],
    a: &[A; LANES],
    b: &[B; LANES],
) -> [f64; LANES] {
    for lane in 0..LANES {
        lanes[lane] += a[lane].into() * b[lane].into();
    }
    lanes
}

/// A short rest with zeros behind it: the lanes stay in registers.
#[inline(always)]
fn padded<T: Element>(rest: &[T]) -> [f64; LANES] {
    let mut padded = [0.0; LANES];
    for lane in 0..rest.len().min(LANES) {
        padded[lane] = rest[lane].into();
    }
    padded
}

/// The sum of the lanes: one half onto the other until one is left.
#[inline(always)]
fn folded(lanes: [f64; LANES]) -> f64 {
    let mut eight = [0.0; 8];
    for lane in 0..8 {
        eight[lane] = lanes[lane] + lanes[lane + 8];
    }
    let mut four = [0.0; 4];
    for lane in 0..4 {
        four[lane] = eight[lane] + eight[lane + 4];
    }
    (four[0] + four[2]) + (four[1] + four[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of<T: Element>(rows: &[T], width: usize, processor: Processor) -> (Vec<u64>, Vec<u64>) {
        let wide: Vec<f64> = rows.iter().map(|&value| value.into()).collect();
        let (mut plain, mut both) = (Vec::new(), Vec::new());
        dots(&rows[..width], &wide, processor, &mut plain);
        products(&wide[..width], rows, processor, &mut both);
        let mut own = Vec::new();
        squares(rows, width, processor, &mut own);
        assert!(own.iter().zip(&both).all(|(own, both)| *own == both.squares));
        let bits = |value: f64| value.to_bits();
        assert_eq!(
            plain.iter().copied().map(bits).collect::<Vec<_>>(),
            both.iter().map(|one| bits(one.dot)).collect::<Vec<_>>()
        );
        (plain.into_iter().map(bits).collect(), both.iter().map(|one| bits(one.squares)).collect())
    }

    proptest! {
        #[test]
        fn all_widths_give_the_same_bits(
            (width, singles) in (1..=3 * LANES + 1).prop_flat_map(|width| (
                Just(width),
                proptest::collection::vec(-1e3_f32..1e3, width * 3),
            ))
        ) {
            let doubles: Vec<f64> = singles.iter().map(|&value| f64::from(value) / 3.0).collect();
            for &processor in Processor::available() {
                let (portable, here) = (Processor::Portable, processor);
                prop_assert_eq!(of(&singles, width, portable), of(&singles, width, here));
                prop_assert_eq!(of(&doubles, width, portable), of(&doubles, width, here));
            }
        }

        #[test]
        fn whole_numbers_are_summed_exactly(row in proptest::collection::vec(-999..999_i16, 1..99)) {
            let singles: Vec<f32> = row.iter().map(|&value| f32::from(value)).collect();
            let expected: i64 = row.iter().map(|&value| i64::from(value).pow(2)).sum();
            let mut got = Vec::new();
            squares(&singles, singles.len(), Processor::best(), &mut got);
            prop_assert_eq!(got, vec![expected as f64]);
        }
    }
}
