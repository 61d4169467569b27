//! Drawings with an axis: balance, and the second copy.

use ring_core::{Ring as _, RingError};

use super::placement::{copies_at, ratios};
use super::svg::{Anchor, COLOURS, Circle, Drawing, Point};
use super::{float, ids, ring_of, tables};

/// A horizontal axis from 0 up.
struct Axis {
    left: f64,
    width: f64,
    end: f64,
}

impl Axis {
    fn x(&self, value: f64) -> f64 {
        self.left + self.width * value / self.end
    }

    /// Vertical lines with their values below.
    fn draw(&self, drawing: &mut Drawing, (top, bottom): (f64, f64), steps: &[f64]) {
        for &value in steps {
            let x = self.x(value);
            let style = if (value - 1.0).abs() < 1e-9 {
                "stroke-width=\"1.5\""
            } else {
                "stroke-width=\"0.5\" stroke-opacity=\"0.5\""
            };
            drawing.line(Point { x, y: top }, Point { x, y: bottom }, style);
            drawing.text(Point { x, y: bottom + 14.0 }, Anchor::Middle, 12, &value.to_string());
        }
    }
}

/// The shares of ten nodes with more and more tokens.
pub(super) fn balance() -> Result<String, RingError> {
    let mut drawing = Drawing::new(
        720,
        250,
        "The shares of ten equal nodes over their mean with 1, 10, 100 and 1000 tokens each: the more tokens, the \
         closer all ten stand to 1",
    );
    let axis = Axis { left: 90.0, width: 600.0, end: 3.5 };
    axis.draw(&mut drawing, (20.0, 190.0), &[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]);
    for (y, vnodes) in [40.0, 85.0, 130.0, 175.0].into_iter().zip([1, 10, 100, 1000]) {
        drawing.text(Point { x: 75.0, y }, Anchor::End, 13, &format!("V = {vnodes}"));
        for ratio in ratios(&ring_of(vnodes, ids(0, 10))?) {
            let dot = Circle { centre: Point { x: axis.x(ratio), y }, radius: 6.0 };
            let style = format!(
                "fill=\"{}\" fill-opacity=\"0.5\" stroke=\"currentColor\" stroke-width=\"1\"",
                COLOURS[0]
            );
            drawing.circle(dot, &style);
        }
    }
    drawing.text(
        Point { x: 390.0, y: 232.0 },
        Anchor::Middle,
        13,
        "each dot a node: its exact share of the hash space, over the mean",
    );
    Ok(drawing.finish())
}

/// What nodes of different weights get of the first and of the second copies.
pub(super) fn second_copy() -> Result<String, RingError> {
    let ring = ring_of(1000, tables::UNEQUAL)?;
    let (first, second) = (copies_at(&ring, 0), copies_at(&ring, 1));
    let weights: Vec<f64> = ring.nodes().map(|node| f64::from(node.weight())).collect();
    let total: f64 = weights.iter().sum();

    let mut drawing = Drawing::new(
        720,
        280,
        "First and second copies of five nodes of weights 1, 1, 1, 2 and 5: the first follow the weights, while the \
         heaviest node gets less of the second than its weight asks for and the light ones more",
    );
    let axis = Axis { left: 150.0, width: 540.0, end: 0.6 };
    axis.draw(&mut drawing, (20.0, 210.0), &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    for (place, node) in ring.nodes().enumerate() {
        let y = 40.0 + 38.0 * float(place);
        let name = format!("{}, weight {}", node.id(), node.weight());
        drawing.text(Point { x: 140.0, y }, Anchor::End, 13, &name);
        let x = axis.x(weights[place] / total);
        drawing.line(Point { x, y: y - 14.0 }, Point { x, y: y + 14.0 }, "stroke-width=\"3\"");
        let dot = Circle { centre: Point { x: axis.x(first[place]), y }, radius: 6.0 };
        drawing.circle(dot, &format!("fill=\"{}\" stroke=\"currentColor\"", COLOURS[0]));
        let x = axis.x(second[place]);
        let corners = [(-6.0, -6.0), (6.0, -6.0), (6.0, 6.0), (-6.0, 6.0)]
            .map(|(right, down)| Point { x: x + right, y: y + down });
        drawing.polygon(&corners, &format!("fill=\"{}\" stroke=\"currentColor\"", COLOURS[1]));
    }
    drawing.text(
        Point { x: 420.0, y: 250.0 },
        Anchor::Middle,
        13,
        "bar: what the weight asks for · circle: first copies · square: second copies",
    );
    Ok(drawing.finish())
}
