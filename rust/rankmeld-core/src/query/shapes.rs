//! Queries that name one thing: an identifier, a declaration, a number of a ticket.

use crate::text::{composed, is_digit, is_letter, is_spaceless};

/// A query of one piece is direct below this many characters, whatever it is made of.
const SHORT: usize = 40;

/// How many words may follow the identifier of a declaration.
const MORE_WORDS: usize = 2;

/// Whether a query names one thing; `declares` says which words begin a declaration.
///
/// Only its first words are looked at, and only if there are few of them.
pub(super) fn names_one_thing(query: &str, declares: impl Fn(&str) -> bool) -> bool {
    let mut words = query.split_whitespace();
    // A blank query asks for nothing that would be hard to find.
    let Some(first) = words.next() else { return true };
    match words.next() {
        None => is_one_name(&composed(first)),
        Some(second) => {
            words.nth(MORE_WORDS).is_none()
                && declares(first)
                && is_identifier(without_call(&composed(second)))
        }
    }
}

fn is_one_name(word: &str) -> bool {
    let name = without_call(word);
    is_short(word) || is_dotted(name) || is_numbered(word) || is_name_alone(name)
}

fn is_short(word: &str) -> bool {
    word.chars().nth(SHORT - 1).is_none() && !word.chars().any(is_spaceless)
}

/// `package.module.name`
fn is_dotted(name: &str) -> bool {
    name.contains('.') && name.split('.').all(is_identifier)
}

/// `#123`
fn is_numbered(word: &str) -> bool {
    word.strip_prefix('#').is_some_and(|digits| !digits.is_empty() && digits.chars().all(is_digit))
}

/// One identifier that is no longer than people make them.
///
/// The shorter ones are short words as well, so only 40 characters are of interest here.
fn is_name_alone(name: &str) -> bool {
    name.chars().nth(SHORT).is_none() && is_identifier(name)
}

fn is_identifier(name: &str) -> bool {
    let letter = |character: char| character == '_' || is_letter(character);
    let part = |character: char| letter(character) || is_digit(character);
    name.starts_with(letter)
        && name.chars().all(|character| part(character) && !is_spaceless(character))
}

fn without_call(word: &str) -> &str {
    word.strip_suffix("()").unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_thing(query: &str) -> bool {
        names_one_thing(query, |word| matches!(word, "func" | "type"))
    }

    #[test]
    fn names_of_code_are_direct_however_long() {
        let long = "n".repeat(40);
        for query in [
            long.clone(),
            format!("{long}()"),
            format!("{long}.{long}.x"),
            format!("a.{long}()"),
            format!("#{}", "1".repeat(99)),
            "e\u{301}".repeat(40),
        ] {
            assert!(one_thing(&query), "{query}");
        }
        for query in [
            format!("{long}n"),
            format!("{long}-"),
            format!("{long}..x"),
            format!("{long}.9x"),
            format!("{long}()()"),
            format!("#{long}"),
            "न\u{93f}".repeat(20),
        ] {
            assert!(!one_thing(&query), "{query}");
        }
    }

    #[test]
    fn what_is_short_is_direct_unless_its_script_has_no_spaces() {
        for query in ["", " ", "?", "a/b(c)", "नमस्ते", "#", "a..b"] {
            assert!(one_thing(query), "{query}");
        }
        assert!(one_thing(&"-".repeat(39)));
        assert!(!one_thing(&"-".repeat(40)));
        for query in ["検索", "a検", "東京.大阪", "_検索()", "#๑๒", "ไทย"] {
            assert!(!one_thing(query) || query.starts_with('#'), "{query}");
        }
    }

    #[test]
    fn a_declaration_is_an_identifier_with_little_behind_it() {
        for query in ["func f", " func\tf a b ", "type é of it", "func main() now"] {
            assert!(one_thing(query), "{query}");
        }
        for query in ["func a b c d", "my func f", "func a-b", "type 検索", "funcs f", "func ()"]
        {
            assert!(!one_thing(query), "{query}");
        }
    }
}
