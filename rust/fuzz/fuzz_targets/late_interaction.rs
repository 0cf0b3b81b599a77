//! Scores are within 0..=1, 1 of a text with itself, and the same whatever stands beside them and
//! whatever the processor has.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rankmeld_core::late_interaction::{Tokens, Weights, scores};
use rankmeld_core::text::TokenBuffer;
use rankmeld_core::{Processor, Watch};

fuzz_target!(|texts: (&str, Vec<&str>)| {
    let (query, documents) = texts;
    let ask = |documents: &[&str], processor| {
        let documents: Vec<Tokens<'_>> = documents.iter().map(|text| Tokens::Text(text)).collect();
        let query = Tokens::Text(query);
        scores(&query, Weights::Specificity, &documents, processor, 2, Watch::never())
            .expect("nobody stops it")
    };
    let all = ask(&documents, Processor::best());
    assert!(all.iter().all(|score| (0.0..=1.0).contains(score)));
    for &processor in Processor::available() {
        assert_eq!(ask(&documents, processor), all);
    }
    for (document, &score) in documents.iter().zip(&all) {
        assert_eq!(ask(&[document], Processor::best()), [score]);
    }
    let mut tokens = TokenBuffer::new();
    tokens.tokenize(query);
    let itself = if tokens.is_empty() { 0.0 } else { 1.0 };
    assert_eq!(ask(&[query], Processor::best()), [itself]);
});
