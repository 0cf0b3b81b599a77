//! Maximal marginal relevance by cosine and by Jaccard similarity, and cosines by themselves.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_benches::SplitMix;
use rankmeld_core::mmr::jaccard::Sets;
use rankmeld_core::mmr::{Cosines, Jaccard, Request, Scale, Similarities, mmr};
use rankmeld_core::{Processor, Watch, cosine};

const WIDTH: usize = 384;

/// Rows around 25 centres, as passages around their subjects.
fn rows(count: usize) -> Vec<f32> {
    let mut random = SplitMix(count as u64);
    let mut normal = || (0..6).map(|_| random.unit() - 0.5).sum::<f64>();
    let centres: Vec<f64> = (0..25 * WIDTH).map(|_| normal()).collect();
    (0..count * WIDTH)
        .map(|place| {
            let centre = place / WIDTH * 7 % 25;
            (centres[centre * WIDTH + place % WIDTH] + 0.7 * normal()) as f32
        })
        .collect()
}

/// Sets of about `size` tokens, small numbers far more often than large ones.
fn sets(count: usize, size: usize) -> Sets {
    let mut random = SplitMix(count as u64);
    let mut numbers = vec![u32::MAX; 20_000];
    let (mut sets, mut next) = (Sets::new(), 0);
    for _ in 0..count {
        for _ in 0..size {
            let token = (20_000_f64.powf(random.unit()) - 1.0) as usize;
            if numbers[token] == u32::MAX {
                numbers[token] = next;
                next += 1;
            }
            sets.add(numbers[token]);
        }
        sets.end();
    }
    sets
}

fn scores(count: usize) -> Vec<f64> {
    (0..count).map(|place| 1.0 / (60.0 + place as f64)).collect()
}

/// A limit only cuts, and similar or not, each candidate is picked once.
fn check(scores: &[f64], similarities: &mut impl Similarities) {
    let all = request(usize::MAX);
    let picks = mmr(scores, &all, similarities, Watch::never()).expect("nobody stops it");
    let mut order: Vec<u32> = picks.iter().map(|pick| pick.candidate).collect();
    order.sort_unstable();
    assert!(order.into_iter().eq(0..scores.len() as u32));
}

fn request(limit: usize) -> Request {
    Request { lambda: 0.7, limit, scale: Scale::MinMax }
}

fn by_cosine(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mmr_cosine");
    for (count, limit) in [(200, 20), (200, 200), (10_000, 50)] {
        let (rows, scores) = (rows(count), scores(count));
        for &processor in Processor::available() {
            let cosines = || Cosines::new(&rows, WIDTH, processor, Watch::never()).expect("finite");
            if count == limit {
                check(&scores, &mut cosines());
            }
            let id = BenchmarkId::new(format!("{processor:?}"), format!("{limit} of {count}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    mmr(black_box(&scores), &request(limit), &mut cosines(), Watch::never())
                });
            });
        }
    }
    group.finish();
}

fn by_jaccard(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mmr_jaccard");
    for (count, size, limit) in [(100, 120, 100), (5_000, 1_000, 50)] {
        let (sets, scores) = (sets(count, size), scores(count));
        for &processor in Processor::available() {
            let jaccard = || Jaccard::new(&sets, processor, Watch::never()).expect("not stopped");
            if count == limit {
                check(&scores, &mut jaccard());
            }
            let id = BenchmarkId::new(format!("{processor:?}"), format!("{limit} of {count}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    mmr(black_box(&scores), &request(limit), &mut jaccard(), Watch::never())
                });
            });
        }
    }
    group.finish();
}

fn cosines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cosine_scores");
    for count in [200, 10_000] {
        let rows = rows(count);
        let query: Vec<f64> = rows[..WIDTH].iter().map(|&value| f64::from(value)).collect();
        group.throughput(Throughput::Bytes(rows.len() as u64 * 4));
        for &processor in Processor::available() {
            let id = BenchmarkId::new(format!("{processor:?}"), count);
            group.bench_function(id, |bencher| {
                bencher
                    .iter(|| cosine::scores(black_box(&query), &rows, processor, Watch::never()));
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
        .measurement_time(Duration::from_secs(1));
    targets = by_cosine, by_jaccard, cosines
}
criterion_main!(benches);
