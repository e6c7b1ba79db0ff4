//! Verilator's own count of changed bits beside ours, on the same campaigns: a second opinion.
//!
//! Verilator counts a bit when it has changed once, in whatever direction, and looks after every evaluation: also
//! between the clock edge and the next inputs, when nets are not what they will be in the cycle. So every bit that
//! changes here must change there, and registers must be equal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use super::{Coverage, Plan, Share};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::external::verilator::Verilated;

/// A module, a net and a bit.
type Bit = (String, String, u32);

/// Both counts.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Beside {
    /// Bits of registers that change here, and there.
    pub registers: [Share; 2],
    /// Bits of other nets that change here, and there.
    pub others: [Share; 2],
    /// Bits whose counts contradict each other, in words.
    pub wrong: Vec<String>,
}

impl Beside {
    /// As text.
    pub fn markdown(&self) -> String {
        let line = |name: &str, [ours, theirs]: [Share; 2]| {
            format!("| {name} | {} | {} | {} |\n", ours.all, ours.covered, theirs.covered)
        };
        let mut page = "| bits that change | all | native | Verilator |\n|---|--:|--:|--:|\n".to_string();
        page += &(line("registers", self.registers) + &line("other nets", self.others));
        self.wrong.iter().for_each(|wrong| page += &format!("- {wrong}\n"));
        page
    }
}

/// Bits that Verilator's file lists, and whether each has changed.
fn read(text: &str, into: &mut BTreeMap<Bit, bool>) {
    for line in text.lines() {
        let Some((entry, count)) = line.strip_prefix("C '").and_then(|line| line.rsplit_once("' ")) else { continue };
        // Keys and values are marked by control characters.
        let fields: BTreeMap<&str, &str> = entry.split('\u{1}').filter_map(|field| field.split_once('\u{2}')).collect();
        let module = fields.get("page").and_then(|page| page.strip_prefix("v_toggle/"));
        let (Some(module), Some(signal)) = (module, fields.get("o")) else { continue };
        let (name, bit) = match signal.split_once('[') {
            Some((name, bit)) => (name, bit.trim_end_matches(']').parse().unwrap_or(0)),
            None => (*signal, 0),
        };
        let changed = count.trim() != "0";
        *into.entry((module.into(), name.into(), bit)).or_default() |= changed;
    }
}

/// Runs the plan's cases under Verilator, which is built below `folder`, and compares its count with ours.
///
/// # Errors
/// What the build says; [`Error::Tool`] if a case fails or Verilator's file lists nothing.
pub fn beside(plan: &Plan, ours: &Coverage, folder: &Path, tick: &mut dyn FnMut(u64, u64)) -> Result<Beside> {
    let counts = tempfile::tempdir().map_err(|e| Error::file(std::env::temp_dir(), e))?;
    let mut cases = 0;
    let engine = || -> Result<Box<dyn Engine>> {
        cases += 1;
        Ok(Box::new(Verilated::covered(plan.netlist(), folder, counts.path().join(format!("{cases}.dat")))?))
    };
    plan.run(engine, tick)?;
    let mut theirs = BTreeMap::new();
    for case in 1..=cases {
        let path = counts.path().join(format!("{case}.dat"));
        let text = std::fs::read(&path).map_err(|e| Error::file(&path, e))?;
        read(&String::from_utf8_lossy(&text), &mut theirs);
    }
    if theirs.is_empty() {
        return Err(Error::Tool { tool: "verilator".into(), reason: "has counted nothing".into() });
    }
    Ok(compare(ours, &theirs))
}

fn compare(ours: &Coverage, theirs: &BTreeMap<Bit, bool>) -> Beside {
    let mut beside = Beside { registers: Default::default(), others: Default::default(), wrong: vec![] };
    let known: BTreeSet<(&str, &str)> = theirs.keys().map(|(module, net, _)| (&module[..], &net[..])).collect();
    for module in &ours.modules {
        for net in &module.nets {
            // Verilator leaves out what it has merged into something else.
            if !known.contains(&(&module.name, &net.name)) {
                continue;
            }
            for bit in 0..net.width {
                let (rose, fell) = net.bit(bit);
                let there = theirs.get(&(module.name.clone(), net.name.clone(), bit)).copied().unwrap_or(false);
                let here = rose || fell;
                let [mine, other] = if net.register { &mut beside.registers } else { &mut beside.others };
                for (share, covered) in [(mine, here), (other, there)] {
                    share.all += 1;
                    share.covered += usize::from(covered);
                }
                if here && !there || net.register && here != there {
                    let change = |does: bool| if does { "changes" } else { "does not change" };
                    beside.wrong.push(format!(
                        "{}.{}[{bit}] {} natively, {} under Verilator",
                        module.name,
                        net.name,
                        change(here),
                        change(there)
                    ));
                }
            }
        }
    }
    beside
}
