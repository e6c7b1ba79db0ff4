//! Flow control: decides each cycle which row of the micro-program runs next.
//!
//! ```text
//!  start registers ─▶ flow word ─▶ decide ─▶ row address, exit, first, last ─▶ address generator
//!                     ▲ loop counters │
//!                     └─ key scanner ◀┘   tokens: wired-OR of the tags
//! ```
//!
//! The flow word of the row at `pc` is in a register and acted upon in one cycle, so loops cost nothing. ROMs that are read with
//! the next `pc` give the words of the rows that may follow it, the next one and the target; the head of an inner loop is kept in
//! a register when it passes. So the decision only chooses between words, and block RAM has a whole cycle for the read. A row is handed on
//! in a cycle with `advance` = 1 and `valid` = 1. The start registers of the next command are taken in the cycle after the last
//! row of the one before was handed on.
//!
//! Tokens ask for the wired-OR of the tags after a row; they come back with `return_token`, and a branch waits for its token.

use super::key_scanner::KeyScanner;
use super::loop_counters::{FlaggedCount, LoopCounters};
use super::types::RowAddress;
use crate::isa::row::Token;
use crate::isa::word::Kind;
use crate::isa::word::flow::{self as field, *};
use crate::kernel::prelude::*;

/// Bits of a row address of the ROMs.
pub const PC: usize = TARGET_BITS;

const KIND_INNER: u64 = Kind::Inner as u64;
const KIND_OUTER: u64 = Kind::Outer as u64;
const KIND_INNER_OUTER: u64 = Kind::InnerOuter as u64;
const KIND_KEY_SKIP: u64 = Kind::KeySkip as u64;
const KIND_KEY_LOOP: u64 = Kind::KeyLoop as u64;
const KIND_ANY_SKIP: u64 = Kind::AnySkip as u64;
const TOKEN_BRANCH: u64 = Token::Branch as u64;

/// A flow word.
pub type FlowWord = Word<{ WIDTH }, 1>;

/// The flow control.
#[derive(LogicBlock, Default)]
pub struct FlowControl {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// What is handed on in this cycle is taken.
    pub advance: Signal<In, Bit>,
    /// The first row of the next command is known.
    pub start_fetch: Signal<In, Bit>,
    /// Its address.
    pub start_target: Signal<In, Bits<PC>>,
    /// The start registers have been complete for a cycle.
    pub start_ready: Signal<In, Bit>,
    /// First row of the micro-program.
    pub start_entry: Signal<In, Bits<PC>>,
    /// X at the start.
    pub start_x: Signal<In, FlaggedCount>,
    /// Y at the start.
    pub start_y: Signal<In, FlaggedCount>,
    /// Z at the start.
    pub start_z: Signal<In, FlaggedCount>,
    /// Stride at the start.
    pub start_stride: Signal<In, FlaggedCount>,
    /// Whether it is 2.
    pub start_stride_two: Signal<In, Bit>,
    /// Width of the command less the stride.
    pub start_rest: Signal<In, FlaggedCount>,
    /// Width of the command less twice the stride.
    pub start_rest_doubled: Signal<In, FlaggedCount>,
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
    pub count_data: Signal<In, FlaggedCount>,
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
    /// X, Y, Z and the stride.
    pub counters: LoopCounters,
    /// Key and tokens.
    pub scanner: KeyScanner,
    /// Flow word of the row after the one at `pc`.
    pub following: Rom<FlowWord, Bits<PC>>,
    /// Flow word of the row at the target of the row at `pc`.
    pub targets: Rom<FlowWord, Bits<PC>>,
    /// Flow word of the first row of the command that starts next.
    pub starts: Rom<FlowWord, Bits<PC>>,
    /// Flow word of the row at `pc`.
    pub word: Register<FlowWord>,
    /// Flow word of the inner loop's head.
    pub head_word: Register<FlowWord>,
    /// Flow word of the first row of the next command.
    pub start_word: Register<FlowWord>,
    /// A command runs.
    pub active: Register<Bit>,
    /// Row address.
    pub pc: Register<Bits<PC>>,
    /// Row address of the inner loop's head.
    pub head: Register<Bits<PC>>,
    /// The command may stop early.
    pub stop: Register<Bit>,
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
    can_issue: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    outer: Signal<Local, Bit>,
    inner_back: Signal<Local, Bit>,
    outer_back: Signal<Local, Bit>,
    to_target: Signal<Local, Bit>,
    key_taken: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    may_end: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    branch_back: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    known_pc: Signal<Local, Bits<PC>>,
    known_word: Signal<Local, FlowWord>,
    next_pc: Signal<Local, Bits<PC>>,
    next_word: Signal<Local, FlowWord>,
    none: Signal<Local, Word<64, 1>>,
    ones: Signal<Local, Word<64, 1>>,
    _multi: bool,
}

impl FlowControl {
    /// Contents of the ROMs for these flow words: following rows, targets, and the rows themselves.
    pub fn tables(words: &[u128]) -> [Vec<u64>; 3] {
        let word = |row: usize| words.get(row).copied().unwrap_or(0) as u64;
        let target = |row: usize| word(field::TARGET.get(words[row]) as usize);
        let rows = 0..words.len();
        [rows.clone().map(|row| word(row + 1)).collect(), rows.clone().map(target).collect(), rows.map(word).collect()]
    }

    /// Flow control with these flow words; `multi` with multi-row sensing.
    pub fn new(words: &[u128], multi: bool) -> Self {
        let [following, targets, starts] = FlowControl::tables(words)
            .map(|table| table.into_iter().map(|word| FlowWord::from_limbs([word])).collect());
        FlowControl {
            counters: LoopCounters::new(),
            following: Rom::new(following),
            targets: Rom::new(targets),
            starts: Rom::new(starts),
            _multi: multi,
            ..Self::default()
        }
    }
}

impl Logic for FlowControl {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, counters, scanner, following, targets, starts);
        dff_setup!(self, clock, word, head_word, start_word, active, pc, head, stop, waiting, bank, first, carry);
        dff_setup!(self, clock, keep_tag, i);
        // What the row says.
        self.kind.next = self.word.q.val().get_bits::<KIND_BITS>(KIND_LSB);
        self.target.next = self.word.q.val().get_bits::<TARGET_BITS>(TARGET_LSB);
        self.row_keyed.next = self.word.q.val().get_bit(KEYED_LSB);
        self.row_token.next = self.word.q.val().get_bits::<TOKEN_BITS>(TOKEN_LSB);
        self.found.next = self.scanner.found.val();
        self.can_issue.next = self.active.q.val()
            & !self.waiting.q.val()
            & (!self.word.q.val().get_bit(DRAIN_LSB) | self.scanner.all_returned.val())
            & (!self.row_keyed.val() | self.found.val() | self.scanner.exhausted.val());
        self.issue.next = self.can_issue.val() & self.advance.val();
        // Where it leads.
        self.outer.next = (self.kind.val() == KIND_OUTER) | (self.kind.val() == KIND_INNER_OUTER);
        self.inner_back.next =
            ((self.kind.val() == KIND_INNER) | (self.kind.val() == KIND_INNER_OUTER)) & !self.counters.x_is_one.val();
        self.outer_back.next = self.outer.val() & !self.inner_back.val() & !self.counters.y_is_one.val();
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
        self.branch_back.next = self.waiting.q.val() & (self.return_token.val() == TOKEN_BRANCH);
        self.ends.next = self.issue.val() & self.last.val();
        self.takes.next = self.start_ready.val() & !self.active.q.val();
        self.take.next = self.takes.val();
        self.to_target.next = self.outer_back.val()
            | ((self.kind.val() == KIND_KEY_SKIP) & !self.found.val())
            | ((self.kind.val() == KIND_KEY_LOOP) & self.found.val())
            | (self.waits.val() & !self.return_any.val());
        // The next row: a loop of one row stays where it is.
        self.moves.next =
            (self.issue.val() & !self.waits.val() & !(self.inner_back.val() & self.word.q.val().get_bit(HEAD_LSB)))
                | self.branch_back.val()
                | self.takes.val();
        // Block RAM answers late: what it says passes one choice, after those between registers.
        self.known_pc.next = self.head.q.val();
        self.known_word.next = self.head_word.q.val();
        if self.takes.val() {
            self.known_pc.next = self.start_entry.val();
            self.known_word.next = self.start_word.q.val();
        }
        if self.takes.val() | self.inner_back.val() {
            self.next_pc.next = self.known_pc.val();
            self.next_word.next = self.known_word.val();
        } else if self.to_target.val() {
            self.next_pc.next = self.target.val();
            self.next_word.next = self.targets.data.val();
        } else {
            self.next_pc.next = self.pc.q.val() + 1;
            self.next_word.next = self.following.data.val();
        }
        self.following.address.next = self.next_pc.val();
        self.following.enable.next = self.moves.val();
        self.targets.address.next = self.next_pc.val();
        self.targets.enable.next = self.moves.val();
        if self.moves.val() {
            self.pc.d.next = self.next_pc.val();
            self.word.d.next = self.next_word.val();
        }
        if self.active.q.val() & self.word.q.val().get_bit(HEAD_LSB) {
            self.head.d.next = self.pc.q.val();
            self.head_word.d.next = self.word.q.val();
        }
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
        self.key_bits.next = self.scanner.key_now.val().get_bits::<2>(0);
        self.is_first.next = self.first.q.val();
        self.is_last.next = self.last.val();
        self.base_bank.next = self.bank.q.val();
        self.token.next = self.row_token.val();
        self.keyed.next = self.row_keyed.val();
        self.at.next = self.scanner.effective_width.val();
        if self.row_keyed.val() {
            self.at.next = self.scanner.at.val();
        }
        self.preset_carry.next = self.carry.q.val();
        self.preset_keep_tag.next = self.keep_tag.q.val();
        self.i_start.next = self.i.q.val();
        self.none.next = 0.into();
        self.ones.next = 0.into();
        self.key_rows.next = 0.into();
        if self._multi {
            self.ones.next = !(!self.none.val() << self.counters.command_width.val());
            self.key_rows.next = self.scanner.key_now.val();
        }
        self.width_rows.next = self.ones.val();
        // Key, effective width, tokens.
        self.scanner.take.next = self.takes.val();
        self.scanner.start_key.next = self.start_key.val();
        self.scanner.start_scan.next = self.start_scan.val();
        self.scanner.start_min_width.next = self.start_min_width.val();
        self.scanner.start_width.next = self.start_width.val();
        self.scanner.active.next = self.active.q.val();
        self.scanner.issue.next = self.issue.val();
        self.scanner.keyed.next = self.row_keyed.val();
        self.scanner.key_shift.next = self.word.q.val().get_bits::<KEY_SHIFT_BITS>(KEY_SHIFT_LSB);
        self.scanner.token.next = self.row_token.val();
        self.scanner.return_token.next = self.return_token.val();
        self.scanner.return_any.next = self.return_any.val();
        // Counters.
        self.counters.take.next = self.takes.val();
        self.counters.start_x.next = self.start_x.val();
        self.counters.start_y.next = self.start_y.val();
        self.counters.start_z.next = self.start_z.val();
        self.counters.start_stride.next = self.start_stride.val();
        self.counters.start_stride_two.next = self.start_stride_two.val();
        self.counters.start_rest.next = self.start_rest.val();
        self.counters.start_rest_doubled.next = self.start_rest_doubled.val();
        self.counters.start_width.next = self.start_width.val();
        self.counters.issue.next = self.issue.val();
        self.counters.inner_back.next = self.inner_back.val();
        self.counters.outer_back.next = self.outer_back.val();
        self.counters.x_load.next = self.word.q.val().get_bits::<X_LOAD_BITS>(X_LOAD_LSB);
        self.counters.y_load.next = self.word.q.val().get_bits::<Y_LOAD_BITS>(Y_LOAD_LSB);
        self.counters.z_action.next = self.word.q.val().get_bits::<Z_BITS>(Z_LSB);
        self.counters.stride_action.next = self.word.q.val().get_bits::<STRIDE_BITS>(STRIDE_LSB);
        self.counters.bank.next = self.bank.q.val();
        self.counters.width.next = self.scanner.effective_width.val();
        self.counters.count_write.next = self.count_write.val();
        self.counters.count_address.next = self.count_address.val();
        self.counters.count_data.next = self.count_data.val();
        // The start of a command.
        self.starts.address.next = self.start_target.val();
        self.starts.enable.next = self.start_fetch.val();
        self.start_word.d.next = self.starts.data.val();
        if self.issue.val() {
            self.first.d.next = false;
            self.waiting.d.next = self.waits.val();
        }
        if self.branch_back.val() {
            self.waiting.d.next = false;
        }
        if self.ends.val() {
            self.active.d.next = false;
        }
        if self.takes.val() {
            self.active.d.next = true;
            self.stop.d.next = self.start_stop.val();
            self.waiting.d.next = false;
            self.bank.d.next = self.start_bank.val();
            self.first.d.next = true;
            self.carry.d.next = self.start_carry.val();
            self.keep_tag.d.next = self.start_keep_tag.val();
            self.i.d.next = self.start_i.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "flow_control",
            "Decides which row of the micro-program runs next: loops, branches, start and end of commands.",
            constants![
                KIND_LSB, TARGET_LSB, KEYED_LSB, TOKEN_LSB, DRAIN_LSB, END_LSB, MAY_STOP_LSB, HEAD_LSB,
                A_UNLESS_DONE_LSB, KEY_SHIFT_LSB, X_LOAD_LSB, Y_LOAD_LSB, Z_LSB, STRIDE_LSB, KIND_INNER, KIND_OUTER,
                KIND_INNER_OUTER, KIND_KEY_SKIP, KIND_KEY_LOOP, KIND_ANY_SKIP, TOKEN_BRANCH;
                self._multi
            ],
        )
    }
}
