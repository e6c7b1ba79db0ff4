//! A control block as a machine: takes a launch, fills the rows, feeds the program, and runs until it has ended, for
//! one wave after the other. What launch unit and way to memory will do is done here.

use bitline_units::array::isa::microcode::Microcode;
use bitline_units::duality::DualityParams;
use bitline_units::duality::blocks::duality_control_block;
use bitline_units::duality::isa::Program;
use bitline_units::duality::params::{ACTIVE_ROW, LAUNCH_ROW, SCALARS, SLOTS};

use super::block::place;
use super::memory_side::{MemorySide, Timing};
use crate::engine::{Native, engine};
use crate::error::{Error, Result};
use crate::lockstep::Divergence;
use crate::lockstep::duality::BlockLockstep;
use crate::model::duality::control_block::BlockInputs;
use crate::model::duality::interpreter::filling;
use crate::model::duality::{FlatMemory, Launch};

/// Most cycles of a wave: a program that does not end is an error.
pub const MOST_CYCLES: u64 = 50_000_000;

/// How words leave the dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In bundles that start when the last has ended, as in the paper.
    Lockstep,
    /// As far ahead as the windows can.
    Decoupled,
}

/// What runs took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// In all, from the start of each wave to its end.
    pub all: u64,
    /// In which windows were at work and memory was not.
    pub compute: u64,
    /// In which memory was at work and windows were not.
    pub memory: u64,
    /// In which both were.
    pub both: u64,
    /// In which neither was: words came, scalars, jumps.
    pub other: u64,
    /// In which a compute word ran in some window; and the same summed over windows.
    pub computing: [u64; 2],
    /// Times that the control block was filled with CTAs.
    pub waves: u64,
    /// Accesses of threads.
    pub accesses: u64,
}

/// The machine.
pub struct Machine {
    params: DualityParams,
    block: BlockLockstep<Native>,
    /// Registers and rows are compared in every cycle, else behind each wave.
    every: bool,
    seed: u64,
    progress: Option<Heard>,
}

/// Hears how many blocks of all are done.
pub type Heard = Box<dyn FnMut(u64, u64) + Send>;

impl Machine {
    /// A machine, its rows filled from the seed. The model steps along, and everything is compared.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the parameters are not legal.
    pub fn new(params: &DualityParams, seed: u64) -> Result<Machine> {
        let netlist = duality_control_block(params, &Microcode::assemble(&params.array()))?;
        let block = BlockLockstep::new(engine(&netlist), params, seed);
        Ok(Machine { params: params.clone(), block, every: true, seed, progress: None })
    }

    /// Who hears from now on how many blocks of a launch are done, after each wave.
    pub fn on_progress(&mut self, progress: Heard) {
        self.progress = Some(progress);
    }

    /// Whether registers and rows are compared with the model's in every cycle, or behind each wave, which is faster.
    /// Outputs are compared in every cycle.
    pub fn compare_every_cycle(&mut self, every: bool) {
        self.every = every;
        self.block.compare_every_cycle(every);
    }

    /// Runs a program for a grid of threads.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a launch that cannot be, and for what stopped the program.
    pub fn run(
        &mut self,
        program: &Program,
        launch: &Launch,
        memory: &mut FlatMemory,
        mode: Mode,
        timing: Timing,
    ) -> Result<Cycles> {
        let params = self.params.clone();
        launch.check(&params, program.arrays)?;
        let threads = params.threads(program.arrays);
        let total = launch.ctas();
        let mut cycles = Cycles::default();
        let mut first = 0;
        while first < total {
            let filled = filling(program, launch, threads, first);
            self.fill(program, &filled);
            let cta: Vec<Option<u32>> = filled.iter().map(|found| found.as_ref().map(|found| found.0)).collect();
            let seed = self.seed;
            let differs = |difference: Box<Divergence>| Error::parameter("seed", seed, difference.to_string());
            let ended = self.wave(program, launch, &cta, memory, mode, timing, &mut cycles).map_err(differs)?;
            if !self.every {
                self.block.compare_memory().map_err(differs)?;
            }
            ended?;
            first += threads as u64 / launch.cta();
            cycles.waves += 1;
            if let Some(progress) = &mut self.progress {
                progress(first.min(total), total);
            }
        }
        Ok(cycles)
    }

    /// Masks and special registers into the rows.
    fn fill(&mut self, program: &Program, filled: &[Option<(u32, Vec<u64>)>]) {
        let params = self.params.clone();
        for (thread, found) in filled.iter().enumerate() {
            for slot in 0..program.arrays {
                for row in [LAUNCH_ROW, ACTIVE_ROW] {
                    let (member, column) = place(&params, program.arrays, thread, slot);
                    self.block.set_bit(member, row as usize, column, found.is_some());
                }
            }
            let values = found.iter().flat_map(|found| &found.1);
            for (&(_, slot, row, rows), value) in program.specials.iter().zip(values) {
                let (member, column) = place(&params, program.arrays, thread, slot as usize);
                for k in 0..rows {
                    self.block.set_bit(member, (row + k) as usize, column, value >> k & 1 == 1);
                }
            }
        }
        self.block.take_rows();
    }

    /// Runs the program once.
    #[allow(clippy::too_many_arguments)] // What a launch is made of.
    fn wave(
        &mut self,
        program: &Program,
        launch: &Launch,
        cta: &[Option<u32>],
        memory: &mut FlatMemory,
        mode: Mode,
        timing: Timing,
        cycles: &mut Cycles,
    ) -> std::result::Result<Result<()>, Box<Divergence>> {
        let arrays = (SLOTS / program.arrays).ilog2() as u8;
        let steady = BlockInputs { arrays, lockstep: mode == Mode::Lockstep, ..BlockInputs::default() };
        for number in 0..SCALARS {
            let value = launch.parameters.get(number).copied().unwrap_or(0);
            self.block.cycle(&BlockInputs { set: Some((number as u8, value)), ..steady.clone() })?;
        }
        self.block.cycle(&BlockInputs { start: true, ..steady.clone() })?;
        let mut side = MemorySide::new(&self.params, program.arrays, timing);
        let mut given = 0;
        for _ in 0..MOST_CYCLES {
            let mut inputs = BlockInputs { write: program.words.get(given).map(|word| word.0), ..steady.clone() };
            side.ask(&mut inputs);
            let before = side.cycles;
            let shown = self.block.cycle(&inputs)?;
            given += usize::from(inputs.write.is_some() && shown.ready);
            side.take(&shown, launch, cta, memory);
            if shown.finished.is_some() || shown.trapped.is_some() {
                cycles.accesses += side.accesses;
                let Some((trap, pc, slot)) = shown.trapped else { return Ok(Ok(())) };
                let line = program.lines.get(pc as usize).copied().unwrap_or(0);
                let mut told = format!("line {line}: word {pc}: trap {trap} of slot {slot}");
                if let Some((trap, thread, address)) = side.refused {
                    told += &format!(" ({trap}), thread {thread:?}, address {address:#x?}");
                }
                return Ok(Err(Error::parameter("program", &program.name, told)));
            }
            let (memory, computes) = (side.cycles > before, self.block.computes());
            cycles.all += 1;
            let windows = self.block.computing();
            cycles.computing[0] += u64::from(windows > 0);
            cycles.computing[1] += windows;
            *match (computes, memory) {
                (true, true) => &mut cycles.both,
                (true, false) => &mut cycles.compute,
                (false, true) => &mut cycles.memory,
                (false, false) => &mut cycles.other,
            } += 1;
        }
        Ok(Err(Error::parameter("program", &program.name, format!("does not end within {MOST_CYCLES} cycles"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitline_units::duality::isa::assemble::assemble;

    const TIMING: Timing = Timing { port_a_bank: false, latency: 40 };

    fn machine() -> (DualityParams, Machine) {
        let params = DualityParams::preset("tiny").expect("it is there");
        let machine = Machine::new(&params, 3).expect("legal");
        (params, machine)
    }

    fn launch(parameters: Vec<u32>) -> Launch {
        Launch { grid: [1, 1, 1], block: [8, 1, 1], parameters, ..Launch::default() }
    }

    /// A word of one window waits for memory words of another, and windows that do not wait go on.
    #[test]
    fn duality_words_wait_for_memory() {
        let (params, mut machine) = machine();
        let text = ".name waits\n.arrays 2\n    ld.global.32 0:10:32 [%0]\n    \
                    add 1:10:8 1:10:8 0x1 WAIT\n    add 1:20:8 1:10:8 0x1\n    \
                    move 1:40:32 0:10:32\n    st.global.32 [%1] 1:40:32\n    end 7\n";
        let mut memory = FlatMemory::default();
        memory.place(0x10000, &[0x1234_5678, 0]);
        let mut cycles = vec![];
        for wait in ["", "wait=m"] {
            let program = assemble(&text.replace("WAIT", wait), "waits.dcs", &params).expect("a program");
            for mode in [Mode::Lockstep, Mode::Decoupled] {
                memory.place(0x10004, &[0]);
                let launch = launch(vec![0x10000, 0x10004]);
                let ran = machine.run(&program, &launch, &mut memory, mode, TIMING).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(memory.words(0x10000, 2), [0x1234_5678; 2], "{wait} {mode:?}");
                cycles.push(ran);
            }
        }
        let [_, free, _, held] = cycles[..] else { unreachable!("four runs") };
        assert!(free.both > 0 && held.both == 0 && held.all > free.all, "{cycles:?}");
    }

    /// An access that may not be stops the program before its word, writes nothing, and neither do words behind it; the
    /// next program runs.
    #[test]
    fn duality_an_access_that_may_not_be_stops_the_program() {
        let (params, mut machine) = machine();
        let text = ".name faults\n.arrays 4\n.special thread 0:2:10\n    add 0:20:32 0:2:10<<2 %0 scratch=100\n    \
                    add 0:60:32 0:2:10 0x1\n    st.global.32 [0:20:32] 0:60:32\n    \
                    st.global.32 [%1] 0:60:32\n    end 0\n";
        let program = assemble(text, "faults.dcs", &params).expect("a program");
        for (base, told) in
            [(0x1ffec, ["word 2: trap 16 ", "(unmapped), thread Some(5)"]), (0x10002, ["trap 17 ", "Some(0)"])]
        {
            for mode in [Mode::Lockstep, Mode::Decoupled] {
                let mut memory = FlatMemory::default();
                memory.map(0x10000, 0x10000, true);
                let before = memory.clone();
                let bad = machine.run(&program, &launch(vec![base, 0x10100]), &mut memory, mode, TIMING);
                let error = bad.expect_err("an access that may not be").to_string();
                assert!(told.iter().all(|told| error.contains(told)), "{error}");
                assert_eq!(memory, before, "{base:#x} {mode:?}");
                let good = machine.run(&program, &launch(vec![0x10000, 0x10100]), &mut memory, mode, TIMING);
                good.unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(memory.words(0x10000, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
                assert_eq!(memory.words(0x10100, 1), [8], "threads follow each other");
            }
        }
    }
}
