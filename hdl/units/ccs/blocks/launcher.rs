//! Starts commands, checks them, and knows when they have ended.
//!
//! ```text
//!  cycle   0 start: rules, ROM, copies      1 deciding: first row goes, or the command is refused
//! ```
//!
//! With a start while nothing runs everything that a command needs is copied, so that the registers may be written
//! again (`loads`). `quick` = 1 if it has one row, no stride and a: the generator's first step comes with it. With a
//! stride, `extent` is then doubled once for each bit of it, and the first row waits. A refused command has ended two
//! cycles after `deciding`; in the first what the generator has, and a first step behind it, is dropped. A command that
//! runs ends when the generator and everything behind it were idle a cycle ago; `wait` is answered in the cycle in
//! which they are (`answers`); `stop` lasts from an error, or from a soft reset, to the end. Ready is 1 in the cycle
//! after. A soft reset that has waited for a silent memory long enough (`silent`) ends without
//! it, and leaves a code that says so.
//!
//! A command that is queued waits for the one that runs to have all its steps on their way to the unit, and has a cycle
//! to itself for what a start does (`checking`). Its own steps come as far as before the unit and wait there (`fresh`)
//! until the lanes are empty: the unit goes over to it in a cycle (`constant_write`), in which word, mask and flip are
//! copied once more. With an error all that is queued is dropped. Errors are told in the order of commands: a command
//! that is refused behind others lets them end, and an answer of memory, which is theirs, takes its code's place.
//!
//! The first of these that is broken is the error: the code exists; length and count are not 0; the stride is a power
//! of two smaller than a line; addresses and steps are multiples of an element, and a, b and a map's r agree in their
//! place in a line, so that elements meet in their lanes. Steps count only with more than one row. That operands end
//! inside the address space is found row by row, by the generator.

use crate::ccs::blocks::constant_row::CcsConstantRow;
use crate::ccs::blocks::types::{Shape, describes};
use crate::ccs::control::*;
use crate::ccs::{CCS_ERROR_BITS, CcsError};
use crate::kernel::prelude::*;

const STORE_AT: usize = 7;
const COMMAND_CODE: u64 = CcsError::Command as u64;
const LENGTH_CODE: u64 = CcsError::Length as u64;
const STRIDE_CODE: u64 = CcsError::Stride as u64;
const ALIGNMENT_CODE: u64 = CcsError::Alignment as u64;
const ADDRESS_CODE: u64 = CcsError::Address as u64;
const BUSY_CODE: u64 = CcsError::Busy as u64;
const BUS_CODE: u64 = CcsError::Bus as u64;
const SILENT_CODE: u64 = CcsError::Silent as u64;
/// Place of the tree's function in a command's word, and in the unit's control word.
const TREE_AT: usize = UNIT_AT + TREE;
const TREE_LSB: u64 = TREE as u64;
/// An extent that no operand has room for.
const FARTHEST: u64 = u32::MAX as u64;

hdl_block! {
    /// The launcher.
    pub CcsLauncher {
        In clock: Domain; /// Clock and reset.
        In start, queues, soft_reset: Bit; /// A command starts. Behind the one that runs. A soft reset is asked for.
        In several, strided: Bit; /// There is more than one row. The stride is not 1.
        In next_command: Bits<8>; /// Code and flags, with `start`.
        In next_length: Bits<32>; /// Elements, with `start`.
        In command: Bits<8>; /// Code and flags of a queued command, from a cycle after `start` on.
        Bus bases, steps: Array<Signal<In, Bits<32>>, 3>; /// Byte addresses of a, b and r. Steps.
        In length, count, constant: Bits<32>; /// Elements, likewise. Rows. The constant.
        In front: Bit; /// The generator or a step that it gave is still before the unit.
        In lull, reducing: Bit; /// The lanes are empty. A reduction is in the unit.
        In stride: Bits<8>; /// Stride.
        Bus mask: Array<Signal<In, Bit>, LANES>; /// Stride mask.
        In idle: Bit; /// Everything behind the generator, and the generator, is idle.
        In outside, failed: Bit; /// A row is not in the address space. Memory has answered with an error.
        In silent: Bit; /// A soft reset need not wait for memory any longer.
        Out ready, answers: Bit; /// No command runs. None will run in the next cycle.
        Out queued: Bit; /// A command waits behind the one that runs.
        Out error: Bits<CCS_ERROR_BITS>; /// Error code.
        Out loads, taken: Bit; /// A command is taken: the generator loads. It was started, not queued.
        Out quick: Bit; /// With its first step.
        Out elements_asked: Bits<32>; /// Elements of a row.
        Out ended, resetting: Bit; /// A command ends, or is refused. A soft reset is under way.
        Out clear, run: Bit; /// Last cycle of it: everything as after reset. Rows may go.
        Out stop, refuses: Bit; /// No step starts any more. What the generator has is dropped.
        Out extent: Bits<32>; /// Elements of a row after the first.
        Bus vectors: Array<Signal<Out, Bit>, 3>; /// Whether a, b and r are vectors.
        Out store, fresh: Bit; /// Results of a reduction go to memory. The unit does not do this command yet.
        Out map, elements: Bit; /// The command that the unit does is a map. Results of its reductions go to memory.
        Out second_constant: Bit; /// The second operand is the constant row.
        Out constant_write: Bit; /// The constant row is to be written.
        Out constant_word: Bits<32>; /// With this element, once for each element of a word.
        Out flip: Bits<32>; /// What a reduction's result is combined with.
        Out control: Bits<UNIT_CONTROL_BITS>; /// The unit's control word.
        Bus lanes: Array<Signal<Out, Bit>, LANES>; /// The mask of the command that the unit does.
    } inside {
        Child odd: Array<Pipe<Bit>, 3>; // An address or a step is no multiple of an element, a cycle ago.
        Child apart: Array<Pipe<Bit>, 3>; // It is at another place of a line than a's, a cycle ago.
        Register checking, deciding, running: Bit; // A queued one's rules are looked at. The verdict. A command runs.
        Register stopping: Bit; // It is to end.
        Register early: Bit; // A start came too early, a cycle ago.
        Register rests: Bit; // Generator and everything behind it were idle, a cycle ago.
        Register beyond: Bit; // A row was not in the address space, a cycle ago.
        Register bad_answer: Bit; // Memory answered with an error, a cycle ago.
        Register dropped, reset: Bit; // A command was refused, a cycle ago. A soft reset is under way.
        Register given_up: Bit; // It waits for memory no longer.
        Register pending, vacant: Bit; // A command is queued. Nothing was before the unit, a cycle ago.
        Register behind: Bit; // The code is of one behind those that run.
        Register unstarted, similar: Bit; // The unit does not do the command yet. Its tree does the same for both.
        Pipe broken: Bits<4>; // Rules that are broken: code, length, stride; an error came before it.
        Register code: Bits<CCS_ERROR_BITS>; // Error code.
        Pipe word: Bits<WORD_BITS>; // Word of the ROM.
        Pipe stores: Bit; // Results go to memory.
        Pipe reach: Bits<32>; // Elements after the first.
        Pipe stride_left: Bits<8>; // What is left of the stride.
        Pipe constant_held, flip_held: Bits<32>; // The constant row's elements. The flip.
        Child mask_held: Array<Pipe<Bit>, LANES>; // The mask.
        Child mask_done: Array<Pipe<Bit>, LANES>; // That of the command that the unit does.
        Pipe done: Bits<WORD_BITS>; // Its word of the ROM.
        Pipe tree_word: Bits<WORD_BITS>; // That of the last reduction that it does.
        Pipe tree_flip: Bits<32>; // What its results are combined with.
        Pipe tree_stores: Bit; // They go to memory.
        Child rom: AsyncRom<Bits<WORD_BITS>, Bits<WORD_INDEX>>; // Control ROM.
        Child constant_row: CcsConstantRow; // What it holds.
        Local chosen: Bits<8>;
        Local found: Bits<WORD_BITS>;
        Child places, moves: Array<Signal<Local, Bits<32>>, 3>;
        Child used: Array<Signal<Local, Bit>, 3>;
        Local bad_stride, first, bad_alignment, storing: Bit;
        Local busy, refused, last, finished, sound, starts, checks, begins, clears, switches, next_starts: Bit;
        Local own_tree, tree, own_flip, other_flip: Bits<2>;
        Local lane_control: Bits<LANE_CONTROL_BITS>;
        Value _g: Shape;
    }
}

impl CcsLauncher {
    /// The launcher, with its ROM.
    pub fn new() -> Self {
        let words = (0..1 << WORD_INDEX).map(|i| Bits::from(command_word(i)));
        CcsLauncher { rom: AsyncRom::new(words.collect()), ..Self::default() }
    }
}

impl Logic for CcsLauncher {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, checking, deciding, running, stopping, dropped, early);
        dff_setup!(self, clock, rests, beyond, bad_answer, reset, given_up, broken, code, word, stores, reach);
        dff_setup!(self, clock, stride_left, constant_held, flip_held, odd, apart, mask_held, mask_done, tree_stores);
        dff_setup!(self, clock, pending, vacant, behind, unstarted, similar, done, tree_word, tree_flip);
        // What starts: with the write, or, of a queued command, from the registers.
        self.chosen.next = self.next_command.val();
        self.elements_asked.next = self.next_length.val();
        if self.checking.q.val() {
            self.chosen.next = self.command.val();
            self.elements_asked.next = self.length.val();
        }
        self.rom.address.next = self.chosen.val().get_bits::<WORD_INDEX>(0);
        self.found.next = self.rom.data.val();
        // Rules. Those about places are judged a cycle later.
        self.bad_stride.next = !self.stride.val().any()
            | (self.stride.val() & (self.stride.val() - 1)).any()
            | (self.stride.val() >= self._g.lane_count);
        for i in 0..3 {
            self.places[i].next = self.bases[i].val() & self._g.line_mask;
            self.moves[i].next = 0.into();
            if self.several.val() {
                self.moves[i].next = self.steps[i].val() & self._g.line_mask;
            }
        }
        self.used[0].next = self.word.q.val().get_bit(USES_A);
        self.used[1].next = self.word.q.val().get_bit(USES_B);
        self.used[2].next = self.word.q.val().get_bit(IS_MAP);
        self.bad_alignment.next = false;
        for i in 0..3 {
            self.odd[i].d.next = ((self.places[i].val() | self.moves[i].val()) & self._g.element_mask).any();
            self.apart[i].d.next =
                (self.places[i].val() != self.places[0].val()) | (self.moves[i].val() != self.moves[0].val());
            if self.used[i].val() & (self.odd[i].q.val() | (self.used[0].val() & self.apart[i].q.val())) {
                self.bad_alignment.next = true;
            }
        }
        self.storing.next = self.chosen.val().get_bit(STORE_AT) & !self.found.val().get_bit(IS_MAP);
        if self.stores.q.val() & self.odd[2].q.val() {
            self.bad_alignment.next = true;
        }
        self.constant_row.flips.next = self.found.val().get_bits::<3>(FLIPS);
        self.constant_row.constant.next = self.constant.val();
        // States.
        self.busy.next = self.checking.q.val()
            | self.deciding.q.val()
            | self.running.q.val()
            | self.pending.q.val()
            | self.dropped.q.val();
        self.refused.next = self.deciding.q.val() & (self.broken.q.val().any() | self.bad_alignment.val());
        self.rests.d.next = self.idle.val();
        self.beyond.d.next = self.outside.val();
        self.last.next = self.running.q.val() & !self.checking.q.val() & !self.deciding.q.val() & !self.pending.q.val();
        self.finished.next = self.last.val() & (self.rests.q.val() | self.given_up.q.val());
        // A start that came too early says nothing about the command: what ends that comes in its place.
        self.first.next = !self.code.q.val().any() | (self.code.q.val() == BUSY_CODE);
        self.early.d.next = false;
        if self.early.q.val() & !self.code.q.val().any() {
            self.code.d.next = BUSY_CODE.into();
        }
        self.sound.next = self.first.val() & !self.stopping.q.val() & !self.refused.val() & !self.reset.q.val();
        self.starts.next = self.start.val() & !self.busy.val() & (!self.queues.val() | self.sound.val());
        self.checks.next = self.checking.q.val() | self.starts.val();
        // A command that was started, not queued, clears the code, and forgets an answer that comes then.
        self.clears.next = self.starts.val() & !self.queues.val();
        // An answer that comes with the check of a queued one counts in the next cycle: the command has begun. While
        // others run it is theirs, and must stop the step that waits for it.
        self.begins.next = self.checks.val() & !self.running.q.val();
        self.bad_answer.d.next = self.failed.val() | (self.bad_answer.q.val() & self.begins.val() & !self.clears.val());
        // A queued command is checked when nothing of the one before it is left before the unit.
        self.vacant.d.next = !self.front.val();
        self.next_starts.next = self.pending.q.val()
            & self.vacant.q.val()
            & !self.checking.q.val()
            & !self.deciding.q.val()
            & !self.unstarted.q.val();
        if self.start.val() & self.busy.val() {
            if self.queues.val() {
                if self.sound.val() {
                    self.pending.d.next = !self.finished.val();
                    self.checking.d.next = self.finished.val();
                }
            } else {
                self.early.d.next = true;
            }
        }
        if self.next_starts.val() {
            self.pending.d.next = false;
            self.checking.d.next = true;
        }
        if !self.sound.val() {
            self.pending.d.next = false;
            if self.next_starts.val() {
                self.checking.d.next = false;
            }
        }
        if self.clears.val() {
            self.code.d.next = 0.into();
        }
        if self.checks.val() {
            self.checking.d.next = false;
            self.deciding.d.next = true;
            self.broken.d.next = bits_to::<Bits<4>, Bit>(!self.found.val().get_bit(LEGAL))
                | (bits_to::<Bits<4>, Bit>(!self.elements_asked.val().any() | !self.count.val().any()) << 1)
                | (bits_to::<Bits<4>, Bit>(self.bad_stride.val()) << 2)
                | (bits_to::<Bits<4>, Bit>(!self.first.val() & self.checking.q.val()) << 3);
            self.word.d.next = self.found.val();
            self.stores.d.next = self.storing.val();
            self.reach.d.next = self.elements_asked.val() - 1;
            self.stride_left.d.next = self.stride.val();
            self.constant_held.d.next = self.constant_row.word.val();
            self.flip_held.d.next = self.constant_row.flip.val();
        } else {
            if !self.stride_left.q.val().get_bit(0) {
                self.stride_left.d.next = self.stride_left.q.val() >> 1;
                self.reach.d.next = self.reach.q.val() << 1;
                if self.reach.q.val().get_bit(31) {
                    self.reach.d.next = FARTHEST.into();
                }
            }
        }
        if self.deciding.q.val() {
            self.deciding.d.next = false;
            if !self.refused.val() {
                self.running.d.next = true;
                self.unstarted.d.next = true;
            }
        }
        if self.refused.val() & self.first.val() {
            self.behind.d.next = self.running.q.val();
            self.code.d.next = ALIGNMENT_CODE.into();
            if self.broken.q.val().get_bit(2) {
                self.code.d.next = STRIDE_CODE.into();
            }
            if self.broken.q.val().get_bit(1) {
                self.code.d.next = LENGTH_CODE.into();
            }
            if self.broken.q.val().get_bit(0) {
                self.code.d.next = COMMAND_CODE.into();
            }
        }
        if self.running.q.val() & !self.stopping.q.val() & self.beyond.q.val() {
            self.stopping.d.next = true;
            if self.first.val() {
                self.code.d.next = ADDRESS_CODE.into();
            }
        }
        if self.bad_answer.q.val() & !self.begins.val() {
            self.stopping.d.next =
                (self.running.q.val() & !self.finished.val()) | (self.deciding.q.val() & !self.refused.val());
            if self.first.val() | self.behind.q.val() {
                self.code.d.next = BUS_CODE.into();
            }
        }
        if self.soft_reset.val() {
            self.reset.d.next = true;
        }
        if self.reset.q.val() {
            self.stopping.d.next = self.running.q.val();
        }
        if self.finished.val() {
            self.running.d.next = false;
            self.stopping.d.next = false;
            self.behind.d.next = false;
        }
        if self.silent.val() & self.reset.q.val() {
            self.given_up.d.next = true;
        }
        self.clear.next = self.reset.q.val() & !self.busy.val() & (self.rests.q.val() | self.given_up.q.val());
        if self.clear.val() {
            self.reset.d.next = false;
            self.given_up.d.next = false;
            self.code.d.next = 0.into();
            if self.given_up.q.val() {
                self.code.d.next = SILENT_CODE.into();
            }
        }
        self.ready.next = !self.busy.val();
        self.queued.next = self.pending.q.val();
        self.answers.next = !self.busy.val()
            | (self.last.val()
                & (self.idle.val() | self.rests.q.val() | self.given_up.q.val())
                & !self.failed.val()
                & !self.bad_answer.q.val()
                & !self.early.q.val());
        self.error.next = self.code.q.val();
        self.loads.next = self.checks.val();
        self.quick.next =
            self.starts.val() & self.found.val().get_bit(USES_A) & !self.several.val() & !self.strided.val();
        self.taken.next = self.clears.val();
        // A queued command that is dropped when none runs ends, too.
        self.ended.next = self.finished.val()
            | (self.refused.val() & !self.running.q.val())
            | (self.start.val() & self.queues.val() & !self.sound.val() & !self.busy.val());
        self.resetting.next = self.reset.q.val();
        self.run.next = ((self.deciding.q.val() & !self.refused.val())
            | (self.running.q.val() & !self.deciding.q.val()))
            & self.stride_left.q.val().get_bit(0);
        self.dropped.d.next = self.refused.val();
        self.stop.next = self.stopping.q.val() | (self.dropped.q.val() & !self.running.q.val());
        self.refuses.next = self.stopping.q.val() | self.dropped.q.val();
        self.extent.next = self.reach.q.val();
        self.vectors[0].next = self.word.q.val().get_bit(USES_A);
        self.vectors[1].next = self.word.q.val().get_bit(USES_B);
        self.vectors[2].next = self.word.q.val().get_bit(IS_MAP);
        self.fresh.next = self.unstarted.q.val();
        self.map.next = self.done.q.val().get_bit(IS_MAP);
        self.elements.next = self.tree_stores.q.val();
        self.store.next = self.stores.q.val();
        self.second_constant.next = self.word.q.val().get_bit(B_CONSTANT);
        // The unit goes over to the command when its lanes are empty; its tree, which a map leaves alone, when that is,
        // or when it goes on with the same.
        self.own_tree.next = self.word.q.val().get_bits::<2>(TREE_AT);
        self.own_flip.next = self.word.q.val().get_bits::<2>(FLIP_ONES);
        self.tree.next = self.tree_word.q.val().get_bits::<2>(TREE_AT);
        self.other_flip.next = self.tree_word.q.val().get_bits::<2>(FLIP_ONES);
        self.similar.d.next = !self.reducing.val()
            | self.word.q.val().get_bit(IS_MAP)
            | ((self.own_tree.val() == self.tree.val())
                & (self.own_flip.val() == self.other_flip.val())
                & (self.stores.q.val() == self.tree_stores.q.val())
                & self.unstarted.q.val());
        self.switches.next = self.unstarted.q.val() & self.lull.val() & self.similar.q.val();
        if self.switches.val() {
            self.unstarted.d.next = false;
            self.done.d.next = self.word.q.val();
            if !self.word.q.val().get_bit(IS_MAP) {
                self.tree_word.d.next = self.word.q.val();
                self.tree_flip.d.next = self.flip_held.q.val();
                self.tree_stores.d.next = self.stores.q.val();
            }
        }
        if self.stopping.q.val() {
            self.unstarted.d.next = false;
        }
        self.constant_write.next = self.switches.val();
        self.constant_word.next = self.constant_held.q.val();
        self.flip.next = self.tree_flip.q.val();
        self.lane_control.next = self.done.q.val().get_bits::<LANE_CONTROL_BITS>(UNIT_AT);
        self.control.next = bit_cast::<UNIT_CONTROL_BITS, LANE_CONTROL_BITS>(self.lane_control.val())
            | (bit_cast::<UNIT_CONTROL_BITS, 2>(self.tree.val()) << TREE_LSB);
        for k in 0..self._g.lanes {
            if self.checks.val() {
                self.mask_held[k].d.next = self.mask[k].val();
            }
            if self.switches.val() {
                self.mask_done[k].d.next = self.mask_held[k].q.val();
            }
            self.lanes[k].next = self.mask_done[k].q.val();
        }
    }

    describes!(block: "ccs_launcher", "Starts, checks and ends commands.",
        [WORD_INDEX, LEGAL, USES_A, USES_B, IS_MAP, B_CONSTANT, FLIPS, FLIP_ONES, UNIT_AT,
        UNIT_CONTROL_BITS, STORE_AT, COMMAND_CODE, LENGTH_CODE, STRIDE_CODE, ALIGNMENT_CODE, ADDRESS_CODE, BUSY_CODE,
        BUS_CODE, SILENT_CODE, FARTHEST, TREE_AT, TREE_LSB, LANE_CONTROL_BITS]);
}
