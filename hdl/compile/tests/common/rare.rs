//! Instructions for random kernels that few kernels have: carries, masks, tables, parts, 16-bit floats, directed
//! rounding of binary64, what numbers are, counters in memory.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::random::{REGISTERS, Random};

/// What stands at the beginning: a carry, numbers of 16 bits that never become bits of the output, and memory for sums
/// of such.
pub(super) const BEGIN: &str = "add.cc.u32 %t0, %t6, 0; mov.b32 %y0, 0x3C00BC00; mov.b32 %y1, %f0; \
                                mov.b16 %e0, 0x3F80; mov.b16 %e1, 3; st.shared.u32 [%t8+128], 0;";

/// An instruction on the lowest `registers` of `%r` and on the others, with `%t0` to spare; `a` is a source. All that
/// is written of a guarded one is a result.
fn instruction(random: &mut impl Rng, registers: usize, a: &str) -> String {
    let mut of = |name: &str, count: usize| format!("%{name}{}", random.random_range(0..count));
    let [d, b, c] = [(); 3].map(|()| of("r", registers));
    let [u, v, w] = [(); 3].map(|()| of("d", 3));
    let [x, y] = [(); 2].map(|()| of("f", 3));
    let [h, i] = [(); 2].map(|()| of("h", 3));
    let [p, q] = [(); 2].map(|()| of("p", 4));
    let [k, l, z] = [of("y", 2), of("y", 2), of("e", 2)];
    let (kind, n) = (random.random_range(0..36), random.random_range(0..48_usize));
    let sign = |at: usize| ["u32", "s32"][at % 2];
    let mode = ["clamp", "wrap"][n / 2 % 2];
    match kind {
        0 => format!("add.cc.{} {d}, {a}, {b};", sign(n)),
        1 => format!("addc{}.{} {d}, {a}, {b};", [".cc", ""][n / 2 % 2], sign(n)),
        2 => format!("sub.cc.{} {d}, {a}, {b};", sign(n)),
        3 => format!("subc{}.{} {d}, {b}, {a};", [".cc", ""][n / 2 % 2], sign(n)),
        4 => format!("mad.{}.cc.{} {d}, {a}, {b}, {c};", ["lo", "hi"][n / 2 % 2], sign(n)),
        5 => format!("madc.{}{}.{} {d}, {a}, {b}, {c};", ["lo", "hi"][n / 2 % 2], ["", ".cc"][n / 4 % 2], sign(n)),
        6 => format!("add.cc.s64 {u}, {v}, {w}; addc.cc.s64 {w}, {v}, {n};"),
        7 => format!("sub.cc.u64 {u}, {v}, {w}; subc.s64 {w}, {v}, {u};"),
        8 => format!("dp4a.{}.{} {d}, {a}, {b}, {c};", sign(n), sign(n / 2)),
        9 => format!("dp2a.{}.{}.{} {d}, {b}, {c}, {a};", ["lo", "hi"][n / 4 % 2], sign(n), sign(n / 2)),
        10 => format!("szext.{mode}.{} {d}, {b}, {a};", sign(n)),
        11 => format!("bmsk.{mode}.b32 {d}, {a}, {b};"),
        12 if n < 9 => format!("fns.b32 {d}, {b}, {}, {};", n % 32, n as i64 % 9 - 4),
        12 => format!("and.b32 %t0, {c}, 7; sub.s32 %t0, %t0, 3; fns.b32 {d}, {b}, {a}, %t0;"),
        13 => format!("lop3.b32 {d}, {b}, {a}, {c}, {};", (n * 37 + 11) % 256),
        14 => format!("lop3.{}.b32 {d}|{p}, {b}, {a}, {c}, {}, !{q};", ["and", "or"][n % 2], (n * 37 + 128) % 256),
        15 if n % 2 == 0 => format!("brev.b32 {d}, {b};"),
        15 => format!("brev.b64 {u}, {v};"),
        16 => format!("set.{}.u32.s16 {d}, {h}, {i};", ["lt", "eq", "ge"][n % 3]),
        17 => format!("set.{}.and.f32.{} {x}, {a}, {b}, {p};", ["gt", "ne"][n % 2], sign(n / 2)),
        18 => {
            let op = ["add", "sub.rn.sat", "mul.ftz", "min", "max.ftz", "fma.rn.relu"][n % 6];
            let third = if op.starts_with("fma") { format!(", {k}") } else { String::new() };
            format!("{op}.f16x2 {k}, {l}, {k}{third};")
        }
        19 => format!("neg.f16x2 {k}, {l}; mov.b32 {{%e2, %e3}}, {k}; cvt.f32.f16 {x}, %e2;"),
        20 => {
            let op = ["add.bf16", "sub.bf16", "mul.rn.bf16", "fma.rn.bf16", "min.bf16", "abs.bf16"][n % 6];
            let sources = ["%e1, %e0", "%e0, %e1", "%e0, %e1", "%e0, %e1, %e0", "%e1, %e0", "%e1"][n % 6];
            format!("{op} {z}, {sources}; cvt.f32.bf16 {x}, {z};")
        }
        21 if n < 16 => format!("cvt.rn.bf16.f32 {z}, {x};"),
        21 if n < 32 => format!("cvt.rz.f16x2.f32 {k}, {x}, {y};"),
        21 => format!("setp.{}.f16x2 %p2|%p3, {k}, {l};", ["lt", "geu", "ne", "equ"][n % 4]),
        22 if n < 6 => format!("ex2.approx.f16x2 {k}, {l};"),
        22 if n < 12 => format!("tanh.approx.bf16 {z}, {z};"),
        22 => format!("red.shared.add.noftz.f16x2 [%t8+128], {k}; ld.shared.u32 {l}, [%t8+128];"),
        23 => format!("atom.shared.cas.b16 {h}, [%t8+{}], {h}, {i};", 2 * (n % 2)),
        24 if n < 16 => {
            let op = ["add.rz", "sub.rp", "mul.rm", "fma.rp", "div.rz", "rcp.rm", "sqrt.rp", "rsqrt.approx"][n % 8];
            let sources = match n % 8 {
                3 => format!("{v}, {w}, {v}"),
                0..5 => format!("{v}, {w}"),
                _ => v,
            };
            format!("{op}.f64 {u}, {sources};")
        }
        26 if n % 2 == 0 => format!("bfe.{} {d}, {b}, {a}, {c};", sign(n / 2)),
        26 => format!("bfe.{} {u}, {v}, {a}, {c};", ["u64", "s64"][n / 2 % 2]),
        27 if n % 2 == 0 => format!("bfi.b32 {d}, {b}, {a}, {c}, {};", n % 9),
        27 => format!("bfi.b64 {u}, {v}, {w}, {}, {a};", n),
        28 => format!("bfind{}.{} {d}, {b};", ["", ".shiftamt"][n % 2], sign(n / 2)),
        29 => format!("shf.{}.{}.b32 {d}, {b}, {a}, {c};", ["l", "r"][n % 2], ["clamp", "wrap"][n / 2 % 2]),
        30 if n % 2 == 0 => format!("prmt.b32 {d}, {b}, {a}, {c};"),
        30 => format!("prmt.b32 {d}, {b}, {a}, {};", n * 1361),
        31 => {
            let op = ["mul24.lo.u32", "mul24.hi.s32", "mad24.lo.s32", "add.sat.s32", "sub.sat.s32"][n % 5];
            let third = if op.starts_with("mad") { format!(", {c}") } else { String::new() };
            format!("{op} {d}, {b}, {a}{third};")
        }
        32 => {
            let asked = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"][n % 6];
            if n < 24 { format!("testp.{asked}.f32 {p}, {x};") } else { format!("testp.{asked}.f64 {p}, {v};") }
        }
        33 => match n % 4 {
            0 => format!("slct.s32.f32 {d}, {b}, {a}, {x};"),
            1 => format!("slct.ftz.f32.f32 {x}, {x}, {y}, {x};"),
            2 => format!("slct.f32.s32 {x}, {x}, {y}, {b};"),
            _ => format!("slct.u64.f32 {u}, {v}, {w}, {y};"),
        },
        34 => format!("prmt.b32.{} {d}, {b}, {a}, {c};", ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"][n % 6]),
        35 if n % 2 == 0 => format!("atom.shared.{}.u32 {d}, [%t8+128], {b};", ["inc", "dec"][n / 2 % 2]),
        35 => format!("{}.hi.sat.s32 {d}, {b}, {a}, {c};", ["mad", "mad24"][n / 2 % 2]),
        _ => format!("set.{}.u32.f16 {d}, {h}, {i};", ["lt", "geu", "ne", "equ"][n % 4]),
    }
}

impl Random {
    /// A kernel with instructions that few have among its own; of every other seed with exchanges in warps, too.
    pub fn with_rare(seed: u64) -> String {
        let draw = |other: u64| Some(ChaCha8Rng::seed_from_u64(seed ^ other));
        Random::of(seed, if (seed / 4).is_multiple_of(2) { None } else { draw(0x3a3a) }, draw(0x7a7a))
    }

    /// Perhaps one of these.
    pub(super) fn rare(&mut self) {
        let Some(mut random) = self.rare.take() else { return };
        if random.random_bool(0.25) {
            let source = match random.random_bool(0.2) {
                true => random.random_range(-4..70).to_string(),
                false => format!("%r{}", random.random_range(0..REGISTERS)),
            };
            let text = instruction(&mut random, REGISTERS, &source);
            let guarded = random.random_bool(0.15) && text.matches(';').count() == 1;
            let guard = format!("@%p{} ", random.random_range(0..4));
            self.line(&format!("{}{text}", if guarded { guard.as_str() } else { "" }));
        }
        self.rare = Some(random);
    }

    /// Perhaps a reduction over a barrier, where all threads are there.
    pub(super) fn barrier(&mut self) -> Option<String> {
        let random = self.rare.as_mut()?;
        if random.random_bool(0.7) {
            return None;
        }
        let (d, p, q) = (random.random_range(0..REGISTERS), random.random_range(0..4), random.random_range(0..4));
        Some(match random.random_range(0..3) {
            0 => format!("bar.red.popc.u32 %r{d}, 0, !%p{q};"),
            1 => format!("barrier.red.or.aligned.pred %p{p}, 0, %p{q};"),
            _ => format!("bar.red.and.pred %p{p}, 0, %p{q};"),
        })
    }
}
