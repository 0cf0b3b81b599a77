//! What an id counts for that stands twice in one list.

use super::Rankings;
use crate::{Error, Watch};

/// The rule for repeats within one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// The best position counts, once.
    First,
    /// Every position counts.
    Sum,
    /// The last position counts, once.
    Last,
    /// A repeat replaces all credit so far, from any list (a rule of old full-text engines).
    Overwrite,
    /// A repeat is refused.
    Refuse,
}

/// One entry that counts, or the news that earlier ones do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The entry counts.
    Counts {
        /// Index of the list.
        list: usize,
        /// Position in it.
        position: usize,
        /// The candidate.
        code: u32,
    },
    /// Whatever the candidate had so far is void.
    Void {
        /// The candidate.
        code: u32,
    },
}

/// Marks the last list in which a candidate was seen; zero is none.
pub(super) struct Seen(Vec<u32>);

impl Seen {
    pub(super) fn new(candidates: usize) -> Self {
        Self(vec![0; candidates])
    }

    /// Whether the candidate was seen in this list before, and marks it.
    #[inline]
    pub(super) fn again(&mut self, code: u32, list: usize) -> bool {
        let mark = list as u32 + 1;
        std::mem::replace(&mut self.0[code as usize], mark) == mark
    }
}

/// Calls `visit` for every entry that counts, list by list.
///
/// Under [`Duplicates::Last`] a list is walked backwards, which no sum can tell.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn visit(
    rankings: &Rankings,
    rule: Duplicates,
    watch: Watch<'_>,
    mut visit: impl FnMut(Entry),
) -> Result<(), Error> {
    let mut seen = Seen::new(rankings.candidates);
    for (list, codes) in rankings.lists.iter().enumerate() {
        for step in 0..codes.len() {
            watch.check_at(step)?;
            let position = if rule == Duplicates::Last { codes.len() - 1 - step } else { step };
            let code = codes[position];
            if seen.again(code, list) {
                match rule {
                    Duplicates::First | Duplicates::Last | Duplicates::Refuse => continue,
                    Duplicates::Sum => {}
                    Duplicates::Overwrite => visit(Entry::Void { code }),
                }
            }
            visit(Entry::Counts { list, position, code });
        }
    }
    Ok(())
}

/// Refuses lists that hold an id twice.
///
/// # Errors
/// [`Error::DuplicateId`] for the first repeat, with both positions.
pub fn refuse_repeats(rankings: &Rankings) -> Result<(), Error> {
    let mut seen = Seen::new(rankings.candidates);
    for (list, codes) in rankings.lists.iter().enumerate() {
        for (second, &candidate) in codes.iter().enumerate() {
            if seen.again(candidate, list) {
                let first = codes.iter().position(|&code| code == candidate).unwrap_or(second);
                return Err(Error::DuplicateId { list, candidate, first, second });
            }
        }
    }
    Ok(())
}
