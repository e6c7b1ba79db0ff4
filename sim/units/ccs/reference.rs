//! What commands do to memory, from plain integers: one after the other, and of each rows, lines and elements in order,
//! line by line.
//!
//! Shares nothing with the hardware and its models but the table's names and codes, and the rules' order.

use std::collections::BTreeSet;

use super::machine::Launch;
use crate::ccs::{CcsCommand, CcsError, CcsGeometry, Kind, Operands};
use crate::model::ccs::arith;

/// Bytes that memory addresses reach.
const SPACE: u64 = 1 << 31;

/// What a command leaves besides memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended early, or did not run.
    pub error: Option<CcsError>,
    /// Result of a reduction's last row.
    pub result: Option<u32>,
    /// Result lines written.
    pub lines: u32,
}

fn load(memory: &[u8], address: u64, bytes: usize) -> u32 {
    memory[address as usize..][..bytes].iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

fn save(memory: &mut [u8], address: u64, bytes: usize, value: u32) {
    memory[address as usize..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}

/// The rule that a command breaks before any row.
fn check(geometry: &CcsGeometry, launch: &Launch) -> Result<&'static CcsCommand, CcsError> {
    let command = CcsCommand::from_code(launch.code).ok_or(CcsError::Command)?;
    if launch.length == 0 || launch.count == 0 {
        return Err(CcsError::Length);
    }
    if !launch.stride.is_power_of_two() || usize::from(launch.stride) >= geometry.lanes {
        return Err(CcsError::Stride);
    }
    let (line, element) = (geometry.line_bytes() as u32, geometry.element_bytes() as u32);
    let places = |i: usize| {
        let step = if launch.count > 1 { launch.steps[i] % line } else { 0 };
        (launch.bases[i] % line, step)
    };
    let vectors: Vec<usize> = vectors(command).into_iter().enumerate().filter(|v| v.1).map(|v| v.0).collect();
    let stores = command.kind == Kind::Reduce && launch.store;
    let aligned = |i: &usize| places(*i).0 % element == 0 && places(*i).1 % element == 0;
    if !vectors.iter().all(aligned)
        || stores && !aligned(&2)
        || vectors.iter().any(|&i| places(i) != places(vectors[0]))
    {
        return Err(CcsError::Alignment);
    }
    Ok(command)
}

/// Whether a, b and r are vectors.
fn vectors(command: &CcsCommand) -> [bool; 3] {
    [command.operands != Operands::C, command.operands == Operands::Vv, command.kind == Kind::Map]
}

/// A reduction of nothing.
fn identity(name: &str, unsigned: bool, geometry: &CcsGeometry) -> u32 {
    let least = 1 << (geometry.element_bits - 1);
    match (name, unsigned) {
        ("ANDV", _) | ("MINV", true) => geometry.ones(),
        ("MINV", false) => least - 1,
        ("MAXV", false) => least,
        _ => 0,
    }
}

/// Byte addresses of a, b and r in a row; nothing if one of them ends outside the address space.
fn row_bases(geometry: &CcsGeometry, launch: &Launch, command: &CcsCommand, row: u32) -> Option<[u64; 3]> {
    let span = u64::from(launch.length - 1) * u64::from(launch.stride);
    let base = [0, 1, 2].map(|i| u64::from(launch.bases[i].wrapping_add(launch.steps[i].wrapping_mul(row))));
    let ends = |i: usize| base[i] + (span + 1) * geometry.element_bytes() as u64;
    let outside = |i: usize| vectors(command)[i] && ends(i) > SPACE;
    let element_outside = command.kind == Kind::Reduce && launch.store && base[2] >= SPACE;
    (!(0..3).any(outside) && !element_outside).then_some(base)
}

/// Lines that a command touches up to its end, however that comes: those it reads, and those it writes.
pub fn touched(geometry: &CcsGeometry, launch: &Launch) -> [BTreeSet<u64>; 2] {
    let mut lines = [BTreeSet::new(), BTreeSet::new()];
    let Ok(command) = check(geometry, launch) else { return lines };
    let bytes = (u64::from(launch.length - 1) * u64::from(launch.stride) + 1) * geometry.element_bytes() as u64;
    let line = geometry.line_bytes() as u64;
    for base in (0..launch.count).map_while(|row| row_bases(geometry, launch, command, row)) {
        for (i, _) in vectors(command).into_iter().enumerate().filter(|vector| vector.1) {
            lines[usize::from(i == 2)].extend(base[i] / line..=(base[i] + bytes - 1) / line);
        }
        if command.kind == Kind::Reduce && launch.store {
            lines[1].insert(base[2] / line);
        }
    }
    lines
}

/// Runs commands one after the other up to the first that ends with an error, but ends before more than `most` result
/// lines are written: the first error, the last result, and all result lines.
///
/// # Panics
/// As [`execute`].
pub fn execute_all(memory: &mut [u8], geometry: &CcsGeometry, launches: &[Launch], most: u32) -> Outcome {
    let mut all = Outcome::default();
    for launch in launches {
        let outcome = execute_lines(memory, geometry, launch, most - all.lines);
        all.lines += outcome.lines;
        all.result = outcome.result.or(all.result);
        all.error = outcome.error;
        if all.error.is_some() || all.lines == most {
            break;
        }
    }
    all
}

/// Runs a command on memory, which starts at address 0; nothing beyond it may be touched.
///
/// # Panics
/// If an operand is inside the address space, but not inside `memory`.
pub fn execute(memory: &mut [u8], geometry: &CcsGeometry, launch: &Launch) -> Outcome {
    execute_lines(memory, geometry, launch, u32::MAX)
}

/// As [`execute`], but ends before it writes more than `most` result lines.
///
/// # Panics
/// As [`execute`].
pub fn execute_lines(memory: &mut [u8], geometry: &CcsGeometry, launch: &Launch, most: u32) -> Outcome {
    let command = match check(geometry, launch) {
        Ok(command) => command,
        Err(error) => return Outcome { error: Some(error), ..Outcome::default() },
    };
    let (bits, bytes, lanes) = (geometry.element_bits, geometry.element_bytes(), geometry.lanes as u64);
    let span = u64::from(launch.length - 1) * u64::from(launch.stride);
    let constant = launch.constant & geometry.ones();
    let mut outcome = Outcome::default();
    for row in 0..launch.count {
        let Some(base) = row_bases(geometry, launch, command, row) else {
            outcome.error = Some(CcsError::Address);
            return outcome;
        };
        let lead = if command.operands == Operands::C { base[2] } else { base[0] } / bytes as u64;
        let mut counted = vec![];
        // Line by line: operands are read before the line's results are written.
        let (first, last) = (lead / lanes, (lead + span) / lanes);
        for line in first..=last {
            let elements = (line * lanes).max(lead)..=((line + 1) * lanes - 1).min(lead + span);
            let counting = elements.filter(|e| launch.mask >> (e % lanes) & 1 == 1).map(|e| (e - lead) * bytes as u64);
            let operands = |offset: u64| {
                let a = if vectors(command)[0] { load(memory, base[0] + offset, bytes) } else { 0 };
                let b = if vectors(command)[1] { load(memory, base[1] + offset, bytes) } else { constant };
                (offset, a, b)
            };
            let read: Vec<(u64, u32, u32)> = counting.map(operands).collect();
            if command.kind == Kind::Map {
                if outcome.lines == most {
                    return outcome;
                }
                outcome.lines += 1;
                for (offset, a, b) in read {
                    save(memory, base[2] + offset, bytes, arith::map(command.name, launch.unsigned, bits, a, b));
                }
            } else {
                counted.extend(read.into_iter().map(|(_, a, b)| (a, b)));
            }
        }
        if command.kind == Kind::Reduce {
            let result = match counted.len() {
                0 => identity(command.name, launch.unsigned, geometry),
                _ => arith::reduce(command.name, launch.unsigned, bits, &counted),
            };
            outcome.result = Some(result);
            if launch.store {
                if outcome.lines == most {
                    return outcome;
                }
                outcome.lines += 1;
                save(memory, base[2], bytes, result);
            }
        }
    }
    outcome
}
