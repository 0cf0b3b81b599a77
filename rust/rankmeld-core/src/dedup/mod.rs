//! Near-duplicates: which texts share most of their shingles, at any number of texts.
//!
//! A text becomes a set of shingles ([`shingle`]), the set a signature of its smallest hashes
//! ([`minhash`]), the signature a few keys ([`banding`]). Texts that share a key are compared; so
//! the work grows with the texts, not with their pairs.

pub mod band_index;
pub mod banding;
pub mod clusters;
pub mod columns;
pub mod connected;
pub mod kept;
pub mod minhash;
pub mod shingle;
pub mod sketch;
pub mod storage;

pub use band_index::{BandIndex, similar};
pub use banding::Banding;
pub use clusters::{clusters, clusters_in_bucket};
pub use columns::Columns;
pub use kept::{ALL_PAIRS, Linkage, kept_in_groups};
pub use shingle::Shingling;
pub use sketch::{Settings, Sketch, Sketcher};
