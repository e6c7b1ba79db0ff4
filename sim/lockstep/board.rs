//! A board system beside the model of all that is around the compute array and the cache compute system, which have their own.

use super::Divergence;
use super::compare::{Difference, Registers};
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::board::array_memory::Bursts;
use crate::model::board::slave::Answers;
use crate::model::board::status_lights::Machines;
use crate::model::board::system::{System, SystemInputs};
use crate::system::SystemParams;

mod registers;

use registers::registers;

const INPUTS: [&str; 4] = ["uart_rxd", "uart_rts", "button", "dip"];
/// A slave's side of the bus.
const SLAVE: [&str; 8] = [
    "s_axil_awready",
    "s_axil_wready",
    "s_axil_bvalid",
    "s_axil_bresp",
    "s_axil_arready",
    "s_axil_rvalid",
    "s_axil_rdata",
    "s_axil_rresp",
];
/// The array's side of its memory's bus.
const MASTER: [&str; 11] = [
    "m_axi_awvalid",
    "m_axi_awaddr",
    "m_axi_wvalid",
    "m_axi_wdata",
    "m_axi_wstrb",
    "m_axi_wlast",
    "m_axi_bready",
    "m_axi_arvalid",
    "m_axi_araddr",
    "m_axi_arlen",
    "m_axi_rready",
];
const MACHINES: [&str; 5] = ["array.busy", "array.error", "array.irq", "ccs.runs", "ccs.irq"];
/// RAMs of the array's memory.
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
    registers: Registers,
    buffer: usize,
    rams: [usize; BYTES],
}

fn net<E: Engine>(engine: &E, path: &str) -> NetId {
    engine.design().find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"))
}

impl<E: Engine> BoardLockstep<E> {
    /// Brings the hardware out of reset; registers without one and all memories of the model's blocks are 0.
    ///
    /// # Panics
    /// If it is no such board system.
    pub fn new(mut engine: E, params: &SystemParams, log2_bus_timeout: usize, seed: u64) -> BoardLockstep<E> {
        let mut model = System::new(params, log2_bus_timeout);
        let below = |prefix: &str, name: &str| net(&engine, &format!("{prefix}.{name}"));
        let taps = Taps {
            array: SLAVE.map(|name| below("array", name)),
            ccs: SLAVE.map(|name| below("ccs", name)),
            bursts: MASTER.map(|name| below("array", name)),
            machines: MACHINES.map(|path| net(&engine, path)),
        };
        let (inputs, [txd, led]) =
            (INPUTS.map(|name| net(&engine, name)), ["uart_txd", "led"].map(|n| net(&engine, n)));
        let memory =
            |path: &str| engine.design().find_memory(path).unwrap_or_else(|| panic!("the design has no memory {path}"));
        let buffer = memory("host.buffer.words");
        let rams: [usize; BYTES] = std::array::from_fn(|byte| memory(&format!("memory.rams_{byte}")));
        let registers_of = Registers::find(engine.design(), "", |visit| registers(&model, visit));
        for (input, value) in inputs.into_iter().zip([1, 0, 0, 0]) {
            engine.set_input(input, &[value]);
        }
        for &memory in rams.iter().chain([&buffer]) {
            (0..engine.design().memories[memory].depth).for_each(|word| engine.set_word(memory, word, &[0]));
        }
        engine.tick(true);
        let mut index = 0;
        registers(&model, &mut |_, value| {
            if let Some(value) = value {
                engine.set_register(registers_of.numbers()[index], value);
            }
            index += 1;
        });
        // What RAMs show at power-up is theirs.
        let shown = |engine: &mut E, memory: usize| {
            let net = engine.design().memories[memory].reads[0].0;
            engine.low(net)
        };
        model.host.word = shown(&mut engine, buffer) as u32;
        model.memory.line = rams.iter().rev().fold(0, |line, &ram| line << 8 | shown(&mut engine, ram) & 0xff);
        engine.forget_written();
        BoardLockstep { seed, cycle: 0, engine, model, inputs, txd, led, taps, registers: registers_of, buffer, rams }
    }

    /// Registers and memories of the model's blocks that are not compared. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        let ours = |path: &&str| !path.starts_with("array.") && !path.starts_with("ccs.");
        let design = self.engine.design();
        let registers = (0..design.registers.len()).filter(|register| !self.registers.numbers().contains(register));
        let registers = registers.map(|register| design.net(design.registers[register].net).path.as_str());
        let seen = |number: usize| number == self.buffer || self.rams.contains(&number);
        let memories = design.memories.iter().enumerate().filter(|(number, _)| !seen(*number));
        registers.chain(memories.map(|(_, memory)| memory.path.as_str())).filter(ours).collect()
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

    /// One clock cycle of both with this line from the host, buttons and switches; gives the line to the host and the LEDs.
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
        let same = if outputs == expected {
            self.registers
                .compare(&self.engine, |visit| registers(&self.model, visit))
                .and_then(|()| self.compare_changed())
        } else {
            Err(Box::new(Difference::new(format!("outputs {outputs:?}, expected {expected:?}"), &[], [])))
        };
        self.engine.forget_written();
        same.map(|()| outputs).map_err(|difference| self.diverged(*difference))
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }

    /// Words that either side has written in this cycle.
    fn compare_changed(&self) -> Result<(), Box<Difference>> {
        for word in self.changed(self.buffer, self.model.host.changed) {
            self.word(self.buffer, word, self.model.host.buffer[word].into())?;
        }
        for (byte, &ram) in self.rams.iter().enumerate() {
            for word in self.changed(ram, self.model.memory.changed) {
                self.word(ram, word, self.model.memory.words[word] >> (8 * byte) & 0xff)?;
            }
        }
        Ok(())
    }

    fn changed(&self, memory: usize, model: Option<usize>) -> Vec<usize> {
        let written = self.engine.written(memory).unwrap_or(&[]).iter().enumerate();
        let hardware =
            written.flat_map(|(i, bits)| (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 64 * i + bit));
        hardware.chain(model).collect()
    }

    /// All words of the memories.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare_memories(&self) -> Result<(), Box<Divergence>> {
        let buffer = self.model.host.buffer.iter().enumerate();
        let all = || {
            buffer.clone().try_for_each(|(word, &value)| self.word(self.buffer, word, value.into()))?;
            self.rams.iter().enumerate().try_for_each(|(byte, &ram)| {
                let mut words = self.model.memory.words.iter().enumerate();
                words.try_for_each(|(word, value)| self.word(ram, word, value >> (8 * byte) & 0xff))
            })
        };
        all().map_err(|difference: Box<Difference>| self.diverged(*difference))
    }

    fn word(&self, memory: usize, word: usize, expected: u64) -> Result<(), Box<Difference>> {
        let actual = self.engine.memory(memory)[word];
        if actual == expected {
            return Ok(());
        }
        let path = format!("{}[{word}]", self.engine.design().memories[memory].path);
        Err(Box::new(Difference::new(path, &[expected], [actual])))
    }
}
