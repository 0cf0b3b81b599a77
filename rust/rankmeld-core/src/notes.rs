//! Chain of note: of each passage the sentence that answers a query best.
//!
//! The sentences of all passages are scored in one go, as documents of late interaction: their
//! tokens are numbered together, so a word that many of them share is compared once.

use crate::late_interaction::{Tokens, Weights, scores};
use crate::text::{TokenBuffer, sentences_watched};
use crate::{Error, Processor, Watch};

/// The parts of a passage.
#[derive(Debug, Clone, Copy, Default)]
pub struct Passage<'a> {
    /// A sentence of its own, whatever stands in it.
    pub title: &'a str,
    /// As the title.
    pub topic: &'a str,
    /// Cut into sentences.
    pub text: &'a str,
}

/// What a passage says about a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Note<'a> {
    /// The sentence that answers best, the first of equal ones; empty where there is none.
    pub sentence: &'a str,
    /// Its score, within 0..1.
    pub relevance: f64,
}

/// A note for each passage; `None` for a query without tokens, of which nothing can be noted.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn notes<'a>(
    query: &str,
    passages: &[Passage<'a>],
    processor: Processor,
    watch: Watch<'_>,
) -> Result<Option<Vec<Note<'a>>>, Error> {
    let mut tokens = TokenBuffer::new();
    tokens.tokenize_watched(query, watch)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let mut sentences = Vec::new();
    let mut ends = Vec::with_capacity(passages.len());
    for passage in passages {
        passage.append_sentences(&mut sentences, watch)?;
        ends.push(sentences.len());
    }
    let query = Tokens::Text(query);
    let documents: Vec<Tokens<'_>> = sentences.iter().copied().map(Tokens::Text).collect();
    let scores = scores(&query, Weights::Specificity, &documents, processor, 1, watch)?;
    let mut start = 0;
    let notes = ends.into_iter().map(|end| {
        let places = start..end;
        start = end;
        best(&sentences[places.clone()], &scores[places])
    });
    Ok(Some(notes.collect()))
}

impl<'a> Passage<'a> {
    fn append_sentences(
        &self,
        sentences: &mut Vec<&'a str>,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let own = [self.title, self.topic].map(str::trim);
        sentences.extend(own.into_iter().filter(|part| !part.is_empty()));
        let found = sentences_watched(self.text, watch)?;
        sentences.extend(found.into_iter().map(|range| &self.text[range]));
        Ok(())
    }
}

/// The first of the best.
fn best<'a>(sentences: &[&'a str], scores: &[f64]) -> Note<'a> {
    let mut notes =
        sentences.iter().zip(scores).map(|(&sentence, &relevance)| Note { sentence, relevance });
    let first = notes.next().unwrap_or(Note { sentence: "", relevance: 0.0 });
    notes.fold(first, |best, note| if note.relevance > best.relevance { note } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn notes_of<'a>(query: &str, passages: &[Passage<'a>]) -> Option<Vec<Note<'a>>> {
        notes(query, passages, Processor::best(), Watch::never()).expect("nobody stops it")
    }

    fn of_text(text: &str) -> Passage<'_> {
        Passage { text, ..Passage::default() }
    }

    fn score(query: &str, sentence: &str) -> f64 {
        let (query, sentence) = (Tokens::Text(query), [Tokens::Text(sentence)]);
        let (best, never) = (Processor::best(), Watch::never());
        scores(&query, Weights::Specificity, &sentence, best, 1, never).expect("goes on")[0]
    }

    #[test]
    fn title_and_topic_are_not_cut() {
        let passage = Passage { title: " Old. River. ", topic: "river", text: "A river. The end." };
        let found = notes_of("old river", &[passage]).expect("there are tokens");
        assert_eq!(found, [Note { sentence: "Old. River.", relevance: 1.0 }]);
    }

    #[test]
    fn a_query_without_tokens_has_no_notes_and_an_empty_passage_an_empty_one() {
        for query in ["", " ", "a", "?!"] {
            assert_eq!(notes_of(query, &[of_text("river")]), None);
        }
        assert_eq!(notes_of("river", &[]), Some(vec![]));
        let empty = Note { sentence: "", relevance: 0.0 };
        assert_eq!(notes_of("river", &[of_text(" \n "), of_text("")]), Some(vec![empty, empty]));
    }

    #[test]
    fn long_work_is_stopped() {
        let stop = Watch::new(&|| false);
        let long = "b. ".repeat(200_000);
        let found = notes("river", &[of_text(&long)], Processor::best(), stop);
        assert_eq!(found, Err(Error::Interrupted));
        let many = vec![of_text("b."); 600_000];
        let found = notes("river", &many, Processor::best(), stop);
        assert_eq!(found, Err(Error::Interrupted));
    }

    proptest! {
        #[test]
        fn a_note_is_the_first_best_sentence(
            query in "[abc]{2,4}( [abc]{2,4})?",
            texts in proptest::collection::vec("([abc]{1,4}[ .;]{1,2}){0,8}", 0..5),
        ) {
            let passages: Vec<Passage<'_>> = texts.iter().map(|text| of_text(text)).collect();
            let found = notes_of(&query, &passages).expect("there are tokens");
            prop_assert_eq!(found.len(), texts.len());
            for (note, text) in found.iter().zip(&texts) {
                let ranges = crate::text::sentences(text);
                let best = ranges.iter().map(|r| score(&query, &text[r.clone()])).fold(0.0, f64::max);
                let first = ranges.iter().map(|r| &text[r.clone()]).find(|s| score(&query, s) == best);
                prop_assert_eq!(note.relevance, best);
                prop_assert_eq!(note.sentence, first.unwrap_or_default());
            }
        }
    }
}
