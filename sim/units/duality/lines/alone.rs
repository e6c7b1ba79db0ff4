//! The unit of operations on lines alone, beside its model: random instructions, registers that are written at any
//! time, ways that let requests wait, answer late and fail, and resets; everything is compared in every cycle.

use std::collections::VecDeque;

use bitline_units::duality::lines::LineInstruction;
use bitline_units::duality::registers::*;
use bitline_units::parts::cache_ops::CacheOp;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::some;
use crate::engine::Engine;
use crate::lockstep::Divergence;
use crate::lockstep::duality::LinesLockstep;
use crate::model::duality::lines::Line;
use crate::model::duality::lines::registers::{HostInputs, RegistersInputs};
use crate::model::duality::lines::unit::{LineUnit, LinesInputs, LinesOutputs};
use crate::model::duality::lines::walk::WalkRequest;

/// Requests that may be without an answer.
const FLIGHT: usize = 16;

/// What has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AloneCoverage {
    /// Instructions by the code with which they have ended.
    pub ended: [u64; 8],
    /// Legal instructions by opcode.
    pub done: [u64; 10],
    /// Writes that were refused: while an instruction was under way, while the ways were not ready.
    pub refused: [u64; 2],
    /// Hints that were taken; times that hints have stopped, and have begun again.
    pub hints: u64,
    /// See `hints`.
    pub eager: [u64; 2],
    /// Offers that were taken back, since an answer has failed: of the first request of a line, of a hint.
    pub taken_back: [u64; 2],
    /// Behind an answer that has failed: requests of the line that was asked for, and answers that fail.
    pub failed: [u64; 2],
    /// Resets: in the midst of an instruction, and while none was under way.
    pub resets: [u64; 2],
}

impl AloneCoverage {
    /// Whether everything has happened.
    pub fn all(&self) -> bool {
        let counts = [
            &self.ended[..],
            &self.done[1..],
            &self.refused,
            &[self.hints],
            &self.eager,
            &self.taken_back,
            &self.failed,
            &self.resets,
        ];
        counts.concat().iter().all(|&count| count > 0)
    }
}

/// What stands for ways and host.
struct Around {
    rng: ChaCha8Rng,
    now: u64,
    /// When answers are due.
    open: VecDeque<u64>,
    line: Line,
    latency: u64,
    /// Of 8 cycles, in which no request is taken; one in so many answers fails, if any does; lines are missed.
    stalls: u32,
    fails: Option<u32>,
    misses: bool,
    /// The instruction, and registers of it that are written; it is under way if all are.
    instruction: LineInstruction,
    written: usize,
}

impl Around {
    fn change(&mut self) {
        let rng = &mut self.rng;
        self.latency = [1, 1, 2, 25][rng.random_range(0..4)];
        self.stalls = [0, 0, 4, 7][rng.random_range(0..4)];
        self.fails = rng.random_ratio(1, 3).then(|| rng.random_range(1..20));
        self.misses = rng.random_ratio(1, 2);
        let base = if rng.random() { 0 } else { 0u32.wrapping_sub(64 * 200) };
        let mut made = some(rng, base, 200);
        // Next to what is refused: operands side by side, the last line of all, the largest size.
        match rng.random_range(0..24) {
            0 => made.d = made.a.wrapping_add(made.size),
            1 => made.d = made.a.wrapping_sub(made.size),
            2 => made.d = made.b.wrapping_add(made.size),
            3 => made.d = made.b.wrapping_sub(made.size),
            4 => made.a = 0u32.wrapping_sub(made.size),
            5 => made.b = 0u32.wrapping_sub(made.size),
            6 => made.d = 0u32.wrapping_sub(made.size),
            7 => made.size = CacheOp::from_code(made.op).map_or(0, |op| op.largest(made.grain)),
            _ => {}
        }
        self.instruction = made;
        self.written = 0;
    }

    /// What the user of the registers does.
    fn host(&mut self, unit: &LineUnit, covered: &mut AloneCoverage) -> HostInputs {
        let LineInstruction { op, grain, a, b, d, size } = self.instruction;
        let interrupts = u32::from(self.rng.random::<bool>()) << LINE_OPERATION_INTERRUPT_LSB;
        let operation = u32::from(op) << LINE_OPERATION_OPCODE_LSB | u32::from(grain) << LINE_OPERATION_GRAIN_LSB;
        let writes = [
            (REG_LINE_A, a),
            (REG_LINE_B, b),
            (REG_LINE_D, d),
            (REG_LINE_SIZE, size),
            (REG_LINE_OPERATION, operation | interrupts | self.rng.random::<u32>() & 0xfe << 24),
        ];
        let number = |offset: u64| (offset / 4 % 16) as u8;
        let due = writes.get(self.written).filter(|_| self.rng.random_range(0..4) > 0);
        let (at, value) = match due {
            Some(&(offset, value)) => (number(offset), value),
            None => (self.rng.random_range(0..16), self.rng.random()),
        };
        let mut host = HostInputs {
            write: None,
            number: at,
            read: self.rng.random_range(0..16),
            ready: self.rng.random_range(0..8) > 0,
            noise: self.rng.random(),
        };
        let refuses = unit.registers.shown(&RegistersInputs { host, ..RegistersInputs::default() }).host.refuses;
        // Operands that were written stay until the instruction begins; of the others only those that change nothing.
        let plain = at < number(REG_LINE_A) || at > number(REG_LINE_OPERATION);
        let tries = due.is_some() || unit.registers.fresh || unit.registers.runs || plain;
        if !tries || self.rng.random_range(0..4) == 0 {
            return host;
        }
        if refuses {
            let working = unit.registers.fresh || unit.registers.runs;
            covered.refused[usize::from(!working)] += 1;
            return host;
        }
        host.write = Some(value);
        self.written += usize::from(due.is_some());
        host
    }

    fn inputs(&mut self, unit: &LineUnit, covered: &mut AloneCoverage) -> LinesInputs {
        let host = self.host(unit, covered);
        let due = self.open.front().is_some_and(|&due| due <= self.now) && self.rng.random_range(0..8) > 0;
        let answer = due.then(|| self.fails.is_some_and(|often| self.rng.random_ratio(1, often)));
        if due {
            self.open.pop_front();
            let any = self.rng.random::<u64>();
            self.line = std::array::from_fn(|_| [0, 1, any, self.rng.random()][self.rng.random_range(0..4)]);
        }
        LinesInputs {
            host,
            ready: self.open.len() < FLIGHT && self.rng.random_range(0..8) >= self.stalls,
            answer,
            line: self.line,
            missed: self.misses && self.rng.random_range(0..8) == 0,
            noise: self.rng.random(),
        }
    }

    fn take(&mut self, inputs: &LinesInputs, shown: &LinesOutputs, covered: &mut AloneCoverage) {
        self.now += 1;
        match shown.request.filter(|_| inputs.ready) {
            Some(request) if request.hint => covered.hints += 1,
            Some(_) => self.open.push_back(self.now + self.rng.random_range(0..self.latency)),
            None => {}
        }
    }
}

/// Runs so many cycles.
///
/// # Errors
/// The first difference between hardware and model.
pub fn run<E: Engine>(engine: E, seed: u64, cycles: u64) -> Result<AloneCoverage, Box<Divergence>> {
    let mut around = Around {
        rng: ChaCha8Rng::seed_from_u64(seed),
        now: 0,
        open: VecDeque::new(),
        line: [0; 8],
        latency: 1,
        stalls: 0,
        fails: None,
        misses: false,
        instruction: LineInstruction::default(),
        written: 0,
    };
    around.change();
    let mut unit = LinesLockstep::around(engine, LineUnit::default(), (), seed);
    assert_eq!(unit.unseen(), Vec::<&str>::new(), "not compared");
    assert_eq!(unit.counts()[2], unit.engine.design().outputs.len(), "outputs");
    let mut covered = AloneCoverage::default();
    let mut held: Option<WalkRequest> = None;
    while unit.cycle_count() < cycles {
        let inputs = around.inputs(&unit.model, &mut covered);
        let before = unit.model;
        if around.rng.random_ratio(1, 500) {
            unit.reset(&inputs)?;
            covered.resets[usize::from(!before.walk.active)] += 1;
            around.open.clear();
            around.change();
            held = None;
            continue;
        }
        let shown = unit.cycle(&inputs)?;
        around.take(&inputs, &shown, &mut covered);
        let after = &unit.model;
        if before.walk.active && after.walk.active && before.walk.eager != after.walk.eager {
            covered.eager[usize::from(after.walk.eager)] += 1;
        }
        let fails = before.walk.fault.is_some();
        covered.failed[0] += u64::from(fails && shown.request.is_some());
        covered.failed[1] += u64::from(fails && inputs.answer == Some(true));
        // What is offered stays until it is taken, unless an answer has failed.
        match (held.take(), shown.request) {
            (Some(offer), None) if fails => covered.taken_back[usize::from(offer.hint)] += 1,
            (Some(offer), request) => assert_eq!(request, Some(offer), "seed {seed}: an offer changes"),
            _ => {}
        }
        held = shown.request.filter(|_| !inputs.ready);
        if after.registers.done && !before.registers.done {
            covered.ended[usize::from(after.registers.code)] += 1;
            if after.registers.code == 0 {
                covered.done[usize::from(after.registers.instruction.op)] += 1;
            }
        }
        let over = !after.registers.fresh && !after.registers.runs && around.written == 5;
        if over && around.rng.random_range(0..4) == 0 {
            around.change();
        }
    }
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use crate::external::tool::deep;
    use bitline_units::duality::blocks::duality_lines;

    #[test]
    fn duality_line_units_do_what_instructions_say() {
        let seed = 1;
        println!("seed {seed}");
        let cycles = if deep() { 2_000_000 } else { 80_000 };
        let netlist = duality_lines().expect("legal");
        let covered = run(engine(&netlist), seed, cycles).unwrap_or_else(|d| panic!("{d}"));
        println!("{covered:?}");
        assert!(covered.all(), "{covered:?}");
    }
}
