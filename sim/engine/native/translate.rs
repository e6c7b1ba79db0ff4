//! From a planned clock edge to machine code: branches, and where values are. What single nodes compute is in
//! `scalar.rs`, `wide.rs` and `loops.rs`; memories are in `memories.rs`, groups in `due.rs`.
//!
//! Every node has its words in the state, as the plan says; only what `stored.rs` names is written there. What a task
//! has computed or fetched stays at hand for what follows in the same branch and in branches inside it.

use std::collections::HashMap;

use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData as MemFlags, SigRef, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::called::{Called, Fixed};
use super::code::{Code, Maker, call};
use super::later::Later;
use super::stored::{called, stored};
use super::tree::{Item, parts};
use crate::action::Action;
use crate::context::{Condition, Contexts};
use crate::graph::{Graph, Id, Leaf, Op};
use crate::groups::Groups;
use crate::layout::{DUE, Layout, Slot};
use crate::memory::Word;
use crate::plan::Plan;

/// Tasks of a function at most. Designs of tests are small, and are cut all the same.
const TASKS: usize = if cfg!(test) { 30 } else { 1500 };

/// What is translated.
#[derive(Clone, Copy)]
pub(crate) struct Edge<'a> {
    pub g: &'a Graph,
    pub plan: &'a Plan,
    pub contexts: &'a Contexts,
    pub groups: &'a Groups,
    pub layout: &'a Layout,
    pub memories: &'a [Word],
}

/// Compiles a clock edge, for state and memories of so many words.
///
/// # Errors
/// What the compiler says.
pub(crate) fn translate(edge: Edge, items: Vec<Item>, sizes: (usize, usize)) -> Result<Code, String> {
    let parts = parts(items, TASKS);
    let stored = stored(edge.g, edge.plan, edge.contexts, &parts);
    let mut maker = Maker::new()?;
    let mut called = vec![];
    for part in &parts {
        let signature = maker.call_signature();
        maker.function(|context, builder, config| {
            let mut b = FunctionBuilder::new(&mut context.func, builder);
            let signature = b.import_signature(signature);
            let entry = b.create_block();
            b.append_block_params_for_function_params(entry);
            b.switch_to_block(entry);
            b.seal_block(entry);
            let &[state, words, times] = b.block_params(entry) else { unreachable!("the signature has three") };
            let due = b.declare_var(types::I64);
            let mut t = Translator {
                edge,
                stored: &stored,
                b,
                state,
                words,
                signature,
                due,
                scopes: vec![],
                called: &mut called,
                sizes,
            };
            t.repeated(times, part);
            t.b.finalize(config);
        })?;
    }
    maker.finish(called, sizes)
}

/// What is at hand in a branch.
#[derive(Default)]
pub(crate) struct Scope {
    /// Values of one limb: a byte for what a comparison has found, else a word.
    pub single: HashMap<Id, Value>,
    /// Limbs of others.
    pub limbs: HashMap<(Id, u32), Value>,
    /// Pairs of limbs, as vectors.
    pub pairs: HashMap<(Id, u32), Value>,
    /// What waits until it is needed.
    pub(super) later: Later,
}

pub(crate) struct Translator<'a, 'b> {
    pub edge: Edge<'a>,
    pub stored: &'a [bool],
    pub b: FunctionBuilder<'b>,
    state: Value,
    pub words: Value,
    signature: SigRef,
    /// Groups that are due.
    pub due: Variable,
    pub scopes: Vec<Scope>,
    called: &'a mut Vec<Fixed>,
    sizes: (usize, usize),
}

/// An arm of a branch.
type Arm<'x, 'a, 'b> = &'x mut dyn FnMut(&mut Translator<'a, 'b>);

impl<'a, 'b> Translator<'a, 'b> {
    pub fn slot(&self, id: Id) -> Slot {
        self.edge.plan.slots[id.0 as usize].expect("every node in use has a place")
    }

    pub fn number(&mut self, value: u64) -> Value {
        self.b.ins().iconst(types::I64, value as i64)
    }

    /// Words at a place; a pair of them, which need not be aligned.
    pub fn load(&mut self, kind: Type, slot: Slot) -> Value {
        self.b.ins().load(kind, MemFlags::new().with_notrap(), self.state, slot as i32 * 8)
    }

    pub fn store(&mut self, value: Value, slot: Slot) {
        self.b.ins().store(MemFlags::new().with_notrap(), value, self.state, slot as i32 * 8);
    }

    /// The address of a place.
    pub fn address(&mut self, slot: Slot) -> Value {
        self.b.ins().iadd_imm_s(self.state, i64::from(slot) * 8)
    }

    /// Calls an operation.
    pub fn call(&mut self, operation: Called) {
        let operation = Fixed::new(operation);
        let address = self.number(operation.address());
        self.called.push(operation);
        let function = self.number(call as *const () as u64);
        let (size, count) = (self.number(self.sizes.0 as u64), self.number(self.sizes.1 as u64));
        let args = [address, self.state, size, self.words, count];
        self.b.ins().call_indirect(self.signature, function, &args);
    }

    /// The whole function: the items, so many times.
    fn repeated(&mut self, times: Value, items: &[Item]) {
        let (head, end) = (self.b.create_block(), self.b.create_block());
        let left = self.b.append_block_param(head, types::I64);
        self.b.ins().jump(head, &[times.into()]);
        self.b.switch_to_block(head);
        if self.edge.groups.any() {
            let due = self.load(types::I64, DUE);
            self.b.def_var(self.due, due);
        }
        self.items(items);
        let left = self.b.ins().iadd_imm_s(left, -1);
        self.b.ins().brif(left, head, &[left.into()], end, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(end);
        self.b.seal_block(end);
        self.b.ins().return_(&[]);
    }

    pub(super) fn items(&mut self, items: &[Item]) {
        self.scopes.push(Scope::default());
        let mut rest = items;
        while let [first, others @ ..] = rest {
            self.before(std::slice::from_ref(first));
            match first {
                Item::Task(task) => self.task(*task),
                Item::Loop(tasks) => {
                    let node = |&task: &usize| match self.edge.plan.tasks[task].action {
                        Action::Compute(id) => id,
                        _ => unreachable!("loops compute nodes"),
                    };
                    let ids: Vec<Id> = tasks.iter().map(node).collect();
                    self.lanes(&ids);
                }
                Item::Branch(Condition::Group(_), _) => {
                    let group = |item: &&Item| matches!(item, Item::Branch(Condition::Group(_), _));
                    let count = rest.iter().take_while(group).count();
                    self.before(&rest[..count]);
                    self.due_groups(&rest[..count]);
                    rest = &rest[count..];
                    continue;
                }
                Item::Branch(Condition::Node(id), arms) => {
                    let condition = self.single(*id);
                    let arm = |number: u32| arms.iter().find(|(when, _)| *when == number).map(|(_, items)| &items[..]);
                    self.branch(condition, &mut |t| t.items(arm(1).unwrap_or_default()), &mut |t| {
                        t.items(arm(0).unwrap_or_default());
                    });
                }
            }
            rest = others;
        }
        self.scopes.pop();
    }

    /// One thing or the other.
    pub fn branch(&mut self, condition: Value, then: Arm<'_, 'a, 'b>, other: Arm<'_, 'a, 'b>) {
        let [yes, no, end] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().brif(condition, yes, &[], no, &[]);
        self.enter(yes);
        then(self);
        self.b.ins().jump(end, &[]);
        self.enter(no);
        other(self);
        self.b.ins().jump(end, &[]);
        self.enter(end);
    }

    fn enter(&mut self, block: Block) {
        self.b.switch_to_block(block);
        self.b.seal_block(block);
    }

    fn task(&mut self, task: usize) {
        match self.edge.plan.tasks[task].action {
            Action::Compute(id) => self.compute(id),
            Action::Move { id, from, to, limbs } => self.copy(id, from, to, limbs as u32),
            Action::Store(index) => {
                let enable = self.edge.g.stores[index].enable;
                let known = self.edge.contexts.path(self.edge.plan.tasks[task].context);
                if self.edge.g.constant_of(enable).is_none() && known.into_iter().all(|c| c != Condition::Node(enable))
                {
                    let enable = self.single(enable);
                    self.branch(enable, &mut |t| t.write(index), &mut |_| {});
                } else {
                    self.write(index);
                }
            }
            Action::Look => self.look(),
            Action::Join => {}
        }
    }

    fn compute(&mut self, id: Id) {
        let g = self.edge.g;
        let node = g.node(id);
        if let Op::Leaf(leaf) = node.op {
            let value = self.leaf(leaf);
            self.keep(id, value);
        } else if called(g, id) {
            self.operation(id);
        } else if let Op::Word(m) = node.op {
            self.word(id, m);
        } else if g.limbs(id) == 1 && node.args.iter().all(|&a| g.limbs(a) == 1) {
            if !self.postpone(id) {
                let value = self.scalar(id);
                self.keep(id, value);
            }
        } else {
            self.wide(id);
        }
    }

    /// Takes note of the value of a node of one limb.
    pub fn keep(&mut self, id: Id, value: Value) {
        if self.stored[id.0 as usize] {
            let word = self.widened(value);
            self.store(word, self.slot(id));
        }
        self.scope().single.insert(id, value);
    }

    pub fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("code is in a branch")
    }

    /// A byte as a word.
    pub fn widened(&mut self, value: Value) -> Value {
        if self.b.func.dfg.value_type(value) == types::I8 { self.b.ins().uextend(types::I64, value) } else { value }
    }

    /// A node of one limb, as it is at hand.
    pub fn single(&mut self, id: Id) -> Value {
        if let Some(&value) = self.scopes.iter().rev().find_map(|scope| scope.single.get(&id)) {
            return value;
        }
        let value = match self.edge.g.node(id).op {
            Op::Const(ref value) => self.number(value[0]),
            Op::Leaf(leaf) => self.leaf(leaf),
            _ if self.waits(id) => self.scalar(id),
            _ => self.load(types::I64, self.slot(id)),
        };
        self.scope().single.insert(id, value);
        value
    }

    /// A leaf of one limb.
    fn leaf(&mut self, leaf: Leaf) -> Value {
        let (slot, shift) = (self.edge.layout.leaf(leaf), self.edge.layout.shift(leaf));
        let word = self.load(types::I64, slot);
        if self.edge.layout.is_alone(leaf) {
            return word;
        }
        let word = self.b.ins().ushr_imm_s(word, i64::from(shift));
        self.cut(word, self.edge.g.leaves[leaf.0 as usize])
    }

    /// The same as a word.
    pub fn full(&mut self, id: Id) -> Value {
        let value = self.single(id);
        if self.b.func.dfg.value_type(value) == types::I8 {
            let word = self.b.ins().uextend(types::I64, value);
            // For the next one who needs a word; conditions take either.
            self.scope().single.insert(id, word);
            return word;
        }
        value
    }

    /// The lowest bits of a word.
    pub fn cut(&mut self, value: Value, width: u32) -> Value {
        match width {
            64.. => value,
            8 | 16 | 32 => {
                let kind = Type::int(width as u16).expect("a type of this width");
                let low = self.b.ins().ireduce(kind, value);
                self.b.ins().uextend(types::I64, low)
            }
            _ => self.b.ins().band_imm_s(value, ((1u64 << width) - 1) as i64),
        }
    }

    /// Copies the value of a node, or of a place if there is none.
    fn copy(&mut self, id: Option<Id>, from: Slot, to: Slot, count: u32) {
        match id {
            Some(id) if count == 1 => {
                let value = self.full(id);
                self.store(value, to);
            }
            Some(id) if count as usize <= super::stored::MOST => {
                for pair in 0..count / 2 {
                    let value = self.pair(id, pair);
                    self.store(value, to + 2 * pair);
                }
                if count % 2 == 1 {
                    let value = self.limb(id, count - 1);
                    self.store(value, to + count - 1);
                }
            }
            _ => {
                let from = self.address(from);
                let to = self.address(to);
                self.copy_words(from, to, count);
            }
        }
    }

    /// Copies words from one address to another; they are the same or do not overlap.
    pub fn copy_words(&mut self, from: Value, to: Value, count: u32) {
        let flags = MemFlags::new().with_notrap();
        self.over_words(count, &mut |t, kind, at| {
            let (from, to) = (t.b.ins().iadd(from, at), t.b.ins().iadd(to, at));
            let value = t.b.ins().load(kind, flags, from, 0);
            t.b.ins().store(flags, value, to, 0);
        });
    }
}
