//! Variables in local memory become registers, where all their accesses are at places that are known.
//!
//! What a function is called with lies in such variables ([`crate::ptx`]), and so does what clang keeps in memory
//! though it has no address at run time: structures that are handed on, and everything without optimisation. An
//! address is known if it is that of a variable, moved, made generic, or with a number added; if all writes of a
//! register agree, it is known there. A variable of which an address goes anywhere else (is stored, compared, added to
//! an index) stays in memory. Addresses that are stored in a variable which becomes registers are known in the next
//! round.
//!
//! The registers of a variable are the largest pieces of 8, 4, 2 or 1 bytes that no access divides; a wider access
//! takes several.

mod accesses;
mod pieces;

use self::pieces::Pieces;
use super::{fresh, replaced};
use crate::ptx::ast::{Base, Instruction, Kernel, Operand, RegisterId, Symbol};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// A place in a variable, or in a parameter of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Index into [`Kernel::variables`], or into [`Kernel::parameters`].
    pub(super) variable: usize,
    pub(super) offset: i64,
    /// Whether it is a generic address, and not one of its space.
    pub(super) generic: bool,
}

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing has been written so far.
    None,
    Known(Place),
    Other,
}

impl Value {
    fn and(self, other: Value) -> Value {
        match (self, other) {
            (Value::None, value) | (value, Value::None) => value,
            (a, b) if a == b => a,
            _ => Value::Other,
        }
    }
}

/// Puts registers in place of memory.
pub fn run(kernel: &mut Kernel) {
    if kernel.variables.iter().all(|variable| variable.space != Space::Local) {
        return;
    }
    // Each round takes a variable at least.
    while round(kernel) {}
}

/// Tells whether any variable has become registers.
fn round(kernel: &mut Kernel) -> bool {
    let values = values(kernel, Space::Local);
    let Some(accesses) = accesses::of(kernel, &values) else { return false };
    let mut pieces = Pieces::of(&accesses);
    let mut steps: Vec<Option<Vec<Instruction>>> = Vec::new();
    for at in 0..kernel.body.len() {
        let found = accesses.at(at).map(|access| {
            let like = kernel.body[at].clone();
            pieces.steps(kernel, &like, access)
        });
        steps.push(found);
    }
    replaced(kernel, |at, it| steps[at].take().unwrap_or_else(|| vec![it]));
    true
}

/// What every register holds, as far as it is an address in local memory, or of a parameter.
pub(super) fn values(kernel: &Kernel, space: Space) -> Vec<Value> {
    let mut values = vec![Value::None; kernel.registers.len()];
    loop {
        let before = values.clone();
        for it in &kernel.body {
            let value = result(kernel, it, &values, space);
            for register in it.writes() {
                let own = &mut values[register.0 as usize];
                *own = own.and(value);
            }
        }
        if values == before {
            return values;
        }
    }
}

/// The address in a space that an operand is.
fn address(kernel: &Kernel, operand: &Operand, values: &[Value], space: Space) -> Value {
    let known = |variable: usize, offset: i64| Value::Known(Place { variable, offset, generic: false });
    match operand {
        Operand::Register(register) => values[register.0 as usize],
        Operand::Address(Symbol::Kernel(own), offset) if kernel.variables[*own].space == space => known(*own, *offset),
        Operand::Address(Symbol::Parameter(own), offset) if space == Space::Param => known(*own, *offset),
        _ => Value::Other,
    }
}

/// What an instruction writes.
fn result(kernel: &Kernel, it: &Instruction, values: &[Value], space: Space) -> Value {
    let of = |index: usize| address(kernel, &it.operands[index], values, space);
    let moved = |value: Value, how: &dyn Fn(Place) -> Option<Place>| match value {
        Value::Known(place) => how(place).map_or(Value::Other, Value::Known),
        other => other,
    };
    let by = |number: i64| move |place: Place| Some(Place { offset: place.offset.checked_add(number)?, ..place });
    if it.results != 1 || !matches!(it.operands[0], Operand::Register(_)) {
        return Value::Other;
    }
    match (it.opcode, &it.operands[1..]) {
        (Opcode::Mov, [_]) => of(1),
        (Opcode::Cvta, [_]) if it.space == Some(space) => {
            let to = it.words.has(Word::To);
            moved(of(1), &|place| (place.generic == to).then_some(Place { generic: !to, ..place }))
        }
        (Opcode::Add, [_, Operand::Immediate(number)]) if !it.words.has(Word::Sat) => {
            moved(of(1), &by(signed(it.ty(), *number)))
        }
        (Opcode::Add, [Operand::Immediate(number), _]) if !it.words.has(Word::Sat) => {
            moved(of(2), &by(signed(it.ty(), *number)))
        }
        (Opcode::Sub, [_, Operand::Immediate(number)]) if !it.words.has(Word::Sat) => {
            moved(of(1), &by(signed(it.ty(), *number).wrapping_neg()))
        }
        // Bits that are 0 by the variable's alignment.
        (Opcode::Or, [_, Operand::Immediate(number)]) => moved(of(1), &|place| {
            let align = match space {
                // Memory with parameters begins at a multiple of this.
                Space::Param => kernel.parameters[place.variable].align.min(256),
                _ => kernel.variables[place.variable].align,
            };
            let free = *number < align && place.offset as u64 & number == 0;
            if free { by(*number as i64)(place) } else { None }
        }),
        _ => Value::Other,
    }
}

/// A constant with its sign.
fn signed(ty: Type, bits: u64) -> i64 {
    let unused = 64 - ty.bits();
    (bits << unused) as i64 >> unused
}

/// The register that an address begins with.
fn base(operand: &Operand) -> Option<Base> {
    match operand {
        Operand::Memory { base, .. } => Some(*base),
        _ => None,
    }
}

/// A new register for `bytes` bytes.
fn piece(kernel: &mut Kernel, bytes: u64) -> RegisterId {
    fresh(kernel, register_type(bytes))
}

/// Registers have 16 bits at least.
fn register_type(bytes: u64) -> Type {
    match bytes {
        1 | 2 => Type::B16,
        4 => Type::B32,
        _ => Type::B64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    /// What is left of accesses to local memory, by their spellings.
    fn left(body: &str) -> String {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 p)\n\
             {{ .reg .pred %p<2>; .reg .b16 %h<3>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<3>;\n\
             .local .align 8 .b8 v[32]; .local .align 8 .b8 w[32];\n{body}\nret; }}"
        );
        let mut kernel = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
        run(&mut kernel);
        let own = |it: &&Instruction| it.operands.iter().any(|operand| base(operand).is_some());
        let left = kernel.body.iter().filter(|it| it.space != Some(Space::Param)).filter(own);
        left.map(|it| it.spelling.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn known_places_are_registers() {
        let begin = "mov.u32 %r1, v; cvta.local.u32 %r2, %r1; add.u32 %r3, %r2, 8; or.b32 %r4, %r3, 4;";
        assert_eq!(left(&format!("{begin} st.u32 [%r4], 5; ld.u16 %h1, [%r4+2]; ld.local.f32 %f1, [v+12];")), "");
        assert_eq!(left("st.local.v2.b32 [v+24], {%r1, 7}; ld.local.b64 %d1, [v+24]; ld.local.s8 %r2, [v];"), "");
        // Two writes that agree.
        assert_eq!(left("mov.u32 %r1, v+4; @%p1 mov.u32 %r1, v+4; st.local.u32 [%r1], 1;"), "");
        // An address in a variable that becomes registers.
        assert_eq!(left("mov.u32 %r1, v; st.local.u32 [w], %r1; ld.local.u32 %r2, [w]; st.local.u32 [%r2+4], 1;"), "");
    }

    #[test]
    fn what_is_not_known_stays() {
        // An index; two places; an address that is seen; one that is stored elsewhere; one that is not aligned, or ends
        // outside of the variable. The other variable becomes registers.
        for body in [
            "mov.u32 %r1, v; add.u32 %r2, %r1, %r3; st.local.u32 [%r2], 1;",
            "mov.u32 %r1, v; @%p1 mov.u32 %r1, v+4; st.local.u32 [%r1], 1;",
            "mov.u32 %r1, v; setp.eq.u32 %p1, %r1, 0; st.local.u32 [%r1], 1;",
            "st.local.u32 [v+2], 1;",
            "mov.u32 %r1, v; cvta.local.u32 %r2, %r1; st.local.u32 [%r2], 1;",
            "mov.u32 %r1, v; or.b32 %r2, %r1, 8; st.local.u32 [%r2], 1;",
        ] {
            assert_eq!(left(&format!("{body} st.local.u32 [w], 3;")), "st.local.u32", "{body}");
        }
        assert_eq!(
            left("mov.u32 %r1, v; ld.param.u32 %r3, [p]; st.global.u32 [%r3], %r1; ld.local.u32 %r2, [v];"),
            "st.global.u32 ld.local.u32"
        );
        assert_eq!(left("st.local.v2.b64 [v+24], {%d1, %d2}; st.local.b8 [w+31], 1;"), "st.local.v2.b64");
    }
}
