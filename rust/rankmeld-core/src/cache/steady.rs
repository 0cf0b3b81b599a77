//! Time whose ages only grow, made of readings of a clock that may go back.

/// Steps back up to this many seconds are two threads that overtook each other between reading the
/// clock and coming here: time stands still for them. A longer one is a clock that was set back.
const OVERTAKEN: f64 = 1.0;

/// The latest of readings, in seconds, of a clock that may be set back.
///
/// What was measured before a clock was set back has to move back with it: then ages go on from
/// where they were, none is negative, and nothing outlives its time however often a clock jumps. A
/// sum of all jumps, kept instead, would swallow seconds beside one reading that was far too high.
#[derive(Debug)]
pub struct Steady {
    now: f64,
}

impl Steady {
    /// No reading yet.
    pub fn new() -> Self {
        Self { now: f64::NEG_INFINITY }
    }

    /// The time at the latest reading.
    #[inline]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// Takes a reading; where the clock was set back, gives the time that it had reached before.
    #[inline]
    pub fn read(&mut self, reading: f64) -> Option<f64> {
        if reading >= self.now {
            self.now = reading;
            return None;
        }
        if self.now - reading <= OVERTAKEN {
            return None;
        }
        Some(std::mem::replace(&mut self.now, reading))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The age of what was measured at the first reading.
    fn ages(readings: &[f64]) -> Vec<f64> {
        let (mut steady, mut since) = (Steady::new(), readings[0]);
        let age = |&reading: &f64| {
            if let Some(before) = steady.read(reading) {
                since = reading - (before - since);
            }
            steady.now() - since
        };
        readings.iter().map(age).collect()
    }

    #[test]
    fn a_clock_that_goes_forward_is_taken_as_it_is() {
        assert_eq!(ages(&[-3.5, 0.5, 0.5, 300.0]), [0.0, 4.0, 4.0, 303.5]);
    }

    #[test]
    fn a_clock_set_back_goes_on_from_where_it_was() {
        assert_eq!(ages(&[100.0, 40.0, 45.0, 41.0, 43.0]), [0.0, 0.0, 5.0, 5.0, 7.0]);
        assert_eq!(ages(&[1e300, 0.0, 0.5, 9.0]), [0.0, 0.0, 0.5, 9.0]);
    }

    #[test]
    fn threads_that_overtake_each_other_do_not_hurry_time() {
        assert_eq!(ages(&[5.0, 4.9, 5.0, 4.2, 5.5]), [0.0, 0.0, 0.0, 0.0, 0.5]);
    }

    proptest! {
        #[test]
        fn never_goes_back(readings in proptest::collection::vec(-1_000_000..1_000_000_i32, 1..50)) {
            let readings: Vec<f64> = readings.into_iter().map(|r| f64::from(r) / 4.0).collect();
            prop_assert!(ages(&readings).is_sorted());
        }
    }
}
