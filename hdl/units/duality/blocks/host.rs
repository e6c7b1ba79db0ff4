//! The Duality Cache's register block behind AXI4-Lite.
//!
//! ```text
//!  s_axil ◀─▶ slave ─┬─▶ registers of a launch ─▶ launch unit, memory unit
//!               ▲    ├─▶ parameters, special registers ─▶ their lists
//!               │    ├─▶ DC-pages ─▶ memory unit
//!               │    ├─▶ ways in use, modes, flush ─▶ modes
//!               │    └─▶ start, abort, words ─▶
//!               └─────── status, counters ◀─
//! ```
//!
//! What each register means is said in [`crate::duality::registers`], once. Accesses take effect as
//! [`crate::parts::axil_slave`] says, but for writes that are refused: they have no effect, are counted, and their
//! response is SLVERR. `begin`, `abort`, `push`, `flush`, `write_ways` and `write_modes` are 1 in the cycle of the
//! write. `irq` is a register: it follows its causes by a cycle. Registers of operations on lines, if there are some,
//! are those of `lines`.

use crate::duality::blocks::bundles::{LineHostSource, WavesSource};
use crate::duality::blocks::counters::{DualityCounters, EVENTS};
use crate::duality::blocks::modes::{STATES_BITS, WAYS_BITS};
use crate::duality::blocks::types::ProgramWord;
use crate::duality::params::{BLOCK_BITS, DualityParams, MOST_BLOCKS, MOST_INDEX, PC_BITS, SCALARS};
use crate::duality::registers::*;
use crate::kernel::prelude::*;
use crate::parts::axil_slave::AxilSlaveOf;
use crate::parts::axil_word::AxilWord;
use crate::parts::bundles::AxilSlavePort;

const NUMBER_BITS: usize = ADDRESS_BITS - 2; // Bits of a register's number.
const NUMBERS: usize = SPAN as usize / 4; // Registers that there is room for.

const fn number(offset: u64) -> usize {
    offset as usize / 4
}

numbers! {
    usize: COMMAND = number(REG_COMMAND), STATUS = number(REG_STATUS), RESULT = number(REG_RESULT), TRAP_PC =
    number(REG_TRAP_PC), TRAP_THREAD = number(REG_TRAP_THREAD), TRAP_ADDRESS = number(REG_TRAP_ADDRESS), INTERRUPT =
    number(REG_INTERRUPT), STAGED_FIRST = number(REG_INTERRUPT_ENABLE), PUSH = number(REG_PUSH), PC = number(REG_PC),
    BLOCK_WAVE = number(REG_BLOCK_WAVE), FRONTIER = number(REG_FRONTIER), TAIL = number(REG_TAIL), WAYS =
    number(REG_WAYS), REFUSED = number(REG_REFUSED), WAY_MODES = number(REG_WAY_MODES), WAY_STATES =
    number(REG_WAY_STATES), CYCLES_LOW = number(REG_CYCLES_LOW), CYCLES_HIGH = number(REG_CYCLES_HIGH), WAVES =
    number(REG_WAVES), MODE_NUMBER = number(REG_MODE), FIRST_LINE = number(REG_LINE_A)
}
const STAGED: usize = PUSH - STAGED_FIRST; // Registers that hold what is written; they follow each other.
const fn staged(offset: u64) -> usize {
    number(offset) - STAGED_FIRST
}
numbers! {
    usize: ENABLE = staged(REG_INTERRUPT_ENABLE), WORD_0 = staged(REG_WORD_0), WORD_1 = staged(REG_WORD_1), WORD_2 =
    staged(REG_WORD_2), FEED = staged(REG_FEED), BLOCK = staged(REG_BLOCK), MODE = staged(REG_MODE), CODE =
    staged(REG_CODE), WORDS = staged(REG_WORDS), BLOCK_X = staged(REG_BLOCK_X), BLOCK_Y = staged(REG_BLOCK_Y), BLOCK_Z
    = staged(REG_BLOCK_Z), GRID_X = staged(REG_GRID_X), GRID_Y = staged(REG_GRID_Y), GRID_Z = staged(REG_GRID_Z),
    AT_ONCE = staged(REG_AT_ONCE), SHARED_BASE = staged(REG_SHARED_BASE), SHARED_BYTES = staged(REG_SHARED_BYTES),
    SPILL_BASE = staged(REG_SPILL_BASE), SPILL_ROWS = staged(REG_SPILL_ROWS), SHARED_STEP = staged(REG_SHARED_STEP),
    SPILL_STEP = staged(REG_SPILL_STEP), COUNTS = staged(REG_COUNTS)
}
numbers! {
    FIRST_PARAMETER = PARAMETERS / 4, BEHIND_PARAMETERS = PARAMETERS / 4 + SCALARS as u64, FIRST_SPECIAL = SPECIALS /
    4, BEHIND_SPECIALS = SPECIALS / 4 + MOST_SPECIALS as u64, FIRST_OUTSIDE = NUMBERS, MOST_WORDS = MOST_INDEX,
    MOST_PARAMETERS = SCALARS, MOST_LISTED = MOST_SPECIALS, NO_ARRAYS = 3, SLVERR = 2, ALL_BYTES = 15, RUNNING_AT =
    STATUS_RUNNING_LSB, FLUSHING_AT = STATUS_FLUSHING_LSB, CLEAN_AT = STATUS_CLEAN_LSB, READY_AT = STATUS_READY_LSB,
    HERE_AT = STATUS_BLOCK_RUNNING_LSB, BLOCK_AT = RESULT_BLOCK_LSB, DOORBELL_AT = STATUS_DOORBELL_LSB, FAILED_AT =
    STATUS_WRITE_FAILED_LSB, CODE_AT = RESULT_CODE_LSB, SLOT_AT = RESULT_SLOT_LSB, NAMES_AT = RESULT_THREAD_LSB,
    FLUSHED_AT = INTERRUPT_FLUSHED_LSB, BELL_AT = INTERRUPT_DOORBELL_LSB, CHANGED_AT = INTERRUPT_MODES_LSB, TRAPPED =
    2
}
const PAGE_BIT: usize = NUMBER_BITS - 1; // `page` in a register's number: addresses from `PAGES` on.

hdl_block! {
    /// The register block.
    pub DualityHost {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Out irq: Bit; /// Interrupt line, active high while an enabled cause lasts.
        Out begin, abort: Bit; /// A launch begins. It is to end.
        In busy, runs, ended: Bit; /// A launch is under way. The program of a wave runs. The launch ends.
        In outcome: Bits<2>; /// How it has ended.
        In code: Bits<8>; /// What with.
        In trapped_block: Bits<BLOCK_BITS>; /// The control block of the trap.
        In wave: Bit; /// A wave begins.
        Out lockstep, host_fed: Bit; /// Words leave in bundles. They come from the host.
        Out code_at: Bits<32>; /// Where the program is.
        Out words: Bits<PC_BITS>; /// Its words.
        Out parameters: Bits<6>; /// Parameters.
        Out specials: Bits<4>; /// Special registers.
        Out parameter_write, special_write: Bit; /// An entry of these lists is written.
        Out list_number: Bits<5>; /// Which one.
        Out list_value: Bits<32>; /// What it holds then.
        Out block: Bits<BLOCK_BITS>; /// The control block that the host looks at, of which the next ports are.
        Out push: Bit; /// A word of the program is offered.
        In push_ready: Bit; /// It is taken if offered.
        Out push_word: ProgramWord; /// The word.
        In pc, frontier, tail: Bits<PC_BITS>; /// The ring.
        In block_runs: Bit; /// A program runs there.
        In block_wave: Bits<32>; /// The wave that has begun there last.
        In bell: Bit; /// At most half of the ring of some program is in use that waits for the host's words.
        In trap_pc: Bits<PC_BITS>; /// The word that a program was stopped before.
        In trap_slot: Bits<2>; /// The array of the word.
        In trap_thread: Bits<12>; /// The thread whose access was refused.
        In trap_address: Bits<32>; /// What it has asked for.
        In trap_names: Bits<2>; /// Bit 0: the thread is told; bit 1: the address is.
        Bus waves: WavesSource; /// What waves are made of.
        Bus lines: Array<LineHostSource, { LANES - 1 }>; /// Operations on lines.
        Out shared_base, spill_base: Bits<32>; /// Shared windows and spill rows of control block 0,
        Out shared_step, spill_step: Bits<32>; /// and bytes from those of one to those of the next.
        Out write_ways, write_modes, flush: Bit; /// `ways` or `way_modes` is written, with `list_value`. A flush.
        In ways: Bits<WAYS_BITS>; /// Ways in use.
        In wanted: Bits<MOST_BLOCKS>; /// Ways that are wanted as control blocks.
        In states: Bits<STATES_BITS>; /// What they are.
        In changed, serves: Bit; /// One of them has changed. Some way serves.
        In flushing, flushed, used: Bit; /// All ways are to be emptied. They are. They may not be.
        Out clear_failed: Bit; /// `write_failed` becomes 0.
        In write_failed: Bit; /// Memory has not taken a line.
        In memory_busy: Bit; /// A word of memory is at work.
        In hit, miss, merged, written_back: Bit; /// What the ways do.
    } inside {
        Child slave: AxilSlaveOf<ADDRESS_BITS, NUMBER_BITS>; // Channels.
        Child staged: [AxilWord; STAGED]; // Registers that hold what is written.
        Child kinds: Vec<Constant<Bits<32>>>; // Bits of each that do.
        Child counters: DualityCounters;
        Register done, emptied, moved, line, refusal: Bit; // Interrupts. The line. The last write was refused.
        Register refused, kept: Bits<32>; // Writes refused. The high half when the low one was last read.
        Local number: Bits<NUMBER_BITS>;
        Local write, taken, plain, whole, held, command, starts, flushes, aborts, legal, pushes: Bit;
        Local to_parameters, to_specials, to_page, refuses: Bit;
        Local mode, counts: Bits<32>;
        Local events: Bits<EVENTS>;
        Child fixed: Vec<Constant<Bits<32>>>; // What registers hold after reset; identification registers always.
        Child values: Vec<Signal<Local, Bits<32>>>;
        Local value: Bits<32>;
        Value _lines: usize;
    }
}

impl DualityHost {
    /// The register block of a design.
    pub fn new(params: &DualityParams) -> Self {
        let fixed = |at: usize| REGISTERS.iter().find(|r| number(r.offset) == at).map_or(0, |r| reset_value(params, r));
        DualityHost {
            fixed: (0..NUMBERS).map(|at| Constant::new(u64::from(fixed(at)).into())).collect(),
            kinds: (0..STAGED).map(|at| Constant::new(writable(4 * (STAGED_FIRST + at) as u64).into())).collect(),
            values: (0..NUMBERS).map(|_| Signal::default()).collect(),
            _lines: params.line_operations.into(),
            ..Self::default()
        }
    }
}

impl Logic for DualityHost {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slave, counters);
        dff_setup!(self, clock, done, emptied, moved, line, refusal, refused, kept);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.slave.s_axil);
        if self.refusal.q.val() {
            self.s_axil.bresp.next = SLVERR.into();
        }
        // Writes, and whether they may be.
        self.number.next = self.slave.write_number.val();
        self.write.next = self.slave.write.val();
        self.slave.write_ready.next = true;
        self.slave.read_ready.next = true;
        self.plain.next = self.write.val() & (self.number.val() < FIRST_OUTSIDE);
        self.whole.next = self.slave.write_strobes.val() == ALL_BYTES;
        self.to_parameters.next =
            self.write.val() & (self.number.val() >= FIRST_PARAMETER) & (self.number.val() < BEHIND_PARAMETERS);
        self.to_specials.next =
            self.write.val() & (self.number.val() >= FIRST_SPECIAL) & (self.number.val() < BEHIND_SPECIALS);
        self.to_page.next = self.write.val() & self.number.val().get_bit(PAGE_BIT);
        self.held.next =
            self.plain.val() & (self.number.val().index() >= MODE_NUMBER) & (self.number.val().index() < PUSH);
        self.mode.next = self.staged[MODE].value.val();
        self.counts.next = self.staged[COUNTS].value.val();
        self.legal.next = (self.staged[BLOCK_X].value.val() != 0)
            & (self.staged[BLOCK_Y].value.val() != 0)
            & (self.staged[BLOCK_Z].value.val() != 0)
            & (self.staged[GRID_X].value.val() != 0)
            & (self.staged[GRID_Y].value.val() != 0)
            & (self.staged[GRID_Z].value.val() != 0)
            & (self.staged[AT_ONCE].value.val() != 0)
            & (self.mode.val().get_bits::<2>(MODE_ARRAYS_LSB) != NO_ARRAYS)
            & (self.counts.val().get_bits::<6>(COUNTS_PARAMETERS_LSB) <= MOST_PARAMETERS)
            & (self.counts.val().get_bits::<4>(COUNTS_SPECIALS_LSB) <= MOST_LISTED)
            & (self.mode.val().get_bit(MODE_HOST_FED_LSB)
                | ((self.staged[WORDS].value.val() != 0) & (self.staged[WORDS].value.val() <= MOST_WORDS)));
        self.command.next =
            self.plain.val() & (self.number.val().index() == COMMAND) & self.slave.write_strobes.val().get_bit(0);
        self.starts.next = self.command.val() & self.slave.write_data.val().get_bit(COMMAND_START_LSB);
        self.flushes.next = self.command.val() & self.slave.write_data.val().get_bit(COMMAND_FLUSH_LSB);
        self.aborts.next = self.command.val() & self.slave.write_data.val().get_bit(COMMAND_ABORT_LSB);
        self.pushes.next =
            self.plain.val() & (self.number.val().index() == PUSH) & (self.slave.write_strobes.val() != 0);
        self.refuses.next = (self.held.val() & self.busy.val())
            | ((self.to_parameters.val() | self.to_specials.val() | self.to_page.val())
                & (self.busy.val() | !self.whole.val()))
            | (self.starts.val() & (self.busy.val() | self.flushing.val() | !self.legal.val() | self.aborts.val()))
            | (self.starts.val() & ((self.wanted.val() == 0) | !self.serves.val()))
            | (self.flushes.val() & (self.busy.val() | self.flushing.val() | self.starts.val()))
            | (self.pushes.val()
                & (!self.push_ready.val()
                    | !self.whole.val()
                    | (self.staged[FEED].value.val() != self.block_wave.val())))
            | (self.plain.val()
                & (self.number.val().index() == WAYS)
                & (self.busy.val() | self.flushing.val() | self.used.val() | !self.whole.val()))
            | (self.plain.val() & (self.number.val().index() == WAY_MODES) & !self.whole.val());
        for j in 0..self._lines {
            self.lines[j].number.next = self.number.val().get_bits::<4>(0);
            self.lines[j].data.next = self.slave.write_data.val();
            self.lines[j].ready.next = self.serves.val() & !self.flushing.val();
            if ((self.plain.val() & (self.number.val().index() >= FIRST_LINE))
                & (self.lines[j].refuses.val() | !self.whole.val()))
                | ((self.flushes.val() | (self.plain.val() & (self.number.val().index() == WAYS)))
                    & self.lines[j].working.val())
            {
                self.refuses.next = true;
            }
            self.lines[j].write.next =
                self.plain.val() & (self.number.val().index() >= FIRST_LINE) & !self.refuses.val();
        }
        self.taken.next = self.write.val() & !self.refuses.val();
        if self.write.val() {
            self.refusal.d.next = self.refuses.val();
            if self.refuses.val() {
                self.refused.d.next = self.refused.q.val() + 1;
            }
        }
        // Registers that hold what is written.
        for i in 0..STAGED {
            self.staged[i].clock.next = self.clock.val();
            self.staged[i].strobes.next = self.slave.write_strobes.val();
            self.staged[i].data.next = self.slave.write_data.val() & self.kinds[i].val();
            self.staged[i].write.next =
                self.taken.val() & self.plain.val() & (self.number.val().index() == STAGED_FIRST + i);
        }
        self.lockstep.next = self.mode.val().get_bit(MODE_LOCKSTEP_LSB);
        self.host_fed.next = self.mode.val().get_bit(MODE_HOST_FED_LSB);
        self.code_at.next = self.staged[CODE].value.val();
        self.words.next = self.staged[WORDS].value.val().get_bits::<PC_BITS>(WORDS_COUNT_LSB);
        self.parameters.next = self.counts.val().get_bits::<6>(COUNTS_PARAMETERS_LSB);
        self.push_word.next = bits_to::<ProgramWord, Bits<32>>(self.staged[WORD_0].value.val())
            | (bits_to::<ProgramWord, Bits<32>>(self.staged[WORD_1].value.val()) << 32)
            | (bits_to::<ProgramWord, Bits<32>>(self.staged[WORD_2].value.val()) << 64)
            | (bits_to::<ProgramWord, Bits<32>>(self.slave.write_data.val()) << 96);
        self.waves.arrays.next = self.mode.val().get_bits::<2>(MODE_ARRAYS_LSB);
        self.waves.block_x.next = self.staged[BLOCK_X].value.val().get_bits::<13>(BLOCK_X_LSB);
        self.waves.block_y.next = self.staged[BLOCK_Y].value.val().get_bits::<13>(BLOCK_Y_LSB);
        self.waves.block_z.next = self.staged[BLOCK_Z].value.val().get_bits::<13>(BLOCK_Z_LSB);
        self.waves.grid_x.next = self.staged[GRID_X].value.val().get_bits::<21>(GRID_X_LSB);
        self.waves.grid_y.next = self.staged[GRID_Y].value.val().get_bits::<21>(GRID_Y_LSB);
        self.waves.grid_z.next = self.staged[GRID_Z].value.val().get_bits::<21>(GRID_Z_LSB);
        self.waves.at_once.next = self.staged[AT_ONCE].value.val().get_bits::<13>(AT_ONCE_LSB);
        self.shared_base.next = self.staged[SHARED_BASE].value.val();
        self.waves.shared_bytes.next = self.staged[SHARED_BYTES].value.val();
        self.spill_base.next = self.staged[SPILL_BASE].value.val();
        self.shared_step.next = self.staged[SHARED_STEP].value.val();
        self.spill_step.next = self.staged[SPILL_STEP].value.val();
        self.waves.spill_rows.next = self.staged[SPILL_ROWS].value.val().get_bits::<16>(SPILL_ROWS_LSB);
        // Parameters, special registers, pages.
        self.parameter_write.next = self.taken.val() & self.to_parameters.val();
        self.special_write.next = self.taken.val() & self.to_specials.val();
        self.list_number.next = self.number.val().get_bits::<5>(0);
        self.list_value.next = self.slave.write_data.val();
        self.specials.next = self.counts.val().get_bits::<4>(COUNTS_SPECIALS_LSB);
        self.block.next = self.staged[BLOCK].value.val().get_bits::<BLOCK_BITS>(BLOCK_NUMBER_LSB);
        self.waves.page_write.next = self.taken.val() & self.to_page.val();
        self.waves.page_number.next = self.number.val().get_bits::<8>(0);
        self.waves.page_entry.next = self.slave.write_data.val();
        // Commands.
        self.begin.next = self.taken.val() & self.starts.val();
        self.abort.next = self.taken.val() & self.aborts.val();
        self.clear_failed.next =
            self.taken.val() & self.command.val() & self.slave.write_data.val().get_bit(COMMAND_CLEAR_LSB);
        self.push.next = self.taken.val() & self.pushes.val();
        self.flush.next = self.taken.val() & self.flushes.val();
        self.write_ways.next = self.taken.val() & self.plain.val() & (self.number.val().index() == WAYS);
        self.write_modes.next = self.taken.val() & self.plain.val() & (self.number.val().index() == WAY_MODES);
        // Interrupts.
        if self.plain.val() & (self.number.val().index() == INTERRUPT) & self.slave.write_strobes.val().get_bit(0) {
            if self.slave.write_data.val().get_bit(INTERRUPT_DONE_LSB) {
                self.done.d.next = false;
            }
            if self.slave.write_data.val().get_bit(INTERRUPT_FLUSHED_LSB) {
                self.emptied.d.next = false;
            }
            if self.slave.write_data.val().get_bit(INTERRUPT_MODES_LSB) {
                self.moved.d.next = false;
            }
        }
        if self.ended.val() {
            self.done.d.next = true;
        }
        if self.flushed.val() {
            self.emptied.d.next = true;
        }
        if self.changed.val() {
            self.moved.d.next = true;
        }
        self.line.d.next = (self.done.q.val() & self.staged[ENABLE].value.val().get_bit(INTERRUPT_ENABLE_DONE_LSB))
            | (self.emptied.q.val() & self.staged[ENABLE].value.val().get_bit(INTERRUPT_ENABLE_FLUSHED_LSB))
            | (self.moved.q.val() & self.staged[ENABLE].value.val().get_bit(INTERRUPT_ENABLE_MODES_LSB))
            | (self.bell.val() & self.staged[ENABLE].value.val().get_bit(INTERRUPT_ENABLE_DOORBELL_LSB));
        self.irq.next = self.line.q.val();
        // Counters.
        self.counters.clear.next = self.begin.val();
        self.counters.busy.next = self.busy.val();
        self.events.next = 0.into();
        self.events.next = self.events.val().replace_bit(0, self.wave.val());
        self.events.next = self.events.val().replace_bit(1, self.memory_busy.val());
        self.events.next = self.events.val().replace_bit(2, self.hit.val());
        self.events.next = self.events.val().replace_bit(3, self.miss.val());
        self.events.next = self.events.val().replace_bit(4, self.merged.val());
        self.events.next = self.events.val().replace_bit(5, self.written_back.val());
        self.counters.events.next = self.events.val();
        if self.slave.read.val() & (self.slave.read_number.val().index() == CYCLES_LOW) {
            self.kept.d.next = self.counters.high.val();
        }
        // What reads give.
        for i in 0..NUMBERS {
            self.values[i].next = self.fixed[i].val();
        }
        for i in 0..STAGED {
            self.values[STAGED_FIRST + i].next = self.staged[i].value.val();
        }
        self.values[STATUS].next = bits_to::<Bits<32>, Bit>(self.busy.val())
            | (bits_to::<Bits<32>, Bit>(self.runs.val()) << RUNNING_AT)
            | (bits_to::<Bits<32>, Bit>(self.flushing.val()) << FLUSHING_AT)
            | (bits_to::<Bits<32>, Bit>(!self.used.val()) << CLEAN_AT)
            | (bits_to::<Bits<32>, Bit>(self.push_ready.val()) << READY_AT)
            | (bits_to::<Bits<32>, Bit>(self.bell.val()) << DOORBELL_AT)
            | (bits_to::<Bits<32>, Bit>(self.write_failed.val()) << FAILED_AT)
            | (bits_to::<Bits<32>, Bit>(self.block_runs.val()) << HERE_AT);
        self.values[RESULT].next = bits_to::<Bits<32>, Bits<8>>(self.code.val()) << CODE_AT;
        if self.outcome.val() == TRAPPED {
            self.values[RESULT].next = (bits_to::<Bits<32>, Bits<8>>(self.code.val()) << CODE_AT)
                | (bits_to::<Bits<32>, Bits<2>>(self.trap_slot.val()) << SLOT_AT)
                | (bits_to::<Bits<32>, Bits<2>>(self.trap_names.val()) << NAMES_AT)
                | (bits_to::<Bits<32>, Bits<BLOCK_BITS>>(self.trapped_block.val()) << BLOCK_AT);
            self.values[TRAP_PC].next = bits_to::<Bits<32>, Bits<PC_BITS>>(self.trap_pc.val());
            if self.trap_names.val().get_bit(0) {
                self.values[TRAP_THREAD].next = bits_to::<Bits<32>, Bits<12>>(self.trap_thread.val());
            }
            if self.trap_names.val().get_bit(1) {
                self.values[TRAP_ADDRESS].next = self.trap_address.val();
            }
        }
        if !self.busy.val() {
            self.values[RESULT].next = self.values[RESULT].val() | bits_to::<Bits<32>, Bits<2>>(self.outcome.val());
        }
        self.values[INTERRUPT].next = bits_to::<Bits<32>, Bit>(self.done.q.val())
            | (bits_to::<Bits<32>, Bit>(self.emptied.q.val()) << FLUSHED_AT)
            | (bits_to::<Bits<32>, Bit>(self.moved.q.val()) << CHANGED_AT)
            | (bits_to::<Bits<32>, Bit>(self.bell.val()) << BELL_AT);
        self.values[PC].next = bits_to::<Bits<32>, Bits<PC_BITS>>(self.pc.val());
        self.values[FRONTIER].next = bits_to::<Bits<32>, Bits<PC_BITS>>(self.frontier.val());
        self.values[TAIL].next = bits_to::<Bits<32>, Bits<PC_BITS>>(self.tail.val());
        self.values[BLOCK_WAVE].next = self.block_wave.val();
        self.values[WAYS].next = bits_to::<Bits<32>, Bits<WAYS_BITS>>(self.ways.val());
        self.values[WAY_MODES].next = bits_to::<Bits<32>, Bits<MOST_BLOCKS>>(self.wanted.val());
        self.values[WAY_STATES].next = bits_to::<Bits<32>, Bits<STATES_BITS>>(self.states.val());
        self.values[REFUSED].next = self.refused.q.val();
        self.values[CYCLES_LOW].next = self.counters.low.val();
        self.values[CYCLES_HIGH].next = self.kept.q.val();
        for i in 0..EVENTS {
            self.values[WAVES + i].next = self.counters.counts[i].val();
        }
        self.value.next = 0.into();
        for i in 0..NUMBERS {
            if self.slave.read_number.val().index() == i {
                self.value.next = self.values[i].val();
            }
        }
        for j in 0..self._lines {
            self.irq.next = self.line.q.val() | self.lines[j].irq.val();
            self.lines[j].read_number.next = self.slave.read_number.val().get_bits::<4>(0);
            if (self.slave.read_number.val().index() >= FIRST_LINE) & (self.slave.read_number.val().index() < NUMBERS) {
                self.value.next = self.lines[j].value.val();
            }
        }
        self.slave.read_value.next = self.value.val();
    }

    described! {
        "duality_host", "The Duality Cache's register block behind AXI4-Lite.";
        COMMAND, STATUS, RESULT, TRAP_PC, TRAP_THREAD, TRAP_ADDRESS, INTERRUPT, STAGED_FIRST, PUSH, PC, FRONTIER,
        TAIL, BLOCK_WAVE, WAY_MODES, WAY_STATES, BLOCK, SHARED_STEP, SPILL_STEP, HERE_AT, BLOCK_AT, BLOCK_NUMBER_LSB,
        WAYS, REFUSED, CYCLES_LOW, CYCLES_HIGH, WAVES, MODE_NUMBER, STAGED, ENABLE, WORD_0, WORD_1, WORD_2, FEED,
        MODE, CODE, WORDS, BLOCK_X, BLOCK_Y, BLOCK_Z, GRID_X, GRID_Y, GRID_Z, AT_ONCE, SHARED_BASE, SHARED_BYTES,
        SPILL_BASE, SPILL_ROWS, COUNTS, FIRST_PARAMETER, BEHIND_PARAMETERS, FIRST_SPECIAL, BEHIND_SPECIALS,
        FIRST_OUTSIDE, MOST_WORDS, MOST_PARAMETERS, MOST_LISTED, NO_ARRAYS, SLVERR, ALL_BYTES, RUNNING_AT,
        FLUSHING_AT, CLEAN_AT, READY_AT, DOORBELL_AT, FAILED_AT, CODE_AT, SLOT_AT, NAMES_AT, FLUSHED_AT, BELL_AT,
        CHANGED_AT, PAGE_BIT, NUMBERS, FIRST_LINE, EVENTS, TRAPPED, COMMAND_START_LSB, COMMAND_ABORT_LSB,
        COMMAND_FLUSH_LSB, COMMAND_CLEAR_LSB, MODE_LOCKSTEP_LSB, MODE_ARRAYS_LSB, MODE_HOST_FED_LSB, WORDS_COUNT_LSB,
        COUNTS_PARAMETERS_LSB, COUNTS_SPECIALS_LSB, BLOCK_X_LSB, BLOCK_Y_LSB, BLOCK_Z_LSB, GRID_X_LSB, GRID_Y_LSB,
        GRID_Z_LSB, AT_ONCE_LSB, SPILL_ROWS_LSB, INTERRUPT_DONE_LSB, INTERRUPT_FLUSHED_LSB, INTERRUPT_MODES_LSB,
        INTERRUPT_ENABLE_DONE_LSB, INTERRUPT_ENABLE_FLUSHED_LSB, INTERRUPT_ENABLE_DOORBELL_LSB,
        INTERRUPT_ENABLE_MODES_LSB; _lines
    }
}
