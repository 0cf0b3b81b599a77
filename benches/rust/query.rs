//! Telling queries apart, cleaning them, and the shape of scores, without an interpreter.
//!
//! ```text
//! cargo bench -p rankmeld-benches --bench query
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_core::Watch;
use rankmeld_core::query::{Tier, Vocabulary, cleaned, features};

const MULTI_HOP: [&str; 8] =
    ["why", "por qué", "impact*", "depend*", "connection between", "relate", "caused by", "trace"];
const ARCHITECTURE: [&str; 4] = ["architecture", "overview", "high level", "módulos"];
const DECLARATIONS: [&str; 3] = ["func", "struct", "type"];

/// Queries by what is met in them, with their tiers.
const QUERIES: [(&str, &str, Tier); 4] = [
    ("name", "HandleSearch()", Tier::DirectFactual),
    ("words", "how do I configure the retry backoff of the worker pool", Tier::SemanticHybrid),
    ("accents", "¿Qué pasa con la configuración del servicio?", Tier::SemanticHybrid),
    ("ideographs", "検索システムの設計", Tier::SemanticHybrid),
];

fn queries(criterion: &mut Criterion) {
    let watch = Watch::never();
    let vocabulary = Vocabulary::new(&MULTI_HOP, &ARCHITECTURE, &DECLARATIONS, watch);
    let vocabulary = vocabulary.expect("nobody stops it");
    let mut group = criterion.benchmark_group("query");
    for (name, query, tier) in QUERIES {
        assert_eq!(vocabulary.tier(query, watch), Ok(tier));
        group.bench_function(format!("tier/{name}"), |bencher| {
            bencher.iter(|| vocabulary.tier(black_box(query), watch));
        });
        group.bench_function(format!("cleaned/{name}"), |bencher| {
            bencher.iter(|| cleaned(black_box(query), watch));
        });
    }
    let long = "connection ".repeat(100_000);
    assert_eq!(vocabulary.tier(&long, watch), Ok(Tier::SemanticHybrid));
    group.throughput(Throughput::Bytes(long.len() as u64));
    group.bench_function("tier/long", |bencher| {
        bencher.iter(|| vocabulary.tier(black_box(&long), watch));
    });
    group.finish();
}

fn scores(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("query/features");
    for count in [20, 1_000] {
        let scores: Vec<f64> = (0..count).map(|place| 1.0 / f64::from(61 + place)).collect();
        let found = features(&scores, Watch::never()).expect("a margin in the range");
        assert!(found.is_some_and(|found| found.skewness > 0.0 && found.top1_margin > 0.0));
        group.bench_function(count.to_string(), |bencher| {
            bencher.iter(|| features(black_box(&scores), Watch::never()));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = queries, scores
}
criterion_main!(benches);
