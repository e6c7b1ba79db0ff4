//! All micro-programs of a design, placed in its ROMs.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::array::isa::assemble::{Assembled, assemble};
use crate::array::isa::command::ErrorCode;
use crate::array::isa::constants;
use crate::array::isa::linear::Linear;
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::row::START;
use crate::array::isa::setup::{Step, steps};
use crate::array::isa::word::{ROM_ADDRESS_BITS, Test, directory, entry, flow};
use crate::array::params::Params;

/// Largest depth of any of the ROMs.
pub const MAX_DEPTH: usize = 1 << ROM_ADDRESS_BITS;

/// Designs whose micro-programs are kept: campaigns build the same design again and again.
const KEPT: usize = 4;

/// What tells programs apart: their words, and what their rows report.
type Placed = (Vec<(u128, u128)>, Vec<u64>);

/// The ROMs of a design's sequencer.
#[derive(Clone, Debug, Default)]
pub struct Microcode {
    /// Flow words.
    pub flow: Vec<u128>,
    /// Control words, at the same addresses.
    pub control: Vec<u128>,
    /// Codes of the exceptions that rows report, at the same addresses; none in designs that report none.
    pub reports: Vec<u64>,
    /// Setup words.
    pub setup: Vec<u128>,
    /// Constants that rows give the key; none where no operation needs any.
    pub constants: Vec<u64>,
    /// Name and first address of each micro-program.
    pub programs: Vec<(String, usize)>,
}

impl Microcode {
    /// Assembles every operation of the design's sets. Programs that are equal are kept once; those whose operands do
    /// not fit the rows are left out. What was assembled last is remembered.
    ///
    /// # Panics
    /// If they do not fit the ROMs: a test assembles every combination of parameters, and [`Params::check`] those with
    /// operations of the library's user.
    pub fn assemble(params: &Params) -> Microcode {
        static LAST: Mutex<Vec<(Params, Microcode)>> = Mutex::new(Vec::new());
        let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = last().iter().find(|(of, _)| of == params) {
            return code.clone();
        }
        let code = Microcode::assemble_only(params, &params.opcodes());
        let mut last = last();
        last.truncate(KEPT - 1);
        last.insert(0, (params.clone(), code.clone()));
        code
    }

    /// Assembles some operations; the opcodes of all others are unknown to the design.
    ///
    /// # Panics
    /// As [`Microcode::assemble`].
    pub fn assemble_only(params: &Params, opcodes: &[Opcode]) -> Microcode {
        let refusal = |code| Step::require(Linear::constant(0), Test::Never, code);
        // Address 0: unknown opcode or set.
        let directory = directory(params.pages());
        let mut setup: Vec<Step> = vec![Step::jump(directory); directory];
        setup.push(refusal(ErrorCode::Opcode));
        setup.push(refusal(ErrorCode::Latch));
        let mut code = Microcode::default();
        let mut placed: HashMap<Placed, usize> = HashMap::new();
        let mut known: HashMap<Vec<Step>, usize> = HashMap::new();
        for &set in &params.sets {
            for &opcode in opcodes {
                let entry = entry(set as usize, opcode.code() as usize);
                let cx = Context::of(params, set);
                let operation = Operation::of(opcode, cx);
                // Also those of programs for which there are no rows: that is what the encoder says.
                if operation.latches().iter().any(|&l| !params.has(l)) {
                    setup[entry] = Step::jump(directory + 1);
                    continue;
                }
                let operation = operation.within(params.rows);
                let assembled: Vec<Assembled> = operation.variants.iter().map(|v| assemble(&v.program, cx)).collect();
                let starts = params.exception_flags && opcode.is_float();
                let entries: Vec<usize> = assembled.iter().map(|a| code.place(a, starts, &mut placed)).collect();
                let relative = steps(&operation, &assembled, &entries, 0);
                let origin = *known.entry(relative).or_insert_with(|| {
                    let origin = setup.len();
                    setup.extend(steps(&operation, &assembled, &entries, origin));
                    origin
                });
                setup[entry] = Step::jump(origin);
            }
        }
        assert!(code.flow.len() <= MAX_DEPTH, "{} micro-program rows", code.flow.len());
        assert!(setup.len() <= MAX_DEPTH, "{} setup words", setup.len());
        if code.flow.iter().any(|&word| flow::POINT.get(word) == 1) {
            code.constants = constants::rom();
        }
        if !params.exception_flags {
            code.reports.clear();
        }
        code.setup = setup.iter().map(Step::encode).collect();
        code
    }

    /// Micro-program rows and setup words of a design with operations of the library's user, at most; the ROMs have
    /// room for [`MAX_DEPTH`] of each.
    pub(crate) fn depths(params: &Params) -> [usize; 2] {
        let library: Vec<Opcode> = params.opcodes().into_iter().filter(|opcode| !opcode.is_custom()).collect();
        let library = Microcode::assemble_only(params, &library);
        let (mut programs, mut words) = (HashMap::new(), library.setup.len());
        for (&set, &opcode) in params.sets.iter().flat_map(|set| params.custom.iter().map(move |opcode| (set, opcode)))
        {
            let cx = Context::of(params, set);
            let operation = Operation::of(opcode, cx);
            let assembled: Vec<Assembled> = operation.variants.iter().map(|v| assemble(&v.program, cx)).collect();
            words += steps(&operation, &assembled, &vec![0; assembled.len()], 0).len();
            programs.extend(assembled.into_iter().map(|assembled| (assembled.encode(0), assembled.words.len())));
        }
        [library.flow.len() + programs.values().sum::<usize>(), words]
    }

    /// Puts a program where an equal one is, or behind all others. Where the first row has to tell that a command
    /// `starts` it reports nothing else.
    fn place(&mut self, assembled: &Assembled, starts: bool, placed: &mut HashMap<Placed, usize>) -> usize {
        let mut reports = assembled.reports();
        if starts {
            assert_eq!(reports[0], 0, "{}: the first row reports", assembled.program.name);
            reports[0] = START;
        }
        *placed.entry((assembled.encode(0), reports.clone())).or_insert_with(|| {
            let origin = self.flow.len();
            self.reports.extend(reports);
            for (flow, control) in assembled.encode(origin) {
                self.flow.push(flow);
                self.control.push(control);
            }
            self.programs.push((assembled.program.name.to_string(), origin));
            origin
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::isa::Set;
    use crate::array::isa::format::Mode;
    use crate::array::params::{Columns, Latch, Memory, MemoryPort};

    /// The largest designs that there may be.
    #[test]
    fn every_combination_fits_the_roms() {
        for columns in Columns::ALL {
            for memory in Memory::ALL {
                let without = Params {
                    name: "all".into(),
                    rows: 512,
                    columns: 256,
                    sensing: columns.sensing(),
                    memory,
                    latches: Latch::of(columns.sensing()),
                    sets: Set::ALL.to_vec(),
                    command_fifo: 8,
                    memory_port: MemoryPort::None,
                    float: true,
                    radix: columns.radix(),
                    custom: Vec::new(),
                    exception_flags: false,
                    unpacked: true,
                };
                let with = Params { exception_flags: true, ..without.clone() };
                for params in [without, with] {
                    params.check().unwrap_or_else(|e| panic!("{e}"));
                    let code = Microcode::assemble(&params);
                    let flags = if params.exception_flags { ", exception flags" } else { "" };
                    let (rows, words, sets) = (code.flow.len(), code.setup.len(), &params.sets);
                    println!("{columns:?} {memory}, {sets:?}{flags}: {rows} rows, {words} setup words");
                }
            }
        }
    }

    #[test]
    fn cycle_counts_follow_their_formulas() {
        for cx in Context::all() {
            for &opcode in Opcode::ALL {
                let op = Operation::of(opcode, cx);
                if op.counted.is_some() {
                    continue;
                }
                for n in (op.widths.0..=op.widths.1).filter(|&n| op.check_width(n).is_ok()) {
                    let (n, seconds) = (u32::from(n), op.seconds(n).map_or(0..=0, |(low, high)| low..=high));
                    for m in seconds.map(|m| m as u32) {
                        // Divisions have two variants: the first, in place, is the one that the formula counts.
                        let of = |key| op.variants.iter().find(|v| v.applies_with(n, m, key)).expect("a variant");
                        let (variant, flushed) = (of(0), of(Mode::FLUSHED.key()));
                        let cycles = assemble(&variant.program, cx).cycles(n, m, n);
                        let formula = (op.formula)(n.into(), m.into());
                        if op.flushed.is_some() {
                            let taken = assemble(&flushed.program, cx).cycles(n, m, n) as i64;
                            let said = op.cycles_with(n.into(), m.into(), Mode::FLUSHED.key());
                            assert_eq!(taken, said, "{opcode} {cx:?} n={n} m={m}, flushed");
                            assert!(taken <= formula, "{opcode} {cx:?} n={n} m={m}: flushed takes longer");
                        }
                        let what = format!("{opcode} {cx:?} n={n} m={m} ({}): {cycles}", variant.program.name);
                        if n >= 4 {
                            assert_eq!(cycles as i64, formula, "{what}");
                        } else {
                            // Short widths have rows of their own; signed AndNor products of 2 and 3 bits are longer.
                            assert!(cycles as i64 <= formula + 3, "{what}, formula {formula}");
                        }
                    }
                }
            }
        }
    }
}
