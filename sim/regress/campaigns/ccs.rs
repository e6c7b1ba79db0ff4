//! The campaigns on the cache compute system.

use bitline_units::ccs::registers::configuration_hash;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Campaign, Done, Mismatch, Subject, smallest_first};
use crate::ccs::blocks::ccs;
use crate::ccs::{CCS_PRESETS, CcsGeometry};
use crate::units::ccs::campaign::Host;
use crate::units::ccs::machine::CcsMachine;
use crate::units::ccs::queued::Queued;

/// Lines of memory behind a system.
const LINES: usize = 64;

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

pub(super) const QUEUED: Campaign = Campaign {
    name: "ccs.queued",
    subject: &SUBJECT,
    summary: "commands queued behind each other that work on each other's results, some of them wrong, with failing \
              memory, soft resets, and a processor at work beside them",
    counted: "commands",
    size: 60,
    largest: 1_000_000,
    usual: true,
    run: |name, engine, seed, size| {
        let geometry = CcsGeometry::preset(name).map_err(Mismatch::said)?;
        let mut machine = CcsMachine::around(engine, &geometry, LINES * geometry.line_bytes(), seed);
        let mut fill = ChaCha8Rng::seed_from_u64(seed);
        machine.memory.bytes.fill_with(|| fill.random());
        let mut queued = Queued::new(seed);
        while queued.commands < size {
            queued.round(&mut machine).map_err(|error| match machine.divergence.take() {
                Some(divergence) => Mismatch::from(&*divergence),
                None => Mismatch::said(error),
            })?;
        }
        Ok(Done { commands: queued.commands, cycles: machine.cycles })
    },
};
