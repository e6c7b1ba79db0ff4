//! Makes the design of a batch: what depends on data is there for each set, the rest once.
//!
//! What does the same to every bit is kept *together*: the values of some sets side by side in one wide value, set after
//! set from the lowest bits. The rest is kept *apart*, with a net for each set. Numbers of nets stay: a net of the
//! design is, in that of the batch, the one of set 0.

use std::collections::HashMap;

use num_bigint::BigUint;

use super::taint::{Flags, Region, Sources, taint, together};
use crate::kernel::build::{Builder, ones};
use crate::kernel::flat::{Flat, FlatDriver, FlatMemory, FlatNet, FlatRegister};
use crate::kernel::netlist::{Binary, Expr, ExprId, ExprKind, NetId, Read, Unary, Write};
use crate::lower::rebuilt;

/// Bits that values side by side have at most, unless one has more: the engine computes those in registers.
const MOST_BITS: u32 = 512;

/// Consecutive sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub first: usize,
    pub count: usize,
}

/// Things of the batch that stand for one of the design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept<T> {
    /// It is the same for all sets.
    Once(T),
    /// So many sets in each.
    Sets(usize, Vec<T>),
}

impl<T: Copy> Kept<T> {
    /// Which one a set has, and its place there.
    pub fn of(&self, set: usize) -> (T, usize) {
        match self {
            Kept::Once(one) => (*one, 0),
            Kept::Sets(each, all) => (all[set / each], set % each),
        }
    }
}

pub(super) struct Widen<'a> {
    pub flat: &'a Flat,
    pub tainted: Flags,
    together: Flags,
    pub region: &'a Region,
    pub sets: usize,
    pub build: Builder,
    pub new: Flat,
    /// For each net; ports of instances are as what they are connected to.
    pub nets: Vec<Kept<NetId>>,
    pub registers: Vec<Kept<usize>>,
    pub memories: Vec<Kept<usize>>,
    /// The first set of each new memory.
    pub firsts: Vec<usize>,
    done: HashMap<(ExprId, Part), ExprId>,
}

impl<'a> Widen<'a> {
    /// Widens a design, without what watches for divergence.
    pub fn new(flat: &'a Flat, sources: &Sources, region: &'a Region, sets: usize) -> Widen<'a> {
        let tainted = taint(flat, sources, region);
        let mut w = Widen {
            flat,
            together: together(flat, &tainted),
            tainted,
            region,
            sets,
            build: Builder::default(),
            new: Flat { nets: flat.nets.clone(), outputs: flat.outputs.clone(), ..Flat::default() },
            nets: vec![],
            registers: vec![],
            memories: vec![],
            firsts: vec![],
            done: HashMap::new(),
        };
        w.nets = (0..flat.nets.len()).map(|index| w.place(NetId(index as u32))).collect();
        for index in 0..flat.nets.len() {
            let net = NetId(index as u32);
            let FlatDriver::Net(_) = flat.net(net).driver else { continue };
            w.nets[index] = w.nets[flat.source(net).0 as usize].clone();
        }
        (0..flat.nets.len()).for_each(|index| w.drive(NetId(index as u32)));
        let inputs = flat.inputs.iter().flat_map(|net| match &w.nets[net.0 as usize] {
            Kept::Once(net) => vec![*net],
            Kept::Sets(_, nets) => nets.clone(),
        });
        w.new.inputs = inputs.collect();
        w.registers = (0..flat.registers.len()).map(|r| w.register(r)).collect();
        w.memories = (0..flat.memories.len()).map(|m| w.memory(m)).collect();
        w
    }

    /// The parts that values of this width are kept in.
    fn parts(&self, width: u32, together: bool) -> Vec<Part> {
        let each = if together { (MOST_BITS / width).max(1) as usize } else { 1 };
        let parts = (0..self.sets).step_by(each);
        parts.map(|first| Part { first, count: each.min(self.sets - first) }).collect()
    }

    /// The part with a set.
    fn part(&self, width: u32, set: usize) -> Part {
        let each = (MOST_BITS / width).max(1) as usize;
        let first = set / each * each;
        Part { first, count: each.min(self.sets - first) }
    }

    pub fn net(&mut self, path: String, width: u32, driver: FlatDriver) -> NetId {
        self.new.nets.push(FlatNet { path, width, driver });
        NetId(self.new.nets.len() as u32 - 1)
    }

    /// Makes the nets that stand for a net; what drives them comes later.
    fn place(&mut self, net: NetId) -> Kept<NetId> {
        let FlatNet { path, width, driver } = self.flat.net(net).clone();
        if !self.tainted.net(net) || matches!(driver, FlatDriver::Net(_)) {
            return Kept::Once(net);
        }
        if self.together.net(net) {
            let parts = self.parts(width, true);
            let of = |this: &mut Self, part: &Part| {
                this.net(format!("{path}.sets{}", part.first), width * part.count as u32, FlatDriver::Input)
            };
            return Kept::Sets(parts[0].count, parts.iter().map(|part| of(self, part)).collect());
        }
        self.new.nets[net.0 as usize].path = format!("{path}.set0");
        let others = (1..self.sets).map(|set| self.net(format!("{path}.set{set}"), width, FlatDriver::Input));
        Kept::Sets(1, std::iter::once(net).chain(others.collect::<Vec<_>>()).collect())
    }

    /// Says what drives the nets that stand for a net, if that is an expression.
    fn drive(&mut self, net: NetId) {
        let FlatNet { width, driver, .. } = *self.flat.net(net);
        if let Kept::Sets(_, nets) = self.nets[net.0 as usize].clone() {
            let together = self.together.net(net);
            if let FlatDriver::Expr(e) = driver {
                for (part, &new) in self.parts(width, together).into_iter().zip(&nets) {
                    let value = if together { self.side(e, part) } else { self.single(e, part.first) };
                    self.new.nets[new.0 as usize].driver = FlatDriver::Expr(value);
                }
            }
            if together && !matches!(driver, FlatDriver::Net(_)) {
                // The net itself shows set 0.
                let all = self.build.net(nets[0], self.new.net(nets[0]).width, false);
                let first = self.build.slice(all, 0, width);
                self.new.nets[net.0 as usize].driver = FlatDriver::Expr(first);
            }
        } else if let FlatDriver::Expr(e) = driver {
            let value = self.single(e, 0);
            self.new.nets[net.0 as usize].driver = FlatDriver::Expr(value);
        }
    }

    fn register(&mut self, number: usize) -> Kept<usize> {
        let FlatRegister { net, reset, enable, next } = self.flat.registers[number].clone();
        let width = self.flat.net(net).width;
        let first = self.new.registers.len();
        let Kept::Sets(_, nets) = self.nets[net.0 as usize].clone() else {
            let (enable, next) = (enable.map(|e| self.single(e, 0)), self.single(next, 0));
            self.clocked(FlatRegister { net, reset, enable, next });
            return Kept::Once(first);
        };
        let together = self.together.registers[number];
        let parts = self.parts(width, together);
        for (&part, &net) in parts.iter().zip(&nets) {
            let next = if together { self.side(next, part) } else { self.single(next, part.first) };
            let enable = enable.map(|e| self.single(e, part.first));
            let reset = reset.as_ref().map(|value| repeated(value, width, part.count));
            self.clocked(FlatRegister { net, reset, enable, next });
        }
        Kept::Sets(parts[0].count, (first..first + parts.len()).collect())
    }

    /// A register, which drives its net.
    pub fn clocked(&mut self, register: FlatRegister) -> usize {
        let number = self.new.registers.len();
        self.new.nets[register.net.0 as usize].driver = FlatDriver::Register(number);
        self.new.registers.push(register);
        number
    }

    fn memory(&mut self, number: usize) -> Kept<usize> {
        let flat = self.flat;
        let memory = &flat.memories[number];
        let first = self.new.memories.len();
        if !self.tainted.memories[number] {
            let write = memory.write.as_ref().map(|w| Write {
                address: self.single(w.address, 0),
                enable: self.single(w.enable, 0),
                mask: w.mask.map(|mask| self.single(mask, 0)),
                data: self.single(w.data, 0),
            });
            self.new.memories.push(FlatMemory { reads: vec![], write, ..memory.clone() });
            self.firsts.push(0);
            for (net, read) in &memory.reads {
                match self.nets[net.0 as usize].clone() {
                    Kept::Once(net) => self.port(first, net, read, 0),
                    Kept::Sets(_, nets) => (0..).zip(nets).for_each(|(set, net)| self.port(first, net, read, set)),
                }
            }
            return Kept::Once(first);
        }
        let together = self.together.memories[number];
        let parts = self.parts(memory.width, together);
        for (index, &part) in parts.iter().enumerate() {
            let value = |this: &mut Self, e| if together { this.side(e, part) } else { this.single(e, part.first) };
            let write = memory.write.as_ref().map(|w| Write {
                address: self.single(w.address, part.first),
                enable: self.single(w.enable, part.first),
                mask: w.mask.map(|mask| value(self, mask)),
                data: value(self, w.data),
            });
            let name = if together { "sets" } else { "set" };
            let whole = |word: &BigUint| repeated(word, memory.width, part.count);
            self.new.memories.push(FlatMemory {
                path: format!("{}.{name}{}", memory.path, part.first),
                width: memory.width * part.count as u32,
                contents: memory.contents.as_ref().map(|words| words.iter().map(whole).collect()),
                reads: vec![],
                write,
                ..memory.clone()
            });
            self.firsts.push(part.first);
            for (net, read) in &memory.reads {
                let Kept::Sets(_, nets) = &self.nets[net.0 as usize] else {
                    unreachable!("what is read from data is data")
                };
                let net = nets[index];
                self.port(first + index, net, read, part.first);
            }
        }
        Kept::Sets(parts[0].count, (first..first + parts.len()).collect())
    }

    /// A read port with the operands of a set.
    pub fn port(&mut self, memory: usize, net: NetId, read: &Read, set: usize) {
        let read = match *read {
            Read::Now { address } => Read::Now { address: self.single(address, set) },
            Read::Clocked { address, enable } => {
                Read::Clocked { address: self.single(address, set), enable: self.single(enable, set) }
            }
            Read::And { select } => Read::And { select: self.single(select, set) },
            Read::Nor { select } => Read::Nor { select: self.single(select, set) },
        };
        self.reads(memory, net, read);
    }

    /// A read port as it is.
    pub fn reads(&mut self, memory: usize, net: NetId, read: Read) {
        let reads = &mut self.new.memories[memory].reads;
        self.new.nets[net.0 as usize].driver = FlatDriver::Memory(memory, reads.len());
        reads.push((net, read));
    }

    /// The value of an expression for one set.
    pub fn single(&mut self, e: ExprId, set: usize) -> ExprId {
        // What is the same for all sets is known by set 0.
        let part = Part { first: if self.tainted.expr(e) { set } else { 0 }, count: 1 };
        if let Some(&known) = self.done.get(&(e, part)) {
            return known;
        }
        let expr = self.flat.expr(e).clone();
        let value = match expr.kind {
            _ if self.together.expr(e) => {
                let whole = self.part(expr.width, set);
                let all = self.side(e, whole);
                let own = self.build.slice(all, (set - whole.first) as u32 * expr.width, expr.width);
                self.build.reinterpret(own, expr.signed)
            }
            ExprKind::Net(net) => {
                let (net, _) = self.nets[net.0 as usize].of(part.first);
                self.build.net(net, expr.width, expr.signed)
            }
            ref kind => {
                let operands: Vec<ExprId> = kind.operands().into_iter().map(|a| self.single(a, set)).collect();
                rebuilt(&mut self.build, &expr, &operands)
            }
        };
        self.done.insert((e, part), value);
        value
    }

    /// The values of an expression for some sets side by side, without sign.
    pub fn side(&mut self, e: ExprId, part: Part) -> ExprId {
        let Expr { kind, width, .. } = self.flat.expr(e).clone();
        // One set has a key of its own: with its sign it is another value.
        let key = (e, Part { count: part.count + 1, ..part });
        if let Some(&known) = self.done.get(&key) {
            return known;
        }
        let value = match kind {
            _ if !self.tainted.expr(e) => {
                let one = self.single(e, 0);
                self.spread(one, part.count)
            }
            _ if !self.together.expr(e) => {
                let singles: Vec<ExprId> = (part.first..part.first + part.count).map(|k| self.single(e, k)).collect();
                self.joined(&singles)
            }
            ExprKind::Net(net) => {
                let (net, _) = self.nets[net.0 as usize].of(part.first);
                self.build.net(net, width * part.count as u32, false)
            }
            ExprKind::Unary(Unary::Not, a) => {
                let a = self.side(a, part);
                self.build.unary(Unary::Not, a)
            }
            ExprKind::Reinterpret(a) => self.side(a, part),
            ExprKind::Binary(op @ (Binary::And | Binary::Or | Binary::Xor), a, b) => {
                let (a, b) = (self.side(a, part), self.side(b, part));
                self.build.binary(op, a, b)
            }
            ExprKind::Mux(c, a, b) => {
                let (c, a, b) = (self.single(c, 0), self.side(a, part), self.side(b, part));
                self.build.mux(c, a, b)
            }
            _ => unreachable!("nothing else is kept together"),
        };
        self.done.insert(key, value);
        value
    }

    /// A value as often as there are sets in a part.
    pub fn spread(&mut self, one: ExprId, count: usize) -> ExprId {
        let width = self.build.width(one);
        if let Some(value) = self.build.value(one).cloned() {
            return self.build.constant(repeated(&value, width, count), width * count as u32, false);
        }
        if width == 1 {
            let (zero, all) = (BigUint::default(), ones(count as u32));
            let [zero, all] = [zero, all].map(|value| self.build.constant(value, count as u32, false));
            return self.build.mux(one, all, zero);
        }
        self.joined(&vec![one; count])
    }

    /// Values side by side.
    pub fn joined(&mut self, values: &[ExprId]) -> ExprId {
        let width = self.build.width(values[0]);
        let first = self.build.reinterpret(values[0], false);
        let all = self.build.resize(first, width * values.len() as u32);
        (1..).zip(&values[1..]).fold(all, |all, (at, &value)| self.build.replace(all, value, at * width))
    }
}

/// A value as often as there are sets in a part.
fn repeated(value: &BigUint, width: u32, count: usize) -> BigUint {
    (0..count).fold(BigUint::default(), |all, _| (all << width) | value)
}
