//! The interpreter as an engine.

#[cfg(test)]
mod testing;

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
use super::place::{Place, Row, assign};
use super::plan::plan;
use super::probe::Probe;
use super::run::{run, run_watched};
use super::schedule::schedule;
use super::special::{Values, countable, specialise};
use super::state::length;
use super::stream::Program;
use super::wide::Rare;
use super::{Engine, Limbs};
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

/// Interprets a design: levelised code over packed words, one pass a clock edge. Nets are evaluated when somebody asks.
///
/// After some thousand cycles, and again at growing intervals, the engine compiles the design anew with what it has
/// seen: see [`Statistics::groups`]. Memories with the same writes are kept once: a word that is set in one is set in
/// all of them.
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
    registers: Vec<Place>,
    /// Registers with their reset values.
    resets: Vec<(Place, Vec<u64>)>,
    /// For nets that somebody asks for; made when the first one does.
    lazy: Option<Lazy>,
    /// For nets that somebody asks for in most cycles.
    probe: Probe,
    /// Changes whenever the state does, except when inputs are set.
    now: u64,
    /// Inputs were set since somebody asked for a value.
    fresh: bool,
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
            fresh: false,
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
            // Lanes come with their rows.
            for (index, &width) in graph.leaves.iter().enumerate().filter(|(i, _)| graph.parts[*i].is_none()) {
                let leaf = Leaf(index as u32);
                let (from, to, n) = (self.layout.leaf(leaf) as usize, layout.leaf(leaf) as usize, limbs(width));
                state[to..to + n].copy_from_slice(&self.state[from..from + n]);
            }
        }
        // The first cycle evaluates everything.
        state[CHANGES as usize] = 1;
        let program = if self.checked { Program::once } else { Program::new };
        self.program = program(&emitter.code, &emitter.tables);
        self.code = emitter.code;
        self.tables = Tables { memories: std::mem::take(&mut self.tables.memories), ..emitter.tables };
        (self.layout, self.state, self.lazy) = (layout, state, None);
        let place = |leaf: Leaf| Place::new(&self.layout, leaf, self.graph.leaves[leaf.0 as usize]);
        self.registers = self.graph.register_leaf.iter().map(|&leaf| place(leaf)).collect();
        self.resets = (self.design.registers.iter().zip(&self.registers))
            .filter_map(|(register, &place)| {
                Some((place, digits(register.reset.as_ref()?, self.design.net(register.net).width)))
            })
            .collect();
        let nets = (0..self.design.nets.len() as u32).map(NetId);
        let leaf = |net| self.graph.input_leaf.get(&self.design.source(net));
        self.inputs = nets.map(|net| leaf(net).map(|&leaf| place(leaf))).collect();
        self.probe.forget();
        plan.slots
    }

    /// Runs some cycles; returns the code of a clock edge with the number of times that each instruction was carried
    /// out, in thousandths of a cycle.
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
                Instr::Rare { at } if let Rare::Lanes { from, to } = self.tables.rare[*at as usize] => {
                    let each = self.tables.lanes[from..to].iter().map(|each| format!("{share:5} {pc:4}: {each:?}\n"));
                    each.collect()
                }
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
        self.now += u64::from(std::mem::take(&mut self.fresh));
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

    /// Watches a cycle of an observation, or begins one.
    fn observe(&mut self, phase: Phase) {
        if phase == Phase::Begin {
            (self.groups, self.special) = (Groups::none(&self.fused), None);
            let slots = self.compile(false);
            let places = slots.iter().enumerate().map(|(i, slot)| (slot.unwrap_or(0), self.fused.limbs(Id(i as u32))));
            let leaves = (0..self.fused.leaves.len() as u32).map(Leaf);
            self.counted = leaves.filter(|&leaf| countable(&self.fused, leaf)).collect();
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

    fn set_inputs(&mut self, inputs: &[NetId], values: &[u64]) {
        let mut row = Row::new(&mut self.state);
        for (&input, &value) in inputs.iter().zip(values) {
            if let Some(place) = &self.inputs[input.0 as usize] {
                row.put(place, value);
            }
        }
        let (changed, told) = row.end();
        self.fresh |= changed;
        self.state[CHANGES as usize] += u64::from(told);
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
            self.resets.iter().for_each(|(place, value)| _ = place.put(&mut self.state, value));
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
    fn register(&self, register: usize) -> Limbs<'_> {
        self.registers[register].get(&self.state)
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

    fn forget_written(&mut self) {
        let first = self.tables.memories.first().map_or(0, |m| m.written);
        self.words[first..].fill(0);
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        let m = self.word(memory);
        if word < m.depth as usize {
            let mask = u64::MAX >> (64 * m.limbs as u32 - self.design.memories[memory].width);
            assign(&mut self.words[m.base + word * m.limbs..][..m.limbs], value, mask);
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
