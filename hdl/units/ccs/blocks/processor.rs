//! The processor's side of the cache: one access at a time.
//!
//! ```text
//!  idle ─▶ act ─┬─▶ registers                                    reply two cycles after the request was taken
//!               ├─▶ word to the word stage                        ready three cycles after, if no result is written
//!               ├─▶ line there ─▶ select                          reply three cycles after
//!               └─▶ line not there ─▶ drain ─▶ request ─▶ fill ─▶ again ─▶ act …
//! ```
//!
//! Writes are posted; one of a staged register gives way to the next at once, unless it waits for a queued command: a
//! soft reset, which would take what follows with it, does not. A read that finds its line uses the store's first read
//! port for a cycle, in which the unit does not: if steps go to the unit one after the other, the read asks for a cycle
//! without (`pause`). Before a line is asked for, steps that are under way come to their end (`hold`), so that none of
//! them has seen the row that it goes to, or has a result for it; while it is fetched, steps that touch the same row of
//! the cache wait (`filling`), others go on. A fetch that ends with an error leaves the cache as it is, and the reply
//! says so. `wait` is answered when no command runs and no soft reset. In a soft reset only reads of registers are
//! taken, after a hard reset only registers until memory has settled.
//!
//! With two read ports the line is fetched twice, over the port of a for the first copy, then over the other (`round`):
//! so both have it. No step is taken until the second request has gone, and no step finds the first copy's row from the
//! first on (`spoils`).

use crate::ccs::blocks::bundles::CpuSlave;
use crate::ccs::blocks::registers::{NUMBER_BITS, number};
use crate::ccs::blocks::types::{LaneNumber, LineNumber, MORE, REGISTER_BIT, RowNumber, Shape, describes};
use crate::ccs::registers::{REG_A, REG_LAUNCH, REG_QUEUE, REG_START, REG_WAIT};
use crate::kernel::prelude::*;

const WAIT: usize = number(REG_WAIT);
const START: usize = number(REG_START);
const QUEUE: usize = number(REG_QUEUE);
const LAUNCH: usize = number(REG_LAUNCH);
/// Numbers from 16 on are those of staged registers, and of what starts a command.
const STAGED_LOG: u64 = (REG_A / 4).ilog2() as u64;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum ProcessorState {
    /// Nothing.
    Idle,
    /// The access, looked up.
    Act,
    /// A word is chosen from its line.
    Select,
    /// Steps under way come to their end.
    Drain,
    /// A line is asked for.
    Request,
    /// It is to arrive.
    Fill,
    /// The store is read again.
    Again,
}

packed_enum!(ProcessorState: Idle, Act, Select, Drain, Request, Fill, Again);

hdl_block! {
    /// The block.
    pub CcsProcessor {
        In clock: Domain; /// Clock and reset.
        Bus cpu: CpuSlave; /// The processor's accesses.
        In resetting, settling: Bit; /// A soft reset is under way. Memory may answer what was asked before a hard reset.
        In command_ready, queued: Bit; /// No command runs any more. One waits behind the one that runs.
        Out register_write, register_read: Bit; /// A register is written. A register is read.
        Out launches: Bit; /// All of one is written that starts a command.
        Out register_number: Bits<NUMBER_BITS>; /// Which.
        In register_value: Bits<32>; /// What it holds.
        Out data: Bits<32>; /// What is written, to registers and to memory.
        Out strobes: Bits<4>; /// Which bytes.
        Out lookup_line: LineNumber; /// Line to look up.
        In lookup_hit, port_busy: Bit; /// It is there. The store's first read port is the unit's in this cycle.
        Out port_taken: Bit; /// The store's first read port is taken.
        Out port_row: RowNumber; /// For this row.
        Out place: LaneNumber; /// Place of the word in its line, in words.
        In word_read: Bits<32>; /// The word, two cycles after the row was read.
        Out word_valid: Bit; /// A word is written.
        In word_granted, word_held: Bit; /// It goes to the word stage. A word waits there.
        Out line: LineNumber; /// The line of the access.
        Out line_hit: Bit; /// It was there.
        In quiet: Bit; /// Nothing is between generator and store, and no step is taken.
        Out hold: Bit; /// No step may be taken from the next cycle on.
        Out pause, filling: Bit; /// No step may go to the unit in the next cycle. A line is fetched: `line`.
        Out read_valid: Bit; /// It is asked for.
        In read_ready: Bit; /// The request is taken.
        Out own_reply: Bit; /// The line that arrives next is the processor's.
        Out fill_row: RowNumber; /// Row for it.
        In arrive, arrive_error: Bit; /// A line arrives and is written. It came with an error.
        Out set: Bit; /// The line is there from now on.
        Bus spoils: Array<Signal<Out, Bit>, MORE>; /// The first copy's row gets another line.
        Bus more_read_valid: Array<Signal<Out, Bit>, MORE>; /// The line is asked for on the port of a.
        Bus more_read_ready: Array<Signal<In, Bit>, MORE>; /// The request is taken.
        Bus more_own: Array<Signal<Out, Bit>, MORE>; /// The line that arrives there next is the processor's.
        Bus more_arrive, more_error: Array<Signal<In, Bit>, MORE>; /// It arrives and is written. It came with an error.
    } inside {
        Register state: ProcessorState; // State.
        Pipe write: Bit; // The access writes.
        Pipe address, value: Bits<32>; // Its address. What to write.
        Pipe bytes: Bits<4>; // Which bytes.
        Pipe launching: Bit; // It writes all of a register that starts a command.
        Pipe hit: Bit; // Its line is there.
        Register kept_waiting: Bit; // A read waited for the port, a cycle ago.
        Register calm: Bit; // While steps are held, none was under way or taken, a cycle ago.
        Child round: Array<Register<Bit>, MORE>; // The first copy has the line.
        Register reply: Bit; // A reply is offered.
        Pipe reply_data: Bits<32>; // The word.
        Pipe reply_error: Bit; // It came with an error.
        Local free, registers, reads, takes, waits, staged, writes: Bit;
        Local unused_address: Bits<2>;
        Local asked, came, failed: Bit;
        Local number: Bits<NUMBER_BITS>;
        Value _g: Shape;
    }
}

impl Logic for CcsProcessor {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept_waiting, calm, state, write, address, value, bytes, hit, reply);
        dff_setup!(self, clock, reply_data, reply_error, launching);
        for i in 0..self._g.more {
            self.round[i].clock.next = self.clock.val();
            self.round[i].d.next = self.round[i].q.val();
        }
        self.line.next = bit_cast::<30, 32>(self.address.q.val() >> self._g.line_log);
        self.lookup_line.next = bit_cast::<30, 32>(self.cpu.address.val() >> self._g.line_log);
        self.register_number.next = self.address.q.val().get_bits::<NUMBER_BITS>(2);
        self.number.next = self.cpu.address.val().get_bits::<NUMBER_BITS>(2);
        self.unused_address.next = self.cpu.address.val().get_bits::<2>(0);
        self.data.next = self.value.q.val();
        self.strobes.next = self.bytes.q.val();
        self.line_hit.next = self.hit.q.val();
        self.place.next = bit_cast::<7, 32>((self.address.q.val() >> 2) & self._g.word_mask);
        self.fill_row.next = bit_cast::<7, 30>(self.line.val() & self._g.index_mask);
        // A read of memory is taken only while nothing is done, and a line that has come is read again only then.
        self.port_row.next = bit_cast::<7, 30>(self.lookup_line.val() & self._g.index_mask);
        if self.state.q.val() != ProcessorState::Idle {
            self.port_row.next = bit_cast::<7, 30>(self.line.val() & self._g.index_mask);
        }
        self.cpu.reply.next = self.reply.q.val();
        self.cpu.reply_data.next = self.reply_data.q.val();
        self.cpu.reply_error.next = self.reply_error.q.val();
        // What is staged belongs to a queued command until it has been taken.
        self.staged.next = (self.register_number.val() >> STAGED_LOG).any();
        self.writes.next = (self.state.q.val() == ProcessorState::Act)
            & self.address.q.val().get_bit(REGISTER_BIT)
            & self.write.q.val()
            & !(self.queued.val() & self.staged.val());
        self.registers.next = self.cpu.address.val().get_bit(REGISTER_BIT);
        self.free.next = (self.state.q.val() == ProcessorState::Idle)
            | (self.writes.val() & self.staged.val() & self.cpu.write.val() & self.registers.val());
        // A word that waits to be written must not be overtaken.
        self.reads.next = !self.cpu.write.val() & !self.registers.val();
        self.cpu.ready.next = self.free.val()
            & (!self.resetting.val() | (self.registers.val() & !self.cpu.write.val()))
            & (!self.settling.val() | self.registers.val())
            & !self.word_held.val()
            & !(self.reads.val() & self.port_busy.val());
        self.takes.next = self.cpu.ready.val() & self.cpu.valid.val();
        self.kept_waiting.d.next = self.port_busy.val()
            & ((self.cpu.valid.val() & self.reads.val()) | (self.state.q.val() == ProcessorState::Again));
        self.waits.next =
            (self.register_number.val().index() == WAIT) & (!self.command_ready.val() | self.resetting.val());
        self.register_write.next = self.writes.val();
        self.launches.next = (self.state.q.val() == ProcessorState::Act) & self.launching.q.val() & !self.queued.val();
        self.register_read.next = false;
        // What takes a read, but for what only a write waits for, which is late.
        self.port_taken.next = (self.state.q.val() == ProcessorState::Idle)
            & self.cpu.valid.val()
            & self.reads.val()
            & !self.resetting.val()
            & !self.settling.val()
            & !self.word_held.val()
            & !self.port_busy.val();
        self.word_valid.next = false;
        self.pause.next = self.kept_waiting.q.val();
        self.hold.next = false;
        self.filling.next = false;
        self.read_valid.next = false;
        self.own_reply.next = false;
        self.set.next = false;
        self.reply.d.next = false;
        self.asked.next = self.read_ready.val();
        self.came.next = self.arrive.val();
        self.failed.next = self.arrive_error.val();
        for i in 0..self._g.more {
            self.spoils[i].next = false;
            self.more_read_valid[i].next = false;
            self.more_own[i].next = false;
            if !self.round[i].q.val() {
                self.asked.next = self.more_read_ready[i].val();
                self.came.next = self.more_arrive[i].val();
                self.failed.next = self.more_error[i].val();
            }
        }
        match self.state.q.val() {
            ProcessorState::Idle => {
                self.state.d.next = ProcessorState::Idle;
            }
            ProcessorState::Act => {
                if self.address.q.val().get_bit(REGISTER_BIT) {
                    self.register_read.next = !self.write.q.val() & !self.waits.val();
                    if self.writes.val() | self.register_read.val() {
                        self.state.d.next = ProcessorState::Idle;
                    }
                    self.reply.d.next = !self.write.q.val() & !self.waits.val();
                    self.reply_data.d.next = self.register_value.val();
                    self.reply_error.d.next = false;
                } else {
                    if self.write.q.val() {
                        self.word_valid.next = true;
                        if self.word_granted.val() {
                            self.state.d.next = ProcessorState::Idle;
                        }
                    } else {
                        self.state.d.next = ProcessorState::Drain;
                        if self.hit.q.val() {
                            self.state.d.next = ProcessorState::Select;
                        }
                    }
                }
            }
            ProcessorState::Select => {
                self.reply.d.next = true;
                self.reply_data.d.next = self.word_read.val();
                self.reply_error.d.next = false;
                self.state.d.next = ProcessorState::Idle;
            }
            ProcessorState::Drain => {
                self.hold.next = true;
                if self.calm.q.val() {
                    self.state.d.next = ProcessorState::Request;
                }
            }
            ProcessorState::Request => {
                self.hold.next = true;
                self.filling.next = true;
                self.read_valid.next = true;
                for i in 0..self._g.more {
                    self.read_valid.next = self.round[i].q.val();
                    self.more_read_valid[i].next = !self.round[i].q.val();
                    self.spoils[i].next = true;
                }
                if self.asked.val() {
                    self.state.d.next = ProcessorState::Fill;
                }
            }
            ProcessorState::Fill => {
                self.filling.next = true;
                self.own_reply.next = true;
                for i in 0..self._g.more {
                    self.own_reply.next = self.round[i].q.val();
                    self.more_own[i].next = !self.round[i].q.val();
                    self.hold.next = !self.round[i].q.val();
                }
                if self.came.val() {
                    self.hit.d.next = true;
                    self.state.d.next = ProcessorState::Again;
                    for i in 0..self._g.more {
                        self.round[i].d.next = !self.round[i].q.val();
                        if !self.round[i].q.val() {
                            self.state.d.next = ProcessorState::Request;
                        }
                    }
                    if self.failed.val() {
                        for i in 0..self._g.more {
                            self.round[i].d.next = false;
                        }
                        self.reply.d.next = true;
                        self.reply_error.d.next = true;
                        self.state.d.next = ProcessorState::Idle;
                    }
                }
            }
            ProcessorState::Again => {
                self.filling.next = true;
                self.set.next = true;
                if !self.port_busy.val() {
                    self.port_taken.next = true;
                    self.state.d.next = ProcessorState::Act;
                }
            }
        }
        if self.takes.val() {
            self.state.d.next = ProcessorState::Act;
            self.write.d.next = self.cpu.write.val();
            self.address.d.next = self.cpu.address.val();
            self.value.d.next = self.cpu.data.val();
            self.bytes.d.next = self.cpu.strobes.val();
            // Known a cycle before it is done, which is the command's first.
            self.launching.d.next = self.cpu.write.val()
                & self.registers.val()
                & self.cpu.strobes.val().all()
                & ((self.number.val().index() == START)
                    | (self.number.val().index() == QUEUE)
                    | (self.number.val().index() == LAUNCH));
            self.hit.d.next = self.lookup_hit.val();
        }
        self.calm.d.next = self.hold.val() & self.quiet.val();
    }

    describes!(block: "ccs_processor", "The processor's accesses to the cache and to the registers.",
        [WAIT, START, QUEUE, LAUNCH, REGISTER_BIT, STAGED_LOG]);
}
