//! Variables in local memory that have not become registers lie in shared memory: each thread of a block has a frame
//! there, behind those of the threads before it. So an index that is no constant is an address like any other, and no
//! memory besides has to be found for a launch.
//!
//! All frames together are one variable, [`FRAMES`](crate::ptx::ast::FRAMES), behind all others of the window: the
//! launch knows how many threads a block has. A generic address of a local variable is one of shared memory, then.

use super::steps::{Steps, number};
use super::{fresh, replaced};
use crate::ptx::ast::{Base, FRAMES, Instruction, Kernel, Operand, Symbol, Variable};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type};

/// Puts shared memory in place of local memory; `block`: threads of a block, if that is known.
pub fn run(kernel: &mut Kernel, block: Option<[u32; 3]>) {
    let (places, bytes) = frame(kernel);
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
        align: ALIGN,
        initial: Vec::new(),
    });
    let Some(first) = kernel.body.first().cloned() else { return };
    let mut begin = Steps::new(kernel, Instruction { guard: None, ..first }, block);
    let thread = begin.thread();
    let offset = begin.of(Opcode::Mul, &[crate::ptx::types::Word::Lo], Type::U32, &[&thread, &number(bytes as u32)]);
    let base = begin.of(Opcode::Mov, &[], Type::B32, &[&Operand::Address(frames, 0)]);
    let own = begin.of(Opcode::Add, &[], Type::U32, &[&offset, &base]);
    let begin = begin.steps;
    let Operand::Register(frame) = own else { unreachable!("a result is a register") };
    let mut found: Vec<Vec<Instruction>> = Vec::new();
    for (at, it) in kernel.body.clone().into_iter().enumerate() {
        let mut steps = Steps::new(kernel, Instruction { guard: None, ..it.clone() }, block);
        let ty = it.types.last().copied();
        let operands = it.operands.iter().map(|operand| match operand {
            Operand::Address(symbol, more) => match place(symbol) {
                Some(at) => steps.address(&own, at + *more as u64, ty),
                None => operand.clone(),
            },
            Operand::Memory { base: Base::Symbol(symbol), offset } => match place(symbol) {
                Some(at) => Operand::Memory { base: Base::Register(frame), offset: at as i64 + *offset },
                None => operand.clone(),
            },
            other => other.clone(),
        });
        let operands = operands.collect();
        let space = if it.space == Some(Space::Local) { Some(Space::Shared) } else { it.space };
        let before = if at == 0 { begin.clone() } else { Vec::new() };
        let own = Instruction { operands, space, ..it };
        found.push(before.into_iter().chain(steps.steps).chain([own]).collect());
    }
    replaced(kernel, |at, _| std::mem::take(&mut found[at]));
}

/// Frames begin at multiples of this, so that all elements of a variable are aligned.
const ALIGN: u64 = 16;

/// Where variables are in a frame, those of local memory that something names, and its bytes.
fn frame(kernel: &Kernel) -> (Vec<Option<u64>>, u64) {
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
            let at = end.next_multiple_of(variable.align.clamp(1, ALIGN));
            end = at.saturating_add(variable.bytes());
            at
        })
    });
    let places = places.collect();
    (places, end.min(u32::MAX.into()).next_multiple_of(ALIGN))
}

impl Steps<'_> {
    /// The address so far behind the beginning of the thread's own frame, as an operand of this type.
    fn address(&mut self, frame: &Operand, offset: u64, ty: Option<Type>) -> Operand {
        let low = self.of(Opcode::Add, &[], Type::U32, &[frame, &number(offset as u32)]);
        if ty.is_none_or(|ty| ty.bits() != 64) {
            return low;
        }
        let wide = Operand::Register(fresh(self.kernel, Type::B64));
        self.push(Opcode::Cvt, &[], Type::U64, vec![wide.clone(), low], 1);
        self.steps.last_mut().expect("it is there").types.push(Type::U32);
        wide
    }
}
