//! Tiles for x86-64: the definition's arithmetic in wide registers, chosen when the call is made.
#![expect(unsafe_code, reason = "vector instructions of x86-64")]

use std::arch::x86_64::{
    __m512bh, __m512i, _mm256_add_epi32, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_loadu_pd,
    _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_set1_pd,
    _mm256_set1_ps, _mm256_setzero_pd, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_storeu_pd,
    _mm256_storeu_ps, _mm256_storeu_si256, _mm512_dpbf16_ps, _mm512_dpbusd_epi32, _mm512_fmadd_pd,
    _mm512_fmadd_ps, _mm512_loadu_pd, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_set1_epi32,
    _mm512_set1_pd, _mm512_set1_ps, _mm512_setzero_pd, _mm512_setzero_ps, _mm512_setzero_si512,
    _mm512_storeu_pd, _mm512_storeu_ps, _mm512_storeu_si512, _mm512_xor_si512,
};
use std::array::from_fn;
use std::mem::transmute;

use super::kernels::{Kernels, Work};
use super::tile::{Bf16Pairs, ByteFours, Doubles, LANES, Lanes, Singles, Sums, Tile, WordPairs};
use crate::Processor;

/// How many rows go through the registers together: equal shares of at most `most`.
const fn share(count: usize, most: usize) -> usize {
    count / count.div_ceil(most)
}

/// Declares tiles: the twin that defines them, the instructions that they need, rows and blocks at a
/// time, registers that hold sixteen sums, and how those are filled, multiplied and put away.
///
/// All of it stands in one function for those instructions. Small functions for each step would have
/// to be inlined into it, which the compiler may decline across sets of instructions.
macro_rules! tiles {
    ($(
        $(#[$doc:meta])*
        $name:ident like $twin:ty, $features:literal, $most:literal x $blocks:literal,
        $parts:literal registers $(, moved by $moved:literal)?;
        $no_sum:expr, $load:path, $store:path, $no_query:expr, $lanes:path,
        |$x:ident: $as:ty| $spread:expr,
        |$sum:ident, $d:ident, $q:ident| $add:expr;
    )*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl $name {
            /// Complete sums of `R` document vectors with `B` blocks of the query.
            #[target_feature(enable = $features)]
            fn fixed<const R: usize, const B: usize>(
                rows: &[<Self as Tile>::Element],
                lanes: &[Lanes<<Self as Tile>::Lane>],
                start: &[Lanes<<Self as Tile>::Sum>],
                sums: &mut [&mut [Lanes<<Self as Tile>::Sum>]; B],
            ) {
                const EACH: usize = LANES / $parts;
                let steps = lanes.len() / B;
                let width = steps * Self::STEP;
                assert!(start.len() == B && lanes.len() == B * steps && rows.len() >= R * width);
                assert!(sums.iter().all(|sums| sums.len() >= R));
                let rows: [_; R] = from_fn(|row| rows[row * width..].as_ptr());
                let mut running = [[[$no_sum; $parts]; B]; R];
                for block in 0..B {
                    for part in 0..$parts {
                        let from = start[block].0[part * EACH..].as_ptr();
                        // SAFETY: a register's part of sixteen sums.
                        let sums = unsafe { $load(from.cast()) };
                        for running in &mut running {
                            running[block][part] = sums;
                        }
                    }
                }
                for step in 0..steps {
                    let mut query = [[$no_query; $parts]; B];
                    for block in 0..B {
                        for part in 0..$parts {
                            let from = lanes.as_ptr().wrapping_add(block * steps + step).cast();
                            let from: *const <Self as Tile>::Lane = from;
                            // SAFETY: a register's part of one of the `B * steps` sixteen lanes.
                            query[block][part] = unsafe { $lanes(from.add(part * EACH).cast()) };
                        }
                    }
                    for row in 0..R {
                        let $x: *const $as = rows[row].wrapping_add(step * Self::STEP).cast();
                        // SAFETY: each row has `steps` steps of elements.
                        let $d = unsafe { $spread };
                        for block in 0..B {
                            for part in 0..$parts {
                                let ($sum, $q) = (running[row][block][part], query[block][part]);
                                // SAFETY: kinds of vectors differ in name alone.
                                #[allow(unused_unsafe, reason = "most need no such change of kind")]
                                let sum = unsafe { $add };
                                running[row][block][part] = sum;
                            }
                        }
                    }
                }
                for row in 0..R {
                    for block in 0..B {
                        for part in 0..$parts {
                            let to = &mut sums[block][row].0[part * EACH..];
                            // SAFETY: a register's part of sixteen sums.
                            unsafe { $store(to.as_mut_ptr().cast(), running[row][block][part]) }
                        }
                    }
                }
            }

            #[inline(always)]
            fn rows<const B: usize>(
                rows: &[<Self as Tile>::Element],
                lanes: &[Lanes<<Self as Tile>::Lane>],
                start: &[Lanes<<Self as Tile>::Sum>],
                mut sums: [&mut [Lanes<<Self as Tile>::Sum>]; B],
            ) {
                let width = lanes.len() / B * Self::STEP;
                let count = sums[0].len();
                let together = share(count, $most);
                for first in (0..count).step_by(together) {
                    let rows = &rows[first * width..];
                    let sums = &mut sums.each_mut().map(|sums| &mut sums[first..]);
                    // SAFETY: `Kernels` names tiles only where the processor has the features.
                    unsafe {
                        match together {
                            12 => Self::fixed::<{ share(12, $most) }, B>(rows, lanes, start, sums),
                            8 => Self::fixed::<{ share(8, $most) }, B>(rows, lanes, start, sums),
                            6 => Self::fixed::<{ share(6, $most) }, B>(rows, lanes, start, sums),
                            4 => Self::fixed::<{ share(4, $most) }, B>(rows, lanes, start, sums),
                            2 => Self::fixed::<2, B>(rows, lanes, start, sums),
                            _ => Self::fixed::<1, B>(rows, lanes, start, sums),
                        }
                    }
                }
            }
        }

        impl Tile for $name {
            type Element = <$twin as Tile>::Element;
            type Lane = <$twin as Tile>::Lane;
            type Sum = <$twin as Tile>::Sum;
            const STEP: usize = <$twin as Tile>::STEP;
            $(const MOVED: i32 = $moved;)?

            #[inline(always)]
            fn sums(
                rows: &[Self::Element],
                count: usize,
                lanes: &[Lanes<Self::Lane>],
                start: &[Lanes<Self::Sum>],
                sums: &mut Sums<Self::Sum>,
            ) {
                let steps = lanes.len() / start.len();
                let [first, second] = sums.each_mut().map(|sums| &mut sums[..count]);
                if $blocks == 2 && start.len() == 2 {
                    return Self::rows::<2>(rows, lanes, start, [first, second]);
                }
                Self::rows::<1>(rows, &lanes[..steps], &start[..1], [first]);
                if start.len() == 2 {
                    Self::rows::<1>(rows, &lanes[steps..], &start[1..], [second]);
                }
            }
        }
    )*};
}

tiles! {
    /// 32 query vectors take 24 of 32 registers for their sums with 12 document vectors.
    Singles512 like Singles, "avx512f", 12 x 2, 1 registers;
    _mm512_setzero_ps(), _mm512_loadu_ps, _mm512_storeu_ps, _mm512_setzero_ps(), _mm512_loadu_ps,
    |x: f32| _mm512_set1_ps(*x), |sum, d, q| _mm512_fmadd_ps(d, q, sum);

    /// Sixteen doubles take two registers, so one block at a time.
    Doubles512 like Doubles, "avx512f", 12 x 1, 2 registers;
    _mm512_setzero_pd(), _mm512_loadu_pd, _mm512_storeu_pd, _mm512_setzero_pd(), _mm512_loadu_pd,
    |x: f64| _mm512_set1_pd(*x), |sum, d, q| _mm512_fmadd_pd(d, q, sum);

    /// Two products a lane in each instruction.
    Pairs512 like Bf16Pairs, "avx512f,avx512bf16", 12 x 2, 1 registers;
    _mm512_setzero_ps(), _mm512_loadu_ps, _mm512_storeu_ps, _mm512_setzero_si512(), _mm512_loadu_si512,
    |x: i32| _mm512_set1_epi32(x.read_unaligned()),
    |sum, d, q| _mm512_dpbf16_ps(
        sum, transmute::<__m512i, __m512bh>(d), transmute::<__m512i, __m512bh>(q)
    );

    /// Four products a lane in each instruction, of an unsigned byte and a signed one.
    Bytes512 like ByteFours, "avx512f,avx512vnni", 12 x 2, 1 registers, moved by 128;
    _mm512_setzero_si512(), _mm512_loadu_si512, _mm512_storeu_si512, _mm512_setzero_si512(), _mm512_loadu_si512,
    |x: i32| _mm512_xor_si512(
        _mm512_set1_epi32(x.read_unaligned()), _mm512_set1_epi32(i32::from_ne_bytes([0x80; 4]))
    ),
    |sum, d, q| _mm512_dpbusd_epi32(sum, d, q);

    /// 16 query vectors take 12 of 16 registers for their sums with 6 document vectors.
    Singles256 like Singles, "avx2,fma", 6 x 1, 2 registers;
    _mm256_setzero_ps(), _mm256_loadu_ps, _mm256_storeu_ps, _mm256_setzero_ps(), _mm256_loadu_ps,
    |x: f32| _mm256_set1_ps(*x), |sum, d, q| _mm256_fmadd_ps(d, q, sum);

    /// Sixteen doubles take four registers, so two rows at a time.
    Doubles256 like Doubles, "avx2,fma", 2 x 1, 4 registers;
    _mm256_setzero_pd(), _mm256_loadu_pd, _mm256_storeu_pd, _mm256_setzero_pd(), _mm256_loadu_pd,
    |x: f64| _mm256_set1_pd(*x), |sum, d, q| _mm256_fmadd_pd(d, q, sum);

    /// Two products a lane in each instruction.
    Words256 like WordPairs, "avx2", 6 x 1, 2 registers;
    _mm256_setzero_si256(), _mm256_loadu_si256, _mm256_storeu_si256, _mm256_setzero_si256(), _mm256_loadu_si256,
    |x: i32| _mm256_set1_epi32(x.read_unaligned()),
    |sum, d, q| _mm256_add_epi32(sum, _mm256_madd_epi16(d, q));
}

/// AVX2, FMA and F16C.
pub struct Avx2;

impl Kernels for Avx2 {
    type Singles = Singles256;
    type Doubles = Doubles256;
    type Pairs = Bf16Pairs;
    type Bytes = ByteFours;
    type Words = Words256;
    const PAIRS: bool = false;
    const BYTES: bool = false;
}

/// AVX-512 F, BW, DQ and VL, with the instructions for bfloat16 and bytes or without.
pub struct Avx512<const BF16: bool, const VNNI: bool>;

impl<const BF16: bool, const VNNI: bool> Kernels for Avx512<BF16, VNNI> {
    type Singles = Singles512;
    type Doubles = Doubles512;
    type Pairs = Pairs512;
    type Bytes = Bytes512;
    type Words = Words256;
    const PAIRS: bool = BF16;
    const BYTES: bool = VNNI;
}

/// Does the work with AVX2 if that is what the processor has.
pub fn with_avx2<W: Work>(work: W) -> W::Output {
    #[target_feature(enable = "avx2,fma,f16c")]
    fn run<W: Work>(work: W) -> W::Output {
        work.run::<Avx2>()
    }
    assert!(Processor::available().contains(&Processor::Avx2), "no AVX2");
    // SAFETY: it has just been asked for.
    unsafe { run(work) }
}

/// Does the work with AVX-512 if that is what the processor has.
pub fn with_avx512<W: Work>(work: W) -> W::Output {
    #[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
    fn run<W: Work, const BF16: bool, const VNNI: bool>(work: W) -> W::Output {
        work.run::<Avx512<BF16, VNNI>>()
    }
    assert!(Processor::available().contains(&Processor::Avx512), "no AVX-512");
    let bf16 = is_x86_feature_detected!("avx512bf16");
    let vnni = is_x86_feature_detected!("avx512vnni");
    // SAFETY: they have just been asked for.
    unsafe {
        match (bf16, vnni) {
            (true, true) => run::<W, true, true>(work),
            (_, true) => run::<W, false, true>(work),
            _ => run::<W, false, false>(work),
        }
    }
}
