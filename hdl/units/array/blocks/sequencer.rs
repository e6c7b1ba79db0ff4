//! Sequencer: turns commands into micro-operations, one a cycle.
//!
//! ```text
//!  queue ─▶ command setup ─▶ start registers ─▶ flow control ─▶ address generator ─▶ address adder ─▶ issue stage ─▶ array
//!              (checks)                           ▲ (pc, loops)                                           │
//!                                                 └────────────────────── wired-OR of the tags ───────────┘
//! ```
//!
//! The next command is set up while the one before runs, so the array need not rest between them. `busy` = 1 from the
//! cycle after a command is accepted until its last write is done. Where commands can be held, that which was accepted
//! last does not begin while `hold` = 1, and `busy` does not count it.

use crate::array::blocks::address_adder::AddressAdder;
use crate::array::blocks::address_generator::AddressGenerator;
use crate::array::blocks::bundles::{
    MicroOperationSource, RefusalSource, ReturnSource, SetupWriteSource, StartCountsSource, StartFlagsSource,
};
use crate::array::blocks::command_setup::{CommandFields, CommandSetup, CommandWord};
use crate::array::blocks::exception_flags::{ExceptionFlags, RAISED, optional};
use crate::array::blocks::flow_control::FlowControl;
use crate::array::blocks::issue_stage::IssueStage;
use crate::array::blocks::loop_counters::FlaggedCount;
use crate::array::blocks::setup_value::MODE;
use crate::array::blocks::start_registers::StartRegisters;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::microcode::Microcode;
use crate::array::isa::word::command;
use crate::array::params::{Memory, Params};
use crate::kernel::prelude::*;
use crate::parts::bundles::WriteSource;

const KEY_LSB: u64 = command::WIDTH as u64;
const AT_MODE: usize = command::WIDTH;

hdl_block! {
    /// The sequencer.
    pub Sequencer {
        In clock: Domain; /// Clock and reset.
        In command_valid: Bit; /// A command waits.
        In command: CommandWord; /// The command.
        Out accept: Bit; /// It is taken.
        Bus hold: Vec<Signal<In, Bit>>; /// The command accepted last is held, of designs that can.
        In load_ready, store_ready: Bit; /// A row waits at the load port. The store port has room.
        In tag_any: Bit; /// Wired-OR of the tags, a cycle late.
        Out busy: Bit; /// Something runs.
        Out issued: Bit; /// A row of a micro-program is issued.
        Out first, last: Bit; /// It is the first, the last of its command.
        Bus refusal_: RefusalSource; /// A command is refused.
        Bus own_: MicroOperationSource; /// What the array does.
        Bus raised: Vec<Signal<Out, Bits<RAISED>>>; /// Exception flags raised in this cycle, of designs that have them.
    } inside {
        Child setup: CommandSetup; // Checks commands.
        Child start: StartRegisters; // What the next command starts from.
        Child flow: FlowControl; // Program counter and loops.
        Child addresses: AddressGenerator; // Control ROM, bases and indices.
        Child adder: AddressAdder; // Row addresses.
        Child issue: IssueStage; // Issue.
        Child flags: Vec<ExceptionFlags>; // Exception flags, if the design has them.
        Value _flags: usize; // How many: 1 or 0.
        Value _holds: usize; // How many `hold`: 1 or 0.
    }
}

impl Sequencer {
    /// The sequencer of the design that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        let multi = params.memory == Memory::Behavioural;
        let flags = usize::from(params.exception_flags);
        Sequencer {
            raised: optional(flags),
            flags: (0..flags).map(|_| ExceptionFlags::new(params, &code.reports)).collect(),
            _flags: flags,
            setup: CommandSetup::new(&code.setup, params.rows, params.pages()),
            flow: FlowControl::new(&code.flow, &code.constants, multi),
            addresses: AddressGenerator::new(&code.control, multi),
            adder: AddressAdder::new(multi),
            issue: IssueStage::new(params),
            ..Self::default()
        }
    }

    /// The same, whose commands can be held: set up and ready to begin.
    pub fn that_holds(params: &Params, code: &Microcode) -> Self {
        Sequencer { hold: optional(1), _holds: 1, ..Self::new(params, code) }
    }
}

impl Logic for Sequencer {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, setup, start, flow, addresses, adder, issue);
        self.setup.command_valid.next = self.command_valid.val();
        self.setup.command.next = bits_to::<CommandFields, CommandWord>(self.command.val());
        self.setup.mode.next = self.command.val().get_bits::<MODE>(AT_MODE);
        self.accept.next = self.setup.accept.val();
        RefusalSource::link(&mut self.refusal_, &mut self.setup.refusal_);
        self.setup.take.next = self.flow.take.val();
        self.setup.bank_0_used.next = self.addresses.uses_bank_0.val();
        self.setup.bank_1_used.next = self.addresses.uses_bank_1.val();
        self.start.load.next = self.setup.accept.val();
        self.start.load_key.next = bits_to::<Word<64, 1>, CommandWord>(self.command.val() >> KEY_LSB);
        self.start.width.next = self.setup.start_width.val();
        SetupWriteSource::join(&mut self.setup.start, &mut self.start.own_);
        self.flow.start_fetch.next = self.setup.start.complete.val();
        self.flow.start_target.next = self.setup.start.target.val();
        self.flow.start_ready.next = self.setup.start_ready.val();
        for k in 0..self._holds {
            if self.hold[k].val() {
                self.flow.start_ready.next = false;
            }
        }
        self.flow.start_width.next = self.setup.start_width.val();
        self.flow.start_bank.next = self.setup.start_bank.val();
        self.flow.start_entry.next = self.start.start_entry.val();
        StartCountsSource::join(&mut self.start.start, &mut self.flow.start);
        StartFlagsSource::join(&mut self.start.start__, &mut self.flow.start__);
        WriteSource::<Bits<4>, FlaggedCount>::join(&mut self.setup.count__, &mut self.flow.count);
        WriteSource::<Bits<5>, RowAddress>::join(&mut self.setup.base__, &mut self.addresses.base);
        self.flow.advance.next = self.issue.advance.val();
        self.addresses.advance.next = self.issue.advance.val();
        self.adder.advance.next = self.issue.advance.val();
        ReturnSource::join(&mut self.issue.return__, &mut self.flow.return__);
        self.addresses.fetch_valid.next = self.flow.valid.val();
        self.addresses.fetch_address.next = self.flow.address.val();
        self.addresses.fetch.exit.next = self.flow.exit.val();
        self.addresses.fetch.rest_a.next = self.flow.rest_a.val();
        self.addresses.fetch.key_bits.next = self.flow.key_bits.val();
        self.addresses.fetch.first.next = self.flow.is_first.val();
        self.addresses.fetch.last.next = self.flow.is_last.val();
        self.addresses.fetch.bank.next = self.flow.base_bank.val();
        self.addresses.fetch.token.next = self.flow.token.val();
        self.addresses.fetch.keyed.next = self.flow.keyed.val();
        self.addresses.fetch.at.next = self.flow.at.val();
        self.addresses.fetch.carry.next = self.flow.preset_carry.val();
        self.addresses.fetch.keep_tag.next = self.flow.preset_keep_tag.val();
        self.addresses.fetch_i.next = self.flow.i_start.val();
        self.addresses.fetch_key_rows.next = self.flow.key_rows.val();
        self.addresses.fetch_width_rows.next = self.flow.width_rows.val();
        self.adder.in__.valid.next = self.addresses.valid.val();
        self.adder.in__.column.next = self.addresses.column.val();
        self.adder.in__.merge.next = self.addresses.merge.val();
        self.adder.in__.multi.next = self.addresses.multi.val();
        self.adder.in__.multi_rows.next = self.addresses.multi_rows.val();
        self.adder.in__.a_enable.next = self.addresses.a_enable.val();
        self.adder.in__.b_enable.next = self.addresses.b_enable.val();
        self.adder.in__.write_enable.next = self.addresses.write_enable.val();
        self.adder.in__.load.next = self.addresses.load.val();
        self.adder.in__.store.next = self.addresses.store.val();
        self.adder.in__.token.next = self.addresses.token.val();
        self.adder.in__.first.next = self.addresses.is_first.val();
        self.adder.in__.last.next = self.addresses.is_last.val();
        self.adder.in__.carry.next = self.addresses.preset_carry.val();
        self.adder.in__.keep_tag.next = self.addresses.preset_keep_tag.val();
        self.adder.in_a_base.next = self.addresses.a_base.val();
        self.adder.in_a_index.next = self.addresses.a_index.val();
        self.adder.in_b_base.next = self.addresses.b_base.val();
        self.adder.in_b_index.next = self.addresses.b_index.val();
        self.adder.in_write_base.next = self.addresses.write_base.val();
        self.adder.in_write_index.next = self.addresses.write_index.val();
        self.issue.row_valid.next = self.adder.own_.valid.val();
        self.issue.row.column.next = self.adder.own_.column.val();
        self.issue.row.merge.next = self.adder.own_.merge.val();
        self.issue.row.multi.next = self.adder.own_.multi.val();
        self.issue.row.multi_rows.next = self.adder.own_.multi_rows.val();
        self.issue.row.a_enable.next = self.adder.own_.a_enable.val();
        self.issue.row.b_enable.next = self.adder.own_.b_enable.val();
        self.issue.row.write_enable.next = self.adder.own_.write_enable.val();
        self.issue.row.load.next = self.adder.own_.load.val();
        self.issue.row.store.next = self.adder.own_.store.val();
        self.issue.row.token.next = self.adder.own_.token.val();
        self.issue.row.first.next = self.adder.own_.first.val();
        self.issue.row.last.next = self.adder.own_.last.val();
        self.issue.row_carry.next = self.adder.own_.carry.val();
        self.issue.row_keep_tag.next = self.adder.own_.keep_tag.val();
        self.issue.row.a.next = self.adder.a_row.val();
        self.issue.row.b.next = self.adder.b_row.val();
        self.issue.row.write.next = self.adder.write_row.val();
        self.issue.load_ready.next = self.load_ready.val();
        self.issue.store_ready.next = self.store_ready.val();
        self.issue.tag_any.next = self.tag_any.val();
        for k in 0..self._flags {
            self.flags[k].clock.next = self.clock.val();
            self.flags[k].valid.next = self.flow.valid.val();
            self.flags[k].address.next = self.flow.address.val();
            self.flags[k].advance.next = self.issue.advance.val();
            self.flags[k].issued.next = self.issue.issued.val();
            self.flags[k].tag_any.next = self.tag_any.val();
            self.raised[k].next = self.flags[k].raised.val();
        }
        self.busy.next = self.setup.occupied.val()
            | self.flow.running.val()
            | self.addresses.occupied.val()
            | self.adder.occupied.val()
            | self.issue.occupied.val();
        for k in 0..self._holds {
            if self.hold[k].val() {
                self.busy.next = self.flow.running.val()
                    | self.addresses.occupied.val()
                    | self.adder.occupied.val()
                    | self.issue.occupied.val();
            }
        }
        self.issued.next = self.issue.issued.val();
        self.first.next = self.issue.first.val();
        self.last.next = self.issue.last.val();
        MicroOperationSource::link(&mut self.own_, &mut self.issue.own_);
    }

    described! { "sequencer", "Commands to micro-operations, one a cycle."; KEY_LSB, AT_MODE; _flags, _holds }
}
