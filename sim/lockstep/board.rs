//! A board system beside the model of all that is around the compute array and the cache compute system, which have
//! their own.

use super::driver::{Driver, Unit, unit};
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::board::system::{System, SystemInputs, SystemOutputs};
use crate::model::seen::{Broken, Source};
use crate::model::state::{Path, Visit};
use crate::system::SystemParams;

/// Hardware and model.
pub type BoardLockstep<E> = Driver<E, System>;

/// Bytes of a word of the array's memory, each in a RAM.
const BYTES: usize = 8;
/// What has a model of its own, or is judged by what leaves it.
const JUDGED: [&str; 10] = [
    "array.",
    "ccs.",
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
        let design = board.engine.design();
        let rams: [NetId; BYTES] = std::array::from_fn(|byte| {
            let memory = design.find_memory(&format!("memory.rams_{byte}")).expect("a byte of every word");
            design.memories[memory].reads[0].0
        });
        board.model.memory.line = rams.iter().rev().fold(0, |line, &ram| line << 8 | board.engine.low(ram) & 0xff);
        board
    }
}
