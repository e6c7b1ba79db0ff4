//! Model of the in-place path.

use super::BLOCK;
use super::bank::{Command, RowOp};
use super::interconnect::{Interconnect, Purpose};
use bitline_units::compute_cache::{CacheGeometry, CacheOp, CachePlan, control};

/// What an instruction on the path waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waves.
    Run,
    /// Its key is to be read.
    KeyRead,
    /// Its key comes.
    KeyWait,
    /// Its key goes to the key rows.
    KeyWrite,
}

/// An instruction on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Current {
    /// What it waits for.
    pub phase: Phase,
    /// What it does; its blocks are those of the next wave and after.
    pub plan: CachePlan,
    /// Granularity.
    pub grain: u8,
    /// Its place in the table.
    pub slot: usize,
    /// Number of the wave's first block.
    pub index: u32,
}

/// What happens in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Banks that take a block operation.
    pub issue: u32,
    /// Banks that miss theirs.
    pub missed: u32,
    /// The wave is complete.
    pub complete: bool,
    /// It is the instruction's last.
    pub last: bool,
    /// All key rows have been written.
    pub key_written: bool,
}

/// The path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waves {
    /// The instruction under way.
    pub current: Option<Current>,
    /// Banks that have missed their part of the wave.
    pub missed: u32,
    /// A part that is executed: place in the table, blocks done with it.
    pub sent: Option<(usize, u32)>,
    /// A part that has been executed.
    pub done: Option<(usize, u32)>,
}

impl Waves {
    /// The block of a key that is to be read.
    pub fn key_request(&self) -> Option<u32> {
        self.current.filter(|c| c.phase == Phase::KeyRead).map(|c| c.plan.b)
    }

    fn blocks(&self, geometry: &CacheGeometry) -> u32 {
        self.current.map_or(0, |c| c.plan.blocks.min(geometry.issue as u32))
    }

    /// What happens in a cycle in which the interconnect takes the banks `taken`.
    pub fn part(&self, geometry: &CacheGeometry, taken: u32) -> Part {
        let banks = geometry.banks as u32;
        let Some(current) = self.current else { return Part::default() };
        let wave = match current.phase {
            Phase::Run => (0..self.blocks(geometry)).fold(0, |set, i| set | 1 << ((current.plan.a + i) % banks)),
            Phase::KeyWrite => (0..banks).fold(0, |set, bank| set | 1 << bank),
            Phase::KeyRead | Phase::KeyWait => 0,
        };
        let todo = if self.missed != 0 { self.missed } else { wave };
        let complete = todo != 0 && todo & taken == 0;
        Part {
            issue: todo & !taken,
            missed: todo & taken,
            complete,
            last: complete && current.phase == Phase::Run && current.plan.blocks <= geometry.issue as u32,
            key_written: complete && current.phase == Phase::KeyWrite,
        }
    }

    /// The command of a bank that takes its part.
    pub fn command(&self, geometry: &CacheGeometry, bank: usize) -> Command {
        let current = self.current.expect("a wave belongs to an instruction");
        let banks = geometry.banks as u32;
        let offset = (bank as u32 + banks - current.plan.a % banks) % banks;
        let own = |first: u32| (first + offset) / banks;
        let plan = current.plan;
        let op = if current.phase == Phase::KeyWrite { RowOp::Key } else { RowOp::Op(plan.op) };
        let bits = match op {
            RowOp::Op(CacheOp::Clmul) => geometry.words() as u32 >> current.grain,
            _ => geometry.words() as u32,
        };
        let place = matches!(op, RowOp::Op(_)).then_some((current.index + offset) * bits % 64);
        Command { op, grain: Some(current.grain), a: own(plan.a), b: own(plan.b), d: own(plan.d), place }
    }

    /// A clock edge.
    pub fn step(&mut self, geometry: &CacheGeometry, part: &Part, key_granted: bool, interconnect: &Interconnect) {
        let blocks = self.blocks(geometry);
        self.done = self.sent;
        self.missed = part.missed;
        let Some(current) = self.current.as_mut() else {
            self.sent = None;
            return;
        };
        let running = current.phase == Phase::Run && part.issue | part.missed != 0;
        self.sent = running.then_some((current.slot, if part.complete { blocks } else { 0 }));
        if key_granted {
            current.phase = Phase::KeyWait;
        }
        if interconnect.got == Purpose::Key {
            current.phase = Phase::KeyWrite;
        }
        if part.complete && current.phase == Phase::Run {
            let plan = &mut current.plan;
            (plan.a, plan.b, plan.d) = (plan.a + blocks, plan.b + blocks, plan.d + blocks);
            plan.blocks -= blocks;
            current.index += blocks;
        }
        if part.key_written {
            current.phase = Phase::Run;
        }
        if part.last {
            self.current = None;
        }
    }
}

state! {
    Waves(self) {
        active = self.current.is_some();
        phase = match self.current.map(|current| current.phase) {
            None | Some(Phase::Run) => 0u8,
            Some(Phase::KeyRead) => 1,
            Some(Phase::KeyWait) => 2,
            Some(Phase::KeyWrite) => 3,
        };
        when (let Some(Current { plan, grain, slot, index, .. }) = self.current) {
            op = plan.op as u64;
            grain = grain;
            write = plan.op.has(control::D);
            gives = plan.op.has(control::MASK);
            slot = slot;
            a = plan.a & BLOCK;
            b = plan.b & BLOCK;
            d = plan.d & BLOCK;
            left = plan.blocks;
            index = index % 64;
        }
        self => missed;
        sent = self.sent.is_some();
        sent_slot = self.sent.map(|sent| sent.0);
        sent_blocks = self.sent.map(|sent| sent.1);
        done = self.done.is_some();
        done_slot = self.done.map(|done| done.0);
        done_blocks = self.done.map(|done| done.1);
    }
}
