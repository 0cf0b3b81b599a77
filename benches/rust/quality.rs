//! Reranking by quality, age and time, and time decay, of signals that were read already.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_benches::SplitMix;
use rankmeld_core::Watch;
use rankmeld_core::composite::{Request, Weights, composite};
use rankmeld_core::decay::{Curve, Decay, decayed};
use rankmeld_core::proximity::Target;
use rankmeld_core::quality::Model;
use rankmeld_core::signals::{Signals, Tier};

const DAY: f64 = 86_400e6;

fn documents(count: usize) -> Vec<Signals> {
    let mut random = SplitMix(count as u64);
    let mut moment = || Some(-(400.0 * DAY * random.unit()) as i64);
    let dated: Vec<Signals> = (0..count)
        .map(|_| Signals { created: moment(), updated: moment(), ..Signals::default() })
        .collect();
    dated
        .into_iter()
        .enumerate()
        .map(|(place, dated)| Signals {
            importance: Some(random.unit()),
            confidence: Some(random.unit()),
            familiarity: (1.0 + (place % 40) as f64).ln(),
            tier: Tier::ALL[place % Tier::ALL.len()],
            ..dated
        })
        .collect()
}

fn request(target: Option<Target>) -> Request {
    let model = Model {
        half_life: 7.0,
        stability: 0.0,
        tier_weights: [0.5, 0.30, 0.55, 0.90, 0.95],
        confidence_decay: 0.05,
        grace_weeks: 1.0,
        confidence_floor: 0.05,
        undated: 1.0,
    };
    let weights = Weights { relevance: 0.5, recency: 0.2, importance: 0.1, quality: 0.2 };
    Request { weights, model, now: 0, target }
}

fn reranks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("quality");
    group.measurement_time(Duration::from_secs(2));
    let target = Some(Target { moment: -(21.0 * DAY) as i64, tolerance: 5.0, boost: 0.4 });
    for count in [200, 10_000] {
        let documents = documents(count);
        let scores: Vec<f64> = (0..count).map(|place| 1.0 / (60.0 + place as f64)).collect();
        group.throughput(Throughput::Elements(count as u64));
        for (name, request) in [("composite", request(None)), ("temporal", request(target))] {
            let found = composite(&scores, &documents, &request, Watch::never());
            assert!(found.is_ok_and(|found| found.iter().all(|score| score.is_finite())));
            group.bench_function(BenchmarkId::new(name, count), |bench| {
                bench.iter(|| composite(black_box(&scores), &documents, &request, Watch::never()));
            });
        }
        let decay = Decay {
            now: 0,
            half_life: 30.0,
            curve: Curve::Exponential,
            importance_power: 0.0,
            undated: 1.0,
        };
        group.bench_function(BenchmarkId::new("decay", count), |bench| {
            bench.iter(|| decayed(black_box(&scores), &documents, &decay, Watch::never()));
        });
    }
    group.finish();
}

criterion_group!(benches, reranks);
criterion_main!(benches);
