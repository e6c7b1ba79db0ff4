//! What columns report, each for itself, against the exact result.

mod and_nor;
mod mutants;
mod others;

use super::super::compute_unit::{ComputeUnit, Inputs};
use super::{START, STARTED};
use crate::arith::{Inputs as Numbers, evaluate};
use crate::float::exceptions::raised_in;
use bitline_units::array::isa::format::{Conversion, E4M3, E5M2, F16, FORMATS, Format, Mode, Rounding};
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
        unpacked: false,
    }
}

/// The rows of an operand in a form of an operation.
fn rows_of(operation: &Operation, operand: Operand, n: u8, m: u8) -> u16 {
    operation.extent_of(operand).map_or(0, |extent| extent.rows.value(n.into(), m.into()) as u16)
}

fn put(unit: &mut ComputeUnit, first: u16, bits: u16, values: &[u64]) {
    for bit in 0..bits {
        let mut words = [0; COLUMNS / 64];
        for (column, value) in values.iter().enumerate() {
            words[column / 64] |= (value >> bit & 1) << (column % 64);
        }
        unit.array.sram.write(usize::from(first) + usize::from(bit), &words, None);
    }
}

fn get(unit: &ComputeUnit, first: u16, bits: u16) -> Vec<u64> {
    let value = |column: usize| {
        let bit =
            |bit: u16| unit.array.sram.row(usize::from(first) + usize::from(bit))[column / 64] >> (column % 64) & 1;
        (0..bits).map(|at| bit(at) << at).sum()
    };
    (0..COLUMNS).map(value).collect()
}

/// A form of an operation: its widths.
#[derive(Clone, Copy, Debug)]
struct Form {
    opcode: Opcode,
    n: u8,
    m: u8,
}

impl Form {
    /// Of numbers of a format, or to numbers of one.
    fn of(opcode: Opcode, format: Format) -> Form {
        Form { opcode, n: format.n(), m: format.m() }
    }

    /// Every one.
    fn all(opcode: Opcode) -> Vec<Form> {
        match opcode.conversion() {
            Some(_) => [8, 16, 32, 64].map(|n| Form { opcode, n, m: 0 }).to_vec(),
            None => FORMATS.map(|format| Form::of(opcode, format)).to_vec(),
        }
    }

    /// The format of its operands; `None` if they are integers.
    fn source(self) -> Option<Format> {
        match self.opcode.conversion() {
            Some(Conversion::ToInteger(format)) => Some(format),
            Some(Conversion::FromInteger(_)) => None,
            None => self.opcode.source_format().or(Format::of_widths(self.n.into(), self.m.into())),
        }
    }

    /// An operand that is likely to be at an edge.
    fn number(self, rng: &mut ChaCha8Rng) -> u64 {
        match self.source() {
            Some(format) if format.bits() == 8 => rng.random_range(0..256),
            Some(format) => match self.opcode.source_format().and(Format::of_widths(self.n.into(), self.m.into())) {
                Some(to) if to.exponent < format.exponent && rng.random() => near(rng, format, to),
                _ => structured(rng, format),
            },
            None if rng.random_range(0..4) == 0 => 1 << rng.random_range(0..self.n),
            None => {
                let bits = u64::MAX >> (64 - self.n);
                let small = rng.random::<u64>() >> rng.random_range(0..64);
                (if rng.random() { small } else { small.wrapping_neg() }) & bits
            }
        }
    }
}

/// A command in a mode and a set on these operands, column by column.
struct Case<'a> {
    params: &'a Params,
    form: Form,
    set: Set,
    key: u64,
}

/// a, b and e.
type Columns = [Vec<u64>; 3];

impl Case<'_> {
    fn operation(&self) -> std::sync::Arc<Operation> {
        Operation::of(self.form.opcode, Context::of(self.params, self.set))
    }

    /// Flags of each column, the flags raised as the unit shows them, and the results; from the model's rows.
    fn run(&self, unit: &mut ComputeUnit, operands: &Columns) -> (Vec<u8>, u8, Vec<u64>) {
        let Form { opcode, n, m } = self.form;
        let operation = self.operation();
        let mut at = 0;
        let mut place = |operand: Operand| {
            at += rows_of(&operation, operand, n, m);
            at - rows_of(&operation, operand, n, m)
        };
        let [a, b, e, d, s] = [Operand::A, Operand::B, Operand::E, Operand::D, Operand::S].map(&mut place);
        for ((operand, first), values) in [(Operand::A, a), (Operand::B, b), (Operand::E, e)].into_iter().zip(operands)
        {
            put(unit, first, rows_of(&operation, operand, n, m), values);
        }
        let command = Command { a, b, e, d, s, key: self.key, ..Command::new(opcode, n) };
        let command = Command { second: m, set: self.set, ..command };
        let mut inputs = Inputs { command: Some(command), ..Inputs::default() };
        let (mut flags, mut shown) = (vec![0; COLUMNS], 0);
        let mut idle = 0;
        while idle < 4 {
            let outputs = unit.step(&inputs);
            inputs.command = inputs.command.filter(|_| !outputs.command_ready);
            assert_eq!(outputs.activity.refusal, None, "{opcode} {n} {m}");
            shown |= outputs.activity.raised & !STARTED;
            if (1..START).contains(&outputs.activity.report) {
                for (column, flags) in flags.iter_mut().enumerate() {
                    let tag = unit.array.column.t[column / 64] >> (column % 64) & 1;
                    *flags |= (tag as u8) << (outputs.activity.report - 1);
                }
            }
            idle = if outputs.busy || inputs.command.is_some() { 0 } else { idle + 1 };
        }
        (flags, shown, get(unit, d, rows_of(&operation, Operand::D, n, m)))
    }

    /// Result and exceptions of a column.
    fn judged(&self, operands: &Columns, column: usize) -> (u64, u8) {
        let Form { opcode, n, m } = self.form;
        let [a, b, e] = [0, 1, 2].map(|at: usize| operands[at].get(column).copied().unwrap_or(0));
        let inputs = Numbers { a, b, e, d: 0, tag: false };
        let (n, m) = (n.into(), m.into());
        let (result, _) = evaluate(opcode, n, m, self.key, inputs).d.expect("a result");
        (result as u64, raised_in(opcode, n, m, self.key, &inputs).expect("it is judged"))
    }

    fn check(&self, unit: &mut ComputeUnit, operands: &Columns) {
        let (flags, shown, results) = self.run(unit, operands);
        let mut all = 0;
        for column in 0..COLUMNS {
            let (result, expected) = self.judged(operands, column);
            all |= expected;
            if (results[column], flags[column]) == (result, expected) {
                continue;
            }
            let Form { opcode, n, m } = self.form;
            let [a, b, e] = [0, 1, 2].map(|at: usize| operands[at].get(column).copied().unwrap_or(0));
            panic!(
                "{opcode} {n} {m} {:?} radix {} {:?}: {a:#x}, {b:#x}, {e:#x} = {:#x}, {result:#x} expected, \
                 flags {:#07b}, {expected:#07b} expected",
                self.set,
                self.params.radix,
                Mode::of_key(self.key),
                results[column],
                flags[column],
            );
        }
        assert_eq!(shown, all, "what the unit shows is the OR of the columns'");
    }
}

/// Operations of which rounding is all but the operands' exceptions, on two numbers and on one.
const ROUNDED: [Opcode; 7] =
    [Opcode::FAdd, Opcode::FSub, Opcode::FMul, Opcode::FDiv, Opcode::FSqrt, Opcode::FFma, Opcode::FRcp];

/// Those of the mode that an operation asks for.
fn modes(opcode: Opcode) -> impl Iterator<Item = Mode> {
    use Opcode as O;
    let none = matches!(opcode, O::FUnordered | O::FMin | O::FMax | O::FMinimum | O::FMaximum);
    let operands = matches!(opcode, O::FEq | O::FLt | O::FLe);
    let direction = matches!(opcode.conversion(), Some(Conversion::FromInteger(_)));
    let no_results = opcode.conversion().is_some() || matches!(opcode, O::FSqrt | O::FRound | O::FRsqrt);
    Mode::all().filter(move |mode| {
        let nearest = mode.rounding == Rounding::NearestEven;
        !(none && *mode != Mode::default()
            || operands && (!nearest || mode.flush_results)
            || direction && mode.flush_operands
            || no_results && mode.flush_results)
    })
}

fn every_pair(params: &Params, format: Format, opcode: Opcode) {
    let mut unit = ComputeUnit::new(params);
    for &set in &params.sets {
        for mode in modes(opcode) {
            let case = Case { params, form: Form::of(opcode, format), set, key: mode.key() };
            for half in 0..128u64 {
                let a = (0..512).map(|k| 2 * half + k / 256).collect();
                let b = (0..512).map(|k| k % 256).collect();
                case.check(&mut unit, &[a, b, vec![]]);
            }
        }
    }
}

macro_rules! pairs {
    ($($name:ident $format:ident $radix:literal $opcode:ident;)+) => {$(
        #[test]
        fn $name() {
            every_pair(&params(Memory::Behavioural, $radix), $format, Opcode::$opcode);
        }
    )+};
}

pairs! {
    every_pair_fadd_e5m2 E5M2 2 FAdd;
    every_pair_fsub_e5m2 E5M2 2 FSub;
    every_pair_fmul_e5m2 E5M2 2 FMul;
    every_pair_fadd_e4m3 E4M3 2 FAdd;
    every_pair_fsub_e4m3 E4M3 2 FSub;
    every_pair_fmul_e4m3 E4M3 2 FMul;
    every_pair_fdiv_e5m2 E5M2 2 FDiv;
    every_pair_fdiv_e4m3 E4M3 2 FDiv;
    every_pair_fmul_e5m2_radix_4 E5M2 4 FMul;
    every_pair_fmul_e4m3_radix_4 E4M3 4 FMul;
}

/// The papers' own algorithms, which formats with infinities have.
#[test]
fn every_pair_of_baseline() {
    let params = Params { sets: vec![Set::Baseline], ..params(Memory::Behavioural, 2) };
    for opcode in [Opcode::FAdd, Opcode::FSub, Opcode::FMul, Opcode::FDiv] {
        every_pair(&params, E5M2, opcode);
    }
}

#[test]
fn every_square_root() {
    for format in [E5M2, E4M3] {
        every_pair(&params(Memory::Behavioural, 2), format, Opcode::FSqrt);
    }
}

/// A number of a format near the smallest or the largest ones of another, of few or nearly all bits.
fn near(rng: &mut ChaCha8Rng, format: Format, to: Format) -> u64 {
    let bias = |exponent: u8| (1i64 << (exponent - 1)) - 1;
    let edge = if rng.random() { bias(to.exponent) + 1 } else { 1 - bias(to.exponent) - i64::from(to.fraction) };
    let field = bias(format.exponent) + edge + rng.random_range(-2..=2 + i64::from(to.fraction));
    let ones = (1u64 << format.fraction) - 1;
    // Ones on top, and perhaps a bit below.
    let low = ones & !(ones >> rng.random_range(0..=to.fraction + 1));
    let low = if rng.random() { low } else { low ^ 1 << rng.random_range(0..format.fraction) };
    rng.random_range(0..2) << (format.bits() - 1) | (field as u64) << format.fraction | low
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
        let params = Params { sets: Set::ALL.to_vec(), ..params(memory, radix) };
        let mut unit = ComputeUnit::new(&params);
        for form in ROUNDED.into_iter().flat_map(Form::all) {
            for &set in &params.sets {
                for mode in modes(form.opcode) {
                    let case = Case { params: &params, form, set, key: mode.key() };
                    check_or_shown(&case, &mut unit, &numbers(form, &mut rng));
                }
            }
        }
    }
}

/// Operands for all columns.
fn numbers(form: Form, rng: &mut ChaCha8Rng) -> Columns {
    let mut all = [(); 3].map(|()| (0..COLUMNS).map(|_| form.number(rng)).collect::<Vec<u64>>());
    if let (Opcode::FMul | Opcode::FFma, Some(format)) = (form.opcode, form.source()) {
        for column in (0..COLUMNS).step_by(61) {
            let below = below_all(rng, format);
            (all[0][column], all[1][column], all[2][column]) = (below[0], below[1], 0);
        }
    }
    all
}

/// Numbers whose product is a little less than twice the largest power of two: 1 and a last place, and 2 less two.
fn below_all(rng: &mut ChaCha8Rng, format: Format) -> [u64; 2] {
    let bias = (1u64 << (format.exponent - 1)) - 1;
    let field = rng.random_range(bias + 1..2 * bias);
    let ones = (1u64 << format.fraction) - 1;
    [field << format.fraction | 1, (3 * bias - field) << format.fraction | ones ^ 1]
}

/// Every column by itself with `Behavioural` memory, where tags are there with the row that reports; else all at once.
fn check_or_shown(case: &Case, unit: &mut ComputeUnit, operands: &Columns) {
    if case.params.memory == Memory::Behavioural {
        return case.check(unit, operands);
    }
    let shown = case.run(unit, operands).1;
    let all = (0..COLUMNS).fold(0, |all, column| all | case.judged(operands, column).1);
    assert_eq!(shown, all, "{:?} {:?} {:?}", case.form, case.set, Mode::of_key(case.key));
}

/// The same numbers in all columns: flags that the wired-OR of others would hide.
#[test]
fn one_column_at_a_time() {
    let params = params(Memory::BlockRam, 2);
    let mut unit = ComputeUnit::new(&params);
    let seed = 5;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = [0; 32];
    for _ in 0..300 {
        let form = Form::of(ROUNDED[rng.random_range(0..ROUNDED.len())], F16);
        let key = rng.random_range(0..16);
        let operands = [(); 3].map(|()| vec![form.number(&mut rng); COLUMNS]);
        let case = Case { params: &params, form, set: Set::Fast, key };
        let shown = case.run(&mut unit, &operands).1;
        let expected = case.judged(&operands, 0).1;
        assert_eq!(shown, expected, "{form:?} {:#x?} key {key}", [0, 1, 2].map(|at: usize| operands[at][0]));
        seen[usize::from(expected)] += 1;
    }
    let flags = |bit: u8| (0..32).filter(|set| set & bit != 0).map(|set| seen[usize::from(set)]).sum::<u32>();
    for bit in [1, 2, 4, 8, 16] {
        assert!(flags(bit) > 0 && seen[0] > 0, "flag {bit} in none of {seen:?}");
    }
}
