//! A query without its punctuation, and where its words are.

use crate::text::{composed, is_word};
use crate::{Error, Watch};

/// A query without punctuation: composed (NFC), with single spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    text: String,
    /// Where the text begins, where each word begins and ends, and where the text ends.
    edges: Vec<usize>,
}

impl Cleaned {
    /// The text in pieces: what stands before a word, the word, and so on, and what is left.
    ///
    /// A word is a run of letters, digits, marks and underscores. There are always an odd number
    /// of pieces, and those between words may be empty.
    #[must_use]
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = &str> {
        self.edges.windows(2).map(|edges| &self.text[edges[0]..edges[1]])
    }
}

/// Takes the punctuation of sentences out of a query.
///
/// `¿ ? ¡ ! ;` become spaces, and `. , :` too unless they stand between two characters of words;
/// `://` stays. Runs of white space become one space.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn cleaned(query: &str, watch: Watch<'_>) -> Result<Cleaned, Error> {
    let (mut text, mut edges) = (String::new(), vec![0]);
    let mut in_word = false;
    let mut before = ' ';
    let mut gap = false;
    let query = composed(query);
    for (count, (at, character)) in query.char_indices().enumerate() {
        watch.check_at(count)?;
        let parts = character.is_whitespace() || is_punctuation(before, &query[at..]);
        before = character;
        let inside = !parts && is_word(character);
        if in_word && !inside {
            edges.push(text.len());
        }
        if parts {
            gap = true;
        } else {
            if gap && !text.is_empty() {
                text.push(' ');
            }
            gap = false;
            if inside && !in_word {
                edges.push(text.len());
            }
            text.push(character);
        }
        in_word = inside;
    }
    if in_word {
        edges.push(text.len());
    }
    edges.push(text.len());
    Ok(Cleaned { text, edges })
}

/// Whether the first character of the rest of a query, after `before`, is punctuation.
fn is_punctuation(before: char, rest: &str) -> bool {
    let mut characters = rest.chars();
    match characters.next() {
        Some('¿' | '?' | '¡' | '!' | ';') => true,
        Some('.' | ',' | ':') => {
            let within = is_word(before) && characters.next().is_some_and(is_word);
            !within && !rest.starts_with("://")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(query: &str) -> Cleaned {
        cleaned(query, Watch::never()).expect("nobody stops it")
    }

    #[test]
    fn punctuation_goes_and_what_belongs_to_words_stays() {
        for (query, wanted) in [
            ("¿Qué   pasó?", "Qué pasó"),
            ("a, b,c ,d", "a b,c d"),
            ("http://x.org:80/a.b", "http://x.org:80/a.b"),
            ("a ://b :/ c", "a ://b / c"),
            ("a:.b", "a b"),
            ("v3.5.", "v3.5"),
            (".,:;?!", ""),
            ("(a.)b", "(a )b"),
        ] {
            assert_eq!(of(query).text, wanted, "{query}");
        }
    }

    #[test]
    fn pieces_are_between_and_word_in_turn() {
        let cleaned = of("(ase) ¿erro.log? -");
        let pieces: Vec<&str> = cleaned.pieces().collect();
        assert_eq!(pieces, ["(", "ase", ") ", "erro", ".", "log", " -"]);
        assert_eq!(of("").pieces().collect::<Vec<_>>(), [""]);
        assert_eq!(of("a").pieces().collect::<Vec<_>>(), ["", "a", ""]);
    }

    proptest! {
        #[test]
        fn pieces_make_the_text_and_cleaning_twice_is_cleaning_once(query in "[ab.,:;?!/ é_-]{0,20}") {
            let once = of(&query);
            let pieces: Vec<&str> = once.pieces().collect();
            prop_assert_eq!(pieces.concat(), once.text.as_str());
            for (place, piece) in pieces.iter().enumerate() {
                prop_assert!(piece.chars().all(|character| is_word(character) == (place % 2 == 1)));
            }
            let twice = of(&once.text);
            prop_assert_eq!(twice, once);
        }
    }

    #[test]
    fn it_stops_when_told() {
        let stop = Watch::new(&|| false);
        assert_eq!(cleaned(&"a".repeat(1 << 17), stop), Err(Error::Interrupted));
    }
}
