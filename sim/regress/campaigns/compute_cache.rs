//! The campaign on the compute cache.

use bitline_units::compute_cache::registers::configuration_hash;

use super::{Campaign, Done, Mismatch, Subject, smallest_first};
use crate::compute_cache::blocks::compute_cache;
use crate::compute_cache::{CACHE_PRESETS, CacheGeometry};
use crate::units::compute_cache::campaign::Host;

/// The compute cache behind its instruction port.
pub(super) static SUBJECT: Subject = Subject {
    name: "compute-cache",
    presets: || smallest_first(CACHE_PRESETS.iter().map(|preset| preset.0).collect()),
    hash: |name| CacheGeometry::preset(name).map(|geometry| configuration_hash(&geometry)),
    netlist: |name| compute_cache(&CacheGeometry::preset(name)?),
    open: true,
};

pub(super) const RANDOM: Campaign = Campaign {
    name: "compute-cache.random",
    subject: &SUBJECT,
    summary: "instructions, word accesses, stalls and resets, some of them wrong",
    counted: "instructions",
    size: 300,
    largest: 1_000_000,
    usual: true,
    run: |name, engine, seed, size| {
        let geometry = CacheGeometry::preset(name).map_err(Mismatch::said)?;
        let mut host = Host::new(engine, &geometry, seed);
        host.random(size as usize)?;
        Ok(Done { commands: host.instructions, cycles: host.unit.cycle_count() })
    },
};
