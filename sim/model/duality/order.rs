//! What a launch leaves on several control blocks, of which none knows when the others run.
//!
//! Waves have no order among each other, and begin with whatever an earlier wave has left in rows, shared windows and
//! spill rows. What depends on either is *undetermined*; everything else is as it is when waves follow each other.
//! The rule: a byte is shared if several waves access it. It is contested unless all of them only read it, or all
//! change it by atomic operations of one kind and size that give the same in any order (`add`, `min`, `max`, `and`,
//! `or`, `xor`). A contested byte is undetermined, and so is what a wave reads of a shared byte that is not only
//! read: the old value of an atomic operation, too. What follows from it is found by running the launch again, with
//! random bits in place of all that a wave cannot know: bytes that differ between runs are undetermined as well, and
//! so are those of accesses that write to another place, or something else.

use std::collections::{BTreeSet, HashMap, HashSet};

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Program;
use bitline_units::duality::isa::codes::MemoryOp;
use bitline_units::error::Result;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::interpreter::run_watched;
use super::launch::{Launch, Outcome};
use super::memory::FlatMemory;
use super::watch::{Access, Watch};

/// Runs with random bits.
const RUNS: u64 = 5;

/// How waves access a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Reads,
    Changes(MemoryOp, u32),
    Writes,
}

#[derive(Clone, Copy, Debug)]
struct Touched {
    first: u64,
    several: bool,
    how: How,
}

/// What the judge notes of accesses while waves follow each other.
#[derive(Debug, Default)]
pub struct Order {
    /// Whether anything is noted.
    on: bool,
    wave: u64,
    touched: HashMap<u32, Touched>,
    /// Bytes of windows and spill rows that the wave has written.
    own: HashSet<u32>,
    /// What is written, in order: address, bytes, value.
    writes: Vec<(u32, u32, u64)>,
    /// In place of what a wave cannot know: shared bytes that are not only read, and where random bits come from.
    unknown: Option<(HashSet<u32>, ChaCha8Rng)>,
}

impl Watch for Order {
    fn wave(&mut self) -> Option<u64> {
        self.wave += 1;
        self.own.clear();
        self.unknown.as_mut().map(|(_, rng)| rng.random())
    }

    fn access(&mut self, access: Access, old: u64) -> u64 {
        let Access { op, address, bytes, private, .. } = access;
        if !self.on {
            return old;
        }
        if op != MemoryOp::Load && !private {
            self.writes.push((address, bytes, 0));
        }
        let mut known = true;
        for at in (0..bytes).map(|byte| address.wrapping_add(byte)) {
            if private {
                known &= self.own.contains(&at);
                if op == MemoryOp::Store {
                    self.own.insert(at);
                }
                continue;
            }
            let how = match op {
                MemoryOp::Load => How::Reads,
                MemoryOp::Store | MemoryOp::Exchange | MemoryOp::Compare | MemoryOp::FAdd => How::Writes,
                _ => How::Changes(op, bytes),
            };
            let before = self.touched.entry(at).or_insert(Touched { first: self.wave, several: false, how });
            before.several |= before.first != self.wave;
            if before.how != how {
                before.how = How::Writes;
            }
            known &= self.unknown.as_ref().is_none_or(|(unknown, _)| !unknown.contains(&at));
        }
        match &mut self.unknown {
            Some((_, rng)) if !known => rng.random::<u64>() >> (64 - 8 * bytes),
            _ => old,
        }
    }

    fn operands(&mut self, b: u64, s: u64) {
        if let Some(last) = self.writes.last_mut().filter(|_| self.on) {
            last.2 = b ^ s.rotate_left(32);
        }
    }
}

/// What a launch leaves in memory, and the addresses of bytes that are undetermined, those of windows and spill rows
/// apart: they all are. Nothing if a trap stops a program, or if it depends on what is undetermined how programs end.
///
/// # Errors
/// As [`super::run`].
pub fn run_unordered(
    params: &DualityParams,
    program: &Program,
    launch: &Launch,
    memory: &mut FlatMemory,
    seed: u64,
    limit: u64,
) -> Result<Option<(Outcome, BTreeSet<u32>)>> {
    let before = memory.clone();
    let mut order = Order { on: true, ..Order::default() };
    let Ok(outcome) = run_watched(params, program, launch, memory, [seed, limit], &mut order)? else { return Ok(None) };
    let shared = order.touched.iter().filter(|(_, byte)| byte.several && byte.how != How::Reads);
    let unknown: HashSet<u32> = shared.clone().map(|(&at, _)| at).collect();
    let mut found: BTreeSet<u32> = shared.filter(|(_, byte)| byte.how == How::Writes).map(|(&at, _)| at).collect();
    for number in 1..=RUNS {
        let mut again = before.clone();
        let rng = ChaCha8Rng::seed_from_u64(seed ^ number << 32);
        let mut second = Order { on: true, unknown: Some((unknown.clone(), rng)), ..Order::default() };
        let ended = run_watched(params, program, launch, &mut again, [seed, limit], &mut second)?;
        if !ended.is_ok_and(|ended| ended.code == outcome.code) || second.writes.len() != order.writes.len() {
            return Ok(None);
        }
        for (one, other) in order.writes.iter().zip(&second.writes).filter(|(one, other)| one != other) {
            found.extend((0..one.1).map(|byte| one.0.wrapping_add(byte)));
            found.extend((0..other.1).map(|byte| other.0.wrapping_add(byte)));
        }
        for address in memory.pages().flat_map(|(page, _)| (page << 16..).step_by(8).take(1 << 13)) {
            let differs = memory.read(address, 8) ^ again.read(address, 8);
            found.extend((0..8).filter(|byte| differs >> (8 * byte) & 0xff != 0).map(|byte| address + byte));
        }
    }
    Ok(Some((outcome, found)))
}
