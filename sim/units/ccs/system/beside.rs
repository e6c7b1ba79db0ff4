//! What was measured on both processors, beside what the paper gives.

use std::fmt::Write as _;

use serde::Serialize;

use super::report::{PAPER_APPLICATIONS, PAPER_COMMANDS, Report};

/// Reports on the same system; with one read port where it is not said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    /// On a state machine.
    pub plain: Report,
    /// On a pipeline, if its core was there.
    pub pipelined: Option<Report>,
    /// The same with two read ports.
    pub two_ports: Option<Report>,
}

/// A figure of the paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Figure {
    /// Command or application.
    name: String,
    /// Elements; of applications, of a row.
    elements: u32,
    /// The paper's speed-up.
    paper: f64,
    /// On the state machine, and beside an ideal core.
    plain: Option<(f64, f64)>,
    /// On the pipeline.
    pipelined: Option<f64>,
    /// On the pipeline, with two read ports.
    two_ports: Option<f64>,
}

impl Figure {
    /// The speed-up that counts: on the pipeline that of the better design, or else beside an ideal core.
    fn hard(&self) -> Option<f64> {
        let better = [self.pipelined, self.two_ports].into_iter().flatten().max_by(f64::total_cmp);
        better.or(self.plain.map(|plain| plain.1))
    }
}

impl Beside {
    fn figures(&self) -> Vec<Figure> {
        let commands = PAPER_COMMANDS.into_iter().map(|(name, elements, paper)| {
            let plain = self.plain.paper_command(name, elements);
            let find = |report: &Option<Report>| report.as_ref().and_then(|r| r.paper_command(name, elements).cloned());
            let [pipelined, two_ports] = [find(&self.pipelined), find(&self.two_ports)];
            let best = two_ports.as_ref().or(pipelined.as_ref()).or(plain).filter(|_| name == "best");
            Figure {
                name: best.map_or(name.into(), |best| format!("best: {}", best.command)),
                elements,
                paper,
                plain: plain.map(|found| (found.speedup, found.speedup_ideal)),
                pipelined: pipelined.map(|found| found.speedup),
                two_ports: two_ports.map(|found| found.speedup),
            }
        });
        let applications = PAPER_APPLICATIONS.into_iter().map(|(name, paper)| {
            let find = |report: &Report| {
                let found = report.applications.iter().find(|found| found.application == name);
                found.map(|found| (found.speedup, found.speedup_ideal))
            };
            let [pipelined, two_ports] =
                [&self.pipelined, &self.two_ports].map(|report| report.as_ref().and_then(find).map(|found| found.0));
            Figure { name: name.into(), elements: 64, paper, plain: find(&self.plain), pipelined, two_ports }
        });
        commands.chain(applications).collect()
    }

    /// Figures of the paper that the harder column does not reach; and those that are missing at a size that was
    /// measured.
    pub fn missed(&self) -> Vec<String> {
        let sizes = self.plain.sizes();
        let missing = |figure: &Figure| {
            let application = PAPER_APPLICATIONS.iter().any(|(name, _)| *name == figure.name);
            !application && sizes.contains(&figure.elements)
        };
        let missed = self.figures().into_iter().filter_map(|figure| match figure.hard() {
            Some(hard) if hard > figure.paper => None,
            Some(hard) => Some(format!("{} at {}: {hard:.1}, paper {}", figure.name, figure.elements, figure.paper)),
            // A quick run leaves whole sizes out.
            None if missing(&figure) => {
                Some(format!("{} at {}: not measured, paper {}", figure.name, figure.elements, figure.paper))
            }
            None => None,
        });
        missed.collect()
    }

    /// All tables in Markdown.
    pub fn text(&self) -> String {
        let mut text = self.plain.text() + "\n";
        for report in self.pipelined.iter().chain(&self.two_ports) {
            text += &report.text();
            text += "\n";
        }
        let mut line = |line: String| writeln!(text, "{line}").expect("a string takes all");
        line("# Beside the paper\n".into());
        let hard = self.pipelined.as_ref().map_or("an ideal core", |report| report.core.name());
        line(format!("Above or below: beside {hard}, the harder column, with the better of both designs.\n"));
        line("| | elements | paper | PicoRV32 | ideal core | VexRiscv | two read ports | |".into());
        line("|---|---:|---:|---:|---:|---:|---:|---|".into());
        let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.1}"));
        for figure in self.figures() {
            let word = match figure.hard() {
                Some(hard) if hard > figure.paper => "above",
                Some(_) => "below",
                None => "not measured",
            };
            line(format!(
                "| {} | {} | {} | {} | {} | {} | {} | {word} |",
                figure.name,
                figure.elements,
                figure.paper,
                number(figure.plain.map(|plain| plain.0)),
                number(figure.plain.map(|plain| plain.1)),
                number(figure.pipelined),
                number(figure.two_ports)
            ));
        }
        text
    }

    /// The same as JSON.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct All<'a> {
            #[serde(flatten)]
            reports: &'a Beside,
            paper: Vec<Figure>,
        }
        let all = All { reports: self, paper: self.figures() };
        serde_json::to_string_pretty(&all).expect("numbers and strings always serialise") + "\n"
    }
}
