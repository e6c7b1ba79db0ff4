//! Engines that run a netlist. One step is one clock edge: inputs are set, outputs may be looked at, `tick` takes every
//! register and memory over the edge.
//!
//! [`Native`] compiles a netlist to machine code; [`Reference`] evaluates it as its documentation reads, slowly.

mod action;
pub mod batch;
mod context;
mod convert;
mod graph;
mod groups;
mod image;
mod lanes;
mod layout;
mod lower;
mod memory;
mod native;
mod observe;
mod place;
mod plan;
mod probe;
mod reference;
mod schedule;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bitline_kernel as kernel;
use kernel::flat::Flat;
use kernel::netlist::{NetId, Netlist};

pub use batch::Batch;
pub use image::{Image, Kept, Writer};
pub use memory::Bank;
pub use native::{Native, Statistics};
pub use place::Place;
pub use reference::Reference;

/// The words of a value.
#[derive(Clone, Copy, Debug)]
pub enum Limbs<'a> {
    /// As the engine keeps them.
    Kept(&'a [u64]),
    /// A single one, which has neighbours where the engine keeps it.
    One([u64; 1]),
}

impl std::ops::Deref for Limbs<'_> {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Limbs::Kept(words) => words,
            Limbs::One(word) => word,
        }
    }
}

impl AsRef<[u64]> for Limbs<'_> {
    fn as_ref(&self) -> &[u64] {
        self
    }
}

impl<T: AsRef<[u64]> + ?Sized> PartialEq<T> for Limbs<'_> {
    fn eq(&self, other: &T) -> bool {
        **self == *other.as_ref()
    }
}

/// Runs a design.
pub trait Engine {
    /// The design, without hierarchy: names nets, registers and memories.
    fn design(&self) -> &Flat;
    /// Sets an input for the cycles that follow.
    fn set_input(&mut self, input: NetId, value: &[u64]);
    /// Sets inputs of at most 64 bits, one after the other: quicker than one by one where they lie together, as those
    /// of lanes do, and are the same as the last time.
    ///
    /// # Panics
    /// May, if one has more bits, or there are not as many values.
    fn set_inputs(&mut self, inputs: &[NetId], values: &[u64]) {
        inputs.iter().zip(values).for_each(|(&input, &value)| self.set_input(input, &[value]));
    }
    /// Value of any net in this cycle: after inputs were set, before the edge.
    fn value(&mut self, net: NetId) -> Vec<u64>;
    /// The lowest 64 bits of a net in this cycle.
    fn low(&mut self, net: NetId) -> u64 {
        self.value(net)[0]
    }
    /// Where the values of nets in this cycle are, in the nets' order, if the engine keeps them together once they were
    /// asked for often.
    fn shown(&mut self, _nets: &[NetId]) -> Option<Kept<'_>> {
        None
    }
    /// One clock edge; with `reset`, registers take their reset values.
    fn tick(&mut self, reset: bool);
    /// Clock edges without reset, with the inputs as they are.
    fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.tick(false));
    }
    /// Value of a register's net, without evaluating anything.
    fn register(&self, register: usize) -> Limbs<'_>;
    /// All registers, where an engine keeps them together.
    fn kept(&self) -> Option<Kept<'_>> {
        None
    }
    /// Replaces a register's value.
    fn set_register(&mut self, register: usize, value: &[u64]);
    /// All words of a memory, one after the other.
    fn memory(&self, memory: usize) -> &[u64];
    /// Which words of a memory may have changed since [`Engine::forget_written`], a bit each; nothing if that is not
    /// known.
    fn written(&self, _memory: usize) -> Option<&[u64]> {
        None
    }
    /// Where [`Engine::any_written`] has what [`Engine::written`] tells of these memories, as long as the engine is
    /// there; what lies between may be other memories'.
    fn written_at(&self, _memories: &[usize]) -> Option<Range<usize>> {
        None
    }
    /// Whether a word was written of which that is noted there.
    fn any_written(&self, _at: Range<usize>) -> bool {
        true
    }
    /// These memories as a bank, with the words that it looks at: as long as the engine is there.
    fn bank(&self, _memories: &[usize]) -> Option<Bank> {
        None
    }
    /// The words of all memories, and what tells which were written: for a [`Bank`].
    fn words(&self) -> &[u64] {
        &[]
    }
    /// From here on, no word has been written.
    fn forget_written(&mut self) {}
    /// Replaces a word of a memory. Engines may keep memories once that are written alike and begin with the same
    /// words, as those that serve as one with more ports: then it is replaced in all of them.
    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]);
}

/// What is in a box runs as it does outside: for those that choose an engine at run time.
impl<E: Engine + ?Sized> Engine for Box<E> {
    fn design(&self) -> &Flat {
        (**self).design()
    }

    fn set_input(&mut self, input: NetId, value: &[u64]) {
        (**self).set_input(input, value);
    }

    fn set_inputs(&mut self, inputs: &[NetId], values: &[u64]) {
        (**self).set_inputs(inputs, values);
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        (**self).value(net)
    }

    fn low(&mut self, net: NetId) -> u64 {
        (**self).low(net)
    }

    fn shown(&mut self, nets: &[NetId]) -> Option<Kept<'_>> {
        (**self).shown(nets)
    }

    fn tick(&mut self, reset: bool) {
        (**self).tick(reset);
    }

    fn run(&mut self, cycles: u64) {
        (**self).run(cycles);
    }

    fn register(&self, register: usize) -> Limbs<'_> {
        (**self).register(register)
    }

    fn kept(&self) -> Option<Kept<'_>> {
        (**self).kept()
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        (**self).set_register(register, value);
    }

    fn memory(&self, memory: usize) -> &[u64] {
        (**self).memory(memory)
    }

    fn written(&self, memory: usize) -> Option<&[u64]> {
        (**self).written(memory)
    }

    fn written_at(&self, memories: &[usize]) -> Option<Range<usize>> {
        (**self).written_at(memories)
    }

    fn any_written(&self, at: Range<usize>) -> bool {
        (**self).any_written(at)
    }

    fn bank(&self, memories: &[usize]) -> Option<Bank> {
        (**self).bank(memories)
    }

    fn words(&self) -> &[u64] {
        (**self).words()
    }

    fn forget_written(&mut self) {
        (**self).forget_written();
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        (**self).set_word(memory, word, value);
    }
}

/// The default engine for a netlist.
pub fn engine(netlist: &Netlist) -> Native {
    Native::new(Flat::new(netlist))
}

/// Finds nets, registers and memories by their paths.
pub trait Lookup {
    /// The net with this path.
    fn find_net(&self, path: &str) -> Option<NetId>;
    /// The register whose net has this path.
    fn find_register(&self, path: &str) -> Option<usize>;
    /// The memory with this path.
    fn find_memory(&self, path: &str) -> Option<usize>;
}

impl Lookup for Flat {
    fn find_net(&self, path: &str) -> Option<NetId> {
        self.nets.iter().position(|n| n.path == path).map(|i| NetId(i as u32))
    }

    fn find_register(&self, path: &str) -> Option<usize> {
        self.registers.iter().position(|r| self.net(r.net).path == path)
    }

    fn find_memory(&self, path: &str) -> Option<usize> {
        self.memories.iter().position(|m| m.path == path)
    }
}
