//! Tokenizers, numbers for tokens, stems, without an interpreter.
//!
//! ```text
//! cargo bench -p rankmeld-benches --bench text
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_core::Watch;
use rankmeld_core::text::{Stemmer, TokenBuffer, Vocabulary, sentences};

const DOCUMENTS: usize = 100;
const WORDS: usize = 120;

/// The letters of words, by the writing they stand for.
const WRITINGS: [(&str, &str, &str); 4] = [
    ("ascii", "etaoinshrdlucmfwypvbgkjqxz", " "),
    ("accents", "etaoinshrdlucmfwypvbgéàüñç", " "),
    ("cyrillic", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфё", " "),
    ("han", "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可", "，"),
];

/// Documents of words of a Zipf-like vocabulary, the same in every run.
fn documents(letters: &str, separator: &str) -> Vec<String> {
    let letters: Vec<char> = letters.chars().collect();
    // Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    let mut state = 7_u64;
    let mut below = |count: usize| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) as usize >> 1) % count
    };
    let vocabulary: Vec<String> = (0..20_000)
        .map(|_| (0..3 + below(8)).map(|_| letters[below(letters.len())]).collect())
        .collect();
    let mut word = || {
        let most = below(vocabulary.len()) + 1;
        let most = below(most) + 1;
        vocabulary[below(most)].as_str()
    };
    (0..DOCUMENTS).map(|_| (0..WORDS).map(|_| word()).collect::<Vec<_>>().join(separator)).collect()
}

fn reading(criterion: &mut Criterion) {
    for (writing, letters, separator) in WRITINGS {
        let documents = documents(letters, separator);
        let bytes: usize = documents.iter().map(String::len).sum();
        let mut group = criterion.benchmark_group(format!("text/{writing}"));
        group.throughput(Throughput::Bytes(bytes as u64));
        let mut buffer = TokenBuffer::new();
        group.bench_function("tokenize", |bencher| {
            bencher.iter(|| {
                documents
                    .iter()
                    .map(|text| {
                        buffer.tokenize(black_box(text));
                        buffer.len()
                    })
                    .sum::<usize>()
            });
        });
        group.bench_function("tokenize_and_intern", |bencher| {
            bencher.iter(|| {
                let mut vocabulary = Vocabulary::new();
                let mut numbers = Vec::new();
                for text in &documents {
                    buffer.tokenize(black_box(text));
                    let done = vocabulary.intern_all(&buffer, &mut numbers, Watch::never());
                    done.expect("nobody stops it");
                }
                assert!(numbers.len() >= DOCUMENTS * WORDS * 9 / 10);
                vocabulary.len()
            });
        });
        for name in [None, Some("light"), Some("english")] {
            let stemmer = Stemmer::named(name).expect("a known name");
            let label = format!("bm25_{}", name.unwrap_or("words"));
            group.bench_function(label, |bencher| {
                bencher.iter(|| {
                    documents
                        .iter()
                        .map(|text| {
                            buffer.bm25_tokenize(black_box(text), &stemmer);
                            buffer.len()
                        })
                        .sum::<usize>()
                });
            });
        }
        group.bench_function("sentences", |bencher| {
            bencher.iter(|| {
                documents.iter().map(|text| sentences(black_box(text)).len()).sum::<usize>()
            });
        });
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
