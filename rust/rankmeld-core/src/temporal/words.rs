//! The words that phrases are made of.

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// A season, as the year has them from March on in the north.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

/// A number as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// What it is; more than fits is as much as fits.
    pub value: u32,
    /// Of how many digits; none if it is spelled out.
    pub digits: u8,
}

/// The name of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Month {
    /// From 1.
    pub number: u8,
    /// May and March: what looks like the month may be a verb.
    pub verb: bool,
}

/// What a word, a number or a mark is to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Anything, and any number of it, that no phrase contains.
    Other,
    Comma,
    Number(Number),
    /// A number of four digits directly after a comma: a year, if a day stands before it.
    AfterComma(Number),
    Ordinal(u32),
    /// Year, month and day as ISO 8601 writes them.
    IsoDate(u16, u8, u8),
    /// A spelled number that may go on: `hundred and two`.
    Magnitude,
    /// `first` to `fourth`.
    Nth(u8),
    Unit(Unit),
    Units(Unit),
    Month(Month),
    /// Days since Monday.
    Weekday(u8),
    Weekend,
    Season(Season),
    Quarter,
    /// `Q1` to `Q4`.
    QuarterOf(u8),
    A,
    After,
    Ago,
    And,
    Back,
    Before,
    Between,
    /// A time of day.
    Clock,
    Couple,
    During,
    Few,
    From,
    Half,
    In,
    Last,
    Least,
    /// What years may be a number of: `in 2000 words`, `in 2019 dollars`.
    Measure,
    Morning,
    Night,
    Of,
    On,
    OtherOne,
    Past,
    Previous,
    Recently,
    Since,
    /// What may follow the name of a framework: `Spring Boot`.
    Software,
    The,
    This,
    To,
    Today,
    Tonight,
    Used,
    /// What people do and months hardly: `since April left`.
    Verb,
    Yesterday,
}

/// Letters of the longest word.
pub(super) const LONGEST: usize = 9;

impl Word {
    /// A word of letters, in any case; whether it is the short form of a month.
    pub(super) fn of(letters: &[u8]) -> (Self, bool) {
        let mut lower = [0; LONGEST];
        let Some(lower) = lower.get_mut(..letters.len()) else { return (Self::Other, false) };
        lower.copy_from_slice(letters);
        lower.make_ascii_lowercase();
        let word = match lower.len() {
            1 if lower == b"a" => Self::A,
            2 => of_two(lower),
            3 => of_three(lower),
            4 => of_four(lower),
            5 => of_five(lower),
            6 => of_six(lower),
            7 => of_seven(lower),
            8 => of_eight(lower),
            9 => of_nine(lower),
            _ => Self::Other,
        };
        let short = matches!(word, Self::Month(month) if lower.len() == 3 && !month.verb);
        (word, short || lower == b"sept")
    }
}

const fn number(value: u32) -> Word {
    Word::Number(Number { value, digits: 0 })
}

const fn month(number: u8) -> Word {
    Word::Month(Month { number, verb: false })
}

const fn verb(number: u8) -> Word {
    Word::Month(Month { number, verb: true })
}

fn of_two(word: &[u8]) -> Word {
    match word {
        b"an" => Word::A,
        b"in" => Word::In,
        b"is" => Word::Verb,
        b"km" | b"ms" => Word::Measure,
        b"of" => Word::Of,
        b"on" => Word::On,
        b"to" => Word::To,
        b"q1" => Word::QuarterOf(1),
        b"q2" => Word::QuarterOf(2),
        b"q3" => Word::QuarterOf(3),
        b"q4" => Word::QuarterOf(4),
        _ => Word::Other,
    }
}

fn of_three(word: &[u8]) -> Word {
    match word {
        b"ago" => Word::Ago,
        b"and" => Word::And,
        b"bit" => Word::Measure,
        b"day" => Word::Unit(Unit::Day),
        b"few" => Word::Few,
        b"had" | b"has" | b"was" => Word::Verb,
        b"mvc" => Word::Software,
        b"the" => Word::The,
        b"one" => number(1),
        b"two" => number(2),
        b"six" => number(6),
        b"ten" => number(10),
        b"jan" => month(1),
        b"feb" => month(2),
        b"mar" => month(3),
        b"apr" => month(4),
        b"may" => verb(5),
        b"jun" => month(6),
        b"jul" => month(7),
        b"aug" => month(8),
        b"sep" => month(9),
        b"oct" => month(10),
        b"nov" => month(11),
        b"dec" => month(12),
        _ => Word::Other,
    }
}

fn of_four(word: &[u8]) -> Word {
    match word {
        b"back" => Word::Back,
        b"from" => Word::From,
        b"bean" | b"boot" => Word::Software,
        b"bits" | b"byte" | b"feet" | b"mile" | b"ways" => Word::Measure,
        b"came" | b"left" | b"said" | b"went" | b"will" => Word::Verb,
        b"till" => Word::To,
        b"used" => Word::Used,
        b"half" => Word::Half,
        b"last" => Word::Last,
        b"past" => Word::Past,
        b"this" => Word::This,
        b"days" => Word::Units(Unit::Day),
        b"hour" => Word::Unit(Unit::Hour),
        b"week" => Word::Unit(Unit::Week),
        b"year" => Word::Unit(Unit::Year),
        b"fall" => Word::Season(Season::Autumn),
        b"four" => number(4),
        b"five" => number(5),
        b"nine" => number(9),
        b"june" => month(6),
        b"july" => month(7),
        b"sept" => month(9),
        _ => Word::Other,
    }
}

fn of_five(word: &[u8]) -> Word {
    match word {
        b"after" => Word::After,
        b"batch" | b"beans" | b"cloud" => Word::Software,
        b"bytes" | b"euros" | b"lines" | b"miles" | b"steps" | b"words" => Word::Measure,
        b"least" => Word::Least,
        b"moved" => Word::Verb,
        b"night" => Word::Night,
        b"until" => Word::To,
        b"other" => Word::OtherOne,
        b"since" => Word::Since,
        b"today" => Word::Today,
        b"hours" => Word::Units(Unit::Hour),
        b"weeks" => Word::Units(Unit::Week),
        b"month" => Word::Unit(Unit::Month),
        b"years" => Word::Units(Unit::Year),
        b"first" => Word::Nth(1),
        b"third" => Word::Nth(3),
        b"three" => number(3),
        b"seven" => number(7),
        b"eight" => number(8),
        b"forty" | b"fifty" | b"sixty" => Word::Magnitude,
        b"march" => verb(3),
        b"april" => month(4),
        _ => Word::Other,
    }
}

fn of_six(word: &[u8]) -> Word {
    match word {
        b"before" => Word::Before,
        b"joined" => Word::Verb,
        b"meters" | b"metres" | b"pieces" | b"pounds" | b"prices" | b"tokens" => Word::Measure,
        b"couple" => Word::Couple,
        b"during" => Word::During,
        b"months" => Word::Units(Unit::Month),
        b"second" => Word::Nth(2),
        b"fourth" => Word::Nth(4),
        b"spring" => Word::Season(Season::Spring),
        b"summer" => Word::Season(Season::Summer),
        b"autumn" => Word::Season(Season::Autumn),
        b"winter" => Word::Season(Season::Winter),
        b"monday" => Word::Weekday(0),
        b"friday" => Word::Weekday(4),
        b"sunday" => Word::Weekday(6),
        b"eleven" => number(11),
        b"twelve" => number(12),
        b"twenty" => number(20),
        b"thirty" => number(30),
        b"eighty" | b"ninety" => Word::Magnitude,
        b"august" => month(8),
        _ => Word::Other,
    }
}

fn of_seven(word: &[u8]) -> Word {
    match word {
        b"between" => Word::Between,
        b"century" | b"dollars" | b"minutes" | b"seconds" => Word::Measure,
        b"morning" => Word::Morning,
        b"quarter" => Word::Quarter,
        b"through" => Word::To,
        b"tonight" => Word::Tonight,
        b"weekend" => Word::Weekend,
        b"tuesday" => Word::Weekday(1),
        b"hundred" | b"million" | b"seventy" => Word::Magnitude,
        b"january" => month(1),
        b"october" => month(10),
        _ => Word::Other,
    }
}

fn of_eight(word: &[u8]) -> Word {
    match word {
        b"previous" => Word::Previous,
        b"recently" => Word::Recently,
        b"security" => Word::Software,
        b"thousand" => Word::Magnitude,
        b"thursday" => Word::Weekday(3),
        b"saturday" => Word::Weekday(5),
        b"february" => month(2),
        b"november" => month(11),
        b"december" => month(12),
        _ => Word::Other,
    }
}

fn of_nine(word: &[u8]) -> Word {
    match word {
        b"framework" => Word::Software,
        b"yesterday" => Word::Yesterday,
        b"wednesday" => Word::Weekday(2),
        b"september" => month(9),
        _ => Word::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_any_case_and_whole() {
        assert_eq!(Word::of(b"YesterDay").0, Word::Yesterday);
        for other in [&b""[..], b"b", b"yesterdays", b"januar", b"weekend_", b"septembers"] {
            assert_eq!(Word::of(other), (Word::Other, false));
        }
    }

    #[test]
    fn only_short_forms_take_a_dot() {
        for (word, short) in
            [("Jan", true), ("SEPT", true), ("may", false), ("june", false), ("ten", false)]
        {
            assert_eq!(Word::of(word.as_bytes()).1, short, "{word}");
        }
    }
}
