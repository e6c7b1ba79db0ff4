//! Operations of lanes: a function, where its operands and its result are, and code for it: for the processor that
//! everything is compiled for, and for two that have more. Which one there is, is asked once.

use super::element::Element;
pub(crate) use super::functions::Function;
use super::functions::lanes;
use crate::image::Image;
use crate::layout::Slot;

/// Words of values with lanes begin with a line of the processor's memory, and are a multiple of this.
const ROW: usize = 16;
/// Lanes that a turn of a loop computes, if there is a multiple of them.
const MANY: usize = 64;
/// Lanes that it computes else.
const SOME: usize = 16;
/// Words from which on a loop of its own pays.
pub(crate) const LARGE: usize = 8;

/// Words that a value with lanes takes, or one of a single word.
pub(crate) fn padded(words: usize) -> usize {
    if words == 1 { 1 } else { words.next_multiple_of(ROW) }
}

/// Operands that a function has at most.
pub(crate) const OPERANDS: usize = 5;

/// The same function of each lane. The result may be at the place of an operand whose lanes are kept in as many bits.
#[derive(Clone, Copy)]
pub(crate) struct Each {
    code: Code,
    /// Ones in the bits of a lane.
    pub mask: u64,
    pub k: u64,
    pub l: u64,
    pub d: Slot,
    /// Turns of the loop, except where the function says otherwise.
    pub n: u32,
    /// Places of the operands.
    pub from: [Slot; OPERANDS],
    pub function: Function,
    /// Bits that a lane of the first operand is kept in, and one of the result.
    sizes: (u8, u8),
}

impl std::fmt::Debug for Each {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Each { function, sizes: (of, to), d, n, from, mask, k, l, .. } = self;
        write!(f, "{function:?} {of}-{to} {{ d: {d}, n: {n}, from: {from:?}, mask: {mask:#x}, k: {k}, l: {l} }}")
    }
}

/// Code for a function.
type Code = unsafe fn(&Each, &mut [u64]);

/// What a processor has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The best one; tests run all of them.
    fn of(d: Slot) -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            let best = if cfg!(test) { d % 3 } else { 2 };
            let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            let wide = wide && is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl");
            match best {
                2 if wide => return Level::Avx512,
                1.. if is_x86_feature_detected!("avx2") => return Level::Avx2,
                _ => {}
            }
        }
        let _ = d;
        Level::Plain
    }
}

/// For any processor.
fn plain<const F: u8, S: Element, D: Element, const N: usize>(each: &Each, s: &mut [u64]) {
    lanes::<F, S, D, N>(each, s);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<const F: u8, S: Element, D: Element, const N: usize>(each: &Each, s: &mut [u64]) {
    lanes::<F, S, D, N>(each, s);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<const F: u8, S: Element, D: Element, const N: usize>(each: &Each, s: &mut [u64]) {
    lanes::<F, S, D, N>(each, s);
}

/// The code for a function of operands and a result of these sizes, so many lanes in a turn of its loop.
macro_rules! code {
    ($level:ident, $function:expr, $sizes:expr, $n:literal) => {
        match $sizes {
            (8, 8) => code!($level, $function, u8, u8, $n, Run And Or Xor AndNot Add Sub Mul MulSigned Eq Ne Lt Ge
                Parity Bits Sext Insert Shl Shr Mux Choose SetBit),
            (8, 32) => code!($level, $function, u8, u32, $n, Bits Mux Choose),
            (8, 64) => code!($level, $function, u8, u64, $n, Bits Mux Choose),
            (32, 8) => code!($level, $function, u32, u8, $n, Eq Ne Lt Ge Parity Bits),
            (32, 32) => code!($level, $function, u32, u32, $n, Run And Or Xor AndNot Add Sub Mul MulSigned Bits Sext
                Insert Shl Shr SetBit),
            (32, 64) => code!($level, $function, u32, u64, $n, Mul MulSigned Bits),
            (64, 8) => code!($level, $function, u64, u8, $n, Eq Ne Lt Ge Parity Bits),
            (64, 32) => code!($level, $function, u64, u32, $n, Bits),
            (64, 64) => code!($level, $function, u64, u64, $n, Copy Run And Or Xor AndNot Add Sub Mul MulSigned Eq Ne
                Lt Ge Parity Bits Sext Insert Shl Shr Mux Choose SetBit),
            sizes => unreachable!("lanes of {sizes:?} bits"),
        }
    };
    ($level:ident, $function:expr, $s:ident, $d:ident, $n:literal, $($name:ident)+) => {
        match $function {
            $(Function::$name => $level::<{ Function::$name as u8 }, $s, $d, $n>,)+
            #[allow(unreachable_patterns)]
            function => unreachable!("{function:?} of such lanes"),
        }
    };
}

impl Each {
    /// A function of so many lanes; of the first operand each is kept in `of` bits, and of the result in `to`.
    pub fn new(
        function: Function,
        (lanes, of, to): (usize, u32, u32),
        d: Slot,
        from: [Slot; OPERANDS],
        mask: u64,
        numbers: (u64, u64),
    ) -> Each {
        let (sizes, level) = ((of as u8, to as u8), Level::of(d));
        let many = lanes.is_multiple_of(MANY) && level != Level::Plain;
        let turns = if many { lanes / MANY } else { lanes.div_ceil(SOME) };
        let code = if many { Each::code_of_many(function, sizes, level) } else { Each::code(function, sizes, level) };
        Each { code, mask, k: numbers.0, l: numbers.1, d, n: turns as u32, from, function, sizes }
    }

    /// A function that does not compute.
    fn moving(function: Function, bits: u8, d: Slot, n: usize, from: [Slot; OPERANDS], k: u64) -> Each {
        let sizes = (bits, bits);
        let code = Each::code(function, sizes, Level::of(d));
        Each { code, mask: 0, k, l: 0, d, n: n as u32, from, function, sizes }
    }

    /// The words of `d` are those at `a`, which are not the same.
    pub fn copy(d: Slot, a: Slot, words: usize) -> Each {
        Each::moving(Function::Copy, 64, d, words, [a, 0, 0, 0, 0], 0)
    }

    /// `n` lanes, kept in so many bits, from `d` up are those from `a` up that are `step` apart; lanes of this size are
    /// counted from the state's first word.
    pub fn run(bits: u32, d: u32, a: u32, step: u32, n: usize) -> Each {
        Each::moving(Function::Run, bits as u8, d, n, [a, 0, 0, 0, 0], step.into())
    }

    /// The code for [`SOME`] lanes a turn.
    fn code(function: Function, sizes: (u8, u8), level: Level) -> Code {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => code!(avx512, function, sizes, 16),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => code!(avx2, function, sizes, 16),
            Level::Plain => code!(plain, function, sizes, 16),
        }
    }

    /// The code for [`MANY`] lanes a turn, which pays with vectors.
    fn code_of_many(function: Function, sizes: (u8, u8), level: Level) -> Code {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => code!(avx512, function, sizes, 64),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => code!(avx2, function, sizes, 64),
            Level::Plain => Each::code(function, sizes, level),
        }
    }

    /// Carries it out.
    #[inline(always)]
    pub fn execute(&self, s: &mut [u64]) {
        // SAFETY: code for particular processors was chosen only if this one is of their kind.
        unsafe { (self.code)(self, s) }
    }
}

/// Whether one of the words that an image has is not in the state.
pub(crate) fn differs(image: &Image, state: &[u64]) -> bool {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn avx2(image: &Image, state: &[u64]) -> bool {
        image.wrong(state)
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn avx512(image: &Image, state: &[u64]) -> bool {
        image.wrong(state)
    }
    match Level::of(state.len() as Slot) {
        // SAFETY: the processor is of that kind.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512(image, state) },
        // SAFETY: the same.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2(image, state) },
        Level::Plain => image.wrong(state),
    }
}

/// Single lanes that are kept in so many bits, one after the other.
pub(crate) fn pick(s: &mut [u64], bits: u32, lanes: &[(u32, u32)]) {
    fn of<T: Element>(s: &mut [u64], lanes: &[(u32, u32)]) {
        let s = T::of_mut(s);
        lanes.iter().for_each(|&(d, a)| s[d as usize] = s[a as usize]);
    }
    match bits {
        8 => of::<u8>(s, lanes),
        32 => of::<u32>(s, lanes),
        _ => of::<u64>(s, lanes),
    }
}
