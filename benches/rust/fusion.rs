//! The kernels of fusion, without an interpreter: what is left is what reading Python objects costs.
//!
//! ```text
//! cargo bench -p rankmeld-benches
//! ```

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_benches::SplitMix;
use rankmeld_core::fusion::normalize::Normalization;
use rankmeld_core::fusion::rank_credits::RankCredit;
use rankmeld_core::fusion::{Combination, Duplicates, Method, Rankings, Request, fuse};
use rankmeld_core::intern::intern_integers;
use rankmeld_core::order;
use rankmeld_core::{Error, Watch};

/// Lists and their length; the last has a million entries.
const SIZES: [(usize, usize); 3] = [(3, 1_000), (8, 10_000), (4, 250_000)];

const K: f64 = 60.0;

/// Ranked lists of ids with scores; each list draws from a pool of twice its length.
struct Workload {
    ids: Vec<Vec<i64>>,
    scores: Vec<Vec<f64>>,
}

impl Workload {
    fn new(lists: usize, length: usize) -> Self {
        let mut random = SplitMix((lists * 1_000_003 + length) as u64);
        let mut pool: Vec<i64> =
            (0..2 * length).map(|_| (random.bits() >> 34).cast_signed()).collect();
        let mut made = Self { ids: Vec::new(), scores: Vec::new() };
        for _ in 0..lists {
            random.shuffle(&mut pool);
            made.ids.push(pool[..length].to_vec());
            let mut scores: Vec<f64> = (0..length).map(|_| random.unit()).collect();
            scores.sort_unstable_by(|a, b| b.total_cmp(a));
            made.scores.push(scores);
        }
        made
    }

    fn slices(&self) -> Vec<&[i64]> {
        self.ids.iter().map(Vec::as_slice).collect()
    }

    fn score_slices(&self) -> Vec<&[f64]> {
        self.scores.iter().map(Vec::as_slice).collect()
    }

    fn entries(&self) -> u64 {
        self.ids.iter().map(|list| list.len() as u64).sum()
    }
}

fn request(method: Method, lists: usize) -> Request {
    Request {
        method,
        combination: Combination::Sum,
        duplicates: Duplicates::Sum,
        weights: vec![1.0; lists],
    }
}

fn reciprocal() -> Method {
    Method::Ranks(RankCredit::Reciprocal { k: K, rank_base: 1 })
}

fn minmax(lists: usize) -> Method {
    Method::Scores { lists: vec![Normalization::MinMax; lists], on_constant: None }
}

/// What a call of the library does between reading and handing out: ids best first, with scores.
fn fused(ids: &[&[i64]], scores: &[&[f64]], request: &Request) -> Result<Vec<(i64, f64)>, Error> {
    let (lists, distinct) = intern_integers(ids, Watch::never())?;
    let rankings = Rankings { lists, candidates: distinct.len() };
    let fused = fuse(&rankings, scores, request, Watch::never())?;
    let order = order::top(&fused.scores, fused.scores.len(), Watch::never())?;
    Ok(order.into_iter().map(|at| (distinct[at as usize], fused.scores[at as usize])).collect())
}

/// The definition, with a hash table per id and a stable sort; panics where the kernel differs.
fn check(workload: &Workload, request: &Request, credit: impl Fn(usize, usize) -> f64) {
    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut expected: Vec<(i64, f64)> = Vec::new();
    for (list, ids) in workload.ids.iter().enumerate() {
        for (position, &id) in ids.iter().enumerate() {
            let place = *places.entry(id).or_insert(expected.len());
            if place == expected.len() {
                expected.push((id, 0.0));
            }
            expected[place].1 += credit(list, position);
        }
    }
    let got = fused(&workload.slices(), &workload.score_slices(), request).expect("finite scores");
    assert_eq!(got.len(), expected.len());
    assert!(got.is_sorted_by(|a, b| a.1 >= b.1), "not best first");
    for (id, score) in got {
        // Plain sums of a few credits differ from exact ones in the last digits.
        let wanted = expected[places[&id]].1;
        assert!((score - wanted).abs() <= 1e-14 * wanted.abs().max(1.0), "{id}: {score}, {wanted}");
    }
}

fn by_rank(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rrf");
    for (lists, length) in SIZES {
        let workload = Workload::new(lists, length);
        let request = request(reciprocal(), lists);
        check(&workload, &request, |_, position| 1.0 / (K + (position + 1) as f64));
        let ids = workload.slices();
        group.throughput(Throughput::Elements(workload.entries()));
        let id = BenchmarkId::from_parameter(format!("{lists}x{length}"));
        group.bench_function(id, |bencher| bencher.iter(|| fused(black_box(&ids), &[], &request)));
    }
    group.finish();
}

/// The steps of [`by_rank`] one by one; [`ordering`] has the last.
fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("steps");
    for (lists, length) in SIZES {
        let workload = Workload::new(lists, length);
        let request = request(reciprocal(), lists);
        let ids = workload.slices();
        let (codes, distinct) = intern_integers(&ids, Watch::never()).expect("few ids");
        let rankings = Rankings { lists: codes, candidates: distinct.len() };
        group.throughput(Throughput::Elements(workload.entries()));
        let size = format!("{lists}x{length}");
        group.bench_function(BenchmarkId::new("intern", &size), |bencher| {
            bencher.iter(|| intern_integers(black_box(&ids), Watch::never()));
        });
        group.bench_function(BenchmarkId::new("credits_and_sums", &size), |bencher| {
            bencher.iter(|| fuse(black_box(&rankings), &[], &request, Watch::never()));
        });
    }
    group.finish();
}

fn by_score(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("minmax_sum");
    for (lists, length) in SIZES {
        let workload = Workload::new(lists, length);
        let request = request(minmax(lists), lists);
        check(&workload, &request, |list, position| {
            let scores = &workload.scores[list];
            let (high, low) = (scores[0], scores[length - 1]);
            (scores[position] - low) / (high - low)
        });
        let (ids, scores) = (workload.slices(), workload.score_slices());
        group.throughput(Throughput::Elements(workload.entries()));
        let id = BenchmarkId::from_parameter(format!("{lists}x{length}"));
        group.bench_function(id, |bencher| {
            bencher.iter(|| fused(black_box(&ids), black_box(&scores), &request));
        });
    }
    group.finish();
}

fn ordering(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("order");
    for length in [2_000, 20_000, 500_000] {
        let mut random = SplitMix(length as u64);
        let scores: Vec<f64> = (0..length).map(|_| random.unit()).collect();
        let all = order::top(&scores, length, Watch::never()).expect("nobody stops it");
        assert!(all.is_sorted_by(|&a, &b| scores[a as usize] >= scores[b as usize]));
        group.throughput(Throughput::Elements(length as u64));
        for (name, limit) in [("all", length), ("best_10", 10)] {
            let some = order::top(&scores, limit, Watch::never()).expect("nobody stops it");
            assert_eq!(some, all[..limit], "a limit only cuts");
            group.bench_function(BenchmarkId::new(name, length), |bencher| {
                bencher.iter(|| order::top(black_box(&scores), limit, Watch::never()));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = by_rank, steps, by_score, ordering
}
criterion_main!(benches);
