//! Vectors of lanes: numbers in all of them, fields, comparisons, and other sizes.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::V128Imm;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData as MemFlags, Type, Value, types};

use super::scalar::ones;
use super::translate::Translator;

/// The vector of lanes in so many bits.
pub(super) fn kind(bits: u32) -> Type {
    match bits {
        8 => types::I8X16,
        32 => types::I32X4,
        _ => types::I64X2,
    }
}

impl Translator<'_, '_> {
    /// The lowest bits of a word, as a lane.
    pub(super) fn narrowed(&mut self, value: Value, bits: u32) -> Value {
        match bits {
            64 => value,
            _ => self.b.ins().ireduce(Type::int(bits as u16).expect("a type of this width"), value),
        }
    }

    /// A number in every lane.
    pub(super) fn same(&mut self, bits: u32, value: u64) -> Value {
        let lane = value & ones(bits);
        let word = (0..64 / bits).fold(0, |word, k| word | lane << (k * bits));
        let bytes: Vec<u8> = [word.to_le_bytes(), word.to_le_bytes()].concat();
        let constant = self.b.func.dfg.constants.insert(V128Imm::from(&bytes[..]).0[..].into());
        self.b.ins().vconst(kind(bits), constant)
    }

    pub(super) fn as_kind(&mut self, value: Value, to: Type) -> Value {
        let flags = MemFlags::new().with_endianness(Endianness::Little);
        self.b.ins().bitcast(to, flags, value)
    }

    /// Leaves only the lowest bits of lanes.
    pub(super) fn masked(&mut self, value: Value, bits: u32, width: u32) -> Value {
        if width >= bits {
            return value;
        }
        let mask = self.same(bits, ones(width));
        self.b.ins().band(value, mask)
    }

    /// Lanes moved down, and only their lowest bits.
    pub(super) fn field(&mut self, value: Value, bits: u32, low: u32, width: u32) -> Value {
        let moved = match (low, bits) {
            (0, _) => value,
            // There are no shifts of bytes: what comes from the neighbour is masked.
            (_, 8) => {
                let pairs = self.as_kind(value, types::I16X8);
                let by = self.b.ins().iconst(types::I32, i64::from(low));
                let pairs = self.b.ins().ushr(pairs, by);
                let bytes = self.as_kind(pairs, types::I8X16);
                return self.masked(bytes, 8, width.min(8 - low));
            }
            _ => {
                let by = self.b.ins().iconst(types::I32, i64::from(low));
                self.b.ins().ushr(value, by)
            }
        };
        self.masked(moved, bits, width)
    }

    /// Vector `i` of lanes in `to` bits, from vectors of lanes in `of` bits, which are numbers that fit.
    pub(super) fn resized(&mut self, of: u32, to: u32, i: u32, get: &mut dyn FnMut(&mut Self, u32) -> Value) -> Value {
        match (of, to) {
            (8, 32) => {
                let bytes = get(self, 0);
                let half = self.half(bytes, i / 2);
                self.half(half, i % 2)
            }
            (32, 64) => {
                let words = get(self, i / 2);
                self.half(words, i % 2)
            }
            (8, 64) => {
                let words = self.resized(8, 32, i / 2, get);
                self.half(words, i % 2)
            }
            (32, 8) => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| get(self, k));
                let (low, high) = (self.b.ins().snarrow(a, b), self.b.ins().snarrow(c, d));
                self.b.ins().unarrow(low, high)
            }
            (64, 32) => {
                let (a, b) = (get(self, 2 * i), get(self, 2 * i + 1));
                self.packed(a, b)
            }
            (64, 8) => self.resized(32, 8, i, &mut |t, k| {
                let (a, b) = (get(t, 2 * k), get(t, 2 * k + 1));
                t.packed(a, b)
            }),
            _ => get(self, i),
        }
    }

    /// Half of the lanes in twice as many bits.
    pub(super) fn half(&mut self, value: Value, high: u32) -> Value {
        if high == 0 { self.b.ins().uwiden_low(value) } else { self.b.ins().uwiden_high(value) }
    }

    /// The lower halves of words.
    pub(super) fn packed(&mut self, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|v| self.as_kind(v, types::I8X16));
        let places: Vec<u8> = (0..4).flat_map(|lane| (0..4).map(move |byte| 8 * lane + byte)).collect();
        let places = self.b.func.dfg.immediates.push(places[..].into());
        let bytes = self.b.ins().shuffle(a, b, places);
        self.as_kind(bytes, types::I32X4)
    }

    /// All ones in the lanes in which a comparison holds, as lanes of other bits.
    pub(super) fn truth(&mut self, of: u32, to: u32, i: u32, get: &mut dyn FnMut(&mut Self, u32) -> Value) -> Value {
        match (of, to) {
            (32, 8) | (64, 8) => {
                let words: Vec<Value> = (0..4)
                    .map(|k| match of {
                        32 => get(self, k),
                        _ => {
                            let (a, b) = (get(self, 2 * k), get(self, 2 * k + 1));
                            self.packed(a, b)
                        }
                    })
                    .collect();
                let low = self.b.ins().snarrow(words[0], words[1]);
                let high = self.b.ins().snarrow(words[2], words[3]);
                self.b.ins().snarrow(low, high)
            }
            (8, 32) | (8, 64) => {
                // Ones become numbers that are not 0.
                let wide = self.resized(of, to, i, get);
                let zero = self.same(to, 0);
                self.b.ins().icmp(IntCC::NotEqual, wide, zero)
            }
            _ => get(self, i),
        }
    }

    /// Whether a lane is less than another.
    pub(super) fn below(&mut self, bits: u32, sign: Option<u32>, equal: bool, a: Value, b: Value) -> Value {
        // Words have signed comparisons only; a sign bit that is turned over makes the one of the other.
        let turn = sign.map_or(0, |width| 1 << (width - 1)) ^ if bits == 64 { 1 << 63 } else { 0 };
        let (mut a, mut b) = (a, b);
        if turn != 0 {
            let turn = self.same(bits, turn);
            (a, b) = (self.b.ins().bxor(a, turn), self.b.ins().bxor(b, turn));
        }
        let code = match (bits, equal) {
            (64, false) => IntCC::SignedLessThan,
            (64, true) => IntCC::SignedLessThanOrEqual,
            (_, false) => IntCC::UnsignedLessThan,
            (_, true) => IntCC::UnsignedLessThanOrEqual,
        };
        self.b.ins().icmp(code, a, b)
    }
}
