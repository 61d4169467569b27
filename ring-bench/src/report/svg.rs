//! Plots as SVG: axes, points with error bars, lines, bands. Colours come from the page's style, so that one drawing
//! serves light and dark.

use std::fmt::Write as _;

use crate::stats::real;

/// The width of a plot in its own units; text of 12 units stays readable on a phone.
pub const WIDTH: f64 = 440.0;
/// The height of a plot.
pub const HEIGHT: f64 = 300.0;

/// The least room for the numbers at the left.
const LEFT: f64 = 62.0;
/// The room that the upright label takes there.
const UPRIGHT: f64 = 24.0;
/// What a character of a number takes at the most, at the size of 12 units.
const CHARACTER: f64 = 7.5;
/// Between a number and the plane.
const GAP: f64 = 6.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// How an axis runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// The value at its start.
    pub low: f64,
    /// The value at its end.
    pub high: f64,
    /// Whether equal steps are equal factors.
    pub log: bool,
}

impl Axis {
    /// An axis of equal factors that holds all positive values, ends at half decades and has at least one.
    #[must_use]
    pub fn log(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values.into_iter().filter(|value| value.is_finite() && *value > 0.0) {
            low = low.min(value);
            high = high.max(value);
        }
        if high <= 0.0 {
            return Self { low: 1.0, high: 10.0, log: true };
        }
        let floor = 10.0_f64.powf((low.log10() * 2.0).floor() / 2.0);
        let ceil = 10.0_f64.powf((high.log10() * 2.0).ceil() / 2.0);
        Self { low: floor, high: if ceil > floor { ceil } else { floor * 10.0 }, log: true }
    }

    /// Where a value lies, 0 to 1; values beyond the ends at the ends.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(f64::MIN_POSITIVE).ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
        } else {
            (value - self.low) / (self.high - self.low)
        };
        part.clamp(0.0, 1.0)
    }

    /// Values to be written at the axis: decades where it is logarithmic, quarters otherwise.
    #[must_use]
    pub fn ticks(&self) -> Vec<f64> {
        if !self.log {
            return (0..=4)
                .map(|i| self.low + (self.high - self.low) * f64::from(i) / 4.0)
                .collect();
        }
        let mut ticks = Vec::new();
        let mut tick = 10.0_f64.powf(self.low.log10().ceil() - 1.0);
        while tick <= self.high * 1.001 {
            if tick >= self.low * 0.999 {
                ticks.push(tick);
            }
            tick *= 10.0;
        }
        if ticks.len() < 2 {
            ticks = vec![self.low, (self.low * self.high).sqrt(), self.high];
        }
        ticks
    }
}

/// Text as it may stand in HTML and SVG.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A plot under way.
#[derive(Debug, Clone)]
pub struct Plot {
    x: Axis,
    y: Axis,
    body: String,
    title: String,
    /// Where the plane begins: right of the widest number.
    left: f64,
}

impl Plot {
    /// A plot with its axes, ticks written by the two functions.
    #[must_use]
    pub fn new(
        title: &str,
        x: Axis,
        y: Axis,
        labels: [&str; 2],
        write: [&dyn Fn(f64) -> String; 2],
    ) -> Self {
        let widest = y.ticks().iter().map(|&tick| write[1](tick).chars().count()).max();
        let left = LEFT.max(UPRIGHT + CHARACTER * real(widest.unwrap_or(0) as u64) + GAP);
        let mut plot = Self { x, y, body: String::new(), title: title.to_owned(), left };
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for tick in x.ticks() {
            let at = plot.at_x(tick);
            // A number at the right end may use the margin, so that it keeps away from the one before.
            let (anchor, place) =
                if at > right - 20.0 { ("end", at.max(WIDTH - 1.0)) } else { ("middle", at) };
            let _ = write!(
                plot.body,
                "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
                 <text class=\"tick\" x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                bottom + 16.0,
                escape(&write[0](tick))
            );
        }
        for tick in y.ticks() {
            let at = plot.at_y(tick);
            let _ = write!(
                plot.body,
                "<line class=\"grid\" x1=\"{left:.1}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - GAP,
                at + 4.0,
                escape(&write[1](tick))
            );
        }
        let _ = write!(
            plot.body,
            "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"label\" transform=\"translate(13 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            f64::midpoint(left, right),
            HEIGHT - 8.0,
            escape(labels[0]),
            f64::midpoint(TOP, bottom),
            escape(labels[1])
        );
        plot
    }

    fn at_x(&self, value: f64) -> f64 {
        self.left + self.x.place(value) * (WIDTH - self.left - RIGHT)
    }

    fn at_y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.place(value) * (HEIGHT - TOP - BOTTOM)
    }

    /// An upright line with its name at the top: a cache, a crossing.
    pub fn mark(&mut self, x: f64, name: &str, row: u32) {
        if x < self.x.low || x > self.x.high {
            return;
        }
        let at = self.at_x(x);
        // Names at the right end stand to the left of their line.
        let (anchor, shift) = if at > WIDTH * 0.75 { ("end", -4.0) } else { ("start", 4.0) };
        let _ = write!(
            self.body,
            "<line class=\"mark\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            HEIGHT - BOTTOM,
            at + shift,
            TOP + 10.0 + f64::from(row) * 13.0,
            escape(name)
        );
    }

    /// A line through points.
    pub fn line(&mut self, class: &str, points: &[[f64; 2]]) {
        let path: Vec<String> = points
            .iter()
            .map(|[x, y]| format!("{:.1},{:.1}", self.at_x(*x), self.at_y(*y)))
            .collect();
        let _ =
            write!(self.body, "<polyline class=\"line {class}\" points=\"{}\"/>", path.join(" "));
    }

    /// The area between two curves: x, low, high.
    pub fn band(&mut self, class: &str, points: &[[f64; 3]]) {
        let upper = points.iter().map(|[x, _, high]| [*x, *high]);
        let lower = points.iter().rev().map(|[x, low, _]| [*x, *low]);
        let path: Vec<String> = upper
            .chain(lower)
            .map(|[x, y]| format!("{:.1},{:.1}", self.at_x(x), self.at_y(y)))
            .collect();
        let _ =
            write!(self.body, "<polygon class=\"band {class}\" points=\"{}\"/>", path.join(" "));
    }

    /// A point with its error bar; its title is shown on hovering. A square in place of a circle for `square`.
    pub fn point(&mut self, class: &str, square: bool, [x, y, low, high]: [f64; 4], title: &str) {
        let (at, to) = (self.at_x(x), self.at_y(y));
        let (bottom, top) = (self.at_y(low), self.at_y(high));
        let shape = if square {
            format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\"/>", at - 4.0, to - 4.0)
        } else {
            format!("<circle cx=\"{at:.1}\" cy=\"{to:.1}\" r=\"4.5\"/>")
        };
        let _ = write!(
            self.body,
            "<g class=\"point {class}\"><title>{}</title><path d=\"M{at:.1} {bottom:.1}V{top:.1}M{:.1} {bottom:.1}h8M{:.1} {top:.1}h8\"/>{shape}</g>",
            escape(title),
            at - 4.0,
            at - 4.0
        );
    }

    /// The drawing.
    #[must_use]
    pub fn finish(self) -> String {
        let title = escape(&self.title);
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>{}</svg>",
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_values_and_have_ticks() {
        let axis = Axis::log([20.0, 300.0, f64::NAN, 0.0]);
        assert!(axis.low <= 20.0 && axis.high >= 300.0);
        assert!(
            (axis.place(axis.low)).abs() < 1e-12 && (axis.place(axis.high) - 1.0).abs() < 1e-12
        );
        assert!(axis.ticks().iter().any(|tick| (tick - 100.0).abs() < 1e-6), "{:?}", axis.ticks());
        let one = Axis::log([7.0]);
        assert!(one.high > one.low && one.ticks().len() >= 2);
        assert!(Axis::log([]).high > 0.0);
    }

    #[test]
    fn the_widest_number_has_room_beside_the_upright_label() {
        let axis = Axis { low: 1.0, high: 100.0, log: true };
        let plot = |write: &dyn Fn(f64) -> String| {
            Plot::new("a", axis, axis, ["x", "y"], [&|_| String::new(), write])
        };
        assert_eq!(plot(&|_| "1 s".to_owned()).left.total_cmp(&LEFT), std::cmp::Ordering::Equal);
        let wide =
            plot(&|value| if value > 50.0 { "1,234,567 ms".to_owned() } else { "1".to_owned() });
        assert!(wide.left - GAP - 12.0 * CHARACTER >= UPRIGHT, "{}", wide.left);
        // The plane begins there, and the grid with it.
        assert_eq!(wide.at_x(1.0).total_cmp(&wide.left), std::cmp::Ordering::Equal);
        assert!(wide.body.contains(&format!("x1=\"{:.1}\" x2=", wide.left)), "{}", wide.body);
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}
