//! Labels of lines in a drawing, each where it lies on nothing else.

use std::fmt::Write as _;

/// Width of a letter and height of a line at the labels' size, rounded up.
const LETTER: (i64, i64) = (7, 12);

/// A rectangle: left, top, right, bottom.
type Area = [i64; 4];

/// A line from a box to another: a cubic Bézier curve by its four points.
pub(super) struct Curve(pub [(i64, i64); 4]);

impl Curve {
    /// The point at so many hundredths of the way.
    fn at(&self, hundredths: i64) -> (i64, i64) {
        let (t, u) = (hundredths, 100 - hundredths);
        let weights = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
        let sum = |of: fn(&(i64, i64)) -> i64| {
            self.0.iter().zip(weights).map(|(point, weight)| of(point) * weight).sum::<i64>() / 1_000_000
        };
        (sum(|point| point.0), sum(|point| point.1))
    }
}

/// What is taken already.
#[derive(Default)]
pub(super) struct Labels {
    taken: Vec<Area>,
}

fn overlap(a: &Area, b: &Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

impl Labels {
    /// Nothing may lie here.
    pub(super) fn block(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Writes a label on a curve, as near to its middle as there is room; beside the curve if there is none on it.
    pub(super) fn write(&mut self, text: &mut String, curve: &Curve, label: &str) {
        let half = LETTER.0 * label.chars().count() as i64 / 2 + 2;
        let area = |(x, y): (i64, i64)| [x - half, y - LETTER.1 / 2, x + half, y + LETTER.1 / 2];
        let along = (0..=8).flat_map(|step| [50 - 5 * step, 50 + 5 * step]).map(|t| curve.at(t));
        let middle = curve.at(50);
        let beside =
            (1..40).flat_map(|step| [(0, -3 * step), (0, 3 * step)]).map(|(x, y)| (middle.0 + x, middle.1 + y));
        let free = |point: &(i64, i64)| !self.taken.iter().any(|taken| overlap(taken, &area(*point)));
        let point = along.chain(beside).find(free).unwrap_or(middle);
        let [left, top, right, bottom] = area(point);
        self.block(area(point));
        let _ = writeln!(
            text,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"white\" fill-opacity=\"0.8\"/>\n\
             <text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"#456\" text-anchor=\"middle\">{label}</text>",
            right - left,
            bottom - top,
            point.0,
            point.1 + 4
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_one_curve_stand_apart() {
        let curve = Curve([(0, 0), (50, 0), (50, 100), (100, 100)]);
        let (mut labels, mut text) = (Labels::default(), String::new());
        labels.block([40, 40, 60, 60]);
        (0..6).for_each(|i| labels.write(&mut text, &curve, &format!("{i}00 / {i}")));
        assert_eq!(labels.taken.len(), 7);
        for (i, a) in labels.taken.iter().enumerate() {
            assert!(labels.taken[..i].iter().all(|b| !overlap(a, b)), "{:?}", labels.taken);
        }
        assert_eq!(text.matches("<text").count(), 6);
    }

    #[test]
    fn a_curve_begins_and_ends_at_its_points() {
        let curve = Curve([(3, 5), (50, 5), (50, 90), (100, 90)]);
        assert_eq!((curve.at(0), curve.at(100)), ((3, 5), (100, 90)));
    }
}
