//! Cycles of every operation of a design: a contract with software, in manifest and documents, which the bench of the
//! target `verilator` holds the hardware to.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::vectors::cover::{Executed, Ran};
use bitline_model::arith::Inputs;
use bitline_model::compute_unit::ComputeUnit;
use bitline_model::vectors::{Case, Stimulus};
use bitline_units::array::isa::format::{FORMATS, Mode};
use bitline_units::array::isa::linear::{Linear, Term, ceil_log2};
use bitline_units::array::isa::operation::{Context, Operation};
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::params::Params;

/// Cycles of an operation: what software may count on. On other data an operation that skips takes other counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycles {
    /// Operation.
    pub op: String,
    /// Two's-complement operands, of an operation that exists with others, too.
    pub signed: bool,
    /// Micro-program set.
    pub set: Set,
    /// Width n.
    pub width: u8,
    /// Second width m; 0 where the operation has none.
    pub second: u8,
    /// Floating point to nearest with subnormal numbers flushed, by micro-programs for that alone; in other modes an
    /// operation takes what its other row says.
    #[serde(default)]
    pub flushed: bool,
    /// Rows that are issued, from the closed form; the worst case where they depend on the data.
    pub formula_cycles: i64,
    /// Cycles between the first and the last of them in which none is issued: a row that was just written is to be
    /// read, or a branch waits for the wired-OR. Measured on the cycle model; nothing where it depends on data or
    /// streams, or where the operands do not fit the rows.
    pub wait_cycles: Option<u64>,
    /// Cycles that the unit is busy with the command alone, as the register `cycles_low` counts them: setup, rows,
    /// waits, and the way to the rows. As `wait_cycles`.
    pub busy_cycles: Option<u64>,
}

/// Cycle counts at widths 8, 16 and 32, or in every format, of every operation of the design's sets that its latches
/// allow. A second width is the one of most use: twice n for accumulators, ⌈log2 n⌉ for shift amounts,
/// n steps of CORDIC.
pub fn cycles(params: &Params) -> Vec<Cycles> {
    // Several documents of a design ask, and thousands of commands are measured.
    static LAST: Mutex<Option<(Params, Vec<Cycles>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((known, table)) if known == params => table.clone(),
        _ => last.insert((params.clone(), count(params))).1.clone(),
    }
}

fn count(params: &Params) -> Vec<Cycles> {
    let narrow = Params { columns: 8, ..params.clone() };
    let mut unit = ComputeUnit::new(&narrow);
    let mut table = Vec::new();
    for &set in &params.sets {
        for opcode in params.opcodes() {
            let operation = Operation::of(opcode, Context::of(params, set));
            if operation.latches().iter().any(|&l| !params.has(l)) {
                continue;
            }
            let formats = FORMATS.map(|format| format.n());
            let widths = if operation.formats { formats.to_vec() } else { vec![8u8, 16, 32] };
            for width in widths.into_iter().filter(|n| (operation.widths.0..=operation.widths.1).contains(n)) {
                let second = usual_second(&operation, width);
                let flushes = operation.has_flushed(width);
                for flushed in [false, true].into_iter().filter(|flushed| flushes || !flushed) {
                    let key = if flushed { Mode::FLUSHED.key() } else { 0 };
                    let formula_cycles = operation.cycles_with(width.into(), second.into(), key);
                    let (op, signed) = (opcode.name().to_string(), is_twin(opcode));
                    let command = Command { set, second, key, ..Command::new(opcode, width) };
                    let measured = measure(&mut unit, &narrow, &operation, command);
                    let (wait_cycles, busy_cycles) = (measured.map(|ran| ran.waits), measured.map(|ran| ran.cycles));
                    let row =
                        Cycles { op, signed, set, width, second, flushed, formula_cycles, wait_cycles, busy_cycles };
                    table.push(row);
                }
            }
        }
    }
    table
}

/// Runs an operation, its operands one behind the other, on some inputs. Nothing if these decide what it takes.
fn measure(unit: &mut ComputeUnit, params: &Params, operation: &Operation, mut command: Command) -> Option<Ran> {
    Case::place(operation, &mut command, 0);
    if command.check(params).is_err() || matches!(command.opcode, Opcode::Load | Opcode::Store) {
        return None;
    }
    let (n, m, given) = (command.width.into(), command.second.into(), command.key);
    let runs = [1, 2, 3].map(|seed| {
        let mut stimulus = Stimulus::new(seed);
        // The mode that has micro-programs of its own is measured by itself.
        command.key = match given {
            0 if seed == 1 => 0,
            0 if command.opcode.is_float() => stimulus.value(64) & !1,
            0 => stimulus.value(64),
            mode => mode,
        };
        let mut one = || if seed == 1 { Inputs::default() } else { stimulus.inputs(command.opcode, n, m, command.key) };
        let case = Case { command, inputs: (0..params.columns).map(|_| one()).collect() };
        case.load(operation, &mut unit.array.sram);
        Executed::default().run(unit, command, None)
    });
    (runs[0] == runs[1] && runs[1] == runs[2]).then_some(runs[0])
}

/// Whether it is the signed one of two operations of this name. What has one form only is told by its name.
fn is_twin(opcode: Opcode) -> bool {
    opcode.signed() && Opcode::ALL.iter().any(|other| other.name() == opcode.name() && !other.signed())
}

/// A second width for an operation of width n that people would choose; 0 if it has none.
pub fn usual_second(operation: &Operation, n: u8) -> u8 {
    let n = i32::from(n);
    let between = |(low, high): (Linear, Linear)| {
        let depends = low.n != 0 || low.term != Term::None;
        let wanted = if depends { low.value(n, 0) } else { ceil_log2(n) };
        // At widths that are too large for the operation the lower bound is above the upper one.
        wanted.max(low.value(n, 0)).min(high.value(n, 0)).clamp(0, 127) as u8
    };
    if operation.formats {
        operation.seconds(n as u8).map_or(0, |(m, _)| m as u8)
    } else if operation.opcode.is_cordic() {
        // A bit of the result a step.
        n as u8
    } else {
        operation.second.map_or(0, between)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitline_units::array::isa::assemble::assemble;
    use bitline_units::array::isa::operation::{Condition, Variant};
    use bitline_units::array::presets::PRESETS;

    #[test]
    fn cycle_tables_are_what_the_micro_programs_take() {
        for preset in &PRESETS {
            let params = preset.params();
            let table = cycles(&params);
            for set in &params.sets {
                assert!(table.iter().any(|c| c.set == *set && c.op == "mul" && c.width == 32), "{}", preset.name);
            }
            let twin = |op: &str, signed| table.iter().any(|c| c.op == op && c.signed == signed);
            assert!(twin("lt", true) && twin("lt", false) && twin("neg", false) && !twin("neg", true));
            for row in &table {
                let opcode = Opcode::ALL.iter().find(|&&o| o.name() == row.op && is_twin(o) == row.signed).unwrap();
                let context = Context::of(&params, row.set);
                let operation = Operation::of(*opcode, context);
                let (n, m) = (i32::from(row.width), i32::from(row.second));
                let applies = |v: &&Variant| {
                    v.when.iter().all(|&c| match c {
                        Condition::Zero(l) => l.value(n, m) == 0,
                        Condition::AtLeastZero(l) => l.value(n, m) >= 0,
                        Condition::Even(l) => l.value(n, m) % 2 == 0,
                        Condition::Same(..) => true,
                        Condition::Mode(_) => row.flushed,
                    })
                };
                let variant = operation.variants.iter().find(applies).unwrap();
                let counted = assemble(&variant.program, context).cycles(n as u32, m as u32, n as u32);
                assert_eq!(row.formula_cycles, counted as i64, "{}: {row:?}", preset.name);
                // Setup, and the way from the first row to the last write.
                let Some((waits, busy)) = row.wait_cycles.zip(row.busy_cycles) else { continue };
                let around = busy as i64 - waits as i64 - row.formula_cycles;
                assert!((10..140).contains(&around), "{}: {row:?}", preset.name);
            }
        }
    }
}
