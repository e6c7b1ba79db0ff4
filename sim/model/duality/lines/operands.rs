//! Model of the operands of an instruction on lines, from its contract.

use bitline_units::parts::cache_ops::{CacheOp, control};

use super::Line;

/// The operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// The first operand of two, or the key, since there was one.
    pub kept: Option<Line>,
    /// The mask so far.
    pub mask: u64,
}

/// What they get in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandsInputs {
    /// An instruction begins.
    pub start: bool,
    /// What it computes.
    pub op: u8,
    /// Granularity, if it has one.
    pub grain: u8,
    /// It has one.
    pub has_grain: bool,
    /// It has two operands.
    pub two: bool,
    /// The line of the last answer.
    pub line: Line,
    /// It is kept.
    pub keeps: bool,
    /// It completes the operands of this line.
    pub gives: Option<u8>,
    /// What ports hold that mean nothing in this cycle.
    pub noise: u8,
}

/// What they show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandsOutputs {
    /// What an operation that writes makes of its operands, if they are known.
    pub line: Option<Line>,
    /// A bit for each word.
    pub mask: u64,
}

/// What an operation makes of two words, if it writes.
fn made(op: CacheOp, a: u64, b: u64) -> Option<u64> {
    match op {
        CacheOp::Copy => Some(a),
        CacheOp::Zero => Some(0),
        CacheOp::And => Some(a & b),
        CacheOp::Or => Some(a | b),
        CacheOp::Xor => Some(a ^ b),
        CacheOp::Not => Some(!a),
        CacheOp::Compare | CacheOp::Search | CacheOp::Clmul => None,
    }
}

impl Operands {
    /// What is shown in a cycle.
    pub fn shown(&self, inputs: &OperandsInputs) -> OperandsOutputs {
        let op = CacheOp::from_code(inputs.op);
        let first = if inputs.two { self.kept } else { Some(inputs.line) };
        let line = op.zip(first).and_then(|(op, first)| {
            let mut line = inputs.line;
            for (word, a) in line.iter_mut().zip(first) {
                *word = made(op, a, *word)?;
            }
            Some(line)
        });
        OperandsOutputs { line, mask: self.mask }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &OperandsInputs) -> OperandsOutputs {
        let shown = self.shown(inputs);
        if let Some(number) = inputs.gives {
            let first = if inputs.two { self.kept } else { Some(inputs.line) };
            let pairs: Vec<[u64; 2]> =
                first.expect("an operand was kept").into_iter().zip(inputs.line).map(|(a, b)| [a, b]).collect();
            let own = if inputs.has_grain { 1 << inputs.grain } else { 1 };
            let op = CacheOp::from_code(inputs.op).filter(|op| op.has(control::MASK)).expect("it gives bits");
            for (at, pairs) in pairs.chunks(own).enumerate() {
                let bit = match op {
                    CacheOp::Clmul => pairs.iter().map(|[a, b]| (a & b).count_ones()).sum::<u32>() % 2 == 1,
                    _ => pairs.iter().all(|[a, b]| a == b),
                };
                self.mask |= u64::from(bit) << (usize::from(number) * 8 / own + at);
            }
        }
        if inputs.keeps {
            self.kept = Some(inputs.line);
        }
        if inputs.start {
            self.mask = 0;
        }
        shown
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        self.mask = 0;
    }
}

state! {
    Operands(self) {
        self => kept;
        bits = self.mask;
    }

    OperandsInputs(self) {
        self => start, op, grain, has_grain, two, keeps;
        answer_line = self.line;
        gives = self.gives.is_some();
        number = self.gives.unwrap_or(self.noise & 63);
    }

    OperandsOutputs(self) {
        self => line, mask;
    }
}
