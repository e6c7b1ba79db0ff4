//! The paper's Figures 3, 4 and 5 as SVG, from what was measured.

use super::report::{Application, Command, Report, group};
use crate::plot::{COLOURS, HEIGHT, LEFT, Plot, TOP};

/// The plots: file names and texts.
pub fn plots(report: &Report) -> Vec<(&'static str, String)> {
    vec![("figure3.svg", commands(report)), ("figure4.svg", scaling(report)), ("figure5.svg", applications(report))]
}

/// What the axis shows.
const AXIS: &str = "speed-up";

/// Speed-ups from 1 on.
fn most<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    (1.0, values.fold(1.0, |most, &value| most.max(value)))
}

/// A bar for each command, by groups, and a narrower one beside an ideal core.
fn commands(report: &Report) -> String {
    let mut all: Vec<&Command> = report.commands.iter().filter(|c| c.elements == 64).collect();
    all.sort_by_key(|c| group(&c.command));
    let step = 18.0;
    let title = "Speed-up of each command over its loop in C, 64 elements";
    let mut plot = Plot::new(title, AXIS, step * all.len() as f64, 110.0, most(all.iter().map(|c| &c.speedup)));
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
    let mut plot = Plot::new("Speed-up over the size of vectors (dashed: ideal core)", AXIS, width, 60.0, most(all));
    let entries: Vec<(&str, &str)> = names.iter().copied().zip(COLOURS).collect();
    plot.legend(&entries);
    let x = |number: usize| LEFT + width * (number as f64 + 0.5) / sizes.len() as f64;
    for (number, size) in sizes.iter().enumerate() {
        plot.label(x(number), TOP + HEIGHT + 18.0, "middle", 0.0, &size.to_string());
    }
    plot.label(LEFT + width / 2.0, TOP + HEIGHT + 40.0, "middle", 0.0, "elements");
    for (name, colour) in entries {
        for ideal in [false, true] {
            let point = |(number, &size): (usize, &u32)| {
                let command = report.command(name, size)?;
                let value = if ideal { command.speedup_ideal } else { command.speedup };
                Some((x(number), plot.y(value)))
            };
            let points: Vec<(f64, f64)> = sizes.iter().enumerate().filter_map(point).collect();
            plot.line(&points, colour, ideal);
        }
    }
    plot.end()
}

/// Three bars for each application: measured, ideal, the paper's.
fn applications(report: &Report) -> String {
    let all: Vec<&Application> = report.applications.iter().collect();
    let step = 120.0;
    let title = "Speed-up of applications";
    let mut plot = Plot::new(title, AXIS, step * all.len() as f64, 50.0, most(all.iter().map(|a| &a.speedup)));
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
