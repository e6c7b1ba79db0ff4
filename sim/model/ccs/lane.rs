//! Model of a lane of the compute unit: what its registers hold after every cycle.

use crate::ccs::control::*;

/// A lane; every field is a register, under the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// First operand.
    pub first: u32,
    /// Second operand.
    pub second: u32,
    /// First operand of sums and differences.
    pub addend: u32,
    /// The first level's result.
    pub r: u32,
    /// The bit above it: a < b, if it is their difference.
    pub less: bool,
    /// Second factor.
    pub factor: u32,
    /// The shift is by half an element more.
    pub turned: bool,
    /// It is by 0.
    pub still: bool,
    /// Low part by low part.
    pub low_product: i64,
    /// High part of r.
    pub high_r: i64,
    /// Low part of m.
    pub low_m: u32,
    /// Low part of r.
    pub low_r: [u32; 2],
    /// High part of m.
    pub high_m: [u32; 2],
    /// High part by low part.
    pub middle_product: i64,
    /// Low part by high part.
    pub high_product: i64,
    /// Sum of the first product.
    pub sum_0: i64,
    /// Of two.
    pub sum_1: i64,
    /// Of three.
    pub sum_2: i64,
    /// The lowest bits.
    pub lowest: [u32; 2],
    /// r is 0.
    pub zero: bool,
    /// r is negative, and that matters.
    pub negative: [bool; 3],
    /// Comparison's result, or turned.
    pub flag: [bool; 3],
    /// The shift is by 0.
    pub none: [bool; 3],
    /// Choice of the result.
    pub choice: u32,
    /// Result.
    pub result: u32,
}

/// A field of the control word.
pub fn field(control: u64, low: usize, bits: usize) -> u64 {
    control >> low & ((1 << bits) - 1)
}

fn is(control: u64, bit: usize) -> bool {
    field(control, bit, 1) == 1
}

/// Bits of a factor's low part.
const LOW: u32 = 0x1_ffff;

impl Lane {
    /// The registers after a cycle.
    pub fn next(&self, bits: usize, control: u64, mask: bool, a: u32, b: u32) -> Lane {
        let ones = u32::MAX >> (32 - bits);
        let mut next = Lane { first: a, second: b, addend: if is(control, ADD_A) { a } else { 0 }, ..self.clone() };
        self.first_level(bits, control, mask, &mut next);
        let place = field(control, PLACE, 3);
        let compares = place == place::COMPARE || place == place::GREATER;
        // Operands of the multiplier.
        let m = match () {
            () if is(control, SQUARE) => self.r,
            () if is(control, DISTANCE) && self.less => ones,
            () => self.factor,
        };
        let negative = is(control, SIGNED_FACTOR) && self.r >> (bits - 1) & 1 == 1;
        let factor = i64::from(self.r) - if negative { 1 << bits } else { 0 };
        // Elements of 32 bits have two parts, shorter ones a signed one.
        let (low, high) = if bits == 32 { (factor & i64::from(LOW), factor >> 17) } else { (factor, 0) };
        next.low_product = low * i64::from(m & LOW);
        next.high_r = high;
        next.low_m = m & LOW;
        next.low_r = [self.r & LOW, self.low_r[0]];
        next.high_m = [m >> 17, self.high_m[0]];
        next.middle_product = self.high_r * i64::from(self.low_m);
        next.high_product = i64::from(self.low_r[1]) * i64::from(self.high_m[1]);
        next.sum_0 = self.low_product;
        next.sum_1 = self.middle_product + (self.sum_0 >> 17);
        next.sum_2 = self.high_product + self.sum_1;
        next.lowest = [self.sum_0 as u32 & LOW, self.lowest[0]];
        // Beside it.
        next.zero = self.r == 0;
        next.negative = [negative, self.negative[0], self.negative[1]];
        next.none = [self.still, self.none[0], self.none[1]];
        let flag = match () {
            () if place == place::GREATER => !self.flag[0] && !self.zero,
            () if is(control, EQUAL) => self.zero,
            () => self.flag[0],
        };
        next.flag = [if compares { self.less } else { self.turned }, flag, self.flag[1]];
        next.choice = self.choose(place);
        next.result = self.select(bits);
        next
    }

    fn first_level(&self, bits: usize, control: u64, mask: bool, next: &mut Lane) {
        let ones = u32::MAX >> (32 - bits);
        let (a, b) = (self.first, self.second);
        let function = match field(control, LOGIC, 3) {
            function::XOR => a ^ b,
            function::XNOR => !(a ^ b),
            function::AND => a & b,
            function::OR => a | b,
            function::NAND => !(a & b),
            function::NOR => !(a | b),
            function::A => a,
            _ => b,
        };
        let other = u64::from(function & ones ^ self.addend);
        let sum = u64::from(self.addend) + other + u64::from(is(control, CARRY));
        next.r = if mask { sum as u32 & ones } else { 0 };
        let differ = is(control, SIGNED) && (a ^ b) >> (bits - 1) & 1 == 1;
        next.less = mask && (sum >> bits & 1 == 1) == differ;
        let amount = if is(control, SHIFT) { b as usize % bits } else { 0 };
        let left = if is(control, BACKWARD) { (bits - amount) % bits } else { amount };
        next.still = amount == 0;
        next.turned = left >= bits / 2;
        next.factor = if is(control, MULTIPLY) { b } else { 1 << (left % (bits / 2)) };
    }

    /// Codes of the halves: straight, crossed, over, straight or crossed with over, zeros, ones.
    fn choose(&self, place: u64) -> u32 {
        let (flag, negative, none) = (self.flag[2], self.negative[2], self.none[2]);
        let (low, high) = match place {
            place::LEFT if flag => (4, 1),
            place::RIGHT if none => (0, 0),
            place::RIGHT if flag => (1, 2),
            place::RIGHT if negative => (2, 5),
            place::RIGHT => (2, 4),
            place::ROTATE if flag => (1, 3),
            place::ROTATE => (3, 0),
            place::COMPARE | place::GREATER if flag => (5, 5),
            place::COMPARE | place::GREATER => (4, 4),
            _ => (0, 0),
        };
        low | high << 3
    }

    fn select(&self, bits: usize) -> u32 {
        let product = (self.sum_2 << 17) as u64 | u64::from(self.lowest[1]);
        let half = bits / 2;
        let ones = (1u64 << half) - 1;
        let part = |number: usize| product >> (number * half) & ones;
        let of = |code: u32, straight: u64, crossed: u64, both: u64| match code {
            1 => crossed,
            2 => part(2),
            3 => both,
            4 => 0,
            5 => ones,
            _ => straight,
        };
        let low = of(self.choice & 7, part(0), part(1), part(0) | part(2));
        let high = of(self.choice >> 3, part(1), part(0), part(0) | part(2));
        (low | high << half) as u32
    }
}
