//! Words and phrases that are looked for in a text, all of them in one pass.

use crate::text::{folded, is_word};
use crate::{Error, Watch};

/// A trie of folded words and phrases, each with what it means.
///
/// A phrase matches where no word goes on before or behind it; it may have a plural `s`. One that
/// ends in a star matches as the beginning of a word.
#[derive(Debug, Clone)]
pub(super) struct Phrases<M> {
    nodes: Vec<Node<M>>,
}

#[derive(Debug, Clone)]
struct Node<M> {
    /// The bytes that go on from here, ascending, with the nodes where they lead.
    edges: Vec<(u8, usize)>,
    /// What a phrase means that ends here, if the word does too.
    whole: Option<M>,
    /// What a phrase means that ends here, however the word goes on.
    beginning: Option<M>,
}

impl<M> Node<M> {
    const fn new() -> Self {
        Self { edges: Vec::new(), whole: None, beginning: None }
    }
}

impl<M: Copy + Ord> Phrases<M> {
    const ROOT: usize = 0;

    /// No phrases.
    pub(super) fn new() -> Self {
        Self { nodes: vec![Node::new()] }
    }

    /// Looks for one more phrase; of several meanings of one phrase the greatest counts.
    ///
    /// A blank phrase is found nowhere.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub(super) fn add(&mut self, phrase: &str, meaning: M, watch: Watch<'_>) -> Result<(), Error> {
        let (phrase, starred) = match phrase.trim_end().strip_suffix('*') {
            Some(beginning) => (beginning, true),
            None => (phrase, false),
        };
        let phrase = folded(phrase, watch)?;
        if phrase.is_empty() {
            return Ok(());
        }
        let mut node = Self::ROOT;
        for byte in phrase.bytes() {
            node = self.child_or_new(node, byte);
        }
        let node = &mut self.nodes[node];
        let known = if starred { &mut node.beginning } else { &mut node.whole };
        *known = (*known).max(Some(meaning));
        Ok(())
    }

    /// The greatest meaning of the phrases in a folded text; `top` ends the search.
    ///
    /// Takes time linear in the text for a given set of phrases: no walk is longer than a phrase.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub(super) fn greatest(
        &self,
        folded: &str,
        top: M,
        watch: Watch<'_>,
    ) -> Result<Option<M>, Error> {
        let mut greatest = None;
        let mut inside = false;
        for (count, (at, character)) in folded.char_indices().enumerate() {
            watch.check_at(count)?;
            if !inside {
                greatest = greatest.max(self.greatest_at(folded, at));
                if greatest == Some(top) {
                    break;
                }
            }
            inside = is_word(character);
        }
        Ok(greatest)
    }

    /// The greatest meaning of the phrases that begin at a place.
    fn greatest_at(&self, folded: &str, at: usize) -> Option<M> {
        let mut greatest = None;
        let mut node = Self::ROOT;
        for (place, &byte) in folded.as_bytes().iter().enumerate().skip(at) {
            let Some(next) = self.child(node, byte) else { break };
            node = next;
            let Node { whole, beginning, .. } = &self.nodes[node];
            greatest = greatest.max(*beginning);
            if whole.is_some() && word_ends(&folded[place + 1..]) {
                greatest = greatest.max(*whole);
            }
        }
        greatest
    }

    fn child(&self, node: usize, byte: u8) -> Option<usize> {
        let edges = &self.nodes[node].edges;
        let place = edges.binary_search_by_key(&byte, |&(byte, _)| byte).ok()?;
        Some(edges[place].1)
    }

    fn child_or_new(&mut self, node: usize, byte: u8) -> usize {
        let new = self.nodes.len();
        let edges = &mut self.nodes[node].edges;
        match edges.binary_search_by_key(&byte, |&(byte, _)| byte) {
            Ok(place) => edges[place].1,
            Err(place) => {
                edges.insert(place, (byte, new));
                self.nodes.push(Node::new());
                new
            }
        }
    }
}

/// Whether a word ends before the rest of a text, but for a plural `s`.
fn word_ends(rest: &str) -> bool {
    let ends = |rest: &str| !rest.chars().next().is_some_and(is_word);
    ends(rest) || rest.strip_prefix('s').is_some_and(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrases: &[(&str, u8)], text: &str) -> Option<u8> {
        let mut trie = Phrases::new();
        for &(phrase, meaning) in phrases {
            trie.add(phrase, meaning, Watch::never()).expect("nobody stops it");
        }
        let text = folded(text, Watch::never()).expect("nobody stops it");
        trie.greatest(&text, u8::MAX, Watch::never()).expect("nobody stops it")
    }

    #[test]
    fn words_match_whole_or_in_the_plural() {
        for text in ["why", "WHYS", "(why)", "why-not", "a\nwhy", "why’s"] {
            assert_eq!(found(&[("Why", 1)], text), Some(1), "{text}");
        }
        for text in ["", "whyte", "_why", "why_", "whyss", "1why", "why2", "why\u{335}", "w hy"] {
            assert_eq!(found(&[("Why", 1)], text), None, "{text}");
        }
    }

    #[test]
    fn a_starred_word_matches_as_a_beginning() {
        for text in ["impact", "Impacts", "impact_x", "impacté", "no impact\u{335}"] {
            assert_eq!(found(&[("impact*", 1)], text), Some(1), "{text}");
        }
        assert_eq!(found(&[("impact*", 1)], "unimpacted"), None);
        assert_eq!(found(&[("connection betw*", 1)], "Connection\t BETWEEN"), Some(1));
    }

    #[test]
    fn phrases_need_not_be_of_letters() {
        assert_eq!(found(&[("c++", 1), ("?", 2)], "in c++, say"), Some(1));
        assert_eq!(found(&[("c++", 1)], "c++11"), None);
        assert_eq!(found(&[("c++", 1), ("?", 2)], "is it so ?"), Some(2));
    }

    #[test]
    fn the_greatest_meaning_counts() {
        let phrases = [("a", 1), ("a b", 3), ("b", 2), ("b", 1), ("a b c", 9)];
        assert_eq!(found(&phrases, "a x"), Some(1));
        assert_eq!(found(&phrases, "a c b"), Some(2));
        assert_eq!(found(&phrases, "a b x"), Some(3));
    }

    #[test]
    fn a_blank_phrase_is_found_nowhere() {
        assert_eq!(found(&[("", 1), (" ", 1), ("*", 1)], "a * b"), None);
    }

    #[test]
    fn it_stops_when_told() {
        let trie: Phrases<u8> = Phrases::new();
        let text = "a".repeat(1 << 17);
        let stop = Watch::new(&|| false);
        assert_eq!(trie.greatest(&text, 1, stop), Err(Error::Interrupted));
    }
}
