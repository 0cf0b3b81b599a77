//! BM25: scores of a few texts, and an index over many.
//!
//! Wherever a score is computed, the credits of the query's distinct terms are added in the order
//! in which they first occur in the query, each by [`formula`]. So a search that skips documents
//! gives the same bits as one that scores all of them.

mod best;
mod builder;
mod cursor;
pub mod formula;
mod index;
mod members;
mod merge;
mod removal;
mod scores;
mod search;
mod segment;
mod storage;

pub use builder::Builder;
pub use formula::{Parameters, Statistics};
pub use index::{Place, Snapshot};
pub use scores::{Given, Scoring, scores, scores_of_tokens};
pub use search::{Found, Query, Wanted};
pub use segment::Segment;
