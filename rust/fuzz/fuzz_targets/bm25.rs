//! Scores from text equal the formula over tokens that are counted one by one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rankmeld_core::Watch;
use rankmeld_core::bm25::{Parameters, Scoring, scores};
use rankmeld_core::text::{Stemmer, TokenBuffer};

fuzz_target!(|texts: (&str, Vec<&str>)| {
    let (query, texts) = texts;
    let stemmer = Stemmer::named(Some("light")).expect("it is there");
    let mut buffer = TokenBuffer::new();
    let mut read = |text: &str| {
        buffer.bm25_tokenize(text, &stemmer);
        buffer.iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let asked = read(query);
    let documents: Vec<Vec<String>> = texts.iter().map(|text| read(text)).collect();
    let parameters = Parameters { k1: 1.5, b: 0.75 };
    let scoring = Scoring { parameters, given: None, normalized: false };
    let terms: Vec<&str> = asked.iter().map(String::as_str).collect();
    let found = scores(&terms, &texts, &stemmer, scoring, Watch::never()).expect("nobody stops it");

    let count = documents.len() as f64;
    let length: usize = documents.iter().map(Vec::len).sum();
    let average = if documents.is_empty() { 1.0 } else { (length as f64 / count).max(1.0) };
    let mut distinct = terms.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(found.len(), documents.len());
    for (document, &score) in documents.iter().zip(&found) {
        let mut expected = 0.0;
        for &term in &distinct {
            let holding = documents.iter().filter(|other| other.iter().any(|t| t == term)).count();
            let times = document.iter().filter(|token| *token == term).count() as f64;
            let idf = (1.0 + (count - holding as f64 + 0.5) / (holding as f64 + 0.5)).ln();
            let norm = 1.5 * (0.25 + 0.75 * document.len() as f64 / average);
            expected += idf * times * 2.5 / (times + norm);
        }
        assert!((score - expected).abs() <= 1e-9 * expected.max(1.0), "{score} is not {expected}");
    }
});
