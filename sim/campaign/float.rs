//! Floating-point operations in every format and every mode, on operands at the edges: subnormal numbers, ties,
//! cancellation, close exponents, infinities and NaN. What was met is counted, since a campaign that met no tie says
//! nothing about ties.

use std::collections::BTreeMap;

use super::bench::Bench;
use super::exhaustive::one;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::isa::format::{FORMATS, Format, Mode};
use crate::isa::opcode::Conversion;
use crate::isa::operation::Operation;
use crate::isa::{Command, Opcode};
use crate::model::arith::Inputs;
use crate::vectors::Case;

/// What a bit pattern is in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Zero of either sign.
    Zero,
    /// Below the smallest normal number.
    Subnormal,
    /// Any other number.
    Normal,
    /// Infinite.
    Infinite,
    /// No number.
    Nan,
}

impl Class {
    /// Of a pattern in a format.
    pub fn of(bits: u64, format: Format) -> Class {
        let fraction = bits & ((1 << format.fraction) - 1);
        let ones = (1u64 << format.exponent) - 1;
        let exponent = bits >> format.fraction & ones;
        let full = (1 << format.fraction) - 1;
        match (exponent, fraction) {
            (0, 0) => Class::Zero,
            (0, _) => Class::Subnormal,
            _ if exponent < ones || !format.infinities && fraction != full => Class::Normal,
            (_, 0) => Class::Infinite,
            _ => Class::Nan,
        }
    }
}

/// How often each class came as an operand and as a result.
pub type Met = BTreeMap<(&'static str, Class), (u64, u64)>;

/// Width, format and mode of every form of an operation. Conversions take integers of 8, 16, 32 and 64 bits.
fn shapes(opcode: Opcode) -> Vec<(u8, Format, Mode)> {
    let forms: Vec<(u8, Format)> = match opcode.conversion() {
        Some(conversion) => [8, 16, 32, 64].map(|width| (width, conversion.format())).to_vec(),
        None => FORMATS.map(|format| (format.n(), format)).to_vec(),
    };
    // Modes that a conversion tells apart: nothing that it gives is flushed, and no integer.
    let matters = |mode: &Mode| match opcode.conversion() {
        Some(Conversion::ToInteger(_)) => !mode.flush_results,
        Some(Conversion::FromInteger(_)) => !mode.flush_results && !mode.flush_operands,
        None => true,
    };
    let modes: Vec<Mode> = Mode::all().filter(matters).collect();
    forms.iter().flat_map(|&(width, format)| modes.iter().map(move |&mode| (width, format, mode))).collect()
}

/// Every floating-point operation of the design, in every format that its rows have room for and in every mode,
/// `rounds` times, conversions a third of that.
///
/// # Errors
/// The first failure; an operation that does not fit.
pub fn every_mode<E: Engine>(bench: &mut Bench<E>, rounds: usize) -> Result<Met> {
    every_mode_of(bench, rounds, |_| true, |_| true)
}

/// The same of the operations and the modes that are chosen.
///
/// # Errors
/// The first failure; an operation that does not fit.
pub fn every_mode_of<E: Engine>(
    bench: &mut Bench<E>,
    rounds: usize,
    which: impl Fn(&Operation) -> bool,
    modes: impl Fn(Mode) -> bool,
) -> Result<Met> {
    let params = bench.params().clone();
    let mut met = Met::new();
    for opcode in params.opcodes().into_iter().filter(|opcode| opcode.is_float()) {
        let operation = bench.operation(opcode, params.sets[0]);
        if !which(&operation) {
            continue;
        }
        let legal = |(width, ..): &(u8, Format, Mode)| operation.check_width(*width).is_ok();
        for (width, format, mode) in shapes(opcode).into_iter().filter(legal).filter(|shape| modes(shape.2)) {
            let mut command = Command { set: params.sets[0], key: mode.key(), ..Command::new(opcode, width) };
            command.second = format.m();
            Case::place(&operation, &mut command, 1);
            command.check(&params).map_err(|error| Failure::Wrong(error.to_string()))?;
            let (n, m) = (width.into(), format.m().into());
            // There are many conversions: one for each format, direction and sign, at four widths.
            let converts = opcode.conversion().is_some() || opcode.source_format().is_some();
            let rounds = if converts { rounds.div_ceil(3) } else { rounds };
            let given = opcode.source_format().unwrap_or(format);
            for _ in 0..rounds {
                let mut inputs = || bench.stimulus.inputs(opcode, n, m, command.key);
                let case = Case { command, inputs: (0..params.columns).map(|_| inputs()).collect() };
                for (input, output) in case.inputs.iter().zip(case.expected()) {
                    // Integers are no numbers of the format, nor is what is unpacked.
                    let numbers = !matches!(opcode.conversion(), Some(Conversion::FromInteger(_)));
                    let numbers = numbers && !matches!(opcode, Opcode::FSum | Opcode::FPack);
                    for operand in [input.a, input.b, input.e].into_iter().filter(|_| numbers) {
                        met.entry((given.name, Class::of(operand, given))).or_default().0 += 1;
                    }
                    let number = !matches!(opcode.conversion(), Some(Conversion::ToInteger(_)));
                    if let Some((bits, _)) = output.d.filter(|&(_, rows)| number && rows == format.bits()) {
                        met.entry((format.name, Class::of(bits as u64, format))).or_default().1 += 1;
                    }
                }
                one(bench, &operation, case)?;
            }
        }
    }
    Ok(met)
}

/// Every number of a format as the operand of an operation with one, in a mode.
///
/// # Errors
/// The first failure; an operation that does not fit.
pub fn every_number<E: Engine>(bench: &mut Bench<E>, opcode: Opcode, format: Format, mode: Mode) -> Result {
    let params = bench.params().clone();
    let set = params.sets[0];
    let operation = bench.operation(opcode, set);
    let mut command = Command { set, key: mode.key(), ..Command::new(opcode, format.n()) };
    command.second = format.m();
    Case::place(&operation, &mut command, 1);
    command.check(&params).map_err(|error| Failure::Wrong(error.to_string()))?;
    for first in (0..1u64 << format.bits()).step_by(params.columns) {
        let inputs = (0..params.columns as u64).map(|column| Inputs { a: first + column, ..Inputs::default() });
        one(bench, &operation, Case { command, inputs: inputs.collect() })?;
    }
    Ok(())
}

/// Fused sums that cancel down to the product's last bit, in every set and format: (1 + u)² less 1 + 2u is u², which
/// goes up by more than a number has bits. Random operands hardly ever are such, and what is no number asks for no
/// shift.
///
/// # Errors
/// The first failure; an operation that does not fit.
pub fn cancelling<E: Engine>(bench: &mut Bench<E>) -> Result {
    let params = bench.params().clone();
    for &set in params.sets.iter().filter(|_| params.float) {
        let operation = bench.operation(Opcode::FFma, set);
        for format in operation.own_formats() {
            let mut command = Command { set, second: format.m(), ..Command::new(Opcode::FFma, format.n()) };
            Case::place(&operation, &mut command, 1);
            command.check(&params).map_err(|error| Failure::Wrong(error.to_string()))?;
            let bias = (1u64 << (format.exponent - 1)) - 1;
            let number = |minus: bool, exponent: u64, fraction: u64| {
                (u64::from(minus) << format.exponent | exponent) << format.fraction | fraction
            };
            let inputs = (0..params.columns as u64).map(|column| {
                let (minus, up) = (column & 1 == 1, column >> 1 & 1);
                let [a, b] = [number(minus, bias, 1), number(false, bias + up, 1)];
                Inputs { a, b, e: number(!minus, bias + up, 2), ..Inputs::default() }
            });
            one(bench, &operation, Case { command, inputs: inputs.collect() })?;
        }
    }
    Ok(())
}
