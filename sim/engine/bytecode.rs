//! The interpreter as an engine.

use std::collections::HashMap;

use super::Engine;
use super::code::{Instr, Tables, Word, run, run_watched};
use super::context::Contexts;
use super::emit::Emitter;
use super::graph::{Graph, Id, graph, limbs};
use super::plan::{Layout, plan};
use super::schedule::schedule;
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
}

/// Interprets a design: levelised code over packed words, one pass a clock edge. Nets are evaluated when somebody asks.
pub struct Bytecode {
    design: Flat,
    graph: Graph,
    code: Vec<Instr>,
    tables: Tables,
    state: Vec<u64>,
    words: Vec<u64>,
    /// Registers with their reset values: first word of the state, value.
    resets: Vec<(usize, Vec<u64>)>,
    /// First word and number of words of each register.
    registers: Vec<(usize, usize)>,
    inputs: HashMap<NetId, (usize, u32)>,
    lazy: Lazy,
}

/// Code of each node for itself, for what only the outside wants to know.
struct Lazy {
    code: Vec<Instr>,
    tables: Tables,
    /// Place of each node.
    slots: Vec<u32>,
    /// Where each node's code begins; none for leaves and constants.
    starts: Vec<Option<u32>>,
    /// The cycle for which each node was evaluated.
    stamps: Vec<u64>,
    /// Changes whenever the state does.
    now: u64,
    stack: Vec<Id>,
}

impl Bytecode {
    /// Compiles a design. Registers and memories begin at 0, ROMs with their contents.
    pub fn new(design: Flat) -> Bytecode {
        let graph = graph(&design);
        let contexts = Contexts::new(&graph);
        let mut layout = Layout::new(&graph);
        let one = layout.constant(&[1]);
        let plan = plan(&graph, &contexts, &mut layout);
        let order = schedule(&plan.tasks, &contexts);
        let mut emitter = Emitter::default();
        emitter.edge(&graph, &plan, &contexts, &order, one);
        let (memories, words) = contents(&graph);
        emitter.tables.memories = memories.clone();
        let lazy = Lazy::new(&graph, &mut layout, memories);
        let mut state = vec![0; layout.size];
        for (slot, value) in &layout.constants {
            state[*slot as usize..][..value.len()].copy_from_slice(value);
        }
        let place = |r: usize| {
            let leaf = graph.register_leaf[r];
            (layout.leaf(leaf) as usize, limbs(graph.leaves[leaf.0 as usize]))
        };
        let resets = (design.registers.iter().enumerate())
            .filter_map(|(r, register)| {
                let width = design.net(register.net).width;
                register.reset.as_ref().map(|value| (place(r).0, super::graph::digits(value, width)))
            })
            .collect();
        let registers = (0..design.registers.len()).map(place).collect();
        let inputs = (graph.input_leaf.iter())
            .map(|(&net, &leaf)| (net, (layout.leaf(leaf) as usize, graph.leaves[leaf.0 as usize])))
            .collect();
        let Emitter { code, tables } = emitter;
        Bytecode { design, graph, code, tables, state, words, resets, registers, inputs, lazy }
    }

    /// Runs some cycles; returns the code of a clock edge with the number of times that each instruction was carried out, in
    /// thousandths of a cycle.
    pub fn profile(&mut self, cycles: u32) -> String {
        let mut counts = vec![0u64; self.code.len()];
        for _ in 0..cycles {
            let count = |pc: usize| counts[pc] += 1;
            run_watched(&self.code, 0, &self.tables, &mut self.state, &mut self.words, count);
            self.lazy.now += 1;
        }
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
        }
    }

    fn word(&self, memory: usize) -> Word {
        self.tables.memories[self.graph.storage_of[memory]]
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
        if let Some(&(slot, width)) = self.inputs.get(&input) {
            assign(&mut self.state[slot..slot + limbs(width)], value, width);
            self.lazy.now += 1;
        }
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        let id = self.graph.nets[net.0 as usize];
        self.lazy.evaluate(&self.graph, id, &mut self.state, &mut self.words);
        let slot = self.lazy.slots[id.0 as usize] as usize;
        self.state[slot..][..limbs(self.design.net(net).width)].to_vec()
    }

    fn tick(&mut self, reset: bool) {
        run(&self.code, 0, &self.tables, &mut self.state, &mut self.words);
        if reset {
            for (slot, value) in &self.resets {
                self.state[*slot..][..value.len()].copy_from_slice(value);
            }
        }
        self.lazy.now += 1;
    }

    fn register(&self, register: usize) -> &[u64] {
        let (slot, limbs) = self.registers[register];
        &self.state[slot..slot + limbs]
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        let (slot, limbs) = self.registers[register];
        let width = self.design.net(self.design.registers[register].net).width;
        assign(&mut self.state[slot..slot + limbs], value, width);
        self.lazy.now += 1;
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
            self.lazy.now += 1;
        }
    }
}

impl Lazy {
    fn new(graph: &Graph, layout: &mut super::plan::Layout, memories: Vec<Word>) -> Lazy {
        let mut emitter = Emitter::default();
        let (mut slots, mut starts) = (Vec::new(), Vec::new());
        for index in 0..graph.nodes.len() {
            let id = Id(index as u32);
            if let Some(slot) = layout.fixed(graph, id) {
                slots.push(slot);
                starts.push(None);
                continue;
            }
            let slot = layout.reserve(graph.limbs(id));
            slots.push(slot);
            starts.push(Some(emitter.code.len() as u32));
            emitter.node(graph, id, slot, |arg| slots[arg.0 as usize]);
            emitter.code.push(Instr::End);
        }
        emitter.tables.memories = memories;
        let Emitter { code, tables } = emitter;
        Lazy { code, tables, slots, starts, stamps: vec![0; graph.nodes.len()], now: 1, stack: vec![] }
    }

    fn evaluate(&mut self, graph: &Graph, id: Id, state: &mut [u64], words: &mut [u64]) {
        self.stack.push(id);
        while let Some(&id) = self.stack.last() {
            let index = id.0 as usize;
            if self.stamps[index] == self.now {
                self.stack.pop();
                continue;
            }
            let waiting = self.stack.len();
            let node = &graph.nodes[index];
            let missing = node.args.iter().filter(|a| {
                let a = a.0 as usize;
                self.starts[a].is_some() && self.stamps[a] != self.now
            });
            self.stack.extend(missing);
            if self.stack.len() == waiting {
                if let Some(start) = self.starts[index] {
                    run(&self.code, start as usize, &self.tables, state, words);
                }
                self.stamps[index] = self.now;
                self.stack.pop();
            }
        }
    }
}
