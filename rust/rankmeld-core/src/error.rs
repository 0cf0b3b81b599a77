//! What can be wrong with the numbers that a caller hands over.

use thiserror::Error as ThisError;

/// A refusal, with the place it is about. Callers add the ids, which this crate does not know.
#[derive(Debug, Clone, Copy, PartialEq, ThisError)]
pub enum Error {
    /// A score that takes part in arithmetic or ordering is NaN or infinite.
    #[error("list {list}, position {position}: the score is {value}")]
    ScoreNotFinite {
        /// Index of the list.
        list: usize,
        /// Position in the list, from 0.
        position: usize,
        /// The score.
        value: f64,
    },
    /// A score that is evidence is negative.
    #[error("position {position}: the score is {value}")]
    ScoreNegative {
        /// Position in the list, from 0.
        position: usize,
        /// The score.
        value: f64,
    },
    /// The exact answer for a candidate is no finite number.
    #[error("the fused score of candidate {candidate} is not finite")]
    ResultNotFinite {
        /// Code of the candidate.
        candidate: u32,
    },
    /// A list holds an id twice and the caller asked for that to be refused.
    #[error("list {list} holds candidate {candidate} at positions {first} and {second}")]
    DuplicateId {
        /// Index of the list.
        list: usize,
        /// Code of the candidate.
        candidate: u32,
        /// Its first position.
        first: usize,
        /// The position of the repeat.
        second: usize,
    },
    /// More distinct ids than a code can number.
    #[error("more than {} distinct ids", u32::MAX - 1)]
    TooManyCandidates,
    /// A vector holds NaN or an infinity.
    #[error("row {row}, column {column}: the value is {value}")]
    VectorNotFinite {
        /// Row of the matrix.
        row: usize,
        /// Column of the matrix.
        column: usize,
        /// The value.
        value: f64,
        /// The next row that does, if there is one.
        also: Option<usize>,
    },
    /// A similarity that the caller brought is NaN or infinite.
    #[error("similarity, row {row}, column {column}: the value is {value}")]
    SimilarityNotFinite {
        /// Row of the matrix.
        row: usize,
        /// Column of the matrix.
        column: usize,
        /// The value.
        value: f64,
    },
    /// Bytes that should hold a data structure do not: what is wrong with them.
    #[error("{0}")]
    Damaged(&'static str),
    /// A query vector holds NaN or an infinity.
    #[error("query vector {row}, column {column}: the value is {value}")]
    QueryNotFinite {
        /// Number of the query vector.
        row: usize,
        /// Column.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A vector of a document holds NaN or an infinity.
    #[error("document {document}, vector {row}, column {column}: the value is {value}")]
    DocumentNotFinite {
        /// Index of the document.
        document: usize,
        /// Number of the vector within the document.
        row: usize,
        /// Column.
        column: usize,
        /// The value.
        value: f64,
    },
    /// The exact score of a document is no finite number.
    #[error("the score of document {document} is not finite")]
    DocumentScoreNotFinite {
        /// Index of the document.
        document: usize,
    },
    /// No bands of a signature find enough of the pairs at the threshold.
    #[error("no bands find enough pairs at a threshold below {least}")]
    ThresholdTooLow {
        /// The lowest threshold, rounded up, that as many values serve.
        least: f64,
    },
    /// A similarity that the caller asked for is not a finite number, although the score is.
    #[error(
        "the similarity of query vector {vector} to document {document} is not a finite number"
    )]
    MatchNotFinite {
        /// Index of the document.
        document: usize,
        /// Index of the query vector.
        vector: usize,
    },
    /// How far the best score leads the second is no finite part of it.
    #[error("the margin between the scores {first} and {second} is not finite")]
    MarginNotFinite {
        /// The highest score.
        first: f64,
        /// The one after it.
        second: f64,
    },
    /// An edge begins or ends at a number that no node has.
    #[error("edge {edge}: the node is {node}, of {nodes}")]
    EdgeOutside {
        /// Index of the edge.
        edge: usize,
        /// The number.
        node: i64,
        /// How many nodes there are.
        nodes: usize,
    },
    /// An edge's weight is negative, NaN or infinite.
    #[error("edge {edge}: the weight is {value}")]
    EdgeWeight {
        /// Index of the edge.
        edge: usize,
        /// The weight.
        value: f64,
    },
    /// Rows of edges do not follow each other.
    #[error("row {row} begins at edge {begin}, of {edges}")]
    RowOutOfPlace {
        /// Index of the row; after the last one, that of its end.
        row: usize,
        /// Where it begins.
        begin: i64,
        /// How many edges there are.
        edges: usize,
    },
    /// More nodes than can be numbered, or than so few edges have.
    #[error("too many nodes")]
    TooManyNodes,
    /// The caller's own check asked for a stop.
    #[error("interrupted")]
    Interrupted,
}
