//! Registers: what identifies the parts, and what keeps what is written.

use bitline_units::duality::registers as duality;
use rand::Rng;

use super::{Tester, same};
use crate::array::registers as array;
use crate::ccs::registers as ccs;
use crate::host_link::error::Result;
use crate::regmap::{Access, Register, Reset};
use crate::system::protocol::{ARRAY_BASE, BOARD_BASE, CCS_BASE, DUALITY_BASE};
use crate::system::registers::{self as board, REG_FRAMES_OK, REG_LED, REG_SCRATCH};

/// Registers up to this offset that are only read never change, in all tables.
const LAST_CONSTANT: u64 = 0x18;

/// The part.
pub fn test(t: &mut Tester) -> Result<()> {
    own(t)?;
    let params = t.board.params.clone();
    let board_value = |r: &Register| board::reset_value(&params, r);
    table(t, "board", BOARD_BASE, board::REGISTERS, board_value, &|_| None)?;
    let array_value = |r: &Register| array::reset_value(&params.array, r);
    table(t, "array", ARRAY_BASE, array::REGISTERS, array_value, &|r| {
        let keeps = (array::REG_COMMAND..array::REG_PUSH).contains(&r.offset);
        keeps.then_some(|offset, word| word & array::writable(offset) as u32)
    })?;
    let ccs_value = |r: &Register| ccs::reset_value(&params.ccs, r);
    table(t, "ccs", CCS_BASE, ccs::REGISTERS, ccs_value, &|r| {
        let keeps = (ccs::REG_A..ccs::REG_START).contains(&r.offset) && r.offset != ccs::REG_LAUNCH;
        keeps.then_some(ccs::held)
    })?;
    let Some(unit) = params.duality.map(|duality| duality.unit) else { return Ok(()) };
    let duality_value = |r: &Register| duality::reset_value(&unit, r);
    table(t, "duality", DUALITY_BASE, duality::REGISTERS, duality_value, &|r| {
        let keeps = (duality::REG_WORD_0..=duality::REG_FEED).contains(&r.offset);
        keeps.then_some(|offset, word| word & duality::writable(offset) as u32)
    })
}

/// The board's own registers that software writes, and its counters.
fn own(t: &mut Tester) -> Result<()> {
    let data: u32 = t.stimulus.rng().random();
    let session = &mut t.board.session;
    session.write(BOARD_BASE + REG_SCRATCH as u32, &[data])?;
    let scratch = session.read_word(BOARD_BASE + REG_SCRATCH as u32)?;
    session.write(BOARD_BASE + REG_SCRATCH as u32, &[!data, 0x100 | data & 0xff])?;
    let again = session.read(BOARD_BASE + REG_SCRATCH as u32, 2)?;
    session.write(BOARD_BASE + REG_LED as u32, &[0])?;
    let before = session.read(BOARD_BASE + REG_FRAMES_OK as u32, 2)?;
    let after = session.read(BOARD_BASE + REG_FRAMES_OK as u32, 2)?;
    t.record("registers", "board", "scratch", 2, same("scratch", scratch, data));
    t.record("registers", "board", "scratch", 2, same("scratch", again[0], !data));
    t.record("registers", "board", "led", 1, same("led", again[1] & 0x1ff, 0x100 | data & 0xff));
    t.record("registers", "board", "frames", 1, same("frames_ok", after[0], before[0].wrapping_add(1)));
    t.record("registers", "board", "frames", 1, same("frames_refused", after[1], before[1]));
    Ok(())
}

/// What a register holds, of its offset and the word that was written.
type Held = fn(u64, u32) -> u32;

/// Constant registers read their values; those for which `keeps` gives something keep what is written as that says.
fn table(
    t: &mut Tester,
    name: &str,
    base: u32,
    registers: &[Register],
    value: impl Fn(&Register) -> u32,
    keeps: &dyn Fn(&Register) -> Option<Held>,
) -> Result<()> {
    // What comes behind them tells what is going on.
    let constant = |r: &&Register| {
        let told = r.fields.iter().any(|f| f.reset != Reset::Value(0));
        r.offset <= LAST_CONSTANT && told && r.fields.iter().all(|f| f.access == Access::ReadOnly)
    };
    let last = registers.iter().filter(constant).map(|r| r.offset).max().unwrap_or(0);
    let words = t.board.session.read(base, last as usize / 4 + 1)?;
    for register in registers.iter().filter(constant) {
        let outcome = same(register.name, words[register.offset as usize / 4], value(register));
        t.record("registers", name, "identification", 1, outcome);
    }
    let staged: Vec<(&Register, Held)> = registers.iter().filter_map(|r| Some((r, keeps(r)?))).collect();
    // Neighbours in one request.
    for run in staged.chunk_by(|a, b| a.0.offset + 4 == b.0.offset) {
        let data: Vec<u32> = run.iter().map(|_| t.stimulus.rng().random()).collect();
        let from = base + run[0].0.offset as u32;
        t.board.session.write(from, &data)?;
        let kept = t.board.session.read(from, run.len())?;
        for (((register, held), word), kept) in run.iter().zip(data).zip(kept) {
            t.record("registers", name, "staged", 1, same(register.name, kept, held(register.offset, word)));
        }
    }
    Ok(())
}
