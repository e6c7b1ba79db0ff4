//! A run of a program on the words' interpreter.

use bitline_model::arith::Inputs;
use bitline_model::duality::interpreter::run_watched;
use bitline_model::duality::watch::{Access, Computed, Nobody, Watch};
use bitline_model::duality::{self, FlatMemory, Stop};
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::isa::field::IMMEDIATE;

use super::control::{STOP, STOPS_AT_ACCESSES};
use super::run::{Compiled, Words};
use crate::error::{Error, Place, Result, of_units};
use crate::ptx::ast::{Instruction, Module};
use crate::ptx::table::Opcode;

/// Counts waves for somebody who looks on.
struct Waves<'w> {
    watch: &'w mut dyn Watch,
    begun: u64,
}

impl Watch for Waves<'_> {
    fn wave(&mut self) -> Option<u64> {
        self.begun += 1;
        self.watch.wave()
    }

    fn word(&mut self, pc: usize, scalars: &[u32]) {
        self.watch.word(pc, scalars);
    }

    fn computes(&mut self, computed: Computed) -> bool {
        self.watch.computes(computed)
    }

    fn inputs(&mut self, inputs: Inputs) {
        self.watch.inputs(inputs);
    }

    fn access(&mut self, access: Access, old: u64) -> u64 {
        self.watch.access(access, old)
    }

    fn operands(&mut self, b: u64, s: u64) {
        self.watch.operands(b, s);
    }
}

/// Block and thread of a thread of the control block, in a wave that begins with block number `first`.
fn named(launch: &duality::Launch, first: u64, thread: u64) -> String {
    let along = |number: u64, sizes: [u32; 3]| {
        let [x, y, _] = sizes.map(|size| u64::from(size).max(1));
        format!("({}, {}, {})", number % x, number / x % y, number / x / y)
    };
    let (block, within) = (first + thread / launch.cta().max(1), thread % launch.cta().max(1));
    format!("block {}, thread {}: ", along(block, launch.grid), along(within, launch.block))
}

impl Words<'_> {
    /// Runs a kernel as words on their interpreter, at most so many words.
    ///
    /// # Errors
    ///
    /// A trap, PTX's or the machine's, with the line of its word.
    pub fn run(
        &self,
        module: &Module,
        compiled: &Compiled,
        launch: &duality::Launch,
        memory: &mut FlatMemory,
        limit: u64,
    ) -> Result<duality::Outcome> {
        self.run_watched(module, compiled, launch, memory, limit, &mut Nobody)
    }

    /// The same, while somebody looks on.
    ///
    /// # Errors
    ///
    /// As [`Words::run`].
    pub fn run_watched(
        &self,
        module: &Module,
        compiled: &Compiled,
        launch: &duality::Launch,
        memory: &mut FlatMemory,
        limit: u64,
        watch: &mut dyn Watch,
    ) -> Result<duality::Outcome> {
        let line = |pc: usize| compiled.program.lines.get(pc).copied().unwrap_or(0);
        let at = |pc: usize, reason: String| {
            let line = line(pc);
            Error::source(&module.origin, Place { line, column: 1 }, reason)
        };
        let mut waves = Waves { watch, begun: 0 };
        let ran = run_watched(self.params, &compiled.program, launch, memory, [self.seed, limit], &mut waves);
        let threads = self.params.threads(compiled.program.arrays) as u64;
        let first = waves.begun.saturating_sub(1) * (threads / launch.cta().max(1));
        let stops = |stop: &Stop| {
            let word = compiled.program.words.get(stop.pc).filter(|_| stop.trap == Some(Trap::Window));
            word.filter(|_| stop.thread.is_some()).map(|word| word.get(IMMEDIATE))
        };
        let [access, accesses] = STOPS_AT_ACCESSES.map(u64::from);
        let told = |stop: &Stop| {
            let of_line = |it: &&Instruction| it.opcode == Opcode::Trap && it.place.line == line(stop.pc);
            let spelled = || module.kernels.iter().flat_map(|kernel| &kernel.body).find(of_line);
            let what = match stops(stop) {
                Some(at) if at == u64::from(STOP) => {
                    let spelling = spelled().map_or("trap", |it| &it.spelling);
                    format!("`{spelling}`: the kernel stops here by itself")
                }
                Some(at) if at == access => "trap address: more than 32 bits, where no memory is".into(),
                Some(at) if at == accesses => {
                    "trap address: more than 32 bits, where no memory is, here or on a line that follows".into()
                }
                _ => Stop { thread: None, ..*stop }.to_string(),
            };
            let who = stop.thread.map(|thread| named(launch, first, thread as u64));
            format!("{}{what}", who.unwrap_or_default())
        };
        let outcome = ran.map_err(of_units)?.map_err(|stop| at(stop.pc, told(&stop)))?;
        if !outcome.left.is_empty() {
            let reason = format!("threads are left in mask rows {:?}: the compiler is wrong", outcome.left);
            return Err(at(compiled.program.words.len() - 1, reason));
        }
        Ok(outcome)
    }
}
