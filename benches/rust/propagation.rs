//! Evidence that flows between hits, what stands side by side, and names in a query.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_benches::SplitMix;
use rankmeld_core::Watch;
use rankmeld_core::adjacency::Adjacency;
use rankmeld_core::matches::standing_in;
use rankmeld_core::propagation::{Edge, propagate};

/// Two neighbours for each hit, half of them hits themselves.
fn edges(hits: u32) -> Vec<Edge> {
    let mut random = SplitMix(u64::from(hits));
    (0..2 * hits)
        .map(|place| Edge {
            source: place / 2,
            target: (random.unit() * f64::from(2 * hits)) as u32,
            weight: 1.0 + f64::from(place % 2) / 2.0,
        })
        .collect()
}

fn propagation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("propagate");
    group.measurement_time(Duration::from_secs(2));
    for hits in [200_u32, 10_000] {
        let scores: Vec<f64> = (0..hits).map(|place| 1.0 / f64::from(60 + place)).collect();
        let edges = edges(hits);
        let run = |weight| propagate(&scores, 2 * hits as usize, &edges, weight, Watch::never());
        let unchanged = run(0.0).expect("finite").scores;
        assert_eq!(&unchanged[..scores.len()], scores);
        group.throughput(Throughput::Elements(edges.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(hits), |bench| {
            bench.iter(|| run(black_box(0.4)));
        });
    }
    group.finish();
}

fn adjacency(criterion: &mut Criterion) {
    const TURNS: u32 = 100_000;
    let groups: Vec<u32> = (0..TURNS).map(|turn| turn / 20).collect();
    let pairs = |window| {
        let adjacency = Adjacency::new(groups.clone(), TURNS as usize / 20);
        (0..TURNS as usize).map(|turn| adjacency.near(turn, window).count()).sum::<usize>()
    };
    assert_eq!(pairs(1), 2 * 19 * TURNS as usize / 20);
    criterion.bench_function("adjacent, 100,000 turns", |bench| bench.iter(|| pairs(black_box(1))));
}

fn names(criterion: &mut Criterion) {
    let names: Vec<String> = (0..200).map(|hit| format!("Speaker {}", hit % 20)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let query = "what did speaker 7 say about the trip to the mountains, and to whom?";
    let run = |query| standing_in(query, &names, Watch::never()).expect("nobody stops it");
    assert_eq!(run(query).into_iter().filter(|&found| found).count(), 10);
    criterion.bench_function("names of 200 hits", |bench| bench.iter(|| run(black_box(query))));
}

criterion_group!(benches, propagation, adjacency, names);
criterion_main!(benches);
