//! Near-duplicates without an interpreter: shingles, signatures, and clusters of a collection.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_core::dedup::minhash::Permutations;
use rankmeld_core::dedup::shingle::Shingler;
use rankmeld_core::dedup::{Settings, Shingling, Sketcher, clusters};
use rankmeld_core::{Processor, Watch};

/// Texts of 80 words, each of which a fifth is drawn from few words and the rest from many; every
/// fifth text is another with three words replaced.
fn texts(count: usize) -> Vec<String> {
    let mut state = 7_u64;
    let mut draw = move |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut made: Vec<Vec<u64>> = Vec::with_capacity(count);
    for place in 0..count {
        let mut words: Vec<u64> = if place % 5 == 4 {
            made[draw(place as u64) as usize].clone()
        } else {
            (0..80).map(|n| if n % 5 == 0 { draw(50) } else { draw(30_000) }).collect()
        };
        if place % 5 == 4 {
            for _ in 0..3 {
                let at = draw(80) as usize;
                words[at] = draw(30_000);
            }
        }
        made.push(words);
    }
    let text = |words: &Vec<u64>| {
        words.iter().map(|word| format!("word{word}")).collect::<Vec<_>>().join(" ")
    };
    made.iter().map(text).collect()
}

fn sketcher() -> Sketcher {
    let shingling = Shingling::Words;
    let settings = Settings { threshold: 0.85, values: 128, shingling, verify: true };
    Sketcher::with_bands(settings, Processor::best()).expect("high enough")
}

fn near_duplicates(criterion: &mut Criterion) {
    let texts = texts(10_000);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut group = criterion.benchmark_group("near-duplicates");
    group.measurement_time(Duration::from_secs(4)).sample_size(20);

    group.throughput(Throughput::Elements(1));
    let mut shingler = Shingler::new(Shingling::Words);
    group.bench_function("shingles of a text", |bencher| {
        bencher.iter(|| shingler.of_text(black_box(texts[0]), Watch::never()));
    });
    let set = shingler.of_text(texts[0], Watch::never()).expect("not stopped");
    let permutations = Permutations::new(128);
    let mut signature = Vec::new();
    for &processor in Processor::available() {
        let name = BenchmarkId::new("signature", format!("{processor:?}"));
        group.bench_function(name, |bencher| {
            bencher.iter(|| permutations.sign(black_box(set.hashes()), processor, &mut signature));
        });
    }

    group.throughput(Throughput::Elements(texts.len() as u64));
    let sketcher = sketcher();
    group.bench_function("sketches", |bencher| {
        bencher.iter(|| sketcher.of_texts(&texts, 1, Watch::never()));
    });
    let sketches = sketcher.of_texts(&texts, 1, Watch::never()).expect("not stopped");
    for threads in [1, 2] {
        group.bench_function(BenchmarkId::new("clusters", threads), |bencher| {
            bencher.iter(|| clusters(&sketches, sketcher.bands(), 0.85, threads, Watch::never()));
        });
    }
    group.finish();
}

criterion_group!(benches, near_duplicates);
criterion_main!(benches);
