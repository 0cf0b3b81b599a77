//! How much a question asks for: from a look-up to the whole of a system.

use super::phrases::Phrases;
use super::shapes::names_one_thing;
use crate::text::folded;
use crate::{Error, Watch};

/// How much work a query deserves, cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Names one thing.
    DirectFactual,
    /// Asks for what is about something.
    SemanticHybrid,
    /// Asks how things hang together.
    MultiHopGraph,
    /// Asks for the whole.
    ArchitecturalGlobal,
}

/// What a listed word says; the greater one wins where both are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Architecture,
    Relations,
}

/// The words by which queries are told apart, made ready for many of them.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    phrases: Phrases<Subject>,
    /// Folded words, ascending.
    declarations: Vec<String>,
}

impl Vocabulary {
    /// Takes words and phrases as people write them.
    ///
    /// Those of `multi_hop` and `architecture` match in any case, whole or with a plural `s`; one
    /// that ends in a star as the beginning of a word. `declarations` are the words before an
    /// identifier, matched in any case.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn new(
        multi_hop: &[&str],
        architecture: &[&str],
        declarations: &[&str],
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let mut phrases = Phrases::new();
        for (list, subject) in
            [(multi_hop, Subject::Relations), (architecture, Subject::Architecture)]
        {
            for (count, phrase) in list.iter().enumerate() {
                watch.check_at(count)?;
                phrases.add(phrase, subject, watch)?;
            }
        }
        let declarations = declarations.iter().map(|word| folded(word, watch));
        let mut declarations = declarations.collect::<Result<Vec<_>, _>>()?;
        declarations.sort_unstable();
        Ok(Self { phrases, declarations })
    }

    /// The tier of a query.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn tier(&self, query: &str, watch: Watch<'_>) -> Result<Tier, Error> {
        let text = folded(query, watch)?;
        match self.phrases.greatest(&text, Subject::Relations, watch)? {
            Some(Subject::Relations) => return Ok(Tier::MultiHopGraph),
            Some(Subject::Architecture) => return Ok(Tier::ArchitecturalGlobal),
            None => {}
        }
        // The first word stands at the beginning of the folded text as well.
        let first = text.split(' ').next().unwrap_or_default();
        let declares =
            |_: &str| self.declarations.binary_search_by(|word| (**word).cmp(first)).is_ok();
        Ok(if names_one_thing(query, declares) {
            Tier::DirectFactual
        } else {
            Tier::SemanticHybrid
        })
    }
}
