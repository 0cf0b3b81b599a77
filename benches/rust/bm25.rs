//! BM25: building an index, searching it, scoring a few texts. Words by a law like Zipf's.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use rankmeld_core::Watch;
use rankmeld_core::bm25::{Builder, Parameters, Scoring, Snapshot, Wanted, scores};
use rankmeld_core::text::{Stemmer, TokenBuffer};

const PARAMETERS: Parameters = Parameters { k1: 1.5, b: 0.75 };
const DOCUMENTS: usize = 20_000;
const WORDS: usize = 120;
const VOCABULARY: usize = 30_000;

/// Draws from a generator that is the same everywhere.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: usize, high: usize) -> usize {
        low + ((high - low) as f64 * self.next()) as usize
    }
}

struct Words {
    draws: Draws,
    steps: Vec<f64>,
}

impl Words {
    fn new() -> Self {
        let mut sum = 0.0;
        let weight = |rank: usize| (rank as f64).powf(-1.05);
        let mut steps: Vec<f64> = (1..=VOCABULARY)
            .map(|rank| {
                sum += weight(rank);
                sum
            })
            .collect();
        steps.iter_mut().for_each(|step| *step /= sum);
        Self { draws: Draws(1), steps }
    }

    /// A word of the rank, of 3 to 9 letters.
    fn word(rank: usize) -> String {
        let mut draws = Draws(rank as u64);
        let length = draws.between(1, 4);
        let letters = (0..length).map(|_| draws.between(0, 26) as u8);
        let head: String = letters.map(|n| char::from(b'a' + n)).collect();
        let code = (0..4).map(|place| rank / 26_usize.pow(place) % 26);
        head + &code.map(|n| char::from(b'a' + n as u8)).collect::<String>()
    }

    fn text(&mut self) -> String {
        let draw = |_| {
            let at = self.draws.next();
            Self::word(self.steps.partition_point(|&step| step < at))
        };
        (0..WORDS).map(draw).collect::<Vec<_>>().join(" ")
    }

    fn query(&mut self) -> String {
        let ranks = [(20, 300), (20, 300), (300, 8_000), (300, 8_000)];
        ranks.map(|(low, high)| Self::word(self.draws.between(low, high))).join(" ")
    }
}

fn bm25(criterion: &mut Criterion) {
    let mut words = Words::new();
    let corpus: Vec<String> = (0..DOCUMENTS).map(|_| words.text()).collect();
    let texts: Vec<&str> = corpus.iter().map(String::as_str).collect();
    let queries: Vec<String> = (0..100).map(|_| words.query()).collect();
    let build = || {
        let mut builder = Builder::new();
        builder.push_texts(&texts, &Stemmer::Light, Watch::never()).expect("nobody stops it");
        builder.finish(Watch::never()).expect("nobody stops it")
    };
    let order = (0..DOCUMENTS as u64).collect();
    let empty = Snapshot::empty(PARAMETERS);
    let (index, _) = empty.with(Arc::new(build()), order, Watch::never()).expect("nobody stops it");
    let search = |limit| {
        let wanted = Wanted { limit, ties: false, allowed: None };
        for query in &queries {
            let mut buffer = TokenBuffer::new();
            buffer.bm25_tokenize(query, &Stemmer::Light);
            let query = index.query(buffer.iter());
            black_box(index.search(&query, wanted, Watch::never()).expect("nobody stops it"));
        }
    };
    criterion.bench_function("bm25: 100 queries of 4 words, top 10", |b| b.iter(|| search(10)));
    criterion
        .bench_function("bm25: 100 queries of 4 words, all", |b| b.iter(|| search(usize::MAX)));
    let scoring = Scoring { parameters: PARAMETERS, given: None, normalized: false };
    let mut buffer = TokenBuffer::new();
    buffer.bm25_tokenize(&queries[0], &Stemmer::Light);
    let query: Vec<&str> = buffer.iter().collect();
    criterion.bench_function("bm25: scores of 100 texts of 120 words", |b| {
        b.iter(|| scores(&query, &texts[..100], &Stemmer::Light, scoring, Watch::never()));
    });
    let mut group = criterion.benchmark_group("bm25: 20,000 texts of 120 words");
    group.sample_size(10);
    group.bench_function("build", |b| b.iter_batched(|| (), |()| build(), BatchSize::PerIteration));
    group.finish();
}

criterion_group!(benches, bm25);
criterion_main!(benches);
