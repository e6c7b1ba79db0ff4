//! Model of the near-place path.

use super::BLOCK;
use super::bank::compute;
use super::interconnect::{Interconnect, Purpose};
use bitline_units::compute_cache::{CacheOp, control};

/// An instruction on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Current {
    /// What it does.
    pub op: CacheOp,
    /// Granularity.
    pub grain: u8,
    /// Its place in the table.
    pub slot: usize,
    /// Next block to read, operand a.
    pub a: u32,
    /// The same, operand b.
    pub b: u32,
    /// Operand a is read; b comes next.
    pub second: bool,
    /// Blocks to read.
    pub unread: u32,
    /// Next block to write.
    pub d: u32,
    /// Blocks that are not done.
    pub left: u32,
    /// Number of the next block that is done.
    pub index: u32,
}

impl Current {
    /// Whether it reads operand b.
    pub fn two(&self) -> bool {
        self.op.has(control::B)
    }
}

/// The path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Near {
    /// The instruction under way.
    pub current: Option<Current>,
    /// A first source.
    pub held: Option<Vec<u64>>,
}

/// A read: its block, and whether it completes a block operation's sources.
pub type Read = (u32, bool);

impl Near {
    /// The read that it asks for.
    pub fn request(&self) -> Option<Read> {
        let current = self.current.filter(|c| c.unread > 0)?;
        Some(if current.second { (current.b, true) } else { (current.a, !current.two()) })
    }

    /// What it makes of the sources that have arrived.
    fn computed(&self, interconnect: &Interconnect) -> Option<(Current, Vec<u64>, u8)> {
        let current = self.current.filter(|_| interconnect.got == Purpose::NearLast)?;
        let b = interconnect.block.as_ref().expect("a block arrives");
        let a = if current.two() { self.held.as_ref().expect("a came before b") } else { b };
        let (block, bits) = compute(current.op, current.grain, a, b);
        Some((current, block, bits))
    }

    /// The block that it writes.
    pub fn write(&self, interconnect: &Interconnect) -> Option<(u32, Vec<u64>)> {
        let (current, block, _) = self.computed(interconnect)?;
        current.op.has(control::D).then_some((current.d, block))
    }

    /// The bits of the mask that it gives.
    pub fn mask(&self, interconnect: &Interconnect) -> u64 {
        let Some((current, _, bits)) = self.computed(interconnect) else { return 0 };
        let words = interconnect.block.as_ref().map_or(0, Vec::len) as u32;
        let each = if current.op == CacheOp::Clmul { words >> current.grain } else { words };
        if current.op.has(control::MASK) { u64::from(bits) << (current.index * each % 64) } else { 0 }
    }

    /// A clock edge.
    pub fn step(&mut self, granted: bool, interconnect: &Interconnect) {
        if interconnect.got == Purpose::NearFirst {
            self.held.clone_from(&interconnect.block);
        }
        let Some(current) = self.current.as_mut() else { return };
        if granted {
            let last = current.second || !current.two();
            current.second = !last;
            if last {
                (current.a, current.b, current.unread) = (current.a + 1, current.b + 1, current.unread - 1);
            }
        }
        if interconnect.got == Purpose::NearLast {
            (current.d, current.left, current.index) = (current.d + 1, current.left - 1, current.index + 1);
            if current.left == 0 {
                self.current = None;
            }
        }
    }
}

state! {
    Near(self) {
        let current = self.current;
        active = current.is_some();
        second = current.is_some_and(|current| current.second);
        unread = current.map_or(0, |current| current.unread);
        when (let Some(current) = current) {
            current => grain, slot, left;
            op = current.op as u64;
            two = current.two();
            write = current.op.has(control::D);
            a = current.a & BLOCK;
            b = current.b & BLOCK;
            d = current.d & BLOCK;
            index = current.index % 64;
        }
        held = self.held.as_ref();
    }
}
