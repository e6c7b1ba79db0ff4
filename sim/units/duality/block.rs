//! Random programs through the control block, in lock step with its model; what they leave in rows and scalar registers
//! must be what the judge says, which knows no windows, no cycles and no scratch rows.

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::isa::disassemble::disassemble;
use bitline_units::duality::isa::field::{CODE, S};
use bitline_units::duality::isa::{Kind, Program};
use bitline_units::duality::params::{LAUNCH_ROW, SCALARS, SLOTS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::words::{Maker, SCRATCH};
use crate::engine::Engine;
use crate::lockstep::Divergence;
use crate::lockstep::duality::BlockLockstep;
use crate::model::duality::control_block::BlockInputs;
use crate::model::duality::interpreter::execute;
use crate::model::duality::rows::Rows;

/// Rows from 0 on that a word reaches whose scratch rows begin at the last row.
const WRAPPED: u64 = 8;

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockCoverage {
    /// Programs that ended.
    pub programs: u64,
    /// Words of their texts, by kind.
    pub words: [u64; Kind::ALL.len()],
    /// Cycles with a program, without and with bundles.
    pub cycles: [u64; 2],
    /// Cycles in which so many windows were at work.
    pub at_work: [u64; SLOTS + 1],
    /// Cycles in which a window held a word that had to wait for others.
    pub waits: u64,
    /// Resets in the middle of a program.
    pub resets: u64,
    /// Programs that the host has stopped.
    pub stops: u64,
    /// Programs that were stopped before a word, by the trap's code.
    pub traps: [u64; 16],
}

/// The member array of a thread's array, and its column. Threads count through the columns first, then through the
/// groups of arrays of a bank, then through the banks.
pub fn place(params: &DualityParams, arrays: usize, thread: usize, slot: usize) -> (usize, usize) {
    let (column, group) = (thread % params.columns, thread / params.columns);
    (group * arrays + slot, column)
}

/// Rows that the hardware holds, as threads see them.
fn rows_of<E: Engine>(block: &BlockLockstep<E>, params: &DualityParams, arrays: usize) -> Rows {
    let threads = params.threads(arrays);
    let mut rows = Rows::new(threads, arrays, 0);
    for thread in 0..threads {
        for slot in 0..arrays {
            let (member, column) = place(params, arrays, thread, slot);
            for row in 0..params.rows {
                let bit = block.model.members[member].sram.row(row)[column / 64] >> (column % 64) & 1;
                rows.set(thread, slot as u64, row as u64, 1, bit.into());
            }
        }
    }
    rows
}

/// Runs random programs for so many cycles.
///
/// # Errors
/// The first difference between hardware and model.
///
/// # Panics
/// If a program leaves other rows, registers or another code than the judge says, or does not end.
pub fn run<E: Engine>(
    engine: E,
    params: &DualityParams,
    seed: u64,
    cycles: u64,
    widest: u64,
) -> Result<BlockCoverage, Box<Divergence>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut block = BlockLockstep::new(engine, params, seed);
    let mut covered = BlockCoverage::default();
    let mut scalars: [u32; SCALARS] = [0; SCALARS];
    for (number, scalar) in scalars.iter_mut().enumerate() {
        *scalar = rng.random::<u32>() >> rng.random_range(0..32);
        block.cycle(&BlockInputs { set: Some((number as u8, *scalar)), ..BlockInputs::default() })?;
    }
    while block.cycle_count() < cycles {
        let code = rng.random_range(0..3u8);
        let (arrays, lockstep) = (SLOTS >> code, rng.random_range(0..2) == 0);
        let steady = BlockInputs { arrays: code, lockstep, ..BlockInputs::default() };
        // Masks hold any threads; rows in which no bit is set are among them, for jumps that look.
        let length = rng.random_range(2..40);
        let words = Maker::new(params, arrays, widest, &mut rng).program(length);
        let mut program =
            Program { name: "random".into(), arrays, specials: vec![], lines: vec![0; words.len()], words };
        program.check(params).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        // Some end with a word that may not run, in place of the end. Scratch rows of one begin at the last row: what
        // is written behind it is in rows from 0 on.
        let mut wraps = false;
        let bad = (rng.random_range(0..4) == 0).then(|| {
            let last = program.words.len() - 1;
            let (word, trap) = Maker::new(params, arrays, widest, &mut rng).bad(last);
            wraps = word.kind() == Ok(Kind::Compute) && word.get(S) + 1 == params.rows as u64;
            let end = program.words[last];
            program.words[last] = word;
            (last, trap, end)
        });
        let text = |program: &Program| disassemble(program, params).unwrap_or_else(|illegal| illegal.to_string());
        let mut expected = rows_of(&block, params, arrays);
        let there: Vec<bool> = (0..params.threads(arrays)).map(|thread| expected.bit(thread, 0, LAUNCH_ROW)).collect();
        block.cycle(&BlockInputs { start: true, ..steady.clone() })?;
        // Some are cut off by a reset, one in each run.
        let late = covered.resets == 0 && covered.programs > 5;
        let cut = (rng.random_range(0..12) == 0 || late).then(|| rng.random_range(1..400));
        // Some are stopped, and may have ended before.
        let stop = (rng.random_range(0..8) == 0).then(|| rng.random_range(1..400));
        let host = rng.random_range(1..=4);
        let (mut given, begun) = (0, block.cycle_count());
        let ended = loop {
            let offered = given < program.words.len() && rng.random_range(0..4) < host;
            let write = offered.then(|| program.words[given].0);
            let stop = stop.is_some_and(|at| block.cycle_count() - begun >= at);
            let shown = block.cycle(&BlockInputs { write, stop, ..steady.clone() })?;
            given += usize::from(offered && shown.ready);
            covered.cycles[usize::from(lockstep)] += 1;
            let windows = &block.model.windows;
            covered.at_work[windows.iter().filter(|window| !window.idle()).count()] += 1;
            covered.waits += u64::from(windows.iter().any(|window| window.waits()));
            if shown.trapped.is_some_and(|trapped| u64::from(trapped.0) == Trap::Aborted.code()) {
                assert!(stop, "seed {seed}: nobody has stopped it: {}", text(&program));
                covered.stops += 1;
                break None;
            }
            if shown.finished.is_some() || shown.trapped.is_some() {
                break Some(shown);
            }
            assert!(block.cycle_count() - begun < 400_000, "seed {seed}: no end: {}", text(&program));
            if cut == Some(block.cycle_count() - begun) {
                block.reset(&steady)?;
                covered.resets += 1;
                break None;
            }
        };
        let Some(shown) = ended else {
            // Registers and rows are as the program has left them.
            for (number, scalar) in scalars.iter_mut().enumerate() {
                *scalar = block.model.scalars.registers[number].expect("it was written");
            }
            continue;
        };
        if let Some((last, trap, end)) = bad {
            let (code, pc, _) = shown.trapped.unwrap_or_else(|| panic!("seed {seed}: no trap: {}", text(&program)));
            let is = (u64::from(code), pc as usize);
            assert_eq!(is, (trap.code(), last), "seed {seed}: {trap} before {:?}", program.words[last]);
            covered.traps[usize::from(code)] += 1;
            // What came before has run to its end; of the word itself, scratch rows at most.
            program.words[last] = end.with(CODE, 0);
        }
        let stopped = execute(params, &program, &mut expected, &there, &mut scalars, 1 << 20);
        let code = stopped.unwrap_or_else(|stop| panic!("seed {seed}: the judge stops: {stop}"));
        let ended = if bad.is_some() { None } else { Some(code as u8) };
        assert_eq!(shown.finished, ended, "seed {seed}: {}", text(&program));
        let rows = rows_of(&block, params, arrays);
        for thread in 0..params.threads(arrays) {
            for slot in 0..arrays as u64 {
                for row in if wraps { WRAPPED } else { 0 }..SCRATCH {
                    let (is, should) = (rows.bit(thread, slot, row), expected.bit(thread, slot, row));
                    assert_eq!(
                        is,
                        should,
                        "seed {seed}: row {row} of array {slot}, thread {thread}: {}",
                        text(&program)
                    );
                }
            }
        }
        if wraps {
            for thread in 0..params.threads(arrays) {
                for slot in 0..arrays {
                    let (member, column) = place(params, arrays, thread, slot);
                    for row in 0..WRAPPED {
                        let bit = expected.bit(thread, slot as u64, row);
                        block.set_bit(member, row as usize, column, bit);
                    }
                }
            }
            block.take_rows();
        }
        let held: Vec<Option<u32>> = block.model.scalars.registers.clone();
        assert_eq!(held, scalars.map(Some), "seed {seed}: scalar registers: {}", text(&program));
        covered.programs += 1;
        for word in &program.words {
            covered.words[word.kind().expect("it is legal") as usize] += 1;
        }
    }
    block.compare_memory()?;
    assert_eq!(block.unseen(), Vec::<&str>::new(), "not compared");
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use bitline_units::array::isa::Opcode;
    use bitline_units::array::isa::microcode::Microcode;
    use bitline_units::duality::blocks::duality_control_block;
    use bitline_units::duality::isa::Word;
    use bitline_units::duality::isa::field::*;
    use std::collections::BTreeSet;

    /// Commands that are refused while they are held, by words before them that wait for another window: those end
    /// first. Behind a move that waits for nothing they are refused when they have been released.
    #[test]
    fn duality_control_block_refuses_commands_that_are_held() {
        let params = DualityParams::preset("tiny").expect("it is there");
        let netlist = duality_control_block(&params, &Microcode::assemble(&params.array())).expect("legal");
        let mut block = BlockLockstep::new(engine(&netlist), &params, 5);
        let compute = |opcode: Opcode, width: u64| {
            let widths = [WIDTH, WIDTH_A, WIDTH_B].into_iter();
            widths.fold(Word::new(Kind::Compute).with(OPCODE, opcode.code()), |word, field| word.with(field, width - 1))
        };
        // The result lies across a source, the scratch rows are not there; the first also behind a pass for its source.
        let overlap = compute(Opcode::And, 4).with(D, 9).with(A, 8).with(B, 20);
        let beyond = compute(Opcode::DivU, 4).with(D, 9).with(A, 13).with(B, 17).with(S, params.rows as u64 - 1);
        let prepared = overlap.with(WIDTH_B, 1).with(S, SCRATCH);
        let [mut dropped, mut released] = [0; 2];
        for (bad, trap) in [(overlap, Trap::Overlap), (beyond, Trap::Rows), (prepared, Trap::Overlap)] {
            for (rows, width) in [(1, 0), (1, 1), (1, 8), (8, 1), (16, 2), (16, 16)] {
                let product = |width| compute(Opcode::MulLow, width).with(SLOT, 1).with(D, 40).with(A, 60).with(B, 80);
                let moved = Word::new(Kind::Move).with(SLOT, 1).with(TARGETS, 1).with(A, 40).with(D, 100);
                let words = [moved.with(WIDTH, rows - 1), bad, Word::new(Kind::End)];
                let words: Vec<Word> = (width > 0).then(|| product(width)).into_iter().chain(words).collect();
                let steady = BlockInputs::default();
                let run = |inputs: &BlockInputs, block: &mut BlockLockstep<_>| {
                    block.cycle(inputs).unwrap_or_else(|divergence| panic!("{divergence}"))
                };
                run(&BlockInputs { start: true, ..steady.clone() }, &mut block);
                let (mut given, mut cycles) = (0, 0);
                let stopped = loop {
                    let before = block.model.windows[0].held();
                    let write = words.get(given).map(|word| word.0);
                    let shown = run(&BlockInputs { write, ..steady.clone() }, &mut block);
                    given += usize::from(write.is_some() && shown.ready);
                    // It is held no longer: released in its turn, or dropped before.
                    let gone = block.model.windows[0].held().is_none();
                    dropped += u64::from(before == Some(false) && gone);
                    released += u64::from(before == Some(true) && gone);
                    cycles += 1;
                    assert!(cycles < 10_000 && shown.finished.is_none(), "{trap}, {rows} rows: it was not refused");
                    if let Some((code, pc, _)) = shown.trapped {
                        break (u64::from(code), pc);
                    }
                };
                assert_eq!(stopped, (trap.code(), words.len() as u32 - 2), "{trap}, {rows} rows");
            }
        }
        assert!(dropped > 3 && released > 0, "{dropped} dropped, {released} released");
    }

    /// Words of the crossbar that may not run among the others, where there is one.
    #[test]
    fn duality_control_block_refuses_words_of_the_crossbar() {
        let (params, seed) = (DualityParams { crossbar: 4, ..DualityParams::preset("tiny").expect("it is there") }, 21);
        println!("seed {seed}");
        let netlist = duality_control_block(&params, &Microcode::assemble(&params.array())).expect("legal");
        let covered = run(engine(&netlist), &params, seed, 60_000, 8).unwrap_or_else(|d| panic!("{d}"));
        println!("{covered:?}");
        let met = [Trap::Code, Trap::Width, Trap::Rows].map(|trap| covered.traps[trap.code() as usize]);
        assert!(met.iter().all(|&count| count > 0), "{covered:?}");
    }

    #[test]
    fn duality_control_block_runs_random_programs() {
        let params = DualityParams::preset("tiny").expect("it is there");
        let netlist = duality_control_block(&params, &Microcode::assemble(&params.array())).expect("legal");
        let (mut traps, mut stops) = (BTreeSet::new(), 0);
        // Three runs, and more if these have not met enough kinds of traps.
        for (seed, widest) in (1..=8).zip([8, 16, 32].into_iter().cycle()) {
            if seed > 3 && traps.len() > 5 && stops > 5 {
                break;
            }
            println!("seed {seed}");
            let covered = run(engine(&netlist), &params, seed, 30_000, widest).unwrap_or_else(|d| panic!("{d}"));
            println!("{covered:?}");
            assert!(covered.programs > 5 && covered.at_work.iter().all(|&cycles| cycles > 0), "{covered:?}");
            traps.extend((1..16).filter(|&code| covered.traps[code] > 0));
            stops += covered.stops;
            assert!(covered.resets > 0, "{covered:?}");
            let missing = |kind: &Kind| covered.words[*kind as usize] == 0 && *kind != Kind::Memory;
            assert!(!Kind::ALL.iter().any(missing), "{covered:?}");
            assert!(covered.cycles.iter().all(|&cycles| cycles > 0) && covered.waits > 0, "{covered:?}");
        }
        assert!(traps.len() > 5 && stops > 5, "traps {traps:?}, {stops} stops");
    }
}
