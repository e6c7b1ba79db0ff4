//! Cycles of operations on lines, beside those of the same work by loads and stores of 64 bits at a port.

use bitline_units::duality::CacheParams;
use bitline_units::duality::blocks::duality_line_side;
use bitline_units::duality::registers::*;
use bitline_units::parts::cache_ops::{CacheOp, control};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Nets;
use super::bus::Bus;
use crate::engine::{Engine, Native, engine};
use crate::error::Result;

/// Cycles of an operation on so many lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCycles {
    /// What is computed.
    pub op: CacheOp,
    /// Lines of an operand.
    pub lines: u32,
    /// Cycles from the write that begins it to its end: lines are absent; all of them are there.
    pub unit: [u64; 2],
    /// The same by a processor that asks for a word in every cycle and never waits for an answer.
    pub words: [u64; 2],
}

struct Rig {
    engine: Native,
    nets: Nets,
    bus: Bus,
    rng: ChaCha8Rng,
    now: u64,
}

impl Rig {
    fn set(&mut self, name: &str, value: u64) {
        self.engine.set_input(self.nets.at(name), &[value]);
    }

    fn get(&mut self, name: &str) -> u64 {
        self.engine.low(self.nets.at(name))
    }

    fn tick(&mut self) {
        self.bus.drive(&mut self.engine, &self.nets, &mut self.rng, self.now);
        self.bus.after(&mut self.engine, &self.nets, self.now);
        self.engine.tick(false);
        self.now += 1;
    }

    /// All lines go to memory.
    fn empty(&mut self, all: u64) {
        self.set("drain_valid", 1);
        self.set("drain_ways", all);
        while self.get("drain_ready") == 0 {
            self.tick();
        }
        self.tick();
        self.set("drain_valid", 0);
        while self.get("drained") == 0 {
            self.tick();
        }
        self.set("enabled", 0);
        self.tick();
        self.set("enabled", all);
        self.tick();
    }

    /// An instruction, from the cycle of its beginning on.
    fn instruction(&mut self, op: CacheOp, [a, b, d]: [u32; 3], size: u32) -> u64 {
        let writes = [(REG_LINE_A, a), (REG_LINE_B, b), (REG_LINE_D, d), (REG_LINE_SIZE, size)];
        self.set("host_write", 1);
        for (offset, value) in writes.into_iter().chain([(REG_LINE_OPERATION, op as u32)]) {
            self.set("host_number", offset / 4 % 16);
            self.set("host_data", value.into());
            self.tick();
        }
        let begun = self.now - 1;
        self.set("host_write", 0);
        while self.get("host_value") >> LINE_RESULT_DONE_LSB & 1 == 0 {
            self.tick();
        }
        self.now - begun
    }

    /// Words of the same operands, loads before the store.
    fn words(&mut self, op: CacheOp, [a, b, d]: [u32; 3], size: u32) -> u64 {
        let begun = self.now;
        let mut due = 0;
        for at in (0..size).step_by(8) {
            let used = [(op.has(control::A), a, 0), (op.has(control::B), b, 0), (op.has(control::D), d, 1)];
            for (_, from, write) in used.into_iter().filter(|used| used.0) {
                self.set("ports_0_valid", 1);
                self.set("ports_0_address", (from + at).into());
                self.set("ports_0_write", write);
                self.set("ports_0_strobes", 255);
                loop {
                    let taken = self.get("ports_0_ready");
                    due += taken;
                    due -= self.get("ports_0_answer");
                    self.tick();
                    if taken == 1 {
                        break;
                    }
                }
            }
        }
        self.set("ports_0_valid", 0);
        while due > 0 {
            due -= self.get("ports_0_answer");
            self.tick();
        }
        self.now - begun
    }
}

/// Measures every operation, with so many cycles from the address of a burst to its first beat.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if there is no such cache.
pub fn measure(params: &CacheParams, latency: u64) -> Result<Vec<LineCycles>> {
    let engine = engine(&duality_line_side(params, 1)?);
    let nets = Nets::of(&engine);
    let mut rig = Rig { engine, nets, bus: Bus::new(latency), rng: ChaCha8Rng::seed_from_u64(1), now: 0 };
    let inputs = rig.engine.design().inputs.clone();
    inputs.into_iter().for_each(|net| rig.engine.set_input(net, &[0]));
    rig.engine.tick(true);
    let all = (1 << params.ways) - 1;
    rig.set("enabled", all);
    rig.set("host_ready", 1);
    rig.set("host_read_number", REG_LINE_RESULT / 4 % 16);
    (0..2 * params.sets).for_each(|_| rig.tick());
    let mut made = vec![];
    for op in CacheOp::ALL {
        let lines = if op.has(control::MASK) { 8 } else { 32 };
        let operands = [0x1_0000, 0x2_0000 + 64 * lines, 0x3_0000 + 128 * lines];
        rig.empty(all);
        let unit = [(); 2].map(|()| rig.instruction(op, operands, 64 * lines));
        rig.empty(all);
        let words = [(); 2].map(|()| rig.words(op, operands, 64 * lines));
        made.push(LineCycles { op, lines, unit, words });
    }
    Ok(made)
}

/// The table of them.
pub fn table(made: &[LineCycles]) -> String {
    let mut text = String::from(
        "| operation | lines | absent | there | by words, absent | there | times faster, absent | there |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for LineCycles { op, lines, unit, words } in made {
        let each = |cycles: u64| cycles as f64 / f64::from(*lines);
        let ratio = |k: usize| words[k] as f64 / unit[k] as f64;
        text += &format!(
            "| {} | {lines} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |\n",
            op.name(),
            each(unit[0]),
            each(unit[1]),
            each(words[0]),
            each(words[1]),
            ratio(0),
            ratio(1)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duality_lines_that_are_there_take_a_cycle_an_operand() {
        let params = CacheParams { ways: 4, sets: 64, mshr: 16, lines: true };
        let made = measure(&params, 40).unwrap_or_else(|e| panic!("{e}"));
        println!("{}", table(&made));
        for LineCycles { op, lines, unit, words } in made {
            let operands = [control::A, control::B, control::D].into_iter().filter(|&bit| op.has(bit)).count() as u64;
            // Hints until it turns out that no line is absent, and the way from the registers to the ways and back.
            let most = u64::from(lines) * operands + 8 + 16;
            assert!(unit[1] <= most, "{}: {} cycles for {lines} lines of {operands} operands", op.name(), unit[1]);
            assert!(unit[0] < words[0] && unit[1] < words[1], "{}: {unit:?}, {words:?}", op.name());
        }
    }
}
