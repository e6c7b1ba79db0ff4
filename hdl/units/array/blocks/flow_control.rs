//! Flow control: decides each cycle which row of the micro-program runs next.
//!
//! ```text
//!  start registers ─▶ flow word ─▶ decide ─▶ row address, exit, first, last ─▶ address generator
//!                     ▲ loop counters │
//!                     └─ key scanner ◀┘   tokens: wired-OR of the tags
//! ```
//!
//! The flow word of the row at `pc` is in a register and acted upon in one cycle, so loops cost nothing. ROMs that are
//! read with the next `pc` give the words of the rows that may follow it, the next one and the target; the head of an
//! inner loop is kept in a register when it passes. So the decision only chooses between words, and block RAM has a
//! whole cycle for the read. A row is handed on in a cycle with `advance` = 1 and `valid` = 1. The start registers of
//! the next command are taken in the cycle after the last row of the one before was handed on.
//!
//! Tokens ask for the wired-OR of the tags after a row; they come back with `return_token`, and a branch waits for its
//! token.

use crate::array::blocks::bundles::{ReturnSink, StartCountsSink, StartFlagsSink};
use crate::array::blocks::key_scanner::KeyScanner;
use crate::array::blocks::loop_counters::{FlaggedCount, LoopCounters};
use crate::array::blocks::types::RowAddress;
use crate::array::isa::constants::CONSTANT_ADDRESS_BITS;
use crate::array::isa::row::{StrideAction, Token};
use crate::array::isa::word::Kind;
use crate::array::isa::word::flow::{self as field, *};
use crate::kernel::prelude::*;
use crate::parts::bundles::WriteSink;

/// Bits of a row address of the ROMs.
pub const PC: usize = TARGET_BITS;

numbers! {
    KIND_INNER = Kind::Inner, KIND_OUTER = Kind::Outer, KIND_INNER_OUTER = Kind::InnerOuter,
    KIND_KEY_SKIP = Kind::KeySkip, KIND_KEY_LOOP = Kind::KeyLoop, KIND_ANY_SKIP = Kind::AnySkip,
    TOKEN_BRANCH = Token::Branch
}

/// A flow word.
pub type FlowWord = Word<{ WIDTH }, 1>;

hdl_block! {
    /// The flow control.
    pub FlowControl {
        In clock: Domain; /// Clock and reset.
        In advance: Bit; /// What is handed on in this cycle is taken.
        In start_fetch: Bit; /// The first row of the next command is known.
        In start_target: Bits<PC>; /// Its address.
        In start_ready: Bit; /// The start registers have been complete for a cycle.
        In start_entry: Bits<PC>; /// First row of the micro-program.
        Bus start: StartCountsSink; /// Counts at the start.
        In start_width: Bits<7>; /// Width of the command.
        Bus start__: StartFlagsSink; /// What else there is at the start.
        In start_bank: Bit; /// Bank of base and count registers.
        Out take: Bit; /// The start registers are taken.
        Bus count: WriteSink<Bits<4>, FlaggedCount>; /// Writes of count registers, by bank and number.
        Bus return__: ReturnSink; /// A token comes back.
        Out running: Bit; /// A command runs.
        Out valid: Bit; /// A row is handed on.
        Out address: Bits<PC>; /// Its address.
        Out exit, rest_a: Bit; /// It leaves its inner loop. Its port A rests.
        Out key_bits: Bits<2>; /// The key's two lowest bits.
        Out is_first, is_last: Bit; /// It is the first, the last of its command.
        Out base_bank: Bit; /// Its bank of base registers.
        Out token: Bits<TOKEN_BITS>; /// Its token.
        Out keyed: Bit; /// It is addressed by the key scanner.
        Out at: Bits<7>; /// The key scanner's position if keyed, else the effective width.
        Out preset_carry, preset_keep_tag: Bit; /// C starts at 1. T keeps its value.
        Out i_start: RowAddress; /// I at the start.
        Out key_rows: Word<64, 1>; /// Rows of multi-row sensing: the key's 1 bits within the width.
        Out width_rows: Word<64, 1>; /// All rows of the width.
    } inside {
        Child counters: LoopCounters; // X, Y, Z and the stride.
        Child scanner: KeyScanner; // Key and tokens.
        Child following: Rom<FlowWord, Bits<PC>>; // Flow word of the row after the one at `pc`.
        Child targets: Rom<FlowWord, Bits<PC>>; // Flow word of the row at the target of the row at `pc`.
        Child starts: Rom<FlowWord, Bits<PC>>; // Flow word of the first row of the command that starts next.
        Register word, head_word: FlowWord; // Flow word of the row at `pc`. Flow word of the inner loop's head.
        Register start_word: FlowWord; // Flow word of the first row of the next command.
        Register active: Bit; // A command runs.
        Register pc, head: Bits<PC>; // Row address. Row address of the inner loop's head.
        Register stop, waiting, bank: Bit; // The command may stop early. Waits for a branch token. Bank of the command.
        Register first, carry, keep_tag: Bit; // The next row is the command's first. C starts at 1. T keeps its value.
        Register i: RowAddress; // I at the start.
        Local kind: Bits<KIND_BITS>;
        Local target: Bits<PC>;
        Local row_keyed: Bit;
        Local row_token: Bits<TOKEN_BITS>;
        Local found, can_issue, issue, outer, inner_back, outer_back, to_target, key_taken, waits, may_end, last,
            branch_back, ends, takes, moves: Bit;
        Local known_pc: Bits<PC>;
        Local known_word: FlowWord;
        Local next_pc: Bits<PC>;
        Local next_word: FlowWord;
        Local none, ones: Word<64, 1>;
        Value _multi: bool;
    }
}

impl FlowControl {
    /// Contents of the ROMs for these flow words: following rows, targets, and the rows themselves.
    pub fn tables(words: &[u128]) -> [Vec<u64>; 3] {
        let word = |row: usize| words.get(row).copied().unwrap_or(0) as u64;
        let target = |row: usize| word(field::TARGET.get(words[row]) as usize);
        let rows = 0..words.len();
        [rows.clone().map(|row| word(row + 1)).collect(), rows.clone().map(target).collect(), rows.map(word).collect()]
    }

    /// Flow control with these flow words and constants; `multi` with multi-row sensing.
    pub fn new(words: &[u128], constants: &[u64], multi: bool) -> Self {
        let [following, targets, starts] = FlowControl::tables(words)
            .map(|table| table.into_iter().map(|word| FlowWord::from_limbs([word])).collect());
        let grows = words.iter().any(|&word| field::STRIDE.get(word) == StrideAction::Up as u64);
        FlowControl {
            counters: LoopCounters::new(grows),
            scanner: KeyScanner::new(constants),
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
        self.branch_back.next = self.waiting.q.val() & (self.return__.token.val() == TOKEN_BRANCH);
        self.ends.next = self.issue.val() & self.last.val();
        self.takes.next = self.start_ready.val() & !self.active.q.val();
        self.take.next = self.takes.val();
        self.to_target.next = self.outer_back.val()
            | ((self.kind.val() == KIND_KEY_SKIP) & !self.found.val())
            | ((self.kind.val() == KIND_KEY_LOOP) & self.found.val())
            | (self.waits.val() & !self.return__.any.val());
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
        self.scanner.start_key.next = self.start__.key.val();
        self.scanner.start_scan.next = self.start__.scan.val();
        self.scanner.start_min_width.next = self.start__.min_width.val();
        self.scanner.start_width.next = self.start_width.val();
        self.scanner.active.next = self.active.q.val();
        self.scanner.issue.next = self.issue.val();
        self.scanner.keyed.next = self.row_keyed.val();
        self.scanner.key_shift.next = self.word.q.val().get_bits::<KEY_SHIFT_BITS>(KEY_SHIFT_LSB);
        self.scanner.point.next = self.word.q.val().get_bit(POINT_LSB);
        self.scanner.take_constant.next = self.word.q.val().get_bit(TAKE_LSB);
        self.scanner.constant_address.next = self.target.val().get_bits::<CONSTANT_ADDRESS_BITS>(0);
        self.scanner.token.next = self.row_token.val();
        ReturnSink::link(&mut self.return__, &mut self.scanner.return__);
        // Counters.
        self.counters.take.next = self.takes.val();
        StartCountsSink::link(&mut self.start, &mut self.counters.start);
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
        WriteSink::<Bits<4>, FlaggedCount>::link(&mut self.count, &mut self.counters.count);
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
            self.stop.d.next = self.start__.stop.val();
            self.waiting.d.next = false;
            self.bank.d.next = self.start_bank.val();
            self.first.d.next = true;
            self.carry.d.next = self.start__.carry.val();
            self.keep_tag.d.next = self.start__.keep_tag.val();
            self.i.d.next = self.start__.i.val();
        }
    }

    described! {
        "flow_control", "Decides which row of the micro-program runs next: loops, branches, start and end of commands.";
        KIND_LSB, TARGET_LSB, KEYED_LSB, TOKEN_LSB, DRAIN_LSB, END_LSB, MAY_STOP_LSB, HEAD_LSB, A_UNLESS_DONE_LSB,
        POINT_LSB, TAKE_LSB, KEY_SHIFT_LSB, X_LOAD_LSB, Y_LOAD_LSB, Z_LSB, STRIDE_LSB, KIND_INNER, KIND_OUTER,
        KIND_INNER_OUTER, KIND_KEY_SKIP, KIND_KEY_LOOP, KIND_ANY_SKIP, TOKEN_BRANCH; _multi
    }
}
