//! Passes over kernels before words are chosen: from a kernel in PTX to one that does the same with less. Each has a
//! file of its own and looks at nothing but the kernel; the interpreter runs the kernel as it was read.
//!
//! | pass | |
//! |---|---|
//! | `simple` | instructions that no word does become several that words do |
//! | `warps` | exchanges in warps become stores to shared memory, and loads from there |
//! | `sizes` | sizes of blocks and grid become numbers |
//! | `local` | variables in local memory become registers, where all places are known |
//! | `parameters` | parameters that are read at places that are known are named; others are in memory |
//! | `ranges` | 64-bit addresses are looked at where their lower half may be one that they are not |
//! | `frames` | those of local memory that have no registers lie in shared memory, a frame for each thread |
//! | `narrow` | 64-bit integers of which nobody sees the upper half become 32-bit ones: addresses, above all |
//! | `numbers` | copies of registers that hold a number become that number |
//! | `strides` | addresses that count in loops become rows that stay, and a register for all threads that counts |
//! | `addresses` | sums that are nothing but addresses are left to the words of memory |
//! | `multiples` | addresses become sums of multiples, a register for all threads and a number; equal sums are one |
//! | `scales` | shifts that make addresses stand before each access, whose word shifts by itself |
//! | `dead` | what nobody reads is not computed |

mod addresses;
mod dead;
mod forms;
mod frames;
mod local;
mod multiples;
mod narrow;
mod numbers;
mod parameters;
mod ranges;
mod scales;
mod simple;
mod sizes;
mod steps;
mod strides;
mod uniform;
mod warps;

pub use frames::alignment;
pub use parameters::in_memory;

use crate::ptx::ast::{Base, Instruction, Kernel, Operand, Register, RegisterId};
use crate::ptx::types::{Space, Type};

/// How many blocks and threads there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Blocks: x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub block: [u32; 3],
}

/// What a `trap` has that stands for an access at an address of more than 32 bits, as no text gives it one.
pub const TRAP_OF_ACCESS: Operand = Operand::Immediate(1);
/// The same for an access on its line or on others behind it.
pub const TRAP_OF_ACCESSES: Operand = Operand::Immediate(2);

/// How addresses are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// As the text has them.
    Text,
    /// Taken apart.
    Apart,
    /// Taken apart, with shifts before accesses.
    Scaled,
}

/// What passes know of a kernel's launches.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Bits of its addresses, as its module says.
    pub address_bits: u32,
    /// The sizes; none for launches of any.
    pub sizes: Option<&'a Sizes>,
    /// Arguments that are numbers: where they are in the parameter space, and what they are.
    pub numbers: &'a [(u64, u32)],
    /// Where parameters of 64 bits are that are taken with all of their bits, though addresses are made of them.
    pub all: &'a [u64],
}

/// The kernel after all passes. `crossbar`: a crossbar joins the threads of a warp.
#[must_use]
pub fn optimized(kernel: &Kernel, given: Given<'_>, addressing: Addressing, crossbar: bool) -> Kernel {
    let Given { sizes, numbers, .. } = given;
    let mut kernel = kernel.clone();
    simple::run(&mut kernel);
    warps::run(&mut kernel, sizes, crossbar);
    sizes.iter().for_each(|sizes| sizes::run(&mut kernel, sizes));
    local::run(&mut kernel);
    parameters::run(&mut kernel);
    // Addresses that nobody needs any more keep nothing in memory.
    dead::run(&mut kernel);
    let block = sizes.map(|sizes| sizes.block).or(kernel.exact_threads);
    ranges::run(&mut kernel, given);
    frames::run(&mut kernel, block);
    narrow::run(&mut kernel);
    parameters::place(&mut kernel, numbers);
    numbers::run(&mut kernel);
    dead::run(&mut kernel);
    if addressing != Addressing::Text {
        strides::run(&mut kernel);
    }
    addresses::run(&mut kernel);
    dead::run(&mut kernel);
    if addressing != Addressing::Text {
        multiples::run(&mut kernel, numbers);
        dead::run(&mut kernel);
    }
    if addressing == Addressing::Scaled {
        scales::run(&mut kernel);
    }
    dead::run(&mut kernel);
    kernel
}

/// A register that no text names.
fn fresh(kernel: &mut Kernel, ty: Type) -> RegisterId {
    let name = format!("%own{}", kernel.registers.len());
    kernel.registers.push(Register { name, ty });
    RegisterId(kernel.registers.len() as u32 - 1)
}

/// Puts instructions in place of others; labels move along.
fn replaced(kernel: &mut Kernel, mut with: impl FnMut(usize, Instruction) -> Vec<Instruction>) {
    let mut starts = Vec::new();
    let mut body = Vec::new();
    for (at, instruction) in std::mem::take(&mut kernel.body).into_iter().enumerate() {
        starts.push(body.len());
        body.extend(with(at, instruction));
    }
    starts.push(body.len());
    kernel.body = body;
    kernel.labels.iter_mut().for_each(|label| label.1 = starts[label.1]);
}

/// Puts another register in place of one that an operand is, or has in an address.
fn rename(operand: &mut Operand, from: RegisterId, to: RegisterId) {
    let change = |register: &mut RegisterId| {
        if *register == from {
            *register = to;
        }
    };
    match operand {
        Operand::Register(register) | Operand::Memory { base: Base::Register(register), .. } => change(register),
        Operand::Memory { base: Base::Sum(first, second), .. } => [first, second].into_iter().for_each(change),
        _ => {}
    }
}

/// Whether nothing happens but that the result is written.
fn pure(it: &Instruction) -> bool {
    use crate::ptx::table::Opcode as O;
    match it.opcode {
        O::St
        | O::Atom
        | O::Red
        | O::Shfl
        | O::Vote
        | O::Redux
        | O::Match
        | O::Bar
        | O::Barrier
        | O::Membar
        | O::Fence => false,
        O::Bra | O::Ret | O::Exit | O::Trap => false,
        // A load may trap.
        O::Ld | O::Ldu => it.space == Some(Space::Param) && !parameters::is_computed(it),
        _ => it.results > 0,
    }
}
