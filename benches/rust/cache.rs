//! The cache without an interpreter, a lock or a clock: what an operation costs by itself.
//!
//! ```text
//! cargo bench -p rankmeld-benches --bench cache
//! ```

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_core::cache::{Lookup, LruTtl, Place, Read, Same};

type Cache = LruTtl<u64, u64>;

/// Capacities, from what fits the processor's nearest cache to what fits none.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Operations in one sample.
const STEPS: u64 = 4_096;

/// A number far from its neighbours', the same in every run.
fn scattered(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB)
}

fn place(cache: &Cache, key: u64) -> Option<Place> {
    let same = |&other: &u64| if other == key { Same::Yes } else { Same::No };
    match cache.lookup(key, same) {
        Lookup::Here(place) => Some(place),
        Lookup::Absent | Lookup::Unsure => None,
    }
}

fn get(cache: &mut Cache, key: u64) -> Option<u64> {
    let place = place(cache, key);
    match cache.get(place, &1.0) {
        Read::Living(&value) => Some(value),
        Read::Expired(..) | Read::Absent => None,
    }
}

fn set(cache: &mut Cache, key: u64) {
    let place = place(cache, key);
    black_box(cache.set(place, key, (key, key), 0, &1.0));
}

fn full(capacity: usize) -> Cache {
    let mut cache = Cache::new(capacity, 60.0);
    for key in 0..capacity as u64 {
        set(&mut cache, key);
    }
    cache
}

fn operations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cache");
    group.throughput(Throughput::Elements(STEPS));
    for size in SIZES {
        let held = size as u64;
        let mut cache = full(size);
        assert_eq!(get(&mut cache, held - 1), Some(held - 1));
        assert_eq!(get(&mut cache, held), None);
        group.bench_function(BenchmarkId::new("hit", size), |bencher| {
            bencher.iter(|| {
                for step in 0..STEPS {
                    black_box(get(&mut cache, scattered(step) % held));
                }
            });
        });
        group.bench_function(BenchmarkId::new("miss", size), |bencher| {
            bencher.iter(|| {
                for step in 0..STEPS {
                    black_box(get(&mut cache, held + scattered(step) % held));
                }
            });
        });
        let mut next = held;
        group.bench_function(BenchmarkId::new("set, evicting", size), |bencher| {
            bencher.iter(|| {
                for _ in 0..STEPS {
                    next += 1;
                    set(&mut cache, next);
                }
            });
        });
        assert_eq!(cache.len(), size);
    }
    group.finish();
}

criterion_group!(benches, operations);
criterion_main!(benches);
