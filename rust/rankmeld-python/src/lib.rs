//! `rankmeld._core`: exports only. A function here accepts, detaches, calls and returns.

mod adjacency;
mod arrays;
mod batch;
mod bm25;
mod bm25_index;
mod cache;
mod cache_clock;
mod cache_keys;
mod cell;
mod composite;
mod corpus_stats;
mod decay;
mod dedup;
mod detach;
mod documents;
mod embeddings;
mod entries;
mod errors;
mod forms;
mod fusion;
mod graph;
mod graph_input;
mod ids;
mod input;
mod late_interaction;
mod matches;
mod maxsim;
mod mmr;
mod monotonic;
mod nearest;
mod neighbors;
mod notes;
mod ordering;
mod propagation;
mod query;
mod reading;
mod relevance;
mod run_files;
mod runs;
mod sealed;
mod sketch_columns;
mod symbols;
mod temporal;
mod text;
mod texts;
mod vectors;

use pyo3::prelude::*;

/// The compiled part of rankmeld.
#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::arrays::load_numpy(module.py())
    }

    #[pymodule_export]
    use crate::adjacency::adjacent;
    #[pymodule_export]
    use crate::bm25::bm25_scores;
    #[pymodule_export]
    use crate::bm25_index::{Bm25Builder, Bm25Segment, Bm25Snapshot};
    #[pymodule_export]
    use crate::cache::Cache;
    #[pymodule_export]
    use crate::cell::Cell;
    #[pymodule_export]
    use crate::composite::{composite, composite_parts, quality_terms, temporal_proximity};
    #[pymodule_export]
    use crate::corpus_stats::CorpusStats;
    #[pymodule_export]
    use crate::decay::{decay_factors, time_decay};
    #[pymodule_export]
    use crate::dedup::{
        PyBandIndex, PySketcher, Sketches, decode_sketches, near_clusters, near_kept,
    };
    #[pymodule_export]
    use crate::fusion::{Method, Trace, fuse};
    #[pymodule_export]
    use crate::graph::{Graph, read_graph};
    #[pymodule_export]
    use crate::late_interaction::{
        lexical_matches, lexical_score, lexical_scores, stop_words, token_similarity, token_weight,
    };
    #[pymodule_export]
    use crate::matches::boost_matches;
    #[pymodule_export]
    use crate::maxsim::maxsim;
    #[pymodule_export]
    use crate::mmr::{mmr_cosine, mmr_jaccard, mmr_matrix};
    #[pymodule_export]
    use crate::nearest::VectorTable;
    #[pymodule_export]
    use crate::notes::notes;
    #[pymodule_export]
    use crate::ordering::order;
    #[pymodule_export]
    use crate::propagation::propagate;
    #[pymodule_export]
    use crate::query::{QueryWords, query_pieces, score_features};
    #[pymodule_export]
    use crate::reading::read;
    #[pymodule_export]
    use crate::relevance::shared_words;
    #[pymodule_export]
    use crate::run_files::{read_lines, write_lines};
    #[pymodule_export]
    use crate::runs::{fuse_runs, run_columns, run_of_rows};
    #[pymodule_export]
    use crate::sealed::{seal, unseal};
    #[pymodule_export]
    use crate::sketch_columns::{near_bucket, near_pairs, sketch_columns};
    #[pymodule_export]
    use crate::symbols::PySymbols;
    #[pymodule_export]
    use crate::temporal::time_anchor;
    #[pymodule_export]
    use crate::text::{
        bm25_tokenize, clean_text, light_stem, sentences, snowball_languages, tokenize,
    };
    #[pymodule_export]
    use crate::vectors::{cosine_scores, cosine_top};
}
