//! The naive engine: evaluates a flat design as its documentation reads, one big integer a value, nothing folded,
//! nothing ordered. It is what compiled code is compared with, and answers for nets that nobody asks for often.

use std::collections::HashMap;

use num_bigint::{BigInt, BigUint, Sign};

use crate::graph::digits;
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Binary, ExprId, ExprKind, NetId, Read, Unary};
use crate::{Engine, Limbs};

/// What lasts for a cycle.
pub(crate) trait State {
    /// Value of an input, of a register's net, or of a clocked read port's.
    fn leaf(&self, net: NetId) -> BigUint;
    /// A word of a memory.
    fn word(&self, memory: usize, word: usize) -> BigUint;
}

/// Values of a cycle, as far as they were needed.
#[derive(Default)]
pub(crate) struct Values {
    done: HashMap<ExprId, BigUint>,
}

fn zero() -> BigUint {
    BigUint::default()
}

fn mask(width: u32) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

fn bit(value: bool) -> BigUint {
    u8::from(value).into()
}

/// A value from its limbs.
pub(crate) fn number(limbs: &[u64]) -> BigUint {
    BigUint::from_slice(&limbs.iter().flat_map(|&l| [l as u32, (l >> 32) as u32]).collect::<Vec<_>>())
}

/// The integer that a pattern stands for.
fn integer(value: &BigUint, width: u32, signed: bool) -> BigInt {
    let plain = BigInt::from(value.clone());
    if signed && value.bit(u64::from(width) - 1) { plain - (BigInt::from(1) << width) } else { plain }
}

/// The pattern of an integer.
fn pattern(value: BigInt, width: u32) -> BigUint {
    let modulus = BigInt::from(1) << width;
    let (sign, digits) = (((value % &modulus) + &modulus) % &modulus).into_parts();
    assert_ne!(sign, Sign::Minus);
    digits
}

fn small(value: &BigUint) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The word that an address means; none beyond the memory.
fn word_number(flat: &Flat, memory: usize, address: &BigUint) -> Option<usize> {
    let depth = flat.memories[memory].depth;
    let address = if depth.is_power_of_two() { address % depth } else { address.clone() };
    Some(small(&address)).filter(|&a| a < depth)
}

impl Values {
    /// Value of a net.
    pub fn net(&mut self, flat: &Flat, state: &impl State, net: NetId) -> BigUint {
        match flat.net(net).driver {
            FlatDriver::Input | FlatDriver::Register(_) => state.leaf(net),
            FlatDriver::Expr(e) => self.expr(flat, state, e),
            FlatDriver::Net(source) => self.net(flat, state, source),
            FlatDriver::Memory(m, p) => match flat.memories[m].reads[p].1 {
                Read::Clocked { .. } => state.leaf(net),
                Read::Now { address } => {
                    let address = self.expr(flat, state, address);
                    word_number(flat, m, &address).map_or(zero(), |word| state.word(m, word))
                }
                Read::And { select } => {
                    let (select, all) = (self.expr(flat, state, select), mask(flat.memories[m].width));
                    selected(flat, state, m, &select).fold(all, |x, y| x & y)
                }
                Read::Nor { select } => {
                    let (select, all) = (self.expr(flat, state, select), mask(flat.memories[m].width));
                    selected(flat, state, m, &select).fold(zero(), |x, y| x | y) ^ all
                }
            },
        }
    }

    /// Value of an expression.
    pub fn expr(&mut self, flat: &Flat, state: &impl State, e: ExprId) -> BigUint {
        if let Some(value) = self.done.get(&e) {
            return value.clone();
        }
        let value = self.compute(flat, state, e);
        assert!(value.bits() <= u64::from(flat.expr(e).width), "{:?} = {value}", flat.expr(e));
        self.done.insert(e, value.clone());
        value
    }

    fn compute(&mut self, flat: &Flat, state: &impl State, e: ExprId) -> BigUint {
        let (width, of) = (flat.expr(e).width, |e: ExprId| flat.expr(e));
        match flat.expr(e).kind {
            ExprKind::Const(ref value) => value.clone(),
            ExprKind::Net(net) => self.net(flat, state, net),
            ExprKind::Unary(op, a) => {
                let (a, all) = (self.expr(flat, state, a), mask(of(a).width));
                match op {
                    Unary::Not => a ^ all,
                    Unary::Neg => pattern(-BigInt::from(a), width),
                    Unary::Any => bit(a != zero()),
                    Unary::All => bit(a == all),
                    Unary::Parity => bit(a.count_ones() % 2 == 1),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (ea, eb) = (of(a), of(b));
                let (x, y) = (self.expr(flat, state, a), self.expr(flat, state, b));
                let (ix, iy) = (integer(&x, ea.width, ea.signed), integer(&y, eb.width, eb.signed));
                match op {
                    Binary::And => x & y,
                    Binary::Or => x | y,
                    Binary::Xor => x ^ y,
                    Binary::Add => pattern(ix + iy, width),
                    Binary::Sub => pattern(ix - iy, width),
                    Binary::Mul => pattern(ix * iy, width),
                    Binary::Eq => bit(x == y),
                    Binary::Ne => bit(x != y),
                    Binary::Lt => bit(ix < iy),
                    Binary::Le => bit(ix <= iy),
                    Binary::Shl if small(&y) >= width as usize => zero(),
                    Binary::Shl => (x << small(&y)) & mask(width),
                    Binary::Shr if small(&y) >= width as usize => zero(),
                    Binary::Shr => x >> small(&y),
                }
            }
            ExprKind::Mux(c, a, b) => {
                let c = self.expr(flat, state, c);
                self.expr(flat, state, if c == zero() { b } else { a })
            }
            ExprKind::Slice(a, low) => (self.expr(flat, state, a) >> low) & mask(width),
            ExprKind::Select(a, at) => {
                let (a, at) = (self.expr(flat, state, a), small(&self.expr(flat, state, at)));
                if at >= 4096 { zero() } else { (a >> at) & mask(width) }
            }
            ExprKind::Replace(a, part, low) => {
                let (a, value) = (self.expr(flat, state, a), self.expr(flat, state, part));
                let hole = mask(of(part).width) << low;
                (&a ^ (&a & &hole)) | (value << low)
            }
            ExprKind::ReplaceBit(a, b, at) => {
                let (mut a, b, at) =
                    (self.expr(flat, state, a), self.expr(flat, state, b), small(&self.expr(flat, state, at)));
                if at < width as usize {
                    a.set_bit(at as u64, b != zero());
                }
                a
            }
            ExprKind::Extend(a) => {
                let signed = of(a).signed;
                pattern(integer(&self.expr(flat, state, a), of(a).width, signed), width)
            }
            ExprKind::Reinterpret(a) => self.expr(flat, state, a),
        }
    }
}

fn selected<'a>(
    flat: &Flat,
    state: &'a impl State,
    m: usize,
    select: &'a BigUint,
) -> impl Iterator<Item = BigUint> + 'a {
    (0..flat.memories[m].depth).filter(|&word| select.bit(word as u64)).map(move |word| state.word(m, word))
}

/// A design with its state.
pub struct Reference {
    design: Flat,
    kept: Kept,
    values: Values,
}

struct Kept {
    /// Values of inputs, registers and clocked read ports; what is not there is 0.
    leaves: HashMap<NetId, Vec<u64>>,
    /// Limbs of the memories' words, one after the other.
    memories: Vec<Vec<u64>>,
    limbs: Vec<usize>,
    registers: Vec<Vec<u64>>,
    register_of: HashMap<NetId, usize>,
}

impl State for Kept {
    fn leaf(&self, net: NetId) -> BigUint {
        match self.register_of.get(&net) {
            Some(&register) => number(&self.registers[register]),
            None => self.leaves.get(&net).map_or(zero(), |value| number(value)),
        }
    }

    fn word(&self, memory: usize, word: usize) -> BigUint {
        let limbs = self.limbs[memory];
        number(&self.memories[memory][word * limbs..][..limbs])
    }
}

impl Reference {
    /// Registers and memories begin at 0, ROMs with their contents.
    pub fn new(design: Flat) -> Reference {
        let memories = design.memories.iter();
        let words = memories.map(|m| match &m.contents {
            Some(contents) => contents.iter().flat_map(|word| digits(word, m.width)).collect(),
            None => vec![0; m.depth * m.width.div_ceil(64) as usize],
        });
        let registers = design.registers.iter();
        let kept = Kept {
            leaves: HashMap::new(),
            memories: words.collect(),
            limbs: design.memories.iter().map(|m| m.width.div_ceil(64) as usize).collect(),
            registers: registers.clone().map(|r| digits(&zero(), design.net(r.net).width)).collect(),
            register_of: registers.enumerate().map(|(i, r)| (r.net, i)).collect(),
        };
        Reference { design, kept, values: Values::default() }
    }
}

/// What a clock edge changes.
#[derive(Default)]
pub(crate) struct Changes {
    /// Registers and their values.
    pub registers: Vec<(usize, BigUint)>,
    /// Nets of clocked read ports and their values.
    pub ports: Vec<(NetId, BigUint)>,
    /// Memories, words of them, and their values.
    pub words: Vec<(usize, usize, BigUint)>,
}

/// Evaluates a clock edge; with `reset`, registers take their reset values.
pub(crate) fn edge(flat: &Flat, state: &impl State, values: &mut Values, reset: bool) -> Changes {
    let mut changes = Changes::default();
    let mut expr = |e: ExprId| values.expr(flat, state, e);
    for (number, register) in flat.registers.iter().enumerate() {
        match &register.reset {
            Some(initial) if reset => changes.registers.push((number, initial.clone())),
            _ if register.enable.is_none_or(|e| expr(e) != zero()) => {
                changes.registers.push((number, expr(register.next)));
            }
            _ => {}
        }
    }
    for (m, memory) in flat.memories.iter().enumerate() {
        for (net, read) in &memory.reads {
            if let Read::Clocked { address, enable } = *read
                && expr(enable) != zero()
            {
                let word = word_number(flat, m, &expr(address));
                changes.ports.push((*net, word.map_or(zero(), |word| state.word(m, word))));
            }
        }
        if let Some(write) = &memory.write
            && let Some(word) = word_number(flat, m, &expr(write.address))
            && expr(write.enable) != zero()
        {
            let (data, old) = (expr(write.data), state.word(m, word));
            let mask = write.mask.map_or(mask(memory.width), &mut expr);
            changes.words.push((m, word, (data & &mask) | (&old ^ (&old & &mask))));
        }
    }
    changes
}

/// A value cut to its width, as limbs.
fn cut(value: &[u64], width: u32) -> Vec<u64> {
    digits(&(number(value) & mask(width)), width)
}

impl Engine for Reference {
    fn design(&self) -> &Flat {
        &self.design
    }

    fn set_input(&mut self, input: NetId, value: &[u64]) {
        let input = self.design.source(input);
        self.kept.leaves.insert(input, cut(value, self.design.net(input).width));
        self.values = Values::default();
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        digits(&self.values.net(&self.design, &self.kept, net), self.design.net(net).width)
    }

    fn tick(&mut self, reset: bool) {
        let Changes { registers, ports, words } = edge(&self.design, &self.kept, &mut self.values, reset);
        for (number, value) in registers {
            self.kept.registers[number] = digits(&value, self.design.net(self.design.registers[number].net).width);
        }
        for (net, value) in ports {
            self.kept.leaves.insert(net, digits(&value, self.design.net(net).width));
        }
        for (m, word, value) in words {
            self.set_word(m, word, &digits(&value, self.design.memories[m].width));
        }
        self.values = Values::default();
    }

    fn register(&self, register: usize) -> Limbs<'_> {
        Limbs::Kept(&self.kept.registers[register])
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        let width = self.design.net(self.design.registers[register].net).width;
        self.kept.registers[register] = cut(value, width);
        self.values = Values::default();
    }

    fn memory(&self, memory: usize) -> &[u64] {
        &self.kept.memories[memory]
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        let limbs = self.kept.limbs[memory];
        if word < self.design.memories[memory].depth {
            let value = cut(value, self.design.memories[memory].width);
            self.kept.memories[memory][word * limbs..][..limbs].copy_from_slice(&value);
            self.values = Values::default();
        }
    }
}
