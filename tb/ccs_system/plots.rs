//! The paper's Figures 3, 4 and 5 as SVG, from what was measured.

use std::fmt::Write as _;

use super::report::{Application, Command, Report, group};

const COLOURS: [&str; 5] = ["#1f5a94", "#c8641e", "#3b7d3a", "#8a3f7f", "#777777"];
const LEFT: f64 = 70.0;
const TOP: f64 = 50.0;
const HEIGHT: f64 = 300.0;

/// The plots: file names and texts.
pub fn plots(report: &Report) -> Vec<(&'static str, String)> {
    vec![("figure3.svg", commands(report)), ("figure4.svg", scaling(report)), ("figure5.svg", applications(report))]
}

/// A picture with a logarithmic axis of speed-ups from 1 up.
struct Plot {
    text: String,
    width: f64,
    top: f64,
}

impl Plot {
    /// With room for `below` under the axis; the greatest value is `most`.
    fn new(title: &str, width: f64, below: f64, most: f64) -> Plot {
        let top = 10f64.powf(most.max(10.0).log10().ceil());
        let (right, bottom) = (LEFT + width + 20.0, TOP + HEIGHT + below);
        let mut plot = Plot { text: String::new(), width, top };
        plot.add(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{right:.0}\" height=\"{bottom:.0}\" font-family=\"sans-serif\" font-size=\"11\">"
        ));
        plot.add(format!("<rect width=\"{right:.0}\" height=\"{bottom:.0}\" fill=\"white\"/>"));
        plot.label(LEFT, 20.0, "start", 0.0, title);
        let mut value = 1.0;
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
        plot.label(22.0, middle, "middle", -90.0, "speed-up");
        plot
    }

    fn add(&mut self, line: String) {
        writeln!(self.text, "{line}").expect("a string takes all");
    }

    fn y(&self, value: f64) -> f64 {
        TOP + HEIGHT * (1.0 - value.max(1.0).log10() / self.top.log10())
    }

    fn label(&mut self, x: f64, y: f64, anchor: &str, turn: f64, text: &str) {
        let turn = if turn == 0.0 { String::new() } else { format!(" transform=\"rotate({turn} {x:.1} {y:.1})\"") };
        self.add(format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{turn}>{text}</text>"));
    }

    fn bar(&mut self, x: f64, width: f64, value: f64, colour: &str) {
        let y = self.y(value);
        let height = TOP + HEIGHT - y;
        self.add(format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        ));
    }

    fn legend(&mut self, entries: &[(&str, &str)]) {
        let mut x = LEFT;
        for (name, colour) in entries {
            self.add(format!("<rect x=\"{x:.1}\" y=\"30\" width=\"10\" height=\"10\" fill=\"{colour}\"/>"));
            self.label(x + 14.0, 39.0, "start", 0.0, name);
            x += 30.0 + 6.5 * name.len() as f64;
        }
    }

    fn end(mut self) -> String {
        let (y, right) = (TOP + HEIGHT, LEFT + self.width);
        self.add(format!("<line x1=\"{LEFT}\" y1=\"{y}\" x2=\"{right:.1}\" y2=\"{y}\" stroke=\"black\"/>"));
        self.add("</svg>".into());
        self.text
    }
}

fn most<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.fold(1.0, |most, &value| most.max(value))
}

/// A bar for each command, by groups, and a narrower one beside an ideal core.
fn commands(report: &Report) -> String {
    let mut all: Vec<&Command> = report.commands.iter().filter(|c| c.elements == 64).collect();
    all.sort_by_key(|c| group(&c.command));
    let step = 18.0;
    let title = "Speed-up of each command over its loop in C, 64 elements";
    let mut plot = Plot::new(title, step * all.len() as f64, 110.0, most(all.iter().map(|c| &c.speedup)));
    plot.legend(&[("measured core", COLOURS[0]), ("ideal core, an instruction a cycle", COLOURS[1])]);
    // Names of groups take turns in two rows, since some groups are narrow.
    let (mut last, mut row) = (String::new(), 0.0);
    for (number, command) in all.into_iter().enumerate() {
        let x = LEFT + step * number as f64;
        plot.bar(x + 2.0, 9.0, command.speedup, COLOURS[0]);
        plot.bar(x + 11.0, 5.0, command.speedup_ideal, COLOURS[1]);
        plot.label(x + 12.0, TOP + HEIGHT + 6.0, "end", -90.0, &command.command);
        let here = group(&command.command);
        if here != last {
            plot.label(x + 2.0, TOP + HEIGHT + 75.0 + row, "start", 0.0, &here);
            (last, row) = (here, 15.0 - row);
        }
    }
    plot.end()
}

/// Lines over sizes.
fn scaling(report: &Report) -> String {
    let (sizes, names) = (report.sizes(), report.scaling());
    let here =
        |name: &&str| report.commands.iter().filter(|c| c.command == *name).map(|c| &c.speedup).collect::<Vec<_>>();
    let all = names.iter().flat_map(here);
    let width = 460.0;
    let mut plot = Plot::new("Speed-up over the size of vectors (dashed: ideal core)", width, 60.0, most(all));
    let entries: Vec<(&str, &str)> = names.iter().copied().zip(COLOURS).collect();
    plot.legend(&entries);
    let x = |number: usize| LEFT + width * (number as f64 + 0.5) / sizes.len() as f64;
    for (number, size) in sizes.iter().enumerate() {
        plot.label(x(number), TOP + HEIGHT + 18.0, "middle", 0.0, &size.to_string());
    }
    plot.label(LEFT + width / 2.0, TOP + HEIGHT + 40.0, "middle", 0.0, "elements");
    for (name, colour) in entries {
        for (ideal, dash) in [(false, ""), (true, " stroke-dasharray=\"5 4\"")] {
            let point = |(number, &size): (usize, &u32)| {
                let command = report.command(name, size)?;
                let value = if ideal { command.speedup_ideal } else { command.speedup };
                Some(format!("{:.1},{:.1}", x(number), plot.y(value)))
            };
            let points: Vec<String> = sizes.iter().enumerate().filter_map(point).collect();
            plot.add(format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
                points.join(" ")
            ));
        }
    }
    plot.end()
}

/// Three bars for each application: measured, ideal, the paper's.
fn applications(report: &Report) -> String {
    let all: Vec<&Application> = report.applications.iter().collect();
    let step = 120.0;
    let title = "Speed-up of applications";
    let mut plot = Plot::new(title, step * all.len() as f64, 50.0, most(all.iter().map(|a| &a.speedup)));
    plot.legend(&[("measured core", COLOURS[0]), ("ideal core", COLOURS[1]), ("paper, on its own core", COLOURS[4])]);
    for (number, a) in all.into_iter().enumerate() {
        let x = LEFT + step * number as f64;
        let bars = [(Some(a.speedup), 0), (Some(a.speedup_ideal), 1), (a.paper, 4)];
        for (place, (value, colour)) in bars.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let x = x + 15.0 + 30.0 * place as f64;
            plot.bar(x, 26.0, value, COLOURS[colour]);
            let y = plot.y(value) - 4.0;
            plot.label(x + 13.0, y, "middle", 0.0, &format!("{value:.0}"));
        }
        plot.label(x + step / 2.0, TOP + HEIGHT + 18.0, "middle", 0.0, &a.application);
    }
    plot.end()
}
