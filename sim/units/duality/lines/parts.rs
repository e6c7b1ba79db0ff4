//! What the campaign of instructions on lines is made of: nets, ports, instructions at random, what has happened.

use std::collections::HashMap;

use bitline_units::duality::lines::LineInstruction;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::engine::Engine;
use crate::kernel::netlist::NetId;

/// What has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCoverage {
    /// Instructions by the code with which they have ended.
    pub ended: [u64; 8],
    /// Legal instructions by opcode.
    pub done: [u64; 10],
    /// Writes that were refused: while an instruction was under way, while it could not begin.
    pub refused: [u64; 2],
    /// Answers of other ports while an instruction was under way: reads, writes, of atomic operations, failed.
    pub others: [u64; 4],
    /// Times that ways were drained, and answers of an instruction's requests meanwhile.
    pub drained: [u64; 2],
    /// Hints of instructions.
    pub hints: u64,
    /// Instructions whose result is a source.
    pub in_place: u64,
    /// Operands of a line for which the one before, which the same line's operation has read, is evicted.
    pub evicted: u64,
}

/// Nets by name.
pub struct Nets(HashMap<String, NetId>);

impl Nets {
    /// Those at the ports of a design.
    pub fn of<E: Engine>(engine: &E) -> Nets {
        let design = engine.design();
        let all = design.inputs.iter().chain(&design.outputs);
        Nets(all.map(|&net| (design.nets[net.0 as usize].path.clone(), net)).collect())
    }

    /// One of them.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn at(&self, name: &str) -> NetId {
        *self.0.get(name).unwrap_or_else(|| panic!("there is no {name}"))
    }
}

/// A request of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    pub address: u32,
    pub write: bool,
    pub hint: bool,
    pub lock: bool,
    pub data: u64,
    pub strobes: u8,
}

/// A port: what it offers.
#[derive(Clone, Debug, Default)]
pub struct Port {
    pub offer: Option<Request>,
    /// The write of an atomic operation, and whether its read is awaited.
    pub then: Option<Request>,
    pub waits: bool,
}

/// Who has asked, and what.
#[derive(Clone, Copy, Debug)]
pub enum Open {
    Port(usize, Request),
    Line,
}

/// Where the host is with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// So many registers are written.
    Writes(usize),
    Waits,
}

/// An instruction at random, on so many lines from a base on.
pub fn some(rng: &mut ChaCha8Rng, base: u32, lines: u32) -> LineInstruction {
    let op = rng.random_range(1..=9);
    let grain = rng.random_range(0..3);
    let most = match op {
        7 | 8 => 8,
        9 => 8 << grain,
        _ if rng.random_range(0..8) == 0 => 64,
        _ => 12,
    };
    let count = rng.random_range(1..=most.min(lines / 2));
    let at = |rng: &mut ChaCha8Rng| base + 64 * rng.random_range(0..=lines - count);
    let (a, b) = (at(rng), at(rng));
    let d = match rng.random_range(0..4) {
        0 => a,
        1 => b,
        _ => at(rng),
    };
    let mut made = LineInstruction { op, grain, a, b, d, size: 64 * count };
    match rng.random_range(0..40) {
        0 => made.op = [0, 10, 15][rng.random_range(0..3)],
        1 => made.grain = 3,
        2 => made.size = [0, 32, 64 * 257, 96, u32::MAX][rng.random_range(0..5)],
        3 => made.a += rng.random_range(1..64),
        4 => made.b += rng.random_range(1..64),
        5 => made.d += rng.random_range(1..64),
        6 => made.a = u32::MAX - 63 - 64 * rng.random_range(0..2),
        7 => made.d = made.a.wrapping_add(64 * rng.random_range(1..3)),
        _ => {}
    }
    made
}
