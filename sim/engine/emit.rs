//! Instructions for nodes.

use super::code::{Instr, Slot, Tables};
use super::graph::{Graph, Id, Leaf, Op};
use super::lanes::{
    each::{Each, LARGE},
    emit::shifted,
};
use super::layout::Layout;
use super::records::{AdderRecord, Cases, Record, TableRecord, WideMuxRecord};
use super::stream::RECORDS;
use super::wide::Rare;

/// Code under construction.
#[derive(Default)]
pub(super) struct Emitter {
    pub code: Vec<Instr>,
    pub tables: Tables,
    /// Where the last jump leads: what comes from here on does not belong to instructions before.
    pub(super) barrier: usize,
    /// How often the value at each place is read; unknown beyond the end.
    pub(super) readers: Vec<u32>,
}

/// Adds a record to the last instruction if it is of the same kind, else begins one.
macro_rules! record {
    ($emitter:expr, $kind:ident, $record:expr) => {
        record!($emitter, $kind, records, $record)
    };
    ($emitter:expr, $kind:ident, $table:ident, $record:expr) => {{
        let from = $emitter.tables.$table.len() as u32;
        $emitter.tables.$table.push($record);
        let open = $emitter.code.len() > $emitter.barrier;
        match $emitter.code.last_mut() {
            Some(Instr::$kind { n, .. }) if open && *n < RECORDS => *n += 1,
            _ => $emitter.code.push(Instr::$kind { from, n: 1 }),
        }
    }};
}

/// Unused high bits of a limb.
pub(super) fn spare(width: u32) -> u8 {
    (64 - width.min(64)) as u8
}

impl Emitter {
    pub(super) fn push(&mut self, instr: Instr) {
        self.code.push(instr);
    }

    /// The operation of the last instruction, if it may become more.
    pub(super) fn last_rare(&mut self) -> Option<&mut Rare> {
        let open = self.code.len() > self.barrier;
        match self.code.last() {
            Some(&Instr::Rare { at }) if open => self.tables.rare.get_mut(at as usize),
            _ => None,
        }
    }

    pub(super) fn rare(&mut self, rare: Rare) {
        let at = self.tables.rare.len() as u32;
        self.tables.rare.push(rare);
        self.push(Instr::Rare { at });
    }

    /// Adds a function of lanes to the last ones, or begins some.
    pub(super) fn lanes(&mut self, each: Each) {
        let at = self.tables.lanes.len();
        self.tables.lanes.push(each);
        match self.last_rare() {
            Some(Rare::Lanes { to, .. }) if *to == at => *to += 1,
            _ => self.rare(Rare::Lanes { from: at, to: at + 1 }),
        }
    }

    pub(super) fn copy(&mut self, d: Slot, a: Slot, limbs: usize) {
        if d != a {
            match limbs {
                1 => record!(self, Copies, Record { d, a, ..Record::default() }),
                // A loop of its own pays.
                LARGE.. => self.lanes(Each::copy(d, a, limbs)),
                _ => self.push(Instr::CopyN { d, a, n: limbs as u16 }),
            }
        }
    }

    /// The value of a leaf that shares its word with others.
    pub fn lane(&mut self, g: &Graph, layout: &Layout, leaf: Leaf, d: Slot) {
        let (a, low, k) = (layout.leaf(leaf), layout.shift(leaf), spare(g.leaves[leaf.0 as usize]));
        record!(self, Fields, Record { d, a, low, k, ..Record::default() });
    }

    /// Computes a node into `d`. `slot` tells where its operands are.
    pub fn node(&mut self, g: &Graph, id: Id, d: Slot, slot: impl Fn(Id) -> Slot) {
        let node = g.node(id);
        let arg = |i: usize| slot(node.args[i]);
        let (n, width) = (g.limbs(id), node.width);
        let scalar = n == 1 && node.args.iter().all(|&a| g.limbs(a) == 1);
        match &node.op {
            Op::Const(_) | Op::Leaf(_) | Op::Switch => unreachable!("constants, leaves and branches have their places"),
            Op::Case(values) => {
                let at = self.tables.cases.len() as u32;
                self.tables.cases.push(Cases::new(values));
                return self.push(Instr::Case { d, a: arg(0), at });
            }
            Op::Each { .. } => return self.each(g, id, d, slot),
            Op::Gather { bits, from } => {
                let down = shifted(g, &node.args, from) == Some(true);
                let many = 64 / bits;
                let from: Vec<u32> = from.iter().map(|&(number, lane)| arg(number as usize) * many + lane).collect();
                return self.gather(*bits, d * many, &from, down);
            }
            Op::Build(parts) => return self.build(g, id, d, parts, slot),
            Op::Word(m) => {
                let record = Record { d, a: arg(0), b: *m as u32, ..Record::default() };
                return if n == 1 { record!(self, Words, record) } else { record!(self, WideWords, record) };
            }
            Op::AllOf(m) | Op::NoneOf(m) => {
                let nor = matches!(node.op, Op::NoneOf(_));
                return self.rare(Rare::Search { d: d as usize, select: arg(0) as usize, memory: *m, width, nor });
            }
            Op::Test { low, width, unequal } => {
                let (a, low, k) = (arg(0) + low / 64, (low % 64) as u8, spare(*width));
                return record!(self, Tests, Record { d, a, b: arg(1), low, k, flag: *unequal, ..Record::default() });
            }
            Op::Choose { low, width: field, numbers } => {
                let (a, low, k) = (arg(0) + low / 64, (low % 64) as u8, spare(*field));
                let from = self.tables.places.len() as u32;
                self.tables.places.extend(numbers.iter().map(|&number| arg(number.into())));
                return match n {
                    1 => record!(self, Choices, Record { d, a, b: from, low, k, ..Record::default() }),
                    n => self.push(Instr::ChooseN { d, a, from, low, k, n: n as u16 }),
                };
            }
            Op::Table(table) => {
                let zero = arg(0);
                let inputs = |i: usize| if i < node.args.len() { arg(i) } else { zero };
                // Missing inputs repeat the first one: the entries for both its values are in the table.
                return match node.args.len() {
                    0..=3 => {
                        let table = repeated(*table, node.args.len(), 3);
                        let (a, b, c, low) = (inputs(0), inputs(1), inputs(2), table as u8);
                        record!(self, Tables3, Record { d, a, b, c, low, ..Record::default() })
                    }
                    n => {
                        let table = repeated(*table, n, 5);
                        record!(self, Tables5, tables5, TableRecord { d, inputs: [0, 1, 2, 3, 4].map(inputs), table })
                    }
                };
            }
            _ => {}
        }
        if scalar {
            let (a, b) = (arg(0), if node.args.len() > 1 { arg(1) } else { 0 });
            let k = spare(width);
            let plain = Record { d, a, b, ..Record::default() };
            match node.op {
                Op::Eq => record!(self, Tests, plain),
                Op::Ne => record!(self, Tests, Record { flag: true, ..plain }),
                Op::Add => record!(self, Sums, Record { k, ..plain }),
                Op::Sub => record!(self, Sums, Record { k, flag: true, ..plain }),
                Op::Mux => record!(self, Muxes, Record { a: b, b: arg(2), c: a, ..plain }),
                Op::Bits(low) => record!(self, Fields, Record { low: low as u8, k, ..plain }),
                Op::Zext | Op::Clamp => self.copy(d, a, 1),
                _ => {
                    let instr = self.scalar(node, d, arg);
                    self.push(instr);
                }
            }
        } else {
            self.wide(g, id, d, arg);
        }
    }

    fn scalar(&mut self, node: &super::graph::Node, d: Slot, arg: impl Fn(usize) -> Slot) -> Instr {
        let (a, b) = (arg(0), if node.args.len() > 1 { arg(1) } else { 0 });
        let k = spare(node.width);
        match node.op {
            Op::And => Instr::And { d, a, b },
            Op::Or => Instr::Or { d, a, b },
            Op::Xor => Instr::Xor { d, a, b },
            Op::AndNot => Instr::AndNot { d, a, b },
            Op::Mul(None) => Instr::Mul { d, a, b, k },
            Op::Mul(Some((i, j))) => Instr::MulSigned { d, a, b, i: spare(i), j: spare(j), k },
            Op::Lt(None) => Instr::Lt { d, a, b },
            Op::Le(None) => Instr::Le { d, a, b },
            Op::Lt(Some(width)) => Instr::LtSigned { d, a, b, k: spare(width) },
            Op::Le(Some(width)) => Instr::LeSigned { d, a, b, k: spare(width) },
            Op::Parity => Instr::Parity { d, a },
            Op::Shl => Instr::Shl { d, a, b, k },
            Op::Shr | Op::Select => Instr::Shr { d, a, b, k },
            Op::SetBit => Instr::SetBit { d, a, b, at: arg(2), k },
            Op::Sext(old) => Instr::Sext { d, a, j: spare(old), k },
            _ => unreachable!("handled by the caller"),
        }
    }

    fn wide(&mut self, g: &Graph, id: Id, d: Slot, arg: impl Fn(usize) -> Slot) {
        let node = g.node(id);
        let (a, b) = (arg(0), if node.args.len() > 1 { arg(1) } else { 0 });
        let (count, n, width) = (g.limbs(id), g.limbs(id) as u16, node.width);
        let limbs_a = g.limbs(node.args[0]);
        let (du, au, bu) = (d as usize, a as usize, b as usize);
        match node.op {
            Op::And => self.push(Instr::AndN { d, a, b, n }),
            Op::Or => {
                self.push(Instr::OrN { d, a, b, n });
                self.adder();
            }
            Op::Xor => {
                self.push(Instr::XorN { d, a, b, n });
                self.adder();
            }
            Op::AndNot => self.push(Instr::AndNotN { d, a, b, n }),
            Op::Mux if count >= LARGE => self.lanes(Each::choice(d, [a, b, arg(2)], count)),
            Op::Mux => {
                let n = u32::from(n);
                record!(self, WideMuxes, wide_muxes, WideMuxRecord { d, c: a, a: b, b: arg(2), n });
            }
            Op::Add => self.rare(Rare::Sum { d: du, a: au, b: bu, width, subtract: false }),
            Op::Sub => self.rare(Rare::Sum { d: du, a: au, b: bu, width, subtract: true }),
            Op::Mul(signed) => {
                let b = (bu, g.limbs(node.args[1]));
                self.rare(Rare::Product { d: du, a: (au, limbs_a), b, width, signed });
            }
            Op::Eq | Op::Ne => {
                self.rare(Rare::Equal { d: du, a: au, b: bu, limbs: limbs_a, unequal: node.op == Op::Ne });
            }
            Op::Lt(signed) | Op::Le(signed) => {
                let or_equal = matches!(node.op, Op::Le(_));
                self.rare(Rare::Less { d: du, a: au, b: bu, limbs: limbs_a, signed, or_equal });
            }
            Op::Parity => self.rare(Rare::Parity { d: du, a: au, limbs: limbs_a }),
            Op::Bits(low) if count == 1 => self.field(d, a, limbs_a, low, width),
            Op::Bits(low) => self.rare(Rare::Bits { d: du, a: au, limbs: limbs_a, low, width }),
            Op::Shl | Op::Shr | Op::Select => {
                let up = node.op == Op::Shl;
                self.rare(Rare::Shift { d: du, a: au, limbs: limbs_a, by: bu, width, up });
            }
            Op::SetBit => self.rare(Rare::SetBit { d: du, a: au, bit: bu, at: arg(2) as usize, width }),
            Op::Zext => self.rare(Rare::Zext { d: du, a: au, limbs: limbs_a, width }),
            Op::Sext(old) => self.rare(Rare::Sext { d: du, a: au, old, width }),
            Op::Clamp => self.rare(Rare::Clamp { d: du, a: au, limbs: limbs_a }),
            _ => unreachable!("handled by the caller"),
        }
    }

    /// Makes one instruction of the last six, if they are a full adder.
    fn adder(&mut self) {
        let from = self.code.len().saturating_sub(6);
        if self.code.len() < 6 || from < self.barrier {
            return;
        }
        if let Some(mut record) = adder(&self.code[from..]) {
            let between = [record.differ, record.either, record.both, record.carried];
            record.short = between.iter().all(|&slot| self.readers.get(slot as usize) == Some(&1));
            self.code.truncate(from);
            let at = self.tables.adders.len() as u32;
            self.tables.adders.push(record);
            self.push(Instr::Adder { at });
        }
    }

    /// Up to 64 bits of a wide value.
    fn field(&mut self, d: Slot, a: Slot, limbs: usize, low: u32, width: u32) {
        let (limb, bit) = (low / 64, low % 64);
        let (a, low, k) = (a + limb, bit as u8, spare(width));
        let across = bit + width > 64 && limb as usize + 1 < limbs;
        if across {
            self.push(Instr::Across { d, a, low, k });
        } else {
            record!(self, Fields, Record { d, a, low, k, ..Record::default() });
        }
    }

    fn build(&mut self, g: &Graph, id: Id, d: Slot, parts: &[(u32, u32)], slot: impl Fn(Id) -> Slot) {
        let node = g.node(id);
        let mut base = slot(node.args[0]);
        let n = g.limbs(id);
        if n > 1 {
            self.copy(d, base, n);
            base = d;
        }
        for (&(low, width), &part) in parts.iter().zip(&node.args[1..]) {
            let (limb, bit) = (low / 64, low % 64);
            if bit + width <= 64 {
                let (d, a) = (d + limb, base + limb);
                self.push(Instr::Insert { d, a, b: slot(part), low: bit as u8, k: spare(width) });
            } else {
                self.rare(Rare::Insert { d: d as usize, a: slot(part) as usize, low, width });
            }
            base = d;
        }
    }
}

/// A table of `n` inputs as one of `all`: what the others are does not matter.
fn repeated(table: u32, n: usize, all: usize) -> u32 {
    (0..1u32 << all).fold(0, |wide, i| wide | (table >> (i & ((1 << n) - 1)) & 1) << i)
}

/// The full adder that six instructions are, in any order: x ⊕ y, x + y, x · y, their sum with c, c · (x + y), and the
/// majority.
fn adder(code: &[Instr]) -> Option<AdderRecord> {
    let (mut ands, mut ors, mut xors) = (vec![], vec![], vec![]);
    let mut limbs = None;
    for &instr in code {
        let (list, d, a, b, n) = match instr {
            Instr::AndN { d, a, b, n } => (&mut ands, d, a, b, n),
            Instr::OrN { d, a, b, n } => (&mut ors, d, a, b, n),
            Instr::XorN { d, a, b, n } => (&mut xors, d, a, b, n),
            _ => return None,
        };
        if *limbs.get_or_insert(n) != n {
            return None;
        }
        list.push((d, a, b));
    }
    let same = |(a, b): (Slot, Slot), c: Slot, d: Slot| (a, b) == (c, d) || (a, b) == (d, c);
    let (2, 2, 2) = (ands.len(), ors.len(), xors.len()) else { return None };
    for (first, second) in [(0, 1), (1, 0)] {
        let (differ, x, y) = xors[first];
        let (sum, ..) = xors[second];
        let Some(c) = other(xors[second], differ) else { continue };
        let Some(&(either, ..)) = ors.iter().find(|o| same((o.1, o.2), x, y)) else { continue };
        let Some(&(both, ..)) = ands.iter().find(|o| same((o.1, o.2), x, y)) else { continue };
        let Some(&(carried, ..)) = ands.iter().find(|o| same((o.1, o.2), c, either)) else { continue };
        let Some(&(majority, ..)) = ors.iter().find(|o| same((o.1, o.2), both, carried)) else { continue };
        let results = [differ, either, both, carried, sum, majority];
        let distinct = (0..6).all(|i| !results[..i].contains(&results[i]));
        // What is read must be what was there before: no operand is overwritten before its last reader.
        let kept = code.iter().enumerate().all(|(i, instr)| {
            let d = operands(instr).0;
            let later = code[i + 1..].iter().any(|later| [operands(later).1, operands(later).2].contains(&d));
            ![x, y, c].contains(&d) || !later
        });
        if distinct && kept {
            let n = u32::from(limbs?);
            return Some(AdderRecord { x, y, c, differ, either, both, carried, sum, majority, n, short: false });
        }
    }
    None
}

/// The operand beside `known`.
fn other((_, a, b): (Slot, Slot, Slot), known: Slot) -> Option<Slot> {
    if a == known { Some(b) } else { (b == known).then_some(a) }
}

fn operands(instr: &Instr) -> (Slot, Slot, Slot) {
    match *instr {
        Instr::AndN { d, a, b, .. } | Instr::OrN { d, a, b, .. } | Instr::XorN { d, a, b, .. } => (d, a, b),
        _ => unreachable!("a full adder has no other instructions"),
    }
}
