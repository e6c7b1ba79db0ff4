//! A board system beside the model of all that is around the compute array, the cache compute system and the Duality
//! Cache, which have their own.

use super::driver::{Driver, Unit, unit};
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::board::system::{System, SystemInputs, SystemOutputs};
use crate::model::seen::{Broken, Source};
use crate::model::state::{Path, Walk};
use crate::system::SystemParams;

/// Hardware and model.
pub type BoardLockstep<E> = Driver<E, System>;

/// Bytes of a word of the array's memory, each in a RAM.
const BYTES: usize = 8;
/// What has a model of its own, or is judged by what leaves it.
const JUDGED: [&str; 11] = [
    "array.",
    "ccs.",
    "duality_0.unit.",
    "host.receiver.",
    "host.sender.",
    "host.bridge.",
    "host.buffer.",
    "bus.write_part",
    "bus.write_nowhere",
    "bus.write_known",
    "bus.read_known",
];

unit! {
    System, SystemInputs => SystemOutputs, |board, inputs| SystemInputs { rxd: true, ..SystemInputs::default() }, (),
    ();

    fn see(&mut self, hardware: &mut dyn Source) {
        self.see(hardware);
    }

    fn broken(&mut self) -> Option<Broken> {
        self.host.rules.broken()
    }

    fn judged(path: &str) -> bool {
        JUDGED.iter().any(|block| path.starts_with(block))
    }
}

impl<E: Engine> Driver<E, System> {
    /// Brings the hardware out of reset; registers without one and all memories of the model's blocks are 0.
    ///
    /// # Panics
    /// If it is no such board system.
    pub fn new(engine: E, params: &SystemParams, log2_bus_timeout: usize, seed: u64) -> BoardLockstep<E> {
        let mut board = Driver::around(engine, System::new(params, log2_bus_timeout), (), seed);
        board.settle(true);
        // What RAMs show at power-up is theirs.
        board.model.memory.line = board.shown_by("memory");
        let second = params.duality.as_ref().map(|_| board.shown_by("duality_0.memory"));
        if let (Some(duality), Some(line)) = (&mut board.model.duality, second) {
            duality.memory.line = line;
        }
        board
    }

    /// What the RAMs of a memory show, a byte each.
    fn shown_by(&mut self, memory: &str) -> u64 {
        let design = self.engine.design();
        let rams: [NetId; BYTES] = std::array::from_fn(|byte| {
            let memory = design.find_memory(&format!("{memory}.rams_{byte}")).expect("a byte of every word");
            design.memories[memory].reads[0].0
        });
        rams.iter().rev().fold(0, |line, &ram| line << 8 | self.engine.low(ram) & 0xff)
    }
}
