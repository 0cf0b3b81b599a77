//! A bounded table that forgets: by time, and by recency where it is full.
//!
//! Keys and values are the caller's own types, never looked at here. The caller brings what only it
//! can know: a key's hash, whether two keys are equal, and the time.

mod chain;
mod clock;
mod lru_ttl;
mod steady;
#[cfg(test)]
mod tests;

pub use clock::Clock;
pub use lru_ttl::{Counts, Handle, Lookup, LruTtl, Place, Read, Same};
