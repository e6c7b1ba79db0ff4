//! The cycle table: every operation, run on a machine, beside its formulas and targets.
//!
//! Every operation runs twice on random operands and is checked against the arithmetic model. In the first run a column
//! holds all ones in every operand, and others floating-point numbers that ask for all that can be skipped: no
//! multiplier row is zero in every column, no dividend or multiplicand is short, every stage of a shift moves a column.
//! The larger count is reported, which for the `skip` set is its worst case, and for floating-point operations of
//! `baseline`, on more columns, which have every difference of exponents and every number of zeros on top; else sets do
//! not depend on data. With [`Data`] of another kind there is one run, on many columns that hold it.
//!
//! Second widths: shifts by a register take amounts of ⌈log2 n⌉ bits, `dot` accumulates in 2n bits. `mul_const` has the
//! constant 2ⁿ − 1. CORDIC takes 17 steps, as many as in Duality Cache, Table 1, or n if that is less. Unsigned
//! `divrem` leaves its remainder in the dividend's rows, and `rem` too, where the set allows it. Floating-point
//! operations run in every format, or in those that have as many bits as asked for.
//!
//! Rows read and written and updates of latches are those of the run for which [`Energies`] estimates more.

mod data;
mod energy;
mod missing;
mod radices;
mod render;
mod summary;
mod targets;
#[cfg(test)]
mod tests;
mod verdict;

use serde::Serialize;

use crate::emit::cycles::usual_second;
use crate::error::{Error, Result};
use crate::isa::format::{FORMATS, Format, Mode};
use crate::isa::linear::ceil_log2;
use crate::isa::operation::{Context, Operation};
use crate::isa::row::Operand;
use crate::isa::{Command, Opcode, Set, custom};
use crate::machine::{Accesses, Engine, Machine, MachineRows, Timing};
use crate::params::{Columns, Latch, Memory, MemoryPort, Params, Sensing};
use crate::vectors::{Case, Stimulus};

pub use data::Data;
pub use energy::Energies;
use missing::missing;
pub use radices::{radices, radices_selection};
pub use render::{json, markdown};
pub use summary::{summary, summary_selections};
pub use verdict::Verdict;

/// Widths measured unless others are asked for; of floating point, every format.
pub const WIDTHS: [u8; 3] = [8, 16, 32];
/// The same for conversions: bits of the integers.
const INTEGERS: [u8; 4] = [8, 16, 32, 64];

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CycleRow {
    /// Operation.
    pub op: &'static str,
    /// Bits of an element; of conversions, of the integer.
    pub width: u8,
    /// Format of floating-point numbers; `None` for integers.
    pub format: Option<&'static str>,
    /// Two's complement.
    pub signed: bool,
    /// Sensing mode.
    pub sensing: Sensing,
    /// Memory kind.
    pub memory: Memory,
    /// Micro-program set.
    pub set: Set,
    /// 2, or 4 on columns that take two bits of a multiplier in a cycle.
    pub radix: u8,
    /// Numbers are rounded to nearest, and subnormal ones flushed; else these are kept.
    pub flushed: bool,
    /// Exceptions are reported.
    pub exception_flags: bool,
    /// Scratch rows beside the operands.
    pub scratch_rows: u16,
    /// Measured from first to last issue.
    pub rtl_cycles: u64,
    /// Measured from first issue to last write.
    pub latency_cycles: u64,
    /// Closed form of the micro-program, without stalls and branch latency.
    pub formula_cycles: u64,
    /// The papers' formula.
    pub paper_cycles: Option<u64>,
    /// What was to be reached.
    pub target_cycles: Option<u64>,
    /// Cycles of the closed form that are known to be above the target, for a reason that `DESIGN.md` has.
    #[serde(skip)]
    pub known_cycles: Option<u64>,
    /// Rows that the operation reads.
    pub rows_read: u64,
    /// Rows that it writes.
    pub rows_written: u64,
    /// Updates of latches in each column.
    pub latch_updates: u64,
    /// Estimate for an array of 256 columns, pJ.
    pub energy_pj: f64,
    /// Estimate for a bit of an element, pJ.
    pub energy_pj_per_bit: f64,
}

/// What to measure; empty lists mean everything.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Operations by name.
    pub ops: Vec<String>,
    /// Widths; 8, 16 and 32 if empty.
    pub widths: Vec<u8>,
    /// Sensing modes.
    pub sensing: Vec<Sensing>,
    /// Memories.
    pub memory: Vec<Memory>,
    /// Sets.
    pub sets: Vec<Set>,
    /// What columns hold.
    pub data: Data,
    /// Radices of the columns; with 4, operations have rows if their micro-programs differ from those of 2.
    pub radices: Vec<u8>,
    /// Floating point to nearest with subnormal numbers flushed; operations and formats have rows if they have
    /// micro-programs of their own for that.
    pub flushed: bool,
    /// Of designs whose floating-point operations report exceptions, and only such operations.
    pub exception_flags: bool,
}

fn wanted<T: PartialEq>(list: &[T], value: &T) -> bool {
    list.is_empty() || list.contains(value)
}

impl Selection {
    /// Opcodes in the order of the table: `fill`, `tag_load` and `tag_store`, which move single rows, come last.
    fn opcodes(&self) -> Result<Vec<Opcode>> {
        let last = [Opcode::Fill, Opcode::TagLoad, Opcode::TagStore];
        let streams = [Opcode::Load, Opcode::Store];
        let first = Opcode::ALL.iter().copied().filter(|o| !last.contains(o) && !streams.contains(o));
        let all: Vec<Opcode> = first.chain(last).chain(custom::registered()).collect();
        if let Some(op) = self.ops.iter().find(|op| all.iter().all(|o| o.name() != *op)) {
            let mut names: Vec<&str> = all.iter().map(|o| o.name()).collect();
            names.dedup();
            return Err(Error::parameter("op", op, format!("must be one of {}", names.join(" "))));
        }
        Ok(all.into_iter().filter(|o| self.ops.is_empty() || self.ops.iter().any(|op| op == o.name())).collect())
    }

    fn widths(&self) -> Result<Vec<u8>> {
        if let Some(width) = self.widths.iter().find(|w| !(1..=64).contains(*w)) {
            return Err(Error::parameter("width", width, "must be 1 to 64"));
        }
        Ok(if self.widths.is_empty() { WIDTHS.to_vec() } else { self.widths.clone() })
    }
}

/// Measures. Widths that an operation does not have are left out: `tag_load` and `tag_store` move one row and have
/// width 1 only. `progress` hears how many of all are done.
///
/// # Errors
/// [`Error::Parameter`] for a selection that does not exist, or an operation that has none of the widths;
/// [`Error::Tool`] for a result that is wrong.
pub fn measure(
    selection: &Selection,
    engine: Engine,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Vec<CycleRow>> {
    let (opcodes, widths) = (selection.opcodes()?, selection.widths()?);
    let mut jobs = Vec::new();
    for cx in Context::all() {
        let cx = Context { exception_flags: selection.exception_flags, ..cx };
        let chosen = wanted(&selection.sensing, &cx.sensing) && wanted(&selection.memory, &cx.memory);
        let chosen = chosen && (cx.two_port() || !cx.exception_flags);
        if chosen && wanted(&selection.sets, &cx.set) && wanted(&selection.radices, &cx.radix) {
            let array = array(cx, 8);
            for &opcode in opcodes.iter().filter(|&&opcode| array.knows(opcode)) {
                let operation = Operation::of(opcode, cx);
                // Only programs of that mode choose among eight rows, or gather.
                let of_radix = if selection.flushed { operation.uses_radix_4() } else { operation.takes_two_bits() };
                if cx.radix_4() && !of_radix || selection.flushed && operation.flushed.is_none() {
                    continue;
                }
                if cx.exception_flags && !operation.reports() {
                    continue;
                }
                if let Some(conversion) = opcode.conversion() {
                    let chosen = if selection.widths.is_empty() { &INTEGERS[..] } else { &widths };
                    jobs.extend(chosen.iter().map(|&width| (cx, opcode, width, Some(conversion.format()))));
                } else if opcode.is_float() {
                    let asked = |format: &Format| {
                        selection.widths.is_empty() || widths.iter().any(|&width| u32::from(width) == format.bits())
                    };
                    let own = |format: &Format| !selection.flushed || operation.has_flushed(format.n());
                    let formats = FORMATS.into_iter().filter(asked).filter(own);
                    jobs.extend(formats.map(|format| (cx, opcode, format.n(), Some(format))));
                } else {
                    jobs.extend(widths.iter().map(|&width| (cx, opcode, width, None)));
                }
            }
        }
    }
    let total = jobs.len() as u64;
    let energies = Energies::read()?;
    let mut machine: Option<(Columns, Memory, usize, Box<dyn Machine>)> = None;
    let mut rows = Vec::new();
    for (done, (cx, opcode, width, format)) in jobs.into_iter().enumerate() {
        let columns = selection.data.columns(cx, opcode);
        let same = machine.as_ref().is_some_and(|(c, m, had, _)| (*c, *m, *had) == (cx.columns(), cx.memory, columns));
        if !same {
            machine = Some((cx.columns(), cx.memory, columns, engine.machine(&array(cx, columns), seed)?));
        }
        let Some((_, _, _, machine)) = &mut machine else { unreachable!("it was made above") };
        rows.extend(one(
            machine.as_mut(),
            cx,
            opcode,
            (width, format),
            (selection.data, selection.flushed, seed),
            &energies,
        )?);
        progress(done as u64 + 1, total);
    }
    if let Some(op) = selection.ops.iter().find(|op| rows.iter().all(|row| row.op != **op)) {
        return Err(missing(selection, op)?);
    }
    if rows.is_empty() && selection.flushed {
        let rule = "no operation of the modes and sets selected has micro-programs of its own for that mode";
        return Err(Error::parameter("flushed", true, rule));
    }
    if rows.is_empty() {
        let value = format!("{:?}", selection.widths()?);
        return Err(Error::parameter("width", value, "must be a width of an operation in the modes and sets selected"));
    }
    Ok(rows)
}

/// The measured array: as few columns as there are, rows for the largest operation.
fn array(cx: Context, columns: usize) -> Params {
    let sensing = cx.sensing;
    let library = Params {
        name: "cycles".into(),
        rows: 1024,
        columns,
        sensing,
        memory: cx.memory,
        latches: Latch::of(sensing),
        sets: Set::ALL.to_vec(),
        command_fifo: 4,
        memory_port: MemoryPort::None,
        float: true,
        radix: cx.radix,
        custom: Vec::new(),
        exception_flags: cx.exception_flags,
        unpacked: true,
    };
    let with = |opcode| Params { custom: vec![opcode], ..library.clone() };
    let custom = custom::registered().into_iter().filter(|&opcode| with(opcode).check().is_ok()).collect();
    Params { custom, ..library }
}

/// Whether some design with these columns has the operation.
fn known(opcode: Opcode, cx: Context) -> bool {
    array(cx, 8).knows(opcode)
}

fn one(
    machine: &mut dyn Machine,
    cx: Context,
    opcode: Opcode,
    (width, format): (u8, Option<Format>),
    (data, flushed, seed): (Data, bool, u64),
    energies: &Energies,
) -> Result<Option<CycleRow>> {
    let operation = Operation::of(opcode, cx);
    if operation.check_width(width).is_err() {
        return Ok(None);
    }
    let n = i32::from(width);
    let second = match opcode {
        Opcode::DotU | Opcode::DotS => 2 * n,
        _ if format.is_some() => operation.seconds(width).map_or(0, |(second, _)| second),
        // As many steps as in Duality Cache, Table 1.
        _ if opcode.is_cordic() => n.min(17),
        _ if opcode.is_custom() => usual_second(&operation, width).into(),
        _ if operation.second.is_some() => ceil_log2(n).max(1),
        _ => 0,
    };
    let mut command = Command { set: cx.set, second: second as u8, ..Command::new(opcode, width) };
    Case::place(&operation, &mut command, 0);
    let shared = match opcode {
        Opcode::DivRemU => Command { e: command.a, ..command },
        Opcode::RemU => Command { d: command.a, ..command },
        _ => command,
    };
    if shared.check(machine.params()).is_ok() {
        command = shared;
    }
    let mut stimulus = Stimulus::new(seed ^ opcode.code() << 8 ^ u64::from(width));
    command.key = match opcode {
        Opcode::MulConst => u64::MAX,
        _ if flushed => Mode::FLUSHED.key(),
        // Subnormal operands are kept: flushed ones ask for nothing.
        _ if opcode.is_float() => stimulus.value(64) & !1,
        _ => stimulus.value(64),
    };
    let mut timing = Timing::default();
    let (mut accesses, mut energy) = (Accesses::default(), 0.0);
    let runs: &[bool] = if data == Data::Worst { &[true, false] } else { &[false] };
    for &full in runs {
        let measured = run(machine, &operation, command, &mut stimulus, (full, data, format), seed)?;
        timing.rtl_cycles = timing.rtl_cycles.max(measured.rtl_cycles);
        timing.latency_cycles = timing.latency_cycles.max(measured.latency_cycles);
        let counted = machine.accesses().expect("an engine counts them");
        if energies.estimate(&counted) > energy {
            (accesses, energy) = (counted, energies.estimate(&counted));
        }
    }
    let (target_cycles, known_cycles) = match format.filter(|_| flushed) {
        Some(format) => {
            let goal = targets::flushed_target(opcode, format, cx);
            (goal.map(|goal| goal.0), goal.and_then(|goal| goal.1))
        }
        None => (targets::target(opcode, n as u64, cx), None),
    };
    let width = format.filter(|_| operation.formats).map_or(width, |format| format.bits() as u8);
    Ok(Some(CycleRow {
        op: opcode.name(),
        width,
        format: format.map(|format| format.name),
        signed: opcode.signed(),
        sensing: cx.sensing,
        memory: cx.memory,
        set: cx.set,
        radix: cx.radix,
        flushed,
        exception_flags: cx.exception_flags,
        scratch_rows: operation.extent_of(Operand::S).map_or(0, |e| e.rows.value(n, second).max(0) as u16),
        rtl_cycles: timing.rtl_cycles,
        latency_cycles: timing.latency_cycles,
        formula_cycles: operation.cycles_with(n.into(), second.into(), command.key).max(0) as u64,
        paper_cycles: targets::paper(opcode, n as u64),
        target_cycles,
        known_cycles,
        rows_read: accesses.rows_read,
        rows_written: accesses.rows_written,
        latch_updates: accesses.latch_updates,
        energy_pj: energy,
        energy_pj_per_bit: energies.per_bit(energy, width),
    }))
}

/// One run on random operands; with `full`, column 0 holds ones everywhere, and others what else cannot be skipped.
fn run(
    machine: &mut dyn Machine,
    operation: &Operation,
    command: Command,
    stimulus: &mut Stimulus,
    (full, data, format): (bool, Data, Option<Format>),
    seed: u64,
) -> Result<Timing> {
    let (n, m) = (command.width.into(), command.second.into());
    let columns = machine.params().columns;
    let numbers = format.filter(|_| operation.formats);
    let mut inputs: Vec<_> =
        (0..columns).map(|_| data.inputs(stimulus, numbers, command.opcode, (n, m), command.key)).collect();
    if full {
        let ones = |bits: i32| u64::MAX.checked_shr((64 - bits.clamp(0, 64)) as u32).unwrap_or(0);
        let rows = |operand| operation.extent_of(operand).map_or(0, |e| e.rows.value(n as i32, m as i32));
        inputs[0].a = ones(rows(Operand::A));
        inputs[0].b = ones(rows(Operand::B));
        inputs[1..].iter_mut().zip(numbers.map(data::awkward).into_iter().flatten()).for_each(|(at, one)| *at = one);
        // Where there are columns for it, what has to be searched for is there, all of it.
        let (searched, from) = (numbers.map(data::every_shift).into_iter().flatten(), inputs.len().min(8));
        inputs[from..].iter_mut().zip(searched).for_each(|(at, one)| *at = one);
    }
    let tags = machine.tags();
    for (column, input) in inputs.iter_mut().enumerate() {
        input.tag = tags[column / 64] >> (column % 64) & 1 == 1;
    }
    let case = Case { command, inputs };
    case.load(operation, &mut MachineRows(machine));
    let timing = machine.execute(command)?;
    let tags = machine.tags();
    case.compare(&MachineRows(machine), &tags)
        .map_err(|reason| Error::Tool { tool: format!("cycle measurement, seed {seed}"), reason })?;
    Ok(timing)
}
