//! Random programs of memory words on a control block with its memory unit: loads, stores and atomic operations of all
//! widths and spaces, in some threads or all, with addresses from rows, scalar registers and immediates, some of which
//! may not be. Memory, and what stopped the program, must be as the judge says.

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::assemble::assemble;
use bitline_units::duality::isa::codes::{Kind, Trap};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::machine::Mode;
use super::processor::{Behaviour, Ended, Processor};
use crate::engine::Engine;
use crate::model::duality::interpreter;
use crate::model::duality::{FlatMemory, Launch};

/// Where each thread's own data are, a line each.
const OWN: u32 = 0x2_0000;
/// Where results of each thread go at the end, a line each.
const RESULTS: u32 = 0x3_0000;
/// A page that all threads read and write, and one that they only read.
const COMMON: u32 = 0x1234_0000;
const CONSTANT: u32 = 0x5_0000;
/// Where the shared windows are.
const SHARED: u32 = 0x7_0000;
const SHARED_BYTES: u32 = 256;
/// Where spill rows are, a bit for each thread.
const SPILL: u32 = 0x9_0000;
const SPILL_ROWS: u32 = 80;

/// What happened in a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessCoverage {
    /// Programs that ended.
    pub ended: u64,
    /// Programs that were stopped, by the trap's code.
    pub traps: [u64; 32],
    /// Reads and writes of memory, and hints.
    pub requests: [u64; 2],
    /// Shuffles and reductions in programs.
    pub crossing: [u64; 2],
    /// Waves.
    pub waves: u64,
    /// Cycles.
    pub cycles: u64,
}

struct Writer<'a> {
    rng: &'a mut ChaCha8Rng,
    arrays: u32,
    /// Threads of a bank, if a crossbar joins them.
    bank: Option<u32>,
    lines: Vec<String>,
    /// An address may be one that is refused.
    bad: bool,
}

impl Writer<'_> {
    fn below(&mut self, most: u32) -> u32 {
        self.rng.random_range(0..most)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.rng.random_range(0..list.len())]
    }

    fn slot(&mut self) -> u32 {
        self.below(self.arrays)
    }

    /// So many rows of one of the two data registers of an array.
    fn data(&mut self, slot: u32, rows: u32) -> String {
        let register = self.pick(&['x', 'y']);
        let first = self.below(65 - rows);
        format!("{register}{slot}{{{first}:{rows}}}")
    }

    fn program(&mut self) -> String {
        let arrays = self.arrays;
        self.lines = vec![".name accesses".into(), format!(".arrays {arrays}"), ".mask m".into()];
        for slot in 0..arrays {
            for (name, row, rows) in [("t", 4, 12), ("x", 16, 64), ("y", 80, 64), ("a", 144, 32), ("p", 176, 1)] {
                self.lines.push(format!(".reg {name}{slot} {slot}:{row}:{rows}"));
            }
            self.lines.push(format!(".special thread t{slot}"));
        }
        self.lines.push("mask.clear m".into());
        for slot in 0..arrays {
            self.lines.push(format!("add a{slot} t{slot}<<6 %0"));
            self.lines.push(format!("ld.global.64 x{slot} [a{slot}]"));
            self.lines.push(format!("ld.global.64 y{slot} [a{slot} + 8]"));
            self.lines.push(format!("ld.global.8 p{slot} [a{slot} + 16]"));
        }
        for _ in 0..self.rng.random_range(4..30) {
            self.word();
        }
        for slot in 0..arrays {
            self.lines.push(format!("add a{slot} t{slot}<<6 %1"));
            self.lines.push(format!("st.global.64 [a{slot} + {}] x{slot}", 16 * slot));
            self.lines.push(format!("st.global.64 [a{slot} + {}] y{slot}", 16 * slot + 8));
        }
        self.lines.push("end".into());
        self.lines.join("\n") + "\n"
    }

    fn word(&mut self) {
        let slot = self.slot();
        let line = match self.below(12) {
            0 => {
                let (a, b) = (self.data(slot, 8), self.data(slot, 8));
                format!("lt p{slot} {a} {b}")
            }
            1 => {
                let (mask, word) = (self.pick(&["taken", "other", "join"]), slot);
                self.lines.push("mask.open".into());
                self.lines
                    .push(format!("mask.{mask} m{}", if mask == "join" { String::new() } else { format!(" p{word}") }));
                "mask.enter m".into()
            }
            2 if self.arrays > 1 => {
                let rows = 1 + self.below(64);
                let (from, to) = (self.data(slot, rows), (slot + 1) % self.arrays);
                format!("move {} {from}", self.data(to, rows))
            }
            3 => {
                let rows = 1 + self.below(64);
                let first =
                    self.below(SPILL_ROWS + 1 - rows) + if self.bad { self.below(5) * self.below(5) } else { 0 };
                let register = self.data(slot, rows);
                match self.below(2) {
                    0 => format!("st.spill [{first}] {register}"),
                    _ => format!("ld.spill {register} [{first}]"),
                }
            }
            4..8 if self.bank.is_some() => self.crossing(),
            _ => self.access(),
        };
        self.lines.push(line);
    }

    /// Threads of which some words are.
    fn threads(&mut self, slot: u32) -> String {
        match self.below(6) {
            0 => "if=active".into(),
            1 => format!("if=p{slot}"),
            2 => format!("unless=p{slot}"),
            _ => String::new(),
        }
    }

    /// A word of the crossbar, with numbers of threads near those that there are.
    fn crossing(&mut self) -> String {
        let (holder, slot) = (self.slot(), self.slot());
        let bank = self.bank.unwrap_or(1);
        let segment = 1 << self.below(bank.ilog2() + 1);
        let rows = 1 + self.below(64);
        let (d, b, threads) = (self.data(slot, rows), self.data(slot, rows), self.threads(slot));
        if self.below(2) == 0 {
            let op = self.pick(&["add", "min", "min.s", "max", "max.s", "and", "or", "xor"]);
            return format!("reduce.{op} {d} {b} segment={segment} {threads}");
        }
        let near = self.below(2 * segment + 4) as i32 - segment as i32;
        let address = match self.below(5) {
            0 => format!("[{}]", self.below(bank + 2)),
            1 => format!("[%2 + {}]", self.below(bank + 2)),
            2 => format!("[t{holder}{{0:{}}} + {near}]", 1 + self.below(12)),
            3 => format!("[t{holder} + %3 + {:#x}]", (near as u32).wrapping_sub(SUMMAND)),
            _ => format!("[{}]", {
                let count = 1 + self.below(bank.ilog2() + 2);
                self.data(holder, count)
            }),
        };
        format!("shuffle {d} {address} {b} segment={segment} {threads}")
    }

    fn access(&mut self) -> String {
        let (holder, slot) = (self.slot(), self.slot());
        let bytes = self.pick(&[1, 2, 4, 8]);
        let (space, base, reach) = match self.below(10) {
            0 => ("const", CONSTANT, 0x1ff),
            1 => ("global", CONSTANT, 0x1ff),
            2 | 3 => ("shared", 0, 0x7f),
            4 => ("generic", 0xff00_0000, 0x7f),
            5 => ("generic", COMMON, 0x3f),
            _ => ("global", COMMON, self.pick(&[7, 0x3f, 0x3ff, 0xffff])),
        };
        let strays = self.bad && self.below(8) == 0;
        let reach = if strays { reach } else { reach & !(bytes - 1) };
        let base = if strays && self.below(4) > 0 { base.wrapping_add(0x1_0000) } else { base };
        let address = match self.below(6) {
            0 => format!("[{:#x}]", base + (self.below(reach + 1) & reach)),
            1 => format!("[%2 + {:#x}]", base + (self.below(reach + 1) & reach)),
            _ => {
                let register = self.data(holder, 32);
                self.lines.push(format!("and a{holder} {register} {reach:#x}"));
                match self.below(2) {
                    0 => format!("[a{holder} + {base:#x}]"),
                    _ => format!("[a{holder} + %3 + {:#x}]", base.wrapping_sub(SUMMAND)),
                }
            }
        };
        let threads = self.threads(slot);
        let bits = 8 * bytes;
        let reads_only = base & 0xffff_0000 == CONSTANT && !strays;
        let sign = self.pick(&["", ".s"]);
        match self.below(5) {
            0 | 1 => {
                let rows = 1 + self.below(64);
                format!("ld.{space}.{bits} {}{sign} {address} {threads}", self.data(slot, rows))
            }
            _ if reads_only || space == "const" => {
                let rows = 1 + self.below(64);
                format!("ld.{space}.{bits} {}{sign} {address} {threads}", self.data(slot, rows))
            }
            2 if bits >= 32 => {
                let ops = ["fadd", "add", "min", "min.s", "max", "max.s", "and", "or", "xor", "exch", "cas"];
                let op = self.pick(&ops[usize::from(bits == 64)..]);
                let (d, b) = (self.data(slot, bits), self.data(slot, bits));
                let s = if op == "cas" { self.data(slot, bits) } else { String::new() };
                format!("atom.{op}.{space}.{bits} {d} {address} {b} {s} {threads}")
            }
            _ => {
                let rows = 1 + self.below(64);
                format!("st.{space}.{bits} {address} {}{sign} {threads}", self.data(slot, rows))
            }
        }
    }
}

/// What the scalar register holds that some addresses are summed up with.
const SUMMAND: u32 = 0x1234_5670;

/// Runs so many random programs; with `beside` the memory unit is compared with its model in every cycle.
///
/// # Panics
/// If one leaves other memory than the judge says, or ends otherwise, or does not end, or if the memory unit differs.
pub fn run<E: Engine>(engine: E, params: &DualityParams, seed: u64, programs: u64, beside: bool) -> AccessCoverage {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut processor = Processor::new(engine, params, seed);
    if beside {
        processor.compare_memory_unit(seed);
    }
    let mut covered = AccessCoverage::default();
    for number in 0..programs {
        let arrays = [4, 2, 1][rng.random_range(0..3)];
        let bad = rng.random_range(0..3) == 0;
        let bank = (params.crossbar > 0).then_some(params.columns as u32);
        let text = Writer { rng: &mut rng, arrays, bank, lines: vec![], bad }.program();
        let told = || format!("seed {seed}, program {number}:\n{text}");
        let program = assemble(&text, "accesses", params).unwrap_or_else(|e| panic!("{e}: {}", told()));
        let threads = params.threads(arrays as usize) as u32;
        let mut memory = FlatMemory::default();
        // A quarter are, as floating-point numbers, subnormal or next to that, so that sums are, too.
        let word = |rng: &mut ChaCha8Rng| rng.random::<u32>() & if rng.random_ratio(1, 4) { 0x80ff_ffff } else { !0 };
        let words = |rng: &mut ChaCha8Rng, count: u32| -> Vec<u32> { (0..count).map(|_| word(rng)).collect() };
        memory.place(OWN, &words(&mut rng, 16 * threads));
        memory.map(RESULTS, 64 * threads, true);
        memory.place(COMMON, &words(&mut rng, 0x4000));
        memory.place(CONSTANT, &words(&mut rng, 0x80));
        memory.map(CONSTANT, 0x200, false);
        memory.map(SHARED, threads * SHARED_BYTES, true);
        let x = rng.random_range(1..=threads.min(9));
        let y = rng.random_range(1..=threads / x);
        let z = rng.random_range(1..=threads / (x * y));
        let launch = Launch {
            grid: [rng.random_range(1..4), rng.random_range(1..3), rng.random_range(1..3)],
            block: [x, y, z],
            parameters: vec![OWN, RESULTS, 0, SUMMAND],
            shared_bytes: SHARED_BYTES,
            shared_base: SHARED,
            spill_base: SPILL,
            spill_rows: SPILL_ROWS,
        };
        memory.place(SPILL, &words(&mut rng, threads / 8 * SPILL_ROWS / 4));
        let mut expected = memory.clone();
        let judged = interpreter::run(params, &program, &launch, &mut expected, seed, 1 << 20)
            .unwrap_or_else(|e| panic!("{e}: {}", told()));
        let total: u32 = launch.grid.iter().product();
        let mut there = vec![true; threads as usize];
        for first in (0..total).step_by((threads / (x * y * z)) as usize) {
            let wave = interpreter::filling(&program, &launch, threads as usize, first.into());
            there.iter_mut().zip(wave).for_each(|(there, found)| *there &= found.is_some());
        }
        let crossing = program.words.iter().filter(|word| word.kind() == Ok(Kind::Memory) && word.crosses());
        crossing.for_each(|word| covered.crossing[usize::from(word.reduces())] += 1);
        let mode = [Mode::Lockstep, Mode::Decoupled][rng.random_range(0..2)];
        let behaviour =
            Behaviour { latency: rng.random_range(1..30), stalls: rng.random_range(0..2) == 0, broken: None };
        let (ended, cycles) = processor
            .run(&program, &launch, &mut memory, mode, behaviour)
            .unwrap_or_else(|e| panic!("{e}: {}", told()));
        match judged {
            Ok(outcome) => {
                assert_eq!(ended, Ended::Code(outcome.code), "{}", told());
                covered.ended += 1;
            }
            Err(stop) => {
                assert_eq!(ended, Ended::Stopped(stop), "{}", told());
                covered.traps[stop.trap.map_or(0, Trap::code) as usize] += 1;
            }
        }
        for page in expected.pages().map(|(page, _)| page << 16) {
            for at in (page..page + 0x1_0000).step_by(8) {
                let (mut is, should) = (memory.read(at, 8), expected.read(at, 8));
                // Threads that some wave does not have leave what was in their rows before anything began.
                if page == SPILL {
                    let thread = |bit: u32| ((8 * (at - page) + bit) % threads) as usize;
                    let absent = (0..64).filter(|&bit| !there[thread(bit)]).fold(0, |bits, bit| bits | 1 << bit);
                    is = is & !absent | should & absent;
                }
                assert_eq!(format!("{at:#x}: {is:#x}"), format!("{at:#x}: {should:#x}"), "{launch:?} {}", told());
            }
        }
        covered.waves += cycles.waves;
        covered.cycles += cycles.all;
    }
    covered.requests = processor.requests;
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use crate::external::tool::{deep, some_of};
    use bitline_units::array::isa::microcode::Microcode;
    use bitline_units::duality::blocks::duality_processor;

    #[test]
    fn duality_random_accesses_leave_what_the_judge_says() {
        let count =
            std::env::var("BITLINE_ACCESSES").map_or(some_of(30, 2) as u64, |count| count.parse().expect("a number"));
        for (name, seed, programs) in [("tiny", 1, 2 * count), ("small", 3, count.div_ceil(5))] {
            println!("{name}, seed {seed}");
            let params = DualityParams::preset(name).expect("it is there");
            let netlist = duality_processor(&params, &Microcode::assemble(&params.array())).expect("legal");
            let covered = run(engine(&netlist), &params, seed, programs, true);
            println!("{covered:?}");
            assert!(covered.ended > 0 && covered.requests.iter().all(|&count| count > 0), "{covered:?}");
            let traps = [Trap::Unmapped, Trap::Misaligned, Trap::ReadOnly, Trap::Window];
            let missing: Vec<_> = traps.iter().filter(|trap| covered.traps[trap.code() as usize] == 0).collect();
            println!("traps that no program met: {missing:?}");
            assert!(name != "tiny" || missing.len() < 2, "{missing:?}");
        }
    }

    /// The same with shuffles and reductions among them, in designs whose crossbar takes a row at once or in turns. Of
    /// each kind the memory unit is compared with its model in one, with `BITLINE_DEEP=1` in all.
    #[test]
    fn duality_random_words_of_the_crossbar_leave_what_the_judge_says() {
        let count = std::env::var("BITLINE_ACCESSES").map_or(30, |count| count.parse().expect("a number"));
        for (name, crossbar, banks, seed, programs) in [
            ("tiny", 8, 1, 11, count),
            ("tiny", 2, 3, 12, count),
            ("small", 64, 2, 13, count / 6),
            ("small", 8, 2, 14, count / 6),
        ] {
            println!("{name}, {crossbar} threads at a time, {banks} banks: seed {seed}");
            let params = DualityParams { crossbar, banks, ..DualityParams::preset(name).expect("it is there") };
            let netlist = duality_processor(&params, &Microcode::assemble(&params.array())).expect("legal");
            let beside = deep() || crossbar == 8;
            let covered = run(engine(&netlist), &params, seed, programs, beside);
            println!("{covered:?}");
            assert!(covered.ended > 0 && covered.crossing.iter().all(|&count| count > 10), "{covered:?}");
        }
    }
}
