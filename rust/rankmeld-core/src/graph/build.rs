//! From edges in any order to edges by target.

use super::slices::{Slices, WIDE};
use super::weights::{Laid, Weight};
use super::{Graph, Weights};
use crate::exact_sum::two_sum;
use crate::power_of_two::{exponent, times_power};
use crate::{Error, Watch};

/// Weights between these are summed as they are; others first become shares of the greatest weight
/// that leaves their source, so that no sum of them leaves the range.
const ORDINARY: std::ops::RangeInclusive<f64> = 1e-20..=1e20;

/// As many nodes, and as many for each edge, are believed to be meant.
const FEW_NODES: usize = 1 << 24;
const NODES_OF_AN_EDGE: usize = 64;

/// Edges as columns of equal length.
#[derive(Debug, Clone, Copy)]
pub struct Edges<'a> {
    /// Where each begins.
    pub sources: &'a [i64],
    /// Where each ends.
    pub targets: &'a [i64],
    /// What each weighs; 1 if there are none. An edge of weight 0 is none.
    pub weights: Option<&'a [f64]>,
    /// Whether an edge leads from source to target alone, and not back as well.
    pub directed: bool,
}

/// What a look at all weights tells.
struct Span {
    least: f64,
    greatest: f64,
    /// Whether single precision holds all of them.
    single: bool,
}

/// The source of each edge, where the edges stand source by source: those of row `n` from
/// `begins[n]` to `begins[n + 1]`.
///
/// # Errors
/// [`Error::RowOutOfPlace`].
pub fn sources_by_row(begins: &[i64], edges: usize) -> Result<Vec<i64>, Error> {
    let mut sources = Vec::with_capacity(edges);
    for (row, &begin) in begins.iter().enumerate() {
        let expected = match row {
            0 => 0..=0,
            _ if row + 1 == begins.len() => edges..=edges,
            _ => sources.len()..=edges,
        };
        match usize::try_from(begin) {
            Ok(begin) if expected.contains(&begin) => sources.resize(begin, before(row)),
            _ => return Err(Error::RowOutOfPlace { row, begin, edges }),
        }
    }
    Ok(sources)
}

/// The row before this one, as a source.
fn before(row: usize) -> i64 {
    i64::try_from(row).unwrap_or(i64::MAX) - 1
}

impl Edges<'_> {
    /// The fewest nodes that these edges can have.
    ///
    /// # Errors
    /// [`Error::TooManyNodes`] where so few of them would have an edge that the numbers must be of
    /// some other kind.
    pub fn fewest_nodes(&self) -> Result<usize, Error> {
        let last = self.sources.iter().chain(self.targets).copied().max().unwrap_or(-1);
        // What is negative is refused with its edge.
        let nodes = usize::try_from(last).map_or(0, |last| last.saturating_add(1));
        let most = FEW_NODES.max(self.sources.len().saturating_mul(NODES_OF_AN_EDGE));
        if nodes > most { Err(Error::TooManyNodes) } else { Ok(nodes) }
    }

    fn weight(&self, edge: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[edge])
    }

    /// Refuses what is no edge.
    fn span(&self, nodes: usize, watch: Watch<'_>) -> Result<Span, Error> {
        let mut span = Span { least: f64::INFINITY, greatest: 0.0, single: true };
        for (edge, (&source, &target)) in self.sources.iter().zip(self.targets).enumerate() {
            watch.check_at(edge)?;
            for node in [source, target] {
                if !usize::try_from(node).is_ok_and(|node| node < nodes) {
                    return Err(Error::EdgeOutside { edge, node, nodes });
                }
            }
            let value = self.weight(edge);
            if !(0.0..=f64::MAX).contains(&value) {
                return Err(Error::EdgeWeight { edge, value });
            }
            if value > 0.0 {
                span.least = span.least.min(value);
                span.greatest = span.greatest.max(value);
                span.single &= f64::from(value as f32) == value;
            }
        }
        Ok(span)
    }

    /// Every edge that weighs something, from source to target, and back if it leads back: a loop
    /// does not.
    fn each(&self, watch: Watch<'_>, mut act: impl FnMut(u32, u32, f64)) -> Result<(), Error> {
        for (edge, (&source, &target)) in self.sources.iter().zip(self.targets).enumerate() {
            watch.check_at(edge)?;
            let weight = self.weight(edge);
            if weight > 0.0 {
                // They were found to be numbers of nodes.
                let (source, target) =
                    (source.cast_unsigned() as u32, target.cast_unsigned() as u32);
                act(source, target, weight);
                if !self.directed && source != target {
                    act(target, source, weight);
                }
            }
        }
        Ok(())
    }

    /// The exponent of the greatest weight that leaves each node.
    fn exponents(&self, nodes: usize, watch: Watch<'_>) -> Result<Vec<i32>, Error> {
        let mut greatest = vec![0.0_f64; nodes];
        self.each(watch, |source, _, weight| {
            let known = &mut greatest[source as usize];
            *known = known.max(weight);
        })?;
        Ok(greatest.into_iter().map(exponent).collect())
    }
}

impl Graph {
    /// A graph of `nodes` nodes, numbered from 0; parallel edges add up.
    ///
    /// # Errors
    /// [`Error::EdgeOutside`] and [`Error::EdgeWeight`] for the first edge that is none,
    /// [`Error::TooManyNodes`], [`Error::Interrupted`].
    pub fn new(nodes: usize, edges: Edges<'_>, watch: Watch<'_>) -> Result<Self, Error> {
        if nodes >= u32::MAX as usize {
            return Err(Error::TooManyNodes);
        }
        let span = edges.span(nodes, watch)?;
        let mut offsets = vec![0; nodes + 1];
        edges.each(watch, |_, target, _| offsets[target as usize + 1] += 1)?;
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let ordinary = |value: f64| value == 0.0 || ORDINARY.contains(&value);
        if span.least >= span.greatest {
            let (sources, weights) = placed(&edges, &offsets, |_, _| (), watch)?;
            return Self::by_target(&offsets, sources, Weights::Equal(weights), watch);
        }
        if !ordinary(span.least) || !ordinary(span.greatest) {
            let exponents = edges.exponents(nodes, watch)?;
            let scaled = |source: u32, weight| times_power(weight, -exponents[source as usize]);
            let (sources, weights) = placed(&edges, &offsets, scaled, watch)?;
            return Self::by_target(&offsets, sources, Weights::Double(weights), watch);
        }
        if span.single {
            let (sources, weights) = placed(&edges, &offsets, |_, w| w as f32, watch)?;
            return Self::by_target(&offsets, sources, Weights::Single(weights), watch);
        }
        let (sources, weights) = placed(&edges, &offsets, |_, weight| weight, watch)?;
        Self::by_target(&offsets, sources, Weights::Double(weights), watch)
    }

    /// A graph from the parts of one.
    ///
    /// # Errors
    /// [`Error::Damaged`] if they fit no graph, [`Error::Interrupted`].
    pub fn from_parts(
        offsets: &[usize],
        sources: Vec<u32>,
        weights: Weights,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let count = match &weights {
            Weights::Equal(weights) => weights.len(),
            Weights::Single(weights) => weights.len(),
            Weights::Double(weights) => weights.len(),
        };
        let ordered = offsets.first() == Some(&0)
            && offsets.last() == Some(&sources.len())
            && offsets.is_sorted()
            && sources.iter().all(|&source| (source as usize) < offsets.len() - 1);
        let positive = match &weights {
            Weights::Equal(_) => true,
            Weights::Single(weights) => weights.iter().all(|w| *w > 0.0 && w.is_finite()),
            Weights::Double(weights) => weights.iter().all(|w| *w >= 0.0 && w.is_finite()),
        };
        if !ordered || !positive || count != sources.len() {
            return Err(Error::Damaged("these are not the parts of a graph"));
        }
        Self::by_target(offsets, sources, weights, watch)
    }

    fn by_target(
        offsets: &[usize],
        sources: Vec<u32>,
        weights: Weights,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let nodes = offsets.len() - 1;
        let totals = match &weights {
            Weights::Equal(weights) => totals(nodes, &sources, weights, watch),
            Weights::Single(weights) => totals(nodes, &sources, weights, watch),
            Weights::Double(weights) => totals(nodes, &sources, weights, watch),
        }?;
        let inverse =
            totals.into_iter().map(|total| if total > 0.0 { 1.0 / total } else { 0.0 }).collect();
        let slices = Slices::of(offsets);
        let mut laid = vec![[nodes as u32; WIDE]; slices.rows()];
        slices.places(offsets, watch, |edge, (row, place)| laid[row][place] = sources[edge])?;
        let edges = sources.len();
        drop(sources);
        let weights = match weights {
            Weights::Equal(_) => Laid::Equal(vec![[(); WIDE]; slices.rows()]),
            Weights::Single(weights) => Laid::Single(lay(&slices, offsets, &weights, watch)?),
            Weights::Double(weights) => Laid::Double(lay(&slices, offsets, &weights, watch)?),
        };
        Ok(Self { slices, sources: laid, weights, inverse, edges })
    }

    /// What [`Graph::from_parts`] makes the same graph of: where the edges of each target begin,
    /// their sources and weights.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn parts(&self, watch: Watch<'_>) -> Result<(Vec<usize>, Vec<u32>, Weights), Error> {
        let offsets = self.slices.offsets();
        let sources = self.stood(&offsets, &self.sources, watch)?;
        let weights = match &self.weights {
            Laid::Equal(_) => Weights::Equal(vec![(); self.edges]),
            Laid::Single(weights) => Weights::Single(self.stood(&offsets, weights, watch)?),
            Laid::Double(weights) => Weights::Double(self.stood(&offsets, weights, watch)?),
        };
        Ok((offsets, sources, weights))
    }

    fn stood<T: Copy + Default>(
        &self,
        offsets: &[usize],
        laid: &[[T; WIDE]],
        watch: Watch<'_>,
    ) -> Result<Vec<T>, Error> {
        let mut stood = vec![T::default(); self.edges];
        self.slices.places(offsets, watch, |edge, (row, place)| stood[edge] = laid[row][place])?;
        Ok(stood)
    }
}

fn lay<T: Copy + Default>(
    slices: &Slices,
    offsets: &[usize],
    stood: &[T],
    watch: Watch<'_>,
) -> Result<Vec<[T; WIDE]>, Error> {
    let mut laid = vec![[T::default(); WIDE]; slices.rows()];
    slices.places(offsets, watch, |edge, (row, place)| laid[row][place] = stood[edge])?;
    Ok(laid)
}

/// Sources and weights by target, of one target in the order in which they came.
fn placed<W: Weight>(
    edges: &Edges<'_>,
    offsets: &[usize],
    weight_of: impl Fn(u32, f64) -> W,
    watch: Watch<'_>,
) -> Result<(Vec<u32>, Vec<W>), Error> {
    let count = offsets[offsets.len() - 1];
    let mut next = offsets.to_vec();
    let (mut sources, mut weights) = (vec![0; count], vec![W::default(); count]);
    edges.each(watch, |source, target, weight| {
        let place = &mut next[target as usize];
        sources[*place] = source;
        weights[*place] = weight_of(source, weight);
        *place += 1;
    })?;
    Ok((sources, weights))
}

/// What leaves each node, summed in two floats: as good as rounded once, so that it hardly
/// matters how many there are.
fn totals<W: Weight>(
    nodes: usize,
    sources: &[u32],
    weights: &[W],
    watch: Watch<'_>,
) -> Result<Vec<f64>, Error> {
    let mut totals = vec![(0.0, 0.0); nodes];
    for (edge, (&source, &weight)) in sources.iter().zip(weights).enumerate() {
        watch.check_at(edge)?;
        let (high, low) = &mut totals[source as usize];
        let (sum, lost) = two_sum(*high, weight.value());
        (*high, *low) = (sum, *low + lost);
    }
    Ok(totals.into_iter().map(|(high, low)| high + low).collect())
}
