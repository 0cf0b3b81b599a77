//! Scores of some of the documents, each by the quickest arithmetic that gives it right.

use std::ops::Range;

use super::best::Best;
use super::documents::{Document, Documents, Vectors};
use super::exact;
use super::kernels::{Kernels, Work};
use super::query::{Kind, Query};
use super::reduce::{Pace, Workspace};
use super::source::{Direct, Stepped, Widened, copied, swapped, words};
use super::tile::Tile;
use crate::{Error, Processor, Watch};

/// Scores, and where they come from if that was asked for.
#[derive(Debug, Default, PartialEq)]
pub struct Scores {
    /// One for each document.
    pub scores: Vec<f64>,
    /// For each document and query vector the document's vector that is most similar, the first of
    /// equal ones; -1 in a document without vectors.
    pub matches: Vec<i64>,
    /// For each document and query vector that similarity, which the score is the sum of.
    pub similarities: Vec<f64>,
}

/// Some documents to score.
pub struct Scoring<'a> {
    /// The query.
    pub query: &'a Query,
    /// The documents.
    pub documents: &'a Documents<'a>,
    /// Which of them.
    pub range: Range<usize>,
    /// Whether similarities are cosines.
    pub normalize: bool,
    /// Whether to tell where scores come from.
    pub explain: bool,
    /// What the work runs on.
    pub processor: Processor,
    /// What may stop it.
    pub watch: Watch<'a>,
}

/// Vectors of bytes of this length or more could overflow 32 bits; doubles hold their sums exactly.
const LONGEST_BYTES: usize = 1 << 17;

impl Work for Scoring<'_> {
    type Output = Result<Scores, Error>;

    #[inline(always)]
    fn run<K: Kernels>(self) -> Self::Output {
        let every = if self.processor == Processor::Portable { 1 << 23 } else { 1 << 29 };
        let pace = Pace::new(self.watch, every);
        if self.explain {
            Scorer::<K, true>::new(&self, pace).run(self.range.clone())
        } else {
            Scorer::<K, false>::new(&self, pace).run(self.range.clone())
        }
    }
}

struct Scorer<'a, K: Kernels, const PLACES: bool> {
    work: &'a Scoring<'a>,
    pace: Pace<'a>,
    made: Scores,
    singles: Workspace<K::Singles>,
    doubles: Workspace<K::Doubles>,
    pairs: Workspace<K::Pairs>,
    bytes: Workspace<K::Bytes>,
    words: Workspace<K::Words>,
}

impl<'a, K: Kernels, const PLACES: bool> Scorer<'a, K, PLACES> {
    fn new(work: &'a Scoring<'a>, pace: Pace<'a>) -> Self {
        Self {
            work,
            pace,
            made: Scores::default(),
            singles: Workspace::default(),
            doubles: Workspace::default(),
            pairs: Workspace::default(),
            bytes: Workspace::default(),
            words: Workspace::default(),
        }
    }

    #[inline(always)]
    fn run(mut self, range: Range<usize>) -> Result<Scores, Error> {
        self.made.scores.reserve(range.len());
        // Tiles take at least one step.
        let fits_tiles = self.work.query.width() > 0 && !self.work.query.is_extreme();
        for index in range {
            let document = self.work.documents.get(index, self.work.query.width());
            self.pace.count(1 << 8)?;
            if document.runs().next().is_none() {
                self.add_nothing();
            } else if !fits_tiles || !(self.single(&document)? || self.double(&document)?) {
                self.exact(index, &document)?;
            }
        }
        Ok(self.made)
    }

    /// A document without vectors.
    fn add_nothing(&mut self) {
        self.made.scores.push(0.0);
        if PLACES {
            let count = self.work.query.len();
            self.made.matches.extend(std::iter::repeat_n(-1, count));
            self.made.similarities.extend(std::iter::repeat_n(0.0, count));
        }
    }

    /// In the least precision that holds both sides; `false` if that was not enough.
    #[inline(always)]
    fn single(&mut self, document: &Document<'_>) -> Result<bool, Error> {
        let query = self.work.query;
        let width = query.width();
        /// Runs one kind of tiles over one form of the query and of the document.
        macro_rules! reduced {
            ($space:ident, $packed:expr, $source:expr) => {{
                let (normalize, pace) = (self.work.normalize, &mut self.pace);
                let source = $source;
                let best = self
                    .$space
                    .reduce::<PLACES>(query, $packed, document, &source, normalize, pace)?;
                let Some(best) = best else { return Ok(false) };
                Ok(add::<_, PLACES>(&mut self.made, query, best))
            }};
        }
        let needs_double = match (query.kind(), document.vectors) {
            (Kind::Doubles, _) | (_, Vectors::Doubles(_)) => true,
            // Whose sums may need more than 32 bits.
            (Kind::Bytes, Vectors::Bytes(..)) => width >= LONGEST_BYTES,
            // Elements so far from the largest one would be lost from the query itself.
            _ => query.faintest() < f64::from(f32::MIN_POSITIVE),
        };
        if needs_double {
            return Ok(false);
        }
        match (query.kind(), document.vectors) {
            (Kind::Bytes, Vectors::Bytes(values, _)) => {
                if !K::BYTES {
                    let padded = width.next_multiple_of(2);
                    let source = Stepped { values, width, padded, convert: words };
                    reduced!(words, query.words(), source)
                } else if width.is_multiple_of(4) {
                    reduced!(bytes, query.bytes(K::Bytes::MOVED), Direct { values, width })
                } else {
                    let padded = width.next_multiple_of(4);
                    let source = Stepped { values, width, padded, convert: copied };
                    reduced!(bytes, query.bytes(K::Bytes::MOVED), source)
                }
            }
            (Kind::Bf16, Vectors::Bf16(values)) => {
                let padded = width.next_multiple_of(2);
                if !K::PAIRS {
                    let source = Stepped { values, width, padded, convert: swapped };
                    reduced!(singles, query.swapped(), source)
                } else if width == padded {
                    reduced!(pairs, query.pairs(), Direct { values, width })
                } else {
                    let source = Stepped { values, width, padded, convert: copied };
                    reduced!(pairs, query.pairs(), source)
                }
            }
            (_, Vectors::Singles(values)) => {
                reduced!(singles, query.singles(), Direct { values, width })
            }
            (_, vectors) => reduced!(singles, query.singles(), Widened { vectors, width }),
        }
    }

    /// In double precision; `false` if even that was not enough.
    #[inline(always)]
    fn double(&mut self, document: &Document<'_>) -> Result<bool, Error> {
        let query = self.work.query;
        let (width, vectors) = (query.width(), document.vectors);
        let (packed, normalize) = (query.doubles(), self.work.normalize);
        let (space, pace) = (&mut self.doubles, &mut self.pace);
        let best = if let Vectors::Doubles(values) = vectors {
            let source = Direct { values, width };
            space.reduce::<PLACES>(query, packed, document, &source, normalize, pace)?
        } else {
            let source = Widened { vectors, width };
            space.reduce::<PLACES>(query, packed, document, &source, normalize, pace)?
        };
        let Some(best) = best else { return Ok(false) };
        Ok(add::<_, PLACES>(&mut self.made, query, best))
    }

    /// What is left: a bad value, or numbers that only exact arithmetic can hold.
    #[cold]
    fn exact(&mut self, index: usize, document: &Document<'_>) -> Result<(), Error> {
        let query = self.work.query;
        let width = query.width();
        for row in document.runs().flatten() {
            self.pace.count(width)?;
            for column in 0..width {
                let value = document.vectors.element(row * width + column);
                if !value.is_finite() {
                    return Err(Error::DocumentNotFinite { document: index, row, column, value });
                }
            }
        }
        let scored = exact::score(query, document, self.work.normalize, &mut self.pace)?;
        if !scored.score.is_finite() {
            return Err(Error::DocumentScoreNotFinite { document: index });
        }
        if PLACES && let Some(vector) = scored.best.iter().position(|(value, _)| !value.is_finite())
        {
            return Err(Error::MatchNotFinite { document: index, vector });
        }
        self.made.scores.push(scored.score);
        if PLACES {
            self.made.matches.extend(scored.best.iter().map(|&(_, row)| row.cast_signed() as i64));
            self.made.similarities.extend(scored.best.iter().map(|&(similarity, _)| similarity));
        }
        Ok(())
    }
}

/// Adds a document's score: the largest similarities, summed in the order of the query vectors.
///
/// `false` and nothing added if the sum is no finite number.
#[inline(always)]
fn add<V: super::best::Value, const PLACES: bool>(
    made: &mut Scores,
    query: &Query,
    best: &Best<V>,
) -> bool {
    let factors = query.factors();
    let similarities = best.values().zip(factors).map(|(value, factor)| value * factor);
    let score: f64 = similarities.clone().sum();
    if !score.is_finite() {
        return false;
    }
    // The sum of no numbers is -0.
    made.scores.push(score + 0.0);
    if PLACES {
        made.similarities.extend(similarities);
        made.matches.extend(best.places().take(factors.len()).map(i64::from));
    }
    true
}
