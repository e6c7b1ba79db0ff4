//! Variables in local memory that have not become registers lie in shared memory: each thread of a block has a frame
//! there, behind those of the threads before it. So an index that is no constant is an address like any other, and no
//! memory besides has to be found for a launch.
//!
//! All frames together are one variable, [`FRAMES`](crate::ptx::ast::FRAMES), behind all others of the window: the
//! launch knows how many threads a block has. A generic address of a local variable is one of shared memory, then.

use super::steps::{Steps, number, rewritten};
use super::{fresh, replaced};
use crate::ptx::ast::{Base, FRAMES, Instruction, Kernel, Operand, Symbol, Variable};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word, Words};

/// Puts shared memory in place of local memory; `block`: threads of a block, if that is known.
pub fn run(kernel: &mut Kernel, block: Option<[u32; 3]>) {
    let align = alignment(kernel);
    let (places, bytes) = frame(kernel, align);
    if bytes == 0 {
        return;
    }
    let place = |symbol: &Symbol| match symbol {
        Symbol::Kernel(variable) => places[*variable],
        _ => None,
    };
    let frames = Symbol::Kernel(kernel.variables.len());
    kernel.variables.push(Variable {
        name: FRAMES.into(),
        space: Space::Shared,
        element: Type::B8,
        count: Some(bytes),
        align,
        initial: Vec::new(),
    });
    let own = fresh(kernel, Type::B32);
    let frame = Operand::Register(own);
    let is_own = |operand: &Operand| match operand {
        Operand::Address(symbol, _) | Operand::Memory { base: Base::Symbol(symbol), .. } => place(symbol).is_some(),
        _ => false,
    };
    // Which addresses are local stays a question.
    let moves = |it: &Instruction| it.space == Some(Space::Local) && it.opcode != Opcode::Isspacep;
    let is = |it: &Instruction| moves(it) || it.operands.iter().any(is_own);
    rewritten(kernel, block, is, |steps| {
        let it = steps.like.clone();
        // An address may be computed for all.
        steps.like.guard = None;
        let ty = it.types.last().copied();
        let operands = it.operands.iter().map(|operand| match operand {
            Operand::Address(symbol, more) => match place(symbol) {
                Some(at) => steps.address(&frame, at + *more as u64, ty),
                None => operand.clone(),
            },
            Operand::Memory { base: Base::Symbol(symbol), offset } => match place(symbol) {
                Some(at) => Operand::Memory { base: Base::Register(own), offset: at as i64 + *offset },
                None => operand.clone(),
            },
            other => other.clone(),
        });
        let operands = operands.collect();
        let space = if moves(&it) { Some(Space::Shared) } else { it.space };
        steps.steps.push(Instruction { operands, space, ..it });
    });
    begin(kernel, block, (frames, bytes), frame);
}

/// Puts the address of a thread's frame into a register, before anything else.
fn begin(kernel: &mut Kernel, block: Option<[u32; 3]>, (frames, bytes): (Symbol, u64), frame: Operand) {
    let Some(first) = kernel.body.first().cloned() else { return };
    let mut steps = Steps::alone(kernel, Instruction { guard: None, ..first.clone() }, block);
    let thread = steps.thread();
    let offset = steps.of(Opcode::Mul, &[Word::Lo], Type::U32, &[&thread, &number(bytes as u32)]);
    let base = steps.of(Opcode::Mov, &[], Type::B32, &[&Operand::Address(frames, 0)]);
    steps.push(Opcode::Add, &[], Type::U32, vec![frame, offset, base], 1);
    let mut steps = steps.steps;
    steps.push(first);
    replaced(kernel, |at, it| if at == 0 { std::mem::take(&mut steps) } else { vec![it] });
}

/// What frames begin at multiples of: all variables in local memory are aligned, and all elements of theirs.
pub fn alignment(kernel: &Kernel) -> u64 {
    let local = kernel.variables.iter().filter(|variable| variable.space == Space::Local);
    local.map(|variable| variable.align).max().unwrap_or(1).max(16)
}

/// Where variables are in a frame, those of local memory that something names, and its bytes.
fn frame(kernel: &Kernel, align: u64) -> (Vec<Option<u64>>, u64) {
    let mut named = vec![false; kernel.variables.len()];
    for operand in kernel.body.iter().flat_map(|it| &it.operands) {
        if let Operand::Address(Symbol::Kernel(variable), _)
        | Operand::Memory { base: Base::Symbol(Symbol::Kernel(variable)), .. } = operand
        {
            named[*variable] = true;
        }
    }
    let mut end = 0_u64;
    let places = kernel.variables.iter().zip(named).map(|(variable, named)| {
        (named && variable.space == Space::Local).then(|| {
            let at = end.next_multiple_of(variable.align.max(1));
            end = at.saturating_add(variable.bytes());
            at
        })
    });
    let places = places.collect();
    (places, end.min(u32::MAX.into()).next_multiple_of(align))
}

impl Steps<'_> {
    /// The address so far behind the beginning of the thread's own frame, as an operand of this type.
    fn address(&mut self, frame: &Operand, offset: u64, ty: Option<Type>) -> Operand {
        let low = self.of(Opcode::Add, &[], Type::U32, &[frame, &number(offset as u32)]);
        if ty.is_none_or(|ty| ty.bits() != 64) {
            return low;
        }
        self.of_type(Type::B64, Opcode::Cvt, Words::default(), &[Type::U64, Type::U32], &[&low])
    }
}
