//! Where the hardware keeps what the model of the core knows, and the comparison of the two.

use super::registers;
use crate::engine::{Engine, Lookup};
use crate::isa::transfer::widest;
use crate::isa::word::COMMAND;
use crate::kernel::flat::Flat;
use crate::lockstep::compare::{Difference, Memories, Registers, compare_words};
use crate::lockstep::state::{self, Visit};
use crate::lockstep::tmu::{self, Cells};
use crate::lockstep::top;
use crate::model::command_queue;
use crate::model::memory::core::MemoryCore;
use crate::model::memory::dispatch::Waiting;
use crate::model::queue::Queue;
use crate::params::Params;

/// The parts of the core that have registers of their own, by their instance paths.
const PARTS: [&str; 5] = ["core.", "core.unit.", "core.path.tmu.", "core.path.", "core.path.stages."];
const QUEUES: [&str; 3] = ["core.indices.waiting.memory", "core.path.commands.memory", "core.path.decisions.memory"];

/// Registers and memories of the core.
pub(super) struct CoreState {
    parts: [Registers; 5],
    /// Those of the compute unit.
    pub(super) memories: Memories,
    queues: [usize; 3],
    cells: Cells,
}

fn visit_part(part: usize, params: &Params, core: &MemoryCore, visit: &mut Visit<'_>) {
    match part {
        0 => {
            top::registers(&core.registers, visit);
            top::indices(&core.indices, visit);
        }
        1 => state::registers(params, &core.unit, visit),
        2 => tmu::registers(&core.tmu, visit),
        3 => registers::path(core, visit),
        _ => registers::stages(&core.stages, core.streams, visit),
    }
}

impl CoreState {
    /// Finds them.
    ///
    /// # Panics
    /// If the design lacks one: it is not the design of `params`.
    pub(super) fn find(design: &Flat, params: &Params, core: &MemoryCore) -> CoreState {
        let mut part = 0..PARTS.len();
        let parts = PARTS.map(|prefix| {
            let part = part.next().expect("as many as prefixes");
            Registers::find(design, prefix, |visit| visit_part(part, params, core, visit))
        });
        let memory = |path: &str| design.find_memory(path).unwrap_or_else(|| panic!("the design has no memory {path}"));
        CoreState {
            parts,
            memories: Memories::find(design, params, "core.unit."),
            queues: QUEUES.map(memory),
            cells: Cells::find(design, "core.path.tmu.", params.columns as u16, widest(params) as u16),
        }
    }

    /// Numbers of the registers, and of the memories.
    pub(super) fn numbers(&self) -> (Vec<usize>, Vec<usize>) {
        let mut seen: Vec<usize> = self.parts.iter().flat_map(Registers::numbers).copied().collect();
        seen.extend(self.cells.registers());
        let mut memories = self.memories.numbers();
        memories.extend(self.queues);
        memories.extend(self.cells.memories());
        (seen, memories)
    }

    /// Compares them with the model's; tiles and rows in full if `whole`.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn compare<E: Engine>(
        &mut self,
        engine: &mut E,
        params: &Params,
        core: &mut MemoryCore,
        whole: bool,
    ) -> Result<(), Box<Difference>> {
        for (part, registers) in self.parts.iter().enumerate() {
            registers.compare(engine, |visit| visit_part(part, params, core, visit))?;
        }
        let [indices, commands, decisions] = self.queues;
        compare_queue(engine, indices, &core.indices.waiting, |&index| [index.into()])?;
        compare_queue(engine, commands, &core.commands, pack_command)?;
        compare_queue(engine, decisions, &core.decisions, |&drop| [drop.into()])?;
        self.cells.compare_last(engine, &core.tmu)?;
        if whole {
            self.cells.compare(engine, &core.tmu)?;
        }
        self.memories.compare(engine, &mut core.unit, whole)
    }
}

/// Compares a queue's memory with the model's.
///
/// # Errors
/// The first difference.
pub(super) fn compare_queue<E: Engine, T, const N: usize>(
    engine: &E,
    memory: usize,
    queue: &Queue<T>,
    pack: impl Fn(&T) -> [u64; N],
) -> Result<(), Box<Difference>> {
    compare_words(engine, memory, queue.slots.iter().map(|slot| slot.as_ref().map(&pack)))
}

/// A command with its index, as it waits in the queue.
fn pack_command(waiting: &Waiting) -> [u64; 3] {
    let Waiting { command, opcode, set, index } = *waiting;
    let mut limbs = state::pack_command(&command_queue::Waiting { command, opcode, set });
    limbs[COMMAND / 64] |= u64::from(index) << (COMMAND % 64);
    limbs
}
