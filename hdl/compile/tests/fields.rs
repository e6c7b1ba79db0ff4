//! Fields of bits, bytes, funnels, products of 24 bits and saturated sums, by the interpreter and by words, against
//! plain arithmetic.

use crate::common::threads::{check, numbers};

fn mask(length: u64) -> u64 {
    if length >= 64 { u64::MAX } else { (1 << length) - 1 }
}

fn up(value: u64, by: u64) -> u64 {
    if by >= 64 { 0 } else { value << by }
}

/// A field of a number of so many bits, with the sign of its last bit, or of the number's.
fn field(value: u64, bits: u64, signed: bool, from: u64, length: u64) -> u64 {
    let bit = |at: u64| value >> at.min(bits - 1) & 1;
    let sign = if signed && length > 0 { bit(from + length - 1) } else { 0 };
    (0..bits).map(|at| (if at < length && from + at < bits { bit(from + at) } else { sign }) << at).sum()
}

#[test]
fn fields_at_computed_places() {
    let numbers = numbers(41);
    let small = |number: u64, bits: u32| number >> 3 & mask(bits.into());
    let lines = "shr.u64 %d0, %a1, 3; cvt.u32.u64 %r0, %d0; and.b32 %r1, %r0, 63; shr.u64 %d0, %a2, 3;
                 cvt.u32.u64 %r2, %d0; and.b32 %r3, %r2, 127;";
    for (ty, bits, signed) in [("u32", 32, false), ("s32", 32, true), ("u64", 64, false), ("s64", 64, true)] {
        let (source, d) = if bits == 64 { ("%a0", "%d8") } else { ("%b0", "%r8") };
        let end = if bits == 64 { "mov.u64 %d9, 0;" } else { "cvt.u64.u32 %d8, %r8; mov.u64 %d9, 0;" };
        for places in ["%r1, %r3", "%r1, 7", "5, %r3"] {
            check(&format!("{lines} bfe.{ty} {d}, {source}, {places}; {end}"), &numbers, |[a, b, c]| {
                let (from, length) = (small(b, 6), small(c, 7));
                let (from, length) = match places {
                    "%r1, 7" => (from, 7),
                    "5, %r3" => (5, length),
                    _ => (from, length),
                };
                [field(a & mask(bits), bits, signed, from, length), 0]
            });
        }
    }
    for (source, other, d, bits) in [("%b0", "%b1", "%r8", 32), ("%a0", "%a1", "%d8", 64)] {
        let end = if bits == 64 { "mov.u64 %d9, 0;" } else { "cvt.u64.u32 %d8, %r8; mov.u64 %d9, 0;" };
        for places in ["%r1, %r3", "9, 13"] {
            check(&format!("{lines} bfi.b{bits} {d}, {source}, {other}, {places}; {end}"), &numbers, |[a, b, c]| {
                let (from, length) = if places == "9, 13" { (9, 13) } else { (small(b, 6), small(c, 7)) };
                let place = up(mask(length), from) & mask(bits);
                [(b & !place | up(a, from) & place) & mask(bits), 0]
            });
        }
    }
}

#[test]
fn highest_bits() {
    let numbers = numbers(42);
    for shift in [false, true] {
        let how = if shift { ".shiftamt" } else { "" };
        let found = |seen: u64, bits: u64| match seen {
            0 => u64::from(u32::MAX),
            seen => {
                let place = u64::from(63 - seen.leading_zeros());
                if shift { bits - 1 - place } else { place }
            }
        };
        let lines = format!(
            "and.b32 %r0, %b0, %b1; bfind{how}.u32 %r1, %r0; bfind{how}.s64 %r2, %a0;
             cvt.u64.u32 %d8, %r1; cvt.u64.u32 %d9, %r2;"
        );
        check(&lines, &numbers, |[a, b, _]| {
            let seen = if (a as i64) < 0 { !a } else { a };
            [found(a & b & mask(32), 32), found(seen, 64)]
        });
        let lines =
            format!("bfind{how}.s32 %r1, %b0; bfind{how}.u64 %r2, %a1; cvt.u64.u32 %d8, %r1; cvt.u64.u32 %d9, %r2;");
        check(&lines, &numbers, |[a, b, _]| {
            let low = a as u32;
            let seen = if (low as i32) < 0 { !low } else { low };
            [found(seen.into(), 32), found(b, 64)]
        });
    }
}

#[test]
fn funnels() {
    let numbers = numbers(43);
    for (amount, plain) in [("%r0", None), ("0", Some(0)), ("9", Some(9)), ("32", Some(32)), ("41", Some(41))] {
        for mode in ["wrap", "clamp"] {
            let lines = format!(
                "and.b32 %r0, %b2, 63; shf.l.{mode}.b32 %r1, %b0, %b1, {amount};
                 shf.r.{mode}.b32 %r2, %b0, %b1, {amount};
                 cvt.u64.u32 %d8, %r1; cvt.u64.u32 %d9, %r2;"
            );
            check(&lines, &numbers, |[a, b, c]| {
                let amount = plain.unwrap_or(c & 63);
                let amount = if mode == "wrap" { amount & 31 } else { amount.min(32) };
                let both = (b & mask(32)) << 32 | a & mask(32);
                [(u128::from(both) << amount >> 32) as u64 & mask(32), both >> amount & mask(32)]
            });
        }
    }
}

#[test]
fn bytes_in_any_order() {
    let numbers = numbers(44);
    let bytes = |a: u64, b: u64, order: [u64; 4]| {
        let both = b << 32 | a & mask(32);
        let byte = |selector: u64| match (both >> (8 * (selector & 7)) & 255, selector & 8) {
            (byte, 0) => byte,
            (byte, _) => (byte >> 7) * 255,
        };
        order.into_iter().rev().fold(0, |word, selector| word << 8 | byte(selector))
    };
    // Lowest byte first.
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [4, 1, 6, 3], [8, 15, 2, 13], [7, 7, 12, 9]] {
        let control: u64 = order.iter().rev().fold(0, |word, selector| word << 4 | selector);
        let lines = format!("prmt.b32 %r0, %b0, %b1, {control}; cvt.u64.u32 %d8, %r0; mov.u64 %d9, 0;");
        check(&lines, &numbers, |[a, b, _]| [bytes(a, b, order), 0]);
    }
    let lines = "prmt.b32 %r0, %b0, %b1, %b2; cvt.u64.u32 %d8, %r0; mov.u64 %d9, 0;";
    check(lines, &numbers, |[a, b, c]| [bytes(a, b, [0, 4, 8, 12].map(|from| c >> from & 15)), 0]);
    // The modes, as the table of the PTX ISA has them, highest byte first.
    let modes = [
        ("f4e", [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]]),
        ("b4e", [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]]),
        ("rc8", [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecl", [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecr", [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]]),
        ("rc16", [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]),
    ];
    for (mode, rows) in modes {
        for (control, mut order) in rows.into_iter().enumerate() {
            order.reverse();
            let lines = format!("prmt.b32.{mode} %r0, %b0, %b1, {control}; cvt.u64.u32 %d8, %r0; mov.u64 %d9, 0;");
            check(&lines, &numbers, |[a, b, _]| [bytes(a, b, order), 0]);
        }
    }
}

#[test]
fn products_of_24_bits() {
    let numbers = numbers(45);
    let signed = |number: u64| ((number as i32) << 8 >> 8) as i64;
    let lines =
        "mul24.lo.u32 %r0, %b0, %b1; mad24.hi.u32 %r1, %b0, %b1, %b2; cvt.u64.u32 %d8, %r0; cvt.u64.u32 %d9, %r1;";
    check(lines, &numbers, |[a, b, c]| {
        let product = (a & 0xff_ffff) * (b & 0xff_ffff);
        [product & mask(32), (product >> 16).wrapping_add(c) & mask(32)]
    });
    let lines =
        "mul24.hi.s32 %r0, %b0, %b1; mad24.lo.s32 %r1, %b0, %b1, %b2; cvt.u64.u32 %d8, %r0; cvt.u64.u32 %d9, %r1;";
    check(lines, &numbers, |[a, b, c]| {
        let product = signed(a) * signed(b);
        [(product >> 16) as u64 & mask(32), (product as u64).wrapping_add(c) & mask(32)]
    });
}

#[test]
fn sums_that_stay_at_the_end() {
    let lines = "add.sat.s32 %r0, %b0, %b1; sub.sat.s32 %r1, %b2, %b0; cvt.u64.u32 %d8, %r0; cvt.u64.u32 %d9, %r1;";
    check(lines, &numbers(46), |[a, b, c]| {
        let [a, b, c] = [a, b, c].map(|number| number as i32);
        [a.saturating_add(b), c.saturating_sub(a)].map(|number| u64::from(number as u32))
    });
}
