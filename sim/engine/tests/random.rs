//! Random designs: the engine and the reference agree on every net in every cycle.

use num_bigint::BigUint;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::design::{Design, text};
use super::reference::Reference;
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Binary, ExprId, ExprKind, NetId, Read, Unary};
use crate::sim::engine::observe::Cycles;
use crate::sim::engine::{Bytecode, Engine};

type Step = (u8, u16, u16, u16, u16);

const WIDTHS: [u32; 20] = [1, 1, 1, 2, 3, 5, 8, 16, 31, 32, 63, 64, 65, 70, 100, 127, 128, 129, 192, 200];
const DEPTHS: [usize; 8] = [1, 2, 3, 8, 12, 16, 33, 70];

struct Maker {
    design: Design,
    pool: Vec<ExprId>,
}

impl Maker {
    /// An operand; the most recent ones twice as often.
    fn pick(&self, choice: u16) -> ExprId {
        let (n, choice) = (self.pool.len(), usize::from(choice));
        if choice % 2 == 0 { self.pool[n - 1 - choice / 2 % n.min(6)] } else { self.pool[choice / 2 % n] }
    }

    fn condition(&mut self, choice: u16) -> ExprId {
        let e = self.pick(choice);
        if self.design.width(e) == 1 { self.design.fit(e, 1, false) } else { self.design.unary(Unary::Parity, e) }
    }

    fn fitted(&mut self, choice: u16, like: ExprId) -> ExprId {
        let e = self.pick(choice);
        self.design.fit(e, self.design.width(like), self.design.signed(like))
    }

    fn step(&mut self, (kind, a, b, c, d): Step) {
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

fn value(rng: &mut impl Rng, width: u32) -> BigUint {
    let ones = (BigUint::from(1u8) << width) - 1u8;
    match rng.random_range(0..6) {
        0 => BigUint::default(),
        1 => ones,
        2 => BigUint::from(rng.random_range(0..8u8)) & ones,
        _ => BigUint::from_slice(&(0..width.div_ceil(32)).map(|_| rng.random()).collect::<Vec<u32>>()) & ones,
    }
}

/// A design: heads are inputs, registers and memories, steps are expressions, ends are what the heads take.
fn make(heads: &[Step], steps: &[Step], ends: &[Step]) -> Flat {
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

pub fn digits(value: &BigUint, width: u32) -> Vec<u64> {
    let mut digits = value.to_u64_digits();
    digits.resize(width.div_ceil(64) as usize, 0);
    digits
}

/// Runs both and compares every net, register and memory. Returns the kinds of instructions that were run, a bit each.
fn compare(flat: &Flat, seed: u64, cycles: usize) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut engine = Bytecode::new(flat.clone());
    if rng.random_range(0..4) == 0 {
        engine.enlarge();
    }
    let mut reference = Reference::new(flat);
    for (m, memory) in flat.memories.iter().enumerate().filter(|(_, m)| m.contents.is_none()) {
        for word in 0..memory.depth {
            // The same in all memories: mirrors begin equal.
            let value = value(&mut ChaCha8Rng::seed_from_u64(seed ^ word as u64), memory.width);
            engine.set_word(m, word, &digits(&value, memory.width));
            reference.memories[m][word] = value;
        }
    }
    let (mut quiet, mut kinds) = (false, 0);
    for cycle in 0..cycles {
        // In some cycles nothing comes from outside: then only what has changed inside is evaluated anew.
        quiet ^= rng.random_range(0..4) == 0;
        for &input in flat.inputs.iter().filter(|_| !quiet) {
            let width = flat.net(input).width;
            // Quiet inputs, too.
            if rng.random_range(0..3) == 0 {
                continue;
            }
            let value = value(&mut rng, width);
            engine.set_input(input, &digits(&value, width));
            reference.inputs.insert(input, value);
        }
        if !quiet && rng.random_range(0..8) == 0 && !flat.registers.is_empty() {
            let register = rng.random_range(0..flat.registers.len());
            let width = flat.net(flat.registers[register].net).width;
            let value = value(&mut rng, width);
            engine.set_register(register, &digits(&value, width));
            reference.registers[register] = value;
        }
        if !quiet && rng.random_range(0..10) == 0 {
            let share = rng.random_range(0.0..1.0);
            // One of a few patterns, so that groups have several members, and some nodes that change often.
            let patterns: [Cycles; 4] = std::array::from_fn(|_| {
                std::array::from_fn(|_| rng.random::<u64>() & rng.random::<u64>() & rng.random::<u64>())
            });
            let mut more = ChaCha8Rng::seed_from_u64(seed ^ cycle as u64);
            engine.shake(
                || if rng.random_bool(share) { patterns[rng.random_range(0..4)] } else { [u64::MAX; 16] },
                |now| match more.random_range(0..4) {
                    0 => vec![],
                    1 => vec![now],
                    2 => vec![0, 1],
                    _ => vec![now, now ^ 1, 0],
                },
            );
        }
        reference.changed();
        for index in 0..flat.nets.len() {
            let net = NetId(index as u32);
            // Sometimes nobody looks.
            if rng.random_range(0..4) != 0 {
                let (width, path) = (flat.net(net).width, &flat.net(net).path);
                let expected = digits(&reference.net(net), width);
                assert_eq!(
                    engine.value(net),
                    expected,
                    "seed {seed}, cycle {cycle}, net {path}\n{}{}",
                    text(flat),
                    engine.profile(0)
                );
            }
        }
        let reset = !quiet && rng.random_range(0..12) == 0;
        let before: Vec<Vec<u64>> = (0..flat.memories.len()).map(|m| engine.memory(m).to_vec()).collect();
        engine.forget_written();
        kinds |= engine.kinds();
        let more = if reset { 0 } else { rng.random_range(0..3) };
        if reset {
            engine.tick(true);
        } else {
            engine.run(1 + more);
        }
        for (m, (memory, before)) in flat.memories.iter().zip(&before).enumerate() {
            let limbs = memory.width.div_ceil(64) as usize;
            let written = engine.written(m).expect("the engine knows what it writes");
            for (word, (old, new)) in before.chunks(limbs).zip(engine.memory(m).chunks(limbs)).enumerate() {
                let told = written[word / 64] >> (word % 64) & 1 == 1;
                assert!(old == new || told, "seed {seed}, cycle {cycle}, memory {m}, word {word}\n{}", text(flat));
            }
        }
        reference.tick(reset);
        for _ in 0..more {
            reference.changed();
            reference.tick(false);
        }
        for (index, register) in flat.registers.iter().enumerate() {
            let width = flat.net(register.net).width;
            let expected = digits(&reference.registers[index], width);
            assert_eq!(
                engine.register(index),
                expected,
                "seed {seed}, cycle {cycle}, register {index}\n{}",
                text(flat)
            );
        }
        for (index, memory) in flat.memories.iter().enumerate() {
            let words = reference.memories[index].iter().flat_map(|w| digits(w, memory.width));
            let expected: Vec<u64> = words.collect();
            assert_eq!(
                engine.memory(index).to_vec(),
                expected,
                "seed {seed}, cycle {cycle}, memory {index}\n{}{}",
                text(flat),
                engine.profile(0)
            );
        }
    }
    kinds
}

fn step() -> impl Strategy<Value = Step> {
    (any::<u8>(), any::<u16>(), any::<u16>(), any::<u16>(), any::<u16>())
}

/// Random designs. Every kind of instruction must be among their code.
#[test]
fn random_designs_agree_with_the_reference() {
    let config = ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() };
    let steps = |size| prop::collection::vec(step(), size);
    let designs = (steps(1..12), steps(0..60), steps(1..12), any::<u64>());
    let seen = std::cell::Cell::new(0);
    let compared = TestRunner::new(config).run(&designs, |(heads, steps, ends, seed)| {
        seen.set(seen.get() | compare(&make(&heads, &steps, &ends), seed, 40));
        Ok(())
    });
    compared.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(seen.get(), u64::MAX, "kinds of instructions that no design had are 0 here: {:#066b}", seen.get());
}

/// Code about as long as positions of 16 bits reach, against plain integers.
#[test]
fn code_of_every_length_around_the_limit() {
    let mut lengths = Vec::new();
    for count in (2150..2270).step_by(8) {
        let mut d = Design::default();
        let (x_net, x) = d.input(32);
        let (k_net, k) = d.input(32);
        let registers: Vec<(usize, ExprId)> = (0..count).map(|_| d.register(32, Some(0))).collect();
        for (i, &(number, own)) in registers.iter().enumerate() {
            let next = if i == 0 {
                d.binary(Binary::Add, own, x)
            } else {
                let before = registers[i - 1].1;
                let steps = [
                    (Binary::Xor, x),
                    (Binary::And, k),
                    (Binary::Xor, own),
                    (Binary::Or, x),
                    (Binary::Xor, k),
                    (Binary::Xor, before),
                ];
                steps.into_iter().fold(before, |e, (op, with)| d.binary(op, e, with))
            };
            d.set(number, next);
        }
        let mut engine = Bytecode::new(d.flat);
        let (x, k) = (0x1234_5679u32, 0x0f0f_a5a5u32);
        engine.set_input(x_net, &[x.into()]);
        engine.set_input(k_net, &[k.into()]);
        let mut expected = vec![0u32; count];
        for cycle in 0..3 {
            engine.tick(false);
            let old = expected.clone();
            expected[0] = old[0].wrapping_add(x);
            for i in 1..count {
                let before = old[i - 1];
                expected[i] = (((((before ^ x) & k) ^ old[i]) | x) ^ k) ^ before;
            }
            for (i, &value) in expected.iter().enumerate() {
                assert_eq!(engine.register(i), [u64::from(value)], "{count} registers, register {i}, cycle {cycle}");
            }
        }
        lengths.push(engine.code_words());
    }
    let limit = 1 << 16;
    assert!(lengths.iter().any(|&n| n < limit) && lengths.iter().any(|&n| n > limit + 2000), "{lengths:?}");
    assert!(lengths.iter().any(|&n| (limit..limit + 1700).contains(&n)), "{lengths:?}");
}
