//! Flow control: decides each cycle which row of the micro-program runs next.
//!
//! ```text
//!  start registers ─▶ flow word ─▶ decide ─▶ row address, exit, first, last ─▶ address generator
//!                     ▲  X Y Z stride │
//!                     └───────────────┘   key scanner, effective width, wired-OR tokens
//! ```
//!
//! The flow word of the row at `pc` is in a register and acted upon in one cycle, so loops cost nothing. While it decides, ROMs
//! addressed by `pc` give the words of all rows that may come next: the following one, the target, the head of the inner loop;
//! the decision only chooses between them. (Reading one ROM after the decision takes 5.3 ns before routing, this 3.) A row is handed on in a cycle
//! with `advance` = 1 and `valid` = 1. The start registers of the next command are taken in the cycle after the last row of the
//! one before was handed on.
//!
//! Two nested loops: X counts the inner one, Y the outer one, both down to 1; Z is a triangular count, the stride doubles or
//! halves. The key scanner moves the key down to its next 1 bit, four zeros or one bit a cycle. Tokens ask for the wired-OR of
//! the tags after a row; they come back with `return_token`, and a branch waits for its token.

use super::types::RowAddress;
use crate::isa::program::{StrideAction, Token, TriangleAction};
use crate::isa::word::flow::{self as field, *};
use crate::isa::word::{Kind, XLoad, YLoad};
use crate::kernel::prelude::*;

/// Bits of a row address of the ROMs.
pub const PC: usize = TARGET_BITS;

const KIND_INNER: u64 = Kind::Inner as u64;
const KIND_OUTER: u64 = Kind::Outer as u64;
const KIND_INNER_OUTER: u64 = Kind::InnerOuter as u64;
const KIND_KEY_SKIP: u64 = Kind::KeySkip as u64;
const KIND_KEY_LOOP: u64 = Kind::KeyLoop as u64;
const KIND_ANY_SKIP: u64 = Kind::AnySkip as u64;
const Z_UP: u64 = TriangleAction::Up as u64;
const Z_DOWN: u64 = TriangleAction::Down as u64;
const STRIDE_DOUBLE: u64 = StrideAction::Double as u64;
const STRIDE_HALVE: u64 = StrideAction::Halve as u64;
const X_TRIANGLE: u64 = XLoad::Triangle as u64;
const X_STRIDE_REST: u64 = XLoad::StrideRest as u64;
const X_STRIDE: u64 = XLoad::Stride as u64;
const X_STRIDE_LESS_ONE: u64 = XLoad::StrideLessOne as u64;
const X_HALF_STRIDE: u64 = XLoad::HalfStride as u64;
const X_WIDTH: u64 = XLoad::Width as u64;
const Y_WIDTH_LESS_TWO: u64 = YLoad::WidthLessTwo as u64;
const Y_WIDTH_LESS_THREE: u64 = YLoad::WidthLessThree as u64;
const TOKEN_BRANCH: u64 = Token::Branch as u64;
const TOKEN_WIDTH: u64 = Token::Width as u64;
const TOKEN_KEY: u64 = Token::Key as u64;

/// A flow word.
pub type FlowWord = Word<{ WIDTH }, 1>;

/// The flow control.
#[derive(LogicBlock, Default)]
pub struct FlowControl {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// What is handed on in this cycle is taken.
    pub advance: Signal<In, Bit>,
    /// The start registers have been complete for a cycle.
    pub start_ready: Signal<In, Bit>,
    /// First row of the micro-program.
    pub start_entry: Signal<In, Bits<PC>>,
    /// X at the start.
    pub start_x: Signal<In, Bits<7>>,
    /// Y at the start.
    pub start_y: Signal<In, Bits<7>>,
    /// Z at the start.
    pub start_z: Signal<In, Bits<7>>,
    /// Stride at the start.
    pub start_stride: Signal<In, Bits<7>>,
    /// Width of the command.
    pub start_width: Signal<In, Bits<7>>,
    /// Smallest effective width.
    pub start_min_width: Signal<In, Bits<7>>,
    /// The command may stop early.
    pub start_stop: Signal<In, Bit>,
    /// Key.
    pub start_key: Signal<In, Word<64, 1>>,
    /// I at the start.
    pub start_i: Signal<In, RowAddress>,
    /// C starts at 1.
    pub start_carry: Signal<In, Bit>,
    /// T keeps its value.
    pub start_keep_tag: Signal<In, Bit>,
    /// The key scanner starts at once.
    pub start_scan: Signal<In, Bit>,
    /// Bank of base and count registers.
    pub start_bank: Signal<In, Bit>,
    /// The start registers are taken.
    pub take: Signal<Out, Bit>,
    /// Writes a count register.
    pub count_write: Signal<In, Bit>,
    /// Bank and number of the count register.
    pub count_address: Signal<In, Bits<4>>,
    /// Its value.
    pub count_data: Signal<In, Bits<7>>,
    /// Token whose wired-OR is known in this cycle, or 0.
    pub return_token: Signal<In, Bits<TOKEN_BITS>>,
    /// The wired-OR.
    pub return_any: Signal<In, Bit>,
    /// A command runs.
    pub running: Signal<Out, Bit>,
    /// A row is handed on.
    pub valid: Signal<Out, Bit>,
    /// Its address.
    pub address: Signal<Out, Bits<PC>>,
    /// It leaves its inner loop.
    pub exit: Signal<Out, Bit>,
    /// Its port A rests.
    pub rest_a: Signal<Out, Bit>,
    /// The key's two lowest bits.
    pub key_bits: Signal<Out, Bits<2>>,
    /// It is the first of its command.
    pub is_first: Signal<Out, Bit>,
    /// It is the last of its command.
    pub is_last: Signal<Out, Bit>,
    /// Its bank of base registers.
    pub base_bank: Signal<Out, Bit>,
    /// Its token.
    pub token: Signal<Out, Bits<TOKEN_BITS>>,
    /// It is addressed by the key scanner.
    pub keyed: Signal<Out, Bit>,
    /// The key scanner's position if keyed, else the effective width.
    pub at: Signal<Out, Bits<7>>,
    /// C starts at 1.
    pub preset_carry: Signal<Out, Bit>,
    /// T keeps its value.
    pub preset_keep_tag: Signal<Out, Bit>,
    /// I at the start.
    pub i_start: Signal<Out, RowAddress>,
    /// Rows of multi-row sensing: the key's 1 bits within the width.
    pub key_rows: Signal<Out, Word<64, 1>>,
    /// All rows of the width.
    pub width_rows: Signal<Out, Word<64, 1>>,
    /// Flow word of the row after the one at `pc`.
    pub following: AsyncRom<FlowWord, Bits<PC>>,
    /// Flow word of the row at the target of the row at `pc`.
    pub targets: AsyncRom<FlowWord, Bits<PC>>,
    /// Flow word of the first row of the inner loop that the row at `pc` ends.
    pub heads: AsyncRom<FlowWord, Bits<PC>>,
    /// Flow word of the first row of the command that starts next.
    pub starts: Rom<FlowWord, Bits<PC>>,
    /// Flow word of the row at `pc`.
    pub word: Register<FlowWord>,
    /// Count registers, read for X.
    pub x_counts: AsyncRam<Bits<7>, Bits<4>>,
    /// Count registers, read for Y.
    pub y_counts: AsyncRam<Bits<7>, Bits<4>>,
    /// A command runs.
    pub active: Register<Bit>,
    /// Row address.
    pub pc: Register<Bits<PC>>,
    /// Inner loop counter.
    pub x: Register<Bits<7>>,
    /// Outer loop counter.
    pub y: Register<Bits<7>>,
    /// Triangular count.
    pub z: Register<Bits<7>>,
    /// Loop stride.
    pub stride: Register<Bits<7>>,
    /// Width of the command.
    pub n: Register<Bits<7>>,
    /// It may stop early.
    pub stop: Register<Bit>,
    /// Key.
    pub key: Register<Word<64, 1>>,
    /// The key was 0 a cycle ago.
    pub empty: Register<Bit>,
    /// Position of the key's lowest bit.
    pub position: Register<Bits<7>>,
    /// The scanner runs.
    pub scanning: Register<Bit>,
    /// Effective width.
    pub width: Register<Bits<7>>,
    /// Rows of the scan still to come back.
    pub scan_left: Register<Bits<7>>,
    /// Tokens on their way.
    pub tokens: Register<Bits<4>>,
    /// Waits for a branch token.
    pub waiting: Register<Bit>,
    /// Bank of the command.
    pub bank: Register<Bit>,
    /// The next row is the command's first.
    pub first: Register<Bit>,
    /// C starts at 1.
    pub carry: Register<Bit>,
    /// T keeps its value.
    pub keep_tag: Register<Bit>,
    /// I at the start.
    pub i: Register<RowAddress>,
    kind: Signal<Local, Bits<KIND_BITS>>,
    target: Signal<Local, Bits<PC>>,
    row_keyed: Signal<Local, Bit>,
    row_token: Signal<Local, Bits<TOKEN_BITS>>,
    found: Signal<Local, Bit>,
    exhausted: Signal<Local, Bit>,
    can_issue: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    outer: Signal<Local, Bit>,
    inner_back: Signal<Local, Bit>,
    outer_back: Signal<Local, Bit>,
    key_taken: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    may_end: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    next_pc: Signal<Local, Bits<PC>>,
    next_word: Signal<Local, FlowWord>,
    next_row: Signal<Local, Bits<PC>>,
    branch_back: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    next_stride: Signal<Local, Bits<7>>,
    x_load: Signal<Local, Bits<X_LOAD_BITS>>,
    y_load: Signal<Local, Bits<Y_LOAD_BITS>>,
    x_count: Signal<Local, Bits<4>>,
    y_count: Signal<Local, Bits<4>>,
    none: Signal<Local, Word<64, 1>>,
    ones: Signal<Local, Word<64, 1>>,
    _multi: bool,
}

impl FlowControl {
    /// Contents of the ROMs for these flow words: following rows, targets, heads, and the rows themselves.
    pub fn tables(words: &[u128]) -> [Vec<u64>; 4] {
        let word = |row: usize| words.get(row).copied().unwrap_or(0) as u64;
        let target = |row: usize| word(field::TARGET.get(words[row]) as usize);
        let head = |row: usize| match field::BACK.get(words[row]) as usize {
            0 => target(row),
            back => word(row - back),
        };
        let rows = 0..words.len();
        let following = rows.clone().map(|row| word(row + 1)).collect();
        [following, rows.clone().map(target).collect(), rows.clone().map(head).collect(), rows.map(word).collect()]
    }

    /// Flow control with these flow words; `multi` with multi-row sensing.
    pub fn new(words: &[u128], multi: bool) -> Self {
        let [following, targets, heads, starts] = FlowControl::tables(words)
            .map(|table| table.into_iter().map(|word| FlowWord::from_limbs([word])).collect());
        FlowControl {
            following: AsyncRom::new(following),
            targets: AsyncRom::new(targets),
            heads: AsyncRom::new(heads),
            starts: Rom::new(starts),
            x_counts: AsyncRam::new(16),
            y_counts: AsyncRam::new(16),
            _multi: multi,
            ..Self::default()
        }
    }
}

impl Logic for FlowControl {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, x_counts, y_counts, starts);
        dff_setup!(self, clock, word, active, pc, x, y, z, stride, n, stop, key, empty, position, scanning, width);
        dff_setup!(self, clock, scan_left, tokens, waiting, bank, first, carry, keep_tag, i);
        // What the row says.
        self.following.address.next = self.pc.q.val();
        self.targets.address.next = self.pc.q.val();
        self.heads.address.next = self.pc.q.val();
        self.starts.address.next = self.start_entry.val();
        self.starts.enable.next = true;
        self.kind.next = self.word.q.val().get_bits::<KIND_BITS>(KIND_LSB);
        self.target.next = self.word.q.val().get_bits::<TARGET_BITS>(TARGET_LSB);
        self.row_keyed.next = self.word.q.val().get_bit(KEYED_LSB);
        self.row_token.next = self.word.q.val().get_bits::<TOKEN_BITS>(TOKEN_LSB);
        // The key's lowest bit is a 1; or no 1 is left, which is known a cycle late. The key holds no bits beyond the width.
        self.found.next = self.key.q.val().get_bit(0);
        self.exhausted.next = self.empty.q.val();
        self.empty.d.next = self.key.q.val() == 0;
        self.can_issue.next = self.active.q.val()
            & !self.waiting.q.val()
            & (!self.word.q.val().get_bit(DRAIN_LSB) | (self.tokens.q.val() == 0))
            & (!self.row_keyed.val() | self.found.val() | self.exhausted.val());
        self.issue.next = self.can_issue.val() & self.advance.val();
        // Where it leads.
        self.outer.next = (self.kind.val() == KIND_OUTER) | (self.kind.val() == KIND_INNER_OUTER);
        self.inner_back.next =
            ((self.kind.val() == KIND_INNER) | (self.kind.val() == KIND_INNER_OUTER)) & (self.x.q.val() != 1);
        self.outer_back.next = self.outer.val() & !self.inner_back.val() & (self.y.q.val() != 1);
        self.key_taken.next =
            ((self.kind.val() == KIND_KEY_SKIP) | (self.kind.val() == KIND_KEY_LOOP)) & self.found.val();
        self.waits.next = self.kind.val() == KIND_ANY_SKIP;
        self.may_end.next =
            self.word.q.val().get_bit(END_LSB) | (self.word.q.val().get_bit(MAY_STOP_LSB) & self.stop.q.val());
        self.last.next = self.may_end.val()
            & !self.inner_back.val()
            & !self.outer_back.val()
            & !self.key_taken.val()
            & !self.waits.val();
        self.next_row.next = self.pc.q.val() + 1;
        if self.inner_back.val() {
            self.next_pc.next =
                self.pc.q.val() - bit_cast::<PC, BACK_BITS>(self.word.q.val().get_bits::<BACK_BITS>(BACK_LSB));
            self.next_word.next = self.heads.data.val();
            if self.word.q.val().get_bits::<BACK_BITS>(BACK_LSB) == 0 {
                self.next_word.next = self.word.q.val();
            }
        } else if self.outer_back.val()
            | ((self.kind.val() == KIND_KEY_SKIP) & !self.found.val())
            | ((self.kind.val() == KIND_KEY_LOOP) & self.found.val())
        {
            self.next_pc.next = self.target.val();
            self.next_word.next = self.targets.data.val();
        } else {
            self.next_pc.next = self.next_row.val();
            self.next_word.next = self.following.data.val();
        }
        self.branch_back.next = self.waiting.q.val() & (self.return_token.val() == TOKEN_BRANCH);
        self.ends.next = (self.issue.val() & self.last.val())
            | (self.branch_back.val() & !self.return_any.val() & self.word.q.val().get_bit(END_LSB));
        // What is handed on.
        self.running.next = self.active.q.val();
        self.valid.next = self.can_issue.val();
        self.address.next = self.pc.q.val();
        self.exit.next = !self.inner_back.val();
        self.rest_a.next = (self.word.q.val().get_bit(A_UNLESS_DONE_LSB)
            & self.outer.val()
            & !self.inner_back.val()
            & !self.outer_back.val())
            | (self.row_keyed.val() & !self.found.val());
        self.key_bits.next = self.key.q.val().get_bits::<2>(0);
        self.is_first.next = self.first.q.val();
        self.is_last.next = self.last.val();
        self.base_bank.next = self.bank.q.val();
        self.token.next = self.row_token.val();
        self.keyed.next = self.row_keyed.val();
        self.at.next = self.width.q.val();
        if self.row_keyed.val() {
            self.at.next = self.position.q.val();
        }
        self.preset_carry.next = self.carry.q.val();
        self.preset_keep_tag.next = self.keep_tag.q.val();
        self.i_start.next = self.i.q.val();
        self.none.next = 0.into();
        self.ones.next = 0.into();
        self.key_rows.next = 0.into();
        if self._multi {
            self.ones.next = !(!self.none.val() << self.n.q.val());
            self.key_rows.next = self.key.q.val();
        }
        self.width_rows.next = self.ones.val();
        // Key, scanner, effective width, tokens.
        if self.row_keyed.val() & self.active.q.val() & (self.tokens.q.val() == 0) {
            self.scanning.d.next = true;
        }
        if self.issue.val() & (self.row_token.val() != 0) {
            if self.return_token.val() == 0 {
                self.tokens.d.next = self.tokens.q.val() + 1;
            }
        } else if self.return_token.val() != 0 {
            self.tokens.d.next = self.tokens.q.val() - 1;
        }
        if self.return_token.val() == TOKEN_WIDTH {
            if self.return_any.val() & (self.scan_left.q.val() > self.width.q.val()) {
                self.width.d.next = self.scan_left.q.val();
            }
            self.scan_left.d.next = self.scan_left.q.val() - 1;
        }
        if self.return_token.val() == TOKEN_KEY {
            self.empty.d.next = false;
            self.key.d.next = (self.key.q.val() << 1) | bits_to::<Word<64, 1>, Bit>(self.return_any.val());
        } else if self.issue.val() & self.row_keyed.val() {
            self.key.d.next = self.key.q.val() >> 1;
            self.position.d.next = self.position.q.val() + 1;
        } else if self.scanning.q.val() & !self.exhausted.val() & !self.found.val() {
            if self.key.q.val().get_bits::<4>(0) == 0 {
                self.key.d.next = self.key.q.val() >> 4;
                self.position.d.next = self.position.q.val() + 4;
            } else {
                self.key.d.next = self.key.q.val() >> 1;
                self.position.d.next = self.position.q.val() + 1;
            }
        } else if self.issue.val() {
            self.key.d.next = self.key.q.val() >> self.word.q.val().get_bits::<KEY_SHIFT_BITS>(KEY_SHIFT_LSB);
        }
        // Counters. Loads of the stride see it as this row leaves it.
        self.next_stride.next = self.stride.q.val();
        if self.word.q.val().get_bits::<STRIDE_BITS>(STRIDE_LSB) == STRIDE_DOUBLE {
            self.next_stride.next = self.stride.q.val() << 1;
        } else if self.word.q.val().get_bits::<STRIDE_BITS>(STRIDE_LSB) == STRIDE_HALVE {
            self.next_stride.next = self.stride.q.val() >> 1;
        }
        self.x_load.next = self.word.q.val().get_bits::<X_LOAD_BITS>(X_LOAD_LSB);
        self.y_load.next = self.word.q.val().get_bits::<Y_LOAD_BITS>(Y_LOAD_LSB);
        self.x_count.next = self.x_load.val() & 7;
        self.y_count.next = self.y_load.val() & 7;
        if self.bank.q.val() {
            self.x_count.next = self.x_load.val() | 8;
            self.y_count.next = self.y_load.val() | 8;
        }
        self.x_counts.read_address.next = self.x_count.val();
        self.y_counts.read_address.next = self.y_count.val();
        self.x_counts.write_address.next = self.count_address.val();
        self.y_counts.write_address.next = self.count_address.val();
        self.x_counts.write_enable.next = self.count_write.val();
        self.y_counts.write_enable.next = self.count_write.val();
        self.x_counts.write_data.next = self.count_data.val();
        self.y_counts.write_data.next = self.count_data.val();
        if self.issue.val() {
            self.first.d.next = false;
            self.waiting.d.next = self.waits.val();
            if !self.waits.val() {
                self.pc.d.next = self.next_pc.val();
                self.word.d.next = self.next_word.val();
            }
            if self.inner_back.val() {
                self.x.d.next = self.x.q.val() - 1;
            } else {
                if self.word.q.val().get_bits::<Z_BITS>(Z_LSB) == Z_UP {
                    self.z.d.next = self.z.q.val() + 1;
                } else if self.word.q.val().get_bits::<Z_BITS>(Z_LSB) == Z_DOWN {
                    self.z.d.next = self.z.q.val() - 1;
                }
                self.stride.d.next = self.next_stride.val();
                if self.x_load.val().get_bit(3) {
                    self.x.d.next = self.x_counts.read_data.val();
                } else if self.x_load.val() == X_TRIANGLE {
                    self.x.d.next = self.z.q.val();
                } else if self.x_load.val() == X_STRIDE_REST {
                    self.x.d.next = self.n.q.val() - self.next_stride.val();
                } else if self.x_load.val() == X_STRIDE {
                    self.x.d.next = self.next_stride.val();
                } else if self.x_load.val() == X_STRIDE_LESS_ONE {
                    self.x.d.next = self.next_stride.val() - 1;
                } else if self.x_load.val() == X_HALF_STRIDE {
                    self.x.d.next = self.next_stride.val() >> 1;
                } else if self.x_load.val() == X_WIDTH {
                    self.x.d.next = self.width.q.val();
                }
                if self.outer_back.val() {
                    self.y.d.next = self.y.q.val() - 1;
                } else if self.y_load.val().get_bit(3) {
                    self.y.d.next = self.y_counts.read_data.val();
                } else if self.y_load.val() == Y_WIDTH_LESS_TWO {
                    self.y.d.next = self.width.q.val() - 2;
                } else if self.y_load.val() == Y_WIDTH_LESS_THREE {
                    self.y.d.next = self.width.q.val() - 3;
                }
            }
        }
        if self.branch_back.val() {
            self.waiting.d.next = false;
            self.pc.d.next = self.target.val();
            self.word.d.next = self.targets.data.val();
            if self.return_any.val() {
                self.pc.d.next = self.next_row.val();
                self.word.d.next = self.following.data.val();
            }
        }
        // The next command.
        self.take.next = self.start_ready.val() & !self.active.q.val();
        if self.ends.val() {
            self.active.d.next = false;
        }
        if self.take.val() {
            self.active.d.next = true;
            self.pc.d.next = self.start_entry.val();
            self.word.d.next = self.starts.data.val();
            self.x.d.next = self.start_x.val();
            self.y.d.next = self.start_y.val();
            self.z.d.next = self.start_z.val();
            self.stride.d.next = self.start_stride.val();
            self.n.d.next = self.start_width.val();
            self.stop.d.next = self.start_stop.val();
            self.key.d.next = self.start_key.val();
            self.empty.d.next = false;
            self.position.d.next = 0.into();
            self.scanning.d.next = self.start_scan.val();
            self.width.d.next = self.start_min_width.val();
            self.scan_left.d.next = self.start_width.val();
            self.waiting.d.next = false;
            self.bank.d.next = self.start_bank.val();
            self.first.d.next = true;
            self.carry.d.next = self.start_carry.val();
            self.keep_tag.d.next = self.start_keep_tag.val();
            self.i.d.next = self.start_i.val();
        }
    }

    fn timing(&self) -> Vec<rust_hdl::core::timing::TimingInfo> {
        describe(
            "flow_control",
            "Which row of the micro-program runs next: loops, branches, key scanner.",
            constants![
                KIND_LSB, END_LSB, MAY_STOP_LSB, BACK_LSB, TARGET_LSB, X_LOAD_LSB, Y_LOAD_LSB, Z_LSB, STRIDE_LSB,
                KEY_SHIFT_LSB, TOKEN_LSB, DRAIN_LSB, KEYED_LSB, A_UNLESS_DONE_LSB, KIND_INNER, KIND_OUTER,
                KIND_INNER_OUTER, KIND_KEY_SKIP, KIND_KEY_LOOP, KIND_ANY_SKIP, Z_UP, Z_DOWN, STRIDE_DOUBLE,
                STRIDE_HALVE, X_TRIANGLE, X_STRIDE_REST, X_STRIDE, X_STRIDE_LESS_ONE, X_HALF_STRIDE, X_WIDTH,
                Y_WIDTH_LESS_TWO, Y_WIDTH_LESS_THREE, TOKEN_BRANCH, TOKEN_WIDTH, TOKEN_KEY;
                self._multi
            ],
        )
    }
}
