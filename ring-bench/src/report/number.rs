//! How numbers are written.

/// A time with the unit that suits it: `20.0 ns`, `1.23 µs`, `4.50 ms`, `1.20 s`.
#[must_use]
pub fn time(ns: f64) -> String {
    match ns {
        _ if ns < 1e3 => format!("{ns:.1} ns"),
        _ if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        _ if ns < 1e9 => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

/// A unit for a whole column of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
}

impl Unit {
    /// The largest unit in which the smallest of these times is still at least 1; nanoseconds for no times.
    #[must_use]
    pub fn of(times_ns: impl IntoIterator<Item = f64>) -> Self {
        match times_ns.into_iter().reduce(f64::min) {
            Some(least) if least >= 1e6 => Self::Ms,
            Some(least) if least >= 1e3 => Self::Us,
            _ => Self::Ns,
        }
    }

    /// Its sign.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "µs",
            Self::Ms => "ms",
        }
    }

    /// A time in this unit, without its sign, to four digits where it has them.
    #[must_use]
    pub fn write(self, ns: f64) -> String {
        let value = match self {
            Self::Ns => ns,
            Self::Us => ns / 1e3,
            Self::Ms => ns / 1e6,
        };
        if value < 10.0 {
            format!("{value:.2}")
        } else if value < 10_000.0 {
            format!("{value:.1}")
        } else {
            count(value)
        }
    }
}

/// A whole number with its thousands apart: `1,048,576`.
#[must_use]
pub fn count(value: f64) -> String {
    let digits = format!("{value:.0}");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return format!("{sign}{digits}");
    }
    let mut text = String::from(sign);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A ratio: `2.43x`.
#[must_use]
pub fn ratio_text(ratio: f64) -> String {
    format!("{ratio:.2}x")
}

/// A ratio with its interval: `2.43x [2.40, 2.47]`.
#[must_use]
pub fn ratio_interval(ratio: f64, low: f64, high: f64) -> String {
    format!("{ratio:.2}x [{low:.2}, {high:.2}]")
}

/// A part as per cent: `1.25 %`.
#[must_use]
pub fn percent(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
}

/// Half the width of an interval as a part of its median, in whole per cent: `± 3 %`.
#[must_use]
pub fn plus_minus(part: f64) -> String {
    let percent = part * 100.0;
    if percent < 0.95 { format!("± {percent:.1} %") } else { format!("± {percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_take_the_unit_that_suits_them() {
        assert_eq!(time(20.04), "20.0 ns");
        assert_eq!(time(1_234.0), "1.23 µs");
        assert_eq!(time(4_500_000.0), "4.50 ms");
        assert_eq!(time(1.2e9), "1.20 s");
    }

    #[test]
    fn a_column_has_one_unit() {
        assert_eq!(Unit::of([5_000.0, 2e9]), Unit::Us);
        assert_eq!(Unit::of([500.0, 2e9]), Unit::Ns);
        assert_eq!(Unit::of([2e6, 2e9]), Unit::Ms);
        assert_eq!(Unit::of([]), Unit::Ns);
        assert_eq!(Unit::Us.write(5_004.0), "5.00");
        assert_eq!(Unit::Us.write(123_456.0), "123.5");
        assert_eq!(Unit::Ns.write(1_234_567.0), "1,234,567");
    }

    #[test]
    fn thousands_stand_apart() {
        for (value, text) in [
            (0.0, "0"),
            (999.4, "999"),
            (999.6, "1,000"),
            (1_048_576.0, "1,048,576"),
            (-12_345.0, "-12,345"),
        ] {
            assert_eq!(count(value), text);
        }
        assert_eq!(count(f64::INFINITY), "inf");
    }

    #[test]
    fn ratios_and_parts() {
        assert_eq!(ratio_interval(2.434, 2.401, 2.466), "2.43x [2.40, 2.47]");
        assert_eq!(percent(0.012_49), "1.25 %");
        assert_eq!(plus_minus(0.004), "± 0.4 %");
        assert_eq!(plus_minus(0.031), "± 3 %");
    }
}
