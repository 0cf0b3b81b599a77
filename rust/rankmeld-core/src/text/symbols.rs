//! Finding the names of many things in texts, as whole words, in one pass over each text.
//!
//! A name is found at its first word: each word of a text is looked up once, and where names begin
//! with it, the stretches of the lengths that these names have are looked up among all names. So the
//! number of names that share a beginning does not matter, and ten thousand cost no more than ten.

use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::classes::Class;
use crate::{Error, Watch};

/// Names, numbered in the order in which they were given.
#[derive(Debug, Default)]
pub struct Symbols {
    numbers: HashMap<String, u32, RandomState>,
    shapes: HashMap<String, Vec<Shape>, RandomState>,
}

/// Where the first word stands in a name, and how long the name is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    lead: usize,
    length: usize,
}

impl Symbols {
    /// Learns names; of equal ones the first keeps its number, and one without a word is never found.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the work is to stop.
    pub fn new(names: &[&str], watch: Watch<'_>) -> Result<Self, Error> {
        let mut made = Self::default();
        for (number, &name) in names.iter().enumerate() {
            watch.check_at(number)?;
            let Some(first) = Words::of(name).next() else { continue };
            if made.numbers.contains_key(name) {
                continue;
            }
            made.numbers.insert(name.to_owned(), number as u32);
            let shape = Shape { lead: first.start, length: name.len() };
            let shapes = made.shapes.entry_ref(&name[first]).or_default();
            // Few lengths are many names: they cannot be more than the root of the names' total.
            if let Err(place) = shapes.binary_search_by_key(&(shape.length, shape.lead), Shape::key)
            {
                shapes.insert(place, shape);
            }
        }
        Ok(made)
    }

    /// How many distinct names can be found.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether no name can be found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The names in a text, each once, in the order in which they first begin; where several begin
    /// together, the shortest first.
    ///
    /// A name counts where neither of its ends lies inside a word: `retry` is not in `retrying`, and
    /// `retry.policy` is in `(retry.policy)`. A character of a script without spaces is a word.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the work is to stop.
    pub fn find(&self, text: &str, watch: Watch<'_>) -> Result<Vec<u32>, Error> {
        let mut found = Vec::new();
        if self.is_empty() {
            return Ok(found);
        }
        for (place, word) in Words::of(text).enumerate() {
            watch.check_at(place)?;
            let Some(shapes) = self.shapes.get(&text[word.clone()]) else { continue };
            for shape in shapes {
                let Some(start) = word.start.checked_sub(shape.lead) else { continue };
                let end = start + shape.length;
                let Some(stretch) = text.get(start..end) else { continue };
                let Some(&number) = self.numbers.get(stretch) else { continue };
                if ends_a_word(text, word.start, end) && !found.contains(&number) {
                    found.push(number);
                }
            }
        }
        Ok(found)
    }
}

impl Shape {
    fn key(&self) -> (usize, usize) {
        (self.length, self.lead)
    }
}

/// Whether `end` lies outside of all words, the first of which that matters begins at `from`.
fn ends_a_word(text: &str, from: usize, end: usize) -> bool {
    let mut words = Words { text, at: from };
    loop {
        match words.next() {
            Some(word) if word.start >= end => return true,
            Some(word) if word.end >= end => return word.end == end,
            Some(_) => {}
            None => return true,
        }
    }
}

/// The words of a text: runs of letters, digits, underscores and marks; in scripts without spaces
/// each character, with its marks.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let mut start = None;
        let mut alone = false;
        for (offset, character) in self.text[self.at..].char_indices() {
            let at = self.at + offset;
            let class = class_of(character);
            match start {
                None if class == Class::Other => {}
                None => {
                    start = Some(at);
                    alone = stands_alone(class);
                }
                Some(start) => {
                    let goes_on = class.follows()
                        || (class != Class::Other && !alone && !stands_alone(class));
                    if !goes_on {
                        self.at = at;
                        return Some(start..at);
                    }
                }
            }
        }
        self.at = self.text.len();
        start.map(|start| start..self.at)
    }
}

fn class_of(character: char) -> Class {
    match character {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        '_' => Class::Underscore,
        '\0'..='\x7f' => Class::Other,
        _ => Class::of(character),
    }
}

fn stands_alone(class: Class) -> bool {
    class.stands_alone() || class == Class::IdeographicNumber
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(names: &[&str], text: &str) -> Vec<u32> {
        let symbols = Symbols::new(names, Watch::never()).expect("nobody interrupts");
        symbols.find(text, Watch::never()).expect("nobody interrupts")
    }

    #[test]
    fn whole_words_only() {
        assert_eq!(found(&["retry"], "retrying a retry_policy, unretry"), []);
        assert_eq!(found(&["retry"], "(retry)"), [0]);
        assert_eq!(found(&["retry.policy", "retry", "policy"], "the retry.policy."), [1, 0, 2]);
        assert_eq!(found(&["a.b"], "a.bc xa.b a-b"), []);
    }

    #[test]
    fn names_may_begin_and_end_with_signs() {
        assert_eq!(found(&["c++", "#define", ".env"], "c++ and #define, x.env"), [0, 1, 2]);
        assert_eq!(found(&["+++", ""], "+++"), []);
    }

    #[test]
    fn characters_without_spaces_are_words() {
        assert_eq!(found(&["缓存策略"], "使用缓存策略时"), [0]);
        assert_eq!(found(&["缓存策略"], "缓存"), []);
    }

    #[test]
    fn each_name_once_and_of_equal_ones_the_first() {
        assert_eq!(found(&["b", "a", "b"], "a b a b"), [1, 0]);
    }

    proptest! {
        /// Against the definition: every stretch whose ends lie outside of words, looked for by itself.
        #[test]
        fn as_defined(names in prop::collection::vec("[ab_.#缓\u{301}]{0,4}", 0..6), text in "[ab_.# 缓\u{301}]{0,30}") {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let words: Vec<_> = Words::of(&text).collect();
            let outside = |at: usize| words.iter().all(|word| !(word.start < at && at < word.end));
            let mut expected: Vec<u32> = Vec::new();
            for (number, &name) in names.iter().enumerate() {
                let is_new = names[..number].iter().all(|&other| other != name);
                let there = text.match_indices(name).any(|(at, _)| {
                    outside(at) && outside(at + name.len())
                }) || (1..text.len()).any(|at| {
                    text.get(at..at + name.len()) == Some(name) && outside(at) && outside(at + name.len())
                });
                if is_new && there && Words::of(name).next().is_some() {
                    expected.push(number as u32);
                }
            }
            let mut got = found(&names, &text);
            got.sort_unstable();
            prop_assert_eq!(got, expected);
        }
    }
}
