//! Batches: many data sets through one stream of control.
//!
//! ```text
//!  design ─▶ taint ─▶ widen ─▶ control ─▶ design of the batch ─▶ engine
//!            what depends       what watches
//!            on data            for divergence
//! ```
//!
//! The caller names where data come from (inputs, registers, memories), and instances that all sets share. What depends
//! on data outside of these instances is there for each set; everything else is simulated once. So a batch is exact: it
//! is as many copies of the design, with common state in the shared instances. If that state would become another for
//! some set than for set 0, the set has diverged, and nothing can be read of the batch any more but what went wrong.

mod control;
mod taint;
mod widen;

use std::fmt;

use crate::kernel::error::{Error, Result};
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::{Engine, Lookup, Native};
use control::{Watch, watch};
use taint::{Region, Sources};
use widen::{Kept, Widen};

/// Most data sets of a batch.
pub const MOST_SETS: usize = 1024;

/// What a batch is made of.
#[derive(Clone, Copy, Debug)]
pub struct Sharing<'a> {
    /// Data sets, 1 … [`MOST_SETS`].
    pub sets: usize,
    /// Paths of the inputs, registers and memories that have values of their own in each set.
    pub data: &'a [&'a str],
    /// Paths of the instances whose state all sets share.
    pub shared: &'a [&'a str],
}

/// Where and when data sets parted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Paths of the ports of shared instances that had other values.
    pub ports: Vec<String>,
    /// The sets that would have gone another way than set 0.
    pub sets: Vec<usize>,
    /// Clock edges of the batch before that.
    pub cycle: u64,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets: Vec<String> = self.sets.iter().take(8).map(usize::to_string).collect();
        let more = if self.sets.len() > sets.len() { " and others" } else { "" };
        let (ports, cycle) = (self.ports.join(", "), self.cycle);
        let sets = sets.join(", ");
        write!(f, "{ports}: in cycle {cycle}, data of set {sets}{more} lead control elsewhere than those of set 0")
    }
}

impl std::error::Error for Divergence {}

/// Data sets on an engine.
pub struct Batch<E = Native> {
    design: Flat,
    engine: E,
    sets: usize,
    nets: Vec<Kept<NetId>>,
    registers: Vec<Kept<usize>>,
    memories: Vec<Kept<usize>>,
    watch: Option<Watch>,
}

impl Batch<Native> {
    /// A batch on the native engine.
    ///
    /// # Errors
    /// [`Error::Parameter`] as for [`Batch::on`].
    pub fn new(design: Flat, sharing: Sharing) -> Result<Batch> {
        Batch::on(design, sharing, Native::apart)
    }
}

impl<E: Engine> Batch<E> {
    /// A batch on the engine that is made for its design. Memories with different numbers hold different sets: an
    /// engine that keeps equal memories once must not take them for equal.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are too few or too many sets, or if a path leads to nothing that can be data or
    /// be shared.
    pub fn on(design: Flat, sharing: Sharing, engine: impl FnOnce(Flat, &[usize]) -> E) -> Result<Batch<E>> {
        let Sharing { sets, data, shared } = sharing;
        if !(1..=MOST_SETS).contains(&sets) {
            return Err(Error::parameter("sets", sets, format!("must be 1 … {MOST_SETS}")));
        }
        let region = Region(shared.iter().map(ToString::to_string).collect());
        for instance in shared {
            let alone = Region(vec![instance.to_string()]);
            if !design.nets.iter().any(|net| alone.holds(&net.path)) {
                return Err(Error::parameter("shared", instance, "must be the path of an instance"));
            }
        }
        let mut sources = Sources::default();
        for path in data {
            let input = design.inputs.iter().copied().find(|&net| design.net(net).path == **path);
            let (register, memory) = (design.find_register(path), design.find_memory(path));
            if region.holds(path) {
                return Err(Error::parameter("data", path, "is inside of an instance that is shared"));
            }
            match (input, register, memory) {
                (Some(input), ..) => sources.inputs.push(input),
                (_, Some(register), _) => sources.registers.push(register),
                (.., Some(memory)) => sources.memories.push(memory),
                _ => return Err(Error::parameter("data", path, "must be an input, a register or a memory")),
            }
        }
        let mut w = Widen::new(&design, &sources, &region, sets);
        let watch = watch(&mut w);
        let (nets, registers, memories) = (w.nets, w.registers, w.memories);
        let apart = w.firsts;
        let wide = Flat { exprs: w.build.exprs, ..w.new };
        Ok(Batch { engine: engine(wide, &apart), design, sets, nets, registers, memories, watch })
    }

    /// The design, of which each set has the parts that depend on data.
    pub fn design(&self) -> &Flat {
        &self.design
    }

    /// Number of data sets.
    pub fn sets(&self) -> usize {
        self.sets
    }

    /// The engine, which runs the design of the batch.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// Sets an input for the cycles that follow, for all sets.
    pub fn set_input(&mut self, input: NetId, value: &[u64]) {
        match &self.nets[input.0 as usize] {
            Kept::Once(net) => self.engine.set_input(*net, value),
            Kept::Sets(_, nets) => nets.iter().for_each(|&net| self.engine.set_input(net, value)),
        }
    }

    /// Sets an input for one set. If it is none that has data, that is the same for all sets.
    pub fn set_input_of(&mut self, set: usize, input: NetId, value: &[u64]) {
        let (net, _) = self.nets[input.0 as usize].of(set);
        self.engine.set_input(net, value);
    }

    /// One clock edge; with `reset`, registers take their reset values.
    ///
    /// # Errors
    /// [`Divergence`] if sets have parted, in this cycle or before.
    pub fn tick(&mut self, reset: bool) -> std::result::Result<(), Divergence> {
        self.engine.tick(reset);
        self.check()
    }

    /// Clock edges without reset, with the inputs as they are.
    ///
    /// # Errors
    /// [`Divergence`] if sets have parted, in one of these cycles or before.
    pub fn run(&mut self, cycles: u64) -> std::result::Result<(), Divergence> {
        self.engine.run(cycles);
        self.check()
    }

    /// Whether all sets still follow the same control.
    ///
    /// # Errors
    /// [`Divergence`] if they do not.
    #[inline]
    pub fn check(&self) -> std::result::Result<(), Divergence> {
        let Some(watch) = &self.watch else { return Ok(()) };
        let sets = self.engine.register(watch.sets);
        if sets.iter().all(|&word| word == 0) {
            return Ok(());
        }
        let ones = |words: &[u64]| (0..64 * words.len()).filter(|i| words[i / 64] >> (i % 64) & 1 == 1).collect();
        let ports: Vec<usize> = ones(&self.engine.register(watch.ports));
        Err(Divergence {
            ports: ports.into_iter().map(|port| watch.paths[port].clone()).collect(),
            sets: ones(&sets),
            cycle: self.engine.register(watch.cycle)[0],
        })
    }

    /// Value of any net in this cycle, for a set: after inputs were set, before the edge.
    ///
    /// # Errors
    /// [`Divergence`] if sets have parted.
    pub fn value(&mut self, set: usize, net: NetId) -> std::result::Result<Vec<u64>, Divergence> {
        self.check()?;
        let (wide, place) = self.nets[net.0 as usize].of(set);
        Ok(cut(&self.engine.value(wide), place, self.design.net(net).width))
    }

    /// Value of a register's net, for a set.
    ///
    /// # Errors
    /// [`Divergence`] if sets have parted.
    pub fn register(&self, set: usize, register: usize) -> std::result::Result<Vec<u64>, Divergence> {
        self.check()?;
        let (wide, place) = self.registers[register].of(set);
        Ok(cut(&self.engine.register(wide), place, self.design.net(self.design.registers[register].net).width))
    }

    /// A word of a memory, for a set.
    ///
    /// # Errors
    /// [`Divergence`] if sets have parted.
    pub fn word(&self, set: usize, memory: usize, word: usize) -> std::result::Result<Vec<u64>, Divergence> {
        self.check()?;
        let (wide, place) = self.memories[memory].of(set);
        Ok(cut(self.wide_word(wide, word), place, self.design.memories[memory].width))
    }

    fn wide_word(&self, wide: usize, word: usize) -> &[u64] {
        let limbs = self.engine.design().memories[wide].width.div_ceil(64) as usize;
        &self.engine.memory(wide)[word * limbs..][..limbs]
    }

    /// Replaces a word of a memory, for one set; for all of them if the memory holds no data.
    pub fn set_word(&mut self, set: usize, memory: usize, word: usize, value: &[u64]) {
        let ((wide, place), width) = (self.memories[memory].of(set), self.design.memories[memory].width);
        let mut all = self.wide_word(wide, word).to_vec();
        put(&mut all, place, width, value);
        self.engine.set_word(wide, word, &all);
    }

    /// Replaces a register's value, for one set; for all of them if it holds no data.
    pub fn set_register(&mut self, set: usize, register: usize, value: &[u64]) {
        let width = self.design.net(self.design.registers[register].net).width;
        let (wide, place) = self.registers[register].of(set);
        let mut all = self.engine.register(wide).to_vec();
        put(&mut all, place, width, value);
        self.engine.set_register(wide, &all);
    }
}

/// The value of this width at a place among values side by side.
fn cut(all: &[u64], place: usize, width: u32) -> Vec<u64> {
    let bit = |i: usize| all[i / 64] >> (i % 64) & 1;
    let (first, width) = (place * width as usize, width as usize);
    if first.is_multiple_of(64) && width.is_multiple_of(64) {
        return all[first / 64..][..width / 64].to_vec();
    }
    let word = |low: usize| (low..width.min(low + 64)).fold(0, |word, i| word | bit(first + i) << (i - low));
    (0..width).step_by(64).map(word).collect()
}

/// Replaces it.
fn put(all: &mut [u64], place: usize, width: u32, value: &[u64]) {
    for i in 0..width as usize {
        let (at, bit) = (place * width as usize + i, value.get(i / 64).map_or(0, |word| word >> (i % 64) & 1));
        all[at / 64] = all[at / 64] & !(1 << (at % 64)) | bit << (at % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::{cut, put};

    #[test]
    fn values_side_by_side() {
        let mut all = [0; 3];
        for (place, value) in [[0x123, 0], [!0, 1], [0, !0]].iter().enumerate() {
            put(&mut all, place, 60, &value[..1]);
        }
        assert_eq!([0, 1, 2].map(|place| cut(&all, place, 60)), [vec![0x123], vec![u64::MAX >> 4], vec![0]]);
        let mut all = [0; 4];
        put(&mut all, 1, 128, &[5, 6]);
        assert_eq!((all, cut(&all, 1, 128)), ([0, 0, 5, 6], vec![5, 6]));
    }
}
