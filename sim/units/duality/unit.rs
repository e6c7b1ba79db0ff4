//! The whole unit as a machine: a launch by registers over AXI4-Lite, memory behind AXI4, then a flush. The program is
//! in memory, or the host feeds it. Pages lie scattered in memory.

use std::collections::{HashMap, VecDeque};

use bitline_units::array::isa::microcode::Microcode;
use bitline_units::duality::DualityParams;
use bitline_units::duality::blocks::duality_top;
use bitline_units::duality::isa::Program;
use bitline_units::duality::registers::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::launching::{Counts, Ended, PAGE, Prepared, apart};
use super::machine::{MOST_CYCLES, Mode};
use crate::engine::{Engine, Native, engine};
use crate::error::{Error, Result};
use crate::kernel::netlist::NetId;
use crate::model::duality::{FlatMemory, Launch};

/// Words of a line, which is a burst.
const BURST: u32 = 8;

/// How a run is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// How words leave.
    pub mode: Mode,
    /// The host pushes the program's words.
    pub host_fed: bool,
    /// Cycles from a burst's address to its first beat.
    pub latency: u64,
    /// The bus waits now and then.
    pub stalls: bool,
}

/// The machine.
pub struct UnitMachine<E: Engine> {
    params: DualityParams,
    engine: E,
    nets: HashMap<String, NetId>,
    rng: ChaCha8Rng,
    now: u64,
    how: How,
    /// Words of memory that are not 0.
    words: HashMap<u32, u64>,
    /// Bursts that are read: when they begin, the next word, beats left.
    reads: VecDeque<(u64, u32, u32)>,
    /// Addresses of bursts that are written, and beats that have come.
    writes: VecDeque<u32>,
    beats: VecDeque<(u64, u8, bool)>,
    beat: u32,
    /// Answers to bursts that were written.
    answers: VecDeque<u64>,
    /// Page of a launch whose lines memory cannot give.
    pub broken: Option<u32>,
    /// Where it lies in memory.
    broken_place: Option<u32>,
    /// Control blocks that launches begin with, a bit each: all of them, unless somebody says otherwise.
    pub partition: u32,
    /// Ways change what they are while launches run.
    changes: Option<Changes>,
    /// The model of the modes.
    beside: Option<Beside>,
    /// What is asked of the ways.
    recorder: Option<Recorder>,
    /// A processor at the word port.
    traffic: Option<Traffic>,
    /// Operations on lines.
    lines: Option<Lines>,
    /// Who hears how far a launch is.
    progress: Option<Told>,
}

impl UnitMachine<Native> {
    /// A machine on the native engine.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the parameters are not legal.
    pub fn native(params: &DualityParams, seed: u64) -> Result<UnitMachine<Native>> {
        let netlist = duality_top(params, &Microcode::assemble(&params.array()))?;
        Ok(UnitMachine::new(engine(&netlist), params, seed))
    }
}

impl<E: Engine> UnitMachine<E> {
    /// A machine out of reset; memories inside hold random bits.
    pub fn new(mut engine: E, params: &DualityParams, seed: u64) -> UnitMachine<E> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let design = engine.design();
        let all = design.inputs.iter().chain(&design.outputs);
        let nets = all.map(|&net| (design.nets[net.0 as usize].path.clone(), net)).collect();
        let inputs = design.inputs.clone();
        let memories: Vec<(usize, u32, bool)> =
            design.memories.iter().map(|memory| (memory.depth, memory.width, memory.contents.is_some())).collect();
        for (at, (depth, width, rom)) in memories.into_iter().enumerate() {
            for word in (0..depth).filter(|_| !rom) {
                let limbs = (width as usize).div_ceil(64);
                let mut value: Vec<u64> = (0..limbs).map(|_| rng.random()).collect();
                value[limbs - 1] &= u64::MAX >> (64 * limbs - width as usize);
                engine.set_word(at, word, &value);
            }
        }
        inputs.iter().for_each(|&net| engine.set_input(net, &[0]));
        engine.tick(true);
        UnitMachine {
            params: params.clone(),
            engine,
            nets,
            rng,
            now: 0,
            how: How { mode: Mode::Decoupled, host_fed: false, latency: 1, stalls: false },
            words: HashMap::new(),
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            beats: VecDeque::new(),
            beat: 0,
            answers: VecDeque::new(),
            broken: None,
            broken_place: None,
            partition: (1 << params.blocks) - 1,
            changes: None,
            beside: None,
            recorder: None,
            traffic: None,
            lines: None,
            progress: None,
        }
    }

    fn set(&mut self, name: &str, value: u64) {
        self.engine.set_input(self.nets[name], &[value]);
    }

    fn get(&mut self, name: &str) -> u64 {
        self.engine.low(self.nets[name])
    }

    /// A clock edge, with memory behind the bus.
    /// Puts a word into memory behind the bus: 8 bytes at a multiple of 8.
    pub fn poke(&mut self, address: u32, word: u64) {
        self.words.insert(address / 8, word);
    }

    /// The word of memory at a multiple of 8.
    pub fn peek(&self, address: u32) -> u64 {
        self.words.get(&(address / 8)).copied().unwrap_or(0)
    }

    /// The interrupt line.
    pub fn irq(&mut self) -> bool {
        self.get("irq") == 1
    }

    /// Writes a register; whether it was taken.
    pub fn write(&mut self, offset: u64, value: u32) -> bool {
        for (name, value) in
            [("s_axil_awaddr", offset), ("s_axil_wdata", value.into()), ("s_axil_wstrb", 15), ("s_axil_bready", 1)]
        {
            self.set(name, value);
        }
        let [mut address, mut data] = [1, 1];
        loop {
            self.set("s_axil_awvalid", address);
            self.set("s_axil_wvalid", data);
            let (ready, response) = (self.get("s_axil_bvalid") == 1, self.get("s_axil_bresp"));
            address &= !self.get("s_axil_awready");
            data &= !self.get("s_axil_wready");
            self.tick();
            if ready {
                return response == 0;
            }
        }
    }

    /// Reads a register.
    pub fn read(&mut self, offset: u64) -> u32 {
        self.set("s_axil_araddr", offset);
        self.set("s_axil_rready", 1);
        let mut address = 1;
        loop {
            self.set("s_axil_arvalid", address);
            let (ready, data) = (self.get("s_axil_rvalid") == 1, self.get("s_axil_rdata"));
            address &= !self.get("s_axil_arready");
            self.tick();
            if ready {
                return data as u32;
            }
        }
    }

    fn must(&mut self, offset: u64, value: u32) {
        assert!(self.write(offset, value), "register {offset:#x} does not take {value:#x}");
    }

    /// Runs a program for a grid of threads; memory is copied in and out, and whatever stopped the program is inside.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a launch that cannot be, or a program that does not end.
    ///
    /// # Panics
    /// If the unit breaks the rules of its buses, or refuses what is legal.
    pub fn run(
        &mut self,
        program: &Program,
        launch: &Launch,
        memory: &mut FlatMemory,
        how: How,
    ) -> Result<(Ended, Counts)> {
        launch.check(&self.params, program.arrays)?;
        self.how = how;
        let params = self.params.clone();
        // What is on the way through a launch is in pages of its own, from the second control block on.
        let mut mapped = memory.clone();
        let steps = apart(&params, program, launch, &mut mapped)?;
        let (places, code) = self.map(&mapped)?;
        self.broken_place = self.broken.and_then(|page| places.get(&page).copied());
        for (at, word) in program.words.iter().enumerate() {
            self.words.insert(code / 8 + 2 * at as u32, word.0 as u64);
            self.words.insert(code / 8 + 2 * at as u32 + 1, (word.0 >> 64) as u64);
        }
        let How { mode, host_fed, .. } = how;
        let prepared = Prepared { params: &params, program, launch, mode, host_fed, code, steps };
        prepared.writes().into_iter().for_each(|(offset, value)| self.must(offset, value));
        self.must(REG_WAY_MODES, self.partition);
        self.must(REG_COMMAND, 1 << COMMAND_START_LSB);
        self.traffic_begins(&places, code);
        self.lines_begin(&places, code);
        self.wait(program, launch)?;
        while self.lines_go_on(false) {}
        self.traffic_ends();
        let cycles = u64::from(self.read(REG_CYCLES_LOW)) | u64::from(self.read(REG_CYCLES_HIGH)) << 32;
        self.must(REG_COMMAND, 1 << COMMAND_FLUSH_LSB);
        while self.read(REG_STATUS) >> STATUS_FLUSHING_LSB & 1 == 1 {}
        assert_eq!(self.read(REG_STATUS) >> STATUS_WRITE_FAILED_LSB & 1, 0, "memory takes every line");
        self.traffic_is_in_memory();
        self.lines_are_in_memory();
        let counters = [REG_WAVES, REG_MEMORY_CYCLES, REG_HITS, REG_MISSES, REG_MERGES, REG_WRITTEN_BACK];
        let counts = Counts::of(cycles, counters.map(|offset| self.read(offset)));
        for (&page, &place) in &places {
            for at in (0..PAGE).step_by(8) {
                let word = self.words.get(&((place * PAGE + at) / 8)).copied().unwrap_or(0);
                memory.write(page * PAGE + at, 8, word);
            }
        }
        Ok((self.ended(), counts))
    }

    /// Waits for the end, and pushes words meanwhile if that is what the host does.
    fn wait(&mut self, program: &Program, launch: &Launch) -> Result<()> {
        let at_once = self.params.threads(program.arrays) as u64 / launch.cta();
        self.progress_begins();
        let (begun, mut fed) = (self.now, vec![(0, 0); self.params.blocks]);
        let mut block = 0;
        while self.now - begun < MOST_CYCLES {
            let status = self.read(REG_STATUS);
            if status >> STATUS_BUSY_LSB & 1 == 0 {
                self.progress_ends(launch);
                return Ok(());
            }
            self.look_at_progress(launch, at_once);
            self.change_modes();
            self.lines_go_on(true);
            if !self.how.host_fed || status >> STATUS_READY_LSB & 1 == 0 {
                if self.how.host_fed {
                    block = (block + 1) % fed.len();
                    self.must(REG_BLOCK, block as u32);
                }
                continue;
            }
            let (wave, given) = fed[block];
            let now = self.read(REG_BLOCK_WAVE);
            let given = if now == wave { given } else { 0 };
            fed[block] = (now, given);
            let Some(word) = program.words.get(given).map(|word| word.0) else { continue };
            for (offset, shift) in [(REG_WORD_0, 0), (REG_WORD_1, 32), (REG_WORD_2, 64)] {
                self.must(offset, (word >> shift) as u32);
            }
            self.must(REG_FEED, now);
            fed[block].1 += usize::from(self.write(REG_PUSH, (word >> 96) as u32));
        }
        let rule = format!("does not end within {MOST_CYCLES} cycles");
        Err(Error::parameter("program", &program.name, rule))
    }

    fn ended(&mut self) -> Ended {
        Ended::of([REG_RESULT, REG_TRAP_PC, REG_TRAP_THREAD, REG_TRAP_ADDRESS].map(|offset| self.read(offset)))
    }
}

mod bus;
mod lines;
mod modes;
mod pages;
mod progress;
mod recorder;
#[cfg(test)]
mod tests;
mod traffic;

use lines::Lines;
use modes::{Beside, Changes};
use progress::Told;
use recorder::Recorder;
use traffic::Traffic;
