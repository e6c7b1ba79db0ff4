//! Sequencer: turns commands into micro-operations, one a cycle.
//!
//! ```text
//!  queue ─▶ command setup ─▶ start registers ─▶ flow control ─▶ address generator ─▶ address adder ─▶ issue stage ─▶ array
//!              (checks)                           ▲ (pc, loops)                                           │
//!                                                 └────────────────────── wired-OR of the tags ───────────┘
//! ```
//!
//! The next command is set up while the one before runs, so the array need not rest between them. `busy` = 1 from the cycle after a
//! command is accepted until its last write is done.

use super::address_adder::AddressAdder;
use super::address_generator::AddressGenerator;
use super::column_peripheral::COLUMN_CONTROL;
use super::command_setup::{CommandFields, CommandSetup, CommandWord};
use super::flow_control::FlowControl;
use super::issue_stage::IssueStage;
use super::start_registers::StartRegisters;
use super::types::RowAddress;
use crate::isa::microcode::Microcode;
use crate::isa::word::command;
use crate::kernel::prelude::*;
use crate::params::{Memory, Params};

const KEY_LSB: u64 = command::WIDTH as u64;

/// The sequencer.
#[derive(LogicBlock, Default)]
pub struct Sequencer {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command waits.
    pub command_valid: Signal<In, Bit>,
    /// The command.
    pub command: Signal<In, CommandWord>,
    /// It is taken.
    pub accept: Signal<Out, Bit>,
    /// A row waits at the load port.
    pub load_ready: Signal<In, Bit>,
    /// The store port has room.
    pub store_ready: Signal<In, Bit>,
    /// Wired-OR of the tags, a cycle late.
    pub tag_any: Signal<In, Bit>,
    /// Something runs.
    pub busy: Signal<Out, Bit>,
    /// A row of a micro-program is issued.
    pub issued: Signal<Out, Bit>,
    /// It is the first of its command.
    pub first: Signal<Out, Bit>,
    /// It is the last of its command.
    pub last: Signal<Out, Bit>,
    /// A command is refused.
    pub refused: Signal<Out, Bit>,
    /// Why.
    pub refused_code: Signal<Out, Bits<3>>,
    /// The operand it is about, or 0.
    pub refused_operand: Signal<Out, Bits<3>>,
    /// What the columns do; 0 does nothing.
    pub column: Signal<Out, Bits<COLUMN_CONTROL>>,
    /// Row B is read for the merge only.
    pub merge: Signal<Out, Bit>,
    /// Multi-row sensing.
    pub multi: Signal<Out, Bits<2>>,
    /// Its rows.
    pub multi_rows: Signal<Out, Word<64, 1>>,
    /// Port A reads.
    pub a_enable: Signal<Out, Bit>,
    /// Row A.
    pub a_row: Signal<Out, RowAddress>,
    /// Port B reads.
    pub b_enable: Signal<Out, Bit>,
    /// Row B.
    pub b_row: Signal<Out, RowAddress>,
    /// A row is written.
    pub write_enable: Signal<Out, Bit>,
    /// Which one.
    pub write_row: Signal<Out, RowAddress>,
    /// It comes from the load port.
    pub load: Signal<Out, Bit>,
    /// Row A goes to the store port.
    pub store: Signal<Out, Bit>,
    /// Checks commands.
    pub setup: CommandSetup,
    /// What the next command starts from.
    pub start: StartRegisters,
    /// Program counter and loops.
    pub flow: FlowControl,
    /// Control ROM, bases and indices.
    pub addresses: AddressGenerator,
    /// Row addresses.
    pub adder: AddressAdder,
    /// Issue.
    pub issue: IssueStage,
}

impl Sequencer {
    /// The sequencer of the design that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        let multi = params.memory == Memory::Behavioural;
        Sequencer {
            setup: CommandSetup::new(&code.setup, params.rows),
            flow: FlowControl::new(&code.flow, multi),
            addresses: AddressGenerator::new(&code.control, multi),
            adder: AddressAdder::new(multi),
            issue: IssueStage::new(params),
            ..Self::default()
        }
    }
}

impl Logic for Sequencer {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, setup, start, flow, addresses, adder, issue);
        self.setup.command_valid.next = self.command_valid.val();
        self.setup.command.next = bits_to::<CommandFields, CommandWord>(self.command.val());
        self.accept.next = self.setup.accept.val();
        self.refused.next = self.setup.refused.val();
        self.refused_code.next = self.setup.refused_code.val();
        self.refused_operand.next = self.setup.refused_operand.val();
        self.setup.take.next = self.flow.take.val();
        self.setup.bank_0_used.next = self.addresses.uses_bank_0.val();
        self.setup.bank_1_used.next = self.addresses.uses_bank_1.val();
        self.start.load.next = self.setup.accept.val();
        self.start.load_key.next = bits_to::<Word<64, 1>, CommandWord>(self.command.val() >> KEY_LSB);
        self.start.width.next = self.setup.start_width.val();
        self.start.write.next = self.setup.start_write.val();
        self.start.to.next = self.setup.start_to.val();
        self.start.count.next = self.setup.start_count.val();
        self.start.row.next = self.setup.start_row.val();
        self.start.is_zero.next = self.setup.start_is_zero.val();
        self.start.is_two.next = self.setup.start_is_two.val();
        self.start.complete.next = self.setup.start_complete.val();
        self.start.target.next = self.setup.start_target.val();
        self.flow.start_fetch.next = self.setup.start_complete.val();
        self.flow.start_target.next = self.setup.start_target.val();
        self.flow.start_ready.next = self.setup.start_ready.val();
        self.flow.start_width.next = self.setup.start_width.val();
        self.flow.start_bank.next = self.setup.start_bank.val();
        self.flow.start_entry.next = self.start.start_entry.val();
        self.flow.start_x.next = self.start.start_x.val();
        self.flow.start_y.next = self.start.start_y.val();
        self.flow.start_z.next = self.start.start_z.val();
        self.flow.start_stride.next = self.start.start_stride.val();
        self.flow.start_stride_two.next = self.start.start_stride_two.val();
        self.flow.start_rest.next = self.start.start_rest.val();
        self.flow.start_rest_doubled.next = self.start.start_rest_doubled.val();
        self.flow.start_min_width.next = self.start.start_min_width.val();
        self.flow.start_stop.next = self.start.start_stop.val();
        self.flow.start_key.next = self.start.start_key.val();
        self.flow.start_i.next = self.start.start_i.val();
        self.flow.start_carry.next = self.start.start_carry.val();
        self.flow.start_keep_tag.next = self.start.start_keep_tag.val();
        self.flow.start_scan.next = self.start.start_scan.val();
        self.flow.count_write.next = self.setup.count_write.val();
        self.flow.count_address.next = self.setup.count_address.val();
        self.flow.count_data.next = self.setup.count_data.val();
        self.addresses.base_write.next = self.setup.base_write.val();
        self.addresses.base_address.next = self.setup.base_address.val();
        self.addresses.base_data.next = self.setup.base_data.val();
        self.flow.advance.next = self.issue.advance.val();
        self.addresses.advance.next = self.issue.advance.val();
        self.adder.advance.next = self.issue.advance.val();
        self.flow.return_token.next = self.issue.return_token.val();
        self.flow.return_any.next = self.issue.return_any.val();
        self.addresses.fetch_valid.next = self.flow.valid.val();
        self.addresses.fetch_address.next = self.flow.address.val();
        self.addresses.fetch_exit.next = self.flow.exit.val();
        self.addresses.fetch_rest_a.next = self.flow.rest_a.val();
        self.addresses.fetch_key_bits.next = self.flow.key_bits.val();
        self.addresses.fetch_first.next = self.flow.is_first.val();
        self.addresses.fetch_last.next = self.flow.is_last.val();
        self.addresses.fetch_bank.next = self.flow.base_bank.val();
        self.addresses.fetch_token.next = self.flow.token.val();
        self.addresses.fetch_keyed.next = self.flow.keyed.val();
        self.addresses.fetch_at.next = self.flow.at.val();
        self.addresses.fetch_carry.next = self.flow.preset_carry.val();
        self.addresses.fetch_keep_tag.next = self.flow.preset_keep_tag.val();
        self.addresses.fetch_i.next = self.flow.i_start.val();
        self.addresses.fetch_key_rows.next = self.flow.key_rows.val();
        self.addresses.fetch_width_rows.next = self.flow.width_rows.val();
        self.adder.in_valid.next = self.addresses.valid.val();
        self.adder.in_column.next = self.addresses.column.val();
        self.adder.in_merge.next = self.addresses.merge.val();
        self.adder.in_multi.next = self.addresses.multi.val();
        self.adder.in_multi_rows.next = self.addresses.multi_rows.val();
        self.adder.in_a_enable.next = self.addresses.a_enable.val();
        self.adder.in_b_enable.next = self.addresses.b_enable.val();
        self.adder.in_write_enable.next = self.addresses.write_enable.val();
        self.adder.in_load.next = self.addresses.load.val();
        self.adder.in_store.next = self.addresses.store.val();
        self.adder.in_token.next = self.addresses.token.val();
        self.adder.in_first.next = self.addresses.is_first.val();
        self.adder.in_last.next = self.addresses.is_last.val();
        self.adder.in_carry.next = self.addresses.preset_carry.val();
        self.adder.in_keep_tag.next = self.addresses.preset_keep_tag.val();
        self.adder.in_a_base.next = self.addresses.a_base.val();
        self.adder.in_a_index.next = self.addresses.a_index.val();
        self.adder.in_b_base.next = self.addresses.b_base.val();
        self.adder.in_b_index.next = self.addresses.b_index.val();
        self.adder.in_write_base.next = self.addresses.write_base.val();
        self.adder.in_write_index.next = self.addresses.write_index.val();
        self.issue.row_valid.next = self.adder.valid.val();
        self.issue.row_column.next = self.adder.column.val();
        self.issue.row_merge.next = self.adder.merge.val();
        self.issue.row_multi.next = self.adder.multi.val();
        self.issue.row_multi_rows.next = self.adder.multi_rows.val();
        self.issue.row_a_enable.next = self.adder.a_enable.val();
        self.issue.row_b_enable.next = self.adder.b_enable.val();
        self.issue.row_write_enable.next = self.adder.write_enable.val();
        self.issue.row_load.next = self.adder.load.val();
        self.issue.row_store.next = self.adder.store.val();
        self.issue.row_token.next = self.adder.token.val();
        self.issue.row_first.next = self.adder.first.val();
        self.issue.row_last.next = self.adder.last.val();
        self.issue.row_carry.next = self.adder.carry.val();
        self.issue.row_keep_tag.next = self.adder.keep_tag.val();
        self.issue.row_a.next = self.adder.a_row.val();
        self.issue.row_b.next = self.adder.b_row.val();
        self.issue.row_write.next = self.adder.write_row.val();
        self.issue.load_ready.next = self.load_ready.val();
        self.issue.store_ready.next = self.store_ready.val();
        self.issue.tag_any.next = self.tag_any.val();
        self.busy.next = self.setup.occupied.val()
            | self.flow.running.val()
            | self.addresses.occupied.val()
            | self.adder.occupied.val()
            | self.issue.occupied.val();
        self.issued.next = self.issue.issued.val();
        self.first.next = self.issue.first.val();
        self.last.next = self.issue.last.val();
        self.column.next = self.issue.column.val();
        self.merge.next = self.issue.merge.val();
        self.multi.next = self.issue.multi.val();
        self.multi_rows.next = self.issue.multi_rows.val();
        self.a_enable.next = self.issue.a_enable.val();
        self.a_row.next = self.issue.a_row.val();
        self.b_enable.next = self.issue.b_enable.val();
        self.b_row.next = self.issue.b_row.val();
        self.write_enable.next = self.issue.write_enable.val();
        self.write_row.next = self.issue.write_row.val();
        self.load.next = self.issue.load.val();
        self.store.next = self.issue.store.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("sequencer", "Commands to micro-operations, one a cycle.", constants![KEY_LSB])
    }
}
