//! Makes random designs.

use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::design::Design;
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Binary, ExprId, ExprKind, Read, Unary};

pub type Step = (u8, u16, u16, u16, u16);

const WIDTHS: [u32; 20] = [1, 1, 1, 2, 3, 5, 8, 16, 31, 32, 63, 64, 65, 70, 100, 127, 128, 129, 192, 200];
const DEPTHS: [usize; 8] = [1, 2, 3, 8, 12, 16, 33, 70];

pub struct Maker {
    pub design: Design,
    pub pool: Vec<ExprId>,
}

impl Maker {
    /// An operand; the most recent ones twice as often.
    pub fn pick(&self, choice: u16) -> ExprId {
        let (n, choice) = (self.pool.len(), usize::from(choice));
        if choice % 2 == 0 { self.pool[n - 1 - choice / 2 % n.min(6)] } else { self.pool[choice / 2 % n] }
    }

    pub fn condition(&mut self, choice: u16) -> ExprId {
        let e = self.pick(choice);
        if self.design.width(e) == 1 { self.design.fit(e, 1, false) } else { self.design.unary(Unary::Parity, e) }
    }

    fn fitted(&mut self, choice: u16, like: ExprId) -> ExprId {
        let e = self.pick(choice);
        self.design.fit(e, self.design.width(like), self.design.signed(like))
    }

    pub fn step(&mut self, (kind, a, b, c, d): Step) {
        let x = self.pick(a);
        let width = self.design.width(x);
        let e = match kind % 30 {
            0 => self.design.unary(Unary::Not, x),
            1 => self.design.unary(Unary::Neg, x),
            2 => self.design.unary([Unary::Any, Unary::All, Unary::Parity][usize::from(d) % 3], x),
            3..=11 => {
                use Binary as B;
                let ops = [B::And, B::Or, B::Xor, B::Add, B::Sub, B::Eq, B::Ne, B::Lt, B::Le];
                let y = self.fitted(b, x);
                self.design.binary(ops[usize::from(kind % 30) - 3], x, y)
            }
            12 => {
                let y = self.pick(b);
                if width + self.design.width(y) > 400 {
                    return;
                }
                self.design.binary(Binary::Mul, x, y)
            }
            13 | 14 => {
                // Amounts that matter, and any.
                let mut by = self.pick(b);
                if c % 4 != 0 {
                    by = self.design.fit(by, u32::from(c % 9) + 1, false);
                }
                self.design.binary(if d % 2 == 0 { Binary::Shl } else { Binary::Shr }, x, by)
            }
            15..=17 => {
                let (c, y) = (self.condition(b), self.fitted(c, x));
                self.design.mux(c, x, y)
            }
            18 => {
                let low = u32::from(b) % width;
                let size = u32::from(c) % (width - low) + 1;
                self.design.slice(x, low, size)
            }
            19 => {
                let (at, size) = (self.pick(b), WIDTHS[usize::from(d) % WIDTHS.len()].min(width));
                let at = self.design.fit(at, u32::from(c % 9) + 1, false);
                self.design.push(ExprKind::Select(x, at), size, false)
            }
            20 => {
                let part = self.pick(b);
                let size = (u32::from(c) % width + 1).min(self.design.width(part));
                let part = self.design.fit(part, size, d % 2 == 0);
                let low = u32::from(d) % (width - size + 1);
                self.design.push(ExprKind::Replace(x, part, low), width, self.design.signed(x))
            }
            21 => {
                let (bit, at) = (self.condition(b), self.pick(c));
                let at = self.design.fit(at, u32::from(d % 9) + 1, false);
                self.design.push(ExprKind::ReplaceBit(x, bit, at), width, self.design.signed(x))
            }
            22 => {
                let size = WIDTHS[usize::from(b) % WIDTHS.len()];
                self.design.fit(x, size, d % 2 == 0)
            }
            23 => self.design.fit(x, width, !self.design.signed(x)),
            24 => self.design.name(x),
            // Narrow fields choose.
            25 | 26 => {
                let field = u32::from(b) % 5 + 1;
                let selector = self.pick(b);
                let low = u32::from(c) % self.design.width(selector);
                let field = field.min(self.design.width(selector) - low);
                let selector = self.design.slice(selector, low, field);
                let mut e = x;
                for i in 0..2 + d % 4 {
                    let number = BigUint::from((d >> i).wrapping_add(i) & ((1 << field) - 1));
                    let number = self.design.constant(number, field);
                    let chosen = self.fitted(c.wrapping_add(3 * i), x);
                    let equal = self.design.binary(Binary::Eq, selector, number);
                    e = self.design.mux(equal, chosen, e);
                }
                e
            }
            // Full adders side by side.
            27 | 28 => {
                let (y, carry) = (self.fitted(b, x), self.fitted(c, x));
                let mut op = |op, a, b| self.design.binary(op, a, b);
                let (differ, either) = (op(Binary::Xor, x, y), op(Binary::Or, x, y));
                let (both, carried) = (op(Binary::And, x, y), op(Binary::And, carry, either));
                let (sum, majority) = (op(Binary::Xor, differ, carry), op(Binary::Or, both, carried));
                let between = [differ, either, both, carried];
                self.pool.extend(between.into_iter().take(usize::from(d % 2 * d % 5)));
                self.pool.push(majority);
                sum
            }
            _ => {
                if self.design.flat.memories.is_empty() {
                    return;
                }
                let memory = usize::from(b) % self.design.flat.memories.len();
                let depth = self.design.flat.memories[memory].depth as u32;
                let read = match c % 3 {
                    0 => Read::Now { address: x },
                    1 => Read::And { select: self.design.fit(x, depth, false) },
                    _ => Read::Nor { select: self.design.fit(x, depth, false) },
                };
                self.design.port(memory, read)
            }
        };
        self.pool.push(e);
    }
}

/// A value with some preference for the ends of its range.
pub fn value(rng: &mut impl Rng, width: u32) -> BigUint {
    let ones = (BigUint::from(1u8) << width) - 1u8;
    match rng.random_range(0..6) {
        0 => BigUint::default(),
        1 => ones,
        2 => BigUint::from(rng.random_range(0..8u8)) & ones,
        _ => BigUint::from_slice(&(0..width.div_ceil(32)).map(|_| rng.random()).collect::<Vec<u32>>()) & ones,
    }
}

/// A design: heads are inputs, registers and memories, steps are expressions, ends are what the heads take.
pub fn make(heads: &[Step], steps: &[Step], ends: &[Step]) -> Flat {
    let mut m = Maker { design: Design::default(), pool: vec![] };
    let (_, first) = m.design.input(1);
    m.pool.push(first);
    let mut clocked = Vec::new();
    for &(kind, a, b, c, d) in heads {
        let width = WIDTHS[usize::from(a) % WIDTHS.len()];
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(b));
        let e = match kind % 8 {
            0 => m.design.input(width).1,
            1..=4 => m.design.register(width, (b % 3 != 0).then_some(u64::from(b) & ((1 << width.min(16)) - 1))).1,
            5 => m.design.constant(value(&mut rng, width), width),
            _ => {
                let depth = DEPTHS[usize::from(c) % DEPTHS.len()];
                let contents = (d % 4 == 0).then(|| (0..depth).map(|_| value(&mut rng, width)).collect());
                let memory = m.design.memory(width, depth, contents);
                // Patched below, when there are expressions to choose from.
                let port = m.design.flat.memories[memory].reads.len();
                clocked.push((memory, port));
                m.design.port(memory, Read::Clocked { address: ExprId(0), enable: ExprId(0) })
            }
        };
        m.pool.push(e);
        if d % 3 == 0 {
            let signed = m.design.fit(e, width, true);
            m.pool.push(signed);
        }
    }
    for &step in steps {
        m.step(step);
    }
    let mut ends = ends.iter().copied().cycle();
    let mut next = || ends.next().unwrap_or_default();
    for register in 0..m.design.flat.registers.len() {
        let (kind, a, b, ..) = next();
        let e = m.pick(a);
        m.design.set(register, e);
        if kind % 2 == 0 {
            let enable = m.condition(b);
            m.design.enable(register, enable);
        }
    }
    for (memory, port) in clocked {
        let (kind, a, b, c, _) = next();
        let (address, enable) = (m.pick(a), m.condition(b));
        let address = if c % 2 == 0 { m.design.fit(address, u32::from(c / 2) % 8 + 1, false) } else { address };
        m.design.flat.memories[memory].reads[port].1 = Read::Clocked { address, enable };
        if kind % 4 == 0 {
            // The same port again: the engine may keep one word for both.
            m.design.port(memory, Read::Clocked { address, enable });
        }
    }
    for memory in 0..m.design.flat.memories.len() {
        let (kind, a, b, c, d) = next();
        if m.design.flat.memories[memory].contents.is_some() || kind % 8 == 0 {
            continue;
        }
        let (address, enable, data) = (m.pick(a), m.condition(b), m.pick(c));
        let mask = (kind % 3 == 0).then(|| m.pick(d));
        m.design.write(memory, address, enable, mask, data);
        if kind % 5 == 0 {
            // A mirror.
            let mut mirror = m.design.flat.memories[memory].clone();
            mirror.path += "_mirror";
            mirror.reads.retain(|(_, read)| matches!(read, Read::Clocked { .. }));
            let number = m.design.flat.memories.len();
            for (port, read) in mirror.reads.iter_mut().enumerate() {
                read.0 = m.design.net("mirror", mirror.width, FlatDriver::Memory(number, port));
            }
            m.design.flat.memories.push(mirror);
        }
    }
    m.design.flat
}

/// The limbs of a value.
pub fn digits(value: &BigUint, width: u32) -> Vec<u64> {
    let mut digits = value.to_u64_digits();
    digits.resize(width.div_ceil(64) as usize, 0);
    digits
}
