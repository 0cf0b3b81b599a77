//! Which instructions the processor has, asked once per kernel call and handed down.
//!
//! A kernel that comes in several widths gives the same bits in each of them; the portable one is
//! the definition. So the choice is an argument like any other, and tests go through all of them.

/// Widths that kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Processor {
    /// What the target has at the least.
    Portable,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL, besides the former.
    Avx512,
}

impl Processor {
    /// The widest that this processor has.
    #[must_use]
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::Portable)
    }

    /// All that this processor can run, the widest last.
    #[must_use]
    pub fn available() -> &'static [Self] {
        const ALL: [Processor; 3] = [Processor::Portable, Processor::Avx2, Processor::Avx512];
        #[cfg(target_arch = "x86_64")]
        let widths = {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            1 + usize::from(avx2) + usize::from(avx512)
        };
        #[cfg(not(target_arch = "x86_64"))]
        let widths = 1;
        &ALL[..widths]
    }
}
