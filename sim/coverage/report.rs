//! What was covered, for people: tables in Markdown, and a page with the lines of the blocks.

use std::path::Path;

use serde::Serialize;

use super::lines::{Lines, lines};
use super::{Arm, Coverage, Module, Share};

/// The page's template.
const PAGE: &str = include_str!("../templates/coverage/report.html.tera");

/// `covered / all (percent)`.
fn text(share: Share) -> String {
    let Share { covered, all } = share;
    if all == 0 {
        return "–".into();
    }
    format!("{covered} / {all} ({:.1} %)", 100.0 * covered as f64 / all as f64)
}

/// Sums over all modules: bits, arms, values.
fn total(coverage: &Coverage) -> [Share; 3] {
    let sum = |of: fn(&Module) -> Share| coverage.modules.iter().map(of).sum();
    [sum(Module::toggle), sum(Module::branch), sum(Module::state)]
}

/// A line for each module, and one for all.
pub fn markdown(coverage: &Coverage) -> String {
    let Coverage { unit, preset, campaigns, cycles, modules } = coverage;
    let mut page = format!(
        "Coverage of {unit} {preset}, {cycles} cycles of {}:\n\n| module | bits toggled | arms taken | states held \
         |\n|---|--:|--:|--:|\n",
        campaigns.join(", ")
    );
    for module in modules {
        let [bits, arms, states] = [module.toggle(), module.branch(), module.state()].map(text);
        page += &format!("| {} | {bits} | {arms} | {states} |\n", module.name);
    }
    let [bits, arms, states] = total(coverage).map(text);
    page + &format!("| **all** | {bits} | {arms} | {states} |\n")
}

/// Consecutive bits in one: `5:3, 0`.
fn ranges(bits: impl Iterator<Item = u32>) -> String {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for bit in bits {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == bit => *last = bit,
            _ => found.push((bit, bit)),
        }
    }
    let range = |&(low, high): &(u32, u32)| if low == high { low.to_string() } else { format!("{high}:{low}") };
    found.iter().rev().map(range).collect::<Vec<_>>().join(", ")
}

/// Bits of a module's nets that have not risen, or not fallen.
fn bits(module: &Module) -> Vec<String> {
    let mut list = Vec::new();
    for net in &module.nets {
        for (what, of) in [("never rises", 0), ("never falls", 1)] {
            let quiet = (0..net.width).filter(|&bit| {
                let (rose, fell) = net.bit(bit);
                // A bit that never rises cannot fall, unless it begins at 1.
                if of == 0 { !rose } else { rose && !fell }
            });
            let quiet = ranges(quiet);
            if !quiet.is_empty() {
                let bits = if net.width == 1 { String::new() } else { format!("[{quiet}]") };
                list.push(format!("{}{bits} {what}", net.name));
            }
        }
    }
    list
}

/// Values that a module's registers have not held.
fn values(module: &Module) -> Vec<String> {
    let missing = module.states.iter().flat_map(|state| {
        let values = state.values.iter().filter(|(_, held)| !held);
        values.map(|(value, _)| format!("{} is never {value}", state.name))
    });
    missing.collect()
}

/// The source of a module's block below `root`, and where its conditions are.
fn source(module: &Module, root: &Path) -> Option<(String, Lines)> {
    if module.file.is_empty() {
        return None;
    }
    let text = std::fs::read_to_string(root.join(&module.file)).ok()?;
    let found = lines(&text, module.line)?;
    let known = |arm: &Arm| found.arms.get(arm.place as usize).is_some_and(|arms| arms.len() > arm.number as usize);
    module.arms.iter().all(known).then_some((text, found))
}

/// An arm in words.
fn arm(module: &Module, arm: &Arm, lines: Option<&Lines>) -> String {
    match lines {
        Some(lines) => {
            let line = lines.arms[arm.place as usize][arm.number as usize];
            format!("{}:{line}: {} is never taken", module.file, arm.label)
        }
        None => format!("condition {}: {} is never taken", arm.place, arm.label),
    }
}

/// What was not covered, a list for each module. `root`: where the sources are, if they are there.
pub fn missing(coverage: &Coverage, root: &Path) -> String {
    let mut page = String::new();
    for module in &coverage.modules {
        let source = source(module, root);
        let arms = module.arms.iter().filter(|arm| !arm.taken);
        let mut list: Vec<String> = arms.map(|a| arm(module, a, source.as_ref().map(|(_, lines)| lines))).collect();
        list.extend(values(module));
        list.extend(bits(module));
        if !list.is_empty() {
            page += &format!("\n{}:\n\n", module.name);
            list.iter().for_each(|item| page += &format!("- {item}\n"));
        }
    }
    page
}

/// A line of a block's update function.
#[derive(Serialize)]
struct Line {
    number: usize,
    text: String,
    /// Arms that were taken, and the labels of those that were not.
    taken: usize,
    missed: Vec<String>,
}

/// A module of the page.
#[derive(Serialize)]
struct Block {
    name: String,
    file: String,
    bits: String,
    arms: String,
    states: String,
    lines: Vec<Line>,
    /// Arms without a line, values and bits.
    missing: Vec<String>,
}

fn block(module: &Module, root: &Path) -> Block {
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    match source(module, root) {
        Some((text, found)) => {
            for (number, line) in (1..).zip(text.lines()).filter(|(n, _)| (found.first..=found.last).contains(n)) {
                let here = module.arms.iter().filter(|a| found.arms[a.place as usize][a.number as usize] == number);
                let (taken, missed): (Vec<&Arm>, Vec<&Arm>) = here.partition(|arm| arm.taken);
                let missed = missed.iter().map(|arm| arm.label.clone()).collect();
                rows.push(Line { number, text: line.into(), taken: taken.len(), missed });
            }
        }
        None => missing.extend(module.arms.iter().filter(|arm| !arm.taken).map(|a| arm(module, a, None))),
    }
    missing.extend(values(module));
    missing.extend(bits(module));
    let [bits, arms, states] = [module.toggle(), module.branch(), module.state()].map(text);
    Block { name: module.name.clone(), file: module.file.clone(), bits, arms, states, lines: rows, missing }
}

/// A page with the lines of the blocks that are below `root`.
///
/// # Panics
/// If the template is broken, which is a bug of ours.
pub fn html(coverage: &Coverage, root: &Path) -> String {
    let mut context = tera::Context::new();
    let [bits, arms, states] = total(coverage).map(text);
    for (name, value) in [
        ("unit", &coverage.unit),
        ("preset", &coverage.preset),
        ("campaigns", &coverage.campaigns.join(", ")),
        ("bits", &bits),
        ("arms", &arms),
        ("states", &states),
    ] {
        context.insert(name, value);
    }
    context.insert("cycles", &coverage.cycles);
    context.insert("version", env!("CARGO_PKG_VERSION"));
    context.insert("blocks", &coverage.modules.iter().map(|module| block(module, root)).collect::<Vec<_>>());
    tera::Tera::one_off(PAGE, &context, true).unwrap_or_else(|e| panic!("the page's template: {e:?}"))
}
