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
/// Zero is no `inside` byte. A byte of a character beyond ASCII has its upper bit set, so what `inside` says of those holds
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
#[inline(always)]
fn mask(block: &[u8; BLOCK], kind: impl Kind) -> u64 {
    /// Gathers the lowest bits of eight bytes in the highest byte: bit 8 i goes to bit 56 + i.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut flags = [0; BLOCK];
    for (flag, &byte) in flags.iter_mut().zip(block) {
        *flag = u8::from(kind(byte));
    }
    let mut mask = 0;
    let (eights, _) = flags.as_chunks::<8>();
    for (place, &eight) in eights.iter().enumerate() {
        mask |= (u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56) << (8 * place);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `(start, end, special)` of each run, byte by byte.
    fn by_hand(bytes: &[u8], inside: impl Kind, special: impl Kind) -> Vec<(usize, usize, bool)> {
        let mut runs: Vec<(usize, usize, bool)> = Vec::new();
        for (at, &byte) in bytes.iter().enumerate().filter(|&(_, &byte)| inside(byte)) {
            match runs.last_mut() {
                Some(run) if run.1 == at => *run = (run.0, at + 1, run.2 || special(byte)),
                _ => runs.push((at, at + 1, special(byte))),
            }
        }
        runs
    }

    fn found(bytes: &[u8], inside: impl Kind, special: impl Kind) -> Vec<(usize, usize, bool)> {
        let mut runs = Vec::new();
        let done = each_run(bytes, inside, special, Watch::never(), |start, end, special| {
            runs.push((start, end, special));
            Ok(())
        });
        done.expect("nobody stops it");
        runs
    }

    proptest! {
        #[test]
        fn equals_looking_at_byte_after_byte(
            bytes in proptest::collection::vec(prop_oneof![Just(b' '), Just(b'a'), 0..=255_u8], 0..300)
        ) {
            let inside = |byte: u8| byte > b' ';
            let special = |byte: u8| !byte.is_ascii();
            prop_assert_eq!(found(&bytes, inside, special), by_hand(&bytes, inside, special));
            let odd = |byte: u8| byte % 2 == 1;
            let third = |byte: u8| byte % 3 == 1;
            prop_assert_eq!(found(&bytes, odd, third), by_hand(&bytes, odd, third));
        }
    }

    #[test]
    fn a_run_may_end_with_a_block_or_with_the_text() {
        for length in 0..200 {
            for before in 0..4 {
                let bytes = [vec![b' '; before], vec![b'a'; length]].concat();
                let wanted: Vec<_> =
                    (length > 0).then_some((before, before + length, false)).into_iter().collect();
                assert_eq!(found(&bytes, |byte| byte == b'a', |byte| byte == b' '), wanted);
            }
        }
    }

    #[test]
    fn it_stops_when_told() {
        let bytes = vec![b'a'; BLOCK * BLOCKS];
        let stop = Watch::new(&|| false);
        let done = each_run(&bytes, |_| true, |_| false, stop, |_, _, _| Ok(()));
        assert_eq!(done, Err(Error::Interrupted));
    }
}
