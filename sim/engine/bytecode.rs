//! The interpreter as an engine.

use super::code::{Instr, Tables, Word, run, run_watched};
use super::context::Contexts;
use super::emit::Emitter;
use super::graph::{Graph, Leaf, Op, digits, graph, limbs};
use super::lazy::Lazy;
use super::plan::{Layout, plan};
use super::quiet::{LEVELS, Observer};
use super::schedule::schedule;
use super::Engine;
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
    /// Registers, inputs and read ports that seldom change: what depends on them alone is evaluated only when they do.
    pub quiet: usize,
}

/// Interprets a design: levelised code over packed words, one pass a clock edge. Nets are evaluated when somebody asks.
///
/// After some thousand cycles, and again at growing intervals, the engine compiles the design anew with what it has seen: see
/// [`Statistics::quiet`]. Memories with the same writes are kept once: a word that is set in one is set in all of them.
pub struct Bytecode {
    design: Flat,
    graph: Graph,
    layout: Layout,
    code: Vec<Instr>,
    tables: Tables,
    state: Vec<u64>,
    words: Vec<u64>,
    /// Registers with their reset values: first word of the state, value.
    resets: Vec<(usize, Vec<u64>)>,
    /// For nets that somebody asks for; made when the first one does.
    lazy: Option<Lazy>,
    /// Changes whenever the state does.
    now: u64,
    levels: Vec<u8>,
    observer: Observer,
}

impl Bytecode {
    /// Compiles a design. Registers and memories begin at 0, ROMs with their contents.
    pub fn new(design: Flat) -> Bytecode {
        let graph = graph(&design);
        let (memories, words) = contents(&graph);
        let mut engine = Bytecode {
            levels: vec![LEVELS; graph.leaves.len()],
            design,
            graph,
            layout: Layout::default(),
            code: vec![],
            tables: Tables { memories, ..Tables::default() },
            state: vec![],
            words,
            resets: vec![],
            lazy: None,
            now: 1,
            observer: Observer::default(),
        };
        engine.compile();
        engine
    }

    /// Makes the code; the leaves keep their values.
    fn compile(&mut self) {
        let graph = &self.graph;
        let contexts = Contexts::new(graph, &self.levels);
        let mut layout = Layout::new(graph, &self.levels);
        let one = layout.constant(&[1]);
        let plan = plan(graph, &contexts, &mut layout);
        let order = schedule(&plan.tasks, &contexts);
        let mut emitter = Emitter::default();
        if contexts.sleeps() {
            emitter.wake(graph, &mut layout);
        }
        emitter.edge(graph, &plan, &contexts, &order, one);
        let mut state = vec![0; layout.size];
        layout.fill(&mut state);
        if !self.state.is_empty() {
            for (index, &width) in graph.leaves.iter().enumerate() {
                let leaf = Leaf(index as u32);
                let (from, to, n) = (self.layout.leaf(leaf) as usize, layout.leaf(leaf) as usize, limbs(width));
                state[to..to + n].copy_from_slice(&self.state[from..from + n]);
            }
        }
        // The first cycle evaluates everything.
        state[0] = 1;
        self.resets = (self.design.registers.iter().zip(&graph.register_leaf))
            .filter_map(|(register, &leaf)| {
                let width = graph.leaves[leaf.0 as usize];
                register.reset.as_ref().map(|value| (layout.leaf(leaf) as usize, digits(value, width)))
            })
            .collect();
        self.code = emitter.code;
        self.tables.rare = emitter.tables.rare;
        (self.layout, self.state, self.lazy) = (layout, state, None);
    }

    /// Runs some cycles; returns the code of a clock edge with the number of times that each instruction was carried out, in
    /// thousandths of a cycle.
    pub fn profile(&mut self, cycles: u32) -> String {
        let mut counts = vec![0u64; self.code.len()];
        for _ in 0..cycles {
            let count = |pc: usize| counts[pc] += 1;
            run_watched(&self.code, 0, &self.tables, &mut self.state, &mut self.words, count);
        }
        self.changed();
        let mut text = String::new();
        for (pc, (instr, &count)) in self.code.iter().zip(&counts).enumerate() {
            let share = count * 1000 / u64::from(cycles.max(1));
            text += &match instr {
                Instr::Rare { at } => format!("{share:5} {pc:4}: {:?}\n", self.tables.rare[*at as usize]),
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
            state_words: self.state.len(),
            memory_words: self.words.len(),
            quiet: self.levels.iter().filter(|&&level| level < LEVELS).count(),
        }
    }

    fn word(&self, memory: usize) -> Word {
        self.tables.memories[self.graph.storage_of[memory]]
    }

    /// Something was changed from outside: nothing is known about the next cycle.
    fn changed(&mut self) {
        self.now += 1;
        self.state[0] += 1;
    }

    fn set_leaf(&mut self, leaf: Leaf, value: &[u64]) {
        let (slot, width) = (self.layout.leaf(leaf) as usize, self.graph.leaves[leaf.0 as usize]);
        assign(&mut self.state[slot..slot + limbs(width)], value, width);
        self.changed();
    }

    /// Leaves the words of the state that each leaf occupies to the observer, and follows its advice.
    fn observe(&mut self) {
        let (graph, layout) = (&self.graph, &self.layout);
        let place = |i: usize| (layout.leaf(Leaf(i as u32)) as usize, limbs(graph.leaves[i]));
        if let Some(levels) = self.observer.look(&self.state, graph.leaves.len(), place) {
            self.settle(levels);
        }
    }

    /// Compiles anew for these levels of quietness.
    fn settle(&mut self, mut levels: Vec<u8>) {
        for &awake in &self.graph.awake {
            if let Op::Leaf(awake) = self.graph.node(awake).op {
                levels[awake.0 as usize] = LEVELS;
            }
        }
        if levels != self.levels {
            self.levels = levels;
            self.compile();
        }
    }

    /// Compiles anew for any levels.
    #[cfg(test)]
    pub(super) fn shake(&mut self, mut level: impl FnMut() -> u8) {
        self.settle((0..self.graph.leaves.len()).map(|_| level()).collect());
    }
}

/// Memories one after the other.
fn contents(graph: &Graph) -> (Vec<Word>, Vec<u64>) {
    let (mut memories, mut words) = (Vec::new(), Vec::new());
    for storage in &graph.storages {
        let (base, limbs) = (words.len(), limbs(storage.width));
        let mask = if storage.depth.is_power_of_two() { storage.depth as u64 - 1 } else { u64::MAX };
        memories.push(Word { base, depth: storage.depth as u64, mask, limbs });
        if let Some(contents) = &storage.contents {
            words.extend(contents.iter().take(storage.depth).flatten());
        }
        words.resize(base + storage.depth * limbs, 0);
    }
    (memories, words)
}

/// Copies a value; missing limbs are 0, bits above the width are dropped.
fn assign(target: &mut [u64], value: &[u64], width: u32) {
    for (i, limb) in target.iter_mut().enumerate() {
        *limb = value.get(i).copied().unwrap_or(0);
    }
    if width % 64 != 0 {
        target[limbs(width) - 1] &= (1 << (width % 64)) - 1;
    }
}

impl Engine for Bytecode {
    fn design(&self) -> &Flat {
        &self.design
    }

    fn set_input(&mut self, input: NetId, value: &[u64]) {
        let input = self.design.source(input);
        if let Some(&leaf) = self.graph.input_leaf.get(&input) {
            self.set_leaf(leaf, value);
        }
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        if self.lazy.is_none() {
            self.lazy = Some(Lazy::new(&self.graph, &mut self.layout, &self.tables.memories));
            self.state.resize(self.layout.size, 0);
            self.layout.fill(&mut self.state);
        }
        let id = self.graph.nets[net.0 as usize];
        let limbs = limbs(self.design.net(net).width);
        let Some(lazy) = &mut self.lazy else { return vec![] };
        lazy.evaluate(&self.graph, id, self.now, &mut self.state, &mut self.words);
        self.state[lazy.slot(id)..][..limbs].to_vec()
    }

    fn tick(&mut self, reset: bool) {
        run(&self.code, 0, &self.tables, &mut self.state, &mut self.words);
        self.now += 1;
        if reset {
            for (slot, value) in &self.resets {
                self.state[*slot..][..value.len()].copy_from_slice(value);
            }
            self.changed();
        }
        if self.observer.due() {
            self.observe();
        }
    }

    fn register(&self, register: usize) -> &[u64] {
        let leaf = self.graph.register_leaf[register];
        &self.state[self.layout.leaf(leaf) as usize..][..limbs(self.graph.leaves[leaf.0 as usize])]
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        self.set_leaf(self.graph.register_leaf[register], value);
    }

    fn memory(&self, memory: usize) -> &[u64] {
        let word = self.word(memory);
        &self.words[word.base..][..word.depth as usize * word.limbs]
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        let m = self.word(memory);
        if word < m.depth as usize {
            let width = self.design.memories[memory].width;
            assign(&mut self.words[m.base + word * m.limbs..][..m.limbs], value, width);
            self.changed();
        }
    }
}
