//! Rankings of many queries: read from files, fused all at once, written.
//!
//! A run holds columns: for each hit the code of its document and its score, query by query. What
//! stands for a document is in a table of distinct ids, which is not looked at here but where files
//! are read and written.

mod columns;
mod flaw;
mod fuse;
mod grouping;
mod reader;
mod table;
#[cfg(test)]
mod tests;
mod writer;

pub use columns::{Columns, View};
pub use flaw::{BadLine, Flaw};
pub use fuse::{Batch, FusedQueries, Leg, QueryError, Wanted, fuse_queries};
pub use grouping::{Blocks, blocks_of, by_score, grouped};
pub use reader::{Layout, Reader};
pub use table::{Repeats, Table, Ties};
pub use writer::{Unwritable, Writer, write_score};
