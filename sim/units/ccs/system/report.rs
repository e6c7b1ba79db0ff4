//! What a run on the system has measured: read from what its program prints, written as tables and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use super::Core;
use super::account::{self, Account};
use crate::ccs::{COMMANDS, CcsCommand, CcsGeometry, Kind, Operands};
use crate::error::{Error, Result};

/// Speed-ups of commands that the paper gives: the least and the greatest of Figure 3, and the best of Figure 4.
pub const PAPER_COMMANDS: [(&str, u32, f64); 4] =
    [("INITC", 64, 4.0), ("ROLVV", 64, 66.0), ("RORVV", 64, 66.0), ("best", 1024, 408.0)];
/// Speed-ups of applications that the paper gives, Figure 5.
pub const PAPER_APPLICATIONS: [(&str, f64); 3] = [("knn", 68.0), ("matrix", 54.0), ("regression", 3.0)];

/// Cycles and retired instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// Cycles.
    pub cycles: u32,
    /// Retired instructions, which is the cycles of an ideal core that retires one in each.
    pub instructions: u32,
}

/// A command beside its loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Command {
    /// Its name.
    pub command: String,
    /// Elements.
    pub elements: u32,
    /// The loop in C.
    pub plain: Cost,
    /// The command: set up, started, waited for, its result read.
    pub ccs: Cost,
    /// Cycles of the loop over cycles of the command.
    pub speedup: f64,
    /// Instructions of the loop over cycles of the command: beside an ideal core.
    pub speedup_ideal: f64,
    /// Where the cycles of the command go.
    pub account: Account,
}

/// An application, likewise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Application {
    /// Its name.
    pub application: String,
    /// All in C.
    pub plain: Cost,
    /// With commands.
    pub ccs: Cost,
    /// Cycles of one over cycles of the other.
    pub speedup: f64,
    /// The same beside an ideal core.
    pub speedup_ideal: f64,
    /// What the paper gives, if it does.
    pub paper: Option<f64>,
}

/// Results at odd sizes and places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The command.
    pub command: String,
    /// Sizes and places.
    pub cases: u32,
}

/// Everything measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The design.
    pub geometry: CcsGeometry,
    /// The processor.
    pub core: Core,
    /// Its port that is measured.
    pub port: &'static str,
    /// Commands, in the order of their codes, each at its sizes.
    pub commands: Vec<Command>,
    /// Applications.
    pub applications: Vec<Application>,
    /// Commands whose results were right.
    pub checks: Vec<Check>,
    /// Cycles an instruction of all loops: of the core with its memory.
    pub cycles_per_instruction: f64,
    /// Cycles simulated.
    pub cycles: u64,
    /// Cycles simulated in a second.
    pub rate: f64,
}

fn ratio(of: u32, to: u32) -> f64 {
    f64::from(of) / f64::from(to.max(1))
}

impl Report {
    /// Reads what a run has printed, which took so long.
    ///
    /// # Errors
    /// [`Error::Tool`] with a line that is not understood, or if something is missing.
    pub fn parse(geometry: &CcsGeometry, core: Core, said: &str, time: Duration) -> Result<Report> {
        let fail = |reason: String| Error::Tool { tool: "ccs-system".into(), reason };
        let (mut commands, mut applications, mut checks) = (vec![], vec![], vec![]);
        let (mut done, mut cycles) = (false, 0);
        for line in said.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| {
                let word = words.get(at).and_then(|word| word.parse::<u32>().ok());
                word.ok_or_else(|| fail(format!("not understood: {line}")))
            };
            let costs = || -> Result<(Cost, Cost)> {
                let plain = Cost { cycles: number(3)?, instructions: number(4)? };
                Ok((plain, Cost { cycles: number(5)?, instructions: number(6)? }))
            };
            match words[..] {
                ["command", name, ..] => {
                    let (plain, ccs) = costs()?;
                    let parts = [number(7)?, number(8)?, number(9)?, number(10)?, number(11)?];
                    let account = Account::of(ccs.cycles, parts)
                        .ok_or_else(|| fail(format!("more than all of the call: {line}")))?;
                    commands.push(Command {
                        command: name.into(),
                        elements: number(2)?,
                        plain,
                        ccs,
                        speedup: ratio(plain.cycles, ccs.cycles),
                        speedup_ideal: ratio(plain.instructions, ccs.cycles),
                        account,
                    });
                }
                ["application", name, ..] => {
                    let (plain, ccs) = costs()?;
                    applications.push(Application {
                        application: name.into(),
                        plain,
                        ccs,
                        speedup: ratio(plain.cycles, ccs.cycles),
                        speedup_ideal: ratio(plain.instructions, ccs.cycles),
                        paper: PAPER_APPLICATIONS.iter().find(|(other, _)| *other == name).map(|(_, paper)| *paper),
                    });
                }
                ["check", name, _, "right"] => checks.push(Check { command: name.into(), cases: number(2)? }),
                ["done"] => done = true,
                ["end", "after", ..] => cycles = number(2)?,
                [] => {}
                _ => return Err(fail(format!("not understood: {line}"))),
            }
        }
        if !done || checks.len() != COMMANDS.len() {
            return Err(fail(format!("{} of {} commands are right: {said}", checks.len(), COMMANDS.len())));
        }
        let total = |cost: fn(&Cost) -> u32| commands.iter().map(|c| f64::from(cost(&c.plain))).sum::<f64>();
        Ok(Report {
            geometry: geometry.clone(),
            core,
            port: core.port(),
            cycles_per_instruction: total(|c| c.cycles) / total(|c| c.instructions),
            commands,
            applications,
            checks,
            cycles: cycles.into(),
            rate: f64::from(cycles) / time.as_secs_f64(),
        })
    }

    /// Sizes measured, the least first.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes: Vec<u32> = self.commands.iter().map(|c| c.elements).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// A command at a size.
    pub fn command(&self, name: &str, elements: u32) -> Option<&Command> {
        self.commands.iter().find(|c| c.command == name && c.elements == elements)
    }

    /// The command with the greatest speed-up at a size.
    pub fn best(&self, elements: u32) -> Option<&Command> {
        let here = self.commands.iter().filter(|c| c.elements == elements);
        here.max_by(|a, b| a.speedup.total_cmp(&b.speedup))
    }

    /// The commands that Figure 4 shows: those with the greatest and the least speed-up at the least size, and one of
    /// each kind between.
    pub fn scaling(&self) -> [&'static str; 4] {
        ["INITC", "ADDVV", "SSDVV", "ROLVV"]
    }

    /// What was measured of a figure that the paper gives; `best` is the best command.
    pub fn paper_command(&self, name: &str, elements: u32) -> Option<&Command> {
        if name == "best" { self.best(elements) } else { self.command(name, elements) }
    }

    /// The figures as tables in Markdown.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |line: String| writeln!(text, "{line}").expect("a string takes all");
        let ports = ["one read port", "two read ports"][usize::from(self.geometry.read_ports > 1)];
        line(format!("# {}, {ports}\n", self.core.name()));
        line(format!(
            "{} lanes of {} bits, {} lines, {ports} to memory; {:.2} cycles an instruction in the loops; {} of {} commands \
             right at every size and place. The port: {}.",
            self.geometry.lanes,
            self.geometry.element_bits,
            self.geometry.lines,
            self.cycles_per_instruction,
            self.checks.len(),
            COMMANDS.len(),
            self.port
        ));
        line(
            "Speed-up: cycles of the loop in C over cycles of the command, all of its call counted. Ideal: beside a \
             core that retires an instruction a cycle, whose cycles are the loop's instructions.\n"
                .into(),
        );
        line("## Figure 3: every command at 64 elements\n".into());
        line("| group | command | loop, cycles | loop, instructions | command, cycles | speed-up | ideal |".into());
        line("|---|---|---:|---:|---:|---:|---:|".into());
        for command in self.commands.iter().filter(|c| c.elements == 64) {
            line(format!(
                "| {} | {} | {} | {} | {} | {:.1} | {:.1} |",
                group(&command.command),
                command.command,
                command.plain.cycles,
                command.plain.instructions,
                command.ccs.cycles,
                command.speedup,
                command.speedup_ideal
            ));
        }
        let sizes = self.sizes();
        line("\n## Figure 4: speed-up over size (ideal)\n".into());
        line(format!("| command | {} |", sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(" | ")));
        line(format!("|---|{}", "---:|".repeat(sizes.len())));
        let named = COMMANDS.iter().map(|c| c.name);
        let figure = self.scaling();
        for name in figure.into_iter().chain(named.filter(|name| !figure.contains(name))) {
            let cell = |&size: &u32| {
                let found = self.command(name, size);
                found.map_or("–".into(), |c| format!("{:.1} ({:.1})", c.speedup, c.speedup_ideal))
            };
            line(format!("| {name} | {} |", sizes.iter().map(cell).collect::<Vec<_>>().join(" | ")));
        }
        text += &account::text(self);
        let mut line = |line: String| writeln!(text, "{line}").expect("a string takes all");
        line("\n## Figure 5: applications\n".into());
        line("| application | C, cycles | C, instructions | with commands, cycles | speed-up | ideal | paper |".into());
        line("|---|---:|---:|---:|---:|---:|---:|".into());
        for a in &self.applications {
            let paper = a.paper.map_or("–".into(), |paper| format!("{paper}"));
            line(format!(
                "| {} | {} | {} | {} | {:.1} | {:.1} | {paper} |",
                a.application, a.plain.cycles, a.plain.instructions, a.ccs.cycles, a.speedup, a.speedup_ideal
            ));
        }
        line(format!("\n{} cycles simulated, {:.0} k a second.", self.cycles, self.rate / 1000.0));
        text
    }
}

/// The paper's group of a command in Figure 3: operands, and what it does.
pub fn group(name: &str) -> String {
    let Some(command) = CcsCommand::named(name) else { return String::new() };
    let operands = match command.operands {
        Operands::Vv => "VOP2",
        Operands::Vc => "VCOP",
        Operands::V => "VOP1",
        Operands::C => "COP",
    };
    let kind = match command.kind {
        Kind::Map => "map",
        Kind::Reduce => "reduce",
    };
    format!("{operands} {kind}")
}
