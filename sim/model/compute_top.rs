//! Model of the compute unit behind its register block.

use super::axil_regs::AxilRegs;
use super::axil_slave::{Answer, Offer};
use super::command_index::CommandIndex;
use super::command_log::{Events, Recorded};
use super::command_setup::Refusal;
use super::compute_unit::{ComputeUnit, Outputs};
use bitline_units::array::params::Params;

/// State of both.
#[derive(Clone, Debug)]
pub struct ComputeTop {
    /// Register block.
    pub registers: AxilRegs,
    /// Indices of the unit's commands.
    pub indices: CommandIndex,
    /// Compute unit.
    pub unit: ComputeUnit,
}

/// What enters in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopInputs {
    /// AXI4-Lite.
    pub axil: Offer,
    /// A beat is offered to the load port.
    pub beat: Option<u64>,
    /// The store port's beat is taken.
    pub take: bool,
}

/// What is shown in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopOutputs {
    /// AXI4-Lite.
    pub axil: Answer,
    /// Interrupt line.
    pub irq: bool,
    /// A command waits or runs.
    pub busy: bool,
    /// An error is recorded.
    pub error: bool,
    /// What the unit shows, inside and outside.
    pub unit: Outputs,
}

impl ComputeTop {
    /// After reset, rows zero.
    pub fn new(params: &Params) -> ComputeTop {
        ComputeTop {
            registers: AxilRegs::new(params),
            indices: CommandIndex::new(params.command_fifo),
            unit: ComputeUnit::new(params),
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &TopInputs) -> TopOutputs {
        let (axil, irq) = (self.registers.answer(), self.registers.line);
        let (busy, error) = (self.registers.log.busy, self.registers.log.error.code != 0);
        let mut command = self.registers.command();
        (command.beat, command.take) = (inputs.beat, inputs.take);
        let unit = self.unit.step(&command);
        let refused = unit.activity.refusal.map(|r| {
            let Refusal { code, operand } = r;
            Recorded { code, operand, index: self.indices.taken, address: 0 }
        });
        let events = Events {
            ready: unit.command_ready,
            busy: unit.busy,
            level: unit.level,
            tag_any: unit.tag_any,
            finished: unit.activity.last,
            raised: unit.activity.raised,
            refused,
        };
        let enters = self.registers.push.then(|| self.registers.log.entering.expect("a push has an index"));
        self.indices.step(enters, unit.activity.accepted);
        self.registers.step(&inputs.axil, &events);
        TopOutputs { axil, irq, busy, error, unit }
    }

    /// A clock edge with the reset on has passed: registers are clear, memories keep their words. `params` are the
    /// design's.
    pub fn reset(&mut self, params: &Params) {
        self.registers.reset(params);
        self.indices.reset();
        self.unit.reset(params);
    }
}

state! {
    TopInputs(self) {
        bus s_axil = self.axil;
        s_axis_tvalid = self.beat.is_some();
        s_axis_tdata = self.beat;
        m_axis_tready = self.take;
    }

    TopOutputs(self) {
        bus s_axil = self.axil;
        self => irq, busy, error;
        self.unit => tag_any;
        s_axis_tready = self.unit.beat_ready;
        m_axis_tvalid = self.unit.beat.is_some();
        m_axis_tdata = self.unit.beat.map(|beat| beat.0);
        m_axis_tlast = self.unit.beat.map(|beat| beat.1);
    }

    ComputeTop(self, params: &Params) {
        in registers = self.registers;
        in indices = self.indices;
        in unit = self.unit, (params);
    }
}
