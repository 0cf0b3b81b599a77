//! Writing lines that other programs of the field read.

use std::fmt::Write;
use std::ops::Range;

use super::View;
use crate::{Error, Watch};

/// A hit that a file cannot hold as it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unwritable {
    /// A score is NaN or infinite.
    NotFinite {
        /// The hit.
        hit: usize,
    },
    /// A score is above the one before it, so that a reader would change the order.
    OutOfOrder {
        /// The hit.
        hit: usize,
    },
    /// There is no float below the score before it.
    NoRoom {
        /// The hit.
        hit: usize,
    },
    /// A document has two hits for one query.
    Repeated {
        /// The second hit.
        hit: usize,
    },
}

/// Writes a run line by line: query, `Q0`, document, rank, score, tag.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    /// The rankings.
    pub view: View<'a>,
    /// Ids of the queries.
    pub queries: &'a [&'a str],
    /// Ids of the documents by code.
    pub documents: &'a [&'a str],
    /// The last column.
    pub tag: &'a str,
    /// The rank of a query's first hit.
    pub rank_base: i64,
    /// Whether each score is written below the one before it.
    pub strict: bool,
}

impl Writer<'_> {
    /// The first hit that cannot be written, if there is one.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn obstacle(&self, watch: Watch<'_>) -> Result<Option<Unwritable>, Error> {
        let mut seen = vec![usize::MAX; self.documents.len()];
        for query in 0..self.view.queries() {
            let mut before = f64::INFINITY;
            for hit in self.view.hits(query) {
                watch.check_at(hit)?;
                let score = self.view.scores[hit];
                if !score.is_finite() {
                    return Ok(Some(Unwritable::NotFinite { hit }));
                }
                let written = self.written(score, before);
                if written > before {
                    return Ok(Some(Unwritable::OutOfOrder { hit }));
                }
                if !written.is_finite() {
                    return Ok(Some(Unwritable::NoRoom { hit }));
                }
                before = written;
                let last = &mut seen[self.view.codes[hit] as usize];
                if std::mem::replace(last, query) == query {
                    return Ok(Some(Unwritable::Repeated { hit }));
                }
            }
        }
        Ok(None)
    }

    /// The lines of some queries.
    ///
    /// # Errors
    /// As [`Writer::obstacle`], which has been asked before.
    pub fn lines(&self, queries: Range<usize>, watch: Watch<'_>) -> Result<String, Error> {
        let mut out = String::new();
        for query in queries {
            let id = self.queries[query];
            let mut before = f64::INFINITY;
            for (hit, rank) in self.view.hits(query).zip(self.rank_base..) {
                watch.check_at(hit)?;
                before = self.written(self.view.scores[hit], before);
                let document = self.documents[self.view.codes[hit] as usize];
                // Nothing goes wrong where memory is written to.
                let _ = write!(out, "{id} Q0 {document} {rank} ");
                write_score(&mut out, before);
                let _ = writeln!(out, " {}", self.tag);
            }
        }
        Ok(out)
    }

    fn written(&self, score: f64, before: f64) -> f64 {
        if self.strict && score >= before { before.next_down() } else { score }
    }
}

/// Writes the shortest digits that read back as the same float, laid out as Python does.
pub fn write_score(out: &mut String, score: f64) {
    let begin = out.len();
    let _ = write!(out, "{score:?}");
    // The same digits in either language; but an exponent has a sign and two digits there.
    if let Some(at) = out[begin..].find('e') {
        let at = begin + at + 1;
        let sign = if out[at..].starts_with('-') { out.remove(at) } else { '+' };
        let padding = if out.len() - at < 2 { "0" } else { "" };
        out.insert_str(at, padding);
        out.insert(at, sign);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_laid_out_as_python_does() {
        let cases = [
            (0.9, "0.9"),
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e16, "1e+16"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e-4, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (-1.5e-300, "-1.5e-300"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
        ];
        for (score, wanted) in cases {
            let mut out = String::from("e ");
            write_score(&mut out, score);
            assert_eq!(&out[2..], wanted);
        }
    }
}
