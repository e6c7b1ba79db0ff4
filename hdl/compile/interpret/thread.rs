//! A thread: registers, place, and what each instruction does to them and to memory.

use super::launch::{Launch, Places};
use super::memory::{FIRST, Global, read, resolve, within, write};
use super::{atomic, convert, integer, parameters};
use crate::error::{Error, Place, Result};
use crate::ptx::ast::{Base, Instruction, Kernel, Module, Operand, RegisterId, Special, WARP};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// Why a thread does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It does.
    None,
    /// It waits at the barrier of this index in the body.
    Barrier(usize),
    /// It waits for others of its warp at the instruction of this index.
    Warp(usize),
    /// It has ended.
    End,
}

/// What one thread has.
pub(super) struct Thread {
    pub(super) number: [u32; 3],
    pub(super) stop: Stop,
    at: usize,
    /// Bits of each register, in the low end; none before it is written.
    registers: Vec<Option<u64>>,
    local: Vec<u8>,
    /// What the last instruction with `.cc` carried or borrowed; none before there was one.
    pub(super) carry: Option<bool>,
    /// What it brings to an exchange in its warp: value, two operands, and who takes part. To a reduction over a
    /// barrier the predicate.
    pub(super) brought: [u64; 4],
}

impl Thread {
    pub(super) fn new(kernel: &Kernel, number: [u32; 3], local: u64) -> Thread {
        let registers = vec![None; kernel.registers.len()];
        Thread {
            number,
            stop: Stop::None,
            at: 0,
            registers,
            local: vec![0; local as usize],
            carry: None,
            brought: [0; 4],
        }
    }

    pub(super) fn running(&self) -> bool {
        self.stop != Stop::End
    }

    /// The instruction at which it stands, for messages.
    pub(super) fn place(&self, kernel: &Kernel) -> Place {
        kernel.body.get(self.at.saturating_sub(1)).map_or(kernel.place, |instruction| instruction.place)
    }
}

/// What the threads of a block share.
pub(super) struct Block<'r> {
    pub(super) module: &'r Module,
    pub(super) kernel: &'r Kernel,
    launch: &'r Launch,
    places: &'r Places,
    global: &'r mut Global,
    at: [u32; 3],
    shared: Vec<u8>,
}

/// What an instruction may answer: where it fails, the reason.
pub(super) type Done<T> = std::result::Result<T, String>;

impl<'r> Block<'r> {
    pub(super) fn new(
        module: &'r Module,
        kernel: &'r Kernel,
        launch: &'r Launch,
        places: &'r Places,
        global: &'r mut Global,
        at: [u32; 3],
    ) -> Block<'r> {
        let shared = vec![0; places.shared as usize];
        Block { module, kernel, launch, places, global, at, shared }
    }

    /// Runs a thread to its next barrier, or to its end. `left` is what remains of the launch's limit.
    pub(super) fn run(&mut self, thread: &mut Thread, executed: &mut [u64], left: &mut u64) -> Result<()> {
        while thread.stop == Stop::None {
            let Some(instruction) = self.kernel.body.get(thread.at) else {
                thread.stop = Stop::End;
                break;
            };
            let at = thread.at;
            thread.at += 1;
            let done = match left.checked_sub(1) {
                None => Err(format!("{} instructions have not been enough; a loop without an end?", self.launch.limit)),
                Some(rest) => {
                    *left = rest;
                    self.step(thread, at, instruction)
                }
            };
            match done {
                Ok(done) => executed[at] += u64::from(done),
                Err(reason) => return Err(self.error(thread, instruction, &reason)),
            }
        }
        Ok(())
    }

    /// An error of a thread at an instruction.
    pub(super) fn error(&self, thread: &Thread, it: &Instruction, reason: &str) -> Error {
        Error::Run {
            origin: self.module.origin.clone(),
            place: it.place,
            block: self.at,
            thread: thread.number,
            reason: format!("`{}`: {reason}", it.spelling),
        }
    }

    /// Does an instruction; tells whether its guard let it.
    fn step(&mut self, thread: &mut Thread, at: usize, it: &Instruction) -> Done<bool> {
        if let Some(guard) = it.guard {
            if (self.register(thread, guard.register)? != 0) == guard.negated {
                return Ok(false);
            }
        }
        match it.opcode {
            Opcode::Bra => {
                let label = it.target().ok_or("a jump without a target")?;
                thread.at = self.kernel.labels[label].1;
            }
            Opcode::Ret | Opcode::Exit => thread.stop = Stop::End,
            Opcode::Trap => return Err("the kernel stops here by itself".into()),
            Opcode::Shfl | Opcode::Vote | Opcode::Redux | Opcode::Match => self.bring(thread, at, it)?,
            Opcode::Bar if it.words.has(Word::Warp) => self.bring(thread, at, it)?,
            Opcode::Bar => {
                if it.words.has(Word::Red) {
                    thread.brought[0] = self.value(thread, it, 2, Type::Pred)?;
                }
                thread.stop = Stop::Barrier(at);
            }
            Opcode::Addc | Opcode::Subc | Opcode::Madc => self.carried(thread, it)?,
            Opcode::Add | Opcode::Sub | Opcode::Mad if it.words.has(Word::Cc) => self.carried(thread, it)?,
            Opcode::Lop3 if it.operands.len() > 5 => self.logic_joined(thread, it)?,
            Opcode::Ld => self.load(thread, it)?,
            Opcode::St => self.store(thread, it)?,
            Opcode::Atom | Opcode::Red => self.atomic(thread, it)?,
            Opcode::Mov => self.moved(thread, it)?,
            Opcode::Setp => {
                let result = self.compared(thread, it)?;
                match it.operands[0] {
                    Operand::Pair(first, second) if it.ty().is_packed() => {
                        self.put(thread, first, u64::from(result[0]));
                        self.put(thread, second, u64::from(result[1]));
                    }
                    Operand::Pair(first, second) => {
                        self.put(thread, first, u64::from(result[0]));
                        let with = self.joined(thread, it)?;
                        let [a, b] = [self.value(thread, it, 1, it.ty())?, self.value(thread, it, 2, it.ty())?];
                        let other = convert::join(it.words, !convert::compare(it.ty(), it.words, a, b), with);
                        self.put(thread, second, u64::from(other));
                    }
                    _ => self.result(thread, it, Type::Pred, u64::from(result[0])),
                }
            }
            _ => {
                let (ty, value) = self.computed(thread, it)?;
                self.result(thread, it, ty, value);
            }
        }
        Ok(true)
    }

    /// `mov`, whole or in parts.
    fn moved(&self, thread: &mut Thread, it: &Instruction) -> Done<()> {
        let ty = it.ty();
        match (&it.operands[0], &it.operands[1]) {
            (Operand::Vector(parts), _) => {
                let bits = ty.bits() / parts.len() as u32;
                let whole = self.value(thread, it, 1, ty)?;
                for (index, part) in parts.iter().enumerate() {
                    if let Operand::Register(register) = part {
                        let value = whole >> (bits * index as u32) & (u64::MAX >> (64 - bits));
                        self.put(thread, *register, value);
                    }
                }
            }
            (_, Operand::Vector(parts)) => {
                let bits = ty.bits() / parts.len() as u32;
                let part_type = if bits == 32 { Type::B32 } else { Type::B16 };
                let mut whole = 0;
                for (index, part) in parts.iter().enumerate() {
                    whole |= self.operand(thread, part, part_type)? << (bits * index as u32);
                }
                self.result(thread, it, ty, whole);
            }
            _ => {
                let value = self.value(thread, it, 1, ty)?;
                self.result(thread, it, ty, value);
            }
        }
        Ok(())
    }

    fn load(&mut self, thread: &mut Thread, it: &Instruction) -> Done<()> {
        let (ty, size) = (it.ty(), it.ty().bytes() as usize);
        let parts: Vec<Operand> = match &it.operands[0] {
            Operand::Vector(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let count = (size * parts.len()) as u64;
        let bytes: &[u8] = match self.space(thread, it, 1)? {
            (Space::Param, address) => {
                // A structure's parts lie as its own alignment has them; of those with a name the parser has seen to
                // that.
                if matches!(it.operands[1], Operand::Memory { base: Base::Register(_), .. }) {
                    aligned(Space::Param, address, count)?;
                }
                let from = parameters::offset(self.kernel, address, count)?;
                &self.launch.parameters[from..from + count as usize]
            }
            // OpenCL's pointers to constants are arguments, too: buffers, which lie behind all constants of the module.
            (Space::Const, address) if it.space.is_some() && address >= FIRST => {
                aligned(Space::Const, address, count)?;
                self.global.at(address, count)?
            }
            (Space::Const, address) => {
                aligned(Space::Const, address, count)?;
                readable(&self.places.constants, address, count)?
            }
            _ => self.bytes(thread, it, 1, count)?,
        };
        let values: Vec<u64> = bytes.chunks(size).map(read).collect();
        for (part, value) in parts.iter().zip(values) {
            if let Operand::Register(register) = part {
                self.put(thread, *register, integer::number(ty, value) as u64);
            }
        }
        Ok(())
    }

    fn store(&mut self, thread: &mut Thread, it: &Instruction) -> Done<()> {
        let (ty, size) = (it.ty(), it.ty().bytes() as usize);
        let parts: Vec<&Operand> = match &it.operands[1] {
            Operand::Vector(parts) => parts.iter().collect(),
            other => vec![other],
        };
        let values = parts.iter().map(|part| self.operand(thread, part, ty)).collect::<Done<Vec<u64>>>()?;
        let bytes = self.bytes(thread, it, 0, (size * values.len()) as u64)?;
        bytes.chunks_mut(size).zip(values).for_each(|(bytes, value)| write(bytes, value));
        Ok(())
    }

    fn atomic(&mut self, thread: &mut Thread, it: &Instruction) -> Done<()> {
        let address = it.results;
        let mut values = [0; 2];
        for (value, operand) in values.iter_mut().zip(&it.operands[address + 1..]) {
            *value = self.operand(thread, operand, it.ty())?;
        }
        let global = self.space(thread, it, address)?.0 == Space::Global;
        let bytes = self.bytes(thread, it, address, it.ty().bytes())?;
        let old = read(bytes);
        write(bytes, atomic::changed(it.ty(), it.words, global, old, values));
        if it.results > 0 {
            self.result(thread, it, it.ty(), old);
        }
        Ok(())
    }

    /// Space and address of the operand `index`.
    fn space(&self, thread: &Thread, it: &Instruction, index: usize) -> Done<(Space, u64)> {
        let Operand::Memory { base, offset } = &it.operands[index] else { return Err("without an address".into()) };
        let start = match base {
            Base::Register(register) => self.register(thread, *register)?,
            Base::Sum(first, second) => self.register(thread, *first)?.wrapping_add(self.register(thread, *second)?),
            Base::Symbol(symbol) => self.places.of(self.kernel, *symbol),
            Base::Absolute => 0,
        };
        let mask = if self.module.address_size == 64 { u64::MAX } else { u64::from(u32::MAX) };
        let address = start.wrapping_add(*offset as u64) & mask;
        Ok(it.space.map_or_else(|| resolve(address), |space| (space, address)))
    }

    /// The bytes that the operand `index` leads to.
    fn bytes<'b>(
        &'b mut self,
        thread: &'b mut Thread,
        it: &Instruction,
        index: usize,
        count: u64,
    ) -> Done<&'b mut [u8]> {
        let (space, address) = self.space(thread, it, index)?;
        aligned(space, address, count)?;
        match space {
            Space::Global => self.global.at(address, count),
            Space::Shared => within(&mut self.shared, space, address, count),
            Space::Local => within(&mut thread.local, space, address, count),
            other => Err(format!("{} memory cannot be written", other.name())),
        }
    }

    /// The bits of operand `index`, read as `ty`.
    pub(super) fn value(&self, thread: &Thread, it: &Instruction, index: usize, ty: Type) -> Done<u64> {
        self.operand(thread, &it.operands[index], ty)
    }

    fn operand(&self, thread: &Thread, operand: &Operand, ty: Type) -> Done<u64> {
        let value = match operand {
            Operand::Register(register) => self.register(thread, *register)?,
            Operand::Predicate { register, negated } => self.register(thread, *register)? ^ u64::from(*negated),
            Operand::Immediate(bits) => *bits,
            Operand::Special(special) => u64::from(self.special(thread, *special)),
            Operand::Address(symbol, offset) => self.places.of(self.kernel, *symbol).wrapping_add(*offset as u64),
            _ => return Err("an operand that has no value".into()),
        };
        Ok(value & ty.mask())
    }

    fn special(&self, thread: &Thread, special: Special) -> u32 {
        match special {
            Special::Tid(axis) => thread.number[axis as usize],
            Special::Ntid(axis) => self.launch.block[axis as usize],
            Special::Ctaid(axis) => self.at[axis as usize],
            Special::Nctaid(axis) => self.launch.grid[axis as usize],
            Special::Lane => self.lane(thread),
            Special::Lanes(lanes) => lanes.mask(self.lane(thread)),
        }
    }

    fn lane(&self, thread: &Thread) -> u32 {
        let ([x, y, _], [tx, ty, tz]) = (self.launch.block, thread.number);
        (tx + x * (ty + y * tz)) % WARP
    }

    fn register(&self, thread: &Thread, register: RegisterId) -> Done<u64> {
        thread.registers[register.0 as usize]
            .ok_or_else(|| format!("{} is read before it is written", self.kernel.registers[register.0 as usize].name))
    }

    /// Writes a register: the bits that it has.
    pub(super) fn put(&self, thread: &mut Thread, register: RegisterId, value: u64) {
        let ty = self.kernel.registers[register.0 as usize].ty;
        thread.registers[register.0 as usize] = Some(value & ty.mask());
    }

    /// Writes the result of type `ty`, extended to its register where that is wider.
    pub(super) fn result(&self, thread: &mut Thread, it: &Instruction, ty: Type, value: u64) {
        if let Some(Operand::Register(register)) = it.operands.first() {
            self.put(thread, *register, integer::number(ty, value) as u64);
        }
    }
}

/// Whether an access of `count` bytes may begin there.
fn aligned(space: Space, address: u64, count: u64) -> Done<()> {
    if address.is_multiple_of(count) {
        return Ok(());
    }
    Err(format!("{} address {address:#x}: must be a multiple of {count}", space.name()))
}

/// Bytes of constant memory.
fn readable(bytes: &[u8], address: u64, count: u64) -> Done<&[u8]> {
    let end = address.checked_add(count).filter(|end| *end <= bytes.len() as u64);
    match end {
        Some(end) => Ok(&bytes[address as usize..end as usize]),
        None => Err(format!("const address {address:#x}, {count} bytes: there are {}", bytes.len())),
    }
}
