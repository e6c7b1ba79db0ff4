//! What columns report, each for itself, against the exact result.

use super::super::compute_unit::{ComputeUnit, Inputs};
use crate::float::exceptions::{raised, raised_by_root};
use crate::float::{Function, evaluate, square_root};
use bitline_units::array::isa::format::{BF16, E4M3, E5M2, F16, F32, F64, Format, Mode};
use bitline_units::array::isa::operation::{Context, Operation};
use bitline_units::array::isa::row::Operand;
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::params::{Latch, Memory, MemoryPort, Params, Sensing};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const COLUMNS: usize = 512;

fn params(memory: Memory, radix: u8) -> Params {
    Params {
        name: "flags".into(),
        rows: 512,
        columns: COLUMNS,
        sensing: Sensing::TwoPort,
        memory,
        latches: vec![Latch::Predicate, Latch::Hold],
        sets: vec![Set::Fast, Set::Skip],
        command_fifo: 2,
        memory_port: MemoryPort::None,
        float: true,
        radix,
        custom: Vec::new(),
        exception_flags: true,
    }
}

fn put(unit: &mut ComputeUnit, first: u16, bits: u32, values: &[u64]) {
    for bit in 0..bits {
        let mut words = [0; COLUMNS / 64];
        for (column, value) in values.iter().enumerate() {
            words[column / 64] |= (value >> bit & 1) << (column % 64);
        }
        unit.array.sram.write(usize::from(first) + bit as usize, &words, None);
    }
}

fn get(unit: &ComputeUnit, first: u16, bits: u32) -> Vec<u64> {
    let value = |column: usize| {
        let bit = |bit: u32| unit.array.sram.row(usize::from(first) + bit as usize)[column / 64] >> (column % 64) & 1;
        (0..bits).map(|at| bit(at) << at).sum()
    };
    (0..COLUMNS).map(value).collect()
}

/// A command in all modes and sets on these operands, column by column.
struct Case<'a> {
    params: &'a Params,
    opcode: Opcode,
    function: Option<Function>,
    format: Format,
    set: Set,
    key: u64,
}

impl Case<'_> {
    /// Flags of each column, and the flags raised as the unit shows them, from the model's rows.
    fn run(&self, unit: &mut ComputeUnit, a: &[u64], b: &[u64]) -> (Vec<u8>, u8) {
        let format = self.format;
        let (bits, free) = (format.bits() as u16, 3 * format.bits() as u16);
        put(unit, 0, format.bits(), a);
        put(unit, bits, format.bits(), b);
        let command =
            Command { a: 0, b: bits, d: 2 * bits, s: free + 8, key: self.key, ..Command::new(self.opcode, format.n()) };
        let command = Command { second: format.m(), set: self.set, ..command };
        let mut inputs = Inputs { command: Some(command), ..Inputs::default() };
        let (mut flags, mut shown) = (vec![0; COLUMNS], 0);
        let mut idle = 0;
        while idle < 4 {
            let outputs = unit.step(&inputs);
            inputs.command = inputs.command.filter(|_| !outputs.command_ready);
            assert_eq!(outputs.activity.refusal, None);
            shown |= outputs.activity.raised;
            if outputs.activity.report > 0 {
                for (column, flags) in flags.iter_mut().enumerate() {
                    let tag = unit.array.column.t[column / 64] >> (column % 64) & 1;
                    *flags |= (tag as u8) << (outputs.activity.report - 1);
                }
            }
            idle = if outputs.busy || inputs.command.is_some() { 0 } else { idle + 1 };
        }
        (flags, shown)
    }

    fn check(&self, unit: &mut ComputeUnit, a: &[u64], b: &[u64]) {
        let (n, m) = (u32::from(self.format.n()), u32::from(self.format.m()));
        let (flags, shown) = self.run(unit, a, b);
        let results = get(unit, 2 * self.format.bits() as u16, self.format.bits());
        let mut all = 0;
        for (column, (&a, &b)) in a.iter().zip(b).enumerate() {
            let (result, expected) = judged(self.function, n, m, self.key, [a, b]);
            all |= expected;
            let what = || {
                format!(
                    "{} {} {:?} radix {} {:?}: {a:#x}, {b:#x} = {:#x}",
                    self.opcode,
                    self.format,
                    self.set,
                    self.params.radix,
                    Mode::of_key(self.key),
                    results[column]
                )
            };
            assert_eq!(Some(results[column]), result, "{}", what());
            assert_eq!(format!("{:#07b}", flags[column]), format!("{expected:#07b}"), "{}", what());
        }
        assert_eq!(shown, all, "what the unit shows is the OR of the columns'");
    }
}

/// Operations on two numbers, and the square root of one.
const OPERATIONS: [(Opcode, Option<Function>); 5] = [
    (Opcode::FAdd, Some(Function::Add)),
    (Opcode::FSub, Some(Function::Subtract)),
    (Opcode::FMul, Some(Function::Multiply)),
    (Opcode::FDiv, Some(Function::Divide)),
    (Opcode::FSqrt, None),
];

/// Result and exceptions; without a function of the square root of the first number.
fn judged(function: Option<Function>, n: u32, m: u32, key: u64, [a, b]: [u64; 2]) -> (Option<u64>, u8) {
    match function {
        Some(function) => (evaluate(function, n, m, key, a, b), raised(function, n, m, key, a, b)),
        None => (square_root(n, m, key, a), raised_by_root(n, m, key, a)),
    }
}

fn every_pair(format: Format, radix: u8, opcode: Opcode, function: Option<Function>) {
    let params = params(Memory::Behavioural, radix);
    let mut unit = ComputeUnit::new(&params);
    for set in [Set::Fast, Set::Skip] {
        for mode in Mode::all() {
            let case = Case { params: &params, opcode, function, format, set, key: mode.key() };
            for half in 0..128u64 {
                let a: Vec<u64> = (0..512).map(|k| 2 * half + k / 256).collect();
                let b: Vec<u64> = (0..512).map(|k| k % 256).collect();
                case.check(&mut unit, &a, &b);
            }
        }
    }
}

macro_rules! pairs {
    ($($name:ident $format:ident $radix:literal $opcode:ident $function:ident;)+) => {$(
        #[test]
        fn $name() {
            every_pair($format, $radix, Opcode::$opcode, Some(Function::$function));
        }
    )+};
}

pairs! {
    every_pair_fadd_e5m2 E5M2 2 FAdd Add;
    every_pair_fsub_e5m2 E5M2 2 FSub Subtract;
    every_pair_fmul_e5m2 E5M2 2 FMul Multiply;
    every_pair_fadd_e4m3 E4M3 2 FAdd Add;
    every_pair_fsub_e4m3 E4M3 2 FSub Subtract;
    every_pair_fmul_e4m3 E4M3 2 FMul Multiply;
    every_pair_fdiv_e5m2 E5M2 2 FDiv Divide;
    every_pair_fdiv_e4m3 E4M3 2 FDiv Divide;
    every_pair_fmul_e5m2_radix_4 E5M2 4 FMul Multiply;
    every_pair_fmul_e4m3_radix_4 E4M3 4 FMul Multiply;
}

#[test]
fn every_square_root() {
    for format in [E5M2, E4M3] {
        every_pair(format, 2, Opcode::FSqrt, None);
    }
}

/// A number that is likely to be at an edge: of the exponent's range, of rounding.
fn structured(rng: &mut ChaCha8Rng, format: Format) -> u64 {
    let (fraction, exponent) = (u32::from(format.fraction), u32::from(format.exponent));
    let top = (1 << exponent) - 1;
    let field = match rng.random_range(0..8) {
        0 => 0,
        1 => 1,
        2 => top,
        3 => top - 1,
        4 => rng.random_range(0..fraction.min(top as u32) as u64 + 4).min(top),
        5 => top / 2 + rng.random_range(0..4) - 1,
        _ => rng.random_range(0..=top),
    };
    let ones = (1u64 << fraction) - 1;
    let low = match rng.random_range(0..6) {
        0 => 0,
        1 => ones,
        2 => 1 << rng.random_range(0..fraction),
        3 => ones ^ 1 << rng.random_range(0..fraction),
        _ => rng.random::<u64>() & ones,
    };
    rng.random_range(0..2) << (fraction + exponent) | field << fraction | low
}

#[test]
fn structured_pairs() {
    let seed = 71;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for (memory, radix) in [(Memory::Behavioural, 2), (Memory::BlockRam, 2), (Memory::Behavioural, 4)] {
        let params = params(memory, radix);
        let mut unit = ComputeUnit::new(&params);
        for format in [F16, BF16, F32, F64] {
            for (opcode, function) in OPERATIONS {
                for set in [Set::Fast, Set::Skip] {
                    for mode in Mode::all() {
                        let case = Case { params: &params, opcode, function, format, set, key: mode.key() };
                        let mut of = || (0..COLUMNS).map(|_| structured(&mut rng, format)).collect::<Vec<u64>>();
                        let (a, b) = (of(), of());
                        if memory == Memory::Behavioural {
                            case.check(&mut unit, &a, &b);
                        } else {
                            let shown = case.run(&mut unit, &a, &b).1;
                            let (n, m) = (format.n().into(), format.m().into());
                            let each = a.iter().zip(&b).map(|(&a, &b)| judged(function, n, m, case.key, [a, b]).1);
                            assert_eq!(
                                shown,
                                each.fold(0, |all, flags| all | flags),
                                "{opcode} {format} {set:?} {mode:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// A number of 8 bits, or one of more bits at an edge.
fn any(rng: &mut ChaCha8Rng, format: Format) -> u64 {
    if format.bits() == 8 { rng.random_range(0..256) } else { structured(rng, format) }
}

/// Whether a unit's columns report anything else than they should.
fn differs(unit: &mut ComputeUnit, params: &Params, (opcode, function): (Opcode, Option<Function>)) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut wrong = |format: Format, mode: Mode, a: &[u64], b: &[u64]| {
        let case = Case { params, opcode, function, format, set: Set::Fast, key: mode.key() };
        let (n, m) = (format.n().into(), format.m().into());
        let flags = case.run(unit, a, b).0;
        flags.iter().enumerate().any(|(k, &flags)| flags != judged(function, n, m, case.key, [a[k], b[k]]).1)
    };
    [E5M2, E4M3, F16, F32].into_iter().any(|format| {
        Mode::all().any(|mode| {
            (0..if format.bits() == 8 { 24 } else { 4 }).any(|_| {
                let mut of = || (0..COLUMNS).map(|_| any(&mut rng, format)).collect::<Vec<u64>>();
                let (a, b) = (of(), of());
                wrong(format, mode, &a, &b)
            })
        })
    })
}

/// Mutants: of each row that reports another exception, or none.
#[test]
fn a_wrong_report_in_any_row_is_noticed() {
    let params = Params { sets: vec![Set::Fast], ..params(Memory::Behavioural, 2) };
    let mut unit = ComputeUnit::new(&params);
    let (mut tried, mut missed) = (0, vec![]);
    let ends: Vec<usize> =
        unit.code.programs[1..].iter().map(|program| program.1).chain([unit.code.flow.len()]).collect();
    for ((name, first), end) in unit.code.programs.clone().into_iter().zip(ends) {
        let Some(&operation) = OPERATIONS.iter().find(|operation| operation.0.name() == name) else { continue };
        for row in (first..end).filter(|&row| unit.code.reports[row] > 0).collect::<Vec<_>>() {
            let code = unit.code.reports[row];
            for other in [0, code % 5 + 1] {
                unit.code.reports[row] = other;
                tried += 1;
                if !differs(&mut unit, &params, operation) {
                    missed.push(format!("{name}, row {}: {other} for {code}", row - first));
                }
                unit.code.reports[row] = code;
            }
        }
    }
    println!("{tried} mutants, missed {missed:?}");
    // These rows say what another one says, too: without one of them nothing is missed, with another code it is.
    let wrong = missed.iter().filter(|mutant| !mutant.contains(": 0 for")).count();
    assert!(tried > 60 && wrong == 0 && missed.len() <= 9, "{tried} mutants, missed {missed:?}");
}

/// One pair in all columns: flags that the wired-OR of others would hide.
#[test]
fn one_pair_at_a_time() {
    let params = params(Memory::BlockRam, 2);
    let mut unit = ComputeUnit::new(&params);
    let seed = 5;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = [0; 32];
    for _ in 0..300 {
        let (opcode, function) = OPERATIONS[rng.random_range(0..OPERATIONS.len())];
        let key = rng.random_range(0..16);
        let [a, b] = [0; 2].map(|_| structured(&mut rng, F16));
        let case = Case { params: &params, opcode, function, format: F16, set: Set::Fast, key };
        let shown = case.run(&mut unit, &[a; COLUMNS], &[b; COLUMNS]).1;
        let expected = judged(function, F16.n().into(), F16.m().into(), key, [a, b]).1;
        assert_eq!(shown, expected, "{opcode} {a:#x} {b:#x} key {key}");
        seen[usize::from(expected)] += 1;
    }
    let flags = |bit: u8| (0..32).filter(|set| set & bit != 0).map(|set| seen[usize::from(set)]).sum::<u32>();
    for bit in [1, 2, 4, 8, 16] {
        assert!(flags(bit) > 0 && seen[0] > 0, "flag {bit} in none of {seen:?}");
    }
}

/// The rows that it takes; for the documents.
#[test]
fn cycles_beside_those_without() {
    for (opcode, _) in OPERATIONS {
        for set in [Set::Fast, Set::Skip] {
            let with = Context::of(&params(Memory::BlockRam, 2), set);
            let cycles = |cx: Context| Operation::of(opcode, cx).cycles(F32.n().into(), F32.m().into());
            let (with, without) = (cycles(with), cycles(Context { exception_flags: false, ..with }));
            println!("{opcode} f32 {set:?}: {without} cycles, {with} with flags");
            assert!(with > without);
        }
    }
    let rows = |cx| Operation::of(Opcode::FAdd, cx).extent_of(Operand::S).map(|e| e.rows);
    let with = Context::of(&params(Memory::BlockRam, 2), Set::Fast);
    assert_eq!(rows(with), rows(Context { exception_flags: false, ..with }), "no scratch row more");
}
