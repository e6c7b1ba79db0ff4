//! The cache compute system behind AXI4-Lite: registers, commands and memory as a bus master sees them, with pauses on
//! every channel, with every memory behind it, natively, under Verilator with assertions on its AXI4 master, and in
//! Icarus; against plain integers.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judges::{innocent, judged};
use super::lint::{quiet, simulators};
use bitline::ccs::blocks::{ccs_on_chip, ccs_top};
use bitline::ccs::registers::*;
use bitline::ccs::{COMMANDS, CcsCommand, CcsError, CcsGeometry, CcsMemory, Kind};
use bitline::regmap::Access;
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, deep, require};
use bitline::sim::units::array::memory::SLAVE_ERROR;
use bitline::sim::units::ccs::host::CcsHost;
use bitline::sim::units::ccs::machine::Launch;
use bitline::sim::units::ccs::reference::execute;
use bitline::sim::units::ccs::top_machine::{Behind, CcsTopMachine};

/// Lines of memory.
const LINES: usize = 64;

fn geometry(lanes: usize, element_bits: usize, lines: usize, memory: CcsMemory) -> CcsGeometry {
    CcsGeometry { name: format!("test_{lanes}_{element_bits}"), lanes, element_bits, lines, memory, read_ports: 1 }
}

/// A master that knows what memory must hold.
struct Master<E: Engine> {
    machine: CcsTopMachine<E>,
    rng: ChaCha8Rng,
    memory: Vec<u8>,
}

impl<E: Engine> Master<E> {
    /// `size` is 0 if memory is inside; `checked`: with the model beside it.
    fn new(engine: E, geometry: &CcsGeometry, size: usize, checked: bool, seed: u64) -> Master<E> {
        println!("{geometry:?}, seed {seed}");
        let mut machine = CcsTopMachine::around(engine, geometry, size, seed);
        if checked {
            machine = machine.checked((size == 0).then_some(LINES), seed);
            assert_eq!(machine.unseen(), Vec::<&str>::new());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut memory = vec![0; LINES * geometry.line_bytes()];
        memory.fill_with(|| rng.random());
        if size > 0 {
            machine.bytes().copy_from_slice(&memory);
        } else {
            for (at, word) in memory.chunks(4).enumerate() {
                let word = u32::from_le_bytes(word.try_into().expect("four bytes"));
                machine.write(4 * at as u32, word, 15).expect("an answer");
            }
        }
        Master { machine, rng, memory }
    }

    /// Every register holds its reset value; those that can be written keep what is.
    fn registers(&mut self) {
        let geometry = self.machine.geometry.clone();
        for register in REGISTERS {
            let read = self.machine.register(register.offset).expect("an answer");
            assert_eq!(read, reset_value(&geometry, register), "{}", register.name);
        }
        for register in REGISTERS.iter().filter(|r| r.fields.iter().all(|f| f.access == Access::ReadWrite)) {
            // The masks have a bit for each lane that there is.
            if register.name.starts_with("mask") {
                continue;
            }
            let value: u32 = self.rng.random();
            self.machine.set_register(register.offset, value).expect("an answer");
            let read = self.machine.register(register.offset).expect("an answer");
            assert_eq!(read, held(register.offset, value), "{}", register.name);
        }
    }

    fn launch(&mut self) -> Launch {
        let geometry = self.machine.geometry.clone();
        let (element, line) = (geometry.element_bytes() as u32, geometry.line_bytes() as u32);
        let (lanes, size) = (geometry.lanes as u32, self.memory.len() as u32);
        let command = COMMANDS[self.rng.random_range(0..COMMANDS.len())];
        let (place, length) = (self.rng.random_range(0..lanes) * element, self.rng.random_range(1..12 * lanes));
        let most = (size - place - length * element) / line;
        let bases = [0; 3].map(|_| self.rng.random_range(0..=most) * line + place);
        let mut launch = Launch::new(command.code, bases, length);
        launch.constant = if self.rng.random() { self.rng.random() } else { self.rng.random_range(0..40) };
        (launch.unsigned, launch.store) = (self.rng.random(), self.rng.random());
        if self.rng.random_ratio(1, 5) {
            launch.mask = self.rng.random();
        }
        match self.rng.random_range(0..30) {
            0 => launch.length = 0,
            1 => launch.code = 50,
            2 => launch.stride = 3,
            3 => launch.bases[0] ^= element,
            4 => launch.bases[1] |= 1 << 31,
            _ => {}
        }
        launch
    }

    fn command(&mut self) {
        let launch = self.launch();
        let geometry = self.machine.geometry.clone();
        let outcome = execute(&mut self.memory, &geometry, &launch);
        let error = self.machine.run(&launch).expect("an answer");
        assert_eq!(error, outcome.error, "{launch:?}");
        let lines = self.machine.register(REG_COMPLETED).expect("an answer");
        assert_eq!(lines, outcome.lines, "{launch:?}");
        let reduces = COMMANDS.get(usize::from(launch.code)).is_some_and(|c| c.kind == Kind::Reduce);
        if let Some(result) = outcome.result.filter(|_| reduces && error.is_none()) {
            assert_eq!(self.machine.register(REG_RESULT).expect("an answer"), result, "{launch:?}");
        }
        assert!(self.machine.irq());
        self.machine.set_register(REG_INTERRUPT, 1).expect("an answer");
        self.machine.idle(4).expect("no difference");
        assert!(!self.machine.irq());
    }

    fn word(&mut self) {
        let address = self.rng.random_range(0..self.memory.len() as u32) & !3;
        let at = address as usize;
        if self.rng.random() {
            let (data, strobes): (u32, u8) = (self.rng.random(), self.rng.random_range(0..16));
            self.machine.write(address, data, strobes).expect("an answer");
            (0..4).filter(|i| strobes >> i & 1 == 1).for_each(|i| self.memory[at + i] = data.to_le_bytes()[i]);
        } else {
            let expected = u32::from_le_bytes(self.memory[at..at + 4].try_into().expect("four bytes"));
            assert_eq!(self.machine.read(address).expect("an answer"), (expected, false), "{address:#x}");
        }
    }

    fn random(&mut self, rounds: usize) {
        self.machine.set_register(REG_CONTROL, 0x101).expect("an answer");
        self.machine.set_register(REG_CONTROL, 1).expect("an answer");
        for round in 0..rounds {
            self.machine.pace = [1, 1, 2, 4][self.rng.random_range(0..4)];
            let (pace, latency) = (self.rng.random_range(1..4), self.rng.random_range(1..15));
            match &mut self.machine.memory {
                Behind::Lines(memory) => (memory.pace, memory.latency) = (pace, latency),
                Behind::Bus(memory) => (memory.pace, memory.latency) = (pace, latency),
                Behind::Inside => {}
            }
            (0..self.rng.random_range(0..8)).for_each(|_| self.word());
            self.command();
            (0..self.rng.random_range(0..8)).for_each(|_| self.word());
            self.machine.idle(400).expect("no difference");
            let bytes = self.machine.bytes();
            if !bytes.is_empty() {
                assert!(bytes == self.memory, "memory differs after command {round}");
            }
        }
        // What the master sees of memory, in the end.
        for at in (0..self.memory.len()).step_by(4) {
            let expected = u32::from_le_bytes(self.memory[at..at + 4].try_into().expect("four bytes"));
            assert_eq!(self.machine.read(at as u32).expect("an answer"), (expected, false), "{at:#x}");
        }
    }

    /// Reads of memory that is not there are answered with SLVERR, those after it as ever.
    fn beyond(&mut self) {
        let beyond = self.memory.len() as u32;
        assert!(self.machine.read(beyond).expect("an answer").1, "a read beyond memory");
        let expected = u32::from_le_bytes(self.memory[..4].try_into().expect("four bytes"));
        assert_eq!(self.machine.read(0).expect("an answer"), (expected, false));
        assert!(!self.machine.read((BASE + REG_ID) as u32).expect("an answer").1);
    }

    /// A command that meets errors of memory ends with the error, and the next one is right.
    fn faults(&mut self) {
        let line = self.machine.geometry.line_bytes() as u32;
        let lanes = self.machine.geometry.lanes as u32;
        let code = CcsCommand::named("ADDVV").expect("a command").code;
        let launch = Launch::new(code, [0, 20 * line, 40 * line], 12 * lanes);
        for from in [2 * line, 20 * line, 27 * line] {
            match &mut self.machine.memory {
                Behind::Lines(memory) => memory.faults.push(from..from + line),
                Behind::Bus(memory) => memory.faults = vec![(from.into()..u64::from(from + line), SLAVE_ERROR)],
                Behind::Inside => return,
            }
            // The cache holds none of the lines.
            self.machine.set_register(REG_CONTROL, 0x100).expect("an answer");
            let error = self.machine.run(&launch).expect("an answer");
            assert_eq!(error, Some(CcsError::Bus), "fault at {from:#x}");
            assert_eq!(self.machine.register(REG_STATUS).expect("an answer") & 1, 1, "ready again");
            match &mut self.machine.memory {
                Behind::Lines(memory) => memory.faults.clear(),
                Behind::Bus(memory) => memory.faults.clear(),
                Behind::Inside => return,
            }
            execute(&mut self.memory, &self.machine.geometry, &launch);
            assert_eq!(self.machine.run(&launch).expect("an answer"), None);
            self.machine.idle(400).expect("no difference");
            assert!(self.machine.bytes() == self.memory, "memory differs");
        }
    }
}

fn campaign<E: Engine>(
    engine: E,
    geometry: &CcsGeometry,
    inside: bool,
    checked: bool,
    seed: u64,
    rounds: usize,
) -> Master<E> {
    let size = if inside { 0 } else { LINES * geometry.line_bytes() };
    let mut master = Master::new(engine, geometry, size, checked, seed);
    master.registers();
    master.random(rounds);
    master
}

fn geometries() -> Vec<CcsGeometry> {
    use CcsMemory::{Axi128, Axi256, Axi512, Line};
    let all = [
        (4, 32, 4, Line),
        (8, 16, 2, Line),
        (16, 8, 8, Line),
        (8, 32, 4, Axi128),
        (32, 8, 4, Axi256),
        (32, 16, 8, Axi512),
    ];
    let mut all = all.map(|(lanes, bits, lines, memory)| geometry(lanes, bits, lines, memory)).to_vec();
    all.insert(1, CcsGeometry { read_ports: 2, ..geometry(4, 16, 4, Line) });
    all
}

#[test]
fn commands_natively() {
    for (seed, geometry) in geometries().into_iter().enumerate() {
        let netlist = ccs_top(&geometry).expect("legal");
        campaign(engine(&netlist), &geometry, false, true, seed as u64, 40).beyond();
    }
}

#[test]
fn commands_with_memory_on_the_chip() {
    for read_ports in [1, 2] {
        let geometry = CcsGeometry { read_ports, ..geometry(4, 32, 4, CcsMemory::Line) };
        let netlist = ccs_on_chip(&geometry, LINES).expect("legal");
        campaign(engine(&netlist), &geometry, true, true, 7, 40).beyond();
    }
}

#[test]
fn errors_of_memory_end_commands() {
    for (seed, geometry) in geometries().into_iter().enumerate() {
        let netlist = ccs_top(&geometry).expect("legal");
        let size = LINES * geometry.line_bytes();
        Master::new(engine(&netlist), &geometry, size, false, 40 + seed as u64).faults();
    }
}

#[test]
fn commands_under_verilator() {
    if require("verilator").is_none() {
        return;
    }
    let [line, .., bus, _, _] = &geometries()[..] else { unreachable!("there are seven") };
    let mut master = campaign(judged(&ccs_top(line).expect("legal")), line, false, false, 11, 60);
    master.beyond();
    innocent(&master.machine.engine, &["slave"], 1000);
    let mut master = campaign(judged(&ccs_top(bus).expect("legal")), bus, false, true, 12, 60);
    master.beyond();
    innocent(&master.machine.engine, &["slave"], 1000);
    innocent(&master.machine.engine, &["reads", "writes"], 100);
}

#[test]
fn commands_in_icarus() {
    if require("iverilog").is_none() {
        return;
    }
    let geometry = geometry(4, 32, 4, CcsMemory::Line);
    let model = Icarus::build(&ccs_top(&geometry).expect("legal"), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    campaign(model, &geometry, false, false, 13, 4);
}

#[test]
fn tools_are_quiet() {
    for geometry in geometries() {
        // yosys takes its time: with `BITLINE_DEEP=1` it looks at all, else at one bus and at memory on the chip.
        let all = deep() || geometry.memory == CcsMemory::Axi128;
        let netlist = ccs_top(&geometry).expect("legal");
        if all { quiet(&netlist) } else { simulators(&netlist) }.unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
    for read_ports in if deep() { 1..3 } else { 2..3 } {
        let geometry = CcsGeometry { read_ports, ..geometry(4, 32, 4, CcsMemory::Line) };
        quiet(&ccs_on_chip(&geometry, LINES).expect("legal")).unwrap_or_else(|e| panic!("{e}"));
    }
}
