//! Model of the adder of binary32 numbers, from its contract: how many cycles a sum takes follows from its exact value,
//! and what it is `rustc_apfloat` says.

use bitline_units::array::isa::format::Mode;

use crate::float::{self, Function};

/// Bits of a significand behind the hidden one.
const FRACTION: u32 = 23;
/// Places behind the last one, as far as an exact sum is looked at. Behind them only matters that there is something.
const BEHIND: u32 = 64;

/// What is done in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// Nothing.
    #[default]
    Nothing = 0,
    /// The smaller number is aligned with the larger one.
    Aligns = 1,
    /// They are added.
    Adds = 2,
    /// The sum is shifted by a place, or needs none any more.
    Shifts = 3,
    /// It is rounded.
    Rounds = 4,
    /// How far apart the exponents are is found out.
    Parts = 5,
}

/// A sum that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sum {
    large: u32,
    small: u32,
    flush: bool,
    /// Places by which it is still shifted up.
    places: u32,
}

/// The adder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FloatAdd {
    doing: Doing,
    /// The sum that is made.
    sum: Option<Sum>,
    /// The one that was made last.
    result: u32,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatAddInputs {
    /// Two numbers, whose sum begins.
    pub start: Option<(u32, u32)>,
    /// Subnormal numbers are zeros.
    pub flush: bool,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatAddOutputs {
    /// A sum is made.
    pub busy: bool,
    /// The one that was made last; not while another one is.
    pub result: Option<u32>,
}

/// Significand, and the power of two of its last place, from that of subnormal numbers up.
fn parts(number: u32, flush: bool) -> (u128, u32) {
    let (exponent, fraction) = (number >> FRACTION & 0xff, u128::from(number & ((1 << FRACTION) - 1)));
    match exponent {
        0 if flush => (0, 0),
        0 => (fraction, 0),
        _ => (fraction | 1 << FRACTION, exponent - 1),
    }
}

/// Places by which the sum is shifted up until its highest bit is that of a normal number, as long as there is a
/// smaller exponent.
fn places(large: u32, small: u32, flush: bool) -> u32 {
    let ((x, scale), (y, own)) = (parts(large, flush), parts(small, flush));
    let apart = scale - own;
    let y = if apart < BEHIND { y << BEHIND >> apart } else { u128::from(y > 0) };
    let x = x << BEHIND;
    let sum = if large >> 31 == small >> 31 { x + y } else { x - y };
    match sum.checked_ilog2() {
        Some(top) => (FRACTION + BEHIND).saturating_sub(top).min(scale),
        None => 0,
    }
}

impl FloatAdd {
    /// A sum is made.
    pub fn busy(&self) -> bool {
        self.doing != Doing::Nothing
    }

    /// The sum that was made last.
    pub fn result(&self) -> u32 {
        self.result
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &FloatAddInputs) -> FloatAddOutputs {
        let shown = FloatAddOutputs { busy: self.busy(), result: (!self.busy()).then_some(self.result) };
        self.doing = match (self.doing, &mut self.sum) {
            (Doing::Nothing, sum) => match inputs.start {
                Some((a, b)) => {
                    let magnitude = |number: u32| number & !(1 << 31);
                    let (large, small) = if magnitude(a) < magnitude(b) { (b, a) } else { (a, b) };
                    *sum = Some(Sum { large, small, flush: inputs.flush, places: 0 });
                    Doing::Parts
                }
                None => Doing::Nothing,
            },
            (Doing::Parts, _) => Doing::Aligns,
            // Infinities and NaN are no sums.
            (Doing::Aligns, Some(sum)) if sum.large >> FRACTION & 0xff == 0xff => {
                self.result = sum.rounded();
                Doing::Nothing
            }
            (Doing::Aligns, Some(sum)) => {
                sum.places = places(sum.large, sum.small, sum.flush);
                Doing::Adds
            }
            (Doing::Adds, _) => Doing::Shifts,
            (Doing::Shifts, Some(sum)) if sum.places > 0 => {
                sum.places -= 1;
                Doing::Shifts
            }
            (Doing::Shifts, _) => Doing::Rounds,
            (Doing::Rounds, Some(sum)) => {
                self.result = sum.rounded();
                Doing::Nothing
            }
            (_, None) => unreachable!("a sum is made"),
        };
        shown
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        *self = FloatAdd::default();
    }

    /// Registers that are judged by the sum, and by when it comes: the numbers on their way to it.
    pub fn judged(name: &str) -> bool {
        ["x", "y", "exponent", "by"].contains(&name)
    }
}

impl Sum {
    fn rounded(&self) -> u32 {
        let mode = Mode { flush_operands: self.flush, flush_results: self.flush, ..Mode::default() };
        let sum = float::evaluate(Function::Add, 26, 8, mode.key(), self.large.into(), self.small.into());
        sum.expect("binary32 is a format") as u32
    }
}

state! {
    FloatAdd(self) {
        state = self.doing as u8;
        when (let Some(sum) = self.sum) {
            large_ = sum.large;
            small_ = sum.small;
        }
        sum = self.result;
    }

    FloatAddInputs(self) {
        start = self.start.is_some();
        a = self.start.map(|start| start.0);
        b = self.start.map(|start| start.1);
        self => flush;
    }

    FloatAddOutputs(self) {
        self => busy, result;
    }
}
