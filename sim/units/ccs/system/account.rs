//! Where the cycles of a call go, as the hardware's ports and the steps of its unit show them; and what no launch could
//! save.

use std::fmt::Write as _;

use serde::Serialize;

use super::report::{PAPER_COMMANDS, Report};
use crate::ccs::{CcsCommand, Kind, Operands};

/// Calls that the table shows beside those that the paper has figures of: reductions.
const REDUCTIONS: [(&str, u32); 2] = [("SUMV", 64), ("IPVV", 64)];

/// Cycles of a call, all of which are in one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// From the first register write to the one that starts the command.
    pub registers: u32,
    /// To the first line that is asked for; with all lines in the cache to the first step.
    pub launch: u32,
    /// To the last step.
    pub lines: u32,
    /// To its results, for a reduction the tree's.
    pub unit: u32,
    /// To the answer.
    pub end: u32,
    /// What is left: the processor's, before the first write and after the answer.
    pub processor: u32,
}

impl Account {
    /// A call of so many cycles, of which these are known.
    pub(super) fn of(cycles: u32, [registers, launch, lines, unit, end]: [u32; 5]) -> Option<Account> {
        let processor = [registers, launch, lines, unit, end].into_iter().try_fold(cycles, u32::checked_sub)?;
        Some(Account { registers, launch, lines, unit, end, processor })
    }

    /// Cycles that are left if launch and end take one each, and a step goes in every cycle: what the processor takes,
    /// the registers' writes and the unit's depth. With `ports` read ports, and operands of so many lines in memory.
    fn least(&self, steps: u32, reads: u32, ports: u32) -> u32 {
        let lines = steps.max(reads.div_ceil(ports));
        self.processor + self.registers + 1 + (lines - 1) + self.unit + 1
    }
}

/// Tables of it in Markdown.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |line: String| writeln!(text, "{line}").expect("a string takes all");
    line("\n## Where the cycles of a call go\n".into());
    line(
        "Processor: before the first write and after the answer. Registers: from the first write to the one that \
         starts. Launch: to the first line asked for, or the first step if all lines are there. Lines: to the last \
         step. Unit: to its results. End: to the answer. Least: launch and end of a cycle each, a step in every \
         cycle, with one read port to memory and with two; behind it the greatest speed-up that this allows.\n"
            .into(),
    );
    line(
        "| command | elements | loop | call | processor | registers | launch | lines | unit | end | the paper asks for \
         | least, one port | two ports |"
            .into(),
    );
    line(format!("|---|{}", "---:|".repeat(12)));
    let paper = PAPER_COMMANDS.into_iter().map(|(name, elements, times)| {
        (report.paper_command(name, elements).map(|found| found.command.clone()), elements, Some(times))
    });
    let reductions = REDUCTIONS.into_iter().map(|(name, elements)| (Some(name.to_string()), elements, None));
    for (name, elements, times) in paper.chain(reductions) {
        let Some(found) = name.and_then(|name| report.command(&name, elements)) else { continue };
        let Account { registers, launch, lines, unit, end, processor } = found.account;
        let steps = elements.div_ceil(report.geometry.lanes as u32);
        let command = CcsCommand::named(&found.command);
        // Vectors of more lines than the cache has come from memory.
        let vectors = command.map_or(0, |c| match c.operands {
            Operands::Vv => 2,
            Operands::Vc | Operands::V => 1,
            Operands::C => 0,
        });
        let results = u32::from(command.is_some_and(|c| c.kind == Kind::Map));
        let streams = steps * (vectors + results) > report.geometry.lines as u32;
        let reads = if streams { steps * vectors } else { 0 };
        let bound = |ports: u32| {
            let least = found.account.least(steps, reads, ports);
            format!("{least}: {:.0} ×", f64::from(found.plain.cycles) / f64::from(least.max(1)))
        };
        let asked =
            times.map_or("–".into(), |times| format!("{:.0}", (f64::from(found.plain.cycles) / times).floor()));
        line(format!(
            "| {} | {elements} | {} | {} | {processor} | {registers} | {launch} | {lines} | {unit} | {end} | {asked} \
             | {} | {} |",
            found.command,
            found.plain.cycles,
            found.ccs.cycles,
            bound(1),
            bound(2)
        ));
    }
    text
}
