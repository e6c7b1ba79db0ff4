//! A board system beside the model of all that is around the compute array and the cache compute system, which have
//! their own.

use super::Divergence;
use super::driver::quiet;
use super::places::{Difference, Places};
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::board::array_memory::Bursts;
use crate::model::board::slave::Answers;
use crate::model::board::status_lights::Machines;
use crate::model::board::system::{System, SystemInputs};
use crate::model::state::Path;
use crate::system::SystemParams;

const INPUTS: [&str; 4] = ["uart_rxd", "uart_rts", "button", "dip"];
/// A slave's side of the bus.
const SLAVE: [&str; 8] = ["awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp"];
/// The array's side of its memory's bus.
const MASTER: [&str; 11] =
    ["awvalid", "awaddr", "wvalid", "wdata", "wstrb", "wlast", "bready", "arvalid", "araddr", "arlen", "rready"];
const MACHINES: [&str; 5] = ["array.busy", "array.error", "array.irq", "ccs.runs", "ccs.irq"];
/// Bytes of a word of the array's memory, each in a RAM.
const BYTES: usize = 8;

/// Where the hardware has what goes into the model.
struct Taps {
    array: [NetId; 8],
    ccs: [NetId; 8],
    bursts: [NetId; 11],
    machines: [NetId; 5],
}

/// Hardware and model.
pub struct BoardLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: System,
    inputs: [NetId; 4],
    txd: NetId,
    led: NetId,
    taps: Taps,
    places: Places,
}

impl<E: Engine> BoardLockstep<E> {
    /// Brings the hardware out of reset; registers without one and all memories of the model's blocks are 0.
    ///
    /// # Panics
    /// If it is no such board system.
    pub fn new(mut engine: E, params: &SystemParams, log2_bus_timeout: usize, seed: u64) -> BoardLockstep<E> {
        let mut model = System::new(params, log2_bus_timeout);
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let taps = Taps {
            array: SLAVE.map(|name| net(&format!("array.s_axil_{name}"))),
            ccs: SLAVE.map(|name| net(&format!("ccs.s_axil_{name}"))),
            bursts: MASTER.map(|name| net(&format!("array.m_axi_{name}"))),
            machines: MACHINES.map(net),
        };
        let (inputs, txd, led) = (INPUTS.map(net), net("uart_txd"), net("led"));
        let places = Places::find(design, |to| model.state(&Path::TOP, to));
        // What a RAM shows.
        let output = |path: &str| {
            let memory = design.find_memory(path).unwrap_or_else(|| panic!("the design has no memory {path}"));
            design.memories[memory].reads[0].0
        };
        let buffer = output("host.buffer.words");
        let rams: [NetId; BYTES] = std::array::from_fn(|byte| output(&format!("memory.rams_{byte}")));
        quiet(&mut engine);
        engine.set_input(inputs[0], &[1]);
        places.settle(&mut engine, false, |to| model.state(&Path::TOP, to));
        engine.tick(true);
        places.settle(&mut engine, true, |to| model.state(&Path::TOP, to));
        // What RAMs show at power-up is theirs.
        model.host.word = engine.low(buffer) as u32;
        model.memory.line = rams.iter().rev().fold(0, |line, &ram| line << 8 | engine.low(ram) & 0xff);
        engine.forget_written();
        BoardLockstep { seed, cycle: 0, engine, model, inputs, txd, led, taps, places }
    }

    /// Registers and memories of the model's blocks that are not compared. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        let mut unseen = self.places.unseen(self.engine.design(), |_| false);
        unseen.retain(|path| !path.starts_with("array.") && !path.starts_with("ccs."));
        unseen
    }

    /// How many registers, memories and outputs are compared.
    pub fn counts(&self) -> [usize; 3] {
        let [registers, memories] = self.places.counts();
        [registers, memories, 2]
    }

    fn answers(&mut self, taps: [NetId; 8]) -> Answers {
        let [aw, w, b, b_response, ar, r, data, r_response] = taps.map(|net| self.engine.low(net));
        Answers {
            write_address_ready: aw == 1,
            write_data_ready: w == 1,
            response: (b == 1).then_some(b_response as u8),
            read_address_ready: ar == 1,
            data: (r == 1).then_some((data as u32, r_response as u8)),
        }
    }

    fn bursts(&mut self) -> Bursts {
        let [aw, address, w, data, strobes, last, b, ar, read, length, r] =
            self.taps.bursts.map(|net| self.engine.low(net));
        Bursts {
            write_address: aw == 1,
            write_wires: address,
            data: w == 1,
            data_wires: (data, strobes as u8),
            last: last == 1,
            take_response: b == 1,
            read_address: ar == 1,
            read_wires: (read, length as u8),
            take_data: r == 1,
        }
    }

    /// One clock cycle of both with this line from the host, buttons and switches; gives the line to the host and the
    /// LEDs.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, rxd: bool, button: u8, dip: u8) -> Result<(bool, u8), Box<Divergence>> {
        for (input, value) in self.inputs.into_iter().zip([rxd.into(), 0, button.into(), dip.into()]) {
            self.engine.set_input(input, &[value]);
        }
        let (array, ccs) = (self.answers(self.taps.array), self.answers(self.taps.ccs));
        let bursts = self.bursts();
        let [array_busy, array_error, array_irq, ccs_busy, ccs_irq] =
            self.taps.machines.map(|net| self.engine.low(net) == 1);
        let machines = Machines { array_busy, array_error, array_irq, ccs_busy, ccs_irq };
        let outputs = (self.engine.low(self.txd) == 1, self.engine.low(self.led) as u8);
        let expected = (self.model.host.uart_transmitter.line, self.model.lights.lights);
        self.engine.tick(false);
        self.cycle += 1;
        self.model.step(&SystemInputs { rxd, button, dip, array, bursts, ccs, machines });
        if outputs != expected {
            let difference = Difference::new(format!("outputs {outputs:?}, expected {expected:?}"), &[], []);
            return Err(difference.at(self.seed, self.cycle));
        }
        self.compare(false).map(|()| outputs)
    }

    /// Compares everything, all words of memories too.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare_memories(&mut self) -> Result<(), Box<Divergence>> {
        self.compare(true)
    }

    fn compare(&mut self, whole: bool) -> Result<(), Box<Divergence>> {
        let same = self.places.compare(&mut self.engine, whole, |to| self.model.state(&Path::TOP, to));
        same.map_err(|difference| difference.at(self.seed, self.cycle))
    }
}
