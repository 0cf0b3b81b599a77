//! What can be wrong with a line of a file.

use thiserror::Error as ThisError;

use super::Layout;

/// Characters of a field that messages show.
const SHOWN: usize = 80;

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{flaw}")]
pub struct BadLine {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub flaw: Flaw,
}

/// What is wrong with a line, and what is wanted.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Flaw {
    /// Too few or too many columns.
    #[error("{found} column{}; a line has {}: {}, separated by spaces or tabs", 
        if *found == 1 { "" } else { "s" }, layout.columns(), layout.form())]
    Columns {
        /// How many there are.
        found: usize,
        /// What the lines of the file look like.
        layout: Layout,
    },
    /// The number is none.
    #[error("the {} is {text:?}, which is not a number", layout.number())]
    NotANumber {
        /// The field.
        text: String,
        /// What the lines of the file look like.
        layout: Layout,
    },
    /// A score is NaN or infinite, or becomes so as a float.
    #[error("the score is {text}; scores must be finite numbers that fit a float")]
    NotFinite {
        /// The field.
        text: String,
    },
    /// A grade is a fraction.
    #[error(
        "the grade is {text}; grades are whole numbers: multiply them all if some are fractions"
    )]
    NotWhole {
        /// The field.
        text: String,
    },
    /// The same document twice for one query.
    #[error("document {document:?} stands for query {query:?} already, on line {first}; remove one of the two{}",
        if *layout == Layout::Run { ", or read with duplicates=\"first\"" } else { "" })]
    Repeat {
        /// The query.
        query: String,
        /// The document.
        document: String,
        /// The line that had it first.
        first: usize,
        /// What the lines of the file look like.
        layout: Layout,
    },
    /// Bytes that are no text.
    #[error("not UTF-8; convert the file first, as `iconv -t UTF-8` does")]
    NotText,
    /// A line without an end in sight.
    #[error("a line of more than {} bytes; this is no file of this kind", super::reader::LONGEST)]
    TooLong,
}

/// A field as messages show it.
pub(super) fn shown(field: &str) -> String {
    if field.chars().count() <= SHOWN {
        return field.to_owned();
    }
    field.chars().take(SHOWN - 3).chain("...".chars()).collect()
}
