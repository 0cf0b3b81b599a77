//! Power iteration: steps until the scores stay.

use super::lanes::Lanes;
use super::{Graph, Seeds};
use crate::exact_sum::two_sum;
use crate::parallel::in_parts;
use crate::power_of_two::{exponent, times_power};
use crate::{Error, Watch};

/// Rows and edges between two questions whether to go on, where steps are short.
const WORK_AT_ONCE: usize = 1 << 21;

/// What a step costs beside its rows and edges, as many of these; and what each further thread does.
const STEP: usize = 1 << 9;
const THREAD: usize = 1 << 15;

/// Most walks side by side: what a node sends in them is one line of the cache.
const MOST_LANES: usize = 8;

/// How much all nodes may send in walks side by side, in numbers: half of what the second cache of a
/// core holds. Beyond, a line that is fetched for each edge costs more than reading the edges again.
const NEAR: usize = 1 << 17;

/// How the walks go.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// How likely a walk follows an edge, within 0..=1.
    pub damping: f64,
    /// Steps at most.
    pub max_iterations: usize,
    /// A walk ends when the sum of absolute changes is below this.
    pub tolerance: f64,
    /// Threads that share the work.
    pub threads: usize,
}

/// A walk.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Where it begins anew.
    pub seeds: &'a Seeds,
    /// Scores of before, finite and not negative, one for each node; the seeds' shares if not given.
    pub start: Option<&'a [f64]>,
}

/// Scores, and how they were come by.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// A distribution over the nodes.
    pub scores: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// Whether the last step changed less than the tolerance.
    pub converged: bool,
}

/// Personalized `PageRank`: for each question its own answer, to the last bit what it is alone.
///
/// # Errors
/// [`Error::Interrupted`].
pub fn pagerank(
    graph: &Graph,
    questions: &[Question<'_>],
    request: &Request,
    watch: Watch<'_>,
) -> Result<Vec<Solution>, Error> {
    if graph.nodes() == 0 {
        let nothing = Solution { scores: Vec::new(), iterations: 0, converged: true };
        return Ok(vec![nothing; questions.len()]);
    }
    let most = [MOST_LANES, 4, 2].into_iter().find(|lanes| graph.nodes() * lanes <= NEAR);
    let groups: Vec<&[Question<'_>]> = questions.chunks(most.unwrap_or(1)).collect();
    // Threads take a group each where there are enough; else they share the nodes of each.
    let beside = if groups.len() >= request.threads { request.threads } else { 1 };
    let within = if beside > 1 { 1 } else { request.threads.min(graph.slices.windows()) };
    let solved = in_parts(groups.len(), beside, watch, |range, watch| {
        let mut solutions = Vec::new();
        for group in &groups[range] {
            solutions.extend(match group.len() {
                1 => walk::<1>(graph, group, request, within, watch),
                2 => walk::<2>(graph, group, request, within, watch),
                3 | 4 => walk::<4>(graph, group, request, within, watch),
                _ => walk::<MOST_LANES>(graph, group, request, within, watch),
            }?);
        }
        Ok(solutions)
    })?;
    Ok(solved.into_iter().flatten().collect())
}

fn walk<const K: usize>(
    graph: &Graph,
    questions: &[Question<'_>],
    request: &Request,
    threads: usize,
    watch: Watch<'_>,
) -> Result<Vec<Solution>, Error> {
    let seeds: Vec<&Seeds> = questions.iter().map(|question| question.seeds).collect();
    let starts = questions.iter().map(|question| started(graph, question, watch));
    let mut lanes = Lanes::<K>::new(graph, &seeds, &starts.collect::<Result<Vec<_>, _>>()?);
    let mut solutions = vec![None; questions.len()];
    let mut worked = 0;
    for iterations in 1..=request.max_iterations {
        let change = lanes.step(request.damping, threads, watch)?;
        // Each walk is left when it has come to its end, which the others do not see.
        for (lane, solution) in solutions.iter_mut().enumerate() {
            if solution.is_none() && change[lane] < request.tolerance {
                let scores = distribution(lanes.scores(lane));
                *solution = Some(Solution { scores, iterations, converged: true });
            }
        }
        if solutions.iter().all(Option::is_some) {
            break;
        }
        worked += graph.work() * K + STEP + (threads - 1) * THREAD;
        if worked >= WORK_AT_ONCE {
            watch.check()?;
            worked = 0;
        }
    }
    let unfinished = |lane| Solution {
        scores: distribution(lanes.scores(lane)),
        iterations: request.max_iterations,
        converged: false,
    };
    let solved = solutions.into_iter().enumerate();
    Ok(solved.map(|(lane, solution)| solution.unwrap_or_else(|| unfinished(lane))).collect())
}

/// The scores with which a walk begins: those of before as far as the seeds lead, as nothing would
/// ever take away all of the rest.
fn started(graph: &Graph, question: &Question<'_>, watch: Watch<'_>) -> Result<Vec<f64>, Error> {
    let shares = || question.seeds.dense(graph.nodes());
    let Some(start) = question.start else { return Ok(shares()) };
    let reached = graph.reached(question.seeds, watch)?;
    let kept =
        || start.iter().zip(&reached).map(|(&score, &there)| if there { score } else { 0.0 });
    let greatest = kept().fold(0.0, f64::max);
    if greatest == 0.0 {
        return Ok(shares());
    }
    Ok(distribution(kept().map(|score| times_power(score, -exponent(greatest))).collect()))
}

/// The scores over their sum, from which rounding may have led away.
fn distribution(mut scores: Vec<f64>) -> Vec<f64> {
    let (high, low) = scores.iter().fold((0.0, 0.0), |(high, low), &score| {
        let (sum, lost) = two_sum(high, score);
        (sum, low + lost)
    });
    let total = high + low;
    for score in &mut scores {
        *score /= total;
    }
    scores
}
