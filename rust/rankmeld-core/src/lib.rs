//! The kernels of rankmeld: ordering, exact sums, rank and score fusion, cosine similarity, a cache.
//!
//! This crate knows no interpreter, no clock, no environment and keeps no global state. Documents
//! are numbers here: whoever calls it gives each distinct id a code in first-seen order (see
//! [`intern`]) and turns codes back into ids afterwards.

pub mod adjacency;
pub mod bm25;
pub mod cache;
pub mod composite;
pub mod corpus_stats;
pub mod cosine;
pub mod decay;
pub mod dedup;
pub mod error;
pub mod exact_sum;
pub mod fusion;
pub mod graph;
pub mod intern;
pub mod late_interaction;
pub mod matches;
pub mod maxsim;
pub mod mmr;
pub mod nearest;
pub mod notes;
pub mod order;
pub mod parallel;
pub mod power_of_two;
pub mod processor;
pub mod products;
pub mod propagation;
pub mod proximity;
pub mod quality;
pub mod query;
pub mod range;
pub mod relevance;
pub mod run;
pub mod sealed;
pub mod signals;
pub mod temporal;
pub mod text;
pub mod watch;
pub mod wide_float;
pub mod widths;

pub use error::Error;
pub use processor::Processor;
pub use watch::Watch;
