//! Graphs, and personalized `PageRank` on them.

use std::sync::Arc;

use numpy::ndarray::Ix1;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rankmeld_core::graph::{self, Edges, Question, Request, Seeds, Weights};

use crate::arrays;
use crate::detach::detached;
use crate::entries::hashed;
use crate::errors::{InvalidArgumentError, Label, refused};
use crate::graph_input::{read_edges, read_nodes};
use crate::ids::IdTable;

/// Nodes by number, and the edges between them.
#[pyclass(frozen, module = "rankmeld._core")]
pub struct Graph(Arc<graph::Graph>);

/// A graph, the ids of its nodes, and the numbers of some ids.
type Named<'py> = (Graph, Bound<'py, PyList>, Vec<Option<u32>>);

/// The graph of these nodes, or of all that edges name, and the numbers of the ids in `wanted`.
#[pyfunction]
pub fn read_graph<'py>(
    nodes: Option<&Bound<'py, PyAny>>,
    edges: &Bound<'py, PyAny>,
    directed: bool,
    wanted: &Bound<'py, PyList>,
) -> PyResult<Named<'py>> {
    let py = edges.py();
    let mut table = nodes.map_or_else(|| Ok(IdTable::with_capacity(0)), read_nodes)?;
    let columns = read_edges(edges, &mut table, nodes.is_none())?;
    let number = |id: Bound<'py, PyAny>| {
        let hash = hashed(&id, || "seeds".to_owned())?;
        table.find(&id, hash as i64)
    };
    let numbers = wanted.iter().map(number).collect::<PyResult<_>>()?;
    let ids = table.into_ids();
    let (sources, targets) = (&columns.sources, &columns.targets);
    let edges = Edges { sources, targets, weights: Some(&columns.weights), directed };
    let graph = built(py, edges, Some(ids.len()))?;
    Ok((graph, PyList::new(py, ids)?, numbers))
}

/// Numbers of seeds, `None` for ids that are no nodes, and their weights; or a weight for each node.
type SeedColumns<'py> = (Option<Vec<Option<u32>>>, Bound<'py, PyUntypedArray>);

/// Scores of a walk, its steps, whether it converged, and whether any seed counted.
type Walked<'py> = (Bound<'py, PyArray1<f64>>, usize, bool, bool);

/// Where edges begin, their sources, and their weights if those differ.
type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

#[pymethods]
impl Graph {
    /// From a column of sources, one of targets, and maybe one of weights.
    #[staticmethod]
    fn from_arrays(
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        nodes: Option<usize>,
        directed: bool,
    ) -> PyResult<Self> {
        let columns = (integers(sources, "sources")?, integers(targets, "targets")?);
        let (sources, targets) = (arrays::elements(&columns.0)?, arrays::elements(&columns.1)?);
        let weights = floats(weights)?;
        let weights = weights.as_ref().map(arrays::elements).transpose()?;
        require_lengths("sources", sources.len(), "targets", targets.len())?;
        if let Some(weights) = weights {
            require_lengths("sources", sources.len(), "weights", weights.len())?;
        }
        built(columns.0.py(), Edges { sources, targets, weights, directed }, nodes)
    }

    /// From rows of targets, as a matrix in CSR form has them.
    #[staticmethod]
    fn from_csr(
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        directed: bool,
    ) -> PyResult<Self> {
        let py = indptr.py();
        let columns = (integers(indptr, "indptr")?, integers(indices, "indices")?);
        let (begins, targets) = (arrays::elements(&columns.0)?, arrays::elements(&columns.1)?);
        let weights = floats(weights)?;
        let weights = weights.as_ref().map(arrays::elements).transpose()?;
        if let Some(weights) = weights {
            require_lengths("indices", targets.len(), "weights", weights.len())?;
        }
        let Some(nodes) = begins.len().checked_sub(1) else {
            return Err(InvalidArgumentError::new_err(
                "indptr is empty; it has one entry more than there are nodes, 0 first",
            ));
        };
        let sources =
            detached(py, targets.len(), |_| graph::sources_by_row(begins, targets.len()))?
                .map_err(|error| refused(py, error, &Label::Argument("indptr")))?;
        built(py, Edges { sources: &sources, targets, weights, directed }, Some(nodes))
    }

    /// From what `parts` gave.
    #[staticmethod]
    fn from_parts(
        offsets: &Bound<'_, PyUntypedArray>,
        sources: &Bound<'_, PyUntypedArray>,
        weights: Option<&Bound<'_, PyUntypedArray>>,
    ) -> PyResult<Self> {
        let py = offsets.py();
        let offsets = arrays::prepared::<u64, Ix1>(offsets)?;
        let offsets: Vec<usize> =
            arrays::elements(&offsets)?.iter().map(|&at| at as usize).collect();
        let sources = arrays::elements(&arrays::prepared::<u32, Ix1>(sources)?)?.to_vec();
        let weights = match weights {
            None => Weights::Equal(vec![(); sources.len()]),
            Some(weights) if arrays::fits_float32(weights) => {
                let weights = arrays::prepared::<f32, Ix1>(weights)?;
                Weights::Single(arrays::elements(&weights)?.to_vec())
            }
            Some(weights) => {
                let weights = arrays::prepared::<f64, Ix1>(weights)?;
                Weights::Double(arrays::elements(&weights)?.to_vec())
            }
        };
        let graph = detached(py, sources.len(), |watch| {
            graph::Graph::from_parts(&offsets, sources, weights, watch)
        })?;
        Ok(Self(Arc::new(graph.map_err(|e| refused(py, e, &Label::Argument("parts")))?)))
    }

    /// Arrays from which the same graph is made again.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        let (offsets, sources, weights) =
            detached(py, self.0.edges(), |watch| self.0.parts(watch))?
                .map_err(|error| refused(py, error, &Label::Argument("graph")))?;
        let weights = match weights {
            Weights::Equal(_) => None,
            Weights::Single(weights) => Some(weights.into_pyarray(py).into_any()),
            Weights::Double(weights) => Some(weights.into_pyarray(py).into_any()),
        };
        let offsets: Vec<u64> = offsets.into_iter().map(|at| at as u64).collect();
        let sources = sources.into_pyarray(py).into_any();
        Ok((offsets.into_pyarray(py).into_any(), sources, weights))
    }

    /// How many nodes, and how many edges that weigh something.
    fn size(&self) -> (usize, usize) {
        (self.0.nodes(), self.0.edges())
    }

    /// For each set of seeds (numbers of nodes, or `None` for all of them, and weights) its scores.
    #[expect(clippy::too_many_arguments, reason = "one flat call keeps the overhead low")]
    fn pagerank<'py>(
        &self,
        py: Python<'py>,
        seeds: Vec<SeedColumns<'py>>,
        starts: Option<Vec<Bound<'py, PyUntypedArray>>>,
        damping: f64,
        max_iterations: usize,
        tolerance: f64,
        threads: usize,
    ) -> PyResult<Vec<Walked<'py>>> {
        let seeds: Vec<Seeds> = seeds
            .iter()
            .map(|(nodes, weights)| seeds_of(nodes.as_deref(), weights))
            .collect::<PyResult<_>>()?;
        let starts: Vec<PyReadonlyArray1<'py, f64>> =
            starts.iter().flatten().map(arrays::prepared).collect::<PyResult<_>>()?;
        let starts: Vec<&[f64]> = starts.iter().map(arrays::elements).collect::<PyResult<_>>()?;
        let question = |(at, seeds)| Question { seeds, start: starts.get(at).copied() };
        let questions: Vec<Question<'_>> = seeds.iter().enumerate().map(question).collect();
        let request = Request { damping, max_iterations, tolerance, threads };
        let work = (self.0.nodes() + self.0.edges())
            .saturating_mul(questions.len())
            .saturating_mul(max_iterations);
        let solved =
            detached(py, work, |watch| graph::pagerank(&self.0, &questions, &request, watch))?
                .map_err(|error| refused(py, error, &Label::Argument("graph")))?;
        let walked = solved.into_iter().zip(&seeds).map(|(solution, seeds)| {
            let scores = solution.scores.into_pyarray(py);
            (scores, solution.iterations, solution.converged, seeds.seeded())
        });
        Ok(walked.collect())
    }
}

fn seeds_of(nodes: Option<&[Option<u32>]>, weights: &Bound<'_, PyUntypedArray>) -> PyResult<Seeds> {
    let weights = arrays::prepared::<f64, Ix1>(weights)?;
    let weights = arrays::elements(&weights)?.iter().copied();
    Ok(match nodes {
        Some(nodes) => {
            let known = |(node, weight): (&Option<u32>, f64)| Some(((*node)?, weight));
            Seeds::new(nodes.iter().zip(weights).filter_map(known))
        }
        None => Seeds::new((0..).zip(weights)),
    })
}

fn built(py: Python<'_>, edges: Edges<'_>, nodes: Option<usize>) -> PyResult<Graph> {
    let graph = detached(py, edges.sources.len(), |watch| {
        let nodes = nodes.map_or_else(|| edges.fewest_nodes(), Ok)?;
        graph::Graph::new(nodes, edges, watch)
    })?;
    Ok(Graph(Arc::new(graph.map_err(|error| refused(py, error, &Label::Argument("edges")))?)))
}

fn integers<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArray1<'py, i64>> {
    let array = arrays::numbers(object, 1, name)?;
    if matches!(arrays::kind_of(&array), 'i' | 'u') || array.is_empty() {
        return arrays::integers(&array);
    }
    Err(PyTypeError::new_err(format!(
        "{name} has dtype {}; it must hold integers",
        array.dtype().str()?
    )))
}

fn floats<'py>(object: Option<&Bound<'py, PyAny>>) -> PyResult<Option<PyReadonlyArray1<'py, f64>>> {
    object
        .map(|object| arrays::floats(&arrays::numbers(object, 1, "weights")?, "weights"))
        .transpose()
}

fn require_lengths(one: &str, ones: usize, other: &str, others: usize) -> PyResult<()> {
    if ones == others {
        return Ok(());
    }
    Err(InvalidArgumentError::new_err(format!(
        "{one} has {ones} entries and {other} has {others}; they must be of equal length"
    )))
}
