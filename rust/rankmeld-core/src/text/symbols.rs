//! Finding the names of many things in texts, as whole words, in one pass over each text.
//!
//! A name is found at its first word: each word of a text is looked up once, and where names begin
//! with it, the stretches of the lengths that these names have are looked up among all names. So the
//! number of names that share a beginning does not matter, only how many lengths those have: where
//! hundreds of lengths begin with the same word, each time that it comes costs as many look-ups.

use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::classes::Class;
use crate::watch::CHUNK;
use crate::{Error, Watch};

/// Names, numbered in the order in which they were given.
#[derive(Debug, Default)]
pub struct Symbols {
    /// The number of each name, and where its first word stands in it.
    numbers: HashMap<String, (u32, usize), RandomState>,
    begun: HashMap<String, Begun, RandomState>,
}

/// The names whose first word is a certain one.
#[derive(Debug, Default)]
struct Begun {
    /// The number of the name that is this word alone.
    alone: Option<u32>,
    others: Vec<Shape>,
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
            made.numbers.insert(name.to_owned(), (number as u32, first.start));
            let shape = Shape { lead: first.start, length: name.len() };
            let begun = made.begun.entry_ref(&name[first.clone()]).or_default();
            if first.len() == name.len() {
                begun.alone = Some(number as u32);
            } else if let Err(place) = begun.others.binary_search_by_key(&shape.key(), Shape::key) {
                // Distinct lengths are few: no more than the root of all names' length together.
                begun.others.insert(place, shape);
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

    /// The names in a text, each once, in the order in which their first words come; of one word,
    /// the shortest name first.
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
        let mut looked_up = 0;
        for word in Words::of(text) {
            looked_up += 1;
            if looked_up > CHUNK {
                watch.check()?;
                looked_up = 0;
            }
            let Some(begun) = self.begun.get(&text[word.clone()]) else { continue };
            looked_up += begun.others.len();
            let longer = begun.others.iter().filter_map(|shape| self.at(text, word.start, *shape));
            for number in begun.alone.into_iter().chain(longer) {
                if !found.contains(&number) {
                    found.push(number);
                }
            }
        }
        Ok(found)
    }

    /// The name of a shape that stands around the word at `start`, if there is one.
    fn at(&self, text: &str, start: usize, shape: Shape) -> Option<u32> {
        let begin = start.checked_sub(shape.lead)?;
        let end = begin + shape.length;
        let &(number, lead) = self.numbers.get(text.get(begin..end)?)?;
        // A stretch of this shape may be another name, whose first word goes on to the left of it here.
        (lead == shape.lead && ends_a_word(text, start, end)).then_some(number)
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
        // ASCII goes by bytes; what begins or goes on with another character is looked at below.
        let bytes = self.text.as_bytes();
        let run = |from: usize, inside: fn(u8) -> bool| {
            bytes[from..].iter().position(|&byte| !inside(byte)).map_or(bytes.len(), |n| from + n)
        };
        self.at = run(self.at, |byte| byte.is_ascii() && !is_ascii_word(byte));
        let end = run(self.at, is_ascii_word);
        if bytes.get(end).is_none_or(u8::is_ascii) {
            let word = self.at..end;
            self.at = end;
            return (!word.is_empty()).then_some(word);
        }
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

fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
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
        assert_eq!(found(&["_缓", "#缓"], "a_缓 _缓"), [0]);
        assert_eq!(found(&["_缓", "#缓"], "a_缓"), []);
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
    fn many_lengths_with_one_beginning_stop_as_soon_as_told() {
        let names: Vec<String> = (1..300).map(|count| "a ".repeat(count) + "b").collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let symbols = Symbols::new(&names, Watch::never()).expect("nobody interrupts");
        let asked = std::sync::atomic::AtomicU32::new(0);
        let ask = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 3;
        let text = "a ".repeat(20_000);
        assert_eq!(symbols.find(&text, Watch::new(&ask)), Err(Error::Interrupted));
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
