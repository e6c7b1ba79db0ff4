//! A control block with its memory unit as a machine: takes a launch, has rows filled, feeds the program, and answers
//! accesses of memory, wave after wave. Pages lie scattered in memory, so that what is not translated goes wrong.

use std::collections::{BTreeMap, HashMap, VecDeque};

use bitline_units::array::isa::microcode::Microcode;
use bitline_units::duality::DualityParams;
use bitline_units::duality::blocks::duality_processor;
use bitline_units::duality::cache_params::{LINE_BYTES, LINE_WORDS};
use bitline_units::duality::isa::Program;
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::params::{SCALARS, SLOTS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::machine::{Cycles, Mode};
use super::memory_unit;
use crate::engine::{Engine, Native, engine};
use crate::error::{Error, Result};
use crate::kernel::netlist::NetId;
use crate::lockstep::duality::Beside;
use crate::model::duality::memory::unit::MemoryUnit;
use crate::model::duality::{FlatMemory, Launch, Stop};

/// Entries of the page table.
const PAGES: u32 = 256;
/// Bytes of a page.
const PAGE: u32 = 1 << 16;

/// Most cycles of a wave: a program that does not end is an error.
pub const MOST_CYCLES: u64 = 2_000_000;

/// How memory behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// Cycles from a request to its answer, at least 1.
    pub latency: u64,
    /// Requests and answers wait now and then.
    pub stalls: bool,
    /// Lines of this page cannot be fetched.
    pub broken: Option<u32>,
}

/// What a run ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The last wave's code.
    Code(u64),
    /// It was stopped.
    Stopped(Stop),
}

/// The machine.
pub struct Processor<E: Engine> {
    params: DualityParams,
    engine: E,
    inputs: HashMap<String, NetId>,
    outputs: HashMap<String, NetId>,
    rng: ChaCha8Rng,
    now: u64,
    /// Words of memory that are not 0.
    words: HashMap<u32, u64>,
    /// Answers under way: when they come, the word's line, whether they say that it failed.
    answers: VecDeque<(u64, [u64; LINE_WORDS], bool)>,
    behaviour: Behaviour,
    ready: bool,
    /// Where the page is whose lines cannot be fetched.
    broken: Option<u32>,
    /// Requests that were taken: reads and writes, and hints.
    pub requests: [u64; 2],
    /// The cycle of a program from which on it is told to stop.
    pub stop_from: Option<u64>,
    /// The model of its memory unit.
    beside: Option<Beside<MemoryUnit>>,
}

impl Processor<Native> {
    /// A machine on the native engine.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the parameters are not legal.
    pub fn native(params: &DualityParams, seed: u64) -> Result<Processor<Native>> {
        let netlist = duality_processor(params, &Microcode::assemble(&params.array()))?;
        Ok(Processor::new(engine(&netlist), params, seed))
    }
}

impl<E: Engine> Processor<E> {
    /// A machine out of reset; rows and tables hold random bits.
    pub fn new(mut engine: E, params: &DualityParams, seed: u64) -> Processor<E> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let design = engine.design();
        let names = |nets: &[NetId]| {
            let name = |&net: &NetId| (design.nets[net.0 as usize].path.clone(), net);
            nets.iter().map(name).collect::<HashMap<_, _>>()
        };
        let (inputs, outputs) = (names(&design.inputs), names(&design.outputs));
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
        inputs.values().for_each(|&net| engine.set_input(net, &[0]));
        engine.tick(true);
        Processor {
            params: params.clone(),
            engine,
            inputs,
            outputs,
            rng,
            now: 0,
            words: HashMap::new(),
            answers: VecDeque::new(),
            behaviour: Behaviour { latency: 1, stalls: false, broken: None },
            ready: false,
            broken: None,
            requests: [0; 2],
            stop_from: None,
            beside: None,
        }
    }

    /// From now on its memory unit is compared with its model in every cycle. It has just come out of reset.
    ///
    /// # Panics
    /// Later on, wherever they differ.
    pub fn compare_memory_unit(&mut self, seed: u64) {
        let memories = memory_unit::memories(&self.params, &mut self.rng);
        let model = MemoryUnit::new(&self.params, memories);
        self.beside = Some(Beside::new(&mut self.engine, model, "memory", seed));
    }

    fn set(&mut self, name: &str, value: u64) {
        self.engine.set_input(self.inputs[name], &[value]);
    }

    fn get(&mut self, name: &str) -> u64 {
        self.engine.low(self.outputs[name])
    }

    /// A clock edge, with memory behind the port.
    fn tick(&mut self) {
        self.begin();
        self.end();
    }

    /// What memory shows in this cycle. Inputs come before outputs are looked at: a cycle is evaluated once then.
    fn begin(&mut self) {
        let due = self.answers.front().is_some_and(|&(when, ..)| when <= self.now);
        let answer = due && !(self.behaviour.stalls && self.rng.random_range(0..4) == 0);
        let due = self.answers.front().copied().filter(|_| answer);
        let (_, line, failed) = due.unwrap_or((0, [0; LINE_WORDS], false));
        self.answers.drain(..usize::from(answer));
        self.set("cache_answer", answer.into());
        self.engine.set_input(self.inputs["answer_line"], &line);
        self.set("cache_answer_failed", failed.into());
        self.ready = !self.behaviour.stalls || self.rng.random_range(0..3) > 0;
        self.set("cache_ready", self.ready.into());
    }

    /// Memory takes what is asked in this cycle, and the cycle ends.
    fn end(&mut self) {
        if self.ready && self.get("cache_valid") == 1 {
            if self.get("cache_hint") == 1 {
                self.requests[1] += 1;
            } else {
                self.requests[0] += 1;
                self.request();
            }
        }
        match &mut self.beside {
            Some(beside) => {
                let same = beside.cycle(&mut self.engine, |engine| engine.tick(false));
                same.unwrap_or_else(|d| panic!("{d}"));
            }
            None => self.engine.tick(false),
        }
        self.now += 1;
    }

    fn request(&mut self) {
        let address = self.get("cache_address") as u32;
        let of_line = |word: usize| address / LINE_BYTES as u32 * LINE_WORDS as u32 + word as u32;
        let line = std::array::from_fn(|word| self.words.get(&of_line(word)).copied().unwrap_or(0));
        let old = line[address as usize / 8 % LINE_WORDS];
        let failed = self.broken == Some(address / PAGE);
        if self.get("cache_write") == 1 && !failed {
            let strobes = self.get("cache_strobes");
            let mask = (0..8).filter(|k| strobes >> k & 1 == 1).fold(0, |mask, k| mask | 0xff << (8 * k));
            let new = old & !mask | self.get("cache_data") & mask;
            self.words.insert(address / 8, new);
        }
        let line = if failed { line.map(|word| !word) } else { line };
        self.answers.push_back((self.now + self.behaviour.latency, line, failed));
    }

    /// Runs a program for a grid of threads; memory is copied in and out, and whatever stopped the program is inside.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a launch that cannot be, or a program that does not end.
    pub fn run(
        &mut self,
        program: &Program,
        launch: &Launch,
        memory: &mut FlatMemory,
        mode: Mode,
        behaviour: Behaviour,
    ) -> Result<(Ended, Cycles)> {
        launch.check(&self.params, program.arrays)?;
        self.behaviour = behaviour;
        let places = self.map(memory)?;
        self.broken = behaviour.broken.and_then(|page| places.get(&page).copied());
        let threads = self.params.threads(program.arrays) as u64;
        for (name, value) in [
            ("arrays", u64::from((SLOTS / program.arrays).ilog2())),
            ("lockstep", (mode == Mode::Lockstep).into()),
            ("launch_block_x", launch.block[0].into()),
            ("launch_block_y", launch.block[1].into()),
            ("launch_block_z", launch.block[2].into()),
            ("launch_grid_x", launch.grid[0].into()),
            ("launch_grid_y", launch.grid[1].into()),
            ("launch_grid_z", launch.grid[2].into()),
            ("launch_at_once", threads / launch.cta()),
            ("launch_shared_base", launch.shared_base.into()),
            ("launch_shared_bytes", launch.shared_bytes.into()),
            ("spill_base", launch.spill_base.into()),
            ("spill_rows", launch.spill_rows.into()),
        ] {
            self.set(name, value);
        }
        let mut cycles = Cycles::default();
        let mut ended = Ended::Code(0);
        let ([nx, ny, _], total) = (launch.grid.map(u64::from), launch.grid.iter().map(|&count| u64::from(count)));
        for first in (0..total.product()).step_by((threads / launch.cta()) as usize) {
            for (axis, value) in [("x", first % nx), ("y", first / nx % ny), ("z", first / nx / ny)] {
                self.set(&format!("wave_{axis}"), value);
            }
            ended = self.wave(program, launch, &mut cycles)?;
            cycles.waves += 1;
            if matches!(ended, Ended::Stopped(_)) {
                break;
            }
        }
        for (&page, &place) in &places {
            for at in (0..PAGE).step_by(8) {
                let word = self.words.get(&((place * PAGE + at) / 8)).copied().unwrap_or(0);
                memory.write(page * PAGE + at, 8, word);
            }
        }
        Ok((ended, cycles))
    }

    fn pulse(&mut self, name: &str) {
        self.set(name, 1);
        self.tick();
        self.set(name, 0);
    }

    /// Writes the page table, and memory as the pages hold it. Returns where each page is.
    fn map(&mut self, memory: &FlatMemory) -> Result<BTreeMap<u32, u32>> {
        let mut entries = vec![0; PAGES as usize];
        let mut places = BTreeMap::new();
        self.words.clear();
        let first: u32 = self.rng.random_range(0..PAGE);
        for (page, writable) in memory.pages() {
            let place = first.wrapping_add(page.wrapping_mul(0x9e5)) % PAGE;
            let entry = &mut entries[(page % PAGES) as usize];
            if *entry != 0 {
                let rule = format!("no two pages may be the same modulo {PAGES}");
                return Err(Error::parameter("page", page, rule));
            }
            *entry = 1 << 31 | u64::from(writable) << 30 | u64::from(page / PAGES) << 16 | u64::from(place);
            places.insert(page, place);
            for at in (0..PAGE).step_by(8) {
                match memory.read(page * PAGE + at, 8) {
                    0 => {}
                    word => drop(self.words.insert((place * PAGE + at) / 8, word)),
                }
            }
        }
        self.set("page_write", 1);
        for (number, entry) in entries.into_iter().enumerate() {
            self.set("page_number", number as u64);
            self.set("page_entry", entry);
            self.tick();
        }
        self.set("page_write", 0);
        Ok(places)
    }

    /// Fills the rows and runs the program once.
    fn wave(&mut self, program: &Program, launch: &Launch, cycles: &mut Cycles) -> Result<Ended> {
        let late = || Error::parameter("program", &program.name, format!("does not end within {MOST_CYCLES} cycles"));
        self.pulse("fill");
        let begun = self.now;
        loop {
            let number = self.get("special_number") as usize;
            let word = program.specials.get(number).map_or(0, |&(special, slot, row, rows)| {
                1 << 31 | (rows - 1) << 25 | row << 16 | slot << 8 | special.code()
            });
            self.set("special_word", word);
            if self.get("filled") == 1 {
                break;
            }
            if self.now - begun > MOST_CYCLES {
                return Err(late());
            }
            self.tick();
        }
        self.tick();
        self.set("put", 1);
        for number in 0..SCALARS {
            self.set("put_number", number as u64);
            self.set("put_value", launch.parameters.get(number).copied().unwrap_or(0).into());
            self.tick();
        }
        self.set("put", 0);
        self.pulse("start");
        let word = self.inputs["write_data"];
        let mut given = 0;
        for cycle in 0..MOST_CYCLES {
            self.set("stop", self.stop_from.is_some_and(|from| cycle >= from).into());
            let bits = program.words.get(given).map_or(0, |word| word.0);
            self.engine.set_input(word, &[bits as u64, (bits >> 64) as u64]);
            self.set("write_valid", (given < program.words.len()).into());
            self.begin();
            let (finished, trapped) = (self.get("finished") == 1, self.get("trapped") == 1);
            if finished || trapped {
                let code = self.get("code");
                self.end();
                self.set("write_valid", 0);
                self.set("stop", 0);
                if finished {
                    return Ok(Ended::Code(code));
                }
                let (names, thread, address) =
                    (self.get("trap_names"), self.get("trap_thread"), self.get("trap_address"));
                let trap = Trap::from_code(code);
                let told = trap.is_some_and(|trap| trap.code() >= Trap::Unmapped.code());
                return Ok(Ended::Stopped(Stop {
                    trap,
                    pc: self.get("trap_pc") as usize,
                    thread: (told && names & 1 == 1).then_some(thread as usize),
                    address: (told && names & 2 == 2).then_some(address as u32),
                }));
            }
            if given < program.words.len() && self.get("write_ready") == 1 {
                given += 1;
            }
            cycles.all += 1;
            cycles.memory += self.get("working");
            self.end();
        }
        Err(late())
    }
}

#[cfg(test)]
mod tests;
