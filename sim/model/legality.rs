//! The legality of commands: which rows a command of the compute array reads, writes and uses as scratch, in plain
//! integers, and from these whether it may run.
//!
//! Written from what the operations mean and from `doc/operations.md`. Encoder, setup ROM and test campaigns all read
//! the table of `isa::operation`; this file does not, so that a wrong rule in the table is seen. Its principle is that
//! a row may be written only when nobody needs any longer what it held:
//!
//! * Operands that are only read may share rows in any way ([`Sharing::Free`]).
//! * An operation that goes over its operands once reads a row no later than it writes the result's row of the same
//!   number: the two may be one row ([`Sharing::SameStart`]). At other distances, rows on one side would be written
//!   before they are read. None is allowed, for which side that is depends on the micro-program.
//! * An operation that comes back to an operand after it has begun to write needs that operand for itself
//!   ([`Sharing::Never`]).
//! * A result of one row that is written in the last step may be anywhere ([`Sharing::Free`]).

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::params::{Latch, Params};

mod custom;
mod float;
mod kinds;
mod scratch;
use float::*;
use kinds::*;
use scratch::scratch;

/// What becomes of the rows of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Read; they keep what they hold.
    Read,
    /// Written.
    Written,
    /// Read, then written.
    Updated,
    /// Written with what nobody may rely on.
    Scratch,
}

impl Use {
    /// Whether the operation needs what the rows hold before it.
    pub fn reads(self) -> bool {
        matches!(self, Use::Read | Use::Updated)
    }

    /// Whether the rows change.
    pub fn changes(self) -> bool {
        self != Use::Read
    }
}

/// The rows of one operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The operand's name: a, b, d, e or s.
    pub operand: char,
    /// Its rows, which need not exist.
    pub rows: Range<u32>,
    /// What becomes of them.
    pub used: Use,
}

impl Region {
    /// The rows one by one.
    pub fn set(&self) -> BTreeSet<u32> {
        self.rows.clone().collect()
    }
}

/// How two operands may share rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Any rows.
    Free,
    /// Rows of the same number: both start at one row.
    SameStart,
    /// None.
    Never,
}

/// Rows of a and of b that the operation reads, for widths n and m.
fn sources(op: Opcode, n: u32, m: u32) -> (u32, u32) {
    use Opcode as O;
    match op {
        O::Load | O::Zero | O::Set | O::TagStore => (0, 0),
        O::Fill | O::TagLoad => (1, 0),
        O::Store | O::Copy | O::Not | O::Neg | O::Abs | O::MulConst | O::Popcount | O::Clz | O::Search => (n, 0),
        O::Shl | O::Shr | O::Sar | O::Rotl | O::Rotr => (n, m),
        O::And | O::Or | O::Xor | O::Nand | O::Nor | O::Xnor | O::Select | O::Add | O::AddCarry | O::Sub => (n, n),
        O::Eq | O::Ne | O::LtU | O::LtS | O::LeU | O::LeS | O::GtU | O::GtS | O::GeU | O::GeS => (n, n),
        O::MinU | O::MinS | O::MaxU | O::MaxS | O::MulU | O::MulS | O::MulLow | O::DotU | O::DotS => (n, n),
        O::DivU | O::DivS | O::RemU | O::RemS | O::DivRemU | O::DivRemS => (n, n),
        O::FAdd | O::FSub | O::FMul | O::FFma | O::FDiv | O::FCopySign => (number(n, m), number(n, m)),
        O::FEq | O::FLt | O::FLe | O::FUnordered | O::FMin | O::FMax | O::FMinimum | O::FMaximum => {
            (number(n, m), number(n, m))
        }
        O::FNeg | O::FAbs | O::FClass | O::FRound | O::FSqrt | O::FRcp | O::FRsqrt => (number(n, m), 0),
        O::FUnpack => (number(n, m), 0),
        O::FSum => (unpacked(n, m), unpacked(n, m)),
        O::FPack => (unpacked(n, m), 0),
        _ if is_function(op) => (number(n, m), 0),
        O::CordicSinCos | O::CordicExp | O::CordicLog | O::CordicSqrt => (n, 0),
        O::CordicAtan => (n, n),
        _ => (to_integer(op).or(from_format(op)).map_or(n, |(fraction, exponent)| 1 + exponent + fraction), 0),
    }
}

/// Rows of d that the operation writes: as many as the result has bits.
fn results(op: Opcode, n: u32, m: u32) -> u32 {
    use Opcode as O;
    match op {
        O::Store | O::TagLoad | O::Search => 0,
        O::TagStore | O::Eq | O::Ne | O::LtU | O::LtS | O::LeU | O::LeS | O::GtU | O::GtS | O::GeU | O::GeS => 1,
        O::Load | O::Copy | O::Zero | O::Set | O::Not | O::Fill | O::Select | O::Add | O::Sub | O::Neg | O::Abs => n,
        O::And | O::Or | O::Xor | O::Nand | O::Nor | O::Xnor | O::MinU | O::MinS | O::MaxU | O::MaxS => n,
        O::DivU | O::DivS | O::RemU | O::RemS | O::DivRemU | O::DivRemS | O::MulLow => n,
        O::Shl | O::Shr | O::Sar | O::Rotl | O::Rotr => n,
        O::AddCarry => n + 1,
        O::MulU | O::MulS | O::MulConst => 2 * n,
        // A count lies between 0 and n.
        O::Popcount | O::Clz => log2(n) + 1,
        O::DotU | O::DotS => m,
        O::FAdd | O::FSub | O::FMul | O::FDiv | O::FSqrt | O::FNeg | O::FAbs | O::FCopySign | O::FRound => number(n, m),
        O::FFma | O::FMin | O::FMax | O::FMinimum | O::FMaximum | O::FRcp | O::FRsqrt => number(n, m),
        O::CordicSinCos | O::CordicExp | O::CordicLog | O::CordicAtan | O::CordicSqrt => n,
        _ if is_function(op) => number(n, m),
        O::FEq | O::FLt | O::FLe | O::FUnordered => 1,
        O::FClass => 10,
        O::FUnpack | O::FSum => unpacked(n, m),
        O::FPack => number(n, m),
        _ if from_format(op).is_some() => number(n, m),
        _ => from_integer(op).map_or(n, |(fraction, exponent)| 1 + exponent + fraction),
    }
}

/// The rows of every operand that the command has; none of an operand without rows.
pub fn regions(command: &Command, params: &Params) -> Vec<Region> {
    let (op, n, m) = (command.opcode, command.width.into(), command.second.into());
    if op.is_custom() {
        return custom::regions(command, params);
    }
    let (a, b) = sources(op, n, m);
    let written = if is_dot(op) { Use::Updated } else { Use::Written };
    let third = if op == Opcode::FFma { number(n, m) } else { u32::from(op == Opcode::Select) };
    let second = matches!(op, Opcode::DivRemU | Opcode::DivRemS | Opcode::CordicSinCos | Opcode::CordicAtan);
    let remainder = if second { n } else { 0 };
    let all = [
        ('a', command.a, a, Use::Read),
        ('b', command.b, b, Use::Read),
        ('d', command.d, results(op, n, m), written),
        ('e', command.e, third, Use::Read),
        ('e', command.e, remainder, Use::Written),
        ('s', command.s, scratch(command, params), Use::Scratch),
    ];
    let some = all.into_iter().filter(|&(_, _, count, _)| count > 0);
    let region = |(operand, first, count, used)| {
        let first = u32::from(first);
        Region { operand, rows: first..first + count, used }
    };
    some.map(region).collect()
}

/// Rows of the regions of which `wanted` holds.
pub fn rows(regions: &[Region], wanted: impl Fn(Use) -> bool) -> BTreeSet<u32> {
    regions.iter().filter(|region| wanted(region.used)).flat_map(|region| region.rows.clone()).collect()
}

/// How two operands may share rows. The order of the two does not matter.
pub fn sharing(command: &Command, params: &Params, one: &Region, other: &Region) -> Sharing {
    if !one.used.changes() && !other.used.changes() {
        return Sharing::Free;
    }
    if command.opcode.is_custom() {
        return custom::sharing(command, params, one, other);
    }
    let (op, set) = (command.opcode, command.set);
    let pair = if one.operand < other.operand { (one.operand, other.operand) } else { (other.operand, one.operand) };
    let once_over = is_two_row_logic(op)
        || is_choice(op)
        || matches!(op, Opcode::Copy | Opcode::Not | Opcode::Fill | Opcode::Select | Opcode::Add | Opcode::AddCarry)
        || matches!(op, Opcode::Sub | Opcode::Neg | Opcode::Abs);
    let keeps_to_window = is_unsigned_division(op) && set != Set::Baseline && !(two_port(params) && set == Set::Skip);
    match pair {
        // The comparison is known when all rows have been read.
        ('a' | 'b', 'd') if is_equality(op) || is_order(op) || is_float_order(op) => Sharing::Free,
        // T has taken the tag row before anything is written.
        ('d', 'e') if op == Opcode::Select => Sharing::Free,
        // Differences by overlapping pairs of rows: two rows of b are read after the first row of d is written.
        ('b', 'd') if op == Opcode::Sub && set != Set::Baseline && !two_port(params) => Sharing::Never,
        // The larger operand goes to d row by row, and nothing is read from a and b behind it.
        ('a' | 'b', 'd') if is_float_sum(op) || op == Opcode::FSum => Sharing::SameStart,
        // Rows are chosen, or copied, in one pass at the end.
        ('a' | 'b', 'd') if is_float_choice(op) || is_float_sign(op) => Sharing::SameStart,
        ('a' | 'b', 'd') if once_over => Sharing::SameStart,
        // The complement of b may take b's rows; the sum of it and a may take the complement's.
        ('b' | 'd', 's') if op == Opcode::Sub => Sharing::SameStart,
        // The first stage of a shift goes over a once; later ones work on d alone.
        ('a', 'd') if is_shift(op) => Sharing::SameStart,
        // The window takes one row of the dividend a step, from the top, and that row is the window's lowest.
        ('a', 'd') if op == Opcode::RemU && keeps_to_window => Sharing::SameStart,
        ('a', 'e') if op == Opcode::DivRemU && keeps_to_window => Sharing::SameStart,
        _ => Sharing::Never,
    }
}

/// Whether two operands share rows as they must not.
pub fn collides(command: &Command, params: &Params, one: &Region, other: &Region) -> bool {
    match sharing(command, params, one, other) {
        Sharing::Free => false,
        Sharing::SameStart if one.rows.start == other.rows.start => false,
        Sharing::SameStart | Sharing::Never => !one.set().is_disjoint(&other.set()),
    }
}

/// Widths that the operation takes, powers of two alone if the second part says so.
pub fn widths(command: &Command, params: &Params) -> (RangeInclusive<u32>, bool) {
    let op = command.opcode;
    if op.is_custom() {
        return custom::widths(command, params);
    }
    let range = match op {
        Opcode::TagLoad | Opcode::TagStore => 1..=1,
        // One bit has nowhere to go.
        Opcode::Shl | Opcode::Shr | Opcode::Sar => 2..=64,
        // The accumulator has at least 2n bits, at most 127.
        Opcode::DotU | Opcode::DotS => 1..=63,
        _ if is_function(op) => 10..=26,
        // Formats of which an unpacked number is an element of a stream.
        _ if op.is_unpacked() => 10..=26,
        _ if has_format(op) => 5..=55,
        _ if is_conversion(op) => 8..=64,
        // Constants are rounded for these widths.
        _ if op.is_cordic() => 16..=32,
        // Steps that may be skipped begin behind the first ones.
        _ if is_unsigned_division(op) && command.set == Set::Skip => (if two_port(params) { 4 } else { 3 })..=64,
        _ => 1..=64,
    };
    (range, is_rotation(op) || is_conversion(op) || op.is_cordic() || matches!(op, Opcode::Popcount | Opcode::Clz))
}

/// Second widths that the operation takes; `None` if it has none.
pub fn seconds(command: &Command, params: &Params) -> Option<RangeInclusive<u32>> {
    let op = command.opcode;
    if op.is_custom() {
        return custom::seconds(command, params);
    }
    if has_format(op) {
        return exponent(command.width.into()).map(|exponent| exponent..=exponent);
    }
    // Shifts are less than the width; of hyperbolic steps one and more come twice, all before the last one.
    if op.is_cordic() {
        let circular = matches!(op, Opcode::CordicSinCos | Opcode::CordicAtan);
        let n = u32::from(command.width);
        return Some(if circular { 4..=n } else { 16..=n + 1 });
    }
    if is_shift(op) || is_rotation(op) { Some(1..=64) } else { is_dot(op).then(|| 2 * u32::from(command.width)..=127) }
}

/// Latches besides C and T that the operation needs.
pub fn latches(command: &Command, params: &Params) -> Vec<Latch> {
    let (op, set) = (command.opcode, command.set);
    if op.is_custom() {
        return custom::latches(command, params);
    }
    // Two multiplier bits a pass need a latch beside T for the second one. Sets that take one bit a pass need T alone;
    // where a set has no program for an operation, the fast one runs.
    let two_bits_a_pass = match op {
        Opcode::MulU => set == Set::Fast,
        Opcode::MulS => !two_port(params) || set != Set::Baseline,
        Opcode::MulLow => true,
        _ => false,
    };
    // With radix 4 the second one is there in every cycle, in P. A low half leaves nothing in a latch from pass to
    // pass.
    let two_bits_a_cycle = params.radix == 4 && (two_bits_a_pass || is_dot(op));
    let holds = !(params.radix == 4 && op == Opcode::MulLow);
    // Infinite results keep their fraction, negative remainders take the divisor: which columns do is known by a latch.
    let holds_columns = is_float_sum(op)
        || is_function(op)
        || matches!(op, Opcode::FMul | Opcode::FFma | Opcode::FDiv | Opcode::FSqrt | Opcode::FRcp | Opcode::FRsqrt)
        || matches!(op, Opcode::FUnpack | Opcode::FPack)
        || op == Opcode::FSum && two_port(params)
        || from_format(op).is_some();
    let mut latches = Vec::new();
    if two_port(params) {
        if is_choice(op) || two_bits_a_pass && holds || is_dot(op) || is_float(op) && !is_float_sign(op) {
            latches.push(Latch::Hold);
        }
        if holds_columns
            || is_signed_division(op)
            || two_bits_a_cycle
            || is_unsigned_division(op) && set != Set::Baseline
        {
            latches.push(Latch::Predicate);
        }
    } else {
        // AND and OR of two rows do not tell which of them held the 1: who must know reads one row first and holds it.
        let tells_rows_apart = op == Opcode::Select
            || op == Opcode::Sub && set != Set::Baseline
            || is_order(op)
            || is_choice(op)
            || is_shift(op)
            || is_rotation(op)
            || op == Opcode::Clz
            || is_unsigned_division(op) && set == Set::Skip
            || is_float(op) && !is_float_sign(op)
            || op.is_cordic();
        if tells_rows_apart || two_bits_a_pass || is_dot(op) {
            latches.push(Latch::Hold);
        }
        if is_choice(op) || two_bits_a_pass || op == Opcode::DotS || holds_columns {
            latches.push(Latch::Delay);
        }
    }
    latches
}

/// Every rule that the command breaks, in the order of the codes: legal commands break none. Which of several rules is
/// reported is not a matter of legality.
pub fn faults(command: &Command, params: &Params) -> Vec<ErrorCode> {
    let (widths, powers) = widths(command, params);
    let (n, m) = (u32::from(command.width), u32::from(command.second));
    let unknown = match command.opcode {
        op if op.is_custom() => !params.custom.contains(&op),
        op if op.is_unpacked() => !params.unpacked,
        op => op.needs_float() && !params.float,
    };
    let no_format = has_format(command.opcode) && exponent(n).is_none();
    let regions = regions(command, params);
    let pairs = || regions.iter().enumerate().flat_map(|(at, one)| regions[..at].iter().map(move |other| (one, other)));
    let broken = [
        (ErrorCode::Opcode, !params.sets.contains(&command.set) || unknown),
        (ErrorCode::Latch, latches(command, params).iter().any(|&latch| !params.has(latch))),
        (ErrorCode::Width, !widths.contains(&n) || powers && !n.is_power_of_two() || no_format),
        (ErrorCode::SecondWidth, seconds(command, params).is_some_and(|seconds| !seconds.contains(&m))),
        (ErrorCode::Rows, regions.iter().any(|region| region.rows.end as usize > params.rows)),
        (ErrorCode::Overlap, pairs().any(|(one, other)| collides(command, params, one, other))),
    ];
    broken.into_iter().filter(|&(_, broken)| broken).map(|(code, _)| code).collect()
}
