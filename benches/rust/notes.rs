//! Notes on passages, beside the late interaction of the same text.
//!
//! ```text
//! cargo bench -p rankmeld-benches --bench notes
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_benches::SplitMix;
use rankmeld_core::late_interaction::{Tokens, Weights, scores};
use rankmeld_core::notes::{Passage, notes};
use rankmeld_core::text::sentences;
use rankmeld_core::{Processor, Watch};

const PASSAGES: usize = 20;
const WORDS: usize = 120;
const WORDS_A_SENTENCE: usize = 15;

/// Words of 3 to 10 letters, the first ones of a list far more often.
fn words(count: usize) -> Vec<String> {
    let mut random = SplitMix(1);
    let mut below = |bound: f64| (random.unit() * bound) as usize;
    let known: Vec<String> = (0..20_000)
        .map(|_| (0..3 + below(8.0)).map(|_| char::from(b'a' + below(26.0) as u8)).collect())
        .collect();
    (0..count).map(|_| known[(20_000_f64.powf(random.unit()) - 1.0) as usize].clone()).collect()
}

fn benchmark(criterion: &mut Criterion) {
    let drawn = words(PASSAGES * WORDS + 12);
    let (query, drawn) = drawn.split_at(12);
    let query = query.join(" ");
    let texts: Vec<String> = drawn
        .chunks(WORDS)
        .map(|words| {
            let sentences = words.chunks(WORDS_A_SENTENCE).map(|words| words.join(" ") + ".");
            sentences.collect::<Vec<_>>().join(" ")
        })
        .collect();
    let documents: Vec<Tokens<'_>> = texts.iter().map(|text| Tokens::Text(text)).collect();
    let passages: Vec<Passage<'_>> =
        texts.iter().map(|text| Passage { text, ..Passage::default() }).collect();
    let short = "b. ".repeat(333_333);
    let (best, never) = (Processor::best(), Watch::never());
    let found =
        notes(&query, &passages, best, never).expect("nobody stops it").expect("there are tokens");
    assert!(found.iter().zip(&texts).all(|(note, text)| {
        sentences(text).iter().any(|range| &text[range.clone()] == note.sentence)
    }));

    let mut group = criterion.benchmark_group("notes");
    group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("sentences alone", |bencher| {
        bencher.iter(|| texts.iter().map(|text| sentences(black_box(text)).len()).sum::<usize>());
    });
    group.bench_function("lexical MaxSim of the passages", |bencher| {
        let query = Tokens::Text(&query);
        bencher
            .iter(|| scores(&query, Weights::Specificity, black_box(&documents), best, 1, never));
    });
    group.bench_function("notes", |bencher| {
        bencher.iter(|| notes(&query, black_box(&passages), best, never))
    });
    group.throughput(Throughput::Bytes(short.len() as u64));
    group.bench_function("notes on a megabyte of sentences of one letter", |bencher| {
        let passage = Passage { text: &short, ..Passage::default() };
        bencher.iter(|| {
            notes(&query, black_box(&[passage]), best, never).map(|found| found.is_some())
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = benchmark
}
criterion_main!(benches);
