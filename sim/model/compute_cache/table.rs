//! Model of the instruction table, and of the stage between it and the paths.

use super::near::{self, Near};
use super::waves::{self, Phase, Waves};
use super::{CacheInputs, CacheOutputs, CacheResult};
use bitline_units::compute_cache::{CacheFault, CacheGeometry, CacheInstruction, CacheOp, CachePlan, control};

/// An instruction in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As it came in.
    pub instruction: CacheInstruction,
    /// The check has not taken it.
    pub waiting: bool,
    /// Its result is there.
    pub finished: bool,
    /// Blocks that are not done, modulo 2^12.
    pub left: u32,
    /// Bits of the mask so far.
    pub mask: u64,
    /// Why it is refused, if it is.
    pub fault: Option<CacheFault>,
}

/// The table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its places.
    pub entries: Vec<Option<Entry>>,
    /// Where the next instruction goes.
    pub tail: usize,
    /// The next to check.
    pub next: usize,
    /// The oldest.
    pub head: usize,
}

impl Table {
    /// An empty table.
    pub fn new(geometry: &CacheGeometry) -> Table {
        Table { entries: vec![None; geometry.instructions], tail: 0, next: 0, head: 0 }
    }

    /// Whether an instruction is taken.
    pub fn ready(&self) -> bool {
        self.entries[self.tail].is_none()
    }

    /// The oldest instruction's result.
    pub fn result(&self) -> Option<CacheResult> {
        let entry = self.entries[self.head].filter(|entry| entry.finished)?;
        Some(CacheResult { tag: entry.instruction.tag, mask: entry.mask, fault: entry.fault })
    }

    /// The next instruction to check.
    pub fn next(&self) -> Option<(usize, CacheInstruction)> {
        let entry = self.entries[self.next].filter(|entry| entry.waiting)?;
        Some((self.next, entry.instruction))
    }

    /// Whether a word of this block must wait.
    pub fn conflict(&self, geometry: &CacheGeometry, block: u32, write: bool) -> bool {
        let bytes = geometry.block_bytes as u32;
        self.entries.iter().flatten().filter(|entry| !entry.finished).any(|entry| {
            let CacheInstruction { a, b, d, size, .. } = entry.instruction;
            let Some(op) = CacheOp::from_code(entry.instruction.op) else { return false };
            // Numbers as the hardware has them: 19 bits.
            let low = |x: u32| x & 0x7_ffff;
            let inside = |first: u32| low(low(block).wrapping_sub(first / bytes)) < low(size / bytes);
            let key = op.has(control::KEY) && low(block) == low(b / bytes);
            let reads = op.has(control::A) && inside(a) || op.has(control::B) && inside(b) || key;
            op.has(control::D) && inside(d) || write && reads
        })
    }

    /// A clock edge: instructions in, results out.
    pub fn step(&mut self, inputs: &CacheInputs, outputs: &CacheOutputs, geometry: &CacheGeometry) {
        let places = self.entries.len();
        if outputs.result.is_some() && inputs.take_result {
            self.entries[self.head] = None;
            self.head = (self.head + 1) % places;
        }
        if let Some(instruction) = inputs.instruction.filter(|_| outputs.instruction_ready) {
            let left = (instruction.size / geometry.block_bytes as u32) & 0xfff;
            self.entries[self.tail] =
                Some(Entry { instruction, waiting: true, finished: false, left, mask: 0, fault: None });
            self.tail = (self.tail + 1) % places;
        }
    }

    /// The check takes the next instruction.
    pub fn take(&mut self) {
        self.entries[self.next].as_mut().expect("it waits").waiting = false;
        self.next = (self.next + 1) % self.entries.len();
    }

    /// An instruction is refused.
    pub fn refuse(&mut self, slot: usize, fault: CacheFault) {
        let entry = self.entries[slot].as_mut().expect("it is here");
        (entry.finished, entry.fault) = (true, Some(fault));
    }

    /// Block operations are done.
    pub fn retire(&mut self, slot: usize, blocks: u32, mask: u64) {
        let entry = self.entries[slot].as_mut().expect("it is here");
        entry.left -= blocks;
        entry.mask |= mask;
        entry.finished |= entry.left == 0;
    }
}

/// The instruction that waits for its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its place in the table.
    pub slot: usize,
    /// Granularity.
    pub grain: u8,
    /// Its blocks, or why it is refused.
    pub plan: Result<CachePlan, CacheFault>,
}

/// Where it goes in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nowhere.
    None,
    /// Back.
    Refused,
    /// In place.
    Waves,
    /// Near place.
    Near,
}

/// The stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// The instruction.
    pub held: Option<Held>,
    /// The key rows hold the block below.
    pub key_valid: bool,
    /// The key's block; nothing before the first search.
    pub key_block: Option<u32>,
}

/// Whether one of two ranges of blocks begins inside the other.
fn meet(x: u32, x_blocks: u32, y: u32, y_blocks: u32) -> bool {
    let begins = |x: u32, y: u32, blocks: u32| x >= y && x - y < blocks;
    begins(x, y, y_blocks) || begins(y, x, x_blocks)
}

/// Whether an instruction must wait for what is left of another: `reads` blocks from a and b on, `writes` from d on.
fn hazard(later: &CachePlan, op: CacheOp, [a, b, d]: [u32; 3], reads: u32, writes: u32) -> bool {
    let n = later.blocks;
    let sources = meet(later.d, n, a, reads) || meet(later.d, n, b, reads) || meet(later.d, n, d, writes);
    let results = meet(later.a, n, d, writes) || meet(later.b, n, d, writes);
    later.op.has(control::D) && sources || op.has(control::D) && results
}

impl Dispatch {
    /// Where the instruction goes in this cycle.
    pub fn target(&self, waves: &Waves, wave_ready: bool, near: &Near, near_ready: bool) -> Target {
        let Some(held) = &self.held else { return Target::None };
        let Ok(plan) = &held.plan else { return Target::Refused };
        let near_waits = waves.current.is_some_and(|w| {
            let p = w.plan;
            hazard(plan, p.op, [p.a, p.b, p.d], p.blocks, p.blocks)
        });
        let wave_waits = near.current.is_some_and(|c| hazard(plan, c.op, [c.a, c.b, c.d], c.unread, c.left));
        match plan.near {
            true if near_ready && !near_waits => Target::Near,
            false if wave_ready && !wave_waits => Target::Waves,
            _ => Target::None,
        }
    }

    /// A clock edge: starts the instruction on its path.
    pub fn step(
        &mut self,
        target: Target,
        waves: &mut Waves,
        near: &mut Near,
        key_written: bool,
        word_written: Option<u32>,
    ) {
        if key_written {
            self.key_valid = true;
        }
        if word_written.is_some() && word_written == self.key_block {
            self.key_valid = false;
        }
        if target == Target::None {
            return;
        }
        let held = self.held.take().expect("something leaves");
        let Ok(plan) = held.plan else { return };
        let Held { slot, grain, .. } = held;
        if target == Target::Near {
            let CachePlan { op, a, b, d, blocks, .. } = plan;
            near.current =
                Some(near::Current { op, grain, slot, a, b, second: false, unread: blocks, d, left: blocks, index: 0 });
        } else {
            let keyed = plan.op.has(control::KEY);
            // A key that is written in this cycle was asked for by an earlier search.
            let unkeyed = keyed && !(self.key_valid && self.key_block == Some(plan.b));
            if keyed && self.key_block != Some(plan.b) {
                (self.key_valid, self.key_block) = (false, Some(plan.b));
            }
            let phase = if unkeyed { Phase::KeyRead } else { Phase::Run };
            waves.current = Some(waves::Current { phase, plan, grain, slot, index: 0 });
        }
        let inside = |key: u32| key >= plan.d && key - plan.d < plan.blocks;
        if plan.op.has(control::D) && self.key_block.is_some_and(inside) {
            self.key_valid = false;
        }
    }

    /// Takes an instruction from the table.
    pub fn hold(&mut self, slot: usize, instruction: CacheInstruction, geometry: &CacheGeometry) {
        self.held = Some(Held { slot, grain: instruction.grain, plan: instruction.check(geometry) });
    }
}

/// An instruction's place in the hardware.
struct Slot<'a>(Option<&'a Entry>);

/// Where and why an instruction is refused, if it is.
fn fault(fault: Option<CacheFault>) -> (u64, u64) {
    fault.map_or((0, 0), |fault| (fault.code as u64, fault.address.into()))
}

state! {
    Slot<'_>(self) {
        valid = self.0.is_some();
        waiting = self.0.is_some_and(|entry| entry.waiting);
        when (let Some(entry) = self.0) {
            entry => finished, left, mask;
            entry.instruction => op, grain, a, b, d, size, tag;
            code = fault(entry.fault).0;
            fault = fault(entry.fault).1;
        }
    }

    Table(self) {
        self => tail, next, head;
        in entries[] = self.entries.iter().map(|entry| Slot(entry.as_ref()));
    }

    Dispatch(self) {
        let plan = self.held.and_then(|held| held.plan.ok());
        held = self.held.is_some();
        when (let Some(held) = self.held) {
            held => slot, grain;
            code = fault(held.plan.err()).0;
            address = fault(held.plan.err()).1;
        }
        when (let Some(plan) = plan) {
            op = plan.op as u64;
            plan => a, b, d, blocks;
            two = plan.op.has(control::B);
            keyed = plan.op.has(control::KEY);
            write = plan.op.has(control::D);
            gives = plan.op.has(control::MASK);
            is_near = plan.near;
        }
        self => key_valid, key_block;
    }
}
