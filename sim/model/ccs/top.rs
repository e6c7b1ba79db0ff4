//! Model of the tops: the system behind its AXI4-Lite slave, with a line port, the AXI4 adapter or the line memory
//! behind it.

use super::axi_adapter::AxiAdapter;
use super::axil_bridge::AxilBridge;
use super::core::{Core, CoreInputs, CoreOutputs};
use super::line_memory::LineMemory;
use super::line_port::{LineAnswers, LineReply, LineRequests, LineWrite};
use super::silence::Silence;
use super::write_merge::merge;
use crate::axil_slave::{Answer, Offer};
use crate::memory::core::{MemoryInputs, MemoryOutputs};
use crate::seen::{Broken, Source};
use crate::state::Path;
use bitline_units::ccs::{CcsGeometry, CcsMemory};

/// What is behind the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopMemory {
    /// A line port.
    Lines,
    /// The AXI4 adapter.
    Bus(Box<AxiAdapter>),
    /// A line memory.
    Inside(Box<LineMemory>),
}

/// Inputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopInputs {
    /// AXI4-Lite.
    pub master: Offer,
    /// What memory shows on the line port, if there is one.
    pub lines: LineAnswers,
    /// What memory shows on the bus, if there is one.
    pub bus: MemoryInputs,
}

/// Outputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopOutputs {
    /// AXI4-Lite.
    pub slave: Answer,
    /// Interrupt line.
    pub irq: bool,
    /// The line port; words are in its lanes already.
    pub lines: LineRequests,
    /// The bus.
    pub bus: MemoryOutputs,
}

/// A top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Top {
    /// The slave.
    pub bridge: AxilBridge,
    /// The system.
    pub core: Core,
    /// What is behind it.
    pub memory: TopMemory,
}

impl Top {
    /// After reset; with `inside` lines of memory if that is part of it.
    pub fn new(geometry: &CcsGeometry, inside: Option<usize>) -> Top {
        let memory = match (inside, geometry.memory) {
            (Some(lines), _) => TopMemory::Inside(Box::new(LineMemory::new(geometry, lines))),
            (None, CcsMemory::Line) => TopMemory::Lines,
            _ => TopMemory::Bus(Box::new(AxiAdapter::new(geometry))),
        };
        let mut core = Core::new(geometry);
        if inside.is_some() {
            core.silence = Silence::new(false);
        }
        Top { bridge: AxilBridge::default(), core, memory }
    }

    /// What the system asks of memory, its words as the adapter and the line memory get them.
    fn requests(&self, outputs: &CoreOutputs) -> LineRequests {
        let write = outputs.write.as_ref().map(|write| LineWrite {
            line: write.line,
            lanes: write.lanes.clone(),
            bytes: write.bytes,
            word: write.word,
            data: if write.word.is_some() { vec![0; self.core.geometry.lanes] } else { write.data.clone() },
        });
        LineRequests {
            read: outputs.read,
            take: outputs.reply_ready,
            write,
            more_read: outputs.more_read,
            more_waits: false,
        }
    }

    /// What memory shows to the system.
    fn answers(&self, inputs: &TopInputs) -> LineAnswers {
        match &self.memory {
            TopMemory::Lines => inputs.lines.clone(),
            TopMemory::Bus(adapter) => adapter.answers(self.core.asks()[0]),
            TopMemory::Inside(memory) => {
                // The second port's lines are always taken.
                let more_reply = memory.more_reply.clone();
                let (reply, ack) = (memory.reply.clone(), memory.ack);
                let mut answers = LineAnswers { ready: true, reply, ack, more_ready: true, more_reply };
                // A line on offer that is taken makes room in the same cycle.
                if answers.reply.is_some() && self.core.asks()[0].is_some() {
                    let trial = CoreInputs { access: self.bridge.access(), ..core_inputs(&answers) };
                    answers.ready = self.core.clone().step(&trial).reply_ready;
                }
                answers
            }
        }
    }

    /// Takes what the hardware shows.
    pub fn see(&mut self, from: &mut dyn Source) {
        if let TopMemory::Bus(adapter) = &mut self.memory {
            adapter.see(&Path::TOP.at("adapter"), from);
        }
    }

    /// The rule that the hardware broke in the last step, if it did.
    pub fn broken(&mut self) -> Option<Broken> {
        if let TopMemory::Bus(adapter) = &mut self.memory { adapter.rules.broken() } else { None }
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &TopInputs) -> TopOutputs {
        let slave = self.bridge.answer();
        let answers = self.answers(inputs);
        let core = CoreInputs { access: self.bridge.access(), ..core_inputs(&answers) };
        let outputs = self.core.step(&core);
        let mut requests = self.requests(&outputs);
        self.bridge.step(&inputs.master, outputs.ready, outputs.reply);
        let mut bus = MemoryOutputs::default();
        match &mut self.memory {
            TopMemory::Lines => {}
            TopMemory::Bus(adapter) => bus = adapter.step(&requests, &inputs.bus).1,
            TopMemory::Inside(memory) => drop(memory.step(&requests)),
        }
        if let Some(write) = &mut requests.write {
            write.data = merge(write.word.take(), &write.data, self.core.geometry.element_bits);
        }
        TopOutputs { slave, irq: outputs.irq, lines: requests, bus }
    }
}

fn core_inputs(answers: &LineAnswers) -> CoreInputs {
    let reply = |reply: &LineReply| (reply.data.clone(), reply.error);
    CoreInputs {
        access: None,
        read_ready: answers.ready,
        reply: answers.reply.as_ref().map(reply),
        ack: answers.ack,
        more_ready: answers.more_ready,
        more_reply: answers.more_reply.as_ref().map(reply),
    }
}

state! {
    Top(self) {
        in bridge = self.bridge;
        in system = self.core;
        if (let TopMemory::Inside(memory) = &self.memory) {
            in memory = memory;
        }
    }
}
