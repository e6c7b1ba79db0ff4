//! From a command by names to a command by rows: widths worked out, operands checked, scratch rows found.

use std::sync::Arc;

use super::plan::Planner;
use super::source::{CommandSource, Slice};
use super::steps::Place;
use crate::data::ElementType;
use crate::isa::format::{Format, Mode};
use crate::isa::linear::{M, N};
use crate::isa::opcode::Conversion;
use crate::isa::operation::{Context, Extent, Operation, Role};
use crate::isa::row::Operand;
use crate::isa::{Command, Opcode};
use crate::machine;

type Text<T> = std::result::Result<T, String>;

impl Planner<'_> {
    /// The command with its rows and widths, and what it does to them.
    pub(super) fn command(&self, source: &CommandSource) -> Text<(Command, Arc<Operation>)> {
        let (name, opcode) = (source.opcode, source.opcode);
        let fail = |reason: String| Err(format!("{name}: {reason}"));
        Command { set: source.set, ..Command::new(opcode, 1) }.known(self.params).map_err(|e| e.to_string())?;
        let operation = Operation::of(opcode, Context::of(self.params, source.set));
        let mut places: Vec<(Extent, Slice, Place)> = Vec::new();
        for (operand, slice) in &source.operands {
            let Some(extent) = operation.extent_of(*operand) else {
                return fail(format!("{} = {slice}: this operation has no such operand", operand.name()));
            };
            let place = self.place(slice).map_err(|reason| format!("{name}: {}: {reason}", operand.name()))?;
            places.push((extent, slice.clone(), place));
        }
        let missing = |e: &&Extent| e.role != Role::Scratch && places.iter().all(|(x, ..)| x.operand != e.operand);
        if let Some(extent) = operation.extents.iter().find(missing) {
            return fail(format!("operand {} is missing", extent.operand.name()));
        }
        places.sort_by_key(|(extent, ..)| extent.operand);
        let of =
            |rows| places.iter().find(|(e, ..)| e.role != Role::Scratch && e.rows == rows).map(|(.., p)| p.kind.width);
        let format = self.format(source, &operation, &places).map_err(|reason| format!("{name}: {reason}"))?;
        let n = source.n.or(format.map(Format::n)).or(of(N).map(|w| w as u8)).unwrap_or(1);
        let m = source.m.or(format.map(Format::m)).or(of(M).map(|w| w as u8));
        if m.is_none() && operation.has_second() {
            return fail("m = (not given): this operation needs a second width".into());
        }
        operation.check_width(n).map_err(|reason| format!("{name}: {reason}"))?;
        let twin = Opcode::ALL.iter().find(|o| o.name() == opcode.name() && o.signed() && !opcode.signed());
        let signed = |(extent, _, place): &&(Extent, Slice, Place)| extent.role == Role::Source && place.kind.signed;
        if let (Some(twin), Some((_, slice, _))) = (twin, places.iter().find(signed)) {
            return fail(format!("{slice} is signed: use {}", twin.mnemonic()));
        }
        let mut command = Command { set: source.set, second: m.unwrap_or(0), ..Command::new(opcode, n) };
        command.key = self.key(source, &operation, n)?;
        let rows = |extent: &Extent| extent.rows.value(n.into(), m.unwrap_or(0).into()).max(0) as usize;
        for (extent, slice, place) in &places {
            let (held, needed) = (place.kind.width as usize, rows(extent));
            let wider = extent.role == Role::Scratch
                || extent.role == Role::Source
                    && (extent.rows == N && source.n.is_some() || extent.rows == M && source.m.is_some());
            if held != needed && !(wider && held > needed) {
                let operand = extent.operand.name();
                return fail(format!(
                    "{operand} = {slice} has {held} rows: must be {needed} (n = {n}, m = {})",
                    command.second
                ));
            }
            set_row(&mut command, extent.operand, place.row);
        }
        let free = operation.extents.iter().filter(|e| places.iter().all(|(x, ..)| x.operand != e.operand));
        for extent in free {
            let row = self.map.find("scratch", rows(extent)).map_err(|reason| format!("{name}: {reason}"))?;
            set_row(&mut command, extent.operand, row);
        }
        machine::check(&command, self.params).map_err(|e| e.to_string())?;
        Ok((command, operation))
    }

    /// The format that all operands of a floating-point operation have.
    fn format(
        &self,
        source: &CommandSource,
        operation: &Operation,
        places: &[(Extent, Slice, Place)],
    ) -> Text<Option<Format>> {
        if let Some(conversion) = source.opcode.conversion() {
            let number = if matches!(conversion, Conversion::ToInteger(_)) { Operand::A } else { Operand::D };
            let wanted = conversion.format();
            for (extent, slice, place) in places.iter().filter(|(extent, ..)| extent.role != Role::Scratch) {
                let operand = extent.operand.name();
                match place.kind.format {
                    Some(format) if extent.operand != number => {
                        return Err(format!("{operand} = {slice} has format {format}: must hold integers"));
                    }
                    other if extent.operand == number && other != Some(wanted) => {
                        return Err(format!("{operand} = {slice}: must have format {wanted}"));
                    }
                    _ => {}
                }
            }
            return Ok(None);
        }
        if !operation.formats {
            let given = [("round", source.round.is_some()), ("subnormals", source.flush.is_some())];
            let wrong = given.iter().find(|(_, given)| *given);
            return wrong.map_or(Ok(None), |(key, _)| Err(format!("{key}: this operation does not round")));
        }
        if source.opcode == Opcode::FSum {
            return sum_format(source, operation, places);
        }
        if source.n.is_some() || source.m.is_some() {
            return Err("n, m: widths are those of the operands' format".into());
        }
        let mut found = None;
        // Operands with as many rows as the first one: the result of a comparison is a row.
        // A conversion has a format of its own for a.
        let given = source.opcode.source_format();
        let packs = source.opcode == Opcode::FPack;
        let first = if given.is_some() || packs { Operand::D } else { Operand::A };
        let number = operation.extent_of(first).map(|extent| extent.rows);
        let numbers = |extent: &Extent| Some(extent.rows) == number || extent.operand == Operand::A && !packs;
        for (extent, slice, place) in places.iter().filter(|(extent, ..)| numbers(extent)) {
            let operand = extent.operand.name();
            if let Some(wanted) = given.filter(|_| extent.operand == Operand::A) {
                match place.kind.format {
                    Some(format) if format == wanted => continue,
                    _ => return Err(format!("{operand} = {slice}: must have format {wanted}")),
                }
            }
            let format = place.kind.format.ok_or(format!("{operand} = {slice} holds integers: needs float="))?;
            if let Some(other) = found.filter(|other| *other != format) {
                return Err(format!("{operand} = {slice} has format {format}: must be {other}, as the others are"));
            }
            found = Some(format);
        }
        Ok(found)
    }

    fn key(&self, source: &CommandSource, operation: &Operation, n: u8) -> Text<u64> {
        let name = source.opcode;
        if source.opcode.is_float() && source.key.is_none() {
            let flush = source.flush.unwrap_or(false);
            let rounding = source.round.unwrap_or_default();
            return Ok(Mode { rounding, flush_operands: flush, flush_results: flush }.key());
        }
        let wants = matches!(source.opcode, Opcode::Search | Opcode::MulConst)
            || source.opcode.is_custom() && operation.takes_key();
        match (source.key, wants) {
            (None, false) => Ok(0),
            (None, true) => Err(format!("{name}: key= is missing")),
            (Some(key), false) => Err(format!("{name}: key = {key}: this operation has no key")),
            (Some(key), true) => {
                let kind = ElementType { width: n.clamp(1, 64).into(), signed: key.negative, format: None };
                let bits = kind.encode(key).ok_or_else(|| format!("{name}: key = {key}: must be {kind}"))?;
                Ok(bits as u64)
            }
        }
    }
}

/// The format of unpacked numbers: the one that has as many rows, or that of n and m.
fn sum_format(
    source: &CommandSource,
    operation: &Operation,
    places: &[(Extent, Slice, Place)],
) -> Text<Option<Format>> {
    let (extent, slice, place) = places.first().ok_or("no operand")?;
    let rows = |format: &Format| extent.rows.value(format.n().into(), format.m().into()) as u32;
    let given = |format: &Format| source.n.is_none_or(|n| n == format.n()) && source.m.is_none_or(|m| m == format.m());
    let all: Vec<Format> = operation.own_formats().filter(given).collect();
    match all.iter().filter(|format| rows(format) == place.kind.width).collect::<Vec<_>>()[..] {
        [format] => Ok(Some(*format)),
        [] => {
            let wanted: Vec<String> = all.iter().map(|format| format!("{} ({format})", rows(format))).collect();
            let (operand, held) = (extent.operand.name(), place.kind.width);
            Err(format!("{operand} = {slice} has {held} rows: must be an unpacked number of {}", wanted.join(", ")))
        }
        ref some => {
            let names: Vec<&str> = some.iter().map(|format| format.name).collect();
            Err(format!("{slice} may be of {}: give n and m, which are those of a format", names.join(" or ")))
        }
    }
}

fn set_row(command: &mut Command, operand: Operand, row: usize) {
    let row = row as u16;
    match operand {
        Operand::A => command.a = row,
        Operand::B => command.b = row,
        Operand::D => command.d = row,
        Operand::E => command.e = row,
        Operand::S => command.s = row,
    }
}
