//! Commands of the cache compute system on random vectors, against plain integers.
//!
//! The memory's first lines are operands; those behind them take results. The quick test lets the board itself sum up
//! the result lines, each element times an operand, after every command: a wrong element, one too many and one too few
//! are all seen. The full test reads the lines.

use rand::Rng;
use rand::seq::IndexedRandom;

use super::pool::bytes;
use super::{Outcome, Tester, same};
use crate::ccs::{COMMANDS, CcsCommand, CcsGeometry, Kind, Operands};
use crate::host_link::bits::{unpack, words};
use crate::host_link::error::Result;
use crate::system::protocol::CCS_MEMORY_BASE;
use crate::units::ccs::machine::Launch;
use crate::units::ccs::reference::execute;

/// Lines of operands.
const POOL: usize = 8;
/// Lines for results.
const RESULTS: usize = 6;
/// Cases of a command in the full test.
const CASES: usize = 10;

/// A command and the form in which it runs.
#[derive(Clone, Copy, Debug)]
pub struct Planned {
    command: &'static CcsCommand,
    unsigned: bool,
    case: usize,
}

/// Everything to run.
pub fn plan(t: &mut Tester) -> Vec<Planned> {
    t.report.commands[1] = COMMANDS.len();
    let cases = if t.full() { CASES } else { 1 };
    let forms = |command: &'static CcsCommand| {
        let signs = if command.has_sign() { vec![false, true] } else { vec![false] };
        signs.into_iter().flat_map(move |unsigned| (0..cases).map(move |case| Planned { command, unsigned, case }))
    };
    COMMANDS.iter().flat_map(forms).collect()
}

/// What the memory's first lines hold.
pub struct Memory {
    geometry: CcsGeometry,
    /// The lines.
    pub image: Vec<u8>,
}

impl Memory {
    fn line(&self) -> usize {
        self.geometry.line_bytes()
    }

    /// First byte of the results.
    pub fn results(&self) -> usize {
        POOL * self.line()
    }

    /// A command that sums up the results, each times an operand.
    fn weighed(&self) -> Launch {
        let code = COMMANDS.iter().find(|c| c.name == "IPVV").map_or(0, |c| c.code);
        Launch::new(code, [self.results() as u32, 0, 0], (RESULTS * self.geometry.lanes) as u32)
    }

    /// Compares the result lines, in one way or the other; afterwards the image holds what is there.
    ///
    /// # Errors
    /// Anything about the line.
    pub fn compare(&mut self, t: &mut Tester) -> Result<Outcome> {
        let mut outcome = Ok(());
        if !t.full() {
            let launch = self.weighed();
            let wanted = execute(&mut self.image, &self.geometry, &launch);
            let ended = t.ccs.run(&mut t.board.session, &launch)?;
            outcome = same("the weighted sum of the result lines", ended.result, wanted.result.unwrap_or(0));
            if outcome.is_ok() {
                return Ok(outcome);
            }
        }
        let from = self.results();
        let seen = unpack(&t.board.session.read(CCS_MEMORY_BASE + from as u32, RESULTS * self.line() / 4)?);
        if let Some(i) = (0..seen.len()).find(|&i| seen[i] != self.image[from + i]) {
            outcome = same(&format!("byte {:#x} of memory", from + i), seen[i], self.image[from + i]);
        }
        self.image[from..].copy_from_slice(&seen);
        Ok(outcome)
    }
}

/// The part; gives what the memory holds afterwards.
pub fn test(t: &mut Tester, planned: &[Planned]) -> Result<Memory> {
    let geometry = t.board.params.ccs.clone();
    let mut image = bytes(t.stimulus.rng(), POOL * geometry.line_bytes());
    t.board.session.write(CCS_MEMORY_BASE, &words(&image))?;
    image.resize((POOL + RESULTS) * geometry.line_bytes(), 0);
    let mut memory = Memory { geometry, image };
    if t.full() {
        let random = bytes(t.stimulus.rng(), RESULTS * memory.line());
        let from = memory.results();
        t.board.session.write(CCS_MEMORY_BASE + from as u32, &words(&random))?;
        memory.image[from..].copy_from_slice(&random);
    } else {
        // The board copies faster than the line.
        let code = COMMANDS.iter().find(|c| c.name == "COPYV").map_or(0, |c| c.code);
        let from = memory.results() as u32;
        let copy = Launch::new(code, [0, 0, from], (RESULTS * memory.geometry.lanes) as u32);
        execute(&mut memory.image, &memory.geometry, &copy);
        t.ccs.run(&mut t.board.session, &copy)?;
    }
    for one in planned {
        let launch = shape(t, &memory.geometry, one);
        let wanted = execute(&mut memory.image, &memory.geometry, &launch);
        assert_eq!(wanted.error, None, "{launch:?}");
        let ended = t.ccs.run(&mut t.board.session, &launch)?;
        let mut outcome = if ended.error != wanted.error {
            Err(format!("ends with {:?}, must end with {:?}", ended.error, wanted.error))
        } else {
            same("completed", ended.lines, wanted.lines)
        };
        if let (Ok(()), Some(result)) = (&outcome, wanted.result) {
            outcome = same("result", ended.result, result);
        }
        if one.command.kind == Kind::Map || launch.store {
            let seen = memory.compare(t)?;
            outcome = outcome.and(seen);
        }
        let name = one.command.name;
        let form = if one.unsigned {
            "unsigned"
        } else if one.command.has_sign() {
            "signed"
        } else {
            ""
        };
        let elements = u64::from(launch.length) * u64::from(launch.count);
        t.record("ccs", name, form, elements, outcome.map_err(|what| format!("{name} {launch:?}: {what}")));
        t.step();
    }
    Ok(memory)
}

/// A length, places, a stride and rows for a command, within the lines.
fn shape(t: &mut Tester, geometry: &CcsGeometry, one: &Planned) -> Launch {
    let full = t.full();
    let constant = t.stimulus.value(geometry.element_bits as u32) as u32;
    let rng = t.stimulus.rng();
    let (lanes, element, line) = (geometry.lanes, geometry.element_bytes(), geometry.line_bytes());
    let strides: Vec<usize> = (0..lanes.ilog2()).map(|i| 1 << i).collect();
    let stride = if one.case % 3 == 2 || rng.random_range(0..4) == 0 { *strides.choose(rng).unwrap_or(&1) } else { 1 };
    let lengths = [1, lanes - 1, lanes, lanes + 1, 2 * lanes, 2 * lanes + lanes / 2 + 1];
    let wanted = if full { lengths[one.case % lengths.len()] } else { *lengths[1..].choose(rng).unwrap_or(&lanes) };
    // A vector ends within three and a half lines, whatever its stride.
    let length = wanted.min((5 * lanes / 2) / stride + 1);
    let span = (length - 1) * stride + 1;
    let offset = element * rng.random_range(0..lanes);
    let count = if rng.random_range(0..3) == 0 { rng.random_range(2..=3) } else { 1 };
    // From row to row all vectors move by the same part of a line.
    let residue = element * rng.random_range(0..lanes / 2);
    let move_bytes = residue * (count - 1);
    let fits = |lines: usize| lines * line - (offset + span * element + move_bytes).min(lines * line);
    let first_line = |rng: &mut rand_chacha::ChaCha8Rng, lines: usize| line * rng.random_range(0..=fits(lines) / line);
    let operand_lines = if full { POOL + RESULTS } else { POOL };
    let a = first_line(rng, operand_lines) + offset;
    let b = first_line(rng, operand_lines) + offset;
    let r = POOL * line + first_line(rng, RESULTS) + offset;
    let lead = offset / element;
    let every = |lane: usize| (lane + stride * lanes - lead).is_multiple_of(stride);
    let mut mask = (0..lanes).filter(|&lane| every(lane)).fold(0u128, |mask, lane| mask | 1 << lane);
    if full && one.case % 4 == 3 {
        mask &= rng.random::<u128>();
    }
    let reduce = one.command.kind == Kind::Reduce;
    let store = reduce && (one.case % 2 == 1 || rng.random_range(0..3) == 0);
    let element_at = |base: usize| if reduce { base / element * element } else { base };
    // With one row the steps have no meaning.
    let step = if count > 1 { residue as u32 } else { 0 };
    let shifts = [Operands::Vv, Operands::Vc].contains(&one.command.operands) && rng.random_range(0..2) == 0;
    Launch {
        code: one.command.code,
        unsigned: one.unsigned,
        store,
        bases: [a as u32, b as u32, element_at(r) as u32],
        length: length as u32,
        // Half of the shifts stay within an element.
        constant: if shifts { constant % geometry.element_bits as u32 } else { constant },
        stride: stride as u8,
        mask,
        count: count as u32,
        steps: [step; 3],
    }
}
