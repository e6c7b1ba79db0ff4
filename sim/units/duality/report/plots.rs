//! The figures as SVG, on logarithmic axes.

use super::measure::Measured;
use super::{Figure, Report};
use crate::plot::{COLOURS, HEIGHT, LEFT, Plot, TOP};

/// Values of one colour: what they are, and one for each name.
type Series<'a> = (&'a str, Vec<f64>);

/// The plots of the figures that were wanted: file names and texts.
pub fn plots(report: &Report) -> Vec<(String, String)> {
    let figures: [Figure; 9] = [
        (6, time),
        (7, fast),
        (8, energy),
        (9, utilisation),
        (10, cpu),
        (11, launches),
        (12, latency),
        (13, compiler),
        (14, shares),
    ];
    let wanted = figures.iter().filter(|figure| report.figures.contains(&figure.0));
    wanted.map(|(number, plot)| (format!("figure{number}.svg"), plot(report))).collect()
}

/// Microseconds of so many cycles.
fn microseconds(report: &Report, cycles: u64) -> f64 {
    1e6 * cycles as f64 / report.clock
}

/// The least and the greatest of values; of none, something that an axis can have.
fn range<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    let (least, most) = values.fold((f64::MAX, 1.0), |(least, most), &value| (value.min(least), value.max(most)));
    (least.min(most), most)
}

/// A bar of each series for each name.
fn bars(title: &str, axis: &str, names: &[String], series: &[Series<'_>]) -> String {
    let bar = 12.0;
    let step = bar * series.len() as f64 + 10.0;
    let width = (step * names.len() as f64).max(200.0);
    let mut plot = Plot::new(title, axis, width, 110.0, range(series.iter().flat_map(|one| &one.1)));
    let legend: Vec<(&str, &str)> = series.iter().map(|one| one.0).zip(COLOURS).collect();
    plot.legend(&legend);
    for (number, name) in names.iter().enumerate() {
        let x = LEFT + step * number as f64 + 5.0;
        for (place, (values, colour)) in series.iter().map(|one| &one.1).zip(COLOURS).enumerate() {
            if let Some(&value) = values.get(number) {
                plot.bar(x + bar * place as f64, bar - 2.0, value, colour);
            }
        }
        plot.label(x + step / 2.0, TOP + HEIGHT + 8.0, "end", -60.0, name);
    }
    plot.end()
}

/// A line for each name through points of a position from 0 to 1 and a value; marks are below the axis.
fn lines(title: &str, axis: &str, marks: &[(f64, String)], below: &str, all: &[(&str, Vec<(f64, f64)>)]) -> String {
    let width = 560.0;
    let values: Vec<f64> = all.iter().flat_map(|line| line.1.iter().map(|point| point.1)).collect();
    let mut plot = Plot::new(title, axis, width, 60.0, range(values.iter()));
    let legend: Vec<(&str, &str)> = all.iter().map(|line| line.0).zip(COLOURS.into_iter().cycle()).collect();
    plot.legend(&legend);
    for (at, text) in marks {
        plot.label(LEFT + width * at, TOP + HEIGHT + 18.0, "middle", 0.0, text);
    }
    plot.label(LEFT + width / 2.0, TOP + HEIGHT + 40.0, "middle", 0.0, below);
    for (number, (_, points)) in all.iter().enumerate() {
        let points: Vec<(f64, f64)> = points.iter().map(|(at, value)| (LEFT + width * at, plot.y(*value))).collect();
        // There are more lines than colours.
        plot.line(&points, COLOURS[number % COLOURS.len()], number >= COLOURS.len());
    }
    plot.end()
}

fn measured(report: &Report) -> impl Iterator<Item = &Measured> {
    report.programs.iter().map(|row| &row.measured)
}

fn names(report: &Report) -> Vec<String> {
    measured(report).map(|m| m.program.clone()).collect()
}

fn time(report: &Report) -> String {
    let all = measured(report).map(|m| microseconds(report, m.cost.cycles)).collect();
    let compute = measured(report).map(|m| microseconds(report, m.cost.compute)).collect();
    let title = "Figure 6: time on the model of the system";
    bars(title, "microseconds", &names(report), &[("all", all), ("compute", compute)])
}

fn fast(report: &Report) -> String {
    let slow = measured(report).map(|m| microseconds(report, m.cost.cycles)).collect();
    let cost = |m: &Measured| m.fast.map_or(0, |cost| cost.cycles);
    let fast = measured(report).map(|m| microseconds(report, cost(m))).collect();
    let [one, other] = &report.memories;
    bars("Figure 7: time by memory", "microseconds", &names(report), &[(one, slow), (other, fast)])
}

fn energy(report: &Report) -> String {
    let part =
        |of: fn(&super::energy::Energy) -> f64| report.programs.iter().map(|row| 1e3 * of(&row.energy)).collect();
    let series = [
        ("core", part(|e| e.core)),
        ("memory", part(|e| e.memory)),
        ("loads and stores", part(|e| e.accesses)),
        ("compute", part(|e| e.compute)),
    ];
    bars("Figure 8: energy, an estimate", "microjoules", &names(report), &series)
}

fn utilisation(report: &Report) -> String {
    let at_work = measured(report).map(|m| m.cost.at_work()).collect();
    let title = format!("Figure 9: control blocks at work, of {}", report.control_blocks);
    bars(&title, "control blocks", &names(report), &[("mean over the cycles", at_work)])
}

fn cpu(report: &Report) -> String {
    let on_cpu = report.programs.iter().map(|row| 1e3 * row.cpu_milliseconds.unwrap_or(0.0)).collect();
    let model = report.programs.iter().map(|row| 1e3 * row.milliseconds).collect();
    let title = "Figure 10: the CPU of this machine, measured, and the model";
    bars(title, "microseconds", &names(report), &[("CPU", on_cpu), ("model", model)])
}

fn launches(report: &Report) -> String {
    let several: Vec<&Measured> = measured(report).filter(|m| m.launches > 2).collect();
    let line = |m: &&Measured| {
        let all = m.cost.cycles.max(1) as f64;
        let ends = |span: &super::measure::Span| {
            [span.begin, span.begin + span.cycles].map(|at| (at as f64 / all, span.ctas as f64))
        };
        m.launched.iter().flat_map(ends).collect()
    };
    let all: Vec<(&str, Vec<(f64, f64)>)> = several.iter().map(|m| (m.program.as_str(), line(m))).collect();
    let marks = [(0.0, "begin".to_string()), (1.0, "end".to_string())];
    lines("Figure 11: launches in time", "CTAs", &marks, "time", &all)
}

fn latency(report: &Report) -> String {
    let names: Vec<String> = report.operations.iter().map(|one| one.operation.to_string()).collect();
    let of = |part: fn(&super::Latency) -> f64| report.operations.iter().map(part).collect();
    let series = [
        ("papers' algorithm", of(|one| one.baseline.unwrap_or(0.0))),
        ("same for all data", of(|one| one.fast)),
        ("skipping", of(|one| one.skip.unwrap_or(0.0))),
    ];
    bars("Figure 12: cycles of operations on data of programs", "cycles", &names, &series)
}

fn compiler(report: &Report) -> String {
    let plain = |m: &Measured| m.simple.unwrap_or_default();
    let series = [
        ("all, plain", measured(report).map(|m| plain(m).cycles as f64).collect()),
        ("all, compiled", measured(report).map(|m| m.cost.cycles as f64).collect()),
        ("compute, plain", measured(report).map(|m| plain(m).compute as f64).collect()),
        ("compute, compiled", measured(report).map(|m| m.cost.compute as f64).collect()),
    ];
    bars("Figure 13: plain translation and compiler", "cycles", &names(report), &series)
}

fn shares(report: &Report) -> String {
    let several: Vec<&Measured> = measured(report).filter(|m| !m.shares.is_empty()).collect();
    let ways: Vec<usize> = several.first().map_or(vec![], |m| m.shares.iter().map(|share| share.ways).collect());
    let most = ways.iter().copied().max().unwrap_or(1) as f64;
    let place = |ways: usize| ways as f64 / most;
    let line = |m: &&Measured| m.shares.iter().map(|share| (place(share.ways), share.cost.cycles as f64)).collect();
    let all: Vec<(&str, Vec<(f64, f64)>)> = several.iter().map(|m| (m.program.as_str(), line(m))).collect();
    let marks: Vec<(f64, String)> = ways.iter().map(|&ways| (place(ways), ways.to_string())).collect();
    lines("Figure 14: cycles by ways of the cache", "cycles", &marks, "ways of each slice", &all)
}
