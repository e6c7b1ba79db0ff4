//! The papers' formulas and the project's targets, by operation.

use crate::isa::format::{F32, Format};
use crate::isa::operation::Context;
use crate::isa::{Opcode, Set};

/// Cycles in the papers: Duality Cache (ISCA 2019), Table 1, with Neural Cache and Compute Caches behind it, whatever
/// the sensing mode and memory.
pub fn paper(opcode: Opcode, n: u64) -> Option<u64> {
    use Opcode as O;
    match opcode {
        O::Copy | O::Not | O::And | O::Or | O::Xor | O::Nand | O::Nor | O::Xnor | O::Eq | O::Add => Some(n),
        O::Sub => Some(2 * n),
        O::MulU => Some(n * n + 3 * n - 2),
        O::MulS => Some(n * n + 5 * n),
        O::DivU | O::RemU | O::DivRemU => Some((3 * n * n + 11 * n) / 2),
        O::DivS | O::RemS | O::DivRemS => Some((3 * n * n + 19 * n) / 2),
        O::Shl | O::Shr | O::Sar => Some(n * n),
        O::Search => Some(2),
        // k = 17 steps.
        O::CordicSinCos => Some((7 * 17 + 1) * (n + 1)).filter(|_| n > 16),
        O::CordicExp => Some(4 * 17 * (n + 1) + 2).filter(|_| n > 16),
        O::CordicLog | O::CordicSqrt => Some(4 * 17 * (n + 1)).filter(|_| n > 16),
        _ => None,
    }
}

/// Cycles to reach with the fast set. The other sets have none: `baseline` is the papers' algorithms, `skip` depends on
/// data.
pub fn target(opcode: Opcode, n: u64, cx: Context) -> Option<u64> {
    use Opcode as O;
    if cx.set != Set::Fast {
        return None;
    }
    let (two_port, block_ram) = (cx.two_port(), !cx.multi_row());
    let by_sensing = |and_nor, two_port_cycles| Some(if two_port { two_port_cycles } else { and_nor });
    // Division without multi-row search.
    let search = if block_ram { n } else { 0 };
    let stages = u64::from(n.next_power_of_two().ilog2());
    if cx.radix_4() {
        // Two multiplier rows a pass.
        match opcode {
            O::MulU | O::MulS => return Some(n * n.div_ceil(2) + 3),
            O::MulLow => return Some((n * n).div_ceil(4) + n),
            _ => {}
        }
    }
    match opcode {
        O::Copy | O::Zero | O::Set | O::Not | O::And | O::Or | O::Xor | O::Nand | O::Nor | O::Xnor => Some(n),
        O::Eq | O::Ne | O::Add => Some(n),
        O::Sub => by_sensing(3 * n / 2, n),
        O::LtU | O::LtS | O::LeU | O::LeS | O::GtU | O::GtS | O::GeU | O::GeS => by_sensing(2 * n, n),
        O::MinU | O::MinS | O::MaxU | O::MaxS => by_sensing(2 * n, n),
        O::Abs => by_sensing(n + 1, n),
        O::MulU => by_sensing(n * n + 1, n * n + 2),
        O::MulS => by_sensing(n * n + n, n * n + 2),
        O::MulLow => by_sensing((n * n + n + 2) / 2, (n * (n + 3)) / 2 - 1),
        O::DivU | O::RemU | O::DivRemU => by_sensing(n * n + 3 * n - 1 + search, (n * n + 5 * n) / 2 + 1 + search),
        O::DivS | O::RemS | O::DivRemS => by_sensing(n * n + 6 * n + 4 + search, (n * n + 11 * n) / 2 + 4 + search),
        O::Popcount => Some(3 * n / 2),
        O::Shl | O::Shr | O::Sar => by_sensing(n * stages + 2, n * stages + 1),
        O::CordicSinCos if n == 32 && two_port => Some(1481),
        O::CordicExp if n == 32 && two_port => Some(935),
        O::CordicLog if n == 32 && two_port => Some(1057),
        O::Search if block_ram => by_sensing(n, n.div_ceil(2)),
        O::Search => Some(2),
        _ => None,
    }
}

/// The same of binary32 to nearest with subnormal numbers flushed: what trials of such columns took in the worst case,
/// on memory of registers; and what the micro-program takes, where that is more. `DESIGN.md` says for each of these
/// where its cycles go, and what a program of these columns takes at least.
pub fn flushed_target(opcode: Opcode, format: Format, cx: Context) -> Option<(u64, Option<u64>)> {
    use Opcode as O;
    if cx.set != Set::Fast || format != F32 || cx.exception_flags {
        return None;
    }
    match (opcode, cx.two_port(), cx.radix_4()) {
        (O::FAdd | O::FSub, true, true) => Some((228, None)),
        (O::FMul, true, true) => Some((335, Some(367))),
        (O::FDiv, true, true) => Some((673, None)),
        (O::FSqrt, true, true) => Some((386, None)),
        (O::FAdd | O::FSub, true, false) => Some((328, Some(373))),
        (O::FAdd | O::FSub, false, _) => Some((398, Some(509))),
        (O::FMul, false, _) => Some((617, Some(683))),
        _ => None,
    }
}
