//! One kernel, compiled for every width of instructions.
//!
//! A kernel is plain code in a type that implements [`Kernel`]. It is compiled once for each
//! [`Processor`], and the compiler makes of each copy what those instructions allow. It neither
//! reorders sums nor contracts a product and a sum, so all copies give the same bits; the one
//! without further instructions is the portable twin.

#![expect(unsafe_code, reason = "calling code made for instructions that were asked for first")]

use crate::Processor;

/// A computation with its arguments.
pub trait Kernel {
    /// What it gives.
    type Output;

    /// Computes. This and all that it calls in its loops must be `#[inline(always)]`: what is not
    /// inlined keeps the instructions of the build.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with the instructions of `processor`, or of this one if it has fewer.
pub fn run<K: Kernel>(kernel: K, processor: Processor) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    match processor.min(Processor::best()) {
        // SAFETY: `best` has just found all of these instructions.
        Processor::Avx512 => return unsafe { with_avx512(kernel) },
        // SAFETY: as above.
        Processor::Avx2 => return unsafe { with_avx2(kernel) },
        Processor::Portable => {}
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = processor;
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
fn with_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
