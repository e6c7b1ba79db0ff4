//! Random commands for campaigns and benches of the cache compute system.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::machine::Launch;
use crate::ccs::{COMMANDS, CcsGeometry, CcsMemory, Kind, Operands};

/// A geometry with memory behind a port as wide as a line.
pub fn test_geometry(lanes: usize, element_bits: usize, lines: usize) -> CcsGeometry {
    let name = format!("test_{lanes}_{element_bits}");
    CcsGeometry { name, lanes, element_bits, lines, memory: CcsMemory::Line, read_ports: 1 }
}

/// The same with a port for each operand.
pub fn two_ports(lanes: usize, element_bits: usize, lines: usize) -> CcsGeometry {
    CcsGeometry { read_ports: 2, ..test_geometry(lanes, element_bits, lines) }
}

/// A legal command in the first `size` bytes: vectors agree in their place of a line, which may be any.
pub fn random_launch(rng: &mut ChaCha8Rng, geometry: &CcsGeometry, size: u32) -> Launch {
    let (element, line, lanes) = (geometry.element_bytes() as u32, geometry.line_bytes() as u32, geometry.lanes as u32);
    let command = COMMANDS[rng.random_range(0..COMMANDS.len())];
    let stride = 1 << if rng.random_range(0..3) == 0 { rng.random_range(0..geometry.lanes.ilog2()) } else { 0 };
    let count = if rng.random_range(0..3) == 0 { rng.random_range(2..6) } else { 1 };
    let most = if count == 1 { 24 * lanes / stride } else { 4 * lanes / stride };
    let length = rng.random_range(1..=most.max(1));
    let place = if rng.random() { 0 } else { rng.random_range(0..lanes) * element };
    let span = ((length - 1) * stride + 1) * element;
    let step_place = if rng.random() { 0 } else { rng.random_range(0..lanes) * element };
    let reduce = command.kind == Kind::Reduce;
    let mut bases = [0; 3];
    let mut steps = [0; 3];
    for i in 0..3 {
        let (at, step_at) = if i == 2 && reduce {
            (rng.random_range(0..lanes) * element, rng.random_range(0..lanes) * element)
        } else {
            (place, step_place)
        };
        let lines_step = if count > 1 { rng.random_range(0..4) } else { 0 };
        steps[i] = lines_step * line + step_at;
        let taken = steps[i] * (count - 1) + span + at;
        let most = (size - taken.min(size)) / line;
        bases[i] = rng.random_range(0..=most) * line + at;
    }
    // In place, or some lines behind an operand, so that lines depend on each other; most often one line.
    let behind = if rng.random_range(0..3) == 0 { rng.random_range(2..13) } else { 1 } * line;
    let of = rng.random_range(0..2);
    match rng.random_range(0..4) {
        0 if !reduce => (bases[2], steps[2]) = (bases[of], steps[of]),
        1 if !reduce && bases[of] + behind + span + steps[of] * (count - 1) < size => {
            (bases[2], steps[2]) = (bases[of] + behind, steps[of]);
        }
        2 if reduce && rng.random() => {
            let launch = Launch { unsigned: rng.random(), ..Launch::new(command.code, bases, length) };
            return rows_that_read_results(rng, geometry, size, launch);
        }
        _ => {}
    }
    // Lanes that are multiples of the stride, seen from the first element; now and then any lanes.
    let first = bases[if command.operands == Operands::C { 2 } else { 0 }] / element % lanes;
    let mut mask = (0..lanes).filter(|k| (k + lanes - first) % stride == 0).fold(0, |m, k| m | 1u128 << k);
    if count > 1 && stride > 1 || rng.random_range(0..8) == 0 {
        mask = rng.random();
    }
    let constant = if rng.random() { rng.random() } else { rng.random_range(0..40) };
    let (unsigned, store) = (rng.random(), rng.random());
    Launch { code: command.code, unsigned, store, bases, length, constant, stride: stride as u8, mask, count, steps }
}

/// Rows of a reduction, a line each, whose results go to lines that later rows read.
fn rows_that_read_results(rng: &mut ChaCha8Rng, geometry: &CcsGeometry, size: u32, launch: Launch) -> Launch {
    let (element, line, lanes) = (geometry.element_bytes() as u32, geometry.line_bytes() as u32, geometry.lanes as u32);
    let rows = rng.random_range(8..41).min(size / line);
    let at = rng.random_range(0..rows) * line + rng.random_range(0..lanes) * element;
    let step = [0, element, line][rng.random_range(0..3)];
    let count = rows.min(1 + (size - at - element).checked_div(step).unwrap_or(rows));
    let (bases, steps) = ([0, 0, at], [line, line, step]);
    Launch { store: true, bases, length: rng.random_range(1..=lanes), count, steps, ..launch }
}

/// Something that is wrong with it; not with every command.
pub fn spoil(rng: &mut ChaCha8Rng, geometry: &CcsGeometry, launch: &mut Launch) {
    match rng.random_range(0..10) {
        0 => launch.code = rng.random_range(COMMANDS.len() as u8..64),
        1 => launch.length = 0,
        2 => launch.count = 0,
        3 => launch.stride = [0, 3, geometry.lanes as u8, 255][rng.random_range(0..4)],
        4 if geometry.element_bits > 8 => launch.bases[rng.random_range(0..3)] += 1,
        5 => launch.bases[1] ^= geometry.element_bytes() as u32,
        6 => launch.length = rng.random_range(1 << 31..=u32::MAX),
        7 => launch.bases[rng.random_range(0..3)] |= 1 << 31,
        // Rows that leave the address space at its lower end, most of them after some that do not.
        8 => {
            launch.count = 6;
            launch.steps = [0u32.wrapping_sub(geometry.line_bytes() as u32); 3];
        }
        _ => launch.bases[2] ^= geometry.element_bytes() as u32,
    }
}
