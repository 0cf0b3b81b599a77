//! What documents say of their own worth and age, as numbers.

/// A moment: microseconds since 1970-01-01 UTC, within the years 1 to 9999.
pub type Moment = i64;

/// How long a memory is meant to live.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tier {
    /// Nobody said.
    #[default]
    Unset,
    /// What is being worked on.
    Working,
    /// What happened.
    Episodic,
    /// Facts.
    Semantic,
    /// How to do a thing.
    Procedural,
}

impl Tier {
    /// Every tier, each at the place of its own number.
    pub const ALL: [Self; 5] =
        [Self::Unset, Self::Working, Self::Episodic, Self::Semantic, Self::Procedural];

    /// Whether a memory of this tier fades by itself.
    #[must_use]
    pub fn is_short_term(self) -> bool {
        matches!(self, Self::Unset | Self::Working | Self::Episodic)
    }
}

/// One document's signals; the default is a document of which nothing is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Signals {
    /// When it was made.
    pub created: Option<Moment>,
    /// When it was last written.
    pub updated: Option<Moment>,
    /// When what it says came about.
    pub valid_from: Option<Moment>,
    /// When it was last used.
    pub accessed: Option<Moment>,
    /// `ln(1 + n)` of a document that was used n times.
    pub familiarity: f64,
    /// Finite, not clamped; the assessed one where there is one.
    pub importance: Option<f64>,
    /// Finite, not clamped.
    pub confidence: Option<f64>,
    /// How long it is meant to live.
    pub tier: Tier,
    /// Whether `time_decay` takes nothing from it.
    pub evergreen: bool,
}

impl Signals {
    /// When somebody last had to do with it.
    #[must_use]
    pub fn touched(&self) -> Option<Moment> {
        self.accessed.or(self.updated).or(self.created)
    }

    /// When it was last written.
    #[must_use]
    pub fn written(&self) -> Option<Moment> {
        self.updated.or(self.created)
    }

    /// When it was last known to hold: the later of writing it anew and using it.
    #[must_use]
    pub fn confirmed(&self) -> Option<Moment> {
        self.updated.max(self.accessed)
    }

    /// The time that it is about.
    #[must_use]
    pub fn about(&self) -> Option<Moment> {
        self.valid_from.or(self.created)
    }
}

/// Fractional days from one moment to another, negative where that one is earlier.
#[must_use]
pub fn days_between(from: Moment, to: Moment) -> f64 {
    as_days(to - from)
}

/// Days from a moment to now; a moment after now has age zero.
#[must_use]
pub fn age_in_days(moment: Moment, now: Moment) -> f64 {
    days_between(moment, now).max(0.0)
}

/// Microseconds as fractional days of 86,400 seconds, the seconds correctly rounded.
#[must_use]
pub fn as_days(microseconds: i64) -> f64 {
    seconds(microseconds) / 86_400.0
}

/// Correctly rounded, so that the bits are those of `timedelta.total_seconds`.
fn seconds(microseconds: i64) -> f64 {
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    let near = microseconds as f64;
    let quotient = near / 1e6;
    if microseconds.unsigned_abs() <= EXACT {
        return quotient;
    }
    // What both roundings left: the numbers are too short to come near a tie without being one.
    let left = (microseconds - near as i64) as f64;
    quotient + ((-quotient).mul_add(1e6, near) + left) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The nearest float to `n / 10^6`, found with integers.
    fn is_nearest(n: i64, found: f64) -> bool {
        // All of these floats are multiples of 2^-35 here, so that their distance is exact.
        let distance = |float: f64| {
            let scaled = (float * 2.0_f64.powi(35)) as i128;
            (scaled * 1_000_000 - (i128::from(n) << 35)).unsigned_abs()
        };
        let own = distance(found);
        own <= distance(found.next_up()) && own <= distance(found.next_down())
    }

    proptest! {
        #[test]
        fn seconds_are_correctly_rounded(n in 9_007_199_254_740_992..700_000_000_000_000_000_i64) {
            prop_assert!(is_nearest(n, seconds(n)));
            prop_assert_eq!(seconds(-n), -seconds(n));
        }
    }

    #[test]
    fn days_have_86_400_seconds() {
        assert_eq!(as_days(86_400_000_000), 1.0);
        assert_eq!(days_between(43_200_000_000, 0), -0.5);
        assert_eq!(age_in_days(43_200_000_000, 0), 0.0);
    }

    #[test]
    fn each_tier_stands_at_its_number() {
        assert!(Tier::ALL.iter().enumerate().all(|(place, &tier)| tier as usize == place));
    }

    #[test]
    fn what_is_known_of_time() {
        let both = Signals { updated: Some(5), accessed: Some(3), ..Signals::default() };
        assert_eq!((both.touched(), both.confirmed(), both.about()), (Some(3), Some(5), None));
        let made = Signals { created: Some(1), ..Signals::default() };
        assert_eq!((made.touched(), made.written(), made.about()), (Some(1), Some(1), Some(1)));
        assert_eq!(made.confirmed(), None);
    }
}
