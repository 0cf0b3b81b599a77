//! Time that only goes forward, made of readings of a clock that may not.

/// Steps back up to this many seconds are two threads that overtook each other between reading the
/// clock and coming here: time stands still for them. A longer one is a clock that was set back.
const OVERTAKEN: f64 = 1.0;

/// Turns readings, in seconds, into a time that never goes back.
///
/// After a clock was set back, time goes on from where it was by what the clock advances. So no age
/// is negative, and nothing outlives its time however often a clock jumps.
#[derive(Debug)]
pub struct Steady {
    now: f64,
    shift: f64,
}

impl Steady {
    /// No reading yet.
    pub fn new() -> Self {
        Self { now: f64::NEG_INFINITY, shift: 0.0 }
    }

    /// The time at the latest reading.
    #[inline]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The time at a reading.
    #[inline]
    pub fn at(&mut self, reading: f64) -> f64 {
        let time = reading + self.shift;
        if time >= self.now {
            self.now = time;
        } else if self.now - time > OVERTAKEN {
            self.shift = self.now - reading;
        }
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times(readings: &[f64]) -> Vec<f64> {
        let mut steady = Steady::new();
        readings.iter().map(|&reading| steady.at(reading)).collect()
    }

    #[test]
    fn a_clock_that_goes_forward_is_taken_as_it_is() {
        assert_eq!(times(&[-3.5, 0.1, 0.1, 300.1]), [-3.5, 0.1, 0.1, 300.1]);
    }

    #[test]
    fn a_clock_set_back_goes_on_from_where_it_was() {
        assert_eq!(times(&[100.0, 40.0, 45.0, 41.0, 43.0]), [100.0, 100.0, 105.0, 105.0, 107.0]);
        assert_eq!(times(&[1e15, 0.0, 0.5]), [1e15, 1e15, 1e15 + 0.5]);
    }

    #[test]
    fn threads_that_overtake_each_other_do_not_hurry_time() {
        assert_eq!(times(&[5.0, 4.9, 5.0, 4.2, 5.5]), [5.0, 5.0, 5.0, 5.0, 5.5]);
    }

    proptest! {
        #[test]
        fn never_goes_back(readings in proptest::collection::vec(-1e12..1e12_f64, 1..50)) {
            prop_assert!(times(&readings).is_sorted());
        }
    }
}
