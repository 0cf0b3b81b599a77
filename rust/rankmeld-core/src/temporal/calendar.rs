//! Days, months and years, counted.
//!
//! The calendar is the Gregorian one, also before it was introduced. A day is its number, 1 being
//! 1 January of the year 1 (a Monday); a month is `12 * year + month - 1`. Numbers may go below
//! the year 1: whoever gives a day out sees to it that it exists.

use std::ops::Range;

/// Days in 400 years, after which the calendar repeats.
const CYCLE: i64 = 146_097;

/// The number of a month; months of 1 to 12.
pub(super) fn month_number(year: i64, month: u8) -> i64 {
    12 * year + i64::from(month) - 1
}

/// The days of a month.
pub(super) fn month_days(month: i64) -> Range<i64> {
    first_of_month(month)..first_of_month(month + 1)
}

/// A day of a month, if the month has it.
pub(super) fn day_of_month(month: i64, day: u32) -> Option<i64> {
    let days = month_days(month);
    let found = days.start + i64::from(day) - 1;
    days.contains(&found).then_some(found)
}

/// The number of the month that a day is in.
pub(super) fn month_of(day: i64) -> i64 {
    // A mean month's length finds the month or a neighbour of it.
    let mut month = ((day - 1) * 4_800).div_euclid(CYCLE) + 12;
    while first_of_month(month) > day {
        month -= 1;
    }
    while first_of_month(month + 1) <= day {
        month += 1;
    }
    month
}

/// The year that a day is in.
pub(super) fn year_of(day: i64) -> i64 {
    month_of(day).div_euclid(12)
}

/// The days of a year.
pub(super) fn year_days(year: i64) -> Range<i64> {
    first_of_month(12 * year)..first_of_month(12 * year + 12)
}

/// The same day of an earlier month, or the last one of that month.
pub(super) fn months_before(day: i64, months: i64) -> i64 {
    let month = month_of(day);
    let target = month_days(month - months);
    (target.start + day - first_of_month(month)).min(target.end - 1)
}

/// Days since Monday.
pub(super) fn weekday(day: i64) -> i64 {
    (day - 1).rem_euclid(7)
}

/// The middle one of some days; of two, the earlier.
pub(super) fn middle(days: &Range<i64>) -> i64 {
    days.start + (days.end - 1 - days.start) / 2
}

fn first_of_month(month: i64) -> i64 {
    let (year, month) = (month.div_euclid(12), month.rem_euclid(12));
    // A year that begins in March has its leap day last, and months of 31 and 30 days that
    // alternate as this quotient does.
    let (year, since_march) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * since_march + 2) / 5 - 305
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(year: i64, month: u8, day: u32) -> i64 {
        day_of_month(month_number(year, month), day).expect("a date")
    }

    #[test]
    fn days_are_numbered_from_the_year_one() {
        assert_eq!(day(1, 1, 1), 1);
        assert_eq!(day(1970, 1, 1), 719_163);
        assert_eq!(day(2024, 2, 29), 738_945);
        assert_eq!(day(9999, 12, 31), 3_652_059);
    }

    #[test]
    fn every_day_is_in_its_month() {
        let mut next = 1;
        for month in 12..12 * 10_000 {
            let days = month_days(month);
            assert_eq!(days.start, next);
            assert!((28..=31).contains(&(days.end - days.start)));
            assert_eq!(month_of(days.start), month);
            assert_eq!(month_of(days.end - 1), month);
            next = days.end;
        }
        assert_eq!(next, 3_652_060);
    }

    #[test]
    fn months_have_the_days_they_have() {
        for (year, month, last) in [(2023, 2, 28), (2024, 2, 29), (1900, 2, 28), (2000, 2, 29)] {
            let number = month_number(year, month);
            assert!(day_of_month(number, last).is_some());
            assert_eq!(day_of_month(number, last + 1), None);
            assert_eq!(day_of_month(number, 0), None);
        }
    }

    #[test]
    fn the_same_day_of_a_shorter_month_is_its_last() {
        assert_eq!(months_before(day(2024, 3, 31), 1), day(2024, 2, 29));
        assert_eq!(months_before(day(2024, 1, 15), 13), day(2022, 12, 15));
    }

    #[test]
    fn weeks_begin_on_monday() {
        assert_eq!(weekday(day(1, 1, 1)), 0);
        assert_eq!(weekday(day(2024, 3, 20)), 2);
        assert_eq!(weekday(day(2024, 3, 24)), 6);
    }

    #[test]
    fn of_two_middle_days_the_earlier_counts() {
        assert_eq!(middle(&(10..13)), 11);
        assert_eq!(middle(&(10..14)), 11);
        assert_eq!(middle(&(10..11)), 10);
    }
}
