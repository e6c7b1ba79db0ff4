//! The interpreter as an engine.

#[cfg(test)]
mod testing;

use super::Engine;
use super::code::{Instr, Slot, Tables};
use super::context::Contexts;
use super::convert::graph;
use super::emit::Emitter;
use super::fuse::fuse;
use super::graph::{Graph, Id, Leaf, digits, limbs};
use super::groups::Groups;
use super::lanes::{lanes, reuse::reuse};
use super::layout::{CHANGES, Layout};
use super::lazy::Lazy;
use super::memory::{Word, contents};
use super::observe::{Observer, Phase};
use super::plan::plan;
use super::probe::Probe;
use super::run::{run, run_watched};
use super::schedule::schedule;
use super::special::{Values, countable, specialise};
use super::state::length;
use super::stream::Program;
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;

/// Size of an engine's code and state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions of a clock edge; a part of them is skipped in each cycle.
    pub instructions: usize,
    /// Of these, branches.
    pub branches: usize,
    /// 64-bit words of state besides memories.
    pub state_words: usize,
    /// 64-bit words of memories.
    pub memory_words: usize,
    /// Groups of values that are evaluated only when something that they depend on has changed.
    pub groups: usize,
}

/// Where a leaf's value is.
#[derive(Clone, Copy, Debug)]
struct Place {
    slot: Slot,
    width: u32,
    /// Something depends on it that is not evaluated in every cycle.
    told: bool,
}

/// Interprets a design: levelised code over packed words, one pass a clock edge. Nets are evaluated when somebody asks.
///
/// After some thousand cycles, and again at growing intervals, the engine compiles the design anew with what it has seen: see
/// [`Statistics::groups`]. Memories with the same writes are kept once: a word that is set in one is set in all of them.
pub struct Bytecode {
    design: Flat,
    graph: Graph,
    /// What clock edges need, in larger nodes.
    fused: Graph,
    /// The same with switches and its groups.
    special: Option<(Graph, Groups)>,
    /// Leaves whose values are counted.
    counted: Vec<Leaf>,
    layout: Layout,
    code: Vec<Instr>,
    program: Program,
    tables: Tables,
    state: Vec<u64>,
    words: Vec<u64>,
    /// Where the value of each net that is an input is.
    inputs: Vec<Option<Place>>,
    /// First word and number of words of each register.
    registers: Vec<(Slot, u32)>,
    /// Registers with their reset values: first word of the state, value.
    resets: Vec<(usize, Vec<u64>)>,
    /// For nets that somebody asks for; made when the first one does.
    lazy: Option<Lazy>,
    /// For nets that somebody asks for in most cycles.
    probe: Probe,
    /// Changes whenever the state does.
    now: u64,
    groups: Groups,
    observer: Observer,
    /// Somebody has changed a ROM: its contents are not to be relied on.
    patched: bool,
    /// Nodes that an observation looks at.
    watched: Vec<bool>,
    /// Every position is checked, as in a design that is too large for 16 bits.
    checked: bool,
}

impl Bytecode {
    /// Compiles a design. Registers and memories begin at 0, ROMs with their contents.
    pub fn new(design: Flat) -> Bytecode {
        let graph = graph(&design);
        let fused = lanes(&graph).unwrap_or_else(|| graph.clone());
        Bytecode::with(design, graph, fused)
    }

    /// The same with this graph for clock edges.
    fn with(design: Flat, graph: Graph, mut fused: Graph) -> Bytecode {
        let (memories, words) = contents(&graph);
        fuse(&mut fused);
        let mut engine = Bytecode {
            groups: Groups::none(&fused),
            design,
            graph,
            fused,
            special: None,
            counted: vec![],
            layout: Layout::default(),
            code: vec![],
            program: Program::default(),
            tables: Tables { memories, ..Tables::default() },
            state: vec![],
            words,
            registers: vec![],
            inputs: vec![],
            resets: vec![],
            lazy: None,
            probe: Probe::default(),
            now: 1,
            observer: Observer::default(),
            patched: false,
            watched: vec![],
            checked: false,
        };
        engine.compile(true);
        engine
    }

    /// Makes the code; the leaves keep their values. Returns the place of every node.
    fn compile(&mut self, branches: bool) -> Vec<Option<Slot>> {
        let (graph, groups) =
            self.special.as_ref().map_or((&self.fused, &self.groups), |(graph, groups)| (graph, groups));
        let contexts = Contexts::new(graph, groups, branches);
        let mut layout = Layout::new(graph, groups);
        let one = layout.constant(&[1]);
        let mut plan = plan(graph, groups, &contexts, &mut layout);
        let order = schedule(&plan.tasks, &contexts);
        // An observation looks at every node at the end of a cycle.
        if branches {
            reuse(graph, groups, &mut plan, &order);
        }
        let mut emitter = Emitter::default();
        emitter.edge(graph, &plan, &contexts, &layout, &order, one);
        let mut state = vec![0; length(layout.size)];
        layout.fill(&mut state);
        if !self.state.is_empty() {
            for (index, &width) in graph.leaves.iter().enumerate() {
                let leaf = Leaf(index as u32);
                let (from, to, n) = (self.layout.leaf(leaf) as usize, layout.leaf(leaf) as usize, limbs(width));
                state[to..to + n].copy_from_slice(&self.state[from..from + n]);
            }
        }
        // The first cycle evaluates everything.
        state[CHANGES as usize] = 1;
        self.resets = (self.design.registers.iter().zip(&graph.register_leaf))
            .filter_map(|(register, &leaf)| {
                let width = graph.leaves[leaf.0 as usize];
                register.reset.as_ref().map(|value| (layout.leaf(leaf) as usize, digits(value, width)))
            })
            .collect();
        let leaves = graph.register_leaf.iter();
        self.registers = leaves.map(|&leaf| (layout.leaf(leaf), limbs(graph.leaves[leaf.0 as usize]) as u32)).collect();
        let program = if self.checked { Program::once } else { Program::new };
        self.program = program(&emitter.code, &emitter.tables);
        self.code = emitter.code;
        self.tables = Tables { memories: std::mem::take(&mut self.tables.memories), ..emitter.tables };
        (self.layout, self.state, self.lazy) = (layout, state, None);
        let nets = (0..self.design.nets.len() as u32).map(NetId);
        let leaf = |net| self.graph.input_leaf.get(&self.design.source(net));
        self.inputs = nets.map(|net| leaf(net).map(|&leaf| self.place(leaf))).collect();
        self.probe.forget();
        plan.slots
    }

    /// Runs some cycles; returns the code of a clock edge with the number of times that each instruction was carried out, in
    /// thousandths of a cycle.
    pub fn profile(&mut self, cycles: u32) -> String {
        let mut counts = vec![0u64; self.code.len()];
        for _ in 0..cycles {
            let count = |position: u32| counts[self.program.starts.partition_point(|&start| start < position)] += 1;
            run_watched(&self.program, 0, 1, &self.tables, &mut self.state, &mut self.words, count);
        }
        self.changed();
        let mut text = String::new();
        for (pc, (instr, &count)) in self.code.iter().zip(&counts).enumerate() {
            let share = count * 1000 / u64::from(cycles.max(1));
            text += &match instr {
                Instr::Rare { at } => format!("{share:5} {pc:4}: {:?}\n", self.tables.rare[*at as usize]),
                Instr::Look { from, n, .. } => {
                    let looks = &self.tables.looks[*from as usize..][..*n as usize];
                    format!("{share:5} {pc:4}: {looks:?}\n")
                }
                _ => format!("{share:5} {pc:4}: {instr:?}\n"),
            };
        }
        let total: u64 = counts.iter().sum();
        text + &format!("{:.1} instructions a cycle\n", total as f64 / f64::from(cycles.max(1)))
    }

    /// Size of code and state.
    pub fn statistics(&self) -> Statistics {
        let jump = |i: &&Instr| matches!(i, Instr::JumpIf { .. } | Instr::JumpUnless { .. });
        Statistics {
            instructions: self.code.len(),
            branches: self.code.iter().filter(jump).count(),
            state_words: self.layout.size,
            memory_words: self.tables.memories.first().map_or(0, |m| m.written),
            groups: self.groups.stages.len(),
        }
    }

    fn word(&self, memory: usize) -> Word {
        self.tables.memories[self.graph.storage_of[memory]]
    }

    /// The place of a net's value in this cycle, which is computed if need be.
    fn find(&mut self, net: NetId) -> usize {
        let id = self.graph.nets[net.0 as usize];
        if self.probe.stale(self.now) {
            self.probe.make(&self.graph, &mut self.layout, &self.tables.memories);
            self.grow();
        }
        if let Some(slot) = self.probe.find(id, self.now, &mut self.state, &mut self.words) {
            return slot as usize;
        }
        self.probe.count(id, &self.graph);
        if self.lazy.is_none() {
            self.lazy = Some(Lazy::new(&self.graph, &mut self.layout, &self.tables.memories));
            self.grow();
        }
        let lazy = self.lazy.as_mut().expect("it was just made");
        lazy.evaluate(&self.graph, id, self.now, &mut self.state, &mut self.words);
        lazy.slot(id)
    }

    /// Gives the state the layout's size.
    fn grow(&mut self) {
        self.state.resize(length(self.layout.size), 0);
        self.layout.fill(&mut self.state);
    }

    /// Something was changed from outside: nothing is known about the next cycle.
    fn changed(&mut self) {
        self.now += 1;
        self.state[CHANGES as usize] += 1;
    }

    fn place(&self, leaf: Leaf) -> Place {
        let (slot, width) = (self.layout.leaf(leaf), self.graph.leaves[leaf.0 as usize]);
        Place { slot, width, told: !self.layout.free(leaf) }
    }

    #[inline]
    fn set(&mut self, Place { slot, width, told }: Place, value: &[u64]) {
        let slot = slot as usize;
        if width <= 64 {
            let value = value.first().map_or(0, |limb| limb & u64::MAX >> (64 - width));
            if std::mem::replace(&mut self.state[slot], value) == value {
                return;
            }
        } else {
            assign(&mut self.state[slot..slot + limbs(width)], value, width);
        }
        self.now += 1;
        self.state[CHANGES as usize] += u64::from(told);
    }

    /// Watches a cycle of an observation, or begins one.
    fn observe(&mut self, phase: Phase) {
        if phase == Phase::Begin {
            (self.groups, self.special) = (Groups::none(&self.fused), None);
            let slots = self.compile(false);
            let places = slots.iter().enumerate().map(|(i, slot)| (slot.unwrap_or(0), self.fused.limbs(Id(i as u32))));
            let leaves = (0..self.fused.leaves.len() as u32).map(Leaf);
            self.counted = leaves.filter(|leaf| countable(self.fused.leaves[leaf.0 as usize])).collect();
            let counted = self.counted.iter().map(|&leaf| self.layout.leaf(leaf)).collect();
            self.observer.begin(places.collect(), counted, &self.state[..self.layout.size]);
            self.watched = slots.iter().map(Option::is_some).collect();
        } else if let Some(changes) = self.observer.watch(&self.state) {
            let changes: Vec<_> = changes.into_iter().zip(&self.watched).map(|(c, &w)| w.then_some(c)).collect();
            self.groups = Groups::new(&self.fused, &changes);
            let values = self.counted.drain(..).zip(self.observer.values());
            let values: Vec<Values> = values.filter(|(_, values)| values.len() > 1).collect();
            if !self.patched {
                self.special = specialise(&self.fused, &self.groups, &values, None);
            }
            self.compile(true);
        }
    }
}

/// Copies a value; missing limbs are 0, bits above the width are dropped.
fn assign(target: &mut [u64], value: &[u64], width: u32) {
    for (i, limb) in target.iter_mut().enumerate() {
        *limb = value.get(i).copied().unwrap_or(0);
    }
    if !width.is_multiple_of(64) {
        target[limbs(width) - 1] &= (1 << (width % 64)) - 1;
    }
}

impl Engine for Bytecode {
    fn design(&self) -> &Flat {
        &self.design
    }

    #[inline]
    fn set_input(&mut self, input: NetId, value: &[u64]) {
        if let Some(place) = self.inputs[input.0 as usize] {
            self.set(place, value);
        }
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        let (at, limbs) = (self.find(net), limbs(self.design.net(net).width));
        self.state[at..][..limbs].to_vec()
    }

    fn low(&mut self, net: NetId) -> u64 {
        let at = self.find(net);
        self.state[at]
    }

    fn tick(&mut self, reset: bool) {
        run(&self.program, 0, 1, &self.tables, &mut self.state, &mut self.words);
        self.now += 1;
        if reset {
            for (slot, value) in &self.resets {
                self.state[*slot..][..value.len()].copy_from_slice(value);
            }
            self.changed();
        }
        match self.observer.count() {
            Phase::Idle => {}
            phase => self.observe(phase),
        }
    }

    fn run(&mut self, cycles: u64) {
        let mut left = cycles;
        while left > 0 {
            let quiet = self.observer.quiet(left);
            if quiet > 0 {
                run(&self.program, 0, quiet, &self.tables, &mut self.state, &mut self.words);
                self.now += quiet;
                left -= quiet;
            } else {
                self.tick(false);
                left -= 1;
            }
        }
    }

    #[inline]
    fn register(&self, register: usize) -> &[u64] {
        let (slot, limbs) = self.registers[register];
        &self.state[slot as usize..][..limbs as usize]
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        self.set(self.place(self.graph.register_leaf[register]), value);
    }

    fn memory(&self, memory: usize) -> &[u64] {
        let word = self.word(memory);
        &self.words[word.base..][..word.depth as usize * word.limbs]
    }

    fn written(&self, memory: usize) -> Option<&[u64]> {
        let word = self.word(memory);
        Some(&self.words[word.written..][..(word.depth as usize).div_ceil(64)])
    }

    fn forget_written(&mut self) {
        let first = self.tables.memories.first().map_or(0, |m| m.written);
        self.words[first..].fill(0);
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        let m = self.word(memory);
        if word < m.depth as usize {
            let width = self.design.memories[memory].width;
            assign(&mut self.words[m.base + word * m.limbs..][..m.limbs], value, width);
            self.words[m.written + word / 64] |= 1 << (word % 64);
            if !self.patched && self.graph.storages[self.graph.storage_of[memory]].contents.is_some() {
                self.patched = true;
                // During an observation there is none.
                if self.special.take().is_some() {
                    self.compile(true);
                }
            }
            self.changed();
        }
    }
}
