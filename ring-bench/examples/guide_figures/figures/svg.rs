//! A page of SVG: lines, arcs, marks and text, readable on light and dark grounds.
//!
//! Text and lines take `currentColor`, which is the page's own text colour where the drawing stands inside a page.
//! A drawing opened by itself sets that colour for both schemes. The fills are Okabe and Ito's colour-blind-safe
//! ones, and no drawing says anything by colour alone.

use std::fmt::Write as _;

/// Okabe and Ito's blue, orange, green and purple: nodes r, s, t, u.
pub(super) const COLOURS: [&str; 4] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"];

/// Where text stands relative to its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A point of the page.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A circle that hashes are drawn on: hash 0 at the top, clockwise.
#[derive(Clone, Copy)]
pub(super) struct Circle {
    pub(super) centre: Point,
    pub(super) radius: f64,
}

impl Circle {
    /// The point at `degrees` clockwise from the top, `out` beyond the circle.
    pub(super) fn at(&self, degrees: f64, out: f64) -> Point {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let radius = self.radius + out;
        Point { x: self.centre.x + radius * sin, y: self.centre.y - radius * cos }
    }
}

/// A drawing in the making.
pub(super) struct Drawing {
    text: String,
}

impl Drawing {
    /// An empty page of this size. `title` is what a screen reader says of it.
    pub(super) fn new(width: u32, height: u32, title: &str) -> Self {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\" \
             style=\"max-width:100%;height:auto\">"
        );
        let _ = writeln!(text, "<title>{title}</title>");
        // `:root` is the drawing only where it stands by itself, so a page around it keeps its colours.
        text.push_str(
            "<style>svg:root{color:#222;background:#fff}\
             @media(prefers-color-scheme:dark){svg:root{color:#ddd;background:#222}}</style>\n",
        );
        Self { text }
    }

    /// The finished file.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    /// A line of text in the page's colour.
    pub(super) fn text(&mut self, at: Point, anchor: Anchor, size: u32, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (coordinate(at.x), coordinate(at.y));
        let _ = writeln!(
            self.text,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
             dominant-baseline=\"central\" fill=\"currentColor\">{text}</text>"
        );
    }

    /// A straight line in the page's colour.
    pub(super) fn line(&mut self, from: Point, to: Point, style: &str) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"currentColor\" {style}/>",
            coordinate(from.x),
            coordinate(from.y),
            coordinate(to.x),
            coordinate(to.y)
        );
    }

    /// Many short lines in one path.
    pub(super) fn strokes(&mut self, lines: &[(Point, Point)], style: &str) {
        self.text.push_str("<path d=\"");
        for (from, to) in lines {
            let [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map(coordinate);
            let _ = write!(self.text, "M{x1} {y1}L{x2} {y2}");
        }
        let _ = writeln!(self.text, "\" fill=\"none\" {style}/>");
    }

    /// A whole circle, with its fill and stroke in `style`.
    pub(super) fn circle(&mut self, circle: Circle, style: &str) {
        let Circle { centre, radius } = circle;
        let _ = writeln!(
            self.text,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {style}/>",
            coordinate(centre.x),
            coordinate(centre.y),
            coordinate(radius)
        );
    }

    /// The part of a circle clockwise from one angle to another, `out` beyond it.
    pub(super) fn arc(&mut self, circle: Circle, (from, to): (f64, f64), out: f64, style: &str) {
        let span = (to - from).rem_euclid(360.0);
        let (start, end) = (circle.at(from, out), circle.at(to, out));
        let _ = writeln!(
            self.text,
            "<path d=\"M{} {}A{r} {r} 0 {} 1 {} {}\" fill=\"none\" {style}/>",
            coordinate(start.x),
            coordinate(start.y),
            u8::from(span > 180.0),
            coordinate(end.x),
            coordinate(end.y),
            r = coordinate(circle.radius + out),
        );
    }

    /// An arrow head with its tip on the circle `out` beyond it, pointing clockwise.
    pub(super) fn arrow_head(&mut self, circle: Circle, degrees: f64, out: f64) {
        let back = 9.0_f64.atan2(circle.radius + out).to_degrees();
        let [tip, left, right] =
            [(degrees, out), (degrees - back, out - 4.5), (degrees - back, out + 4.5)]
                .map(|(degrees, out)| circle.at(degrees, out));
        self.polygon(&[tip, left, right], "fill=\"currentColor\"");
    }

    /// A closed shape.
    pub(super) fn polygon(&mut self, points: &[Point], style: &str) {
        let points: Vec<String> = points
            .iter()
            .map(|point| format!("{},{}", coordinate(point.x), coordinate(point.y)))
            .collect();
        let _ = writeln!(self.text, "<polygon points=\"{}\" {style}/>", points.join(" "));
    }
}

/// A coordinate with one decimal, and never a negative zero.
fn coordinate(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}
