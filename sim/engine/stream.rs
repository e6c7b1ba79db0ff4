//! Instructions as the loop that runs them reads them: one stream of 32-bit words.
//!
//! An instruction begins with its kind and a number, of limbs or of records. Operands and records follow in order, so
//! that the loop needs no other addresses than those of stream and state.

use super::code::{Instr, Tables};
use super::records::{AdderRecord, LookRecord, Record};

/// Words from the first of an instruction that can be looked at without asking how long the stream is.
pub(super) const AHEAD: usize = 14;
/// Most records of an instruction.
pub(super) const RECORDS: u32 = u8::MAX as u32;
/// Words of a record at most.
const RECORD: usize = 7;
/// Words of a stream whose instructions all end below 2¹⁶.
pub(super) const SMALL: usize = (1 << 16) + AHEAD + RECORDS as usize * RECORD;

/// Kinds of instructions.
pub(super) mod kind {
    pub const END: u32 = 0;
    pub const JUMP: u32 = 1;
    pub const JUMP_IF: u32 = 2;
    pub const JUMP_UNLESS: u32 = 3;
    pub const SWITCH: u32 = 4;
    pub const JUMP_UNLESS_DUE: u32 = 5;
    pub const LOOK: u32 = 6;
    pub const LOOK_FIRST: u32 = 7;
    pub const AND: u32 = 8;
    pub const OR: u32 = 9;
    pub const XOR: u32 = 10;
    pub const AND_NOT: u32 = 11;
    pub const MUL: u32 = 12;
    pub const MUL_SIGNED: u32 = 13;
    pub const LT: u32 = 14;
    pub const LE: u32 = 15;
    pub const LT_SIGNED: u32 = 16;
    pub const LE_SIGNED: u32 = 17;
    pub const PARITY: u32 = 18;
    pub const ACROSS: u32 = 19;
    pub const SHL: u32 = 20;
    pub const SHR: u32 = 21;
    pub const INSERT: u32 = 22;
    pub const SET_BIT: u32 = 23;
    pub const SEXT: u32 = 24;
    pub const STORE: u32 = 25;
    pub const COPY_N: u32 = 26;
    pub const AND_N: u32 = 27;
    pub const OR_N: u32 = 28;
    pub const XOR_N: u32 = 29;
    pub const AND_NOT_N: u32 = 30;
    pub const CHOOSE_N: u32 = 31;
    pub const STORE_N: u32 = 32;
    pub const STORE_MASKED: u32 = 33;
    pub const RARE: u32 = 34;
    pub const CASE: u32 = 35;
    pub const COPIES: u32 = 36;
    pub const FIELDS: u32 = 37;
    pub const TESTS: u32 = 38;
    pub const MUXES: u32 = 39;
    pub const SUMS: u32 = 40;
    pub const WORDS: u32 = 41;
    pub const WIDE_WORDS: u32 = 42;
    pub const CHOICES: u32 = 43;
    pub const TABLES3: u32 = 44;
    pub const TABLES5: u32 = 45;
    pub const WIDE_MUXES: u32 = 46;
    pub const ADDER: u32 = 47;
    pub const SHORT_ADDER: u32 = 48;
    // One record.
    pub const COPY: u32 = 49;
    pub const FIELD: u32 = 50;
    pub const TEST: u32 = 51;
    pub const MUX: u32 = 52;
    pub const SUM: u32 = 53;
    pub const WORD: u32 = 54;
    pub const WIDE_WORD: u32 = 55;
    pub const CHOICE: u32 = 56;
    pub const TABLE3: u32 = 57;
    pub const TABLE5: u32 = 58;
    pub const WIDE_MUX: u32 = 59;
    // Two.
    pub const TWO_COPIES: u32 = 60;
    pub const TWO_MUXES: u32 = 61;
    pub const TWO_SUMS: u32 = 62;
    pub const TWO_TABLES3: u32 = 63;
    /// All kinds are below. There is no gap: nothing has to be checked before the jump to what a kind does.
    pub const ALL: u32 = 64;
}

/// Words of code. In a stream of [`SMALL`] words, 16 bits of a position cannot lead outside; a larger one checks.
pub(super) trait Stream {
    /// An instruction's first word and those that follow it.
    fn window(&self, pc: u32) -> &[u32; AHEAD];
    /// Records of `N` words from a position up, up to [`RECORDS`] of them.
    fn records<const N: usize>(&self, pc: u32, n: u32) -> &[[u32; N]];
    fn word(&self, at: u32) -> u32;
}

impl Stream for [u32; SMALL] {
    #[inline(always)]
    fn window(&self, pc: u32) -> &[u32; AHEAD] {
        self[pc as u16 as usize..][..AHEAD].try_into().expect("the stream is longer")
    }

    #[inline(always)]
    fn records<const N: usize>(&self, pc: u32, n: u32) -> &[[u32; N]] {
        const { assert!(N <= RECORD) };
        let from = pc as u16 as usize;
        self[from..from + n as u8 as usize * N].as_chunks().0
    }

    #[inline(always)]
    fn word(&self, at: u32) -> u32 {
        self[at as u16 as usize]
    }
}

impl Stream for [u32] {
    #[inline(always)]
    fn window(&self, pc: u32) -> &[u32; AHEAD] {
        self[pc as usize..][..AHEAD].try_into().expect("code ends before the stream does")
    }

    #[inline(always)]
    fn records<const N: usize>(&self, pc: u32, n: u32) -> &[[u32; N]] {
        self[pc as usize..][..n as usize * N].as_chunks().0
    }

    #[inline(always)]
    fn word(&self, at: u32) -> u32 {
        self[at as usize]
    }
}

/// Code as a stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub words: Vec<u32>,
    /// There are [`SMALL`] words, and nothing that is read lies beyond 16 bits of a position.
    pub small: bool,
    /// Where each instruction begins.
    pub starts: Vec<u32>,
}

impl Program {
    /// For code that is run often.
    pub fn new(code: &[Instr], tables: &Tables) -> Program {
        let mut p = Program::once(code, tables);
        p.small = p.words.len() - AHEAD <= 1 << 16;
        if p.small {
            p.words.resize(SMALL, kind::END);
        }
        p
    }

    /// For code that is run once.
    pub fn once(code: &[Instr], tables: &Tables) -> Program {
        let mut p = Program::default();
        let mut targets = Vec::new();
        for instr in code {
            p.starts.push(p.words.len() as u32);
            p.instr(instr, tables, &mut targets);
        }
        for at in targets {
            p.words[at] = p.starts[p.words[at] as usize];
        }
        p.words.resize(p.words.len() + AHEAD, kind::END);
        p
    }

    fn push(&mut self, kind: u32, n: u32, operands: &[u32]) {
        self.words.extend([kind, n]);
        self.words.extend(operands);
    }

    /// Adds an instruction; `targets` are positions of words that tell instructions' numbers.
    fn instr(&mut self, instr: &Instr, tables: &Tables, targets: &mut Vec<usize>) {
        let at = self.words.len();
        let k = u32::from;
        match *instr {
            Instr::End => self.push(kind::END, 0, &[]),
            Instr::Jump { to } => {
                self.push(kind::JUMP, 0, &[to]);
                targets.push(at + 2);
            }
            Instr::JumpIf { c, to } => {
                self.push(kind::JUMP_IF, 0, &[c, to]);
                targets.push(at + 3);
            }
            Instr::JumpUnless { c, to } => {
                self.push(kind::JUMP_UNLESS, 0, &[c, to]);
                targets.push(at + 3);
            }
            Instr::Switch { c, from, n } => {
                self.push(kind::SWITCH, n, &[c]);
                self.words.extend(&tables.targets[from as usize..][..n as usize]);
                targets.extend(at + 3..at + 3 + n as usize);
            }
            Instr::JumpUnlessDue { group, to, mask, end } => {
                self.push(kind::JUMP_UNLESS_DUE, group.into(), &[to, end, mask as u32, (mask >> 32) as u32]);
                targets.extend([at + 2, at + 3]);
            }
            Instr::Look { from, n, first } => {
                self.push(if first { kind::LOOK_FIRST } else { kind::LOOK }, n, &[]);
                for &LookRecord { a, seen, masks, n } in &tables.looks[from as usize..][..n as usize] {
                    self.words.extend([a, seen, masks, n]);
                }
            }
            Instr::And { d, a, b } => self.push(kind::AND, 0, &[d, a, b]),
            Instr::Or { d, a, b } => self.push(kind::OR, 0, &[d, a, b]),
            Instr::Xor { d, a, b } => self.push(kind::XOR, 0, &[d, a, b]),
            Instr::AndNot { d, a, b } => self.push(kind::AND_NOT, 0, &[d, a, b]),
            Instr::Mul { d, a, b, k: spare } => self.push(kind::MUL, k(spare), &[d, a, b]),
            Instr::MulSigned { d, a, b, i, j, k: spare } => {
                self.push(kind::MUL_SIGNED, k(spare), &[d, a, b, k(i), k(j)]);
            }
            Instr::Lt { d, a, b } => self.push(kind::LT, 0, &[d, a, b]),
            Instr::Le { d, a, b } => self.push(kind::LE, 0, &[d, a, b]),
            Instr::LtSigned { d, a, b, k: spare } => self.push(kind::LT_SIGNED, k(spare), &[d, a, b]),
            Instr::LeSigned { d, a, b, k: spare } => self.push(kind::LE_SIGNED, k(spare), &[d, a, b]),
            Instr::Parity { d, a } => self.push(kind::PARITY, 0, &[d, a]),
            Instr::Across { d, a, low, k: spare } => self.push(kind::ACROSS, k(spare), &[d, a, k(low)]),
            Instr::Shl { d, a, b, k: spare } => self.push(kind::SHL, k(spare), &[d, a, b]),
            Instr::Shr { d, a, b, k: spare } => self.push(kind::SHR, k(spare), &[d, a, b]),
            Instr::Insert { d, a, b, low, k: spare } => self.push(kind::INSERT, k(spare), &[d, a, b, k(low)]),
            Instr::SetBit { d, a, b, at, k: spare } => self.push(kind::SET_BIT, k(spare), &[d, a, b, at]),
            Instr::Sext { d, a, j, k: spare } => self.push(kind::SEXT, k(spare), &[d, a, k(j)]),
            Instr::Store { c, a, b, m } => self.push(kind::STORE, m.into(), &[c, a, b]),
            Instr::CopyN { d, a, n } => self.push(kind::COPY_N, n.into(), &[d, a]),
            Instr::AndN { d, a, b, n } => self.push(kind::AND_N, n.into(), &[d, a, b]),
            Instr::OrN { d, a, b, n } => self.push(kind::OR_N, n.into(), &[d, a, b]),
            Instr::XorN { d, a, b, n } => self.push(kind::XOR_N, n.into(), &[d, a, b]),
            Instr::AndNotN { d, a, b, n } => self.push(kind::AND_NOT_N, n.into(), &[d, a, b]),
            Instr::ChooseN { d, a, from, low, k: spare, n } => {
                self.push(kind::CHOOSE_N, n.into(), &[d, a, from, k(low), k(spare)]);
            }
            Instr::StoreN { c, a, b, m } => self.push(kind::STORE_N, m.into(), &[c, a, b]),
            Instr::StoreMasked { c, a, b, mask, m } => self.push(kind::STORE_MASKED, m.into(), &[c, a, b, mask]),
            Instr::Rare { at } => self.push(kind::RARE, at, &[]),
            Instr::Case { d, a, at } => self.push(kind::CASE, at, &[d, a]),
            Instr::Copies { from, n } => {
                self.each(&[kind::COPIES, kind::COPY, kind::TWO_COPIES], tables, from, n, |r| [r.d, r.a])
            }
            Instr::Fields { from, n } => self.each(&[kind::FIELDS, kind::FIELD], tables, from, n, |r| {
                let [m0, m1] = mask(r.k);
                [r.d, r.a, r.low.into(), m0, m1]
            }),
            Instr::Tests { from, n } => self.each(&[kind::TESTS, kind::TEST], tables, from, n, |r| {
                let [m0, m1] = mask(r.k);
                [r.d, r.a, r.b, r.low.into(), r.flag.into(), m0, m1]
            }),
            Instr::Muxes { from, n } => {
                self.each(&[kind::MUXES, kind::MUX, kind::TWO_MUXES], tables, from, n, |r| [r.d, r.c, r.a, r.b])
            }
            Instr::Sums { from, n } => self.each(&[kind::SUMS, kind::SUM, kind::TWO_SUMS], tables, from, n, |r| {
                let [m0, m1] = mask(r.k);
                [r.d, r.a, r.b, if r.flag { u32::MAX } else { 1 }, m0, m1]
            }),
            Instr::Words { from, n } => self.each(&[kind::WORDS, kind::WORD], tables, from, n, |r| [r.d, r.a, r.b]),
            Instr::WideWords { from, n } => {
                self.each(&[kind::WIDE_WORDS, kind::WIDE_WORD], tables, from, n, |r| [r.d, r.a, r.b])
            }
            Instr::Choices { from, n } => self.each(&[kind::CHOICES, kind::CHOICE], tables, from, n, |r| {
                let [m0, m1] = mask(r.k);
                [r.d, r.a, r.b, r.low.into(), m0, m1]
            }),
            Instr::Tables3 { from, n } => {
                self.each(&[kind::TABLES3, kind::TABLE3, kind::TWO_TABLES3], tables, from, n, |r| {
                    [r.d, r.a, r.b, r.c, r.low.into()]
                });
            }
            Instr::Tables5 { from, n } => {
                self.push(if n == 1 { kind::TABLE5 } else { kind::TABLES5 }, n, &[]);
                for r in &tables.tables5[from as usize..][..n as usize] {
                    self.words.extend([r.d, r.table]);
                    self.words.extend(r.inputs);
                }
            }
            Instr::WideMuxes { from, n } => {
                self.push(if n == 1 { kind::WIDE_MUX } else { kind::WIDE_MUXES }, n, &[]);
                for r in &tables.wide_muxes[from as usize..][..n as usize] {
                    self.words.extend([r.d, r.c, r.a, r.b, r.n]);
                }
            }
            Instr::Adder { at } => {
                let AdderRecord { x, y, c, differ, either, both, carried, sum, majority, n, short } =
                    tables.adders[at as usize];
                self.push(if short { kind::SHORT_ADDER } else { kind::ADDER }, n, &[x, y, c, sum, majority]);
                if !short {
                    self.words.extend([differ, either, both, carried]);
                }
            }
        }
    }

    /// Records; `kinds` are those of many, of one, and of two if there is such a kind.
    fn each<const N: usize>(
        &mut self,
        kinds: &[u32],
        tables: &Tables,
        from: u32,
        n: u32,
        of: impl Fn(&Record) -> [u32; N],
    ) {
        let kind = kinds.get(n as usize).unwrap_or(&kinds[0]);
        self.push(*kind, n, &[]);
        self.words.extend(tables.records[from as usize..][..n as usize].iter().flat_map(of));
    }
}

/// Ones in all but some high bits, low half first.
fn mask(spare: u8) -> [u32; 2] {
    let ones = u64::MAX >> spare;
    [ones as u32, (ones >> 32) as u32]
}
