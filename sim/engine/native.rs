//! Compiles a design to machine code and runs it.
//!
//! Modules as they work: `tree` (tasks and branches), `stored` (what has to be in memory), `later` (when values are
//! computed), `translate` with `scalar`, `wide`, `loops` and `vectors`, `memories` and `due` (code), `calls` and
//! `called` (not worth code of its own), `code` (machine code).

pub(crate) mod called;
mod calls;
pub(crate) mod code;
mod due;
mod interpret;
mod later;
pub(crate) mod loops;
mod memories;
pub(crate) mod scalar;
mod shown;
mod stored;
#[cfg(test)]
mod testing;
pub(crate) mod translate;
pub(crate) mod tree;
mod vectors;
mod wide;

use std::ops::Range;

use num_bigint::BigUint;

use crate::context::Contexts;
use crate::convert::graph;
use crate::graph::{Graph, Leaf, Op, digits, limbs};
use crate::groups::{GAIN, Groups};
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::lanes::{lanes, reuse::reuse};
use crate::layout::{CHANGES, LENGTH, Layout};
use crate::memory::{Bank, Word, contents};
use crate::observe::Observer;
use crate::place::{Place, Together, assign};
use crate::plan::plan;
use crate::probe::Probe;
use crate::reference::{State, Values, number};
use crate::schedule::schedule;
use crate::{Engine, Kept, Limbs};
use code::Code;
use shown::Watched;
use translate::{Edge, translate};
use tree::tree;

/// The share of its time that a clock edge may take after a new compilation.
const WORTH: f64 = 0.9;

/// Size of an engine's code and state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Values that a clock edge computes and moves; a part of them is skipped in each cycle.
    pub tasks: usize,
    /// Functions of machine code.
    pub functions: usize,
    /// Bytes of machine code.
    pub bytes: usize,
    /// 64-bit words of state besides memories.
    pub state_words: usize,
    /// 64-bit words of memories.
    pub memory_words: usize,
    /// Groups of values that are evaluated only when something that they depend on has changed.
    pub groups: usize,
}

/// Runs a design as machine code, one pass a clock edge. Nets are evaluated when somebody asks.
///
/// After some thousand cycles, and later ever more rarely, the engine looks what the design does, and compiles it once
/// more if that promises to be worth it: see [`Statistics::groups`]. Memories with the same writes are kept once: a
/// word that is set in one is set in all of them.
pub struct Native {
    design: Flat,
    graph: Graph,
    /// What clock edges need, with lanes where that is worth it.
    fused: Graph,
    layout: Layout,
    code: Code,
    tasks: usize,
    memories: Vec<Word>,
    state: Vec<u64>,
    words: Vec<u64>,
    /// Where the value of each net that is an input is.
    inputs: Vec<Option<Place>>,
    /// Those that were set together the last time.
    together: Together,
    registers: Vec<Place>,
    /// Where the value of each net is that is none but an input's, a register's or a read port's.
    leaves: Vec<Option<Place>>,
    /// How often the code was made.
    version: u64,
    /// Registers with their reset values.
    resets: Vec<(Place, Vec<u64>)>,
    /// For nets that somebody asks for in most cycles.
    probe: Probe,
    /// Nets that are asked for together.
    watched: Vec<Watched>,
    /// For the others: what was evaluated, and in which cycle.
    values: (Values, u64),
    /// Changes whenever the state does, except when inputs are set.
    now: u64,
    /// Inputs were set since somebody asked for a value.
    fresh: bool,
    groups: Groups,
    observer: Observer,
    /// Why there is no code.
    interpreted: Option<String>,
}

impl Native {
    /// Compiles a design. Registers and memories begin at 0, ROMs with their contents.
    /// Where there is no compiler for this processor, the engine does without: see [`Native::interpreted`].
    pub fn new(design: Flat) -> Native {
        let apart = vec![0; design.memories.len()];
        Native::apart(design, &apart)
    }

    /// The same with a number for each memory: only those with the same one may be kept once.
    pub(crate) fn apart(design: Flat, apart: &[usize]) -> Native {
        let graph = graph(&design, apart);
        let fused = lanes(&graph).unwrap_or_else(|| graph.clone());
        Native::with(design, graph, fused)
    }

    /// The same with this graph for clock edges.
    fn with(design: Flat, graph: Graph, fused: Graph) -> Native {
        let (memories, words) = contents(&graph);
        let mut engine = Native {
            groups: Groups::none(&fused),
            design,
            graph,
            fused,
            layout: Layout::default(),
            code: Code::default(),
            tasks: 0,
            memories,
            state: vec![],
            words,
            registers: vec![],
            leaves: vec![],
            inputs: vec![],
            together: Together::default(),
            version: 0,
            resets: vec![],
            probe: Probe::default(),
            watched: vec![],
            values: (Values::default(), 0),
            now: 1,
            fresh: false,
            observer: Observer::default(),
            interpreted: None,
        };
        engine.compile();
        engine
    }

    /// Makes the code; the leaves keep their values.
    fn compile(&mut self) {
        let (graph, groups) = (&self.fused, &self.groups);
        let contexts = Contexts::new(graph, groups);
        let mut layout = Layout::new(graph, groups);
        let mut plan = plan(graph, groups, &contexts, &mut layout);
        let order = schedule(graph, &plan.tasks, &contexts);
        reuse(graph, groups, &mut plan, &order);
        let mut state = vec![0; layout.size.max(LENGTH)];
        layout.fill(&mut state);
        if !self.state.is_empty() {
            // Lanes come with their rows.
            for (index, &width) in graph.leaves.iter().enumerate().filter(|(i, _)| graph.parts[*i].is_none()) {
                let leaf = Leaf(index as u32);
                let (from, to, n) = (self.layout.leaf(leaf) as usize, layout.leaf(leaf) as usize, limbs(width));
                state[to..to + n].copy_from_slice(&self.state[from..from + n]);
            }
        }
        // The first cycle evaluates everything.
        state[CHANGES as usize] = 1;
        let items = tree(graph, &plan, &contexts, &order);
        self.tasks = tree::count(&items);
        let edge =
            Edge { g: graph, plan: &plan, contexts: &contexts, groups, layout: &layout, memories: &self.memories };
        match translate(edge, items, (layout.size, self.words.len())) {
            Ok(code) => self.code = code,
            Err(reason) => self.do_without(reason),
        }
        (self.layout, self.state) = (layout, state);
        let place = |leaf: Leaf| Place::new(&self.layout, leaf, self.graph.leaves[leaf.0 as usize]);
        self.registers = self.graph.register_leaf.iter().map(|&leaf| place(leaf)).collect();
        self.resets = (self.design.registers.iter().zip(&self.registers))
            .filter_map(|(register, &place)| {
                Some((place, digits(register.reset.as_ref()?, self.design.net(register.net).width)))
            })
            .collect();
        let nets = || (0..self.design.nets.len() as u32).map(NetId);
        let leaf = |net| self.graph.input_leaf.get(&self.design.source(net));
        self.inputs = nets().map(|net| leaf(net).map(|&leaf| place(leaf))).collect();
        let leaf = |net: NetId| match self.graph.node(self.graph.nets[net.0 as usize]).op {
            Op::Leaf(leaf) => Some(place(leaf)),
            _ => None,
        };
        self.leaves = nets().map(leaf).collect();
        self.probe.forget();
        self.together = Together::default();
        self.version += 1;
    }

    /// Size of code and state.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            tasks: self.tasks,
            functions: self.code.functions(),
            bytes: self.code.bytes(),
            state_words: self.layout.size,
            memory_words: self.memories.first().map_or(0, |m| m.written),
            groups: self.groups.count,
        }
    }

    fn word(&self, memory: usize) -> Word {
        self.memories[self.graph.storage_of[memory]]
    }

    /// Something was changed from outside: nothing is known about the next cycle.
    fn changed(&mut self) {
        self.now += 1;
        self.state[CHANGES as usize] += 1;
    }

    #[inline]
    fn set(&mut self, place: Place, value: &[u64]) {
        if place.put(&mut self.state, value) {
            // A count would make each call wait for the one before it.
            self.fresh = true;
            if place.told {
                self.state[CHANGES as usize] += 1;
            }
        }
    }

    /// Watches a cycle of an observation; after the last one, makes better code.
    fn observe(&mut self) {
        let (graph, layout) = (&self.fused, &self.layout);
        // Lanes change with their rows.
        let words = |leaf: usize| if graph.parts[leaf].is_none() { limbs(graph.leaves[leaf]) } else { 0 };
        let places = (0..graph.leaves.len()).map(|leaf| (layout.leaf(Leaf(leaf as u32)), words(leaf)));
        if let Some(changes) = self.observer.watch(places, &self.state[..layout.size]) {
            let groups = Groups::new(graph, &changes, GAIN);
            if groups.time(graph, &changes) < WORTH * self.groups.time(graph, &changes) {
                self.groups = groups;
                self.compile();
            }
        }
    }
}

impl State for Native {
    fn leaf(&self, net: NetId) -> BigUint {
        let Op::Leaf(leaf) = self.graph.node(self.graph.nets[net.0 as usize]).op else {
            unreachable!("inputs, registers and clocked read ports are leaves")
        };
        number(&Place::new(&self.layout, leaf, self.graph.leaves[leaf.0 as usize]).get(&self.state))
    }

    fn word(&self, memory: usize, word: usize) -> BigUint {
        let m = self.word(memory);
        number(&self.words[m.base + word * m.limbs..][..m.limbs])
    }
}

impl Engine for Native {
    fn design(&self) -> &Flat {
        &self.design
    }

    #[inline]
    fn set_input(&mut self, input: NetId, value: &[u64]) {
        if let Some(place) = self.inputs[input.0 as usize] {
            self.set(place, value);
        }
    }

    fn set_inputs(&mut self, inputs: &[NetId], values: &[u64]) {
        if !self.together.are(inputs) {
            self.together = Together::new(inputs, |input| self.inputs[input.0 as usize]);
        }
        let (changed, told) = self.together.put(&mut self.state, values);
        self.fresh |= changed;
        self.state[CHANGES as usize] += u64::from(told);
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        self.with_value(net, <[u64]>::to_vec)
    }

    fn shown(&mut self, nets: &[NetId]) -> Option<Kept<'_>> {
        self.find_shown(nets)
    }

    fn low(&mut self, net: NetId) -> u64 {
        let kept = self.leaves[net.0 as usize].map(|place| place.get(&self.state)[0]);
        kept.unwrap_or_else(|| self.with_value(net, |value| value[0]))
    }

    fn tick(&mut self, reset: bool) {
        if self.interpreted.is_some() {
            return self.interpret(reset);
        }
        self.code.run(1, &mut self.state, &mut self.words);
        self.now += 1;
        if reset {
            self.resets.iter().for_each(|(place, value)| _ = place.put(&mut self.state, value));
            self.changed();
        }
        if self.observer.quiet(1) == 0 {
            self.observe();
        }
    }

    fn run(&mut self, cycles: u64) {
        let mut left = cycles;
        while left > 0 {
            let quiet = if self.interpreted.is_some() { 0 } else { self.observer.quiet(left) };
            if quiet > 0 {
                self.code.run(quiet, &mut self.state, &mut self.words);
                self.now += quiet;
                left -= quiet;
            } else {
                self.tick(false);
                left -= 1;
            }
        }
    }

    #[inline]
    fn register(&self, register: usize) -> Limbs<'_> {
        self.registers[register].get(&self.state)
    }

    #[inline]
    fn kept(&self) -> Option<Kept<'_>> {
        Some(Kept { state: &self.state, places: &self.registers, version: self.version })
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        self.set(self.registers[register], value);
    }

    fn memory(&self, memory: usize) -> &[u64] {
        let word = self.word(memory);
        &self.words[word.base..][..word.depth as usize * word.limbs]
    }

    fn written(&self, memory: usize) -> Option<&[u64]> {
        let word = self.word(memory);
        Some(&self.words[word.written..][..(word.depth as usize).div_ceil(64)])
    }

    fn written_at(&self, memories: &[usize]) -> Option<Range<usize>> {
        let at = memories.iter().map(|&memory| {
            let word = self.word(memory);
            word.written..word.written + (word.depth as usize).div_ceil(64)
        });
        at.reduce(|all, at| all.start.min(at.start)..all.end.max(at.end))
    }

    fn any_written(&self, at: Range<usize>) -> bool {
        self.words[at].iter().fold(0, |all, bits| all | bits) != 0
    }

    fn bank(&self, memories: &[usize]) -> Option<Bank> {
        Bank::new(&memories.iter().map(|&memory| self.word(memory)).collect::<Vec<Word>>())
    }

    fn words(&self) -> &[u64] {
        &self.words
    }

    fn forget_written(&mut self) {
        let first = self.memories.first().map_or(0, |m| m.written);
        self.words[first..].fill(0);
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        let m = self.word(memory);
        if word < m.depth as usize {
            let mask = u64::MAX >> (64 * m.limbs as u32 - self.design.memories[memory].width);
            assign(&mut self.words[m.base + word * m.limbs..][..m.limbs], value, mask);
            self.words[m.written + word / 64] |= 1 << (word % 64);
            self.changed();
        }
    }
}
