//! Pictures of figures as SVG: one logarithmic axis, bars and lines.

use std::fmt::Write as _;

/// Colours that can be told apart.
pub const COLOURS: [&str; 5] = ["#1f5a94", "#c8641e", "#3b7d3a", "#8a3f7f", "#777777"];
/// Where the axis is.
pub const LEFT: f64 = 70.0;
/// Where the field begins.
pub const TOP: f64 = 50.0;
/// Its height.
pub const HEIGHT: f64 = 300.0;

/// A picture with a logarithmic axis.
pub struct Plot {
    text: String,
    width: f64,
    least: f64,
    top: f64,
}

impl Plot {
    /// With room for `below` under the axis of values, which is called `axis`; the least and the greatest of them are
    /// known.
    pub fn new(title: &str, axis: &str, width: f64, below: f64, (least, most): (f64, f64)) -> Plot {
        let least = 10f64.powf(least.max(1.0).log10().floor());
        let top = 10f64.powf(most.max(10.0 * least).log10().ceil());
        let (right, bottom) = (LEFT + width + 20.0, TOP + HEIGHT + below);
        let mut plot = Plot { text: String::new(), width, least, top };
        plot.add(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{right:.0}\" height=\"{bottom:.0}\" \
             font-family=\"sans-serif\" font-size=\"11\">"
        ));
        plot.add(format!("<rect width=\"{right:.0}\" height=\"{bottom:.0}\" fill=\"white\"/>"));
        plot.label(LEFT, 20.0, "start", 0.0, title);
        let mut value = least;
        while value <= top {
            let y = plot.y(value);
            plot.add(format!(
                "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>",
                LEFT + width
            ));
            plot.label(LEFT - 6.0, y + 4.0, "end", 0.0, &format!("{value}"));
            value *= 10.0;
        }
        let middle = TOP + HEIGHT / 2.0;
        plot.label(22.0, middle, "middle", -90.0, axis);
        plot
    }

    fn add(&mut self, line: String) {
        writeln!(self.text, "{line}").expect("a string takes all");
    }

    /// Where a value is.
    pub fn y(&self, value: f64) -> f64 {
        TOP + HEIGHT * (1.0 - (value.max(self.least) / self.least).log10() / (self.top / self.least).log10())
    }

    /// Text at a place, turned by so many degrees.
    pub fn label(&mut self, x: f64, y: f64, anchor: &str, turn: f64, text: &str) {
        let turn = if turn == 0.0 { String::new() } else { format!(" transform=\"rotate({turn} {x:.1} {y:.1})\"") };
        self.add(format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{turn}>{text}</text>"));
    }

    /// A bar from the axis up to a value.
    pub fn bar(&mut self, x: f64, width: f64, value: f64, colour: &str) {
        let y = self.y(value);
        let height = TOP + HEIGHT - y;
        self.add(format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        ));
    }

    /// A line through points, which are in pixels.
    pub fn line(&mut self, points: &[(f64, f64)], colour: &str, dashed: bool) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        self.add(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            points.join(" ")
        ));
    }

    /// Names of colours, above the field.
    pub fn legend(&mut self, entries: &[(&str, &str)]) {
        let mut x = LEFT;
        for (name, colour) in entries {
            self.add(format!("<rect x=\"{x:.1}\" y=\"30\" width=\"10\" height=\"10\" fill=\"{colour}\"/>"));
            self.label(x + 14.0, 39.0, "start", 0.0, name);
            x += 30.0 + 6.5 * name.len() as f64;
        }
    }

    /// The picture.
    pub fn end(mut self) -> String {
        let (y, right) = (TOP + HEIGHT, LEFT + self.width);
        self.add(format!("<line x1=\"{LEFT}\" y1=\"{y}\" x2=\"{right:.1}\" y2=\"{y}\" stroke=\"black\"/>"));
        self.add("</svg>".into());
        self.text
    }
}
