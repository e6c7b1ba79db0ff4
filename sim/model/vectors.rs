//! Elements and rows: transposing operands into an array and results out of it, and the operands that tests use.

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::arith::{Inputs, Outputs, evaluate};
use crate::float;
use bitline_units::array::isa::custom::{self, Custom};
use bitline_units::array::isa::format::{F32, FORMATS, Format};
use bitline_units::array::isa::opcode::Conversion;
use bitline_units::array::isa::operation::{Context, Operation, Role};
use bitline_units::array::isa::row::Operand;
use bitline_units::array::isa::{Command, Opcode};

mod unpacked;

/// Rows of an array, as far as a test cares: read and write by number.
pub trait Rows {
    /// Number of columns.
    fn columns(&self) -> usize;
    /// The words of a row, column k in bit k.
    fn row(&self, row: usize) -> Vec<u64>;
    /// Replaces a row.
    fn set_row(&mut self, row: usize, bits: &[u64]);
}

/// Writes element k into column k: bit i goes to row `base` + i.
pub fn write_elements(rows: &mut dyn Rows, base: usize, width: usize, elements: &[u128]) {
    let limbs = rows.columns().div_ceil(64);
    for bit in 0..width {
        let mut words = vec![0u64; limbs];
        for (column, element) in elements.iter().enumerate().take(rows.columns()) {
            words[column / 64] |= u64::from(element >> bit & 1 == 1) << (column % 64);
        }
        rows.set_row(base + bit, &words);
    }
}

/// Reads the elements of every column.
pub fn read_elements(rows: &dyn Rows, base: usize, width: usize) -> Vec<u128> {
    let mut elements = vec![0u128; rows.columns()];
    for bit in 0..width {
        let words = rows.row(base + bit);
        for (column, element) in elements.iter_mut().enumerate() {
            *element |= u128::from(words[column / 64] >> (column % 64) & 1) << bit;
        }
    }
    elements
}

/// A command with operands placed one after the other, and what every column holds.
#[derive(Clone, Debug)]
pub struct Case {
    /// The command.
    pub command: Command,
    /// Inputs of each column.
    pub inputs: Vec<Inputs>,
}

impl Case {
    /// Places the operands of `operation` from row `from` up, in the order of its extents. Returns the first row after
    /// them.
    pub fn place(operation: &Operation, command: &mut Command, from: u16) -> u16 {
        let (n, m) = (command.width.into(), command.second.into());
        let mut next = from;
        for extent in &operation.extents {
            let row = match extent.operand {
                Operand::A => &mut command.a,
                Operand::B => &mut command.b,
                Operand::D => &mut command.d,
                Operand::E => &mut command.e,
                Operand::S => &mut command.s,
            };
            *row = next;
            next += extent.rows.value(n, m).max(0) as u16;
        }
        next
    }

    /// Puts the inputs into the array's rows.
    pub fn load(&self, operation: &Operation, rows: &mut dyn Rows) {
        let (n, m) = (self.command.width.into(), self.command.second.into());
        for extent in operation.extents.iter().filter(|e| matches!(e.role, Role::Source | Role::Accumulator)) {
            let value = |inputs: &Inputs| match extent.operand {
                Operand::A => inputs.a.into(),
                Operand::B => inputs.b.into(),
                Operand::D => inputs.d,
                Operand::E => inputs.e.into(),
                Operand::S => 0,
            };
            let elements: Vec<u128> = self.inputs.iter().map(value).collect();
            let base = self.command.row(extent.operand).into();
            write_elements(rows, base, extent.rows.value(n, m) as usize, &elements);
        }
    }

    /// What the arithmetic model says.
    pub fn expected(&self) -> Vec<Outputs> {
        let c = &self.command;
        let one = |&inputs: &Inputs| evaluate(c.opcode, c.width.into(), c.second.into(), c.key, inputs);
        self.inputs.iter().map(one).collect()
    }

    /// Compares rows and tags with the arithmetic model.
    ///
    /// # Errors
    /// The first column that differs, in words.
    pub fn compare(&self, rows: &dyn Rows, tags: &[u64]) -> Result<(), String> {
        let expected = self.expected();
        let width = |get: fn(&Outputs) -> Option<(u128, u32)>| expected.iter().find_map(get).map_or(0, |(_, w)| w);
        let (wd, we) = (width(|o| o.d), width(|o| o.e));
        let d = read_elements(rows, self.command.d.into(), wd as usize);
        let e = read_elements(rows, self.command.e.into(), we as usize);
        for (column, expected) in expected.iter().enumerate() {
            let tag = tags[column / 64] >> (column % 64) & 1 == 1;
            let wrong = |what: &str, actual: u128, wanted: u128| {
                Err(format!(
                    "{}: column {column} with {:x?}: {what} is {actual:#x}, must be {wanted:#x}",
                    self.command, self.inputs[column]
                ))
            };
            if let Some((wanted, _)) = expected.d.filter(|&(wanted, _)| wanted != d[column]) {
                return wrong("d", d[column], wanted);
            }
            if let Some((wanted, _)) = expected.e.filter(|&(wanted, _)| wanted != e[column]) {
                return wrong("e", e[column], wanted);
            }
            if let Some(wanted) = expected.tag.filter(|&wanted| wanted != tag) {
                return wrong("T", tag.into(), wanted.into());
            }
        }
        Ok(())
    }
}

/// A generator of test operands from a seed.
#[derive(Debug)]
pub struct Stimulus {
    rng: ChaCha8Rng,
}

impl Stimulus {
    /// The generator for `seed`.
    pub fn new(seed: u64) -> Stimulus {
        Stimulus { rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// The generator itself, for anything else that a test draws.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.rng
    }

    /// A value of `bits` bits: often an edge case, otherwise uniform, sometimes small.
    pub fn value(&mut self, bits: u32) -> u64 {
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let sign = 1u64 << (bits - 1);
        match self.rng.random_range(0..16) {
            0 => 0,
            1 => 1,
            2 => mask,
            3 => sign,
            4 => sign.wrapping_sub(1) & mask,
            5 => mask - 1,
            6 => sign | 1,
            7..=9 => (self.rng.random::<u64>() & mask) >> self.rng.random_range(0..bits),
            _ => self.rng.random::<u64>() & mask,
        }
    }

    /// Two floating-point numbers with n − 3 fraction and m exponent bits: edges, close exponents, cancellation, ties,
    /// subnormal numbers, products at the ends of the range, and any two.
    fn numbers(&mut self, n: u32, m: u32) -> Inputs {
        let (fraction, bits) = (n.saturating_sub(3).max(1), (n + m).clamp(3, 66) - 2);
        let (ones, sign) = (u64::MAX >> (64 - m.clamp(1, 64)), 1u64 << (bits - 1));
        let of = |exponent: u64, rest: u64| exponent.min(ones) << fraction | rest & ((1 << fraction) - 1);
        let mut number = |exponent: u64| {
            let rest = self.value(fraction);
            // Few bits at the top of the fraction make sums end in ties.
            let rest = if self.rng.random() { rest } else { rest & u64::MAX << self.rng.random_range(0..=fraction) };
            of(exponent, rest) | if self.rng.random() { sign } else { 0 }
        };
        let bias = ones / 2;
        let (first, other) = (number(bias), number(bias));
        let exponent = match self.rng.random_range(0..8) {
            0 => 0,
            1 => self.rng.random_range(0..4),
            2 => ones - self.rng.random_range(0..3),
            3 => bias,
            _ => self.rng.random_range(0..=ones),
        };
        let near = self.rng.random_range(0..=2 * u64::from(n) + 4);
        let close = (exponent + near).saturating_sub(u64::from(n) + 2);
        // The product's exponent is at an end of the range.
        let end = if self.rng.random() { bias } else { bias + ones };
        let beyond = (end + self.rng.random_range(0..=u64::from(n) + 6)).saturating_sub(u64::from(n) + 2);
        let place = |bits: u64, exponent: u64| of(exponent, bits) | bits & sign;
        let a = place(first, exponent);
        let b = match self.rng.random_range(0..11) {
            0 => a ^ sign,
            10 => a,
            1 => a ^ self.value(bits) >> self.rng.random_range(0..bits),
            2 => a ^ sign ^ (1 << self.rng.random_range(0..bits - 1)),
            3 => self.value(bits),
            4 | 5 => place(other, beyond.saturating_sub(exponent)),
            _ => place(other, close),
        };
        let mask = sign | (sign - 1);
        Inputs { a: a & mask, b: b & mask, ..Inputs::default() }
    }

    /// A third number to two such ones: often close to their product, so that the sum of the two cancels.
    pub fn third(&mut self, n: u32, m: u32, factors: Inputs) -> u64 {
        let (fraction, bits) = (n.saturating_sub(3).max(1), (n + m).clamp(3, 66) - 2);
        let (ones, sign) = (u64::MAX >> (64 - m.clamp(1, 64)), 1u64 << (bits - 1));
        let exponent = |number: u64| (number >> fraction & ones).max(1) as i64;
        let other = self.numbers(n, m);
        let third = match self.rng.random_range(0..8) {
            0 => other.a,
            1 => other.b,
            // An exponent close to that of the product, or at most two significands below it.
            2 | 3 => {
                let reach = if self.rng.random() { 1 } else { i64::from(n) };
                let product = exponent(factors.a) + exponent(factors.b) - ones as i64 / 2;
                let near = (product + self.rng.random_range(-2 * reach..=reach)).clamp(0, ones as i64) as u64;
                other.a & !(ones << fraction) | near << fraction
            }
            // The product rounded somehow, or a number beside it, with the other sign or with the same.
            _ => {
                let key = self.rng.random_range(0..4) << 1;
                let product = evaluate(Opcode::FMul, n, m, key, factors).d.map_or(0, |(bits, _)| bits as u64);
                let beside = if self.rng.random() { 0 } else { 1 << self.rng.random_range(0..4) };
                product ^ beside ^ if self.rng.random_range(0..4) > 0 { sign } else { 0 }
            }
        };
        third & (sign | (sign - 1))
    }

    /// A number of a format, mostly within the range of integers of n bits, or next to it; often one that is rounded at
    /// a tie, or next to a power of two.
    fn near_integers(&mut self, format: Format, n: u32) -> Inputs {
        let (fraction, exponent) = (u32::from(format.fraction), u32::from(format.exponent));
        let mut inputs = self.numbers(format.n().into(), format.m().into());
        let bias = (1i64 << (exponent - 1)) - 1;
        if self.rng.random_range(0..4) > 0 {
            let near = bias + self.rng.random_range(-3..=i64::from(n) + 1);
            let near = near.clamp(0, (1 << exponent) - 1) as u64;
            inputs.a = inputs.a & !(((1 << exponent) - 1) << fraction) | near << fraction;
        }
        if self.rng.random_range(0..4) == 0 {
            inputs.a |= (1u64 << fraction) - 1;
            inputs.a &= u64::MAX << self.rng.random_range(0..=fraction);
        }
        inputs
    }

    /// A number of a format, seldom a negative one, often close to 1 or a power of two.
    fn positive(&mut self, format: Format) -> Inputs {
        let mut inputs = self.numbers(format.n().into(), format.m().into());
        let (fraction, bits) = (u32::from(format.fraction), format.bits());
        let one = ((1u64 << (format.exponent - 1)) - 1) << fraction;
        match self.rng.random_range(0..8) {
            0 => {}
            1 => inputs.a = one + self.value(fraction - 1) - self.rng.random_range(0..8),
            2 => inputs.a = one - self.value(fraction - 1),
            3 => inputs.a = (inputs.a & u64::MAX << fraction) & !(1 << (bits - 1)),
            _ => inputs.a &= !(1 << (bits - 1)),
        }
        inputs
    }

    /// A number of a format, often at an end of the range of numbers with n − 3 fraction and m exponent bits, where
    /// these become subnormal, vanish, or are too large, and often at a tie or next to one.
    fn near_ends(&mut self, from: Format, n: u32, m: u32) -> Inputs {
        let (fraction, exponent) = (u32::from(from.fraction), u32::from(from.exponent));
        let mut inputs = self.numbers(from.n().into(), from.m().into());
        let bias = |bits: u32| (1i64 << (bits.clamp(1, 16) - 1)) - 1;
        let near = match self.rng.random_range(0..4) {
            0 => Some(bias(exponent) + bias(m) + self.rng.random_range(-1..=3)),
            1 | 2 => Some(bias(exponent) - bias(m) - self.rng.random_range(-3..=i64::from(n))),
            _ => None,
        };
        if let Some(near) = near {
            let near = near.clamp(0, (1 << exponent) - 1) as u64;
            inputs.a = inputs.a & !(((1 << exponent) - 1) << fraction) | near << fraction;
        }
        match self.rng.random_range(0..4) {
            0 => inputs.a |= ((1u64 << fraction) - 1) & (u64::MAX << self.rng.random_range(0..=fraction)),
            1 => inputs.a &= u64::MAX << self.rng.random_range(0..=fraction),
            2 => inputs.a ^= 1 << self.rng.random_range(0..fraction),
            _ => {}
        }
        inputs
    }

    /// A number, or an angle: close to a multiple of an eighth of a turn, or of a few turns.
    fn angle(&mut self, format: Format) -> Inputs {
        let x = match self.rng.random_range(0..3) {
            0 => f64::from(self.rng.random_range(-9000..9000)) * std::f64::consts::FRAC_PI_4,
            1 => self.rng.random_range(-7.0..7.0),
            _ => return Inputs { a: self.numbers(format.n().into(), format.m().into()).a, ..Inputs::default() },
        };
        let converted = float::convert(float::Kind::Double, format.n().into(), format.m().into(), 0, x.to_bits());
        let a = converted.expect("a format");
        Inputs { a: a.wrapping_add(self.rng.random_range(0..3)) & ((1 << format.bits()) - 1), ..Inputs::default() }
    }

    /// Inputs of one column for an operation of the library's user: its operands may have any number of rows.
    fn of_custom(&mut self, custom: &Custom, n: u32, m: u32) -> Inputs {
        let described = Context::all().into_iter().find_map(|cx| (custom.operation)(custom.opcode, cx));
        let rows = |operand: Operand| {
            let extent = described.as_ref().and_then(|operation| operation.extent_of(operand));
            let read = extent.filter(|extent| matches!(extent.role, Role::Source | Role::Accumulator));
            read.map_or(0, |extent| extent.rows.value(n as i32, m as i32).max(0) as u32)
        };
        let mut value = |operand: Operand| if rows(operand) > 0 { self.value(rows(operand).min(64)) } else { 0 };
        let (a, mut b, low, high, e) =
            (value(Operand::A), value(Operand::B), value(Operand::D), value(Operand::D), value(Operand::E));
        if rows(Operand::A) == rows(Operand::B) && self.rng.random_range(0..8) == 0 {
            b = a;
        }
        let accumulator = (u128::from(high) << 64 | u128::from(low)) & ((1u128 << rows(Operand::D).min(127)) - 1);
        Inputs { a, b, d: accumulator, e, tag: self.rng.random() }
    }

    /// Inputs of one column for an operation of widths n and m. Sometimes both sources are equal, or equal to the key.
    pub fn inputs(&mut self, op: Opcode, n: u32, m: u32, key: u64) -> Inputs {
        if let Some(custom) = custom::of(op) {
            return self.of_custom(&custom, n, m);
        }
        match op.conversion() {
            Some(Conversion::ToInteger(format)) => return self.near_integers(format, n),
            // Any integer; ones behind the fraction's bits come by edges and by few ones at the top.
            Some(Conversion::FromInteger(_)) => {
                let (value, low) = (self.value(n), self.rng.random_range(0..n));
                let a = match self.rng.random_range(0..3) {
                    0 => value & u64::MAX << low,
                    1 => value ^ 1 << low,
                    _ => value,
                };
                return Inputs { a, ..Inputs::default() };
            }
            None if op == Opcode::FRound => {
                let format = FORMATS.into_iter().find(|format| u32::from(format.n()) == n);
                return match format {
                    Some(format) => self.near_integers(format, format.fraction.into()),
                    None => self.numbers(n, m),
                };
            }
            // Results from the smallest number to the largest, and beyond.
            None if matches!(op, Opcode::FLog2 | Opcode::FLog) => return self.positive(format_of(n)),
            None if matches!(op, Opcode::FSin | Opcode::FCos | Opcode::FTan) => return self.angle(format_of(n)),
            None if op.is_function() => return self.near_integers(format_of(n), m),
            None if op.source_format().is_some() => {
                return op.source_format().map_or(Inputs::default(), |from| self.near_ends(from, n, m));
            }
            None if op == Opcode::FFma => {
                let factors = self.numbers(n, m);
                return Inputs { e: self.third(n, m, factors), ..factors };
            }
            None if matches!(op, Opcode::FSum | Opcode::FPack) => return self.unpacked(n, m),
            None if op.is_float() => return self.numbers(n, m),
            None => {}
        }
        let amount = matches!(op, Opcode::Shl | Opcode::Shr | Opcode::Sar | Opcode::Rotl | Opcode::Rotr);
        let mut inputs = Inputs {
            a: self.value(if matches!(op, Opcode::Fill | Opcode::TagLoad) { 1 } else { n }),
            b: self.value(if amount { m.max(1) } else { n }),
            d: (u128::from(self.value(64)) << 64 | u128::from(self.value(64))) & ((1u128 << m.min(127)) - 1),
            e: self.rng.random::<bool>().into(),
            tag: self.rng.random(),
        };
        if self.rng.random_range(0..8) == 0 && !amount {
            inputs.b = inputs.a;
        }
        if op == Opcode::Search && self.rng.random_range(0..3) == 0 {
            inputs.a = key & if n >= 64 { u64::MAX } else { (1 << n) - 1 };
        }
        inputs
    }
}

impl Rows for crate::sram_array::SramArray {
    fn columns(&self) -> usize {
        self.columns()
    }

    fn row(&self, row: usize) -> Vec<u64> {
        self.row(row).to_vec()
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.write(row, bits, None);
    }
}

/// The format of a command of width n; binary32 if there is none.
fn format_of(n: u32) -> Format {
    FORMATS.into_iter().find(|format| u32::from(format.n()) == n).unwrap_or(F32)
}
