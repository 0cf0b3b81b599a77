//! The vectors nearest to a query by exact cosine, among many that change one by one.
//!
//! A [`Table`] holds the vectors twice: as they are, and in one byte for each number. A search
//! multiplies the query with the bytes first, a quarter of the memory to be read, and gets an
//! estimate of each cosine with a bound of its error. Rows whose estimate and bound together stay
//! below the k-th best cosine found so far cannot be among the best k; the cosines of all others
//! are taken as [`crate::cosine`] does, so the result has the bits of a search that takes them all.

mod bytes;
mod estimate;
mod piece;
mod search;
mod selection;
mod table;
#[cfg(test)]
mod tests;

pub use search::Options;
pub use selection::Subset;
pub use table::Table;
