//! The time that a query names, without an interpreter.
//!
//! ```text
//! cargo bench -p rankmeld-benches --bench temporal
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_core::Watch;
use rankmeld_core::temporal::{Anchor, Hemisphere, Now, anchor};

/// 20 March 2024, a Wednesday.
const NOW: Now = Now { today: 738_965, after_midnight: true };

const QUERIES: [(&str, &str, Option<i64>); 5] = [
    ("none", "how do I tell the indexer to skip a folder of drafts?", None),
    ("relative", "what did we decide three weeks ago about the index?", Some(21)),
    ("weekday", "who was in the meeting on Tuesday with Maria?", Some(1)),
    ("date", "what broke on March 14th, 2024 in the Lisbon office?", Some(6)),
    ("between", "invoices between March 3 and the 10th of March 2023", Some(380)),
];

/// What texts of one sort are made of.
const PARTS: [&str; 6] = ["7", " ", "july ", "between july and ", "1,", "é"];

fn found(text: &str) -> Option<Anchor> {
    anchor(text, NOW, Hemisphere::North, Watch::never()).expect("nobody stops it")
}

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("temporal/query");
    for (name, query, days) in QUERIES {
        assert_eq!(found(query).map(|anchor| anchor.days), days, "{query}");
        group.bench_function(name, |bencher| bencher.iter(|| found(black_box(query))));
    }
    group.finish();
    // Twice the text, twice the time: whatever it is.
    for part in PARTS {
        let mut group = criterion.benchmark_group(format!("temporal/growth/{part:?}"));
        for size in [1 << 18, 1 << 19, 1 << 20] {
            let text = part.repeat(size / part.len());
            group.throughput(Throughput::Bytes(size as u64));
            group.bench_with_input(BenchmarkId::from_parameter(size), &text, |bencher, text| {
                bencher.iter(|| found(black_box(text)));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = reading
}
criterion_main!(benches);
