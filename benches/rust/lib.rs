//! What the benchmarks share; nothing else lives in this member.

/// A small generator with a fixed seed (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014), so that every run has the same lists.
pub struct SplitMix(pub u64);

impl SplitMix {
    /// Sixty-four of them.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2.0_f64.powi(-53)
    }

    /// Any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            let other = (self.unit() * (place + 1) as f64) as usize;
            items.swap(place, other);
        }
    }
}
