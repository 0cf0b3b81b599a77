//! The container of everything that is kept in a file: what it is, its version, and checksums.
//!
//! A header of 48 bytes: `rankmeld`, the kind (16 bytes, filled up with zeros), the version and
//! the number of parts (u32 each), eight zeros, and the XXH3 of what precedes. Then the length of
//! each part (u64), the parts, and the XXH3 of all that follows the header. Little endian.

use std::ops::Range;

use thiserror::Error as ThisError;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: &[u8; 8] = b"rankmeld";
const KIND: Range<usize> = 8..24;
const VERSION: Range<usize> = 24..28;
const COUNT: Range<usize> = 28..32;
const HEADER_SUM: Range<usize> = 40..48;
const HEADER: usize = 48;

/// Why a file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum Refusal {
    /// It is no file of this kind.
    #[error("it is something else")]
    Foreign,
    /// A later version wrote it.
    #[error("it has version {0}")]
    Newer(u32),
    /// It ends too early.
    #[error("it ends too early")]
    Truncated,
    /// Its content is not what was written.
    #[error("its checksum is wrong")]
    Damaged,
}

/// The parts as one file.
///
/// # Panics
/// For a kind of more than 16 bytes.
#[must_use]
pub fn seal(kind: &str, version: u32, parts: &[&[u8]]) -> Vec<u8> {
    let size: usize = parts.iter().map(|part| part.len() + 8).sum();
    let mut bytes = Vec::with_capacity(HEADER + size + 8);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&padded(kind));
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.extend_from_slice(&(parts.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
    }
    for part in parts {
        bytes.extend_from_slice(part);
    }
    let mut sum = Xxh3::new();
    sum.update(&bytes[HEADER..]);
    bytes.extend_from_slice(&sum.digest().to_le_bytes());
    bytes
}

/// Where the parts of a file lie, and its version, which is `newest` or an earlier one.
///
/// # Errors
/// [`Refusal`].
pub fn unseal(kind: &str, newest: u32, bytes: &[u8]) -> Result<(u32, Vec<Range<usize>>), Refusal> {
    let known = bytes.len().min(MAGIC.len());
    if bytes[..known] != MAGIC[..known] || bytes.is_empty() {
        return Err(Refusal::Foreign);
    }
    if bytes.len() < HEADER {
        return Err(Refusal::Truncated);
    }
    if number(bytes, HEADER_SUM) != xxh3_64(&bytes[..HEADER_SUM.start]) {
        return Err(Refusal::Damaged);
    }
    if bytes[KIND] != padded(kind) {
        return Err(Refusal::Foreign);
    }
    let version = number(bytes, VERSION) as u32;
    if version > newest {
        return Err(Refusal::Newer(version));
    }
    let parts = parts(bytes, number(bytes, COUNT) as usize).ok_or(Refusal::Truncated)?;
    let end = parts.last().map_or(HEADER, |part| part.end);
    match bytes.len().cmp(&(end + 8)) {
        std::cmp::Ordering::Less => return Err(Refusal::Truncated),
        std::cmp::Ordering::Greater => return Err(Refusal::Damaged),
        std::cmp::Ordering::Equal => {}
    }
    if number(bytes, end..end + 8) != xxh3_64(&bytes[HEADER..end]) {
        return Err(Refusal::Damaged);
    }
    Ok((version, parts))
}

/// Where so many parts lie, if the file is long enough for the table of their lengths.
fn parts(bytes: &[u8], count: usize) -> Option<Vec<Range<usize>>> {
    let table = count.checked_mul(8)?.checked_add(HEADER).filter(|&end| end <= bytes.len())?;
    let mut start = table;
    (HEADER..table)
        .step_by(8)
        .map(|at| {
            let length = usize::try_from(number(bytes, at..at + 8)).ok()?;
            let end = start.checked_add(length).filter(|&end| end <= bytes.len())?;
            Some(std::mem::replace(&mut start, end)..end)
        })
        .collect()
}

fn padded(kind: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..kind.len()].copy_from_slice(kind.as_bytes());
    bytes
}

fn number(bytes: &[u8], range: Range<usize>) -> u64 {
    let mut wide = [0; 8];
    wide[..range.len()].copy_from_slice(&bytes[range]);
    u64::from_le_bytes(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> Vec<u8> {
        seal("a kind", 2, &[b"one", b"", b"three"])
    }

    #[test]
    fn what_was_sealed_comes_back() {
        let bytes = sealed();
        let (version, parts) = unseal("a kind", 2, &bytes).expect("whole");
        let parts: Vec<&[u8]> = parts.into_iter().map(|part| &bytes[part]).collect();
        assert_eq!((version, parts), (2, vec![&b"one"[..], b"", b"three"]));
        let nothing = seal("a kind", 1, &[]);
        assert_eq!(unseal("a kind", 2, &nothing), Ok((1, Vec::new())));
    }

    #[test]
    fn no_changed_byte_and_no_cut_goes_unseen() {
        let bytes = sealed();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(unseal("a kind", 2, &changed).is_err(), "byte {at}");
            assert!(unseal("a kind", 2, &bytes[..at]).is_err(), "cut at {at}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert_eq!(unseal("a kind", 2, &longer), Err(Refusal::Damaged));
    }

    #[test]
    fn each_refusal_says_what_is_wrong() {
        let bytes = sealed();
        assert_eq!(unseal("a kind", 1, &bytes), Err(Refusal::Newer(2)));
        assert_eq!(unseal("another", 2, &bytes), Err(Refusal::Foreign));
        assert_eq!(unseal("a kind", 2, b"{}"), Err(Refusal::Foreign));
        assert_eq!(unseal("a kind", 2, b""), Err(Refusal::Foreign));
        assert_eq!(unseal("a kind", 2, &bytes[..20]), Err(Refusal::Truncated));
        assert_eq!(unseal("a kind", 2, &bytes[..bytes.len() - 1]), Err(Refusal::Truncated));
    }
}
