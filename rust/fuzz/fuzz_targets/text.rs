//! Tokens are what reading one of them again gives, their numbers give them back, and sentences
//! hold all that is not blank, in order.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rankmeld_core::Watch;
use rankmeld_core::text::{TokenBuffer, Vocabulary, composed, sentences};

fuzz_target!(|text: &str| {
    let mut tokens = TokenBuffer::new();
    tokens.tokenize(text);
    let read: Vec<String> = tokens.iter().map(str::to_owned).collect();
    let (mut vocabulary, mut numbers) = (Vocabulary::new(), Vec::new());
    vocabulary.intern_all(&tokens, &mut numbers, Watch::never()).expect("nobody stops it");
    assert_eq!(numbers.len(), read.len());
    for (token, &number) in read.iter().zip(&numbers) {
        assert!(!token.is_empty());
        assert_eq!(vocabulary.token(number), token);
        assert_eq!(vocabulary.find(token), Some(number));
    }
    let canonical = composed(text).into_owned();
    tokens.tokenize(&canonical);
    assert!(tokens.iter().eq(read.iter().map(String::as_str)), "composing changed the tokens");

    let mut end = 0;
    for sentence in sentences(text) {
        assert!(end <= sentence.start && sentence.start < sentence.end);
        assert!(text[end..sentence.start].chars().all(char::is_whitespace));
        assert_eq!(text[sentence.clone()].trim(), &text[sentence.clone()]);
        end = sentence.end;
    }
    assert!(text[end..].chars().all(char::is_whitespace));
});
