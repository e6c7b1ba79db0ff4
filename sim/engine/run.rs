//! The loop that runs instructions.

use super::code::Tables;
use super::layout::{CHANGES, DUE, SEEN};
use super::operations::{
    add, choice, copy, each, field, long, look, mux, sum, table3, table5, test, wide_mux, wide_word, word,
};
use super::records::LookRecord;
use super::state::{self, State, WIDE};
use super::stream::{self, AHEAD, Program, Stream, kind};

/// Runs a program from a position up to its end, some times.
pub(super) fn run(p: &Program, start: u32, times: u64, tables: &Tables, state: &mut [u64], words: &mut [u64]) {
    run_watched(p, start, times, tables, state, words, |_| {});
}

/// The same; tells the position of each instruction that is carried out.
#[inline(always)]
pub(super) fn run_watched(
    p: &Program,
    start: u32,
    times: u64,
    tables: &Tables,
    state: &mut [u64],
    words: &mut [u64],
    watch: impl FnMut(u32),
) {
    let code = <&[u32; stream::SMALL]>::try_from(&p.words[..]).ok().filter(|_| p.small);
    match (code, <&mut [u64; state::SMALL]>::try_from(&mut *state)) {
        (Some(code), Ok(state)) => run_on(code, start, times, tables, state, words, watch),
        _ => run_on(&p.words[..], start, times, tables, state, words, watch),
    }
}

fn run_on<C: Stream + ?Sized, S: State + ?Sized>(
    code: &C,
    start: u32,
    mut times: u64,
    tables: &Tables,
    s: &mut S,
    words: &mut [u64],
    mut watch: impl FnMut(u32),
) {
    let mut pc = start;
    macro_rules! at {
        ($slot:expr) => {
            s.get($slot)
        };
    }
    macro_rules! set {
        ($d:expr, $value:expr) => {{
            let value = $value;
            s.put($d, value)
        }};
    }
    let ones = |k: u8| u64::MAX >> (k & 63);
    let signed = |value: u64, k: u32| (value << (k & 63)) as i64;
    loop {
        watch(pc);
        let w: &[u32; AHEAD] = code.window(pc);
        let (n, k) = (w[1], w[1] as u8);
        // Value of two operands.
        macro_rules! binary {
            ($f:expr) => {{
                let value = ($f)(s.get(w[3]), s.get(w[4]));
                s.put(w[2], value);
                pc += 5;
            }};
        }
        macro_rules! wide {
            ($f:expr) => {{
                each(w[1], s, w[2], w[3], w[4], $f);
                pc += 5;
            }};
        }
        // Records, one, two: of as many words as the function takes.
        macro_rules! records {
            (|$r:ident| $body:expr) => {{
                let records = code.records(pc + 2, w[1]);
                for $r in records {
                    $body;
                }
                pc += 2 + records.as_flattened().len() as u32;
            }};
        }
        macro_rules! record {
            (|$r:ident| $body:expr) => {{
                let $r = w[2..].first_chunk().expect("the window is longer");
                $body;
                pc += 2 + $r.len() as u32;
            }};
        }
        macro_rules! two {
            (|$r:ident| $body:expr) => {{
                let $r = w[2..].first_chunk().expect("the window is longer");
                $body;
                let length = $r.len();
                let $r = w[2 + length..].first_chunk().expect("the window is longer");
                $body;
                pc += 2 + 2 * length as u32;
            }};
        }
        match w[0] % kind::ALL {
            kind::END => {
                times -= 1;
                if times == 0 {
                    return;
                }
                pc = start;
            }
            kind::JUMP => pc = w[2],
            kind::JUMP_IF => pc = if at!(w[2]) != 0 { w[3] } else { pc + 4 },
            kind::JUMP_UNLESS => pc = if at!(w[2]) == 0 { w[3] } else { pc + 4 },
            kind::SWITCH => pc = code.word(pc + 3 + at!(w[2]) as u32),
            kind::JUMP_UNLESS_DUE => {
                let due = at!(DUE);
                pc = if due & long(w[4], w[5]) == 0 {
                    w[3]
                } else if due >> (n & 63) & 1 == 0 {
                    w[2]
                } else {
                    pc + 6
                }
            }
            kind::LOOK => {
                let mut due = 0;
                records!(|r| due |= look(s, r, &tables.masks));
                set!(DUE, due | at!(DUE))
            }
            kind::LOOK_FIRST => {
                let changed = at!(CHANGES) != at!(SEEN);
                set!(SEEN, at!(CHANGES));
                let mut due = u64::from(changed).wrapping_neg();
                let mut after = (at!(DUE) | due) & tables.after.groups;
                while after != 0 {
                    let record = tables.after.looks[after.trailing_zeros() as usize];
                    after &= after - 1;
                    let LookRecord { a, seen, masks, n } = tables.looks[record as usize];
                    due |= look(s, &[a, seen, masks, n], &tables.masks);
                }
                records!(|r| due |= look(s, r, &tables.masks));
                set!(DUE, due)
            }
            kind::AND => binary!(|a, b| a & b),
            kind::OR => binary!(|a, b| a | b),
            kind::XOR => binary!(|a, b| a ^ b),
            kind::AND_NOT => binary!(|a: u64, b: u64| a & !b),
            kind::MUL => binary!(|a: u64, b| a.wrapping_mul(b) & ones(k)),
            kind::MUL_SIGNED => {
                let (a, b) = (signed(at!(w[3]), w[5]) >> (w[5] & 63), signed(at!(w[4]), w[6]) >> (w[6] & 63));
                set!(w[2], a.wrapping_mul(b) as u64 & ones(k));
                pc += 7;
            }
            kind::LT => binary!(|a, b| u64::from(a < b)),
            kind::LE => binary!(|a, b| u64::from(a <= b)),
            kind::LT_SIGNED => binary!(|a, b| u64::from(signed(a, n) < signed(b, n))),
            kind::LE_SIGNED => binary!(|a, b| u64::from(signed(a, n) <= signed(b, n))),
            kind::PARITY => {
                set!(w[2], u64::from(at!(w[3]).count_ones() & 1));
                pc += 4;
            }
            kind::ACROSS => {
                let low = w[4] & 63;
                set!(w[2], (at!(w[3]) >> low | at!(w[3] + 1) << ((64 - low) & 63)) & ones(k));
                pc += 5;
            }
            kind::SHL => binary!(|a: u64, by| if by < 64 { a << by & ones(k) } else { 0 }),
            kind::SHR => binary!(|a: u64, by| if by < 64 { a >> by & ones(k) } else { 0 }),
            kind::INSERT => {
                let low = w[5] & 63;
                let mask = ones(k) << low;
                set!(w[2], at!(w[3]) & !mask | at!(w[4]) << low & mask);
                pc += 6;
            }
            kind::SET_BIT => {
                let (value, bit, at) = (at!(w[3]), at!(w[4]), at!(w[5]));
                let there = at < u64::from(64 - n);
                set!(w[2], if there { value & !(1 << at) | bit << at } else { value });
                pc += 6;
            }
            kind::SEXT => {
                set!(w[2], (signed(at!(w[3]), w[4]) >> (w[4] & 63)) as u64 & ones(k));
                pc += 5;
            }
            kind::STORE => {
                if at!(w[2]) != 0
                    && let Some(word) = tables.memories[n as usize].write(words, at!(w[3]))
                {
                    word[0] = at!(w[4]);
                }
                pc += 5;
            }
            kind::STORE_N => {
                if at!(w[2]) != 0
                    && let Some(word) = tables.memories[n as usize].write(words, at!(w[3]))
                {
                    match <&mut [u64; WIDE]>::try_from(&mut *word) {
                        Ok(four) => *four = s.four(w[4]),
                        Err(_) => word.copy_from_slice(&s.all()[w[4] as usize..][..word.len()]),
                    }
                }
                pc += 5;
            }
            kind::STORE_MASKED => {
                if at!(w[2]) != 0
                    && let Some(word) = tables.memories[n as usize].write(words, at!(w[3]))
                {
                    for (limb, i) in word.iter_mut().zip(0..) {
                        let mask = at!(w[5] + i);
                        *limb = *limb & !mask | at!(w[4] + i) & mask;
                    }
                }
                pc += 6;
            }
            kind::COPY_N => {
                each(n, s, w[2], w[3], w[3], |a, _| a);
                pc += 4;
            }
            kind::AND_N => wide!(|a, b| a & b),
            kind::OR_N => wide!(|a, b| a | b),
            kind::XOR_N => wide!(|a, b| a ^ b),
            kind::AND_NOT_N => wide!(|a, b| a & !b),
            kind::CHOOSE_N => {
                let number = at!(w[3]) >> (w[5] & 63) & ones(w[6] as u8);
                let a = tables.places[w[4] as usize + number as usize];
                each(n, s, w[2], a, a, |a, _| a);
                pc += 7;
            }
            kind::RARE => {
                tables.rare[n as usize].run(s.all(), &tables.lanes, &tables.memories, words);
                pc += 2;
            }
            kind::CASE => {
                set!(w[2], tables.cases[n as usize].number(at!(w[3])));
                pc += 4;
            }
            kind::COPIES => records!(|r| copy(s, r)),
            kind::COPY => record!(|r| copy(s, r)),
            kind::TWO_COPIES => two!(|r| copy(s, r)),
            kind::FIELDS => records!(|r| field(s, r)),
            kind::FIELD => record!(|r| field(s, r)),
            kind::TESTS => records!(|r| test(s, r)),
            kind::TEST => record!(|r| test(s, r)),
            kind::MUXES => records!(|r| mux(s, r)),
            kind::MUX => record!(|r| mux(s, r)),
            kind::TWO_MUXES => two!(|r| mux(s, r)),
            kind::SUMS => records!(|r| sum(s, r)),
            kind::SUM => record!(|r| sum(s, r)),
            kind::TWO_SUMS => two!(|r| sum(s, r)),
            kind::WORDS => records!(|r| word(s, tables, words, r)),
            kind::WORD => record!(|r| word(s, tables, words, r)),
            kind::WIDE_WORDS => records!(|r| wide_word(s, tables, words, r)),
            kind::WIDE_WORD => record!(|r| wide_word(s, tables, words, r)),
            kind::CHOICES => records!(|r| choice(s, tables, r)),
            kind::CHOICE => record!(|r| choice(s, tables, r)),
            kind::TABLES3 => records!(|r| table3(s, r)),
            kind::TABLE3 => record!(|r| table3(s, r)),
            kind::TWO_TABLES3 => two!(|r| table3(s, r)),
            kind::TABLES5 => records!(|r| table5(s, r)),
            kind::TABLE5 => record!(|r| table5(s, r)),
            kind::WIDE_MUXES => records!(|r| wide_mux(s, r)),
            kind::WIDE_MUX => record!(|r| wide_mux(s, r)),
            kind::ADDER => {
                add(s, n, w, true);
                pc += 11;
            }
            kind::SHORT_ADDER => {
                add(s, n, w, false);
                pc += 7;
            }
            kind::ALL.. => {}
        }
    }
}
