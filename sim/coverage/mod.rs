//! What campaigns make a design do: bits that change, arms of conditions that are taken, values that registers reach.
//!
//! * **Toggle**: a bit of a net counts when it has risen and fallen. Nets are looked at once a cycle, when they have
//!   settled.
//! * **Branch**: an arm of an `if` or a `match` of a block's update function counts when it was taken in a cycle, also
//!   the `else` that has no text. In loops, one of the turns is enough; arms that parameters decide are none.
//! * **State**: of a register that is compared with constants, each constant counts when the register has held it.
//!
//! Instances of one module count together.

mod collect;
mod lines;
mod report;
pub mod verilator;

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

pub use collect::Covered;
pub use report::{html, markdown, missing};

use crate::emit::list::any_of;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::kernel::netlist::Netlist;
use crate::regress::campaigns::{CAMPAIGNS, Campaign, Subject};

/// Coverage of a design.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Coverage {
    /// Name of the unit.
    pub unit: String,
    /// Preset.
    pub preset: String,
    /// Campaigns that ran.
    pub campaigns: Vec<String>,
    /// Clock cycles of all of them.
    pub cycles: u64,
    /// Modules, children before parents.
    pub modules: Vec<Module>,
}

/// Coverage of a module.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Module {
    /// Name in Verilog.
    pub name: String,
    /// Source file, from the root of the project; empty if it is not known.
    pub file: String,
    /// A line inside the block's implementation.
    pub line: u32,
    /// Nets.
    pub nets: Vec<Net>,
    /// Arms of conditions.
    pub arms: Vec<Arm>,
    /// Values of registers.
    pub states: Vec<State>,
}

/// Toggles of a net.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Net {
    /// Name in its module.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// It is a register.
    pub register: bool,
    /// Bits that have risen, and that have fallen, lowest word first.
    pub rose: Vec<u64>,
    /// See `rose`.
    pub fell: Vec<u64>,
}

/// An arm of a condition.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Arm {
    /// Which `if` or `match` of the update function, from 0 in the order of the text.
    pub place: u32,
    /// Which of its arms.
    pub number: u32,
    /// `then`, `else`, or the pattern.
    pub label: String,
    /// It was taken.
    pub taken: bool,
}

/// Values of a register that is compared with constants.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct State {
    /// The register.
    pub name: String,
    /// The constants, and whether the register has held each.
    pub values: Vec<(u64, bool)>,
}

/// How many there are, and how many of them were covered.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Share {
    /// Covered.
    pub covered: usize,
    /// All.
    pub all: usize,
}

impl Share {
    fn of(covered: impl IntoIterator<Item = bool>) -> Share {
        covered.into_iter().fold(Share::default(), |Share { covered, all }, this| Share {
            covered: covered + usize::from(this),
            all: all + 1,
        })
    }
}

impl std::iter::Sum for Share {
    fn sum<I: Iterator<Item = Share>>(shares: I) -> Share {
        shares.fold(Share::default(), |a, b| Share { covered: a.covered + b.covered, all: a.all + b.all })
    }
}

impl Net {
    /// Whether a bit has risen, and whether it has fallen.
    pub fn bit(&self, bit: u32) -> (bool, bool) {
        let is = |words: &[u64]| words[bit as usize / 64] >> (bit % 64) & 1 == 1;
        (is(&self.rose), is(&self.fell))
    }

    /// Bits that have risen and fallen.
    pub fn share(&self) -> Share {
        Share::of((0..self.width).map(|bit| self.bit(bit) == (true, true)))
    }
}

impl Module {
    /// Bits that have risen and fallen.
    pub fn toggle(&self) -> Share {
        self.nets.iter().map(Net::share).sum()
    }

    /// Arms that were taken.
    pub fn branch(&self) -> Share {
        Share::of(self.arms.iter().map(|arm| arm.taken))
    }

    /// Values that were held.
    pub fn state(&self) -> Share {
        Share::of(self.states.iter().flat_map(|state| &state.values).map(|&(_, held)| held))
    }

    /// Takes over what another run has covered.
    fn add(&mut self, other: &Module) {
        let or = |into: &mut Vec<u64>, from: &[u64]| into.iter_mut().zip(from).for_each(|(a, b)| *a |= b);
        for (net, more) in self.nets.iter_mut().zip(&other.nets) {
            or(&mut net.rose, &more.rose);
            or(&mut net.fell, &more.fell);
        }
        self.arms.iter_mut().zip(&other.arms).for_each(|(arm, more)| arm.taken |= more.taken);
        for (state, more) in self.states.iter_mut().zip(&other.states) {
            state.values.iter_mut().zip(&more.values).for_each(|(value, more)| value.1 |= more.1);
        }
    }
}

/// What is to be covered by what.
#[derive(Clone, Debug)]
pub struct Order {
    /// Name of the unit.
    pub unit: String,
    /// Preset.
    pub preset: String,
    /// Names of campaigns; the unit's usual ones if empty.
    pub campaigns: Vec<String>,
    /// The first seed.
    pub seed: u64,
    /// How many seeds.
    pub seeds: u64,
    /// Size of a case; a campaign's usual one without it.
    pub size: Option<u64>,
}

/// An [`Order`] whose names were looked up.
pub struct Plan {
    subject: &'static Subject,
    campaigns: Vec<&'static Campaign>,
    netlist: Netlist,
    order: Order,
}

impl Plan {
    /// Looks up what the order names, and elaborates the design.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is no such unit, preset or campaign, if a campaign is another unit's, or if a
    /// number is out of its range; what the elaborator says.
    pub fn new(order: Order) -> Result<Plan> {
        let subject = CAMPAIGNS.iter().map(|c| c.subject).find(|subject| subject.name == order.unit);
        let subject = subject.ok_or_else(|| {
            let mut units: Vec<&str> = CAMPAIGNS.iter().map(|c| c.subject.name).collect();
            units.dedup();
            Error::parameter("unit", &order.unit, format!("must be {}", any_of(&units)))
        })?;
        let presets = (subject.presets)();
        if !presets.contains(&order.preset.as_str()) {
            return Err(Error::parameter("preset", &order.preset, format!("must be {}", any_of(&presets))));
        }
        if order.seeds == 0 {
            return Err(Error::parameter("seeds", 0, "must be at least 1"));
        }
        let mut campaigns: Vec<&Campaign> =
            CAMPAIGNS.iter().filter(|c| c.subject.name == subject.name && c.usual).collect();
        if !order.campaigns.is_empty() {
            campaigns.clear();
            for name in &order.campaigns {
                campaigns.extend(Campaign::named(name)?);
            }
        }
        for campaign in &campaigns {
            if campaign.subject.name != subject.name {
                let rule = format!("is no campaign on the unit {}", subject.name);
                return Err(Error::parameter("campaign", campaign.name, rule));
            }
            if let Some(size) = order.size.filter(|size| !(1..=campaign.largest).contains(size)) {
                let rule = format!("must be 1 to {} for {}", campaign.largest, campaign.name);
                return Err(Error::parameter("size", size, rule));
            }
        }
        let netlist = (subject.netlist)(&order.preset)?;
        Ok(Plan { subject, campaigns, netlist, order })
    }

    /// How many cases there are.
    pub fn cases(&self) -> u64 {
        self.campaigns.len() as u64 * self.order.seeds
    }

    /// The design.
    pub fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    /// Whether the model follows nets of the hardware.
    pub fn open(&self) -> bool {
        self.subject.open
    }

    /// Runs every case on an engine that `engine` makes for it; returns the clock cycles. `tick` is told how many cases
    /// are done.
    ///
    /// # Errors
    /// What `engine` says, and [`Error::Tool`] if hardware and model differ.
    pub fn run(
        &self,
        mut engine: impl FnMut() -> Result<Box<dyn Engine>>,
        tick: &mut dyn FnMut(u64, u64),
    ) -> Result<u64> {
        let (mut cycles, mut cases) = (0, 0);
        for campaign in &self.campaigns {
            for seed in self.order.seed..self.order.seed.saturating_add(self.order.seeds) {
                tick(cases, self.cases());
                let size = self.order.size.unwrap_or(campaign.size);
                let done = (campaign.run)(&self.order.preset, engine()?, seed, size).map_err(|mismatch| {
                    let reason = format!("seed {seed}, size {size}: {}", mismatch.message);
                    Error::Tool { tool: format!("{} on {}", campaign.name, self.order.preset), reason }
                })?;
                (cycles, cases) = (cycles + done.cycles, cases + 1);
            }
        }
        Ok(cycles)
    }

    /// Runs every case natively and counts what it covers.
    ///
    /// # Errors
    /// See [`Plan::run`].
    pub fn measure(&self, tick: &mut dyn FnMut(u64, u64)) -> Result<Coverage> {
        let modules = Arc::new(Mutex::new(vec![]));
        let cycles = self.run(|| Ok(Box::new(Covered::new(&self.netlist, Arc::clone(&modules)))), tick)?;
        let modules = std::mem::take(&mut *modules.lock().unwrap_or_else(PoisonError::into_inner));
        let campaigns = self.campaigns.iter().map(|campaign| campaign.name.to_string()).collect();
        Ok(Coverage { unit: self.order.unit.clone(), preset: self.order.preset.clone(), campaigns, cycles, modules })
    }
}

#[cfg(test)]
mod tests;
