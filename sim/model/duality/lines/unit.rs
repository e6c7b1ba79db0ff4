//! Model of the unit of operations on lines, from its contract: its blocks' models, and what passes between them.

use super::Line;
use super::check::{Check, CheckInputs, CheckOutputs};
use super::operands::{Operands, OperandsInputs};
use super::registers::{HostInputs, HostOutputs, Registers, RegistersInputs};
use super::walk::{LineWalk, WalkInputs, WalkPorts, WalkRequest};
use crate::seen::Source;
use crate::state::Path;

/// The unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineUnit {
    /// The instruction.
    pub registers: Registers,
    /// Lines, one by one.
    pub walk: LineWalk,
    /// What is made of them.
    pub operands: Operands,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinesInputs {
    /// The user of its registers.
    pub host: HostInputs,
    /// The ways take a request.
    pub ready: bool,
    /// They answer; whether that has failed.
    pub answer: Option<bool>,
    /// The line of the last answer.
    pub line: Line,
    /// Memory is asked for a line.
    pub missed: bool,
    /// What ports hold that mean nothing in this cycle.
    pub noise: u64,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinesOutputs {
    /// To the user of its registers.
    pub host: HostOutputs,
    /// What is asked of the ways.
    pub request: Option<WalkRequest>,
    /// What a line becomes that is written, if that is known.
    pub line: Option<Line>,
    /// Nothing is written any more.
    pub drop: bool,
}

impl LineUnit {
    /// One clock edge.
    pub fn step(&mut self, inputs: &LinesInputs) -> LinesOutputs {
        let instruction = self.registers.instruction;
        let CheckOutputs { kind, has_grain, lines, code, about } = Check.step(&CheckInputs(instruction));
        let mut registers = RegistersInputs { host: inputs.host, code, about, ..RegistersInputs::default() };
        registers.mask = self.operands.mask;
        let start = self.registers.shown(&registers).start;
        let walked = self.walk.step(&WalkInputs {
            start,
            kind,
            at: [instruction.a, instruction.b, instruction.d],
            lines,
            ready: inputs.ready,
            answer: inputs.answer,
            missed: inputs.missed,
            noise: inputs.noise,
        });
        let made = self.operands.step(&OperandsInputs {
            start,
            op: instruction.op,
            grain: instruction.grain,
            has_grain,
            two: kind.b || kind.key,
            line: inputs.line,
            keeps: walked.keeps,
            gives: walked.gives,
            noise: 0,
        });
        registers.ended = walked.ended;
        (registers.failed, registers.fault) = (walked.fault.is_some(), walked.fault.unwrap_or_default());
        let shown = self.registers.step(&registers);
        LinesOutputs { host: shown.host, request: walked.request, line: made.line, drop: walked.fault.is_some() }
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        self.registers.reset();
        self.walk.reset();
        self.operands.reset();
    }
}

impl LinesInputs {
    /// What a unit gets whose ports are there.
    pub fn see(at: &Path<'_>, from: &mut dyn Source) -> LinesInputs {
        // Every port is asked for in every cycle, in one order.
        let mut low = |name: &str| from.low(&at.at(name));
        let [write, number, read, data, ready] =
            ["host_write", "host_number", "host_read_number", "host_data", "host_ready"].map(&mut low);
        let [taken, answer, failed, missed] =
            ["cache_ready", "cache_answer", "cache_answer_failed", "missed"].map(|name| low(name) == 1);
        let line = from.all(&at.at("answer_line"));
        LinesInputs {
            host: HostInputs {
                write: (write == 1).then_some(data as u32),
                number: number as u8,
                read: read as u8,
                ready: ready == 1,
                noise: 0,
            },
            ready: taken,
            answer: answer.then_some(failed),
            line: std::array::from_fn(|word| line.get(word).copied().unwrap_or(0)),
            missed,
            noise: 0,
        }
    }
}

state! {
    LineUnit(self) {
        in registers = self.registers;
        in walk = self.walk;
        in operands = self.operands;
    }

    LinesInputs(self) {
        bus host = self.host;
        cache_ready = self.ready;
        cache_answer = self.answer.is_some();
        cache_answer_data = self.noise;
        cache_answer_failed = self.answer.unwrap_or(self.noise & 1 == 1);
        answer_line = self.line;
        missed = self.missed;
    }

    LinesOutputs(self) {
        bus host = self.host;
        with WalkPorts(self.request);
        bus store {
            whole = self.request.map(|request| request.write);
            line = self.line;
            drop = self.drop;
        }
    }
}
