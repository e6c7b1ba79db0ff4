//! Why an operation that was asked for has no row.

use std::sync::Arc;

use super::{Selection, known};
use crate::error::{Error, Result};
use crate::isa::operation::{Context, Operation};
use crate::isa::{Opcode, custom};

/// What is wrong with a selection of which this operation has no row.
///
/// # Errors
/// [`Error::Parameter`] for widths that there are not.
pub(super) fn missing(selection: &Selection, op: &str) -> Result<Error> {
    let all = Opcode::ALL.iter().copied().chain(custom::registered()).filter(|opcode| opcode.name() == op);
    let of = |opcode: Opcode| {
        let chosen = |cx: &Context| selection.radices.is_empty() || selection.radices.contains(&cx.radix);
        let contexts = Context::all().into_iter().filter(chosen).filter(move |&cx| known(opcode, cx));
        contexts
            .map(move |cx| Context { exception_flags: selection.exception_flags && cx.two_port(), ..cx })
            .map(move |cx| Operation::of(opcode, cx))
    };
    let own: Vec<Arc<Operation>> = all.flat_map(of).collect();
    if own.is_empty() {
        let rule = "has no micro-program in every set of any design that is measured";
        return Ok(Error::parameter("op", op, rule));
    }
    if selection.flushed && own.iter().all(|operation| operation.flushed.is_none()) {
        return Ok(Error::parameter("flushed", op, "has no micro-programs of its own for that mode"));
    }
    if selection.exception_flags && own.iter().all(|operation| !operation.reports()) {
        return Ok(Error::parameter("op", op, "reports no exceptions"));
    }
    let of_radix = |operation: &Operation| {
        if selection.flushed { operation.uses_radix_4() } else { operation.takes_two_bits() }
    };
    if selection.radices == [4] && !own.iter().any(|operation| of_radix(operation)) {
        return Ok(Error::parameter("radix", 4, format!("{op} has the micro-programs of radix 2")));
    }
    let widths = format!("{:?}", selection.widths()?);
    if own.iter().any(|operation| operation.formats) {
        let other = if selection.flushed { ", that has micro-programs of its own" } else { "" };
        let rule = format!("must be bits of a format: 8, 16, 32, 64, on two_port{other}");
        return Ok(Error::parameter("width", widths, rule));
    }
    let low = own.iter().map(|operation| operation.widths.0).min().unwrap_or(1);
    let high = own.iter().map(|operation| operation.widths.1).max().unwrap_or(64);
    let power = if own.iter().any(|operation| operation.power_of_two) { ", powers of two" } else { "" };
    let rule = format!("must be a width of {op}: {low} to {high}{power}, in the modes and sets selected");
    Ok(Error::parameter("width", widths, rule))
}
