//! What is asked of an operation of the library's user when it is registered: what tests hold the library's own to.

use std::panic::catch_unwind;

use super::Custom;
use crate::array::isa::assemble::{Assembled, assemble};
use crate::array::isa::element::Inputs;
use crate::array::isa::operation::{Condition, Context, Operation, Role};
use crate::array::isa::row::Operand;
use crate::array::isa::setup::{Step, steps};

type Checked = Result<(), String>;

/// Looks at the operation on every kind of hardware; a description that panics is refused with what it says.
pub(super) fn everywhere(custom: &Custom) -> Checked {
    let checked = catch_unwind(|| Context::all().into_iter().try_for_each(|cx| on(custom, cx)));
    checked.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.or(panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or("panics".into()))
    })
}

/// Setup words, and flow and control words of each micro-program.
type Words = (Vec<u128>, Vec<Vec<(u128, u128)>>);

/// What hardware has for the operation; `None` where it has no micro-program.
pub(super) fn words(custom: &Custom, cx: Context) -> Option<Words> {
    let operation = (custom.operation)(custom.opcode, cx)?;
    let assembled: Vec<_> = operation.variants.iter().map(|v| assemble(&v.program, cx)).collect();
    let setup = steps(&operation, &assembled, &vec![0; assembled.len()], 0).iter().map(Step::encode).collect();
    Some((setup, assembled.iter().map(|assembled| assembled.encode(0)).collect()))
}

/// What is wrong with the operation on some hardware, if it is there at all.
fn on(custom: &Custom, cx: Context) -> Checked {
    let Some(operation) = (custom.operation)(custom.opcode, cx) else { return Ok(()) };
    let (low, high) = operation.widths;
    if operation.opcode != custom.opcode {
        return Err(format!("its description is that of {:?}, its opcode {:?}", operation.opcode, custom.opcode));
    }
    if !(1..=high).contains(&low) || high > 64 {
        return Err(format!("widths = {low} to {high}: must be within 1 to 64"));
    }
    if operation.formats {
        return Err("formats: operations of floating-point numbers are those of the library".into());
    }
    let when = operation.variants.iter().flat_map(|variant| &variant.when);
    if operation.flushed.is_some() || when.into_iter().any(|condition| matches!(condition, Condition::Mode(_))) {
        return Err("modes of floating-point numbers: micro-programs for one alone are those of the library".into());
    }
    operands(&operation)?;
    if (low..=high).all(|n| operation.check_width(n).is_err()) {
        return Err(format!("widths = {low} to {high}, powers of two: none is legal"));
    }
    let assembled: Vec<Assembled> = operation.variants.iter().map(|v| assemble(&v.program, cx)).collect();
    for n in (low..=high).filter(|&n| operation.check_width(n).is_ok()) {
        let (least, most) = operation.seconds(n).unwrap_or((0, 0));
        if least > most {
            return Err(format!("n = {n}, {cx:?}: no second width is legal"));
        }
        for m in least..=most {
            let checked = if (0..=127).contains(&m) {
                width(custom, &operation, &assembled, (n, m as u32))
            } else {
                Err("the second width must be 0 to 127".into())
            };
            checked.map_err(|reason| format!("n = {n}, m = {m}, {cx:?}: {reason}"))?;
        }
    }
    // Words that cannot be written panic.
    words(custom, cx).map(|_| ()).ok_or("no micro-program".into())
}

/// Every operand that rules, conditions and rows name is there, and may be what it is.
fn operands(operation: &Operation) -> Checked {
    for extent in &operation.extents {
        let place = match (extent.role, extent.operand) {
            (Role::Scratch, _) => true,
            (Role::Source, operand) => operand != Operand::S,
            (Role::Result, operand) => matches!(operand, Operand::D | Operand::E),
            (Role::Accumulator, operand) => operand == Operand::D,
        };
        if !place {
            return Err(format!("{} cannot be a {:?}", extent.operand.name(), extent.role));
        }
    }
    let rules = operation.disjoint.iter().flat_map(|rule| [rule.first, rule.second]);
    let conditions = operation.variants.iter().flat_map(|variant| &variant.when);
    let same = conditions.filter_map(|condition| match condition {
        Condition::Same(one, other) => Some([*one, *other]),
        _ => None,
    });
    let rows = operation.variants.iter().flat_map(|variant| variant.program.rows());
    let named = rows.flat_map(|row| [row.a, row.b, row.w]).flatten().map(|address| address.operand);
    match rules.chain(same.flatten()).chain(named).find(|&operand| operation.extent_of(operand).is_none()) {
        Some(operand) => Err(format!("{} is named, and is no operand: it has no rows", operand.name())),
        None => Ok(()),
    }
}

/// Cycles and rows at one width.
fn width(custom: &Custom, operation: &Operation, assembled: &[Assembled], (n, m): (u8, u32)) -> Checked {
    let wide = u32::from(n);
    let mut fitting = operation.variants.iter().zip(assembled).filter(|(variant, _)| variant.applies(wide, m));
    let any = |condition: &Condition| !condition.beside_widths();
    let (Some((_, first)), true) =
        (fitting.next(), operation.variants.iter().any(|v| v.applies(wide, m) && v.when.iter().all(any)))
    else {
        return Err("no micro-program applies, wherever operands are".into());
    };
    let (taken, said) = (first.cycles(wide, m, wide) as i64, (operation.formula)(n.into(), m.into()));
    if n >= 4 && taken != said {
        return Err(format!("the micro-program takes {taken} cycles, its closed form says {said}"));
    }
    let rows = |operand: Operand| {
        let extent = operation.extent_of(operand);
        extent.map(|extent| (extent.role, extent.rows.value(n.into(), m as i32)))
    };
    for extent in operation.extents.iter().filter(|extent| extent.role != Role::Scratch) {
        let most = if extent.role == Role::Source { 64 } else { 128 };
        let count = extent.rows.value(n.into(), m as i32);
        if !(1..=most).contains(&count) {
            return Err(format!("{} has {count} rows: must be 1 to {most}", extent.operand.name()));
        }
    }
    let given = (custom.arithmetic)(wide, m, 0, Inputs::default());
    for (operand, result) in [(Operand::D, given.d), (Operand::E, given.e)] {
        let written = rows(operand).filter(|(role, _)| matches!(role, Role::Result | Role::Accumulator));
        let (rows, bits) = (written.map(|(_, rows)| rows as u32), result.map(|(_, rows)| rows));
        if rows != bits {
            let count = |rows: Option<u32>| rows.map_or("none".to_string(), |rows| rows.to_string());
            let name = operand.name();
            return Err(format!("rows written to {name}: {}, in the arithmetic {}", count(rows), count(bits)));
        }
    }
    if given.tag.is_some() != custom.meaning.contains("T ←") {
        return Err("T is a result of the arithmetic, or of the meaning (`T ←`), and not of both".into());
    }
    Ok(())
}
