//! Model of the scalar unit, from its contract: registers, and the operation on its way to them.

use bitline_units::duality::isa::codes::ScalarOp;
use bitline_units::duality::params::SCALARS;

use super::scalar;
use crate::state::{Contents, Words};

/// The unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarUnit {
    /// The registers; one that nobody has written holds anything.
    pub registers: Vec<Option<u32>>,
    /// The operation that began in the last cycle.
    pub computing: Option<Running>,
    /// The one that began in the cycle before, and what it writes.
    pub writing: Option<(u8, u32)>,
}

/// An operation with its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Its code, which may be none of the list.
    pub code: u8,
    /// The register that it writes.
    pub to: u8,
    /// The sources, and what a selection looks at.
    pub sources: [u32; 3],
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScalarInputs {
    /// A register is written.
    pub set: Option<(u8, u32)>,
    /// An operation begins.
    pub start: bool,
    /// Its code.
    pub operation: u8,
    /// Its registers.
    pub d: u8,
    /// The first source.
    pub a: u8,
    /// The second.
    pub b: u8,
    /// What a selection looks at.
    pub c: u8,
    /// In place of register b.
    pub immediate: Option<u32>,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScalarOutputs {
    /// An operation runs.
    pub busy: bool,
    /// What registers a and b hold, if somebody wrote them.
    pub values: [Option<u32>; 2],
}

impl Default for ScalarUnit {
    fn default() -> ScalarUnit {
        ScalarUnit { registers: vec![None; SCALARS], computing: None, writing: None }
    }
}

impl ScalarUnit {
    /// What it shows when these registers are named.
    pub fn shown(&self, a: u8, b: u8) -> ScalarOutputs {
        let values = [a, b].map(|number| self.registers[usize::from(number)]);
        ScalarOutputs { busy: self.computing.is_some() || self.writing.is_some(), values }
    }

    /// One clock edge.
    ///
    /// # Panics
    /// If an operation reads a register that nobody has written, or has no code of the list.
    pub fn step(&mut self, inputs: &ScalarInputs) -> ScalarOutputs {
        let outputs = self.shown(inputs.a, inputs.b);
        for (number, value) in self.writing.take().into_iter().chain(inputs.set) {
            self.registers[usize::from(number)] = Some(value);
        }
        self.writing = self.computing.take().map(|running| {
            let op = ScalarOp::from_code(running.code.into()).expect("the operation is in the list");
            let [a, b, c] = running.sources;
            (running.to, scalar::evaluate(op, a, b, c))
        });
        if inputs.start {
            let register = |number: u8| self.registers[usize::from(number)].expect("the register was written");
            let b = inputs.immediate.unwrap_or_else(|| register(inputs.b));
            let sources = [register(inputs.a), b, register(inputs.c)];
            self.computing = Some(Running { code: inputs.operation, to: inputs.d, sources });
        }
        outputs
    }

    /// A clock edge with the reset on has passed: the registers keep what they hold.
    pub fn reset(&mut self) {
        (self.computing, self.writing) = (None, None);
    }

    /// Parts of the result that the registers judge.
    pub fn judged(path: &str) -> bool {
        ["chosen", "result", "product", "low", "across"].contains(&path.rsplit('.').next().unwrap_or(path))
    }
}

state! {
    ScalarUnit(self) {
        computing = self.computing.is_some();
        writing = self.writing.is_some();
        when (let Some(running) = self.computing) {
            running => code, to;
            x = running.sources[0];
            y = running.sources[1];
        }
        memory (file_a, file_b) =
            Contents::always(SCALARS, Words::Narrow(&|number| self.registers[number].map(u64::from)));
        memory (some_a, some_c) =
            Contents::always(SCALARS, Words::Narrow(&|number| self.registers[number].map(|is| u64::from(is != 0))));
    }

    ScalarInputs(self) {
        put = self.set.is_some();
        put_number = self.set.map_or(0, |set| set.0);
        put_value = self.set.map_or(0, |set| set.1);
        self => start, operation, d, a, b, c;
        by_value = self.immediate.is_some();
        immediate = self.immediate.unwrap_or_default();
    }

    ScalarOutputs(self) {
        self => busy;
        value_a = self.values[0];
        value_b = self.values[1];
        zero_a = self.values[0].map(|value| value == 0);
    }
}
