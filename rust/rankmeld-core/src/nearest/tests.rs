//! Held against a search that takes every cosine.

#![expect(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "small numbers")]

use proptest::prelude::*;

use super::bytes::QuantizedQuery;
use super::estimate::estimates;
use super::piece::Piece;
use super::{Options, Subset, Table};
use crate::cosine::Element;
use crate::products::squares;
use crate::{Error, Processor, Watch, cosine, order};

fn obvious(query: &[f64], rows: &[(i64, Vec<f32>)], limit: usize) -> (Vec<i64>, Vec<u64>) {
    let flat: Vec<f32> = rows.iter().flat_map(|(_, row)| row.iter().copied()).collect();
    let scores = cosine::scores(query, &flat, Processor::Portable, Watch::never()).expect("finite");
    let best = order::top(&scores, limit, Watch::never()).expect("nobody stops it");
    let position = |&row: &u32| rows[row as usize].0;
    let bits = |&row: &u32| scores[row as usize].to_bits();
    (best.iter().map(position).collect(), best.iter().map(bits).collect())
}

fn table(rows: &[(i64, Vec<f32>)], width: usize) -> Table {
    changed(&Table::new(width), rows, &[])
}

fn changed(table: &Table, rows: &[(i64, Vec<f32>)], gone: &[i64]) -> Table {
    let positions: Vec<i64> = rows.iter().map(|(position, _)| *position).collect();
    let flat: Vec<f32> = rows.iter().flat_map(|(_, row)| row.iter().copied()).collect();
    table.updated(&positions, &flat, gone, Processor::best(), Watch::never()).expect("finite")
}

fn found(
    table: &Table,
    query: &[f64],
    subset: Subset<'_>,
    limit: usize,
    threads: usize,
    processor: Processor,
) -> (Vec<i64>, Vec<u64>) {
    let options = Options { limit, threads, processor };
    let (positions, scores) =
        table.nearest(query, subset, options, Watch::never()).expect("nobody stops it");
    (positions, scores.into_iter().map(f64::to_bits).collect())
}

/// One number of a vector: mostly of one size, now and then of any.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        20 => -1.0..1.0_f32,
        2 => Just(0.0_f32),
        1 => proptest::num::f32::NORMAL | proptest::num::f32::SUBNORMAL | proptest::num::f32::ZERO,
    ]
}

/// Rows that repeat a few vectors, exactly, scaled, or nearly: what an estimate cannot tell apart.
fn rows(width: usize, count: usize) -> impl Strategy<Value = Vec<(i64, Vec<f32>)>> {
    let seeds = proptest::collection::vec(proptest::collection::vec(number(), width), 1..6);
    let how = proptest::collection::vec((0..6_usize, 0..5_u8, -1e-6..1e-6_f32), count);
    (seeds, how).prop_map(|(seeds, how)| {
        let row = |(place, (seed, kind, little)): (usize, (usize, u8, f32))| {
            let seed = &seeds[seed % seeds.len()];
            let change = |&value: &f32| match kind {
                0 => value,
                1 => value * 0.5,
                2 => (value * 1e-30).clamp(-1e38, 1e38),
                3 => (value + little).clamp(-1e38, 1e38),
                _ => -value,
            };
            (3 * place as i64 + 1, seed.iter().map(change).collect())
        };
        how.into_iter().enumerate().map(row).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_same_as_taking_every_cosine(
        (width, rows) in prop_oneof![1..4_usize, 60..70_usize, Just(384), Just(1100)]
            .prop_flat_map(|width| (Just(width), rows(width, (70_000 / width + 40).min(3000)))),
        query in proptest::collection::vec(number(), 1100),
        limit in prop_oneof![1..12_usize, Just(100_000)],
        threads in 1..4_usize,
    ) {
        let query: Vec<f64> = query[..width].iter().map(|&value| f64::from(value)).collect();
        let table = table(&rows, width);
        let expected = obvious(&query, &rows, limit);
        for &processor in Processor::available() {
            let got = found(&table, &query, Subset::All, limit, threads, processor);
            prop_assert_eq!(&got, &expected);
        }
        let wanted: Vec<i64> = (0..4 * rows.len() as i64).filter(|p| p % 5 != 1).collect();
        let kept: Vec<_> =
            rows.iter().filter(|(p, _)| wanted.binary_search(p).is_ok()).cloned().collect();
        let got = found(&table, &query, Subset::Positions(&wanted), limit, threads, Processor::best());
        prop_assert_eq!(got, obvious(&query, &kept, limit));
    }

    #[test]
    fn a_cosine_lies_where_its_estimate_says(
        (width, rows) in (1..80_usize).prop_flat_map(|width| (Just(width), rows(width, 40))),
        query in proptest::collection::vec(number(), 80),
    ) {
        let query: Vec<f64> = query[..width].iter().map(|&value| f64::from(value)).collect();
        let query = f64::in_range(&query, width);
        let mut own = Vec::new();
        squares(&query, width, Processor::best(), &mut own);
        let flat: Vec<f32> = rows.iter().flat_map(|(_, row)| row.iter().copied()).collect();
        let scores = cosine::scores(&query, &flat, Processor::best(), Watch::never());
        let scores = scores.expect("finite");
        let positions: Vec<i64> = rows.iter().map(|(position, _)| *position).collect();
        let piece = Piece::new(&positions, &flat, width, Processor::best()).expect("finite");
        if let Some(query) = QuantizedQuery::of(&query, own[0], Processor::best()) {
            let mut first = None;
            for &processor in Processor::available() {
                let mut out = Vec::new();
                estimates(&query, &piece, None, processor, &mut out);
                for (score, estimate) in scores.iter().zip(&out) {
                    prop_assert!((score - estimate.middle).abs() <= estimate.error);
                }
                let bits: Vec<_> = out.iter().map(|e| (e.middle.to_bits(), e.error.to_bits())).collect();
                prop_assert_eq!(first.get_or_insert_with(|| bits.clone()), &bits);
            }
        }
    }

    #[test]
    fn changes_leave_what_a_new_table_would_be(
        changes in proptest::collection::vec(
            (proptest::collection::btree_map(0..200_i64, -9..9_i8, 0..60),
             proptest::collection::btree_set(0..200_i64, 0..60)),
            1..8),
        width in prop_oneof![Just(3_usize), Just(17_000)],
    ) {
        let mut table = Table::new(width);
        let mut expected = std::collections::BTreeMap::new();
        let mut states = Vec::new();
        for (puts, gone) in changes {
            let row = |(&position, &value): (&i64, &i8)| {
                let mut row = vec![1.0_f32; width];
                row[0] = f32::from(value);
                (position, row)
            };
            let puts: Vec<(i64, Vec<f32>)> = puts.iter().map(row).collect();
            let gone: Vec<i64> = gone.into_iter().collect();
            table = changed(&table, &puts, &gone);
            for position in &gone {
                expected.remove(position);
            }
            expected.extend(puts);
            states.push((table.clone(), expected.clone()));
        }
        // Every state is what it was, whatever became of later ones.
        for (table, expected) in states {
            let rows: Vec<(i64, Vec<f32>)> = expected.into_iter().collect();
            prop_assert_eq!(table.len(), rows.len());
            prop_assert_eq!(table.is_empty(), rows.is_empty());
            let mut query = vec![0.5; width];
            query[0] = 1.0;
            let got = found(&table, &query, Subset::All, 1000, 1, Processor::best());
            prop_assert_eq!(got, obvious(&query, &rows, 1000));
        }
    }
}

/// Directions that all but coincide, in a plane of a wide space.
#[test]
fn cosines_that_differ_in_the_last_bits_are_told_apart() {
    let width = 384;
    let row = |place: i64| {
        let mut row = vec![0.05_f32; width];
        row[(place % 7) as usize] += 1e-7 * place as f32;
        (place, row)
    };
    let rows: Vec<_> = (0..4000).map(row).collect();
    let query: Vec<f64> = (0..width).map(|place| 0.05 + 1e-4 * (place % 3) as f64).collect();
    let table = table(&rows, width);
    for limit in [1, 20, 400] {
        let got = found(&table, &query, Subset::All, limit, 1, Processor::best());
        assert_eq!(got, obvious(&query, &rows, limit));
    }
}

/// A row that whole numbers make look worse than others, which they hold exactly.
#[test]
fn the_best_is_found_though_its_estimate_is_low() {
    let width = 1024;
    let exact = |place: i64| {
        let mut row = vec![1.0_f32; width];
        row[..4].fill(0.0);
        (place, row)
    };
    let mut rows: Vec<_> = (0..100).map(exact).collect();
    let mut rounded_down = vec![100.49_f32; width];
    rounded_down[0] = 127.0;
    rows[70].1 = rounded_down;
    let (table, query) = (table(&rows, width), vec![1.0; width]);
    let got = found(&table, &query, Subset::All, 1, 1, Processor::best());
    assert_eq!(got, obvious(&query, &rows, 1));
    assert_eq!(got.0, [70]);
}

#[test]
fn equal_and_zero_vectors_come_by_position() {
    let width = 96;
    for value in [0.0, 1.0, 1e-45, 3e38] {
        let rows: Vec<_> = (0..5000).map(|place| (place, vec![value; width])).collect();
        let table = table(&rows, width);
        for query in [vec![1.0; width], vec![0.0; width], vec![1e300; width]] {
            let got = found(&table, &query, Subset::All, 7, 2, Processor::best());
            assert_eq!(got, obvious(&query, &rows, 7));
        }
    }
}

#[test]
fn what_is_not_finite_is_named() {
    let table = Table::new(2);
    let rows = [1.0, 2.0, 3.0, f32::NAN];
    let error = table.updated(&[4, 9], &rows, &[], Processor::best(), Watch::never());
    let Err(Error::VectorNotFinite { row: 1, column: 1, .. }) = error else { panic!("{error:?}") };
}

#[test]
fn one_change_copies_one_piece() {
    let width = 384;
    let rows: Vec<_> = (0..5000).map(|place| (2 * place, vec![1.0; width])).collect();
    let before = table(&rows, width);
    let added = changed(&before, &[(20_000, vec![2.0; width])], &[]);
    let removed = changed(&added, &[], &[4000]);
    let shared = |a: &Table, b: &Table| {
        let same = |piece| b.pieces().iter().any(|other| std::sync::Arc::ptr_eq(piece, other));
        a.pieces().iter().filter(|piece| !same(piece)).count()
    };
    assert_eq!((shared(&before, &added), shared(&added, &removed)), (1, 1));
    assert_eq!((before.len(), added.len(), removed.len()), (5000, 5001, 5000));
    assert!(before.bytes() > 5000 * width * 5);
}

#[test]
fn a_table_that_shrinks_has_few_pieces() {
    let rows: Vec<_> = (0..40_000).map(|place| (place, vec![1.0, 2.0])).collect();
    let mut table = table(&rows, 2);
    for start in (0..40_000).step_by(500) {
        let gone: Vec<i64> = (start..start + 500).filter(|place| place % 100 != 0).collect();
        table = changed(&table, &[], &gone);
    }
    assert_eq!(table.len(), 400);
    assert_eq!(table.pieces().len(), 1);
}

#[test]
fn a_search_can_be_stopped() {
    let rows: Vec<_> = (0..1000).map(|place| (place, vec![1.0; 800])).collect();
    let table = table(&rows, 800);
    for limit in [3, 1000] {
        let options = Options { limit, threads: 1, processor: Processor::best() };
        let stop = Watch::new(&|| false);
        let stopped = table.nearest(&[1.0; 800], Subset::All, options, stop);
        assert_eq!(stopped, Err(Error::Interrupted));
    }
}
