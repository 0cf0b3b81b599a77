//! Every width against the definition, and the definition against plain sums.

use half::{bf16, f16};
use proptest::prelude::*;

use super::kernels::{Kernels, Portable, Work, run_on};
use super::tile::{LANES, Lanes, Sums, Tile};
use super::*;

/// Numbers without a pattern, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        self.0 >> 33
    }

    /// Of both signs, over so many powers of two around 1.
    fn float(&mut self, spread: u64) -> f64 {
        let power = (self.next() % spread) as i32 - (spread / 2) as i32;
        (self.next() as f64 / 2.0_f64.powi(30) - 1.0) * 2.0_f64.powi(power)
    }

    fn short(&mut self, spread: u64) -> u16 {
        bf16::from_f64(self.float(spread)).to_bits()
    }

    fn byte(&mut self) -> i8 {
        self.next() as i8
    }
}

/// The tiles of a processor on some numbers, as bits.
struct Tiles(u64);

impl Work for Tiles {
    type Output = Vec<u64>;

    fn run<K: Kernels>(self) -> Vec<u64> {
        type Twin = <Portable as Kernels>::Pairs;
        let numbers = &mut Numbers(self.0);
        let bits = |sum: f32| u64::from(sum.to_bits());
        let count = |sum: i32| u64::from(sum.cast_unsigned());
        let (single, double) =
            (|n: &mut Numbers| n.float(40) as f32, |n: &mut Numbers| n.float(90));
        let mut all = sums::<K::Singles>(numbers, single, single, bits);
        all.extend(sums::<K::Doubles>(numbers, double, double, f64::to_bits));
        let word = |n: &mut Numbers| i16::from(n.byte());
        all.extend(sums::<K::Words>(numbers, word, |n| [word(n), word(n)], count));
        // Far enough from 1 for sums below the normal numbers, too.
        let (short, two) =
            (|n: &mut Numbers| n.short(250), |n: &mut Numbers| [n.short(250), n.short(250)]);
        all.extend(if K::PAIRS {
            sums::<K::Pairs>(numbers, short, two, bits)
        } else {
            sums::<Twin>(numbers, short, two, bits)
        });
        all
    }
}

fn sums<T: Tile>(
    numbers: &mut Numbers,
    element: impl Fn(&mut Numbers) -> T::Element,
    lane: impl Fn(&mut Numbers) -> T::Lane,
    bits: impl Fn(T::Sum) -> u64,
) -> Vec<u64> {
    let mut all = Vec::new();
    for (steps, count, blocks) in [(1, 1, 1), (2, 2, 2), (3, 4, 1), (7, 8, 2), (33, 12, 2)] {
        let rows: Vec<_> = (0..count * steps * T::STEP).map(|_| element(numbers)).collect();
        let mut sixteen = |_| Lanes(std::array::from_fn::<_, LANES, _>(|_| lane(numbers)));
        let lanes: Vec<_> = (0..blocks * steps).map(&mut sixteen).collect();
        let start = vec![Lanes::default(); blocks];
        let mut sums = Sums::default();
        T::sums(&rows, count, &lanes, &start, &mut sums);
        all.extend(
            sums[..blocks].iter().flat_map(|sums| &sums[..count]).flat_map(|s| s.0).map(&bits),
        );
    }
    all
}

#[test]
fn tiles_give_the_bits_of_their_definition() {
    for seed in 0..40 {
        let expected = run_on(Processor::Portable, Tiles(seed));
        for &processor in Processor::available() {
            assert_eq!(run_on(processor, Tiles(seed)), expected, "{processor:?}");
        }
    }
}

/// Numbers of every kind.
struct Owned {
    singles: Vec<f32>,
    doubles: Vec<f64>,
    halves: Vec<u16>,
    bf16: Vec<u16>,
    bytes: Vec<i8>,
    scales: Vec<f64>,
}

impl Owned {
    fn new(numbers: &mut Numbers, rows: usize, width: usize) -> Self {
        let doubles: Vec<f64> = (0..rows * width).map(|_| numbers.float(6)).collect();
        Self {
            singles: doubles.iter().map(|&x| x as f32).collect(),
            halves: doubles.iter().map(|&x| f16::from_f64(x).to_bits()).collect(),
            bf16: doubles.iter().map(|&x| bf16::from_f64(x).to_bits()).collect(),
            bytes: doubles.iter().map(|&x| (x * 16.0) as i8).collect(),
            scales: (0..rows).map(|_| numbers.float(4).abs()).collect(),
            doubles,
        }
    }

    fn kinds(&self) -> [Vectors<'_>; 6] {
        [
            Vectors::Singles(&self.singles),
            Vectors::Doubles(&self.doubles),
            Vectors::Halves(&self.halves),
            Vectors::Bf16(&self.bf16),
            Vectors::Bytes(&self.bytes, Scales::Each(&self.scales)),
            Vectors::Bytes(&self.bytes, Scales::One(0.25)),
        ]
    }
}

fn run(
    processor: Processor,
    threads: usize,
    (query, count): (&Vectors<'_>, usize),
    documents: &Documents<'_>,
    width: usize,
    normalize: bool,
) -> Result<Scores, Error> {
    let query = Query::new(query, count, width, normalize)?;
    let options = Options { normalize, explain: true, threads, processor };
    scores(&query, documents, options, Watch::never())
}

/// The same in double precision, without any of the above.
fn plain(
    (query, count): (&Vectors<'_>, usize),
    document: &Document<'_>,
    width: usize,
    normalize: bool,
) -> f64 {
    let row = |vectors: &Vectors<'_>, row: usize| {
        let values: Vec<f64> = (row * width..(row + 1) * width)
            .map(|place| vectors.element(place) * vectors.scale(row))
            .collect();
        let length = values.iter().map(|x| x * x).sum::<f64>().sqrt();
        let divisor = if normalize && length > 0.0 { length } else { 1.0 };
        values.into_iter().map(|x| x / divisor).collect::<Vec<_>>()
    };
    let rows: Vec<_> = document.runs().flatten().map(|r| row(&document.vectors, r)).collect();
    if rows.is_empty() {
        return 0.0;
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let best = |q: Vec<f64>| rows.iter().map(|r| dot(&q, r)).fold(f64::NEG_INFINITY, f64::max);
    (0..count).map(|q| best(row(query, q))).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn every_kind_width_and_thread_count(
        seed in any::<u64>(),
        width in 0..40_usize,
        vectors in 0..50_usize,
        lengths in prop::collection::vec(0..30_usize, 0..4),
        normalize in any::<bool>(),
    ) {
        let numbers = &mut Numbers(seed);
        let mut offsets = vec![0];
        offsets.extend(lengths.iter().scan(0, |sum, length| { *sum += length; Some(*sum) }));
        let total = lengths.iter().sum();
        let (query, rows) = (Owned::new(numbers, vectors, width), Owned::new(numbers, total, width));
        for q in query.kinds() {
            for vectors_of in rows.kinds() {
                let documents = Documents::Flat { vectors: vectors_of, offsets: &offsets };
                let q = (&q, vectors);
                let expected = run(Processor::Portable, 1, q, &documents, width, normalize)?;
                for &processor in Processor::available() {
                    for threads in [1, 2] {
                        let found = run(processor, threads, q, &documents, width, normalize)?;
                        prop_assert_eq!(&found, &expected);
                    }
                }
                for (index, score) in expected.scores.iter().enumerate() {
                    let document = documents.get(index, width);
                    let plain = plain(q, &document, width, normalize);
                    prop_assert!((score - plain).abs() <= 1e-4 * (1.0 + plain.abs() + vectors as f64));
                    let alone = Documents::separate(vec![(document.vectors, document.count)]);
                    let alone = run(Processor::best(), 1, q, &alone, width, normalize)?;
                    prop_assert_eq!(alone.scores[0].to_bits(), score.to_bits());
                }
            }
        }
    }

    #[test]
    fn a_mask_leaves_out_what_it_says(seed in any::<u64>(), mask in prop::collection::vec(any::<bool>(), 60)) {
        let numbers = &mut Numbers(seed);
        let (width, length) = (5, 20);
        let (query, mut rows) = (Owned::new(numbers, 3, width), Owned::new(numbers, 60, width));
        let query = (&Vectors::Singles(&query.singles), 3);
        for (row, _) in mask.iter().enumerate().filter(|(_, keep)| !**keep) {
            rows.singles[row * width + 1] = f32::NAN;
        }
        let vectors = Vectors::Singles(&rows.singles);
        let masked = Documents::Padded { vectors, count: 3, length, mask: Some(&mask) };
        let found = run(Processor::best(), 2, query, &masked, width, false)?;
        for index in 0..3 {
            let kept: Vec<usize> = (0..length).filter(|row| mask[index * length + row]).collect();
            let values = kept.iter().flat_map(|row| {
                let first = (index * length + row) * width;
                rows.singles[first..first + width].to_vec()
            });
            let values: Vec<f32> = values.collect();
            let alone = Documents::separate(vec![(Vectors::Singles(&values), kept.len())]);
            let alone = run(Processor::best(), 1, query, &alone, width, false)?;
            prop_assert_eq!(alone.scores[0].to_bits(), found.scores[index].to_bits());
            for (&place, &own) in found.matches[3 * index..].iter().zip(&alone.matches) {
                let own = usize::try_from(own).ok().map(|own| kept[own]);
                prop_assert_eq!(usize::try_from(place).ok(), own);
            }
        }
    }
}

#[test]
fn numbers_of_any_size() {
    let check = |query: Vectors<'_>, rows: Vectors<'_>, normalize: bool, expected: f64| {
        for &processor in Processor::available() {
            let documents = Documents::separate(vec![(rows, 2)]);
            let found = run(processor, 1, (&query, 1), &documents, 2, normalize);
            let Ok(Scores { scores, .. }) = found else {
                panic!("{found:?}: {query:?} with {rows:?}")
            };
            let score = scores[0];
            let near = (score - expected).abs() <= 1e-6 * expected.abs();
            assert!(near, "{score} for {expected}, {query:?} with {rows:?}");
        }
    };
    let large = [3e38_f32, 3e38];
    check(Vectors::Singles(&large), Vectors::Singles(&[3e38, 3e38, 0.0, 0.0]), false, 1.8e77);
    let small = [1e-30_f32, 0.0];
    check(Vectors::Singles(&small), Vectors::Singles(&[1e-30, 0.0, -1.0, 0.0]), false, 1e-60);
    check(Vectors::Singles(&small), Vectors::Singles(&[1e-44, 0.0, -1.0, 0.0]), true, 1.0);
    // Elements of the query that are far from its largest one.
    let spread = [1e30_f32, 1e-20];
    check(Vectors::Singles(&spread), Vectors::Singles(&[0.0, 1e30, -1.0, 0.0]), false, 1e10);
    let spread = [1.0_f32, 1e-30];
    check(Vectors::Singles(&spread), Vectors::Singles(&[0.0, 1e-20, -1.0, 1.0]), false, 1e-50);
    let spread = [1e30_f32, 1e-20].map(|value| bf16::from_f32(value).to_bits());
    let exact = bf16::from_bits(spread[0]).to_f64() * bf16::from_bits(spread[1]).to_f64();
    check(Vectors::Bf16(&spread), Vectors::Bf16(&[0, spread[0], 0, 0]), false, exact);
    let tiny = [1e-200_f64, 0.0];
    check(
        Vectors::Doubles(&tiny),
        Vectors::Doubles(&[1e-300, 1e-300, -1.0, 0.0]),
        true,
        0.5_f64.sqrt(),
    );
    check(Vectors::Doubles(&tiny), Vectors::Doubles(&[1e300, 1e300, -1.0, 0.0]), false, 1e100);
    check(
        Vectors::Doubles(&[1e200, 0.0]),
        Vectors::Doubles(&[-1e200, 0.0, 1e100, 0.0]),
        false,
        1e300,
    );
    check(
        Vectors::Doubles(&[5e-324, 0.0]),
        Vectors::Doubles(&[1e300, 1.0, 0.0, 0.0]),
        false,
        5e-324 * 1e300,
    );
    let bytes = Vectors::Bytes(&[1, 2], Scales::One(1e-300));
    check(bytes, Vectors::Bytes(&[1, 2, 3, 4], Scales::Each(&[1e300, 1e299])), false, 5.0);
    let error = |query: &[f64], rows: &[f64]| {
        let documents = Documents::separate(vec![(Vectors::Doubles(rows), 1)]);
        run(Processor::best(), 1, (&Vectors::Doubles(query), 1), &documents, query.len(), false)
    };
    assert_eq!(error(&[1e300], &[1e300]), Err(Error::DocumentScoreNotFinite { document: 0 }));
    let Err(Error::DocumentNotFinite { document: 0, row: 0, column: 1, value }) =
        error(&[0.0, 0.0], &[1.0, f64::NAN])
    else {
        panic!("NaN went through")
    };
    assert!(value.is_nan());
    let Err(Error::QueryNotFinite { row: 0, column: 0, .. }) = error(&[f64::INFINITY], &[1.0])
    else {
        panic!("an infinity went through")
    };
}

/// A sum that has gone below all floats on its way hides behind any other, in every lane.
#[test]
fn an_overflow_on_the_way_is_seen_in_every_lane() {
    let rows = [-3e38_f32, -3e38, 3e38, 3e38, 3e38, 0.0, 0.0, 0.0, 0.0, 1.0];
    let documents = Documents::separate(vec![(Vectors::Singles(&rows), 2)]);
    let expected = 1.5 * f64::from(3e38_f32);
    let count = 2 * LANES + 1;
    for lane in 0..count {
        let mut query = vec![0.0_f32; count * 5];
        query[5 * lane..][..5].fill(1.5);
        let query = (&Vectors::Singles(&query), count);
        for &processor in Processor::available() {
            let found = run(processor, 1, query, &documents, 5, false).expect("finite");
            assert!((found.scores[0] / expected - 1.0).abs() < 1e-6, "{lane}: {found:?}");
        }
    }
}

#[test]
fn sums_neither_overflow_nor_lose_their_order() {
    let query = [1e308, 0.0, 1e308, 0.0, -1e308, 0.0];
    let documents = Documents::separate(vec![(Vectors::Doubles(&[1.5, 0.0]), 1)]);
    let found = run(Processor::best(), 1, (&Vectors::Doubles(&query), 3), &documents, 2, false);
    assert_eq!(found.expect("finite").scores, [1.5e308]);
}

#[test]
fn long_work_stops() {
    let rows = vec![1.0_f32; 1 << 22];
    let query =
        Query::new(&Vectors::Singles(&rows[..1 << 14]), 1 << 10, 16, false).expect("finite");
    let vectors = Vectors::Singles(&rows);
    let documents = Documents::Padded { vectors, count: 1, length: 1 << 18, mask: None };
    for threads in [1, 2] {
        let options =
            Options { normalize: false, explain: false, threads, processor: Processor::best() };
        let found = scores(&query, &documents, options, Watch::new(&|| false));
        assert_eq!(found, Err(Error::Interrupted));
    }
}
