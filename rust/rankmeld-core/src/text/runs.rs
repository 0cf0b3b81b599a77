//! Runs of bytes between separators, found 64 bytes at a time.

use crate::{Error, Watch};

/// Bytes that are looked at together: one for each bit of a mask.
const BLOCK: usize = 64;

/// Blocks between two questions to the watch.
const BLOCKS: usize = 1 << 14;

/// A kind of byte, as a function that compilers turn into vector instructions.
pub(super) trait Kind: Fn(u8) -> bool + Copy {}

impl<T: Fn(u8) -> bool + Copy> Kind for T {}

/// Calls `found(start, end, special)` for each maximal run of `inside` bytes, in order; `special`
/// says whether a byte of that kind is in it.
///
/// A byte of a character beyond ASCII has its upper bit set, so what `inside` says of those holds
/// for whole characters, and a run begins and ends between characters.
///
/// # Errors
/// [`Error::Interrupted`], and what `found` gives.
pub(super) fn each_run(
    bytes: &[u8],
    inside: impl Kind,
    special: impl Kind,
    watch: Watch<'_>,
    mut found: impl FnMut(usize, usize, bool) -> Result<(), Error>,
) -> Result<(), Error> {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    // Zeros are outside, so the last run ends with the text.
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    let mut start = 0;
    let mut open = 0;
    let mut is_special = false;
    for (index, block) in blocks.iter().chain([&last]).enumerate() {
        if index % BLOCKS == BLOCKS - 1 {
            watch.check()?;
        }
        let from = index * BLOCK;
        let inside = mask(block, inside);
        let special = mask(block, special);
        // A bit where inside and outside meet; the bit before the first is the last block's last.
        let mut edges = inside ^ ((inside << 1) | open);
        let mut seen = 0_u64;
        while edges != 0 {
            let at = edges.trailing_zeros();
            edges &= edges - 1;
            let before = (1_u64 << at) - 1;
            if open == 0 {
                start = from + at as usize;
                is_special = false;
            } else {
                is_special |= special & before & !seen != 0;
                found(start, from + at as usize, is_special)?;
            }
            seen = before;
            open ^= 1;
        }
        is_special |= open == 1 && special & !seen != 0;
    }
    if open == 1 { found(start, bytes.len(), is_special) } else { Ok(()) }
}

/// A bit for each byte of the kind, the first byte's lowest.
#[inline]
fn mask(block: &[u8; BLOCK], kind: impl Kind) -> u64 {
    /// Gathers the lowest bits of eight bytes in the highest byte: bit 8 i goes to bit 56 + i.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let flags = block.map(|byte| u8::from(kind(byte)));
    let (eights, _) = flags.as_chunks::<8>();
    eights
        .iter()
        .rev()
        .fold(0, |mask, &eight| mask << 8 | u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56)
}
