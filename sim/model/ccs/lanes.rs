//! Model of the lanes of the compute unit: what their registers hold after every cycle.
//!
//! Each register is a vector with an element for each lane: what lanes do side by side is computed and compared side by
//! side.

use bitline_units::ccs::control::*;

/// The lanes; every field is a register of each, under the same name. Numbers are in two's complement of the register's
/// width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    /// First operand.
    pub first: Vec<u32>,
    /// Second operand.
    pub second: Vec<u32>,
    /// First operand of sums and differences.
    pub addend: Vec<u32>,
    /// The first level's result, and in the bit above the element how a and b compare.
    pub r: Vec<u64>,
    /// Second factor.
    pub factor: Vec<u32>,
    /// The shift is by half an element more.
    pub turned: Vec<bool>,
    /// It is by 0.
    pub still: Vec<bool>,
    /// What is added to the product.
    pub added: [Vec<u32>; 2],
    /// Low part by low part.
    pub low_product: Vec<u64>,
    /// High part of r.
    pub high_r: Vec<u32>,
    /// Low part of m.
    pub low_m: Vec<u32>,
    /// Low part of r.
    pub low_r: [Vec<u32>; 2],
    /// High part of m.
    pub high_m: [Vec<u32>; 2],
    /// High part by low part.
    pub middle_product: Vec<u32>,
    /// Low part by high part.
    pub high_product: Vec<u32>,
    /// Sum of the first product.
    pub sum_0: Vec<u64>,
    /// Of two.
    pub sum_1: Vec<u32>,
    /// Of three.
    pub sum_2: Vec<u32>,
    /// The lowest bits.
    pub lowest: [Vec<u32>; 2],
    /// r is negative, and that matters.
    pub negative: [Vec<bool>; 3],
    /// Comparison's result, or turned.
    pub flag: [Vec<bool>; 3],
    /// The shift is by 0.
    pub none: [Vec<bool>; 3],
    /// Choice of the result.
    pub choice: Vec<u8>,
    /// Result.
    pub result: Vec<u32>,
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
/// Bits of the low product.
const PRODUCT_BITS: u32 = 36;
/// Bits of a high part, with its sign; ones in them.
const PART_BITS: u32 = 18;
const PART: u32 = (1 << PART_BITS) - 1;
/// Ones in the bits of a sum without the first product's lowest 17.
const UPPER: u32 = u32::MAX >> 1;
/// Bits of the first product's sum.
const SUM_BITS: u32 = 48;

/// The lowest bits of a number in two's complement.
fn low(value: i64, bits: u32) -> u64 {
    value as u64 & (u64::MAX >> (64 - bits))
}

/// The number of which these are the lowest bits.
fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// Moves a register's values on by a cycle; the oldest are free for what comes.
fn shift<T, const N: usize>(registers: &mut [Vec<T>; N]) -> &mut [T] {
    registers.rotate_right(1);
    &mut registers[0]
}

impl Lanes {
    /// So many lanes, in which there is nothing but zeros.
    pub fn new(lanes: usize) -> Lanes {
        let (bytes, halves, words) = (vec![0; lanes], vec![0; lanes], vec![0; lanes]);
        let (bits, pair) = (vec![false; lanes], [halves.clone(), halves.clone()]);
        let bits_3 = [bits.clone(), bits.clone(), bits.clone()];
        Lanes {
            first: halves.clone(),
            second: halves.clone(),
            addend: halves.clone(),
            r: words.clone(),
            factor: halves.clone(),
            turned: bits.clone(),
            still: bits,
            added: pair.clone(),
            low_product: words.clone(),
            high_r: halves.clone(),
            low_m: halves.clone(),
            low_r: pair.clone(),
            high_m: pair.clone(),
            middle_product: halves.clone(),
            high_product: halves.clone(),
            sum_0: words,
            sum_1: halves.clone(),
            sum_2: halves.clone(),
            lowest: pair,
            negative: bits_3.clone(),
            flag: bits_3.clone(),
            none: bits_3,
            choice: bytes,
            result: halves,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.first.len()
    }

    /// Reset: what is no number.
    pub fn reset(&mut self) {
        let registers = self.flag.iter_mut().chain(&mut self.negative).chain(&mut self.none);
        registers.for_each(|register| register.fill(false));
    }

    /// A clock cycle: elements of so many bits, whether each does not count, and the operands. What is behind takes its
    /// step first, so that each step finds the registers before it as they were.
    pub fn step(&mut self, bits: usize, control: u64, idle: &[bool], a: &[u32], b: &[u32]) {
        match field(control, PLACE, 2) {
            place::LEFT => self.select::<{ place::LEFT }>(bits),
            place::RIGHT => self.select::<{ place::RIGHT }>(bits),
            place::ROTATE => self.select::<{ place::ROTATE }>(bits),
            _ => self.select::<{ place::COMPARE }>(bits),
        }
        self.beside(bits, control);
        self.sums();
        self.multiply(bits, control);
        match field(control, LOGIC, 3) {
            function::XOR => self.first_level(bits, control, idle, |a, b| a ^ b),
            function::XNOR => self.first_level(bits, control, idle, |a, b| !(a ^ b)),
            function::AND => self.first_level(bits, control, idle, |a, b| a & b),
            function::OR => self.first_level(bits, control, idle, |a, b| a | b),
            function::NAND => self.first_level(bits, control, idle, |a, b| !(a & b)),
            function::NOR => self.first_level(bits, control, idle, |a, b| !(a | b)),
            function::A => self.first_level(bits, control, idle, |a, _| a),
            _ => self.first_level(bits, control, idle, |_, b| b),
        }
        let ones = u32::MAX >> (32 - bits);
        self.first.iter_mut().zip(a).for_each(|(first, a)| *first = a & ones);
        self.second.iter_mut().zip(b).for_each(|(second, b)| *second = b & ones);
        let added = if is(control, ADD_A) { ones } else { 0 };
        self.addend.iter_mut().zip(a).for_each(|(addend, a)| *addend = a & added);
    }

    /// r, and the second factor.
    #[inline(always)]
    fn first_level(&mut self, bits: usize, control: u64, idle: &[bool], function: impl Fn(u32, u32) -> u32) {
        let ones = u32::MAX >> (32 - bits);
        let (carry, signs) = (u64::from(is(control, CARRY)), u32::from(is(control, SIGNED)));
        let operands = self.first.iter().zip(&self.second).zip(&self.addend);
        for ((r, idle), ((&a, &b), &addend)) in self.r.iter_mut().zip(idle).zip(operands) {
            let other = function(a, b) & ones ^ addend;
            let sum = u64::from(addend) + u64::from(other) + carry;
            let differ = u64::from((a ^ b) >> (bits - 1) & signs);
            let less = (sum >> bits & 1) ^ differ ^ 1;
            let all = sum & u64::from(ones) | less << bits;
            *r = if *idle { 0 } else { all };
        }
        if !is(control, SHIFT) {
            self.still.fill(true);
            self.turned.fill(false);
            match is(control, MULTIPLY) {
                true => self.factor.copy_from_slice(&self.second),
                false => self.factor.fill(1),
            }
            return;
        }
        let (modulus, half) = (bits as u32, bits as u32 / 2);
        for (k, &b) in self.second.iter().enumerate() {
            let amount = b % modulus;
            let left = if is(control, BACKWARD) { (modulus - amount) % modulus } else { amount };
            self.still[k] = amount == 0;
            self.turned[k] = left >= half;
            self.factor[k] = if is(control, MULTIPLY) { b } else { 1 << (left % half) };
        }
    }

    /// Operands of the multiplier and the first of its products, and what is added to it.
    #[inline(always)]
    fn multiply(&mut self, bits: usize, control: u64) {
        let ones = u32::MAX >> (32 - bits);
        let added = shift(&mut self.added);
        match is(control, CHOOSE) {
            true => added.copy_from_slice(&self.second),
            false => {
                added.fill(0);
                self.added[1].fill(0);
            }
        }
        let high_product = self.high_product.iter_mut().zip(&self.low_r[1]).zip(&self.high_m[1]);
        high_product.for_each(|((product, r), m)| *product = r.wrapping_mul(*m) & UPPER);
        let middle_product = self.middle_product.iter_mut().zip(&self.high_r).zip(&self.low_m);
        for ((product, &r), &m) in middle_product {
            let r = signed(r.into(), PART_BITS) as u32;
            *product = r.wrapping_mul(m) & UPPER;
        }
        let (low_r, high_m, negative) = (shift(&mut self.low_r), shift(&mut self.high_m), shift(&mut self.negative));
        // The second factor. The smaller is a where a < b, the greater where a is not less.
        let distance = u32::from(is(control, DISTANCE));
        let m = high_m.iter_mut().zip(&self.r).zip(&self.factor);
        if is(control, SQUARE) {
            m.for_each(|((m, r), _)| *m = *r as u32 & ones);
        } else if is(control, CHOOSE) {
            m.for_each(|((m, r), factor)| *m = if (r >> bits) as u32 & 1 == distance { 0 } else { *factor });
        } else {
            m.for_each(|((m, r), factor)| *m = if (r >> bits) as u32 & distance == 1 { ones } else { *factor });
        }
        // The first one.
        let signs = u32::from(is(control, SIGNED_FACTOR));
        let r = negative.iter_mut().zip(low_r.iter_mut()).zip(&self.r);
        r.for_each(|((negative, low), r)| {
            *low = *r as u32 & ones & LOW;
            *negative = (*r as u32 >> (bits - 1)) & signs == 1;
        });
        let low_product = self.low_product.iter_mut().zip(&*low_r).zip(&*high_m);
        if bits == 32 {
            // Elements of 32 bits have two parts, of which the upper has the sign.
            low_product.for_each(|((product, r), m)| *product = u64::from(*r) * u64::from(m & LOW));
            let high_r = self.high_r.iter_mut().zip(&self.r);
            if signs == 1 {
                high_r.for_each(|(high, r)| *high = (*r as u32 as i32 >> 17) as u32 & PART);
            } else {
                high_r.for_each(|(high, r)| *high = *r as u32 >> 17);
            }
        } else {
            // Shorter ones have a signed one.
            for (((product, _), m), (r, &negative)) in low_product.zip(self.r.iter().zip(&*negative)) {
                let factor = i64::from(*r as u32 & ones) - (i64::from(negative) << bits);
                *product = low(factor * i64::from(m & LOW), PRODUCT_BITS);
            }
            self.high_r.fill(0);
        }
        for (low_m, m) in self.low_m.iter_mut().zip(high_m) {
            (*low_m, *m) = (*m & LOW, *m >> 17);
        }
    }

    /// Sums of the products.
    #[inline(always)]
    fn sums(&mut self) {
        let sum_2 = self.sum_2.iter_mut().zip(&self.high_product).zip(&self.sum_1);
        sum_2.for_each(|((sum, product), before)| *sum = product.wrapping_add(*before) & UPPER);
        let sum_1 = self.sum_1.iter_mut().zip(&self.middle_product).zip(&self.sum_0);
        for ((sum, product), &before) in sum_1 {
            *sum = product.wrapping_add((signed(before, SUM_BITS) >> 17) as u32) & UPPER;
        }
        let lowest = shift(&mut self.lowest).iter_mut().zip(&self.sum_0);
        lowest.for_each(|(lowest, sum)| *lowest = *sum as u32 & LOW);
        let sum_0 = self.sum_0.iter_mut().zip(&self.low_product).zip(&self.added[1]);
        for ((sum, &product), &added) in sum_0 {
            *sum = low(signed(product, PRODUCT_BITS) + i64::from(added), SUM_BITS);
        }
    }

    /// Beside the multiplier: how the operands compare, or what becomes of a shift.
    #[inline(always)]
    fn beside(&mut self, bits: usize, control: u64) {
        shift(&mut self.none).copy_from_slice(&self.still);
        let flag = shift(&mut self.flag);
        if field(control, PLACE, 2) == place::COMPARE {
            let opposite = u64::from(is(control, OPPOSITE));
            let less = flag.iter_mut().zip(&self.r);
            less.for_each(|(flag, r)| *flag = r >> bits & 1 != opposite);
        } else {
            flag.copy_from_slice(&self.turned);
        }
    }

    /// The result, and the choice for the next one: the code of the lower half, and above it the lowest bit of the
    /// upper's, which is the same otherwise.
    #[inline(always)]
    fn select<const PLACE: u64>(&mut self, bits: usize) {
        let half = bits as u32 / 2;
        let ones = (1u32 << half) - 1;
        let pick = |code: u32, of: [u32; 4]| {
            let [low, high] =
                [[of[0], of[1]], [of[2], of[3]]].map(|[even, odd]| if code & 1 == 1 { odd } else { even });
            if code & 2 == 2 { high } else { low }
        };
        let parts = self.sum_2.iter().zip(&self.lowest[1]).zip(&self.choice);
        for (result, ((&sum, &lowest), &choice)) in self.result.iter_mut().zip(parts) {
            let (product, choice) = (u64::from(sum) << 17 | u64::from(lowest), u32::from(choice));
            let [zero, one, two] = [0, half, 2 * half].map(|low| (product >> low) as u32 & ones);
            let (low, high) = match PLACE {
                place::LEFT => ([zero, one, two, 0], [one, zero | two, one, zero]),
                place::RIGHT => ([zero, one, two, 0], [one, two, 0, ones]),
                place::ROTATE => ([zero | two, one, 0, ones], [one, zero | two, one, zero]),
                _ => ([zero | two, one, 0, ones], [one, two, 0, ones]),
            };
            *result = pick(choice, low) | pick(choice & 2 | choice >> 2, high) << half;
        }
        let beside = self.flag[2].iter().zip(&self.negative[2]).zip(&self.none[2]);
        for (choice, ((&flag, &negative), &none)) in self.choice.iter_mut().zip(beside) {
            let (low, high) = match PLACE {
                place::LEFT if flag => (3, 3),
                place::LEFT => (0, 0),
                place::RIGHT if none => (0, 0),
                place::RIGHT if flag => (1, 1),
                place::RIGHT => (2, 2 + u8::from(negative)),
                place::ROTATE => (u8::from(flag), u8::from(flag)),
                _ => (2 + u8::from(flag), 2 + u8::from(flag)),
            };
            *choice = low | (high & 1) << 2;
        }
    }
}

state! {
    Lanes(self) {
        across lanes {
            self => first, second, addend, r, factor, turned, still, low_m, choice, result;
            self => low_product, high_r, middle_product, high_product, sum_0, sum_1, sum_2;
            added[] = &self.added;
            low_r[] = &self.low_r;
            high_m[] = &self.high_m;
            lowest[] = &self.lowest;
            negative[] = &self.negative;
            flag[] = &self.flag;
            none[] = &self.none;
        }
    }
}
