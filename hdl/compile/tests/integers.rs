//! Integer operations that few kernels have, by the interpreter and by words, against plain arithmetic.

use crate::common::threads::{both, check, numbers};

fn wide([low, high]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

fn two(number: u128) -> [u64; 2] {
    [number as u64, (number >> 64) as u64]
}

#[test]
fn sums_and_differences_carry() {
    let numbers = numbers(31);
    // 128 bits, as clang has them: a and b, c and a.
    check("add.cc.s64 %d8, %a0, %a2; addc.cc.s64 %d9, %a1, %a0;", &numbers, |[a, b, c]| {
        two(wide([a, b]).wrapping_add(wide([c, a])))
    });
    check("sub.cc.s64 %d8, %a0, %a2; subc.cc.s64 %d9, %a1, %a0;", &numbers, |[a, b, c]| {
        two(wide([a, b]).wrapping_sub(wide([c, a])))
    });
    check("add.cc.u64 %d8, %a0, 5; addc.u64 %d9, %a1, -1;", &numbers, |[a, b, _]| {
        two(wide([a, b]).wrapping_add(wide([5, u64::MAX])))
    });
    // 96 bits in words of 32, and the last carry; the result where an operand was, a constant before the register.
    let lines = "mov.b64 {%r1, %r2}, %a0; mov.b64 {%r4, %r5}, %a1; add.cc.u32 %r1, %r1, %r4; addc.cc.u32 %r2, %r5, %r2;
                 addc.cc.u32 %r3, -3, %b2; addc.u32 %r6, 0, 0; mov.b64 %d8, {%r1, %r2}; mov.b64 %d9, {%r3, %r6};";
    check(lines, &numbers, |[a, b, c]| {
        two(u128::from(a) + u128::from(b) + ((u128::from(c as u32) + 0xffff_fffd) << 64))
    });
    let lines = "mov.b64 {%r1, %r2}, %a0; mov.b64 {%r4, %r5}, %a1; sub.cc.s32 %r4, %r1, %r4; subc.cc.s32 %r5, %r2, %r5;
                 subc.cc.u32 %r3, %b2, %b0; subc.u32 %r6, 0, 0; mov.b64 %d8, {%r4, %r5}; mov.b64 %d9, {%r3, %r6};";
    check(lines, &numbers, |[a, b, c]| {
        let (low, borrow) = a.overflowing_sub(b);
        let high = i64::from(c as u32) - i64::from(a as u32) - i64::from(borrow);
        [low, high as u64]
    });
}

/// A difference carries where nothing is borrowed, as GPUs have it: what a sum makes of that, and the other way round.
#[test]
fn sums_and_differences_share_a_carry() {
    let numbers = numbers(41);
    let lines = "sub.cc.u32 %r1, %b0, %b1; addc.cc.u32 %r2, %b2, -1; subc.u32 %r3, %b0, %b2; sub.cc.s64 %d3, %a1, %a2;
                 addc.u32 %r4, 7, 0; mov.b64 %d8, {%r2, %r3}; cvt.u64.u32 %d9, %r4;";
    check(lines, &numbers, |[a, b, c]| {
        let [x, y, z] = [a, b, c].map(|number| number as u32);
        let (sum, carry) = if x >= y { (z, true) } else { (z.wrapping_sub(1), z != 0) };
        let difference = x.wrapping_sub(z).wrapping_sub(u32::from(!carry));
        [u64::from(difference) << 32 | u64::from(sum), if b >= c { 8 } else { 7 }]
    });
}

#[test]
fn products_carry() {
    // The product of two numbers of 64 bits from parts of 32, as libraries for long integers have it.
    let lines = "mov.b64 {%r0, %r1}, %a0; mov.b64 {%r2, %r3}, %a1;
                 mul.lo.u32 %r4, %r0, %r2; mul.hi.u32 %r5, %r0, %r2;
                 mad.lo.cc.u32 %r5, %r0, %r3, %r5; madc.hi.u32 %r6, %r0, %r3, 0;
                 mad.lo.cc.u32 %r5, %r1, %r2, %r5; madc.hi.cc.u32 %r6, %r1, %r2, %r6; addc.u32 %r7, 0, 0;
                 mad.lo.cc.u32 %r6, %r1, %r3, %r6; madc.hi.u32 %r7, %r1, %r3, %r7;
                 mov.b64 %d8, {%r4, %r5}; mov.b64 %d9, {%r6, %r7};";
    check(lines, &numbers(32), |[a, b, _]| two(u128::from(a) * u128::from(b)));
    let lines = "mad.lo.cc.s64 %d8, %a0, %a1, %a2; madc.hi.s64 %d9, %a0, %a1, %a2;";
    check(lines, &numbers(33), |[a, b, c]| {
        let product = i128::from(a as i64).wrapping_mul(i128::from(b as i64)) as u128;
        two(product.wrapping_add(wide([c, c])))
    });
}

/// The carry is kept while threads go different ways, and where a guard leaves an instruction out.
#[test]
fn carries_live_across_jumps() {
    let lines = "add.cc.u32 %r1, %b0, %b1; and.b32 %r2, %b2, 3; setp.eq.u32 %p1, %r2, 0; @%p1 bra A;
                 setp.eq.u32 %p2, %r2, 1; @%p2 sub.cc.u32 %r1, %b0, %b1; bra B; A: add.u32 %r1, %r1, 7;
                 B: addc.u32 %r3, %r2, 0; mov.b64 %d8, {%r1, %r3};";
    check(lines, &numbers(34), |[a, b, c]| {
        let (a, b, c) = (a as u32, b as u32, c as u32 & 3);
        let (sum, carry) = match c {
            // Set where nothing is borrowed.
            1 => (a.wrapping_sub(b), a >= b),
            _ => a.overflowing_add(b),
        };
        let sum = if c == 0 { sum.wrapping_add(7) } else { sum };
        [u64::from(c + u32::from(carry)) << 32 | u64::from(sum), 0]
    });
}

#[test]
fn products_of_parts_are_summed() {
    let numbers = numbers(35);
    let byte = |signed: bool, word: u64, at: u32| {
        let byte = (word >> (8 * at)) as u8;
        if signed { i64::from(byte as i8) } else { i64::from(byte) }
    };
    let half = |signed: bool, word: u64, at: u32| {
        let half = (word >> (16 * at)) as u16;
        if signed { i64::from(half as i16) } else { i64::from(half) }
    };
    for (a_type, b_type) in [("u32", "u32"), ("u32", "s32"), ("s32", "u32"), ("s32", "s32")] {
        let signed = [a_type, b_type].map(|ty| ty == "s32");
        let lines = format!(
            "dp4a.{a_type}.{b_type} %r1, %b0, %b1, %b2; mov.b32 %r3, %b2; setp.lt.s32 %p1, %b2, %b0;
             @%p1 dp2a.lo.{a_type}.{b_type} %r3, %b0, %b1, %r3; dp2a.hi.{a_type}.{b_type} %r2, %b0, %b1, -5;
             mov.b64 %d8, {{%r1, %r2}}; cvt.u64.u32 %d9, %r3;"
        );
        check(&lines, &numbers, |[a, b, c]| {
            let dot: i64 = (0..4).map(|at| byte(signed[0], a, at) * byte(signed[1], b, at)).sum();
            let halves =
                |first| -> i64 { (0..2).map(|at| half(signed[0], a, at) * byte(signed[1], b, first + at)).sum() };
            let sum = |number: i64, with: u32| u64::from((number as u32).wrapping_add(with));
            let low = if (c as i32) < a as i32 { sum(halves(0), c as u32) } else { u64::from(c as u32) };
            [sum(dot, c as u32) | sum(halves(2), -5_i32 as u32) << 32, low]
        });
    }
}

#[test]
fn masks_extensions_and_bits_from_a_base() {
    let numbers = numbers(36);
    for mode in ["clamp", "wrap"] {
        let limit = |bits: u64| if mode == "wrap" { bits & 31 } else { u64::from(bits as u32) };
        let lines = format!(
            "szext.{mode}.s32 %r1, %b0, %b1; szext.{mode}.u32 %r2, %b0, %b1; bmsk.{mode}.b32 %r3, %b1, %b2;
             szext.{mode}.s32 %r4, %b0, 5; bmsk.{mode}.b32 %r5, 33, %b1; xor.b32 %r4, %r4, %r5;
             mov.b64 %d8, {{%r1, %r2}}; mov.b64 %d9, {{%r3, %r4}};"
        );
        check(&lines, &numbers, |[a, b, c]| {
            let low = |count: u64| if count > 31 { u32::MAX } else { (1 << count) - 1 };
            let unsigned = |count: u64| a as u32 & low(count);
            let signed = |count: u64| match count {
                0 => 0,
                count if unsigned(count) >> (count.min(32) - 1) & 1 == 1 => unsigned(count) | !low(count),
                count => unsigned(count),
            };
            let mask = |from: u64, count: u64| {
                let (from, count) = (limit(from), limit(count));
                if from > 31 { 0 } else { (u64::from(low(count)) << from) as u32 }
            };
            let halves = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
            [halves(signed(limit(b)), unsigned(limit(b))), halves(mask(b, c), signed(5) ^ mask(33, b))]
        });
    }
    let lines = "and.b32 %r4, %b1, 63; and.b32 %r5, %b2, 15; sub.s32 %r5, %r5, 7; fns.b32 %r1, %b0, %r4, %r5;
                 fns.b32 %r2, %b0, %b1, %b2; fns.b32 %r3, %b0, 0, 3; mov.b64 %d8, {%r1, %r2}; cvt.u64.u32 %d9, %r3;";
    check(lines, &numbers, |[a, b, c]| {
        let find = |base: u32, offset: i32| -> u32 {
            // The loop of the manual.
            let (mut at, mut left) = (i64::from(base), i64::from(offset).abs() - 1);
            if offset == 0 {
                return if base < 32 && a >> base & 1 == 1 { base } else { u32::MAX };
            }
            while (0..32).contains(&at) {
                if a >> at & 1 == 1 {
                    if left == 0 {
                        return at as u32;
                    }
                    left -= 1;
                }
                at += i64::from(offset.signum());
            }
            u32::MAX
        };
        let first = find(b as u32 & 63, (c as i32 & 15) - 7);
        [u64::from(find(b as u32, c as i32)) << 32 | u64::from(first), u64::from(find(0, 3))]
    });
}

/// Every function of three bits; with a predicate, too.
#[test]
fn every_table_of_lop3() {
    let numbers = &numbers(37)[..64];
    for tables in (0..256_u32).collect::<Vec<_>>().chunks(8) {
        // The results one after the other, turned and joined.
        let mut lines = "mov.b32 %r1, 0; setp.gt.s32 %p1, %b0, %b1; mov.b32 %r5, 0;\n".to_string();
        for table in tables {
            lines += &format!("lop3.b32 %r2, %b0, %b1, %b2, {table}; shf.l.wrap.b32 %r1, %r1, %r1, 3;\n").replace(
                "shf.l.wrap.b32 %r1, %r1, %r1, 3;",
                "shl.b32 %r3, %r1, 3; shr.u32 %r4, %r1, 29; or.b32 %r1, %r3, %r4;",
            );
            lines += "xor.b32 %r1, %r1, %r2;\n";
        }
        let table = tables[3];
        lines += &format!(
            "lop3.or.b32 %r6|%p2, %b0, %b1, %b2, {table}, %p1; lop3.and.b32 _|%p3, %b0, %b1, 0, {table}, !%p1;\n"
        );
        lines += "selp.b32 %r7, 1, 0, %p2; selp.b32 %r8, 2, 0, %p3; or.b32 %r7, %r7, %r8;\n";
        lines += "mov.b64 %d8, {%r1, %r6}; cvt.u64.u32 %d9, %r7;";
        check(&lines, numbers, |[a, b, c]| {
            let of = |table: u32, c: u64| {
                (0..32).fold(0_u32, |word, bit| {
                    let index = (a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (c >> bit & 1);
                    word | (table >> index & 1) << bit
                })
            };
            let all = tables.iter().fold(0_u32, |all, table| all.rotate_left(3) ^ of(*table, c));
            let greater = a as i32 > b as i32;
            let (or, and) = (of(table, c) != 0 || greater, of(table, 0) != 0 && !greater);
            [u64::from(of(table, c)) << 32 | u64::from(all), u64::from(or) | u64::from(and) << 1]
        });
    }
}

#[test]
fn bits_are_turned_around() {
    check("brev.b32 %r1, %b0; brev.b64 %d9, %a1; cvt.u64.u32 %d8, %r1;", &numbers(38), |[a, b, _]| {
        [(a as u32).reverse_bits().into(), b.reverse_bits()]
    });
}

/// Of numbers of 16 bits and of 64, with numbers as results.
#[test]
fn comparisons_as_masks_and_numbers() {
    let lines = "cvt.u16.u64 %h1, %a0; cvt.u16.u64 %h2, %a1; setp.lt.s64 %p1, %a0, %a2; set.lt.u32.s16 %r1, %h1, %h2;
                 set.ge.xor.f32.u64 %f1, %a0, %a1, %p1; mov.b32 %r2, %f1; set.eq.or.s32.b32 %r3, %b0, %b1, %p1;
                 set.hi.f16.u32 %h3, %b0, %b1; set.le.and.bf16.s64 %h4, %a0, %a1, !%p1; mov.b32 %r4, {%h3, %h4};
                 mov.b64 %d8, {%r1, %r2}; mov.b64 %d9, {%r3, %r4};";
    check(lines, &numbers(39), |[a, b, c]| {
        let mask = |holds: bool| if holds { u32::MAX } else { 0 };
        let less = (a as i64) < c as i64;
        let one = if (a >= b) != less { 1.0_f32.to_bits() } else { 0 };
        let equal = mask(a as u32 == b as u32 || less);
        let half = if a as u32 > b as u32 { 0x3c00 } else { 0 };
        let brain = if a as i64 <= b as i64 && !less { 0x3f80_u32 } else { 0 };
        let halves = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        [halves(mask((a as i16) < b as i16), one), halves(equal, brain << 16 | half)]
    });
}

/// Reductions over a barrier are those of the threads of a block that are still there.
#[test]
fn reductions_over_barriers() {
    let (block, numbers) = (40, &numbers(40)[..240]);
    let lines = "and.b32 %r1, %b0, 7; setp.lt.u32 %p1, %r1, 6; setp.gt.u32 %p2, %b1, 1; setp.eq.u32 %p6, %x1, 3;
                 @%p6 ret; bar.red.popc.u32 %r2, 0, %p1; barrier.red.popc.aligned.u32 %r3, 0, !%p1;
                 bar.red.and.pred %p3, 0, %p2; bar.cta.red.or.pred %p2, 0, !%p2; barrier.cta.red.and.pred %p4, 0, !%p1;
                 selp.b32 %r4, 1, 0, %p3; selp.b32 %r5, 2, 0, %p2; or.b32 %r4, %r4, %r5; selp.b32 %r5, 4, 0, %p4;
                 or.b32 %r4, %r4, %r5; mov.b64 %d8, {%r2, %r3}; cvt.u64.u32 %d9, %r4;";
    let found = both(lines, block, numbers, |bits| bits);
    for (at, found) in found.iter().enumerate() {
        let first = at - at % block as usize;
        let there: Vec<_> =
            (0..block as usize).filter(|thread| *thread != 3).map(|thread| numbers[first + thread]).collect();
        let holds = |three: &[u64; 3]| three[0] & 7 < 6;
        let larger = |three: &[u64; 3]| three[1] as u32 > 1;
        let count = there.iter().filter(|three| holds(three)).count() as u64;
        let (all, some) = (there.iter().all(larger), there.iter().any(|three| !larger(three)));
        let none = !there.iter().any(holds);
        let expected =
            [count | (there.len() as u64 - count) << 32, u64::from(all) | u64::from(some) << 1 | u64::from(none) << 2];
        assert_eq!(*found, if at % block as usize == 3 { [0; 2] } else { expected }, "thread {at}");
    }
}

/// Products as wide as both factors together, by numbers that are taken apart and others.
#[test]
fn wide_products_by_numbers() {
    let numbers = &numbers(41)[..64];
    for factor in [0_i64, 1, 2, 3, 4, 7, 12, 0x55, -1, -2, -4, -7, 0x7fff, -0x8000, 0x4001] {
        for (half, signed) in [(true, false), (true, true), (false, false), (false, true)] {
            let (bits, ty) = (if half { 16 } else { 32 }, if signed { "s" } else { "u" });
            let number = if signed { factor } else { factor & ((1 << bits) - 1) };
            let lines = if half {
                format!(
                    "cvt.u16.u64 %h1, %a0; cvt.u16.u64 %h2, %a1; mul.wide.{ty}16 %r1, %h1, {number}; mov.b32 %r2, %b2;
                     setp.lt.u32 %p1, %b0, %b1; @%p1 mad.wide.{ty}16 %r2, %h2, {number}, %b2;
                     cvt.u64.u32 %d8, %r1; cvt.u64.u32 %d9, %r2;"
                )
            } else {
                format!(
                    "mul.wide.{ty}32 %d8, %b0, {number}; mov.b64 %d9, %a2; setp.lt.u32 %p1, %b0, %b1;
                     @%p1 mad.wide.{ty}32 %d9, %b1, {number}, %a2;"
                )
            };
            check(&lines, numbers, |[a, b, c]| {
                let of = |value: u64| match (half, signed) {
                    (true, false) => i128::from(value as u16),
                    (true, true) => i128::from(value as i16),
                    (false, false) => i128::from(value as u32),
                    (false, true) => i128::from(value as i32),
                };
                let cut = |value: i128| if half { u64::from(value as u32) } else { value as u64 };
                let product = |value: u64| of(value) * i128::from(number);
                let added = if (a as u32) < b as u32 { product(b) } else { 0 };
                [cut(product(a)), cut(added + i128::from(c))]
            });
        }
    }
}
