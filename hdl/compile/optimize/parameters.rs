//! Parameters whose address a kernel takes: structures with a field that is indexed by what is computed.
//!
//! Where the place is known after all, as it is without optimisation and in loops that have become none, the access
//! names the parameter, which is in scalar registers. What is left reads memory: the launch puts all parameters there,
//! as it does constants. So do words of parameters for which there are no scalar registers, those of structures first.

use std::collections::HashSet;
use std::ops::Range;

use bitline_units::duality::params::SCALARS;

use super::local::{self, Place, Value};
use crate::ptx::ast::{Base, Instruction, Kernel, Operand, Parameter, Symbol};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Words};

/// Words of parameters in scalar registers, where there are too many for all of them.
const FEW: usize = 16;

/// Whether a launch has to put the parameters into memory: an address of one is taken, one is read through a register,
/// or they are more than there are scalar registers for.
pub fn in_memory(kernel: &Kernel) -> bool {
    let computed = kernel.body.iter().any(|it| is_computed(it) || it.operands.iter().any(is_address));
    computed || named_words(kernel, &[]).len() > SCALARS
}

fn is_address(operand: &Operand) -> bool {
    matches!(operand, Operand::Address(Symbol::Parameter(_), _))
}

/// Words of the parameter space that are read by names and are no numbers, in the order of the text, those of
/// structures behind all others.
fn named_words(kernel: &Kernel, numbers: &[(u64, u32)]) -> Vec<u64> {
    let (mut plain, mut of_structures) = (Vec::new(), Vec::new());
    for it in &kernel.body {
        let Some(words) = words(kernel, it) else { continue };
        let own = |parameter: &&Parameter| words.start * 4 < parameter.offset + parameter.bytes();
        let structure = kernel.parameters.iter().find(own).is_some_and(|parameter| parameter.count.is_some());
        let found = if structure { &mut of_structures } else { &mut plain };
        found.extend(words.filter(|word| numbers.iter().all(|number| number.0 != 4 * word)));
    }
    let mut seen = HashSet::new();
    plain.into_iter().chain(of_structures).filter(|word| seen.insert(*word)).collect()
}

/// The words that an instruction reads of parameters by name.
fn words(kernel: &Kernel, it: &Instruction) -> Option<Range<u64>> {
    let from = kernel.loaded(it)?;
    Some(from / 4..(from + parts(it) * it.ty().bytes()).div_ceil(4))
}

/// How many elements a load has.
fn parts(it: &Instruction) -> u64 {
    match &it.operands[0] {
        Operand::Vector(parts) => parts.len() as u64,
        _ => 1,
    }
}

/// Whether an instruction reads a parameter at a place that is computed.
pub(super) fn is_computed(it: &Instruction) -> bool {
    let address = it.operands.get(1);
    it.space == Some(Space::Param) && matches!(address, Some(Operand::Memory { base: Base::Register(_), .. }))
}

/// Names the parameters that are read at places that are known. A generic address of a parameter is the same number.
pub fn run(kernel: &mut Kernel) {
    let takes = |it: &Instruction| it.operands.iter().any(is_address);
    if kernel.body.iter().any(takes) {
        let values = local::values(kernel, Space::Param);
        for at in 0..kernel.body.len() {
            if let Some(address) = named(kernel, &kernel.body[at], &values) {
                let it = &mut kernel.body[at];
                (it.operands[1], it.space) = (address, Some(Space::Param));
            }
        }
    }
    for it in kernel.body.iter_mut().filter(|it| it.opcode == Opcode::Cvta && it.space == Some(Space::Param)) {
        (it.opcode, it.space, it.words) = (Opcode::Mov, None, Words::default());
    }
}

/// The address of a load as a parameter's name and an offset, if it is known, and the load is all in the parameter.
fn named(kernel: &Kernel, it: &Instruction, values: &[Value]) -> Option<Operand> {
    let (Opcode::Ld, Some(Operand::Memory { base: Base::Register(register), offset })) =
        (it.opcode, it.operands.get(1))
    else {
        return None;
    };
    let Value::Known(Place { variable, offset: begin, generic }) = values[register.0 as usize] else { return None };
    let space = if generic { None } else { Some(Space::Param) };
    let (parameter, offset) = (&kernel.parameters[variable], begin.checked_add(*offset)?);
    let first = u64::try_from(offset).ok()?;
    let inside = first.checked_add(it.ty().bytes() * parts(it))? <= parameter.bytes();
    let aligned = (parameter.offset + first).is_multiple_of(it.ty().bytes());
    let base = Base::Symbol(Symbol::Parameter(variable));
    (it.space == space && inside && aligned).then_some(Operand::Memory { base, offset })
}

/// What is left of reads at computed places reads constant memory; so does what there are no scalar registers for, in a
/// launch with these numbers.
pub fn place(kernel: &mut Kernel, numbers: &[(u64, u32)]) {
    let named = named_words(kernel, numbers);
    let others: HashSet<u64> =
        if named.len() > SCALARS { named.into_iter().skip(FEW).collect() } else { HashSet::new() };
    let lacks = |it: &Instruction| words(kernel, it).is_some_and(|mut words| words.any(|word| others.contains(&word)));
    let moves: Vec<bool> = kernel.body.iter().map(|it| is_computed(it) || lacks(it)).collect();
    kernel.body.iter_mut().zip(moves).filter(|one| one.1).for_each(|one| one.0.space = Some(Space::Const));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    /// How each load reads: the space, the parameter's index if it has one, and the offset.
    fn loads(body: &str) -> Vec<(Option<Space>, Option<usize>, i64)> {
        let text = format!(
            ".version 7.8\n.target sm_70\n.address_size 64\n\
             .visible .entry k(.param .u32 n, .param .align 8 .b8 s[40], .param .u64 out)\n\
             {{ .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<9>;\nmov.u64 %d1, s; cvta.param.u64 %d2, %d1;\n\
             {body}\nret; }}"
        );
        let mut kernel = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
        assert!(in_memory(&kernel));
        run(&mut kernel);
        place(&mut kernel, &[]);
        assert!(kernel.body.iter().all(|it| it.opcode != Opcode::Cvta));
        let load = |it: &Instruction| match (it.opcode, it.operands.get(1)) {
            (Opcode::Ld, Some(Operand::Memory { base: Base::Symbol(Symbol::Parameter(index)), offset })) => {
                Some((it.space, Some(*index), *offset))
            }
            (Opcode::Ld, Some(Operand::Memory { offset, .. })) => Some((it.space, None, *offset)),
            _ => None,
        };
        kernel.body.iter().filter_map(load).collect()
    }

    #[test]
    fn known_places_get_names() {
        let param = |offset| (Some(Space::Param), Some(1), offset);
        assert_eq!(
            loads("ld.param.u32 %r1, [%d1]; add.s64 %d3, %d1, 8; ld.param.u64 %d4, [%d3+24];"),
            [0, 32].map(param)
        );
        assert_eq!(
            loads("mov.u64 %d3, s+12; ld.param.v2.u32 {%r1, %r2}, [%d3+4]; ld.u16 %r1, [%d2+38];")[..],
            [16, 38].map(param)
        );
        assert_eq!(loads("cvta.to.param.u64 %d3, %d2; or.b64 %d4, %d3, 4; ld.param.u32 %r1, [%d4];"), [param(4)]);
        assert_eq!(loads("cvta.param.u64 %d3, s; ld.u32 %r1, [%d3+4];"), [param(4)]);
    }

    #[test]
    fn others_read_memory() {
        let (constant, generic) = (|offset| (Some(Space::Const), None, offset), |offset| (None, None, offset));
        for (body, left) in [
            ("add.s64 %d3, %d1, %d4; ld.param.u32 %r1, [%d3+4];", constant(4)),
            ("add.s64 %d3, %d2, %d4; ld.u32 %r1, [%d3];", generic(0)),
            // Two places, one that is outside, one that is not aligned, one of another space.
            ("mov.u64 %d3, s; @%p1 mov.u64 %d3, s+4; ld.param.u32 %r1, [%d3];", constant(0)),
            ("ld.param.u32 %r1, [%d1+40];", constant(40)),
            ("ld.param.u32 %r1, [%d1+-8];", constant(-8)),
            ("ld.param.u32 %r1, [%d1+2];", constant(2)),
            ("ld.param.u32 %r1, [%d2];", constant(0)),
            ("ld.u32 %r1, [%d1];", generic(0)),
        ] {
            assert_eq!(loads(body), [left], "{body}");
        }
    }

    /// Of 40 words 16 stay, those of plain parameters first; of 32 all do.
    #[test]
    fn words_without_registers_read_memory() {
        for (count, left) in [(31, 32), (39, 16)] {
            let loads: String = (0..count).map(|at| format!("ld.param.u32 %r1, [s+{}];\n", 4 * at)).collect();
            let text = format!(
                ".version 4.2\n.target sm_50\n.address_size 32\n\
                 .visible .entry k(.param .align 4 .b8 s[160], .param .u32 n, .param .u32 m)\n\
                 {{ .reg .b32 %r<9>;\n{loads}ld.param.u32 %r2, [n]; ld.param.u32 %r3, [m]; ret; }}"
            );
            let mut kernel = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
            assert!(in_memory(&kernel));
            place(&mut kernel, &[(164, 5)]);
            let named: Vec<u64> = kernel.body.iter().filter_map(|it| kernel.loaded(it)).collect();
            assert_eq!((named.len(), named.contains(&160)), (left + 1, true), "{count}");
        }
    }

    #[test]
    fn names_alone_need_no_memory() {
        let text = ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .align 4 .b8 s[8])\n\
                    { .reg .b32 %r<9>; ld.param.u32 %r1, [s+4]; ld.global.u32 %r2, [%r1]; ret; }";
        assert!(!in_memory(&parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}")).kernels[0]));
    }
}
