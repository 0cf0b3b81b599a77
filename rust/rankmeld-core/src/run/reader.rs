//! Reading lines of columns as they come in: runs and judgements of TREC.

use memchr::{memchr, memrchr};

use super::flaw::{BadLine, Flaw, shown};
use crate::text::Vocabulary;
use crate::{Error, Watch};

/// The longest line, in bytes: no id is longer, and a file without lines is not kept in memory.
pub(super) const LONGEST: usize = 1 << 20;

/// Lines between two questions to the watch: a few milliseconds.
const CHECK_EVERY: usize = 1 << 14;

/// A byte-order mark, which some editors put first.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The largest grade that a float holds as it is.
const LARGEST_GRADE: f64 = 9_007_199_254_740_992.0;

/// Fields that a line can have.
const MOST: usize = 6;

/// What a line holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Query, `Q0`, document, rank, score, tag.
    Run,
    /// Query, iteration, document, grade.
    Judgements,
}

impl Layout {
    pub(super) fn columns(self) -> usize {
        match self {
            Self::Run => MOST,
            Self::Judgements => 4,
        }
    }

    pub(super) fn form(self) -> &'static str {
        match self {
            Self::Run => "query Q0 document rank score tag",
            Self::Judgements => "query 0 document grade",
        }
    }

    pub(super) fn number(self) -> &'static str {
        match self {
            Self::Run => "score",
            Self::Judgements => "grade",
        }
    }
}

/// Takes a file in pieces of any size and collects its entries.
///
/// Fields are separated by spaces and tabs and by nothing else: any other character, a no-break
/// space say, belongs to a field. A byte-order mark, CRLF, blank lines and blanks at either end of a
/// line are passed over. Ids are opaque: `01` and `1` are two.
#[derive(Debug)]
pub struct Reader {
    pub(super) layout: Layout,
    /// A line that has begun.
    rest: Vec<u8>,
    /// Lines that have been read.
    lines: usize,
    /// Query ids in first-seen order.
    pub(super) queries: Vocabulary,
    /// Document ids in first-seen order.
    pub(super) documents: Vocabulary,
    /// Where entries of another query begin: its code and the entry.
    pub(super) blocks: Vec<(u32, usize)>,
    pub(super) codes: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// From this entry on, so many lines before it hold none.
    gaps: Vec<(usize, usize)>,
    pub(super) tag: String,
    flaw: Option<BadLine>,
}

impl Reader {
    /// Reads lines of this layout.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        Self {
            layout,
            rest: Vec::new(),
            lines: 0,
            queries: Vocabulary::new(),
            documents: Vocabulary::new(),
            blocks: Vec::new(),
            codes: Vec::new(),
            values: Vec::new(),
            gaps: Vec::new(),
            tag: String::new(),
            flaw: None,
        }
    }

    /// Takes the next piece of the file; after a bad line, pieces are passed over.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so; the reader is of no use then.
    pub fn feed(&mut self, piece: &[u8], watch: Watch<'_>) -> Result<(), Error> {
        let Some(last) = memrchr(b'\n', piece) else {
            self.begin(piece);
            return Ok(());
        };
        let (whole, begun) = piece.split_at(last + 1);
        let first = if self.rest.is_empty() {
            0
        } else {
            let end = memchr(b'\n', whole).map_or(whole.len(), |end| end + 1);
            let mut line = std::mem::take(&mut self.rest);
            line.extend_from_slice(&whole[..end]);
            self.read(&line, watch)?;
            end
        };
        self.read(&whole[first..], watch)?;
        self.begin(begun);
        Ok(())
    }

    /// Says that there are no more pieces; a last line without its end is read.
    ///
    /// # Errors
    /// As [`Reader::feed`].
    pub(super) fn end(&mut self, watch: Watch<'_>) -> Result<(), Error> {
        let line = std::mem::take(&mut self.rest);
        self.read(&line, watch)
    }

    /// The first line that could not be read.
    #[must_use]
    pub fn flaw(&self) -> Option<&BadLine> {
        self.flaw.as_ref()
    }

    /// The line of an entry, from 1.
    pub(super) fn line_of(&self, entry: usize) -> usize {
        let before = self.gaps.partition_point(|&(from, _)| from <= entry);
        entry + 1 + before.checked_sub(1).map_or(0, |last| self.gaps[last].1)
    }

    fn begin(&mut self, piece: &[u8]) {
        if self.flaw.is_none() {
            self.rest.extend_from_slice(piece);
            if self.rest.len() > LONGEST {
                self.flaw = Some(BadLine { line: self.lines + 1, flaw: Flaw::TooLong });
            }
        }
    }

    /// Reads whole lines.
    fn read(&mut self, block: &[u8], watch: Watch<'_>) -> Result<(), Error> {
        if self.flaw.is_some() {
            return Ok(());
        }
        let block = if self.lines == 0 { block.strip_prefix(MARK).unwrap_or(block) } else { block };
        match str::from_utf8(block) {
            Ok(text) => self.read_text(text, watch),
            Err(error) => {
                let valid = &block[..error.valid_up_to()];
                let whole = memrchr(b'\n', valid).map_or(0, |end| end + 1);
                // The lines before it may have a flaw of their own.
                self.read_text(str::from_utf8(&valid[..whole]).unwrap_or_default(), watch)?;
                let flaw = BadLine { line: self.lines + 1, flaw: Flaw::NotText };
                self.flaw.get_or_insert(flaw);
                Ok(())
            }
        }
    }

    fn read_text(&mut self, mut text: &str, watch: Watch<'_>) -> Result<(), Error> {
        while !text.is_empty() {
            let end = memchr(b'\n', text.as_bytes());
            let line = &text[..end.unwrap_or(text.len())];
            self.lines += 1;
            if let Err(flaw) = self.line(line) {
                self.flaw = Some(BadLine { line: self.lines, flaw });
                return Ok(());
            }
            if self.lines.is_multiple_of(CHECK_EVERY) {
                watch.check()?;
            }
            text = end.map_or("", |end| &text[end + 1..]);
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), Flaw> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.len() > LONGEST {
            return Err(Flaw::TooLong);
        }
        let layout = self.layout;
        let mut fields = [""; MOST];
        let found = split(line, &mut fields);
        if found == 0 {
            let before = self.gaps.last().map_or(0, |&(_, lines)| lines);
            match self.gaps.last_mut() {
                Some((entry, lines)) if *entry == self.codes.len() => *lines += 1,
                _ => self.gaps.push((self.codes.len(), before + 1)),
            }
            return Ok(());
        }
        if found != layout.columns() {
            return Err(Flaw::Columns { found, layout });
        }
        let [query, _, document, grade, score, tag] = fields;
        let value = match layout {
            Layout::Run => score_of(score)?,
            Layout::Judgements => grade_of(grade)?,
        };
        let entry = self.codes.len();
        let same = self.blocks.last().is_some_and(|&(code, _)| self.queries.token(code) == query);
        if !same {
            self.blocks.push((self.queries.intern(query), entry));
        }
        if entry == 0 {
            tag.clone_into(&mut self.tag);
        }
        self.codes.push(self.documents.intern(document));
        self.values.push(value);
        Ok(())
    }
}

/// Splits a line at blanks and says how many fields there are; those beyond the last slot are only
/// counted.
fn split<'a>(line: &'a str, fields: &mut [&'a str; MOST]) -> usize {
    let bytes = line.as_bytes();
    let is_blank = |&byte: &u8| byte == b' ' || byte == b'\t';
    let (mut found, mut at) = (0, 0);
    loop {
        let Some(start) = bytes[at..].iter().position(|byte| !is_blank(byte)) else { return found };
        let start = at + start;
        let end = bytes[start..].iter().position(is_blank).map_or(bytes.len(), |end| start + end);
        if let Some(field) = fields.get_mut(found) {
            *field = &line[start..end];
        }
        found += 1;
        at = end;
    }
}

fn score_of(text: &str) -> Result<f64, Flaw> {
    match text.parse::<f64>() {
        Ok(score) if score.is_finite() => Ok(score),
        Ok(_) => Err(Flaw::NotFinite { text: shown(text) }),
        Err(_) => Err(Flaw::NotANumber { text: shown(text), layout: Layout::Run }),
    }
}

fn grade_of(text: &str) -> Result<f64, Flaw> {
    match text.parse::<f64>() {
        Ok(grade) if grade.fract() == 0.0 && grade.abs() <= LARGEST_GRADE => Ok(grade),
        Ok(_) => Err(Flaw::NotWhole { text: shown(text) }),
        Err(_) => Err(Flaw::NotANumber { text: shown(text), layout: Layout::Judgements }),
    }
}
