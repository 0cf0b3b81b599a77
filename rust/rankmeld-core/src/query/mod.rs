//! What is asked: which kind of question a query is, what earlier answers say about it, and the
//! words that a rewriting looks at.

mod cleaning;
mod features;
mod phrases;
mod shapes;
mod tiers;

pub use cleaning::{Cleaned, cleaned};
pub use features::{Features, features};
pub use tiers::{Tier, Vocabulary};
