//! Lexical late interaction from raw text, without an interpreter.
//!
//! ```text
//! cargo bench -p rankmeld-benches --bench late_interaction
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_core::late_interaction::{Tokens, Weights, scores};
use rankmeld_core::text::TokenBuffer;
use rankmeld_core::{Processor, Watch};

const WORDS: usize = 20_000;
const DOCUMENTS: usize = 100;
const TOKENS: usize = 120;

/// A linear congruential generator with Knuth's constants: every run has the same words.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize * bound) >> 31
    }

    /// Pronounceable words of 3 to 11 letters.
    fn word(&mut self) -> String {
        let (consonants, vowels) = (b"bcdfghjklmnprstvwz", b"aeiou");
        (0..3 + self.below(9))
            .map(|place| {
                let letters: &[u8] = if place % 2 == 0 { consonants } else { vowels };
                char::from(letters[self.below(letters.len())])
            })
            .collect()
    }

    /// A place in a list of words, the first ones far more often (Zipf's law, roughly).
    fn place(&mut self) -> usize {
        let depth = self.below(1 << 20) as f64 / f64::from(1 << 20);
        ((WORDS as f64).powf(depth) as usize).min(WORDS) - 1
    }
}

fn benchmark(criterion: &mut Criterion) {
    let mut random = Random(1);
    let words: Vec<String> = (0..WORDS).map(|_| random.word()).collect();
    let mut text = |length: usize| -> String {
        let words: Vec<&str> = (0..length).map(|_| words[random.place()].as_str()).collect();
        words.join(" ")
    };
    let (query, texts) = (text(12), (0..DOCUMENTS).map(|_| text(TOKENS)).collect::<Vec<_>>());
    let documents: Vec<Tokens<'_>> = texts.iter().map(|text| Tokens::Text(text)).collect();
    let mut buffer = TokenBuffer::new();
    let lists: Vec<Vec<String>> = texts
        .iter()
        .map(|text| {
            buffer.tokenize(text);
            buffer.iter().map(str::to_owned).collect()
        })
        .collect();
    let ready: Vec<Tokens<'_>> =
        lists.iter().map(|list| Tokens::Given(list.iter().map(String::as_str).collect())).collect();

    let mut group = criterion.benchmark_group("lexical_maxsim");
    group.throughput(Throughput::Elements((DOCUMENTS * TOKENS) as u64));
    group.bench_function("tokenizing alone", |bencher| {
        bencher.iter(|| {
            for text in &texts {
                buffer.tokenize(black_box(text));
                black_box(buffer.len());
            }
        });
    });
    let query = Tokens::Text(&query);
    group.bench_function("from text", |bencher| {
        bencher.iter(|| {
            scores(
                &query,
                Weights::Specificity,
                black_box(&documents),
                Processor::best(),
                1,
                Watch::never(),
            )
        });
    });
    group.bench_function("from tokens", |bencher| {
        bencher.iter(|| {
            scores(
                &query,
                Weights::Specificity,
                black_box(&ready),
                Processor::best(),
                1,
                Watch::never(),
            )
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200));
    targets = benchmark
}
criterion_main!(benches);
