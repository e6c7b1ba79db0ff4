//! Model of a lane of the compute unit: what its registers hold after every cycle.

use bitline_units::ccs::control::*;

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
    /// The bit above it: how a and b compare.
    pub less: bool,
    /// Second factor.
    pub factor: u32,
    /// The shift is by half an element more.
    pub turned: bool,
    /// It is by 0.
    pub still: bool,
    /// What is added to the product.
    pub added: [u32; 2],
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
    /// A clock cycle.
    pub fn step(&mut self, bits: usize, control: u64, mask: bool, a: u32, b: u32) {
        let was = self.clone();
        was.next(bits, control, mask, [a, b], self);
    }

    /// The registers after a cycle: all of them are replaced.
    #[inline(always)]
    fn next(&self, bits: usize, control: u64, mask: bool, [a, b]: [u32; 2], next: &mut Lane) {
        let ones = u32::MAX >> (32 - bits);
        let (a, b) = (a & ones, b & ones);
        (next.first, next.second, next.addend) = (a, b, if is(control, ADD_A) { a } else { 0 });
        self.first_level(bits, control, mask, next);
        let place = field(control, PLACE, 2);
        // Operands of the multiplier.
        let m = match () {
            () if is(control, SQUARE) => self.r,
            // The smaller is a where a < b, the greater where a is not less.
            () if is(control, CHOOSE) => {
                if self.less != is(control, DISTANCE) {
                    self.factor
                } else {
                    0
                }
            }
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
        let chosen = if is(control, CHOOSE) { [self.second, self.added[0]] } else { [0, 0] };
        next.added = chosen;
        next.sum_0 = self.low_product + i64::from(self.added[1]);
        next.sum_1 = self.middle_product + (self.sum_0 >> 17);
        next.sum_2 = self.high_product + self.sum_1;
        next.lowest = [self.sum_0 as u32 & LOW, self.lowest[0]];
        // Beside it.
        next.negative = [negative, self.negative[0], self.negative[1]];
        next.none = [self.still, self.none[0], self.none[1]];
        let flag = if place == place::COMPARE { self.less != is(control, OPPOSITE) } else { self.turned };
        next.flag = [flag, self.flag[0], self.flag[1]];
        next.choice = self.choose(place);
        next.result = self.select(bits, place);
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

    /// Code of the lower half, and above it the lowest bit of the upper's, which is the same otherwise.
    fn choose(&self, place: u64) -> u32 {
        let (flag, negative, none) = (self.flag[2], self.negative[2], self.none[2]);
        let (low, high) = match place {
            place::LEFT if flag => (3, 3),
            place::LEFT => (0, 0),
            place::RIGHT if none => (0, 0),
            place::RIGHT if flag => (1, 1),
            place::RIGHT => (2, 2 + u32::from(negative)),
            place::ROTATE => (u32::from(flag), u32::from(flag)),
            _ => (2 + u32::from(flag), 2 + u32::from(flag)),
        };
        low | (high & 1) << 2
    }

    fn select(&self, bits: usize, place: u64) -> u32 {
        let product = (self.sum_2 << 17) as u64 | u64::from(self.lowest[1]);
        let half = bits / 2;
        let ones = (1u64 << half) - 1;
        let part = |number: usize| product >> (number * half) & ones;
        let (upper, first, second) = (self.choice >> 1 & 1, self.choice & 1, self.choice >> 2);
        let low = match (place, upper << 1 | first) {
            (place::LEFT | place::RIGHT, 0) => part(0),
            (_, 0) => part(0) | part(2),
            (_, 1) => part(1),
            (place::LEFT | place::RIGHT, 2) => part(2),
            (place::ROTATE | place::COMPARE, 3) => ones,
            _ => 0,
        };
        let high = match (place, upper << 1 | second) {
            (_, 0) => part(1),
            (place::LEFT | place::ROTATE, 1) => part(0) | part(2),
            (_, 1) => part(2),
            (place::LEFT | place::ROTATE, 3) => part(0),
            (place::LEFT | place::ROTATE, _) => part(1),
            (_, 2) => 0,
            _ => ones,
        };
        (low | high << half) as u32
    }
}

state! {
    Lane(self, bits: usize) {
        self => first, second, addend, factor, turned, still, low_m, choice, result;
        r = u64::from(self.r) | u64::from(self.less) << bits;
        added[] = self.added;
        low_r[] = self.low_r;
        high_m[] = self.high_m;
        lowest[] = self.lowest;
        negative[] = self.negative;
        flag[] = self.flag;
        none[] = self.none;
        low_product = low(self.low_product, 36);
        high_r = low(self.high_r, 18);
        middle_product = low(self.middle_product, 31);
        high_product = low(self.high_product, 31);
        sum_0 = low(self.sum_0, 48);
        sum_1 = low(self.sum_1, 31);
        sum_2 = low(self.sum_2, 31);
    }
}

/// The lowest bits of a number in two's complement.
fn low(value: i64, bits: u32) -> u64 {
    value as u64 & (u64::MAX >> (64 - bits))
}
