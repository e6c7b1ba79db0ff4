//! The campaign on the cache compute system.

use bitline_units::ccs::registers::configuration_hash;

use super::{Campaign, Done, Mismatch, Subject, smallest_first};
use crate::ccs::blocks::ccs;
use crate::ccs::{CCS_PRESETS, CcsGeometry};
use crate::units::ccs::campaign::Host;

/// The cache compute system behind its processor port, with memory behind a port as wide as a line.
pub(super) static SUBJECT: Subject = Subject {
    name: "ccs",
    presets: || smallest_first(CCS_PRESETS.iter().map(|preset| preset.0).collect()),
    hash: |name| CcsGeometry::preset(name).map(|geometry| configuration_hash(&geometry)),
    netlist: |name| ccs(&CcsGeometry::preset(name)?),
    open: false,
};

pub(super) const RANDOM: Campaign = Campaign {
    name: "ccs.random",
    subject: &SUBJECT,
    summary: "map and reduce commands, some of them wrong, with a processor at work beside them, and a reset",
    counted: "commands",
    size: 40,
    largest: 1_000_000,
    usual: true,
    run: |name, engine, seed, size| {
        let geometry = CcsGeometry::preset(name).map_err(Mismatch::said)?;
        let mut host = Host::new(engine, &geometry, seed);
        host.random(size as usize)?;
        host.reset()?;
        host.random(1)?;
        Ok(Done { commands: host.commands, cycles: host.machine.cycles })
    },
};
