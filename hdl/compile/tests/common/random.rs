//! Random kernels: text of PTX from a seed. All registers are written at the beginning; addresses stay in the buffers;
//! loops end by a counter or by fuel; threads write nothing that others read.

use std::fmt::Write;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Words of the buffer that is read.
pub const INPUT: u64 = 20;
/// Words of the buffer that is written, for each thread.
pub const OUTPUT: u64 = 24;

/// A kernel that is being written.
pub struct Random {
    pub random: ChaCha8Rng,
    text: String,
    labels: usize,
    pub(super) loops: usize,
    /// Labels to leave the loops around by, and to begin their next turn.
    pub(super) around: Vec<(String, String)>,
    statements: usize,
    copies: usize,
    /// Where threads may exchange values in their warps: what is drawn for that.
    warps: Option<ChaCha8Rng>,
    /// What is drawn for addresses that count in loops.
    pub(super) walks: ChaCha8Rng,
    /// What is drawn for instructions that few kernels have.
    pub(super) rare: Option<ChaCha8Rng>,
}

/// Registers of 32 bits.
pub(super) const REGISTERS: usize = 7;

impl Random {
    /// A kernel by itself: structured statements, or blocks with jumps from any to any.
    pub fn kernel(seed: u64) -> String {
        Random::of(seed, None, None)
    }

    pub(super) fn of(seed: u64, warps: Option<ChaCha8Rng>, rare: Option<ChaCha8Rng>) -> String {
        let random = ChaCha8Rng::seed_from_u64(seed);
        let (text, around) = (String::new(), Vec::new());
        let walks = ChaCha8Rng::seed_from_u64(seed ^ 0x3a11);
        let (labels, loops, statements, copies) = (0, 0, 0, 0);
        let mut own = Random { random, text, labels, loops, around, statements, copies, warps: None, walks, rare };
        own.begin();
        if own.random.random_bool(0.6) {
            let count = own.random.random_range(2..6);
            own.warps = warps;
            own.statements(count, 0);
        } else {
            own.blocks();
        }
        own.end();
        own.text
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }

    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn begin(&mut self) {
        self.text = include_str!("random.ptx").replace("96", &(4 * OUTPUT).to_string());
        for counter in 0..12 {
            self.line(&format!("mov.b32 %c{counter}, 0;"));
        }
        for register in 0..REGISTERS {
            let value = match self.random.random_range(0..6) {
                0 => "mov.u32 R, %tid.x;".to_string(),
                1 => "mad.lo.s32 R, %t6, 7, 3;".to_string(),
                2 => "ld.param.u32 R, [a];".to_string(),
                3 => "ld.param.u32 R, [b];".to_string(),
                4 => format!("mov.b32 R, {};", self.random.random_range(-5..40)),
                _ => "and.b32 R, %t6, 3;".to_string(),
            };
            self.line(&value.replace('R', &format!("%r{register}")));
        }
        for predicate in 0..4 {
            let compare = self.compare();
            self.line(&format!("{compare} %p{predicate}, %r{predicate}, 5;"));
        }
        for number in 0..3 {
            self.line(&format!("cvt.u64.u32 %d{number}, %r{number}; cvt.u16.u32 %h{number}, %r{number};"));
            self.line(&format!("ld.global.f32 %f{number}, [%t1+{}];", 4 * number));
        }
        if self.rare.is_some() {
            self.line(super::rare::BEGIN);
        }
    }

    fn end(&mut self) {
        self.line("DONE:");
        for register in 0..REGISTERS {
            self.line(&format!("st.global.u32 [%t7+{}], %r{register};", 4 * register));
        }
        for predicate in 0..4 {
            let at = 4 * (REGISTERS + predicate);
            self.line(&format!("selp.b32 %t0, 1, 0, %p{predicate}; st.global.u32 [%t7+{at}], %t0;"));
        }
        self.line("ld.shared.u32 %t0, [%t8]; st.global.u32 [%t7+56], %t0;");
        self.line("st.global.u64 [%t7+64], %d0; st.global.u64 [%t7+72], %d1; st.global.u16 [%t7+80], %h0;");
        // Numbers go to a buffer of their own: a NaN has other bits in the array.
        self.line("ld.param.u32 %t0, [numbers]; mad.lo.s32 %t0, %t6, 12, %t0;");
        self.line("st.global.f32 [%t0], %f0; st.global.f32 [%t0+4], %f1; st.global.f32 [%t0+8], %f2;");
        self.line("ret;");
        self.text += "}\n";
    }

    pub(super) fn register(&mut self) -> String {
        format!("%r{}", self.random.random_range(0..REGISTERS))
    }

    fn source(&mut self) -> String {
        match self.random.random_range(0..8) {
            0 => format!("{}", self.random.random_range(-4..100)),
            1 if !self.around.is_empty() => format!("%c{}", self.random.random_range(0..self.loops)),
            2 => format!("%u{}", self.random.random_range(0..3)),
            _ => self.register(),
        }
    }

    fn compare(&mut self) -> String {
        let all = ["eq.s32", "ne.s32", "lt.s32", "le.s32", "gt.s32", "ge.s32", "lt.u32", "hi.u32", "eq.b32"];
        format!("setp.{}", all[self.random.random_range(0..all.len())])
    }

    fn predicate(&mut self) -> String {
        format!("%p{}", self.random.random_range(0..4))
    }

    fn guard(&mut self) -> String {
        let not = if self.random.random_bool(0.3) { "!" } else { "" };
        // Some are the same for all threads.
        let same = self.random.random_bool(0.35);
        let predicate = if same { format!("%q{}", self.random.random_range(0..2)) } else { self.predicate() };
        format!("@{not}{predicate}")
    }

    /// An instruction that goes on behind itself.
    fn instruction(&mut self) {
        let (d, a, b, c) = (self.register(), self.register(), self.source(), self.source());
        let (p, q) = (self.predicate(), self.predicate());
        let all = [
            "add.s32",
            "sub.s32",
            "mul.lo.s32",
            "and.b32",
            "or.b32",
            "xor.b32",
            "min.s32",
            "max.u32",
            "shl.b32",
            "shr.u32",
            "shr.s32",
            "div.s32",
            "rem.u32",
            "mul.hi.s32",
            "mul.hi.u32",
        ];
        let op = all[self.random.random_range(0..all.len())];
        let float = ["add.rn.ftz.f32", "sub.rn.f32", "mul.rn.ftz.f32", "min.ftz.f32", "max.f32", "mul.rz.f32"];
        let float = float[self.random.random_range(0..float.len())];
        let mut f = || format!("%f{}", self.random.random_range(0..3));
        let (x, y, z) = (f(), f(), f());
        let mut d64 = || format!("%d{}", self.random.random_range(0..3));
        let (u, v, w) = (d64(), d64(), d64());
        let mut h16 = || format!("%h{}", self.random.random_range(0..3));
        let (h, i) = (h16(), h16());
        let kind = self.random.random_range(0..44);
        let amount = self.random.random_range(0..40);
        let text = match kind {
            0 => format!("mad.lo.s32 {d}, {a}, {b}, {c};"),
            1 => format!("selp.b32 {d}, {a}, {b}, {p};"),
            2..=4 => {
                let compare = self.compare();
                format!("{compare} {p}, {a}, {b};")
            }
            5 => format!("{} {p}, {q}, {p};", ["and.pred", "or.pred", "xor.pred"][amount % 3]),
            6 => format!("not.pred {p}, {q};"),
            7 | 8 => format!("and.b32 %t0, {a}, 60; add.s32 %t0, %t0, %t1; ld.global.u32 {d}, [%t0];"),
            9 => format!("and.b32 %t0, {a}, 63; add.s32 %t0, %t0, %t1; ld.global.s8 {d}, [%t0];"),
            10 | 11 => format!("st.global.u32 [%t7+{}], {b};", 4 * (11 + amount % 3)),
            12 => format!("shl.b32 {d}, {a}, {amount};"),
            13 => format!("shr.s32 {d}, {a}, {amount};"),
            14 if amount % 4 == 0 => {
                format!("fma.rn{}.f32 {x}, {y}, {z}, {x};", ["", ".ftz", ".sat"][amount / 4 % 3])
            }
            14 => format!("{float} {x}, {y}, {z};"),
            15 => format!("setp.{}.ftz.f32 {p}, {x}, {y};", ["lt", "geu", "ne", "equ", "num", "leu"][amount % 6]),
            16 => {
                let signs = ["neg.ftz.f32", "abs.f32", "neg.f32", "mov.f32"];
                let functions =
                    ["ex2.approx.ftz", "lg2.approx", "rsqrt.approx", "sin.approx", "cos.approx.ftz", "tanh.approx"];
                let functions = functions.map(|name| format!("{name}.f32"));
                format!("{} {x}, {y};", if amount < 20 { signs[amount % 4] } else { &functions[amount % 6] })
            }
            17 => format!("add.s64 {u}, {v}, {w};"),
            18 => format!("{} {u}, {v}, {amount};", ["shl.b64", "shr.u64", "shr.s64", "xor.b64"][amount % 4]),
            19 => format!("mul.wide.{} {u}, {a}, {b};", ["u32", "s32"][amount % 2]),
            20 => format!("cvt.{}.{} {u}, {a};", ["u64", "s64"][amount % 2], ["u32", "s32"][amount / 2 % 2]),
            21 => format!("cvt.u32.u64 {d}, {u};"),
            22 => format!("add.s16 {h}, {i}, {amount};"),
            23 => {
                format!("cvt.{}.{} {d}, {h};", ["s32", "u32"][amount % 2], ["s16", "u16", "u8", "s8"][amount / 2 % 4])
            }
            24 => format!("cvt.u16.u32 {h}, {a};"),
            25 => format!("mul.wide.u16 {d}, {h}, {i};"),
            26 => format!("red.shared.add.u32 [%t8], {b};"),
            27 => format!("atom.shared.max.s32 {d}, [%t8], {b};"),
            28 => format!("bfe.{} {d}, {a}, {}, {};", ["u32", "s32"][amount % 2], amount, amount % 11),
            29 => {
                format!("{} {d}, {a};", ["neg.s32", "not.b32", "abs.s32", "popc.b32", "clz.b32", "mov.b32"][amount % 6])
            }
            30 => format!("mov.b64 {u}, {{{a}, {d}}};"),
            31 => format!("mov.b64 {{{d}, %t0}}, {u};"),
            32 => format!("setp.lt.{}.s32 {p}, {a}, {b}, {q};", ["and", "or", "xor"][amount % 3]),
            33 => format!("mov.b32 {d}, {b};"),
            34 => format!("setp.gt.s64 {p}, {u}, {v};"),
            35 => format!(
                "cvt.{}.f32.{} {x}, {a};",
                ["rn", "rz", "rm"][amount % 3],
                ["s32", "u32", "u8", "s16"][amount / 3 % 4]
            ),
            36 => format!(
                "cvt.{}.{} {d}, {y};",
                ["rni", "rzi.ftz", "rmi", "rpi.ftz"][amount % 4],
                ["s32.f32", "u32.f32", "u8.f32", "s16.f32"][amount / 4 % 4]
            ),
            37 => match amount % 8 {
                0 => format!("cvt.f64.f32 {u}, {y};"),
                1 => format!("cvt.ftz.f64.f32 {u}, {y};"),
                2 => format!("cvt.rn.ftz.f32.f64 {x}, {v};"),
                3 => format!("cvt.rp.f32.f64 {x}, {v};"),
                4 => format!("cvt.rn.f64.s64 {u}, {v};"),
                5 => format!("cvt.rzi.u64.f64 {u}, {v};"),
                6 => format!("cvt.rni.s64.f32 {u}, {y};"),
                _ => format!("cvt.rmi.s32.f64 {d}, {v};"),
            },
            38 => match amount % 4 {
                0 => format!("cvt.rni.f32.f32 {x}, {y};"),
                1 => format!("cvt.rpi.ftz.f32.f32 {x}, {y};"),
                2 => format!("cvt.sat.f32.f32 {x}, {y};"),
                _ => format!("add.rn.sat.f32 {x}, {y}, {z};"),
            },
            39 => match amount % 4 {
                0 => format!("cvt.rn.f16.f32 %h3, {y}; fma.rn.ftz.f16 %h3, %h3, %h3, {h}; cvt.f32.f16 {x}, %h3;"),
                1 => format!("cvt.rz.ftz.f16.f32 %h3, {y}; cvt.rzi.s32.f16 {d}, %h3;"),
                2 => format!("cvt.rm.f16.s32 %h3, {a}; setp.ltu.f16 {p}, %h3, {i}; cvt.f64.f16 {u}, %h3;"),
                _ => format!("cvt.rn.sat.f16.f32 {h}, {y};"),
            },
            40 => match amount % 4 {
                0 => format!("cvt.sat.u8.s32 {d}, {a};"),
                1 => format!("cvt.sat.s16.u32 {d}, {a};"),
                2 => format!("cvt.sat.s32.s64 {d}, {u};"),
                _ => format!("cvt.sat.u32.s16 {d}, {h};"),
            },
            41 => format!(
                "ld.param.u32 %t0, [numbers]; mad.lo.s32 %t0, %t6, 12, %t0; atom.global.add.f32 {x}, [%t0], {y};"
            ),
            _ => format!("{op} {d}, {a}, {b};"),
        };
        let guarded = self.random.random_bool(0.12) && text.matches(';').count() == 1;
        let text = if guarded { format!("{} {text}", self.guard()) } else { text };
        self.line(&text);
        self.rare();
    }

    pub(super) fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
            if let (0, Some(warps)) = (depth, &mut self.warps) {
                let exchange = super::warps::exchange(warps, REGISTERS);
                let text = self.barrier().unwrap_or(exchange);
                self.line(&text);
            }
        }
    }

    /// Keeps a value under another name, changes it, and uses both.
    fn copy(&mut self) {
        let (register, d) = (self.register(), self.register());
        let copy = format!("%s{}", self.copies);
        self.copies += 1;
        self.line(&format!("mov.b32 {copy}, {register};"));
        self.instruction();
        self.line(&format!("add.s32 {register}, {register}, 1;"));
        self.instruction();
        self.line(&format!("xor.b32 {d}, {register}, {copy};"));
    }

    fn statement(&mut self, depth: usize) {
        self.statements += 1;
        let kind = if self.statements > 60 || depth > 3 { 0 } else { self.random.random_range(0..12) };
        match kind {
            0..=5 => (0..self.random.random_range(1..4)).for_each(|_| self.instruction()),
            6..=8 => self.choice(depth),
            9 | 10 if self.loops < 12 => self.repeat(depth),
            11 if !self.around.is_empty() => {
                let at = self.random.random_range(0..self.around.len());
                let out = self.random.random_bool(0.5);
                let to = if out { self.around[at].0.clone() } else { self.around[at].1.clone() };
                let guard = self.guard();
                self.line(&format!("{guard} bra {to};"));
            }
            11 if self.random.random_bool(0.4) => {
                let guard = self.guard();
                // Who has gone takes no part.
                self.warps = None;
                let to = if self.random.random_bool(0.5) { "ret" } else { "bra DONE" };
                self.line(&format!("{guard} {to};"));
            }
            _ if self.copies < 40 => self.copy(),
            _ => self.instruction(),
        }
    }

    /// One way or the other.
    fn choice(&mut self, depth: usize) {
        let (other, end, guard) = (self.label(), self.label(), self.guard());
        self.line(&format!("{guard} bra {other};"));
        let count = self.random.random_range(1..4);
        self.statements(count, depth + 1);
        if depth < 2 && self.random.random_bool(0.3) {
            // Nothing behind it on this side: its threads meet behind the other one.
            self.choice(depth + 1);
        }
        self.line(&format!("bra.uni {end};"));
        self.line(&format!("{other}:"));
        if self.random.random_bool(0.6) {
            let count = self.random.random_range(1..3);
            self.statements(count, depth + 1);
        }
        self.line(&format!("{end}:"));
    }

    /// Blocks whose ends lead anywhere; ways back cost fuel.
    fn blocks(&mut self) {
        let count: usize = self.random.random_range(3..9);
        let uniform = self.random.random_bool(0.3);
        if !uniform {
            self.line("and.b32 %fuel, %t6, 7;");
        }
        for block in 0..count {
            self.line(&format!("B{block}:"));
            (0..self.random.random_range(1..4)).for_each(|_| self.instruction());
            let forward = self.random.random_range(block + 1..=count);
            match self.random.random_range(0..5) {
                0 | 1 => {
                    let guard = self.guard();
                    self.line(&format!("{guard} bra B{forward};"));
                }
                2 => {
                    let back = self.random.random_range(block.saturating_sub(3)..=block);
                    self.line("add.s32 %fuel, %fuel, -1; setp.gt.s32 %p4, %fuel, 0;");
                    if self.random.random_bool(0.5) {
                        let predicate = self.predicate();
                        self.line(&format!("and.pred %p4, %p4, {predicate};"));
                    }
                    self.line(&format!("@%p4 bra B{back};"));
                }
                3 => {
                    let (guard, other) = (self.guard(), self.random.random_range(block + 1..=count));
                    self.line(&format!("{guard} bra B{forward}; bra.uni B{other};"));
                }
                _ => {}
            }
        }
        self.line(&format!("B{count}:"));
    }
}
