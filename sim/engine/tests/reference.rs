//! Evaluates a flat design as its documentation reads: one big integer a value, nothing folded, nothing ordered.

use std::collections::HashMap;

use num_bigint::{BigInt, BigUint, Sign};

use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Binary, ExprId, ExprKind, NetId, Read, Unary};

/// A design with its state.
pub struct Reference<'a> {
    flat: &'a Flat,
    pub registers: Vec<BigUint>,
    pub memories: Vec<Vec<BigUint>>,
    latches: HashMap<(usize, usize), BigUint>,
    pub inputs: HashMap<NetId, BigUint>,
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

impl<'a> Reference<'a> {
    pub fn new(flat: &'a Flat) -> Reference<'a> {
        Reference {
            flat,
            registers: vec![zero(); flat.registers.len()],
            memories: (flat.memories.iter())
                .map(|m| m.contents.clone().unwrap_or_else(|| vec![zero(); m.depth]))
                .collect(),
            latches: HashMap::new(),
            inputs: HashMap::new(),
            done: HashMap::new(),
        }
    }

    /// To be called when state or inputs were changed.
    pub fn changed(&mut self) {
        self.done.clear();
    }

    fn word_number(&self, memory: usize, address: &BigUint) -> Option<usize> {
        let depth = self.flat.memories[memory].depth;
        let address = if depth.is_power_of_two() { address % depth } else { address.clone() };
        Some(small(&address)).filter(|&a| a < depth)
    }

    fn word(&self, memory: usize, address: &BigUint) -> BigUint {
        self.word_number(memory, address).map_or(zero(), |a| self.memories[memory][a].clone())
    }

    pub fn net(&mut self, net: NetId) -> BigUint {
        match self.flat.net(net).driver {
            FlatDriver::Input => self.inputs.get(&net).cloned().unwrap_or_default(),
            FlatDriver::Expr(e) => self.expr(e),
            FlatDriver::Register(r) => self.registers[r].clone(),
            FlatDriver::Net(source) => self.net(source),
            FlatDriver::Memory(m, p) => match self.flat.memories[m].reads[p].1 {
                Read::Clocked { .. } => self.latches.get(&(m, p)).cloned().unwrap_or_default(),
                Read::Now { address } => {
                    let address = self.expr(address);
                    self.word(m, &address)
                }
                Read::And { select } => {
                    let (select, all) = (self.expr(select), mask(self.flat.memories[m].width));
                    self.selected(m, &select).fold(all, |x, y| x & y)
                }
                Read::Nor { select } => {
                    let (select, all) = (self.expr(select), mask(self.flat.memories[m].width));
                    self.selected(m, &select).fold(zero(), |x, y| x | y) ^ all
                }
            },
        }
    }

    fn selected(&self, m: usize, select: &BigUint) -> impl Iterator<Item = &BigUint> {
        let select = select.clone();
        self.memories[m].iter().enumerate().filter(move |(row, _)| select.bit(*row as u64)).map(|(_, word)| word)
    }

    pub fn expr(&mut self, e: ExprId) -> BigUint {
        if let Some(value) = self.done.get(&e) {
            return value.clone();
        }
        let value = self.compute(e);
        assert!(value.bits() <= u64::from(self.flat.expr(e).width), "{:?} = {value}", self.flat.expr(e));
        self.done.insert(e, value.clone());
        value
    }

    fn compute(&mut self, e: ExprId) -> BigUint {
        let flat = self.flat;
        let (width, of) = (flat.expr(e).width, |e: ExprId| flat.expr(e));
        match flat.expr(e).kind {
            ExprKind::Const(ref value) => value.clone(),
            ExprKind::Net(net) => self.net(net),
            ExprKind::Unary(op, a) => {
                let (a, all) = (self.expr(a), mask(of(a).width));
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
                let (x, y) = (self.expr(a), self.expr(b));
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
                let c = self.expr(c);
                self.expr(if c == zero() { b } else { a })
            }
            ExprKind::Slice(a, low) => (self.expr(a) >> low) & mask(width),
            ExprKind::Select(a, at) => {
                let (a, at) = (self.expr(a), small(&self.expr(at)));
                if at >= 4096 { zero() } else { (a >> at) & mask(width) }
            }
            ExprKind::Replace(a, part, low) => {
                let (a, value) = (self.expr(a), self.expr(part));
                let hole = mask(of(part).width) << low;
                (&a ^ (&a & &hole)) | (value << low)
            }
            ExprKind::ReplaceBit(a, b, at) => {
                let (mut a, b, at) = (self.expr(a), self.expr(b), small(&self.expr(at)));
                if at < width as usize {
                    a.set_bit(at as u64, b != zero());
                }
                a
            }
            ExprKind::Extend(a) => {
                let signed = of(a).signed;
                pattern(integer(&self.expr(a), of(a).width, signed), width)
            }
            ExprKind::Reinterpret(a) => self.expr(a),
        }
    }

    pub fn tick(&mut self, reset: bool) {
        let flat = self.flat;
        let on = |this: &mut Self, e: Option<ExprId>| e.is_none_or(|e| this.expr(e) != zero());
        let mut registers = self.registers.clone();
        for (register, value) in flat.registers.iter().zip(&mut registers) {
            match &register.reset {
                Some(initial) if reset => *value = initial.clone(),
                _ if on(self, register.enable) => *value = self.expr(register.next),
                _ => {}
            }
        }
        let (mut latches, mut memories) = (self.latches.clone(), self.memories.clone());
        for (m, memory) in flat.memories.iter().enumerate() {
            for (p, (_, read)) in memory.reads.iter().enumerate() {
                if let Read::Clocked { address, enable } = *read {
                    if on(self, Some(enable)) {
                        let address = self.expr(address);
                        latches.insert((m, p), self.word(m, &address));
                    }
                }
            }
            if let Some(write) = &memory.write {
                let address = self.expr(write.address);
                if let (true, Some(word)) = (on(self, Some(write.enable)), self.word_number(m, &address)) {
                    let (data, old) = (self.expr(write.data), self.memories[m][word].clone());
                    let mask = write.mask.map_or(mask(memory.width), |e| self.expr(e));
                    memories[m][word] = (data & &mask) | (&old ^ (&old & &mask));
                }
            }
        }
        (self.registers, self.latches, self.memories) = (registers, latches, memories);
        self.changed();
    }
}
